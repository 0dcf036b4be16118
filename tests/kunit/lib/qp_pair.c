// SPDX-License-Identifier: GPL-2.0
/* Two queue pairs on the fake link: see qp_pair.h. */
#include <linux/delay.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "qp_pair.h"

#define GUARD 0xc7

void ends_defaults(struct pair *p, struct kunit *test, enum ib_qp_type type)
{
	memset(p, 0, sizeof(*p));
	p->test = test;
	p->type = type;
	p->mtu = IB_MTU_256;
	p->timeout = 20;	/* 4 s: a starved machine has lost nothing yet */
	p->retries = 7;
	p->rnr_retries = 7;
	p->psn = 0xffffc0;	/* it wraps soon */
	p->access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
		    IB_ACCESS_REMOTE_ATOMIC;
	p->mr_access = p->access | IB_ACCESS_LOCAL_WRITE;
}

/* ---- set up ------------------------------------------------------------------------ */

static void make_memory(struct pair *p, struct end *e)
{
	u32 bytes = END_BYTES + 2 * GUARD_BYTES;
	struct scatterlist sg;

	e->mem = alloc_pages_exact(bytes, GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, e->mem);
	memset(e->mem, GUARD, bytes);
	e->buf = e->mem + GUARD_BYTES;
	memset(e->buf, 0, END_BYTES);
	e->mr = ib_alloc_mr(e->pd, IB_MR_TYPE_MEM_REG, END_BYTES / PAGE_SIZE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, e->mr);
	sg_init_one(&sg, e->buf, END_BYTES);
	KUNIT_ASSERT_EQ(p->test, ib_dma_map_sg(e->ib, &sg, 1, DMA_BIDIRECTIONAL),
			1);
	KUNIT_ASSERT_EQ(p->test, ib_map_mr_sg(e->mr, &sg, 1, NULL, PAGE_SIZE), 1);
}

static void count_event(struct ib_event *event, void *context)
{
	struct end *e = context;

	if (event->event < ARRAY_SIZE(e->events))
		atomic_inc(&e->events[event->event]);
}

static void make_end(struct pair *p, int which)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 512 };
	struct end *e = &p->end[which];
	struct ib_qp_init_attr attr = {
		.qp_type = p->type,
		.event_handler = count_event,
		.qp_context = e,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr = 64, .max_recv_wr = 64,
			.max_send_sge = 4, .max_recv_sge = 4,
			.max_inline_data = 64,
		},
	};

	e->ib = fake_ib(which);
	e->pd = ib_alloc_pd(e->ib, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, e->pd);
	e->send_cq = ib_create_cq(e->ib, NULL, NULL, NULL, &cq_attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, e->send_cq);
	e->recv_cq = ib_create_cq(e->ib, NULL, NULL, NULL, &cq_attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, e->recv_cq);
	attr.send_cq = e->send_cq;
	attr.recv_cq = e->recv_cq;
	e->qp = ib_create_qp(e->pd, &attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, e->qp);
	make_memory(p, e);
}

static int to_init(struct pair *p, int which)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = p->access,
		.qkey = 0x11111111,
	};

	return ib_modify_qp(p->end[which].qp, &attr,
			    IB_QP_STATE | IB_QP_PORT | IB_QP_PKEY_INDEX |
			    (p->type == IB_QPT_UD ? IB_QP_QKEY :
						    IB_QP_ACCESS_FLAGS));
}

static int to_rtr(struct pair *p, int which)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = p->mtu,
		.dest_qp_num = p->end[!which].qp->qp_num,
		.rq_psn = p->psn,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 10,	/* 320 us */
	};
	int mask = IB_QP_STATE;

	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	rdma_ah_set_dlid(&attr.ah_attr, 1 + !which);
	if (p->type != IB_QPT_UD)
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			IB_QP_RQ_PSN;
	if (p->type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	return ib_modify_qp(p->end[which].qp, &attr, mask);
}

static int to_rts(struct pair *p, int which)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.sq_psn = p->psn,
		.timeout = p->timeout,
		.retry_cnt = p->retries,
		.rnr_retry = p->rnr_retries,
		.max_rd_atomic = 4,
	};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (p->type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(p->end[which].qp, &attr, mask);
}

int ends_connect(struct pair *p, int which)
{
	return to_init(p, which) ?: to_rtr(p, which) ?: to_rts(p, which);
}

/* UD queue pairs can not register: their key is the PD's, good for all. */
static void register_memory(struct pair *p, int which)
{
	struct end *e = &p->end[which];
	struct ib_reg_wr wr = {
		.wr = { .opcode = IB_WR_REG_MR, .wr_id = 1,
			.send_flags = IB_SEND_SIGNALED },
		.mr = e->mr,
		.key = e->mr->rkey,
		.access = p->mr_access,
	};

	KUNIT_ASSERT_EQ(p->test, ib_post_send(e->qp, &wr.wr, NULL), 0);
	EXPECT_WC(p, e->send_cq, 1, IB_WC_SUCCESS);
}

void ends_make(struct pair *p)
{
	int i;

	for (i = 0; i < 2; i++)
		make_end(p, i);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(p->test, to_init(p, i), 0);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(p->test, to_rtr(p, i), 0);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(p->test, to_rts(p, i), 0);
	for (i = 0; i < 2 && p->type != IB_QPT_UD; i++)
		register_memory(p, i);
}

void ends_check_guards(struct pair *p)
{
	int i;

	for (i = 0; i < 2; i++) {
		const u8 *mem = p->end[i].mem;

		KUNIT_EXPECT_PTR_EQ(p->test, memchr_inv(mem, GUARD, GUARD_BYTES),
				    NULL);
		KUNIT_EXPECT_PTR_EQ(p->test,
				    memchr_inv(mem + GUARD_BYTES + END_BYTES,
					       GUARD, GUARD_BYTES), NULL);
	}
}

void ends_drop(struct pair *p)
{
	int i;

	for (i = 0; i < 2; i++)
		if (!IS_ERR_OR_NULL(p->end[i].qp))
			ib_destroy_qp(p->end[i].qp);
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(p->test, atomic_read(&fake.paths), 0);
	for (i = 0; i < 2; i++) {
		struct end *e = &p->end[i];

		if (!IS_ERR_OR_NULL(e->mr))
			ib_dereg_mr(e->mr);
		if (!IS_ERR_OR_NULL(e->recv_cq))
			ib_destroy_cq(e->recv_cq);
		if (!IS_ERR_OR_NULL(e->send_cq))
			ib_destroy_cq(e->send_cq);
		if (!IS_ERR_OR_NULL(e->pd))
			ib_dealloc_pd(e->pd);
	}
	if (p->end[0].mem && p->end[1].mem)
		ends_check_guards(p);
	for (i = 0; i < 2; i++)
		if (p->end[i].mem)
			free_pages_exact(p->end[i].mem,
					 END_BYTES + 2 * GUARD_BYTES);
	memset(p->end, 0, sizeof(p->end));
}

/* ---- work ---------------------------------------------------------------------------- */

static u64 remote_of(const struct pair *p, int which, const struct job *job)
{
	return p->end[!which].mr->iova + job->remote_at;
}

static u32 rkey_of(const struct pair *p, int which, const struct job *job)
{
	return job->rkey ?: p->end[!which].mr->rkey;
}

static int post_rdma(struct pair *p, int which, const struct job *job,
		     const struct ib_send_wr *common)
{
	struct ib_rdma_wr wr = {
		.wr = *common,
		.remote_addr = remote_of(p, which, job),
		.rkey = rkey_of(p, which, job),
	};

	return ib_post_send(p->end[which].qp, &wr.wr, NULL);
}

static int post_atomic(struct pair *p, int which, const struct job *job,
		       const struct ib_send_wr *common)
{
	struct ib_atomic_wr wr = {
		.wr = *common,
		.remote_addr = remote_of(p, which, job),
		.rkey = rkey_of(p, which, job),
		.compare_add = job->add,
		.swap = job->swap,
	};

	return ib_post_send(p->end[which].qp, &wr.wr, NULL);
}

static int post_datagram(struct pair *p, int which, const struct job *job,
			 const struct ib_send_wr *common)
{
	struct ib_ud_wr wr = {
		.wr = *common,
		.ah = job->ah,
		.remote_qpn = p->end[!which].qp->qp_num,
		.remote_qkey = job->qkey,
	};

	return ib_post_send(p->end[which].qp, &wr.wr, NULL);
}

int ends_post(struct pair *p, int which, const struct job *job)
{
	struct end *e = &p->end[which];
	struct ib_sge sge = {
		.addr = (uintptr_t)e->buf + job->at,
		.length = job->length,
		.lkey = job->lkey ?: e->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_id = job->id,
		.sg_list = &sge,
		.num_sge = job->length ? 1 : 0,
		.opcode = job->op,
		.send_flags = (job->unsignaled ? 0 : IB_SEND_SIGNALED) | job->flags,
	};

	if (job->op == IB_WR_SEND_WITH_INV || job->op == IB_WR_LOCAL_INV)
		wr.ex.invalidate_rkey = job->word;
	else
		wr.ex.imm_data = cpu_to_be32(job->word);

	/* Not each kernel's enum has all of them. */
	switch ((u32)job->op) {
	case IB_WR_ATOMIC_WRITE:
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		return post_rdma(p, which, job, &wr);
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return post_atomic(p, which, job, &wr);
	default:
		return p->type == IB_QPT_UD ?
			post_datagram(p, which, job, &wr) :
			ib_post_send(e->qp, &wr, NULL);
	}
}

int ends_recv(struct pair *p, int which, u64 id, u32 at, u32 length)
{
	struct end *e = &p->end[which];
	struct ib_sge sge = {
		.addr = (uintptr_t)e->buf + at,
		.length = length,
		.lkey = e->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_id = id,
		.sg_list = &sge,
		.num_sge = length ? 1 : 0,
	};

	return ib_post_recv(e->qp, &wr, NULL);
}

bool ends_wait(struct ib_cq *cq, struct ib_wc *wc)
{
	unsigned long deadline = jiffies + 20 * HZ;

	do {
		if (ib_poll_cq(cq, 1, wc) == 1)
			return true;
		usleep_range(50, 200);
	} while (time_before(jiffies, deadline));
	return ib_poll_cq(cq, 1, wc) == 1;
}

bool ends_quiet(struct ib_cq *cq)
{
	struct ib_wc wc;

	msleep(20);
	return ib_poll_cq(cq, 1, &wc) == 0;
}

bool ends_events(struct pair *p, int which, enum ib_event_type event,
		 int wanted)
{
	const atomic_t *count = &p->end[which].events[event];
	unsigned long deadline = jiffies + 20 * HZ;

	while (atomic_read(count) < wanted && time_before(jiffies, deadline))
		usleep_range(50, 200);
	return atomic_read(count) == wanted;
}

enum ib_qp_state ends_state(struct pair *p, int which)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	if (ib_query_qp(p->end[which].qp, &attr, IB_QP_STATE, &init))
		return -1;
	return attr.qp_state;
}

bool ends_reaches(struct pair *p, int which, enum ib_qp_state state)
{
	unsigned long deadline = jiffies + 20 * HZ;

	while (ends_state(p, which) != state && time_before(jiffies, deadline))
		usleep_range(50, 200);
	return ends_state(p, which) == state;
}

u64 ends_counter(int which, const char *name)
{
	struct ib_device *ib = fake_ib(which);
	struct rdma_hw_stats *stats = ib->ops.alloc_hw_port_stats(ib, 1);
	u64 value = ~0ULL;
	int i;

	if (!stats)
		return value;
	ib->ops.get_hw_stats(ib, stats, 1, stats->num_counters);
	for (i = 0; i < stats->num_counters; i++)
		if (!strcmp(stats->descs[i].name, name))
			value = stats->value[i];
	rdma_free_hw_stats_struct(stats);
	return value;
}

bool ends_counted(int which, const char *name)
{
	unsigned long deadline = jiffies + 20 * HZ;

	while (!ends_counter(which, name) && time_before(jiffies, deadline))
		usleep_range(500, 1000);
	return ends_counter(which, name);
}

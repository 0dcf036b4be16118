// SPDX-License-Identifier: GPL-2.0
/*
 * One end of a connection: its objects, posting, waiting. All messages of a size
 * leave from the same memory and arrive in the same, as in the other benchmarks
 * of this kind; what they are compared with (memcpy, TCP) does so, too.
 */
#include <poll.h>

#include "bench.h"

#define QKEY	0x11223344
#define GRH	40		/* before what arrives at a UD queue pair */
#define INLINE	64
#define LOOK	1023	/* times without a look at anything else */
#define PAGE	4096UL

static size_t pages(size_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

static struct ibv_context *device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;
	int i;

	NEED(list);
	for (i = 0; list[i] && strcmp(ibv_get_device_name(list[i]), name); i++)
		;
	NEED(list[i]);
	NEED(ctx = ibv_open_device(list[i]));
	ibv_free_device_list(list);
	return ctx;
}

static struct ibv_qp_init_attr qp_attr(const struct side *s)
{
	return (struct ibv_qp_init_attr){
		.send_cq = s->cq, .recv_cq = s->cq, .qp_type = cell.type,
		.cap = { .max_send_wr = cell.batch * cell.window + cell.credit + 2,
			 .max_recv_wr = cell.batch * cell.credit + 2,
			 .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = INLINE },
	};
}

static void create_qp(struct side *s, int q)
{
	struct ibv_qp_init_attr a = qp_attr(s);

	NEED(s->qp[q] = ibv_create_qp(s->pd, &a));
	s->own.qpn[q] = s->qp[q]->qp_num;
}

void side_open(struct side *s, int end)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC;
	int entries = cell.qps * (cell.batch * (cell.window + cell.credit) + cell.credit + 4);
	struct ibv_device_attr attr;
	size_t size;

	s->ctx = cell.bind ? cm_begin() : device(cell.dev[end]);
	s->gid_index = cell.gid[end];
	NEED(!ibv_query_gid(s->ctx, 1, s->gid_index, &s->own.gid));
	NEED(!ibv_query_device(s->ctx, &attr));
	NEED(s->pd = ibv_alloc_pd(s->ctx));
	NEED(s->channel = ibv_create_comp_channel(s->ctx));
	if (entries > attr.max_cqe)
		entries = attr.max_cqe;
	NEED(s->cq = ibv_create_cq(s->ctx, entries, NULL, s->channel, 0));
	s->arrives = pages(cell.size);
	size = s->arrives + pages(cell.size + GRH);
	NEED(!posix_memalign((void **)&s->memory, PAGE, size));
	memset(s->memory, 0, size);
	NEED(s->mr = ibv_reg_mr(s->pd, s->memory, size, access));
	s->own.address = (uintptr_t)s->memory;
	s->own.rkey = s->mr->rkey;
	for (int q = 0; q < cell.qps && !cell.bind; q++)
		create_qp(s, q);
}

static enum ibv_mtu path_mtu(void)
{
	return cell.mtu >= 4096 ? IBV_MTU_4096 : cell.mtu >= 2048 ? IBV_MTU_2048 : IBV_MTU_1024;
}

static void connect_qp(struct side *s, int q, const struct ibv_ah_attr *ah)
{
	bool rc = cell.type == IBV_QPT_RC, ud = cell.type == IBV_QPT_UD;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	NEED(!ibv_modify_qp(s->qp[q], &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = path_mtu(), .ah_attr = *ah,
		.dest_qp_num = s->other.qpn[q], .rq_psn = 77, .max_dest_rd_atomic = 16,
		.min_rnr_timer = 1,
	};
	NEED(!ibv_modify_qp(s->qp[q], &a, IBV_QP_STATE | (ud ? 0 : IBV_QP_AV |
			    IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN) |
			    (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0)));
	/* A thousand senders share the processors: an answer may take long. */
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .sq_psn = 77, .timeout = 18, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 16,
	};
	NEED(!ibv_modify_qp(s->qp[q], &a, IBV_QP_STATE | IBV_QP_SQ_PSN |
			    (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_MAX_QP_RD_ATOMIC : 0)));
}

/* Context: both sides know s->other. */
void side_connect(struct side *s)
{
	struct ibv_ah_attr ah = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = s->other.gid, .sgid_index = s->gid_index, .hop_limit = 64 },
	};

	struct ibv_qp_init_attr a = qp_attr(s);

	for (int q = 0; q < cell.qps; q++) {
		if (cell.bind)
			cm_connect(s, q, &a);
		else
			connect_qp(s, q, &ah);
	}
	if (cell.type == IBV_QPT_UD)
		NEED(s->ah = ibv_create_ah(s->pd, &ah));
}

/* ---- posting ----------------------------------------------------------------------- */

void side_receive(struct side *s, int q)
{
	struct ibv_sge sge = { (uintptr_t)s->memory + s->arrives,
			       cell.size + (cell.type == IBV_QPT_UD ? GRH : 0), s->mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = RECEIVED | q, .sg_list = &sge, .num_sge = 1 };

	NEED(!ibv_post_recv(s->qp[q], &wr, &bad));
}

static enum ibv_wr_opcode opcode(enum op op)
{
	switch (op) {
	case WRITE: return IBV_WR_RDMA_WRITE;
	case READ: return IBV_WR_RDMA_READ;
	case FADD: return IBV_WR_ATOMIC_FETCH_AND_ADD;
	case CSWAP: return IBV_WR_ATOMIC_CMP_AND_SWP;
	default: return IBV_WR_SEND;
	}
}

static struct ibv_send_wr request(struct side *s, int q, enum op op, struct ibv_sge *sge)
{
	bool fetches = op == READ || op == FADD || op == CSWAP;
	uint64_t there = s->other.address + (op == READ ? 0 : s->arrives);
	struct ibv_send_wr wr = { .wr_id = q, .sg_list = sge, .num_sge = 1,
				  .opcode = opcode(op) };

	*sge = (struct ibv_sge){ (uintptr_t)s->memory + (fetches ? s->arrives : 0), cell.size,
				 s->mr->lkey };
	if (op == FADD || op == CSWAP) {
		wr.wr.atomic.remote_addr = there;
		wr.wr.atomic.rkey = s->other.rkey;
		wr.wr.atomic.compare_add = 1;
	} else if (op != SEND) {
		wr.wr.rdma.remote_addr = there;
		wr.wr.rdma.rkey = s->other.rkey;
	} else if (cell.type == IBV_QPT_UD) {
		wr.wr.ud.ah = s->ah;
		wr.wr.ud.remote_qpn = s->other.qpn[q];
		wr.wr.ud.remote_qkey = QKEY;
	}
	/* As perftest has it: where the time of one message counts. */
	if (cell.work == PINGPONG && !fetches && cell.size <= INLINE)
		wr.send_flags = IBV_SEND_INLINE;
	return wr;
}

void side_post(struct side *s, int q, enum op op, bool signaled)
{
	struct ibv_sge sge;
	struct ibv_send_wr *bad, wr = request(s, q, op, &sge);

	if (signaled)
		wr.send_flags |= IBV_SEND_SIGNALED;
	NEED(!ibv_post_send(s->qp[q], &wr, &bad));
}

/* Nothing is said of the WRITE. */
void side_write_read(struct side *s)
{
	struct ibv_sge sge[2];
	struct ibv_send_wr *bad, read = request(s, 0, READ, &sge[1]);
	struct ibv_send_wr write = request(s, 0, WRITE, &sge[0]);

	read.send_flags |= IBV_SEND_SIGNALED;
	write.next = &read;
	NEED(!ibv_post_send(s->qp[0], &write, &bad));
}

/* An empty message: there is room for one more batch. */
void side_credit(struct side *s, int q)
{
	struct ibv_sge sge;
	struct ibv_send_wr *bad, wr = request(s, q, SEND, &sge);

	wr.wr_id |= CREDIT;
	wr.num_sge = 0;
	wr.send_flags = IBV_SEND_SIGNALED;
	NEED(!ibv_post_send(s->qp[q], &wr, &bad));
}

/* ---- waiting ----------------------------------------------------------------------- */

int side_poll(struct side *s, struct ibv_wc *wc, int most)
{
	int n = ibv_poll_cq(s->cq, most, wc);

	NEED(n >= 0);
	for (int i = 0; i < n; i++) {
		if (!wc[i].status)
			continue;
		fprintf(stderr, "%s: %s\n", me ? "serve" : "ask", ibv_wc_status_str(wc[i].status));
		exit(1);
	}
	return n;
}

/* The other side has something to say. */
bool side_told(void)
{
	struct pollfd p = { .fd = oob, .events = POLLIN };

	return oob >= 0 && poll(&p, 1, 0) == 1;
}

/* Return: false if nothing came. */
static bool sleep_for(struct side *s, double patience)
{
	struct pollfd p[2] = { { .fd = s->channel->fd, .events = POLLIN },
			       { .fd = oob, .events = POLLIN } };
	struct ibv_cq *cq;
	void *context;

	if (poll(p, 2, patience * 1000) <= 0)
		return false;
	if (p[0].revents) {
		NEED(!ibv_get_cq_event(s->channel, &cq, &context));
		s->armed = false;
		/* Each acknowledgment takes a lock. */
		if (++s->unacked == 256) {
			ibv_ack_cq_events(s->cq, s->unacked);
			s->unacked = 0;
		}
	}
	return true;
}

/*
 * Completions, however it is that this side learns of them. A message of the other
 * side ends the wait where one is @patience seconds long.
 *
 * Return: how many; 0: the other side has something to say; -1: nothing came.
 */
int side_wait(struct side *s, struct ibv_wc *wc, int most, double patience)
{
	double end = 0;
	int n;

	for (long turn = 1; ; turn++) {
		n = side_poll(s, wc, most);
		if (n)
			return n;
		if (cell.wait == EVENT && !s->armed) {
			NEED(!ibv_req_notify_cq(s->cq, 0));
			s->armed = true;
		} else if (cell.wait == EVENT) {
			if (!sleep_for(s, patience))
				return -1;
			if (s->armed && side_told())
				return 0;
		} else if (!(turn & LOOK)) {
			if (side_told())
				return 0;
			if (!end)
				end = now() + patience;
			else if (now() > end)
				return -1;
		}
	}
}

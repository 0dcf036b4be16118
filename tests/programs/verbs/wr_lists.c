// SPDX-License-Identifier: GPL-2.0
/*
 * What libofed does and librxe does not, or not well: inline data in pieces, by
 * ibv_post_send() and by ibv_wr_*(), up to the most that a queue pair can have; requests
 * that are taken back; all fields of an extended CQ, times among them. Data is compared.
 *
 * usage: wr_lists DEVICE GID-INDEX
 */
#include <dlfcn.h>
#include "innocent.h"
#include "verdict.h"

#define MOST	1024		/* inline */
#define GUARD	64
#define AREA	(MOST + 2 * GUARD)
#define EMPTY	0xee
#define IMM	0x01020304
#define DEPTH	7

#define NEED(x) do { if (!(x)) { perror(#x); exit(1); } } while (0)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static union ibv_gid gid;
static int gid_index;
static struct ibv_cq_ex *cq[2];
static struct ibv_qp *qp[2];
static struct ibv_mr *mr[2];
static uint8_t area[2][AREA];

/* ---- ends ------------------------------------------------------------------------ */

static void open_end(int i)
{
	struct ibv_cq_init_attr_ex cq_init = {
		.cqe = 64, .wc_flags = IBV_WC_STANDARD_FLAGS |
				       IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
				       IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	};
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .cap = { DEPTH, DEPTH, 3, 3, MOST }, .pd = pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
				  IBV_QP_EX_WITH_RDMA_WRITE |
				  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
				  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
				  IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
	};

	NEED(cq[i] = ibv_create_cq_ex(ctx, &cq_init));
	init.send_cq = ibv_cq_ex_to_cq(cq[i]);
	init.recv_cq = init.send_cq;
	NEED(qp[i] = ibv_create_qp_ex(ctx, &init));
	NEED(init.cap.max_inline_data >= MOST);
	NEED(mr[i] = ibv_reg_mr(pd, area[i], AREA, RIGHTS));
}

static void open_ends(void)
{
	for (int i = 0; i < 2; i++)
		open_end(i);
	for (int i = 0; i < 2; i++)
		NEED(!qp_ready(qp[i], gid_index, &gid, qp[!i]->qp_num, 77, 77, 14));
}

/* One completion is at hand afterwards, until ibv_end_poll(). */
static bool poll_one(struct ibv_cq_ex *of)
{
	struct ibv_poll_cq_attr attr = {};
	time_t limit = time(NULL) + PAIR_SECONDS;

	while (ibv_start_poll(of, &attr))
		if (time(NULL) > limit)
			return false;
	return true;
}

static int status_of(struct ibv_cq_ex *of)
{
	int status = -1;

	if (!poll_one(of))
		return -1;
	status = of->status;
	ibv_end_poll(of);
	return status;
}

static bool empty(struct ibv_cq_ex *of)
{
	struct ibv_poll_cq_attr attr = {};

	if (ibv_start_poll(of, &attr))
		return true;
	ibv_end_poll(of);
	return false;
}

static void fill(void)
{
	static uint64_t seed = 1;

	for (int i = 0; i < AREA; i++)
		area[0][i] = rng(&seed);
	memset(area[1], EMPTY, AREA);
}

static bool arrived(uint32_t length)
{
	for (uint32_t i = 0; i < AREA; i++) {
		bool inside = i >= GUARD && i < GUARD + length;

		if (area[1][i] != (inside ? area[0][i] : EMPTY)) {
			printf("     | byte %d of %u\n", (int)i - GUARD, length);
			return false;
		}
	}
	return true;
}

static void receive(void)
{
	struct ibv_sge sge = { (uintptr_t)area[1] + GUARD, MOST, mr[1]->lkey };
	struct ibv_recv_wr wr = { .wr_id = 99, .sg_list = &sge, .num_sge = 1 }, *bad;

	NEED(!ibv_post_recv(qp[1], &wr, &bad));
}

/* ---- inline data --------------------------------------------------------------------- */

struct pieces {
	uint32_t length[3];
	int num;
};

static uint32_t total_of(const struct pieces *p)
{
	return p->length[0] + p->length[1] + p->length[2];
}

static int post_plain(enum ibv_wr_opcode opcode, const struct pieces *p)
{
	struct ibv_sge sge[3];
	struct ibv_send_wr wr = {
		.wr_id = 11, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.sg_list = sge, .num_sge = p->num, .imm_data = htonl(IMM),
		.wr.rdma = { (uintptr_t)area[1] + GUARD, mr[1]->rkey },
	}, *bad;
	uint32_t at = GUARD;

	for (int i = 0; i < p->num; i++) {
		/* Of inline data no key is looked at. */
		sge[i] = (struct ibv_sge){ (uintptr_t)area[0] + at, p->length[i], 0 };
		at += p->length[i];
	}
	return ibv_post_send(qp[0], &wr, &bad);
}

static void begin(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode)
{
	uint64_t remote = (uintptr_t)area[1] + GUARD;

	ex->wr_id = 11;
	ex->wr_flags = IBV_SEND_SIGNALED;
	switch (opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(ex);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(ex, htonl(IMM));
		break;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(ex, mr[1]->rkey, remote);
		break;
	default:
		ibv_wr_rdma_write_imm(ex, mr[1]->rkey, remote, htonl(IMM));
	}
}

static int post_extended(enum ibv_wr_opcode opcode, const struct pieces *p)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp[0]);
	struct ibv_data_buf buf[3];
	uint32_t at = GUARD;

	for (int i = 0; i < p->num; i++) {
		buf[i] = (struct ibv_data_buf){ area[0] + at, p->length[i] };
		at += p->length[i];
	}
	ibv_wr_start(ex);
	begin(ex, opcode);
	if (p->num == 1)
		ibv_wr_set_inline_data(ex, buf[0].addr, buf[0].length);
	else
		ibv_wr_set_inline_data_list(ex, p->num, buf);
	return ibv_wr_complete(ex);
}

/* What the receiver's completion says; false: it says something else. */
static bool told(enum ibv_wr_opcode opcode, uint32_t length)
{
	bool imm = opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool write = opcode == IBV_WR_RDMA_WRITE_WITH_IMM, good;

	if (!poll_one(cq[1]))
		return false;
	good = cq[1]->wr_id == 99 && cq[1]->status == IBV_WC_SUCCESS &&
	       ibv_wc_read_opcode(cq[1]) ==
			(write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV) &&
	       ibv_wc_read_byte_len(cq[1]) == length &&
	       ibv_wc_read_qp_num(cq[1]) == qp[1]->qp_num &&
	       !!(ibv_wc_read_wc_flags(cq[1]) & IBV_WC_WITH_IMM) == imm &&
	       (!imm || ibv_wc_read_imm_data(cq[1]) == htonl(IMM)) &&
	       !ibv_wc_read_vendor_err(cq[1]);
	ibv_end_poll(cq[1]);
	return good;
}

static void try(enum ibv_wr_opcode opcode, const char *name, bool extended,
		const struct pieces *p)
{
	bool received = opcode != IBV_WR_RDMA_WRITE;
	uint32_t total = total_of(p);
	char row[96];

	fill();
	if (received)
		receive();
	snprintf(row, sizeof(row), "%s, inline %u+%u+%u in %d, %s", name, p->length[0],
		 p->length[1], p->length[2], p->num, extended ? "ibv_wr" : "ibv_post_send");
	EXPECT(row, (extended ? post_extended : post_plain)(opcode, p), 0);
	EXPECT("completes", status_of(cq[0]), IBV_WC_SUCCESS);
	if (received)
		EXPECT("is received", told(opcode, total), 1);
	EXPECT("and is what it was", arrived(total), 1);
}

static void inline_lists(void)
{
	static const struct pieces all[] = {
		{ { 0 }, 1 }, { { 1 }, 1 }, { { 100 }, 1 }, { { MOST }, 1 },
		{ { 8, 100, 3 }, 3 }, { { 0, 17, 0 }, 3 }, { { 1000, 23, 1 }, 3 },
	};
	static const struct { enum ibv_wr_opcode opcode; const char *name; } kinds[] = {
		{ IBV_WR_SEND, "SEND" }, { IBV_WR_SEND_WITH_IMM, "SEND_WITH_IMM" },
		{ IBV_WR_RDMA_WRITE, "WRITE" }, { IBV_WR_RDMA_WRITE_WITH_IMM, "WRITE_WITH_IMM" },
	};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			for (int extended = 0; extended < 2; extended++)
				try(kinds[k].opcode, kinds[k].name, extended, &all[i]);
}

/* ---- what is refused -------------------------------------------------------------------- */

static void refused(void)
{
	static const struct pieces longer = { { 1000, 24, 1 }, 3 };
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp[0]);
	int i;

	fill();
	EXPECT("1025 bytes inline, ibv_post_send", post_plain(IBV_WR_RDMA_WRITE, &longer),
	       EINVAL);
	EXPECT("1025 bytes inline, ibv_wr", post_extended(IBV_WR_RDMA_WRITE, &longer), EINVAL);
	ibv_wr_start(ex);
	begin(ex, IBV_WR_RDMA_WRITE);
	ibv_wr_set_sge(ex, mr[0]->lkey, (uintptr_t)area[0] + GUARD, 8);
	ibv_wr_abort(ex);
	ibv_wr_start(ex);
	EXPECT("ibv_wr_complete without a request", ibv_wr_complete(ex), 0);
	ibv_wr_start(ex);
	for (i = 0; i <= DEPTH; i++) {
		begin(ex, IBV_WR_RDMA_WRITE);
		ibv_wr_set_sge(ex, mr[0]->lkey, (uintptr_t)area[0] + GUARD, 8);
	}
	EXPECT("more requests than the queue has", ibv_wr_complete(ex), ENOMEM);
	EXPECT("nothing of these was sent", empty(cq[0]) && arrived(0), 1);
	try(IBV_WR_RDMA_WRITE, "afterwards WRITE", true, &(struct pieces){ { 8 }, 1 });
}

/* ---- several at once, and atomics ---------------------------------------------------------- */

static void several(void)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp[0]);
	struct ibv_poll_cq_attr attr = {};
	uint64_t last = 0, *word = (void *)(area[1] + GUARD);
	int done = 0, ret;

	fill();
	*word = 5;
	ibv_wr_start(ex);
	for (int i = 0; i < DEPTH; i++) {
		ex->wr_id = i;
		ex->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_atomic_fetch_add(ex, mr[1]->rkey, (uintptr_t)word, 3);
		ibv_wr_set_sge(ex, mr[0]->lkey, (uintptr_t)area[0] + GUARD + 8 * i, 8);
	}
	EXPECT("a queue full of FETCH_ADDs", ibv_wr_complete(ex), 0);
	for (time_t limit = time(NULL) + PAIR_SECONDS; done < DEPTH && time(NULL) < limit;) {
		for (ret = ibv_start_poll(cq[0], &attr); !ret; ret = ibv_next_poll(cq[0])) {
			if (cq[0]->wr_id != (uint64_t)done || cq[0]->status ||
			    ibv_wc_read_opcode(cq[0]) != IBV_WC_FETCH_ADD ||
			    ibv_wc_read_completion_ts(cq[0]) < last)
				break;
			last = ibv_wc_read_completion_ts(cq[0]);
			done++;
		}
		if (ret != ENOENT || done)
			ibv_end_poll(cq[0]);
		if (!ret)
			break;
	}
	EXPECT("all complete, in their order and that of time", done, DEPTH);
	EXPECT("and have been done", *word, 5 + 3 * DEPTH);
	ibv_wr_start(ex);
	ibv_wr_atomic_cmp_swp(ex, mr[1]->rkey, (uintptr_t)word, 5 + 3 * DEPTH, 1);
	ibv_wr_set_sge(ex, mr[0]->lkey, (uintptr_t)area[0] + GUARD, 8);
	EXPECT("CMP_SWP", ibv_wr_complete(ex), 0);
	EXPECT("completes", status_of(cq[0]), IBV_WC_SUCCESS);
	EXPECT("and has been done", *word, 1);
}

/* ---- time --------------------------------------------------------------------------------- */

static uint64_t nanoseconds(const struct timespec *t)
{
	return t->tv_sec * 1000000000ULL + t->tv_nsec;
}

static uint64_t wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return nanoseconds(&t);
}

static uint64_t raw(void)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	NEED(!ibv_query_rt_values_ex(ctx, &values));
	return nanoseconds(&values.raw_clock);
}

static void times(void)
{
	static const struct pieces one = { { 8 }, 1 };
	uint64_t raw_before, raw_then, wall_before, wall_then;
	struct ibv_modify_cq_attr moderation = {
		.attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = { 1, 0 },
	};
	struct ibv_device_attr_ex attr;

	NEED(!ibv_query_device_ex(ctx, NULL, &attr));
	EXPECT("a CQ is moderated", ibv_modify_cq(ibv_cq_ex_to_cq(cq[0]), &moderation), 0);
	EXPECT("the clock counts nanoseconds", attr.hca_core_clock, 1000000);
	EXPECT("and is told to be of 64 bits", attr.completion_timestamp_mask == UINT64_MAX, 1);
	raw_before = raw();
	wall_before = wall();
	NEED(!post_extended(IBV_WR_RDMA_WRITE, &one));
	NEED(poll_one(cq[0]));
	raw_then = ibv_wc_read_completion_ts(cq[0]);
	wall_then = ibv_wc_read_completion_wallclock_ns(cq[0]);
	ibv_end_poll(cq[0]);
	EXPECT("a completion has its raw time", raw_then >= raw_before && raw_then <= raw(), 1);
	EXPECT("and its wall clock time", wall_then >= wall_before && wall_then <= wall(), 1);
}

/* --------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
	Dl_info info = {};

	if (argc != 3) {
		fprintf(stderr, "usage: wr_lists DEVICE GID-INDEX\n");
		return 2;
	}
	gid_index = atoi(argv[2]);
	NEED(ctx = open_named(argv[1]));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
	dladdr((void *)ctx->ops.poll_cq, &info);
	EXPECT("the device has libofed", !!strstr(info.dli_fname ?: "", "libofed-"), 1);
	if (failed)
		return verdict();
	open_ends();
	inline_lists();
	refused();
	several();
	times();
	return verdict();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Two RC queue pairs of one process on one device; every byte that SEND, WRITE,
 * WRITE with immediate, READ and the atomics move is compared, and so are the
 * bytes around. Memory windows of type 2 last, if the device has them.
 *
 * verbs_data DEVICE GID-INDEX SEED [strict]
 *
 * strict: a WRITE past a window must be refused too (stock rxe 6.1 looks at the
 * bounds of the region only).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

#define MAX (1 << 20)
#define GUARD 64
#define AREA (MAX + 2 * GUARD)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp[2];
static struct ibv_mr *mr[2];
static uint8_t *area[2], *copy;
static int gid_index, failures, checks;
static union ibv_gid gid;

#define NEED(x) do { if (!(x)) { perror(#x); exit(1); } } while (0)

static void check(int right, const char *what, long size)
{
	checks++;
	if (right)
		return;
	failures++;
	printf("FAIL %s, size %ld\n", what, size);
}

static struct ibv_qp *new_qp(void)
{
	struct ibv_qp_init_attr a = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 2, .max_recv_sge = 2 },
	};

	return ibv_create_qp(pd, &a);
}

static void connect_to(struct ibv_qp *q, struct ibv_qp *peer)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND,
	};

	NEED(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer->qp_num,
		.rq_psn = 0xfffff0, .max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 } },
	};
	NEED(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 16, .retry_cnt = 7, .rnr_retry = 7,
		.sq_psn = 0xfffff0, .max_rd_atomic = 4,
	};
	NEED(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

/* The next completion, of either kind. */
static struct ibv_wc next(void)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)))
		;
	NEED(n == 1);
	return wc;
}

static void fill(void)
{
	for (int s = 0; s < 2; s++)
		for (long i = 0; i < AREA; i++)
			area[s][i] = random() >> 8;
}

static void post(struct ibv_send_wr *wr, long size)
{
	struct ibv_sge sge[2] = {
		{ (uintptr_t)area[0] + GUARD, size / 3, mr[0]->lkey },
		{ (uintptr_t)area[0] + GUARD + size / 3, size - size / 3, mr[0]->lkey },
	};
	struct ibv_send_wr *bad;

	wr->send_flags = IBV_SEND_SIGNALED;
	wr->sg_list = sge;
	/* Two elements where there is something to divide. */
	wr->num_sge = size >= 3 ? 2 : size ? 1 : 0;
	if (size && size < 3)
		sge[0].length = size;
	NEED(!ibv_post_send(qp[0], wr, &bad));
}

static void receive(long size)
{
	struct ibv_sge sge = { (uintptr_t)area[1] + GUARD, size, mr[1]->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = size ? 1 : 0 }, *bad;

	NEED(!ibv_post_recv(qp[1], &wr, &bad));
}

/* from side 0 to 1, or back: middle equal, the rest of the target as before */
static int moved(int from, int to, const uint8_t *before, long size)
{
	return !memcmp(area[from] + GUARD, area[to] + GUARD, size) &&
	       !memcmp(area[to], before, GUARD) &&
	       !memcmp(area[to] + GUARD + size, before + GUARD + size, AREA - GUARD - size);
}

static void transfer(enum ibv_wr_opcode opcode, const char *name, long size)
{
	int has_recv = opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
		       opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	int has_imm = opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	int to = opcode == IBV_WR_RDMA_READ ? 0 : 1;
	struct ibv_send_wr wr = {
		.opcode = opcode, .imm_data = 0x12345678 ^ size,
		.wr.rdma = { (uintptr_t)area[1] + GUARD, mr[1]->rkey },
	};

	fill();
	memcpy(copy, area[to], AREA);
	if (has_recv)
		receive(opcode == IBV_WR_RDMA_WRITE_WITH_IMM ? 0 : size);
	post(&wr, size);
	for (int i = 0; i < 1 + has_recv; i++) {
		struct ibv_wc wc = next();

		check(wc.status == IBV_WC_SUCCESS, name, size);
		if (!(wc.opcode & IBV_WC_RECV))
			continue;
		check(wc.byte_len == size, "byte_len", size);
		check(!!(wc.wc_flags & IBV_WC_WITH_IMM) == has_imm, "WITH_IMM", size);
		check(!has_imm || wc.imm_data == (uint32_t)(0x12345678 ^ size), "imm_data", size);
	}
	check(moved(1 - to, to, copy, size), name, size);
}

static void atomic(enum ibv_wr_opcode opcode, uint64_t start, uint64_t compare_add, uint64_t swap,
		   uint64_t result)
{
	const char *name = opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? "CMP_SWAP" : "FETCH_ADD";
	struct ibv_send_wr wr = {
		.opcode = opcode,
		.wr.atomic = { .remote_addr = (uintptr_t)area[1] + GUARD, .rkey = mr[1]->rkey,
			       .compare_add = compare_add, .swap = swap },
	};
	struct ibv_sge sge = { (uintptr_t)area[0] + GUARD, 8, mr[0]->lkey };
	struct ibv_send_wr *bad;
	uint64_t value;

	fill();
	memcpy(area[1] + GUARD, &start, 8);
	memcpy(copy, area[1], AREA);
	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_SIGNALED;
	NEED(!ibv_post_send(qp[0], &wr, &bad));
	check(next().status == IBV_WC_SUCCESS, name, 8);
	memcpy(&value, area[0] + GUARD, 8);
	check(value == start, "the value fetched", 8);
	memcpy(&value, area[1] + GUARD, 8);
	check(value == result, name, 8);
	check(!memcmp(area[1], copy, GUARD) &&
	      !memcmp(area[1] + GUARD + 8, copy + GUARD + 8, AREA - GUARD - 8), "around", 8);
}

/* A window on the middle of side 1, bound by its own QP; then one that must be
 * refused: past the window, or through a key that is no longer valid.
 */
static void window(int strict)
{
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	struct ibv_send_wr *bad, bind = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	long size = 5000;

	if (!mw) {
		printf("no memory windows on this device\n");
		return;
	}
	bind.bind_mw.mw = mw;
	bind.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	bind.bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = mr[1], .addr = (uintptr_t)area[1] + GUARD, .length = size,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	NEED(!ibv_post_send(qp[1], &bind, &bad));
	check(next().status == IBV_WC_SUCCESS, "BIND_MW", size);

	fill();
	memcpy(copy, area[1], AREA);
	wr.wr.rdma.remote_addr = (uintptr_t)area[1] + GUARD;
	wr.wr.rdma.rkey = bind.bind_mw.rkey;
	post(&wr, size);
	check(next().status == IBV_WC_SUCCESS, "WRITE through the window", size);
	check(moved(0, 1, copy, size), "WRITE through the window", size);

	memcpy(copy, area[1], AREA);
	fill();
	memcpy(area[1], copy, AREA);
	if (strict) {
		wr.wr.rdma.remote_addr++;
	} else {
		struct ibv_send_wr inv = {
			.opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED,
			.invalidate_rkey = bind.bind_mw.rkey,
		};

		NEED(!ibv_post_send(qp[1], &inv, &bad));
		check(next().status == IBV_WC_SUCCESS, "LOCAL_INV of the window", size);
	}
	post(&wr, size);
	check(next().status == IBV_WC_REM_ACCESS_ERR, "the last WRITE is refused", size);
	check(!memcmp(area[1], copy, AREA), "and writes nothing", size);
}

int main(int argc, char **argv)
{
	static const long sizes[] = { 0, 1, 2, 3, 4, 7, 8, 63, 255, 256, 1000, 1023, 1024, 1025,
		2047, 2048, 2049, 4095, 4096, 4097, 8191, 12345, 65535, 65536, 65537, 262143,
		1048575, 1048576 };
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (argc < 4)
		return 2;
	gid_index = atoi(argv[2]);
	srandom(atoi(argv[3]));
	for (; *list && strcmp(ibv_get_device_name(*list), argv[1]); list++)
		;
	NEED(*list);
	NEED(ctx = ibv_open_device(*list));
	NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(cq = ibv_create_cq(ctx, 64, NULL, NULL, 0));
	NEED(copy = malloc(AREA));
	for (int s = 0; s < 2; s++) {
		/* Not at a page boundary. */
		NEED(area[s] = (uint8_t *)malloc(AREA + 4096 + 13) + 13 * s);
		area[s] = (uint8_t *)(((uintptr_t)area[s] + 7) & ~7UL);
		NEED(mr[s] = ibv_reg_mr(pd, area[s], AREA, IBV_ACCESS_LOCAL_WRITE |
					IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
					IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND));
		NEED(qp[s] = new_qp());
	}
	connect_to(qp[0], qp[1]);
	connect_to(qp[1], qp[0]);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		transfer(IBV_WR_SEND, "SEND", sizes[i]);
		transfer(IBV_WR_SEND_WITH_IMM, "SEND_WITH_IMM", sizes[i]);
		transfer(IBV_WR_RDMA_WRITE, "WRITE", sizes[i]);
		transfer(IBV_WR_RDMA_WRITE_WITH_IMM, "WRITE_WITH_IMM", sizes[i]);
		transfer(IBV_WR_RDMA_READ, "READ", sizes[i]);
	}
	atomic(IBV_WR_ATOMIC_CMP_AND_SWP, 7, 7, 0x1122334455667788, 0x1122334455667788);
	atomic(IBV_WR_ATOMIC_CMP_AND_SWP, 7, 8, 9, 7);
	atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, 0xffffffff, 1, 0, 0x100000000);
	atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, ~0ULL, 2, 0, 1);
	window(argc > 4);
	printf("%d checks, %d failures\n", checks, failures);
	return failures != 0;
}

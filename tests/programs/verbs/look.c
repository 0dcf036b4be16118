// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace or the log is to show once, caused on purpose.
 *
 * usage: look DEVICE GID-INDEX rnr	a SEND that finds no receive request, until there is one
 *	  look DEVICE GID-INDEX nak	a WRITE by a wrong key
 *	  look DEVICE GID-INDEX refused	calls with an attribute that no device has
 *
 * Exit status: 0, it ended as it must.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <infiniband/verbs.h>

#define PSN	100
#define BYTES	64

#define NEED(x) do { if (!(x)) { \
	printf("%s: %s (line %d)\n", #x, strerror(errno), __LINE__); exit(2); } } while (0)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_qp *qp[2];
static union ibv_gid gid;
static uint8_t memory[BYTES];
static int gid_index;

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	NEED(list);
	for (i = 0; list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			NEED(ctx = ibv_open_device(list[i]));
	NEED(ctx);
	NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(cq = ibv_create_cq(ctx, 16, NULL, NULL, 0));
	NEED(mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE |
			     IBV_ACCESS_REMOTE_WRITE));
}

static void connect_to(struct ibv_qp *own, const struct ibv_qp *peer)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR, .dest_qp_num = peer->qp_num, .rq_psn = PSN,
		.path_mtu = IBV_MTU_1024, .max_dest_rd_atomic = 1, .min_rnr_timer = 14,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 } },
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS, .sq_psn = PSN, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 1,
	};

	NEED(!ibv_modify_qp(own, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS));
	NEED(!ibv_modify_qp(own, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			    IBV_QP_MIN_RNR_TIMER));
	NEED(!ibv_modify_qp(own, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			    IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void open_qps(void)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .sq_sig_all = 1,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	int i;

	for (i = 0; i < 2; i++)
		NEED(qp[i] = ibv_create_qp(pd, &attr));
	connect_to(qp[0], qp[1]);
	connect_to(qp[1], qp[0]);
}

static void post(enum ibv_wr_opcode opcode, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)memory, BYTES, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.opcode = opcode, .sg_list = &sge, .num_sge = 1,
		.wr.rdma = { (uintptr_t)memory, rkey },
	};

	NEED(!ibv_post_send(qp[0], &wr, &bad));
}

static void post_receive(void)
{
	struct ibv_sge sge = { (uintptr_t)memory, BYTES, mr->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	NEED(!ibv_post_recv(qp[1], &wr, &bad));
}

/* The next completion has that status. */
static void completes(enum ibv_wc_status status)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	struct ibv_wc wc;
	int n, left = 30000;

	while (!(n = ibv_poll_cq(cq, 1, &wc)) && left--)
		nanosleep(&ms, NULL);
	NEED(n == 1);
	if (wc.status == status)
		return;
	printf("%s, not %s\n", ibv_wc_status_str(wc.status), ibv_wc_status_str(status));
	exit(1);
}

static void rnr(void)
{
	const struct timespec pause = { .tv_nsec = 100000000 };

	open_qps();
	post(IBV_WR_SEND, 0);
	nanosleep(&pause, NULL);
	post_receive();
	completes(IBV_WC_SUCCESS);
	completes(IBV_WC_SUCCESS);
}

static void nak(void)
{
	open_qps();
	post(IBV_WR_RDMA_WRITE, mr->rkey ^ 0x5a);
	completes(IBV_WC_REM_ACCESS_ERR);
}

/* ---- calls that are refused: each returns the errno, or 0 ------------------------------ */

#define TOO_MANY	(1 << 24)

static int big_cq(void)
{
	return ibv_create_cq(ctx, TOO_MANY, NULL, NULL, 0) ? 0 : errno;
}

static struct ibv_qp *a_qp(uint32_t max_send_wr)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq,
		.cap = { .max_send_wr = max_send_wr, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return ibv_create_qp(pd, &attr);
}

static int big_qp(void)
{
	return a_qp(TOO_MANY) ? 0 : errno;
}

static struct ibv_srq *an_srq(uint32_t max_wr)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = max_wr, .max_sge = 1 } };

	return ibv_create_srq(pd, &attr);
}

static int big_srq(void)
{
	return an_srq(TOO_MANY) ? 0 : errno;
}

static int high_limit(void)
{
	struct ibv_srq_attr attr = { .srq_limit = TOO_MANY };
	struct ibv_srq *srq = an_srq(16);

	NEED(srq);
	return ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT);
}

/* iWARP has no P_Keys, and this state without a connection neither. */
static int bad_modify(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .pkey_index = 60000,
	};
	struct ibv_qp *q = a_qp(1);

	NEED(q);
	if (ctx->device->transport_type != IBV_TRANSPORT_IWARP)
		return ibv_modify_qp(q, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				     IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	attr.qp_state = IBV_QPS_SQD;
	return ibv_modify_qp(q, &attr, IBV_QP_STATE);
}

static int far_mr(void)
{
	static uint8_t pages[8192] __attribute__((aligned(4096)));

	return ibv_reg_mr_iova(pd, pages, sizeof(pages), ~0ULL << 12,
			       IBV_ACCESS_LOCAL_WRITE) ? 0 : errno;
}

/* The core's: this one and the next; those above are the driver's. */
static int bad_vector(void)
{
	return ibv_create_cq(ctx, 16, NULL, NULL, 10000) ? 0 : errno;
}

static int bad_access(void)
{
	return ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_REMOTE_WRITE) ? 0 : errno;
}

static void refused(void)
{
	static int (*const calls[])(void) = {
		big_cq, big_qp, big_srq, high_limit, bad_modify, far_mr, bad_vector,
		bad_access,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		ret = calls[i]();
		if (ret == EINVAL)
			continue;
		printf("call %u: %s\n", i, strerror(ret));
		exit(1);
	}
}

static const struct {
	const char *name;
	void (*act)(void);
} acts[] = {
	{ "rnr", rnr },
	{ "nak", nak },
	{ "refused", refused },
};

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc == 4) {
		gid_index = atoi(argv[2]);
		open_device(argv[1]);
		for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
			if (strcmp(argv[3], acts[i].name))
				continue;
			acts[i].act();
			return 0;
		}
	}
	fprintf(stderr, "usage: %s DEVICE GID-INDEX ACT\n", argv[0]);
	return 2;
}

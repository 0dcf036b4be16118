/* SPDX-License-Identifier: GPL-2.0 */
/* Two RC queue pairs of one device, and requests of the first. */
#ifndef TWO_QPS_H
#define TWO_QPS_H

#include "innocent.h"

#define NEED(x) do { if (!(x)) { perror(#x); exit(1); } } while (0)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp[2];

/* Of @ctx and @pd. Again: two others. */
static void ready(int gid_index)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 4, 4, 2, 2, 0 } };
	union ibv_gid gid;

	for (int i = 0; i < 2; i++)
		NEED(!qp[i] || !ibv_destroy_qp(qp[i]));
	NEED(!cq || !ibv_destroy_cq(cq));
	NEED(cq = ibv_create_cq(ctx, 16, NULL, NULL, 0));
	init.send_cq = cq;
	init.recv_cq = cq;
	for (int i = 0; i < 2; i++)
		NEED(qp[i] = ibv_create_qp(pd, &init));
	NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
	for (int i = 0; i < 2; i++)
		NEED(!qp_ready(qp[i], gid_index, &gid, qp[!i]->qp_num, 77, 77, 14));
}

/* Return: 0 when so many have completed, the first status that is none of success, or -1. */
static int done(int wanted)
{
	time_t limit = time(NULL) + PAIR_SECONDS;
	struct ibv_wc wc;

	while (wanted) {
		if (ibv_poll_cq(cq, 1, &wc)) {
			if (wc.status)
				return wc.status;
			wanted--;
		} else if (time(NULL) > limit) {
			return -1;
		}
	}
	return 0;
}

/* A request of the first queue pair: @local is its memory, @remote the other's. */
static int request(enum ibv_wr_opcode opcode, uint64_t local, uint32_t lkey, uint32_t length,
		   uint64_t remote, uint32_t rkey)
{
	struct ibv_sge sge = { local, length, lkey };
	struct ibv_send_wr wr = { .opcode = opcode, .send_flags = IBV_SEND_SIGNALED,
				  .sg_list = &sge, .num_sge = 1 }, *bad;

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 5;
		wr.wr.atomic.swap = 6;
	} else {
		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = rkey;
	}
	NEED(!ibv_post_send(qp[0], &wr, &bad));
	return done(1);
}

#endif /* TWO_QPS_H */

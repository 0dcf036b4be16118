// SPDX-License-Identifier: GPL-2.0
/*
 * Completion events that wait for each other, as MODIFY_CQ asks: for so many, or until
 * the first has waited for long enough. (librxe has no ibv_modify_cq(3).)
 *
 * usage: moderation DEVICE	of InfiniBand, its port 1 active
 *
 * The host may be slow: what must happen in time has to do so in one of many attempts.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include "verdict.h"

#define COUNT		8
#define PERIOD		60000	/* microseconds */
#define ATTEMPTS	50

static struct ibv_context *ctx;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static uint64_t memory;

static void must(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "%s: %m\n", what);
	exit(1);
}

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	must(ctx, "open");
	ibv_free_device_list(list);
}

/* A queue pair that is connected with itself. */
static void make_qp(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq,
		.cap = { .max_send_wr = 2 * COUNT, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_port_attr port;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .path_mtu = IBV_MTU_1024,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE, .timeout = 18, .retry_cnt = 7,
		.max_rd_atomic = 1, .max_dest_rd_atomic = 1, .ah_attr = { .port_num = 1 },
	};

	qp = ibv_create_qp(mr->pd, &init);
	must(qp && !ibv_query_port(ctx, 1, &port), "queue pair");
	attr.ah_attr.dlid = port.lid;
	attr.dest_qp_num = qp->qp_num;
	must(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS), "INIT");
	attr.qp_state = IBV_QPS_RTR;
	must(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			    IBV_QP_MIN_RNR_TIMER), "RTR");
	attr.qp_state = IBV_QPS_RTS;
	must(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC), "RTS");
}

static void moderate(uint16_t count, uint16_t period)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
		struct ib_uverbs_ex_modify_cq cmd;
	} call = {
		.hdr.command = IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_MODIFY_CQ,
		.hdr.in_words = sizeof(call.cmd) / 8,
		.cmd = {
			.cq_handle = cq->handle,
			.attr_mask = IBV_CQ_ATTR_MODERATE,
			.attr = { .cq_count = count, .cq_period = period },
		},
	};

	EXPECT("it is asked for", write(ctx->cmd_fd, &call, sizeof(call)), sizeof(call));
}

static void write_some(int number, uint32_t rkey)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)&memory, .length = sizeof(memory), .lkey = mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)&memory, .rkey = rkey },
	}, *bad;

	while (number--)
		must(!ibv_post_send(qp, &wr, &bad), "post");
}

static bool event_in(int ms)
{
	struct pollfd p = { .fd = channel->fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

static void take_event(void)
{
	struct ibv_cq *which;
	void *context;

	must(event_in(20000) && !ibv_get_cq_event(channel, &which, &context), "no event");
	ibv_ack_cq_events(which, 1);
}

static void take_completions(int number)
{
	long end = now() + 20000000;
	struct ibv_wc wc;

	while (number && now() < end)
		number -= ibv_poll_cq(cq, 1, &wc) == 1;
	must(!number, "completions");
}

/* So many writes: is there an event before the first has waited for long? */
static bool told_soon(int number, bool *in_time)
{
	long begin = now();
	bool told;

	must(!ibv_req_notify_cq(cq, 0), "arm");
	write_some(number, mr->rkey);
	told = event_in(5);
	*in_time = now() - begin < PERIOD * 2 / 3;
	take_event();
	take_completions(number);
	return told;
}

/* Of the attempts that were fast enough all must be as expected, and there is one. */
static void expect_soon(const char *what, int number, bool expected)
{
	int i, fast = 0, wrong = 0;
	bool in_time, told;

	for (i = 0; i < ATTEMPTS && fast < 3; i++) {
		told = told_soon(number, &in_time);
		if (in_time) {
			fast++;
			wrong += told != expected;
		}
	}
	EXPECT(what, fast && !wrong, 1);
}

int main(int argc, char **argv)
{
	struct ibv_device_attr_ex attr = { };
	struct ibv_pd *pd;

	if (argc != 2) {
		fprintf(stderr, "usage: moderation DEVICE\n");
		return 2;
	}
	open_device(argv[1]);
	pd = ibv_alloc_pd(ctx);
	channel = ibv_create_comp_channel(ctx);
	must(pd && channel && !ibv_query_device_ex(ctx, NULL, &attr), "objects");
	EXPECT("the device says how much", attr.cq_mod_caps.max_cq_period, 65535);
	cq = ibv_create_cq(ctx, 4 * COUNT, NULL, channel, 0);
	mr = ibv_reg_mr(pd, &memory, sizeof(memory),
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	must(cq && mr, "memory");
	make_qp();
	expect_soon("each is told", 1, true);
	moderate(COUNT, PERIOD);
	expect_soon("one waits for others", 1, false);
	expect_soon("and all but one do", COUNT - 1, false);
	expect_soon("so many do not", COUNT, true);
	expect_soon("nor do more", COUNT + 3, true);
	moderate(0, 0);
	expect_soon("each is told again", 1, true);
	moderate(COUNT, PERIOD);
	must(!ibv_req_notify_cq(cq, 0), "arm");
	write_some(1, mr->rkey + 0x100);
	EXPECT("an error is told", event_in(20000), 1);
	take_event();
	take_completions(1);
	/* One that waits does not outlive its queue. */
	must(!ibv_destroy_qp(qp) && !ibv_destroy_cq(cq), "destroy");
	return verdict();
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two queue pairs for one row of statuses.c: made, connected, watched, compared
 * with what the row says.
 */
#ifndef STATUSES_H
#define STATUSES_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#define NEED(x) do { if (!(x)) { perror(#x); exit(2); } } while (0)
#define AREA (64 << 10)
#define PSN 0xfffffe
#define MTU 1024

/* Statuses and states in a row: 0 means "none", or the usual state. */
#define S(status) (IBV_WC_##status + 1)
#define EV(event) (1u << IBV_EVENT_##event)
#define ALL_RIGHTS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define NO_RIGHTS (-1)

struct row {
	const char *name, *cause;
	void (*act)(void);
	enum ibv_qp_type type;		/* 0: RC */
	/* Setup that is not the usual one. */
	int state_1;			/* where side 1 stops */
	int rights_1;			/* of side 1's queue pair */
	int retry, rnr_retry, timeout;	/* of side 0 */
	int recv_cqe;
	bool srq;			/* side 1 has one */
	bool poll_late;			/* completions are left where they are */
	/* What must come of it. */
	int send;			/* first completion of side 0's sends */
	int recv;			/* first completion of side 1's receives */
	uint32_t events[2];		/* of either queue pair */
	uint32_t other;			/* of CQs and SRQs */
	int state[2];			/* 0: as before */
};

struct side {
	struct ibv_cq *scq, *rcq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	uint8_t *area;
	struct ibv_mr *mr;
	uint32_t events;
	int first;			/* status + 1 */
};

static struct ibv_context *ctx;
static struct ibv_pd *pd, *other_pd;
static struct ibv_mr *plain_mr;		/* without any remote right, nor for windows */
static struct ibv_ah *ah, *foreign_ah;
static struct side side[2];
static union ibv_gid gid;
static int gid_index, failures, rows_run;
static uint32_t other_events;
static const struct row *row;
static const char *wrong;		/* by an act */
static const char *dev_name, *netdev;

/* ---- requests ------------------------------------------------------------ */

static struct ibv_sge piece(const struct side *s, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)s->area, length, s->mr->lkey };
}

static void receive_into(struct ibv_sge sge)
{
	struct ibv_recv_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (side[1].srq)
		NEED(!ibv_post_srq_recv(side[1].srq, &wr, &bad));
	else
		NEED(!ibv_post_recv(side[1].qp, &wr, &bad));
}

static void receive(uint32_t length)
{
	receive_into(piece(&side[1], length));
}

/* Side 0 asks; what @wr does not say is usual. */
static void ask_with(struct ibv_send_wr wr, struct ibv_sge sge)
{
	struct ibv_send_wr *bad;

	wr.send_flags |= IBV_SEND_SIGNALED;
	if (sge.lkey) {
		wr.sg_list = &sge;
		wr.num_sge = 1;
	}
	if (side[0].qp->qp_type == IBV_QPT_UD) {
		wr.wr.ud.remote_qpn = side[1].qp->qp_num;
		wr.wr.ud.remote_qkey = 0x1234;
		if (!wr.wr.ud.ah)
			wr.wr.ud.ah = ah;
	}
	NEED(!ibv_post_send(side[0].qp, &wr, &bad));
}

static void ask(enum ibv_wr_opcode opcode, uint32_t length)
{
	struct ibv_send_wr wr = { .opcode = opcode };

	if (opcode != IBV_WR_SEND) {
		wr.wr.rdma.remote_addr = (uintptr_t)side[1].area;
		wr.wr.rdma.rkey = side[1].mr->rkey;
	}
	ask_with(wr, piece(&side[0], length));
}

/* An operation on memory of side 1 by a key that does not fit. */
static void ask_key(enum ibv_wr_opcode opcode, uint32_t length, uint32_t rkey)
{
	struct ibv_send_wr wr = {
		.opcode = opcode,
		.wr.rdma = { (uintptr_t)side[1].area, rkey },
	};

	ask_with(wr, piece(&side[0], length));
}

static uint32_t bad_key(void)
{
	return side[1].mr->rkey ^ 0x5a;
}

static void to_state(int s, enum ibv_qp_state state)
{
	struct ibv_qp_attr a = { .qp_state = state };

	NEED(!ibv_modify_qp(side[s].qp, &a, IBV_QP_STATE));
}

static void doze(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

/* ---- what happened ------------------------------------------------------- */

static void collect_events(void)
{
	struct ibv_async_event e;

	while (!ibv_get_async_event(ctx, &e)) {
		uint32_t bit = 1u << e.event_type;

		switch (e.event_type) {
		case IBV_EVENT_QP_FATAL:
		case IBV_EVENT_QP_REQ_ERR:
		case IBV_EVENT_QP_ACCESS_ERR:
		case IBV_EVENT_COMM_EST:
		case IBV_EVENT_SQ_DRAINED:
		case IBV_EVENT_PATH_MIG:
		case IBV_EVENT_PATH_MIG_ERR:
		case IBV_EVENT_QP_LAST_WQE_REACHED:
			for (int s = 0; s < 2; s++)
				if (e.element.qp == side[s].qp)
					side[s].events |= bit;
			break;
		default:
			other_events |= bit;
		}
		ibv_ack_async_event(&e);
	}
}

static void collect_completions(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(side[0].scq, 1, &wc) > 0)
		if (!side[0].first)
			side[0].first = wc.status + 1;
	while (ibv_poll_cq(side[1].rcq, 1, &wc) > 0)
		if (!side[1].first)
			side[1].first = wc.status + 1;
}

static bool all_events(void)
{
	return (side[0].events & row->events[0]) == row->events[0] &&
	       (side[1].events & row->events[1]) == row->events[1] &&
	       (other_events & row->other) == row->other;
}

static bool all_completions(void)
{
	return (!row->send || side[0].first) && (!row->recv || side[1].first);
}

/* Until all that is expected is there; then a while for what is not. */
static void settle(void)
{
	int left = 5000, calm = 30;

	while (left-- && calm) {
		collect_events();
		if (!row->poll_late || all_events())
			collect_completions();
		if (all_events() && all_completions())
			calm--;
		doze(1);
	}
}

static enum ibv_qp_state state_of(int s)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	NEED(!ibv_query_qp(side[s].qp, &a, IBV_QP_STATE, &init));
	return a.qp_state;
}

/* ---- one row ------------------------------------------------------------- */

static void make_side(int s)
{
	struct ibv_qp_init_attr a = {
		.qp_type = row->type ? row->type : IBV_QPT_RC,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 15, .max_sge = 1 } };

	side[s].events = 0;
	side[s].first = 0;
	side[s].srq = NULL;
	NEED(side[s].scq = ibv_create_cq(ctx, 60, NULL, NULL, 0));
	NEED(side[s].rcq = ibv_create_cq(ctx, row->recv_cqe && s ? row->recv_cqe : 60, NULL, NULL, 0));
	if (row->srq && s)
		NEED(side[s].srq = ibv_create_srq(pd, &srq));
	a.send_cq = side[s].scq;
	a.recv_cq = side[s].rcq;
	a.srq = side[s].srq;
	NEED(side[s].qp = ibv_create_qp(pd, &a));
}

static void to_init(int s)
{
	enum ibv_qp_type type = side[s].qp->qp_type;
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x1234 };
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	a.qp_access_flags = type == IBV_QPT_RC ? ALL_RIGHTS : IBV_ACCESS_REMOTE_WRITE;
	if (s && row->rights_1)
		a.qp_access_flags = row->rights_1 == NO_RIGHTS ? 0 : row->rights_1;
	mask |= type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	NEED(!ibv_modify_qp(side[s].qp, &a, mask));
}

static void to_rtr(int s)
{
	enum ibv_qp_type type = side[s].qp->qp_type;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = side[!s].qp->qp_num,
		.rq_psn = PSN, .max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 } },
	};
	int mask = IBV_QP_STATE;

	if (type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	NEED(!ibv_modify_qp(side[s].qp, &a, mask));
}

static void to_rts(int s)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS, .sq_psn = PSN, .max_rd_atomic = 4,
		.timeout = row->timeout ? row->timeout : 14,
		.retry_cnt = row->retry ? row->retry : 7,
		.rnr_retry = row->rnr_retry ? row->rnr_retry : 7,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (side[s].qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	NEED(!ibv_modify_qp(side[s].qp, &a, mask));
}

static int begins_at(int s)
{
	return s && row->state_1 ? row->state_1 : IBV_QPS_RTS;
}

static void set_up(void)
{
	make_side(0);
	make_side(1);
	for (int s = 1; s >= 0; s--) {
		to_init(s);
		if (begins_at(s) >= IBV_QPS_RTR)
			to_rtr(s);
		if (begins_at(s) >= IBV_QPS_RTS)
			to_rts(s);
	}
	other_events = 0;
	wrong = NULL;
	memset(side[0].area, 'A', AREA);
	memset(side[1].area, 'B', AREA);
}

static void tear_down(void)
{
	for (int s = 0; s < 2; s++) {
		NEED(!ibv_destroy_qp(side[s].qp));
		if (side[s].srq)
			NEED(!ibv_destroy_srq(side[s].srq));
		NEED(!ibv_destroy_cq(side[s].scq));
		NEED(!ibv_destroy_cq(side[s].rcq));
	}
}

/* The first completion in @cq within a few seconds; 0: none. */
static int next_of(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	for (int left = 3000; left; left--) {
		if (ibv_poll_cq(cq, 1, &wc) > 0)
			return wc.status + 1;
		doze(1);
	}
	return 0;
}

/* What follows a failure is flushed; on a CQ that has lost one it can not be seen. */
static bool flushes(void)
{
	if (other_events & EV(CQ_ERR))
		return true;
	if (row->state[0] == IBV_QPS_ERR || row->state[0] == IBV_QPS_SQE) {
		ask(IBV_WR_SEND, 8);
		if (next_of(side[0].scq) != S(WR_FLUSH_ERR))
			return false;
	}
	if (row->state[1] == IBV_QPS_ERR && !side[1].srq) {
		receive(8);
		if (next_of(side[1].rcq) != S(WR_FLUSH_ERR))
			return false;
	}
	return true;
}

static const char *status_name(int status)
{
	return status ? ibv_wc_status_str(status - 1) : "none";
}

static bool compare(void)
{
	bool good = true;

	if (wrong)
		good = false, printf("     | %s\n", wrong);
	if (side[0].first != row->send)
		good = false, printf("     | send: %s, not %s\n", status_name(side[0].first),
				     status_name(row->send));
	if (side[1].first != row->recv)
		good = false, printf("     | receive: %s, not %s\n", status_name(side[1].first),
				     status_name(row->recv));
	for (int s = 0; s < 2; s++) {
		int state = row->state[s] ? row->state[s] : begins_at(s);

		if (side[s].events != row->events[s])
			good = false, printf("     | events of side %d: %x, not %x\n", s,
					     side[s].events, row->events[s]);
		if ((int)state_of(s) != state)
			good = false, printf("     | side %d is in state %d, not %d\n", s,
					     state_of(s), state);
	}
	if (other_events != row->other)
		good = false, printf("     | other events: %x, not %x\n", other_events, row->other);
	if (good && !flushes())
		good = false, printf("     | what follows is not flushed\n");
	return good;
}

static void verdict(bool good, const char *way, const char *name, const char *cause)
{
	printf("%s %s: %s (%s)\n", good ? "ok  " : "FAIL", name, cause, way);
	rows_run++;
	failures += !good;
}

static void run_row(const char *way)
{
	set_up();
	row->act();
	settle();
	verdict(compare(), way, row->name, row->cause);
	tear_down();
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * The requester: what is sent next, and may it be sent now (IBA vol. 1, 9.7.2,
 * 9.7.3). State moves on only after the packet exists; nothing is rolled back.
 */
#include "../soft/iter.h"
#include "../soft/task.h"
#include "ask.h"
#include "completer.h"
#include "congestion.h"
#include "credit.h"
#include "dev.h"
#include "local_ops.h"
#include "loopback.h"
#include "opcode.h"
#include "paging.h"
#include "path.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "req_data.h"
#include "req_pkt.h"
#include "requester.h"
#include "resend.h"
#include "retry.h"
#include "rtx.h"
#include "sq.h"
#include "sq_complete.h"
#include "sq_tx.h"
#include "sq_user.h"
#include "stats.h"
#include "timers.h"
#include "tx.h"
#include "tx_order.h"
#include "ud_send.h"
#include "wqe.h"

/* Between two releases of sq.lock. */
#define ROUND_STEPS	16

/*
 * PSNs that a READ is requested for, or requested again: from sq.cur_psn to its end. Of a response
 * that has begun it may be a gap alone; else the peer may have to execute the request yet.
 */
static u32 ibt_req_read_psns(const struct ibt_qp *qp, const struct ibt_round *round,
			     const struct ibt_wqe *wqe)
{
	const struct ibt_sq *sq = &qp->sq;
	u32 rest = ibt_psn_ahead(wqe->last_psn, sq->cur_psn) + 1;

	if (likely(!round->again || !wqe->begun))
		return rest;
	return min(rest, ibt_resend_run(&qp->rtx.resend, sq->una, sq->cur_psn));
}

/* READ, or what is missing of it; atomics; FLUSH. One packet. */
static bool ibt_req_send_read_or_atomic(struct ibt_qp *qp, struct ibt_round *round,
					struct ibt_wqe *wqe, const struct ibt_wr_info *info)
{
	struct ibt_sq *sq = &qp->sq;
	u32 psns = ibt_req_read_psns(qp, round, wqe);
	struct ibt_pkt pkt = { };
	struct sk_buff *skb;
	bool busy = false;

	if (round->path) {
		skb = ibt_tx_alloc(round->path, 0, GFP_ATOMIC);
		if (!skb) {
			ibt_sq_delay_send(qp, IBT_PAUSE_MEMORY, 1);
			return false;
		}
		ibt_req_fill(qp, round->path, wqe, info, sq->cur_psn, &pkt);
		pkt.va += sq->offset;
		pkt.dma_length -= min(sq->offset, pkt.dma_length);
		if (psns <= ibt_psn_ahead(wqe->last_psn, sq->cur_psn))
			pkt.dma_length = psns * qp->mtu;
		pkt.ack_request = true;
		pkt.opcode = ibt_opcode_of(qp->transport, info->verb,
					   IBT_FIRST | IBT_LAST, 0);
		pkt.op = &ibt_opcodes[pkt.opcode];
		busy = ibt_sq_emit(qp, round->path, skb, &pkt);
	}
	ibt_pace_sent(&qp->congestion, IBT_PACE_HEADERS);
	ibt_req_outstanding(sq, wqe);
	ibt_ask_sent(qp, sq->cur_psn);
	/* All of its response is asked for: una moves through it. */
	qp->rtx.ask.psn = ibt_psn_add(sq->cur_psn, psns - 1);
	if (unlikely(round->again) && info->verb == IBT_READ)
		ibt_resend_note(&qp->rtx.resend, sq->cur_psn,
				ibt_psn_add(sq->cur_psn, psns), sq->high);
	ibt_req_sent(qp, psns);
	ibt_req_sent_all(qp, wqe);
	return !busy;
}

/* A request that the peer may have no receive request for: one packet finds out. */
static bool ibt_may_begin_limited(struct ibt_qp *qp)
{
	if (qp->sq.cur_psn != qp->sq.una)
		return false;
	qp->rtx.recovery = IBT_PROBING;
	return true;
}

/* May this WQE be begun now? A WQE that was begun before is only retransmitted. */
static bool ibt_may_begin(struct ibt_qp *qp, struct ibt_wqe *wqe,
			  const struct ibt_wr_info *info)
{
	struct ibt_sq *sq = &qp->sq;

	if (wqe->numbered)
		return true;
	if (sq->state == IB_QPS_SQD) {
		ibt_sq_check_drained(qp);
		return false;
	}
	/* IBA 10.8.3.3: a fence lets READs and atomics finish first. */
	if ((wqe->flags & IB_SEND_FENCE) && sq->rd_atomic)
		return false;
	/* A retry must find what it sends again: all in front must be done. */
	if (wqe->opcode == IB_WR_LOCAL_INV)
		return ibt_sq_oldest(sq) == sq->next;
	if (ibt_wr_has_response(info) && sq->max_rd_atomic)
		return sq->rd_atomic < sq->max_rd_atomic;
	return ibt_credit_left(&qp->credit, info) || ibt_may_begin_limited(qp);
}

/* What is wrong with it is found before its first packet is sent. */
static u8 ibt_check_first(struct ibt_qp *qp, const struct ibt_wqe *wqe,
			  const struct ibt_wr_info *info)
{
	if (wqe->status != IB_WC_SUCCESS || wqe->numbered)
		return wqe->status;
	if (ibt_wr_has_response(info) && !qp->sq.max_rd_atomic)
		return IB_WC_LOC_QP_OP_ERR;
	/* A single packet is checked as it is filled. */
	if (info->kind == IBT_WR_RD_ATOMIC || wqe->length > qp->mtu)
		return ibt_wqe_check_sge(qp, wqe, info) == SOFT_OK ?
		       IB_WC_SUCCESS : IB_WC_LOC_PROT_ERR;
	return IB_WC_SUCCESS;
}

/* Without a way nothing is sent. */
static bool ibt_in_order(struct ibt_qp *qp, struct ibt_round *round)
{
	struct ibt_sq *sq = &qp->sq;

	if (!round->path ||
	    ibt_order_ok(round->path->port, &sq->cpu, sq->task.late))
		return true;
	WRITE_ONCE(sq->task.cpu, sq->cpu);
	round->elsewhere = true;
	return false;
}

static bool ibt_send_connected(struct ibt_qp *qp, struct ibt_round *round,
			       struct ibt_wqe *wqe,
			       const struct ibt_wr_info *info)
{
	u32 length = min(wqe->length, IBT_ROUND_BYTES);
	enum ibt_loopback_result way;

	/* Mostly so while a READ is answered: then it was an answer that called. */
	if (!round->again && !ibt_sq_in_window(qp, wqe))
		return false;
	if (!round->asked) {
		round->path = ibt_qp_path(qp);
		round->asked = true;
		if (!round->path)
			ibt_qp_count(qp, IBT_STAT_TX_ERROR);
	}
	way = round->again ? IBT_LOOPBACK_NOT_POSSIBLE :
			     ibt_loopback_send(qp, round->path, wqe, info);
	if (way == IBT_LOCAL_WAIT && ibt_ask_again(qp))
		return true;
	if (way != IBT_LOOPBACK_NOT_POSSIBLE) {
		round->bytes += length;
		return way == IBT_LOOPBACK_DONE;
	}
	if (!ibt_in_order(qp, round) ||
	    !ibt_pace_ok(qp, &qp->congestion, IBT_PACE_REQUESTS))
		return false;
	ibt_wqe_assign_psn(qp, wqe);
	if (info->kind == IBT_WR_RD_ATOMIC)
		return ibt_req_send_read_or_atomic(qp, round, wqe, info);
	return ibt_req_send_data(qp, round, wqe, info);
}

/*
 * A failed WQE waits for the WQEs in front of it, which may have to be
 * retransmitted. Those have PSNs, or are done.
 */
static bool ibt_not_in_front(const struct ibt_wqe *wqe)
{
	if (wqe->state == IBT_WQE_DONE)
		return wqe->status != IB_WC_SUCCESS;
	return !wqe->numbered;
}

static inline void ibt_round_end_source(struct ibt_qp *qp, struct ibt_round *round)
{
	if (unlikely(round->source_of))
		soft_iter_end(&qp->sq.source);
	round->source_of = NULL;
}

/*
 * The next step is for a packet that the peer misses, alone. False: its request has failed
 * meanwhile.
 */
static bool ibt_resend_begin(struct ibt_qp *qp, struct ibt_round *round)
{
	struct ibt_resend *rs = &qp->rtx.resend;
	struct ibt_sq *sq = &qp->sq;
	u32 psn = ibt_resend_first(rs, sq->una);
	struct ibt_resend_pos at = ibt_resend_pos_of(sq, ibt_sq_head(sq), qp->mtu, psn);

	if (at.wqe == ibt_sq_head(sq) || !ibt_wqe_has_psn(ibt_wqe_at(sq, at.wqe), psn)) {
		ibt_resend_clear(rs);
		return false;
	}
	ibt_round_end_source(qp, round);
	round->front.wqe = sq->next;
	round->front.offset = sq->offset;
	round->front_psn = sq->cur_psn;
	round->again_psn = psn;
	round->again = true;
	sq->next = at.wqe;
	sq->offset = at.offset;
	sq->cur_psn = psn;
	return true;
}

/* Behind that step: sending goes on where it was. */
static void ibt_resend_end(struct ibt_qp *qp, struct ibt_round *round)
{
	struct ibt_sq *sq = &qp->sq;

	ibt_round_end_source(qp, round);
	round->again = false;
	if (sq->cur_psn != round->again_psn)
		ibt_resend_remove(&qp->rtx.resend, round->again_psn, sq->cur_psn);
	sq->cur_psn = round->front_psn;
	/* The request under way may have failed, and be completed. */
	if ((s32)(round->front.wqe - sq->tail) >= 0) {
		sq->next = round->front.wqe;
		sq->offset = round->front.offset;
	}
}

/* One packet, one request that needs none, or a few of those to be flushed.
 * False: nothing more can be done now.
 */
static bool ibt_requester_step(struct ibt_qp *qp, struct ibt_round *round)
{
	struct ibt_sq *sq = &qp->sq;
	const struct ibt_wr_info *info;
	struct ibt_wqe *wqe;
	u8 status;

	if (sq->state == IB_QPS_ERR || sq->state == IB_QPS_SQE)
		return ibt_sq_flush_some(qp, 4);
	if ((sq->state != IB_QPS_RTS && sq->state != IB_QPS_SQD) ||
	    qp->rtx.pause || !list_empty_careful(&sq->waiting))
		return false;
	if (unlikely(qp->rtx.resend.left) && !ibt_resend_begin(qp, round))
		return true;
	if (sq->next == ibt_sq_head(sq) &&
	    (!ibt_sq_is_user(sq) || !ibt_sq_fetch_user_wqe(qp)))
		return false;

	wqe = ibt_wqe_at(sq, sq->next);
	if (sq->stop == IBT_SQ_BROKEN && ibt_not_in_front(wqe))
		return false;
	if (wqe->state == IBT_WQE_DONE) {
		sq->next++;
		return true;
	}
	info = ibt_wr_info(wqe->opcode);
	/* Where it waits for what is in front of it, that must have asked. */
	if (!ibt_may_begin(qp, wqe, info))
		return ibt_ask_again(qp);
	status = ibt_check_first(qp, wqe, info);
	if (status != IB_WC_SUCCESS) {
		ibt_wqe_fail(qp, wqe, status);
		return true;
	}
	if (info->kind == IBT_WR_RD_ATOMIC && ibt_may_page(&ibt_qp_dev(qp)->soft.mem) &&
	    !wqe->numbered && !ibt_sq_read_ready(qp, wqe))
		return false;
	if (info->kind == IBT_WR_LOCAL_OP) {
		ibt_do_local_op(qp, wqe);
		return true;
	}
	if (qp->transport == IBT_UD) {
		round->bytes += wqe->length;
		return ibt_ud_send(qp, wqe, info);
	}
	return ibt_send_connected(qp, round, wqe, info);
}

/* Some steps. True: more can be done. */
static bool ibt_take_steps(struct ibt_qp *qp, struct ibt_round *round)
{
	bool more = true;
	int steps;

	lockdep_assert_held(&qp->sq.lock);
	for (steps = 0; more && steps < ROUND_STEPS; steps++) {
		if (round->bytes >= IBT_ROUND_BYTES || round->over)
			break;
		more = ibt_requester_step(qp, round);
		if (unlikely(round->again))
			ibt_resend_end(qp, round);
		/* The iterator stands at sq.offset of this one only. */
		if (!qp->sq.offset)
			ibt_round_end_source(qp, round);
	}
	ibt_round_end_source(qp, round);
	return more;
}

/**
 * ibt_requester_round - send some of what may be sent
 * @task: sq.task of a queue pair
 *
 * Context: softirqs disabled, sq.lock not held.
 *
 * Return: what is left.
 */
enum soft_task_left ibt_requester_round(struct soft_task *task)
{
	struct ibt_qp *qp = container_of(task, struct ibt_qp, sq.task);
	struct ibt_round round = { };
	bool more;

	spin_lock_bh(&qp->sq.lock);
	ibt_sq_process_deferred_ack(qp);
	ibt_sq_retry_held(qp);
	more = ibt_take_steps(qp, &round);
	spin_unlock_bh(&qp->sq.lock);
	ibt_path_put(round.path);
	if (round.elsewhere)
		return SOFT_TASK_ELSEWHERE;
	return more ? SOFT_TASK_MORE : SOFT_TASK_NOTHING;
}

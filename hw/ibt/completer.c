// SPDX-License-Identifier: GPL-2.0
/*
 * The completer: what answers mean for the requests they answer (IBA vol. 1,
 * 9.7.5.1, 9.7.5.2, 9.9.2). An answer is looked at only if its PSN was sent and
 * has no answer yet: the rest are ghosts of the past, or forged.
 */
#include "../soft/iter.h"
#include "../soft/mr_table.h"
#include "completer.h"
#include "credit.h"
#include "dev.h"
#include "early.h"
#include "opcode.h"
#include "paging.h"
#include "pkt.h"
#include "qp.h"
#include "qp_counter.h"
#include "recovery.h"
#include "requester.h"
#include "resend.h"
#include "retry.h"
#include "rtt.h"
#include "rtx.h"
#include "sq.h"
#include "sq_complete.h"
#include "stats.h"
#include "timers.h"
#include "trace.h"
#include "wqe.h"

#define MUCH	SZ_16K	/* bytes to send, too many for the context of an ACK */

/* The peer is there and does something for us: all retries are left again. */
void ibt_sq_reset_retry_count(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	qp->rtx.retries = qp->rtx.retry_cnt;
	qp->rtx.rnr_retries = qp->rtx.rnr_retry;
	qp->rtx.recovery = IBT_STEADY;
	/* Without a packet that waits for a response the next one sets it. */
	if (ibt_sq_unanswered(sq))
		qp->rtx.deadline = jiffies + ibt_rtx_wait(&qp->rtx);
	qp->rtx.held.state = IBT_HELD_UNKNOWN;
	/* Messages that take no packets have no round trips. */
	if (ibt_rtt_is_unused(&qp->rtx.rtt))
		qp->rtx.rtt.clear = sq->una;
	else
		ibt_early_progress(qp);
}

static bool ibt_is_ask(const struct ibt_wqe *wqe)
{
	return ibt_wr_has_response(ibt_wr_info(wqe->opcode));
}

static void ibt_completer_done(struct ibt_sq *sq, struct ibt_wqe *wqe)
{
	wqe->state = IBT_WQE_DONE;
	if (wqe->counted) {
		wqe->counted = false;
		sq->rd_atomic--;
	}
}

/* Everything before @psn has its answer; what was to be sent again need not. */
static void ibt_move_una(struct ibt_qp *qp, u32 psn)
{
	struct ibt_sq *sq = &qp->sq;
	u32 answers = ibt_psn_ahead(psn, sq->una);
	bool overtaken;

	if (!answers)
		return;
	qp->rtx.window = min(qp->rtx.window + answers, (u32)IBT_WINDOW);
	overtaken = ibt_psn_ahead(sq->cur_psn, sq->una) < answers;
	if (qp->rtx.resend.left)
		ibt_resend_remove(&qp->rtx.resend, sq->una, psn);
	sq->una = psn;
	if (overtaken)
		ibt_sq_rewind(qp, psn);
	/* A pause for want of receive requests is over with what caused it. */
	if (qp->rtx.pause == IBT_PAUSE_RNR)
		qp->rtx.pause = IBT_NO_PAUSE;
	ibt_sq_reset_retry_count(qp);
}

/* Its first PSN that has no answer, as a distance from una. */
static u32 ibt_open_from(const struct ibt_sq *sq, const struct ibt_wqe *wqe)
{
	if (ibt_psn_ahead(sq->una, wqe->first_psn) < ibt_wqe_npkts(wqe))
		return 0;
	return ibt_psn_ahead(wqe->first_psn, sq->una);
}

/*
 * A response to @psn acknowledges all requests before it (IBA 9.7.5.1.1). False: one of
 * them is a READ or atomic that has not received its own response; una is at the first PSN
 * of it that lacks a response.
 */
static bool ibt_ack_before(struct ibt_qp *qp, u32 psn)
{
	struct ibt_sq *sq = &qp->sq;
	u32 want = ibt_psn_ahead(psn, sq->una);
	u32 head = ibt_sq_head(sq);
	struct ibt_wqe *wqe;
	bool whole = true;
	u32 i;

	for (i = sq->tail; i != head; i++) {
		wqe = ibt_wqe_at(sq, i);
		if (wqe->state == IBT_WQE_DONE)
			continue;
		if (!wqe->numbered || ibt_open_from(sq, wqe) >= want)
			break;
		if (ibt_is_ask(wqe)) {
			psn = ibt_psn_add(sq->una, ibt_open_from(sq, wqe));
			whole = false;
			break;
		}
		if (ibt_psn_ahead(wqe->last_psn, sq->una) >= want)
			break;
		ibt_completer_done(sq, wqe);
	}
	ibt_move_una(qp, psn);
	ibt_sq_complete_wqes(qp);
	return whole;
}

static bool ibt_completer_alive(const struct ibt_sq *sq)
{
	return sq->state == IB_QPS_RTS || sq->state == IB_QPS_SQD;
}

/*
 * Ask again, but once: more of the same will come before the answer does. The
 * rest of a long READ can be thousands of packets, and take longer than the ack
 * timeout: as long as it comes, the peer is there and the answer behind it.
 */
static void ibt_completer_missing(struct ibt_qp *qp, u8 why)
{
	if (qp->rtx.pause == IBT_PAUSE_RNR || qp->rtx.pause == IBT_PAUSE_PAGES)
		return;
	if (qp->rtx.recovery == IBT_ASKED_AGAIN ||
	    (qp->rtx.recovery == IBT_FILLING && why == IBT_RETRY_GAP)) {
		qp->rtx.deadline = jiffies + ibt_rtx_wait(&qp->rtx);
		return;
	}
	qp->rtx.recovery = IBT_ASKED_AGAIN;
	ibt_sq_retry(qp, why);
}

/* The request that @psn belongs to, if all before it are done; else NULL. */
static struct ibt_wqe *ibt_turn_of(struct ibt_qp *qp, u32 psn)
{
	struct ibt_sq *sq = &qp->sq;
	struct ibt_wqe *wqe;
	u32 oldest;

	if (!ibt_ack_before(qp, psn)) {
		if (ibt_completer_alive(sq))
			ibt_completer_missing(qp, IBT_RETRY_GAP);
		return NULL;
	}
	oldest = ibt_sq_oldest(sq);
	if (!ibt_completer_alive(sq) || oldest == ibt_sq_head(sq))
		return NULL;
	wqe = ibt_wqe_at(sq, oldest);
	if (wqe->state == IBT_WQE_DONE || !wqe->numbered)
		return NULL;
	return wqe;
}

/* IBA 9.7.5.2.8: the peer is out of receive requests. */
static void ibt_rnr_nak(struct ibt_qp *qp, struct ibt_wqe *wqe, u8 timer)
{
	struct ibt_sq *sq = &qp->sq;

	if (qp->rtx.pause == IBT_PAUSE_RNR)
		return;
	ibt_qp_count(qp, IBT_STAT_RX_RNR);
	trace_ibt_rnr_rx(qp, sq->una, timer);
	/* 7: for ever. */
	if (qp->rtx.rnr_retry != 7 && !qp->rtx.rnr_retries) {
		ibt_qp_count(qp, IBT_STAT_RNR_EXC);
		ibt_wqe_fail(qp, wqe, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->rtx.rnr_retry != 7)
		qp->rtx.rnr_retries--;
	trace_ibt_retry(qp, IBT_RETRY_RNR, sq->una, qp->rtx.rnr_retries);
	ibt_rtt_refused(&qp->rtx.rtt, sq->una);
	ibt_sq_rewind(qp, sq->una);
	ibt_sq_delay_send(qp, IBT_PAUSE_RNR, ibt_rnr_jiffies(timer));
}

/**
 * ibt_sq_nak - a request was refused
 * @qp: queue pair that sent it
 * @psn: of the packet that was refused; all before it arrived
 * @syndrome: of an AETH, anything but an ACK
 *
 * Context: sq.lock held.
 */
void ibt_sq_nak(struct ibt_qp *qp, u32 psn, u8 syndrome)
{
	struct ibt_wqe *wqe;

	lockdep_assert_held(&qp->sq.lock);
	wqe = ibt_turn_of(qp, psn);
	if (!wqe)
		return;
	if ((syndrome & IBT_AETH_KIND) == IBT_AETH_RNR) {
		ibt_rnr_nak(qp, wqe, syndrome & IBT_AETH_VALUE);
		return;
	}
	ibt_qp_count(qp, IBT_STAT_RX_NAK);
	trace_ibt_nak_rx(qp, psn, syndrome);
	switch (syndrome) {
	case IBT_NAK_PSN:
		ibt_completer_missing(qp, IBT_RETRY_NAK);
		break;
	case IBT_NAK_INVALID:
		ibt_wqe_fail(qp, wqe, IB_WC_REM_INV_REQ_ERR);
		break;
	case IBT_NAK_ACCESS:
		ibt_wqe_fail(qp, wqe, IB_WC_REM_ACCESS_ERR);
		break;
	case IBT_NAK_OPERATION:
		ibt_wqe_fail(qp, wqe, IB_WC_REM_OP_ERR);
		break;
	default:
		break;
	}
}

static void ibt_completer_acknowledge(struct ibt_qp *qp, const struct ibt_pkt *pkt)
{
	if (pkt->marks & IBT_MARK_GAPS && pkt->syndrome == IBT_NAK_PSN)
		ibt_sq_gap(qp, pkt->psn, pkt->msn);
	else if ((pkt->syndrome & IBT_AETH_KIND) != IBT_AETH_ACK)
		ibt_sq_nak(qp, pkt->psn, pkt->syndrome);
	else if (!ibt_ack_before(qp, ibt_psn_add(pkt->psn, 1)) && ibt_completer_alive(&qp->sq))
		ibt_completer_missing(qp, IBT_RETRY_GAP);
}

/*
 * Into the request's memory, @offset bytes from its beginning. False: the request has failed, or
 * the response is dropped until pages are there.
 */
static bool ibt_completer_place(struct ibt_qp *qp, struct ibt_wqe *wqe, u32 offset,
				struct soft_iter *from, u32 length)
{
	enum soft_access_err fault = SOFT_OK;
	bool dropped = false;
	struct soft_iter to;

	ibt_wqe_dst_iter(qp, wqe, &to);
	if (offset)
		fault = soft_iter_skip(&to, offset);
	if (fault == SOFT_OK && length)
		fault = soft_iter_copy(&to, from, length);
	if (fault == SOFT_ERR_ABSENT)
		dropped = ibt_sq_answer_page_in(qp, &to, length);
	soft_iter_end(&to);
	if (fault != SOFT_OK && !dropped)
		ibt_wqe_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
	return fault == SOFT_OK;
}

static void ibt_completer_answered(struct ibt_qp *qp, struct ibt_wqe *wqe, u32 psn)
{
	if (psn == wqe->last_psn)
		ibt_completer_done(&qp->sq, wqe);
	ibt_move_una(qp, ibt_psn_add(psn, 1));
	ibt_sq_complete_wqes(qp);
}

/* The request that has the packet with @psn and is not done. NULL: there is none. */
static struct ibt_wqe *ibt_completer_find(const struct ibt_sq *sq, u32 psn)
{
	u32 at, head = ibt_sq_head(sq);
	struct ibt_wqe *wqe;

	for (at = sq->tail; at != head; at++) {
		wqe = ibt_wqe_at(sq, at);
		if (wqe->state != IBT_WQE_DONE && ibt_wqe_has_psn(wqe, psn))
			return wqe;
	}
	return NULL;
}

/* Packets that came before their turn have it now, up to the next one that is missing. */
static noinline void ibt_pass_placed(struct ibt_qp *qp)
{
	struct ibt_resend *rs = &qp->rtx.resend;
	struct ibt_sq *sq = &qp->sq;
	struct ibt_wqe *wqe;
	u32 psn;

	while (rs->placed && ibt_completer_alive(sq)) {
		psn = ibt_resend_next_placed(rs, sq->una);
		if (!ibt_ack_before(qp, psn))
			return;
		ibt_resend_pass(rs, psn);
		wqe = ibt_completer_find(sq, psn);
		if (wqe)
			ibt_completer_answered(qp, wqe, psn);
	}
}

/*
 * IBA 9.7.5.1.3: a READ that was asked again in the middle is answered by packets
 * that count anew. So only the end tells: LAST comes with the last PSN, and with
 * no other, except from a peer that may have been asked for a gap.
 */
static bool ibt_completer_fits(const struct ibt_qp *qp, const struct ibt_wqe *wqe,
			       const struct ibt_pkt *pkt, u32 offset)
{
	bool last = pkt->psn == wqe->last_psn;

	/* Annex A19: a READ's answer, without the bytes. */
	if (wqe->opcode == IB_WR_ATOMIC_WRITE || wqe->opcode == IB_WR_FLUSH)
		return pkt->op->flags & IBT_FIRST &&
		       pkt->op->flags & IBT_LAST && !pkt->length;
	if (wqe->opcode != IB_WR_RDMA_READ)
		return false;
	if (last != !!(pkt->op->flags & IBT_LAST) &&
	    (last || qp->rtx.resend.peer != IBT_PEER_KEEPS))
		return false;
	if (pkt->psn == wqe->first_psn && !(pkt->op->flags & IBT_FIRST))
		return false;
	return pkt->length == (last ? wqe->length - offset : qp->mtu);
}

/* A packet of the response to @wqe. False: the request has failed, or the packet is dropped. */
static bool ibt_read_place(struct ibt_qp *qp, struct ibt_wqe *wqe, const struct ibt_pkt *pkt,
			   const struct sk_buff *skb)
{
	u32 offset = ibt_psn_ahead(pkt->psn, wqe->first_psn) * qp->mtu;
	struct soft_iter from;
	bool placed;

	if (!ibt_completer_fits(qp, wqe, pkt, offset)) {
		ibt_wqe_fail(qp, wqe, IB_WC_BAD_RESP_ERR);
		return false;
	}
	wqe->begun = true;
	soft_iter_skb(&from, skb, pkt->payload, pkt->length);
	placed = ibt_completer_place(qp, wqe, offset, &from, pkt->length);
	soft_iter_end(&from);
	return placed;
}

/*
 * A packet of a READ response comes before its turn, and goes to its place. What is missing in
 * front of it is requested again, once. False: it can not be noted that this one is here.
 */
static bool ibt_read_early(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			   const struct sk_buff *skb)
{
	struct ibt_resend *rs = &qp->rtx.resend;
	struct ibt_sq *sq = &qp->sq;
	struct ibt_wqe *wqe = ibt_completer_find(sq, pkt->psn);
	u32 top = rs->placed ? rs->top : sq->una;

	if (!wqe || wqe->opcode != IB_WR_RDMA_READ ||
	    ibt_psn_ahead(pkt->psn, sq->una) >= IBT_RESEND_SPAN)
		return false;
	if (!ibt_read_place(qp, wqe, pkt, skb) || !ibt_resend_place(rs, sq->una, pkt->psn))
		return true;
	if (ibt_psn_ahead(pkt->psn, sq->una) > ibt_psn_ahead(top, sq->una))
		ibt_sq_fill(qp, top, pkt->psn);
	ibt_sq_overtaken(qp, pkt->psn);
	return true;
}

/* True: @pkt was not its request's next one, and that is all. */
static noinline bool ibt_read_before_turn(struct ibt_qp *qp, const struct ibt_pkt *pkt,
					  const struct sk_buff *skb)
{
	if (qp->rtx.resend.peer != IBT_PEER_KEEPS || ibt_ack_before(qp, pkt->psn))
		return false;
	if (ibt_completer_alive(&qp->sq) && !ibt_read_early(qp, pkt, skb))
		ibt_completer_missing(qp, IBT_RETRY_GAP);
	return true;
}

static void ibt_read_response(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			      const struct sk_buff *skb)
{
	struct ibt_wqe *wqe;

	if (unlikely(pkt->psn != qp->sq.una) && ibt_read_before_turn(qp, pkt, skb))
		return;
	wqe = ibt_turn_of(qp, pkt->psn);
	if (!wqe || !ibt_read_place(qp, wqe, pkt, skb))
		return;
	ibt_completer_answered(qp, wqe, pkt->psn);
	if (unlikely(qp->rtx.resend.placed)) {
		ibt_pass_placed(qp);
		ibt_sq_overtaken(qp, pkt->psn);
	}
}

/**
 * ibt_wqe_write_atomic_ack - the answer of an atomic
 * @qp: queue pair
 * @wqe: its request
 * @original: value before it, as the responder's CPU would read it
 *
 * Context: sq.lock held.
 *
 * Return: false: its place is not accessible, and the request has failed, or the answer is to
 * come again.
 */
bool ibt_wqe_write_atomic_ack(struct ibt_qp *qp, struct ibt_wqe *wqe, u64 original)
{
	struct soft_iter from;
	bool ok;

	soft_iter_bytes(&from, &original, sizeof(original));
	ok = ibt_completer_place(qp, wqe, 0, &from, sizeof(original));
	soft_iter_end(&from);
	return ok;
}

static void ibt_atomic_response(struct ibt_qp *qp, const struct ibt_pkt *pkt)
{
	struct ibt_wqe *wqe = ibt_turn_of(qp, pkt->psn);

	if (!wqe)
		return;
	if (wqe->opcode != IB_WR_ATOMIC_CMP_AND_SWP &&
	    wqe->opcode != IB_WR_ATOMIC_FETCH_AND_ADD)
		ibt_wqe_fail(qp, wqe, IB_WC_BAD_RESP_ERR);
	else if (ibt_wqe_write_atomic_ack(qp, wqe, pkt->original))
		ibt_completer_answered(qp, wqe, pkt->psn);
	if (unlikely(qp->rtx.resend.placed))
		ibt_pass_placed(qp);
}

static bool ibt_completer_expected(const struct ibt_qp *qp, const struct ibt_pkt *pkt)
{
	const struct ibt_sq *sq = &qp->sq;

	return ibt_qp_reliable(qp) && ibt_completer_alive(sq) &&
	       ibt_psn_ahead(pkt->psn, sq->una) <
	       ibt_psn_ahead(sq->high, sq->una);
}

/* Answers with data, when they have an AETH at all, have one that says ACK. */
static bool ibt_completer_positive(const struct ibt_pkt *pkt)
{
	return !(pkt->op->headers & IBT_AETH) ||
	       (pkt->syndrome & IBT_AETH_KIND) == IBT_AETH_ACK;
}

/*
 * So much that it should not keep this processor, which may have more to receive: another
 * one sends it.
 */
static bool ibt_much_left(struct ibt_qp *qp)
{
	const struct ibt_sq *sq = &qp->sq;
	const struct ibt_wqe *wqe;

	if (!ibt_qp_dev(qp)->num_lanes || sq->next == ibt_sq_head(sq))
		return false;
	wqe = ibt_wqe_at(sq, sq->next);
	return ibt_wr_info(wqe->opcode)->kind == IBT_WR_DATA &&
	       wqe->length - sq->offset >= MUCH;
}

/* ACKs say what was received so far, so the newest one is enough. */
static void ibt_defer_ack(struct ibt_sq *sq, u32 psn)
{
	int left = atomic_read(&sq->deferred_ack);

	do {
		if (left && ibt_psn_diff(psn, left & IBT_PSN_MASK) <= 0)
			return;
	} while (!atomic_try_cmpxchg(&sq->deferred_ack, &left, psn | IBT_ACK_DEFERRED));
}

/* Not inline: each doorbell and each response would set up the headers, for an ACK that is rare. */
static noinline void ibt_take_deferred_ack(struct ibt_qp *qp)
{
	struct ibt_pkt ack = { .syndrome = IBT_AETH_ACK };
	int left = atomic_xchg(&qp->sq.deferred_ack, 0);

	ack.psn = left & IBT_PSN_MASK;
	if (left && ibt_completer_expected(qp, &ack))
		ibt_completer_acknowledge(qp, &ack);
}

void ibt_sq_process_deferred_ack(struct ibt_qp *qp)
{
	lockdep_assert_held(&qp->sq.lock);
	if (unlikely(atomic_read(&qp->sq.deferred_ack)))
		ibt_take_deferred_ack(qp);
}

/*
 * A round that holds the lock may copy the payload of many packets, and this processor has
 * others to receive. The next round looks at the ACK. False: it is no such answer.
 */
static bool ibt_try_defer_ack(struct ibt_qp *qp, const struct ibt_pkt *pkt)
{
	if (pkt->op->verb != IBT_ACK || !ibt_completer_positive(pkt))
		return false;
	/* Neither credits nor marks are left with it. */
	if ((pkt->syndrome & IBT_AETH_VALUE) != IBT_ACK_NO_CREDITS ||
	    READ_ONCE(qp->credit.counted) ||
	    READ_ONCE(qp->rtx.resend.peer) == IBT_PEER_ASKED)
		return false;
	ibt_defer_ack(&qp->sq, pkt->psn);
	return true;
}

/* A request that is posted from now on is found by its doorbell. */
static bool ibt_nothing_left(const struct ibt_qp *qp)
{
	const struct ibt_sq *sq = &qp->sq;

	return sq->state == IB_QPS_RTS && sq->next == ibt_sq_head(sq) &&
	       !qp->rtx.resend.left && !soft_hold_waits(&sq->hold) &&
	       (!ibt_sq_is_user(sq) || soft_ring_ready(&sq->ring) <= sq->head - sq->tail);
}

/* The answer may have let something be sent. */
static enum ibt_send_more ibt_more_of(struct ibt_qp *qp)
{
	if (ibt_nothing_left(qp) || ibt_requester_window_full(qp))
		return IBT_SEND_NOTHING;
	return ibt_much_left(qp) ? IBT_SEND_MUCH : IBT_SEND_HERE;
}

/**
 * ibt_completer - a response packet
 * @qp: queue pair it is for
 * @pkt: its headers
 * @skb: the packet, which stays the caller's
 *
 * Context: softirqs disabled; sq.lock is taken inside.
 *
 * Return: what can be sent now, which is the caller's to ask for: ibt_bell_answered().
 */
enum ibt_send_more ibt_completer(struct ibt_qp *qp, const struct ibt_pkt *pkt,
				 struct sk_buff *skb)
{
	enum ibt_send_more more = IBT_SEND_NOTHING;

	if (!spin_trylock_bh(&qp->sq.lock)) {
		if (ibt_try_defer_ack(qp, pkt))
			return IBT_SEND_QUEUED;
		spin_lock_bh(&qp->sq.lock);
	}
	ibt_sq_process_deferred_ack(qp);
	if (ibt_completer_expected(qp, pkt)) {
		if (unlikely(qp->rtx.resend.peer == IBT_PEER_ASKED))
			ibt_resend_learn(&qp->rtx.resend, pkt->marks);
		if (pkt->op->headers & IBT_AETH && ibt_completer_positive(pkt))
			ibt_credit_take(&qp->credit, pkt->syndrome, pkt->msn);
		if (pkt->op->verb == IBT_ACK)
			ibt_completer_acknowledge(qp, pkt);
		else if (pkt->op->verb == IBT_READ_RESP && ibt_completer_positive(pkt))
			ibt_read_response(qp, pkt, skb);
		else if (pkt->op->verb == IBT_ATOMIC_RESP && ibt_completer_positive(pkt))
			ibt_atomic_response(qp, pkt);
		more = ibt_more_of(qp);
	}
	spin_unlock_bh(&qp->sq.lock);
	return more;
}

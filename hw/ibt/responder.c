// SPDX-License-Identifier: GPL-2.0
/*
 * Request packets of a connected queue pair (IBA 9.7.4, 9.8.2): is it its turn,
 * does it fit to the packet before it, is its length right, execute, answer.
 *
 * While a READ response is on its way, what comes behind it waits (backlog.c). What was
 * answered already does not: the peer that asks for it again goes nowhere before it has it.
 */
#include "../soft/iter.h"
#include "../soft/piece.h"
#include "../soft/task.h"
#include "ack.h"
#include "backlog.h"
#include "dev.h"
#include "exec.h"
#include "exec_piece.h"
#include "limits.h"
#include "link.h"
#include "msg.h"
#include "ooo.h"
#include "opcode.h"
#include "tx_order.h"
#include "path.h"
#include "pkt.h"
#include "qp.h"
#include "qp_counter.h"
#include "read_resp.h"
#include "resp_res.h"
#include "resp.h"
#include "responder.h"
#include "rx_steer.h"
#include "stats.h"
#include "tx.h"

static struct ibt_msg ibt_msg_of(const struct ibt_pkt *pkt)
{
	return (struct ibt_msg) {
		.verb = pkt->op->verb,
		.extra = pkt->op->headers & (IBT_IMM | IBT_IETH),
		.solicited = pkt->solicited,
		.only = pkt->op->flags & IBT_LAST,
		.imm = pkt->imm,
		.inv_rkey = pkt->inv_rkey,
		.va = pkt->va,
		.rkey = pkt->rkey,
		.length = pkt->op->verb == IBT_SEND ? pkt->length :
						      pkt->dma_length,
		.swap_add = pkt->swap_add,
		.compare = pkt->compare,
		.srqn = pkt->srqn,
		.placement = pkt->placement,
		.selectivity = pkt->selectivity,
	};
}

/* ---- checks that need no memory -------------------------------------------------- */

/* IBA 9.7.4.1.2: a message goes on until its last packet, and with nothing else. */
static bool ibt_opcode_sequence_ok(const struct ibt_opcode *op,
				   const struct ibt_opcode *before)
{
	if (op->flags & IBT_FIRST)
		return !before;
	return before && before->verb == op->verb;
}

/* IBA 9.7.4.1.6: full ones are full, only a whole message may be empty. */
static bool ibt_length_ok(const struct ibt_pkt *pkt, u32 mtu)
{
	const struct ibt_opcode *op = pkt->op;

	if (op->verb == IBT_ATOMIC_WRITE)
		return pkt->length == sizeof(u64);
	if (op->flags & IBT_FULL)
		return pkt->length == mtu;
	if (op->flags & IBT_PAYLOAD && !(op->flags & IBT_FIRST))
		return pkt->length && pkt->length <= mtu;
	return pkt->length <= mtu;
}

/* ---- execution ---------------------------------------------------------------------- */

/* A whole SEND or WRITE, as most are. False: nothing was done. */
static bool ibt_responder_place_piece(struct ibt_qp *qp, const struct ibt_pkt *pkt,
				      const struct sk_buff *skb)
{
	const u8 only = IBT_FIRST | IBT_LAST;
	const struct ibt_opcode *op = pkt->op;
	const struct ibt_piece piece = {
		.verb = op->verb,
		.solicited = pkt->solicited,
		.length = pkt->length,
		.rkey = pkt->rkey,
		.va = pkt->va,
		.bytes = skb->data + pkt->payload,
	};

	if ((op->flags & only) != only || op->headers & (IBT_IMM | IBT_IETH) || !pkt->length ||
	    (op->verb == IBT_WRITE ? pkt->dma_length != pkt->length : op->verb != IBT_SEND) ||
	    pkt->payload + pkt->length > skb_headlen(skb))
		return false;
	return ibt_exec_piece(qp, &piece);
}

static noinline enum ibt_exec_status ibt_responder_place_any(struct ibt_qp *qp,
							     const struct ibt_pkt *pkt,
							     struct sk_buff *skb)
{
	const struct ibt_opcode *op = pkt->op;
	const struct ibt_msg msg = ibt_msg_of(pkt);
	enum ibt_exec_status verdict = IBT_EXEC_OK;
	struct soft_iter from;

	if (op->flags & IBT_FIRST)
		verdict = ibt_exec_begin(qp, &msg);
	else if (op->flags & IBT_TAKES_RECV)
		verdict = ibt_exec_reserve(qp);
	if (verdict == IBT_EXEC_OK && pkt->length) {
		soft_iter_skb(&from, skb, pkt->payload, pkt->length);
		verdict = ibt_exec_data(qp, &from, pkt->length);
		soft_iter_end(&from);
	}
	if (verdict == IBT_EXEC_OK && op->flags & IBT_LAST)
		verdict = ibt_exec_end(qp, &msg);
	if (verdict == IBT_EXEC_OK)
		qp->resp.op = op->flags & IBT_LAST ? NULL : op;
	return verdict;
}

/* SEND and WRITE, whatever the transport. */
static enum ibt_exec_status ibt_responder_place(struct ibt_qp *qp, const struct ibt_pkt *pkt,
						struct sk_buff *skb)
{
	return ibt_responder_place_piece(qp, pkt, skb) ? IBT_EXEC_OK :
							 ibt_responder_place_any(qp, pkt, skb);
}

static void ibt_responder_remember(struct ibt_resp *resp, const struct ibt_pkt *pkt,
				   u32 packets, u64 original)
{
	const struct ibt_resp_res entry = {
		.verb = pkt->op->verb,
		.first_psn = pkt->psn,
		.last_psn = ibt_psn_add(pkt->psn, packets - 1),
		.va = pkt->va,
		.rkey = pkt->rkey,
		.length = pkt->op->verb == IBT_READ ? pkt->dma_length : 0,
		.original = original,
	};

	ibt_replay_add(resp, &entry);
}

/* The answer follows packet by packet; what it may read is checked then. */
static enum ibt_exec_status ibt_accept_read(struct ibt_qp *qp,
					    const struct ibt_pkt *pkt, bool excess)
{
	u32 packets = ibt_packets(pkt->dma_length, qp->mtu);

	/* IBA 9.7.4.1.8: as many at once as was agreed on. */
	if (excess || pkt->dma_length > IBT_MAX_MSG_BYTES)
		return IBT_EXEC_INV_REQ;
	ibt_responder_remember(&qp->resp, pkt, packets, 0);
	ibt_resp_advance(qp, packets);
	ibt_read_resp_begin(qp, pkt);
	return IBT_EXEC_OK;
}

/* The word of an ATOMIC WRITE is payload: bytes, not a number. */
static enum ibt_exec_status ibt_responder_exec_atomic(struct ibt_qp *qp,
						      const struct ibt_pkt *pkt,
						      const struct sk_buff *skb, u64 *original)
{
	struct ibt_msg msg = ibt_msg_of(pkt);

	if (msg.verb == IBT_ATOMIC_WRITE &&
	    skb_copy_bits(skb, pkt->payload, &msg.swap_add,
			  sizeof(msg.swap_add)))
		return IBT_EXEC_INV_REQ;
	return ibt_exec_atomic(qp, &msg, original);
}

/* An atomic, ATOMIC WRITE or FLUSH is executed once at most, so the room for its answer
 * comes first. @again: it was, and @skb is not looked at. False: no memory, or no pages
 * yet; nothing was done.
 */
static bool ibt_responder_do_atomic(struct ibt_qp *qp, const struct ibt_pkt *pkt,
				    const struct sk_buff *skb,
				    const struct ibt_resp_res *again)
{
	struct ibt_path *path = ibt_qp_path(qp);
	enum ibt_exec_status verdict = IBT_EXEC_OK;
	struct sk_buff *answer;
	u64 original;

	if (!path) {
		ibt_qp_count(qp, IBT_STAT_TX_ERROR);
		return true;
	}
	if (!ibt_order_resp(qp, pkt->psn))
		goto out;
	answer = ibt_tx_alloc(path, 0, GFP_ATOMIC);
	if (!answer) {
		ibt_resp_schedule(qp, 1);
		goto out;
	}
	if (again)
		original = again->original;
	else
		verdict = ibt_responder_exec_atomic(qp, pkt, skb, &original);
	if (verdict != IBT_EXEC_OK) {
		kfree_skb(answer);
		if (verdict == IBT_EXEC_PAGES)
			goto out;
		ibt_resp_nak(qp, pkt->psn, verdict);
		goto out_refused;
	}
	if (!again) {
		ibt_responder_remember(&qp->resp, pkt, 1, original);
		ibt_resp_advance(qp, 1);
	}
	ibt_resp_atomic(qp, path, answer, pkt, original);
out_refused:
	ibt_path_put(path);
	return true;
out:
	ibt_path_put(path);
	return false;
}

/* ---- reliable ------------------------------------------------------------------------ */

static void ibt_rc_placed(struct ibt_qp *qp, const struct ibt_pkt *pkt)
{
	struct ibt_resp *resp = &qp->resp;

	resp->psn = ibt_psn_add(resp->psn, 1);
	if (pkt->op->flags & IBT_LAST)
		resp->msn = ibt_psn_add(resp->msn, 1);
	if (pkt->ack_request || ++resp->unacked >= IBT_ACK_EVERY)
		ibt_resp_ack(qp, pkt->psn);
}

/* The packet that was expected. False: no memory for its answer, or no pages yet. */
static bool ibt_rc_expected(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			    struct sk_buff *skb, bool excess)
{
	struct ibt_resp *resp = &qp->resp;
	enum ibt_exec_status verdict;

	resp->nak_sent = false;
	if (!ibt_opcode_sequence_ok(pkt->op, resp->op) || !ibt_length_ok(pkt, qp->mtu)) {
		ibt_resp_nak(qp, pkt->psn, IBT_EXEC_INV_REQ);
		return true;
	}
	switch (pkt->op->verb) {
	case IBT_SEND:
	case IBT_WRITE:
		verdict = ibt_responder_place(qp, pkt, skb);
		if (verdict == IBT_EXEC_OK)
			ibt_rc_placed(qp, pkt);
		break;
	case IBT_READ:
		verdict = ibt_accept_read(qp, pkt, excess);
		break;
	case IBT_CMP_SWAP:
	case IBT_FETCH_ADD:
	case IBT_ATOMIC_WRITE:
	case IBT_FLUSH:
		return ibt_responder_do_atomic(qp, pkt, skb, NULL);
	default:
		verdict = IBT_EXEC_INV_REQ;
		break;
	}
	if (verdict == IBT_EXEC_PAGES)
		return false;
	if (verdict != IBT_EXEC_OK)
		ibt_resp_nak(qp, pkt->psn, verdict);
	return true;
}

/* Executed before: the answer was lost, or was late (IBA 9.7.5.1.5). */
static bool ibt_rc_duplicate(struct ibt_qp *qp, const struct ibt_pkt *pkt)
{
	struct ibt_resp *resp = &qp->resp;
	const struct ibt_resp_res *entry;
	struct ibt_resp_res *read;

	ibt_qp_count(qp, IBT_STAT_RX_DUP);
	switch (pkt->op->verb) {
	case IBT_SEND:
	case IBT_WRITE:
		if (pkt->ack_request || pkt->op->flags & IBT_LAST)
			ibt_resp_ack(qp, ibt_replay_ack_psn(resp, pkt->psn));
		return true;
	case IBT_READ:
		read = ibt_replay_read(resp, pkt, qp->mtu);
		if (read)
			ibt_read_resp_restart(qp, read, pkt);
		return true;
	default:
		entry = ibt_replay_atomic(resp, pkt);
		return !entry || ibt_responder_do_atomic(qp, pkt, NULL, entry);
	}
}

static bool ibt_rc_packet(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			  struct sk_buff *skb, bool excess)
{
	struct ibt_resp *resp = &qp->resp;
	s32 ahead = ibt_psn_diff(pkt->psn, resp->psn);

	if (unlikely(pkt->marks | resp->ooo.marks))
		ibt_ooo_learn(&resp->ooo, pkt->marks);
	if (ahead < 0)
		return ibt_rc_duplicate(qp, pkt);
	if (ahead > 0) {
		ibt_qp_count(qp, IBT_STAT_RX_SEQ);
		if (!ibt_ooo_keep(qp, pkt, skb) && !resp->nak_sent)
			ibt_resp_nak(qp, resp->psn, IBT_EXEC_PSN_ERR);
		return true;
	}
	/* Its sender is at something else, and will come again. */
	if (resp->local) {
		ibt_qp_count(qp, IBT_STAT_RX_DROP);
		return true;
	}
	return ibt_rc_expected(qp, pkt, skb, excess);
}

/* ---- unreliable ------------------------------------------------------------------------ */

/*
 * IBA 9.8.2.2: a first packet is accepted with any PSN. A gap or a packet that does
 * not fit costs the rest of the message, and the responder reports neither. False: no
 * pages yet; nothing was done.
 */
static bool ibt_uc_packet(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			  struct sk_buff *skb)
{
	struct ibt_resp *resp = &qp->resp;
	const struct ibt_opcode *before = resp->op;
	bool first = pkt->op->flags & IBT_FIRST;
	bool gap = pkt->psn != resp->psn;
	enum ibt_exec_status verdict;

	if (resp->local) {
		ibt_qp_count(qp, IBT_STAT_RX_DROP);
		return true;
	}
	resp->psn = ibt_psn_add(pkt->psn, 1);
	if (gap)
		ibt_qp_count(qp, IBT_STAT_RX_SEQ);
	if (first || gap)
		ibt_exec_abort(qp);
	if (!first && (gap || !ibt_opcode_sequence_ok(pkt->op, before)))
		goto drop;
	if (!ibt_length_ok(pkt, qp->mtu))
		goto drop;

	verdict = ibt_responder_place(qp, pkt, skb);
	if (verdict == IBT_EXEC_OK)
		return true;
	if (verdict == IBT_EXEC_PAGES) {
		resp->psn = pkt->psn;
		return false;
	}
	if (verdict != IBT_RNR && verdict != IBT_EXEC_SILENT_DROP) {
		ibt_exec_failed(qp, verdict);
		return true;
	}
drop:
	ibt_exec_abort(qp);
	ibt_qp_count(qp, IBT_STAT_RX_DROP);
	return true;
}

/* ---- one after the other ------------------------------------------------------------- */

/* False: no memory for its answer, or no pages yet; nothing was done. */
static bool ibt_resp_packet(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			    struct sk_buff *skb, bool excess)
{
	if (!ibt_resp_receives(qp->resp.state)) {
		ibt_qp_count(qp, IBT_STAT_RX_NO_QP);
		return true;
	}
	if (qp->transport == IBT_UC)
		return ibt_uc_packet(qp, pkt, skb);
	return ibt_rc_packet(qp, pkt, skb, excess);
}

/* Is the expected packet one that was kept behind a gap? Mostly none was. */
static bool ibt_kept_is_next(const struct ibt_resp *resp)
{
	return unlikely(!skb_queue_empty(&resp->ooo.skbs)) && ibt_ooo_is_next(resp);
}

static bool ibt_has_backlog(const struct ibt_resp *resp)
{
	return ibt_resp_reads_due(resp) ||
	       !skb_queue_empty(&resp->backlog) || ibt_kept_is_next(resp);
}

/* Nothing waits any more: the peer is to retransmit what was dropped (IBA 9.7.5.1.1). */
static void ibt_ask_for_dropped(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;

	if (!resp->dropped)
		return;
	resp->dropped = false;
	if (ibt_resp_receives(resp->state) && !resp->nak_sent &&
	    ibt_psn_diff(resp->dropped_psn, resp->psn) >= 0)
		ibt_resp_nak(qp, resp->psn, IBT_EXEC_PSN_ERR);
}

/* False: it had to go back. Headers were checked before it was put there. */
static bool ibt_backlog_process(struct ibt_qp *qp, struct sk_buff *skb)
{
	struct ibt_pkt pkt = {};

	if (!ibt_hdr_parse(&pkt, skb, 0, skb->len) &&
	    !ibt_resp_packet(qp, &pkt, skb, ibt_backlog_excess(skb))) {
		ibt_backlog_put_back(qp, skb);
		return false;
	}
	consume_skb(skb);
	return true;
}

/* What was kept has been executed, and the requester may not have asked for an ACK of the last. */
static void ibt_ack_kept(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;

	if (resp->unacked && ibt_resp_receives(resp->state))
		ibt_resp_ack(qp, ibt_psn_add(resp->psn, IBT_PSN_MASK));
}

/* One request that was kept behind a gap. False: it waits for memory. */
static bool ibt_catch_up_one(struct ibt_qp *qp)
{
	struct sk_buff *skb = ibt_ooo_take(qp);

	if (skb && !ibt_backlog_process(qp, skb))
		return false;
	if (!ibt_kept_is_next(&qp->resp))
		ibt_ack_kept(qp);
	return true;
}

enum soft_task_left ibt_resp_run(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;
	int budget = 2 * IBT_READ_BURST;
	enum ibt_progress progress;
	struct sk_buff *skb;

	lockdep_assert_held(&resp->lock);
	if ((resp->owed || ibt_has_backlog(resp)) && !ibt_order_resp_here(qp))
		return ibt_resp_elsewhere(resp);
	while (budget-- > 0) {
		if (ibt_read_resp_next(resp)) {
			progress = ibt_read_resp_send(qp, &budget);
			if (progress == IBT_ELSEWHERE)
				return ibt_resp_elsewhere(resp);
			if (progress == IBT_WAIT)
				return SOFT_TASK_NOTHING;
			continue;
		}
		/* What ack_tasklet is to send, it does. */
		if (!resp->coalesced_acks && !ibt_resp_send_pending_ack(qp))
			return SOFT_TASK_NOTHING;
		if (ibt_kept_is_next(resp)) {
			if (!ibt_catch_up_one(qp))
				return SOFT_TASK_NOTHING;
			continue;
		}
		skb = ibt_backlog_take(qp);
		if (!skb) {
			ibt_ask_for_dropped(qp);
			return SOFT_TASK_NOTHING;
		}
		if (!ibt_backlog_process(qp, skb))
			return SOFT_TASK_NOTHING;
	}
	return SOFT_TASK_MORE;
}

/*
 * What is sent in a softirq lies there until its end, and nothing is received meanwhile. So
 * another processor sends a long answer, if one seems to be free. The requester that asks
 * for the next one is mostly where this is received: not here.
 */
static void ibt_begin_answer(struct ibt_qp *qp)
{
	struct ibt_read_resp *reading = &qp->resp.reading;
	struct soft_task *task = &qp->resp.task;
	enum ibt_progress progress;
	int budget = IBT_READ_BURST;

	if (ibt_rx_steer_worthwhile(ibt_qp_dev(qp), reading->left) &&
	    soft_task_help(task, qp->resp.cpu))
		return;
	progress = ibt_read_resp_send(qp, &budget);
	/* The last packet that a GSO skb had no room for is not worth a work. */
	if (progress == IBT_MORE && reading->left <= qp->mtu) {
		budget = 1;
		progress = ibt_read_resp_send(qp, &budget);
	}
	if (progress == IBT_ELSEWHERE)
		soft_task_queue_on(task, qp->resp.cpu);
	else if (progress == IBT_MORE)
		ibt_resp_schedule(qp, 0);
}

/* Nothing is in front of this packet. */
static void ibt_at_once(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			struct sk_buff *skb)
{
	if (!ibt_resp_packet(qp, pkt, skb, false))
		ibt_backlog_add(qp, pkt, skb);
	else if (qp->resp.reading.active)
		ibt_begin_answer(qp);
}

/* A gap is closed: what was kept behind it has its turn. */
static noinline void ibt_catch_up(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;
	int budget = 2 * IBT_READ_BURST;

	while (ibt_kept_is_next(resp) && budget--) {
		if (!ibt_catch_up_one(qp))
			return;
		if (resp->reading.active)
			ibt_begin_answer(qp);
		/* Then the task goes on behind the answer. */
		if (resp->reading.active)
			return;
	}
	if (ibt_kept_is_next(resp))
		ibt_resp_schedule(qp, 0);
}

/*
 * A duplicate that what is under way does not stand in the way of: what is older, and a READ,
 * which finds its place among the answers, if nothing that waits is older.
 */
static bool ibt_duplicate_bypasses_backlog(const struct ibt_resp *resp, const struct ibt_pkt *pkt)
{
	if (!ibt_resp_receives(resp->state) ||
	    ibt_psn_diff(pkt->psn, resp->psn) >= 0)
		return false;
	return (pkt->op->verb == IBT_READ && !ibt_backlog_older(resp, pkt->psn)) ||
	       (resp->reading.active &&
		ibt_psn_diff(pkt->psn, resp->reading.psn) < 0);
}

void ibt_resp_receive(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		      struct sk_buff *skb)
{
	struct ibt_resp *resp = &qp->resp;

	lockdep_assert_held(&resp->lock);
	if (!ibt_has_backlog(resp)) {
		ibt_at_once(qp, pkt, skb);
		if (ibt_kept_is_next(resp) && !resp->reading.active)
			ibt_catch_up(qp);
	} else if (!ibt_duplicate_bypasses_backlog(resp, pkt) || !ibt_rc_duplicate(qp, pkt)) {
		ibt_backlog_add(qp, pkt, skb);
	}
	if (unlikely(pkt->marks & IBT_MARK_GAPS) && !ibt_has_backlog(resp))
		ibt_ooo_name_gaps(qp);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The requester: what is sent next, and may it be sent now (IBA vol. 1, 9.7.2,
 * 9.7.3). State moves on only after the packet exists; nothing is rolled back.
 */
#include "../soft/iter.h"
#include "../soft/mr_table.h"
#include "../soft/task.h"
#include "completer.h"
#include "credit.h"
#include "ud_send.h"
#include "dev.h"
#include "local_ops.h"
#include "limits.h"
#include "link.h"
#include "loopback.h"
#include "opcode.h"
#include "tx_order.h"
#include "path.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "requester.h"
#include "rtt.h"
#include "rtx.h"
#include "gso.h"
#include "sq.h"
#include "sq_complete.h"
#include "sq_tx.h"
#include "sq_user.h"
#include "stats.h"
#include "timers.h"
#include "tx.h"
#include "wqe.h"

/* Between two releases of sq.lock. */
#define ROUND_STEPS	16
#define ROUND_BYTES	(64 << 10)

/* Requests that leave together. The answer to the last is that to all of them. */
#define MAX_WQE_BATCH		32U

/* Ask for an answer at least so many times in a window. */
#define ACKS_IN_WINDOW	4

/**
 * struct round - what lives as long as sq.lock is held
 * @path: referenced, of a connected QP; NULL: not asked for yet, or no way
 * @asked: @path was asked for
 * @source_of: request that @source belongs to, or NULL
 * @source: where its bytes are, at sq.offset
 * @bytes: payload sent
 * @over: what was sent had better arrive before more is
 * @elsewhere: sq.cpu is to send
 */
struct round {
	struct ibt_path *path;
	bool asked;
	struct ibt_wqe *source_of;
	struct soft_iter source;
	u32 bytes;
	bool over;
	bool elsewhere;
};

static void ibt_fill_request(const struct ibt_qp *qp, const struct ibt_path *path,
			     const struct ibt_wqe *wqe,
			     const struct ibt_wr_info *info, u32 psn,
			     struct ibt_pkt *pkt)
{
	u16 index = READ_ONCE(qp->attr.pkey_index);

	pkt->qpn = qp->sq.dest_qpn;
	pkt->psn = psn;
	pkt->pkey = index < IBT_MAX_PKEYS ? READ_ONCE(path->port->pkeys[index]) :
					    0;
	pkt->migrated = READ_ONCE(qp->mig_state) == IB_MIG_MIGRATED;
	if (info->verb == IBT_CMP_SWAP || info->verb == IBT_FETCH_ADD) {
		pkt->srqn = wqe->atomic.srqn;
		pkt->va = wqe->atomic.remote_addr;
		pkt->rkey = wqe->atomic.rkey;
		pkt->swap_add = info->verb == IBT_CMP_SWAP ?
				wqe->atomic.swap : wqe->atomic.compare_add;
		pkt->compare = info->verb == IBT_CMP_SWAP ?
			       wqe->atomic.compare_add : 0;
		return;
	}
	if (info->verb == IBT_FLUSH) {
		pkt->placement = wqe->flush.placement;
		pkt->selectivity = wqe->flush.selectivity;
		pkt->va = wqe->flush.remote_addr;
		pkt->rkey = wqe->flush.rkey;
		pkt->dma_length = wqe->flush.length;
		return;
	}
	pkt->srqn = wqe->rdma.srqn;
	pkt->va = wqe->rdma.remote_addr;
	pkt->rkey = wqe->rdma.rkey;
	pkt->dma_length = wqe->length;
	if (info->extra == IBT_IMM)
		pkt->imm = wqe->imm;
	else if (info->extra == IBT_IETH)
		pkt->inv_rkey = wqe->inv_rkey;
}

/* The packet with @psn asks for an answer, if it is sent for the first time. */
static void ibt_requester_asked(struct ibt_qp *qp, u32 psn)
{
	struct ibt_sq *sq = &qp->sq;

	if (qp->rtx.rtt.state == IBT_RTT_IDLE &&
	    ibt_psn_ahead(psn, sq->una) >= ibt_psn_ahead(sq->high, sq->una))
		ibt_rtt_sent(&qp->rtx.rtt, psn, ktime_get_mono_fast_ns());
}

/* @packets PSNs are on their way. */
static void ibt_requester_sent(struct ibt_qp *qp, u32 packets)
{
	struct ibt_sq *sq = &qp->sq;
	bool first = !ibt_sq_unanswered(sq);
	u32 end = ibt_psn_add(sq->cur_psn, packets);

	sq->cur_psn = end;
	if (ibt_psn_ahead(end, sq->una) > ibt_psn_ahead(sq->high, sq->una))
		sq->high = end;
	if (ibt_qp_reliable(qp))
		ibt_sq_start_ack_timer(qp, first);
	else
		sq->una = sq->high;
}

/* The last packet of the next request is on its way. */
static void ibt_sent_all(struct ibt_qp *qp, struct ibt_wqe *wqe)
{
	struct ibt_sq *sq = &qp->sq;

	sq->offset = 0;
	sq->next++;
	if (ibt_qp_reliable(qp)) {
		wqe->state = IBT_WQE_SENT;
		return;
	}
	wqe->state = IBT_WQE_DONE;
	ibt_sq_complete_wqes(qp);
}

/* One of max_rd_atomic, until its own answer comes. */
static void ibt_requester_outstanding(struct ibt_sq *sq, struct ibt_wqe *wqe)
{
	if (wqe->counted)
		return;
	wqe->counted = true;
	sq->rd_atomic++;
}

/* READ, or what is missing of it; atomics; FLUSH. One packet. */
static bool ibt_send_read_or_atomic(struct ibt_qp *qp, struct round *round,
				    struct ibt_wqe *wqe, const struct ibt_wr_info *info)
{
	struct ibt_sq *sq = &qp->sq;
	struct ibt_pkt pkt = { };
	struct sk_buff *skb;
	bool busy = false;

	if (round->path) {
		skb = ibt_tx_alloc(round->path, 0, GFP_ATOMIC);
		if (!skb) {
			ibt_sq_delay_send(qp, IBT_PAUSE_MEMORY, 1);
			return false;
		}
		ibt_fill_request(qp, round->path, wqe, info, sq->cur_psn, &pkt);
		pkt.va += sq->offset;
		pkt.dma_length -= min(sq->offset, pkt.dma_length);
		pkt.ack_request = true;
		pkt.opcode = ibt_opcode_of(qp->transport, info->verb,
					   IBT_FIRST | IBT_LAST, 0);
		pkt.op = &ibt_opcodes[pkt.opcode];
		busy = ibt_sq_emit(qp, round->path, skb, &pkt);
	}
	ibt_pace_sent(&qp->congestion, IBT_PACE_HEADERS);
	ibt_requester_outstanding(sq, wqe);
	ibt_requester_asked(qp, sq->cur_psn);
	ibt_requester_sent(qp, ibt_psn_ahead(wqe->last_psn, sq->cur_psn) + 1);
	ibt_sent_all(qp, wqe);
	return !busy;
}

/* The source stands at sq.offset; NULL: the request's memory is not there. */
static struct soft_iter *ibt_source_of(struct ibt_qp *qp, struct round *round,
				       struct ibt_wqe *wqe)
{
	if (round->source_of == wqe)
		return &round->source;
	if (round->source_of)
		soft_iter_end(&round->source);
	round->source_of = wqe;
	ibt_wqe_src_iter(qp, wqe, &round->source);
	if (qp->sq.offset &&
	    soft_iter_skip(&round->source, qp->sq.offset) != SOFT_OK)
		return NULL;
	return &round->source;
}

/* A packet with @length bytes of the request. NULL: see @wqe, or the pause. */
static struct sk_buff *ibt_requester_load(struct ibt_qp *qp, struct round *round,
					  struct ibt_wqe *wqe, u32 length)
{
	struct soft_iter *from;
	struct soft_iter to;
	struct sk_buff *skb;

	skb = ibt_tx_alloc(round->path, length, GFP_ATOMIC);
	if (!skb) {
		ibt_sq_delay_send(qp, IBT_PAUSE_MEMORY, 1);
		return NULL;
	}
	if (!length)
		return skb;
	from = ibt_source_of(qp, round, wqe);
	soft_iter_bytes(&to, skb->data, length);
	if (from && soft_iter_copy(&to, from, length) == SOFT_OK)
		return skb;
	kfree_skb(skb);
	ibt_wqe_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
	return NULL;
}

/* The opcode of the packet that begins at @offset. */
static u8 ibt_opcode_at(const struct ibt_qp *qp, const struct ibt_wr_info *info,
			u32 offset, bool last)
{
	u8 where = (offset ? 0 : IBT_FIRST) | (last ? IBT_LAST : 0);

	return ibt_opcode_of(qp->transport, info->verb, where,
			     last ? info->extra : 0);
}

/* Which packet of a message, and what it says. */
static void ibt_requester_place(struct ibt_qp *qp, const struct ibt_wqe *wqe,
				const struct ibt_wr_info *info, u32 offset, bool last,
				struct ibt_pkt *pkt)
{
	struct ibt_sq *sq = &qp->sq;
	u32 waiting = ibt_psn_ahead(pkt->psn, sq->una) + 1;
	u32 window = ibt_rtx_window(&qp->rtx);
	u32 every = DIV_ROUND_UP(window, ACKS_IN_WINDOW);

	pkt->opcode = ibt_opcode_at(qp, info, offset, last);
	pkt->op = &ibt_opcodes[pkt->opcode];
	pkt->solicited = last && (wqe->flags & IB_SEND_SOLICITED) &&
			 (info->verb == IBT_SEND || info->extra == IBT_IMM);
	pkt->ack_request = ibt_qp_reliable(qp) &&
			   (last || waiting % every == 0 ||
			    waiting >= window);
	if (pkt->ack_request)
		ibt_requester_asked(qp, pkt->psn);
}

/* @packets with @bytes of the next request are on their way. */
static void ibt_sent_data(struct ibt_qp *qp, struct round *round,
			  struct ibt_wqe *wqe, u32 packets, u32 bytes)
{
	struct ibt_sq *sq = &qp->sq;

	ibt_pace_sent(&qp->congestion, bytes + packets * IBT_PACE_HEADERS);
	round->bytes += bytes;
	sq->offset += bytes;
	ibt_requester_sent(qp, packets);
	if (sq->offset == wqe->length)
		ibt_sent_all(qp, wqe);
}

/* How many packets may leave now, if the request has as many. */
static u32 ibt_packets_now(struct ibt_qp *qp, const struct round *round)
{
	const struct ibt_sq *sq = &qp->sq;
	u32 most = DIV_ROUND_UP(ROUND_BYTES - round->bytes, qp->mtu);

	most = min(most, ibt_pace_burst(qp));
	if (!ibt_qp_reliable(qp))
		return most;
	return min(most, ibt_rtx_window(&qp->rtx) - ibt_psn_ahead(sq->cur_psn, sq->una));
}

static bool ibt_requester_begin_run(struct ibt_qp *qp, struct round *round,
				    const struct ibt_wqe *wqe,
				    const struct ibt_wr_info *info, struct ibt_gso *run)
{
	u32 offset = qp->sq.offset;
	const struct ibt_seg_desc rest = {
		.next = &ibt_opcodes[ibt_opcode_at(qp, info, offset, false)],
		.middle = &ibt_opcodes[ibt_opcode_at(qp, info, 1, false)],
		.end = &ibt_opcodes[ibt_opcode_at(qp, info, 1, true)],
		.left = wqe->length - offset,
		.mtu = qp->mtu,
	};

	/* An interface may have segmented a GSO skb wrongly, so recovery goes without. */
	if (qp->rtx.recovery != IBT_STEADY)
		return false;
	return ibt_gso_begin(run, round->path, &rest, ibt_packets_now(qp, round));
}

/* One more packet of a GSO skb, of the bytes at @offset. False: they are not there. */
static bool ibt_add_data(struct ibt_qp *qp, struct round *round,
			 struct ibt_wqe *wqe, const struct ibt_wr_info *info,
			 u32 offset, struct ibt_gso *run)
{
	u32 psn = ibt_psn_add(qp->sq.cur_psn, run->packets);
	u32 length = min(wqe->length - offset, qp->mtu);
	struct soft_iter *from = ibt_source_of(qp, round, wqe);
	struct ibt_pkt pkt = { };
	struct soft_iter to;

	ibt_fill_request(qp, round->path, wqe, info, psn, &pkt);
	ibt_requester_place(qp, wqe, info, offset, offset + length == wqe->length, &pkt);
	soft_iter_bytes(&to, ibt_gso_payload_ptr(run, pkt.op), length);
	if (!from || soft_iter_copy(&to, from, length) != SOFT_OK)
		return false;
	ibt_gso_add_pkt(run, &pkt, length);
	return true;
}

/*
 * As many packets of a SEND or WRITE as can leave together. When the memory of the
 * request ends in the middle, those in front of it leave first.
 */
static bool ibt_requester_send_run(struct ibt_qp *qp, struct round *round,
				   struct ibt_wqe *wqe, const struct ibt_wr_info *info,
				   struct ibt_gso *run)
{
	struct ibt_port *port = run->path->port;
	u32 seq = READ_ONCE(port->tx_wake_seq);
	u32 begin = qp->sq.offset, end = begin;
	bool busy, good = true;

	while (good && run->packets < run->most) {
		good = ibt_add_data(qp, round, wqe, info, end, run);
		if (good)
			end = min(end + qp->mtu, wqe->length);
	}
	qp->sq.way = IBT_WAY_GSO;
	busy = ibt_gso_xmit(run, qp->flow) == -EAGAIN &&
	       ibt_sq_wait_room(qp, port, seq);
	if (run->packets)
		ibt_sent_data(qp, round, wqe, run->packets, end - begin);
	if (!good)
		ibt_wqe_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
	return good && !busy;
}

/* Its packet looks like that of @wqe, but for what it says. */
static bool ibt_wqe_batchable(const struct ibt_wqe *wqe, const struct ibt_wqe *other)
{
	return other->opcode == wqe->opcode && other->length == wqe->length &&
	       other->state == IBT_WQE_POSTED &&
	       other->status == IB_WC_SUCCESS &&
	       !(other->flags & IB_SEND_FENCE);
}

/* How many requests, from the next on and at most @most, can share a GSO skb. */
static u32 ibt_batch_len(struct ibt_qp *qp, const struct ibt_wqe *wqe, u32 most)
{
	struct ibt_sq *sq = &qp->sq;
	u32 num;

	for (num = 1; num < most; num++) {
		u32 at = sq->next + num;

		if (at == ibt_sq_head(sq) &&
		    (!ibt_sq_is_user(sq) || !ibt_sq_fetch_user_wqe(qp)))
			break;
		if (!ibt_wqe_batchable(wqe, ibt_wqe_at(sq, at)))
			break;
	}
	return num;
}

/* Several SENDs or WRITEs of one packet each. False: this one goes alone. */
static bool ibt_batch_begin(struct ibt_qp *qp, struct round *round,
			    const struct ibt_wqe *wqe,
			    const struct ibt_wr_info *info, struct ibt_gso *run)
{
	const struct ibt_sq *sq = &qp->sq;
	u32 most = (ROUND_BYTES - round->bytes) / max(wqe->length, 1U);

	if (info->kind != IBT_WR_DATA || sq->state != IB_QPS_RTS ||
	    qp->rtx.recovery != IBT_STEADY)
		return false;
	most = min3(most, MAX_WQE_BATCH, ibt_credit_left(&qp->credit, info));
	most = min(most, ibt_pace_burst(qp));
	if (ibt_qp_reliable(qp))
		most = min(most, ibt_rtx_window(&qp->rtx) -
				 ibt_psn_ahead(sq->cur_psn, sq->una));
	return ibt_gso_begin_msgs(run, round->path,
				  &ibt_opcodes[ibt_opcode_at(qp, info, 0, true)],
				  wqe->length, ibt_batch_len(qp, wqe, most));
}

/* The next request into a GSO skb. False: its bytes are not there. */
static bool ibt_batch_add_wqe(struct ibt_qp *qp, struct ibt_wqe *wqe,
			      const struct ibt_wr_info *info, struct ibt_gso *run)
{
	enum soft_access_err fault = SOFT_OK;
	struct ibt_pkt pkt = { };
	struct soft_iter from, to;

	ibt_wqe_assign_psn(qp, wqe);
	ibt_fill_request(qp, run->path, wqe, info, qp->sq.cur_psn, &pkt);
	ibt_requester_place(qp, wqe, info, 0, true, &pkt);
	/* The last packet of the GSO skb asks for an ACK of all of them. */
	pkt.ack_request = false;
	if (wqe->length) {
		soft_iter_bytes(&to, ibt_gso_payload_ptr(run, pkt.op), wqe->length);
		ibt_wqe_src_iter(qp, wqe, &from);
		fault = soft_iter_copy(&to, &from, wqe->length);
		soft_iter_end(&from);
	}
	if (fault == SOFT_OK)
		ibt_gso_add_pkt(run, &pkt, wqe->length);
	return fault == SOFT_OK;
}

/* As ibt_requester_send_run(), of whole messages. */
static bool ibt_batch_send(struct ibt_qp *qp, struct round *round,
			   const struct ibt_wr_info *info, struct ibt_gso *run)
{
	struct ibt_port *port = run->path->port;
	u32 seq = READ_ONCE(port->tx_wake_seq);
	struct ibt_sq *sq = &qp->sq;
	struct ibt_wqe *wqe;
	bool busy, good = true;

	/* An unreliable one completes here, and can not always. */
	while (run->packets < run->most && sq->state == IB_QPS_RTS) {
		wqe = ibt_wqe_at(sq, sq->next);
		good = ibt_batch_add_wqe(qp, wqe, info, run);
		if (!good)
			break;
		ibt_sent_data(qp, round, wqe, 1, wqe->length);
	}
	/* Of a softirq that would bring all at its end, the user would see nothing earlier. */
	round->over = true;
	if (run->packets && ibt_qp_reliable(qp))
		ibt_gso_set_ackreq(run);
	qp->sq.way = IBT_WAY_GSO;
	busy = ibt_gso_xmit(run, qp->flow) == -EAGAIN &&
	       ibt_sq_wait_room(qp, port, seq);
	if (!good)
		ibt_wqe_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
	return good && !busy;
}

/* Packets of a SEND or WRITE, one or a GSO skb; the one packet of an ATOMIC WRITE. */
static bool ibt_requester_send_data(struct ibt_qp *qp, struct round *round,
				    struct ibt_wqe *wqe, const struct ibt_wr_info *info)
{
	struct ibt_sq *sq = &qp->sq;
	u32 length = min(wqe->length - sq->offset, qp->mtu);
	bool last = sq->offset + length == wqe->length;
	struct ibt_pkt pkt = { };
	struct ibt_gso run;
	struct sk_buff *skb;
	bool busy = false;

	if (round->path) {
		if (!last && ibt_requester_begin_run(qp, round, wqe, info, &run))
			return ibt_requester_send_run(qp, round, wqe, info, &run);
		if (last && !sq->offset &&
		    ibt_batch_begin(qp, round, wqe, info, &run))
			return ibt_batch_send(qp, round, info, &run);
		skb = ibt_requester_load(qp, round, wqe, length);
		if (!skb)
			return false;
		ibt_fill_request(qp, round->path, wqe, info, sq->cur_psn, &pkt);
		ibt_requester_place(qp, wqe, info, sq->offset, last, &pkt);
		busy = ibt_sq_emit(qp, round->path, skb, &pkt);
	}
	if (info->kind == IBT_WR_ATOMIC_WRITE)
		ibt_requester_outstanding(sq, wqe);
	ibt_sent_data(qp, round, wqe, 1, length);
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
static bool ibt_in_order(struct ibt_qp *qp, struct round *round)
{
	struct ibt_sq *sq = &qp->sq;

	if (!round->path ||
	    ibt_order_ok(round->path->port, &sq->cpu, sq->task.late))
		return true;
	WRITE_ONCE(sq->task.cpu, sq->cpu);
	round->elsewhere = true;
	return false;
}

static bool ibt_send_connected(struct ibt_qp *qp, struct round *round,
			       struct ibt_wqe *wqe,
			       const struct ibt_wr_info *info)
{
	u32 length = min_t(u32, wqe->length, ROUND_BYTES);
	enum ibt_loopback_result way;

	/* Mostly so while a READ is answered: then it was an answer that called. */
	if (!ibt_sq_in_window(qp, wqe))
		return false;
	if (!round->asked) {
		round->path = ibt_qp_path(qp);
		round->asked = true;
		if (!round->path)
			ibt_count(ibt_qp_dev(qp), IBT_STAT_TX_ERROR);
	}
	way = ibt_loopback_send(qp, round->path, wqe, info);
	if (way != IBT_LOOPBACK_NOT_POSSIBLE) {
		round->bytes += length;
		return way == IBT_LOOPBACK_DONE;
	}
	if (!ibt_in_order(qp, round) ||
	    !ibt_pace_ok(qp, &qp->congestion, IBT_PACE_REQUESTS))
		return false;
	ibt_wqe_assign_psn(qp, wqe);
	if (info->kind == IBT_WR_RD_ATOMIC)
		return ibt_send_read_or_atomic(qp, round, wqe, info);
	return ibt_requester_send_data(qp, round, wqe, info);
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

/* One packet, one request that needs none, or a few of those to be flushed.
 * False: nothing more can be done now.
 */
static bool ibt_requester_step(struct ibt_qp *qp, struct round *round)
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
	if (!ibt_may_begin(qp, wqe, info))
		return false;
	status = ibt_check_first(qp, wqe, info);
	if (status != IB_WC_SUCCESS) {
		ibt_wqe_fail(qp, wqe, status);
		return true;
	}
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
static bool ibt_take_steps(struct ibt_qp *qp, struct round *round)
{
	bool more = true;
	int steps;

	lockdep_assert_held(&qp->sq.lock);
	for (steps = 0; more && steps < ROUND_STEPS; steps++) {
		if (round->bytes >= ROUND_BYTES || round->over)
			break;
		more = ibt_requester_step(qp, round);
		/* The iterator stands at sq.offset of this one only. */
		if (round->source_of && !qp->sq.offset) {
			soft_iter_end(&round->source);
			round->source_of = NULL;
		}
	}
	if (round->source_of)
		soft_iter_end(&round->source);
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
	struct round round = { };
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

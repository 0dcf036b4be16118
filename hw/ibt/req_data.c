// SPDX-License-Identifier: GPL-2.0
/*
 * Data of a SEND, WRITE or ATOMIC WRITE: one packet, as many packets of one message as can
 * share a GSO skb, or several messages of one packet each in a GSO skb.
 */
#include "../soft/iter.h"
#include "ask.h"
#include "congestion.h"
#include "credit.h"
#include "gso.h"
#include "limits.h"
#include "opcode.h"
#include "paging.h"
#include "path.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "req_data.h"
#include "req_pkt.h"
#include "rtx.h"
#include "sq.h"
#include "sq_complete.h"
#include "sq_tx.h"
#include "sq_user.h"
#include "tx.h"
#include "wqe.h"

/* Requests that leave together. The answer to the last is that to all of them. */
#define MAX_WQE_BATCH		32U

/* @packets with @bytes of the next request are on their way. */
static void ibt_req_sent_data(struct ibt_qp *qp, struct ibt_round *round,
			      struct ibt_wqe *wqe, u32 packets, u32 bytes)
{
	struct ibt_sq *sq = &qp->sq;

	ibt_pace_sent(&qp->congestion, bytes + packets * IBT_PACE_HEADERS);
	round->bytes += bytes;
	sq->offset += bytes;
	ibt_req_sent(qp, packets);
	if (sq->offset == wqe->length)
		ibt_req_sent_all(qp, wqe);
}

/* How many packets may leave now, if the request has as many. */
static u32 ibt_packets_now(struct ibt_qp *qp, const struct ibt_round *round)
{
	const struct ibt_sq *sq = &qp->sq;
	u32 most = DIV_ROUND_UP(IBT_ROUND_BYTES - round->bytes, qp->mtu);

	most = min(most, ibt_pace_burst(qp));
	if (!ibt_qp_reliable(qp))
		return most;
	return min(most, ibt_rtx_window(&qp->rtx) - ibt_psn_ahead(sq->cur_psn, sq->una));
}

static bool ibt_req_begin_run(struct ibt_qp *qp, struct ibt_round *round,
			      const struct ibt_wqe *wqe,
			      const struct ibt_wr_info *info, struct ibt_gso *run)
{
	u32 offset = qp->sq.offset;
	const struct ibt_seg_desc rest = {
		.next = &ibt_opcodes[ibt_req_opcode(qp, info, offset, false)],
		.middle = &ibt_opcodes[ibt_req_opcode(qp, info, 1, false)],
		.end = &ibt_opcodes[ibt_req_opcode(qp, info, 1, true)],
		.left = wqe->length - offset,
		.mtu = qp->mtu,
	};

	return ibt_gso_begin(run, round->path, &rest, ibt_packets_now(qp, round));
}

/* One more packet of a GSO skb, of the bytes at @offset. */
static enum soft_access_err ibt_add_data(struct ibt_qp *qp, struct ibt_round *round,
					 struct ibt_wqe *wqe, const struct ibt_wr_info *info,
					 u32 offset, struct ibt_gso *run)
{
	enum soft_access_err fault = SOFT_ERR_BOUNDS;
	u32 psn = ibt_psn_add(qp->sq.cur_psn, run->packets);
	u32 length = min(wqe->length - offset, qp->mtu);
	bool last = offset + length == wqe->length;
	const struct ibt_opcode *op = &ibt_opcodes[ibt_req_opcode(qp, info, offset, last)];
	struct soft_iter *from = ibt_req_source(qp, round, wqe);
	struct ibt_pkt pkt = { };
	struct soft_iter to;

	soft_iter_bytes(&to, ibt_gso_payload_ptr(run, op), length);
	if (from)
		fault = soft_iter_copy(&to, from, length);
	if (fault != SOFT_OK)
		return fault;
	/* From here on it counts as sent: one without its bytes asks nothing. */
	ibt_req_fill(qp, round->path, wqe, info, psn, &pkt);
	ibt_req_place(qp, wqe, info, offset, last, &pkt);
	ibt_gso_add_pkt(run, &pkt, length);
	return SOFT_OK;
}

/*
 * As many packets of a SEND or WRITE as can leave together. When the memory of the
 * request ends in the middle, those in front of it leave first. False: the next one is to be sent
 * alone. @more: else, as ibt_req_send_data() returns it.
 *
 * Not inline, as ibt_batch_send(): a packet that is sent alone needs no struct ibt_gso on its
 * stack.
 */
static noinline bool ibt_req_send_run(struct ibt_qp *qp, struct ibt_round *round,
				      struct ibt_wqe *wqe, const struct ibt_wr_info *info,
				      bool *more)
{
	struct ibt_port *port = round->path->port;
	u32 seq = READ_ONCE(port->tx_wake_seq);
	u32 begin = qp->sq.offset, end = begin;
	enum soft_access_err fault = SOFT_OK;
	struct ibt_gso run;
	bool busy;

	if (!ibt_req_begin_run(qp, round, wqe, info, &run))
		return false;
	while (fault == SOFT_OK && run.packets < run.most) {
		fault = ibt_add_data(qp, round, wqe, info, end, &run);
		if (fault == SOFT_OK)
			end = min(end + qp->mtu, wqe->length);
	}
	qp->sq.way = IBT_WAY_GSO;
	busy = ibt_gso_xmit(&run, qp->flow) == -EAGAIN &&
	       ibt_sq_wait_room(qp, port, seq);
	ibt_qp_count_tx(qp, run.packets, ibt_gso_bytes(&run));
	if (run.packets)
		ibt_req_sent_data(qp, round, wqe, run.packets, end - begin);
	if (fault != SOFT_OK)
		ibt_wqe_no_data(qp, wqe, fault, end, qp->mtu);
	*more = fault == SOFT_OK && !busy;
	return true;
}

/* Its packet looks like that of @wqe, but for what it says. */
static bool ibt_wqe_batchable(const struct ibt_wqe *wqe, const struct ibt_wqe *other)
{
	return other->opcode == wqe->opcode && other->length == wqe->length &&
	       other->state == IBT_WQE_POSTED &&
	       other->status == IB_WC_SUCCESS &&
	       !(other->flags & IB_SEND_FENCE);
}

/* Is there a request @num behind the next one? That of a user is taken over. */
static bool ibt_req_behind(struct ibt_qp *qp, u32 num)
{
	struct ibt_sq *sq = &qp->sq;

	return sq->next + num != ibt_sq_head(sq) ||
	       (ibt_sq_is_user(sq) && ibt_sq_fetch_user_wqe(qp));
}

/* How many requests, from the next on and at most @most, can share a GSO skb. */
static u32 ibt_batch_len(struct ibt_qp *qp, const struct ibt_wqe *wqe, u32 most)
{
	struct ibt_sq *sq = &qp->sq;
	u32 num;

	for (num = 1; num < most; num++)
		if (!ibt_req_behind(qp, num) ||
		    !ibt_wqe_batchable(wqe, ibt_wqe_at(sq, sq->next + num)))
			break;
	return num;
}

/* Several SENDs or WRITEs of one packet each. False: this one goes alone. */
static bool ibt_batch_begin(struct ibt_qp *qp, struct ibt_round *round,
			    const struct ibt_wqe *wqe,
			    const struct ibt_wr_info *info, struct ibt_gso *run)
{
	const struct ibt_sq *sq = &qp->sq;
	u32 most = (IBT_ROUND_BYTES - round->bytes) / max(wqe->length, 1U);

	most = min3(most, MAX_WQE_BATCH, ibt_credit_left(&qp->credit, info));
	most = min(most, ibt_pace_burst(qp));
	if (ibt_qp_reliable(qp))
		most = min(most, ibt_rtx_window(&qp->rtx) -
			   ibt_psn_ahead(sq->cur_psn, sq->una));
	return ibt_gso_begin_msgs(run, round->path,
				  &ibt_opcodes[ibt_req_opcode(qp, info, 0, true)],
				  wqe->length, ibt_batch_len(qp, wqe, most));
}

/* The next request into a GSO skb. */
static enum soft_access_err ibt_batch_add_wqe(struct ibt_qp *qp, struct ibt_wqe *wqe,
					      const struct ibt_wr_info *info,
					      struct ibt_gso *run)
{
	const struct ibt_opcode *op = &ibt_opcodes[ibt_req_opcode(qp, info, 0, true)];
	enum soft_access_err fault = SOFT_OK;
	struct ibt_pkt pkt = { };
	struct soft_iter from, to;

	ibt_wqe_assign_psn(qp, wqe);
	if (wqe->length) {
		soft_iter_bytes(&to, ibt_gso_payload_ptr(run, op), wqe->length);
		ibt_wqe_src_iter(qp, wqe, &from);
		fault = soft_iter_copy(&to, &from, wqe->length);
		soft_iter_end(&from);
	}
	if (fault != SOFT_OK)
		return fault;
	/* As of ibt_add_data(). */
	ibt_req_fill(qp, run->path, wqe, info, qp->sq.cur_psn, &pkt);
	ibt_req_place(qp, wqe, info, 0, true, &pkt);
	/* The last packet of the GSO skb asks for an ACK of all of them. */
	pkt.ack_request = false;
	ibt_gso_add_pkt(run, &pkt, wqe->length);
	return SOFT_OK;
}

/* As ibt_req_send_run(), of whole messages; there is a request behind @wqe. */
static noinline bool ibt_batch_send(struct ibt_qp *qp, struct ibt_round *round,
				    struct ibt_wqe *wqe, const struct ibt_wr_info *info,
				    bool *more)
{
	struct ibt_port *port = round->path->port;
	u32 seq = READ_ONCE(port->tx_wake_seq);
	enum soft_access_err fault = SOFT_OK;
	struct ibt_sq *sq = &qp->sq;
	struct ibt_gso run;
	bool busy;

	if (!ibt_batch_begin(qp, round, wqe, info, &run))
		return false;
	/* An unreliable one completes here, and can not always. */
	while (run.packets < run.most && sq->state == IB_QPS_RTS) {
		wqe = ibt_wqe_at(sq, sq->next);
		fault = ibt_batch_add_wqe(qp, wqe, info, &run);
		if (fault != SOFT_OK)
			break;
		ibt_req_sent_data(qp, round, wqe, 1, wqe->length);
	}
	/* Of a softirq that would bring all at its end, the user would see nothing earlier. */
	round->over = true;
	if (run.packets && ibt_qp_reliable(qp)) {
		ibt_gso_set_ackreq(&run);
		ibt_ask_sent(qp, ibt_psn_add(sq->cur_psn, IBT_PSN_MASK));
	}
	qp->sq.way = IBT_WAY_GSO;
	busy = ibt_gso_xmit(&run, qp->flow) == -EAGAIN &&
	       ibt_sq_wait_room(qp, port, seq);
	ibt_qp_count_tx(qp, run.packets, ibt_gso_bytes(&run));
	if (fault != SOFT_OK)
		ibt_wqe_no_data(qp, wqe, fault, 0, wqe->length);
	*more = fault == SOFT_OK && !busy;
	return true;
}

/*
 * Packets that leave together, of one request or of several. False: the next packet is to be sent
 * alone. @more: else, as ibt_req_send_data() returns it. @end: (alone) it is the last of all, as
 * far as the user has told: the doorbell of a later request makes another round.
 */
static bool ibt_req_send_together(struct ibt_qp *qp, struct ibt_round *round,
				  struct ibt_wqe *wqe, const struct ibt_wr_info *info,
				  bool last, bool *more, bool *end)
{
	if (round->again)
		return false;
	if (!last)
		return !ibt_rtx_single(&qp->rtx) &&
		       ibt_req_send_run(qp, round, wqe, info, more);
	if (qp->sq.state != IB_QPS_RTS)
		return false;
	*end = !ibt_req_behind(qp, 1);
	return !*end && !qp->sq.offset && info->kind == IBT_WR_DATA &&
	       !ibt_rtx_single(&qp->rtx) && ibt_batch_send(qp, round, wqe, info, more);
}

/* The next packet of a request. NULL: it has failed, or waits for memory. */
static struct sk_buff *ibt_req_build(struct ibt_qp *qp, struct ibt_round *round,
				     struct ibt_wqe *wqe, const struct ibt_wr_info *info,
				     u32 length, struct ibt_pkt *pkt)
{
	struct ibt_sq *sq = &qp->sq;
	struct sk_buff *skb = ibt_req_load(qp, round, wqe, length);

	if (!skb)
		return NULL;
	ibt_req_fill(qp, round->path, wqe, info, sq->cur_psn, pkt);
	ibt_req_place(qp, wqe, info, sq->offset, sq->offset + length == wqe->length, pkt);
	pkt->ack_request |= round->again;
	return skb;
}

/**
 * ibt_req_send_data - send packets of a SEND or WRITE, or the one of an ATOMIC WRITE
 * @qp: connected queue pair
 * @round: of the requester
 * @wqe: the next request
 * @info: of its opcode
 *
 * Context: sq.lock held.
 *
 * Return: more can be sent. False: there is nothing more, or it has to wait.
 */
bool ibt_req_send_data(struct ibt_qp *qp, struct ibt_round *round,
		       struct ibt_wqe *wqe, const struct ibt_wr_info *info)
{
	struct ibt_sq *sq = &qp->sq;
	u32 length = min(wqe->length - sq->offset, qp->mtu);
	bool last = sq->offset + length == wqe->length;
	bool more = true, end = false;
	struct ibt_pkt pkt = { };
	struct sk_buff *skb;

	if (round->path) {
		if (ibt_req_send_together(qp, round, wqe, info, last, &more, &end))
			return more;
		skb = ibt_req_build(qp, round, wqe, info, length, &pkt);
		if (!skb)
			return false;
		more = !ibt_sq_emit(qp, round->path, skb, &pkt) && !end;
	}
	if (info->kind == IBT_WR_ATOMIC_WRITE)
		ibt_req_outstanding(sq, wqe);
	ibt_req_sent_data(qp, round, wqe, 1, length);
	return more;
}

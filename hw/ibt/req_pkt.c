// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of a request: which packet of a message leaves next, what its headers say, where
 * its payload comes from, and what the send queue records of it.
 */
#include "../soft/iter.h"
#include "../soft/piece.h"
#include "ask.h"
#include "limits.h"
#include "opcode.h"
#include "paging.h"
#include "path.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "req_pkt.h"
#include "rtt.h"
#include "rtx.h"
#include "sq.h"
#include "sq_complete.h"
#include "sq_tx.h"
#include "timers.h"
#include "tx.h"
#include "wqe.h"

void ibt_req_fill(const struct ibt_qp *qp, const struct ibt_path *path,
		  const struct ibt_wqe *wqe,
		  const struct ibt_wr_info *info, u32 psn,
		  struct ibt_pkt *pkt)
{
	u16 index = READ_ONCE(qp->attr.pkey_index);

	pkt->qpn = qp->sq.dest_qpn;
	pkt->psn = psn;
	pkt->marks = qp->rtx.resend.marks;
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

/* The opcode of the packet that begins at @offset. */
u8 ibt_req_opcode(const struct ibt_qp *qp, const struct ibt_wr_info *info,
		  u32 offset, bool last)
{
	u8 where = (offset ? 0 : IBT_FIRST) | (last ? IBT_LAST : 0);

	return ibt_opcode_of(qp->transport, info->verb, where,
			     last ? info->extra : 0);
}

/* Which packet of a message, and what it says. */
void ibt_req_place(struct ibt_qp *qp, const struct ibt_wqe *wqe,
		   const struct ibt_wr_info *info, u32 offset, bool last,
		   struct ibt_pkt *pkt)
{
	pkt->opcode = ibt_req_opcode(qp, info, offset, last);
	pkt->op = &ibt_opcodes[pkt->opcode];
	pkt->solicited = last && (wqe->flags & IB_SEND_SOLICITED) &&
			 (info->verb == IBT_SEND || info->extra == IBT_IMM);
	pkt->ack_request = ibt_qp_reliable(qp) && ibt_ask_due(qp, wqe, pkt->psn, last);
	if (pkt->ack_request)
		ibt_ask_sent(qp, pkt->psn);
}

/* The source stands at sq.offset; NULL: the request's memory is not there. */
struct soft_iter *ibt_req_source(struct ibt_qp *qp, struct ibt_round *round,
				 struct ibt_wqe *wqe)
{
	struct soft_iter *source = &qp->sq.source;

	if (round->source_of == wqe)
		return source;
	if (round->source_of)
		soft_iter_end(source);
	round->source_of = wqe;
	ibt_wqe_src_iter(qp, wqe, source);
	if (qp->sq.offset && soft_iter_skip(source, qp->sq.offset) != SOFT_OK)
		return NULL;
	return source;
}

/* The bytes of a whole message, in one piece. False: nothing was copied. */
static bool ibt_req_load_piece(struct ibt_qp *qp, const struct ibt_wqe *wqe, void *to,
			       u32 length)
{
	struct soft_piece from;

	if (length != wqe->length || !ibt_wqe_piece(qp, wqe, &from))
		return false;
	if (!wqe->is_inline)
		return soft_piece_read(&from, to, length);
	memcpy(to, wqe->data, length);
	return true;
}

/* A packet with @length bytes of the request. NULL: see @wqe, or the pause. */
struct sk_buff *ibt_req_load(struct ibt_qp *qp, struct ibt_round *round,
			     struct ibt_wqe *wqe, u32 length)
{
	enum soft_access_err fault = SOFT_ERR_BOUNDS;
	struct soft_iter *from;
	struct soft_iter to;
	struct sk_buff *skb;

	skb = ibt_tx_alloc(round->path, length, GFP_ATOMIC);
	if (!skb) {
		ibt_sq_delay_send(qp, IBT_PAUSE_MEMORY, 1);
		return NULL;
	}
	if (!length || ibt_req_load_piece(qp, wqe, skb->data, length))
		return skb;
	from = ibt_req_source(qp, round, wqe);
	soft_iter_bytes(&to, skb->data, length);
	if (from)
		fault = soft_iter_copy(&to, from, length);
	if (fault == SOFT_OK)
		return skb;
	kfree_skb(skb);
	ibt_wqe_no_data(qp, wqe, fault, qp->sq.offset, length);
	return NULL;
}

/* @packets PSNs are on their way. */
void ibt_req_sent(struct ibt_qp *qp, u32 packets)
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
void ibt_req_sent_all(struct ibt_qp *qp, struct ibt_wqe *wqe)
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
void ibt_req_outstanding(struct ibt_sq *sq, struct ibt_wqe *wqe)
{
	if (wqe->counted)
		return;
	wqe->counted = true;
	sq->rd_atomic++;
}

// SPDX-License-Identifier: GPL-2.0
/* Sending datagrams: each WQE has its own path, and is complete when it is sent. */
#include <rdma/ib_mad.h>

#include "../soft/iter.h"
#include "../soft/mr_table.h"
#include "ah.h"
#include "ud_send.h"
#include "dev.h"
#include "limits.h"
#include "link.h"
#include "loopback.h"
#include "opcode.h"
#include "paging.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "rtx.h"
#include "sq.h"
#include "sq_complete.h"
#include "sq_tx.h"
#include "stats.h"
#include "timers.h"
#include "tx.h"
#include "wqe.h"

static void ibt_datagram_fill_datagram(const struct ibt_qp *qp, const struct ibt_port *port,
				       const struct ibt_wqe *wqe,
				       const struct ibt_wr_info *info, struct ibt_pkt *pkt)
{
	u16 index = READ_ONCE(qp->attr.pkey_index);

	/* Only QP1 chooses a P_Key for each WQE. */
	if (qp->ib.qp_type == IB_QPT_GSI)
		index = wqe->ud.pkey_index;
	pkt->opcode = ibt_opcode_of(IBT_UD, IBT_SEND, IBT_FIRST | IBT_LAST,
				    info->extra);
	pkt->op = &ibt_opcodes[pkt->opcode];
	pkt->solicited = wqe->flags & IB_SEND_SOLICITED;
	pkt->migrated = true;
	pkt->pkey = index < IBT_MAX_PKEYS ? READ_ONCE(port->pkeys[index]) : 0;
	if (qp->ib.qp_type == IB_QPT_SMI)
		pkt->pkey = IB_DEFAULT_PKEY_FULL;
	pkt->qpn = wqe->ud.qpn;
	pkt->psn = qp->sq.psn;
	/* IBA 10.2.5: the high bit selects the queue pair's own Q_Key. */
	pkt->qkey = wqe->ud.qkey & BIT(31) ? qp->sq.qkey : wqe->ud.qkey;
	pkt->src_qpn = qp->ib.qp_num;
	if (info->extra == IBT_IMM)
		pkt->imm = wqe->imm;
}

/*
 * Builds a packet: room for @header bytes, then @length bytes from @from. NULL: the WQE
 * has failed, or the queue pair pauses for lack of memory or of pages.
 */
static struct sk_buff *ibt_datagram_load(struct ibt_qp *qp, const struct ibt_path *path,
					 struct ibt_wqe *wqe, u32 header,
					 struct soft_iter *from, u32 length)
{
	enum soft_access_err fault = SOFT_OK;
	struct sk_buff *skb;
	struct soft_iter to;

	skb = ibt_tx_alloc(path, header + length, GFP_ATOMIC);
	if (!skb) {
		ibt_sq_delay_send(qp, IBT_PAUSE_MEMORY, 1);
		return NULL;
	}
	soft_iter_bytes(&to, skb->data + header, length);
	if (length)
		fault = soft_iter_copy(&to, from, length);
	if (fault == SOFT_OK)
		return skb;
	kfree_skb(skb);
	ibt_wqe_no_data(qp, wqe, fault, qp->sq.offset, length);
	return NULL;
}

/* Sends the packet of a datagram. True: nothing more can be sent now. */
static bool ibt_datagram_emit(struct ibt_qp *qp, struct ibt_path *path, struct sk_buff *skb,
			      struct ibt_pkt *pkt)
{
	if (pkt->qpn == IBT_MCAST_QPN)
		ibt_qp_count(qp, IBT_STAT_TX_MCAST);
	return ibt_sq_emit(qp, path, skb, pkt);
}

/* False: nothing more can be sent now. */
static bool ibt_send_one(struct ibt_qp *qp, struct ibt_path *path,
			 struct ibt_wqe *wqe, const struct ibt_wr_info *info)
{
	struct ibt_pkt pkt = { };
	struct soft_iter from;
	struct sk_buff *skb;
	bool busy;

	ibt_datagram_fill_datagram(qp, path->port, wqe, info, &pkt);
	if (ibt_loopback_ud(qp, path, wqe, &pkt))
		return true;
	ibt_wqe_src_iter(qp, wqe, &from);
	skb = ibt_datagram_load(qp, path, wqe, 0, &from, wqe->length);
	soft_iter_end(&from);
	if (!skb)
		return qp->sq.state != IB_QPS_RTS;
	if (ibt_wqe_needs_offload(qp, wqe))
		ibt_qp_dev(qp)->link->offload->sum(skb->data, wqe->length);
	busy = ibt_datagram_emit(qp, path, skb, &pkt);
	ibt_ud_send_complete(qp, wqe);
	return !busy;
}

/* Builds the next packet of an IB_WR_LSO. NULL as for ibt_datagram_load(). */
static struct sk_buff *ibt_load_segment(struct ibt_qp *qp,
					const struct ibt_path *path,
					struct ibt_wqe *wqe,
					struct soft_iter *from)
{
	const struct ibt_offload *offload = ibt_qp_dev(qp)->link->offload;
	u32 header = wqe->ud.header_bytes, mss = wqe->ud.mss;
	u32 offset = qp->sq.offset;
	u32 length = min(wqe->length - offset, mss);
	struct sk_buff *skb;

	skb = ibt_datagram_load(qp, path, wqe, header, from, length);
	if (!skb)
		return NULL;
	memcpy(skb->data, wqe->ud.header, header);
	offload->segment(skb->data, header + length, header, offset,
			 offset / mss, offset + length == wqe->length);
	offload->sum(skb->data, header + length);
	return skb;
}

/*
 * Sends packets of an IB_WR_LSO from sq.offset on, until it is complete or the link is
 * full. False: nothing more can be sent now.
 */
static bool ibt_send_large(struct ibt_qp *qp, struct ibt_path *path,
			   struct ibt_wqe *wqe, const struct ibt_wr_info *info)
{
	struct ibt_sq *sq = &qp->sq;
	struct soft_iter from;
	struct sk_buff *skb;
	bool busy = false;

	/* A WQE that has begun is finished even in SQD. */
	wqe->numbered = true;
	ibt_wqe_src_iter(qp, wqe, &from);
	soft_iter_skip(&from, sq->offset);
	while (!busy) {
		struct ibt_pkt pkt = { };

		skb = ibt_load_segment(qp, path, wqe, &from);
		if (!skb)
			break;
		ibt_datagram_fill_datagram(qp, path->port, wqe, info, &pkt);
		busy = ibt_datagram_emit(qp, path, skb, &pkt);
		sq->offset += wqe->ud.mss;
		if (sq->offset >= wqe->length)
			break;
		sq->psn = ibt_psn_add(sq->psn, 1);
	}
	soft_iter_end(&from);
	if (!skb)
		return sq->state != IB_QPS_RTS;
	if (sq->offset >= wqe->length)
		ibt_ud_send_complete(qp, wqe);
	return !busy;
}

/* False: nothing more can be sent now. */
static bool ibt_send_by(struct ibt_qp *qp, struct ibt_path *path,
			struct ibt_wqe *wqe, const struct ibt_wr_info *info)
{
	bool large = wqe->opcode == IB_WR_LSO;
	u32 most = large ? wqe->ud.header_bytes + wqe->ud.mss : wqe->length;

	if (most > path->mtu) {
		ibt_wqe_fail(qp, wqe, IB_WC_LOC_LEN_ERR);
		return true;
	}
	return large ? ibt_send_large(qp, path, wqe, info) :
		       ibt_send_one(qp, path, wqe, info);
}

/**
 * ibt_ud_send - send the next WQE of a datagram queue pair
 * @qp: UD or GSI
 * @wqe: the WQE
 * @info: of its opcode
 *
 * A datagram to an address without a path is lost, and its WQE completes.
 *
 * Context: sq.lock held.
 *
 * Return: false: nothing more can be sent now.
 */
bool ibt_ud_send(struct ibt_qp *qp, struct ibt_wqe *wqe,
		 const struct ibt_wr_info *info)
{
	struct ibt_path *path;
	bool more;

	lockdep_assert_held(&qp->sq.lock);
	path = ibt_av_path(wqe->ud.route);
	if (!path) {
		ibt_qp_count(qp, IBT_STAT_TX_ERROR);
		ibt_ud_send_complete(qp, wqe);
		return true;
	}
	more = ibt_send_by(qp, path, wqe, info);
	ibt_path_put(path);
	return more;
}

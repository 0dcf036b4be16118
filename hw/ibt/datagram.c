// SPDX-License-Identifier: GPL-2.0
/* Datagrams: each request has its own way, and is done when it is sent. */
#include <rdma/ib_mad.h>

#include "send.h"

static void fill_datagram(const struct ibt_qp *qp, const struct ibt_port *port,
			  const struct ibt_slot *slot,
			  const struct ibt_wr_info *info, struct ibt_pkt *pkt)
{
	u16 index = READ_ONCE(qp->attr.pkey_index);

	/* Only QP1 may choose another one for each request. */
	if (qp->ib.qp_type == IB_QPT_GSI)
		index = slot->ud.pkey_index;
	pkt->opcode = ibt_opcode_of(IBT_UD, IBT_SEND, IBT_FIRST | IBT_LAST,
				    info->extra);
	pkt->op = &ibt_opcodes[pkt->opcode];
	pkt->solicited = slot->flags & IB_SEND_SOLICITED;
	pkt->migrated = true;
	pkt->pkey = index < IBT_MAX_PKEYS ? READ_ONCE(port->pkeys[index]) : 0;
	if (qp->ib.qp_type == IB_QPT_SMI)
		pkt->pkey = IB_DEFAULT_PKEY_FULL;
	pkt->qpn = slot->ud.qpn;
	pkt->psn = qp->sq.psn;
	/* IBA 10.2.5: the high bit asks for the queue pair's own Q_Key. */
	pkt->qkey = slot->ud.qkey & BIT(31) ? qp->sq.qkey : slot->ud.qkey;
	pkt->src_qpn = qp->ib.qp_num;
	if (info->extra == IBT_IMM)
		pkt->imm = slot->imm;
}

/* A packet with the bytes of the request. NULL: see @slot, or the pause. */
static struct sk_buff *load(struct ibt_qp *qp, const struct ibt_path *path,
			    struct ibt_slot *slot)
{
	struct soft_iter from, to;
	enum soft_fault fault;
	struct sk_buff *skb;

	skb = ibt_tx_alloc(path, slot->length, GFP_ATOMIC);
	if (!skb) {
		ibt_sq_pause(qp, 1);
		return NULL;
	}
	if (!slot->length)
		return skb;
	ibt_slot_source(qp, slot, &from);
	soft_iter_bytes(&to, skb->data, slot->length);
	fault = soft_iter_copy(&to, &from, slot->length);
	soft_iter_end(&from);
	if (fault == SOFT_OK)
		return skb;
	kfree_skb(skb);
	ibt_slot_fail(qp, slot, IB_WC_LOC_PROT_ERR);
	return NULL;
}

void ibt_datagram_done(struct ibt_qp *qp, struct ibt_slot *slot)
{
	struct ibt_sq *sq = &qp->sq;

	sq->psn = ibt_psn_add(sq->psn, 1);
	sq->cur_psn = sq->psn;
	sq->una = sq->psn;
	sq->high = sq->psn;
	sq->next++;
	slot->state = IBT_SLOT_DONE;
	ibt_sq_reap(qp);
}

/* False: nothing more can be sent now. */
static bool send_by(struct ibt_qp *qp, struct ibt_path *path,
		    struct ibt_slot *slot, const struct ibt_wr_info *info)
{
	struct ibt_pkt pkt = { };
	struct sk_buff *skb;
	bool busy;
	u32 seq;

	if (slot->length > path->mtu) {
		ibt_slot_fail(qp, slot, IB_WC_LOC_LEN_ERR);
		return true;
	}
	fill_datagram(qp, path->port, slot, info, &pkt);
	if (ibt_local_datagram(qp, path, slot, &pkt))
		return true;
	skb = load(qp, path, slot);
	if (!skb)
		return qp->sq.state != IB_QPS_RTS;
	seq = READ_ONCE(path->port->room_seq);
	busy = ibt_tx(path, skb, &pkt, qp->flow) == -EAGAIN &&
	       ibt_sq_wait_room(qp, path->port, seq);
	ibt_datagram_done(qp, slot);
	return !busy;
}

/**
 * ibt_send_datagram - send the next request
 * @qp: UD or GSI
 * @slot: the request
 * @info: of its opcode
 *
 * Without a way there, it is lost, as datagrams are.
 *
 * Context: sq.lock held.
 *
 * Return: false: nothing more can be sent now.
 */
bool ibt_send_datagram(struct ibt_qp *qp, struct ibt_slot *slot,
		       const struct ibt_wr_info *info)
{
	struct ibt_path *path;
	bool more;

	lockdep_assert_held(&qp->sq.lock);
	path = ibt_route_path(slot->ud.route);
	if (!path) {
		ibt_count(ibt_qp_dev(qp), IBT_STAT_TX_ERROR);
		ibt_datagram_done(qp, slot);
		return true;
	}
	more = send_by(qp, path, slot, info);
	ibt_path_put(path);
	return more;
}

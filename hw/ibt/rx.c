// SPDX-License-Identifier: GPL-2.0
/*
 * Packets from the link: what is wrong with them is found here, as far as it does
 * not take a queue pair's lock, and who gets them.
 */
#include <linux/export.h>

#include "ibt.h"
#include "trace.h"

static void drop(struct ibt_port *port, enum ibt_stat why)
{
	ibt_count(port->dev, why);
}

/* Is @meta what packets from the other end of @attr look like? */
static bool from_address(const struct rdma_ah_attr *attr,
			 const struct ibt_rx_meta *meta)
{
	if (attr->ah_flags & IB_AH_GRH)
		return meta->has_grh && !memcmp(&attr->grh.dgid, &meta->sgid,
						sizeof(meta->sgid));
	return !meta->has_grh && rdma_ah_get_dlid(attr) == meta->slid;
}

static int pkey_index(struct ibt_qp *qp, const struct ibt_port *port,
		      const struct ibt_rx_meta *meta)
{
	const struct ib_qp_attr *attr = &qp->attr;

	if (attr->port_num == port->num && from_address(&attr->ah_attr, meta))
		return attr->pkey_index;
	if (READ_ONCE(qp->mig_state) != IB_MIG_MIGRATED &&
	    attr->alt_port_num == port->num &&
	    from_address(&attr->alt_ah_attr, meta))
		return attr->alt_pkey_index;
	return -1;
}

/*
 * IBA 9.6.1.5: a connected queue pair takes packets from its peer only, by the
 * path in use or the alternate one. Which entry of the P_Key table belongs to
 * it, or -1. Migration may exchange the paths while we look, and only then a
 * second look with the lock finds something else.
 */
static int path_pkey_index(struct ibt_qp *qp, const struct ibt_port *port,
			   const struct ibt_rx_meta *meta)
{
	int index = pkey_index(qp, port, meta);
	unsigned long flags;

	if (likely(index >= 0))
		return index;
	spin_lock_irqsave(&qp->path_lock, flags);
	index = pkey_index(qp, port, meta);
	spin_unlock_irqrestore(&qp->path_lock, flags);
	return index;
}

/*
 * IBA 17.2.8: the peer has migrated to a path that is not the one armed here. Its
 * address is the only thing wrong, as far as one can tell; so that strangers can
 * not flood the consumer, he hears of it once until he modifies the queue pair.
 */
static void refuse_migration(struct ibt_qp *qp, const struct ibt_pkt *pkt)
{
	if (pkt->migrated && READ_ONCE(qp->mig_state) == IB_MIG_ARMED &&
	    !xchg(&qp->resp.mig_refused, true))
		ibt_qp_event(qp, IB_EVENT_PATH_MIG_ERR);
}

static void rx_connected(struct ibt_port *port, struct ibt_qp *qp,
			 const struct ibt_pkt *pkt, struct sk_buff *skb,
			 const struct ibt_rx_meta *meta)
{
	bool response = pkt->op->flags & IBT_RESPONSE;
	int index;

	/* Of the two ends of XRC, one only asks and one only answers. */
	if (qp->ib.qp_type == (response ? IB_QPT_XRC_TGT : IB_QPT_XRC_INI)) {
		drop(port, IBT_STAT_RX_MALFORMED);
		return;
	}
	if (!ibt_resp_receives(READ_ONCE(qp->state))) {
		ibt_resp_poke(qp);
		drop(port, IBT_STAT_RX_NO_QP);
		return;
	}
	index = path_pkey_index(qp, port, meta);
	if (index < 0) {
		refuse_migration(qp, pkt);
		drop(port, IBT_STAT_RX_NO_QP);
		return;
	}
	if (!ibt_pkey_ok(port, index, pkt->pkey)) {
		atomic_inc(&port->bad_pkeys);
		drop(port, IBT_STAT_RX_PKEY);
		return;
	}
	ibt_qp_mig_seen(qp, pkt->migrated);
	if (response)
		ibt_completer(qp, pkt, skb);
	else
		ibt_responder(qp, pkt, skb, meta);
}

static void rx_datagram(struct ibt_port *port, struct ibt_qp *qp,
			const struct ibt_pkt *pkt, struct sk_buff *skb,
			const struct ibt_rx_meta *meta)
{
	struct soft_iter from;

	/* Of another port's: a queue pair is bound to one. */
	if (READ_ONCE(qp->attr.port_num) != port->num) {
		drop(port, IBT_STAT_RX_NO_QP);
		return;
	}
	soft_iter_skb(&from, skb, pkt->payload, pkt->length);
	ibt_ud_receive(qp, pkt, &from, meta);
	soft_iter_end(&from);
}

static void rx_unicast(struct ibt_port *port, const struct ibt_pkt *pkt,
		       struct sk_buff *skb, const struct ibt_rx_meta *meta)
{
	struct ibt_qp *qp;

	qp = pkt->qpn == 1 ? ibt_gsi_find(port) :
			     ibt_qp_find(port->dev, pkt->qpn);
	if (!qp) {
		drop(port, IBT_STAT_RX_NO_QP);
		return;
	}
	if (pkt->op->transport != qp->transport)
		drop(port, IBT_STAT_RX_MALFORMED);
	else if (qp->transport == IBT_UD)
		rx_datagram(port, qp, pkt, skb, meta);
	else
		rx_connected(port, qp, pkt, skb, meta);
	ibt_qp_put(qp);
}

static void rx_multicast(struct ibt_port *port, const struct ibt_pkt *pkt,
			 struct sk_buff *skb, const struct ibt_rx_meta *meta)
{
	if (pkt->op->transport != IBT_UD || !meta->has_grh) {
		drop(port, IBT_STAT_RX_MALFORMED);
		return;
	}
	ibt_count(port->dev, IBT_STAT_MCAST_PKTS);
	ibt_mcast_receive(port, pkt, skb, meta);
}

/**
 * ibt_rx - a packet came
 * @port: where
 * @skb: data at the BTH, network header set, ICRC at the tail, not shared. Any
 *	 bytes; consumed
 * @meta: what the link knows about it
 *
 * Context: softirq, or softirqs disabled; interrupts enabled. No lock is held.
 */
void ibt_rx(struct ibt_port *port, struct sk_buff *skb,
	    const struct ibt_rx_meta *meta)
{
	struct ibt_dev *dev = port->dev;
	struct ibt_pkt pkt = {};

	if (ibt_hdr_parse(&pkt, skb)) {
		drop(port, IBT_STAT_RX_MALFORMED);
		goto out;
	}
	if (!ibt_icrc_ok(skb, dev->link->icrc_seed(skb))) {
		drop(port, IBT_STAT_RX_ICRC);
		goto out;
	}
	trace_ibt_rx(dev, &pkt);
	ibt_count(dev, IBT_STAT_RX_PKTS);
	if (meta->congested)
		ibt_count(dev, IBT_STAT_RX_ECN);
	if (pkt.qpn == IBT_MCAST_QPN)
		rx_multicast(port, &pkt, skb, meta);
	else
		rx_unicast(port, &pkt, skb, meta);
out:
	consume_skb(skb);
}
EXPORT_SYMBOL_GPL(ibt_rx);

// SPDX-License-Identifier: GPL-2.0
/*
 * Packets from the link: the checks that need no lock of a queue pair, and the
 * choice of the queue pair that receives a packet.
 */
#include <rdma/ib_addr.h>

#include "../soft/iter.h"
#include "doorbell.h"
#include "completer.h"
#include "dev.h"
#include "icrc.h"
#include "link.h"
#include "mcast.h"
#include "opcode.h"
#include "path.h"
#include "pkey.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "qp_event.h"
#include "qp_table.h"
#include "resp.h"
#include "resp_queue.h"
#include "responder.h"
#include "rx.h"
#include "stats.h"
#include "trace.h"
#include "ud_recv.h"

static void ibt_rx_drop(struct ibt_port *port, enum ibt_stat why)
{
	ibt_count(port->dev, why);
}

/* Is @meta what packets from the other end of @attr look like? */
static bool ibt_av_matches(const struct rdma_ah_attr *attr,
			   const struct ibt_rx_meta *meta)
{
	if (attr->ah_flags & IB_AH_GRH)
		return meta->has_grh && !memcmp(&attr->grh.dgid, &meta->sgid,
						sizeof(meta->sgid));
	return !meta->has_grh && rdma_ah_get_dlid(attr) == meta->slid;
}

/**
 * struct way - by which path of a queue pair a packet came
 * @alternate: by the alternate one
 * @pkey_index: the entry of the P_Key table that belongs to it
 */
struct way {
	bool alternate;
	u16 pkey_index;
};

static bool ibt_match_rx_path(struct ibt_qp *qp, const struct ibt_port *port,
			      bool migrated, const struct ibt_rx_meta *meta,
			      struct way *way)
{
	bool armed = READ_ONCE(qp->mig_state) != IB_MIG_MIGRATED;
	const struct ib_qp_attr *attr = &qp->attr;
	bool in_use, alternate;

	in_use = attr->port_num == port->num &&
		 ibt_av_matches(&attr->ah_attr, meta);
	alternate = (armed || READ_ONCE(qp->alt_left)) &&
		    attr->alt_port_num == port->num &&
		    ibt_av_matches(&attr->alt_ah_attr, meta);
	/* The two may look the same, and only MigReq tells which was meant. */
	way->alternate = alternate && (!in_use || (armed && migrated));
	way->pkey_index = way->alternate ? attr->alt_pkey_index :
					   attr->pkey_index;
	return in_use || alternate;
}

/*
 * IBA 9.6.1.5: a connected queue pair takes packets from its peer only, by the
 * path in use or the alternate one. Migration may exchange the paths during the
 * check without the lock, and only then a second check with the lock finds
 * something else.
 *
 * 17.2.8 lets a receiver refuse what comes by the path that a migration has left.
 * This receiver accepts it: a peer that only sends would otherwise hear of the
 * migration when the retries of the peer are gone. The answer tells the peer earlier.
 */
static bool ibt_rx_path_valid(struct ibt_qp *qp, const struct ibt_port *port,
			      bool migrated, const struct ibt_rx_meta *meta,
			      struct way *way)
{
	unsigned long flags;
	bool found;

	if (likely(ibt_match_rx_path(qp, port, migrated, meta, way)))
		return true;
	spin_lock_irqsave(&qp->path_lock, flags);
	found = ibt_match_rx_path(qp, port, migrated, meta, way);
	spin_unlock_irqrestore(&qp->path_lock, flags);
	return found;
}

/*
 * IBA 17.2.8: the peer has migrated to a path that is not the one armed here. As far
 * as can be told, only the address or the P_Key of the packet is wrong. The event is
 * raised once until the consumer modifies the queue pair, so that strangers can not
 * flood the consumer.
 */
static void ibt_report_mig_req_err(struct ibt_qp *qp, const struct ibt_pkt *pkt)
{
	if (pkt->migrated && READ_ONCE(qp->mig_state) != IB_MIG_MIGRATED &&
	    !xchg(&qp->resp.mig_refused, true))
		ibt_qp_event(qp, IB_EVENT_PATH_MIG_ERR);
}

static void ibt_rx_connected(struct ibt_port *port, struct ibt_qp *qp,
			     const struct ibt_pkt *pkt, struct sk_buff *skb,
			     const struct ibt_rx_meta *meta)
{
	bool response = pkt->op->flags & IBT_RESPONSE;
	struct way way;

	/* Of the two ends of XRC, one only asks and one only answers. */
	if (qp->ib.qp_type == (response ? IB_QPT_XRC_TGT : IB_QPT_XRC_INI)) {
		ibt_rx_drop(port, IBT_STAT_RX_MALFORMED);
		return;
	}
	if (!ibt_resp_receives(READ_ONCE(qp->state))) {
		ibt_resp_check_flush(qp);
		ibt_rx_drop(port, IBT_STAT_RX_NO_QP);
		return;
	}
	if (!ibt_rx_path_valid(qp, port, pkt->migrated, meta, &way)) {
		ibt_report_mig_req_err(qp, pkt);
		ibt_rx_drop(port, IBT_STAT_RX_NO_QP);
		return;
	}
	if (!ibt_pkey_ok(port, way.pkey_index, pkt->pkey)) {
		if (way.alternate)
			ibt_report_mig_req_err(qp, pkt);
		ibt_rx_bad_key(port, false, pkt, meta);
		return;
	}
	ibt_apm_rx(qp, pkt->migrated, way.alternate);
	if (unlikely(meta->congested))
		ibt_marked(qp);
	if (response)
		ibt_bell_answered(qp, ibt_completer(qp, pkt, skb));
	else
		ibt_responder(qp, pkt, skb, meta);
}

static void ibt_rx_datagram(struct ibt_port *port, struct ibt_qp *qp,
			    struct ibt_pkt *pkt, struct sk_buff *skb,
			    const struct ibt_rx_meta *meta)
{
	struct soft_iter from;

	/* Of another port's: a queue pair is bound to one. */
	if (READ_ONCE(qp->attr.port_num) != port->num) {
		ibt_rx_drop(port, IBT_STAT_RX_NO_QP);
		return;
	}
	if (qp->offload)
		pkt->sums_ok = port->dev->link->offload->sums_ok(skb, pkt->payload,
								 pkt->length);
	soft_iter_skb(&from, skb, pkt->payload, pkt->length);
	ibt_ud_receive(qp, pkt, &from, meta);
	soft_iter_end(&from);
}

static void ibt_rx_unicast(struct ibt_port *port, struct ibt_pkt *pkt,
			   struct sk_buff *skb, const struct ibt_rx_meta *meta)
{
	struct ibt_qp *qp;

	/* What is for a group is for its members. */
	if (meta->has_grh &&
	    rdma_is_multicast_addr((struct in6_addr *)&meta->dgid)) {
		ibt_rx_drop(port, IBT_STAT_RX_MALFORMED);
		return;
	}
	qp = pkt->qpn <= 1 ? ibt_special_find(port, pkt->qpn) :
			     ibt_qp_find(port->dev, pkt->qpn);
	if (!qp) {
		ibt_rx_drop(port, IBT_STAT_RX_NO_QP);
		return;
	}
	ibt_qp_count_rx(qp, ibt_pkt_bytes(pkt));
	if (pkt->op->transport != qp->transport)
		ibt_rx_drop(port, IBT_STAT_RX_MALFORMED);
	else if (qp->transport == IBT_UD)
		ibt_rx_datagram(port, qp, pkt, skb, meta);
	else
		ibt_rx_connected(port, qp, pkt, skb, meta);
	ibt_qp_put(qp);
}

/* One that is forged from elsewhere slows nothing. */
static bool ibt_cnp_is_taken(const struct ibt_port *port, struct ibt_qp *qp,
			     const struct ibt_pkt *pkt, const struct ibt_rx_meta *meta)
{
	struct way way;

	return qp->transport != IBT_UD &&
	       ibt_resp_receives(READ_ONCE(qp->state)) &&
	       ibt_rx_path_valid(qp, port, pkt->migrated, meta, &way) &&
	       ibt_cnp_taken(qp);
}

static void ibt_rx_cnp(struct ibt_port *port, const struct ibt_pkt *pkt,
		       const struct ibt_rx_meta *meta)
{
	struct ibt_qp *qp = pkt->qpn <= 1 ? NULL :
					    ibt_qp_find(port->dev, pkt->qpn);

	if (qp && ibt_cnp_is_taken(port, qp, pkt, meta))
		ibt_qp_count(qp, IBT_STAT_CNP_TAKEN);
	else
		ibt_count(port->dev, IBT_STAT_CNP_IGNORED);
	if (qp)
		ibt_qp_put(qp);
}

static void ibt_rx_multicast(struct ibt_port *port, const struct ibt_pkt *pkt,
			     struct sk_buff *skb, const struct ibt_rx_meta *meta)
{
	/* A multicast packet that waits keeps the skb: a GSO skb can not be kept so. */
	if (pkt->op->transport != IBT_UD || !meta->has_grh ||
	    skb_is_gso(skb)) {
		ibt_rx_drop(port, IBT_STAT_RX_MALFORMED);
		return;
	}
	ibt_count(port->dev, IBT_STAT_MCAST_PKTS);
	ibt_mcast_receive(port, pkt, skb, meta);
}

/* @icrc_ok: the ICRC of these @length bytes from @offset on is what it must be. */
static void ibt_rx_packet(struct ibt_port *port, struct sk_buff *skb, u32 offset,
			  u32 length, bool icrc_ok, const struct ibt_rx_meta *meta)
{
	struct ibt_dev *dev = port->dev;
	struct ibt_pkt pkt = {};

	if (ibt_hdr_parse(&pkt, skb, offset, length)) {
		ibt_rx_drop(port, IBT_STAT_RX_MALFORMED);
		return;
	}
	if (!icrc_ok) {
		ibt_rx_drop(port, IBT_STAT_RX_ICRC);
		return;
	}
	trace_ibt_rx(dev, &pkt);
	ibt_count(dev, IBT_STAT_RX_PKTS);
	ibt_count_more(dev, IBT_STAT_RX_BYTES, length);
	if (meta->congested)
		ibt_count(dev, IBT_STAT_RX_ECN);
	if (pkt.op->transport == IBT_CNP)
		ibt_rx_cnp(port, &pkt, meta);
	else if (pkt.qpn == IBT_MCAST_QPN)
		ibt_rx_multicast(port, &pkt, skb, meta);
	else
		ibt_rx_unicast(port, &pkt, skb, meta);
}

static bool ibt_is_intact(const struct ibt_port *port, const struct sk_buff *skb,
			  u32 index, u32 offset, u32 length)
{
	const struct ibt_link_ops *link = port->dev->link;

	return ibt_icrc_ok(skb, offset, length,
			   link->icrc_seed(skb, index, length));
}

static void ibt_rx_run(struct ibt_port *port, struct sk_buff *skb, u32 size,
		       const struct ibt_rx_meta *meta)
{
	u32 (*seed)(const struct sk_buff *skb, u32 index, u32 length) =
		port->dev->link->icrc_seed;
	u32 index = 0, known = 0;
	u32 offset, length;
	u8 ok = 0;

	for (offset = 0; offset < skb->len; offset += size, index++) {
		length = min(size, skb->len - offset);
		if (!known)
			known = ibt_icrc_batch_check(skb, offset, size, index, seed,
						     &ok);
		if (!known) {
			ok = ibt_is_intact(port, skb, index, offset, length);
			known = 1;
		}
		ibt_rx_packet(port, skb, offset, length, ok & 1, meta);
		ok >>= 1;
		known--;
	}
}

/**
 * ibt_rx_process - receive packets on this processor
 * @port: where it came
 * @skb: as of ibt_rx_gso(); consumed
 * @size: bytes of each packet of a GSO skb, the last may be shorter; 0: one packet
 * @meta: as the link said
 *
 * Context: softirqs disabled, interrupts enabled; an RCU reader. No lock is held.
 */
void ibt_rx_process(struct ibt_port *port, struct sk_buff *skb, u32 size,
		    const struct ibt_rx_meta *meta)
{
	if (size)
		ibt_rx_run(port, skb, size, meta);
	else
		ibt_rx_packet(port, skb, 0, skb->len,
			      ibt_is_intact(port, skb, 0, 0, skb->len), meta);
	/* A budget: where softirqs are disabled, skbs are kept for the next ones. */
	napi_consume_skb(skb, 1);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control on the wire (annex A17.9). Packets of connected queue pairs say that
 * routers may mark them (ECT(0) in the IP header, which the link writes). A marked one draws
 * a CNP, at most one in 50 us for a queue pair: the interval that NICs have. Datagrams say
 * nothing of the kind: their sender has no rate that a CNP could lower.
 */
#include <linux/ktime.h>

#include "congestion.h"
#include "dev.h"
#include "link.h"
#include "opcode.h"
#include "path.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "stats.h"
#include "trace.h"
#include "tx.h"

static void ibt_send_cnp(struct ibt_qp *qp, struct ibt_path *path)
{
	u16 index = READ_ONCE(qp->attr.pkey_index);
	struct ibt_pkt pkt = {
		.opcode = ibt_opcode_of(IBT_CNP, IBT_NOTIFY,
					IBT_FIRST | IBT_LAST, 0),
		.becn = true,
		.qpn = READ_ONCE(qp->attr.dest_qp_num),
	};
	struct sk_buff *skb = ibt_tx_alloc(path, 0, GFP_ATOMIC);

	if (!skb)
		return;
	pkt.op = &ibt_opcodes[pkt.opcode];
	if (index < path->port->num_pkeys)
		pkt.pkey = READ_ONCE(path->port->pkeys[index]);
	ibt_qp_count(qp, IBT_STAT_CNP_SENT);
	trace_ibt_cnp_tx(qp, pkt.qpn);
	/* A busy link took it all the same. */
	ibt_tx(path, skb, &pkt, qp->flow);
	ibt_qp_count_tx(qp, 1, ibt_pkt_bytes(&pkt));
}

/**
 * ibt_marked - a packet of the peer was marked on its way
 * @qp: connected queue pair that it is for
 *
 * Context: softirqs disabled; none of its locks is held.
 */
void ibt_marked(struct ibt_qp *qp)
{
	struct ibt_path *path;

	if (!READ_ONCE(ibt_congestion) ||
	    !ibt_cnp_due(&qp->congestion, ktime_get_mono_fast_ns()))
		return;
	path = ibt_qp_path(qp);
	if (!path)
		return;
	ibt_send_cnp(qp, path);
	ibt_path_put(path);
}

/**
 * ibt_cnp_taken - a CNP of the peer
 * @qp: queue pair that it is for
 *
 * Context: softirqs disabled; none of its locks is held.
 *
 * Return: false: it changes nothing.
 */
bool ibt_cnp_taken(struct ibt_qp *qp)
{
	if (!READ_ONCE(ibt_congestion))
		return false;
	ibt_pace_event(qp, IBT_DCQCN_CNP);
	/* A rate without its lock may be a torn one: an estimate. */
	trace_ibt_cnp_rx(qp, READ_ONCE(qp->congestion.limited) ?
			 READ_ONCE(qp->congestion.dcqcn.rate) : 0);
	return true;
}

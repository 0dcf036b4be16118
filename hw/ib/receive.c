// SPDX-License-Identifier: GPL-2.0
/* Reception of a packet by a port. */
#include <kunit/visibility.h>

#include "hca.h"
#include "mad.h"
#include "node.h"
#include "opa.h"
#include "packet.h"
#include "queue.h"
#include "switch.h"
#include "tunnel.h"

/* Counts a received packet that has the selected opcode. */
static void ibf_count_opcode(struct ibf_port *port, const struct sk_buff *skb)
{
	u8 vl = FIELD_GET(IBF_LRH_VL, ibf_lrh(skb)->vl);
	u8 opcode = ibf_ud(skb)->opcode;

	if (opcode == READ_ONCE(port->opcodes[IBF_OP_RCV])) {
		ibf_count(port, IBF_OP_PKTS);
		ibf_count_more(port, IBF_OP_DATA, skb->len / 4);
	}
	if (opcode == READ_ONCE(port->opcodes[IBF_OP_VL_PKTS]))
		ibf_count(port, IBF_VL_OP_PKTS + vl);
	if (opcode == READ_ONCE(port->opcodes[IBF_OP_VL_DATA]))
		ibf_count_more(port, IBF_VL_OP_DATA + vl, skb->len / 4);
}

/* Headers and lengths fit together, and are linear as far as the BTH goes. */
static bool ibf_is_well_formed(struct sk_buff *skb)
{
	const struct ib_grh *grh;
	const struct ibf_lrh *lrh;
	u32 front = sizeof(*lrh);
	u8 next;

	/* The least that a raw packet has, too, up to its P_Key. */
	if (!pskb_may_pull(skb, front + IBF_BTH_BYTES + IBT_ICRC_BYTES))
		return false;
	lrh = ibf_lrh(skb);
	next = FIELD_GET(IBF_LRH_LNH, lrh->sl);
	if (FIELD_GET(IBF_LRH_LVER, lrh->vl) ||
	    FIELD_GET(IBF_LRH_LENGTH, be16_to_cpu(lrh->length)) * 4 != skb->len)
		return false;
	if (next == IBF_LNH_LOCAL || next == IBF_LNH_RAW)
		return true;
	front += sizeof(*grh);
	if (next != IBF_LNH_GLOBAL ||
	    !pskb_may_pull(skb, front + IBF_BTH_BYTES + IBT_ICRC_BYTES))
		return false;
	grh = (const void *)(skb->data + sizeof(*lrh));
	return be32_to_cpu(grh->version_tclass_flow) >> IB_GRH_VERSION_SHIFT ==
			IB_GRH_VERSION &&
	       grh->next_hdr == IB_GRH_NEXT_HDR &&
	       be16_to_cpu(grh->paylen) == skb->len - front;
}

/* Packets for the switch itself are MADs. */
static void ibf_at_switch(struct ibf_port *port, struct sk_buff *skb)
{
	if (ibf_switch_receive(port, skb))
		ibf_mad_receive(port, skb);
}

/**
 * ibf_receive - receive a packet from the cable of a port
 * @port: the port
 * @skb: data at the LRH, not shared, unchecked; consumed
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_receive(struct ibf_port *port, struct sk_buff *skb)
{
	if (!ibf_is_well_formed(skb)) {
		ibf_count_error(port, IBF_RCV_MALFORMED);
		kfree_skb(skb);
		return;
	}
	ibf_count_packet(port, skb, false);
	if (!ibf_is_raw(skb))
		ibf_count_opcode(port, skb);
	if (port->node->is_switch)
		ibf_at_switch(port, skb);
	else if (unlikely(port->tunnel))
		ibf_tunnel_send(port, skb);
	else
		ibf_hca_receive(port, skb);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_receive);

// SPDX-License-Identifier: GPL-2.0
/*
 * Forwarding in a switch (section 18.2): the subnet manager's tables choose the ports
 * that a packet leaves by.
 */
#include "cable.h"
#include "fabric.h"
#include "node.h"
#include "opa.h"
#include "packet.h"
#include "queue.h"
#include "switch.h"
#include "trap.h"

#define PKEY_BASE	0x7fff
#define PKEY_FULL	0x8000

static bool ibf_is_same_partition(u16 ours, u16 pkey)
{
	return (ours & PKEY_BASE) && !((ours ^ pkey) & PKEY_BASE);
}

/**
 * ibf_pkey_match - find the P_Key of a packet in a port's table (10.9.3)
 * @port: the port
 * @pkey: P_Key of a packet
 *
 * Context: any.
 * Return: the entry of the same partition, if one of the two is a full member; else 0.
 */
u16 ibf_pkey_match(const struct ibf_port *port, u16 pkey)
{
	u32 i;

	for (i = 0; i < IBF_PKEYS; i++) {
		u16 ours = READ_ONCE(port->pkeys[i]);

		if (ibf_is_same_partition(ours, pkey) && (ours | pkey) & PKEY_FULL)
			return ours;
	}
	return 0;
}

/*
 * The subnet manager gives a switch port the P_Key table of the HCA behind it. A packet
 * may carry the limited P_Key of a partition in which that HCA is a full member; a
 * limited member must not send with the full one.
 */
static bool ibf_may_claim(const struct ibf_port *port, u16 pkey)
{
	u32 i;

	for (i = 0; i < IBF_PKEYS; i++) {
		u16 ours = READ_ONCE(port->pkeys[i]);

		if (ibf_is_same_partition(ours, pkey) && !(~ours & pkey & PKEY_FULL))
			return true;
	}
	return false;
}

/* The BTH, or what a raw packet has instead, is linear. */
static u16 ibf_pkey_of(const struct sk_buff *skb)
{
	return ibf_is_raw(skb) ? ibf_raw_pkey(skb) : be16_to_cpu(ibf_ud(skb)->pkey);
}

/* A trap names the queue pairs, which a raw packet has not. */
static void ibf_switch_refuse_pkey(struct ibf_port *port, const struct sk_buff *skb,
				   enum ibf_count why)
{
	ibf_count(port, why);
	if (!ibf_is_raw(skb))
		ibf_trap_switch_pkey(port, skb);
}

static u8 ibf_vl_of(const struct sk_buff *skb)
{
	return FIELD_GET(IBF_LRH_VL, ibf_lrh(skb)->vl);
}

/* May a data packet come in by @port? Only its P_Key decides. */
static bool ibf_may_enter(struct ibf_port *port, const struct sk_buff *skb)
{
	if (READ_ONCE(port->state) < IBF_STATE_ARMED)
		return false;
	if (!(READ_ONCE(port->enforce) & IBF_ENFORCE_IN) ||
	    ibf_may_claim(port, ibf_pkey_of(skb)))
		return true;
	ibf_switch_refuse_pkey(port, skb, IBF_RCV_CONSTRAINT);
	return false;
}

static void ibf_relay_error(struct ibf_port *in, struct sk_buff *skb,
			    enum ibf_count why)
{
	ibf_count(in, IBF_RELAY_ERRORS);
	ibf_count(in, why);
	kfree_skb(skb);
}

static void ibf_switch_discard(struct ibf_port *to, struct sk_buff *skb,
			       enum ibf_count why)
{
	ibf_count_discards(to, why, 1);
	kfree_skb(skb);
}

/* Checks @skb and queues it at @to; @skb is consumed. */
static void ibf_switch_leave(struct ibf_port *in, struct ibf_port *to, struct sk_buff *skb)
{
	u8 sl = FIELD_GET(IBF_LRH_SL, ibf_lrh(skb)->sl);
	u8 vl = READ_ONCE(to->sl2vl[in->num][sl]);

	if (vl >= READ_ONCE(to->op_vls)) {
		ibf_relay_error(in, skb, IBF_RCV_VL);
		return;
	}
	if (READ_ONCE(to->state) != IBF_STATE_ACTIVE) {
		ibf_switch_discard(to, skb, IBF_DISCARD_INACTIVE);
		return;
	}
	if (skb->len > ib_mtu_enum_to_int(READ_ONCE(to->mtu)) + 128) {
		ibf_switch_discard(to, skb, IBF_DISCARD_MTU);
		return;
	}
	if (READ_ONCE(to->enforce) & IBF_ENFORCE_OUT &&
	    !ibf_pkey_match(to, ibf_pkey_of(skb))) {
		ibf_switch_refuse_pkey(to, skb, IBF_XMIT_CONSTRAINT);
		kfree_skb(skb);
		return;
	}
	if (in->num)
		ibf_enqueue(to, skb, vl, in, ibf_vl_of(skb));
	else
		ibf_enqueue(to, skb, vl, NULL, 0);
}

/* Port for groups that are not in the table (18.2.4.3.3). 0: none. */
static u8 ibf_default_port(const struct ibf_port *in)
{
	const struct ibf_switch_info *info = &in->node->sw->info;
	u8 num = READ_ONCE(info->default_mcast_primary);

	if (num == in->num)
		num = READ_ONCE(info->default_mcast_other);
	return num <= in->node->num_ports && num != in->num ? num : 0;
}

static void ibf_forward_group(struct ibf_port *in, struct sk_buff *skb, u16 dlid)
{
	struct ibf_node *node = in->node;
	u32 index = dlid - IBF_LID_MCAST, num;
	struct sk_buff *copy;

	if (index >= IBF_MFT_ENTRIES) {
		num = ibf_default_port(in);
		if (num)
			ibf_switch_leave(in, &node->ports[num], skb);
		else
			ibf_relay_error(in, skb, IBF_RCV_DLID);
		return;
	}
	for (num = 1; num <= node->num_ports; num++) {
		if (num == in->num ||
		    !(READ_ONCE(node->sw->mft[index][num / 16]) & BIT(num % 16)))
			continue;
		/* Each copy has the VL of its port in the LRH. */
		copy = skb_copy(skb, GFP_ATOMIC);
		if (copy)
			ibf_switch_leave(in, &node->ports[num], copy);
	}
	consume_skb(skb);
}

static u8 ibf_switch_route(const struct ibf_node *node, u16 dlid)
{
	if (ibf_owns(&node->ports[0], dlid))
		return 0;
	if (dlid >= IBF_LFT_ENTRIES ||
	    dlid > be16_to_cpu(READ_ONCE(node->sw->info.lft_top)))
		return IBF_NO_PORT;
	return READ_ONCE(node->sw->lft[dlid]);
}

/* SMPs pass whatever the state of the port, as long as its link is up. */
static void ibf_forward_smp(struct ibf_port *in, struct sk_buff *skb, u8 num)
{
	struct ibf_node *node = in->node;

	if (num > node->num_ports)
		ibf_relay_error(in, skb, IBF_RCV_DLID);
	else if (num == in->num)
		ibf_relay_error(in, skb, IBF_RCV_LOOP);
	else
		ibf_enqueue(&node->ports[num], skb, IBF_QUEUE_VL15, NULL, 0);
}

/**
 * ibf_switch_send - send a packet of the switch itself
 * @node: the switch
 * @skb: data at the LRH; consumed. It is forwarded by its DLID, SMPs by VL15
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_switch_send(struct ibf_node *node, struct sk_buff *skb)
{
	u16 dlid = be16_to_cpu(ibf_lrh(skb)->dlid);
	struct ibf_port *own = &node->ports[0];
	u8 num = ibf_switch_route(node, dlid);

	if (!num || num > node->num_ports)
		ibf_relay_error(own, skb, IBF_RCV_DLID);
	else if (ibf_vl_of(skb) == 15)
		ibf_forward_smp(own, skb, num);
	else
		ibf_switch_leave(own, &node->ports[num], skb);
}

/* A data packet makes an armed link active (7.2.7). */
static void ibf_see_data(struct ibf_port *port)
{
	if (likely(READ_ONCE(port->state) != IBF_STATE_ARMED))
		return;
	spin_lock_bh(&ibf_lock);
	if (port->state == IBF_STATE_ARMED)
		ibf_port_state(port, IBF_STATE_ACTIVE);
	spin_unlock_bh(&ibf_lock);
}

static bool ibf_receive_smp(struct ibf_port *in, struct sk_buff *skb)
{
	u16 dlid = be16_to_cpu(ibf_lrh(skb)->dlid);
	u8 num = dlid == IBF_LID_PERMISSIVE ? 0 : ibf_switch_route(in->node, dlid);

	if (num)
		ibf_forward_smp(in, skb, num);
	return !num;
}

/**
 * ibf_switch_receive - handle a packet at a port of a switch
 * @in: port that received it
 * @skb: data at the LRH, which is well-formed
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 * Return: true: the packet is for the switch itself, and the caller keeps it; else it
 * is consumed.
 */
bool ibf_switch_receive(struct ibf_port *in, struct sk_buff *skb)
{
	u16 dlid = be16_to_cpu(ibf_lrh(skb)->dlid);
	u8 num;

	if (ibf_vl_of(skb) == 15)
		return ibf_receive_smp(in, skb);
	if (!ibf_may_enter(in, skb)) {
		kfree_skb(skb);
		return false;
	}
	if (ibf_vl_of(skb) >= READ_ONCE(in->op_vls)) {
		ibf_count_error(in, IBF_RCV_MALFORMED);
		kfree_skb(skb);
		return false;
	}
	ibf_see_data(in);
	if (ibf_is_mcast(dlid)) {
		ibf_forward_group(in, skb, dlid);
		return false;
	}
	num = ibf_switch_route(in->node, dlid);
	if (!num)
		return true;
	if (num > in->node->num_ports)
		ibf_relay_error(in, skb, IBF_RCV_DLID);
	else if (num == in->num)
		ibf_relay_error(in, skb, IBF_RCV_LOOP);
	else
		ibf_switch_leave(in, &in->node->ports[num], skb);
	return false;
}

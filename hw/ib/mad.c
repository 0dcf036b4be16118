// SPDX-License-Identifier: GPL-2.0
/*
 * Management packets that a node handles without a QP: all of those of a switch, and
 * the traps of an HCA. All others of an HCA go through QP0 and QP1.
 */
#include <linux/crc32.h>

#include "mad.h"
#include "node.h"
#include "opa.h"
#include "packet.h"
#include "queue.h"
#include "switch.h"
#include "trap.h"

/* Behind the link's headers. */
#define UD_BYTES	(sizeof(struct ibf_ud) + IB_MGMT_MAD_SIZE)

/**
 * ibf_icrc_seed - CRC of the headers in front of a BTH (7.8.1)
 * @lrh: LRH of the packet
 * @grh: GRH of the packet, or NULL
 *
 * Fields that switches or routers may change count as ones: all of the LRH when there
 * is a GRH, else only its VL.
 *
 * Context: any.
 * Return: the state of the CRC before the first byte of the BTH.
 */
u32 ibf_icrc_seed(const struct ibf_lrh *lrh, const struct ib_grh *grh)
{
	struct {
		struct ibf_lrh lrh;
		struct ib_grh grh;
	} __packed masked;

	if (!grh) {
		masked.lrh = *lrh;
		masked.lrh.vl |= IBF_LRH_VL;
		return crc32_le(~0, (u8 *)&masked.lrh, sizeof(masked.lrh));
	}
	memset(&masked.lrh, 0xff, sizeof(masked.lrh));
	masked.grh = *grh;
	/* Traffic class and flow label. */
	masked.grh.version_tclass_flow |=
		cpu_to_be32(~(IB_GRH_VERSION_MASK << IB_GRH_VERSION_SHIFT));
	masked.grh.hop_limit = 0xff;
	return crc32_le(~0, (u8 *)&masked, sizeof(masked));
}

static struct ib_mad *ibf_mad_of(const struct sk_buff *skb)
{
	return (struct ib_mad *)(ibf_ud(skb) + 1);
}

/* Of a linear packet with a MAD. */
static __le32 ibf_icrc_of(const struct sk_buff *skb)
{
	struct ibf_ud ud = *ibf_ud(skb);
	u32 crc = ibf_icrc_seed(ibf_lrh(skb), ibf_grh(skb));

	/* resv8a may change on the way, too. */
	ud.dqpn |= cpu_to_be32(~IBF_24);
	crc = crc32_le(crc, (u8 *)&ud, sizeof(ud));
	crc = crc32_le(crc, (u8 *)ibf_mad_of(skb), IB_MGMT_MAD_SIZE);
	return cpu_to_le32(~crc);
}

static void ibf_set_icrc(struct sk_buff *skb)
{
	__le32 icrc = ibf_icrc_of(skb);

	memcpy(skb_tail_pointer(skb) - sizeof(icrc), &icrc, sizeof(icrc));
}

static bool ibf_icrc_ok(const struct sk_buff *skb)
{
	__le32 told;

	memcpy(&told, skb_tail_pointer(skb) - sizeof(told), sizeof(told));
	return told == ibf_icrc_of(skb);
}

/* ---- to send ----------------------------------------------------------------------- */

static void ibf_mad_fill_grh(struct ib_grh *grh, const struct ibf_mad_from *to)
{
	*grh = to->grh;
	grh->paylen = cpu_to_be16(UD_BYTES + IBT_ICRC_BYTES);
	grh->sgid = to->grh.dgid;
	grh->dgid = to->grh.sgid;
}

static void ibf_fill_ud(struct ibf_ud *ud, const struct ibf_mad_from *to)
{
	*ud = (struct ibf_ud){
		.opcode = IBF_UD_SEND_ONLY,
		.flags = IBF_UD_MIG,
		.pkey = cpu_to_be16(to->pkey),
		.dqpn = cpu_to_be32(to->sqpn),
		.qkey = cpu_to_be32(to->qpn ? IB_QP1_QKEY : 0),
		.sqpn = cpu_to_be32(to->qpn),
	};
}

/**
 * ibf_mad_packet - build a packet with a MAD
 * @from: port that sends it
 * @mad: the MAD, 256 bytes
 * @to: origin of the request that @mad answers
 *
 * Context: any.
 * Return: the packet, or NULL: no memory.
 */
struct sk_buff *ibf_mad_packet(struct ibf_port *from, const struct ib_mad *mad,
			       const struct ibf_mad_from *to)
{
	u32 front = sizeof(struct ibf_lrh) +
		    (to->has_grh ? sizeof(struct ib_grh) : 0);
	u32 length = front + UD_BYTES + IBT_ICRC_BYTES;
	struct sk_buff *skb = alloc_skb(length, GFP_ATOMIC);
	struct ibf_lrh *lrh;

	if (!skb)
		return NULL;
	lrh = skb_put_zero(skb, length);
	lrh->vl = FIELD_PREP(IBF_LRH_VL, to->qpn ? 0 : 15);
	lrh->sl = FIELD_PREP(IBF_LRH_SL, to->sl) |
		  (to->has_grh ? IBF_LNH_GLOBAL : IBF_LNH_LOCAL);
	lrh->dlid = cpu_to_be16(to->slid);
	lrh->length = cpu_to_be16(length / 4);
	lrh->slid = cpu_to_be16(ibf_owns(from, to->dlid) ?
				to->dlid : READ_ONCE(from->lid));
	if (to->has_grh)
		ibf_mad_fill_grh((struct ib_grh *)(lrh + 1), to);
	ibf_fill_ud(ibf_ud(skb), to);
	memcpy(ibf_mad_of(skb), mad, IB_MGMT_MAD_SIZE);
	ibf_set_icrc(skb);
	return skb;
}

/**
 * ibf_mad_send - send a packet of ibf_mad_packet() by LID
 * @from: port of an HCA, or port 0 of a switch
 * @skb: the packet; consumed
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_mad_send(struct ibf_port *from, struct sk_buff *skb)
{
	u16 dlid = be16_to_cpu(ibf_lrh(skb)->dlid);

	if (from->node->is_switch)
		ibf_switch_send(from->node, skb);
	else
		ibf_enqueue_hca(from, skb, ibf_owns(from, dlid) ?
				IBF_QUEUE_LOOP : IBF_QUEUE_VL15, 0);
}

/*
 * Sends a directed-route SMP along @hop. The ICRC is computed anew, because the hop
 * pointer has changed.
 */
static void ibf_send_directed(struct ibf_node *node, struct sk_buff *skb,
			      const struct ibf_hop *hop)
{
	struct ibf_lrh *lrh = ibf_lrh(skb);

	lrh->vl = FIELD_PREP(IBF_LRH_VL, 15);
	if (hop->way == IBF_WAY_PORT) {
		lrh->slid = cpu_to_be16(IBF_LID_PERMISSIVE);
		lrh->dlid = cpu_to_be16(IBF_LID_PERMISSIVE);
		ibf_set_icrc(skb);
		ibf_enqueue(&node->ports[hop->port], skb, IBF_QUEUE_VL15,
			    NULL, 0);
	} else if (hop->way == IBF_WAY_LID) {
		lrh->slid = cpu_to_be16(READ_ONCE(node->ports[0].lid));
		lrh->dlid = cpu_to_be16(hop->lid);
		ibf_set_icrc(skb);
		ibf_switch_send(node, skb);
	} else {
		kfree_skb(skb);
	}
}

/* ---- to receive, at a switch ---------------------------------------------------------- */

static void ibf_mad_learn(const struct ibf_port *own, const struct sk_buff *skb,
			  struct ibf_mad_from *from)
{
	const struct ibf_lrh *lrh = ibf_lrh(skb);
	const struct ibf_ud *ud = ibf_ud(skb);

	memset(from, 0, sizeof(*from));
	from->slid = be16_to_cpu(lrh->slid);
	from->dlid = be16_to_cpu(lrh->dlid);
	from->sl = FIELD_GET(IBF_LRH_SL, lrh->sl);
	from->sqpn = be32_to_cpu(ud->sqpn) & IBF_24;
	from->qpn = be32_to_cpu(ud->dqpn) & IBF_24;
	/* A requester may be a limited member; the reply is sent as a full member. */
	from->pkey = from->qpn ? ibf_pkey_match(own, be16_to_cpu(ud->pkey)) :
				 IB_DEFAULT_PKEY_FULL;
	from->has_grh = ibf_grh(skb);
	if (from->has_grh)
		from->grh = *ibf_grh(skb);
}

/* Of a packet to QP1 of a switch. */
static bool ibf_keys_ok(struct ibf_port *own, const struct sk_buff *skb,
			const struct ibf_ud *ud)
{
	u16 pkey = be16_to_cpu(ud->pkey);
	u32 qkey = be32_to_cpu(ud->qkey);
	bool member = ibf_pkey_match(own, pkey);
	const struct ibf_lrh *lrh = ibf_lrh(skb);
	const struct ibf_bad_key what = {
		.qkey = member,
		.key = member ? qkey : pkey,
		.slid = be16_to_cpu(lrh->slid),
		.dlid = be16_to_cpu(lrh->dlid),
		.sl = FIELD_GET(IBF_LRH_SL, lrh->sl),
		.sqpn = be32_to_cpu(ud->sqpn),
		.dqpn = be32_to_cpu(ud->dqpn),
		.grh = ibf_grh(skb),
	};

	if (member && qkey == IB_QP1_QKEY)
		return true;
	ibf_trap_bad_key(own, &what);
	return false;
}

/*
 * Is the packet a valid MAD? QP0 takes SMPs by VL15, QP1 all other classes (13.5.1).
 * If not, @why is one of IBF_RCV_*.
 */
static bool ibf_is_mad(struct ibf_port *in, struct sk_buff *skb,
		       enum ibf_count *why)
{
	const struct ib_mad_hdr *hdr;
	const struct ibf_ud *ud;
	bool smp, vl15;

	*why = IBF_RCV_MALFORMED;
	if (ibf_is_raw(skb) || skb_linearize(skb))
		return false;
	ud = ibf_ud(skb);
	if (skb_tail_pointer(skb) - (u8 *)ud != UD_BYTES + IBT_ICRC_BYTES ||
	    ud->opcode != IBF_UD_SEND_ONLY ||
	    ud->flags & (IBF_UD_TVER | IBF_UD_PAD))
		return false;
	if (!ibf_icrc_ok(skb)) {
		*why = IBF_RCV_PHYSICAL;
		return false;
	}
	hdr = &ibf_mad_of(skb)->mad_hdr;
	smp = hdr->mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED ||
	      hdr->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	vl15 = FIELD_GET(IBF_LRH_VL, ibf_lrh(skb)->vl) == 15;
	if (smp != vl15 || (be32_to_cpu(ud->dqpn) & IBF_24) != !smp)
		return false;
	if (smp)
		return !(be32_to_cpu(ud->sqpn) & IBF_24);
	return ibf_keys_ok(ibf_end_port(in), skb, ud);
}

static void ibf_mad_answer(struct ibf_port *in, const struct ib_mad *mad,
			   const struct ibf_mad_from *from)
{
	struct ibf_node *node = in->node;
	struct ibf_port *own = ibf_end_port(in);
	struct sk_buff *skb = ibf_mad_packet(own, mad, from);
	struct ibf_hop hop;

	if (!skb)
		return;
	/* After the directed part the reply goes by LID to the node where that part ended. */
	if (mad->mad_hdr.mgmt_class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE ||
	    ((const struct ib_smp *)mad)->dr_dlid != IB_LID_PERMISSIVE) {
		ibf_mad_send(own, skb);
		return;
	}
	hop = ibf_dr_answer((struct ib_smp *)ibf_mad_of(skb), node->num_ports);
	ibf_send_directed(node, skb, &hop);
}

/* Is @skb for this node? If so the caller keeps it; else it is consumed. */
static bool ibf_mad_arrives(struct ibf_port *in, struct sk_buff *skb)
{
	struct ib_smp *smp = (struct ib_smp *)ibf_mad_of(skb);
	struct ibf_hop hop;

	if (smp->mgmt_class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		return true;
	hop = ibf_dr_arrived(smp, in->num, in->node->num_ports);
	if (hop.way == IBF_WAY_HERE)
		return true;
	ibf_send_directed(in->node, skb, &hop);
	return false;
}

/**
 * ibf_mad_receive - handle a packet for a switch itself, or with a directed route
 * @in: port that received it
 * @skb: data at the LRH, which is well-formed; consumed
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_mad_receive(struct ibf_port *in, struct sk_buff *skb)
{
	struct ibf_mad_from from;
	struct ib_mad reply;
	enum ibf_count why;

	if (!ibf_is_mad(in, skb, &why)) {
		ibf_count_error(in, why);
		kfree_skb(skb);
		return;
	}
	if (!ibf_mad_arrives(in, skb))
		return;
	ibf_mad_learn(ibf_end_port(in), skb, &from);
	if (ibf_agent(in, ibf_mad_of(skb), &reply) == IBF_REPLY)
		ibf_mad_answer(in, &reply, &from);
	consume_skb(skb);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Traps (sections 13.4.9, 14.2.5.1): unsolicited notices to the subnet manager.
 */
#include <kunit/visibility.h>

#include "fabric.h"
#include "node.h"
#include "packet.h"
#include "trap.h"

#define REPEATS		8

/*
 * Only marks the trap as pending: the caller may hold any lock of the fabric, so
 * trap_work sends the packet. The sender is @port, or port 0 of its switch.
 */
static void ibf_trap_raise(struct ibf_port *port, enum ibf_trap slot, u8 type, u16 number,
			   const void *details, size_t size)
{
	struct ibf_notice *to = &port->notices[slot];
	struct ibf_port *own = ibf_end_port(port);
	struct ibf_node *node = port->node;

	lockdep_assert_held(&ibf_lock);
	if (!ibf_trap_can_tell(own))
		return;
	/* Transaction IDs are unique in the node. */
	to->tid = cpu_to_be64(++node->trap_tid);
	to->next = jiffies + IBF_TRAP_DELAY;
	to->raised = true;
	to->notice = (struct ib_mad_notice_attr){
		.generic_type = type,
		.prod_type_lsb = node->is_switch ? IB_NOTICE_PROD_SWITCH :
						   IB_NOTICE_PROD_CA,
		.trap_num = cpu_to_be16(number),
		.issuer_lid = cpu_to_be16(own->lid),
	};
	memcpy(&to->notice.details, details, size);
	WRITE_ONCE(to->left, REPEATS);
	mod_delayed_work(system_percpu_wq, &node->trap_work, 0);
}

/*
 * Is a trap for a refused packet suppressed? A peer that sends a bad packet sends many,
 * and each would cost the subnet manager a trap. So at most one is pending, and it is
 * raised no more often than a trap is repeated.
 */
static bool ibf_is_told(const struct ibf_port *port, enum ibf_trap slot)
{
	const struct ibf_notice *notice = &port->notices[slot];

	return READ_ONCE(notice->left) ||
	       (READ_ONCE(notice->raised) &&
		time_before(jiffies, READ_ONCE(notice->next)));
}

/**
 * ibf_trap_link_state - a link of a switch went up or down (trap 128)
 * @node: the switch
 */
void ibf_trap_link_state(struct ibf_node *node)
{
	__be16 lid = cpu_to_be16(node->ports[0].lid);

	ibf_trap_raise(&node->ports[0], IBF_TRAP_SLOT_LINK, IB_NOTICE_TYPE_URGENT,
		       IBF_TRAP_LINK_STATE, &lid, sizeof(lid));
}
EXPORT_SYMBOL_IF_KUNIT(ibf_trap_link_state);

/* Details of traps 129 to 131: the number of the port. */
static void ibf_raise_link(struct ibf_port *port, enum ibf_trap slot, u16 number)
{
	struct ib_mad_notice_attr notice = {
		.details.ntc_129_131 = {
			.lid = cpu_to_be16(ibf_end_port(port)->lid),
			.port_num = port->num,
		},
	};

	lockdep_assert_held(&ibf_lock);
	if (!ibf_is_told(port, slot))
		ibf_trap_raise(port, slot, IB_NOTICE_TYPE_URGENT, number,
			       &notice.details, sizeof(notice.details));
}

/**
 * ibf_trap_integrity - local link integrity error (trap 129)
 * @port: port with too many damaged packets; ibf_lock is not held
 */
void ibf_trap_integrity(struct ibf_port *port)
{
	if (ibf_is_told(port, IBF_TRAP_SLOT_INTEGRITY))
		return;
	spin_lock_bh(&ibf_lock);
	ibf_raise_link(port, IBF_TRAP_SLOT_INTEGRITY, IBF_TRAP_INTEGRITY);
	spin_unlock_bh(&ibf_lock);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_trap_integrity);

/**
 * ibf_trap_overrun - the far end sends without credits (trap 130)
 * @port: port that receives the packets
 */
void ibf_trap_overrun(struct ibf_port *port)
{
	ibf_raise_link(port, IBF_TRAP_SLOT_OVERRUN, IBF_TRAP_OVERRUN);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_trap_overrun);

/**
 * ibf_trap_watchdog - the far end sends no flow control updates (trap 131)
 * @port: port that waits for credits
 */
void ibf_trap_watchdog(struct ibf_port *port)
{
	ibf_raise_link(port, IBF_TRAP_SLOT_WATCHDOG, IBF_TRAP_WATCHDOG);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_trap_watchdog);

/* Trap 144, with the flags of what else changed at the node. */
static void ibf_raise_local_change(struct ibf_port *port, enum ibf_trap slot,
				   u8 changes)
{
	struct ib_mad_notice_attr notice = {
		.details.ntc_144 = {
			.lid = cpu_to_be16(port->lid),
			.local_changes = !!changes,
			.new_cap_mask = port->info.cap_mask,
			.change_flags = changes,
		},
	};

	ibf_trap_raise(port, slot, IB_NOTICE_TYPE_INFO, IBF_TRAP_CAPS, &notice.details,
		       sizeof(notice.details));
}

/**
 * ibf_trap_caps - the CapabilityMask of a port changed (trap 144)
 * @port: of an HCA
 */
void ibf_trap_caps(struct ibf_port *port)
{
	ibf_raise_local_change(port, IBF_TRAP_SLOT_CAPS, 0);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_trap_caps);

/**
 * ibf_trap_desc - the NodeDescription changed (trap 144)
 * @node: an HCA; its ports may be in different subnets
 */
void ibf_trap_desc(struct ibf_node *node)
{
	u32 num;

	for (num = 1; num <= node->num_ports; num++)
		ibf_raise_local_change(&node->ports[num], IBF_TRAP_SLOT_DESC,
				       IB_NOTICE_TRAP_NODE_DESC_CHG);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_trap_desc);

/**
 * ibf_trap_bad_mkey - an SMP was refused for its M_Key (trap 256)
 * @port: port that refused it
 * @smp: the SMP
 */
void ibf_trap_bad_mkey(struct ibf_port *port, const struct ib_smp *smp)
{
	const bool directed =
		smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	struct ib_mad_notice_attr notice = {
		.details.ntc_256 = {
			.lid = cpu_to_be16(port->lid),
			.method = smp->method,
			.attr_id = smp->attr_id,
			.attr_mod = smp->attr_mod,
			.mkey = smp->mkey,
		},
	};

	if (ibf_is_told(port, IBF_TRAP_SLOT_MKEY))
		return;
	if (directed) {
		u8 hops = min_t(u8, smp->hop_cnt,
				sizeof(notice.details.ntc_256.dr_rtn_path));

		notice.details.ntc_256.dr_slid = smp->dr_slid;
		notice.details.ntc_256.dr_trunc_hop = IB_NOTICE_TRAP_DR_NOTICE |
			(hops < smp->hop_cnt ? IB_NOTICE_TRAP_DR_TRUNC : 0) |
			hops;
		memcpy(notice.details.ntc_256.dr_rtn_path,
		       smp->return_path + 1, hops);
	}
	ibf_trap_raise(port, IBF_TRAP_SLOT_MKEY, IB_NOTICE_TYPE_SECURITY,
		       IBF_TRAP_BAD_MKEY, &notice.details, sizeof(notice.details));
}

/**
 * ibf_trap_bad_key - an end port refused a packet for a key (traps 257 and 258)
 * @port: the port; ibf_lock is not held
 * @what: keys and addresses of the packet
 */
void ibf_trap_bad_key(struct ibf_port *port, const struct ibf_bad_key *what)
{
	enum ibf_trap slot = what->qkey ? IBF_TRAP_SLOT_QKEY : IBF_TRAP_SLOT_PKEY;
	struct ib_mad_notice_attr notice = {
		.details.ntc_257_258 = {
			.lid1 = cpu_to_be16(what->slid),
			.lid2 = cpu_to_be16(what->dlid),
			.key = cpu_to_be32(what->key),
			.sl_qp1 = cpu_to_be32(FIELD_PREP(IBF_NOTICE_SL, what->sl) |
					      (what->sqpn & IBF_24)),
			.qp2 = cpu_to_be32(what->dqpn & IBF_24),
		},
	};

	if (ibf_is_told(port, slot))
		return;
	if (what->grh) {
		notice.details.ntc_257_258.gid1 = what->grh->sgid;
		notice.details.ntc_257_258.gid2 = what->grh->dgid;
	}
	spin_lock_bh(&ibf_lock);
	ibf_trap_raise(port, slot, IB_NOTICE_TYPE_SECURITY,
		       what->qkey ? IBF_TRAP_BAD_QKEY : IBF_TRAP_BAD_PKEY,
		       &notice.details, sizeof(notice.details));
	spin_unlock_bh(&ibf_lock);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_trap_bad_key);

/**
 * ibf_trap_switch_pkey - a switch refused a packet for its P_Key (trap 259)
 * @port: port that refused it; ibf_lock is not held
 * @skb: the packet, data at the LRH; linear to the end of its BTH
 */
void ibf_trap_switch_pkey(struct ibf_port *port, const struct sk_buff *skb)
{
	const struct ibf_lrh *lrh = ibf_lrh(skb);
	const struct ib_grh *grh = ibf_grh(skb);
	const struct ibf_ud *ud = ibf_ud(skb);
	struct ibf_switch_pkey details = {
		.lid1 = lrh->slid,
		.lid2 = lrh->dlid,
		.pkey = ud->pkey,
		.qp2 = ud->dqpn & cpu_to_be32(IBF_24),
		.port = port->num,
	};
	u32 sl_qp1 = FIELD_PREP(IBF_NOTICE_SL, FIELD_GET(IBF_LRH_SL, lrh->sl));
	u16 valid = IBF_VALID_LIDS | IBF_VALID_PKEY | IBF_VALID_SL |
		    IBF_VALID_QP2;

	BUILD_BUG_ON(sizeof(details) >
		     sizeof_field(struct ib_mad_notice_attr, details));
	if (ibf_is_told(port, IBF_TRAP_SLOT_PKEY))
		return;
	/* Only datagrams carry the source QP. */
	if (ud->opcode == IBF_UD_SEND_ONLY &&
	    skb_headlen(skb) >= (u8 *)(ud + 1) - skb->data) {
		valid |= IBF_VALID_QP1;
		sl_qp1 |= be32_to_cpu(ud->sqpn) & IBF_24;
	}
	if (grh) {
		valid |= IBF_VALID_GIDS;
		memcpy(details.gid1, &grh->sgid, sizeof(details.gid1));
		memcpy(details.gid2, &grh->dgid, sizeof(details.gid2));
	}
	details.valid = cpu_to_be16(valid);
	details.sl_qp1 = cpu_to_be32(sl_qp1);
	spin_lock_bh(&ibf_lock);
	details.sw_lid = cpu_to_be16(ibf_end_port(port)->lid);
	ibf_trap_raise(port, IBF_TRAP_SLOT_PKEY, IB_NOTICE_TYPE_SECURITY,
		       IBF_TRAP_SWITCH_PKEY, &details, sizeof(details));
	spin_unlock_bh(&ibf_lock);
}

/**
 * ibf_trap_repress - stop the repetition of a trap
 * @node: node that sent the trap
 * @smp: TrapRepress of the subnet manager
 */
void ibf_trap_repress(struct ibf_node *node, const struct ib_smp *smp)
{
	struct ibf_notice *notice;
	u32 num, i;

	lockdep_assert_held(&ibf_lock);
	for (num = 0; num <= node->num_ports; num++) {
		for (i = 0; i < IBF_TRAP_SLOTS; i++) {
			notice = &node->ports[num].notices[i];
			if (notice->tid == smp->tid)
				WRITE_ONCE(notice->left, 0);
		}
	}
}
EXPORT_SYMBOL_IF_KUNIT(ibf_trap_repress);

/* Power off: cancels all pending traps. */
void ibf_trap_forget(struct ibf_node *node)
{
	u32 num;

	lockdep_assert_held(&ibf_lock);
	for (num = 0; num <= node->num_ports; num++)
		memset(node->ports[num].notices, 0,
		       sizeof(node->ports[num].notices));
}

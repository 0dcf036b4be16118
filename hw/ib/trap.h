/* SPDX-License-Identifier: GPL-2.0 */
/* Traps; ibf_lock held but for the work, and those that packets raise. */
#ifndef IBF_TRAP_H
#define IBF_TRAP_H

#include <linux/jiffies.h>
#include <linux/skbuff.h>
#include <rdma/ib_smi.h>

#include "node.h"

#define IBF_TRAP_DELAY	(HZ / 2)	/* interval of repetition */

/**
 * struct ibf_bad_key - a packet that an end port refused for a key
 * @qkey: true: the Q_Key was wrong; false: the P_Key
 * @key: the wrong key
 * @slid: source LID
 * @dlid: destination LID
 * @sl: service level
 * @sqpn: source QP, 0: QP0 or unknown
 * @dqpn: destination QP
 * @grh: GRH of the packet, or NULL
 */
struct ibf_bad_key {
	bool qkey;
	u32 key;
	u16 slid;
	u16 dlid;
	u8 sl;
	u32 sqpn;
	u32 dqpn;
	const struct ib_grh *grh;
};

/* Is there a subnet manager, and a link to reach it? */
static inline bool ibf_trap_can_tell(const struct ibf_port *port)
{
	return port->node->live && port->lid && port->info.master_sm_lid &&
	       port->state == IBF_STATE_ACTIVE;
}

/* trap.c */
void ibf_trap_link_state(struct ibf_node *node);
void ibf_trap_caps(struct ibf_port *port);
void ibf_trap_desc(struct ibf_node *node);
void ibf_trap_integrity(struct ibf_port *port);
void ibf_trap_overrun(struct ibf_port *port);
void ibf_trap_watchdog(struct ibf_port *port);
void ibf_trap_bad_mkey(struct ibf_port *port, const struct ib_smp *smp);
void ibf_trap_bad_key(struct ibf_port *port, const struct ibf_bad_key *what);
void ibf_trap_switch_pkey(struct ibf_port *port, const struct sk_buff *skb);
void ibf_trap_repress(struct ibf_node *node, const struct ib_smp *smp);
void ibf_trap_forget(struct ibf_node *node);

/* trap_work.c */
void ibf_trap_work(struct work_struct *work);

#endif /* IBF_TRAP_H */

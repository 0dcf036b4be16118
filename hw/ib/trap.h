/* SPDX-License-Identifier: GPL-2.0 */
/* Traps; ibf_lock held but for the work, and those that packets raise. */
#ifndef IBF_TRAP_H
#define IBF_TRAP_H

#include <linux/jiffies.h>
#include <linux/skbuff.h>
#include <rdma/ib_smi.h>

#include "node.h"

#define IBF_TRAP_DELAY	(HZ / 2)	/* until one is repeated */

/**
 * struct ibf_bad_key - a packet that an end port refused for a key
 * @qkey: for its Q_Key, else for its P_Key
 * @key: see there
 * @slid: source LID
 * @dlid: destination
 * @sl: service level
 * @sqpn: source QP, 0: unknown, or that
 * @dqpn: destination QP
 * @grh: its GRH, or NULL
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

/* Nobody to tell, or no way to him. */
static inline bool ibf_trap_can_tell(const struct ibf_port *port)
{
	return port->node->live && port->lid && port->info.sm_lid &&
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

/* SPDX-License-Identifier: GPL-2.0 */
/* Management packets that nodes handle without a QP. */
#ifndef IBF_MAD_H
#define IBF_MAD_H

#include <linux/skbuff.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "port.h"
#include "wire.h"

/* dr_smp.c: directed routes, section 14.2.2 */

enum ibf_way {
	IBF_WAY_DROP,
	IBF_WAY_HERE,		/* to the agent of this node */
	IBF_WAY_PORT,		/* out by a port */
	IBF_WAY_LID,		/* on by LID */
};

/**
 * struct ibf_hop - next hop of an SMP
 * @way: kind of hop
 * @port: (IBF_WAY_PORT) port to leave by
 * @lid: (IBF_WAY_LID) destination LID
 */
struct ibf_hop {
	enum ibf_way way;
	u8 port;
	u16 lid;
};

struct ibf_hop ibf_dr_arrived(struct ib_smp *smp, u8 in_port, u8 num_ports);
struct ibf_hop ibf_dr_answer(struct ib_smp *smp, u8 num_ports);

/* mad.c */

/**
 * struct ibf_mad_from - origin of a received MAD
 * @slid: source LID
 * @dlid: destination LID
 * @sl: service level
 * @sqpn: source QP
 * @qpn: destination QP, 0 or 1
 * @pkey: the receiver's P_Key of the same partition
 * @has_grh: @grh is valid
 * @grh: GRH of the packet
 */
struct ibf_mad_from {
	u16 slid;
	u16 dlid;
	u8 sl;
	u32 sqpn;
	u8 qpn;
	u16 pkey;
	bool has_grh;
	struct ib_grh grh;
};

void ibf_mad_receive(struct ibf_port *port, struct sk_buff *skb);
struct sk_buff *ibf_mad_packet(struct ibf_port *from, const struct ib_mad *mad,
			       const struct ibf_mad_from *to);
void ibf_mad_send(struct ibf_port *from, struct sk_buff *skb);
u32 ibf_icrc_seed(const struct ibf_lrh *lrh, const struct ib_grh *grh);

/* agent.c */

enum ibf_answer {
	IBF_PASS,		/* not of this agent: at an HCA for the core */
	IBF_REPLY,
	IBF_CONSUMED,
};

enum ibf_answer ibf_agent(struct ibf_port *in_port, const struct ib_mad *in,
			  struct ib_mad *out);

#endif /* IBF_MAD_H */

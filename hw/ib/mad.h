/* SPDX-License-Identifier: GPL-2.0 */
/* Management packets of a node itself, and what answers them. */
#ifndef IBF_MAD_H
#define IBF_MAD_H

#include <linux/skbuff.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

#include "port.h"
#include "wire.h"

/* dr.c: directed routes, section 14.2.2 */

enum ibf_way {
	IBF_WAY_DROP,
	IBF_WAY_HERE,		/* to the agent of this node */
	IBF_WAY_PORT,		/* out by a port */
	IBF_WAY_LID,		/* on by LID */
};

/**
 * struct ibf_hop - where an SMP goes
 * @way: how
 * @port: (IBF_WAY_PORT) by which
 * @lid: (IBF_WAY_LID) to which
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
 * struct ibf_mad_from - where a MAD came from
 * @slid: LID
 * @dlid: that it was sent to
 * @sl: service level
 * @sqpn: QP
 * @qpn: to which it was sent, 0 or 1
 * @pkey: what the receiver has of its partition
 * @has_grh: @grh is its GRH
 * @grh: see there
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
	IBF_PASS,		/* for somebody else */
	IBF_REPLY,
	IBF_CONSUMED,
};

enum ibf_answer ibf_agent(struct ibf_port *in_port, const struct ib_mad *in,
			  struct ib_mad *out);

#endif /* IBF_MAD_H */

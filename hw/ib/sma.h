/* SPDX-License-Identifier: GPL-2.0 */
/* The subnet management agent; ibf_lock held. */
#ifndef IBF_SMA_H
#define IBF_SMA_H

#include <rdma/ib_smi.h>

#include "mad.h"
#include "node.h"

/**
 * struct ibf_query - a Get or Set of the SMA
 * @node: that is asked
 * @port: that it is asked as: the HCA's port, or port 0 of a switch
 * @in_port: that the SMP came in by
 * @set: else it is a Get
 * @mod: attribute modifier
 * @data: 64 bytes: what is to be set, and the answer
 */
struct ibf_query {
	struct ibf_node *node;
	struct ibf_port *port;
	struct ibf_port *in_port;
	bool set;
	u32 mod;
	u8 *data;
};

enum ibf_answer ibf_sma(struct ibf_port *in_port, const struct ib_smp *in,
			struct ib_smp *out);
u16 ibf_sma_port_info(struct ibf_query *query);
u16 ibf_sma_pkeys(struct ibf_query *query);
u16 ibf_sma_sl2vl(struct ibf_query *query);
u16 ibf_sma_vlarb(struct ibf_query *query);
u16 ibf_sma_lft(struct ibf_query *query);
u16 ibf_sma_mft(struct ibf_query *query);
u16 ibf_sma_guids(struct ibf_query *query);
void ibf_port_info_init(struct ibf_port *port);
void ibf_port_info_get(struct ibf_port *port, struct ibf_port_info *info);

#endif /* IBF_SMA_H */

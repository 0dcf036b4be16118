/* SPDX-License-Identifier: GPL-2.0 */
/* The subnet management agent; ibf_lock held. */
#ifndef IBF_SMA_H
#define IBF_SMA_H

#include <rdma/ib_smi.h>

#include "mad.h"
#include "node.h"

/**
 * struct ibf_query - a Get or Set of the SMA
 * @node: node that is queried
 * @port: end port that is queried: the HCA's port, or port 0 of a switch
 * @in_port: port that received the SMP
 * @set: true: Set; false: Get
 * @mod: attribute modifier
 * @data: 64 bytes: the values of a Set; filled with the reply
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

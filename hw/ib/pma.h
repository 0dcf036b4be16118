/* SPDX-License-Identifier: GPL-2.0 */
/* The performance management agent. */
#ifndef IBF_PMA_H
#define IBF_PMA_H

#include <rdma/ib_pma.h>

#include "mad.h"
#include "node.h"

/* pma.c */
enum ibf_answer ibf_pma(struct ibf_port *in_port, const struct ib_mad *in,
			struct ib_mad *out);

/* pma_count.c; ibf_lock held */

/**
 * struct ibf_selection - ports that a query covers
 * @node: node of the ports
 * @first: first port
 * @last: last port
 */
struct ibf_selection {
	struct ibf_node *node;
	u8 first;
	u8 last;
};

bool ibf_pma_ports(const struct ibf_node *node, u8 select, u8 *first, u8 *last);
bool ibf_pma_select(struct ibf_port *in_port, u8 select,
		    struct ibf_selection *ports);
u64 ibf_pma_value(const struct ibf_selection *ports, enum ibf_count count);
void ibf_pma_clear(const struct ibf_selection *ports, enum ibf_count count);

/* pma_optional.c; ibf_lock held */
u16 ibf_pma_optional(struct ibf_port *in_port, __be16 attr_id, u8 *data,
		     bool set);

/* pma_sample.c; ibf_lock held but for the last two */
u16 ibf_sample_control(struct ibf_node *node, u8 *data, bool set);
void ibf_sample_result(struct ibf_node *node, u8 *data, bool extended);
void ibf_sample_init(struct ibf_node *node);
void ibf_sample_stop(struct ibf_node *node);

#endif /* IBF_PMA_H */

// SPDX-License-Identifier: GPL-2.0
/* Kernels from 7.x on have no opa_vnic: a port has no interfaces, and raw packets no taker. */
#include "node.h"
#include "vnic.h"

void ibf_vnic_setup(struct ibf_node *node)
{
}

void ibf_vnic_receive(struct ibf_port *port, struct sk_buff *skb)
{
	ibf_count_error(port, IBF_RCV_MALFORMED);
	kfree_skb(skb);
}

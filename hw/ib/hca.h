/* SPDX-License-Identifier: GPL-2.0 */
/* HCAs: devices of the engine, with this driver as their link. */
#ifndef IBF_HCA_H
#define IBF_HCA_H

#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>

#include "../ibt/link.h"

struct ibf_node;
struct ibf_port;

/* hca.c */
int ibf_hca_start(struct ibf_node *node);
void ibf_hca_stop(struct ibf_node *node);
void ibf_hca_receive(struct ibf_port *port, struct sk_buff *skb);

/* hca_ops.c */
extern const struct ib_device_ops ibf_ib_ops;
void ibf_dealloc(struct ibt_dev *dev);

/* link.c */
extern const struct ibt_link_ops ibf_link;

/* offload.c */
extern const struct ibt_offload ibf_offload;

#endif /* IBF_HCA_H */

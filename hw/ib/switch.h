/* SPDX-License-Identifier: GPL-2.0 */
/* Forwarding in a switch. */
#ifndef IBF_SWITCH_H
#define IBF_SWITCH_H

#include <linux/skbuff.h>

struct ibf_node;
struct ibf_port;

bool ibf_switch_receive(struct ibf_port *port, struct sk_buff *skb);
void ibf_switch_send(struct ibf_node *node, struct sk_buff *skb);
u16 ibf_pkey_match(const struct ibf_port *port, u16 pkey);

#endif /* IBF_SWITCH_H */

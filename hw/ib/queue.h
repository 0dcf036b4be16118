/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of a port: waiting, under way, and arriving. */
#ifndef IBF_QUEUE_H
#define IBF_QUEUE_H

#include <linux/skbuff.h>

#include "port.h"

/* queue.c */
bool ibf_enqueue(struct ibf_port *port, struct sk_buff *skb, u32 queue,
		 struct ibf_port *held, u8 held_vl);
int ibf_enqueue_hca(struct ibf_port *port, struct sk_buff *skb, u32 queue,
		    u32 byte_ps);
void ibf_purge(struct ibf_port *port);
u32 ibf_purge_out(struct ibf_port *port, u32 end);
void ibf_drop(struct sk_buff *skb);
void ibf_say_room(struct ibf_port *port);
void ibf_release(struct ibf_port *held, u8 vl);

/* pump.c */
void ibf_queues_init(struct ibf_port *port);
void ibf_queues_exit(struct ibf_port *port);

/* receive.c */
void ibf_receive(struct ibf_port *port, struct sk_buff *skb);

/* cable_impair.c */
void ibf_wire_init(struct ibf_port *port);
void ibf_wire_exit(struct ibf_port *port);
bool ibf_wire_ready(struct ibf_port *port);
void ibf_wire_idle(struct ibf_port *port);
void ibf_wire_send(struct ibf_port *port, struct ibf_port *peer,
		   struct sk_buff *skb, u8 vl);
void ibf_wire_land(struct ibf_port *port, struct ibf_port *peer);

#endif /* IBF_QUEUE_H */

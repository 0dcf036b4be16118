// SPDX-License-Identifier: GPL-2.0
/* Packets that wait to be sent by a port, and the credits that they hold (pump.c). */
#include "packet.h"
#include "queue.h"
#include "vnic.h"

/**
 * ibf_release - return a credit: a packet has left a node
 * @held: port where the packet held the credit, or NULL: it held none
 * @vl: VL of the credit
 *
 * Wakes the far end of @held, which may wait for the credit.
 *
 * Context: any but hard interrupt; an RCU reader.
 */
void ibf_release(struct ibf_port *held, u8 vl)
{
	struct ibf_port *upstream;

	if (!held || atomic_dec_return(&held->used[vl]) != IBF_CREDITS - 1)
		return;
	/*
	 * The credit must be visible before the pump looks. The full barrier of
	 * tasklet_schedule() pairs with that of the tasklet, which clears its state
	 * before it runs.
	 */
	upstream = rcu_dereference(held->peer);
	if (!upstream)
		return;
	/* The peer of a tunnel learns of credits by hellos. */
	if (!held->tunnel && !upstream->tunnel) {
		ibf_count(held, IBF_FLOW_XMIT);
		ibf_count(upstream, IBF_FLOW_RCV);
	}
	tasklet_schedule(&upstream->pump);
}

/**
 * ibf_drop - drop a packet of a queue and return its credit
 * @skb: not in the queue any more; consumed
 *
 * Context: any but hard interrupt; an RCU reader.
 */
void ibf_drop(struct sk_buff *skb)
{
	struct ibf_cb cb = *ibf_cb(skb);

	kfree_skb(skb);
	ibf_release(cb.held, cb.vl);
}

static void ibf_purge_queue(struct sk_buff_head *queue, struct sk_buff_head *to)
{
	skb_queue_splice_tail_init(queue, to);
}

/**
 * ibf_purge_out - drop the packets of some queues, and those under way
 * @port: port with the queues
 * @end: number of queues, from the first on
 *
 * Context: any but hard interrupt; an RCU reader.
 * Return: how many packets were dropped.
 */
u32 ibf_purge_out(struct ibf_port *port, u32 end)
{
	struct sk_buff_head gone;
	struct sk_buff *skb;
	u32 i, num;

	__skb_queue_head_init(&gone);
	spin_lock_bh(&port->lock);
	for (i = 0; i < end; i++)
		ibf_purge_queue(&port->out[i], &gone);
	ibf_purge_queue(&port->wire.flight, &gone);
	spin_unlock_bh(&port->lock);
	num = skb_queue_len(&gone);
	while ((skb = __skb_dequeue(&gone)))
		ibf_drop(skb);
	return num;
}

static bool ibf_has_room(const struct ibf_port *port)
{
	u32 i, waiting = 0;

	lockdep_assert_held(&port->lock);
	for (i = 0; i < IBF_QUEUES; i++)
		if (i != IBF_QUEUE_VL15)
			waiting += skb_queue_len(&port->out[i]);
	return waiting <= IBF_SOFT_LIMIT / 2;
}

/**
 * ibf_say_room - wake the engine and the interfaces if they wait and the queues have room
 * @port: the port
 *
 * Context: any but hard interrupt; an RCU reader, so that the engine's port exists.
 */
void ibf_say_room(struct ibf_port *port)
{
	struct ibt_port *ibt = READ_ONCE(port->ibt);
	bool say = false;

	spin_lock_bh(&port->lock);
	if (port->full && ibf_has_room(port)) {
		port->full = false;
		say = true;
	}
	spin_unlock_bh(&port->lock);
	if (say && ibt)
		ibt_tx_wake(ibt);
	if (say)
		ibf_vnic_wake(port);
}

/**
 * ibf_purge - drop all packets that wait to be sent
 * @port: port with its link down
 *
 * Context: any; ibf_lock may be held.
 */
void ibf_purge(struct ibf_port *port)
{
	u32 num;

	rcu_read_lock();
	num = ibf_purge_out(port, IBF_QUEUES);
	ibf_count_discards(port, IBF_DISCARD_INACTIVE, num);
	ibf_say_room(port);
	rcu_read_unlock();
}

/**
 * ibf_enqueue - queue a packet at a port of a switch
 * @port: port to leave by
 * @skb: data at the LRH; consumed
 * @queue: VL, or IBF_QUEUE_VL15
 * @held: (data VLs) port that received the packet; it holds a credit there from now on
 * @held_vl: VL of that credit
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 * Return: false: VL15 is full, the packet is dropped.
 */
bool ibf_enqueue(struct ibf_port *port, struct sk_buff *skb, u32 queue,
		 struct ibf_port *held, u8 held_vl)
{
	bool fits = true;

	*ibf_cb(skb) = (struct ibf_cb){ .held = held, .vl = held_vl };
	if (held)
		atomic_inc(&held->used[held_vl]);
	spin_lock_bh(&port->lock);
	if (queue == IBF_QUEUE_VL15 || !held)
		fits = skb_queue_len(&port->out[queue]) < IBF_VL15_LIMIT;
	if (fits)
		__skb_queue_tail(&port->out[queue], skb);
	spin_unlock_bh(&port->lock);
	if (!fits) {
		ibf_count(port, queue == IBF_QUEUE_VL15 ? IBF_VL15_DROPPED :
							  IBF_XMIT_DISCARDS);
		ibf_drop(skb);
		return false;
	}
	tasklet_schedule(&port->pump);
	return true;
}

/**
 * ibf_enqueue_hca - queue a packet at a port of an HCA
 * @port: port to leave by
 * @skb: data at the LRH; consumed
 * @queue: VL, IBF_QUEUE_VL15, or IBF_QUEUE_LOOP: to the port itself
 * @byte_ps: as in struct ibf_cb
 *
 * Context: any but hard interrupt.
 * Return: 0, or -EAGAIN as for ibt_link_ops.xmit.
 */
int ibf_enqueue_hca(struct ibf_port *port, struct sk_buff *skb, u32 queue,
		    u32 byte_ps)
{
	const bool management = queue == IBF_QUEUE_VL15;
	u32 limit = management ? IBF_VL15_LIMIT : IBF_HARD_LIMIT;
	struct sk_buff_head *out = &port->out[queue];
	bool fits, full = false;

	*ibf_cb(skb) = (struct ibf_cb){ .byte_ps = byte_ps };
	spin_lock_bh(&port->lock);
	fits = skb_queue_len(out) < limit;
	if (fits)
		__skb_queue_tail(out, skb);
	if (!management && skb_queue_len(out) >= IBF_SOFT_LIMIT) {
		port->full = true;
		full = true;
	}
	spin_unlock_bh(&port->lock);
	if (!fits) {
		ibf_count(port, management ? IBF_VL15_DROPPED :
					     IBF_XMIT_DISCARDS);
		kfree_skb(skb);
	}
	tasklet_schedule(&port->pump);
	return full ? -EAGAIN : 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Packets on their way from a port to the one at the far end of its cable.
 *
 * A port has a queue for each data VL (queue.c). The receiver of a cable takes
 * IBF_CREDITS packets of each; one that came in at a switch holds its credit until it has
 * left the switch, so what is congested waits, back to the engine of the sender, and
 * nothing is lost (section 7.9). VL15 has no credits, and may be (7.6).
 *
 * A packet that stands at the head of a queue of a switch for longer than HOQLife
 * is dropped (18.2.5.4): a circle of switches that wait for each other resolves. Its
 * time is counted in ticks of the port's timer: the time that the host was not here
 * itself is one tick, and the credits that have come meanwhile are seen first.
 */
#include <linux/jiffies.h>

#include "hca.h"
#include "node.h"
#include "packet.h"
#include "queue.h"
#include "tunnel.h"

/* Packets that a port sends in one go. */
#define BUDGET	64
/* Ticks in HOQLife. */
#define HOQ_TICKS	8

/* The head of a data VL without credit: how long has it been there? */
static bool is_overdue(struct ibf_port *port, struct sk_buff *skb, u32 vl)
{
	struct ibf_cb *cb = ibf_cb(skb);
	unsigned long life = READ_ONCE(port->hoq_life);

	lockdep_assert_held(&port->lock);
	if (!cb->waits) {
		cb->waits = true;
		cb->since = port->hoq_ticks;
		ibf_count(port, IBF_XMIT_WAIT);
		ibf_count(port, IBF_VL_WAIT + vl);
	}
	if (!life || !port->node->is_switch)
		return false;
	/* The first tick was on its way already. */
	if (port->hoq_ticks - cb->since > HOQ_TICKS)
		return true;
	if (!timer_pending(&port->hoq))
		mod_timer(&port->hoq,
			  jiffies + DIV_ROUND_UP(life, HOQ_TICKS));
	return false;
}

/* Out of the data VLs, in turn. @overdue gets what has waited for too long. */
static struct sk_buff *take_data(struct ibf_port *port, struct ibf_port *peer,
				 u32 *queue, struct sk_buff_head *overdue)
{
	struct sk_buff *skb;
	u32 i, vl;

	lockdep_assert_held(&port->lock);
	for (i = 0; i < IBF_DATA_VLS; i++) {
		vl = (port->next_vl + i) % IBF_DATA_VLS;
		while ((skb = skb_peek(&port->out[vl]))) {
			if (atomic_read(&peer->used[vl]) < IBF_CREDITS) {
				port->next_vl = vl + 1;
				*queue = vl;
				return __skb_dequeue(&port->out[vl]);
			}
			if (!is_overdue(port, skb, vl))
				break;
			__skb_queue_tail(overdue,
					 __skb_dequeue(&port->out[vl]));
		}
	}
	return NULL;
}

static struct sk_buff *take(struct ibf_port *port, struct ibf_port *peer,
			    u32 *queue)
{
	struct sk_buff_head overdue;
	struct sk_buff *skb, *old;

	__skb_queue_head_init(&overdue);
	spin_lock(&port->lock);
	*queue = IBF_QUEUE_LOOP;
	skb = __skb_dequeue(&port->out[*queue]);
	if (!skb && peer) {
		*queue = IBF_QUEUE_VL15;
		skb = __skb_dequeue(&port->out[*queue]);
	}
	if (!skb && peer)
		skb = take_data(port, peer, queue, &overdue);
	spin_unlock(&port->lock);
	while ((old = __skb_dequeue(&overdue))) {
		ibf_count_discards(port, IBF_DISCARD_HOQ, 1);
		ibf_drop(old);
	}
	return skb;
}

static void send_one(struct ibf_port *port, struct ibf_port *peer,
		     struct sk_buff *skb, u32 queue)
{
	struct ibf_cb cb = *ibf_cb(skb);
	u8 vl = queue == IBF_QUEUE_VL15 ? 15 : queue;

	if (queue == IBF_QUEUE_LOOP) {
		ibf_hca_receive(port, skb);
		return;
	}
	ibf_lrh(skb)->vl = FIELD_PREP(IBF_LRH_VL, vl);
	ibf_count_packet(port, skb, true);
	if (unlikely(READ_ONCE(port->wire.active)))
		ibf_wire_send(port, peer, skb, vl);
	else
		ibf_receive(peer, skb);
	ibf_release(cb.held, cb.vl);
	if (unlikely(port->tunnel) && ibf_tunnel_took(port, queue))
		ibf_tunnel_say_hello(port->tunnel);
}

static bool send_next(struct ibf_port *port, struct ibf_port *peer)
{
	bool slow = peer && unlikely(READ_ONCE(port->wire.active));
	bool ready = !slow || ibf_wire_ready(port);
	struct sk_buff *skb;
	u32 queue;

	/* To the port itself it may send at any time. */
	skb = take(port, ready ? peer : NULL, &queue);
	if (skb)
		send_one(port, peer, skb, queue);
	else if (slow && ready)
		ibf_wire_idle(port);
	return skb;
}

/* What is left when the budget is spent has its turn behind other softirqs. */
static void pump(struct tasklet_struct *tasklet)
{
	struct ibf_port *port = from_tasklet(port, tasklet, pump);
	struct ibf_port *peer;
	u32 budget = BUDGET;

	rcu_read_lock();
	peer = rcu_dereference(port->peer);
	if (peer && unlikely(READ_ONCE(port->wire.active)))
		ibf_wire_land(port, peer);
	while (budget && send_next(port, peer))
		budget--;
	if (!peer)
		ibf_count_discards(port, IBF_DISCARD_INACTIVE,
				   ibf_purge_out(port, IBF_QUEUE_LOOP));
	else if (unlikely(READ_ONCE(port->wire.active)))
		ibf_wire_land(port, peer);
	if (!budget)
		tasklet_schedule(&port->pump);
	ibf_say_room(port);
	rcu_read_unlock();
}

static void hoq_expired(struct timer_list *timer)
{
	struct ibf_port *port = from_timer(port, timer, hoq);

	spin_lock(&port->lock);
	port->hoq_ticks++;
	spin_unlock(&port->lock);
	tasklet_schedule(&port->pump);
}

/* Of a port that begins. */
void ibf_queues_init(struct ibf_port *port)
{
	u32 i;

	spin_lock_init(&port->lock);
	for (i = 0; i < IBF_QUEUES; i++)
		__skb_queue_head_init(&port->out[i]);
	tasklet_setup(&port->pump, pump);
	timer_setup(&port->hoq, hoq_expired, 0);
	ibf_wire_init(port);
}

/* A grace period ago nobody knew @port any more. */
void ibf_queues_exit(struct ibf_port *port)
{
	timer_shutdown_sync(&port->hoq);
	ibf_wire_exit(port);
	tasklet_kill(&port->pump);
	ibf_purge(port);
}

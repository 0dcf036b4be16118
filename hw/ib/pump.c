// SPDX-License-Identifier: GPL-2.0
/*
 * Transmission from a port to the far end of its cable.
 *
 * A port has a queue for each data VL (queue.c). The receiver of a cable grants
 * IBF_CREDITS packets of each VL. A packet that a switch receives holds its credit until
 * it has left the switch. Congestion so spreads back to the engine of the sender, and
 * no data packet is lost (section 7.9). VL15 has no credits, and may be dropped (7.6).
 *
 * A switch drops a packet that stands at the head of a queue for longer than HOQLife
 * (18.2.5.4): this resolves a deadlock of switches that wait for each other. The time
 * is counted in ticks of the port's timer. A pause of the host itself is one tick, and
 * the pump sees the credits that have come meanwhile first.
 */
#include <linux/jiffies.h>

#include "hca.h"
#include "node.h"
#include "packet.h"
#include "queue.h"
#include "tunnel.h"

/* Packets that one execution of the tasklet sends. */
#define BUDGET	64
/* Ticks in HOQLife. */
#define HOQ_TICKS	8

/* Has the head of a data VL waited for a credit for longer than HOQLife? */
static bool ibf_is_overdue(struct ibf_port *port, struct sk_buff *skb, u32 vl)
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
	/* The current tick had begun before @since: it does not count. */
	if (port->hoq_ticks - cb->since > HOQ_TICKS)
		return true;
	if (!timer_pending(&port->hoq))
		mod_timer(&port->hoq,
			  jiffies + DIV_ROUND_UP(life, HOQ_TICKS));
	return false;
}

/*
 * Takes the next packet of the data VLs, in round-robin order. Packets that exceed
 * HOQLife are moved to @overdue.
 */
static struct sk_buff *ibf_take_data(struct ibf_port *port, struct ibf_port *peer,
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
			if (!ibf_is_overdue(port, skb, vl))
				break;
			__skb_queue_tail(overdue,
					 __skb_dequeue(&port->out[vl]));
		}
	}
	return NULL;
}

static struct sk_buff *ibf_pump_take(struct ibf_port *port, struct ibf_port *peer,
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
		skb = ibf_take_data(port, peer, queue, &overdue);
	spin_unlock(&port->lock);
	while ((old = __skb_dequeue(&overdue))) {
		ibf_count_discards(port, IBF_DISCARD_HOQ, 1);
		ibf_drop(old);
	}
	return skb;
}

static void ibf_send_one(struct ibf_port *port, struct ibf_port *peer,
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

static bool ibf_send_next(struct ibf_port *port, struct ibf_port *peer)
{
	bool slow = peer && unlikely(READ_ONCE(port->wire.active));
	bool ready = !slow || ibf_wire_ready(port);
	struct sk_buff *skb;
	u32 queue;

	/* The loopback queue does not depend on the link. */
	skb = ibf_pump_take(port, ready ? peer : NULL, &queue);
	if (skb)
		ibf_send_one(port, peer, skb, queue);
	else if (slow && ready)
		ibf_wire_idle(port);
	return skb;
}

/* Schedules itself again when the budget is spent, so that other softirqs can run. */
static void ibf_pump_pump(struct tasklet_struct *tasklet)
{
	struct ibf_port *port = from_tasklet(port, tasklet, pump);
	struct ibf_port *peer;
	u32 budget = BUDGET;

	rcu_read_lock();
	peer = rcu_dereference(port->peer);
	if (peer && unlikely(READ_ONCE(port->wire.active)))
		ibf_wire_land(port, peer);
	while (budget && ibf_send_next(port, peer))
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

static void ibf_hoq_expired(struct timer_list *timer)
{
	struct ibf_port *port = timer_container_of(port, timer, hoq);

	spin_lock(&port->lock);
	port->hoq_ticks++;
	spin_unlock(&port->lock);
	tasklet_schedule(&port->pump);
}

void ibf_queues_init(struct ibf_port *port)
{
	u32 i;

	spin_lock_init(&port->lock);
	for (i = 0; i < IBF_QUEUES; i++)
		__skb_queue_head_init(&port->out[i]);
	tasklet_setup(&port->pump, ibf_pump_pump);
	timer_setup(&port->hoq, ibf_hoq_expired, 0);
	ibf_wire_init(port);
}

/* The caller has waited for a grace period since the last user could find @port. */
void ibf_queues_exit(struct ibf_port *port)
{
	timer_shutdown_sync(&port->hoq);
	ibf_wire_exit(port);
	tasklet_kill(&port->pump);
	ibf_purge(port);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Packets on their way from a port to the one at the far end of its cable.
 *
 * A port has a queue for each data VL. The receiver of a cable takes IBF_CREDITS
 * packets of each; one that came in at a switch holds its credit until it has left
 * the switch, so what is congested waits, back to the engine of the sender, and
 * nothing is lost (section 7.9). VL15 has no credits, and may be (7.6).
 *
 * A packet that stands at the head of a queue of a switch for longer than HOQLife
 * is dropped (18.2.5.4): a circle of switches that wait for each other resolves. Its
 * time is counted in ticks of the port's timer: the time that the host was not here
 * itself is one tick, and the credits that have come meanwhile are seen first.
 */
#include <kunit/visibility.h>
#include <linux/jiffies.h>

#include "ib.h"

/* Packets that a port sends in one go. */
#define BUDGET	64
/* Ticks in HOQLife. */
#define HOQ_TICKS	8

/**
 * ibf_release - a packet has left a node: who sends to that may go on
 * @held: port whose credit it held, or NULL
 * @vl: of that credit
 *
 * Context: any but hard interrupt; an RCU reader.
 */
void ibf_release(struct ibf_port *held, u8 vl)
{
	struct ibf_port *upstream;

	if (!held || atomic_dec_return(&held->used[vl]) != IBF_CREDITS - 1)
		return;
	/*
	 * The counter first, then this: the full barrier of tasklet_schedule() pairs
	 * with the one that clears the tasklet's state before it looks.
	 */
	upstream = rcu_dereference(held->peer);
	if (!upstream)
		return;
	/* By a tunnel it is told in a hello. */
	if (!held->tunnel && !upstream->tunnel) {
		ibf_count(held, IBF_FLOW_XMIT);
		ibf_count(upstream, IBF_FLOW_RCV);
	}
	tasklet_schedule(&upstream->pump);
}

static void drop(struct sk_buff *skb)
{
	struct ibf_cb cb = *ibf_cb(skb);

	kfree_skb(skb);
	ibf_release(cb.held, cb.vl);
}

static void purge_queue(struct sk_buff_head *queue, struct sk_buff_head *to)
{
	skb_queue_splice_tail_init(queue, to);
}

static u32 purge_out(struct ibf_port *port, u32 end)
{
	struct sk_buff_head gone;
	struct sk_buff *skb;
	u32 i, num;

	__skb_queue_head_init(&gone);
	spin_lock_bh(&port->lock);
	for (i = 0; i < end; i++)
		purge_queue(&port->out[i], &gone);
	purge_queue(&port->wire.flight, &gone);
	spin_unlock_bh(&port->lock);
	num = skb_queue_len(&gone);
	while ((skb = __skb_dequeue(&gone)))
		drop(skb);
	return num;
}

static bool has_room(const struct ibf_port *port)
{
	u32 i, waiting = 0;

	lockdep_assert_held(&port->lock);
	for (i = 0; i < IBF_QUEUES; i++)
		if (i != IBF_QUEUE_VL15)
			waiting += skb_queue_len(&port->out[i]);
	return waiting <= IBF_SOFT_LIMIT / 2;
}

/* RCU is held: the engine's part does not go meanwhile. */
static void say_room(struct ibf_port *port)
{
	struct ibt_port *ibt = READ_ONCE(port->ibt);
	bool say = false;

	spin_lock_bh(&port->lock);
	if (port->full && has_room(port)) {
		port->full = false;
		say = true;
	}
	spin_unlock_bh(&port->lock);
	if (say && ibt)
		ibt_tx_room(ibt);
}

/**
 * ibf_purge - drop what waits to be sent
 * @port: whose link is down
 *
 * Context: any; ibf_lock may be held.
 */
void ibf_purge(struct ibf_port *port)
{
	u32 num;

	rcu_read_lock();
	num = purge_out(port, IBF_QUEUES);
	ibf_count_discards(port, IBF_DISCARD_INACTIVE, num);
	say_room(port);
	rcu_read_unlock();
}

/* ---- to be sent ------------------------------------------------------------------ */

/**
 * ibf_enqueue - have a switch send a packet
 * @port: by which
 * @skb: data at the LRH; consumed
 * @queue: VL, or IBF_QUEUE_VL15
 * @held: (data VLs) port that it came in by; it holds one credit there from now on
 * @held_vl: of which VL
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
		drop(skb);
		return false;
	}
	tasklet_schedule(&port->pump);
	return true;
}

/**
 * ibf_enqueue_hca - have an HCA send a packet
 * @port: by which
 * @skb: data at the LRH; consumed
 * @queue: VL, IBF_QUEUE_VL15, or IBF_QUEUE_LOOP: to the port itself
 * @byte_ps: as in struct ibf_cb
 *
 * Context: any but hard interrupt.
 * Return: 0, or -EAGAIN as of ibt_link_ops.xmit.
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

/* ---- sending -------------------------------------------------------------------------- */

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
		drop(old);
	}
	return skb;
}

/* What came in, where it has an opcode that is looked for. */
static void count_opcode(struct ibf_port *port, const struct sk_buff *skb)
{
	u8 vl = FIELD_GET(IBF_LRH_VL, ibf_lrh(skb)->vl);
	u8 opcode = ibf_ud(skb)->opcode;

	if (opcode == READ_ONCE(port->opcodes[IBF_OP_RCV])) {
		ibf_count(port, IBF_OP_PKTS);
		ibf_count_more(port, IBF_OP_DATA, skb->len / 4);
	}
	if (opcode == READ_ONCE(port->opcodes[IBF_OP_VL_PKTS]))
		ibf_count(port, IBF_VL_OP_PKTS + vl);
	if (opcode == READ_ONCE(port->opcodes[IBF_OP_VL_DATA]))
		ibf_count_more(port, IBF_VL_OP_DATA + vl, skb->len / 4);
}

static void count_packet(struct ibf_port *port, const struct sk_buff *skb,
			 bool sent)
{
	bool mcast = ibf_is_mcast(be16_to_cpu(ibf_lrh(skb)->dlid));
	u8 sl = FIELD_GET(IBF_LRH_SL, ibf_lrh(skb)->sl);

	ibf_count(port, sent ? IBF_XMIT_PKTS : IBF_RCV_PKTS);
	ibf_count_more(port, sent ? IBF_XMIT_DATA : IBF_RCV_DATA,
		       skb->len / 4);
	ibf_count_more(port, (sent ? IBF_SL_XMIT : IBF_SL_RCV) + sl,
		       skb->len / 4);
	if (mcast)
		ibf_count(port, sent ? IBF_MCAST_XMIT : IBF_MCAST_RCV);
	else
		ibf_count(port, sent ? IBF_UNICAST_XMIT : IBF_UNICAST_RCV);
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
	count_packet(port, skb, true);
	if (unlikely(READ_ONCE(port->wire.active)))
		ibf_wire_send(port, peer, skb, vl);
	else
		ibf_receive(peer, skb);
	ibf_release(cb.held, cb.vl);
	if (unlikely(port->tunnel))
		ibf_tunnel_took(port, queue);
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
				   purge_out(port, IBF_QUEUE_LOOP));
	else if (unlikely(READ_ONCE(port->wire.active)))
		ibf_wire_land(port, peer);
	if (!budget)
		tasklet_schedule(&port->pump);
	say_room(port);
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

/* ---- receiving -------------------------------------------------------------------------- */

/* Headers and lengths fit together, and are linear as far as the BTH goes. */
static bool is_well_formed(struct sk_buff *skb)
{
	const struct ib_grh *grh;
	const struct ibf_lrh *lrh;
	u32 front = sizeof(*lrh);
	u8 next;

	if (!pskb_may_pull(skb, front + IBF_BTH_BYTES + IBT_ICRC_BYTES))
		return false;
	lrh = ibf_lrh(skb);
	next = FIELD_GET(IBF_LRH_LNH, lrh->sl);
	if (FIELD_GET(IBF_LRH_LVER, lrh->vl) ||
	    FIELD_GET(IBF_LRH_LENGTH, be16_to_cpu(lrh->length)) * 4 != skb->len)
		return false;
	if (next == IBF_LNH_LOCAL)
		return true;
	front += sizeof(*grh);
	if (next != IBF_LNH_GLOBAL ||
	    !pskb_may_pull(skb, front + IBF_BTH_BYTES + IBT_ICRC_BYTES))
		return false;
	grh = (const void *)(skb->data + sizeof(*lrh));
	return be32_to_cpu(grh->version_tclass_flow) >> IB_GRH_VERSION_SHIFT ==
			IB_GRH_VERSION &&
	       grh->next_hdr == IB_GRH_NEXT_HDR &&
	       be16_to_cpu(grh->paylen) == skb->len - front;
}

/**
 * ibf_receive - a packet comes in by a port
 * @port: the port
 * @skb: data at the LRH, not shared; any bytes; consumed
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_receive(struct ibf_port *port, struct sk_buff *skb)
{
	if (!is_well_formed(skb)) {
		ibf_count_error(port, IBF_RCV_MALFORMED);
		kfree_skb(skb);
		return;
	}
	count_packet(port, skb, false);
	count_opcode(port, skb);
	if (port->node->is_switch)
		ibf_switch_receive(port, skb);
	else if (unlikely(port->tunnel))
		ibf_tunnel_send(port, skb);
	else
		ibf_hca_receive(port, skb);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_receive);

/* ---- life --------------------------------------------------------------------------------- */

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

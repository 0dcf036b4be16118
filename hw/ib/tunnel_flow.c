// SPDX-License-Identifier: GPL-2.0
/*
 * Data packets of a tunnel and their credits: section 7.9.4, counted in packets. The
 * receiver of a VL announces the number up to which the sender may send: the packets
 * received so far and its free space. The sender announces how many packets it has sent,
 * so that the receiver does not wait for those that the network lost. Each hello repeats
 * both. A hello may overtake packets on their way out, so it announces only packets that
 * were sent at least a tick ago.
 */
#include <kunit/visibility.h>

#include "packet.h"
#include "queue.h"
#include "tunnel.h"

/* Index of a VL in ibf_tunnel.flows. IBF_TUNNEL_VLS: there is no such VL. */
static u32 ibf_index_of(u8 vl)
{
	if (vl == 15)
		return IBF_DATA_VLS;
	return vl < IBF_DATA_VLS ? vl : IBF_TUNNEL_VLS;
}

/* ---- credits ---------------------------------------------------------------------------- */

/* It only grows: a packet that came is in the queue, or has left it. */
static u32 ibf_tunnel_flow_room(const struct ibf_tunnel *t, u32 vl)
{
	return t->flows[vl].received + IBF_CREDITS -
	       skb_queue_len_lockless(&ibf_tunnel_far(t)->out[vl]);
}

/**
 * ibf_tunnel_flow_told - fill in the credits and the packet counts of a hello
 * @t: the tunnel
 * @hello: its @room and @sent are filled in
 *
 * Context: softirqs disabled; ibf_lock is held.
 */
void ibf_tunnel_flow_told(struct ibf_tunnel *t, struct ibf_hello *hello)
{
	u32 i;

	spin_lock(&t->lock);
	hello->echo = cpu_to_be64(t->peer_session);
	for (i = 0; i < IBF_TUNNEL_VLS; i++)
		hello->sent[i] = cpu_to_be32(t->flows[i].settled);
	for (i = 0; i < IBF_DATA_VLS; i++) {
		t->flows[i].told = ibf_tunnel_flow_room(t, i);
		hello->room[i] = cpu_to_be32(t->flows[i].told);
	}
	spin_unlock(&t->lock);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_tunnel_flow_told);

/**
 * ibf_tunnel_settle - a tick: packets sent before the last tick are received or lost
 * @t: the tunnel
 *
 * Context: softirqs disabled.
 */
void ibf_tunnel_settle(struct ibf_tunnel *t)
{
	struct ibf_flow *flow;

	spin_lock(&t->lock);
	for (flow = t->flows; flow < t->flows + IBF_TUNNEL_VLS; flow++) {
		flow->settled = flow->before;
		flow->before = flow->sent;
	}
	spin_unlock(&t->lock);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_tunnel_settle);

/* The port sends while the stand-in has less than IBF_CREDITS in use. */
static void ibf_set_credits(struct ibf_tunnel *t, u32 vl, u32 limit)
{
	s32 left = limit - t->flows[vl].sent;

	left = clamp(left, 0, IBF_CREDITS);
	atomic_set(&ibf_tunnel_far(t)->used[vl], IBF_CREDITS - left);
}

/**
 * ibf_tunnel_flow_heard - apply the credits and the packet counts of a hello
 * @t: the tunnel
 * @hello: of the peer
 * @anew: a session begins
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_tunnel_flow_heard(struct ibf_tunnel *t, const struct ibf_hello *hello,
			   bool anew)
{
	struct ibf_port *near;
	u32 i;

	spin_lock(&t->lock);
	if (anew)
		t->peer_session = be64_to_cpu(hello->frame.session);
	for (i = 0; i < IBF_TUNNEL_VLS; i++) {
		u32 sent = be32_to_cpu(hello->sent[i]);

		if (anew || (s32)(sent - t->flows[i].received) > 0)
			t->flows[i].received = sent;
	}
	for (i = 0; i < IBF_DATA_VLS; i++)
		ibf_set_credits(t, i, be32_to_cpu(hello->room[i]));
	spin_unlock(&t->lock);
	near = rcu_dereference(ibf_tunnel_far(t)->peer);
	if (!near)
		return;
	ibf_count(near, IBF_FLOW_RCV);
	tasklet_schedule(&near->pump);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_tunnel_flow_heard);

/**
 * ibf_tunnel_took - the local port has received a packet from the stand-in
 * @far: the stand-in
 * @queue: queue that had the packet
 *
 * Context: the pump of @far; an RCU reader.
 * Return: true: the caller must send a hello, which returns the credit.
 */
bool ibf_tunnel_took(struct ibf_port *far, u32 queue)
{
	struct ibf_tunnel *t = far->tunnel;
	bool tell;

	if (queue >= IBF_DATA_VLS)
		return false;
	spin_lock(&t->lock);
	tell = (s32)(ibf_tunnel_flow_room(t, queue) - t->flows[queue].told) >= IBF_CREDITS / 2;
	spin_unlock(&t->lock);
	return tell;
}

/* ---- packets ------------------------------------------------------------------------------ */

/**
 * ibf_tunnel_send - send a packet that has reached the stand-in
 * @far: the stand-in
 * @skb: data at the LRH; consumed
 *
 * Context: the pump of its near end; an RCU reader.
 */
void ibf_tunnel_send(struct ibf_port *far, struct sk_buff *skb)
{
	u8 vl = FIELD_GET(IBF_LRH_VL, ibf_lrh(skb)->vl);
	struct ibf_tunnel *t = far->tunnel;
	u32 i = ibf_index_of(vl);
	struct ibf_frame frame = {
		.magic = cpu_to_be32(IBF_FRAME_MAGIC),
		.type = IBF_FRAME_DATA,
		.vl = vl,
	};

	spin_lock(&t->lock);
	frame.session = cpu_to_be64(t->peer_session);
	frame.seq = cpu_to_be32(t->flows[i].sent++);
	if (vl != 15)
		atomic_inc(&far->used[vl]);
	spin_unlock(&t->lock);
	if (skb_cow_head(skb, sizeof(frame) + IBF_TUNNEL_ROOM)) {
		ibf_tunnel_refuse(t, IBF_REFUSED_NO_ROUTE);
		kfree_skb(skb);
		return;
	}
	memcpy(skb_push(skb, sizeof(frame)), &frame, sizeof(frame));
	ibf_tunnel_xmit(t, skb);
}

/* May packet @seq of a VL come in now? */
static bool ibf_tunnel_flow_admit(struct ibf_tunnel *t, u32 i, u32 seq)
{
	struct ibf_flow *flow = &t->flows[i];
	struct ibf_port *near;

	lockdep_assert_held(&t->lock);
	if ((s32)(seq - flow->received) < 0) {
		t->refused[IBF_REFUSED_LATE]++;
		return false;
	}
	if (i < IBF_DATA_VLS && (s32)(seq - flow->told) >= 0) {
		near = rcu_dereference(ibf_tunnel_far(t)->peer);
		if (near)
			ibf_count_error(near, IBF_RCV_OVERRUN);
		t->refused[IBF_REFUSED_OVERRUN]++;
		WRITE_ONCE(t->overrun, true);
		return false;
	}
	flow->received = seq + 1;
	return true;
}

/**
 * ibf_tunnel_take - receive a data frame
 * @t: tunnel; the frame has the address of its peer
 * @skb: data at the LRH, not shared, linear for sizeof(struct ibf_lrh) at least;
 *	 consumed
 * @frame: its header
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_tunnel_take(struct ibf_tunnel *t, struct sk_buff *skb,
		     const struct ibf_frame *frame)
{
	struct ibf_port *far = ibf_tunnel_far(t);
	u32 i = ibf_index_of(frame->vl);
	bool ok;

	if (i == IBF_TUNNEL_VLS) {
		ibf_tunnel_refuse(t, IBF_REFUSED_MALFORMED);
		kfree_skb(skb);
		return;
	}
	spin_lock(&t->lock);
	ok = be64_to_cpu(frame->session) == t->session;
	if (!ok)
		t->refused[IBF_REFUSED_STALE]++;
	/* Under the lock: other processors that receive keep the order of numbers, too. */
	ok = ok && ibf_tunnel_flow_admit(t, i, be32_to_cpu(frame->seq));
	if (ok)
		ibf_enqueue(far, skb, i == IBF_DATA_VLS ? IBF_QUEUE_VL15 : i,
			    NULL, 0);
	spin_unlock(&t->lock);
	if (!ok)
		kfree_skb(skb);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_tunnel_take);

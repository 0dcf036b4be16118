// SPDX-License-Identifier: GPL-2.0
/*
 * Hellos of a tunnel: the two ends identify each other, and tell that they can train and
 * that they are alive. The link is up while all of this holds.
 *
 * A session is a random number that only receivers of the hellos learn. A hello that
 * repeats this end's session therefore comes from a host that receives them. No other
 * hello moves the link.
 */
#include "cable.h"
#include "fabric.h"
#include "node.h"
#include "tunnel.h"

static bool ibf_tunnel_hello_can_train(const struct ibf_port *near)
{
	return near->node->live && (near->phys == IBF_PHYS_POLLING ||
				    near->phys == IBF_PHYS_LINK_UP);
}

/* The peer caused it, so this end's epoch, which would report it, does not change. */
void ibf_tunnel_take_down(struct ibf_tunnel *t)
{
	struct ibf_port *far = ibf_tunnel_far(t);

	lockdep_assert_held(&ibf_lock);
	if (far->state != IBF_STATE_DOWN)
		t->caused++;
	ibf_link_down(far, IBF_PHYS_DISABLED);
	t->up = false;
}

static void ibf_bring_up(struct ibf_tunnel *t, struct ibf_port *near,
			 const struct ibf_hello *hello)
{
	struct ibf_port *far = ibf_tunnel_far(t);

	lockdep_assert_held(&ibf_lock);
	far->info.width_enabled = hello->width & IBF_WIDTH_ALL;
	far->info.speed = hello->speed & IBF_SPEED_ALL;
	far->info.ext_enabled = hello->speed >> 3 & IBF_EXT_ALL;
	near->mtu_max = min(t->mtu, hello->mtu);
	far->phys = IBF_PHYS_POLLING;
	ibf_link_train(near);
	t->up = far->state != IBF_STATE_DOWN;
	t->peer_epoch = be32_to_cpu(hello->epoch);
	if (!t->up)
		far->phys = IBF_PHYS_DISABLED;
}

static void ibf_tunnel_hello_decide(struct ibf_tunnel *t, struct ibf_port *near,
				    const struct ibf_hello *hello)
{
	bool ready = hello->flags & IBF_HELLO_READY;

	lockdep_assert_held(&ibf_lock);
	/* This end took the link down; the epoch reports it to the peer. */
	if (t->up && ibf_tunnel_far(t)->state == IBF_STATE_DOWN)
		ibf_tunnel_take_down(t);
	if (t->up && (!ready || t->peer_epoch != be32_to_cpu(hello->epoch)))
		ibf_tunnel_take_down(t);
	if (!t->up && ready && ibf_tunnel_hello_can_train(near))
		ibf_bring_up(t, near, hello);
}

static bool ibf_tunnel_hello_fits(const struct ibf_tunnel *t, const struct ibf_port *near,
				  const struct ibf_hello *hello)
{
	return be64_to_cpu(hello->guid) == t->expect_guid &&
	       hello->port == t->expect_port &&
	       hello->peer_guid == near->node->guid &&
	       hello->peer_port == near->num;
}

static void ibf_tunnel_hello_adopt(struct ibf_tunnel *t, const struct ibf_hello *hello)
{
	lockdep_assert_held(&ibf_lock);
	t->hello_heard = be32_to_cpu(hello->frame.seq);
	ibf_tunnel_flow_heard(t, hello, true);
}

/*
 * The hello does not repeat this end's session: its sender has received no hello since
 * this end was plugged in. Such a hello begins a session only when there is no live
 * peer. A live peer must fall silent before another takes its place.
 */
static bool ibf_hear_stranger(struct ibf_tunnel *t, const struct ibf_hello *hello)
{
	lockdep_assert_held(&ibf_lock);
	if (t->alive) {
		ibf_tunnel_refuse(t, IBF_REFUSED_STALE);
		return false;
	}
	ibf_tunnel_hello_adopt(t, hello);
	return true;
}

/* Return: true: the caller must answer with a hello. */
static bool ibf_tunnel_hello_hear(struct ibf_tunnel *t, const struct ibf_hello *hello)
{
	struct ibf_port *near = t->cable.ends[0].port;
	u64 session = be64_to_cpu(hello->frame.session);
	bool news = !t->alive;

	lockdep_assert_held(&ibf_lock);
	if (!t->open || !near)
		return false;
	if (!ibf_tunnel_hello_fits(t, near, hello) || !session || !hello->mtu ||
	    hello->mtu > IB_MTU_4096) {
		ibf_tunnel_refuse(t, IBF_REFUSED_WRONG);
		return false;
	}
	if (be64_to_cpu(hello->echo) != t->session)
		return ibf_hear_stranger(t, hello);
	if (t->peer_session != session) {
		ibf_tunnel_take_down(t);
		ibf_tunnel_hello_adopt(t, hello);
		news = true;
	} else if (t->alive && (s32)(be32_to_cpu(hello->frame.seq) -
				     t->hello_heard) <= 0) {
		ibf_tunnel_refuse(t, IBF_REFUSED_STALE);
		return false;
	}
	t->alive = true;
	t->missed = 0;
	t->hello_heard = be32_to_cpu(hello->frame.seq);
	ibf_tunnel_flow_heard(t, hello, false);
	ibf_tunnel_hello_decide(t, near, hello);
	return news;
}

/**
 * ibf_tunnel_hear - handle a hello
 * @t: tunnel; the hello has the address of its peer
 * @hello: of the right length, otherwise unchecked
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_tunnel_hear(struct ibf_tunnel *t, const struct ibf_hello *hello)
{
	bool answer;

	spin_lock(&ibf_lock);
	answer = ibf_tunnel_hello_hear(t, hello);
	spin_unlock(&ibf_lock);
	if (answer)
		ibf_tunnel_say_hello(t);
}

static bool ibf_tunnel_hello_fill(struct ibf_tunnel *t, struct ibf_hello *hello)
{
	struct ibf_port *near = t->cable.ends[0].port;
	const struct ibf_port *far = ibf_tunnel_far(t);
	u32 downs = atomic64_read(&far->count[IBF_LINK_DOWNED]);

	lockdep_assert_held(&ibf_lock);
	if (!t->open || !near)
		return false;
	*hello = (struct ibf_hello){
		.frame.magic = cpu_to_be32(IBF_FRAME_MAGIC),
		.frame.type = IBF_FRAME_HELLO,
		.frame.session = cpu_to_be64(t->session),
		.frame.seq = cpu_to_be32(++t->hello_sent),
		.guid = near->node->guid,
		.peer_guid = cpu_to_be64(t->expect_guid),
		.port = near->num,
		.peer_port = t->expect_port,
		.flags = ibf_tunnel_hello_can_train(near) ? IBF_HELLO_READY : 0,
		.mtu = t->mtu,
		.width = near->info.width_enabled,
		.speed = FIELD_GET(IBF_LOW, near->info.speed) |
			 near->info.ext_enabled << 3,
		.epoch = cpu_to_be32(downs - t->caused),
	};
	ibf_tunnel_flow_told(t, hello);
	ibf_count(near, IBF_FLOW_XMIT);
	return true;
}

/**
 * ibf_tunnel_say_hello - send a hello
 * @t: the tunnel
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_tunnel_say_hello(struct ibf_tunnel *t)
{
	struct sk_buff *skb = alloc_skb(IBF_TUNNEL_ROOM +
					sizeof(struct ibf_hello), GFP_ATOMIC);
	bool says;

	/* The next tick sends another hello. */
	if (!skb)
		return;
	skb_reserve(skb, IBF_TUNNEL_ROOM);
	spin_lock(&ibf_lock);
	says = ibf_tunnel_hello_fill(t, skb_put(skb, sizeof(struct ibf_hello)));
	spin_unlock(&ibf_lock);
	if (says)
		ibf_tunnel_xmit(t, skb);
	else
		kfree_skb(skb);
}

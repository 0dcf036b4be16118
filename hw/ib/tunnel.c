// SPDX-License-Identifier: GPL-2.0
/*
 * The two ends of a tunnel agree: who they are, that both can train, that both are
 * still there. The link is up while that is so.
 *
 * A session is a number that nobody knows who does not hear the hellos. A hello that
 * repeats ours comes from somebody who does; nothing else moves the link.
 */
#include <linux/random.h>
#include <net/udp_tunnel.h>

#include "tunnel.h"

#define HELLO_EVERY	(HZ / 5)
/* The peer is gone when it was not heard for so many ticks: a host that was not here
 * itself for a while hears what has come meanwhile first.
 */
#define SILENCE		5

static bool can_train(const struct ibf_port *near)
{
	return near->node->live && (near->phys == IBF_PHYS_POLLING ||
				    near->phys == IBF_PHYS_LINK_UP);
}

/* ---- the link -------------------------------------------------------------------------- */

/* On the peer's account: it is not told that as news. */
static void take_down(struct ibf_tunnel *t)
{
	struct ibf_port *far = ibf_tunnel_far(t);

	lockdep_assert_held(&ibf_lock);
	if (far->state != IBF_STATE_DOWN)
		t->caused++;
	ibf_link_down(far, IBF_PHYS_DISABLED);
	t->up = false;
}

static void bring_up(struct ibf_tunnel *t, struct ibf_port *near,
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

static void decide(struct ibf_tunnel *t, struct ibf_port *near,
		   const struct ibf_hello *hello)
{
	bool ready = hello->flags & IBF_HELLO_READY;

	lockdep_assert_held(&ibf_lock);
	/* This end did it, and the epoch tells the peer. */
	if (t->up && ibf_tunnel_far(t)->state == IBF_STATE_DOWN)
		take_down(t);
	if (t->up && (!ready || t->peer_epoch != be32_to_cpu(hello->epoch)))
		take_down(t);
	if (!t->up && ready && can_train(near))
		bring_up(t, near, hello);
}

/* ---- hellos ------------------------------------------------------------------------------ */

static bool fits(const struct ibf_tunnel *t, const struct ibf_port *near,
		 const struct ibf_hello *hello)
{
	return be64_to_cpu(hello->guid) == t->expect_guid &&
	       hello->port == t->expect_port &&
	       hello->peer_guid == near->node->guid &&
	       hello->peer_port == near->num;
}

static void adopt(struct ibf_tunnel *t, const struct ibf_hello *hello)
{
	lockdep_assert_held(&ibf_lock);
	t->hello_heard = be32_to_cpu(hello->frame.seq);
	ibf_tunnel_flow_heard(t, hello, true);
}

/*
 * It has not heard this end yet, or not since this end was plugged in. One that is
 * alive is not replaced by who says so, but when it is silent.
 */
static bool hear_stranger(struct ibf_tunnel *t, const struct ibf_hello *hello)
{
	lockdep_assert_held(&ibf_lock);
	if (t->alive) {
		ibf_tunnel_refuse(t, IBF_REFUSED_STALE);
		return false;
	}
	adopt(t, hello);
	return true;
}

/* True: an answer is due. */
static bool hear(struct ibf_tunnel *t, const struct ibf_hello *hello)
{
	struct ibf_port *near = t->cable.ends[0].port;
	u64 session = be64_to_cpu(hello->frame.session);
	bool news = !t->alive;

	lockdep_assert_held(&ibf_lock);
	if (!t->open || !near)
		return false;
	if (!fits(t, near, hello) || !session || !hello->mtu ||
	    hello->mtu > IB_MTU_4096) {
		ibf_tunnel_refuse(t, IBF_REFUSED_WRONG);
		return false;
	}
	if (be64_to_cpu(hello->echo) != t->session)
		return hear_stranger(t, hello);
	if (t->peer_session != session) {
		take_down(t);
		adopt(t, hello);
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
	decide(t, near, hello);
	return news;
}

/**
 * ibf_tunnel_hear - a hello has come
 * @t: from the address of its peer
 * @hello: of the right length, any bytes
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_tunnel_hear(struct ibf_tunnel *t, const struct ibf_hello *hello)
{
	bool answer;

	spin_lock(&ibf_lock);
	answer = hear(t, hello);
	spin_unlock(&ibf_lock);
	if (answer)
		ibf_tunnel_say_hello(t);
}

static bool fill(struct ibf_tunnel *t, struct ibf_hello *hello)
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
		.flags = can_train(near) ? IBF_HELLO_READY : 0,
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
 * ibf_tunnel_say_hello - tell the peer how things are
 * @t: the tunnel
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_tunnel_say_hello(struct ibf_tunnel *t)
{
	struct sk_buff *skb = alloc_skb(IBF_TUNNEL_ROOM +
					sizeof(struct ibf_hello), GFP_ATOMIC);
	bool says;

	/* There will be another one. */
	if (!skb)
		return;
	skb_reserve(skb, IBF_TUNNEL_ROOM);
	spin_lock(&ibf_lock);
	says = fill(t, skb_put(skb, sizeof(struct ibf_hello)));
	spin_unlock(&ibf_lock);
	if (says)
		ibf_tunnel_xmit(t, skb);
	else
		kfree_skb(skb);
}

/* ---- time passes ---------------------------------------------------------------------------- */

static void check_silence(struct ibf_tunnel *t, struct ibf_port *near)
{
	lockdep_assert_held(&ibf_lock);
	if (!t->alive || ++t->missed < SILENCE)
		return;
	if (t->up && near)
		ibf_trap_watchdog(near);
	take_down(t);
	t->alive = false;
}

/* OverrunErrors: as many ticks in a row, each with packets without credit. */
static void check_overruns(struct ibf_tunnel *t, struct ibf_port *near)
{
	lockdep_assert_held(&ibf_lock);
	t->overruns = t->overrun ? t->overruns + 1 : 0;
	t->overrun = false;
	if (!near || !t->overruns ||
	    t->overruns < FIELD_GET(IBF_LOW, near->info.thresholds))
		return;
	t->overruns = 0;
	ibf_count(near, IBF_OVERRUNS);
	ibf_trap_overrun(near);
}

static void tick(struct work_struct *work)
{
	struct ibf_tunnel *t = container_of(to_delayed_work(work),
					    struct ibf_tunnel, work);
	struct ibf_port *near;

	spin_lock_bh(&ibf_lock);
	near = t->cable.ends[0].port;
	check_silence(t, near);
	check_overruns(t, near);
	if (t->open)
		queue_delayed_work(system_wq, &t->work, HELLO_EVERY);
	spin_unlock_bh(&ibf_lock);
	local_bh_disable();
	rcu_read_lock();
	ibf_tunnel_settle(t);
	ibf_tunnel_say_hello(t);
	rcu_read_unlock();
	local_bh_enable();
}

/* ---- life -------------------------------------------------------------------------------------- */

static void start(struct ibf_tunnel *t)
{
	lockdep_assert_held(&ibf_lock);
	t->alive = false;
	t->up = false;
	t->overrun = false;
	t->overruns = 0;
	t->caused = 0;
	t->hello_sent = 0;
	t->peer_session = 0;
	memset(t->flows, 0, sizeof(t->flows));
	do {
		t->session = get_random_u64();
	} while (!t->session);
	t->stub->live = true;
	ibf_tunnel_far(t)->tunnel = t;
	ibf_tunnel_far(t)->phys = IBF_PHYS_DISABLED;
}

/**
 * ibf_tunnel_open - plug a tunnel in
 * @t: not plugged in; addresses are set. ibf_config is held
 * @near: its end here
 *
 * Context: process, sleeps.
 * Return: 0, -ENOMEM, -EBUSY: the port has a cable, or what binding to the address says.
 */
int ibf_tunnel_open(struct ibf_tunnel *t, struct ibf_port *near)
{
	int ret = -ENOMEM;

	lockdep_assert_held(&ibf_config);
	t->stub = ibf_node_new("tunnel", false);
	if (IS_ERR(t->stub))
		return PTR_ERR(t->stub);
	ibf_node_reset(t->stub);
	INIT_DELAYED_WORK(&t->work, tick);
	ibf_tunnel_out_init(t);
	t->cable.width = IBF_WIDTH_4X;
	t->cable.speed = 4;
	spin_lock_bh(&ibf_lock);
	start(t);
	ret = ibf_plug(&t->cable, near, ibf_tunnel_far(t));
	spin_unlock_bh(&ibf_lock);
	if (ret)
		goto err_stub;
	/* Hellos that come before @open is set are not heard. */
	ret = ibf_tunnel_bind(t);
	if (ret)
		goto err_plug;
	spin_lock_bh(&ibf_lock);
	t->open = true;
	queue_delayed_work(system_wq, &t->work, 0);
	spin_unlock_bh(&ibf_lock);
	return 0;

err_plug:
	spin_lock_bh(&ibf_lock);
	ibf_unplug(&t->cable);
	spin_unlock_bh(&ibf_lock);
err_stub:
	ibf_node_free(t->stub);
	t->stub = NULL;
	return ret;
}

/**
 * ibf_tunnel_close - pull a tunnel
 * @t: plugged in, or not. ibf_config is held
 *
 * Context: process, sleeps.
 */
void ibf_tunnel_close(struct ibf_tunnel *t)
{
	lockdep_assert_held(&ibf_config);
	if (!t->sock)
		return;
	spin_lock_bh(&ibf_lock);
	t->open = false;
	take_down(t);
	ibf_unplug(&t->cable);
	t->stub->live = false;
	spin_unlock_bh(&ibf_lock);
	cancel_delayed_work_sync(&t->work);
	/* Those who send by the socket, then those who receive by it. */
	synchronize_net();
	ibf_tunnel_out_exit(t);
	udp_tunnel_sock_release(t->sock);
	t->sock = NULL;
	synchronize_net();
	ibf_node_free(t->stub);
	t->stub = NULL;
}

// SPDX-License-Identifier: GPL-2.0
/* Plugs tunnels in and out, and does the periodic work of a tunnel. */
#include <linux/random.h>
#include <net/udp_tunnel.h>

#include "cable.h"
#include "fabric.h"
#include "node.h"
#include "trap.h"
#include "tunnel.h"

#define HELLO_EVERY	(HZ / 5)
/*
 * Ticks without a hello after which the peer counts as gone. It is a number of ticks, not
 * a time: after a pause of this host the hellos that came meanwhile are processed first.
 */
#define SILENCE		5

/* ---- ticks ------------------------------------------------------------------------------- */

static void ibf_check_silence(struct ibf_tunnel *t, struct ibf_port *near)
{
	lockdep_assert_held(&ibf_lock);
	if (!t->alive || ++t->missed < SILENCE)
		return;
	if (t->up && near)
		ibf_trap_watchdog(near);
	ibf_tunnel_take_down(t);
	t->alive = false;
}

/* OverrunErrors is a number of ticks in a row with packets without credit. */
static void ibf_check_overruns(struct ibf_tunnel *t, struct ibf_port *near)
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

static void ibf_tunnel_tick(struct work_struct *work)
{
	struct ibf_tunnel *t = container_of(to_delayed_work(work),
					    struct ibf_tunnel, work);
	struct ibf_port *near;

	spin_lock_bh(&ibf_lock);
	near = t->cable.ends[0].port;
	ibf_check_silence(t, near);
	ibf_check_overruns(t, near);
	if (t->open)
		queue_delayed_work(system_percpu_wq, &t->work, HELLO_EVERY);
	spin_unlock_bh(&ibf_lock);
	local_bh_disable();
	rcu_read_lock();
	ibf_tunnel_settle(t);
	ibf_tunnel_say_hello(t);
	rcu_read_unlock();
	local_bh_enable();
}

/* ---- life -------------------------------------------------------------------------------------- */

static void ibf_tunnel_start(struct ibf_tunnel *t)
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
 * @near: local port that it is plugged into
 *
 * Context: process, sleeps.
 * Return: 0, -ENOMEM, -EBUSY: the port has a cable, or the errno of bind().
 */
int ibf_tunnel_open(struct ibf_tunnel *t, struct ibf_port *near)
{
	int ret = -ENOMEM;

	lockdep_assert_held(&ibf_config);
	t->stub = ibf_node_new("tunnel", false);
	if (IS_ERR(t->stub))
		return PTR_ERR(t->stub);
	ibf_node_reset(t->stub);
	INIT_DELAYED_WORK(&t->work, ibf_tunnel_tick);
	ibf_tunnel_out_init(t);
	t->cable.width = IBF_WIDTH_4X;
	t->cable.speed = 4;
	spin_lock_bh(&ibf_lock);
	ibf_tunnel_start(t);
	ret = ibf_plug(&t->cable, near, ibf_tunnel_far(t));
	spin_unlock_bh(&ibf_lock);
	if (ret)
		goto err_stub;
	/* Hellos that come before @open is set are ignored. */
	ret = ibf_tunnel_bind(t);
	if (ret)
		goto err_plug;
	spin_lock_bh(&ibf_lock);
	t->open = true;
	queue_delayed_work(system_percpu_wq, &t->work, 0);
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
 * ibf_tunnel_close - unplug a tunnel
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
	ibf_tunnel_take_down(t);
	ibf_unplug(&t->cable);
	t->stub->live = false;
	spin_unlock_bh(&ibf_lock);
	cancel_delayed_work_sync(&t->work);
	/* First for the senders, then, after the release, for the receivers. */
	synchronize_net();
	ibf_tunnel_out_exit(t);
	compat_udp_tunnel_sock_release(t->sock->sk);
	t->sock = NULL;
	synchronize_net();
	ibf_node_free(t->stub);
	t->stub = NULL;
}

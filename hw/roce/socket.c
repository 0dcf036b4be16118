// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of port 4791, in each namespace that has a device, or an address that is a
 * GID of a device (guest.c).
 */
#include <linux/net.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>
#include <net/udp_tunnel.h>

#include "dev.h"
#include "guest.h"
#include "rx_dst.h"
#include "link_udp.h"
#include "net.h"
#include "socket.h"

/*
 * Guards all but .users, .guest_paths and .in_routes of every struct roce_net, and
 * every struct roce_guest.
 */
static DEFINE_MUTEX(roce_sock_lock);

static int roce_bind(struct net *net, u8 family, struct socket **sock)
{
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = roce_udp_rcv,
	};
	/* A checksum of 0 is accepted with IPv6, too: the ICRC protects the packet. */
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = htons(ROCE_V2_UDP_DPORT),
		.ipv6_v6only = 1,
	};
	int ret;

	*sock = NULL;
	ret = udp_sock_create(net, &port, sock);
	if (ret)
		return ret;
	compat_setup_udp_tunnel_sock(net, (*sock)->sk, &tunnel);
	/*
	 * Undoes the checksum conversion that setup_udp_tunnel_sock() enables. It serves
	 * checksums of encapsulated packets, and RoCE packets have none. For a GSO skb that
	 * must be segmented it would compute a checksum over all of its bytes.
	 */
	inet_dec_convert_csum((*sock)->sk);
	return 0;
}

static void roce_socks_close(struct roce_net *rn)
{
	lockdep_assert_held(&roce_sock_lock);
	if (rn->ipv6)
		compat_udp_tunnel_sock_release(rn->ipv6->sk);
	compat_udp_tunnel_sock_release(rn->ipv4->sk);
}

static int roce_net_open(struct net *net, struct roce_net *rn)
{
	int ret;

	lockdep_assert_held(&roce_sock_lock);
	ret = roce_bind(net, AF_INET, &rn->ipv4);
	if (ret)
		return ret;
	ret = roce_bind(net, AF_INET6, &rn->ipv6);
	/* IPv6 is disabled on the kernel's command line. */
	if (ret == -EAFNOSUPPORT || ret == -EPFNOSUPPORT)
		ret = 0;
	if (ret)
		goto err_socks;
	ret = roce_runs_open(net);
	if (ret)
		goto err_socks;
	ret = roce_in_routes_open(net);
	if (ret)
		goto err_runs;
	return 0;

err_runs:
	roce_runs_close(net);
err_socks:
	roce_socks_close(rn);
	roce_in_routes_forget(net);
	return ret;
}

static void roce_net_close(struct net *net, struct roce_net *rn)
{
	/* The release of a socket also waits for hooks that are executing. */
	roce_in_routes_close(net);
	roce_runs_close(net);
	roce_socks_close(rn);
	roce_in_routes_forget(net);
}

/* Increments the number of listeners, on failure too. */
static int roce_net_join(struct net *net)
{
	struct roce_net *rn = roce_net_of(net);
	int ret;

	lockdep_assert_held(&roce_sock_lock);
	rn->listeners++;
	if (rn->open)
		return 0;
	ret = roce_net_open(net, rn);
	WRITE_ONCE(rn->open, !ret);
	return ret;
}

static void roce_net_leave(struct net *net)
{
	struct roce_net *rn = roce_net_of(net);

	lockdep_assert_held(&roce_sock_lock);
	if (--rn->listeners || !rn->open)
		return;
	WRITE_ONCE(rn->open, false);
	roce_net_close(net, rn);
}

/**
 * roce_listen - receive UDP in the namespace of a device
 * @rd: the device, for roce_unlisten()
 *
 * Context: process, may sleep.
 * Return: 0, -EADDRINUSE or another errno of bind().
 */
int roce_listen(struct roce_dev *rd)
{
	int ret;

	mutex_lock(&roce_sock_lock);
	ret = roce_net_join(rd->net);
	if (ret)
		roce_net_leave(rd->net);
	rd->listening = !ret;
	mutex_unlock(&roce_sock_lock);
	/* The log, because a netlink error of 'rdma link add' has no text. */
	if (ret == -EADDRINUSE)
		netdev_err(rd->held,
			   "UDP port %u is in use in this namespace, by rdma_rxe perhaps\n",
			   ROCE_V2_UDP_DPORT);
	return ret;
}

void roce_unlisten(struct roce_dev *rd)
{
	if (!rd->listening)
		return;
	mutex_lock(&roce_sock_lock);
	roce_net_leave(rd->net);
	mutex_unlock(&roce_sock_lock);
	rd->listening = false;
}

/**
 * roce_guest_listen - receive UDP for an address that is in another namespace
 * @net: that namespace, held by the caller
 * @guest: for roce_guest_unlisten()
 *
 * If another socket has the port, the next guest of the namespace tries again.
 *
 * Context: process, may sleep; rtnl may be held.
 * Return: 0, or an errno other than -EADDRINUSE.
 */
int roce_guest_listen(struct net *net, struct roce_guest *guest)
{
	int ret;

	mutex_lock(&roce_sock_lock);
	ret = roce_net_join(net);
	if (ret == -EADDRINUSE)
		ret = 0;
	if (ret) {
		roce_net_leave(net);
	} else {
		guest->net = net;
		list_add(&guest->in_net, &roce_net_of(net)->guests);
	}
	mutex_unlock(&roce_sock_lock);
	return ret;
}

/* Context: process, may sleep; rtnl may be held. */
void roce_guest_unlisten(struct roce_guest *guest)
{
	mutex_lock(&roce_sock_lock);
	if (guest->net) {
		list_del(&guest->in_net);
		roce_net_leave(guest->net);
	}
	mutex_unlock(&roce_sock_lock);
}

/* ---- namespaces ------------------------------------------------------------------ */

static int __net_init roce_net_init(struct net *net)
{
	struct roce_net *rn = roce_net_of(net);

	INIT_LIST_HEAD(&rn->guests);
	INIT_LIST_HEAD(&rn->guest_paths);
	return 0;
}

/* The GIDs of the guests may be removed later: they have no namespace then. */
static void roce_guests_leave(struct net *net)
{
	struct roce_guest *guest, *next;

	mutex_lock(&roce_sock_lock);
	list_for_each_entry_safe(guest, next, &roce_net_of(net)->guests, in_net) {
		guest->net = NULL;
		list_del(&guest->in_net);
		roce_net_leave(net);
	}
	mutex_unlock(&roce_sock_lock);
}

/*
 * The interfaces of the namespace are unregistered, or moved. So its devices are being
 * unregistered, and no new one can come.
 */
static void __net_exit roce_net_exit(struct net *net)
{
	roce_guests_leave(net);
	roce_net_wait(net);
	roce_guest_end(net);
}

static struct pernet_operations roce_net_ops = {
	.init = roce_net_init,
	.exit = roce_net_exit,
	.id = &roce_net_id,
	.size = sizeof(struct roce_net),
};

int roce_socket_init(void)
{
	return register_pernet_subsys(&roce_net_ops);
}

/*
 * No socket has roce_write_space() as its callback any more, but a task may still be about
 * to call it, or inside of it: sock_wfree() reads the pointer and calls it without a lock,
 * in process context too, for example when a queueing discipline is emptied. A
 * preemptible task there is not an RCU reader. After synchronize_rcu_tasks() every task
 * has scheduled voluntarily, so none is there, and the module's text may be freed.
 */
void roce_socket_exit(void)
{
	unregister_pernet_subsys(&roce_net_ops);
	synchronize_rcu_tasks();
}

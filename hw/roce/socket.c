// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets: port 4791 of each namespace that has a device, or an address of one's
 * port (guest.c), and per device the owner of packets to send, which knows how many
 * bytes are on their way.
 */
#include <linux/net.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>
#include <linux/wait.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/sock.h>
#include <net/udp_tunnel.h>

#include "roce.h"

/* Bytes (skb->truesize) of a device on their way: beyond the first no more,
 * from the second on again.
 */
#define ROCE_TX_STOP	(2 << 20)
#define ROCE_TX_GO	(ROCE_TX_STOP / 2)

/**
 * struct roce_net - what a namespace has
 * @users: devices, from before their first use of it until after the last
 * @listeners: those of them that receive, and guests
 * @open: the sockets are there; they may not be while another has the port, where
 *	  there are guests alone. Read without the lock
 * @ipv4: socket at port 4791
 * @ipv6: the same; NULL on a kernel without IPv6
 * @guests: struct roce_guest
 * @guest_paths: struct roce_path; see guest.c
 * @in_routes: of packets that came in
 */
struct roce_net {
	atomic_t users;
	unsigned int listeners;
	bool open;
	struct socket *ipv4;
	struct socket *ipv6;
	struct list_head guests;
	struct list_head guest_paths;
	struct roce_in_routes in_routes;
};

/*
 * Guards all but .users, .guest_paths and .in_routes of every struct roce_net, and
 * every struct roce_guest.
 */
static DEFINE_MUTEX(roce_sock_lock);
static DECLARE_WAIT_QUEUE_HEAD(roce_idle);
static unsigned int roce_net_id;

static struct roce_net *roce_net_of(struct net *net)
{
	return net_generic(net, roce_net_id);
}

struct roce_in_routes *roce_in_routes(struct net *net)
{
	return &roce_net_of(net)->in_routes;
}

struct list_head *roce_guest_paths(struct net *net)
{
	return &roce_net_of(net)->guest_paths;
}

/* Does what is sent to an address of this namespace find us? Any context. */
bool roce_listens(struct net *net)
{
	return READ_ONCE(roce_net_of(net)->open);
}

/* The namespace waits for the device, which is in it by an interface (rtnl). */
void roce_net_hold(struct roce_dev *rd)
{
	ASSERT_RTNL();
	atomic_inc(&roce_net_of(rd->net)->users);
	rd->counted = true;
}

/* The namespace may be gone when this returns. */
void roce_net_put(struct roce_dev *rd)
{
	if (rd->counted && atomic_dec_and_test(&roce_net_of(rd->net)->users))
		wake_up_all(&roce_idle);
	rd->counted = false;
}

/* ---- to receive ------------------------------------------------------------------ */

static int roce_bind(struct net *net, u8 family, struct socket **sock)
{
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = roce_udp_rcv,
	};
	/* A checksum of 0 is fine in IPv6 too: the ICRC is there. */
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
	setup_udp_tunnel_sock(net, *sock, &tunnel);
	/*
	 * That is for sums of packets in the packets. Nobody looks for any here,
	 * and where a run has to be divided, one of all its bytes would be made.
	 */
	inet_dec_convert_csum((*sock)->sk);
	return 0;
}

static void roce_socks_close(struct roce_net *rn)
{
	lockdep_assert_held(&roce_sock_lock);
	if (rn->ipv6)
		udp_tunnel_sock_release(rn->ipv6);
	udp_tunnel_sock_release(rn->ipv4);
}

static int roce_net_open(struct net *net, struct roce_net *rn)
{
	int ret;

	lockdep_assert_held(&roce_sock_lock);
	ret = roce_bind(net, AF_INET, &rn->ipv4);
	if (ret)
		return ret;
	ret = roce_bind(net, AF_INET6, &rn->ipv6);
	/* A kernel that was told to do without IPv6. */
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
	/* Closing a socket waits for those who are inside of a hook, too. */
	roce_in_routes_close(net);
	roce_runs_close(net);
	roce_socks_close(rn);
	roce_in_routes_forget(net);
}

/* Counts one more listener, on failure too. */
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
	/* 'rdma link add' has no other way to tell; it takes CAP_NET_ADMIN. */
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
 * If another has the port, the next guest that comes tries again. Context: process,
 * may sleep; rtnl may be held.
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

/* ---- to send --------------------------------------------------------------------- */

/* A packet was freed, in any context. */
static void roce_write_space(struct sock *sk)
{
	struct roce_dev *rd;

	/* Less on its way, then the flag: pairs with roce_tx_state(). */
	smp_mb__after_atomic();
	rcu_read_lock();
	rd = rcu_dereference_sk_user_data(sk);
	if (rd && test_bit(0, &rd->tx_full) &&
	    refcount_read(&sk->sk_wmem_alloc) <= ROCE_TX_GO &&
	    test_and_clear_bit(0, &rd->tx_full))
		ibt_tx_room(rd->port);
	rcu_read_unlock();
}

int roce_tx_open(struct roce_dev *rd)
{
	struct sock *sk;
	int ret;

	ret = sock_create_kern(rd->net, AF_INET, SOCK_DGRAM, IPPROTO_UDP,
			       &rd->tx);
	if (ret) {
		rd->tx = NULL;
		return ret;
	}
	sk = rd->tx->sk;
	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_sk_user_data(sk, rd);
	rd->write_space = sk->sk_write_space;
	sk->sk_write_space = roce_write_space;
	write_unlock_bh(&sk->sk_callback_lock);
	return 0;
}

/*
 * A grace period later nobody calls ibt_tx_room(). That nobody is inside of
 * roce_write_space() either is waited for by roce_socket_exit() alone.
 */
void roce_tx_mute(struct roce_dev *rd)
{
	struct sock *sk;

	if (!rd->tx)
		return;
	sk = rd->tx->sk;
	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_sk_user_data(sk, NULL);
	sk->sk_write_space = rd->write_space;
	write_unlock_bh(&sk->sk_callback_lock);
}

/*
 * Packets may be on their way for long still: each has its part of the socket,
 * which lives until the last is freed, by the network stack's code alone.
 */
void roce_tx_close(struct roce_dev *rd)
{
	if (rd->tx)
		sock_release(rd->tx);
}

void roce_tx_charge(struct roce_dev *rd, struct sk_buff *skb)
{
	skb_set_owner_w(skb, rd->tx->sk);
}

/*
 * After a packet was sent: what xmit() is to say. The flag is seen by whoever
 * frees a packet after this look, so there will be a call of ibt_tx_room(); when
 * all were freed before it, the call is made here.
 */
int roce_tx_state(struct roce_dev *rd)
{
	struct sock *sk = rd->tx->sk;

	if (likely(refcount_read(&sk->sk_wmem_alloc) <= ROCE_TX_STOP))
		return 0;
	set_bit(0, &rd->tx_full);
	/* The flag, then how much is left: pairs with roce_write_space(). */
	smp_mb__after_atomic();
	if (refcount_read(&sk->sk_wmem_alloc) > ROCE_TX_GO)
		return -EAGAIN;
	if (test_and_clear_bit(0, &rd->tx_full))
		ibt_tx_room(rd->port);
	return 0;
}

/*
 * Is any packet of the device still on its way? One for this host itself is its
 * owner's until IP has it, or, through the loopback interface, not even so long.
 */
bool roce_tx_left(const struct roce_dev *rd)
{
	return sk_wmem_alloc_get(rd->tx->sk);
}

/* ---- namespaces ------------------------------------------------------------------ */

static int __net_init roce_net_init(struct net *net)
{
	struct roce_net *rn = roce_net_of(net);

	INIT_LIST_HEAD(&rn->guests);
	INIT_LIST_HEAD(&rn->guest_paths);
	return 0;
}

/* Their GIDs may be there for a moment still. */
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
 * The interfaces of the namespace are gone, or elsewhere, and so the devices are
 * about to be unregistered, if they are not so far; and no other comes.
 */
static void __net_exit roce_net_exit(struct net *net)
{
	struct roce_net *rn = roce_net_of(net);

	roce_guests_leave(net);
	wait_event(roce_idle, !atomic_read(&rn->users));
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
 * No socket calls roce_write_space() any more, but somebody may be on his way into
 * it, or out of it: sock_wfree() reads the pointer and calls without a lock, in
 * process context too, when a queueing discipline is emptied, say. RCU does not
 * know of a task that was preempted there. When each has given up the processor by itself,
 * none is there any more, and the module's text may go.
 */
void roce_socket_exit(void)
{
	unregister_pernet_subsys(&roce_net_ops);
	synchronize_rcu_tasks();
}

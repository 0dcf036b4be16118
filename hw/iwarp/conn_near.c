// SPDX-License-Identifier: GPL-2.0
/* Both ends of a connection on this host. */
#include <linux/module.h>
#include <net/tcp.h>

#include "conn.h"

static bool long_fpdus = true;
module_param_named(long_fpdus, long_fpdus, bool, 0644);
MODULE_PARM_DESC(long_fpdus, "FPDUs longer than a segment between devices of this host (default Y)");

static bool loopback = true;
module_param_named(loopback, loopback, bool, 0644);
MODULE_PARM_DESC(loopback, "Messages between two ends of this host do not go through TCP (default Y)");

/* Connections that have sent a request and wait for the reply. */
static DEFINE_SPINLOCK(askers_lock);
static LIST_HEAD(askers);

/**
 * iw_conn_set_pending - the request of a connection is out, or is no more
 * @conn: connection; its lock is held
 * @asks: it is; its socket stays until it is not
 */
void iw_conn_set_pending(struct iw_conn *conn, bool asks)
{
	lockdep_assert_held(&conn->lock);
	spin_lock(&askers_lock);
	list_del_init(&conn->asker);
	if (asks)
		list_add_tail(&conn->asker, &askers);
	spin_unlock(&askers_lock);
}

/*
 * Neither has sent or received anything but the request: what one has sent ever the
 * other has received, in each direction. Addresses may have been translated.
 */
static bool iw_are_ends(const struct sock *hears, const struct sock *asks)
{
	const struct tcp_sock *to = tcp_sk(hears), *from = tcp_sk(asks);

	return inet_sk(hears)->inet_dport == inet_sk(asks)->inet_sport &&
	       READ_ONCE(from->write_seq) == READ_ONCE(to->rcv_nxt) &&
	       READ_ONCE(to->write_seq) == READ_ONCE(from->rcv_nxt);
}

static bool iw_is_v4(const struct sock *sk)
{
	return sk->sk_family == AF_INET || ipv6_addr_v4mapped(&sk->sk_v6_daddr);
}

/*
 * Does each socket have the address and port of the other one as its peer's? Then its
 * bytes reach no third socket, unless addresses are translated.
 */
static bool iw_are_opposite(const struct sock *a, const struct sock *b)
{
	if (!net_eq(sock_net(a), sock_net(b)) || iw_is_v4(a) != iw_is_v4(b) ||
	    inet_sk(a)->inet_sport != inet_sk(b)->inet_dport ||
	    inet_sk(a)->inet_dport != inet_sk(b)->inet_sport)
		return false;
	if (iw_is_v4(a))
		return a->sk_rcv_saddr == b->sk_daddr &&
		       a->sk_daddr == b->sk_rcv_saddr;
	return ipv6_addr_equal(&a->sk_v6_rcv_saddr, &b->sk_v6_daddr) &&
	       ipv6_addr_equal(&a->sk_v6_daddr, &b->sk_v6_rcv_saddr);
}

/* Does what is sent stay on this host, where no device but the loopback sees it? */
static bool iw_conn_near_loops(struct sock *sk)
{
	struct dst_entry *dst = sk_dst_get(sk);
	bool loops = dst && dst->dev->flags & IFF_LOOPBACK;

	dst_release(dst);
	return loops;
}

static void iw_are_near(struct iw_conn *conn, struct iw_conn *other)
{
	struct sock *sk = conn->sock->sk, *far = other->sock->sk;

	lockdep_assert_held(&askers_lock);
	WRITE_ONCE(conn->near, long_fpdus);
	WRITE_ONCE(other->near, long_fpdus);
	if (!READ_ONCE(loopback) || !iw_are_opposite(sk, far) || !iw_conn_near_loops(sk) ||
	    !iw_conn_near_loops(far))
		return;
	sock_hold(far);
	conn->far = far;
	sock_hold(sk);
	other->far = sk;
}

/**
 * iw_conn_look_near - find out whether the peer is a connection of this module
 * @conn: connection with a request and without a reply; its lock is held
 *
 * Both ends are marked before the reply is sent. Equal TCP sequence numbers identify the
 * peer as long as no host forges them. A remote peer that forges them gets FPDUs longer
 * than its segments, and nothing else: FPDUs bypass TCP only if addresses, ports and
 * routes of both sockets match, too. Context: process.
 */
void iw_conn_look_near(struct iw_conn *conn)
{
	struct iw_conn *other;

	lockdep_assert_held(&conn->lock);
	spin_lock(&askers_lock);
	list_for_each_entry(other, &askers, asker) {
		if (!iw_are_ends(conn->sock->sk, other->sock->sk))
			continue;
		iw_are_near(conn, other);
		break;
	}
	spin_unlock(&askers_lock);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Listening. rdma_cm listens on each device for a wildcard address; so devices
 * of a namespace share one socket for an address and port, and a connection goes
 * to the device that has the address it came to. Binding such sockets to the
 * interfaces instead would miss peers of the same host, which come by lo. A loopback
 * address is none of any device: a connection to it is for the first that listens.
 */
#include <linux/in.h>
#include <linux/inetdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/tcp.h>
#include <rdma/ib_addr.h>

#include "cm.h"
#include "conn.h"
#include "dev.h"
#include "listener.h"
#include "wq.h"

/* Connections that are taken before others of the workqueue have their turn. */
#define TURNS		64

/* Serializes the creation and destruction of listeners; the outermost lock of this file. */
static DEFINE_MUTEX(ports_lock);
static LIST_HEAD(ports);

/*
 * Connections per listener without an MPA request. The limit bounds kernel memory, since
 * a peer opens such connections at no cost. One more takes the place of the oldest: a peer that
 * means it sends its request at once, and a peer that is silent keeps no other out.
 */
#define MAX_HEARING 1024

/**
 * struct iw_port - a socket that listens
 * @entry: (ports_lock) of the list of all
 * @net: namespace
 * @addr: address and port
 * @v6only: no connections of IPv4
 * @sock: the socket
 * @saved: its callbacks
 * @listeners: (iw_listeners_lock) at least one
 * @work: takes connections
 */
struct iw_port {
	struct list_head entry;
	struct net *net;
	struct sockaddr_storage addr;
	bool v6only;
	struct socket *sock;
	struct iw_callbacks saved;
	struct list_head listeners;
	struct work_struct work;
};

/* ---- listener of a connection -------------------------------------------------------- */

/* No peer but those of this host, in this namespace, gets that far. */
static bool iw_is_loopback(const struct sock *sk)
{
	if (sk->sk_family == AF_INET || ipv6_addr_v4mapped(&sk->sk_v6_rcv_saddr))
		return ipv4_is_loopback(inet_sk(sk)->inet_rcv_saddr);
	return ipv6_addr_loopback(&sk->sk_v6_rcv_saddr);
}

/* RCU. The interface that has the address which a connection came to. */
static struct net_device *iw_interface_of(struct sock *sk)
{
	struct net *net = sock_net(sk);

	if (sk->sk_bound_dev_if)
		return dev_get_by_index_rcu(net, sk->sk_bound_dev_if);
	if (sk->sk_family == AF_INET || ipv6_addr_v4mapped(&sk->sk_v6_rcv_saddr))
		return __ip_dev_find(net, inet_sk(sk)->inet_rcv_saddr, false);
	if (IS_ENABLED(CONFIG_IPV6))
		return ipv6_dev_find(net, &sk->sk_v6_rcv_saddr, NULL);
	return NULL;
}

/* The rule of rdma_cm: an interface, or a VLAN of it. */
static bool iw_belongs_to(const struct iw_dev *dev, struct net_device *ndev)
{
	struct net_device *own = rcu_dereference(dev->ndev);

	return ndev && own && (ndev == own || rdma_vlan_dev_real_dev(ndev) == own);
}

/* The connection of @listener that has been silent longest, referenced. */
static struct iw_conn *iw_listener_oldest(struct iw_listener *listener)
{
	struct iw_conn *conn;

	lockdep_assert_held(&iw_listeners_lock);
	conn = list_first_entry_or_null(&listener->silent, struct iw_conn, silent);
	if (conn)
		iw_conn_get(conn);
	return conn;
}

/*
 * Referenced; NULL: no device has that address. @oldest: NULL, or the connection that has to go,
 * referenced.
 */
static struct iw_listener *iw_listener_of(struct iw_port *port, struct sock *sk,
					  struct iw_conn **oldest)
{
	struct iw_listener *listener, *found = NULL;
	bool loopback = iw_is_loopback(sk);
	struct net_device *ndev;

	mutex_lock(&iw_listeners_lock);
	rcu_read_lock();
	ndev = iw_interface_of(sk);
	list_for_each_entry(listener, &port->listeners, entry)
		if (loopback || iw_belongs_to(listener->dev, ndev)) {
			found = listener;
			/* Each has a reference, and the CM one. */
			if (refcount_read(&found->refs) > MAX_HEARING)
				*oldest = iw_listener_oldest(found);
			refcount_inc(&found->refs);
			break;
		}
	rcu_read_unlock();
	mutex_unlock(&iw_listeners_lock);
	return found;
}

/* Its time is over, unless its request has come meanwhile. Puts the reference. */
static void iw_cm_end_silent(struct iw_conn *conn)
{
	mutex_lock(&conn->lock);
	set_bit(IW_CONN_TIMED_OUT, &conn->what);
	iw_conn_process(conn);
	mutex_unlock(&conn->lock);
	iw_conn_put(conn);
}

static void iw_cm_listen_take(struct iw_port *port, struct socket *sock)
{
	struct iw_conn *conn, *oldest = NULL;
	struct iw_listener *listener;

	listener = iw_listener_of(port, sock->sk, &oldest);
	if (!listener)
		goto err_sock;
	if (oldest)
		iw_cm_end_silent(oldest);
	conn = iw_conn_new(IW_C_HEARING);
	if (!conn)
		goto err_listener;
	/* Its work may end it as soon as the lock is not held. */
	iw_conn_get(conn);
	mutex_lock(&conn->lock);
	iw_listener_join(listener, conn);
	conn->sock = sock;
	iw_conn_attach(conn, &port->saved);
	iw_conn_arm(conn, IW_SETUP_TIME);
	mutex_unlock(&conn->lock);
	iw_conn_put(conn);
	return;

err_listener:
	iw_listener_put(listener);
err_sock:
	sock_no_linger(sock->sk);
	sock_release(sock);
}

static void iw_port_work(struct work_struct *work)
{
	struct iw_port *port = container_of(work, struct iw_port, work);
	struct socket *sock;
	int turns;

	for (turns = 0; turns < TURNS; turns++) {
		if (kernel_accept(port->sock, &sock, O_NONBLOCK))
			return;
		iw_cm_listen_take(port, sock);
		cond_resched();
	}
	queue_work(iw_wq, &port->work);
}

/*
 * A socket that was not accepted yet inherits this callback from the listening socket,
 * but has no port.
 */
static void iw_listen_ready(struct sock *sk)
{
	struct iw_port *port;

	read_lock_bh(&sk->sk_callback_lock);
	port = (void *)((uintptr_t)rcu_dereference_protected(__sk_user_data(sk),
			lockdep_is_held(&sk->sk_callback_lock)) &
			SK_USER_DATA_PTRMASK);
	if (port && sk->sk_state == TCP_LISTEN)
		queue_work(iw_wq, &port->work);
	read_unlock_bh(&sk->sk_callback_lock);
}

/* ---- sockets ------------------------------------------------------------------------- */

static void iw_cm_listen_attach(struct iw_port *port)
{
	struct sock *sk = port->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	port->saved = (struct iw_callbacks){
		.data_ready = sk->sk_data_ready,
		.state_change = sk->sk_state_change,
		.write_space = sk->sk_write_space,
		.error_report = sk->sk_error_report,
	};
	__rcu_assign_sk_user_data_with_flags(sk, port, SK_USER_DATA_NOCOPY);
	sk->sk_data_ready = iw_listen_ready;
	write_unlock_bh(&sk->sk_callback_lock);
}

static void iw_cm_listen_detach(struct iw_port *port)
{
	struct sock *sk = port->sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = port->saved.data_ready;
	rcu_assign_sk_user_data(sk, NULL);
	write_unlock_bh(&sk->sk_callback_lock);
	cancel_work_sync(&port->work);
}

static int iw_listen_on(struct iw_port *port, int backlog)
{
	int bytes = port->addr.ss_family == AF_INET6 ?
		sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	struct sock *sk;
	int ret;

	ret = sock_create_kern(port->net, port->addr.ss_family, SOCK_STREAM,
			       IPPROTO_TCP, &port->sock);
	if (ret)
		return ret;
	sk = port->sock->sk;
	compat_sock_hold_net(sk);
	sock_set_reuseaddr(sk);
	/* Connections have it from the first byte on. */
	sock_set_flag(sk, SOCK_URGINLINE);
	if (port->addr.ss_family == AF_INET6)
		sk->sk_ipv6only = port->v6only;
	ret = kernel_bind(port->sock, (struct sockaddr_unsized *)&port->addr, bytes);
	if (!ret)
		ret = kernel_listen(port->sock, backlog);
	if (ret)
		sock_release(port->sock);
	return ret;
}

static bool iw_same_addr(const struct sockaddr_storage *a,
			 const struct sockaddr_storage *b)
{
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;

	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return a4->sin_port == b4->sin_port &&
		       a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return a6->sin6_port == b6->sin6_port &&
	       a6->sin6_scope_id == b6->sin6_scope_id &&
	       ipv6_addr_equal(&a6->sin6_addr, &b6->sin6_addr);
}

static struct iw_port *iw_find_port(struct net *net,
				    const struct sockaddr_storage *addr, bool v6only)
{
	struct iw_port *port;

	lockdep_assert_held(&ports_lock);
	list_for_each_entry(port, &ports, entry)
		if (net_eq(port->net, net) && port->v6only == v6only &&
		    iw_same_addr(&port->addr, addr))
			return port;
	return NULL;
}

static bool iw_listens_already(struct iw_port *port, const struct iw_dev *dev)
{
	struct iw_listener *listener;
	bool found = false;

	mutex_lock(&iw_listeners_lock);
	list_for_each_entry(listener, &port->listeners, entry)
		found |= listener->dev == dev;
	mutex_unlock(&iw_listeners_lock);
	return found;
}

/*
 * The socket listens when this returns. The caller calls iw_cm_listen_attach() once the port has a
 * listener, as iw_port_work() resets connections of a port without one.
 */
static struct iw_port *iw_new_port(struct net *net,
				   const struct sockaddr_storage *addr, bool v6only,
				   int backlog)
{
	struct iw_port *port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);
	int ret;

	lockdep_assert_held(&ports_lock);
	if (!port)
		return ERR_PTR(-ENOMEM);
	port->net = net;
	port->addr = *addr;
	port->v6only = v6only;
	INIT_LIST_HEAD(&port->listeners);
	INIT_WORK(&port->work, iw_port_work);
	ret = iw_listen_on(port, backlog);
	if (ret) {
		kfree(port);
		return ERR_PTR(ret);
	}
	list_add_tail(&port->entry, &ports);
	return port;
}

static void iw_end_port(struct iw_port *port)
{
	lockdep_assert_held(&ports_lock);
	list_del(&port->entry);
	iw_cm_listen_detach(port);
	sock_release(port->sock);
	kfree(port);
}

/* ---- ops ----------------------------------------------------------------------------- */

static int iw_cm_listen_join(struct iw_listener *listener, int backlog)
{
	struct iw_cm_id *cm_id = listener->cm_id;
	const struct sockaddr_storage *addr = &cm_id->m_local_addr;
	struct net *net = iw_get_net(listener->dev);
	struct iw_port *port;
	bool fresh;

	lockdep_assert_held(&ports_lock);
	if (!net)
		return -ENODEV;
	port = iw_find_port(net, addr, cm_id->afonly);
	fresh = !port;
	if (port && iw_listens_already(port, listener->dev))
		port = ERR_PTR(-EADDRINUSE);
	else if (fresh)
		port = iw_new_port(net, addr, cm_id->afonly, backlog);
	/* From here on it is the socket that keeps it. */
	put_net(net);
	if (IS_ERR(port))
		return PTR_ERR(port);
	listener->port = port;
	mutex_lock(&iw_listeners_lock);
	list_add_tail(&listener->entry, &port->listeners);
	mutex_unlock(&iw_listeners_lock);
	/*
	 * A connection accepted before the listener is in the list would be
	 * reset. Connections that arrived before iw_cm_listen_attach() have queued no work,
	 * so it is queued here.
	 */
	if (fresh)
		iw_cm_listen_attach(port);
	queue_work(iw_wq, &port->work);
	return 0;
}

/**
 * iw_create_listen - ops.iw_create_listen
 * @cm_id: id; its address may be a wildcard
 * @backlog: connections that TCP keeps until they are accepted
 *
 * Context: process, may sleep. Return: 0, -ENOMEM, or an errno of the socket:
 * -EADDRINUSE, -EADDRNOTAVAIL.
 */
int iw_create_listen(struct iw_cm_id *cm_id, int backlog)
{
	struct iw_listener *listener = kzalloc(sizeof(*listener), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!listener)
		return -ENOMEM;
	refcount_set(&listener->refs, 1);
	INIT_LIST_HEAD(&listener->silent);
	listener->dev = to_iw_dev(cm_id->device);
	listener->cm_id = cm_id;
	mutex_lock(&ports_lock);
	ret = iw_cm_listen_join(listener, backlog);
	mutex_unlock(&ports_lock);
	if (ret) {
		kfree(listener);
		return ret;
	}
	cm_id->add_ref(cm_id);
	cm_id->provider_data = listener;
	return 0;
}

/**
 * iw_destroy_listen - ops.iw_destroy_listen
 * @cm_id: id that listens
 *
 * Connections without an MPA request are dropped when the request arrives.
 * Context: process, may sleep. Return: 0; @cm_id gets no further requests.
 */
int iw_destroy_listen(struct iw_cm_id *cm_id)
{
	struct iw_listener *listener = cm_id->provider_data;
	struct iw_port *port;
	bool last;

	if (!listener)
		return 0;
	cm_id->provider_data = NULL;
	mutex_lock(&ports_lock);
	port = listener->port;
	mutex_lock(&iw_listeners_lock);
	list_del(&listener->entry);
	listener->cm_id = NULL;
	last = list_empty(&port->listeners);
	mutex_unlock(&iw_listeners_lock);
	if (last)
		iw_end_port(port);
	mutex_unlock(&ports_lock);
	cm_id->rem_ref(cm_id);
	iw_listener_put(listener);
	return 0;
}

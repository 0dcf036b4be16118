// SPDX-License-Identifier: GPL-2.0
/*
 * Connections: their life, and what TCP calls back.
 *
 * sk_user_data is the connection while its socket is ours. It is set and cleared
 * with the socket locked, and TCP calls back with the socket locked, too; so who
 * finds it there may use it, and once it is cleared nobody finds it any more.
 */
#include <linux/slab.h>
#include <net/tcp.h>

#include "conn.h"
#include "iwarp.h"

/* All that have a socket, for the end of the module; those whose request is out. */
static DEFINE_SPINLOCK(conns_lock);
static LIST_HEAD(conns);
static LIST_HEAD(askers);

static void conn_work(struct work_struct *work)
{
	struct iw_conn *conn = container_of(work, struct iw_conn, work);

	mutex_lock(&conn->lock);
	iw_conn_look(conn);
	mutex_unlock(&conn->lock);
	iw_conn_put(conn);
}

static void conn_timer(struct work_struct *work)
{
	struct iw_conn *conn = container_of(work, struct iw_conn, timer.work);

	iw_conn_tell(conn, IW_CONN_TIMED_OUT);
	iw_conn_put(conn);
}

/**
 * iw_conn_new - a connection without a socket
 * @state: to begin with
 *
 * Context: process, may sleep. Return: it, with the socket's reference, or NULL.
 */
struct iw_conn *iw_conn_new(enum iw_conn_state state)
{
	struct iw_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL_ACCOUNT);

	if (!conn)
		return NULL;
	refcount_set(&conn->refs, 1);
	mutex_init(&conn->lock);
	INIT_WORK(&conn->work, conn_work);
	INIT_DELAYED_WORK(&conn->timer, conn_timer);
	INIT_LIST_HEAD(&conn->asker);
	conn->state = state;
	spin_lock(&conns_lock);
	list_add_tail(&conn->entry, &conns);
	spin_unlock(&conns_lock);
	return conn;
}

void iw_conn_get(struct iw_conn *conn)
{
	refcount_inc(&conn->refs);
}

/* Any context. */
void iw_conn_put(struct iw_conn *conn)
{
	if (refcount_dec_and_test(&conn->refs))
		kfree(conn);
}

/* Have the work look at it. Any context; the caller knows that @conn is there. */
void iw_conn_kick(struct iw_conn *conn)
{
	iw_conn_get(conn);
	if (!queue_work(iw_wq, &conn->work))
		iw_conn_put(conn);
}

void iw_conn_tell(struct iw_conn *conn, int what)
{
	set_bit(what, &conn->what);
	iw_conn_kick(conn);
}

/* The peer is ready to receive. With the socket's lock. */
void iw_conn_ready(struct iw_conn *conn)
{
	iw_conn_tell(conn, IW_CONN_READY);
}

/* From now on so much time is left; 0: for ever. */
void iw_conn_arm(struct iw_conn *conn, unsigned long delay)
{
	lockdep_assert_held(&conn->lock);
	if (!delay) {
		if (cancel_delayed_work(&conn->timer))
			iw_conn_put(conn);
		return;
	}
	iw_conn_get(conn);
	if (mod_delayed_work(iw_wq, &conn->timer, delay))
		iw_conn_put(conn);
}

/* ---- callbacks of TCP, with the socket's lock -------------------------------------- */

static int read_actor(read_descriptor_t *desc, struct sk_buff *skb,
		      unsigned int offset, size_t bytes)
{
	return iw_rx_input(desc->arg.data, skb, offset, bytes);
}

/*
 * Urgent data are data (RFC 6093 4), and MPA has no other use for them. With
 * SOCK_URGINLINE TCP leaves them where they are; but tcp_read_sock() stops in front of
 * them, and of all that is behind, as long as TCP believes that somebody asks for them.
 */
static void read_stream(struct sock *sk, struct iw_conn *conn)
{
	read_descriptor_t desc = { .arg.data = conn->stream, .count = 1 };

	if (unlikely(tcp_sk(sk)->urg_data))
		WRITE_ONCE(tcp_sk(sk)->urg_data, 0);
	tcp_read_sock(sk, &desc, read_actor);
	iw_rx_count(iw_qp_dev(container_of(conn->stream, struct iw_qp, rx)),
		    conn->stream);
}

static struct iw_conn *conn_of(struct sock *sk)
{
	return rcu_dereference_protected(__sk_user_data(sk),
					 lockdep_sock_is_held(sk));
}

/**
 * iw_conn_rx_of - the receive side behind a socket
 * @sk: it, locked; a connection's, or one that was
 *
 * Return: it, as long as the socket is locked; NULL: there is none any more.
 */
struct iw_rx *iw_conn_rx_of(struct sock *sk)
{
	struct iw_conn *conn = conn_of(sk);

	return conn ? conn->stream : NULL;
}

static void data_ready(struct sock *sk)
{
	struct iw_conn *conn = conn_of(sk);

	if (!conn)
		return;
	if (conn->stream)
		read_stream(sk, conn);
	/* The end, or bytes that there was no memory for. */
	if (!conn->stream || sk->sk_shutdown & RCV_SHUTDOWN ||
	    !skb_queue_empty(&sk->sk_receive_queue))
		iw_conn_kick(conn);
}

static void state_change(struct sock *sk)
{
	struct iw_conn *conn = conn_of(sk);

	if (conn)
		iw_conn_kick(conn);
}

static void write_space(struct sock *sk)
{
	struct iw_conn *conn = conn_of(sk);

	if (!conn || !sk_stream_is_writeable(sk))
		return;
	clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	if (conn->stream)
		iw_tx_kick(container_of(conn->stream, struct iw_qp, rx));
}

/**
 * iw_conn_attach - TCP calls the connection from now on
 * @conn: connection with a socket
 * @saved: callbacks that it goes back to, or NULL: those it has now
 *
 * Context: process, may sleep. What has come before is looked at.
 */
void iw_conn_attach(struct iw_conn *conn, const struct iw_callbacks *saved)
{
	struct sock *sk = conn->sock->sk;

	lock_sock(sk);
	conn->saved = saved ? *saved : (struct iw_callbacks){
		.data_ready = sk->sk_data_ready,
		.state_change = sk->sk_state_change,
		.write_space = sk->sk_write_space,
		.error_report = sk->sk_error_report,
	};
	rcu_assign_sk_user_data(sk, conn);
	sk->sk_data_ready = data_ready;
	sk->sk_state_change = state_change;
	sk->sk_write_space = write_space;
	sk->sk_error_report = state_change;
	/* Pages that write out memory must not wait for that. */
	sk->sk_allocation = GFP_NOIO;
	compat_sk_no_task_frag(sk);
	release_sock(sk);
	iw_conn_kick(conn);
}

/**
 * iw_conn_detach - undo iw_conn_attach()
 * @conn: connection with a socket; if it is not attached, nothing is done
 *
 * Context: process, may sleep. Nobody calls any more when this returns.
 */
void iw_conn_detach(struct iw_conn *conn)
{
	struct sock *sk = conn->sock->sk;

	lock_sock(sk);
	if (conn_of(sk)) {
		sk->sk_data_ready = conn->saved.data_ready;
		sk->sk_state_change = conn->saved.state_change;
		sk->sk_write_space = conn->saved.write_space;
		sk->sk_error_report = conn->saved.error_report;
		rcu_assign_sk_user_data(sk, NULL);
	}
	release_sock(sk);
}

/**
 * iw_conn_set_stream - bytes go to a receive side, or to none
 * @conn: connection with a socket
 * @rx: where they go
 *
 * What was going to the former one has got there. Context: process, may sleep.
 */
void iw_conn_set_stream(struct iw_conn *conn, struct iw_rx *rx)
{
	struct sock *sk = conn->sock->sk;

	lockdep_assert_held(&conn->lock);
	lock_sock(sk);
	conn->stream = rx;
	release_sock(sk);
}

/*
 * What TCP has not called for, since there was no memory, or no stream yet. If there
 * still is none TCP will not call again, unless the peer sends more: the timer does,
 * in the states that have no other use for it, or know what time it is.
 */
void iw_conn_read(struct iw_conn *conn)
{
	struct sock *sk = conn->sock->sk;
	bool left = false;

	lockdep_assert_held(&conn->lock);
	lock_sock(sk);
	if (conn->stream) {
		read_stream(sk, conn);
		left = !skb_queue_empty(&sk->sk_receive_queue);
	}
	release_sock(sk);
	if (left && (conn->state == IW_C_OPEN || conn->state == IW_C_CLOSING))
		iw_conn_arm(conn, IW_RETRY_TIME);
}

/**
 * iw_conn_release - the socket goes
 * @conn: connection that has one; the queue pair is gone
 * @reset: tell the peer by a reset, otherwise in order
 *
 * Context: process, may sleep. The caller has a reference of his own.
 */
void iw_conn_release(struct iw_conn *conn, bool reset)
{
	lockdep_assert_held(&conn->lock);
	iw_conn_arm(conn, 0);
	iw_conn_asks(conn, false);
	/* Nobody else finds it any more. */
	if (conn->far)
		sock_put(conn->far);
	conn->far = NULL;
	if (conn->sock) {
		iw_conn_detach(conn);
		if (reset)
			sock_no_linger(conn->sock->sk);
		sock_release(conn->sock);
		conn->sock = NULL;
	}
	conn->state = IW_C_DEAD;
	spin_lock(&conns_lock);
	list_del_init(&conn->entry);
	spin_unlock(&conns_lock);
	iw_conn_put(conn);
}

/**
 * iw_conn_send - bytes of the start-up
 * @conn: connection with a socket
 * @bytes: them
 * @length: of them; a new connection has room for so many
 *
 * Context: process, may sleep. Return: 0 or an errno of the socket.
 */
int iw_conn_send(struct iw_conn *conn, const void *bytes, u32 length)
{
	struct kvec vec = { .iov_base = (void *)bytes, .iov_len = length };
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	int ret;

	ret = kernel_sendmsg(conn->sock, &msg, &vec, 1, length);
	if (ret < 0)
		return ret;
	return ret == length ? 0 : -EAGAIN;
}

/* ---- both ends here ------------------------------------------------------------------ */

/**
 * iw_conn_asks - the request of a connection is out, or is no more
 * @conn: connection; its lock is held
 * @asks: it is; its socket stays until it is not
 */
void iw_conn_asks(struct iw_conn *conn, bool asks)
{
	lockdep_assert_held(&conn->lock);
	spin_lock(&conns_lock);
	list_del_init(&conn->asker);
	if (asks)
		list_add_tail(&conn->asker, &askers);
	spin_unlock(&conns_lock);
}

/*
 * Neither has sent or received anything but the request: what one has sent ever the
 * other has received, in each direction. Addresses may have been translated.
 */
static bool are_ends(const struct sock *hears, const struct sock *asks)
{
	const struct tcp_sock *to = tcp_sk(hears), *from = tcp_sk(asks);

	return inet_sk(hears)->inet_dport == inet_sk(asks)->inet_sport &&
	       READ_ONCE(from->write_seq) == READ_ONCE(to->rcv_nxt) &&
	       READ_ONCE(to->write_seq) == READ_ONCE(from->rcv_nxt);
}

static bool is_v4(const struct sock *sk)
{
	return sk->sk_family == AF_INET || ipv6_addr_v4mapped(&sk->sk_v6_daddr);
}

/* Nobody but the other one gets what one of them sends, unless it is translated. */
static bool are_opposite(const struct sock *a, const struct sock *b)
{
	if (!net_eq(sock_net(a), sock_net(b)) || is_v4(a) != is_v4(b) ||
	    inet_sk(a)->inet_sport != inet_sk(b)->inet_dport ||
	    inet_sk(a)->inet_dport != inet_sk(b)->inet_sport)
		return false;
	if (is_v4(a))
		return a->sk_rcv_saddr == b->sk_daddr &&
		       a->sk_daddr == b->sk_rcv_saddr;
	return ipv6_addr_equal(&a->sk_v6_rcv_saddr, &b->sk_v6_daddr) &&
	       ipv6_addr_equal(&a->sk_v6_daddr, &b->sk_v6_rcv_saddr);
}

/* Does what is sent stay on this host, where no device but the loopback sees it? */
static bool loops(struct sock *sk)
{
	struct dst_entry *dst = sk_dst_get(sk);
	bool loops = dst && dst->dev->flags & IFF_LOOPBACK;

	dst_release(dst);
	return loops;
}

static void are_near(struct iw_conn *conn, struct iw_conn *other)
{
	struct sock *sk = conn->sock->sk, *far = other->sock->sk;

	lockdep_assert_held(&conns_lock);
	WRITE_ONCE(conn->near, iw_long_fpdus);
	WRITE_ONCE(other->near, iw_long_fpdus);
	if (!READ_ONCE(iw_loopback) || !are_opposite(sk, far) || !loops(sk) ||
	    !loops(far))
		return;
	sock_hold(far);
	conn->far = far;
	sock_hold(sk);
	other->far = sk;
}

/**
 * iw_conn_look_near - is the peer a connection of this module?
 * @conn: connection that was asked for, and that is not answered; its lock is held
 *
 * Both learn it before the reply is sent. The numbers of TCP are a proof as long as
 * nobody chooses them. A peer on another host who did would get FPDUs longer than his
 * segments, and nothing else: which end gets messages directly is asked of TCP's table
 * and routes, too. Context: process.
 */
void iw_conn_look_near(struct iw_conn *conn)
{
	struct iw_conn *other;

	lockdep_assert_held(&conn->lock);
	spin_lock(&conns_lock);
	list_for_each_entry(other, &askers, asker) {
		if (!are_ends(conn->sock->sk, other->sock->sk))
			continue;
		are_near(conn, other);
		break;
	}
	spin_unlock(&conns_lock);
}

static struct iw_conn *first_conn(void)
{
	struct iw_conn *conn;

	spin_lock(&conns_lock);
	conn = list_first_entry_or_null(&conns, struct iw_conn, entry);
	if (conn)
		iw_conn_get(conn);
	spin_unlock(&conns_lock);
	return conn;
}

/**
 * iw_conns_end - release what still waits for a peer
 *
 * No device and no listener is left. Context: process, may sleep.
 */
void iw_conns_end(void)
{
	struct iw_conn *conn;

	while ((conn = first_conn())) {
		iw_conn_call(conn, IW_E_ABORT);
		iw_conn_put(conn);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Connections and their sockets: the callbacks of TCP.
 *
 * sk_user_data points to the connection while these callbacks are installed. It is
 * set and cleared with the socket locked, and TCP calls back with the socket locked,
 * too. So a callback that reads a connection there may use it, and no callback reads
 * it after it is cleared.
 */
#include <net/tcp.h>

#include "conn.h"
#include "qp.h"

static int iw_read_actor(read_descriptor_t *desc, struct sk_buff *skb,
			 unsigned int offset, size_t bytes)
{
	return iw_rx_input(desc->arg.data, skb, offset, bytes);
}

/*
 * Urgent data are part of the stream (RFC 6093 4), and MPA gives them no other meaning.
 * With SOCK_URGINLINE TCP leaves them in the stream; but tcp_read_sock() does not read
 * past them as long as urg_data is set, which only tcp_recvmsg() would clear.
 */
static void iw_read_stream(struct sock *sk, struct iw_conn *conn)
{
	read_descriptor_t desc = { .arg.data = conn->stream, .count = 1 };

	if (unlikely(tcp_sk(sk)->urg_data))
		WRITE_ONCE(tcp_sk(sk)->urg_data, 0);
	tcp_read_sock(sk, &desc, iw_read_actor);
	iw_rx_count(iw_qp_dev(container_of(conn->stream, struct iw_qp, rx)),
		    conn->stream);
}

static void iw_data_ready(struct sock *sk)
{
	struct iw_conn *conn = iw_conn_of(sk);

	if (!conn)
		return;
	if (conn->stream)
		iw_read_stream(sk, conn);
	/* The end, or bytes that there was no memory for. */
	if (!conn->stream || sk->sk_shutdown & RCV_SHUTDOWN ||
	    !skb_queue_empty(&sk->sk_receive_queue))
		iw_conn_kick(conn);
}

static void iw_state_change(struct sock *sk)
{
	struct iw_conn *conn = iw_conn_of(sk);

	if (conn)
		iw_conn_kick(conn);
}

static void iw_write_space(struct sock *sk)
{
	struct iw_conn *conn = iw_conn_of(sk);

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
	sk->sk_data_ready = iw_data_ready;
	sk->sk_state_change = iw_state_change;
	sk->sk_write_space = iw_write_space;
	sk->sk_error_report = iw_state_change;
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
 * Context: process, may sleep. No callback runs any more when this returns.
 */
void iw_conn_detach(struct iw_conn *conn)
{
	struct sock *sk = conn->sock->sk;

	lock_sock(sk);
	if (iw_conn_of(sk)) {
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
		iw_read_stream(sk, conn);
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
 * Context: process, may sleep. The caller holds a reference besides the socket's.
 */
void iw_conn_release(struct iw_conn *conn, bool reset)
{
	lockdep_assert_held(&conn->lock);
	iw_conn_arm(conn, 0);
	iw_conn_set_pending(conn, false);
	/* @conn is not in the list of askers any more, so no peer sets @far. */
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
	iw_conns_del(conn);
	iw_conn_put(conn);
}

// SPDX-License-Identifier: GPL-2.0
/* What happens to a connection, and what is done about it. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/module.h>
#include <net/ipv6.h>
#include <net/tcp.h>

#include "conn.h"
#include "listener.h"
#include "qp.h"

static uint close_time = 60;
module_param_named(close_time, close_time, uint, 0644);
MODULE_PARM_DESC(close_time, "Seconds a peer may do nothing while a connection closes (default 60)");

/* ---- to the iWARP CM ---------------------------------------------------------------- */

/* The address of IPv4 that is meant. */
static void iw_conn_act_unmap(struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in in = { .sin_family = AF_INET };

	if (in6->sin6_family != AF_INET6 || !ipv6_addr_v4mapped(&in6->sin6_addr))
		return;
	in.sin_port = in6->sin6_port;
	in.sin_addr.s_addr = in6->sin6_addr.s6_addr32[3];
	memset(addr, 0, sizeof(*addr));
	memcpy(addr, &in, sizeof(in));
}

static void iw_fill_addresses(struct iw_conn *conn, struct iw_cm_event *event)
{
	kernel_getsockname(conn->sock, (struct sockaddr *)&event->local_addr);
	kernel_getpeername(conn->sock, (struct sockaddr *)&event->remote_addr);
	iw_conn_act_unmap(&event->local_addr);
	iw_conn_act_unmap(&event->remote_addr);
}

/* IRD, ORD and private data of the peer. */
static void iw_fill_peer(struct iw_conn *conn, struct iw_cm_event *event)
{
	event->ird = min_t(u32, conn->peer.enhanced ? conn->peer.ird :
			   IW_MAX_DEPTH, IW_MAX_DEPTH);
	event->ord = min_t(u32, conn->peer.enhanced ? conn->peer.ord :
			   IW_MAX_DEPTH, IW_MAX_DEPTH);
	if (!conn->pd)
		return;
	/* The CM has room for no more. */
	event->private_data_len = min_t(u32, conn->peer.pd_bytes, U8_MAX);
	event->private_data = (void *)conn->pd;
}

static void iw_conn_act_report(struct iw_conn *conn, enum iw_cm_event_type type, int status)
{
	struct iw_cm_event event = { .event = type, .status = status };

	if (!conn->cm_id)
		return;
	if (conn->sock)
		iw_fill_addresses(conn, &event);
	if (type == IW_CM_EVENT_CONNECT_REPLY)
		iw_fill_peer(conn, &event);
	conn->cm_id->event_handler(conn->cm_id, &event);
}

static void iw_leave_cm(struct iw_conn *conn)
{
	struct iw_cm_id *cm_id = conn->cm_id;

	conn->cm_id = NULL;
	if (cm_id)
		cm_id->rem_ref(cm_id);
}

static void iw_conn_act_established(struct iw_conn *conn)
{
	conn->owes = false;
	iw_conn_act_report(conn, IW_CM_EVENT_ESTABLISHED, 0);
}

/* ---- actions ------------------------------------------------------------------------ */

static int iw_send_request(struct iw_conn *conn)
{
	u8 bytes[IW_MPA_MAX_FRAME];
	u32 length = iw_mpa_build(&conn->own, conn->frame, bytes);

	conn->pd = NULL;
	iw_conn_set_pending(conn, true);
	return iw_conn_send(conn, bytes, length);
}

static int iw_open_active(struct iw_conn *conn)
{
	int ret;

	iw_conn_set_pending(conn, false);
	ret = iw_mpa_agree(&conn->terms, &conn->own, &conn->peer, IW_MAX_DEPTH);
	if (!ret)
		ret = iw_conn_open_qp(conn);
	if (ret)
		return ret;
	if (conn->terms.p2p)
		ret = iw_tx_rtr(conn->qp, conn->terms.rtr);
	if (ret)
		return ret;
	iw_conn_arm(conn, 0);
	iw_count(iw_qp_dev(conn->qp), IW_STAT_CONNECTS);
	iw_conn_act_report(conn, IW_CM_EVENT_CONNECT_REPLY, 0);
	iw_conn_start_qp(conn);
	return 0;
}

/* The listener may have gone, or have no room for another. */
static int iw_conn_act_ask(struct iw_conn *conn)
{
	struct iw_cm_event event = {
		.event = IW_CM_EVENT_CONNECT_REQUEST,
		.provider_data = conn,
	};
	int ret;

	iw_conn_arm(conn, 0);
	iw_fill_addresses(conn, &event);
	iw_fill_peer(conn, &event);
	/* Until it is answered. */
	iw_conn_get(conn);
	ret = iw_listener_ask(conn, &event);
	if (ret)
		iw_conn_put(conn);
	iw_listener_leave(conn);
	return ret;
}

static int iw_conn_act_accept(struct iw_conn *conn)
{
	u8 bytes[IW_MPA_MAX_FRAME];
	u32 length;
	int ret;

	iw_conn_look_near(conn);
	ret = iw_conn_open_qp(conn);
	if (ret)
		return ret;
	length = iw_mpa_build(&conn->own, conn->pd, bytes);
	ret = iw_conn_send(conn, bytes, length);
	if (ret)
		return ret;
	iw_count(iw_qp_dev(conn->qp), IW_STAT_ACCEPTS);
	if (conn->state == IW_C_READYING) {
		conn->owes = true;
		iw_conn_arm(conn, IW_SETUP_TIME);
		/* What has come of the stream already. */
		iw_conn_kick(conn);
		return 0;
	}
	iw_conn_act_established(conn);
	iw_conn_start_qp(conn);
	return 0;
}

static void iw_end_this_side(struct iw_conn *conn)
{
	if (!conn->fin_sent)
		kernel_sock_shutdown(conn->sock, SHUT_WR);
	conn->fin_sent = true;
	/* The peer may have been faster. */
	iw_conn_kick(conn);
}

static void iw_conn_act_drain(struct iw_conn *conn)
{
	iw_end_this_side(conn);
	/* What was up was another time: that of iw_conn_read(), say. */
	clear_bit(IW_CONN_TIMED_OUT, &conn->what);
	iw_conn_arm(conn, IW_DRAIN_TIME);
}

/*
 * RFC 5041 6.2.1: this side sends all pending messages before its FIN, and receives what
 * the peer sends after that FIN. Both may be slow, so the timeout counts from the last
 * progress.
 */
static bool iw_may_still_close(struct iw_conn *conn)
{
	unsigned long patience = clamp(READ_ONCE(close_time), 1U, 3600U) * HZ;
	struct sock *sk = conn->sock->sk;
	u64 moved;

	lock_sock(sk);
	moved = tcp_sk(sk)->bytes_received + tcp_sk(sk)->bytes_acked;
	/* Without TCP, too. */
	if (conn->stream)
		moved += conn->stream->bytes;
	release_sock(sk);
	if (conn->qp)
		moved += READ_ONCE(conn->qp->tx.near_total);
	if (moved != conn->moved)
		conn->deadline = jiffies + patience;
	conn->moved = moved;
	if (time_after_eq(jiffies, conn->deadline))
		return false;
	/* iw_conn_read() may want to be called earlier. */
	if (!delayed_work_pending(&conn->timer))
		iw_conn_arm(conn, conn->deadline - jiffies);
	return true;
}

static void iw_begin_closing(struct iw_conn *conn)
{
	/* TCP carries no more than 2^64 - 2 bytes. */
	conn->moved = U64_MAX;
	iw_may_still_close(conn);
	iw_conn_kick(conn);
}

static int iw_say_no(struct iw_conn *conn)
{
	u8 bytes[IW_MPA_MAX_FRAME];
	u32 length = iw_mpa_build(&conn->own, conn->pd, bytes);

	iw_conn_send(conn, bytes, length);
	iw_conn_act_drain(conn);
	return 0;
}

/* If ESTABLISHED is pending, it is reported before CLOSE. */
static void iw_flush_and_report(struct iw_conn *conn)
{
	if (conn->qp)
		iw_conn_unlink_qp(conn);
	if (conn->owes)
		iw_conn_act_established(conn);
	iw_conn_act_report(conn, IW_CM_EVENT_CLOSE, conn->status);
	iw_leave_cm(conn);
}

static int iw_conn_act_end(struct iw_conn *conn, bool reset)
{
	if (conn->status && conn->qp)
		iw_count(iw_qp_dev(conn->qp), IW_STAT_RESETS);
	iw_flush_and_report(conn);
	iw_conn_release(conn, reset);
	return 0;
}

static int iw_give_up(struct iw_conn *conn)
{
	if (conn->qp)
		iw_conn_unlink_qp(conn);
	if (conn->peer.reject)
		conn->status = -ECONNREFUSED;
	iw_conn_act_report(conn, IW_CM_EVENT_CONNECT_REPLY, conn->status ?: -ECONNRESET);
	iw_leave_cm(conn);
	iw_conn_release(conn, false);
	return 0;
}

static int iw_conn_act_drop(struct iw_conn *conn)
{
	iw_listener_leave(conn);
	iw_conn_release(conn, false);
	return 0;
}

static int iw_act_early(struct iw_conn *conn, enum iw_conn_act act)
{
	switch (act) {
	case IW_A_SEND_REQUEST:
		return iw_send_request(conn);
	case IW_A_OPEN:
		return iw_open_active(conn);
	case IW_A_ASK:
		return iw_conn_act_ask(conn);
	case IW_A_ACCEPT:
		return iw_conn_act_accept(conn);
	case IW_A_REJECT:
		return iw_say_no(conn);
	case IW_A_ESTABLISHED:
		iw_conn_arm(conn, 0);
		iw_conn_act_established(conn);
		iw_conn_start_qp(conn);
		return 0;
	case IW_A_GIVE_UP:
		return iw_give_up(conn);
	case IW_A_DROP:
		return iw_conn_act_drop(conn);
	default:
		return 0;
	}
}

static int iw_act_late(struct iw_conn *conn, enum iw_conn_act act)
{
	switch (act) {
	case IW_A_CLOSE:
		iw_begin_closing(conn);
		return 0;
	case IW_A_FIN:
		iw_end_this_side(conn);
		return 0;
	case IW_A_TERMINATE:
		iw_tx_terminate(conn->qp);
		fallthrough;
	case IW_A_FLUSH:
		iw_flush_and_report(conn);
		iw_conn_act_drain(conn);
		return 0;
	case IW_A_LATE_END:
		return iw_conn_act_end(conn, true);
	case IW_A_END:
		return iw_conn_act_end(conn, false);
	case IW_A_ABORT:
		return iw_conn_act_end(conn, true);
	default:
		return 0;
	}
}

/* An action that could not be done. */
static void iw_act_failed(struct iw_conn *conn, enum iw_conn_act act, int ret)
{
	conn->status = ret;
	switch (act) {
	case IW_A_SEND_REQUEST:
	case IW_A_OPEN:
		iw_give_up(conn);
		break;
	case IW_A_ASK:
		iw_conn_act_drop(conn);
		break;
	default:
		/* IW_A_ACCEPT: the caller of accept gets the error as its result. */
		if (conn->qp)
			iw_conn_unlink_qp(conn);
		iw_leave_cm(conn);
		iw_conn_release(conn, true);
		break;
	}
}

/**
 * iw_conn_event - something happened
 * @conn: connection; its lock is held
 * @event: what
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL: not now, nothing was done; -ECONNRESET: the peer has gone;
 * or why it could not be done, and the connection is no more.
 */
int iw_conn_event(struct iw_conn *conn, enum iw_conn_event event)
{
	struct iw_conn_step step = iw_conn_step(conn->state, event);
	bool lost = conn->state == IW_C_LOST;
	int ret;

	lockdep_assert_held(&conn->lock);
	if (step.act == IW_A_REFUSE)
		return -EINVAL;
	if (event == IW_E_TIMEOUT && !conn->status)
		conn->status = -ETIMEDOUT;
	conn->state = step.next;
	ret = iw_act_early(conn, step.act) ?: iw_act_late(conn, step.act);
	if (ret)
		iw_act_failed(conn, step.act, ret);
	return lost ? -ECONNRESET : ret;
}

/* The same from outside. */
int iw_conn_call(struct iw_conn *conn, enum iw_conn_event event)
{
	int ret;

	mutex_lock(&conn->lock);
	ret = iw_conn_event(conn, event);
	mutex_unlock(&conn->lock);
	return ret;
}

/**
 * iw_conn_abort - end the connection of a queue pair that goes to ERROR
 * @conn: connection
 *
 * A consumer that disconnects and then drains its queue pair, as ib_drain_qp() does,
 * moves it to ERROR while its last messages are still posted. Messages that TCP takes
 * at once are delivered. Context: process, may sleep.
 */
void iw_conn_abort(struct iw_conn *conn)
{
	enum iw_conn_event event = IW_E_ABORT;

	mutex_lock(&conn->lock);
	if (conn->state == IW_C_CLOSING) {
		iw_tx_run(conn->qp);
		if (iw_tx_idle(conn->qp))
			event = IW_E_LEAVE;
	}
	iw_conn_event(conn, event);
	mutex_unlock(&conn->lock);
}

/* ---- what the socket says ------------------------------------------------------------ */

static void iw_look_for_reply(struct iw_conn *conn)
{
	int ret = iw_conn_read_frame(conn, true);

	if (ret == -EAGAIN)
		return;
	if (ret) {
		conn->status = -EPROTO;
		iw_conn_event(conn, IW_E_BAD_FRAME);
	} else {
		iw_conn_event(conn, conn->peer.reject ? IW_E_REJECTION :
			      IW_E_REPLY);
	}
}

/* RFC 5044 7.1.2: markers can only be refused. */
static void iw_look_for_request(struct iw_conn *conn)
{
	int ret = iw_conn_read_frame(conn, false);

	if (ret == -EAGAIN)
		return;
	if (ret || conn->peer.markers) {
		if (ret == -EPROTONOSUPPORT || !ret)
			iw_conn_refuse(conn);
		iw_conn_event(conn, IW_E_BAD_FRAME);
	} else {
		iw_conn_event(conn, IW_E_REQUEST);
	}
}

/* Drop received bytes: the stream is over. */
static void iw_conn_act_discard(struct iw_conn *conn)
{
	u8 scratch[256];
	int ret, turns = 64;

	do {
		struct kvec vec = { .iov_base = scratch, .iov_len = sizeof(scratch) };
		struct msghdr msg = { .msg_flags = MSG_DONTWAIT };

		ret = kernel_recvmsg(conn->sock, &msg, &vec, 1, sizeof(scratch),
				     MSG_DONTWAIT);
	} while (ret > 0 && --turns);
	if (ret > 0)
		iw_conn_kick(conn);
}

static void iw_look_at_bytes(struct iw_conn *conn)
{
	struct sock *sk = conn->sock->sk;

	switch (conn->state) {
	case IW_C_TCP:
		if (sk->sk_state == TCP_ESTABLISHED ||
		    sk->sk_state == TCP_CLOSE_WAIT)
			iw_conn_event(conn, IW_E_UP);
		break;
	case IW_C_ASKING:
		iw_look_for_reply(conn);
		break;
	case IW_C_HEARING:
		iw_look_for_request(conn);
		break;
	case IW_C_DRAIN:
		iw_conn_act_discard(conn);
		break;
	case IW_C_READYING:
	case IW_C_OPEN:
	case IW_C_CLOSING:
		iw_conn_read(conn);
		break;
	default:
		break;
	}
}

/* TCP that both sides have ended is in TCP_CLOSE as well, behind a FIN (SOCK_DONE). */
static void iw_look_at_end(struct iw_conn *conn)
{
	struct sock *sk = conn->sock->sk;
	bool all_read = skb_queue_empty(&sk->sk_receive_queue);

	if (sk->sk_err ||
	    (sk->sk_state == TCP_CLOSE && !sock_flag(sk, SOCK_DONE))) {
		if (!conn->status)
			conn->status = sk->sk_err && sk->sk_err != EPIPE ?
				-sk->sk_err : -ECONNRESET;
		iw_conn_event(conn, IW_E_RESET);
	} else if (sk->sk_shutdown & RCV_SHUTDOWN &&
		   (all_read || conn->state < IW_C_READYING)) {
		iw_conn_event(conn, IW_E_FIN);
	}
}

/**
 * iw_conn_process - find out what has happened
 * @conn: connection; its lock is held
 *
 * Context: process, may sleep.
 */
void iw_conn_process(struct iw_conn *conn)
{
	if (conn->sock)
		iw_look_at_bytes(conn);
	if (test_and_clear_bit(IW_CONN_READY, &conn->what))
		iw_conn_event(conn, IW_E_READY);
	if (test_and_clear_bit(IW_CONN_HEARD, &conn->what))
		iw_conn_event(conn, IW_E_HEARD);
	if (test_and_clear_bit(IW_CONN_FAILED, &conn->what))
		iw_conn_event(conn, IW_E_FAILED);
	if (conn->state == IW_C_CLOSING && !conn->fin_sent &&
	    iw_tx_idle(conn->qp))
		iw_conn_event(conn, IW_E_SENT);
	if (conn->sock)
		iw_look_at_end(conn);
	if (test_and_clear_bit(IW_CONN_TIMED_OUT, &conn->what) &&
	    (conn->state != IW_C_CLOSING || !iw_may_still_close(conn)))
		iw_conn_event(conn, IW_E_TIMEOUT);
}

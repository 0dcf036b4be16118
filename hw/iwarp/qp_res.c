// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a queue pair as 'rdma -dd resource show qp' prints it: its connection, what
 * lies on its way to TCP, in TCP, and behind TCP.
 *
 * The core shows driver details to all that may see the queue pair: so they have lengths and
 * states, and nothing of what is sent.
 *
 * Each part is read with its own lock held, one after the other: the figures of one part
 * belong together. The answer is written when no lock is held.
 */
#include <linux/net.h>
#include <net/tcp.h>
#include <rdma/restrack.h>

#include "../soft/res.h"
#include "conn.h"
#include "qp.h"
#include "qp_res.h"

static const char *const stream_names[IW_QP_STATES] = {
	[IW_IDLE]	= "idle",
	[IW_RTS]	= "open",
	[IW_CLOSING]	= "closing",
	[IW_TERMINATE]	= "terminated",
	[IW_ERROR]	= "ended",
};

static const char *const conn_names[IW_C_STATES] = {
	[IW_C_TCP]	= "connecting",
	[IW_C_ASKING]	= "request-sent",
	[IW_C_HEARING]	= "request-awaited",
	[IW_C_ASKED]	= "request-received",
	[IW_C_LOST]	= "lost",
	[IW_C_READYING]	= "ready-awaited",
	[IW_C_OPEN]	= "open",
	[IW_C_CLOSING]	= "closing",
	[IW_C_DRAIN]	= "draining",
	[IW_C_DEAD]	= "dead",
};

/**
 * struct res_queues - what was posted, and what is built of it, as of one moment each
 * @stream: enum iw_qp_state
 * @wqes: taken over from the consumer and not completed
 * @reads: READs and atomics without an answer
 * @asks: READs and atomics of the peer that are not answered
 * @built: bytes that the socket has no room for
 * @direct: bytes that went to the other end without TCP
 * @task: of the send side
 */
struct res_queues {
	u8 stream;
	u32 wqes;
	u32 reads;
	u32 asks;
	u32 built;
	u64 direct;
	const char *task;
};

/**
 * struct res_conn - the connection, as of one moment
 * @state: of it; "none": there is no connection
 * @way: of what is sent
 * @rev: revision of MPA
 * @crc: FPDUs have CRCs
 * @unacked: bytes that TCP has and the peer's TCP has not acknowledged
 * @unread: bytes that TCP has received, and of which nothing was taken
 * @partial: bytes of an FPDU that has not come completely
 */
struct res_conn {
	const char *state;
	const char *way;
	u32 rev;
	bool crc;
	u32 unacked;
	u32 unread;
	u32 partial;
};

/* Without its lock: a work that is to run runs when the one that holds it is done. */
static const char *iw_task_of(struct iw_tx *tx)
{
	if (mutex_is_locked(&tx->lock))
		return "busy";
	return work_pending(&tx->work) ? "armed" : "idle";
}

static void iw_look_at_queues(struct iw_qp *qp, struct res_queues *view)
{
	struct iw_tx *tx = &qp->tx;
	u32 i;

	*view = (struct res_queues) { .task = iw_task_of(tx) };
	mutex_lock(&tx->lock);
	for (i = tx->first; i < tx->num; i++)
		view->built += tx->vec[i].bv_len;
	view->direct = tx->near_total;
	spin_lock_irq(&qp->lock);
	view->stream = qp->state;
	view->wqes = qp->sq.head - qp->sq.una;
	view->reads = qp->sq.reads;
	view->asks = qp->asks.head - qp->asks.tail;
	spin_unlock_irq(&qp->lock);
	iw_tx_unlock(qp);
}

static void iw_look_at_socket(struct iw_conn *conn, const struct iw_qp *qp,
			      struct res_conn *view)
{
	struct sock *sk = conn->sock->sk;
	const struct tcp_sock *tcp = tcp_sk(sk);

	lockdep_assert_held(&conn->lock);
	lock_sock(sk);
	view->unacked = tcp->write_seq - tcp->snd_una;
	view->unread = tcp->rcv_nxt - tcp->copied_seq;
	if (conn->stream == &qp->rx)
		view->partial = qp->rx.have;
	release_sock(sk);
}

static void iw_look_at_conn(struct iw_qp *qp, struct res_conn *view)
{
	struct iw_conn *conn;

	*view = (struct res_conn) { .state = "none", .way = "none" };
	conn = iw_qp_conn(qp);
	if (!conn)
		return;
	mutex_lock(&conn->lock);
	view->state = conn_names[conn->state];
	view->way = conn->far ? "loopback" : "tcp";
	view->rev = conn->peer.rev ?: conn->own.rev;
	view->crc = conn->terms.crc;
	if (conn->sock)
		iw_look_at_socket(conn, qp, view);
	mutex_unlock(&conn->lock);
	iw_conn_put(conn);
}

static int iw_put_queues(struct sk_buff *msg, const struct res_queues *view)
{
	if (rdma_nl_put_driver_string(msg, "stream", stream_names[view->stream]) ||
	    rdma_nl_put_driver_u32(msg, "wqes", view->wqes) ||
	    rdma_nl_put_driver_u32(msg, "sent_reads", view->reads) ||
	    rdma_nl_put_driver_u32(msg, "due_reads", view->asks) ||
	    rdma_nl_put_driver_string(msg, "send_task", view->task) ||
	    rdma_nl_put_driver_u32(msg, "built_bytes", view->built) ||
	    rdma_nl_put_driver_u64(msg, "direct_bytes", view->direct))
		return -EMSGSIZE;
	return 0;
}

static int iw_put_conn(struct sk_buff *msg, const struct res_conn *view)
{
	if (rdma_nl_put_driver_string(msg, "connection", view->state) ||
	    rdma_nl_put_driver_string(msg, "way", view->way) ||
	    rdma_nl_put_driver_u32(msg, "mpa_revision", view->rev) ||
	    rdma_nl_put_driver_u32(msg, "crc", view->crc) ||
	    rdma_nl_put_driver_u32(msg, "unacked_bytes", view->unacked) ||
	    rdma_nl_put_driver_u32(msg, "unread_bytes", view->unread) ||
	    rdma_nl_put_driver_u32(msg, "partial_bytes", view->partial))
		return -EMSGSIZE;
	return 0;
}

static int iw_put_all(struct sk_buff *msg, void *of)
{
	struct res_queues queues;
	struct res_conn conn;

	iw_look_at_queues(of, &queues);
	iw_look_at_conn(of, &conn);
	return iw_put_queues(msg, &queues) ?: iw_put_conn(msg, &conn);
}

/* Op: details of a queue pair that the caller keeps from being freed. May sleep. */
static int iw_fill_res_qp(struct sk_buff *msg, struct ib_qp *ib)
{
	return soft_fill_res(msg, iw_put_all, to_iw_qp(ib));
}

const struct ib_device_ops iw_res_ops = {
	.fill_res_qp_entry = iw_fill_res_qp,
};

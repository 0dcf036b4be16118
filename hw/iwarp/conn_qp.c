// SPDX-License-Identifier: GPL-2.0
/* A queue pair and its stream: how it begins, goes wrong, and ends. */
#include <linux/slab.h>
#include <net/tcp.h>

#include "conn.h"
#include "iwarp.h"

/* FPDUs are built in pages of so many bytes. */
#define MAX_FPDU	(32U << 10)
/* Of a TCP that knows no better. */
#define MIN_FPDU	256U

/**
 * iw_conn_link - a queue pair gets its connection
 * @conn: connection; its lock is held, or nobody knows it yet
 * @qp: queue pair
 *
 * Context: process. Return: 0 or -EINVAL: it has, or had, one.
 */
int iw_conn_link(struct iw_conn *conn, struct iw_qp *qp)
{
	int ret = -EINVAL;

	spin_lock_irq(&qp->lock);
	if (!qp->conn && !qp->barred && qp->state == IW_IDLE) {
		qp->conn = conn;
		iw_conn_get(conn);
		conn->qp = qp;
		iw_qp_get(qp);
		ret = 0;
	}
	spin_unlock_irq(&qp->lock);
	return ret;
}

/*
 * RFC 5044 5: an FPDU is not longer than a segment, and begins with one. That is for
 * adapters, which look for FPDUs in segments; our own receive side does not.
 */
static u32 max_ulpdu(const struct iw_conn *conn)
{
	u32 mss = tcp_sk(conn->sock->sk)->mss_cache;

	if (READ_ONCE(conn->near))
		mss = MAX_FPDU;
	mss = clamp(round_down(mss, 4), MIN_FPDU, MAX_FPDU);
	return mss - IW_MPA_LENGTH_BYTES - IW_MPA_CRC_BYTES;
}

static int prepare(struct iw_qp *qp, const struct iw_mpa_terms *terms)
{
	struct iw_ask *ring;
	u32 num = max(terms->ird, 1U);

	ring = kvcalloc(num, sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return -ENOMEM;
	spin_lock_irq(&qp->lock);
	qp->asks = (struct iw_asks){ .ring = ring, .num = num };
	qp->sq.ord = min_t(u32, terms->ord, IW_MAX_DEPTH);
	spin_unlock_irq(&qp->lock);
	return 0;
}

static void prepare_tx(struct iw_conn *conn)
{
	struct iw_tx *tx = &conn->qp->tx;
	u32 i;

	mutex_lock(&tx->lock);
	tx->crc = conn->terms.crc;
	tx->max_ulpdu = max_ulpdu(conn);
	for (i = 0; i < IW_QNS; i++)
		tx->msn[i] = 1;
	tx->sock = conn->sock;
	tx->far = conn->far;
	mutex_unlock(&tx->lock);
}

/**
 * iw_conn_open_qp - the stream begins
 * @conn: connection with a queue pair; its lock is held
 *
 * From here on FPDUs are received; what was posted is not sent before
 * iw_conn_start_qp(). Context: process, may sleep. Return: 0 or -ENOMEM.
 */
int iw_conn_open_qp(struct iw_conn *conn)
{
	bool passive = conn->own.reply;
	struct iw_qp *qp = conn->qp;
	struct iw_rx *rx = &qp->rx;
	int ret;

	lockdep_assert_held(&conn->lock);
	ret = prepare(qp, &conn->terms);
	if (ret)
		return ret;
	tcp_sock_set_nodelay(conn->sock->sk);
	prepare_tx(conn);
	memset(rx, 0, sizeof(*rx));
	iw_rx_begin(rx, conn->terms.crc);
	rx->conn = conn;
	rx->fpdu = iw_rdmap_rx;
	rx->bad_crc = iw_rdmap_bad_crc;
	rx->rtr = passive && conn->terms.p2p;
	rx->read_rtr = !passive && conn->terms.rtr == IW_RTR_READ;
	iw_conn_set_stream(conn, rx);
	return 0;
}

/**
 * iw_conn_start_qp - what was posted may be sent
 * @conn: connection; its lock is held
 *
 * Context: process, may sleep.
 */
void iw_conn_start_qp(struct iw_conn *conn)
{
	struct iw_qp *qp = conn->qp;

	spin_lock_irq(&qp->lock);
	if (qp->state == IW_IDLE)
		qp->state = IW_RTS;
	spin_unlock_irq(&qp->lock);
	iw_tx_kick(qp);
	iw_conn_kick(conn);
}

/* ---- it goes wrong ------------------------------------------------------------------ */

static void event_work(struct work_struct *work)
{
	struct iw_qp *qp = container_of(work, struct iw_qp, event_work);
	struct ib_event event = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
	};
	unsigned int type;

	for_each_set_bit(type, &qp->events, BITS_PER_LONG) {
		clear_bit(type, &qp->events);
		event.event = type;
		if (qp->ib.event_handler)
			qp->ib.event_handler(&event, qp->ib.qp_context);
	}
	iw_qp_put(qp);
}

/**
 * iw_qp_events_init - of a queue pair that begins
 * @qp: nothing else knows it
 */
void iw_qp_events_init(struct iw_qp *qp)
{
	INIT_WORK(&qp->event_work, event_work);
}

/**
 * iw_qp_event - an asynchronous event
 * @qp: queue pair, referenced
 * @type: of the event
 *
 * A work calls the consumer: this may be inside of a call of the consumer's, which may
 * hold a lock that its handler takes.
 *
 * Context: any.
 */
void iw_qp_event(struct iw_qp *qp, enum ib_event_type type)
{
	set_bit(type, &qp->events);
	/* The reference is the work's, one as long as it is pending. */
	iw_qp_get(qp);
	if (!queue_work(iw_wq, &qp->event_work))
		iw_qp_put(qp);
}

/* The state is that of a stream that ends; the first reason counts. */
static bool go_wrong(struct iw_qp *qp, int what, const struct iw_term_msg *term)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&qp->lock, flags);
	first = !qp->has_term && qp->state < IW_TERMINATE;
	if (first) {
		WRITE_ONCE(qp->has_term, true);
		qp->term = *term;
		if (qp->state != IW_IDLE)
			WRITE_ONCE(qp->state, IW_TERMINATE);
		if (qp->conn)
			iw_conn_tell(qp->conn, what);
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	return first;
}

static enum ib_event_type event_of(enum iw_term what)
{
	switch (what >> 8) {
	case IW_TERM_RDMAP_STAG >> 8:
	case IW_TERM_DDP_STAG >> 8:
		return IB_EVENT_QP_ACCESS_ERR;
	default:
		return IB_EVENT_QP_REQ_ERR;
	}
}

/**
 * iw_qp_fail - the stream can not go on
 * @qp: queue pair
 * @what: why
 * @about: the segment that is to blame; NULL: none of the peer's
 *
 * The connection sends the Terminate, and flushes. Context: any.
 */
void iw_qp_fail(struct iw_qp *qp, enum iw_term what,
		const struct iw_term_msg *about)
{
	struct iw_term_msg term = about ? *about : (struct iw_term_msg){};

	term.what = what;
	if (!go_wrong(qp, IW_CONN_FAILED, &term))
		return;
	/* What was posted here has its completion instead. */
	if (about || what >> 12 == IW_LAYER_LLP)
		iw_qp_event(qp, event_of(what));
	if (event_of(what) == IB_EVENT_QP_ACCESS_ERR && about)
		iw_count(iw_qp_dev(qp), IW_STAT_ACCESS_ERR);
}

/**
 * iw_qp_hear - the peer has ended the stream by a Terminate
 * @qp: queue pair
 * @tell: no completion does
 *
 * Context: any.
 */
void iw_qp_hear(struct iw_qp *qp, bool tell)
{
	const struct iw_term_msg none = {};

	if (go_wrong(qp, IW_CONN_HEARD, &none) && tell)
		iw_qp_event(qp, IB_EVENT_QP_FATAL);
}

/* Its connection may have something to do. Any context. */
void iw_qp_tell_conn(struct iw_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	if (qp->conn)
		iw_conn_kick(qp->conn);
	spin_unlock_irqrestore(&qp->lock, flags);
}

/* ---- the end -------------------------------------------------------------------------- */

/**
 * iw_qp_flush - nothing more is sent or received
 * @qp: queue pair without stream
 *
 * Context: process, may sleep.
 */
void iw_qp_flush(struct iw_qp *qp)
{
	bool first;

	spin_lock_irq(&qp->lock);
	first = qp->state != IW_ERROR;
	WRITE_ONCE(qp->state, IW_ERROR);
	spin_unlock_irq(&qp->lock);
	iw_sq_flush(qp);
	if (qp->rx.msg.busy)
		iw_recv_done(qp, qp->rx.msg.wr_id, IB_WC_WR_FLUSH_ERR, 0, NULL,
			     false);
	qp->rx.msg.busy = false;
	iw_rq_flush(qp);
	if (first && qp->srq)
		iw_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}

static void stop_rx(struct iw_conn *conn)
{
	struct iw_rx *rx = &conn->qp->rx;

	if (!conn->stream)
		return;
	iw_conn_set_stream(conn, NULL);
	iw_rx_end(rx);
}

/**
 * iw_conn_part - the stream is over
 * @conn: connection with a queue pair; its lock is held
 *
 * First nothing is received any more, then nothing is sent; so nobody but us has
 * the slots when they are flushed. Context: process, may sleep.
 */
void iw_conn_part(struct iw_conn *conn)
{
	struct iw_qp *qp = conn->qp;
	struct iw_ask *ring;

	lockdep_assert_held(&conn->lock);
	stop_rx(conn);
	/* Who sends stops, and does not go on until all is sent. */
	spin_lock_irq(&qp->lock);
	if (qp->state < IW_TERMINATE)
		WRITE_ONCE(qp->state, IW_TERMINATE);
	spin_unlock_irq(&qp->lock);
	mutex_lock(&qp->tx.lock);
	qp->tx.sock = NULL;
	qp->tx.far = NULL;
	iw_tx_drop(&qp->tx);
	mutex_unlock(&qp->tx.lock);
	iw_qp_flush(qp);

	spin_lock_irq(&qp->lock);
	qp->conn = NULL;
	ring = qp->asks.ring;
	qp->asks = (struct iw_asks){};
	spin_unlock_irq(&qp->lock);
	kvfree(ring);
	conn->qp = NULL;
	iw_qp_put(qp);
	iw_conn_put(conn);
}

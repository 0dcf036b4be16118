// SPDX-License-Identifier: GPL-2.0
/* A queue pair and its stream: how it begins, and how it ends. */
#include <linux/slab.h>
#include <net/tcp.h>

#include "conn.h"
#include "rdmap.h"

/* FPDUs are built in pages of so many bytes. */
#define MAX_FPDU	(32U << 10)
/* Of a TCP that knows no better. */
#define MIN_FPDU	256U

/**
 * iw_conn_link - a queue pair gets its connection
 * @conn: connection; its lock is held, or it is not published yet
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
 * RFC 5044 5: an FPDU is not longer than a segment, and begins with one. Adapters rely
 * on that, as they look for FPDUs in segments; the receive side of this module does not.
 */
static u32 iw_max_ulpdu(const struct iw_conn *conn)
{
	u32 mss = tcp_sk(conn->sock->sk)->mss_cache;

	if (READ_ONCE(conn->near))
		mss = MAX_FPDU;
	mss = clamp(round_down(mss, 4), MIN_FPDU, MAX_FPDU);
	return mss - IW_MPA_LENGTH_BYTES - IW_MPA_CRC_BYTES;
}

/* @read_rtr: the first READ is the RTR, which has no WQE. It is outbound until its response. */
static int iw_conn_qp_prepare(struct iw_qp *qp, const struct iw_mpa_terms *terms,
			      bool read_rtr)
{
	struct iw_irrq_entry *ring;
	u32 num = max(terms->ird, 1U);

	ring = kvcalloc(num, sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return -ENOMEM;
	spin_lock_irq(&qp->lock);
	qp->asks = (struct iw_irrq){ .ring = ring, .num = num };
	qp->sq.ord = min_t(u32, terms->ord, IW_MAX_DEPTH);
	qp->sq.reads = read_rtr;
	spin_unlock_irq(&qp->lock);
	return 0;
}

static void iw_prepare_tx(struct iw_conn *conn)
{
	struct iw_tx *tx = &conn->qp->tx;
	u32 i;

	mutex_lock(&tx->lock);
	tx->crc = conn->terms.crc;
	tx->max_ulpdu = iw_max_ulpdu(conn);
	for (i = 0; i < IW_QNS; i++)
		tx->msn[i] = 1;
	tx->sock = conn->sock;
	tx->far = conn->far;
	iw_tx_unlock(conn->qp);
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
	bool read_rtr = !passive && conn->terms.rtr == IW_RTR_READ;
	struct iw_qp *qp = conn->qp;
	struct iw_rx *rx = &qp->rx;
	int ret;

	lockdep_assert_held(&conn->lock);
	ret = iw_conn_qp_prepare(qp, &conn->terms, read_rtr);
	if (ret)
		return ret;
	tcp_sock_set_nodelay(conn->sock->sk);
	iw_prepare_tx(conn);
	memset(rx, 0, sizeof(*rx));
	iw_rx_begin(rx, conn->terms.crc);
	rx->conn = conn;
	rx->fpdu = iw_rdmap_rx;
	rx->bad_crc = iw_rdmap_bad_crc;
	rx->rtr = passive && conn->terms.p2p;
	rx->read_rtr = read_rtr;
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

static void iw_stop_rx(struct iw_conn *conn)
{
	struct iw_rx *rx = &conn->qp->rx;

	if (!conn->stream)
		return;
	iw_conn_set_stream(conn, NULL);
	iw_rx_end(rx);
}

/**
 * iw_conn_unlink_qp - the stream is over
 * @conn: connection with a queue pair; its lock is held
 *
 * The receive side stops first, then the send side. So neither of them uses a WQE
 * when the queues are flushed. Context: process, may sleep.
 */
void iw_conn_unlink_qp(struct iw_conn *conn)
{
	struct iw_qp *qp = conn->qp;
	struct iw_irrq_entry *ring;

	lockdep_assert_held(&conn->lock);
	iw_stop_rx(conn);
	/* The holder of tx.lock stops after the current batch. */
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
	qp->asks = (struct iw_irrq){};
	spin_unlock_irq(&qp->lock);
	kvfree(ring);
	conn->qp = NULL;
	iw_qp_put(qp);
	iw_conn_put(conn);
}

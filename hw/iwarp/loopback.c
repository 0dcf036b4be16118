// SPDX-License-Identifier: GPL-2.0
/*
 * Loopback: connections with both ends in this module, and with TCP over the loopback
 * interface. No FPDUs are built for them. The sender passes the header and a cursor at
 * the payload to the receive side of the other end. That handles them like an FPDU from
 * TCP: the same table and the same checks, but one copy from the memory of one end to
 * the memory of the other. MPA start-up frames, Terminates and FINs still use TCP. So
 * do connections over any other network device, where packet captures and filters have
 * to see them.
 *
 * Order: an FPDU bypasses TCP only if the other end has read all bytes that TCP got
 * here. Then tcp_sock.write_seq of the sender equals copied_seq of the receiver, and the
 * receive side holds no part of an FPDU. Otherwise, or if the other end has detached its
 * stream, FPDUs are built and TCP carries them. The path is chosen for each batch.
 *
 * Locks: the sender holds its own iw_tx.lock, and takes the socket lock of the other
 * end. That socket lock guards the receive side there: a thread that ends the stream
 * detaches it under the same lock (conn_qp.c, stop_rx()). No second socket is locked
 * meanwhile, and no iw_tx.lock is taken with a socket locked, as the receive side
 * requests an answer by iw_tx_kick() only. So there is no lock cycle if both ends send
 * at once, and no recursion. The batch (tx.c) bounds the time for which the socket is
 * locked.
 *
 * The sender has a reference to the struct sock of the other end. Its sk_user_data is
 * the connection, or NULL; the connection has a stream, or NULL.
 */
#include <net/tcp.h>

#include "conn.h"
#include "qp.h"

/* May the next batch bypass TCP? The socket of the other end is locked. */
static bool iw_may_pass(const struct iw_tx *tx, const struct iw_rx *rx)
{
	const struct sock *sk = tx->sock->sk;

	if (!rx || rx->stopped || rx->num)
		return false;
	/* TCP would take nothing more, either. */
	if (READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN ||
	    (READ_ONCE(sk->sk_state) != TCP_ESTABLISHED &&
	     READ_ONCE(sk->sk_state) != TCP_CLOSE_WAIT))
		return false;
	return READ_ONCE(tcp_sk(sk)->write_seq) == tcp_sk(tx->far)->copied_seq;
}

/**
 * iw_loopback_begin - may what is sent next go to the other end directly?
 * @qp: queue pair; tx.lock is held
 *
 * Context: process, may sleep for the socket's lock only.
 * Return: true: it does, until iw_loopback_end().
 */
bool iw_loopback_begin(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	struct iw_rx *rx;

	lockdep_assert_held(&tx->lock);
	if (!tx->far || tx->first != tx->num)
		return false;
	lock_sock(tx->far);
	rx = iw_conn_rx_of(tx->far);
	if (!iw_may_pass(tx, rx)) {
		release_sock(tx->far);
		return false;
	}
	tx->near = rx;
	tx->near_bytes = 0;
	return true;
}

/**
 * iw_loopback_end - undo iw_loopback_begin()
 * @qp: queue pair; tx.lock is held
 *
 * Return: bytes of the FPDUs that went.
 */
u32 iw_loopback_end(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;

	lockdep_assert_held(&tx->lock);
	iw_rx_count(iw_qp_dev(container_of(tx->near, struct iw_qp, rx)), tx->near);
	tx->near = NULL;
	release_sock(tx->far);
	WRITE_ONCE(tx->near_total, tx->near_total + tx->near_bytes);
	return tx->near_bytes;
}

static void iw_near_deliver(struct iw_qp *qp, struct iw_lb_fpdu *here, u32 payload)
{
	struct iw_fpdu view = {
		.here = here,
		.ulpdu = here->bytes - IW_MPA_LENGTH_BYTES + payload,
	};
	u32 bytes = iw_fpdu_bytes(view.ulpdu);

	iw_rx_loopback(qp->tx.near, &view);
	if (here->lost)
		return;
	qp->tx.near_bytes += bytes;
	iw_count(iw_qp_dev(qp), IW_STAT_TX_FPDUS);
	iw_count(iw_qp_dev(qp), IW_STAT_TX_LOCAL);
	iw_count_add(iw_qp_dev(qp), IW_STAT_TX_BYTES, bytes);
}

/**
 * iw_loopback_send_fpdu - iw_fpdu_build() between iw_loopback_begin() and iw_loopback_end()
 * @qp: queue pair
 *
 * Return: 0; -EFAULT: the memory of the message is not there any more.
 */
int iw_loopback_send_fpdu(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	u32 payload = iw_fpdu_payload(tx);
	u64 left = tx->from.left - payload;
	u8 head[sizeof(struct iw_untagged)];
	struct iw_lb_fpdu here = { .head = head, .from = &tx->from };

	lockdep_assert_held(&tx->lock);
	here.bytes = iw_fpdu_header(tx, head, payload,
				    tx->offset + payload == tx->length);
	iw_near_deliver(qp, &here, payload);
	if (here.lost)
		return -EFAULT;
	/* A receiver that refuses the message leaves the cursor in front of it. */
	soft_iter_skip(&tx->from, tx->from.left - left);
	tx->offset += payload;
	return 0;
}

/**
 * iw_loopback_send_ctrl - iw_fpdu_control() between iw_loopback_begin() and iw_loopback_end()
 * @qp: queue pair
 * @fpdu: from the length on, which the other side does not look for there
 * @bytes: of @fpdu
 */
void iw_loopback_send_ctrl(struct iw_qp *qp, const void *fpdu, u32 bytes)
{
	struct iw_lb_fpdu here = { .head = fpdu, .bytes = bytes };

	iw_near_deliver(qp, &here, 0);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Both ends of a connection are this module's, and its TCP goes through the loopback
 * interface: then no FPDU is built. Its header, and a cursor at where the payload is,
 * go to the receive side of the other end, which does with them what it does with an
 * FPDU that TCP has brought: the same table, the same checks, one copy from the memory
 * of the one to that of the other. Start-up frames, Terminates and the ends stay TCP's,
 * and so does what crosses any other network device, where captures and filters are to
 * see it.
 *
 * Order: an FPDU goes this way only if all bytes that TCP got here have arrived there.
 * tcp_sock.write_seq of the one is copied_seq of the other then, and no part of an FPDU
 * is held. While that is not so, or the other end has let go of its stream, FPDUs are
 * built and TCP gets them. Either way the next one may take the other.
 *
 * Locks: who sends has his iw_tx.lock, and takes the socket's lock of the other end,
 * which guards the receive side there as ever: who detaches a stream under it, and
 * everybody who ends one does (conn_qp.c, stop_rx()), has it for himself. No other
 * socket is locked meanwhile, and no send side is locked with a socket locked: what is
 * received asks for an answer by iw_tx_kick() alone. So nothing waits in a circle if
 * both ends send at once, and nothing nests. What is sent between lock and unlock is
 * bounded by the batch (tx.c).
 *
 * The other end's struct sock is kept by a reference. It says by its sk_user_data
 * whether it has a connection, and by that whether it has a stream.
 */
#include <net/tcp.h>

#include "conn.h"
#include "qp.h"

/* With the socket of the other end locked. */
static bool may_pass(const struct iw_tx *tx, const struct iw_rx *rx)
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
 * iw_near_begin - may what is sent next go to the other end directly?
 * @qp: queue pair; tx.lock is held
 *
 * Context: process, may sleep for the socket's lock only.
 * Return: true: it does, until iw_near_end().
 */
bool iw_near_begin(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	struct iw_rx *rx;

	lockdep_assert_held(&tx->lock);
	if (!tx->far || tx->first != tx->num)
		return false;
	lock_sock(tx->far);
	rx = iw_conn_rx_of(tx->far);
	if (!may_pass(tx, rx)) {
		release_sock(tx->far);
		return false;
	}
	tx->near = rx;
	tx->near_bytes = 0;
	return true;
}

/**
 * iw_near_end - undo iw_near_begin()
 * @qp: queue pair; tx.lock is held
 *
 * Return: bytes of the FPDUs that went.
 */
u32 iw_near_end(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;

	lockdep_assert_held(&tx->lock);
	iw_rx_count(iw_qp_dev(container_of(tx->near, struct iw_qp, rx)), tx->near);
	tx->near = NULL;
	release_sock(tx->far);
	WRITE_ONCE(tx->near_total, tx->near_total + tx->near_bytes);
	return tx->near_bytes;
}

static void deliver(struct iw_qp *qp, struct iw_here *here, u32 payload)
{
	struct iw_view view = {
		.here = here,
		.ulpdu = here->bytes - IW_MPA_LENGTH_BYTES + payload,
	};
	u32 bytes = iw_fpdu_bytes(view.ulpdu);

	iw_rx_here(qp->tx.near, &view);
	if (here->lost)
		return;
	qp->tx.near_bytes += bytes;
	iw_count(iw_qp_dev(qp), IW_STAT_TX_FPDUS);
	iw_count(iw_qp_dev(qp), IW_STAT_TX_LOCAL);
	iw_count_add(iw_qp_dev(qp), IW_STAT_TX_BYTES, bytes);
}

/**
 * iw_near_build - iw_fpdu_build() between iw_near_begin() and iw_near_end()
 * @qp: queue pair
 *
 * Return: 0; -EFAULT: the memory of the message is not there any more.
 */
int iw_near_build(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	u32 payload = iw_fpdu_payload(tx);
	u64 left = tx->from.left - payload;
	u8 head[sizeof(struct iw_untagged)];
	struct iw_here here = { .head = head, .from = &tx->from };

	lockdep_assert_held(&tx->lock);
	here.bytes = iw_fpdu_header(tx, head, payload,
				    tx->offset + payload == tx->length);
	deliver(qp, &here, payload);
	if (here.lost)
		return -EFAULT;
	/* Who refuses a message does not read it. */
	soft_iter_skip(&tx->from, tx->from.left - left);
	tx->offset += payload;
	return 0;
}

/**
 * iw_near_control - iw_fpdu_control() between iw_near_begin() and iw_near_end()
 * @qp: queue pair
 * @fpdu: from the length on, which the other side does not look for there
 * @bytes: of @fpdu
 */
void iw_near_control(struct iw_qp *qp, const void *fpdu, u32 bytes)
{
	struct iw_here here = { .head = fpdu, .bytes = bytes };

	deliver(qp, &here, 0);
}

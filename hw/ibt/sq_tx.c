// SPDX-License-Identifier: GPL-2.0
/* A packet of the send side to the link, which may have no room for the next one. */
#include "link.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "tx_wait.h"
#include "sq.h"
#include "sq_tx.h"
#include "tx.h"

/*
 * The link had no room, when it had answered so often: wait for ibt_tx_wake().
 * False: it was called in between.
 */
bool ibt_sq_wait_room(struct ibt_qp *qp, struct ibt_port *port, u32 seq)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	/* Of another port, before a migration. */
	if (sq->tx_wait_port != port)
		ibt_tx_wait_del(sq->tx_wait_port, &sq->waiting);
	sq->tx_wait_port = port;
	return ibt_tx_wait_add(port, &port->waiting, &sq->waiting, seq);
}

/* To the link. True: it is on its way, but the link has no room for more. */
bool ibt_sq_emit(struct ibt_qp *qp, struct ibt_path *path, struct sk_buff *skb,
		 struct ibt_pkt *pkt)
{
	struct ibt_port *port = path->port;
	u32 seq = READ_ONCE(port->tx_wake_seq);
	bool busy;

	qp->sq.way = IBT_WAY_PACKETS;
	busy = ibt_tx(path, skb, pkt, qp->flow) == -EAGAIN;
	ibt_qp_count_tx(qp, 1, ibt_pkt_bytes(pkt));
	return busy && ibt_sq_wait_room(qp, port, seq);
}

// SPDX-License-Identifier: GPL-2.0
/* Where sending goes on: a pure function, and what does as it says. */
#include "../soft/task.h"
#include "ask.h"
#include "pkt.h"
#include "qp.h"
#include "retry.h"
#include "resend.h"
#include "rtx.h"
#include "sq.h"
#include "wqe.h"

/* Waits without an answer, each twice as long, before the requester stops asking its peer. */
#define MOST_ASKED	2

/**
 * ibt_resend_pos_of - which byte of which request is the first of a PSN's packet
 * @sq: send queue; una is a PSN at or before @psn and at or before that of every
 *	request that is not done
 * @head: behind the last request
 * @mtu: bytes of payload in a packet
 * @psn: first packet to be sent (again)
 *
 * Requests that are done are passed over: these precede @psn, or have no packets
 * (REG_MR, ...) and were carried out already. A request without PSNs that is not
 * done was never begun: sending gets there only after all in front of it.
 *
 * A READ is asked again from @psn on: IBA vol. 1, 9.4.4, a request for the rest
 * of its bytes with the PSN that the answer's next packet has.
 *
 * Return: the request and the offset in it; @head if there is none.
 */
struct ibt_resend_pos ibt_resend_pos_of(const struct ibt_sq *sq, u32 head, u32 mtu,
					u32 psn)
{
	u32 wanted = ibt_psn_ahead(psn, sq->una);
	struct ibt_resend_pos at = { .wqe = sq->tail };
	const struct ibt_wqe *wqe;
	u32 packet;

	for (; at.wqe != head; at.wqe++) {
		wqe = ibt_wqe_at(sq, at.wqe);
		if (wqe->state == IBT_WQE_DONE)
			continue;
		if (!wqe->numbered)
			break;
		if (ibt_psn_ahead(wqe->last_psn, sq->una) < wanted)
			continue;
		packet = ibt_psn_ahead(psn, wqe->first_psn);
		if (packet < ibt_wqe_npkts(wqe))
			at.offset = packet * mtu;
		break;
	}
	return at;
}

/* Sending goes on at @psn, which was used before, or is the next to be used. */
void ibt_sq_rewind(struct ibt_qp *qp, u32 psn)
{
	struct ibt_sq *sq = &qp->sq;
	struct ibt_resend_pos at;

	lockdep_assert_held(&sq->lock);
	at = ibt_resend_pos_of(sq, ibt_sq_head(sq), qp->mtu, psn);
	sq->next = at.wqe;
	sq->offset = at.offset;
	sq->cur_psn = psn;
	ibt_ask_reset(&qp->rtx.ask, psn);
	/* What is on its way does not count any more. */
	sq->cpu = SOFT_NO_CPU;
	qp->rtx.held.state = IBT_HELD_UNKNOWN;
	ibt_resend_clear(&qp->rtx.resend);
}

/* Behind the oldest packet without an answer; of a READ, behind all of its response. */
static u32 ibt_oldest_end(const struct ibt_qp *qp)
{
	const struct ibt_sq *sq = &qp->sq;
	struct ibt_resend_pos at = ibt_resend_pos_of(sq, ibt_sq_head(sq), qp->mtu, sq->una);
	const struct ibt_wqe *wqe = ibt_wqe_at(sq, at.wqe);

	if (at.wqe != ibt_sq_head(sq) && ibt_wqe_has_psn(wqe, sq->una) &&
	    wqe->opcode == IB_WR_RDMA_READ)
		return ibt_psn_add(wqe->last_psn, 1);
	return ibt_psn_add(sq->una, 1);
}

/**
 * ibt_sq_again - the oldest packet without an answer is retransmitted
 * @qp: queue pair
 * @probe: nothing came for long: the peer is to name all that it misses
 *
 * A peer that keeps packets gets this one alone, any other the packets behind it as well.
 *
 * Context: sq.lock held.
 */
void ibt_sq_again(struct ibt_qp *qp, bool probe)
{
	struct ibt_resend *rs = &qp->rtx.resend;
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	/* Something on the way may not let packets with the mark pass. */
	if (probe && qp->rtx.rtt.backoff > MOST_ASKED)
		ibt_resend_learn(rs, 0);
	if (rs->peer != IBT_PEER_KEEPS || sq->cur_psn != sq->high) {
		ibt_sq_rewind(qp, sq->una);
		return;
	}
	ibt_resend_clear(rs);
	ibt_resend_add(rs, sq->una, sq->una, ibt_oldest_end(qp));
	qp->rtx.held.state = IBT_HELD_UNKNOWN;
	if (!probe)
		return;
	rs->probed = sq->high;
	rs->marks = IBT_MARK_GAPS;
}

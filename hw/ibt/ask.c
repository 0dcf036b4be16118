// SPDX-License-Identifier: GPL-2.0
/*
 * Which packets of a requester ask for an ACK (AckReq, IBA vol. 1, 9.7.5.1.2).
 *
 * The consumer waits for the end of a signaled request, so its last packet asks. Of a request
 * that is not signaled the consumer learns when a later one completes: its last packet asks only
 * if no packet did so in this jiffy, or if a quarter of the window, or of the send queue, was
 * sent since. So the WQEs of a consumer that signals no request at all are free again in time.
 *
 * Behind the last packet that asked there may be some that did not, and nothing after them.
 * Whatever waits for their answers, the early timer above all, has the last of them sent again,
 * and this time it asks. That is no retry: nothing is known to be lost. If it was lost, it is
 * retransmitted; if one before it was, the peer refuses it, or names the gap.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "ask.h"
#include "pkt.h"
#include "qp.h"
#include "resend.h"
#include "rtt.h"
#include "rtx.h"
#include "sq.h"
#include "wqe.h"

/* So many times in a window, and in a send queue. */
#define IBT_ASKS	4

/**
 * ibt_ask_sent - a packet asks
 * @qp: queue pair
 * @psn: of the packet
 *
 * Context: sq.lock held.
 */
void ibt_ask_sent(struct ibt_qp *qp, u32 psn)
{
	struct ibt_rtx *rtx = &qp->rtx;

	/* A packet that is retransmitted alone is older. */
	if (ibt_psn_diff(psn, rtx->ask.psn) > 0)
		rtx->ask.psn = psn;
	rtx->ask.tick = jiffies;
	if (rtx->rtt.state == IBT_RTT_IDLE)
		ibt_rtt_sent(&rtx->rtt, psn, ktime_get_mono_fast_ns());
}

/* Is there a timer that asks later? An answer in time needs a peer that is known, and steady. */
static bool ibt_ask_is_watched(const struct ibt_qp *qp)
{
	const struct ibt_rtx *rtx = &qp->rtx;

	return rtx->timeout && ibt_rtt_known(&rtx->rtt) &&
	       rtx->recovery == IBT_STEADY && rtx->resend.peer != IBT_PEER_ASKED &&
	       !qp->credit.counted;
}

/*
 * The last packet of a request. False: a later one, or the timer, asks for it. A request has one
 * packet at least, so some request of each quarter of the send queue asks.
 */
static bool ibt_ask_ends(const struct ibt_qp *qp, const struct ibt_wqe *wqe, u32 psn)
{
	const struct ibt_sq *sq = &qp->sq;
	s32 every = DIV_ROUND_UP(min(sq->max_wr, sq->mask + 1), IBT_ASKS);

	return wqe->flags & IB_SEND_SIGNALED || qp->sig_all ||
	       time_after(jiffies, qp->rtx.ask.tick) ||
	       ibt_psn_diff(psn, qp->rtx.ask.psn) >= every ||
	       psn != sq->high || sq->state != IB_QPS_RTS || !ibt_ask_is_watched(qp);
}

/**
 * ibt_ask_due - does this packet ask?
 * @qp: reliable queue pair
 * @wqe: its request
 * @psn: of the packet
 * @last: it is the last one of @wqe
 *
 * Context: sq.lock held.
 *
 * Return: it does.
 */
bool ibt_ask_due(const struct ibt_qp *qp, const struct ibt_wqe *wqe, u32 psn, bool last)
{
	u32 waiting = ibt_psn_ahead(psn, qp->sq.una) + 1;
	u32 window = ibt_rtx_window(&qp->rtx);
	s32 every = DIV_ROUND_UP(window, IBT_ASKS);

	if (last && ibt_ask_ends(qp, wqe, psn))
		return true;
	return waiting >= window || ibt_psn_diff(psn, qp->rtx.ask.psn) >= every ||
	       (waiting == 1 && qp->rtx.recovery != IBT_STEADY);
}

/**
 * ibt_ask_again - something waits for answers that no packet has asked for
 * @qp: queue pair
 *
 * Context: sq.lock held.
 *
 * Return: the requester's next step sends the last packet again. False: an answer is asked for,
 * or none is missing.
 */
bool ibt_ask_again(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	u32 last = ibt_psn_add(sq->high, IBT_PSN_MASK);

	lockdep_assert_held(&sq->lock);
	if (!ibt_qp_reliable(qp) || sq->una == sq->high || sq->cur_psn != sq->high ||
	    ibt_psn_diff(qp->rtx.ask.psn, sq->una) >= 0 || qp->rtx.resend.left ||
	    !ibt_resend_add(&qp->rtx.resend, sq->una, last, sq->high))
		return false;
	/* Which of the two packets an answer is of would not be known. */
	ibt_rtt_refused(&qp->rtx.rtt, sq->high);
	ibt_ask_sent(qp, last);
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Requests behind a READ response that is on its way, so that no acknowledgement overtakes
 * it. A packet that could not be answered for want of memory, or executed for want of pages,
 * waits there too.
 */
#include "../soft/pager.h"
#include "backlog.h"
#include "dev.h"
#include "opcode.h"
#include "pkt.h"
#include "qp.h"
#include "qp_counter.h"
#include "resp_res.h"
#include "resp.h"
#include "rx.h"
#include "stats.h"

/* A copy of a READ that waits would only be answered twice. */
static bool ibt_read_waits(const struct ibt_resp *resp, u32 psn)
{
	struct sk_buff *skb;

	skb_queue_walk(&resp->backlog, skb)
		if ((ibt_backlog_note_of(skb)->read ||
		     ibt_backlog_note_of(skb)->again) &&
		    ibt_backlog_note_of(skb)->psn == psn)
			return true;
	return false;
}

bool ibt_backlog_older(const struct ibt_resp *resp, u32 psn)
{
	struct sk_buff *skb;

	skb_queue_walk(&resp->backlog, skb)
		if (ibt_psn_diff(ibt_backlog_note_of(skb)->psn, psn) < 0)
			return true;
	return false;
}

/* One more READ waits. False: it is a copy. */
static bool ibt_count_read(struct ibt_resp *resp, struct ibt_backlog_note *note)
{
	bool tx_in_flight = resp->reading.active && !resp->reading.again;

	note->again = ibt_psn_diff(note->psn, resp->psn) < 0;
	if ((note->again || resp->waiting_reads) && ibt_read_waits(resp, note->psn))
		return false;
	if (note->again)
		return true;
	if (ibt_replay_unfinished(resp))
		tx_in_flight = true;
	note->read = true;
	note->excess = resp->waiting_reads + tx_in_flight >= resp->num_replay;
	resp->waiting_reads++;
	return true;
}

/* The peer may have sent its last packet, and hears of this one when all before it is done. */
static void ibt_drop_behind(struct ibt_qp *qp, u32 psn)
{
	struct ibt_resp *resp = &qp->resp;

	ibt_qp_count(qp, IBT_STAT_RX_DROP);
	if (!ibt_qp_reliable(qp) || resp->dropped || ibt_psn_diff(psn, resp->psn) < 0)
		return;
	resp->dropped = true;
	resp->dropped_psn = psn;
}

/* What waits for the link does so for a time that is bounded; a page may never come. */
static bool ibt_backlog_charge(struct ibt_qp *qp, u32 bytes)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);

	return soft_pager_is_busy(&qp->resp.pager) ? ibt_rx_mem_charge_half(dev, bytes) :
						     ibt_rx_mem_charge(dev, bytes);
}

/* @skb: becomes the backlog's. */
static void ibt_backlog_backlog_add(struct ibt_qp *qp, const struct ibt_pkt *pkt,
				    struct sk_buff *skb)
{
	struct ibt_backlog_note *note = ibt_backlog_note_of(skb);
	struct ibt_resp *resp = &qp->resp;

	*note = (struct ibt_backlog_note) {
		.psn = pkt->psn,
		.bytes = skb->truesize,
	};
	if (!ibt_backlog_charge(qp, note->bytes)) {
		ibt_drop_behind(qp, pkt->psn);
		kfree_skb(skb);
		return;
	}
	if (pkt->op->verb == IBT_READ && !ibt_count_read(resp, note)) {
		ibt_queue_uncharge(ibt_qp_dev(qp), note->bytes);
		ibt_qp_count(qp, IBT_STAT_RX_DUP);
		kfree_skb(skb);
		return;
	}
	__skb_queue_tail(&resp->backlog, skb);
}

void ibt_backlog_add(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		     struct sk_buff *skb)
{
	struct sk_buff *kept = NULL;

	if (skb_queue_len(&qp->resp.backlog) < IBT_MAX_BACKLOG)
		kept = ibt_rx_hold_skb(skb, pkt);
	if (kept)
		ibt_backlog_backlog_add(qp, pkt, kept);
	else
		ibt_drop_behind(qp, pkt->psn);
}

struct sk_buff *ibt_backlog_take(struct ibt_qp *qp)
{
	struct sk_buff *skb = __skb_dequeue(&qp->resp.backlog);

	if (!skb)
		return NULL;
	ibt_queue_uncharge(ibt_qp_dev(qp), ibt_backlog_note_of(skb)->bytes);
	qp->resp.waiting_reads -= ibt_backlog_note_of(skb)->read;
	return skb;
}

bool ibt_backlog_excess(struct sk_buff *skb)
{
	return ibt_backlog_note_of(skb)->excess;
}

/* No READ, which needs no memory; and it had been let in. */
void ibt_backlog_put_back(struct ibt_qp *qp, struct sk_buff *skb)
{
	atomic_add(ibt_backlog_note_of(skb)->bytes, &ibt_qp_dev(qp)->queued);
	__skb_queue_head(&qp->resp.backlog, skb);
}

/* What is kept behind a gap, too. */
void ibt_backlog_purge(struct ibt_qp *qp)
{
	struct sk_buff *skb;

	while ((skb = ibt_backlog_take(qp)))
		kfree_skb(skb);
	while ((skb = __skb_dequeue(&qp->resp.ooo.skbs))) {
		ibt_queue_uncharge(ibt_qp_dev(qp), ibt_backlog_note_of(skb)->bytes);
		kfree_skb(skb);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Requests behind a gap, kept until the gap is closed. That is for a requester that retransmits
 * the missing packets alone (recovery.c); any other sends these once more as well, and gets what
 * IBA 9.7.4.1.2 has for it. Nothing is executed out of order, and nothing is acknowledged before
 * it is executed: a packet that is kept is a packet that is late.
 *
 * Each gap is named by one NAK, when the first packet behind it comes. Such a NAK has
 * IBT_MARK_GAPS and tells by its MSN how many packets are missing. It says nothing of other
 * packets and may be lost: the requester asks once more after a few round trips.
 */
#include "ack.h"
#include "backlog.h"
#include "dev.h"
#include "ooo.h"
#include "pkt.h"
#include "qp.h"
#include "recovery.h"
#include "resend.h"
#include "resp.h"
#include "rx.h"
#include "stats.h"

/* Of a queue pair: twice what a requester of this kind has on its way. */
#define MOST_KEPT	256
/* Packets that a READ request takes, as far as they count here. */
#define MOST_PACKETS	BIT(22)
/* Gaps that are named at a time. */
#define MOST_GAPS	16

void ibt_ooo_init(struct ibt_ooo *ooo)
{
	__skb_queue_head_init(&ooo->skbs);
	ibt_ooo_reset(ooo);
}

/* For another connection. Nothing is kept. */
void ibt_ooo_reset(struct ibt_ooo *ooo)
{
	ooo->state = IBT_OOO_DROP;
	ooo->marks = 0;
}

/* A request has @marks. */
void ibt_ooo_learn(struct ibt_ooo *ooo, u8 marks)
{
	ooo->marks = READ_ONCE(ibt_selective) ? marks & IBT_MARK_KEEPS : 0;
	if (ooo->marks)
		ooo->state = IBT_OOO_KEEP;
}

/* The PSN behind those of @skb. */
static u32 ibt_ooo_end(struct sk_buff *skb)
{
	const struct ibt_backlog_note *note = ibt_backlog_note_of(skb);

	return ibt_psn_add(note->psn, note->packets);
}

/* The newest packet that is kept in front of @psn or at it. NULL: none. */
static struct sk_buff *ibt_ooo_before(struct ibt_ooo *ooo, u32 psn)
{
	struct sk_buff *skb;

	skb_queue_reverse_walk(&ooo->skbs, skb)
		if (ibt_psn_diff(ibt_backlog_note_of(skb)->psn, psn) <= 0)
			return skb;
	return NULL;
}

/*
 * Has a requester sent this one? It is never further ahead of its oldest PSN without a response, which
 * is not behind the expected one (ibt_sq_in_window()). A sender that guesses PSNs must not have half
 * of the circle for it.
 */
static bool ibt_ooo_in_reach(const struct ibt_resp *resp, u32 psn)
{
	return ibt_psn_ahead(psn, resp->psn) < IBT_RESEND_SPAN;
}

/* NULL: there is no memory for it. */
static struct sk_buff *ibt_ooo_hold(struct ibt_qp *qp, const struct ibt_pkt *pkt,
				    struct sk_buff *skb)
{
	struct sk_buff *kept = ibt_rx_hold_skb(skb, pkt);

	if (!kept)
		return NULL;
	if (!ibt_rx_mem_charge_half(ibt_qp_dev(qp), kept->truesize)) {
		kfree_skb(kept);
		return NULL;
	}
	*ibt_backlog_note_of(kept) = (struct ibt_backlog_note){
		.psn = pkt->psn,
		.packets = pkt->op->verb != IBT_READ ? 1 :
			   min_t(u32, ibt_packets(pkt->dma_length, qp->mtu), MOST_PACKETS),
		.bytes = kept->truesize,
	};
	return kept;
}

/**
 * ibt_ooo_keep - a request has come that is not expected yet
 * @qp: queue pair it is for
 * @pkt: its headers
 * @skb: the packet, which stays the caller's
 *
 * After an RNR NAK the requester is going to retransmit all, so nothing is kept.
 *
 * Context: softirqs disabled, resp.lock held.
 *
 * Return: false: it is not kept, and the requester is to hear so.
 */
bool ibt_ooo_keep(struct ibt_qp *qp, const struct ibt_pkt *pkt, struct sk_buff *skb)
{
	struct ibt_resp *resp = &qp->resp;
	struct ibt_ooo *ooo = &resp->ooo;
	struct sk_buff *before, *kept;
	u32 end;

	lockdep_assert_held(&resp->lock);
	if (ooo->state != IBT_OOO_KEEP || resp->nak_sent ||
	    !ibt_ooo_in_reach(resp, pkt->psn) || skb_queue_len(&ooo->skbs) >= MOST_KEPT)
		return false;
	before = ibt_ooo_before(ooo, pkt->psn);
	if (before && ibt_psn_diff(ibt_ooo_end(before), pkt->psn) > 0)
		return true;
	kept = ibt_ooo_hold(qp, pkt, skb);
	if (!kept)
		return false;
	end = skb_queue_empty(&ooo->skbs) ? resp->psn : ibt_ooo_end(skb_peek_tail(&ooo->skbs));
	if (before)
		__skb_queue_after(&ooo->skbs, before, kept);
	else
		__skb_queue_head(&ooo->skbs, kept);
	if (ibt_psn_diff(pkt->psn, end) > 0)
		ibt_resp_gap(qp, end, ibt_psn_ahead(pkt->psn, end));
	return true;
}

/* Is the expected packet one that was kept? */
bool ibt_ooo_is_next(const struct ibt_resp *resp)
{
	struct sk_buff *skb = skb_peek(&resp->ooo.skbs);

	return skb && ibt_psn_diff(ibt_backlog_note_of(skb)->psn, resp->psn) <= 0;
}

/**
 * ibt_ooo_take - the packet that is expected, if it was kept
 * @qp: queue pair
 *
 * What came once more meanwhile, and was executed, is dropped here.
 *
 * Context: resp.lock held.
 *
 * Return: the skb, which is the caller's, or NULL.
 */
struct sk_buff *ibt_ooo_take(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;
	struct sk_buff *skb;
	bool late;

	lockdep_assert_held(&resp->lock);
	while (ibt_ooo_is_next(resp)) {
		skb = __skb_dequeue(&resp->ooo.skbs);
		ibt_queue_uncharge(ibt_qp_dev(qp), ibt_backlog_note_of(skb)->bytes);
		late = ibt_backlog_note_of(skb)->psn != resp->psn;
		if (!late)
			return skb;
		kfree_skb(skb);
	}
	return NULL;
}

/**
 * ibt_ooo_name_gaps - the requester wants to know what is missing
 * @qp: queue pair
 *
 * The last gap has no end: nothing came from there on.
 *
 * Context: softirqs disabled, resp.lock held.
 */
void ibt_ooo_name_gaps(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;
	u32 end = resp->psn, left = MOST_GAPS;
	struct sk_buff *skb;

	lockdep_assert_held(&resp->lock);
	if (resp->ooo.state != IBT_OOO_KEEP || resp->nak_sent)
		return;
	skb_queue_walk(&resp->ooo.skbs, skb) {
		u32 psn = ibt_backlog_note_of(skb)->psn;

		if (psn != end) {
			if (!left--)
				return;
			ibt_resp_gap(qp, end, ibt_psn_ahead(psn, end));
		}
		end = ibt_ooo_end(skb);
	}
	ibt_resp_gap(qp, end, IBT_GAP_OPEN);
}

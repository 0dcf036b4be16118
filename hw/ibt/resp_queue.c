// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that come while a round of the responder's task has its lock for long: for the
 * payload and the checksums of a READ's answer. Mostly they ask for the next READ, and come
 * in a softirq that has other packets to receive.
 */
#include <linux/skbuff.h>

#include "../soft/task.h"
#include "dev.h"
#include "pkt.h"
#include "qp.h"
#include "resp.h"
#include "resp_queue.h"
#include "responder.h"
#include "rx.h"

/* Of a packet that lies there. */
struct inbox_note {
	u32 bytes;	/* charged to the device */
};

static struct inbox_note *ibt_resp_queue_note_of(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct inbox_note) > sizeof(skb->cb));
	return (struct inbox_note *)skb->cb;
}

void ibt_inbox_init(struct ibt_resp_queue *box)
{
	skb_queue_head_init(&box->skbs);
}

static void ibt_resp_queue_receive(struct ibt_qp *qp, struct sk_buff *skb)
{
	struct ibt_pkt pkt = {};

	ibt_queue_uncharge(ibt_qp_dev(qp), ibt_resp_queue_note_of(skb)->bytes);
	/* It was parsed before it was put there. */
	if (!ibt_hdr_parse(&pkt, skb, 0, skb->len))
		ibt_resp_receive(qp, &pkt, skb);
	consume_skb(skb);
}

/* Received in one go: more than lie there, and few that come meanwhile. */
#define MOST_AT_ONCE	(2 * IBT_MAX_INBOX)

/**
 * ibt_resp_queue_drain - receive what lies there
 * @qp: queue pair
 *
 * A peer that sends faster than this receives must not keep the processor for ever. What is put
 * there meanwhile has a round of its own.
 *
 * Context: resp.lock held.
 */
void ibt_resp_queue_drain(struct ibt_qp *qp)
{
	struct ibt_resp_queue *box = &qp->resp.inbox;
	u32 left = MOST_AT_ONCE;
	struct sk_buff *skb;

	lockdep_assert_held(&qp->resp.lock);
	while (!skb_queue_empty_lockless(&box->skbs) && left--) {
		skb = skb_dequeue(&box->skbs);
		if (skb)
			ibt_resp_queue_receive(qp, skb);
	}
}

/**
 * ibt_resp_queue_purge - drop what lies there
 * @qp: queue pair of which the task has stopped: the round that was to receive it may not have
 *	begun
 *
 * Context: process.
 */
void ibt_resp_queue_purge(struct ibt_qp *qp)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&qp->resp.inbox.skbs))) {
		ibt_queue_uncharge(ibt_qp_dev(qp), ibt_resp_queue_note_of(skb)->bytes);
		kfree_skb(skb);
	}
}

static bool ibt_resp_queue_keep(struct ibt_qp *qp, const struct ibt_pkt *pkt,
				struct sk_buff *skb)
{
	struct ibt_resp_queue *box = &qp->resp.inbox;
	struct sk_buff *kept;
	u32 bytes;

	if (skb_queue_len_lockless(&box->skbs) >= IBT_MAX_INBOX)
		return false;
	kept = ibt_rx_hold_skb(skb, pkt);
	if (!kept)
		return false;
	bytes = kept->truesize;
	if (!ibt_rx_mem_charge(ibt_qp_dev(qp), bytes)) {
		kfree_skb(kept);
		return false;
	}
	ibt_resp_queue_note_of(kept)->bytes = bytes;
	skb_queue_tail(&box->skbs, kept);
	return true;
}

/*
 * Leave a request to the round that is running. False: none is, or there is no room; the
 * caller waits for the lock.
 */
static bool ibt_resp_queue_add(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			       struct sk_buff *skb)
{
	struct soft_task *task = &qp->resp.task;

	if (likely(!soft_task_is_busy(task)) || !ibt_resp_queue_keep(qp, pkt, skb))
		return false;
	/* Another round takes it. */
	soft_task_call(task, 1);
	return true;
}

void ibt_responder(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		   struct sk_buff *skb, const struct ibt_rx_meta *meta)
{
	struct ibt_resp *resp = &qp->resp;

	if (ibt_resp_queue_add(qp, pkt, skb))
		return;
	spin_lock_bh(&resp->lock);
	ibt_resp_queue_drain(qp);
	ibt_resp_receive(qp, pkt, skb);
	spin_unlock_bh(&resp->lock);
}

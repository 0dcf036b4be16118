// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that lie in this host still. The link may have taken more than it can send in the
 * time that an answer is waited for: 2 MB are 168 ms at 100 Mbit/s. A packet that has not left
 * has no answer that could be late, so neither the timeout of the queue pair nor an early
 * retransmission counts that time.
 *
 *	UNKNOWN --something lies there--> HELD --all that lay there has left--> LEFT
 *	   ^                                                                     |
 *	   +------ an answer comes, or packets are sent again <------------------+
 *
 * Other queue pairs of the port may keep its queue filled for ever. So it is not asked whether
 * the queue is empty, but whether all that lay there when it was looked at first has left.
 *
 * The answer of a READ may lie there for longer than its requester waits. When that asks again,
 * the packet it asks for is on its way: a second copy would only make the queue longer.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "congestion.h"
#include "dev.h"
#include "held.h"
#include "link.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "resp_res.h"
#include "rtt.h"
#include "rtx.h"
#include "sq.h"

static const struct ibt_port *ibt_port_of(const struct ibt_qp *qp)
{
	return ibt_dev_port(ibt_qp_dev(qp), READ_ONCE(qp->attr.port_num));
}

/* Both waits begin now. */
static void ibt_has_left(struct ibt_qp *qp)
{
	qp->rtx.held.state = IBT_HELD_LEFT;
	qp->rtx.deadline = jiffies + ibt_rtx_wait(&qp->rtx);
	qp->rtx.early_at = ktime_get_mono_fast_ns() + ibt_rtx_early_wait(&qp->rtx);
}

/**
 * ibt_sq_held - may packets that have no answer be in this host still?
 * @qp: queue pair
 *
 * When they have left, the waits for their answer begin.
 *
 * Context: sq.lock held.
 */
bool ibt_sq_held(struct ibt_qp *qp)
{
	const struct ibt_link_ops *link = ibt_qp_dev(qp)->link;
	const struct ibt_port *port = ibt_port_of(qp);
	struct ibt_held *held = &qp->rtx.held;
	struct ibt_passage passage;

	lockdep_assert_held(&qp->sq.lock);
	/* Nothing may be sent, or there is no room. */
	if (qp->rtx.pause || !list_empty_careful(&qp->sq.waiting) ||
	    ibt_pace_holds(&qp->congestion))
		return true;
	if (!port || !link->passage || held->state == IBT_HELD_LEFT)
		return false;
	link->passage(port, &passage);
	if (held->state == IBT_HELD_UNKNOWN) {
		if (passage.gone == passage.taken)
			return false;
		held->state = IBT_HELD_HERE;
		held->mark = passage.taken;
		return true;
	}
	/* They wrap. */
	if ((long)(passage.gone - held->mark) < 0)
		return true;
	ibt_has_left(qp);
	return true;
}

/**
 * ibt_resp_mark_answer - packets of the READ answer in progress are sent now
 * @qp: queue pair of the responder
 *
 * The link is looked at once in a jiffy, as that costs as much as a small answer: what a look
 * finds is too little later in the jiffy, so a packet seems to have left too early, not too late.
 *
 * Context: resp.lock held.
 */
void ibt_resp_mark_answer(struct ibt_qp *qp)
{
	const struct ibt_link_ops *link = ibt_qp_dev(qp)->link;
	const struct ibt_port *port = ibt_port_of(qp);
	struct ibt_resp *resp = &qp->resp;
	struct ibt_resp_res *entry;
	struct ibt_passage passage;
	unsigned long now = jiffies;
	bool look = resp->look.at != now;

	lockdep_assert_held(&resp->lock);
	if (!port || !link->passage || (!look && !resp->reading.first))
		return;
	entry = ibt_resp_res_lookup(resp, resp->reading.psn);
	if (!entry)
		return;
	if (look) {
		link->passage(port, &passage);
		resp->look = (struct ibt_answer_look){ now, passage.taken };
		if (!resp->reading.first && entry->mark.valid &&
		    (long)(passage.gone - entry->mark.taken) <= 0)
			return;
	}
	entry->mark = (struct ibt_answer_mark){ true, resp->reading.psn, resp->look.taken };
}

/**
 * ibt_resp_answer_held - is a packet of a READ answer in this host still?
 * @qp: queue pair of the responder
 * @mark: of that answer
 * @psn: of the packet, which was sent
 *
 * Context: resp.lock held.
 */
bool ibt_resp_answer_held(struct ibt_qp *qp, const struct ibt_answer_mark *mark, u32 psn)
{
	const struct ibt_link_ops *link = ibt_qp_dev(qp)->link;
	const struct ibt_port *port = ibt_port_of(qp);
	struct ibt_passage passage;

	lockdep_assert_held(&qp->resp.lock);
	if (!mark->valid || !port || !link->passage || ibt_psn_diff(psn, mark->psn) < 0)
		return false;
	link->passage(port, &passage);
	/* They wrap. */
	return (long)(passage.gone - mark->taken) <= 0 && passage.gone != passage.taken;
}

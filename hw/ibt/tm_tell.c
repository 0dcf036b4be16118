// SPDX-License-Identifier: GPL-2.0
/*
 * Completions of tag matching. A program follows the list of tagged buffers by its completions, so
 * that of a match comes before those of later matches, and of messages that are unexpected since.
 * A message in one packet has one completion, behind its data. If another message of the queue
 * comes in between, the match has a completion of its own before that.
 *
 * All of it with srq->lock held.
 */
#include "../soft/cq.h"
#include "qp.h"
#include "resp.h"
#include "srq.h"
#include "tm_tell.h"

/**
 * ibt_tm_post - a completion of tag matching
 * @qp: queue pair of the message
 * @wc: completion, but for what all have
 * @flags: SOFT_WC_TM_*
 * @solicited: the program is to be woken
 *
 * Context: srq->lock held. Return: false: the CQ has no room.
 */
bool ibt_tm_post(struct ibt_qp *qp, struct ib_wc *wc, u32 flags, bool solicited)
{
	const struct ibt_tm_recv *tm = &qp->resp.tm;
	struct soft_tm_wc own = { .flags = flags };

	lockdep_assert_held(&qp->srq->lock);
	if (tm->kind == IBT_TM_EXPECTED) {
		own.tag = be64_to_cpu(tm->hdr.tmh.tag);
		own.app_ctx = be32_to_cpu(tm->hdr.tmh.app_ctx);
	}
	wc->qp = &qp->ib;
	wc->src_qp = READ_ONCE(qp->attr.dest_qp_num);
	wc->port_num = READ_ONCE(qp->attr.port_num);
	return soft_cq_post_tm(qp->srq->cq, wc, &own, solicited);
}

/**
 * ibt_tm_tell - the completion of a match, without the data
 * @tm: message in progress that is in srq->untold
 *
 * Context: srq->lock held. Return: as ibt_tm_post().
 */
bool ibt_tm_tell(struct ibt_tm_recv *tm)
{
	struct ibt_qp *qp = container_of(tm, struct ibt_qp, resp.tm);
	struct ib_wc wc = {
		.wr_id = tm->wr_id,
		.status = IB_WC_SUCCESS,
		.opcode = SOFT_WC_TM_RECV,
	};

	list_del_init(&tm->untold);
	return ibt_tm_post(qp, &wc, SOFT_WC_TM_MATCH, false);
}

/**
 * ibt_tm_tell_all - another message comes
 * @srq: SRQ of tag matching
 *
 * Context: srq->lock held. Return: as ibt_tm_post().
 */
bool ibt_tm_tell_all(struct ibt_srq *srq)
{
	struct ibt_tm_recv *tm, *next;
	bool told = true;

	list_for_each_entry_safe(tm, next, &srq->untold, untold)
		told &= ibt_tm_tell(tm);
	return told;
}

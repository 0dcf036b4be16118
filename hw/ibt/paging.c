// SPDX-License-Identifier: GPL-2.0
/*
 * A queue pair waits for pages of memory on demand (soft/pager.h). Each side has a pager of its
 * own and does nothing else meanwhile, so what it does stays in order:
 *
 *	requester   pauses: neither sends nor counts the time
 *	completer   drops the response, pauses, and asks for it again
 *	responder   keeps the request, and those behind it, in the backlog
 *	datagrams   are dropped by their receiver
 *
 * The first two share the pager of the send queue.
 */
#include <linux/jiffies.h>
#include <linux/sizes.h>

#include "../soft/iter.h"
#include "../soft/pager.h"
#include "../soft/policy.h"
#include "dev.h"
#include "paging.h"
#include "qp.h"
#include "requester.h"
#include "responder.h"
#include "retry.h"
#include "rtx.h"
#include "sq.h"
#include "sq_complete.h"
#include "timers.h"
#include "wqe.h"

/* Of a READ's memory, what is brought in before it is requested. */
#define READ_AHEAD	SZ_1M

/* ---- requester --------------------------------------------------------------------- */

static bool ibt_sq_ask(struct ibt_qp *qp, const struct soft_want *want)
{
	if (soft_pager_ask(&qp->sq.pager, want) != SOFT_ERR_ABSENT)
		return false;
	/* Until ibt_sq_go_on(), which waits for the lock. */
	qp->rtx.pause = IBT_PAUSE_PAGES;
	return true;
}

/* The pages may have come since: look again. */
static bool ibt_sq_look_again(struct ibt_qp *qp)
{
	ibt_sq_delay_send(qp, IBT_PAUSE_MEMORY, 1);
	return true;
}

/**
 * ibt_sq_page_in - the requester waits for pages
 * @qp: queue pair
 * @it: an access by it found them absent
 * @bytes: of that access
 * @write: it writes
 *
 * Context: sq.lock held.
 *
 * Return: the queue pair pauses. False: a page can not be there.
 */
bool ibt_sq_page_in(struct ibt_qp *qp, const struct soft_iter *it, u32 bytes, bool write)
{
	struct soft_want want;

	lockdep_assert_held(&qp->sq.lock);
	if (soft_iter_absent(it, bytes, write, &want))
		return ibt_sq_ask(qp, &want);
	return ibt_sq_look_again(qp);
}

/**
 * ibt_sq_answer_page_in - ibt_sq_page_in() for the place of a response, which is dropped
 * @qp: queue pair
 * @it: where it belongs
 * @bytes: of it
 *
 * Context: sq.lock held.
 *
 * Return: the queue pair pauses, and asks again then. False: a page can not be there.
 */
bool ibt_sq_answer_page_in(struct ibt_qp *qp, const struct soft_iter *it, u32 bytes)
{
	struct soft_want want;

	lockdep_assert_held(&qp->sq.lock);
	if (soft_iter_absent(it, bytes, true, &want)) {
		qp->sq.answer_dropped = ibt_sq_ask(qp, &want);
		return qp->sq.answer_dropped;
	}
	ibt_sq_rewind(qp, qp->sq.una);
	return ibt_sq_look_again(qp);
}

/**
 * ibt_sq_read_ready - is the memory there that a READ or atomic returns to?
 * @qp: queue pair
 * @wqe: the request; its keys are good
 *
 * A response that finds it absent would have to come twice.
 *
 * Context: sq.lock held.
 *
 * Return: false: the queue pair pauses.
 */
bool ibt_sq_read_ready(struct ibt_qp *qp, const struct ibt_wqe *wqe)
{
	struct soft_want want;
	struct soft_iter it;
	bool absent;

	ibt_wqe_dst_iter(qp, wqe, &it);
	absent = soft_iter_absent(&it, READ_AHEAD, true, &want);
	soft_iter_end(&it);
	/* What can not be there is so for the response. */
	return !absent || !ibt_sq_ask(qp, &want);
}

/**
 * ibt_wqe_no_data - bytes that a request sends could not be read
 * @qp: queue pair
 * @wqe: the request
 * @fault: what is wrong
 * @offset: of the first byte
 * @bytes: how many
 *
 * The queue pair pauses if they are to come; else the request fails.
 *
 * Context: sq.lock held.
 */
void ibt_wqe_no_data(struct ibt_qp *qp, struct ibt_wqe *wqe, enum soft_access_err fault,
		     u32 offset, u32 bytes)
{
	bool waits = false;
	struct soft_iter it;

	if (fault == SOFT_ERR_ABSENT) {
		ibt_wqe_src_iter(qp, wqe, &it);
		waits = soft_iter_skip(&it, offset) == SOFT_OK &&
			ibt_sq_page_in(qp, &it, bytes, false);
		soft_iter_end(&it);
	}
	if (!waits)
		ibt_wqe_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
}

/* Ends the pause. A response that was dropped is asked for again; that is no retry. */
static void ibt_sq_go_on(struct soft_pager *pager)
{
	struct ibt_qp *qp = container_of(pager, struct ibt_qp, sq.pager);
	struct ibt_sq *sq = &qp->sq;

	spin_lock_bh(&sq->lock);
	if (qp->rtx.pause == IBT_PAUSE_PAGES)
		qp->rtx.pause = IBT_NO_PAUSE;
	if (sq->state == IB_QPS_RTS || sq->state == IB_QPS_SQD) {
		qp->rtx.deadline = jiffies + ibt_rtx_wait(&qp->rtx);
		if (sq->answer_dropped)
			ibt_sq_rewind(qp, sq->una);
	}
	sq->answer_dropped = false;
	spin_unlock_bh(&sq->lock);
	ibt_requester(qp);
}

/* ---- responder --------------------------------------------------------------------- */

static bool ibt_resp_ask(struct ibt_qp *qp, const struct soft_want *want)
{
	return soft_pager_ask(&qp->resp.pager, want) == SOFT_ERR_ABSENT;
}

static bool ibt_resp_look_again(struct ibt_qp *qp)
{
	ibt_resp_schedule(qp, 1);
	return true;
}

/**
 * ibt_resp_page_in - the responder waits for pages
 * @qp: queue pair
 * @it: an access by it found them absent
 * @bytes: of that access
 * @write: it writes
 *
 * Context: resp.lock held.
 *
 * Return: a round of resp.task will come. False: a page can not be there.
 */
bool ibt_resp_page_in(struct ibt_qp *qp, const struct soft_iter *it, u64 bytes, bool write)
{
	struct soft_want want;

	lockdep_assert_held(&qp->resp.lock);
	if (soft_iter_absent(it, bytes, write, &want))
		return ibt_resp_ask(qp, &want);
	return ibt_resp_look_again(qp);
}

/**
 * ibt_resp_word_page_in - ibt_resp_page_in() for a word
 * @qp: queue pair
 * @region: it is in
 * @va: of the word
 * @write: it is written
 *
 * Context: resp.lock held.
 *
 * Return: as ibt_resp_page_in().
 */
bool ibt_resp_word_page_in(struct ibt_qp *qp, struct soft_region *region, u64 va, bool write)
{
	struct soft_want want;

	lockdep_assert_held(&qp->resp.lock);
	if (soft_region_absent(region, va, sizeof(u64), write, &want))
		return ibt_resp_ask(qp, &want);
	return ibt_resp_look_again(qp);
}

static void ibt_resp_go_on(struct soft_pager *pager)
{
	struct ibt_qp *qp = container_of(pager, struct ibt_qp, resp.pager);

	soft_task_call(&qp->resp.task, SOFT_ROUNDS_SOFTIRQ);
}

/**
 * ibt_paging_init - neither side waits
 * @qp: new queue pair
 *
 * Context: any.
 */
void ibt_paging_init(struct ibt_qp *qp)
{
	struct soft_faults *faults = &ibt_qp_dev(qp)->soft.mem.faults;
	struct workqueue_struct *queue = ibt_qp_dev(qp)->queues.pages;

	soft_pager_init(&qp->sq.pager, queue, faults, ibt_sq_go_on);
	soft_pager_init(&qp->resp.pager, queue, faults, ibt_resp_go_on);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a queue pair as 'rdma -dd resource show qp' prints it, for a reader that wants
 * to know why it does not go on.
 *
 * The core shows driver details to all that may see the queue pair: so they have numbers of
 * the connection, as the core's own part of the answer has, and nothing of what is sent.
 *
 * Each side is read with its own lock held, one after the other: the figures of one side
 * belong together. The answer is written when no lock is held.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/skbuff.h>
#include <rdma/restrack.h>

#include "../soft/hold.h"
#include "../soft/res.h"
#include "credit.h"
#include "qp.h"
#include "qp_res.h"
#include "requester.h"

/* What the send side waits for. */
enum res_wait {
	WAIT_NOTHING,		/* all that was posted is done */
	WAIT_CQ,		/* room for a completion */
	WAIT_RNR,		/* the peer has no receive request: its timer */
	WAIT_MEMORY,		/* there was none for a packet */
	WAIT_LINK,		/* room in the transmit queue */
	WAIT_TASK,		/* the next round of the task */
	WAIT_WINDOW,		/* ACKs: as many packets as may be are without one */
	WAIT_READS,		/* READs and atomics in front */
	WAIT_CREDITS,		/* the peer tells of no receive request for the next one */
	WAIT_ANSWERS,		/* all is sent */
};

static const char *const wait_names[] = {
	[WAIT_NOTHING]	= "nothing",
	[WAIT_CQ]	= "cq",
	[WAIT_RNR]	= "rnr",
	[WAIT_MEMORY]	= "memory",
	[WAIT_LINK]	= "link",
	[WAIT_TASK]	= "task",
	[WAIT_WINDOW]	= "window",
	[WAIT_READS]	= "reads",
	[WAIT_CREDITS]	= "credits",
	[WAIT_ANSWERS]	= "answers",
};

enum res_timer {
	TIMER_NONE,
	TIMER_ACK,		/* the timeout of the queue pair */
	TIMER_EARLY,		/* a few round trips */
	TIMER_PAUSE,		/* after an RNR NAK, or for want of memory */
};

static const char *const timer_names[] = {
	[TIMER_NONE]	= "none",
	[TIMER_ACK]	= "ack",
	[TIMER_EARLY]	= "early",
	[TIMER_PAUSE]	= "pause",
};

static const char *const way_names[] = {
	[IBT_WAY_NONE]		= "none",
	[IBT_WAY_LOOPBACK]	= "loopback",
	[IBT_WAY_DIRECT]	= "direct",
	[IBT_WAY_PACKETS]	= "packets",
	[IBT_WAY_GSO]		= "gso",
};

static const char *const recovery_names[] = {
	[IBT_STEADY]		= "none",
	[IBT_ASKED_AGAIN]	= "asked-again",
	[IBT_FILLING]		= "filling",
	[IBT_PROBING]		= "probing",
};

static const char *const task_names[] = {
	[SOFT_TASK_IDLE]	= "idle",
	[SOFT_TASK_ARMED]	= "armed",
	[SOFT_TASK_BUSY]	= "busy",
	[SOFT_TASK_BUSY_AGAIN]	= "busy-again",
};

/**
 * struct res_send - the send side, as of one moment
 * @wqes: posted and not completed
 * @next: PSN of the next packet
 * @una: oldest PSN without an answer
 * @unanswered: packets without one
 * @window: so many there may be
 * @reads: READs and atomics without an answer
 * @retries: retries left
 * @rnr_retries: RNR retries left
 * @rtt: round trips
 * @recovery: enum ibt_recovery
 * @task: enum soft_task_state
 * @way: enum ibt_way
 * @wait: enum res_wait
 * @timer: which one expires next
 * @timer_us: when
 */
struct res_send {
	u32 wqes;
	u32 next;
	u32 una;
	u32 unanswered;
	u32 window;
	u32 reads;
	u32 retries;
	u32 rnr_retries;
	struct ibt_rtt rtt;
	u8 recovery;
	u8 task;
	u8 way;
	u8 wait;
	u8 timer;
	u32 timer_us;
};

/**
 * struct res_receive - the receive side, as of one moment
 * @expected: PSN
 * @msn: messages completed
 * @backlog: request packets that wait behind a READ answer
 * @reads: READ answers that are due
 * @owed: an answer is to be sent
 * @task: enum soft_task_state
 */
struct res_receive {
	u32 expected;
	u32 msn;
	u32 backlog;
	u32 reads;
	bool owed;
	u8 task;
};

/* ---- the send side -------------------------------------------------------------------- */

static bool ibt_qp_res_sends(const struct ibt_sq *sq)
{
	return sq->state == IB_QPS_RTS || sq->state == IB_QPS_SQD;
}

/* The next request, if nothing of it was sent; or NULL. */
static const struct ibt_wqe *ibt_not_begun(const struct ibt_sq *sq)
{
	const struct ibt_wqe *wqe;

	if (sq->next == ibt_sq_head(sq))
		return NULL;
	wqe = ibt_wqe_at(sq, sq->next);
	return wqe->numbered ? NULL : wqe;
}

/* What the next request waits for; see may_begin() of the requester. */
static enum res_wait ibt_wait_to_begin(const struct ibt_qp *qp)
{
	const struct ibt_sq *sq = &qp->sq;
	const struct ibt_wqe *wqe = ibt_not_begun(sq);
	const struct ibt_wr_info *info;

	if (!wqe)
		return WAIT_ANSWERS;
	info = ibt_wr_info(wqe->opcode);
	if (sq->rd_atomic &&
	    (wqe->flags & IB_SEND_FENCE ||
	     (ibt_wr_has_response(info) && sq->rd_atomic >= sq->max_rd_atomic)))
		return WAIT_READS;
	return ibt_credit_left(&qp->credit, info) ? WAIT_ANSWERS : WAIT_CREDITS;
}

/* Also while what was sent before is sent again, packet by packet. */
static bool ibt_window_is_full(const struct ibt_qp *qp)
{
	const struct ibt_sq *sq = &qp->sq;
	const struct ibt_wqe *wqe;

	if (sq->next == ibt_sq_head(sq))
		return false;
	wqe = ibt_wqe_at(sq, sq->next);
	return wqe->state != IBT_WQE_DONE && !ibt_sq_in_window(qp, wqe);
}

static enum res_wait ibt_wait_of(const struct ibt_qp *qp, u8 task, u32 wqes)
{
	const struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	if (soft_hold_waits(&sq->hold))
		return WAIT_CQ;
	if (!ibt_qp_res_sends(sq))
		return WAIT_NOTHING;
	if (qp->rtx.pause)
		return qp->rtx.pause == IBT_PAUSE_RNR ? WAIT_RNR : WAIT_MEMORY;
	if (!list_empty_careful(&sq->waiting))
		return WAIT_LINK;
	if (task != SOFT_TASK_IDLE)
		return WAIT_TASK;
	if (ibt_window_is_full(qp))
		return WAIT_WINDOW;
	return wqes ? ibt_wait_to_begin(qp) : WAIT_NOTHING;
}

/* From now on; 0: it has come. */
static u32 ibt_us_until(unsigned long when)
{
	return time_after(when, jiffies) ? jiffies_to_usecs(when - jiffies) : 0;
}

static void ibt_look_at_timers(struct ibt_qp *qp, struct res_send *view)
{
	const struct ibt_sq *sq = &qp->sq;
	struct ibt_rtx *rtx = &qp->rtx;
	u64 now = ktime_get_mono_fast_ns();

	lockdep_assert_held(&sq->lock);
	if (!ibt_qp_res_sends(sq))
		return;
	if (rtx->pause) {
		view->timer = TIMER_PAUSE;
		view->timer_us = ibt_us_until(rtx->pause_until);
		return;
	}
	if (!ibt_sq_unanswered(sq) || !rtx->timeout)
		return;
	view->timer = TIMER_ACK;
	view->timer_us = ibt_us_until(rtx->deadline);
	/* Beyond the other one it never expires. */
	if (hrtimer_is_queued(&rtx->early_timer) &&
	    rtx->early_at < now + view->timer_us * (u64)NSEC_PER_USEC) {
		view->timer = TIMER_EARLY;
		view->timer_us = rtx->early_at > now ?
			div_u64(rtx->early_at - now, NSEC_PER_USEC) : 0;
	}
}

/*
 * Posted and not completed. A core may ask while it destroys the queue pair: its ring is freed
 * in RESET, where it is empty.
 */
static u32 ibt_wqes_of(const struct ibt_sq *sq)
{
	lockdep_assert_held(&sq->lock);
	if (sq->state == IB_QPS_RESET)
		return 0;
	/* The ring of a program keeps its WQEs until they are completed. */
	return ibt_sq_is_user(sq) ? soft_ring_ready(&sq->ring) :
				    ibt_sq_head(sq) - sq->tail;
}

static void ibt_look_at_sends(struct ibt_qp *qp, struct res_send *view)
{
	struct ibt_sq *sq = &qp->sq;

	*view = (struct res_send) {};
	spin_lock_bh(&sq->lock);
	view->wqes = ibt_wqes_of(sq);
	view->next = sq->cur_psn;
	view->una = sq->una;
	view->unanswered = ibt_psn_ahead(sq->high, sq->una);
	view->window = ibt_rtx_window(&qp->rtx);
	view->reads = sq->rd_atomic;
	view->retries = qp->rtx.retries;
	view->rnr_retries = qp->rtx.rnr_retries;
	view->rtt = qp->rtx.rtt;
	view->recovery = qp->rtx.recovery;
	view->task = atomic_read(&sq->task.state);
	view->way = sq->way;
	view->wait = ibt_wait_of(qp, view->task, view->wqes);
	ibt_look_at_timers(qp, view);
	spin_unlock_bh(&sq->lock);
}

static int ibt_put_reliable(struct sk_buff *msg, const struct res_send *view)
{
	if (rdma_nl_put_driver_u32(msg, "una_psn", view->una) ||
	    rdma_nl_put_driver_u32(msg, "unanswered", view->unanswered) ||
	    rdma_nl_put_driver_u32(msg, "window", view->window) ||
	    rdma_nl_put_driver_u32(msg, "sent_reads", view->reads) ||
	    rdma_nl_put_driver_u32(msg, "srtt_ns", view->rtt.smooth) ||
	    rdma_nl_put_driver_u32(msg, "rttvar_ns", view->rtt.vary) ||
	    rdma_nl_put_driver_u32(msg, "backoff", view->rtt.backoff) ||
	    rdma_nl_put_driver_string(msg, "timer", timer_names[view->timer]) ||
	    rdma_nl_put_driver_u32(msg, "timer_us", view->timer_us) ||
	    rdma_nl_put_driver_u32(msg, "retries", view->retries) ||
	    rdma_nl_put_driver_u32(msg, "rnr_retries", view->rnr_retries) ||
	    rdma_nl_put_driver_string(msg, "recovery",
				      recovery_names[view->recovery]))
		return -EMSGSIZE;
	return 0;
}

static int ibt_put_sends(struct sk_buff *msg, struct ibt_qp *qp)
{
	struct res_send view;

	ibt_look_at_sends(qp, &view);
	if (rdma_nl_put_driver_u32(msg, "wqes", view.wqes) ||
	    rdma_nl_put_driver_u32(msg, "next_psn", view.next) ||
	    rdma_nl_put_driver_string(msg, "way", way_names[view.way]) ||
	    rdma_nl_put_driver_string(msg, "send_task", task_names[view.task]) ||
	    rdma_nl_put_driver_string(msg, "waits_for", wait_names[view.wait]))
		return -EMSGSIZE;
	return ibt_qp_reliable(qp) ? ibt_put_reliable(msg, &view) : 0;
}

/* ---- the receive side ----------------------------------------------------------------- */

static void ibt_look_at_receives(struct ibt_qp *qp, struct res_receive *view)
{
	struct ibt_resp *resp = &qp->resp;

	spin_lock_bh(&resp->lock);
	*view = (struct res_receive) {
		.expected = resp->psn,
		.msn = resp->msn,
		.backlog = skb_queue_len(&resp->backlog),
		.reads = ibt_resp_reads_due(resp),
		.owed = resp->owed,
		.task = atomic_read(&resp->task.state),
	};
	spin_unlock_bh(&resp->lock);
}

static int ibt_put_receives(struct sk_buff *msg, struct ibt_qp *qp)
{
	struct res_receive view;

	ibt_look_at_receives(qp, &view);
	if (rdma_nl_put_driver_u32(msg, "expected_psn", view.expected) ||
	    rdma_nl_put_driver_string(msg, "answer_task", task_names[view.task]))
		return -EMSGSIZE;
	if (!ibt_qp_reliable(qp))
		return 0;
	if (rdma_nl_put_driver_u32(msg, "msn", view.msn) ||
	    rdma_nl_put_driver_u32(msg, "due_reads", view.reads) ||
	    rdma_nl_put_driver_u32(msg, "backlog", view.backlog) ||
	    rdma_nl_put_driver_u32(msg, "owed_answers", view.owed))
		return -EMSGSIZE;
	return 0;
}

/* ---- the answer ------------------------------------------------------------------------- */

/* An XRC target has no send side, an XRC initiator no receive side. */
static int ibt_put_sides(struct sk_buff *msg, void *of)
{
	struct ibt_qp *qp = of;
	int ret = 0;

	if (qp->ib.qp_type != IB_QPT_XRC_TGT)
		ret = ibt_put_sends(msg, qp);
	if (!ret && qp->transport != IBT_UD && qp->ib.qp_type != IB_QPT_XRC_INI)
		ret = ibt_put_receives(msg, qp);
	return ret;
}

/* Op: details of a queue pair that the caller keeps from being freed. Any context. */
static int ibt_fill_res_qp(struct sk_buff *msg, struct ib_qp *ib)
{
	return soft_fill_res(msg, ibt_put_sides, to_ibt_qp(ib));
}

const struct ib_device_ops ibt_res_ops = {
	.fill_res_qp_entry = ibt_fill_res_qp,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Life of the receive side: creation, states, flushing, and the work that goes on
 * with what could not be finished where it came up.
 *
 * The work holds no reference on the queue pair: ibt_resp_destroy() waits for it,
 * when nothing is left that could queue it.
 */
#include <linux/slab.h>

#include "../soft/iter.h"
#include "../soft/policy.h"
#include "../soft/ring.h"
#include "../soft/task.h"
#include "ack.h"
#include "exec.h"
#include "limits.h"
#include "opcode.h"
#include "tx_order.h"
#include "pkt.h"
#include "qp.h"
#include "resp_res.h"
#include "resp.h"
#include "resp_queue.h"
#include "responder.h"
#include "tx_wait.h"
#include "rq.h"
#include "srq.h"
#include "tag_match.h"
#include "tm_recv.h"

/* How long a receive that a user posts in the error state may lie there. */
#define FLUSH_DELAY_MIN	1
#define FLUSH_DELAY_MAX	HZ

/* Elements that are flushed before the lock is dropped. */
#define FLUSH_CHUNK	256

/* Chunks of a ring to flush in one go: no more than the elements make up. */
static u32 ibt_flush_turns(const struct ibt_qp *qp)
{
	return qp->rq.ring.buf ? qp->rq.ring.mask / FLUSH_CHUNK + 1 : 1;
}

/* A part of what is posted. True: there is more. */
static bool ibt_flush_chunk(struct ibt_qp *qp)
{
	return ibt_rq_flush_some(qp, min(qp->rq.ring.mask + 1U,
					 (u32)FLUSH_CHUNK));
}

/*
 * Flushes what a consumer may have posted to the ring since the flush. True: look
 * again. After the @last turn it is false: a poster that fills the ring as fast as
 * it is emptied has to wait.
 */
static bool ibt_flush_late(struct ibt_qp *qp, bool last)
{
	struct ibt_resp *resp = &qp->resp;
	bool some = qp->rq.ring.buf && soft_ring_ready(&qp->rq.ring);
	bool more;

	lockdep_assert_held(&resp->lock);
	more = ibt_flush_chunk(qp);
	if (more && !last)
		return true;
	/*
	 * Only polling the ring finds later receives. librxe rings no doorbell for
	 * receives, and a program that polls its CQ need not enter the kernel ever
	 * again. The ring is ordinary memory, so the kernel gets no notice of a
	 * store either. Polls get rarer, down to one a second. Polling ends when a
	 * program sees a flushed request and destroys the queue pair, as programs do.
	 */
	if (more || qp->rq.ring.map) {
		resp->flush_delay = some && !more ? FLUSH_DELAY_MIN :
			min(2 * resp->flush_delay, (unsigned long)FLUSH_DELAY_MAX);
		ibt_resp_schedule(qp, resp->flush_delay);
	}
	return false;
}

/* In the error state: what is pending, and what is in the ring. */
static enum soft_task_left ibt_flush_round(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;

	if (resp->owed && !ibt_order_resp_here(qp))
		return ibt_resp_elsewhere(resp);
	if (ibt_resp_send_pending_ack(qp) &&
	    ibt_flush_late(qp, ++resp->flush_turns >= ibt_flush_turns(qp)))
		return SOFT_TASK_MORE;
	resp->flush_turns = 0;
	return SOFT_TASK_NOTHING;
}

static enum soft_task_left ibt_resp_round(struct soft_task *task)
{
	struct ibt_qp *qp = container_of(task, struct ibt_qp, resp.task);
	enum soft_task_left left;

	spin_lock_bh(&qp->resp.lock);
	qp->resp.late = task->late;
	ibt_resp_queue_drain(qp);
	if (qp->resp.state == IB_QPS_ERR)
		left = ibt_flush_round(qp);
	else
		left = ibt_resp_run(qp);
	qp->resp.late = false;
	spin_unlock_bh(&qp->resp.lock);
	return left;
}

static void ibt_resp_work(struct work_struct *work)
{
	struct ibt_resp *resp = container_of(to_delayed_work(work),
					     struct ibt_resp, work);

	soft_task_call(&resp->task, SOFT_ROUNDS_SOFTIRQ);
}

/* ---- creation ------------------------------------------------------------------------ */

/* SGEs of the largest request that it may have to keep: with XRC, of any SRQ. */
static u32 ibt_most_sge(const struct ibt_qp *qp)
{
	if (qp->transport == IBT_XRC)
		return qp->ib.qp_type == IB_QPT_XRC_TGT ? IBT_MAX_SGE : 0;
	if (ibt_qp_matches_tags(qp))
		return max_t(u32, qp->srq->rq.max_sge, IBT_TAG_MAX_SGE);
	return qp->srq ? qp->srq->rq.max_sge : qp->rq.max_sge;
}

int ibt_resp_create(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;
	u32 room = ibt_most_sge(qp);

	resp->recv = kzalloc(struct_size(resp->recv, sge, room),
			     GFP_KERNEL_ACCOUNT);
	if (!resp->recv)
		return -ENOMEM;
	resp->recv->room = room;
	spin_lock_init(&resp->lock);
	resp->state = IB_QPS_RESET;
	resp->flush_delay = FLUSH_DELAY_MIN;
	__skb_queue_head_init(&resp->backlog);
	ibt_ooo_init(&resp->ooo);
	ibt_inbox_init(&resp->inbox);
	INIT_LIST_HEAD(&resp->waiting);
	INIT_LIST_HEAD(&resp->tm.untold);
	INIT_DELAYED_WORK(&resp->work, ibt_resp_work);
	soft_task_init(&resp->task, ibt_resp_round, &ibt_qp_dev(qp)->queues);
	resp->task.qp = &qp->ib;
	ibt_resp_ack_init(resp);
	resp->cpu = SOFT_NO_CPU;
	soft_iter_bytes(&resp->to, NULL, 0);
	return 0;
}

/*
 * The peer's request is done, and this is the last chance to say so: what is pending is
 * sent from this processor, even if it should leave from another.
 */
static void ibt_drop_owed(struct ibt_qp *qp)
{
	qp->resp.late = true;
	ibt_resp_send_pending_ack(qp);
	qp->resp.late = false;
	qp->resp.owed = false;
}

/* No reference to @qp is left. */
void ibt_resp_destroy(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;

	/* The work does nothing in this state, so it does not queue itself. */
	spin_lock_bh(&resp->lock);
	WRITE_ONCE(resp->state, IB_QPS_RESET);
	ibt_drop_owed(qp);
	ibt_resp_stop(qp);
	ibt_rq_release(qp);
	spin_unlock_bh(&resp->lock);
	ibt_tx_wait_del(resp->tx_wait_port, &resp->waiting);
	tasklet_kill(&resp->ack_tasklet);
	cancel_delayed_work_sync(&resp->work);
	soft_pager_stop(&resp->pager);
	ibt_pace_stop(qp);
	soft_task_stop(&resp->task);
	ibt_resp_queue_purge(qp);
	kfree(resp->replay);
	kfree(resp->recv);
}

int ibt_resp_reserve(struct ibt_qp *qp, u32 max_dest_rd_atomic)
{
	struct ibt_resp *resp = &qp->resp;
	struct ibt_resp_res *ring;
	int ret;

	lockdep_assert_held(&qp->attr_lock);
	if (max_dest_rd_atomic == resp->num_replay)
		return 0;
	ret = ibt_replay_alloc(&ring, max_dest_rd_atomic);
	if (ret)
		return ret;
	spin_lock_bh(&resp->lock);
	ring = ibt_replay_swap(resp, ring, max_dest_rd_atomic);
	spin_unlock_bh(&resp->lock);
	kfree(ring);
	return 0;
}

/* ---- states ------------------------------------------------------------------------------ */

/* IBA 9.7.1: both ends count from what they agreed on. */
static void ibt_resp_start(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;

	resp->psn = qp->attr.rq_psn & IBT_PSN_MASK;
	resp->msn = 0;
	resp->unacked = 0;
	resp->flushing = (struct soft_flush_part) { };
	ibt_ooo_reset(&resp->ooo);
	resp->nak_sent = false;
	resp->established = false;
	ibt_replay_clear(resp);
}

void ibt_resp_set_state(struct ibt_qp *qp, enum ib_qp_state state)
{
	struct ibt_resp *resp = &qp->resp;
	enum ib_qp_state before;

	spin_lock_bh(&resp->lock);
	before = resp->state;
	/* The queue pair has failed, and the caller does not know yet. */
	if (before == IB_QPS_ERR && state != IB_QPS_RESET)
		state = IB_QPS_ERR;
	WRITE_ONCE(resp->state, state);
	WRITE_ONCE(resp->mig_refused, false);
	switch (state) {
	case IB_QPS_RESET:
		ibt_drop_owed(qp);
		ibt_resp_stop(qp);
		ibt_rq_reset(qp);
		break;
	case IB_QPS_ERR:
		ibt_resp_stop(qp);
		resp->flush_delay = FLUSH_DELAY_MIN;
		break;
	case IB_QPS_RTR:
		if (before != IB_QPS_RTR)
			ibt_resp_start(qp);
		break;
	default:
		break;
	}
	spin_unlock_bh(&resp->lock);
}

/*
 * All that is posted completes with IB_WC_WR_FLUSH_ERR, in order. Process
 * context. The flush goes round a user's ring once. resp.work finds what the user
 * adds meanwhile.
 */
void ibt_resp_flush(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;
	u32 turns = ibt_flush_turns(qp);
	bool more;

	/* The state first, then the ring. Pairs with ibt_post_recv(). */
	smp_mb();
	do {
		spin_lock_bh(&resp->lock);
		more = resp->state == IB_QPS_ERR && ibt_flush_chunk(qp);
		if (resp->state == IB_QPS_ERR && qp->rq.ring.map)
			ibt_resp_schedule(qp, FLUSH_DELAY_MIN);
		spin_unlock_bh(&resp->lock);
		cond_resched();
	} while (more && --turns);
}

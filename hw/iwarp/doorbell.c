// SPDX-License-Identifier: GPL-2.0
/*
 * Doorbells of programs: which processor sends what was posted.
 *
 * Mostly the caller sends, at once. A caller that streams leaves it to a work on another
 * processor (../soft/doorbell.c), if one seems to be free. While the work sends one request more
 * are posted, and TCP takes them together: a segment with many FPDUs costs little more than
 * one.
 */
#include <linux/ktime.h>
#include <linux/sched/clock.h>

#include "../soft/doorbell.h"
#include "../soft/policy.h"
#include "../soft/task.h"
#include "cq.h"
#include "qp.h"
#include "wq.h"

/* Without a lock: they are hints. */
static DEFINE_PER_CPU(struct soft_db_stats, bells);

/*
 * Had the program polled the completions of all earlier WQEs before this doorbell? A WQE
 * completes as soon as the socket has taken its bytes.
 */
static bool iw_has_waited(const struct iw_qp *qp)
{
	const struct iw_sq *sq = &qp->sq;
	u32 una = READ_ONCE(sq->una);
	const struct iw_wqe *last = iw_wqe_at(sq, una - 1);

	/* An unsignaled WQE has no completion that a program could poll. */
	return una == READ_ONCE(sq->head) &&
	       (qp->sig_all || READ_ONCE(last->flags) & IB_SEND_SIGNALED) &&
	       iw_cq_is_empty(to_iw_cq(qp->ib.send_cq));
}

/* The WQE sent last. A concurrent sender may change the result, which is only a hint. */
static bool iw_was_short(const struct iw_qp *qp)
{
	const struct iw_wqe *wqe =
		iw_wqe_at(&qp->sq, READ_ONCE(qp->tx.sent) - 1);

	return READ_ONCE(wqe->length) <= SOFT_DB_SMALL_BYTES;
}

/* Leave the WQEs to the holder of tx.lock, or to the work if another CPU is idle. */
static bool iw_leave_to_other(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	u64 now = ktime_get_mono_fast_ns();

	set_bit(0, &tx->wanted);
	/* Pairs with iw_tx_run(): it sees the bit, or this that the lock is free. */
	smp_mb();
	if (mutex_is_locked(&tx->lock))
		return true;
	if (soft_helper(SOFT_NO_CPU) == SOFT_NO_CPU)
		return false;
	if (queue_work(iw_wq, &tx->work))
		WRITE_ONCE(tx->left, now);
	/* Its processor may belong to another task meanwhile. */
	return now - READ_ONCE(tx->left) < soft_task_patience;
}

/**
 * iw_doorbell_user - requests are in the ring of a program
 * @qp: queue pair of a program, with a stream
 *
 * Context: process, may sleep.
 */
void iw_doorbell_user(struct iw_qp *qp)
{
	struct soft_db_stats *b = raw_cpu_ptr(&bells);
	bool alone = iw_has_waited(qp);
	u32 sent = READ_ONCE(qp->tx.sent);
	u64 begin = local_clock();

	soft_db_account(b, alone);
	if (!alone &&
	    (soft_db_streaming(b) || mutex_is_locked(&qp->tx.lock)) &&
	    iw_leave_to_other(qp)) {
		soft_db_deferred(b);
		return;
	}
	iw_tx_run(qp);
	if (!alone)
		soft_db_sent_inline(b, begin, sent != READ_ONCE(qp->tx.sent) &&
				    iw_was_short(qp));
}

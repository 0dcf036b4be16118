// SPDX-License-Identifier: GPL-2.0
/*
 * Doorbells: which processor sends the WQEs that were posted, or that a response allows to
 * be sent.
 *
 * In most cases the caller sends at once. A program that rings doorbells, of one queue pair or
 * of many, at intervals of a fraction of the time that it takes to send a request does not
 * wait for completions and has more to post. Then another processor sends, if one seems to be
 * free. WQEs accumulate meanwhile, and their packets leave as one GSO skb (gso.c).
 */
#include <linux/sched/clock.h>

#include "../soft/doorbell.h"
#include "../soft/cq.h"
#include "../soft/policy.h"
#include "../soft/ring.h"
#include "../soft/task.h"
#include "doorbell.h"
#include "completer.h"
#include "pkt.h"
#include "qp.h"
#include "requester.h"
#include "sq.h"

/* Without a lock: they are hints. */
static DEFINE_PER_CPU(struct soft_db_stats, bells);

/*
 * Did the program see how all that it had rung for ended, before it rang again? On one host
 * that can be very soon.
 */
static bool ibt_has_waited(const struct ibt_qp *qp)
{
	const struct ibt_sq *sq = &qp->sq;
	u32 done = READ_ONCE(sq->ring.cons);

	return (s32)(done - READ_ONCE(qp->bell.prod)) >= 0 &&
	       READ_ONCE(qp->bell.told) && soft_cq_is_empty(qp->send_cq);
}

/*
 * Count the doorbell that rings now. False: whether another one follows soon does not
 * matter. Nor does it of datagrams: a program that has posted one may end before another
 * processor sends it.
 */
static bool ibt_count_bell(struct ibt_qp *qp, struct soft_db_stats *b)
{
	struct ibt_sq *sq = &qp->sq;
	bool alone = !ibt_qp_dev(qp)->num_lanes || !ibt_qp_reliable(qp) ||
		     ibt_has_waited(qp);

	soft_db_account(b, alone);
	WRITE_ONCE(qp->bell.prod,
		   READ_ONCE(sq->ring.cons) + soft_ring_ready(&sq->ring));
	return !alone;
}

/**
 * ibt_doorbell - requests were posted
 * @qp: queue pair
 *
 * Context: any.
 */
void ibt_doorbell(struct ibt_qp *qp)
{
	if (irqs_disabled() || in_hardirq())
		ibt_sq_schedule(qp);
	else
		ibt_requester(qp);
}

/**
 * ibt_doorbell_user - requests are in the ring of a user
 * @qp: queue pair of a user
 *
 * Context: process.
 */
void ibt_doorbell_user(struct ibt_qp *qp)
{
	struct soft_db_stats *b = raw_cpu_ptr(&bells);
	struct ibt_sq *sq = &qp->sq;
	u32 high, sent;
	u64 begin;

	if (!ibt_count_bell(qp, b)) {
		soft_task_call(&sq->task, SOFT_ROUNDS_DOORBELL);
		return;
	}
	if (soft_db_streaming(b) &&
	    soft_task_help(&sq->task, READ_ONCE(sq->cpu))) {
		soft_db_deferred(b);
		return;
	}
	begin = local_clock();
	high = READ_ONCE(sq->high);
	soft_task_call(&sq->task, SOFT_ROUNDS_DOORBELL);
	sent = ibt_psn_ahead(READ_ONCE(sq->high), high);
	/* Without a packet another processor is no faster. */
	soft_db_sent_inline(b, begin, sent && sent <= SOFT_DB_SMALL_PKTS);
}

/**
 * ibt_bell_answered - the completer is done with a response
 * @qp: queue pair
 * @more: what it says
 *
 * Context: softirqs disabled; sq.lock is not held.
 */
void ibt_bell_answered(struct ibt_qp *qp, enum ibt_send_more more)
{
	switch (more) {
	case IBT_SEND_NOTHING:
		break;
	case IBT_SEND_QUEUED:
		ibt_sq_schedule(qp);
		break;
	case IBT_SEND_MUCH:
		if (soft_task_help(&qp->sq.task, SOFT_NO_CPU))
			break;
		fallthrough;
	case IBT_SEND_HERE:
		ibt_requester(qp);
		break;
	}
}

/**
 * ibt_bell_settle - send what a user has rung for before the queue pair is stopped
 * @qp: queue pair; no lock of it is held
 *
 * The program does not know that another processor was to send it, and of a datagram it
 * need not wait for more than that it has posted it. What still waits then, waits for the
 * wire.
 *
 * Context: process, sleeps.
 */
void ibt_bell_settle(struct ibt_qp *qp)
{
	if (!ibt_sq_is_user(&qp->sq))
		return;
	soft_bell_settle(&qp->page_bell);
	soft_task_settle(&qp->sq.task, SOFT_ROUNDS_DOORBELL);
}

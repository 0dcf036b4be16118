// SPDX-License-Identifier: GPL-2.0
/*
 * Doorbells: who sends what was posted.
 *
 * Mostly whoever rings, at once. But a user who rings again and again in a fraction of
 * the time that a request took to be sent does not wait for what becomes of it, and has
 * more. Then the work sends, on another processor, and first lets a handful come
 * together: packets that leave together cost little more than one (run.c).
 */
#include <linux/cpumask.h>
#include <linux/sched/clock.h>

#include "send.h"

/* Of the time that a request took; a shorter pause is none. */
#define SHORT		4

/* Times. A few requests that belong together are no stream. */
#define AGAIN		4

/* Requests that are worth a trip. */
#define HANDFUL		16

/* Of the work, before it stands in line again, and rounds in each. */
#define TURNS		4
#define ROUNDS		16

/* Nanoseconds that a request took; of more, the most was something else. */
#define MOST_COST	(200 * NSEC_PER_USEC)

/* Packets of a request. The trip is little of the cost of more. */
#define FEW		4

/* Nanoseconds since the user has rung, ever more: a clock may be behind another's. */
static u64 pause_of(const struct ibt_sq *sq)
{
	s64 pause = local_clock() - READ_ONCE(sq->bell_end);

	return max(pause, 0LL);
}

static bool is_short(const struct ibt_sq *sq)
{
	return pause_of(sq) * SHORT < READ_ONCE(sq->bell_cost);
}

static bool is_streaming(const struct ibt_sq *sq)
{
	return READ_ONCE(sq->bells) >= AGAIN && is_short(sq);
}

/*
 * Did the user see how all that he had rung for ended, before he rang again? On one host
 * that can be very soon.
 */
static bool has_waited(const struct ibt_qp *qp)
{
	const struct ibt_sq *sq = &qp->sq;
	u32 done = READ_ONCE(sq->ring.cons);

	return (s32)(done - READ_ONCE(sq->bell_prod)) >= 0 &&
	       READ_ONCE(sq->told) && soft_cq_is_empty(qp->send_cq);
}

/* Count the bell that rings now. It needs another processor to be left to. */
static void count_bell(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	u32 bells = 0;

	if (ibt_qp_dev(qp)->num_lanes && num_online_cpus() > 1 && is_short(sq) &&
	    !has_waited(qp))
		bells = min(READ_ONCE(sq->bells) + 1, AGAIN);
	WRITE_ONCE(sq->bells, bells);
	WRITE_ONCE(sq->bell_prod,
		   READ_ONCE(sq->ring.cons) + soft_ring_ready(&sq->ring));
}

/**
 * ibt_bell - requests were posted
 * @qp: queue pair
 *
 * Context: any.
 */
void ibt_bell(struct ibt_qp *qp)
{
	if (irqs_disabled() || in_hardirq())
		ibt_sq_kick(qp);
	else
		ibt_requester(qp);
}

/* While it is at it, it need not be woken. */
static void leave_to_work(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	int cpu = READ_ONCE(sq->cpu);

	/* That it has rung, then whether anybody hears it: pairs with ibt_bell_attend(). */
	smp_store_mb(sq->rung, true);
	if (READ_ONCE(sq->attended))
		return;
	/* Not to this processor, which the user needs. */
	if (cpu != IBT_NO_CPU && cpu != raw_smp_processor_id())
		ibt_order_there(ibt_qp_dev(qp), cpu, &sq->cpu_work);
	else
		ibt_sq_kick(qp);
}

/**
 * ibt_bell_user - requests are in the ring of a user
 * @qp: queue pair of a user
 *
 * Context: process.
 */
void ibt_bell_user(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	u32 high, sent;
	u64 begin;

	count_bell(qp);
	if (is_streaming(sq)) {
		leave_to_work(qp);
		WRITE_ONCE(sq->bell_end, local_clock());
		return;
	}
	begin = local_clock();
	high = READ_ONCE(sq->high);
	ibt_bell(qp);
	sent = ibt_psn_ahead(READ_ONCE(sq->high), high);
	WRITE_ONCE(sq->bell_end, local_clock());
	/* Without a packet the work would be no faster. */
	WRITE_ONCE(sq->bell_cost, sent && sent <= FEW ?
		   min_t(u64, sq->bell_end - begin, MOST_COST) : 0);
}

/*
 * Wait for some more requests, as long as they come fast: a moment, for which it would
 * not be worth while to sleep. Meanwhile the ACKs of what is on its way do not make
 * anybody send the few that are there. False: no more are to be expected.
 */
static bool gather(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	bool streaming = false;

	if (!ibt_sq_is_user(sq))
		return false;
	WRITE_ONCE(sq->gathering, true);
	while (!need_resched()) {
		streaming = is_streaming(sq);
		if (!streaming || ibt_sq_user_waiting(sq) >= HANDFUL)
			break;
		cpu_relax();
	}
	WRITE_ONCE(sq->gathering, false);
	/* It was not what it looked like: the next one is sent at once. */
	if (!streaming && ibt_sq_user_waiting(sq) <= 1)
		WRITE_ONCE(sq->bell_cost, 0);
	return streaming;
}

/**
 * ibt_bell_attend - send what was posted, and what is while this goes on
 * @qp: queue pair
 * @moves: by all means on this processor, when it is much
 *
 * Context: process, of a work; sq.lock not held.
 *
 * Return: true: there is more to do.
 */
bool ibt_bell_attend(struct ibt_qp *qp, bool moves)
{
	struct ibt_sq *sq = &qp->sq;
	bool more, streaming;
	int turns = TURNS;

	WRITE_ONCE(sq->attended, true);
	do {
		streaming = gather(qp);
		WRITE_ONCE(sq->rung, false);
		more = ibt_requester_run(qp, ROUNDS,
					 moves && streaming);
		cond_resched();
	} while ((more || streaming) && --turns);
	/* Nobody hears it from here on; then whether it has rung before. */
	smp_store_mb(sq->attended, false);
	return more || streaming || READ_ONCE(sq->rung);
}

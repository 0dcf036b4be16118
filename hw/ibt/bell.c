// SPDX-License-Identifier: GPL-2.0
/*
 * Doorbells: who sends what was posted.
 *
 * Mostly whoever rings, at once. But a user who rings again and again, be it for one
 * queue pair or for many, in a fraction of the time that a request took to be sent does
 * not wait for what becomes of it, and has more. Then the work sends, on another
 * processor. Of a queue pair that is rung for alone it first lets a handful come
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

/**
 * struct bells - doorbells that are rung on a processor
 * @end: when the latest was over
 * @cost: how long the latest took that sent packets itself; ns, 0: not known
 * @number: that have rung one after the other in a fraction of that; up to a few
 * @latest: whose the latest was; not to be followed
 */
struct bells {
	u64 end;
	u64 cost;
	u32 number;
	const struct ibt_sq *latest;
};

/* Without a lock: they are hints. */
static DEFINE_PER_CPU(struct bells, bells);

static struct bells *bells_of(const struct ibt_sq *sq)
{
	return per_cpu_ptr(&bells, READ_ONCE(sq->bell_cpu));
}

/* Nanoseconds since the user has rung, ever more: a clock may be behind another's. */
static u64 pause_of(const struct bells *b)
{
	s64 pause = local_clock() - READ_ONCE(b->end);

	return max(pause, 0LL);
}

static bool is_short(const struct bells *b)
{
	return pause_of(b) * SHORT < READ_ONCE(b->cost);
}

static bool is_streaming(const struct bells *b)
{
	return READ_ONCE(b->number) >= AGAIN && is_short(b);
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

/*
 * Count the bell that rings now. False: there is no other processor that it could be
 * left to, or no need of one, and whether it is soon rung again does not matter.
 */
static bool count_bell(struct ibt_qp *qp, struct bells *b)
{
	struct ibt_sq *sq = &qp->sq;
	bool alone = !ibt_qp_dev(qp)->num_lanes || num_online_cpus() == 1 ||
		     has_waited(qp);
	u32 number = 0;

	if (!alone && is_short(b))
		number = min(READ_ONCE(b->number) + 1, AGAIN);
	WRITE_ONCE(b->number, number);
	WRITE_ONCE(b->latest, sq);
	WRITE_ONCE(sq->bell_prod,
		   READ_ONCE(sq->ring.cons) + soft_ring_ready(&sq->ring));
	return !alone;
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

	/* That it has rung, then whether anybody hears it: pairs with ibt_bell_attend(). */
	smp_store_mb(sq->rung, true);
	if (READ_ONCE(sq->attended))
		return;
	/* Not to this processor, which the user needs. */
	preempt_disable();
	ibt_order_there(ibt_qp_dev(qp), ibt_order_beside(READ_ONCE(sq->cpu)),
			&sq->cpu_work);
	preempt_enable();
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
	struct bells *b;
	u64 begin;

	WRITE_ONCE(sq->bell_cpu, raw_smp_processor_id());
	b = bells_of(sq);
	if (!count_bell(qp, b)) {
		ibt_bell(qp);
		return;
	}
	if (is_streaming(b)) {
		leave_to_work(qp);
		WRITE_ONCE(b->end, local_clock());
		return;
	}
	begin = local_clock();
	high = READ_ONCE(sq->high);
	ibt_bell(qp);
	sent = ibt_psn_ahead(READ_ONCE(sq->high), high);
	WRITE_ONCE(b->end, local_clock());
	/* Without a packet the work would be no faster. */
	WRITE_ONCE(b->cost, sent && sent <= FEW ?
		   min_t(u64, b->end - begin, MOST_COST) : 0);
}

/* Not for others of the same user, who has rung for another queue pair since. */
static bool is_awaited(const struct ibt_sq *sq, const struct bells *b)
{
	return is_streaming(b) && READ_ONCE(b->latest) == sq;
}

/*
 * Wait for some more requests, as long as they come fast: a moment, for which it would
 * not be worth while to sleep. Meanwhile the ACKs of what is on its way do not make
 * anybody send the few that are there. False: no more are to be expected.
 */
static bool gather(struct ibt_qp *qp, struct bells *b)
{
	struct ibt_sq *sq = &qp->sq;
	bool awaited = false;

	WRITE_ONCE(sq->gathering, true);
	while (!need_resched()) {
		awaited = is_awaited(sq, b);
		if (!awaited || ibt_sq_user_waiting(sq) >= HANDFUL)
			break;
		cpu_relax();
	}
	WRITE_ONCE(sq->gathering, false);
	/* It was not what it looked like: the next one is sent at once. */
	if (!awaited && READ_ONCE(b->latest) == sq &&
	    ibt_sq_user_waiting(sq) <= 1)
		WRITE_ONCE(b->cost, 0);
	return awaited;
}

/* Is the user about to keep the processor busy where he has rung? */
static bool moves(const struct ibt_sq *sq, const struct bells *b)
{
	return is_streaming(b) &&
	       READ_ONCE(sq->bell_cpu) != raw_smp_processor_id();
}

/**
 * ibt_bell_attend - send what was posted, and what is while this goes on
 * @qp: queue pair
 *
 * Context: process, of a work; sq.lock not held.
 *
 * Return: true: there is more to do.
 */
bool ibt_bell_attend(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	struct bells *b = bells_of(sq);
	bool user = ibt_sq_is_user(sq);
	bool more, awaited;
	int turns = TURNS;

	WRITE_ONCE(sq->attended, true);
	do {
		awaited = user && gather(qp, b);
		WRITE_ONCE(sq->rung, false);
		more = ibt_requester_run(qp, ROUNDS, user && moves(sq, b));
		cond_resched();
	} while ((more || awaited) && --turns);
	/* Nobody hears it from here on; then whether it has rung before. */
	smp_store_mb(sq->attended, false);
	return more || awaited || READ_ONCE(sq->rung);
}

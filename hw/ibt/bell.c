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

/* Requests that are worth a trip. */
#define HANDFUL		16

/* Of the work, before it stands in line again, and rounds in each. */
#define TURNS		4
#define ROUNDS		16

/* Of who rings on the only processor: a message of a MiB, and what ends it. */
#define ONLY_ROUNDS	20

/* Packets of a request. The trip is little of the cost of more. */
#define FEW		4

/**
 * struct bells - doorbells that are rung on a processor
 * @soft: how fast
 * @latest: whose the latest was; not to be followed
 */
struct bells {
	struct soft_bells soft;
	const struct ibt_sq *latest;
};

/* Without a lock: they are hints. */
static DEFINE_PER_CPU(struct bells, bells);

static struct bells *bells_of(const struct ibt_sq *sq)
{
	return per_cpu_ptr(&bells, READ_ONCE(sq->bell_cpu));
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
 * left to, or no need of one, and whether it is soon rung again does not matter. Nor
 * does it of datagrams: who has posted one may be gone before another processor has it.
 */
static bool count_bell(struct ibt_qp *qp, struct bells *b)
{
	struct ibt_sq *sq = &qp->sq;
	bool alone = !ibt_qp_dev(qp)->num_lanes || num_online_cpus() == 1 ||
		     !ibt_qp_reliable(qp) || has_waited(qp);

	soft_bells_count(&b->soft, alone);
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

/* Where there is no other processor, the work would be no relief but a detour. */
static void send_now(struct ibt_qp *qp)
{
	int rounds = num_online_cpus() == 1 ? ONLY_ROUNDS : IBT_CALLER_ROUNDS;

	if (ibt_requester_run(qp, rounds, false))
		ibt_sq_kick(qp);
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
	ibt_order_there(ibt_qp_dev(qp), soft_cpu_beside(READ_ONCE(sq->cpu)),
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
		send_now(qp);
		return;
	}
	if (soft_bells_streaming(&b->soft)) {
		leave_to_work(qp);
		soft_bells_left(&b->soft);
		return;
	}
	begin = local_clock();
	high = READ_ONCE(sq->high);
	ibt_bell(qp);
	sent = ibt_psn_ahead(READ_ONCE(sq->high), high);
	/* Without a packet the work would be no faster. */
	soft_bells_sent(&b->soft, begin, sent && sent <= FEW);
}

/**
 * ibt_bell_heard - is the work at it, on this processor?
 * @sq: send side
 *
 * What it has sent is received and acknowledged there, in one softirq, which would go on
 * for as long as there is something to send, and tell the user of all of it at the end.
 * On the only processor it would have to wait for a user who polls.
 *
 * Context: any; sq.lock not held.
 *
 * Return: true: it looks at everything again.
 */
bool ibt_bell_heard(struct ibt_sq *sq)
{
	if (!READ_ONCE(sq->attended) || num_online_cpus() == 1 ||
	    READ_ONCE(sq->cpu) != raw_smp_processor_id())
		return false;
	/* As leave_to_work(). */
	smp_store_mb(sq->rung, true);
	return READ_ONCE(sq->attended);
}

/* Not for others of the same user, who has rung for another queue pair since. */
static bool is_awaited(const struct ibt_sq *sq, const struct bells *b)
{
	return soft_bells_streaming(&b->soft) && READ_ONCE(b->latest) == sq;
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
		soft_bells_forget(&b->soft);
	return awaited;
}

/* Is the user about to keep the processor busy where he has rung? */
static bool moves(const struct ibt_sq *sq, const struct bells *b)
{
	return soft_bells_streaming(&b->soft) &&
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
	} while ((more || awaited || READ_ONCE(sq->rung)) && --turns);
	/* Nobody hears it from here on; then whether it has rung before. */
	smp_store_mb(sq->attended, false);
	return more || awaited || READ_ONCE(sq->rung);
}

/**
 * ibt_bell_settle - send what a user has rung for before his queue pair is stopped
 * @qp: queue pair; no lock of it is held
 *
 * He does not know that somebody else was to send it, and of a datagram he need not wait
 * for more than that he has posted it. What still waits then, waits for the wire.
 *
 * Context: process, sleeps.
 */
void ibt_bell_settle(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	int turns = ROUNDS;

	if (!ibt_sq_is_user(sq))
		return;
	while ((work_busy(&sq->cpu_work) || work_busy(&sq->work)) && turns--) {
		flush_work(&sq->cpu_work);
		flush_work(&sq->work);
	}
}

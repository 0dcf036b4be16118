// SPDX-License-Identifier: GPL-2.0
/*
 * Doorbells: does he who rings wait for what becomes of it, or has he more?
 *
 * Mostly he sends himself, at once. But a user who rings again and again, be it for one
 * queue pair or for many, in a fraction of the time that a request took to be sent does
 * not wait. Then another processor had better send, while he goes on; and requests come
 * together that cost little more than one.
 */
#include <linux/export.h>
#include <linux/sched/clock.h>

#include "bell.h"

/* Of the time that a request took; a shorter pause is none. */
#define SHORT		2

/* Times. A few requests that belong together are no stream. */
#define AGAIN		4

/* Nanoseconds that a request took; of more, the most was something else. */
#define MOST_COST	(200 * NSEC_PER_USEC)

/* Nanoseconds since the user has rung, ever more: a clock may be behind another's. */
static u64 pause_of(const struct soft_bells *b)
{
	s64 pause = local_clock() - READ_ONCE(b->end);

	return max(pause, 0LL);
}

static bool is_short(const struct soft_bells *b)
{
	return pause_of(b) * SHORT < READ_ONCE(b->cost);
}

/**
 * soft_bells_streaming - is it soon rung again?
 * @b: doorbells of a processor
 *
 * Context: any.
 */
bool soft_bells_streaming(const struct soft_bells *b)
{
	return READ_ONCE(b->number) >= AGAIN && is_short(b);
}
EXPORT_SYMBOL_GPL(soft_bells_streaming);

/**
 * soft_bells_count - count the one that rings now
 * @b: doorbells of this processor
 * @alone: whether it is soon rung again does not matter
 *
 * Context: any.
 */
void soft_bells_count(struct soft_bells *b, bool alone)
{
	u32 number = 0;

	if (!alone && is_short(b))
		number = min(READ_ONCE(b->number) + 1, AGAIN);
	WRITE_ONCE(b->number, number);
}
EXPORT_SYMBOL_GPL(soft_bells_count);

/**
 * soft_bells_left - what was rung for was left to another processor
 * @b: doorbells of the processor that has rung
 *
 * Context: any.
 */
void soft_bells_left(struct soft_bells *b)
{
	WRITE_ONCE(b->end, local_clock());
}
EXPORT_SYMBOL_GPL(soft_bells_left);

/**
 * soft_bells_sent - what was rung for was sent here
 * @b: doorbells of the processor that has rung
 * @begin: local_clock() before that
 * @worth: it would have been worth the trip to another one
 *
 * Context: any.
 */
void soft_bells_sent(struct soft_bells *b, u64 begin, bool worth)
{
	u64 end = local_clock();

	WRITE_ONCE(b->end, end);
	WRITE_ONCE(b->cost, worth ? min_t(u64, end - begin, MOST_COST) : 0);
}
EXPORT_SYMBOL_GPL(soft_bells_sent);

// SPDX-License-Identifier: GPL-2.0
/*
 * Doorbells: does the CPU that rings send the WQEs itself, or does another CPU?
 *
 * By default the CPU that rings sends at once. But a program may ring again and again,
 * for one queue pair or for many, with pauses of a fraction of the time that a send
 * takes. Such a program does not wait for completions. Then another CPU sends while the
 * program goes on posting, and WQEs come together that cost little more than one.
 */
#include <linux/export.h>
#include <linux/sched/clock.h>

#include "doorbell.h"
#include "policy.h"

/* Nanoseconds since the last doorbell; 0 if local_clock() is behind another CPU's. */
static u64 soft_pause_of(const struct soft_db_stats *b)
{
	s64 pause = local_clock() - READ_ONCE(b->end);

	return max(pause, 0LL);
}

static bool soft_is_short(const struct soft_db_stats *b)
{
	return soft_pause_of(b) * SOFT_DB_SHORT < READ_ONCE(b->cost);
}

/**
 * soft_db_streaming - is another doorbell to be expected soon?
 * @b: doorbells of a processor
 *
 * Context: any.
 */
bool soft_db_streaming(const struct soft_db_stats *b)
{
	return READ_ONCE(b->number) >= SOFT_DB_AGAIN && soft_is_short(b);
}
EXPORT_SYMBOL_GPL(soft_db_streaming);

/**
 * soft_db_account - count a doorbell
 * @b: doorbells of this processor
 * @alone: the doorbell is not part of a stream
 *
 * Context: any.
 */
void soft_db_account(struct soft_db_stats *b, bool alone)
{
	u32 number = 0;

	if (!alone && soft_is_short(b))
		number = min(READ_ONCE(b->number) + 1, SOFT_DB_AGAIN);
	WRITE_ONCE(b->number, number);
}
EXPORT_SYMBOL_GPL(soft_db_account);

/**
 * soft_db_deferred - the WQEs of a doorbell were left to another processor
 * @b: doorbells of the processor that has rung
 *
 * Context: any.
 */
void soft_db_deferred(struct soft_db_stats *b)
{
	WRITE_ONCE(b->end, local_clock());
}
EXPORT_SYMBOL_GPL(soft_db_deferred);

/**
 * soft_db_sent_inline - the WQEs of a doorbell were sent by this processor
 * @b: doorbells of the processor that has rung
 * @begin: local_clock() before the send
 * @worth: the time of this send is a sample of @b->cost
 *
 * Context: any.
 */
void soft_db_sent_inline(struct soft_db_stats *b, u64 begin, bool worth)
{
	u64 end = local_clock();

	WRITE_ONCE(b->end, end);
	WRITE_ONCE(b->cost, worth ? min_t(u64, end - begin, SOFT_DB_MOST_COST) : 0);
}
EXPORT_SYMBOL_GPL(soft_db_sent_inline);

// SPDX-License-Identifier: GPL-2.0
/* The rate of a sender that meets congestion: pure arithmetic, see dcqcn.h. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "dcqcn.h"

static u32 ibt_period_of(const struct ibt_dcqcn *d)
{
	return clamp_t(u32, d->period ?: IBT_PERIOD, IBT_PERIOD_LEAST,
		       IBT_PERIOD_MOST);
}

/* Of the periods from *@since to @now; *@since is where the one begins that goes on. */
static u32 ibt_periods_over(const struct ibt_dcqcn *d, u64 *since, u64 now)
{
	u32 period = ibt_period_of(d);
	u64 over;

	if ((s64)(now - *since) < period)
		return 0;
	over = div_u64(now - *since, period);
	*since += over * period;
	return min_t(u64, over, IBT_PERIODS_SEEN);
}

/* One more stage is over. */
static void ibt_dcqcn_increase(struct ibt_dcqcn *d)
{
	u32 least = min(d->time_stages, d->byte_stages);
	u32 most = max(d->time_stages, d->byte_stages);

	if (least > IBT_RATE_FAST)
		d->target += IBT_RATE_LEAP * (least - IBT_RATE_FAST);
	else if (most > IBT_RATE_FAST)
		d->target += IBT_RATE_STEP;
	d->target = min(d->target, 2 * IBT_RATE_MOST);
	d->rate = (d->rate + d->target) / 2;
}

static void ibt_dcqcn_pass_time(struct ibt_dcqcn *d, u64 now)
{
	u32 n;

	for (n = ibt_periods_over(d, &d->alpha_at, now); n; n--)
		d->alpha -= d->alpha >> IBT_ALPHA_SHIFT;
	for (n = ibt_periods_over(d, &d->stage_at, now); n; n--) {
		d->time_stages++;
		ibt_dcqcn_increase(d);
	}
}

static void ibt_dcqcn_count_bytes(struct ibt_dcqcn *d, u32 bytes)
{
	for (d->bytes += bytes; d->bytes >= IBT_RATE_BYTES;
	     d->bytes -= IBT_RATE_BYTES) {
		d->byte_stages++;
		ibt_dcqcn_increase(d);
	}
}

/* The rate and the target become these; increase begins anew. */
static void ibt_cut_to(struct ibt_dcqcn *d, u64 rate, u64 target, u64 now)
{
	d->rate = max(rate, IBT_RATE_LEAST);
	d->target = max(target, d->rate);
	d->cut_at = now;
	d->alpha_at = now;
	d->stage_at = now;
	d->bytes = 0;
	d->time_stages = 0;
	d->byte_stages = 0;
}

/* Once in a round trip. */
static bool ibt_may_cut(const struct ibt_dcqcn *d, u64 now)
{
	return (s64)(now - d->cut_at) >= ibt_period_of(d);
}

static void ibt_dcqcn_congested(struct ibt_dcqcn *d, u64 now)
{
	u64 part = d->rate * d->alpha / (2 * IBT_ALPHA_ONE);

	d->alpha += (IBT_ALPHA_ONE - d->alpha) >> IBT_ALPHA_SHIFT;
	ibt_cut_to(d, d->rate - part, d->rate, now);
}

/*
 * Where a queue has no room left, what comes too soon is sent twice: all behind a loss is. So
 * the rate that filled it is no target.
 */
static void ibt_dcqcn_overflown(struct ibt_dcqcn *d, u64 now)
{
	d->alpha += (IBT_ALPHA_ONE - d->alpha) >> IBT_ALPHA_SHIFT;
	ibt_cut_to(d, d->rate / 2, d->rate - d->rate / 4, now);
}

/* A wire that damages packets does so at any rate: little, and increase goes on. */
static void ibt_dcqcn_lost(struct ibt_dcqcn *d, u64 now)
{
	d->rate = max(d->rate - d->rate / 8, IBT_RATE_LEAST);
	d->cut_at = now;
}

/**
 * ibt_dcqcn_begin - a sender that had no limit has one
 * @d: of the sender; its period is set
 * @rate: at which it sends now
 * @now: ns
 *
 * All is as after congestion in each period. The first cut is that of the event that follows.
 *
 * Context: any.
 */
void ibt_dcqcn_begin(struct ibt_dcqcn *d, u64 rate, u64 now)
{
	rate = clamp(rate, IBT_RATE_LEAST, IBT_RATE_MOST - 1);
	d->alpha = IBT_ALPHA_ONE;
	ibt_cut_to(d, rate, rate, now);
	d->cut_at = now - IBT_PERIOD_MOST;
}

/**
 * ibt_dcqcn_used - before a cut: how fast it sends, if that is slower than it may
 * @d: of the sender
 * @rate: bytes in a second, as measured
 *
 * A cut of the part of a rate that the sender does not use would not slow the sender.
 *
 * Context: any.
 */
void ibt_dcqcn_used(struct ibt_dcqcn *d, u64 rate)
{
	rate = max(rate + rate / 4, IBT_RATE_LEAST);
	d->rate = min(d->rate, rate);
}

/**
 * ibt_dcqcn - something has happened to a sender that has a limit
 * @d: of the sender
 * @event: what
 * @now: ns
 * @bytes: (IBT_DCQCN_SENT) how many
 *
 * Context: any. When the limit is over, @d->rate is 0.
 */
void ibt_dcqcn(struct ibt_dcqcn *d, enum ibt_dcqcn_event event, u64 now, u32 bytes)
{
	ibt_dcqcn_pass_time(d, now);
	switch (event) {
	case IBT_DCQCN_TIME:
		break;
	case IBT_DCQCN_SENT:
		ibt_dcqcn_count_bytes(d, bytes);
		break;
	case IBT_DCQCN_CNP:
		if (ibt_may_cut(d, now))
			ibt_dcqcn_congested(d, now);
		break;
	case IBT_DCQCN_QUEUE:
		if (ibt_may_cut(d, now))
			ibt_dcqcn_overflown(d, now);
		break;
	case IBT_DCQCN_LOSS:
		if (ibt_may_cut(d, now))
			ibt_dcqcn_lost(d, now);
		break;
	}
	if (d->rate >= IBT_RATE_MOST)
		d->rate = 0;
}

// SPDX-License-Identifier: GPL-2.0
/* Round trips of one requester: pure arithmetic. */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "pkt.h"
#include "rtt.h"

/* Peers hold ACKs back for a part of a millisecond to send fewer of them. */
#define LEAST_WAIT	((u64)NSEC_PER_MSEC)
/*
 * As long as nothing was measured. The first packets of a connection may be lost as any others
 * are. On a path that is longer than that, the requester sends one packet twice.
 */
#define FIRST_WAIT	(16ULL * NSEC_PER_MSEC)
/* Round trips: an answer that takes that long is rare without a loss. */
#define TRIPS		4
/* An answer that no peer delays is as rare after so many (the PTO of RFC 8985 section 7.2). */
#define PROMPT_TRIPS	2
#define MOST_BACKOFF	10
/* IBA 9.7.6.1.3: a timeout is detected after one to four times its value. */
#define MOST_TIMEOUTS	4

/* Weights of a sample, RFC 6298 section 2.3: 1/8 and 1/4. */
#define SMOOTH_SHIFT	3
#define VARY_SHIFT	2

/**
 * ibt_rtt_reset - begin anew, for another connection or path
 * @rtt: of a requester
 * @psn: next one that was never sent
 *
 * Context: any.
 */
void ibt_rtt_reset(struct ibt_rtt *rtt, u32 psn)
{
	*rtt = (struct ibt_rtt){ .state = IBT_RTT_IDLE, .clear = psn };
}

/**
 * ibt_rtt_sent - a packet that asks for an answer is sent
 * @rtt: of its requester
 * @psn: of the packet
 * @now: ns
 *
 * Context: any.
 */
void ibt_rtt_sent(struct ibt_rtt *rtt, u32 psn, u64 now)
{
	if (rtt->state == IBT_RTT_RUNNING || ibt_psn_diff(psn, rtt->clear) < 0)
		return;
	rtt->state = IBT_RTT_RUNNING;
	rtt->psn = psn;
	rtt->begin = now;
}

static void ibt_take_sample(struct ibt_rtt *rtt, u32 sample)
{
	u32 error;

	if (!rtt->smooth) {
		rtt->least = sample;
		rtt->smooth = sample;
		rtt->vary = sample / 2;
		return;
	}
	error = sample > rtt->smooth ? sample - rtt->smooth : rtt->smooth - sample;
	rtt->vary = rtt->vary - (rtt->vary >> VARY_SHIFT) + (error >> VARY_SHIFT);
	rtt->smooth = rtt->smooth - (rtt->smooth >> SMOOTH_SHIFT) +
		      (sample >> SMOOTH_SHIFT);
	rtt->smooth = max(rtt->smooth, 1U);
	rtt->least = min(rtt->least, sample);
}

/**
 * ibt_rtt_answered - the peer has answered
 * @rtt: of the requester
 * @una: oldest PSN without an answer, now
 * @now: ns
 *
 * Context: any.
 */
void ibt_rtt_answered(struct ibt_rtt *rtt, u32 una, u64 now)
{
	u64 sample = now - rtt->begin;

	rtt->backoff = 0;
	/* PSNs wrap. */
	if (ibt_psn_diff(una, rtt->clear) > 0)
		rtt->clear = una;
	if (rtt->state != IBT_RTT_RUNNING || ibt_psn_diff(una, rtt->psn) <= 0)
		return;
	rtt->state = IBT_RTT_IDLE;
	ibt_take_sample(rtt, clamp(sample, 1ULL, (u64)U32_MAX / 2));
}

/**
 * ibt_rtt_unanswered - packets are retransmitted after a wait
 * @rtt: of their requester
 * @high: PSN behind those that were sent
 *
 * Context: any.
 */
void ibt_rtt_unanswered(struct ibt_rtt *rtt, u32 high)
{
	rtt->state = IBT_RTT_IDLE;
	rtt->clear = high;
	if (rtt->backoff < MOST_BACKOFF)
		rtt->backoff++;
}

/**
 * ibt_rtt_refused - packets are retransmitted because of a response
 * @rtt: of their requester
 * @psn: of the first of them
 *
 * The peer is there: the next wait is no longer than usual.
 *
 * Context: any.
 */
void ibt_rtt_refused(struct ibt_rtt *rtt, u32 psn)
{
	rtt->state = IBT_RTT_IDLE;
	rtt->clear = psn;
}

/**
 * ibt_rtt_longest - an answer that takes longer is rare without a loss
 * @rtt: of a requester
 *
 * Context: any.
 *
 * Return: ns; 0: nothing was measured yet.
 */
u64 ibt_rtt_longest(const struct ibt_rtt *rtt)
{
	return max((u64)rtt->smooth * TRIPS, rtt->smooth + (u64)rtt->vary * TRIPS);
}

/**
 * ibt_rtt_wait - how long to wait for an answer
 * @rtt: of a requester
 * @prompt: the peer does not coalesce this answer with later ones
 *
 * Context: any.
 *
 * Return: ns.
 */
u64 ibt_rtt_wait(const struct ibt_rtt *rtt, bool prompt)
{
	u64 longest = ibt_rtt_longest(rtt);

	if (!ibt_rtt_known(rtt))
		longest = FIRST_WAIT;
	else if (prompt)
		longest = max((u64)rtt->smooth * PROMPT_TRIPS,
			      rtt->smooth + (u64)rtt->vary * TRIPS);
	return max(longest, LEAST_WAIT) << rtt->backoff;
}

/**
 * ibt_rtt_timeout - how long an answer may take before a retry is counted
 * @rtt: of a requester
 * @timeout: of its queue pair, jiffies
 *
 * Where answers take as long as the timeout, as those of READs behind a slow port do, the
 * requester makes use of what the specification leaves it. The wait does not grow with the
 * losses, or a peer that is gone would be found out later.
 *
 * Context: any.
 *
 * Return: jiffies.
 */
unsigned long ibt_rtt_timeout(const struct ibt_rtt *rtt, unsigned long timeout)
{
	u64 longest = ibt_rtt_longest(rtt);

	if (likely(longest <= jiffies_to_nsecs(timeout)))
		return timeout;
	return min(nsecs_to_jiffies(longest) + 1, MOST_TIMEOUTS * timeout);
}

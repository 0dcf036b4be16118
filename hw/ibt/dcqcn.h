/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rate of a sender that meets congestion, as DCQCN has it (Zhu et al., SIGCOMM 2015):
 *
 *            congested                 periods or bytes, each a stage
 *   NONE ---------------> LIMITED: cut -> fast recovery -> additive -> hyper increase
 *     ^                      |      ^                                        |
 *     |                      |      +------- congested ----------------------+
 *     +----------------------+
 *        rate beyond any link
 *
 * A cut takes a part of the rate that grows with how many of the latest periods were
 * congested (alpha). Fast recovery goes half of the way back to the rate before the cut, the
 * target, with each stage; the later ones move the target. A period is a round trip: what was
 * sent before a cut may draw more CNPs until then, and they mean the same congestion.
 */
#ifndef IBT_DCQCN_H
#define IBT_DCQCN_H

#include <linux/sizes.h>
#include <linux/time64.h>
#include <linux/types.h>

/* Bytes in a second. A NIC's floor is 1 Mbit/s, too. */
#define IBT_RATE_LEAST		125000ULL
/* A rate that is none: 100 Gbit/s. */
#define IBT_RATE_MOST		12500000000ULL
/* Of each stage of additive and of hyper increase. */
#define IBT_RATE_STEP		((u64)SZ_64K)
#define IBT_RATE_LEAP		(10 * IBT_RATE_STEP)
/* Stages of fast recovery. */
#define IBT_RATE_FAST		5
/* Bytes that are a stage. */
#define IBT_RATE_BYTES		((u64)SZ_1M)
/*
 * Where no round trip was measured, as of READ answers: longer than most queues, or what lies
 * in one would cut the rate again and again. And the bounds of one that was; ns.
 */
#define IBT_PERIOD		(10 * NSEC_PER_MSEC)
#define IBT_PERIOD_LEAST	NSEC_PER_MSEC
#define IBT_PERIOD_MOST		(10 * NSEC_PER_MSEC)
/* Periods that are looked at after a pause. */
#define IBT_PERIODS_SEEN	64
/* Alpha of a path that is congested in every period, and the weight of one: 1/16. */
#define IBT_ALPHA_ONE		1024
#define IBT_ALPHA_SHIFT		4

enum ibt_dcqcn_event {
	IBT_DCQCN_TIME,		/* nothing but that it is later */
	IBT_DCQCN_SENT,		/* bytes were */
	IBT_DCQCN_CNP,
	IBT_DCQCN_QUEUE,	/* a loss, and round trips have grown: a full queue */
	IBT_DCQCN_LOSS,		/* a loss without such a sign */
};

/**
 * struct ibt_dcqcn - of one sender
 * @rate: bytes in a second; 0: as fast as it goes
 * @target: where increase leads
 * @alpha: of IBT_ALPHA_ONE
 * @period: ns; set by the caller, at any time
 * @cut_at: when the rate was cut last, ns
 * @alpha_at: when the period began that alpha has not seen, ns
 * @stage_at: when the stage by time began, ns
 * @bytes: of the stage by bytes
 * @time_stages: stages by time since the latest cut
 * @byte_stages: stages by bytes since the latest cut
 */
struct ibt_dcqcn {
	u64 rate;
	u64 target;
	u32 alpha;
	u32 period;
	u64 cut_at;
	u64 alpha_at;
	u64 stage_at;
	u64 bytes;
	u32 time_stages;
	u32 byte_stages;
};

void ibt_dcqcn_begin(struct ibt_dcqcn *d, u64 rate, u64 now);
void ibt_dcqcn_used(struct ibt_dcqcn *d, u64 rate);
void ibt_dcqcn(struct ibt_dcqcn *d, enum ibt_dcqcn_event event, u64 now, u32 bytes);

#endif /* IBT_DCQCN_H */

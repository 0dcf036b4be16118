/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long an answer takes, and how long to wait for one before it is taken for lost. The
 * estimate is that of RFC 6298, of the packets that ask for an answer; one that was sent
 * again says nothing (Karn).
 */
#ifndef IBT_RTT_H
#define IBT_RTT_H

#include <linux/types.h>

enum ibt_rtt_state {
	IBT_RTT_IDLE,		/* the next packet that asks is measured */
	IBT_RTT_RUNNING,	/* one is on its way */
};

/**
 * struct ibt_rtt - of one requester
 * @state: enum ibt_rtt_state
 * @psn: of the packet that is measured, sent at
 * @begin: ns
 * @smooth: estimate, ns; 0: nothing was measured yet
 * @vary: its mean deviation, ns
 * @least: of all, ns
 * @backoff: the wait is twice as long for each loss without an answer since
 */
struct ibt_rtt {
	enum ibt_rtt_state state;
	u32 psn;
	u64 begin;
	u32 smooth;
	u32 vary;
	u32 least;
	u8 backoff;
};

void ibt_rtt_reset(struct ibt_rtt *rtt);
void ibt_rtt_sent(struct ibt_rtt *rtt, u32 psn, u64 now);
void ibt_rtt_answered(struct ibt_rtt *rtt, u32 una, u64 now);
void ibt_rtt_lost(struct ibt_rtt *rtt);
u64 ibt_rtt_longest(const struct ibt_rtt *rtt);
u64 ibt_rtt_wait(const struct ibt_rtt *rtt);
unsigned long ibt_rtt_timeout(const struct ibt_rtt *rtt, unsigned long timeout);

static inline bool ibt_rtt_known(const struct ibt_rtt *rtt)
{
	return rtt->smooth;
}

#endif /* IBT_RTT_H */

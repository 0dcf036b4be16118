/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long an answer takes, and how long to wait for one before it is taken for lost. The
 * estimate is that of RFC 6298, of the packets that ask for an answer. The answer to a packet
 * that was retransmitted after a wait may be that to its first copy, so it is not measured
 * (Karn). After a NAK it can not: the responder has dropped all behind the PSN that it names.
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
 * @clear: PSN: an answer to this or a later packet is that to its next copy
 * @psn: of the packet that is measured, sent at
 * @begin: ns
 * @smooth: estimate, ns; 0: nothing was measured yet
 * @vary: its mean deviation, ns
 * @least: of all, ns
 * @backoff: the wait is twice as long for each wait without an answer since
 */
struct ibt_rtt {
	enum ibt_rtt_state state;
	u32 clear;
	u32 psn;
	u64 begin;
	u32 smooth;
	u32 vary;
	u32 least;
	u8 backoff;
};

void ibt_rtt_reset(struct ibt_rtt *rtt, u32 psn);
void ibt_rtt_sent(struct ibt_rtt *rtt, u32 psn, u64 now);
void ibt_rtt_answered(struct ibt_rtt *rtt, u32 una, u64 now);
void ibt_rtt_unanswered(struct ibt_rtt *rtt, u32 high);
void ibt_rtt_refused(struct ibt_rtt *rtt, u32 psn);
u64 ibt_rtt_longest(const struct ibt_rtt *rtt);
u64 ibt_rtt_wait(const struct ibt_rtt *rtt, bool prompt);
unsigned long ibt_rtt_timeout(const struct ibt_rtt *rtt, unsigned long timeout);

static inline bool ibt_rtt_known(const struct ibt_rtt *rtt)
{
	return rtt->smooth;
}

/* Nothing was sent that could be measured. */
static inline bool ibt_rtt_is_unused(const struct ibt_rtt *rtt)
{
	return !rtt->smooth && rtt->state == IBT_RTT_IDLE && !rtt->backoff;
}

#endif /* IBT_RTT_H */

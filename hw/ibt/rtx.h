/* SPDX-License-Identifier: GPL-2.0 */
/* Retransmission: how long the requester waits, and what it may still retransmit. */
#ifndef IBT_RTX_H
#define IBT_RTX_H

#include <linux/build_bug.h>
#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <linux/types.h>

#include "ask.h"
#include "held.h"
#include "resend.h"
#include "rtt.h"

/*
 * Packets without an answer, at most. A READ may go beyond: its answer counts. A
 * responder drops whatever comes out of order, so where packets are lost or change
 * places, most of a large window is sent for nothing: each retry halves it, down
 * to the least, and what is answered lets it grow again.
 */
#define IBT_WINDOW	128
#define IBT_WINDOW_LEAST	2
/* A responder that keeps what came behind a gap gets little for nothing. */
#define IBT_WINDOW_LEAST_KEPT	16
/* So many windows of READs; a READ of a window may still begin within what can be marked. */
#define IBT_WINDOW_READS	3
static_assert((IBT_WINDOW_READS + 1) * IBT_WINDOW <= IBT_RESEND_SPAN);

enum ibt_recovery {
	IBT_STEADY,
	IBT_ASKED_AGAIN,	/* for a missing answer, and nothing came since */
	IBT_FILLING,		/* packets that the peer has named go once more */
	IBT_PROBING,		/* nothing comes: one packet is on its way */
};

/* Until rtx.pause_until nothing is sent, but for IBT_PAUSE_PAGES, which paging.c ends. */
enum ibt_pause {
	IBT_NO_PAUSE,
	IBT_PAUSE_MEMORY,	/* there was none for a packet */
	IBT_PAUSE_RNR,		/* the peer has no receive request */
	IBT_PAUSE_PAGES,	/* pages of memory on demand are absent */
};

/**
 * struct ibt_rtx - of one queue pair; ibt_sq.lock guards it
 * @timeout: jiffies, 0: for ever; attributes as of the last modify_qp, down to
 * @rnr_retry
 * @retries, @rnr_retries: left until the next progress
 * @migrations: that @retries and @timeout have followed
 * @window: packets without an answer, now
 * @recovery: what was lost, if anything
 * @pause: enum ibt_pause
 * @pause_until: nothing is sent before, jiffies
 * @deadline: when to give up waiting for an answer
 * @rtt: of packets that have an answer
 * @ask: packets that ask for one
 * @early_at: when to retransmit packets without an answer early, ns
 * @held: are packets without an answer in this host still?
 * @resend: packets that are retransmitted alone
 * @retry_timer: for @deadline
 * @pause_timer: for @pause_until
 * @early_timer: for @early_at
 */
struct ibt_rtx {
	unsigned long timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 retries;
	u8 rnr_retries;
	u32 migrations;
	u8 window;
	enum ibt_recovery recovery;
	enum ibt_pause pause;
	unsigned long pause_until;
	unsigned long deadline;
	struct ibt_rtt rtt;
	struct ibt_ask ask;
	u64 early_at;
	struct ibt_held held;
	struct ibt_resend resend;
	struct timer_list retry_timer;
	struct timer_list pause_timer;
	struct hrtimer early_timer;
};

/* How long an answer may take before a retry is counted, jiffies. */
static inline unsigned long ibt_rtx_wait(const struct ibt_rtx *rtx)
{
	return ibt_rtt_timeout(&rtx->rtt, rtx->timeout);
}

/*
 * How long an answer may take before packets are retransmitted early, ns. The first packet after
 * a NAK asks for an ACK, which its peer, as it has sent a NAK, has no reason to delay.
 */
static inline u64 ibt_rtx_early_wait(const struct ibt_rtx *rtx)
{
	return ibt_rtt_wait(&rtx->rtt, rtx->recovery == IBT_ASKED_AGAIN ||
				       rtx->recovery == IBT_FILLING);
}

/* Do packets leave one by one? An interface may have segmented a GSO skb wrongly. */
static inline bool ibt_rtx_single(const struct ibt_rtx *rtx)
{
	return rtx->recovery == IBT_ASKED_AGAIN || rtx->recovery == IBT_PROBING;
}

/* Packets that may be without an answer, now. */
static inline u32 ibt_rtx_window(const struct ibt_rtx *rtx)
{
	return rtx->recovery == IBT_PROBING ? 1 : rtx->window;
}

#endif /* IBT_RTX_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control of a connected queue pair (annex A17.9). As notification point it tells
 * the peer that its packets were marked on their way, with a CNP (Congestion Notification
 * Packet). As reaction point it limits the rate of its requests and of its READ answers when
 * such packets come, or packets are lost (dcqcn.h).
 */
#ifndef IBT_CONGESTION_H
#define IBT_CONGESTION_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/spinlock.h>
#include <linux/time64.h>

#include "dcqcn.h"

struct ibt_qp;

/* Between two CNPs of a queue pair, ns. */
#define IBT_CNP_INTERVAL	(50 * NSEC_PER_USEC)
/* Headers of a packet that count as well, at most a few bytes more or less. */
#define IBT_PACE_HEADERS	64

/* What waits until it may be sent. */
enum {
	IBT_PACE_REQUESTS	= BIT(0),
	IBT_PACE_ANSWERS	= BIT(1),
};

/**
 * struct ibt_congestion - of one queue pair
 * @cnp_at: when it sent a CNP last, ns; moves by cmpxchg, without a lock
 * @tick: jiffies when @bytes began; it, @bytes and @before are without a lock: an estimate
 * @bytes: that were sent in this tick
 * @before: in the tick before
 * @limited: @dcqcn has a rate; may be peeked at without the lock
 * @lock: guards what follows, and @limited. Innermost
 * @dcqcn: the rate
 * @point: behind the last request that was sent before the latest cut: until it is answered
 *	   marks are of the same congestion
 * @next: when the next packet may be sent, ns
 * @waiting: IBT_PACE_*: what waits for @timer; may be peeked at without the lock
 * @timer: for @next
 */
struct ibt_congestion {
	atomic64_t cnp_at;
	unsigned long tick;
	u32 bytes;
	u32 before;
	bool limited;
	spinlock_t lock;
	struct ibt_dcqcn dcqcn;
	u32 point;
	u64 next;
	u8 waiting;
	struct hrtimer timer;
};

/*
 * May a CNP be sent at @now, ns? Of several contexts that ask at once, one is told so; the next
 * is not due before IBT_CNP_INTERVAL is over.
 */
static inline bool ibt_cnp_due(struct ibt_congestion *congestion, u64 now)
{
	s64 last = atomic64_read(&congestion->cnp_at);

	if (last && (s64)now - last < IBT_CNP_INTERVAL)
		return false;
	return atomic64_try_cmpxchg(&congestion->cnp_at, &last, now);
}

/* congestion.c; none of the queue pair's locks is held */
void ibt_marked(struct ibt_qp *qp);
bool ibt_cnp_taken(struct ibt_qp *qp);

/* pace.c; sq.lock or resp.lock held, but for init and stop */
void ibt_pace_init(struct ibt_qp *qp);
void ibt_pace_stop(struct ibt_qp *qp);
void ibt_pace_reset(struct ibt_qp *qp);
void ibt_pace_event(struct ibt_qp *qp, enum ibt_dcqcn_event event);
void ibt_pace_lost(struct ibt_qp *qp);
bool ibt_pace_due(struct ibt_qp *qp, u8 what);
u32 ibt_pace_burst(struct ibt_qp *qp);
void ibt_pace_charge(struct ibt_congestion *congestion, u32 bytes);

/* False: what waits is called again when it may be sent. */
static inline bool ibt_pace_ok(struct ibt_qp *qp,
			       const struct ibt_congestion *congestion, u8 what)
{
	return likely(!READ_ONCE(congestion->limited)) || ibt_pace_due(qp, what);
}

/* So many bytes of the queue pair have left. */
static inline void ibt_pace_sent(struct ibt_congestion *congestion, u32 bytes)
{
	unsigned long now = jiffies;

	if (unlikely(READ_ONCE(congestion->limited)))
		ibt_pace_charge(congestion, bytes);
	if (congestion->tick != now) {
		congestion->tick = now;
		congestion->before = congestion->bytes;
		congestion->bytes = 0;
	}
	congestion->bytes += bytes;
}

/* Do requests wait for no answer, but for their turn? */
static inline bool ibt_pace_holds(const struct ibt_congestion *congestion)
{
	return READ_ONCE(congestion->waiting) & IBT_PACE_REQUESTS;
}

#endif /* IBT_CONGESTION_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The send side of a queue pair: its slots, its PSNs, its life. */
#ifndef IBT_SQ_H
#define IBT_SQ_H

#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <rdma/ib_verbs.h>

#include "../soft/soft.h"
#include "../soft/task.h"
#include "local.h"
#include "pkt.h"
#include "rtt.h"
#include "wqe.h"

struct ibt_port;
struct ibt_qp;

/* A user's requests are taken over this many at a time; the rest stay in his ring. */
#define IBT_USER_SLOTS	128

/*
 * Packets without an answer, at most. A READ may go beyond: its answer counts. A
 * responder drops whatever comes out of order, so where packets are lost or change
 * places, most of a large window is sent for nothing: each retry halves it, down
 * to the least, and what is answered lets it grow again.
 */
#define IBT_WINDOW	128
#define IBT_WINDOW_LEAST	2

enum ibt_recovery {
	IBT_STEADY,
	IBT_ASKED_AGAIN,	/* for a missing answer, and nothing came since */
	IBT_PROBING,		/* nothing comes: one packet is on its way */
};

/**
 * struct ibt_sq - send side
 *
 * PSNs, in the order of the circle: @una <= @cur_psn <= @high <= @psn. A retry
 * sets @cur_psn back; nothing else ever goes back.
 *
 * @lock: guards everything but @head of a kernel QP
 * @post_lock: guards @head and the slots at it, of a kernel QP
 * @ring: (user QP) struct rxe_send_wqe
 * @slots: of @stride bytes each, @mask + 1 of them; NULL: none yet (user QP)
 * @head: next free slot; @next: to be sent next; @tail: oldest not completed.
 *	  Free-running; slot (x & mask)
 * @state: SQE exists here only; qp->state says RTS then
 * @dest_qpn: attributes as of the last modify_qp, down to
 * @max_rd_atomic
 * @timeout: jiffies, 0: for ever
 * @offset: bytes of @next that are sent (of payload, if it is an IB_WR_LSO)
 * @cur_psn: of the next packet to send
 * @una: oldest PSN without an answer
 * @high: behind the highest PSN ever sent
 * @ack_left: newest PSN of ACKs that came while @lock was held, and IBT_ACK_LEFT; 0:
 *	      none. Without a lock
 * @psn: never used so far
 * @rd_atomic: READs, atomics and ATOMIC WRITEs without an answer
 * @window: packets without an answer, now
 * @retries, @rnr_retries: left until the next progress
 * @migrations: that @retries and @timeout have followed
 * @failed: a completion has told of a failure: what follows is flushed
 * @broken: a request went wrong and waits for those before it; nothing is sent
 * @recovery: what was lost, if anything
 * @rtt: of packets that have an answer
 * @early_at: when to send again without one, ns
 * @paused: until @pause_until nothing is sent
 * @rnr: because the peer has no receive request
 * @drained: (SQD) what was begun is finished
 * @deadline: when to give up waiting for an answer
 * @local: see there
 * @bell_prod: a user has rung for what is before this, as @ring.cons counts. Without a
 *	       lock: it is a hint
 * @told: the request that was completed last has a completion; a hint as well
 * @room_port: @waiting is, or was, on its list
 * @waiting: in ibt_port.waiting
 * @retry_timer: for @deadline
 * @pause_timer: for @pause_until
 * @early_timer: for @early_at
 * @hold: completions of @tail and on that find the CQ full. Their requests are done
 * @task: ibt_requester()
 * @cpu: where the latest packets were sent, or SOFT_NO_CPU
 */
struct ibt_sq {
	spinlock_t lock;	/* all of it */
	spinlock_t post_lock;	/* head of a kernel QP; state, together with lock */
	struct soft_ring ring;
	void *slots;
	u32 stride;
	u32 mask;
	u32 max_wr;
	u32 max_sge;
	u32 max_inline;
	u32 head;
	u32 next;
	u32 tail;
	enum ib_qp_state state;
	u32 dest_qpn;
	u32 qkey;
	unsigned long timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 max_rd_atomic;
	u32 offset;
	u32 cur_psn;
	u32 una;
	u32 high;
	atomic_t ack_left;
	u32 psn;
	u32 rd_atomic;
	u32 migrations;
	u8 window;
	u8 retries;
	u8 rnr_retries;
	bool failed;
	bool broken;
	bool paused;
	bool rnr;
	bool drained;
	bool told;
	enum ibt_recovery recovery;
	struct ibt_rtt rtt;
	u64 early_at;
	unsigned long deadline;
	unsigned long pause_until;
	struct ibt_local local;
	u32 bell_prod;
	struct ibt_port *room_port;
	struct list_head waiting;
	struct timer_list retry_timer;
	struct timer_list pause_timer;
	struct hrtimer early_timer;
	struct soft_hold hold;
	struct soft_task task;
	int cpu;
};

static inline struct ibt_slot *ibt_slot_at(const struct ibt_sq *sq, u32 index)
{
	return sq->slots + (size_t)(index & sq->mask) * sq->stride;
}

/* Behind the last request. */
static inline u32 ibt_sq_head(const struct ibt_sq *sq)
{
	/* Slots before it are filled: pairs with post_list(). */
	return smp_load_acquire(&sq->head);
}

static inline bool ibt_sq_is_user(const struct ibt_sq *sq)
{
	return sq->ring.buf;
}

/* Anything without an answer? */
static inline bool ibt_sq_unanswered(const struct ibt_sq *sq)
{
	return sq->una != sq->high;
}

/* Packets that may be without an answer, now. */
static inline u32 ibt_sq_window(const struct ibt_sq *sq)
{
	return sq->recovery == IBT_PROBING ? 1 : sq->window;
}

int ibt_sq_create(struct ibt_qp *qp, const struct ib_qp_cap *cap,
		  struct ib_ucontext *ucontext, struct mminfo *info);
void ibt_sq_destroy(struct ibt_qp *qp);		/* nobody has a reference */
int ibt_sq_user_slots(struct ibt_sq *sq);
int ibt_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad);	/* op; NULL: doorbell */
/* modify_qp: @state as of now, attributes are in place. Process context. */
void ibt_sq_set_state(struct ibt_qp *qp, enum ib_qp_state state);
/* modify_qp from SQE to RTS, before that. Process context. */
int ibt_sq_resume(struct ibt_qp *qp);
/* All that is queued completes with IB_WC_WR_FLUSH_ERR. */
void ibt_sq_flush(struct ibt_qp *qp);

#endif /* IBT_SQ_H */

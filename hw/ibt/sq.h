/* SPDX-License-Identifier: GPL-2.0 */
/* The send side of a queue pair: its WQEs, its PSNs, its life. */
#ifndef IBT_SQ_H
#define IBT_SQ_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "../soft/hold.h"
#include "../soft/iter.h"
#include "../soft/mr_table.h"
#include "../soft/pager.h"
#include "../soft/ring.h"
#include "../soft/task.h"
#include "pkt.h"
#include "wqe.h"

struct ibt_port;
struct ibt_qp;

/* A user's requests are taken over this many at a time; the rest stay in the user's ring. */
#define IBT_USER_WQES	128

/* Why nothing more is sent, or will be. */
enum ibt_sq_stop {
	IBT_SQ_GOING,
	IBT_SQ_DRAINED,		/* (SQD) what was begun is finished */
	IBT_SQ_BROKEN,		/* a request went wrong and waits for those before it */
	IBT_SQ_FAILED,		/* a completion has told of a failure: the rest is flushed */
};

/* How the latest message left, for a reader of the queue pair's state. */
enum ibt_way {
	IBT_WAY_NONE,
	IBT_WAY_LOOPBACK,	/* to a queue pair of this host, without packets */
	IBT_WAY_DIRECT,		/* to one of a neighbour device, without packets */
	IBT_WAY_PACKETS,	/* one skb each */
	IBT_WAY_GSO,		/* several in one skb */
};

/**
 * struct ibt_sq - send side
 *
 * PSNs, in the order of the circle: @una <= @cur_psn <= @high <= @psn. A retry
 * sets @cur_psn back; nothing else ever goes back.
 *
 * @lock: guards everything but @head of a kernel QP; struct ibt_rtx and
 *	  struct ibt_loopback_xfer of the queue pair, too
 * @post_lock: guards @head and the WQEs at it, of a kernel QP
 * @ring: (user QP) struct rxe_send_wqe
 * @wqes: of @stride bytes each, @mask + 1 of them; NULL: none yet (user QP)
 * @max_wr, @max_sge, @max_inline: as qp->cap, in which create_qp told them
 * @head: next free WQE; @next: to be sent next; @tail: oldest not completed.
 *	  Free-running; WQE (x & mask)
 * @state: SQE exists here only; qp->state says RTS then
 * @stop: enum ibt_sq_stop
 * @dest_qpn: attributes as of the last modify_qp, down to
 * @max_rd_atomic
 * @offset: bytes of @next that are sent (of payload, if it is an IB_WR_LSO)
 * @cur_psn: of the next packet to send
 * @una: oldest PSN without an answer
 * @high: behind the highest PSN ever sent
 * @deferred_ack: newest PSN of ACKs that came while @lock was held, and IBT_ACK_DEFERRED; 0:
 *	      none. Without a lock
 * @psn: never used so far
 * @rd_atomic: READs, atomics and ATOMIC WRITEs without an answer
 * @tx_wait_port: @waiting is, or was, on its list
 * @waiting: in ibt_port.waiting
 * @hold: completions of @tail and on that find the CQ full. Their requests are done
 * @task: ibt_requester()
 * @cpu: where the latest packets were sent, or SOFT_NO_CPU
 * @way: how
 * @pager: brings in what it reads, or what responses are written to
 * @answer_dropped: a response was dropped, as pages were absent that it belongs to
 * @source_key: lkey of what messages in one piece are sent from
 * @source: memory of the request that is sent, during a round (ibt_round.source_of)
 */
struct ibt_sq {
	spinlock_t lock;	/* all of it */
	spinlock_t post_lock;	/* head of a kernel QP; state, together with lock */
	struct soft_ring ring;
	void *wqes;
	u32 stride;
	u32 mask;
	u32 max_wr;
	u32 max_sge;
	u32 max_inline;
	u32 head;
	u32 next;
	u32 tail;
	enum ib_qp_state state;
	enum ibt_sq_stop stop;
	u32 dest_qpn;
	u32 qkey;
	u8 max_rd_atomic;
	u32 offset;
	u32 cur_psn;
	u32 una;
	u32 high;
	atomic_t deferred_ack;
	u32 psn;
	u32 rd_atomic;
	struct ibt_port *tx_wait_port;
	struct list_head waiting;
	struct soft_hold hold;
	struct soft_task task;
	int cpu;
	enum ibt_way way;
	struct soft_pager pager;
	bool answer_dropped;
	struct soft_key_cache source_key;
	struct soft_iter source;
};

static inline struct ibt_wqe *ibt_wqe_at(const struct ibt_sq *sq, u32 index)
{
	return sq->wqes + (size_t)(index & sq->mask) * sq->stride;
}

/* Behind the last request. */
static inline u32 ibt_sq_head(const struct ibt_sq *sq)
{
	/* WQEs before it are filled: pairs with post_list(). */
	return smp_load_acquire(&sq->head);
}

static inline bool ibt_sq_is_user(const struct ibt_sq *sq)
{
	return sq->ring.buf;
}

/* IBA 10.8.2: which states take requests. */
static inline bool ibt_state_takes(enum ib_qp_state state)
{
	return state == IB_QPS_RTS || state == IB_QPS_SQD ||
	       state == IB_QPS_SQE || state == IB_QPS_ERR;
}

/* Anything without an answer? */
static inline bool ibt_sq_unanswered(const struct ibt_sq *sq)
{
	return sq->una != sq->high;
}

int ibt_sq_create(struct ibt_qp *qp, const struct ib_qp_cap *cap,
		  struct ib_ucontext *ucontext, struct mminfo *info);
void ibt_sq_destroy(struct ibt_qp *qp);		/* no reference is left */
int ibt_sq_user_wqes(struct ibt_sq *sq);
int ibt_sq_kernel_post_list(struct ibt_qp *qp, const struct ib_send_wr *wr,
			    const struct ib_send_wr **bad);
int ibt_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad);	/* op; NULL: doorbell */
/* modify_qp: @state as of now, attributes are in place. Process context. */
void ibt_sq_set_state(struct ibt_qp *qp, enum ib_qp_state state);
/* modify_qp from SQE to RTS, before that. Process context. */
int ibt_sq_resume(struct ibt_qp *qp);
/* All that is queued completes with IB_WC_WR_FLUSH_ERR. */
void ibt_sq_flush(struct ibt_qp *qp);

#endif /* IBT_SQ_H */

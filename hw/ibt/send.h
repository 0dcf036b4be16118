/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the send side share among themselves. */
#ifndef IBT_SEND_H
#define IBT_SEND_H

#include "ibt.h"

/* How a work request is carried out. */
enum ibt_wr_kind {
	IBT_WR_NONE,		/* there is no such request */
	IBT_WR_DATA,		/* SEND, WRITE: bytes go out */
	IBT_WR_ASK,		/* READ, atomics: bytes come back; FLUSH: none do */
	IBT_WR_STORE,		/* ATOMIC WRITE: bytes go out, an answer comes */
	IBT_WR_HERE,		/* LOCAL_INV, REG_MR, BIND_MW: nothing goes out */
};

/**
 * struct ibt_wr_info - facts of an enum ib_wr_opcode
 * @kind: see above
 * @verb, @extra: of the message it makes
 * @transports: BIT(enum ibt_transport) that have it
 * @kernel_only: not from a user's ring
 * @user_only: the kernel has no request for it
 * @wc: enum ib_wc_opcode of its completion
 */
struct ibt_wr_info {
	u8 kind;
	u8 verb;
	u16 extra;
	u8 transports;
	bool kernel_only;
	bool user_only;
	u8 wc;
};

/* Total: opcodes that do not exist have kind IBT_WR_NONE. */
const struct ibt_wr_info *ibt_wr_info(u32 opcode);

/*
 * No ACK ends it, but an answer of its own, which the peer keeps ready: so it is
 * one of the max_rd_atomic that may be outstanding.
 */
static inline bool ibt_wr_answered(const struct ibt_wr_info *info)
{
	return info->kind == IBT_WR_ASK || info->kind == IBT_WR_STORE;
}

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

/* Is there work for struct ibt_offload in this datagram? */
static inline bool ibt_slot_offload(const struct ibt_qp *qp,
				    const struct ibt_slot *slot)
{
	return (slot->opcode == IB_WR_LSO ||
		(slot->flags & IB_SEND_IP_CSUM)) &&
	       ibt_qp_dev(qp)->link->offload;
}

static inline bool ibt_qp_reliable(const struct ibt_qp *qp)
{
	return qp->transport == IBT_RC || qp->transport == IBT_XRC;
}

/* Distance from @from on, in the circle: never negative. */
static inline u32 ibt_psn_ahead(u32 psn, u32 from)
{
	return (psn - from) & IBT_PSN_MASK;
}

static inline u32 ibt_slot_packets(const struct ibt_slot *slot)
{
	return ibt_psn_ahead(slot->last_psn, slot->first_psn) + 1;
}

/* Anything without an answer? */
static inline bool ibt_sq_unanswered(const struct ibt_sq *sq)
{
	return sq->una != sq->high;
}

/* bell.c */
void ibt_bell(struct ibt_qp *qp);
void ibt_bell_user(struct ibt_qp *qp);
void ibt_bell_answered(struct ibt_qp *qp, enum ibt_send_more more);
void ibt_bell_settle(struct ibt_qp *qp);

/* retry.c */

/**
 * struct ibt_resume - where sending goes on
 * @slot: index, may be head: nothing to be sent again
 * @offset: bytes of it that need not be sent again
 */
struct ibt_resume {
	u32 slot;
	u32 offset;
};

struct ibt_resume ibt_retry_point(const struct ibt_sq *sq, u32 head, u32 mtu,
				  u32 psn);
void ibt_sq_seek(struct ibt_qp *qp, u32 psn);	/* sq.lock held */

/* sq_user.c; sq.lock held, but for the second and the last */
bool ibt_sq_pull(struct ibt_qp *qp);
bool ibt_sq_peek(const struct ibt_qp *qp, struct ib_wc *wc);
void ibt_sq_empty_ring(struct ibt_sq *sq);
int ibt_sq_user_slots(struct ibt_sq *sq);

/* sq_complete.c; sq.lock held */
void ibt_sq_change(struct ibt_sq *sq, enum ib_qp_state state);
void ibt_slot_fail(struct ibt_qp *qp, struct ibt_slot *slot, u8 status);
void ibt_sq_reap(struct ibt_qp *qp);
u32 ibt_sq_oldest(const struct ibt_sq *sq);
bool ibt_sq_flush_some(struct ibt_qp *qp, int budget);
void ibt_sq_drop_all(struct ibt_qp *qp);
void ibt_sq_check_drained(struct ibt_qp *qp);
void ibt_datagram_done(struct ibt_qp *qp, struct ibt_slot *slot);
void ibt_local_abort(struct ibt_qp *qp);

#define IBT_ACK_LEFT	BIT(31)

/* completer.c; sq.lock held. An ACK that found it held. */
void ibt_sq_take_ack(struct ibt_qp *qp);
/* completer.c; sq.lock held. A NAK, or none, for @psn, however it came. */
void ibt_sq_nak(struct ibt_qp *qp, u32 psn, u8 syndrome);
void ibt_sq_progress(struct ibt_qp *qp);
bool ibt_slot_original(struct ibt_qp *qp, struct ibt_slot *slot, u64 original);

/* timers.c; sq.lock held but for init and shutdown */
void ibt_timers_init(struct ibt_qp *qp);
void ibt_timers_shutdown(struct ibt_qp *qp);
unsigned long ibt_timeout_jiffies(u8 timeout);
unsigned long ibt_rnr_jiffies(u8 timer);
void ibt_sq_await(struct ibt_qp *qp, bool first);
void ibt_sq_pause(struct ibt_qp *qp, unsigned long delay);
void ibt_sq_retry(struct ibt_qp *qp, u8 why);
bool ibt_sq_follow(struct ibt_qp *qp);
void ibt_sq_retry_held(struct ibt_qp *qp);
/* sq.lock is taken inside */
void ibt_sq_migrated(struct ibt_qp *qp);

/* early.c; sq.lock held but for the first */
void ibt_early_init(struct ibt_qp *qp);
void ibt_early_await(struct ibt_qp *qp, bool first);
void ibt_early_progress(struct ibt_qp *qp);

/* Packets that may be without an answer, now. */
static inline u32 ibt_sq_window(const struct ibt_sq *sq)
{
	return sq->recovery == IBT_PROBING ? 1 : sq->window;
}

/* wqe.c; sq.lock held */
void ibt_slot_number(struct ibt_qp *qp, struct ibt_slot *slot);
void ibt_slot_source(struct ibt_qp *qp, const struct ibt_slot *slot,
		     struct soft_iter *it);
void ibt_slot_target(struct ibt_qp *qp, const struct ibt_slot *slot,
		     struct soft_iter *it);
enum soft_fault ibt_slot_check(struct ibt_qp *qp, const struct ibt_slot *slot,
			       const struct ibt_wr_info *info);

/* sq_tx.c; sq.lock held */
bool ibt_sq_wait_room(struct ibt_qp *qp, struct ibt_port *port, u32 seq);
bool ibt_sq_emit(struct ibt_qp *qp, struct ibt_path *path, struct sk_buff *skb,
		 struct ibt_pkt *pkt);

/* requester.c: a round of sq.task; sq.lock is not held */
enum soft_task_left ibt_requester_round(struct soft_task *task);

/* Rounds of a caller; what is more is left to a work. */
#define IBT_CALLER_ROUNDS	4

/* Half of the circle: a responder takes what is further ahead for the past. */
#define IBT_PSN_REACH	BIT(23)

/* IBA 9.7.7.2.2: how much may be without an answer. */
static inline bool ibt_sq_in_window(const struct ibt_qp *qp,
				    const struct ibt_slot *slot)
{
	const struct ibt_sq *sq = &qp->sq;
	u32 waiting = ibt_psn_ahead(sq->cur_psn, sq->una);
	u32 more;

	if (!ibt_qp_reliable(qp))
		return true;
	more = slot->numbered ?
	       ibt_psn_ahead(slot->last_psn, sq->cur_psn) + 1 :
	       ibt_packets(slot->length, qp->mtu);
	return waiting < ibt_sq_window(sq) && waiting + more <= IBT_PSN_REACH;
}

/* Does the next request wait for more answers? Then ibt_requester() would send nothing. */
static inline bool ibt_requester_stuck(const struct ibt_qp *qp)
{
	const struct ibt_sq *sq = &qp->sq;
	const struct ibt_slot *slot;

	lockdep_assert_held(&sq->lock);
	if (sq->state != IB_QPS_RTS || sq->next == ibt_sq_head(sq))
		return false;
	slot = ibt_slot_at(sq, sq->next);
	return slot->state == IBT_SLOT_WAITING && !ibt_sq_in_window(qp, slot);
}

/* Send what may be sent. sq.lock is taken inside; interrupts are enabled. */
static inline void ibt_requester(struct ibt_qp *qp)
{
	soft_task_call(&qp->sq.task, IBT_CALLER_ROUNDS);
}

/* The same from a work. Any context, also with the room_lock of a port held. */
static inline void ibt_sq_kick(struct ibt_qp *qp)
{
	soft_task_queue(&qp->sq.task);
}

/* here.c, datagram.c; sq.lock held. @slot is the next one. */
void ibt_do_here(struct ibt_qp *qp, struct ibt_slot *slot);
bool ibt_send_datagram(struct ibt_qp *qp, struct ibt_slot *slot,
		       const struct ibt_wr_info *info);

/* local.c; sq.lock held */

/* The message that is on its way without packets is not any more. */
static inline void ibt_local_forget(struct ibt_sq *sq)
{
	if (!sq->local.peer)
		return;
	soft_iter_end(&sq->local.from);
	ibt_qp_put(sq->local.peer);
	sq->local.peer = NULL;
}

enum ibt_local_way {
	IBT_LOCAL_NO,		/* by packets, please */
	IBT_LOCAL_WAIT,		/* soon: packets are without an answer */
	IBT_LOCAL_MOVED,	/* done, or a part of it, or it failed */
};

enum ibt_local_way ibt_local_send(struct ibt_qp *qp, struct ibt_path *path,
				  struct ibt_slot *slot,
				  const struct ibt_wr_info *info);
bool ibt_local_datagram(struct ibt_qp *qp, struct ibt_path *path,
			struct ibt_slot *slot, struct ibt_pkt *pkt);

#endif /* IBT_SEND_H */

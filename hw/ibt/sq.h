/* SPDX-License-Identifier: GPL-2.0 */
/* The send side of a queue pair: its slots, requester, completer. */
#ifndef IBT_SQ_H
#define IBT_SQ_H

#include "rtt.h"

struct ibt_qp;
struct ibt_route;

enum ibt_slot_state {
	IBT_SLOT_WAITING,	/* not sent, or not wholly */
	IBT_SLOT_SENT,		/* an answer is awaited */
	IBT_SLOT_DONE,		/* status is final */
};

/**
 * struct ibt_slot - a work request in the kernel's hands, copied and checked
 * @status: IB_WC_SUCCESS as long as nothing is wrong with it. A request that was
 *	    malformed waits for its turn with its status set
 * @num_sge: entries of @sge
 * @numbered: it has PSNs. Requests that stay here (REG_MR, ...) never have
 * @counted: (READ, atomic, ATOMIC WRITE, FLUSH) it is one of sq.rd_atomic
 * @length: bytes of the message
 * @flush.length: (IB_WR_FLUSH) bytes at the peer; the message has none
 * @first_psn, @last_psn: its packets, once they are numbered (READ: of the answer)
 * @ud.route: referenced; its path is asked for when it is sent
 * @ud.header: (IB_WR_LSO) of each of its packets, @ud.header_bytes of it: the consumer's,
 *	       as his SGEs are
 * @ud.mss: (IB_WR_LSO) bytes of payload behind it, in each packet but the last
 * @reg.mr: region of the consumer
 * @sge: or @data when @is_inline
 */
struct ibt_slot {
	u64 wr_id;
	u32 opcode;		/* enum ib_wr_opcode */
	u32 flags;		/* IB_SEND_* */
	u8 state;
	u8 status;		/* enum ib_wc_status */
	u8 num_sge;
	bool is_inline;
	bool numbered;
	bool counted;
	u32 length;
	u32 first_psn;
	u32 last_psn;
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	union {
		struct {
			u64 remote_addr;
			u32 rkey;
			u32 srqn;	/* XRC */
		} rdma;
		struct {
			u64 remote_addr;
			u64 compare_add;
			u64 swap;
			u32 rkey;
			u32 srqn;
		} atomic;
		struct {
			u64 remote_addr;
			u32 rkey;
			u32 length;
			u8 placement;
			u8 selectivity;
		} flush;
		struct {
			struct ibt_route *route;
			u32 qpn;
			u32 qkey;
			u16 pkey_index;
			u16 mss;
			u32 header_bytes;
			const void *header;
		} ud;
		struct {
			struct ib_mr *mr;
			u32 key;
			int access;
		} reg;
		struct soft_bind bind;
	};
	union {
		DECLARE_FLEX_ARRAY(struct ib_sge, sge);
		DECLARE_FLEX_ARRAY(u8, data);
	};
};

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
 * struct ibt_local - a message on its way to a queue pair of this host
 * @peer: who gets it, referenced; NULL: there is none on its way
 * @slot: index of its request
 * @done: bytes that have arrived
 * @from: (READ) where the answer is
 */
struct ibt_local {
	struct ibt_qp *peer;
	u32 slot;
	u32 done;
	struct soft_iter from;
};

/**
 * struct ibt_sq - send side
 *
 * PSNs, in the order of the circle: @una <= @cur_psn <= @high <= @psn. A retry
 * sets @cur_psn back; nothing else ever goes back.
 *
 * @lock: guards everything but @head of a kernel QP (see ibt.h)
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

#endif /* IBT_SQ_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Send queues. */
#ifndef OFED_IW_SQ_H
#define OFED_IW_SQ_H

#include <rdma/ib_verbs.h>

#include "../soft/hold.h"
#include "limits.h"
#include "ring.h"

struct iw_qp;

enum iw_slot_state {
	IW_SLOT_POSTED,		/* nothing of it was built */
	IW_SLOT_BUILT,		/* all of it was built, or is being */
	IW_SLOT_ASKED,		/* a READ whose answer has not come */
	IW_SLOT_DONE,
};

/**
 * struct iw_slot - a work request of the send queue
 * @wr_id: the consumer's
 * @opcode: enum ib_wr_opcode
 * @flags: enum ib_send_flags
 * @state: enum iw_slot_state
 * @status: enum ib_wc_status, known before its turn, or when it is done
 * @num_sge: of @sge
 * @rkey: of RDMA; of what is to be invalidated
 * @raddr: of RDMA
 * @length: bytes of the message
 * @got: (READ) bytes of the answer so far
 * @msn: (READ, atomic) of the request
 * @imm: (WRITE_WITH_IMM)
 * @mr: (REG_MR)
 * @access: (REG_MR)
 * @sge: local memory
 * @data: inline
 * @sink: (atomic) the only one of @sge
 * @operand: (atomic) to add, or to compare with
 * @swap: (atomic)
 */
struct iw_slot {
	u64 wr_id;
	u8 opcode;
	u8 state;
	u8 status;
	u8 num_sge;
	u32 flags;
	u32 rkey;
	u32 length;
	u64 raddr;
	union {
		struct {
			u32 got;
			u32 msn;
		};
		__be32 imm;
		struct {
			struct ib_mr *mr;
			int access;
		};
	};
	union {
		DECLARE_FLEX_ARRAY(struct ib_sge, sge);
		DECLARE_FLEX_ARRAY(u8, data);
		struct {
			struct ib_sge sink;
			u64 operand;
			u64 swap;
		};
	};
};

/**
 * struct iw_sq - send queue; guarded by iw_qp.lock
 * @ring: (program) struct siw_sqe
 * @slots: requests, out of the consumer's reach
 * @num: of @slots, a power of 2
 * @stride: bytes of a slot
 * @max_sge: of a request
 * @una: oldest slot that is not complete
 * @next: the one whose turn to be sent it is
 * @head: behind the newest
 * @reads: READs and atomics without an answer
 * @ord: how many of them there may be
 * @flushing: somebody flushes, and this many of a program at most; 0: nobody
 * @failed: a request was flushed that had not been done
 * @hold: completions of @una and on that find the CQ full. Their requests are done
 *
 *	una  <=  next  <=  head  <=  una + num
 */
struct iw_sq {
	struct iw_ring ring;
	void *slots;
	u32 num;
	u32 stride;
	u32 max_sge;
	u32 una;
	u32 next;
	u32 head;
	u32 reads;
	u32 ord;
	u32 flushing;
	bool failed;
	struct soft_hold hold;
};

static inline bool iw_slot_is_atomic(const struct iw_slot *slot)
{
	return slot->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       slot->opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

/* What is wrong with its SGEs, whose bytes become its length. */
static inline u8 iw_slot_add_up(struct iw_slot *slot)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < slot->num_sge; i++)
		total += slot->sge[i].length;
	slot->length = total;
	return total > IW_MAX_MSG_BYTES ? IB_WC_LOC_LEN_ERR : IB_WC_SUCCESS;
}

static inline struct iw_slot *iw_slot_at(const struct iw_sq *sq, u32 index)
{
	return sq->slots + (size_t)(index & (sq->num - 1)) * sq->stride;
}

int iw_sq_alloc(struct iw_qp *qp, const struct ib_qp_init_attr *init,
		struct ib_ucontext *ucontext, u64 *key);
void iw_sq_free(struct iw_sq *sq);
void iw_sq_init(struct iw_sq *sq);
bool iw_sq_take_user(struct iw_qp *qp);
bool iw_sq_complete(struct iw_qp *qp);
struct iw_slot *iw_sq_find_read(struct iw_qp *qp,
				bool (*fits)(const struct iw_slot *slot,
					     const void *arg),
				const void *arg);
bool iw_sq_claim_flush(struct iw_qp *qp);
bool iw_sq_flush_some(struct iw_qp *qp);
void iw_sq_flush(struct iw_qp *qp);
void iw_slot_done(struct iw_qp *qp, struct iw_slot *slot, u8 status);

#endif /* OFED_IW_SQ_H */

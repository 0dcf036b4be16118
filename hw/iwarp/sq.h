/* SPDX-License-Identifier: GPL-2.0 */
/* Send queues. */
#ifndef OFED_IW_SQ_H
#define OFED_IW_SQ_H

#include <rdma/ib_verbs.h>

#include "../soft/hold.h"
#include "limits.h"
#include "ring.h"

struct iw_qp;

enum iw_wqe_state {
	IW_SLOT_POSTED,		/* no FPDU of it was built */
	IW_SLOT_BUILT,		/* FPDUs of it were built */
	IW_WQE_READ_PENDING,		/* READ or atomic without its response */
	IW_SLOT_DONE,
};

/**
 * struct iw_wqe - a WQE of the send queue
 * @wr_id: id chosen by the consumer
 * @opcode: enum ib_wr_opcode
 * @flags: enum ib_send_flags
 * @state: enum iw_wqe_state
 * @status: enum ib_wc_status; set when the WQE is done, or earlier if it is malformed
 * @num_sge: entries of @sge
 * @rkey: remote key; or the key to be invalidated
 * @raddr: remote address
 * @length: bytes of the message
 * @got: (READ) bytes of the response received so far
 * @msn: (READ, atomic) message sequence number of the request
 * @imm: (WRITE_WITH_IMM) immediate data
 * @mr: (REG_MR) region
 * @access: (REG_MR) IB_ACCESS_*
 * @sge: local memory
 * @data: inline data
 * @sink: (atomic) local memory for the original value
 * @operand: (atomic) value to add, or to compare with
 * @swap: (atomic) value to swap in
 */
struct iw_wqe {
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
 * @wqes: WQEs, in memory that a program can not change
 * @num: WQEs in @wqes, a power of 2
 * @stride: bytes of a WQE
 * @max_sge: SGEs of a WQE, at most
 * @una: index of the oldest WQE that is not completed
 * @next: index of the next WQE to be sent
 * @head: index behind the newest WQE
 * @reads: outbound READs and atomics without a response, a READ that is the RTR among them
 * @ord: limit of @reads
 * @flushing: a thread is flushing, and takes this many more WQEs of a program at most;
 *	      0: no thread is flushing
 * @failed: a WQE that was not done was flushed
 * @hold: retries the completion of @una, which is done, while the CQ is full
 *
 *	una  <=  next  <=  head  <=  una + num
 */
struct iw_sq {
	struct iw_ring ring;
	void *wqes;
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

static inline bool iw_wqe_is_atomic(const struct iw_wqe *wqe)
{
	return wqe->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

/* Set the length of the WQE to the sum of its SGEs. Return: enum ib_wc_status. */
static inline u8 iw_wqe_add_up(struct iw_wqe *wqe)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < wqe->num_sge; i++)
		total += wqe->sge[i].length;
	wqe->length = total;
	return total > IW_MAX_MSG_BYTES ? IB_WC_LOC_LEN_ERR : IB_WC_SUCCESS;
}

static inline struct iw_wqe *iw_wqe_at(const struct iw_sq *sq, u32 index)
{
	return sq->wqes + (size_t)(index & (sq->num - 1)) * sq->stride;
}

int iw_sq_alloc(struct iw_qp *qp, const struct ib_qp_init_attr *init,
		struct ib_ucontext *ucontext, u64 *key);
void iw_sq_free(struct iw_sq *sq);
void iw_sq_init(struct iw_sq *sq);
bool iw_sq_take_user(struct iw_qp *qp);
bool iw_sq_complete(struct iw_qp *qp);
struct iw_wqe *iw_sq_find_read(struct iw_qp *qp,
			       bool (*fits)(const struct iw_wqe *wqe,
					    const void *arg),
			       const void *arg);
bool iw_sq_claim_flush(struct iw_qp *qp);
bool iw_sq_flush_some(struct iw_qp *qp);
void iw_sq_flush(struct iw_qp *qp);
void iw_wqe_done(struct iw_qp *qp, struct iw_wqe *wqe, u8 status);

#endif /* OFED_IW_SQ_H */

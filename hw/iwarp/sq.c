// SPDX-License-Identifier: GPL-2.0
/*
 * Send queues: requests from the ring of a program into WQEs, and from WQEs to
 * completions, in their order.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "cq.h"
#include "qp.h"
#include "sq.h"

int iw_sq_alloc(struct iw_qp *qp, const struct ib_qp_init_attr *init,
		struct ib_ucontext *ucontext, u64 *key)
{
	struct iw_sq *sq = &qp->sq;
	int ret;

	sq->max_sge = ucontext ? SIW_MAX_SGE : max(init->cap.max_send_sge, 1U);
	sq->num = roundup_pow_of_two(max(init->cap.max_send_wr, 1U));
	sq->stride = offsetof(struct iw_wqe, data) +
		max_t(u32, sq->max_sge * sizeof(struct ib_sge), IW_MAX_INLINE);
	sq->wqes = __vmalloc(array_size(sq->num, sq->stride),
			     GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_ZERO);
	if (!sq->wqes)
		return -ENOMEM;
	if (!ucontext)
		return 0;
	ret = iw_ring_alloc(&sq->ring, sq->num, sizeof(struct siw_sqe), 0,
			    ucontext, key);
	if (ret) {
		vfree(sq->wqes);
		sq->wqes = NULL;
	}
	return ret;
}

void iw_sq_free(struct iw_sq *sq)
{
	iw_ring_free(&sq->ring);
	vfree(sq->wqes);
}

/* ---- of a program ---------------------------------------------------------------- */

static const u8 opcode_of_user[SIW_NUM_OPCODES] = {
	[SIW_OP_WRITE]			= IB_WR_RDMA_WRITE,
	[SIW_OP_READ]			= IB_WR_RDMA_READ,
	[SIW_OP_READ_LOCAL_INV]		= IB_WR_RDMA_READ_WITH_INV,
	[SIW_OP_SEND]			= IB_WR_SEND,
	[SIW_OP_SEND_REMOTE_INV]	= IB_WR_SEND_WITH_INV,
};

static u32 iw_flags_of_user(u16 flags)
{
	return (flags & SIW_WQE_SIGNALLED ? IB_SEND_SIGNALED : 0) |
	       (flags & SIW_WQE_SOLICITED ? IB_SEND_SOLICITED : 0) |
	       (flags & SIW_WQE_READ_FENCE ? IB_SEND_FENCE : 0) |
	       (flags & SIW_WQE_INLINE ? IB_SEND_INLINE : 0);
}

/* libsiw leaves the first SGE for the length, and puts data behind it. */
static u8 iw_take_inline(struct iw_wqe *wqe, const struct siw_sqe *sqe)
{
	wqe->length = READ_ONCE(sqe->sge[0].length);
	wqe->num_sge = 0;
	if (wqe->length > IW_MAX_INLINE)
		return IB_WC_LOC_LEN_ERR;
	memcpy(wqe->data, &sqe->sge[1], wqe->length);
	return IB_WC_SUCCESS;
}

/* Every byte is read once, then checked where the program can not reach it. */
static u8 iw_sq_take(struct iw_qp *qp, struct iw_wqe *wqe, const struct siw_sqe *sqe,
		     u16 flags)
{
	u8 opcode = READ_ONCE(sqe->opcode);

	wqe->wr_id = READ_ONCE(sqe->id);
	wqe->flags = iw_flags_of_user(flags);
	wqe->rkey = READ_ONCE(sqe->rkey);
	wqe->raddr = READ_ONCE(sqe->raddr);
	wqe->num_sge = READ_ONCE(sqe->num_sge);
	wqe->length = 0;
	wqe->opcode = IB_WR_SEND;
	if (opcode >= SIW_NUM_OPCODES ||
	    (!opcode_of_user[opcode] && opcode != SIW_OP_WRITE))
		return IB_WC_LOC_QP_OP_ERR;
	wqe->opcode = opcode_of_user[opcode];
	if (wqe->flags & IB_SEND_INLINE)
		return wqe->opcode == IB_WR_RDMA_READ ||
		       wqe->opcode == IB_WR_RDMA_READ_WITH_INV ?
			IB_WC_LOC_QP_OP_ERR : iw_take_inline(wqe, sqe);
	if (wqe->num_sge > SIW_MAX_SGE)
		return IB_WC_LOC_QP_OP_ERR;
	memcpy(wqe->sge, sqe->sge, wqe->num_sge * sizeof(wqe->sge[0]));
	/* The compiler must not look at the ring again instead. */
	barrier();
	return iw_wqe_add_up(wqe);
}

/**
 * iw_sq_take_user - the next request of a program gets a WQE
 * @qp: queue pair of a program; its lock is held
 *
 * A malformed one gets a WQE with its status, and fails when its turn comes.
 *
 * Context: any. Return: false when there is no request, or no free WQE.
 */
bool iw_sq_take_user(struct iw_qp *qp)
{
	struct iw_sq *sq = &qp->sq;
	struct siw_sqe *sqe = iw_ring_at(&sq->ring, sq->ring.next);
	struct iw_wqe *wqe = iw_wqe_at(sq, sq->head);
	u16 flags;

	lockdep_assert_held(&qp->lock);
	if (sq->head - sq->una == sq->num)
		return false;
	/* Pairs with the program's store, which follows the element. */
	flags = smp_load_acquire(&sqe->flags);
	if (!(flags & SIW_WQE_VALID))
		return false;
	wqe->status = iw_sq_take(qp, wqe, sqe, flags);
	wqe->state = IW_SLOT_POSTED;
	wqe->got = 0;
	/* Its bytes are read, then it is the program's again: pairs with libsiw's load. */
	smp_store_release(&sqe->flags, 0);
	/*
	 * libsiw sets the flags of the next element, then reads those of this
	 * one, and rings the doorbell only if they are clear. Either libsiw
	 * finds them clear, or the next call finds the next element valid.
	 */
	smp_mb();
	sq->ring.next++;
	sq->head++;
	return true;
}

/* ---- completions ------------------------------------------------------------------ */

static enum ib_wc_opcode iw_wc_opcode(u8 opcode)
{
	switch (opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return IB_WC_RDMA_WRITE;
	case IB_WR_ATOMIC_CMP_AND_SWP:
		return IB_WC_COMP_SWAP;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return IB_WC_FETCH_ADD;
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		return IB_WC_RDMA_READ;
	case IB_WR_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	case IB_WR_REG_MR:
		return IB_WC_REG_MR;
	default:
		return IB_WC_SEND;
	}
}

/* False: it waits for room in its CQ, with this status. */
static bool iw_complete_wqe(struct iw_qp *qp, struct iw_wqe *wqe, u8 status)
{
	struct ib_wc wc = {
		.wr_id = wqe->wr_id,
		.status = status,
		.opcode = iw_wc_opcode(wqe->opcode),
		.byte_len = wqe->length,
		.qp = &qp->ib,
		.port_num = 1,
	};

	if (status == IB_WC_SUCCESS && !qp->sig_all &&
	    !(wqe->flags & IB_SEND_SIGNALED))
		return true;
	if (iw_cq_post_send(to_iw_cq(qp->ib.send_cq), &wc)) {
		soft_hold_end(&qp->sq.hold);
		return true;
	}
	wqe->status = status;
	wqe->state = IW_SLOT_DONE;
	soft_hold_wait(&qp->sq.hold);
	return false;
}

/**
 * iw_sq_complete - complete WQEs that are done, in order
 * @qp: queue pair; its lock is held
 *
 * The response of a READ completes all WQEs behind it that are done. Interrupts are off
 * meanwhile, so a call completes IW_SQ_BATCH of them at most.
 *
 * Context: any. Return: true: call again, after releasing the lock.
 */
bool iw_sq_complete(struct iw_qp *qp)
{
	struct iw_sq *sq = &qp->sq;
	u32 left = IW_SQ_BATCH;
	struct iw_wqe *wqe;

	lockdep_assert_held(&qp->lock);
	/* In IW_ERROR the flush completes all WQEs. */
	if (qp->state == IW_ERROR)
		return false;
	for (; sq->una != sq->next; sq->una++) {
		wqe = iw_wqe_at(sq, sq->una);
		if (wqe->state != IW_SLOT_DONE)
			return false;
		if (!left--)
			return true;
		if (!iw_complete_wqe(qp, wqe, wqe->status))
			return false;
	}
	return false;
}

/**
 * iw_wqe_done - a request is done
 * @qp: queue pair; its lock is held
 * @wqe: the request
 * @status: enum ib_wc_status
 */
void iw_wqe_done(struct iw_qp *qp, struct iw_wqe *wqe, u8 status)
{
	lockdep_assert_held(&qp->lock);
	if (wqe->state == IW_WQE_READ_PENDING)
		qp->sq.reads--;
	wqe->status = status;
	wqe->state = IW_SLOT_DONE;
}

/**
 * iw_sq_find_read - a READ, or atomic, that has no answer
 * @qp: queue pair; its lock is held
 * @fits: is it this one?
 * @arg: of @fits
 *
 * Return: the oldest that fits, or NULL.
 */
struct iw_wqe *iw_sq_find_read(struct iw_qp *qp,
			       bool (*fits)(const struct iw_wqe *wqe,
					    const void *arg),
			       const void *arg)
{
	struct iw_sq *sq = &qp->sq;
	u32 left = sq->reads, i;
	struct iw_wqe *wqe;

	lockdep_assert_held(&qp->lock);
	for (i = sq->una; left && i != sq->next; i++) {
		wqe = iw_wqe_at(sq, i);
		if (wqe->state != IW_WQE_READ_PENDING)
			continue;
		if (fits(wqe, arg))
			return wqe;
		left--;
	}
	return NULL;
}

/**
 * iw_sq_claim_flush - claim the flush of the send queue
 * @qp: queue pair in IW_ERROR; its lock is held
 *
 * Return: true: the caller has to call iw_sq_flush_some() until all is flushed. False:
 * another thread is flushing, and flushes WQEs posted meanwhile, too.
 */
bool iw_sq_claim_flush(struct iw_qp *qp)
{
	struct iw_sq *sq = &qp->sq;

	lockdep_assert_held(&qp->lock);
	if (sq->flushing)
		return false;
	/* Bounded, as a program can post while its WQEs are flushed. A work flushes the rest. */
	sq->flushing = 2 * sq->num;
	return true;
}

/*
 * Requests that were done keep their status, up to the first that was not; those that
 * failed do behind it too, as they tell why. False: it waits for room in its CQ.
 */
static bool iw_flush_wqe(struct iw_qp *qp, struct iw_wqe *wqe)
{
	struct iw_sq *sq = &qp->sq;
	u8 status = wqe->state == IW_SLOT_DONE ? wqe->status :
		IB_WC_WR_FLUSH_ERR;

	if (sq->failed && status == IB_WC_SUCCESS)
		status = IB_WC_WR_FLUSH_ERR;
	if (!iw_complete_wqe(qp, wqe, status))
		return false;
	sq->failed |= status != IB_WC_SUCCESS;
	sq->una++;
	if (sq->next == sq->una - 1)
		sq->next = sq->una;
	return true;
}

/**
 * iw_sq_flush_some - complete some of what will not be sent any more
 * @qp: queue pair in IW_ERROR, of which the caller has claimed the flush
 *
 * Context: any. Return: true: that was not all. False: it was, or the rest waits for
 * room in its CQ, or a work flushes the rest.
 */
bool iw_sq_flush_some(struct iw_qp *qp)
{
	struct iw_sq *sq = &qp->sq;
	u32 left = IW_SQ_BATCH;
	unsigned long flags;
	bool more;

	spin_lock_irqsave(&qp->lock, flags);
	sq->reads = 0;
	while (left && sq->flushing &&
	       (sq->una != sq->head || (sq->ring.map && iw_sq_take_user(qp)))) {
		if (!iw_flush_wqe(qp, iw_wqe_at(sq, sq->una)))
			break;
		/* Of the kernel's there are no more than it posts. */
		sq->flushing -= !!sq->ring.map;
		left--;
	}
	more = !left && sq->flushing;
	/* A program rings no doorbell behind a request that was not taken yet. */
	if (!sq->flushing)
		iw_tx_kick(qp);
	if (!more)
		sq->flushing = 0;
	spin_unlock_irqrestore(&qp->lock, flags);
	return more;
}

/**
 * iw_sq_flush - go on with a flush, if nothing else does
 * @qp: queue pair; in another state than IW_ERROR nothing happens
 *
 * Context: process, may sleep.
 */
void iw_sq_flush(struct iw_qp *qp)
{
	bool flush;

	spin_lock_irq(&qp->lock);
	flush = qp->state == IW_ERROR && iw_sq_claim_flush(qp);
	spin_unlock_irq(&qp->lock);
	while (flush) {
		flush = iw_sq_flush_some(qp);
		cond_resched();
	}
}

/* The send queue may be full: then no doorbell comes before something has completed. */
static void iw_hold_fn(struct timer_list *timer)
{
	iw_tx_kick(container_of(timer, struct iw_qp, sq.hold.timer));
}

/**
 * iw_sq_init - of a queue pair that begins
 * @sq: send queue, all zero
 */
void iw_sq_init(struct iw_sq *sq)
{
	timer_setup(&sq->hold.timer, iw_hold_fn, 0);
}

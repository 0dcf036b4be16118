// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues. A program finds struct siw_cqe in its ring, and asks for
 * notification by a store into the word behind them.
 */
#include <ofed/refuse.h>

#include "../soft/cq.h"
#include "cq.h"
#include "dev.h"

static const u8 user_opcode[] = {
	[IB_WC_SEND]		= SIW_OP_SEND,
	[IB_WC_RDMA_WRITE]	= SIW_OP_WRITE,
	[IB_WC_RDMA_READ]	= SIW_OP_READ,
	[IB_WC_LOCAL_INV]	= SIW_OP_INVAL_STAG,
	[IB_WC_REG_MR]		= SIW_OP_REG_MR,
};

static const u8 user_status[] = {
	[IB_WC_SUCCESS]		= SIW_WC_SUCCESS,
	[IB_WC_LOC_LEN_ERR]	= SIW_WC_LOC_LEN_ERR,
	[IB_WC_LOC_QP_OP_ERR]	= SIW_WC_LOC_QP_OP_ERR,
	[IB_WC_LOC_EEC_OP_ERR]	= SIW_WC_GENERAL_ERR,
	[IB_WC_LOC_PROT_ERR]	= SIW_WC_LOC_PROT_ERR,
	[IB_WC_WR_FLUSH_ERR]	= SIW_WC_WR_FLUSH_ERR,
	[IB_WC_MW_BIND_ERR]	= SIW_WC_GENERAL_ERR,
	[IB_WC_BAD_RESP_ERR]	= SIW_WC_BAD_RESP_ERR,
	[IB_WC_LOC_ACCESS_ERR]	= SIW_WC_LOC_ACCESS_ERR,
	[IB_WC_REM_INV_REQ_ERR]	= SIW_WC_REM_INV_REQ_ERR,
	[IB_WC_REM_ACCESS_ERR]	= SIW_WC_REM_ACCESS_ERR,
};

static bool iw_user_cq(const struct iw_cq *cq)
{
	return cq->ring.map;
}

static struct siw_cq_ctrl *iw_ctrl_of(const struct iw_cq *cq)
{
	return cq->ring.mem + (size_t)cq->ring.num * cq->ring.bytes;
}

static bool iw_add_user(struct iw_cq *cq, const struct ib_wc *wc)
{
	struct siw_cqe *cqe = iw_ring_at(&cq->ring, cq->ring.next);

	/* Pairs with the program's store, which follows its last look. */
	if (smp_load_acquire(&cqe->flags) & SIW_WQE_VALID)
		return false;
	cqe->id = wc->wr_id;
	cqe->opcode = wc->opcode & IB_WC_RECV ? SIW_OP_RECEIVE :
		wc->opcode < ARRAY_SIZE(user_opcode) ?
		user_opcode[wc->opcode] : SIW_OP_SEND;
	cqe->status = wc->status < ARRAY_SIZE(user_status) ?
		user_status[wc->status] : SIW_WC_GENERAL_ERR;
	cqe->bytes = wc->byte_len;
	cqe->imm_data = 0;
	if (wc->wc_flags & IB_WC_WITH_INVALIDATE)
		cqe->inval_stag = wc->ex.invalidate_rkey;
	cqe->qp_id = wc->qp->qp_num;
	/* All of the element is there before the program finds it valid. */
	smp_store_release(&cqe->flags, SIW_WQE_VALID |
			  (wc->wc_flags & IB_WC_WITH_INVALIDATE ?
			   SIW_WQE_REM_INVAL : 0));
	cq->ring.next++;
	return true;
}

static bool iw_add_kernel(struct iw_cq *cq, const struct ib_wc *wc)
{
	if (cq->ring.next - cq->cons == cq->ring.num)
		return false;
	memcpy(iw_ring_at(&cq->ring, cq->ring.next++), wc, sizeof(*wc));
	return true;
}

/* Is the CQ armed for such a completion? If so, disarm it. */
static bool iw_cq_wanted(struct iw_cq *cq, bool solicited)
{
	u32 armed;

	lockdep_assert_held(&cq->lock);
	if (iw_user_cq(cq)) {
		/*
		 * The program arms the CQ and then polls it. Either that poll
		 * finds the new CQE, or this read finds the CQ armed.
		 */
		smp_mb();
		armed = READ_ONCE(iw_ctrl_of(cq)->flags);
	} else {
		armed = cq->armed == IB_CQ_NEXT_COMP ? SIW_NOTIFY_ALL :
			cq->armed == IB_CQ_SOLICITED ? SIW_NOTIFY_SOLICITED : 0;
	}
	if (!(armed & SIW_NOTIFY_NEXT_COMPLETION) &&
	    !(armed & SIW_NOTIFY_SOLICITED && solicited))
		return false;
	if (iw_user_cq(cq))
		WRITE_ONCE(iw_ctrl_of(cq)->flags, SIW_NOTIFY_NOT);
	cq->armed = 0;
	return true;
}

static enum soft_cq_put iw_cq_add(struct iw_cq *cq, const struct ib_wc *wc, bool may_wait)
{
	lockdep_assert_held(&cq->lock);
	if (cq->overrun)
		return SOFT_CQ_LOST;
	if (iw_user_cq(cq) ? iw_add_user(cq, wc) : iw_add_kernel(cq, wc))
		return SOFT_CQ_ADDED;
	if (may_wait && iw_user_cq(cq))
		return SOFT_CQ_FULL;
	cq->overrun = true;
	iw_count(to_iw_dev(cq->ib.device), IW_STAT_CQ_OVERRUN);
	soft_notify_ask(&cq->notify, SOFT_NOTICE_ERROR, false);
	return SOFT_CQ_LOST;
}

static enum soft_cq_put iw_cq_add_notify(struct iw_cq *cq, const struct ib_wc *wc,
					 bool solicited, bool may_wait)
{
	enum soft_cq_put put;
	unsigned long flags;
	bool call = false;

	spin_lock_irqsave(&cq->lock, flags);
	put = iw_cq_add(cq, wc, may_wait);
	if (put == SOFT_CQ_ADDED &&
	    iw_cq_wanted(cq, solicited || wc->status != IB_WC_SUCCESS))
		call = soft_notify_ask(&cq->notify, SOFT_NOTICE_WC,
				       iw_user_cq(cq) && soft_cq_notify_inline(wc));
	spin_unlock_irqrestore(&cq->lock, flags);
	if (call)
		soft_notify_call(&cq->notify, SOFT_NOTICE_WC);
	return put;
}

/**
 * iw_cq_post - add a completion
 * @cq: the CQ
 * @wc: the completion
 * @solicited: by the peer; an error counts as solicited too
 *
 * The consumer is told if it asked for that. A queue that is full loses the completion,
 * and all that follow (IBA vol. 1, 10.7.3).
 *
 * Context: any.
 */
void iw_cq_post(struct iw_cq *cq, const struct ib_wc *wc, bool solicited)
{
	iw_cq_add_notify(cq, wc, solicited, false);
}

/**
 * iw_cq_post_send - add the completion of a send request
 * @cq: the CQ
 * @wc: the completion
 *
 * Context: any. Return: false: the CQ of a program is full, and the completion may wait.
 */
bool iw_cq_post_send(struct iw_cq *cq, const struct ib_wc *wc)
{
	return iw_cq_add_notify(cq, wc, false, true) != SOFT_CQ_FULL;
}

/**
 * iw_cq_is_empty - has the consumer seen all that there is?
 * @cq: the CQ
 *
 * A hint: others may add some at any time, and a program writes what it likes.
 * Context: any.
 */
bool iw_cq_is_empty(const struct iw_cq *cq)
{
	u32 next = READ_ONCE(cq->ring.next);
	const struct siw_cqe *cqe;

	if (!iw_user_cq(cq))
		return next == READ_ONCE(cq->cons);
	cqe = iw_ring_at(&cq->ring, next - 1);
	return !(READ_ONCE(cqe->flags) & SIW_WQE_VALID);
}

/**
 * iw_cq_forget - drop completions of a queue pair that is no more
 * @cq: where they went
 * @qp: the queue pair; it adds none any more
 *
 * For a kernel consumer they name it by its address. What is in the ring of a
 * program is the program's. Context: any.
 */
void iw_cq_forget(struct iw_cq *cq, const struct ib_qp *qp)
{
	unsigned long flags;
	struct ib_wc *wc;
	u32 at, to;

	if (iw_user_cq(cq))
		return;
	spin_lock_irqsave(&cq->lock, flags);
	for (at = to = cq->cons; at != cq->ring.next; at++) {
		wc = iw_ring_at(&cq->ring, at);
		if (wc->qp == qp)
			continue;
		if (at != to)
			memcpy(iw_ring_at(&cq->ring, to), wc, sizeof(*wc));
		to++;
	}
	cq->ring.next = to;
	spin_unlock_irqrestore(&cq->lock, flags);
}

static int iw_cq_reply(struct iw_cq *cq, u64 key, struct ib_udata *udata)
{
	struct siw_uresp_create_cq resp = {
		.num_cqe = cq->ring.num,
		.cq_key = key,
	};

	if (ofed_too_short(cq->ib.device, "CQ answer", udata->outlen,
			   sizeof(resp)))
		return -EINVAL;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static int iw_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
			struct compat_op_attrs *attrs)
{
	struct ib_udata *udata = compat_op_udata(attrs);
	struct ib_ucontext *ucontext = soft_udata_context(udata);
	struct iw_cq *cq = to_iw_cq(ib);
	u64 key = 0;
	int ret;

	if (attr->flags)
		return ofed_refuse(ib->device, -EOPNOTSUPP, "flags 0x%x of a CQ",
				   attr->flags);
	if (!attr->cqe)
		return ofed_refuse(ib->device, -EINVAL, "cqe: 0");
	if (ofed_exceeds(ib->device, "cqe", attr->cqe, IW_MAX_CQE))
		return -EINVAL;
	spin_lock_init(&cq->lock);
	soft_notify_init(&cq->notify, ib, &cq->lock);
	ret = soft_limit_take(to_soft_dev(ib->device), SOFT_OBJECT_CQ);
	if (ret)
		return ret;
	ret = iw_ring_alloc(&cq->ring, attr->cqe,
			    udata ? sizeof(struct siw_cqe) : sizeof(struct ib_wc),
			    sizeof(struct siw_cq_ctrl), ucontext, &key);
	if (ret)
		goto err_limit;
	ib->cqe = cq->ring.num;
	ret = udata ? iw_cq_reply(cq, key, udata) : 0;
	if (ret)
		goto err_ring;
	return 0;

err_ring:
	iw_ring_free(&cq->ring);
err_limit:
	soft_limit_give(to_soft_dev(ib->device), SOFT_OBJECT_CQ);
	return ret;
}

static int iw_pre_destroy_cq(struct ib_cq *ib)
{
	soft_notify_end(&to_iw_cq(ib)->notify);
	return 0;
}

static int iw_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	iw_pre_destroy_cq(ib);
	iw_ring_free(&to_iw_cq(ib)->ring);
	soft_limit_give(to_soft_dev(ib->device), SOFT_OBJECT_CQ);
	return 0;
}

static int iw_resize_cq(struct ib_cq *ib, compat_cqe cqe, struct ib_udata *udata)
{
	return ofed_refuse(ib->device, -EOPNOTSUPP, "a CQ keeps its size");
}

static int iw_poll_cq(struct ib_cq *ib, int num, struct ib_wc *wc)
{
	struct iw_cq *cq = to_iw_cq(ib);
	unsigned long flags;
	int done;

	if (iw_user_cq(cq))
		return -EOPNOTSUPP;
	spin_lock_irqsave(&cq->lock, flags);
	for (done = 0; done < num && cq->cons != cq->ring.next; done++)
		memcpy(&wc[done], iw_ring_at(&cq->ring, cq->cons++),
		       sizeof(*wc));
	spin_unlock_irqrestore(&cq->lock, flags);
	return done;
}

static int iw_peek_cq(struct ib_cq *ib, int most)
{
	struct iw_cq *cq = to_iw_cq(ib);
	unsigned long flags;
	u32 waiting;

	spin_lock_irqsave(&cq->lock, flags);
	waiting = iw_user_cq(cq) ? 0 : cq->ring.next - cq->cons;
	spin_unlock_irqrestore(&cq->lock, flags);
	return min_t(u32, waiting, most);
}

/* A request for every completion is not weakened by one for solicited ones. */
static int iw_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags how)
{
	struct iw_cq *cq = to_iw_cq(ib);
	unsigned long flags;
	int ret = 0;

	if (iw_user_cq(cq))
		return 0;
	spin_lock_irqsave(&cq->lock, flags);
	if (cq->armed != IB_CQ_NEXT_COMP && how & IB_CQ_SOLICITED_MASK)
		cq->armed = how & IB_CQ_SOLICITED_MASK;
	if (how & IB_CQ_REPORT_MISSED_EVENTS && cq->cons != cq->ring.next)
		ret = 1;
	spin_unlock_irqrestore(&cq->lock, flags);
	return ret;
}

const struct ib_device_ops iw_cq_ops = {
	.create_cq = iw_create_cq,
	COMPAT_CREATE_USER_CQ(iw_create_cq)
	.pre_destroy_cq = iw_pre_destroy_cq,
	.destroy_cq = iw_destroy_cq,
	.resize_user_cq = iw_resize_cq,
	.poll_cq = iw_poll_cq,
	.peek_cq = iw_peek_cq,
	.req_notify_cq = iw_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_cq, iw_cq, ib),
};

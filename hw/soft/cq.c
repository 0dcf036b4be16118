// SPDX-License-Identifier: GPL-2.0
/*
 * Completion queues: rings that the device fills, and a program or a kernel
 * consumer empties.
 */
#include <linux/ktime.h>
#include <ofed/refuse.h>
#include <uapi/ofed/ofed_user_verbs.h>

#include "context.h"
#include "cq.h"
#include "dev.h"
#include "ring.h"

/* IBV_WC_WITH_INV of <infiniband/verbs.h>; the kernel's flag is another bit. */
#define USER_WC_WITH_INV BIT(3)
/* The three low bits of struct ibv_wc.sl, of a datagram on Ethernet. */
#define USER_SL_ROCE_V1	0
#define USER_SL_IPV6	1
#define USER_SL_IPV4	2

static bool soft_user_cq(const struct soft_cq *cq)
{
	return cq->ring.map;
}

static u32 soft_user_flags(const struct ib_wc *wc)
{
	u32 flags = wc->wc_flags & (IB_WC_GRH | IB_WC_WITH_IMM);

	if (wc->wc_flags & IB_WC_WITH_INVALIDATE)
		flags |= USER_WC_WITH_INV;
	return flags;
}

/*
 * A datagram on Ethernet has no service level. Drivers of hardware say in the place of one
 * which network header it had, and UCX takes from there how long the sender's address is.
 */
static u8 soft_user_sl(const struct ib_wc *wc)
{
	if (!(wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE))
		return wc->sl;
	switch (wc->network_hdr_type) {
	case RDMA_NETWORK_IPV4:
		return USER_SL_IPV4;
	case RDMA_NETWORK_IPV6:
		return USER_SL_IPV6;
	default:
		return USER_SL_ROCE_V1;
	}
}

static void soft_write_user_wc(struct ib_uverbs_wc *to, const struct ib_wc *wc)
{
	*to = (struct ib_uverbs_wc){
		.wr_id = wc->wr_id,
		.status = wc->status,
		.opcode = wc->opcode,
		.vendor_err = wc->vendor_err,
		.byte_len = wc->byte_len,
		.ex.imm_data = wc->ex.imm_data,
		.qp_num = wc->qp ? wc->qp->qp_num : 0,
		.src_qp = wc->src_qp,
		.wc_flags = soft_user_flags(wc),
		.pkey_index = wc->pkey_index,
		.slid = wc->slid,
		.sl = soft_user_sl(wc),
		.dlid_path_bits = wc->dlid_path_bits,
		.port_num = wc->port_num,
	};
}

static void soft_write_user_time(void *slot)
{
	struct ofed_cqe_time *to = slot + OFED_CQE_TIME_OFFSET;

	to->raw = ktime_get_raw_ns();
	to->wall = ktime_get_real_ns();
}

static void soft_write_user_tm(const struct soft_cq *cq, void *slot, const struct soft_tm_wc *tm)
{
	struct ofed_cqe_tm *to = slot + OFED_CQE_TM_OFFSET;

	if (tm)
		((struct ib_uverbs_wc *)slot)->wc_flags |= tm->flags;
	if (cq->tm)
		*to = (struct ofed_cqe_tm){
			.tag = tm ? tm->tag : 0,
			.app_ctx = tm ? tm->app_ctx : 0,
		};
}

static bool soft_cq_wanted(const struct soft_cq *cq, const struct ib_wc *wc,
			   bool solicited)
{
	if (cq->armed == IB_CQ_SOLICITED)
		return solicited || wc->status != IB_WC_SUCCESS;
	return cq->armed;
}

static bool soft_may_wait(struct soft_cq *cq, const struct ib_wc *wc)
{
	return unlikely(cq->most) && wc->status == IB_WC_SUCCESS && soft_cq_moderate(cq);
}

/*
 * Where there is no room the completion is lost, and the CQ is in error from now on (IBA
 * vol. 1, 10.7.3 and 11.6.3.1), unless its WQE can wait in @sq.
 */
static enum soft_cq_put soft_cq_add(struct soft_cq *cq, const struct ib_wc *wc,
				    const struct soft_tm_wc *tm, struct soft_ring *sq)
{
	void *slot;

	lockdep_assert_held(&cq->lock);

	if (cq->overrun)
		return SOFT_CQ_LOST;
	if (!soft_ring_room(&cq->ring)) {
		if (sq && soft_user_cq(cq))
			return SOFT_CQ_FULL;
		cq->overrun = true;
		soft_notify_ask(&cq->notify, SOFT_NOTICE_ERROR, false);
		return SOFT_CQ_LOST;
	}
	slot = soft_ring_at(&cq->ring, cq->ring.prod);
	if (soft_user_cq(cq))
		soft_write_user_wc(slot, wc);
	else
		memcpy(slot, wc, sizeof(*wc));
	if (unlikely(tm || cq->tm))
		soft_write_user_tm(cq, slot, tm);
	/* A program that finds the completion finds the WQE free, too. */
	if (sq)
		soft_ring_consume(sq);
	if (cq->timed)
		soft_write_user_time(slot);
	soft_ring_produce(&cq->ring);
	return SOFT_CQ_ADDED;
}

/**
 * soft_cq_notify - the consumer has asked for what has come
 * @cq: the CQ; its lock is held
 * @now: it waits for that, and not for more of the like
 *
 * A program is told at once, and does not wait for a tasklet: soft_notify_ask().
 *
 * Context: any. Return: true: by the caller, with soft_notify_call().
 */
bool soft_cq_notify(struct soft_cq *cq, bool now)
{
	return soft_notify_ask(&cq->notify, SOFT_NOTICE_WC, now && soft_user_cq(cq));
}

/**
 * soft_cq_notify_inline - is a program that waits to be woken at once?
 * @wc: what it has waited for
 *
 * A message of its peer is what it waits for. Its own requests may end one after the
 * other: in a softirq it is told of all that the softirq completes. Elsewhere a tasklet
 * would have to wait for a thread.
 *
 * Context: any.
 */
bool soft_cq_notify_inline(const struct ib_wc *wc)
{
	return wc->opcode & IB_WC_RECV || !in_serving_softirq();
}
EXPORT_SYMBOL_GPL(soft_cq_notify_inline);

static enum soft_cq_put soft_cq_cq_post(struct soft_cq *cq, const struct ib_wc *wc,
					const struct soft_tm_wc *tm, bool solicited,
					struct soft_ring *sq)
{
	enum soft_cq_put put;
	unsigned long flags;
	bool call = false;

	spin_lock_irqsave(&cq->lock, flags);
	put = soft_cq_add(cq, wc, tm, sq);
	if (put == SOFT_CQ_ADDED && soft_cq_wanted(cq, wc, solicited) &&
	    !soft_may_wait(cq, wc)) {
		cq->armed = 0;
		cq->held = 0;
		call = soft_cq_notify(cq, soft_cq_notify_inline(wc));
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	if (call)
		soft_notify_call(&cq->notify, SOFT_NOTICE_WC);
	return put;
}

/**
 * soft_cq_post - add a completion
 * @cq: the CQ
 * @wc: the completion
 * @solicited: by the peer; an error counts as solicited too
 *
 * The consumer is told if it asked for that, see soft_cq_notify().
 *
 * Context: any. Return: false: it is lost, and the CQ is in error, of which the
 * consumer is told once.
 */
bool soft_cq_post(struct soft_cq *cq, const struct ib_wc *wc, bool solicited)
{
	return soft_cq_cq_post(cq, wc, NULL, solicited, NULL) == SOFT_CQ_ADDED;
}

/**
 * soft_cq_post_tm - add a completion of tag matching
 * @cq: the CQ, of a program
 * @wc: the completion
 * @tm: what it has in addition
 * @solicited: by the peer; an error counts as solicited too
 *
 * Context: any. Return: as soft_cq_post().
 */
bool soft_cq_post_tm(struct soft_cq *cq, const struct ib_wc *wc, const struct soft_tm_wc *tm,
		     bool solicited)
{
	return soft_cq_cq_post(cq, wc, tm, solicited, NULL) == SOFT_CQ_ADDED;
}

/**
 * soft_cq_post_wqe - add the completion of a program's send request
 * @cq: the CQ
 * @wc: the completion
 * @solicited: an error counts as solicited
 * @sq: ring with the WQE, which is its oldest; consumed with %SOFT_CQ_ADDED
 *
 * Context: any. Return: %SOFT_CQ_FULL: nothing has changed, and it can be tried again.
 */
enum soft_cq_put soft_cq_post_wqe(struct soft_cq *cq, const struct ib_wc *wc,
				  bool solicited, struct soft_ring *sq)
{
	return soft_cq_cq_post(cq, wc, NULL, solicited, sq);
}

/* The ring of a new size, and, for a program, where to map it. */
static int soft_cq_ring(const struct ib_device *ib, struct soft_ring *ring, u32 cqe,
			bool tm, struct ib_udata *udata)
{
	u32 bytes = tm ? SOFT_USER_TM_CQE_BYTES : SOFT_USER_CQE_BYTES;
	struct rxe_create_cq_resp resp = {};
	int ret;

	/* The reply to a new size has the same layout. */
	BUILD_BUG_ON(sizeof(resp) != sizeof(struct rxe_resize_cq_resp));
	BUILD_BUG_ON(sizeof(struct ib_uverbs_wc) > OFED_CQE_TIME_OFFSET);
	BUILD_BUG_ON(OFED_CQE_TIME_OFFSET + sizeof(struct ofed_cqe_time) >
		     SOFT_USER_CQE_BYTES);
	BUILD_BUG_ON(OFED_CQE_TM_OFFSET + sizeof(struct ofed_cqe_tm) > SOFT_USER_TM_CQE_BYTES);

	if (udata && ofed_too_short(ib, "CQ answer", udata->outlen,
				    sizeof(resp)))
		return -EINVAL;
	ret = soft_ring_alloc(ring, cqe,
			      udata ? bytes : sizeof(struct ib_wc),
			      soft_udata_context(udata), &resp.mi);
	if (ret || !udata)
		return ret;
	ret = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (ret)
		soft_ring_free(ring);
	return ret;
}

/* Flags that a CQ of this program can have; of the kernel it has none. */
static u32 soft_cq_flags(struct ib_ucontext *ucontext)
{
	if (ucontext && to_soft_ucontext(ucontext)->features & OFED_FEATURE_CQ_TIME)
		return IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION;
	return 0;
}

/* What a library that knows tag matching says of a new CQ. */
static int soft_cq_read_req(struct soft_cq *cq, struct ib_ucontext *ucontext,
			    struct ib_udata *udata)
{
	struct ofed_create_cq_req req;
	int ret;

	if (!ucontext || udata->inlen < sizeof(req) ||
	    !(to_soft_ucontext(ucontext)->features & OFED_FEATURE_TAG_MATCHING))
		return 0;
	ret = ib_copy_from_udata(&req, udata, sizeof(req));
	if (ret)
		return ret;
	if (req.flags & ~OFED_CQ_TM_INFO)
		return ofed_refuse(cq->cq.device, -EOPNOTSUPP, "driver flags 0x%x of a CQ",
				   req.flags);
	if (req.reserved)
		return ofed_refuse(cq->cq.device, -EINVAL, "driver data of a CQ: reserved 0x%x",
				   req.reserved);
	cq->tm = req.flags & OFED_CQ_TM_INFO;
	return 0;
}

/**
 * soft_create_cq - ops.create_cq and ops.create_user_cq
 * @ibcq: memory of the core
 * @attr: what is asked for
 * @attrs: of a program, or NULL
 *
 * Context: process, may sleep. Return: 0, -EINVAL (size, reply too short, reserved bits),
 * -EOPNOTSUPP (flags), -ENOMEM (max_cq, memory), -EFAULT.
 */
int soft_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct compat_op_attrs *attrs)
{
	struct soft_cq *cq = to_soft_cq(ibcq);
	struct ib_udata *udata = compat_op_udata(attrs);
	struct ib_ucontext *ucontext = soft_udata_context(udata);
	int ret;

	if (attr->flags & ~soft_cq_flags(ucontext))
		return ofed_refuse(ibcq->device, -EOPNOTSUPP, "flags 0x%x of a CQ",
				   attr->flags);
	if (!attr->cqe)
		return ofed_refuse(ibcq->device, -EINVAL, "cqe: 0");
	if (ofed_exceeds(ibcq->device, "cqe", attr->cqe,
			 to_soft_dev(ibcq->device)->max_cqe))
		return -EINVAL;
	ret = soft_cq_read_req(cq, ucontext, udata);
	if (ret)
		return ret;
	spin_lock_init(&cq->lock);
	mutex_init(&cq->resizing);
	cq->timed = attr->flags & IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION;
	soft_notify_init(&cq->notify, ibcq, &cq->lock);
	soft_cq_moderation_init(cq);
	ret = soft_limit_take(to_soft_dev(ibcq->device), SOFT_OBJECT_CQ);
	if (ret)
		return ret;
	ret = soft_cq_ring(ibcq->device, &cq->ring, attr->cqe, cq->tm, udata);
	if (ret) {
		soft_limit_give(to_soft_dev(ibcq->device), SOFT_OBJECT_CQ);
		return ret;
	}
	ibcq->cqe = cq->ring.mask;
	return 0;
}

/**
 * soft_pre_destroy_cq - ops.pre_destroy_cq
 * @ibcq: no queue pair adds completions any more
 *
 * The tasklet of a kernel consumer's CQ starts the poller of the core, which the
 * core is about to stop for good.
 *
 * Context: process, may sleep. Return: 0; the consumer is not called any more.
 */
int soft_pre_destroy_cq(struct ib_cq *ibcq)
{
	struct soft_cq *cq = to_soft_cq(ibcq);

	soft_notify_end(&cq->notify);
	hrtimer_cancel(&cq->late);
	return 0;
}

/**
 * soft_destroy_cq - ops.destroy_cq
 * @ibcq: no queue pair adds completions any more
 * @udata: not used
 *
 * Context: process, may sleep. Return: 0; the consumer is not called any more.
 */
int soft_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct soft_cq *cq = to_soft_cq(ibcq);

	soft_pre_destroy_cq(ibcq);
	mutex_destroy(&cq->resizing);
	soft_ring_free(&cq->ring);
	soft_limit_give(to_soft_dev(ibcq->device), SOFT_OBJECT_CQ);
	return 0;
}

static u32 soft_cq_waiting(const struct soft_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	return cq->ring.mask - soft_ring_room(&cq->ring);
}

/**
 * soft_cq_is_empty - has the consumer polled all completions?
 * @cq: CQ
 *
 * The consumer index of a program's CQ is in memory that the program can write, and
 * is not verified.
 *
 * Context: any.
 * Return: true if the CQ was empty at the time of the call.
 */
bool soft_cq_is_empty(struct soft_cq *cq)
{
	unsigned long flags;
	u32 waiting;

	spin_lock_irqsave(&cq->lock, flags);
	waiting = soft_cq_waiting(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	return !waiting;
}

/**
 * soft_cq_clean_qp - drop completions of a queue pair that is no more
 * @cq: where they went
 * @qp: the queue pair; it adds none any more
 *
 * For a kernel consumer they name it by its address. In a ring of a program it is
 * a number, and what is in the ring is the program's.
 *
 * Context: process, may sleep.
 */
void soft_cq_clean_qp(struct soft_cq *cq, const struct ib_qp *qp)
{
	u32 at, left, gone = 0;
	struct ib_wc *wc;

	if (soft_user_cq(cq))
		return;
	mutex_lock(&cq->resizing);
	spin_lock_irq(&cq->lock);
	/* From the newest on: what stays moves up to it, in its order. */
	at = cq->ring.prod;
	for (left = soft_cq_waiting(cq); left; left--) {
		wc = soft_ring_at(&cq->ring, --at);
		if (wc->qp == qp)
			gone++;
		else if (gone)
			memcpy(soft_ring_at(&cq->ring, at + gone), wc,
			       sizeof(*wc));
	}
	while (gone--)
		soft_ring_consume(&cq->ring);
	spin_unlock_irq(&cq->lock);
	mutex_unlock(&cq->resizing);
}

/*
 * Copy the completions that were not polled, in order, into the empty @ring, and swap
 * it with the ring of the CQ. A million completions take long, so the lock is released
 * between pieces, and producer and consumer use the old ring meanwhile.
 */
static int soft_cq_swap_ring(struct soft_cq *cq, struct soft_ring *ring, u32 cqe)
{
	struct soft_ring_resize move;
	u32 waiting;

	lockdep_assert_held(&cq->resizing);
	spin_lock_irq(&cq->lock);
	soft_move_begin(&move, &cq->ring, ring, cq->ring.prod, soft_cq_waiting(cq));
	while ((waiting = soft_cq_waiting(cq)) <= cqe &&
	       !soft_move_some(&move, cq->ring.prod, waiting)) {
		spin_unlock_irq(&cq->lock);
		cond_resched();
		spin_lock_irq(&cq->lock);
	}
	if (waiting <= cqe) {
		swap(cq->ring, *ring);
		cq->cq.cqe = cq->ring.mask;
	}
	spin_unlock_irq(&cq->lock);
	if (waiting <= cqe)
		return 0;
	return ofed_refuse(cq->cq.device, -EINVAL, "cqe: %u, %u completions wait",
			   cqe, waiting);
}

/**
 * soft_resize_cq - ops.resize_user_cq
 * @ibcq: the CQ
 * @cqe: completions that must fit in
 * @udata: of a program, or NULL
 *
 * A program maps the new ring by the reply; what it had mapped before is its
 * own, and does not change any more.
 *
 * Context: process, may sleep. Return: 0, -EINVAL (size: more completions are
 * waiting, or the device has no such queues; reply too short), -ENOMEM,
 * -EFAULT; then the CQ is what it was.
 */
int soft_resize_cq(struct ib_cq *ibcq, compat_cqe cqe, struct ib_udata *udata)
{
	struct soft_cq *cq = to_soft_cq(ibcq);
	u32 max = to_soft_dev(ibcq->device)->max_cqe;
	struct soft_ring ring;
	int ret;

	if (soft_user_cq(cq) != !!udata)
		return -EINVAL;
	if (cqe < 1)
		return ofed_refuse(ibcq->device, -EINVAL, "cqe: %d", cqe);
	if (ofed_exceeds(ibcq->device, "cqe", cqe, max))
		return -EINVAL;
	ret = soft_cq_ring(ibcq->device, &ring, cqe, cq->tm, udata);
	if (ret)
		return ret;
	mutex_lock(&cq->resizing);
	ret = soft_cq_swap_ring(cq, &ring, cqe);
	mutex_unlock(&cq->resizing);
	soft_ring_free(&ring);
	return ret;
}

/**
 * soft_poll_cq - ops.poll_cq
 * @ibcq: of the kernel
 * @num: room in @wc
 * @wc: filled in
 *
 * Context: any. Return: completions taken, or -EOPNOTSUPP: a program polls its
 * CQ itself.
 */
int soft_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct soft_cq *cq = to_soft_cq(ibcq);
	unsigned long flags;
	int done;

	if (soft_user_cq(cq))
		return -EOPNOTSUPP;
	spin_lock_irqsave(&cq->lock, flags);
	for (done = 0; done < num && soft_ring_ready(&cq->ring); done++) {
		memcpy(&wc[done], soft_ring_at(&cq->ring, cq->ring.cons),
		       sizeof(*wc));
		soft_ring_consume(&cq->ring);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return done;
}

/**
 * soft_peek_cq - ops.peek_cq
 * @ibcq: the CQ
 * @wanted: at most
 *
 * Context: any. Return: completions that wait.
 */
int soft_peek_cq(struct ib_cq *ibcq, int wanted)
{
	struct soft_cq *cq = to_soft_cq(ibcq);
	unsigned long flags;
	u32 waiting;

	spin_lock_irqsave(&cq->lock, flags);
	waiting = soft_cq_waiting(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	return min_t(int, waiting, wanted);
}

/**
 * soft_req_notify_cq - ops.req_notify_cq
 * @ibcq: the CQ
 * @how: IB_CQ_NEXT_COMP or IB_CQ_SOLICITED, and IB_CQ_REPORT_MISSED_EVENTS
 *
 * A request for every completion is not weakened by a later one for solicited
 * ones. Context: any. Return: 0, or 1 (if asked for): completions wait.
 */
int soft_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags how)
{
	struct soft_cq *cq = to_soft_cq(ibcq);
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->armed != IB_CQ_NEXT_COMP && how & IB_CQ_SOLICITED_MASK)
		cq->armed = how & IB_CQ_SOLICITED_MASK;
	if (how & IB_CQ_REPORT_MISSED_EVENTS && soft_cq_waiting(cq))
		ret = 1;
	spin_unlock_irqrestore(&cq->lock, flags);
	return ret;
}

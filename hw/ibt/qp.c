// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs: life.
 *
 * A queue pair ends in this order, so that no thread is left that uses it:
 *  1. its number is taken out of the table; a thread that found it before has a
 *     reference, or gets none after step 3 (objref.c);
 *  2. both sides are reset, so nothing is sent, executed or completed any more;
 *  3. the first reference is dropped; packets, works and timers that hold the
 *     others finish, and refs == 0 keeps new ones from starting;
 *  4. what the sides own is freed, then, a grace period later, struct ibt_ref.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/uverbs_ioctl.h>
#include <uapi/ofed/ofed_user_verbs.h>

#include "../soft/cq.h"
#include "../soft/dev.h"
#include "../soft/events.h"
#include "../soft/ring.h"
#include "doorbell.h"
#include "dev.h"
#include "objref.h"
#include "limits.h"
#include "link.h"
#include "opcode.h"
#include "page_bell.h"
#include "paging.h"
#include "qp.h"
#include "qp_table.h"
#include "resp.h"
#include "rq.h"
#include "sq.h"
#include "srq.h"
#include "verbs.h"
#include "tm_fetch.h"
#include "tm_recv.h"

/* ---- the work ------------------------------------------------------------- */

static void ibt_qp_work(struct work_struct *work)
{
	struct ibt_qp *qp = container_of(work, struct ibt_qp, work);

	mutex_lock(&qp->attr_lock);
	/* Unless a consumer has brought it into another state meanwhile. */
	if (READ_ONCE(qp->state) == IB_QPS_ERR && !qp->flushed)
		ibt_qp_apply_state(qp);
	mutex_unlock(&qp->attr_lock);
	soft_qp_events(&qp->ib, &qp->events);
	ibt_qp_put(qp);
}

/* ---- create ---------------------------------------------------------------- */

static int ibt_qp_transport(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return IBT_RC;
	case IB_QPT_UC:
		return IBT_UC;
	case IB_QPT_UD:
	case IB_QPT_GSI:
	case IB_QPT_SMI:
		return IBT_UD;
	case IB_QPT_XRC_INI:
	case IB_QPT_XRC_TGT:
		return IBT_XRC;
	default:
		return -EOPNOTSUPP;
	}
}

static bool ibt_qp_sends(enum ib_qp_type type)
{
	return type != IB_QPT_XRC_TGT;
}

/* Into a queue of its own, or of an SRQ that it is tied to. */
static bool ibt_qp_receives(enum ib_qp_type type)
{
	return type != IB_QPT_XRC_TGT && type != IB_QPT_XRC_INI;
}

static int ibt_qp_check_caps(const struct ib_device *ib,
			     const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (ibt_qp_sends(init->qp_type) &&
	    (ofed_exceeds(ib, "max_send_wr", cap->max_send_wr, IBT_MAX_QP_WR) ||
	     ofed_exceeds(ib, "max_send_sge", cap->max_send_sge, IBT_MAX_SGE) ||
	     ofed_exceeds(ib, "max_inline_data", cap->max_inline_data,
			  IBT_MAX_INLINE)))
		return -EINVAL;
	if (ibt_qp_receives(init->qp_type) && !init->srq &&
	    (ofed_exceeds(ib, "max_recv_wr", cap->max_recv_wr, IBT_MAX_QP_WR) ||
	     ofed_exceeds(ib, "max_recv_sge", cap->max_recv_sge, IBT_MAX_SGE)))
		return -EINVAL;
	return 0;
}

/* Datagrams of a network interface of the kernel, if the link knows what is in them. */
static bool ibt_flags_ok(struct ibt_qp *qp, const struct ib_qp_init_attr *init,
			 bool user)
{
	if (!init->create_flags)
		return true;
	return init->create_flags == IB_QP_CREATE_IPOIB_UD_LSO && !user &&
	       init->qp_type == IB_QPT_UD && ibt_qp_dev(qp)->link->offload;
}

/* Tag matching is one of reliable connections. */
static bool ibt_srq_serves(enum ib_srq_type srq, enum ib_qp_type type)
{
	return srq == IB_SRQT_BASIC || (srq == IB_SRQT_TM && type == IB_QPT_RC);
}

static int ibt_qp_check_init(struct ibt_qp *qp,
			     const struct ib_qp_init_attr *init, bool user)
{
	const struct ib_device *ib = qp->ib.device;
	enum ib_qp_type type = init->qp_type;

	if (ibt_qp_transport(type) < 0)
		return ofed_refuse(ib, -EOPNOTSUPP, "qp_type %d is none of this device's",
				   type);
	if (!ibt_flags_ok(qp, init, user))
		return ofed_refuse(ib, -EOPNOTSUPP, "create_flags 0x%x of a QP of type %d",
				   init->create_flags, type);
	if ((type == IB_QPT_GSI || type == IB_QPT_SMI) && user)
		return -EPERM;
	if (ibt_qp_sends(type) && !init->send_cq)
		return ofed_refuse(ib, -EINVAL, "a QP that sends, without send_cq");
	if (ibt_qp_receives(type) && !init->recv_cq)
		return ofed_refuse(ib, -EINVAL, "a QP that receives, without recv_cq");
	if (type == IB_QPT_XRC_TGT && !init->xrcd)
		return ofed_refuse(ib, -EINVAL, "an XRC target without xrcd");
	if (init->srq && (!ibt_qp_receives(type) || type == IB_QPT_GSI ||
			  type == IB_QPT_SMI || !ibt_srq_serves(init->srq->srq_type, type)))
		return ofed_refuse(ib, -EINVAL, "a QP of type %d with an SRQ of type %d",
				   type, init->srq->srq_type);
	return ibt_qp_check_caps(ib, init);
}

static void ibt_qp_setup(struct ibt_qp *qp, const struct ib_qp_init_attr *init)
{
	mutex_init(&qp->attr_lock);
	spin_lock_init(&qp->path_lock);
	INIT_WORK(&qp->work, ibt_qp_work);
	ibt_paging_init(qp);
	qp->state = IB_QPS_RESET;
	qp->transport = ibt_qp_transport(init->qp_type);
	qp->mtu = IBT_MAX_MSG_BYTES;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->offload = init->create_flags & IB_QP_CREATE_IPOIB_UD_LSO;
	if (ibt_qp_sends(init->qp_type)) {
		qp->send_cq = to_soft_cq(init->send_cq);
		qp->cap.max_send_wr = init->cap.max_send_wr;
		qp->cap.max_send_sge = init->cap.max_send_sge;
		qp->cap.max_inline_data = init->cap.max_inline_data;
	}
	if (ibt_qp_receives(init->qp_type)) {
		qp->recv_cq = to_soft_cq(init->recv_cq);
		qp->srq = init->srq ? to_ibt_srq(init->srq) : NULL;
	}
	qp->fetches = ibt_qp_matches_tags(qp) && !init->cap.max_send_wr;
	if (ibt_qp_receives(init->qp_type) && !init->srq) {
		qp->cap.max_recv_wr = init->cap.max_recv_wr;
		qp->cap.max_recv_sge = init->cap.max_recv_sge;
	}
}

static bool ibt_qp_has_rq(const struct ibt_qp *qp)
{
	return ibt_qp_receives(qp->ib.qp_type) && !qp->srq;
}

/*
 * Told is what fits, not what was asked for: librxe goes by its ring, which holds
 * a power of 2 less one.
 */
static int ibt_qp_create_rq(struct ibt_qp *qp, struct ib_ucontext *ucontext,
			    struct mminfo *info)
{
	struct ib_qp_cap *cap = &qp->cap;
	int ret;

	ret = ibt_rq_create(&qp->rq, cap->max_recv_wr, cap->max_recv_sge,
			    ucontext, info);
	if (!ret && cap->max_recv_wr)
		cap->max_recv_wr = min_t(u32, qp->rq.ring.mask,
					 IBT_MAX_QP_WR);
	return ret;
}

/*
 * A target never posts, so no ring of it needs a place in user space. Nor does that of a queue
 * pair where the responder posts.
 */
static int ibt_qp_create_sq(struct ibt_qp *qp, struct ib_ucontext *ucontext,
			    struct mminfo *info)
{
	int ret;

	if (qp->fetches) {
		ret = ibt_sq_create(qp, &ibt_tm_fetch_cap, NULL, info);
		/* The program has none of it. */
		qp->cap.max_send_wr = 0;
		qp->cap.max_send_sge = 0;
		qp->cap.max_inline_data = 0;
		return ret;
	}
	return ibt_sq_create(qp, &qp->cap, ibt_qp_sends(qp->ib.qp_type) ? ucontext : NULL, info);
}

static int ibt_qp_create_sides(struct ibt_qp *qp, struct ib_ucontext *ucontext,
			       struct rxe_create_qp_resp *resp)
{
	int ret;

	if (ibt_qp_has_rq(qp)) {
		ret = ibt_qp_create_rq(qp, ucontext, &resp->rq_mi);
		if (ret)
			return ret;
	}
	ret = ibt_qp_create_sq(qp, ucontext, &resp->sq_mi);
	if (ret)
		goto err_rq;
	ret = ibt_resp_create(qp);
	if (ret)
		goto err_sq;
	return 0;

err_sq:
	ibt_sq_destroy(qp);
err_rq:
	if (ibt_qp_has_rq(qp))
		ibt_rq_destroy(&qp->rq);
	return ret;
}

static void ibt_qp_destroy_sides(struct ibt_qp *qp)
{
	ibt_resp_destroy(qp);
	ibt_sq_destroy(qp);
	if (ibt_qp_has_rq(qp))
		ibt_rq_destroy(&qp->rq);
}

/* What a program is told of a new queue pair. A library may know no more than @rxe. */
struct ibt_qp_told {
	struct rxe_create_qp_resp rxe;
	struct ofed_qp_resp ofed;
};

/* Without rings there is nothing that user space has to know. */
static int ibt_qp_answer(struct ibt_qp *qp, struct ib_udata *udata,
			 enum ib_qp_type type,
			 struct ibt_qp_told *told)
{
	const size_t least = sizeof(told->rxe);

	if (!udata)
		return 0;
	if (type == IB_QPT_XRC_TGT && udata->outlen < least)
		return 0;
	if (ofed_too_short(qp->ib.device, "QP answer", udata->outlen, least))
		return -EINVAL;
	if (udata->outlen >= sizeof(*told))
		told->ofed.doorbell = ibt_page_bell_create(qp, soft_udata_context(udata));
	return ib_copy_to_udata(udata, told, min(udata->outlen, sizeof(*told)));
}

/* Counts it, and gives it its life. */
static int ibt_qp_begin(struct ibt_qp *qp)
{
	struct soft_dev *dev = &ibt_qp_dev(qp)->soft;
	int ret;

	ret = soft_limit_take(dev, SOFT_OBJECT_QP);
	if (ret)
		return ret;
	qp->life = ibt_ref_alloc(qp);
	if (!qp->life) {
		soft_limit_give(dev, SOFT_OBJECT_QP);
		return -ENOMEM;
	}
	return 0;
}

static void ibt_qp_end(struct ibt_qp *qp)
{
	ibt_ref_free_rcu(qp->life);
	soft_limit_give(&ibt_qp_dev(qp)->soft, SOFT_OBJECT_QP);
}

static int ibt_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init,
			 struct ib_udata *udata)
{
	struct ibt_qp *qp = to_ibt_qp(ib);
	struct ibt_qp_told told = {};
	int ret;

	ret = ibt_qp_check_init(qp, init, udata);
	if (ret)
		return ret;
	ret = ibt_qp_begin(qp);
	if (ret)
		return ret;
	ibt_qp_setup(qp, init);
	ret = ibt_qp_create_sides(qp, soft_udata_context(udata), &told.rxe);
	if (ret)
		goto err_begin;
	ret = ibt_qp_answer(qp, udata, init->qp_type, &told);
	if (ret)
		goto err_bell;
	ret = ibt_qp_publish(qp, init->port_num);
	if (ret)
		goto err_bell;
	init->cap.max_send_wr = qp->cap.max_send_wr;
	init->cap.max_send_sge = qp->cap.max_send_sge;
	init->cap.max_recv_wr = qp->cap.max_recv_wr;
	init->cap.max_recv_sge = qp->cap.max_recv_sge;
	init->cap.max_inline_data = qp->cap.max_inline_data;
	return 0;

err_bell:
	soft_bell_remove(&qp->page_bell);
	ibt_qp_destroy_sides(qp);
err_begin:
	ibt_qp_end(qp);
	return ret;
}

/* ---- destroy ---------------------------------------------------------------- */

/* A consumer that wants these completions drains the queue pair before it destroys it. */
static void ibt_qp_forget_completions(struct ibt_qp *qp)
{
	if (qp->send_cq)
		soft_cq_clean_qp(qp->send_cq, &qp->ib);
	if (qp->recv_cq && qp->recv_cq != qp->send_cq)
		soft_cq_clean_qp(qp->recv_cq, &qp->ib);
}

/* Sleeps until nothing works on @qp. */
static void ibt_qp_shut(struct ibt_qp *qp)
{
	ibt_bell_settle(qp);
	soft_bell_remove(&qp->page_bell);
	ibt_qp_unpublish(qp);

	mutex_lock(&qp->attr_lock);
	/* The consumer of the last event is going away with the QP. */
	qp->flushed = true;
	xchg(&qp->state, IB_QPS_RESET);
	ibt_sq_set_state(qp, IB_QPS_RESET);
	ibt_resp_set_state(qp, IB_QPS_RESET);
	mutex_unlock(&qp->attr_lock);

	ibt_ref_wait_last(qp->life);
	ibt_qp_forget_recent(qp);

	ibt_qp_destroy_sides(qp);
	ibt_qp_forget_completions(qp);
	ibt_qp_drop_paths(qp);
	mutex_destroy(&qp->attr_lock);
	ibt_qp_end(qp);
}

static int ibt_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	ibt_qp_shut(to_ibt_qp(ib));
	return 0;
}

/**
 * ibt_qps_exit - end the queue pairs that the core never destroyed
 * @dev: device that goes; the core calls none of its verbs any more
 *
 * A core that counts references to a queue pair may give it up with some left.
 * Its works and timers end with the device all the same. Its memory is the
 * core's.
 *
 * Context: process, sleeps.
 */
void ibt_qps_exit(struct ibt_dev *dev)
{
	struct ibt_ref *life;
	unsigned long number;

	xa_for_each(&dev->qps, number, life)
		ibt_qp_shut(life->of);
}

const struct ib_device_ops ibt_qp_ops = {
	.create_qp = ibt_create_qp,
	.modify_qp = ibt_modify_qp,
	.query_qp = ibt_query_qp,
	.destroy_qp = ibt_destroy_qp,
	.post_send = ibt_post_send,
	.post_recv = ibt_post_recv,

	INIT_RDMA_OBJ_SIZE(ib_qp, ibt_qp, ib),
};

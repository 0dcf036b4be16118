// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of queue pairs: modify, query.
 *
 * A modify is prepared first, on the stack, and can fail there; what is then
 * stored cannot.
 */
#include <linux/module.h>
#include <ofed/refuse.h>

#include "doorbell.h"
#include "dev.h"
#include "limits.h"
#include "link.h"
#include "path.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_event.h"
#include "resp.h"
#include "sq.h"
#include "trace.h"

/* Largest values of fields that the wire or IBA table 45 limits. */
enum {
	IBT_MAX_TIMER	= 31,
	IBT_MAX_RETRY	= 7,
};

/**
 * struct ibt_change - a modify that has been found legal
 * @attr: what the consumer wants
 * @mask: which of it
 * @cur: state that it starts from, as the consumer sees it
 * @next: state that it ends in
 * @av: (IB_QP_AV) address with a reference of its own
 * @path: (IB_QP_AV) resolved path to @av
 * @alt_av: (IB_QP_ALT_PATH) alternate address with a reference of its own
 * @alt: (IB_QP_ALT_PATH) resolved path to @alt_av
 * @gen: of the port when @path was resolved
 */
struct ibt_change {
	const struct ib_qp_attr *attr;
	int mask;
	enum ib_qp_state cur;
	enum ib_qp_state next;
	struct rdma_ah_attr av;
	struct ibt_path *path;
	struct rdma_ah_attr alt_av;
	struct ibt_path *alt;
	int gen;
};

/*
 * A consumer that has polled the completion of a failure finds the state that the failure left:
 * the failing side holds its lock from the completion to the change of state.
 */
enum ib_qp_state ibt_qp_user_state(struct ibt_qp *qp)
{
	enum ib_qp_state state;

	spin_lock_bh(&qp->sq.lock);
	spin_lock(&qp->resp.lock);
	state = READ_ONCE(qp->state);
	if (state == IB_QPS_RTS && qp->sq.state == IB_QPS_SQE)
		state = IB_QPS_SQE;
	spin_unlock(&qp->resp.lock);
	spin_unlock_bh(&qp->sq.lock);
	return state;
}

/* ---- checks ----------------------------------------------------------------- */

static int ibt_check_limits(const struct ib_device *ib,
			    const struct ib_qp_attr *attr, int mask)
{
	const struct {
		int bit;
		const char *name;
		u32 value;
		u32 most;
	} limits[] = {
		{ IB_QP_TIMEOUT, "timeout", attr->timeout, IBT_MAX_TIMER },
		{ IB_QP_MIN_RNR_TIMER, "min_rnr_timer", attr->min_rnr_timer,
		  IBT_MAX_TIMER },
		{ IB_QP_ALT_PATH, "alt_timeout", attr->alt_timeout,
		  IBT_MAX_TIMER },
		{ IB_QP_RETRY_CNT, "retry_cnt", attr->retry_cnt, IBT_MAX_RETRY },
		{ IB_QP_RNR_RETRY, "rnr_retry", attr->rnr_retry, IBT_MAX_RETRY },
		{ IB_QP_MAX_QP_RD_ATOMIC, "max_rd_atomic", attr->max_rd_atomic,
		  IBT_MAX_RD_ATOMIC },
		{ IB_QP_MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic",
		  attr->max_dest_rd_atomic, IBT_MAX_RD_ATOMIC },
		{ IB_QP_DEST_QPN, "dest_qp_num", attr->dest_qp_num, IBT_QPN_MASK },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++)
		if (mask & limits[i].bit &&
		    ofed_exceeds(ib, limits[i].name, limits[i].value,
				 limits[i].most))
			return -EINVAL;
	return 0;
}

/*
 * A path MTU that the port does not have now is refused. The kernel's own software
 * device takes up to 4096 on any interface; there, longer packets are then lost
 * on the way out, and all that the program hears is RETRY_EXC_ERR. Programs that
 * ask for the port's active MTU first, as perftest, UCX and the CM do, never meet
 * this; one with a constant in it learns of its mistake where it made it.
 */
static int ibt_check_mtu(struct ibt_port *port, enum ib_mtu mtu)
{
	const struct ib_device *ib = &port->dev->soft.ib;
	enum ib_mtu active = port->dev->link->active_mtu(port);

	if (mtu < IB_MTU_256 || mtu > IB_MTU_4096)
		return ofed_refuse(ib, -EINVAL, "path_mtu: %d is no MTU", mtu);
	if (mtu > active)
		return ofed_refuse(ib, -EINVAL, "path_mtu: %d, port %u has %d now",
				   ib_mtu_enum_to_int(mtu), port->num,
				   ib_mtu_enum_to_int(active));
	return 0;
}

/* What of an address does not need a route. */
static int ibt_check_av(const struct ib_device *ib,
			const struct rdma_ah_attr *av, u32 port_num)
{
	if (av->port_num != port_num)
		return ofed_refuse(ib, -EINVAL, "address of port %u, the QP's is %u",
				   av->port_num, port_num);
	if (rdma_ah_get_ah_flags(av) & IB_AH_GRH && !av->grh.sgid_attr)
		return ofed_refuse(ib, -EINVAL, "sgid_index %u has no GID",
				   av->grh.sgid_index);
	return 0;
}

static int ibt_check_pkey(const struct ibt_port *port, u16 index)
{
	if (index < port->num_pkeys)
		return 0;
	return ofed_refuse(&port->dev->soft.ib, -EINVAL,
			   "pkey_index: %u, port %u has %u entries", index,
			   port->num, port->num_pkeys);
}

static int ibt_check_port(struct ibt_qp *qp, const struct ibt_change *change)
{
	const struct ib_qp_attr *attr = change->attr;
	u32 num = change->mask & IB_QP_PORT ? attr->port_num :
		qp->attr.port_num;
	struct ibt_port *port;
	int ret = 0;

	if (!(change->mask & (IB_QP_PORT | IB_QP_PKEY_INDEX | IB_QP_PATH_MTU |
			      IB_QP_AV)))
		return 0;
	port = ibt_dev_port(ibt_qp_dev(qp), num);
	if (!port)
		return ofed_refuse(qp->ib.device, -EINVAL, "port_num: there is no port %u",
				   num);
	if (change->mask & IB_QP_PKEY_INDEX)
		ret = ibt_check_pkey(port, attr->pkey_index);
	if (!ret && change->mask & IB_QP_PATH_MTU)
		ret = ibt_check_mtu(port, attr->path_mtu);
	if (!ret && change->mask & IB_QP_AV)
		ret = ibt_check_av(qp->ib.device, &attr->ah_attr, num);
	return ret;
}

static int ibt_check_alt(struct ibt_qp *qp, const struct ib_qp_attr *attr)
{
	struct ibt_port *port = ibt_dev_port(ibt_qp_dev(qp),
					     attr->alt_port_num);

	if (!port)
		return ofed_refuse(qp->ib.device, -EINVAL,
				   "alt_port_num: there is no port %u",
				   attr->alt_port_num);
	return ibt_check_pkey(port, attr->alt_pkey_index) ?:
	       ibt_check_av(qp->ib.device, &attr->alt_ah_attr, attr->alt_port_num);
}

/*
 * A consumer asks for REARM, which needs an alternate path, or for MIGRATED,
 * which is a migration if it was armed, and nothing if it is MIGRATED already.
 * There is no way back from REARM, for the peer may be armed by now; and only the
 * peers arm (IBA 17.2.8.1).
 */
static int ibt_check_mig(struct ibt_qp *qp, const struct ibt_change *change)
{
	const struct ib_device *ib = qp->ib.device;

	switch (change->attr->path_mig_state) {
	case IB_MIG_MIGRATED:
		if (READ_ONCE(qp->mig_state) != IB_MIG_REARM)
			return 0;
		return ofed_refuse(ib, -EINVAL,
				   "path_mig_state: no way back from REARM");
	case IB_MIG_REARM:
		if (change->mask & IB_QP_ALT_PATH || qp->alt)
			return 0;
		return ofed_refuse(ib, -EINVAL,
				   "path_mig_state: REARM without an alternate path");
	default:
		return ofed_refuse(ib, -EINVAL, "path_mig_state: %d is not a consumer's",
				   change->attr->path_mig_state);
	}
}

static int ibt_change_check(struct ibt_qp *qp, struct ibt_change *change)
{
	const struct ib_qp_attr *attr = change->attr;
	int ret;

	lockdep_assert_held(&qp->attr_lock);
	change->cur = ibt_qp_user_state(qp);
	change->next = change->mask & IB_QP_STATE ? attr->qp_state :
		change->cur;
	if (change->mask & IB_QP_CUR_STATE &&
	    attr->cur_qp_state != change->cur)
		return ofed_refuse(qp->ib.device, -EINVAL,
				   "cur_qp_state: %d, QP %u is in %d",
				   attr->cur_qp_state, qp->ib.qp_num, change->cur);
	if (!ib_modify_qp_is_ok(change->cur, change->next, qp->ib.qp_type,
				change->mask))
		return ofed_refuse(qp->ib.device, -EINVAL,
				   "QP %u from state %d to %d by attributes 0x%x",
				   qp->ib.qp_num, change->cur, change->next,
				   change->mask);
	ret = ibt_check_limits(qp->ib.device, attr, change->mask);
	if (!ret)
		ret = ibt_check_port(qp, change);
	if (!ret && change->mask & IB_QP_ALT_PATH)
		ret = ibt_check_alt(qp, attr);
	if (!ret && change->mask & IB_QP_PATH_MIG_STATE)
		ret = ibt_check_mig(qp, change);
	return ret;
}

/* ---- prepare ------------------------------------------------------------------ */

static void ibt_change_drop(struct ibt_change *change)
{
	ibt_path_put(change->path);
	ibt_path_put(change->alt);
	rdma_destroy_ah_attr(&change->av);
	rdma_destroy_ah_attr(&change->alt_av);
}

static int ibt_no_path(const struct ibt_qp *qp, const char *what, int ret)
{
	return ofed_refuse(qp->ib.device, ret, "%s: no path there (%d)", what, ret);
}

static int ibt_change_prepare(struct ibt_qp *qp, struct ibt_change *change)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);
	struct ibt_path *path;
	int ret;

	if (change->mask & IB_QP_MAX_DEST_RD_ATOMIC) {
		ret = ibt_resp_reserve(qp, change->attr->max_dest_rd_atomic);
		if (ret)
			return ret;
	}
	if (change->mask & IB_QP_AV) {
		rdma_copy_ah_attr(&change->av, &change->attr->ah_attr);
		change->gen = atomic_read_acquire(&ibt_dev_port(dev,
			change->av.port_num)->generation);
		path = ibt_path_resolve(dev, &change->av, GFP_KERNEL_ACCOUNT);
		if (IS_ERR(path))
			return ibt_no_path(qp, "ah_attr", PTR_ERR(path));
		change->path = path;
	}
	if (change->mask & IB_QP_ALT_PATH) {
		rdma_copy_ah_attr(&change->alt_av, &change->attr->alt_ah_attr);
		path = ibt_path_resolve(dev, &change->alt_av, GFP_KERNEL_ACCOUNT);
		if (IS_ERR(path))
			return ibt_no_path(qp, "alt_ah_attr", PTR_ERR(path));
		change->alt = path;
	}
	return 0;
}

/* ---- store -------------------------------------------------------------------- */

/* Afterwards @change has what was there before, to be dropped. */
static void ibt_store_paths(struct ibt_qp *qp, struct ibt_change *change)
{
	const struct ib_qp_attr *attr = change->attr;
	unsigned long flags;

	spin_lock_irqsave(&qp->path_lock, flags);
	if (change->mask & IB_QP_PORT)
		qp->attr.port_num = attr->port_num;
	if (change->mask & IB_QP_PKEY_INDEX)
		qp->attr.pkey_index = attr->pkey_index;
	if (change->mask & IB_QP_TIMEOUT)
		qp->attr.timeout = attr->timeout;
	if (change->mask & IB_QP_AV) {
		swap(qp->path, change->path);
		swap(qp->attr.ah_attr, change->av);
		qp->path_gen = change->gen;
	}
	if (change->mask & IB_QP_ALT_PATH) {
		swap(qp->alt, change->alt);
		swap(qp->attr.alt_ah_attr, change->alt_av);
		qp->alt_left = false;
		qp->attr.alt_port_num = attr->alt_port_num;
		qp->attr.alt_pkey_index = attr->alt_pkey_index;
		qp->attr.alt_timeout = attr->alt_timeout;
	}
	spin_unlock_irqrestore(&qp->path_lock, flags);
}

static void ibt_store_mig(struct ibt_qp *qp, enum ib_mig_state state)
{
	unsigned long flags;

	if (state == IB_MIG_MIGRATED) {
		ibt_qp_migrate(qp);
		return;
	}
	spin_lock_irqsave(&qp->path_lock, flags);
	WRITE_ONCE(qp->mig_state, state);
	spin_unlock_irqrestore(&qp->path_lock, flags);
}

static void ibt_store_numbers(struct ib_qp_attr *to,
			      const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = attr->en_sqd_async_notify;
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = attr->path_mtu;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = attr->rq_psn & IBT_PSN_MASK;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = attr->sq_psn & IBT_PSN_MASK;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
}

static void ibt_store(struct ibt_qp *qp, struct ibt_change *change)
{
	int mask = change->mask;
	unsigned long flags;

	lockdep_assert_held(&qp->attr_lock);
	ibt_store_numbers(&qp->attr, change->attr, mask);
	ibt_store_paths(qp, change);
	if (mask & IB_QP_PATH_MIG_STATE)
		ibt_store_mig(qp, change->attr->path_mig_state);
	if (mask & IB_QP_PATH_MTU)
		qp->mtu = ib_mtu_enum_to_int(change->attr->path_mtu);
	spin_lock_irqsave(&qp->path_lock, flags);
	qp->flow = ibt_qp_flow(qp);
	spin_unlock_irqrestore(&qp->path_lock, flags);
}

void ibt_qp_drop_paths(struct ibt_qp *qp)
{
	struct ibt_change old = {};
	unsigned long flags;

	spin_lock_irqsave(&qp->path_lock, flags);
	swap(qp->path, old.path);
	swap(qp->alt, old.alt);
	swap(qp->attr.ah_attr, old.av);
	swap(qp->attr.alt_ah_attr, old.alt_av);
	WRITE_ONCE(qp->mig_state, IB_MIG_MIGRATED);
	qp->alt_left = false;
	spin_unlock_irqrestore(&qp->path_lock, flags);
	ibt_change_drop(&old);
}

/* Back to what create_qp left. QP0 and QP1 were told their port there. */
static void ibt_qp_forget(struct ibt_qp *qp)
{
	u32 port_num = qp->attr.port_num;

	ibt_qp_drop_paths(qp);
	memset(&qp->attr, 0, sizeof(qp->attr));
	if (ibt_qp_is_special(qp))
		qp->attr.port_num = port_num;
	qp->mtu = IBT_MAX_MSG_BYTES;
	qp->flow = 0;
}

/* ---- state ----------------------------------------------------------------------- */

static void ibt_qp_flush(struct ibt_qp *qp)
{
	ibt_sq_flush(qp);
	ibt_resp_flush(qp);
	/* IBA 11.6.3.2: it will take nothing more from the SRQ. */
	if (!qp->flushed && qp->srq)
		ibt_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	qp->flushed = true;
}

/*
 * What can receive has to be ready before it can send, and the other way round
 * when it ends.
 */
void ibt_qp_apply_state(struct ibt_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	lockdep_assert_held(&qp->attr_lock);
	if (state == IB_QPS_ERR || state == IB_QPS_RESET) {
		ibt_sq_set_state(qp, state);
		ibt_resp_set_state(qp, state);
	} else {
		ibt_resp_set_state(qp, state);
		ibt_sq_set_state(qp, state);
	}
	if (state == IB_QPS_ERR)
		ibt_qp_flush(qp);
	else
		qp->flushed = false;
	if (state == IB_QPS_RESET)
		ibt_qp_forget(qp);
}

/* A failure may come in between, from any context: then it stays. */
static int ibt_change_state(struct ibt_qp *qp, const struct ibt_change *change)
{
	enum ib_qp_state from = change->cur;
	int ret = 0;

	if (from == IB_QPS_SQE)
		from = IB_QPS_RTS;
	if (change->next == IB_QPS_ERR || change->next == IB_QPS_RESET)
		from = xchg(&qp->state, change->next);
	else if (cmpxchg(&qp->state, from, change->next) != from)
		return ofed_refuse(qp->ib.device, -EINVAL,
				   "QP %u has failed meanwhile", qp->ib.qp_num);
	if (from != change->next)
		trace_ibt_qp_state(qp, from, change->next);
	if (change->cur == IB_QPS_SQE && change->next == IB_QPS_RTS)
		ret = ibt_sq_resume(qp);
	if (!ret)
		ibt_qp_apply_state(qp);
	return ret;
}

static int ibt_modify_locked(struct ibt_qp *qp, struct ibt_change *change)
{
	int ret = ibt_change_check(qp, change);

	if (ret)
		return ret;
	ret = ibt_change_prepare(qp, change);
	if (!ret) {
		ibt_store(qp, change);
		/* Also into the same state: both sides look at attributes. */
		ret = ibt_change_state(qp, change);
	}
	ibt_change_drop(change);
	return ret;
}

int ibt_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct ibt_qp *qp = to_ibt_qp(ib);
	struct ibt_change change = {
		.attr = attr,
		.mask = mask,
	};
	int ret;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return ofed_refuse(ib->device, -EOPNOTSUPP, "attributes 0x%x of a QP",
				   mask & ~IB_QP_ATTR_STANDARD_BITS);
	if (mask & IB_QP_STATE && (attr->qp_state == IB_QPS_RESET ||
				   attr->qp_state == IB_QPS_ERR))
		ibt_bell_settle(qp);
	mutex_lock(&qp->attr_lock);
	ret = ibt_modify_locked(qp, &change);
	mutex_unlock(&qp->attr_lock);
	return ret;
}

/* ---- query ------------------------------------------------------------------------- */

int ibt_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct ibt_qp *qp = to_ibt_qp(ib);
	unsigned long flags;

	mutex_lock(&qp->attr_lock);
	spin_lock_irqsave(&qp->path_lock, flags);
	*attr = qp->attr;
	attr->path_mig_state = qp->mig_state;
	spin_unlock_irqrestore(&qp->path_lock, flags);
	/* The references stay here. */
	attr->ah_attr.grh.sgid_attr = NULL;
	attr->alt_ah_attr.grh.sgid_attr = NULL;
	attr->qp_state = ibt_qp_user_state(qp);
	attr->cur_qp_state = attr->qp_state;
	attr->sq_draining = attr->qp_state == IB_QPS_SQD &&
		READ_ONCE(qp->sq.stop) != IBT_SQ_DRAINED;
	attr->cap = qp->cap;
	if (attr->qp_state != IB_QPS_RESET && attr->qp_state != IB_QPS_INIT) {
		attr->rq_psn = READ_ONCE(qp->resp.psn);
		attr->sq_psn = READ_ONCE(qp->sq.psn);
	}
	mutex_unlock(&qp->attr_lock);

	init->event_handler = ib->event_handler;
	init->qp_context = ib->qp_context;
	init->send_cq = ib->send_cq;
	init->recv_cq = ib->recv_cq;
	init->srq = ib->srq;
	init->xrcd = ib->xrcd;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR :
		IB_SIGNAL_REQ_WR;
	init->qp_type = ib->qp_type;
	init->create_flags = qp->offload ? IB_QP_CREATE_IPOIB_UD_LSO : 0;
	init->port_num = attr->port_num;
	return 0;
}

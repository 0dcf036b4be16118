// SPDX-License-Identifier: GPL-2.0
/*
 * QP counters: a QP can be bound to a counter of its own, by an administrator
 * or, in automatic mode, when it is initialised. What the counters of a port
 * have counted is part of the port's sums, also when they are gone
 * (counter_port.c).
 *
 * A counter lives as long as QPs are bound to it: its kref counts them.
 *
 * Locks, outermost first:
 *   bind_lock		  ib_qp.counter of all QPs: bound or unbound it is under
 *			  this lock. Binding is an administrator's doing, or done
 *			  once in the life of a QP, so one lock is enough.
 *   rdma_hw_stats.lock	  of a port (hw_stats.c)
 *   rdma_port_counter.lock  mode and num_counters of a port, and the history
 *			  in hstats
 *   rdma_counter.lock	  the driver's ops for one counter, and its stats
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include <compat/counter.h>
#include <kunit/visibility.h>
#include <ofed/raw_cap.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <ofed/restrack.h>

#include "counters.h"

/* Guards ib_qp.counter. */
static DEFINE_MUTEX(bind_lock);

static struct rdma_port_counter *counter_port_of(const struct rdma_counter *counter)
{
	return &counter->device->port_data[counter->port].port_counter;
}

/* What a counter saw stays with its port. */
static void counter_to_history(struct rdma_counter *counter)
{
	struct rdma_hw_stats *history = counter_port_of(counter)->hstats;
	struct rdma_hw_stats *last = counter->stats;
	int i;

	lockdep_assert_held(&counter_port_of(counter)->lock);
	ofed_counter_query_stats(counter);
	for (i = 0; i < min(history->num_counters, last->num_counters); i++)
		history->value[i] += last->value[i];
}

static void counter_free(struct rdma_counter *counter)
{
	rdma_free_hw_stats_struct(counter->stats);
	mutex_destroy(&counter->lock);
	kfree(counter);
}

/* Look-ups do not find it any more, and no QP is bound to it. */
static void counter_release(struct kref *kref)
{
	struct rdma_counter *counter =
		container_of(kref, struct rdma_counter, kref);
	struct rdma_port_counter *port = counter_port_of(counter);

	lockdep_assert_held(&bind_lock);
	/* A reader of sums sees exactly one of the counter and the history. */
	mutex_lock(&port->lock);
	ofed_restrack_del(&counter->res);
	counter_to_history(counter);
	if (!--port->num_counters &&
	    port->mode.mode == RDMA_COUNTER_MODE_MANUAL)
		port->mode.mode = RDMA_COUNTER_MODE_NONE;
	mutex_unlock(&port->lock);
	counter->device->ops.counter_dealloc(counter);
	counter_free(counter);
}

/* The reference that it takes on @counter is the QP's. */
static int counter_do_bind_qp(struct rdma_counter *counter, struct ib_qp *qp)
{
	int ret;

	lockdep_assert_held(&bind_lock);
	if (qp->counter)
		return ofed_refuse(qp->device, -EINVAL,
				   "QP %u is bound to a counter", qp->qp_num);
	if (!qp->device->ops.counter_bind_qp)
		return ofed_refuse_op(qp->device, "counter_bind_qp");
	mutex_lock(&counter->lock);
	ret = compat_counter_bind_qp(counter, qp);
	mutex_unlock(&counter->lock);
	return ret;
}

/* With @force the QP goes whatever the driver says. */
static int counter_do_unbind_qp(struct ib_qp *qp, bool force)
{
	struct rdma_counter *counter = qp->counter;
	int ret;

	lockdep_assert_held(&bind_lock);
	if (!counter)
		return ofed_refuse(qp->device, -EINVAL,
				   "QP %u is bound to no counter", qp->qp_num);
	if (!qp->device->ops.counter_unbind_qp)
		return ofed_refuse_op(qp->device, "counter_unbind_qp");
	mutex_lock(&counter->lock);
	ret = compat_counter_unbind_qp(counter, qp);
	mutex_unlock(&counter->lock);
	if (ret && !force)
		return ret;
	qp->counter = NULL;
	kref_put(&counter->kref, counter_release);
	return 0;
}

static bool counter_can_count(const struct ib_device_ops *ops)
{
	return ops->counter_bind_qp && ops->counter_unbind_qp &&
	       ops->counter_dealloc && ops->counter_alloc_stats;
}

static struct rdma_counter *counter_alloc(struct ib_qp *qp, u32 port)
{
	struct rdma_counter *counter = kzalloc(compat_counter_size(qp->device),
					       GFP_KERNEL_ACCOUNT);

	if (!counter)
		return NULL;
	counter->device = qp->device;
	counter->port = port;
	ofed_restrack_new(&counter->res, RDMA_RESTRACK_COUNTER);
	kref_init(&counter->kref);
	mutex_init(&counter->lock);
	compat_counter_init(counter);
	counter->stats = qp->device->ops.counter_alloc_stats(counter);
	if (!counter->stats) {
		counter_free(counter);
		return NULL;
	}
	return counter;
}

/* The port is in a mode in which @counter, of @mode, may be one of its own. */
static int counter_count_in(struct rdma_port_counter *port,
			    enum rdma_nl_counter_mode mode)
{
	lockdep_assert_held(&port->lock);
	if (mode == RDMA_COUNTER_MODE_AUTO) {
		if (port->mode.mode != mode)
			return -EINVAL;
	} else {
		if (port->mode.mode == RDMA_COUNTER_MODE_AUTO)
			return -EBUSY;
		port->mode.mode = mode;
	}
	port->num_counters++;
	return 0;
}

static void counter_count_out(struct rdma_port_counter *port)
{
	mutex_lock(&port->lock);
	if (!--port->num_counters &&
	    port->mode.mode == RDMA_COUNTER_MODE_MANUAL)
		port->mode.mode = RDMA_COUNTER_MODE_NONE;
	mutex_unlock(&port->lock);
}

/* A new counter with @qp bound to it. Its number is the driver's choice. */
static struct rdma_counter *counter_create(struct ib_qp *qp, u32 port_num,
					   enum rdma_nl_counter_mode mode)
{
	struct rdma_port_counter *port =
		&qp->device->port_data[port_num].port_counter;
	struct rdma_counter *counter;
	int ret;

	lockdep_assert_held(&bind_lock);
	if (!counter_can_count(&qp->device->ops))
		return ofed_refuse(qp->device, ERR_PTR(-EOPNOTSUPP),
				   "the driver has no counters of QPs");
	counter = counter_alloc(qp, port_num);
	if (!counter)
		return ERR_PTR(-ENOMEM);

	mutex_lock(&port->lock);
	ret = counter_count_in(port, mode);
	counter->mode = port->mode;
	mutex_unlock(&port->lock);
	if (ret)
		goto err_counter;
	counter->mode.param.qp_type = qp->qp_type;
	ret = counter_do_bind_qp(counter, qp);
	if (ret)
		goto err_count;
	ofed_restrack_parent_name(&counter->res, &qp->res);
	ofed_restrack_add(&counter->res);
	return counter;

err_count:
	counter_count_out(port);
err_counter:
	counter_free(counter);
	return ERR_PTR(ret);
}

/* A counter is never shared with another process, whatever the rules. */
static bool counter_same_owner(const struct rdma_restrack_entry *a,
			       const struct rdma_restrack_entry *b)
{
	if (!a->task || !b->task)
		return a->task == b->task;
	return same_thread_group(a->task, b->task);
}

/* May @qp share @counter, by the rules that it was made by? */
static bool counter_fits(const struct rdma_counter *counter,
			 const struct ib_qp *qp)
{
	const struct rdma_counter_mode *mode = &counter->mode;

	if (mode->mode != RDMA_COUNTER_MODE_AUTO)
		return false;
	if (mode->mask & RDMA_COUNTER_MASK_QP_TYPE &&
	    mode->param.qp_type != qp->qp_type)
		return false;
	return counter_same_owner(&counter->res, &qp->res);
}

/* With a reference of the kind that a QP has, or NULL. */
static struct rdma_counter *counter_find_auto(struct ib_qp *qp, u32 port)
{
	struct rdma_counter *counter;
	bool found = false;
	u32 id = 0;

	lockdep_assert_held(&bind_lock);
	for (; !found && (counter = ofed_counter_next(qp->device, port, &id)); id++) {
		found = counter_fits(counter, qp) &&
			kref_get_unless_zero(&counter->kref);
		rdma_restrack_put(&counter->res);
		if (found)
			return counter;
	}
	return NULL;
}

static bool counter_is_auto(struct rdma_port_counter *port)
{
	return READ_ONCE(port->mode.mode) == RDMA_COUNTER_MODE_AUTO;
}

/**
 * ofed_counter_bind_qp_auto - bind a QP if its port is in automatic mode
 * @qp: user's QP that is about to be initialised; others are left alone
 * @port: port that it is going to have
 *
 * Context: process, may sleep.
 * Return: 0, also when there is nothing to do; -EINVAL (no such port, or bound
 * already), -EOPNOTSUPP, -ENOMEM, or the driver's errno.
 */
int ofed_counter_bind_qp_auto(struct ib_qp *qp, u32 port)
{
	struct rdma_counter *counter;
	int ret = 0;

	if (rdma_is_kernel_res(&qp->res) ||
	    !rdma_restrack_is_tracked(&qp->res) || !qp->res.task)
		return 0;
	if (!rdma_is_port_valid(qp->device, port))
		return -EINVAL;
	if (!counter_is_auto(&qp->device->port_data[port].port_counter))
		return 0;

	mutex_lock(&bind_lock);
	counter = counter_find_auto(qp, port);
	if (!counter) {
		counter = counter_create(qp, port, RDMA_COUNTER_MODE_AUTO);
		ret = PTR_ERR_OR_ZERO(counter);
	} else {
		ret = counter_do_bind_qp(counter, qp);
		if (ret)
			kref_put(&counter->kref, counter_release);
	}
	mutex_unlock(&bind_lock);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_counter_bind_qp_auto);

/**
 * ofed_counter_unbind_qp - take a QP off its counter
 * @qp: the QP; the caller sees to it that it stays
 * @force: go on when the driver fails, for a QP that is destroyed
 *
 * A counter without QPs goes. Context: process, may sleep.
 * Return: 0, -EINVAL (it has none), -EOPNOTSUPP, or the driver's errno.
 */
int ofed_counter_unbind_qp(struct ib_qp *qp, bool force)
{
	int ret;

	/* The thread that destroys a QP keeps others from binding it. */
	if (!READ_ONCE(qp->counter))
		return -EINVAL;
	mutex_lock(&bind_lock);
	ret = counter_do_unbind_qp(qp, force);
	mutex_unlock(&bind_lock);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_counter_unbind_qp);

/* With a reference on its entry. Raw packet QPs need CAP_NET_RAW. */
static struct ib_qp *counter_get_qp(struct ib_device *dev, u32 qp_num)
{
	struct rdma_restrack_entry *entry;
	struct ib_qp *qp;

	entry = rdma_restrack_get_byid(dev, RDMA_RESTRACK_QP, qp_num);
	if (IS_ERR(entry))
		return NULL;
	qp = container_of(entry, struct ib_qp, res);
	if (qp->qp_type == IB_QPT_RAW_PACKET && !ofed_has_raw_cap(dev)) {
		rdma_restrack_put(entry);
		return NULL;
	}
	return qp;
}

static struct rdma_counter *counter_get_counter(struct ib_device *dev, u32 id)
{
	struct rdma_restrack_entry *entry;
	struct rdma_counter *counter;

	entry = rdma_restrack_get_byid(dev, RDMA_RESTRACK_COUNTER, id);
	if (IS_ERR(entry))
		return NULL;
	counter = to_counter(entry);
	if (!kref_get_unless_zero(&counter->kref))
		counter = NULL;
	rdma_restrack_put(entry);
	return counter;
}

/* A QP has no port before it is initialised. */
static bool counter_may_be_of_port(const struct ib_qp *qp, u32 port)
{
	return !rdma_is_port_valid(qp->device, qp->port) || qp->port == port;
}

/* A counter serves QPs of one port and one process. */
static bool counter_may_join(const struct rdma_counter *counter,
			     const struct ib_qp *qp, u32 port)
{
	return counter->port == port && qp->port == port &&
	       counter_same_owner(&counter->res, &qp->res);
}

/**
 * ofed_counter_bind_qpn - bind a QP to a counter that exists
 * @dev: device
 * @port: port of both
 * @qp_num: number of the QP
 * @counter_id: number of the counter
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL (automatic mode; of another port or process; bound
 * already), -ENOENT (no such QP or counter), or the driver's errno.
 */
int ofed_counter_bind_qpn(struct ib_device *dev, u32 port,
			  u32 qp_num, u32 counter_id)
{
	struct rdma_counter *counter;
	struct ib_qp *qp;
	int ret = -ENOENT;

	if (counter_is_auto(&dev->port_data[port].port_counter))
		return ofed_refuse(dev, -EINVAL,
				   "port %u binds QPs to counters by itself",
				   port);
	qp = counter_get_qp(dev, qp_num);
	if (!qp)
		return ofed_refuse(dev, -ENOENT, "there is no QP %u", qp_num);
	mutex_lock(&bind_lock);
	counter = counter_get_counter(dev, counter_id);
	if (counter) {
		ret = counter_may_join(counter, qp, port) ? counter_do_bind_qp(counter, qp) :
						    -EINVAL;
		if (ret)
			kref_put(&counter->kref, counter_release);
	}
	mutex_unlock(&bind_lock);
	rdma_restrack_put(&qp->res);
	if (!ret)
		return 0;
	return ofed_refuse(dev, ret, "port %u: QP %u is not bound to counter %u: %d",
			   port, qp_num, counter_id, ret);
}
EXPORT_SYMBOL_IF_KUNIT(ofed_counter_bind_qpn);

/**
 * ofed_counter_bind_qpn_alloc - bind a QP to a new counter
 * @dev: device
 * @port: port of the QP
 * @qp_num: number of the QP
 * @counter_id: out: number of the counter, if not NULL
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL (automatic mode; QP of another port), -EOPNOTSUPP (no
 * counters), -ENOENT (no such QP), -ENOMEM (also: bound already, or the driver
 * fails or has no QP counters).
 */
int ofed_counter_bind_qpn_alloc(struct ib_device *dev, u32 port,
				u32 qp_num, u32 *counter_id)
{
	struct rdma_counter *counter = ERR_PTR(-EINVAL);
	struct ib_qp *qp;
	int ret = -EINVAL;

	if (!rdma_is_port_valid(dev, port))
		return ofed_refuse_port(dev, port);
	if (!dev->port_data[port].port_counter.hstats)
		return ofed_refuse(dev, -EOPNOTSUPP,
				   "port %u has no counters of QPs", port);
	if (counter_is_auto(&dev->port_data[port].port_counter))
		return ofed_refuse(dev, -EINVAL,
				   "port %u binds QPs to counters by itself",
				   port);
	qp = counter_get_qp(dev, qp_num);
	if (!qp)
		return ofed_refuse(dev, -ENOENT, "there is no QP %u", qp_num);
	mutex_lock(&bind_lock);
	if (counter_may_be_of_port(qp, port)) {
		counter = counter_create(qp, port, RDMA_COUNTER_MODE_MANUAL);
		/* Programs know one errno for all that may have failed. */
		ret = IS_ERR(counter) ? -ENOMEM : 0;
		if (!ret && counter_id)
			*counter_id = counter->id;
	}
	mutex_unlock(&bind_lock);
	rdma_restrack_put(&qp->res);
	if (!ret)
		return 0;
	return ofed_refuse(dev, ret, "port %u: QP %u gets no counter: %d", port,
			   qp_num, PTR_ERR_OR_ZERO(counter));
}
EXPORT_SYMBOL_IF_KUNIT(ofed_counter_bind_qpn_alloc);

/**
 * ofed_counter_unbind_qpn - take a QP off a counter
 * @dev: device
 * @port: port, not in automatic mode
 * @qp_num: number of the QP
 * @counter_id: number of its counter
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL (automatic mode; not bound to that counter), -ENOENT (no
 * such QP), or the driver's errno.
 */
int ofed_counter_unbind_qpn(struct ib_device *dev, u32 port,
			    u32 qp_num, u32 counter_id)
{
	struct ib_qp *qp;
	int ret = -EINVAL;

	if (!rdma_is_port_valid(dev, port))
		return ofed_refuse_port(dev, port);
	qp = counter_get_qp(dev, qp_num);
	if (!qp)
		return ofed_refuse(dev, -ENOENT, "there is no QP %u", qp_num);
	mutex_lock(&bind_lock);
	if (qp->counter && qp->counter->id == counter_id &&
	    counter_may_be_of_port(qp, port) &&
	    !counter_is_auto(&dev->port_data[port].port_counter))
		ret = counter_do_unbind_qp(qp, false);
	mutex_unlock(&bind_lock);
	rdma_restrack_put(&qp->res);
	if (!ret)
		return 0;
	return ofed_refuse(dev, ret, "port %u: QP %u stays with its counter, %u or another: %d",
			   port, qp_num, counter_id, ret);
}
EXPORT_SYMBOL_IF_KUNIT(ofed_counter_unbind_qpn);

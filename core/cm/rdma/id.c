// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: life of an id.
 *
 * An id ends in two phases. First its state becomes DESTROYING, with the
 * handler_mutex held: a thread that takes that mutex later to call the handler
 * sees the state and does not call. So no call is left when the mutex is free
 * again. The second phase runs without the mutex, since threads that use the id
 * need it to finish. It cancels queries and removes the id from all places that
 * lead to it: listens, its line in the table of resources (before what is read
 * for that line), groups, the CM's id (which waits for events under way), port,
 * device. A thread that found the id before holds a reference; the references
 * are waited for last.
 */
#include <linux/export.h>
#include <linux/nsproxy.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <ofed/restrack.h>
#include <rdma/ib_cache.h>

#include "cma.h"
#include "trace.h"

void cma_id_get(struct cma_id *id)
{
	refcount_inc(&id->refs);
}

/* Context: any. */
void cma_id_put(struct cma_id *id)
{
	if (refcount_dec_and_test(&id->refs))
		complete(&id->unused);
}

/* Return: the state before, or -EINVAL when the move is not allowed. */
int cma_move_from(struct cma_id *id, enum cma_move move)
{
	unsigned long flags;
	int was, next;

	spin_lock_irqsave(&id->lock, flags);
	was = id->state;
	next = cma_next_state(was, move);
	if (next >= 0)
		WRITE_ONCE(id->state, next);
	spin_unlock_irqrestore(&id->lock, flags);
	return next < 0 ? next : was;
}

/* Return: 0, or -EINVAL when the move is not allowed. */
int cma_move(struct cma_id *id, enum cma_move move)
{
	return min(cma_move_from(id, move), 0);
}

/* Tell the consumer. Return: its answer; it wants the id gone if nonzero. */
int cma_report(struct cma_id *id, struct rdma_cm_event *event)
{
	int ret;

	lockdep_assert_held(&id->handler_mutex);
	trace_cm_event_handler(id, event);
	ret = id->pub.event_handler(&id->pub, event);
	trace_cm_event_done(id, event, ret);
	return ret;
}

/*
 * End of a work that has a reference: tells the consumer, unless @event is
 * NULL, and destroys the id if it wants that.
 */
void cma_report_unlock_put(struct cma_id *id, struct rdma_cm_event *event)
{
	int was = -EINVAL;

	if (event && cma_report(id, event))
		was = cma_move_from(id, CMA_M_DESTROY);
	mutex_unlock(&id->handler_mutex);
	cma_id_put(id);
	if (was >= 0)
		cma_end(id, was);
}

/*
 * Ends the id after a call of the CM in which the handler has asked for it. The
 * CM destroys its own id when that call returns, so the caller has cleared its
 * pointer.
 */
void cma_end_unlock(struct cma_id *id)
{
	int was = cma_move_from(id, CMA_M_DESTROY);

	mutex_unlock(&id->handler_mutex);
	if (was >= 0)
		cma_end(id, was);
}

/* For handlers of groups: to end the id is to wait for them. */
void cma_end_later(struct cma_id *id)
{
	int was = cma_move_from(id, CMA_M_DESTROY);

	lockdep_assert_held(&id->handler_mutex);
	if (was < 0)
		return;
	id->end_was = was;
	queue_work(cma_wq, &id->end_work);
}

static void cma_end_from_work(struct work_struct *work)
{
	struct cma_id *id = container_of(work, struct cma_id, end_work);

	/* Leaving the groups waits for the handler that queued this work. */
	cma_end(id, id->end_was);
}

static void cma_run_step(struct work_struct *work)
{
	struct cma_id *id = container_of(work, struct cma_id, step.work);
	struct rdma_cm_event event = { };
	bool wanted;

	mutex_lock(&id->handler_mutex);
	wanted = id->step.finish(id, id->step.status, &event);
	cma_report_unlock_put(id, wanted ? &event : NULL);
}

/**
 * cma_step_start - bring the end of a query to the consumer
 * @id: id in a state of query; the caller alone ends this query
 * @status: what it came to
 * @finish: see struct cma_step
 *
 * Context: any.
 */
void cma_step_start(struct cma_id *id, int status,
		    bool (*finish)(struct cma_id *id, int status,
				   struct rdma_cm_event *event))
{
	cma_id_get(id);
	id->step.finish = finish;
	id->step.status = status;
	/* Not pending: the previous query's work moved the state before. */
	if (WARN_ON_ONCE(!queue_work(cma_wq, &id->step.work)))
		cma_id_put(id);
}

static struct cma_id *cma_new_id(struct net *net, rdma_cm_event_handler handler,
				 void *context, enum rdma_ucm_port_space ps,
				 enum ib_qp_type qp_type)
{
	struct cma_id *id = kzalloc(sizeof(*id), GFP_KERNEL_ACCOUNT);

	if (!id)
		return NULL;
	id->pub.event_handler = handler;
	id->pub.context = context;
	id->pub.qp_type = qp_type;
	id->pub.ps = ps;
	cma_l2(id)->net = get_net(net);
	refcount_set(&id->refs, 1);
	init_completion(&id->unused);
	mutex_init(&id->handler_mutex);
	mutex_init(&id->qp_mutex);
	spin_lock_init(&id->lock);
	INIT_LIST_HEAD(&id->on_dev);
	INIT_LIST_HEAD(&id->on_any);
	INIT_LIST_HEAD(&id->listeners);
	INIT_LIST_HEAD(&id->mcast);
	INIT_HLIST_NODE(&id->on_port);
	INIT_WORK(&id->step.work, cma_run_step);
	INIT_WORK(&id->end_work, cma_end_from_work);
	cma_netdev_init_id(id);
	cma_res_init(&id->res, id);
	/* PSNs are 24 bits wide. */
	id->seq_num = get_random_u32() & 0xffffff;
	return id;
}

/**
 * cma_id_child - id of a connection that is asked for
 * @parent: listening id; its handler, its namespace and its settings are taken
 *
 * Context: process, may sleep. Return: an id in state CONNECT without device, or
 * NULL (no memory).
 */
struct cma_id *cma_id_child(struct cma_id *parent)
{
	struct cma_id *id = cma_new_id(cma_net(parent), parent->pub.event_handler,
				       parent->pub.context, parent->pub.ps,
				       parent->pub.qp_type);

	if (!id)
		return NULL;
	ofed_restrack_parent_name(&id->res.tracked.entry, &parent->res.tracked.entry);
	spin_lock_irq(&parent->lock);
	id->tos = parent->tos;
	id->tos_set = parent->tos_set;
	id->ack_timeout = parent->ack_timeout;
	id->ack_timeout_set = parent->ack_timeout_set;
	id->min_rnr = parent->min_rnr;
	id->min_rnr_set = parent->min_rnr_set;
	id->afonly = parent->afonly;
	spin_unlock_irq(&parent->lock);
	cma_move(id, CMA_M_REQUESTED);
	return id;
}

/**
 * __rdma_create_kernel_id - make an id for a kernel user
 * @net: namespace; held until the id is destroyed
 * @event_handler: called in process context, one call at a time; it may sleep.
 *		   A nonzero return destroys the id
 * @context: for the consumer's own use
 * @ps: port space
 * @qp_type: type of the QPs that will be connected
 * @caller: name of the module
 *
 * Context: process, may sleep. Return: the id, or ERR_PTR(-ENOMEM).
 */
struct rdma_cm_id *
__rdma_create_kernel_id(struct net *net, rdma_cm_event_handler event_handler,
			void *context, enum rdma_ucm_port_space ps,
			enum ib_qp_type qp_type, const char *caller)
{
	struct cma_id *id = cma_new_id(net, event_handler, context, ps, qp_type);

	if (!id)
		return ERR_PTR(-ENOMEM);
	ofed_restrack_set_name(&id->res.tracked.entry, caller);
	return &id->pub;
}
EXPORT_SYMBOL(__rdma_create_kernel_id);

/**
 * rdma_create_user_id - make an id for the current task
 * @event_handler: as of __rdma_create_kernel_id()
 * @context: for the consumer's own use
 * @ps: port space
 * @qp_type: type of the QPs that will be connected
 *
 * It is in the task's network namespace. Context: process, may sleep.
 * Return: the id, or ERR_PTR(-ENOMEM).
 */
struct rdma_cm_id *rdma_create_user_id(rdma_cm_event_handler event_handler,
				       void *context,
				       enum rdma_ucm_port_space ps,
				       enum ib_qp_type qp_type)
{
	struct cma_id *id = cma_new_id(current->nsproxy->net_ns, event_handler,
				       context, ps, qp_type);

	if (!id)
		return ERR_PTR(-ENOMEM);
	ofed_restrack_set_name(&id->res.tracked.entry, NULL);
	return &id->pub;
}
EXPORT_SYMBOL(rdma_create_user_id);

/*
 * What @was under way. After rdma_addr_cancel() no callback comes; a cancelled
 * SA query still calls back, and has a reference for that.
 */
static void cma_cancel(struct cma_id *id, enum cma_state was)
{
	switch (was) {
	case CMA_S_ADDR_QUERY:
		rdma_addr_cancel(cma_l2(id));
		break;
	case CMA_S_ROUTE_QUERY:
		if (id->path_query)
			ib_sa_cancel_query(id->path_query_id, id->path_query);
		break;
	case CMA_S_LISTEN:
		cma_unlisten(id);
		break;
	case CMA_S_DEVICE_REMOVAL:
		/* What a command began after the removal had looked. */
		cma_cancel(id, CMA_S_ADDR_QUERY);
		cma_cancel(id, CMA_S_ROUTE_QUERY);
		break;
	default:
		break;
	}
}

static void cma_end_connection(struct cma_id *id)
{
	if (!id->ib)
		return;
	if (cma_uses_ib(id))
		ib_destroy_cm_id(id->ib);
	else
		iw_destroy_cm_id(id->iw);
	id->ib = NULL;
}

static void cma_free_id(struct cma_id *id)
{
	struct rdma_route *route = &id->pub.route;

	kfree(route->path_rec);
	kfree(route->path_rec_inbound);
	kfree(route->path_rec_outbound);
	put_net(cma_net(id));
	kfree(id);
}

/**
 * cma_end - second phase of the end of an id, see the head of the file
 * @id: id in state DESTROYING; gone when this returns
 * @was: state before
 *
 * Context: process, may sleep; no lock of this module is held, except perhaps
 * the handler_mutex of the listening id of a connection.
 */
void cma_end(struct cma_id *id, enum cma_state was)
{
	trace_cm_id_destroy(id);
	cma_cancel(id, was);
	/* A driver looks at its connection when the line is read. */
	cma_res_hide(&id->res);
	cma_mcast_leave_all(id);
	cma_end_connection(id);
	cma_unwatch(id);
	cma_port_release(id);
	cma_device_detach(id);

	cma_id_put(id);
	wait_for_completion(&id->unused);
	/*
	 * Threads that were waited for above used the device, and the owner
	 * when listening on new devices.
	 */
	cma_res_forget(&id->res);
	cma_device_release(id);
	cma_free_id(id);
}

/**
 * rdma_destroy_id - destroy an id
 * @id: id, without a QP
 *
 * Whatever it has under way is cancelled; its handler does not run when this
 * returns, and will not. Context: process, may sleep; not from a handler of this
 * id, nor from one of an id that this one listens for.
 */
void rdma_destroy_id(struct rdma_cm_id *id)
{
	struct cma_id *mine = cma_id_of(id);
	int was;

	mutex_lock(&mine->handler_mutex);
	was = cma_move_from(mine, CMA_M_DESTROY);
	mutex_unlock(&mine->handler_mutex);
	if (WARN_ON_ONCE(was < 0))
		return;
	cma_end(mine, was);
}
EXPORT_SYMBOL(rdma_destroy_id);

/**
 * cma_id_removed_put - the device of an id goes
 * @id: id that is in no list of the device any more, with a reference
 *
 * Its consumer hears of it, and destroys it soon. Context: process, may sleep.
 */
void cma_id_removed_put(struct cma_id *id)
{
	struct rdma_cm_event event = {
		.event = RDMA_CM_EVENT_DEVICE_REMOVAL,
	};
	int was;

	mutex_lock(&id->handler_mutex);
	was = cma_move_from(id, CMA_M_REMOVE);
	if (was >= 0 && cma_report(id, &event)) {
		cma_move(id, CMA_M_DESTROY);
		mutex_unlock(&id->handler_mutex);
		cma_id_put(id);
		cma_end(id, was);
		return;
	}
	mutex_unlock(&id->handler_mutex);
	if (was >= 0)
		cma_cancel(id, was);
	cma_id_put(id);
}

/**
 * rdma_lock_handler - keep the handler from running
 * @id: id
 *
 * For rdma_accept() outside of a handler. Context: process, may sleep.
 */
void rdma_lock_handler(struct rdma_cm_id *id)
{
	mutex_lock(&cma_id_of(id)->handler_mutex);
}
EXPORT_SYMBOL(rdma_lock_handler);

/**
 * rdma_unlock_handler - let the handler run again
 * @id: id after rdma_lock_handler()
 *
 * Context: process.
 */
void rdma_unlock_handler(struct rdma_cm_id *id)
{
	mutex_unlock(&cma_id_of(id)->handler_mutex);
}
EXPORT_SYMBOL(rdma_unlock_handler);

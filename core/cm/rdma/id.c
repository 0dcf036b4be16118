// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: ids are made, and destroyed by their owner. */
#include <linux/export.h>
#include <linux/memcontrol.h>
#include <linux/nsproxy.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <ofed/restrack.h>

#include "../ib/ib_cm.h"
#include "cma.h"

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

static struct cma_id *cma_new_id(struct net *net, rdma_cm_event_handler handler,
				 void *context, enum rdma_ucm_port_space ps,
				 enum ib_qp_type qp_type, gfp_t gfp)
{
	struct cma_id *id = kzalloc(sizeof(*id), gfp);

	if (!id)
		return NULL;
	id->pub.event_handler = handler;
	id->pub.context = context;
	id->pub.qp_type = qp_type;
	id->pub.ps = ps;
	id->node_type = RDMA_NODE_UNSPECIFIED;
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
	struct mem_cgroup *old = set_active_memcg(parent->memcg);
	struct cma_id *id = cma_new_id(cma_net(parent), parent->pub.event_handler,
				       parent->pub.context, parent->pub.ps,
				       parent->pub.qp_type, cma_request_gfp(parent));

	set_active_memcg(old);
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
	id->node_type = parent->node_type;
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
	struct cma_id *id = cma_new_id(net, event_handler, context, ps, qp_type,
				       GFP_KERNEL_ACCOUNT);

	if (!id)
		return ERR_PTR(-ENOMEM);
	ofed_restrack_set_name(&id->res.tracked.entry, caller);
	return &id->pub;
}
OFED_EXPORT(__rdma_create_kernel_id);

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
	struct ofed_cm_owner *owner = ofed_cm_owner_get();
	struct cma_id *id;

	if (!owner)
		return ERR_PTR(-ENOMEM);
	id = cma_new_id(current->nsproxy->net_ns, event_handler, context, ps, qp_type,
			GFP_KERNEL_ACCOUNT);
	if (!id) {
		ofed_cm_owner_put(owner);
		return ERR_PTR(-ENOMEM);
	}
	id->owner = owner;
	id->memcg = get_mem_cgroup_from_mm(current->mm);
	ofed_restrack_set_name(&id->res.tracked.entry, NULL);
	return &id->pub;
}
OFED_EXPORT(rdma_create_user_id);

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
OFED_EXPORT(rdma_destroy_id);

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
OFED_EXPORT(rdma_lock_handler);

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
OFED_EXPORT(rdma_unlock_handler);

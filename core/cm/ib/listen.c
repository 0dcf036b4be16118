// SPDX-License-Identifier: GPL-2.0
/*
 * Listeners: which consumer takes a REQ or a SIDR_REQ, by device and service id
 * (IBA vol. 1, 12.6.5 and 12.11).
 */
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <ofed/cm.h>
#include <rdma/ib_cm.h>

#include "core.h"
#include "ib_cm.h"

/**
 * ib_cm_listen - listen for connection and service id requests
 * @cm_id: an idle id; each request gets an id of its own, with this one's
 *	   handler and context
 * @service_id: service id, or IB_CM_ASSIGN_SERVICE_ID to have one assigned,
 *		which is @cm_id->service_id afterwards
 *
 * IBA vol. 1, 12.6.5. Context: any.
 * Return: 0, -EINVAL (@cm_id is not idle, or a service id of the range that is
 * assigned), -EBUSY (the device has a listener of that service id).
 */
int ib_cm_listen(struct ib_cm_id *cm_id, __be64 service_id)
{
	struct cm_id *id = to_cm_id(cm_id);
	const struct cm_fsm_step *step;
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&id->lock, flags);
	step = cm_fsm_step(id->id.state, CM_CALL_LISTEN);
	ret = step->result == CM_GO ? 0 : cm_fsm_errno(step);
	if (!ret)
		ret = cm_listener_add(id, service_id);
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}
OFED_EXPORT(ib_cm_listen);

static void cm_id_set_memcg(struct cm_id *id, struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	if (memcg)
		css_get(&memcg->css);
#endif
	id->memcg = memcg;
	id->payer = memcg;
}

/**
 * ofed_cm_listen - ib_cm_listen() for a program
 * @cm_id: as for ib_cm_listen()
 * @service_id: as for ib_cm_listen()
 * @memcg: memory cgroup of the program, charged for the ids of requests from now on
 *
 * Context: process; no other call on @cm_id runs meanwhile. Return: as ib_cm_listen().
 */
int ofed_cm_listen(struct ib_cm_id *cm_id, __be64 service_id, struct mem_cgroup *memcg)
{
	struct cm_id *id = to_cm_id(cm_id);

	/* An id that could not listen may try again. */
	if (!id->memcg)
		cm_id_set_memcg(id, memcg);
	return ib_cm_listen(cm_id, service_id);
}
EXPORT_SYMBOL_GPL(ofed_cm_listen);

/**
 * ofed_cm_insert_listen - ib_cm_insert_listen() for a program
 * @device: device
 * @cm_handler: handler of the requests; their context is NULL
 * @service_id: as for ib_cm_listen()
 * @memcg: memory cgroup of the program, charged for the ids of requests; NULL: none is
 *
 * Programs of several cgroups may share a listener: the nearest cgroup that all of them are
 * below pays then, as a request names its program to rdma_cm alone.
 *
 * Context and return: as ib_cm_insert_listen().
 */
struct ib_cm_id *ofed_cm_insert_listen(struct ib_device *device, ib_cm_handler cm_handler,
				       __be64 service_id, struct mem_cgroup *memcg)
{
	struct cm_id *id, *other;
	unsigned long flags;

	id = cm_id_new(device, cm_handler, NULL, GFP_KERNEL_ACCOUNT);
	if (IS_ERR(id))
		return ERR_CAST(id);
	cm_id_set_memcg(id, memcg);

	spin_lock_irqsave(&id->lock, flags);
	other = cm_listener_add_shared(id, service_id);
	spin_unlock_irqrestore(&id->lock, flags);
	if (!other)
		return &id->id;

	cm_id_destroy(id, true);
	return IS_ERR(other) ? ERR_CAST(other) : &other->id;
}

/**
 * ib_cm_insert_listen - listen, or share a listener of the same handler
 * @device: device
 * @cm_handler: handler of the requests; their context is NULL
 * @service_id: as for ib_cm_listen()
 *
 * Context: process, may sleep. Each call is undone by ib_destroy_cm_id().
 * Return: the listener, or ERR_PTR: -ENOMEM, -EINVAL (service id of the range
 * that is assigned; or the service id has a listener with another handler, or
 * one that ib_cm_listen() made).
 */
struct ib_cm_id *ib_cm_insert_listen(struct ib_device *device,
				     ib_cm_handler cm_handler,
				     __be64 service_id)
{
	return ofed_cm_insert_listen(device, cm_handler, service_id, NULL);
}
OFED_EXPORT(ib_cm_insert_listen);

/**
 * cm_request_id - an id for a request
 * @listener: takes it, and its program pays
 * @connects: the id has a remote end, in peer, unless there is no memory for it
 *
 * A peer repeats a request that there is no memory for, so no process is killed for it.
 *
 * Context: process, may sleep. Return: as cm_id_new().
 */
struct cm_id *cm_request_id(const struct cm_id *listener, bool connects)
{
	struct mem_cgroup *payer = READ_ONCE(listener->payer);
	struct mem_cgroup *old = set_active_memcg(payer);
	gfp_t gfp = GFP_KERNEL;
	struct cm_id *id;

	if (payer)
		gfp = GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN;
	id = cm_id_new(listener->id.device, listener->id.cm_handler, listener->id.context, gfp);
	if (!IS_ERR(id) && connects)
		id->peer = cm_peer_new(id->id.local_id, gfp);
	set_active_memcg(old);
	return id;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Listeners: which consumer takes a REQ or a SIDR_REQ, by device and service id
 * (IBA vol. 1, 12.6.5 and 12.11).
 */
#include <rdma/ib_cm.h>

#include "core.h"

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
	struct cm_id *id, *other;
	unsigned long flags;

	id = cm_id_new(device, cm_handler, NULL);
	if (IS_ERR(id))
		return ERR_CAST(id);

	spin_lock_irqsave(&id->lock, flags);
	other = cm_listener_add_shared(id, service_id);
	spin_unlock_irqrestore(&id->lock, flags);
	if (!other)
		return &id->id;

	cm_id_destroy(id, true);
	return IS_ERR(other) ? ERR_CAST(other) : &other->id;
}
OFED_EXPORT(ib_cm_insert_listen);

// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that make, end and describe an id, and let it listen.
 */
#include <ofed/cm.h>
#include <rdma/ib_marshall.h>

#include "ucm.h"

int ucm_create_id(struct ucm_id *unused, struct ucm_call *call)
{
	struct ucm_id *id = ucm_id_new(call->file, GFP_KERNEL_ACCOUNT);
	struct ib_cm_id *cm_id;

	if (!id)
		return -ENOMEM;
	ucm_id_name(id, call->req.create_id.uid);
	cm_id = ib_create_cm_id(call->file->device->ib_dev, ucm_handler, id);
	if (IS_ERR(cm_id)) {
		ucm_id_discard(id);
		return PTR_ERR(cm_id);
	}
	id->cm_id = cm_id;
	ucm_id_publish(id);
	call->resp.create_id.id = id->number;
	return 0;
}

int ucm_destroy_id(struct ucm_id *id, struct ucm_call *call)
{
	call->resp.destroy_id.events_reported = ucm_id_end(id);
	return 0;
}

int ucm_attr_id(struct ucm_id *id, struct ucm_call *call)
{
	struct ib_ucm_attr_id_resp *resp = &call->resp.attr_id;
	const struct ib_cm_id *cm_id = id->cm_id;

	resp->service_id = cm_id->service_id;
	resp->service_mask = cm_id->state == IB_CM_LISTEN ? ~(__force __be64)0 : 0;
	resp->local_id = cm_id->local_id;
	resp->remote_id = READ_ONCE(cm_id->remote_id);
	return 0;
}

int ucm_init_qp_attr(struct ucm_id *id, struct ucm_call *call)
{
	struct ib_qp_attr attr = { .qp_state = call->req.init_qp_attr.qp_state };
	int mask, ret;

	ret = ib_cm_init_qp_attr(id->cm_id, &attr, &mask);
	if (ret)
		return ucm_refuse(call->file, ret, "id %u has no attributes for QP state %u",
				  id->number, call->req.init_qp_attr.qp_state);
	ib_copy_qp_attr_to_user(id->cm_id->device, &call->resp.qp_attr, &attr);
	call->resp.qp_attr.qp_attr_mask = mask;
	return 0;
}

/* The CM of today has no listeners of ranges. */
int ucm_listen(struct ucm_id *id, struct ucm_call *call)
{
	const struct ib_ucm_listen *req = &call->req.listen;

	if (req->service_mask && ~req->service_mask)
		return ucm_refuse(call->file, -EINVAL, "listen: a mask of service ids");
	return ofed_cm_listen(id->cm_id, req->service_id, call->file->memcg);
}

int ucm_notify(struct ucm_id *id, struct ucm_call *call)
{
	return ib_cm_notify(id->cm_id, (enum ib_event_type)call->req.notify.event);
}

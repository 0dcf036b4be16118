// SPDX-License-Identifier: GPL-2.0
/*
 * The command that writes an event; for kernels that have it. A program that waits for events in
 * one thread wakes it so by another, and librdmacm brings the end of what it does itself.
 */
#include <linux/string.h>

#include "ucma.h"

/* Those that rdma_cm does not report itself: a program can not play a peer to itself. */
static bool ucma_is_programs_event(u32 event)
{
	return event == RDMA_CM_EVENT_USER || event == RDMA_CM_EVENT_INTERNAL;
}

static int ucma_put_event(struct ucma_id *id, const struct rdma_ucm_write_cm_event *req)
{
	struct ucma_event *new;

	/* A program takes the name for an address of its own. */
	if (!id->has_uid)
		return -EINVAL;
	guard(rwsem_read)(&ucma_moves);
	new = ucma_event_alloc(id);
	if (!new)
		return -ENOMEM;
	new->resp.uid = id->uid;
	new->resp.id = id->number;
	new->resp.event = req->event;
	new->resp.status = req->status;
	BUILD_BUG_ON(sizeof(new->resp.param.arg32) != sizeof(req->param.arg));
	memcpy(new->resp.param.arg32, &req->param.arg, sizeof(req->param.arg));
	guard(mutex)(&id->file->lock);
	ucma_enqueue(new, id);
	return 0;
}

/*
 * What the program has said of the event is told as it is. An id that has not been accepted has no
 * name yet, so no event.
 */
int ucma_write_cm_event(struct ucma_call *call)
{
	const struct rdma_ucm_write_cm_event *req = &call->req.write_cm_event;
	struct ucma_id *id;
	int ret;

	if (req->reserved || !ucma_is_programs_event(req->event))
		return -EINVAL;
	id = ucma_id_enter(call->file, req->id, UCMA_ASKS);
	if (IS_ERR(id))
		return PTR_ERR(id);
	rdma_lock_handler(id->cm_id);
	ret = ucma_put_event(id, req);
	rdma_unlock_handler(id->cm_id);
	ucma_id_leave(id);
	return ret;
}

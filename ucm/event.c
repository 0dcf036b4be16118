// SPDX-License-Identifier: GPL-2.0
/*
 * Events: from the CM to the queue of a file.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <ofed/unread.h>
#include <rdma/ib_marshall.h>

#include "ucm.h"

/* Bytes of private data that the message of each event has: IBA vol. 1, 12.6 and 12.8, 12.11. */
static const u8 ucm_data_of[] = {
	[IB_CM_REQ_RECEIVED] = IB_CM_REQ_PRIVATE_DATA_SIZE,
	[IB_CM_REP_RECEIVED] = IB_CM_REP_PRIVATE_DATA_SIZE,
	[IB_CM_RTU_RECEIVED] = IB_CM_RTU_PRIVATE_DATA_SIZE,
	[IB_CM_DREQ_RECEIVED] = IB_CM_DREQ_PRIVATE_DATA_SIZE,
	[IB_CM_DREP_RECEIVED] = IB_CM_DREP_PRIVATE_DATA_SIZE,
	[IB_CM_MRA_RECEIVED] = IB_CM_MRA_PRIVATE_DATA_SIZE,
	[IB_CM_REJ_RECEIVED] = IB_CM_REJ_PRIVATE_DATA_SIZE,
	[IB_CM_LAP_RECEIVED] = IB_CM_LAP_PRIVATE_DATA_SIZE,
	[IB_CM_APR_RECEIVED] = IB_CM_APR_PRIVATE_DATA_SIZE,
	[IB_CM_SIDR_REQ_RECEIVED] = IB_CM_SIDR_REQ_PRIVATE_DATA_SIZE,
	[IB_CM_SIDR_REP_RECEIVED] = IB_CM_SIDR_REP_PRIVATE_DATA_SIZE,
};

/* ---- what the program will read ---------------------------------------------- */

static void ucm_show_req(struct ib_ucm_event_resp *resp, const struct ib_cm_req_event_param *req)
{
	struct ib_ucm_req_event_resp *to = &resp->u.req_resp;

	resp->present |= IB_UCM_PRES_PRIMARY;
	ib_copy_path_rec_to_user(&to->primary_path, req->primary_path);
	if (req->alternate_path) {
		resp->present |= IB_UCM_PRES_ALTERNATE;
		ib_copy_path_rec_to_user(&to->alternate_path, req->alternate_path);
	}
	to->remote_ca_guid = req->remote_ca_guid;
	to->remote_qkey = req->remote_qkey;
	to->remote_qpn = req->remote_qpn;
	to->qp_type = req->qp_type;
	to->starting_psn = req->starting_psn;
	to->responder_resources = req->responder_resources;
	to->initiator_depth = req->initiator_depth;
	to->local_cm_response_timeout = req->local_cm_response_timeout;
	to->flow_control = req->flow_control;
	to->remote_cm_response_timeout = req->remote_cm_response_timeout;
	to->retry_count = req->retry_count;
	to->rnr_retry_count = req->rnr_retry_count;
	to->srq = req->srq;
	to->port = req->port;
}

static void ucm_show_rep(struct ib_ucm_rep_event_resp *to, const struct ib_cm_rep_event_param *rep)
{
	to->remote_ca_guid = rep->remote_ca_guid;
	to->remote_qkey = rep->remote_qkey;
	to->remote_qpn = rep->remote_qpn;
	to->starting_psn = rep->starting_psn;
	to->responder_resources = rep->responder_resources;
	to->initiator_depth = rep->initiator_depth;
	to->target_ack_delay = rep->target_ack_delay;
	to->failover_accepted = rep->failover_accepted;
	to->flow_control = rep->flow_control;
	to->rnr_retry_count = rep->rnr_retry_count;
	to->srq = rep->srq;
}

/* Programs are not told how long it is, so it has the length of the field in the message. */
static void ucm_show_info(struct ucm_event *new, const void *info, u8 len)
{
	if (!info)
		return;
	memcpy(new->bytes + new->data_len, info, min_t(size_t, len, UCM_INFO_MOST));
	new->info_len = UCM_INFO_MOST;
	new->resp.present |= IB_UCM_PRES_INFO;
}

/* What @event has besides private data, which comes before. */
static void ucm_show_param(struct ucm_event *new, const struct ib_cm_event *event)
{
	typeof(new->resp.u) *to = &new->resp.u;

	switch (event->event) {
	case IB_CM_REQ_RECEIVED:
		ucm_show_req(&new->resp, &event->param.req_rcvd);
		break;
	case IB_CM_REP_RECEIVED:
		ucm_show_rep(&to->rep_resp, &event->param.rep_rcvd);
		break;
	case IB_CM_REJ_RECEIVED:
		to->rej_resp.reason = event->param.rej_rcvd.reason;
		ucm_show_info(new, event->param.rej_rcvd.ari, event->param.rej_rcvd.ari_length);
		break;
	case IB_CM_MRA_RECEIVED:
		to->mra_resp.timeout = event->param.mra_rcvd.service_timeout;
		break;
	case IB_CM_LAP_RECEIVED:
		new->resp.present |= IB_UCM_PRES_ALTERNATE;
		ib_copy_path_rec_to_user(&to->lap_resp.path, event->param.lap_rcvd.alternate_path);
		break;
	case IB_CM_APR_RECEIVED:
		to->apr_resp.status = event->param.apr_rcvd.ap_status;
		ucm_show_info(new, event->param.apr_rcvd.apr_info, event->param.apr_rcvd.info_len);
		break;
	case IB_CM_SIDR_REQ_RECEIVED:
		to->sidr_req_resp.pkey = event->param.sidr_req_rcvd.pkey;
		to->sidr_req_resp.port = event->param.sidr_req_rcvd.port;
		break;
	case IB_CM_SIDR_REP_RECEIVED:
		to->sidr_rep_resp.status = event->param.sidr_rep_rcvd.status;
		to->sidr_rep_resp.qkey = event->param.sidr_rep_rcvd.qkey;
		to->sidr_rep_resp.qpn = event->param.sidr_rep_rcvd.qpn;
		ucm_show_info(new, event->param.sidr_rep_rcvd.info,
			      event->param.sidr_rep_rcvd.info_len);
		break;
	default:
		to->send_status = event->param.send_status;
		break;
	}
}

/* @of: the id that has the number; @id, but for a request. */
static void ucm_event_fill(struct ucm_event *new, const struct ucm_id *id, const struct ucm_id *of,
			   const struct ib_cm_event *event)
{
	new->resp.uid = id->uid;
	new->resp.id = of->number;
	new->resp.event = event->event;
	if (event->private_data && event->event < ARRAY_SIZE(ucm_data_of)) {
		new->data_len = ucm_data_of[event->event];
		memcpy(new->bytes, event->private_data, new->data_len);
		new->resp.present |= IB_UCM_PRES_DATA;
	}
	ucm_show_param(new, event);
}

/* ---- the queue --------------------------------------------------------------- */

/* Free an event and take it out of the queue; its request is the caller's. */
void ucm_event_free(struct ucm_event *event)
{
	struct ucm_id *id = event->id;

	lockdep_assert_held(&id->file->queue_lock);
	if (event->request)
		id->requests--;
	else
		id->unread--;
	list_del(&event->of_id);
	list_del(&event->in_file);
	kfree(event);
}

static void ucm_enqueue(struct ucm_event *event, struct ucm_id *id, struct ucm_id *request)
{
	struct ucm_file *file = id->file;

	lockdep_assert_held(&file->queue_lock);
	event->id = id;
	event->request = request;
	if (request)
		id->requests++;
	else
		id->unread++;
	list_add_tail(&event->of_id, &id->events);
	list_add_tail(&event->in_file, &file->events);
	wake_up_interruptible(&file->wait);
}

/* The peer can repeat these at will; all others come once, or once for a command. */
static bool ucm_is_peers(enum ib_cm_event_type type)
{
	return type == IB_CM_MRA_RECEIVED || type == IB_CM_LAP_RECEIVED ||
	       type == IB_CM_APR_RECEIVED;
}

static bool ucm_has_room(const struct ucm_id *id, enum ib_cm_event_type type)
{
	return id->unread < (ucm_is_peers(type) ? UCM_UNREAD_MOST / 2 : UCM_UNREAD_MOST);
}

/*
 * An id that has no name is sent nothing: its program takes the name for an address of its own.
 * What is lost by that is an error, which the reply will see. Without memory an event is lost, too.
 */
static void ucm_take_event(struct ucm_id *id, const struct ib_cm_event *event)
{
	struct ucm_event *new;

	guard(mutex)(&id->file->queue_lock);
	if (!id->named || !ucm_has_room(id, event->event))
		return;
	new = ofed_unread_alloc(id->file->memcg, sizeof(*new), id->unread);
	if (!new)
		return;
	ucm_event_fill(new, id, id, event);
	ucm_enqueue(new, id, NULL);
}

/*
 * The id of a request, and its event; the opener of the file is charged for both. A peer repeats a
 * request that there is no memory for, and kills no process of the opener by it.
 */
static struct ucm_id *ucm_request_alloc(struct ucm_file *file, struct ucm_event **event)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN;
	struct mem_cgroup *old = set_active_memcg(file->memcg);
	struct ucm_id *id;

	*event = kzalloc(sizeof(**event), gfp);
	id = *event ? ucm_id_new(file, gfp) : NULL;
	set_active_memcg(old);
	if (!id)
		kfree(*event);
	return id;
}

/* The new id is in no table, but for its number, until the program has read of it. */
static int ucm_take_request(struct ucm_id *listener, struct ib_cm_id *cm_id,
			    const struct ib_cm_event *event)
{
	struct ucm_file *file = listener->file;
	struct ucm_event *new;
	struct ucm_id *id;

	guard(mutex)(&file->queue_lock);
	if (file->dead)
		return -ENODEV;
	if (listener->requests >= UCM_REQUESTS_MOST)
		return -ENOMEM;
	id = ucm_request_alloc(file, &new);
	if (!id)
		return -ENOMEM;
	id->cm_id = cm_id;
	cm_id->context = id;
	ucm_event_fill(new, listener, id, event);
	ucm_enqueue(new, listener, id);
	return 0;
}

/**
 * ucm_handler - what the CM calls for each event of a program's id
 * @cm_id: the id, or the new one of a request
 * @event: the event
 *
 * Context: process, one call at a time for an id; may sleep.
 * Return: 0, or for a request that was not taken -ENOMEM or -ENODEV; the CM destroys its id then.
 */
int ucm_handler(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	struct ucm_id *id = cm_id->context;

	if (event->event == IB_CM_REQ_RECEIVED || event->event == IB_CM_SIDR_REQ_RECEIVED)
		return ucm_take_request(id, cm_id, event);
	ucm_take_event(id, event);
	return 0;
}

/* What events call the id from now on. */
void ucm_id_name(struct ucm_id *id, u64 uid)
{
	guard(mutex)(&id->file->queue_lock);
	id->uid = uid;
	id->named = true;
}

// SPDX-License-Identifier: GPL-2.0
/* Service id resolution (IBA vol. 1, 12.11): which UD QP serves a service id. */
#include "core.h"
#include "trace.h"

static int cm_sidr_check(const struct ib_cm_sidr_req_param *param)
{
	if (!param->path)
		return -EINVAL;
	return cm_check_data(param->private_data, param->private_data_len,
			     IB_CM_SIDR_REQ_PRIVATE_DATA_SIZE);
}

static int cm_sidr_send(struct cm_id *id, struct cm_av *av,
			const struct ib_cm_sidr_req_param *param)
{
	const struct cm_fsm_step *step = cm_id_may_request(id, CM_CALL_SIDR_REQ);
	struct cm_msg_ids ids;
	union cm_mad mad;
	int ret;

	if (!step)
		return -EINVAL;

	swap(id->av, *av);
	cm_dest_drop(&id->reply);
	id->id.service_id = param->service_id;
	id->id.remote_id = 0;
	id->max_retries = param->max_cm_retries;
	id->tid = cm_id_tid(id);
	cm_id_msg_ids(id, &ids);
	cm_build_sidr_req(&mad, &ids, param);
	trace_icm_send_sidr_req(&id->id);
	ret = cm_id_request(id, &mad, min_t(unsigned long, U32_MAX,
					    param->timeout_ms));
	if (!ret)
		cm_id_wait(id, step->next);
	return ret;
}

/**
 * ib_send_cm_sidr_req - ask for the QP that serves a service id
 * @cm_id: an idle id
 * @param: the request
 *
 * IBA vol. 1, 12.11.1. The request is repeated until an answer comes, or the
 * retries are used up (IB_CM_SIDR_REQ_ERROR). Context: process, sleeps until a
 * RoCE neighbour has answered.
 * Return: as ib_send_cm_req(). On failure @cm_id is idle.
 */
int ib_send_cm_sidr_req(struct ib_cm_id *cm_id,
			struct ib_cm_sidr_req_param *param)
{
	struct cm_id *id = to_cm_id(cm_id);
	struct cm_av av = {};
	int ret;

	might_sleep();
	ret = cm_sidr_check(param);
	if (ret)
		return ret;
	if (!id->dev || !cm_device_get(id->dev))
		return -EINVAL;

	ret = cm_av_from_path(id->dev, param->path, param->sgid_attr, &av);
	if (!ret) {
		spin_lock_irq(&id->lock);
		ret = cm_sidr_send(id, &av, param);
		spin_unlock_irq(&id->lock);
		cm_dest_drop(&av.to);
	}
	cm_device_put(id->dev);
	return ret;
}
OFED_EXPORT(ib_send_cm_sidr_req);

/**
 * ib_send_cm_sidr_rep - answer a service id request
 * @cm_id: id that came with it; idle afterwards
 * @param: the answer
 *
 * IBA vol. 1, 12.11.2. An answer that is lost is not repeated: the peer asks
 * again, with a new id here. Context: any.
 * Return: 0, -EINVAL (too much data, no request to answer, device gone),
 * -ENOMEM, or the errno of the driver's create_ah; then @cm_id is as it was.
 */
int ib_send_cm_sidr_rep(struct ib_cm_id *cm_id,
			struct ib_cm_sidr_rep_param *param)
{
	struct cm_id *id = to_cm_id(cm_id);
	const struct cm_fsm_step *step;
	unsigned long flags;
	int ret;

	if (cm_check_data(param->info, param->info_length,
			  IB_CM_SIDR_REP_INFO_LENGTH) ||
	    cm_check_data(param->private_data, param->private_data_len,
			  IB_CM_SIDR_REP_PRIVATE_DATA_SIZE))
		return -EINVAL;

	spin_lock_irqsave(&id->lock, flags);
	step = cm_fsm_step(cm_id->state, CM_CALL_SIDR_REP);
	if (step->result == CM_GO) {
		ret = cm_id_send_sidr_rep(id, param);
		if (!ret)
			cm_id_move(id, step->next);
	} else {
		ret = cm_fsm_errno(step);
	}
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}
OFED_EXPORT(ib_send_cm_sidr_rep);

/* The service id has no listener. Return: as cm_rx_reply(). */
static bool cm_reject_unmatched(struct cm_rx *rx)
{
	const struct ib_cm_sidr_rep_param param = {
		.status = IB_SIDR_UNSUPPORTED,
	};
	const struct cm_sidr_req_msg *req = &rx->mad->sidr_req;
	struct cm_msg_ids ids;
	union cm_mad mad;

	cm_msg_ids_reversed(&ids, rx->mad);
	cm_build_sidr_rep(&mad, &ids,
			  cpu_to_be64(IBA_GET(CM_SIDR_REQ_SERVICEID, req)),
			  &param);
	return cm_rx_reply(rx, &mad);
}

static void cm_read_request(struct cm_rx *rx, struct cm_id *id,
			    struct cm_id *listener)
{
	struct ib_cm_sidr_req_event_param *param =
		&rx->event.event.param.sidr_req_rcvd;
	struct cm_sidr_req_msg *req = &rx->mad->sidr_req;

	param->listen_id = &listener->id;
	param->service_id = cpu_to_be64(IBA_GET(CM_SIDR_REQ_SERVICEID, req));
	param->pkey = IBA_GET(CM_SIDR_REQ_PARTITION_KEY, req);
	param->bth_pkey = cm_rx_pkey(rx);
	param->port = rx->port->num;
	param->sgid_attr = id->reply.ah.grh.sgid_attr;
	rx->event.event.private_data =
		IBA_GET_MEM_PTR(CM_SIDR_REQ_PRIVATE_DATA, req);

	id->id.service_id = param->service_id;
	id->id.remote_id = cm_sender_id(rx->mad);
	id->tid = rx->mad->hdr.tid;
}

/* Return: true when the message, and the place at @listener, are the event's. */
static bool cm_accept_request(struct cm_rx *rx, struct cm_id *listener,
			      const struct cm_sidr_key *key)
{
	const struct cm_fsm_step *step = cm_fsm_step(IB_CM_IDLE, CM_RX_SIDR_REQ);
	bool kept = false;
	struct cm_id *id;

	id = cm_request_id(listener, false);
	if (IS_ERR(id))
		return false;
	id->sidr_key = *key;
	if (id->dev && cm_half_open_begin(id, listener->id.service_id) &&
	    !cm_dest_from_rx(rx, &id->reply)) {
		cm_read_request(rx, id, listener);
		/* The consumer may destroy the id as soon as it is posted. */
		cm_id_hold(id);
		spin_lock_irq(&id->lock);
		kept = cm_sidr_list(id);
		if (kept) {
			rx->event.listener = listener;
			cm_rx_finish(rx, id, step);
		} else {
			/* Its twin was resolved beside it, and is first. */
			cm_rx_count_duplicate(rx);
		}
		spin_unlock_irq(&id->lock);
		cm_id_put(id);
	}
	if (!kept)
		cm_id_destroy(id, true);
	return kept;
}

/* A SIDR_REQ. Context: process, may sleep. */
bool cm_rx_sidr_req(struct cm_rx *rx)
{
	const struct cm_sidr_req_msg *req = &rx->mad->sidr_req;
	__be64 service_id = cpu_to_be64(IBA_GET(CM_SIDR_REQ_SERVICEID, req));
	struct cm_sidr_key key;
	struct cm_id *listener;

	cm_sidr_key_make(&key, rx);
	if (cm_sidr_known(&key)) {
		cm_rx_count_duplicate(rx);
		return false;
	}
	listener = cm_listener_get(rx->port->dev->device, service_id);
	if (IS_ERR(listener))
		return PTR_ERR(listener) == -ENOENT && cm_reject_unmatched(rx);
	if (cm_accept_request(rx, listener, &key))
		return true;
	cm_listener_put(listener);
	return false;
}

/* Where other messages have the sender's id, a SIDR_REP has the receiver's. */
bool cm_rx_sidr_rep(struct cm_rx *rx)
{
	struct cm_id *id = cm_id_find(cm_sender_id(rx->mad));
	const struct cm_fsm_step *step = NULL;
	struct ib_cm_event *event = &rx->event.event;

	if (!id)
		return false;
	spin_lock_irq(&id->lock);
	if (id->dev == rx->port->dev)
		step = cm_rx_step(rx, id, CM_RX_SIDR_REP);
	if (step) {
		cm_read_sidr_rep(rx->mad, event);
		event->param.sidr_rep_rcvd.sgid_attr =
			id->av.to.ah.grh.sgid_attr;
		cm_rx_finish(rx, id, step);
	}
	spin_unlock_irq(&id->lock);
	cm_id_put(id);
	return step;
}

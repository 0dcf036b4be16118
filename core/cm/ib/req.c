// SPDX-License-Identifier: GPL-2.0
/*
 * Both ends of the first exchange: the REQ, out and in, and the REP that
 * answers it (IBA vol. 1, 12.9.7).
 */
#include <rdma/ib_cache.h>

#include "core.h"
#include "trace.h"

/* Everything that ib_send_cm_req() needs before it takes the id's lock. */
struct outgoing {
	struct cm_peer *peer;
	struct cm_av av;
	struct cm_av alt_av;
};

static void cm_outgoing_drop(struct outgoing *out)
{
	cm_peer_free(out->peer);
	cm_dest_drop(&out->av.to);
	cm_dest_drop(&out->alt_av.to);
}

static int cm_outgoing_prepare(struct cm_id *id, struct outgoing *out,
			       const struct ib_cm_req_param *param)
{
	int ret;

	out->peer = cm_peer_new(id->id.local_id, GFP_KERNEL_ACCOUNT);
	if (!out->peer)
		return -ENOMEM;
	ret = cm_av_from_path(id->dev, param->primary_path,
			      param->ppath_sgid_attr, &out->av);
	if (!ret && param->alternate_path)
		ret = cm_av_from_path(id->dev, param->alternate_path, NULL,
				      &out->alt_av);
	if (!ret && param->primary_path_outbound)
		out->av.data_lid =
			be16_to_cpu(param->primary_path_outbound->ib.dlid);
	return ret;
}

/* What the connection will be like, if the peer agrees. */
static void cm_id_take_param(struct cm_id *id, const struct ib_cm_req_param *param)
{
	lockdep_assert_held(&id->lock);
	id->id.service_id = param->service_id;
	id->id.remote_id = 0;
	id->id.lap_state = IB_CM_LAP_UNINIT;
	/* Of an earlier connection, to another peer perhaps. */
	id->saved_reply.attr = CM_ATTRS;
	id->loaded = false;
	id->timeout_ms = 2 * cm_time_ms(param->primary_path->packet_life_time) +
			 cm_time_ms(param->remote_cm_response_timeout);
	id->max_retries = param->max_cm_retries & 0xf;
	id->initiator_depth = param->initiator_depth;
	id->responder_resources = param->responder_resources;
	id->retry_count = param->retry_count;
	id->path_mtu = param->primary_path->mtu;
	id->pkey = param->primary_path->pkey;
	id->qp_type = param->qp_type;
	id->local_qpn = param->qp_num & 0xffffff;
	id->rq_psn = param->starting_psn & 0xffffff;
}

/* The paths and the remote end change owner, the old ones go with @out. */
static void cm_id_take_outgoing(struct cm_id *id, struct outgoing *out)
{
	lockdep_assert_held(&id->lock);
	swap(id->av, out->av);
	swap(id->alt_av, out->alt_av);
	swap(id->peer, out->peer);
	cm_dest_drop(&id->reply);
}

static int cm_req_send(struct cm_id *id, const struct ib_cm_req_param *param,
		       struct outgoing *out)
{
	const struct cm_fsm_step *step = cm_id_may_request(id, CM_CALL_REQ);
	struct cm_msg_ids ids;
	union cm_mad mad;
	int ret;

	if (!step)
		return -EINVAL;

	cm_id_take_param(id, param);
	cm_id_take_outgoing(id, out);
	id->tid = cm_id_tid(id);
	cm_id_msg_ids(id, &ids);
	cm_build_req(&mad, &ids, &id->dev->self, param);
	trace_icm_send_req(&id->id);
	ret = cm_id_request(id, &mad, id->timeout_ms);
	if (ret) {
		swap(id->peer, out->peer);
		return ret;
	}
	cm_id_wait(id, step->next);
	return 0;
}

/**
 * ib_send_cm_req - ask for a connection
 * @cm_id: an idle id
 * @param: the request
 *
 * IBA vol. 1, 12.6.5. The REQ is repeated until an answer comes, or the retries
 * are used up (IB_CM_REQ_ERROR). Context: process, sleeps until a RoCE
 * neighbour has answered.
 * Return: 0; -EINVAL (parameters that do not fit a REQ, @cm_id is not idle, no
 * CM on the path's port, device gone), -ENOMEM, or the errno of the GID or
 * P_Key table, of ib_init_ah_attr_from_path() or of the driver's create_ah. On
 * failure @cm_id is idle.
 */
int ib_send_cm_req(struct ib_cm_id *cm_id, struct ib_cm_req_param *param)
{
	struct cm_id *id = to_cm_id(cm_id);
	struct outgoing out = {};
	int ret;

	might_sleep();
	ret = cm_check_req(param);
	if (ret)
		return ret;
	/* Asked again under the lock: this spares the waiting. */
	if (cm_fsm_step(READ_ONCE(cm_id->state), CM_CALL_REQ)->result != CM_GO)
		return -EINVAL;
	if (!id->dev || !cm_device_get(id->dev))
		return -EINVAL;

	ret = cm_outgoing_prepare(id, &out, param);
	if (!ret) {
		spin_lock_irq(&id->lock);
		ret = cm_req_send(id, param, &out);
		spin_unlock_irq(&id->lock);
	}
	cm_outgoing_drop(&out);
	cm_device_put(id->dev);
	return ret;
}
OFED_EXPORT(ib_send_cm_req);

/*
 * A repeated REQ. If its id exists, the state of the id decides the answer.
 *
 * @to: where its sender is, or NULL when that is not known
 * Return: true when the message is kept.
 */
static bool cm_rx_known_req(struct cm_rx *rx, __be32 local_id,
			    const struct cm_dest *to)
{
	struct cm_id *id = cm_id_find(local_id);
	bool stale = true;

	if (id) {
		spin_lock_irq(&id->lock);
		stale = cm_fsm_step(id->id.state, CM_RX_REQ)->result == CM_STALE;
		if (!stale && id->id.remote_id == cm_sender_id(rx->mad))
			cm_rx_step(rx, id, CM_RX_REQ);
		spin_unlock_irq(&id->lock);
		cm_id_put(id);
	}
	/* In TimeWait, with or without an id (12.9.8.3). */
	return stale && cm_rx_reject(rx, to, IB_CM_REJ_STALE_CONN, NULL, 0);
}

/*
 * The remote QP has a local connection that the peer no longer knows, so that
 * one is ended (12.9.8.3.1). A REQ can claim any CA GUID and QPN, so the
 * connection is ended only if the address is the same.
 */
static void cm_end_stale(struct cm_id *with, __be32 local_id)
{
	struct cm_id *id = cm_id_find(local_id);
	struct rdma_ah_attr here, there;

	if (!id)
		return;
	cm_id_address(with, &there);
	cm_id_address(id, &here);
	if (id->dev == with->dev && cm_same_address(&here, &there))
		ib_send_cm_dreq(&id->id, NULL, 0);
	cm_id_put(id);
}

/* The connection that @rx asks for, as it concerns the QP. */
static void cm_id_take_req(struct cm_id *id, struct cm_rx *rx)
{
	const struct cm_req_msg *req = &rx->mad->req;
	const u8 patience = min_t(u8, CM_PEER_REPLY_MOST,
				  IBA_GET(CM_REQ_LOCAL_CM_RESPONSE_TIMEOUT,
					  req));

	id->id.remote_id = cm_sender_id(rx->mad);
	id->has_peer_gid = cm_rx_source(rx, &id->peer_gid);
	id->id.service_id = rx->path[0].service_id;
	id->tid = rx->mad->hdr.tid;
	id->timeout_ms = cm_time_ms(patience);
	id->max_retries = IBA_GET(CM_REQ_MAX_CM_RETRIES, req);
	id->qp_type = cm_req_qp_type(rx->mad);
	id->remote_qpn = IBA_GET(CM_REQ_LOCAL_QPN, req);
	id->sq_psn = IBA_GET(CM_REQ_STARTING_PSN, req);
	id->responder_resources = IBA_GET(CM_REQ_INITIATOR_DEPTH, req);
	id->initiator_depth = IBA_GET(CM_REQ_RESPONDER_RESOURCES, req);
	id->retry_count = IBA_GET(CM_REQ_RETRY_COUNT, req);
	id->rnr_retry_count = IBA_GET(CM_REQ_RNR_RETRY_COUNT, req);
	id->path_mtu = rx->path[0].mtu;
	id->pkey = rx->path[0].pkey;
}

static void cm_reject_gid(struct cm_id *id, struct cm_rx *rx,
			  enum ib_cm_rej_reason reason)
{
	union ib_gid ours;

	/* The additional information is a GID that would do. */
	if (rdma_query_gid(rx->port->dev->device, rx->port->num, 0, &ours))
		cm_rx_reject(rx, &id->reply, reason, NULL, 0);
	else
		cm_rx_reject(rx, &id->reply, reason, &ours, sizeof(ours));
}

/*
 * Where the QP of @id shall send, as the peer wrote it. Rejects what can not
 * be reached. Return: true if the id has its paths.
 */
static bool cm_id_take_paths(struct cm_id *id, struct cm_rx *rx)
{
	const struct ib_gid_attr *source = id->reply.ah.grh.sgid_attr;
	const bool roce = id->reply.ah.type == RDMA_AH_ATTR_TYPE_ROCE;
	struct cm_dev *dev = rx->port->dev;

	cm_read_req_paths(rx->mad, rx->wc->wc,
			  roce ? sa_conv_gid_to_pathrec_type(source->gid_type) :
				 SA_PATH_REC_TYPE_IB, rx->path);
	if (roce) {
		sa_path_set_dmac(&rx->path[0], id->reply.ah.roce.dmac);
		rx->path[0].hop_limit = id->reply.ah.grh.hop_limit;
	}
	if (cm_av_from_path(dev, &rx->path[0], source, &id->av)) {
		cm_reject_gid(id, rx, IB_CM_REJ_INVALID_GID);
		return false;
	}
	/* Path migration is InfiniBand's. */
	if (!roce && cm_req_has_alternate(rx->mad) &&
	    cm_av_from_path(dev, &rx->path[1], NULL, &id->alt_av)) {
		cm_reject_gid(id, rx, IB_CM_REJ_INVALID_ALT_GID);
		return false;
	}
	return true;
}

/*
 * Enter the remote end, and hand the request to the consumer. The listener is
 * the event's from here on. Return: true when the message is the event's.
 */
static bool cm_id_announce(struct cm_id *id, struct cm_rx *rx,
			   struct cm_id *listener)
{
	const struct cm_fsm_step *step = cm_fsm_step(IB_CM_IDLE, CM_RX_REQ);
	struct ib_cm_req_event_param *param = &rx->event.event.param.req_rcvd;
	const u16 pkey = cm_rx_pkey(rx);
	__be32 other;
	enum cm_fresh fresh;

	/* The consumer may destroy the id as soon as it is posted. */
	cm_id_hold(id);
	spin_lock_irq(&id->lock);
	cm_id_take_req(id, rx);
	cm_read_req(rx->mad, &rx->event.event);
	fresh = cm_peer_list(id->peer, id->id.remote_id, param->remote_ca_guid,
			     id->remote_qpn, &other);
	if (fresh == CM_FRESH) {
		param->listen_id = &listener->id;
		param->bth_pkey = pkey;
		param->port = rx->port->num;
		param->primary_path = &rx->path[0];
		param->alternate_path = id->alt_av.to.port ? &rx->path[1] :
							     NULL;
		param->ppath_sgid_attr = id->av.to.ah.grh.sgid_attr;
		rx->event.listener = listener;
		cm_rx_finish(rx, id, step);
	}
	spin_unlock_irq(&id->lock);

	if (fresh == CM_SEEN) {
		cm_rx_known_req(rx, other, &id->reply);
	} else if (fresh == CM_QP_IN_USE) {
		cm_rx_reject(rx, &id->reply, IB_CM_REJ_STALE_CONN, NULL, 0);
		cm_end_stale(id, other);
	}
	cm_id_put(id);
	return fresh == CM_FRESH;
}

/* Return: true when the message, and the place at @listener, are the event's. */
static bool cm_accept_req(struct cm_rx *rx, struct cm_id *listener)
{
	struct cm_id *id;
	bool kept = false;

	id = cm_request_id(listener, true);
	if (IS_ERR(id))
		return false;

	if (id->peer && id->dev &&
	    cm_half_open_begin(id, listener->id.service_id) &&
	    !cm_dest_from_rx(rx, &id->reply) && cm_id_take_paths(id, rx))
		kept = cm_id_announce(id, rx, listener);
	/* Idle still, so nothing is said. */
	if (!kept)
		cm_id_destroy(id, true);
	return kept;
}

/* Return: true when the message is kept. */
static bool cm_rx_no_listener(struct cm_rx *rx)
{
	const __be32 remote_id = cm_sender_id(rx->mad);
	bool kept;

	/* The answer takes the place of the message. */
	kept = cm_rx_reject(rx, NULL, IB_CM_REJ_INVALID_SERVICE_ID, NULL, 0);
	trace_icm_no_listener_err(remote_id);
	return kept;
}

/*
 * A REQ. Nothing is allocated for it before a listener is found that has room
 * for it. Context: process, may sleep.
 */
bool cm_rx_req(struct cm_rx *rx)
{
	const struct cm_req_msg *req = &rx->mad->req;
	__be64 service_id = cpu_to_be64(IBA_GET(CM_REQ_SERVICE_ID, req));
	__be64 guid = cpu_to_be64(IBA_GET(CM_REQ_LOCAL_CA_GUID, req));
	struct cm_id *listener;
	__be32 local_id;

	if (cm_peer_find(cm_sender_id(rx->mad), guid, &local_id))
		return cm_rx_known_req(rx, local_id, NULL);
	if (cm_req_qp_type(rx->mad) == IB_QPT_MAX)
		return cm_rx_reject(rx, NULL, IB_CM_REJ_INVALID_TRANSPORT_TYPE,
				    NULL, 0);
	listener = cm_listener_get(rx->port->dev->device, service_id);
	if (IS_ERR(listener))
		return PTR_ERR(listener) == -ENOENT && cm_rx_no_listener(rx);
	if (cm_accept_req(rx, listener))
		return true;
	cm_listener_put(listener);
	return false;
}

/* What the peer's REP says of the connection. */
static void cm_id_take_rep(struct cm_id *id, const struct cm_rx *rx)
{
	const struct ib_cm_rep_event_param *rep =
		&rx->event.event.param.rep_rcvd;

	lockdep_assert_held(&id->lock);
	id->id.remote_id = cm_sender_id(rx->mad);
	id->has_peer_gid = cm_rx_source(rx, &id->peer_gid);
	id->remote_qpn = rep->remote_qpn;
	id->initiator_depth = rep->initiator_depth;
	id->responder_resources = rep->responder_resources;
	id->sq_psn = rep->starting_psn;
	id->rnr_retry_count = rep->rnr_retry_count;
	id->target_ack_delay = rep->target_ack_delay;
	/* From here on it counts how fast the peer is, too. */
	id->av.timeout = cm_ack_timeout(id->target_ack_delay,
					id->av.timeout - 1);
	if (id->alt_av.to.port)
		id->alt_av.timeout = cm_ack_timeout(id->target_ack_delay,
						    id->alt_av.timeout - 1);
}

static void cm_reject_rep(struct cm_id *id, const struct cm_rx *rx)
{
	const struct cm_rej_info info = {
		.reason = IB_CM_REJ_STALE_CONN,
		.about = CM_ABOUT_REP,
	};
	struct cm_msg_ids ids;
	union cm_mad mad;

	lockdep_assert_held(&id->lock);
	cm_msg_ids_reversed(&ids, rx->mad);
	cm_build_rej(&mad, &ids, &info);
	cm_id_reply(id, &mad);
}

/* A REP, for an id that knows its peer from here on. */
bool cm_rx_rep(struct cm_rx *rx)
{
	struct cm_id *id = cm_rx_id(rx);
	const struct cm_fsm_step *step = NULL;
	enum cm_fresh fresh = CM_SEEN;
	__be32 other;

	if (!id) {
		trace_icm_remote_no_priv_err(cm_sender_id(rx->mad));
		return false;
	}
	spin_lock_irq(&id->lock);
	if (cm_rx_fits(rx, id))
		step = cm_rx_step(rx, id, CM_RX_REP);
	if (step) {
		cm_read_rep(rx->mad, id->qp_type, &rx->event.event);
		fresh = cm_peer_list(id->peer, cm_sender_id(rx->mad),
				     rx->event.event.param.rep_rcvd.remote_ca_guid,
				     rx->event.event.param.rep_rcvd.remote_qpn,
				     &other);
		if (fresh == CM_SEEN)
			trace_icm_insert_failed_err(cm_sender_id(rx->mad));
	}
	if (fresh == CM_FRESH) {
		cm_id_take_rep(id, rx);
		cm_rx_finish(rx, id, step);
	} else if (fresh == CM_QP_IN_USE) {
		trace_icm_staleconn_err(id->id.local_id,
					cm_sender_id(rx->mad));
		cm_reject_rep(id, rx);
	}
	spin_unlock_irq(&id->lock);

	if (fresh == CM_QP_IN_USE)
		cm_end_stale(id, other);
	cm_id_put(id);
	return fresh == CM_FRESH;
}

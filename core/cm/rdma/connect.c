// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: calls of consumers that either CM carries out. */
#include <linux/export.h>

#include "cma.h"
#include "trace.h"

/* The QP of a consumer that keeps it for itself. */
static void cma_note_qp(struct cma_id *id, const struct rdma_conn_param *param)
{
	if (id->pub.qp)
		return;
	id->qp_num = param->qp_num;
	id->srq = param->srq;
}

static int cma_connect_by_kind(struct cma_id *id, struct rdma_conn_param *param)
{
	if (cma_uses_iw(id))
		return cma_iw_connect(id, param);
	if (!cma_uses_ib(id))
		return -ENOSYS;
	return id->pub.qp_type == IB_QPT_UD ? cma_sidr_connect(id, param) :
					      cma_ib_connect(id, param);
}

/**
 * rdma_connect_locked - connect, from a handler
 * @id: id with a resolved route
 * @conn_param: limits, retries and private data; number of the QP if it was not
 *		made by rdma_create_qp()
 *
 * Context: process, may sleep; in a handler of @id, or between
 * rdma_lock_handler() and rdma_unlock_handler().
 * Return: 0, -EINVAL (state of the id, too much private data), -ENOMEM, -ENOSYS
 * (a port without connections), or an errno of the CM.
 */
int rdma_connect_locked(struct rdma_cm_id *id,
			struct rdma_conn_param *conn_param)
{
	struct cma_id *mine = cma_id_of(id);
	int ret;

	lockdep_assert_held(&mine->handler_mutex);
	ret = cma_move(mine, CMA_M_CONNECT);
	if (ret)
		return ret;
	cma_note_qp(mine, conn_param);
	ret = cma_connect_by_kind(mine, conn_param);
	if (ret)
		cma_move(mine, CMA_M_CONNECT_FAIL);
	return ret;
}
OFED_EXPORT(rdma_connect_locked);

/**
 * rdma_connect - connect
 * @id: id with a resolved route
 * @conn_param: see rdma_connect_locked()
 *
 * Events tell how it goes. Context: process, may sleep; not from a handler of
 * @id. Return: as rdma_connect_locked().
 */
int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	struct cma_id *mine = cma_id_of(id);
	int ret;

	mutex_lock(&mine->handler_mutex);
	ret = rdma_connect_locked(id, conn_param);
	mutex_unlock(&mine->handler_mutex);
	return ret;
}
OFED_EXPORT(rdma_connect);

/**
 * rdma_connect_ece - connect with enhanced connection establishment
 * @id: id with a resolved route
 * @conn_param: see rdma_connect_locked()
 * @ece: what the device offers
 *
 * Context: process, may sleep; not from a handler of @id. Return: as
 * rdma_connect_locked().
 */
int rdma_connect_ece(struct rdma_cm_id *id, struct rdma_conn_param *conn_param,
		     struct rdma_ucm_ece *ece)
{
	struct cma_id *mine = cma_id_of(id);
	int ret;

	mutex_lock(&mine->handler_mutex);
	mine->ece = *ece;
	ret = rdma_connect_locked(id, conn_param);
	mutex_unlock(&mine->handler_mutex);
	return ret;
}
OFED_EXPORT(rdma_connect_ece);

static int cma_accept_by_kind(struct cma_id *id, struct rdma_conn_param *param)
{
	if (!id->ib)
		return -EINVAL;
	if (cma_uses_iw(id))
		return cma_iw_accept(id, param);
	if (!cma_uses_ib(id))
		return -ENOSYS;
	if (id->pub.qp_type == IB_QPT_UD)
		return cma_sidr_accept(id, param);
	return param ? cma_ib_accept(id, param) : cma_ib_ready(id, NULL);
}

/**
 * rdma_accept - agree to a connection
 * @id: id of a request; or one that connects, after
 *	RDMA_CM_EVENT_CONNECT_RESPONSE
 * @conn_param: limits and private data; number of the QP if it was not made by
 *		rdma_create_qp(). NULL on the side that connects
 *
 * A failure rejects the connection. Context: process, may sleep; in a handler
 * of @id, or between rdma_lock_handler() and rdma_unlock_handler().
 * Return: 0, -EINVAL (state of the id), -ENOSYS, or an errno of the CM or of the
 * QP's transitions.
 */
int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	struct cma_id *mine = cma_id_of(id);
	int ret;

	lockdep_assert_held(&mine->handler_mutex);
	if (cma_state_of(mine) != CMA_S_CONNECT)
		return -EINVAL;
	if (conn_param)
		cma_note_qp(mine, conn_param);
	ret = cma_accept_by_kind(mine, conn_param);
	if (!ret)
		return 0;
	cma_qp_to_error(mine);
	rdma_reject(id, NULL, 0, IB_CM_REJ_CONSUMER_DEFINED);
	return ret;
}
OFED_EXPORT(rdma_accept);

/**
 * rdma_accept_ece - agree to a connection with enhanced establishment
 * @id: see rdma_accept()
 * @conn_param: see rdma_accept()
 * @ece: what was chosen of the peer's offer
 *
 * Context and Return: as rdma_accept().
 */
int rdma_accept_ece(struct rdma_cm_id *id, struct rdma_conn_param *conn_param,
		    struct rdma_ucm_ece *ece)
{
	struct cma_id *mine = cma_id_of(id);

	lockdep_assert_held(&mine->handler_mutex);
	mine->ece = *ece;
	return rdma_accept(id, conn_param);
}
OFED_EXPORT(rdma_accept_ece);

/**
 * rdma_reject - refuse a connection
 * @id: id of a request, or one that has a reply
 * @private_data: for the peer
 * @private_data_len: its length
 * @reason: enum ib_cm_rej_reason, for a connection over the IB CM
 *
 * Context: process, may sleep; in a handler of @id too.
 * Return: 0, -EINVAL (no connection, too much private data), -ENOSYS, or an
 * errno of the CM.
 */
int rdma_reject(struct rdma_cm_id *id, const void *private_data,
		u8 private_data_len, u8 reason)
{
	struct cma_id *mine = cma_id_of(id);

	if (!mine->ib)
		return -EINVAL;
	if (cma_uses_iw(mine))
		return iw_cm_reject(mine->iw, private_data, private_data_len);
	if (!cma_uses_ib(mine))
		return -ENOSYS;
	if (id->qp_type == IB_QPT_UD)
		return cma_sidr_reject(mine, private_data, private_data_len);
	trace_cm_send_rej(mine);
	return ib_send_cm_rej(mine->ib, reason, NULL, 0, private_data,
			      private_data_len);
}
OFED_EXPORT(rdma_reject);

/* Programs end all that they have, and a listen has nothing to say to that. */
static int cma_no_connection(const struct cma_id *id)
{
	return cma_uses_ib(id) && READ_ONCE(id->state) == CMA_S_LISTEN ?
	       0 : -EINVAL;
}

/**
 * rdma_disconnect - end a connection
 * @id: id
 *
 * Also the answer to RDMA_CM_EVENT_DISCONNECTED. The QP goes to the error state.
 * Context: process, may sleep; in a handler of @id too.
 * Return: 0, also for an id that listens on an IB device, -EINVAL (no
 * connection), or an errno of the QP's transition or of iw_cm_disconnect().
 */
int rdma_disconnect(struct rdma_cm_id *id)
{
	struct cma_id *mine = cma_id_of(id);
	int ret;

	if (!mine->ib)
		return cma_no_connection(mine);
	if (cma_uses_iw(mine))
		return iw_cm_disconnect(mine->iw, 0);
	if (!cma_uses_ib(mine))
		return -EINVAL;
	trace_cm_disconnect(mine);
	ret = cma_qp_to_error(mine);
	if (ret)
		return ret;
	/* If the peer's DREQ was first, this one fails: a DREP answers it. */
	if (!ib_send_cm_dreq(mine->ib, NULL, 0))
		trace_cm_sent_dreq(mine);
	else if (!ib_send_cm_drep(mine->ib, NULL, 0))
		trace_cm_sent_drep(mine);
	return 0;
}
OFED_EXPORT(rdma_disconnect);

/*
 * Why the CM refuses IB_EVENT_PATH_MIG in these states: the consumer gave its QP
 * a second path by itself. The CM goes on by the one that it knows.
 */
static bool cma_knows_one_path(const struct ib_cm_id *cm_id)
{
	return READ_ONCE(cm_id->state) == IB_CM_ESTABLISHED &&
	       (READ_ONCE(cm_id->lap_state) == IB_CM_LAP_UNINIT ||
		READ_ONCE(cm_id->lap_state) == IB_CM_LAP_IDLE);
}

/**
 * rdma_notify - tell of an event of the QP
 * @id: id of a connection
 * @event: IB_EVENT_COMM_EST: a message came in before the RTU did;
 *	   IB_EVENT_PATH_MIG: the QP uses its alternate path, which the CM may or
 *	   may not know
 *
 * Context: process. Return: 0, -EINVAL (no connection), or an errno of
 * ib_cm_notify().
 */
int rdma_notify(struct rdma_cm_id *id, enum ib_event_type event)
{
	struct cma_id *mine = cma_id_of(id);
	int ret;

	if (!mine->ib)
		return -EINVAL;
	if (!cma_uses_ib(mine) || id->device->node_type != RDMA_NODE_IB_CA)
		return 0;
	ret = ib_cm_notify(mine->ib, event);
	if (ret == -EINVAL && event == IB_EVENT_PATH_MIG &&
	    cma_knows_one_path(mine->ib))
		ret = 0;
	return ret;
}
OFED_EXPORT(rdma_notify);

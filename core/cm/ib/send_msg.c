// SPDX-License-Identifier: GPL-2.0
/*
 * What a consumer says on a connection that exists, and what the CM says for
 * it. All of it may be called in any context.
 */
#include <linux/string.h>
#include <compat/decls.h>
#include <ofed/cm.h>

#include "core.h"
#include "trace.h"

/* IBA vol. 1, 12.7.29: a slow consumer may take 4.096 us << 24, 69 s. */
#define CM_SLOW_CONSUMER	24

/* Private data of a message. */
struct cm_private {
	const void *data;
	u8 len;
};

/* The state does not allow the call. */
static void cm_call_refused(const struct ib_cm_id *cm_id, enum cm_input input)
{
	/* Without the device's name: an id may outlive it. */
	pr_debug("ib_cm: id %08x: call %u refused in state %u\n",
		 be32_to_cpu(cm_id->local_id), input, cm_id->state);
	switch (input) {
	case CM_CALL_REP:
		trace_icm_send_rep_err(cm_id->local_id, cm_id->state);
		break;
	case CM_CALL_RTU:
		trace_icm_send_cm_rtu_err(cm_id);
		break;
	case CM_CALL_DREQ:
		trace_icm_dreq_skipped(cm_id);
		break;
	case CM_CALL_DREP:
		trace_icm_send_drep_err(cm_id);
		break;
	case CM_CALL_REJ:
		trace_icm_send_unknown_rej_err(cm_id);
		break;
	case CM_CALL_MRA:
		trace_icm_send_mra_unknown_err(cm_id);
		break;
	default:
		break;
	}
}

/*
 * Ask the table whether the state allows a call, and make it.
 *
 * @send: called with the lock held; @arg is its own
 * Return: what @send returned, -EISCONN or -EINVAL.
 */
static int cm_call(struct ib_cm_id *cm_id, enum cm_input input,
		   int (*send)(struct cm_id *id, const struct cm_fsm_step *step,
			       const void *arg), const void *arg)
{
	struct cm_id *id = to_cm_id(cm_id);
	const struct cm_fsm_step *step;
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&id->lock, flags);
	step = cm_fsm_step(cm_id->state, input);
	if (step->result == CM_ASK_LAP)
		step = cm_fsm_lap_step(cm_id->lap_state, input);
	if (step->result == CM_GO) {
		ret = send(id, step, arg);
	} else {
		cm_call_refused(cm_id, input);
		ret = cm_fsm_errno(step);
	}
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}

static int cm_send_rep(struct cm_id *id, const struct cm_fsm_step *step, const void *arg)
{
	const struct ib_cm_rep_param *param = arg;
	struct cm_msg_ids ids;
	union cm_mad mad;
	int ret;

	cm_id_msg_ids(id, &ids);
	cm_build_rep(&mad, &ids, &id->dev->self, id->qp_type, param);
	trace_icm_send_rep(&id->id);
	ret = cm_id_request(id, &mad, id->timeout_ms);
	if (ret)
		return ret;

	cm_id_wait(id, step->next);
	id->initiator_depth = param->initiator_depth;
	id->responder_resources = param->responder_resources;
	id->rq_psn = param->starting_psn & 0xffffff;
	id->local_qpn = param->qp_num & 0xffffff;
	return 0;
}

/**
 * ib_send_cm_rep - accept a connection
 * @cm_id: id that came with a request
 * @param: the reply
 *
 * IBA vol. 1, 12.6.8. The REP is repeated until an RTU comes, or ib_cm_notify()
 * tells of data. Context: any.
 * Return: 0, -EINVAL (too much private data, no request to answer, device
 * gone), -ENOMEM, or the errno of the driver's create_ah.
 */
int ib_send_cm_rep(struct ib_cm_id *cm_id, struct ib_cm_rep_param *param)
{
	int ret = cm_check_data(param->private_data, param->private_data_len,
				IB_CM_REP_PRIVATE_DATA_SIZE);

	return ret ?: cm_call(cm_id, CM_CALL_REP, cm_send_rep, param);
}
OFED_EXPORT(ib_send_cm_rep);

static int cm_send_rtu(struct cm_id *id, const struct cm_fsm_step *step, const void *arg)
{
	const struct cm_private *private = arg;
	struct cm_msg_ids ids;
	union cm_mad mad;
	int ret;

	cm_id_msg_ids(id, &ids);
	cm_build_rtu(&mad, &ids, private->data, private->len);
	trace_icm_send_rtu(&id->id);
	ret = cm_id_reply(id, &mad);
	if (ret)
		return ret;
	cm_save_reply(id, CM_ATTR_RTU, 0, private->data, private->len);
	cm_id_move(id, step->next);
	return 0;
}

/**
 * ib_send_cm_rtu - confirm a connection
 * @cm_id: id that has got a REP
 * @private_data: for the peer, or NULL; it is kept for a REP that comes again
 * @private_data_len: bytes of it
 *
 * IBA vol. 1, 12.6.9. Context: any.
 * Return: 0 or as ib_send_cm_rep(); on failure the id is as it was.
 */
int ib_send_cm_rtu(struct ib_cm_id *cm_id, const void *private_data,
		   u8 private_data_len)
{
	const struct cm_private private = { private_data, private_data_len };
	int ret = cm_check_data(private_data, private_data_len,
				IB_CM_RTU_PRIVATE_DATA_SIZE);

	return ret ?: cm_call(cm_id, CM_CALL_RTU, cm_send_rtu, &private);
}
OFED_EXPORT(ib_send_cm_rtu);

static int cm_send_dreq(struct cm_id *id, const struct cm_fsm_step *step, const void *arg)
{
	const struct cm_private *private = arg;
	union cm_mad mad;
	int ret;

	cm_build_id_dreq(id, &mad, private->data, private->len);
	ret = cm_id_request(id, &mad, id->timeout_ms);
	if (ret)
		cm_id_move(id, IB_CM_TIMEWAIT);
	else
		cm_id_wait(id, step->next);
	return ret;
}

/**
 * ib_send_cm_dreq - end a connection
 * @cm_id: id of an established connection
 * @private_data: for the peer, or NULL
 * @private_data_len: bytes of it
 *
 * IBA vol. 1, 12.6.10. The DREQ is repeated until a DREP comes. Context: any.
 * Return: 0 or as ib_send_cm_rep(). When the DREQ could not be sent the
 * connection is over all the same, and the id in TimeWait.
 */
int ib_send_cm_dreq(struct ib_cm_id *cm_id, const void *private_data,
		    u8 private_data_len)
{
	const struct cm_private private = { private_data, private_data_len };
	int ret = cm_check_data(private_data, private_data_len,
				IB_CM_DREQ_PRIVATE_DATA_SIZE);

	return ret ?: cm_call(cm_id, CM_CALL_DREQ, cm_send_dreq, &private);
}
OFED_EXPORT(ib_send_cm_dreq);

static int cm_send_drep(struct cm_id *id, const struct cm_fsm_step *step, const void *arg)
{
	const struct cm_private *private = arg;

	cm_save_reply(id, CM_ATTR_DREP, 0, private->data, private->len);
	cm_id_move(id, step->next);
	return cm_id_send_drep(id, id->tid, private->data, private->len);
}

/**
 * ib_send_cm_drep - agree to the end of a connection
 * @cm_id: id that has got a DREQ
 * @private_data: for the peer, or NULL; it is kept for a DREQ that comes again
 * @private_data_len: bytes of it
 *
 * IBA vol. 1, 12.6.11. Context: any.
 * Return: 0 or as ib_send_cm_rep(). When the DREP could not be sent the id is
 * in TimeWait all the same.
 */
int ib_send_cm_drep(struct ib_cm_id *cm_id, const void *private_data,
		    u8 private_data_len)
{
	const struct cm_private private = { private_data, private_data_len };
	int ret = cm_check_data(private_data, private_data_len,
				IB_CM_DREP_PRIVATE_DATA_SIZE);

	return ret ?: cm_call(cm_id, CM_CALL_DREP, cm_send_drep, &private);
}
OFED_EXPORT(ib_send_cm_drep);

static int cm_send_rej(struct cm_id *id, const struct cm_fsm_step *step, const void *info)
{
	int ret = cm_id_send_rej(id, info);

	cm_id_move(id, step->next);
	return ret;
}

/**
 * ib_send_cm_rej - reject a connection
 * @cm_id: id that waits for an answer or has one to give
 * @reason: why
 * @ari: additional information, or NULL
 * @ari_length: bytes of it
 * @private_data: for the peer, or NULL
 * @private_data_len: bytes of it
 *
 * IBA vol. 1, 12.6.7. Context: any.
 * Return: 0 or as ib_send_cm_rep(). When the REJ could not be sent the attempt
 * is over all the same.
 */
int ib_send_cm_rej(struct ib_cm_id *cm_id, enum ib_cm_rej_reason reason,
		   void *ari, u8 ari_length, const void *private_data,
		   u8 private_data_len)
{
	const struct cm_rej_info info = {
		.reason = reason,
		.ari = ari, .ari_len = ari_length,
		.data = private_data, .data_len = private_data_len,
	};

	if (cm_check_data(private_data, private_data_len,
			  IB_CM_REJ_PRIVATE_DATA_SIZE) ||
	    cm_check_data(ari, ari_length, IB_CM_REJ_ARI_LENGTH))
		return -EINVAL;
	return cm_call(cm_id, CM_CALL_REJ, cm_send_rej, &info);
}
OFED_EXPORT(ib_send_cm_rej);

/* An MRA: @delay keeps it until the peer repeats its message. */
struct cm_mra_info {
	u8 timeout;
	bool delay;
	struct cm_private private;
};

static int cm_send_mra(struct cm_id *id, const struct cm_fsm_step *step, const void *arg)
{
	const struct cm_mra_info *info = arg;
	const struct cm_private *private = &info->private;
	int ret = 0;

	if (!info->delay)
		ret = cm_id_send_mra(id, cm_id_msg_kind(id), info->timeout,
				     private->data, private->len);
	if (ret)
		return ret;
	cm_save_reply(id, CM_ATTR_MRA, info->timeout, private->data,
		      private->len);
	if (id->id.state == IB_CM_ESTABLISHED)
		id->id.lap_state = step->next;
	else
		cm_id_move(id, step->next);
	return 0;
}

/**
 * ib_send_cm_mra - ask the peer for patience
 * @cm_id: id that has got a REQ, a REP or a LAP
 * @service_timeout: time until the answer, in the lower 5 bits; with
 *		     IB_CM_MRA_FLAG_DELAY it is said when the peer asks again
 * @private_data: for the peer, or NULL; it is kept for that
 * @private_data_len: bytes of it
 *
 * IBA vol. 1, 12.6.6. Context: any.
 * Return: 0 or as ib_send_cm_rep(); on failure the id is as it was.
 */
int ib_send_cm_mra(struct ib_cm_id *cm_id, u8 service_timeout,
		   const void *private_data, u8 private_data_len)
{
	const struct cm_mra_info info = {
		.timeout = service_timeout & 0x1f,
		.delay = service_timeout & IB_CM_MRA_FLAG_DELAY,
		.private = { private_data, private_data_len },
	};
	int ret = cm_check_data(private_data, private_data_len,
				IB_CM_MRA_PRIVATE_DATA_SIZE);

	return ret ?: cm_call(cm_id, CM_CALL_MRA, cm_send_mra, &info);
}
OFED_EXPORT(ib_send_cm_mra);

/**
 * ofed_cm_send_mra - ib_send_cm_mra(), which 7.x does not export any more
 * @cm_id: as there
 * @service_timeout: as there
 * @private_data: as there
 * @private_data_len: as there
 *
 * Context: any. Return: as ib_send_cm_mra().
 */
int ofed_cm_send_mra(struct ib_cm_id *cm_id, u8 service_timeout, const void *private_data,
		     u8 private_data_len)
{
	return ib_send_cm_mra(cm_id, service_timeout, private_data, private_data_len);
}
EXPORT_SYMBOL_GPL(ofed_cm_send_mra);

/**
 * ib_prepare_cm_mra - ask the peer for patience, should it ask again
 * @cm_id: id that has got a REQ, a REP or a LAP
 *
 * Then it is told CM_SLOW_CONSUMER. IBA vol. 1, 12.6.6. Context: any.
 * Return: 0 or as ib_send_cm_mra().
 */
int ib_prepare_cm_mra(struct ib_cm_id *cm_id)
{
	return ib_send_cm_mra(cm_id, IB_CM_MRA_FLAG_DELAY | CM_SLOW_CONSUMER, NULL, 0);
}
OFED_EXPORT(ib_prepare_cm_mra);

/**
 * ib_cm_notify - tell the CM what the QP has heard
 * @cm_id: id of the QP's connection
 * @event: IB_EVENT_COMM_EST (data came before the RTU; the consumer gets
 *	   IB_CM_USER_ESTABLISHED) or IB_EVENT_PATH_MIG (the QP uses the
 *	   alternate path)
 *
 * IBA vol. 1, 12.9.6 and 17.2.8. Context: any.
 * Return: 0, -EISCONN (connected already), -EINVAL (another event, or not in
 * this state).
 */
int ib_cm_notify(struct ib_cm_id *cm_id, enum ib_event_type event)
{
	struct cm_id *id = to_cm_id(cm_id);
	const struct cm_fsm_step *step;
	unsigned long flags;
	int ret = -EINVAL;

	spin_lock_irqsave(&id->lock, flags);
	if (event == IB_EVENT_COMM_EST) {
		step = cm_fsm_step(cm_id->state, CM_CALL_EST);
		if (step->result == CM_GO) {
			cm_id_move(id, step->next);
			cm_event_post_own(id, &id->established, step->raise,
					  IB_WC_SUCCESS);
			ret = 0;
		} else {
			ret = cm_fsm_errno(step);
			if (ret != -EISCONN)
				trace_icm_establish_err(cm_id);
		}
	} else if (event == IB_EVENT_PATH_MIG) {
		ret = cm_lap_migrated(id);
	}
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}
OFED_EXPORT(ib_cm_notify);

// SPDX-License-Identifier: GPL-2.0
/*
 * What a consumer says on a connection that exists, and what the CM says for
 * it. All of it may be called in any context.
 */
#include <linux/string.h>

#include "core.h"
#include "trace.h"

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
	struct cm_id *id = to_cm_id(cm_id);
	const struct cm_step *step;
	struct cm_names names;
	unsigned long flags;
	union cm_mad mad;
	int ret;

	ret = cm_check_data(param->private_data, param->private_data_len,
			    IB_CM_REP_PRIVATE_DATA_SIZE);
	if (ret)
		return ret;

	spin_lock_irqsave(&id->lock, flags);
	step = cm_step(cm_id->state, CM_CALL_REP);
	if (step->verdict != CM_GO) {
		trace_icm_send_rep_err(cm_id->local_id, cm_id->state);
		ret = cm_refusal(step);
		goto out;
	}
	cm_id_names(id, &names);
	cm_build_rep(&mad, &names, &id->dev->self, id->qp_type, param);
	trace_icm_send_rep(cm_id);
	ret = cm_id_request(id, &mad, id->timeout_ms);
	if (ret)
		goto out;

	cm_id_wait(id, step->next);
	id->initiator_depth = param->initiator_depth;
	id->responder_resources = param->responder_resources;
	id->rq_psn = param->starting_psn & 0xffffff;
	id->local_qpn = param->qp_num & 0xffffff;
out:
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_rep);

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
	struct cm_id *id = to_cm_id(cm_id);
	const struct cm_step *step;
	struct cm_names names;
	unsigned long flags;
	union cm_mad mad;
	int ret;

	ret = cm_check_data(private_data, private_data_len,
			    IB_CM_RTU_PRIVATE_DATA_SIZE);
	if (ret)
		return ret;

	spin_lock_irqsave(&id->lock, flags);
	step = cm_step(cm_id->state, CM_CALL_RTU);
	if (step->verdict != CM_GO) {
		trace_icm_send_cm_rtu_err(cm_id);
		ret = cm_refusal(step);
		goto out;
	}
	cm_id_names(id, &names);
	cm_build_rtu(&mad, &names, private_data, private_data_len);
	trace_icm_send_rtu(cm_id);
	ret = cm_id_answer(id, &mad);
	if (ret)
		goto out;
	cm_answer_keep(id, CM_ATTR_RTU, 0, private_data, private_data_len);
	cm_id_move(id, step->next);
out:
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_rtu);

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
	struct cm_id *id = to_cm_id(cm_id);
	const struct cm_step *step;
	unsigned long flags;
	union cm_mad mad;
	int ret;

	ret = cm_check_data(private_data, private_data_len,
			    IB_CM_DREQ_PRIVATE_DATA_SIZE);
	if (ret)
		return ret;

	spin_lock_irqsave(&id->lock, flags);
	step = cm_step(cm_id->state, CM_CALL_DREQ);
	if (step->verdict != CM_GO) {
		trace_icm_dreq_skipped(cm_id);
		ret = cm_refusal(step);
		goto out;
	}
	cm_build_id_dreq(id, &mad, private_data, private_data_len);
	ret = cm_id_request(id, &mad, id->timeout_ms);
	if (ret)
		cm_id_move(id, IB_CM_TIMEWAIT);
	else
		cm_id_wait(id, step->next);
out:
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_dreq);

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
	struct cm_id *id = to_cm_id(cm_id);
	const struct cm_step *step;
	unsigned long flags;
	int ret;

	ret = cm_check_data(private_data, private_data_len,
			    IB_CM_DREP_PRIVATE_DATA_SIZE);
	if (ret)
		return ret;

	spin_lock_irqsave(&id->lock, flags);
	step = cm_step(cm_id->state, CM_CALL_DREP);
	if (step->verdict != CM_GO) {
		trace_icm_send_drep_err(cm_id);
		ret = cm_refusal(step);
		goto out;
	}
	cm_answer_keep(id, CM_ATTR_DREP, 0, private_data, private_data_len);
	cm_id_move(id, step->next);
	ret = cm_say_drep(id, id->tid, private_data, private_data_len);
out:
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_drep);

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
	struct cm_id *id = to_cm_id(cm_id);
	const struct cm_step *step;
	unsigned long flags;
	int ret;

	if (cm_check_data(private_data, private_data_len,
			  IB_CM_REJ_PRIVATE_DATA_SIZE) ||
	    cm_check_data(ari, ari_length, IB_CM_REJ_ARI_LENGTH))
		return -EINVAL;

	spin_lock_irqsave(&id->lock, flags);
	step = cm_step(cm_id->state, CM_CALL_REJ);
	if (step->verdict == CM_GO) {
		ret = cm_say_rej(id, &info);
		cm_id_move(id, step->next);
	} else {
		trace_icm_send_unknown_rej_err(cm_id);
		ret = cm_refusal(step);
	}
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_rej);

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
	struct cm_id *id = to_cm_id(cm_id);
	const u8 timeout = service_timeout & 0x1f;
	const struct cm_step *step;
	unsigned long flags;
	int ret;

	ret = cm_check_data(private_data, private_data_len,
			    IB_CM_MRA_PRIVATE_DATA_SIZE);
	if (ret)
		return ret;

	spin_lock_irqsave(&id->lock, flags);
	step = cm_step(cm_id->state, CM_CALL_MRA);
	if (step->verdict == CM_ASK_LAP)
		step = cm_lap_step(cm_id->lap_state, CM_CALL_MRA);
	if (step->verdict != CM_GO) {
		trace_icm_send_mra_unknown_err(cm_id);
		ret = cm_refusal(step);
		goto out;
	}
	if (!(service_timeout & IB_CM_MRA_FLAG_DELAY))
		ret = cm_say_mra(id, cm_id_about(id), timeout, private_data,
				 private_data_len);
	if (ret)
		goto out;
	cm_answer_keep(id, CM_ATTR_MRA, timeout, private_data,
		       private_data_len);
	if (cm_id->state == IB_CM_ESTABLISHED)
		cm_id->lap_state = step->next;
	else
		cm_id_move(id, step->next);
out:
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_mra);

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
	const struct cm_step *step;
	unsigned long flags;
	int ret = -EINVAL;

	spin_lock_irqsave(&id->lock, flags);
	if (event == IB_EVENT_COMM_EST) {
		step = cm_step(cm_id->state, CM_CALL_EST);
		if (step->verdict == CM_GO) {
			cm_id_move(id, step->next);
			cm_event_post_own(id, &id->established, step->raise,
					  IB_WC_SUCCESS);
			ret = 0;
		} else {
			ret = cm_refusal(step);
			if (ret != -EISCONN)
				trace_icm_establish_err(cm_id);
		}
	} else if (event == IB_EVENT_PATH_MIG) {
		ret = cm_lap_migrated(id);
	}
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}
EXPORT_SYMBOL(ib_cm_notify);

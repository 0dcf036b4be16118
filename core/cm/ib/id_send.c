// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that the state machine sends for an id, as an answer or at the end
 * of a state. Any context.
 */
#include <linux/string.h>

#include "core.h"
#include "trace.h"

/* Keep what may have to be sent again. */
void cm_save_reply(struct cm_id *id, enum cm_attr attr, u8 timeout,
		   const void *data, u8 len)
{
	struct cm_saved_reply *saved = &id->saved_reply;

	lockdep_assert_held(&id->lock);
	saved->attr = attr;
	saved->timeout = timeout;
	saved->len = data ? len : 0;
	if (saved->len)
		memcpy(saved->data, data, len);
}

/* Which message an MRA or a REJ is about. */
enum cm_msg_kind cm_id_msg_kind(const struct cm_id *id)
{
	switch (id->id.state) {
	case IB_CM_REQ_RCVD:
	case IB_CM_MRA_REQ_SENT:
		return CM_ABOUT_REQ;
	case IB_CM_REP_RCVD:
	case IB_CM_MRA_REP_SENT:
		return CM_ABOUT_REP;
	default:
		return CM_ABOUT_OTHER;
	}
}

int cm_id_send_rej(struct cm_id *id, const struct cm_rej_info *info)
{
	struct cm_rej_info full = *info;
	struct cm_msg_ids ids;
	union cm_mad mad;

	lockdep_assert_held(&id->lock);
	cm_id_msg_ids(id, &ids);
	full.about = cm_id_msg_kind(id);
	/* The peer has not been told the id yet. */
	if (id->id.state == IB_CM_REQ_RCVD)
		ids.local_id = 0;
	cm_build_rej(&mad, &ids, &full);
	trace_icm_send_rej(&id->id, info->reason);
	pr_debug("ib_cm: id %08x: REJ sent, reason %u\n",
		 be32_to_cpu(id->id.local_id), info->reason);
	return cm_id_reply(id, &mad);
}

int cm_id_send_drep(struct cm_id *id, __be64 tid, const void *data, u8 len)
{
	struct cm_msg_ids ids;
	union cm_mad mad;

	cm_id_msg_ids(id, &ids);
	ids.tid = tid;
	cm_build_drep(&mad, &ids, data, len);
	trace_icm_send_drep(&id->id);
	return cm_id_reply(id, &mad);
}

void cm_build_id_dreq(struct cm_id *id, union cm_mad *mad, const void *data, u8 len)
{
	struct cm_msg_ids ids;

	id->tid = cm_id_tid(id);
	cm_id_msg_ids(id, &ids);
	cm_build_dreq(mad, &ids, id->remote_qpn, data, len);
	trace_icm_send_dreq(&id->id);
}

int cm_id_send_mra(struct cm_id *id, enum cm_msg_kind what, u8 timeout,
		   const void *data, u8 len)
{
	struct cm_msg_ids ids;
	union cm_mad mad;

	cm_id_msg_ids(id, &ids);
	cm_build_mra(&mad, &ids, what, timeout, data, len);
	trace_icm_send_mra(&id->id);
	return cm_id_reply(id, &mad);
}

int cm_id_send_sidr_rep(struct cm_id *id,
			const struct ib_cm_sidr_rep_param *param)
{
	struct cm_msg_ids ids;
	union cm_mad mad;

	cm_id_msg_ids(id, &ids);
	cm_build_sidr_rep(&mad, &ids, id->id.service_id, param);
	trace_icm_send_sidr_rep(&id->id);
	return cm_id_reply(id, &mad);
}

/* The consumer goes without having answered. */
static int cm_sidr_refuse(struct cm_id *id)
{
	const struct ib_cm_sidr_rep_param param = { .status = IB_SIDR_REJECT };

	lockdep_assert_held(&id->lock);
	return cm_id_send_sidr_rep(id, &param);
}

/* The id is not kept for an answer, and a failure to send is not reported. */
void cm_id_send_final(struct cm_id *id, enum cm_final_msg msg)
{
	struct cm_rej_info rej = { .reason = IB_CM_REJ_CONSUMER_DEFINED };
	union cm_mad mad;

	lockdep_assert_held(&id->lock);
	switch (msg) {
	case CM_SEND_NOTHING:
		break;
	case CM_SEND_REJ_TIMEOUT:
		/* By the GUID the peer finds an id that it has not told. */
		rej.reason = IB_CM_REJ_TIMEOUT;
		rej.ari = &id->dev->self.guid;
		rej.ari_len = sizeof(id->dev->self.guid);
		fallthrough;
	case CM_SEND_REJ_CONSUMER:
		cm_id_send_rej(id, &rej);
		break;
	case CM_SEND_DREQ:
		cm_build_id_dreq(id, &mad, NULL, 0);
		cm_id_reply(id, &mad);
		break;
	case CM_SEND_DREP:
		cm_id_send_drep(id, id->tid, NULL, 0);
		break;
	case CM_SEND_SIDR_REJECT:
		cm_sidr_refuse(id);
		break;
	}
}

/* The peer repeats its message: it has not got the answer. */
void cm_resend_reply(struct cm_id *id, __be64 tid)
{
	const struct cm_saved_reply *kept = &id->saved_reply;
	enum cm_attr attr;
	const void *data;
	union cm_mad mad;
	struct cm_msg_ids ids;
	u8 len;

	lockdep_assert_held(&id->lock);
	if (id->id.state == IB_CM_TIMEWAIT)
		attr = CM_ATTR_DREP;
	else if (id->id.state == IB_CM_ESTABLISHED &&
		 id->id.lap_state != IB_CM_MRA_LAP_SENT)
		attr = CM_ATTR_RTU;
	else
		attr = CM_ATTR_MRA;
	data = kept->attr == attr ? kept->data : NULL;
	len = data ? kept->len : 0;

	cm_id_msg_ids(id, &ids);
	ids.tid = tid;
	if (attr == CM_ATTR_DREP)
		cm_build_drep(&mad, &ids, data, len);
	else if (attr == CM_ATTR_RTU)
		cm_build_rtu(&mad, &ids, data, len);
	else
		cm_build_mra(&mad, &ids, cm_id_msg_kind(id), kept->timeout, data, len);
	if (!cm_id_reply(id, &mad))
		cm_count(id->reply.port ?: id->av.to.port, CM_TX_RETRIES, attr,
			 1);
}

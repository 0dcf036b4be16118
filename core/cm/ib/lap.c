// SPDX-License-Identifier: GPL-2.0
/*
 * Alternate paths that a peer loads into a connection (IBA vol. 1, 12.8).
 *
 * The API tells the consumer of a LAP but has no call to answer it. The answer
 * is derived from what the consumer does: one that takes the path, by
 * ib_cm_init_qp_attr() for IB_QPS_RTS, agrees; one that returns from its
 * handler without it, and has not asked for patience, does not support it.
 */
#include "core.h"

static void cm_lap_send_apr(struct cm_id *id, enum ib_cm_apr_status status)
{
	struct cm_msg_ids ids;
	union cm_mad mad;

	lockdep_assert_held(&id->lock);
	cm_id_msg_ids(id, &ids);
	cm_build_apr(&mad, &ids, status);
	cm_id_reply(id, &mad);
	id->id.lap_state = IB_CM_LAP_IDLE;
}

/*
 * The consumer's handler has returned (the state is LAP_RCVD still if it did
 * nothing), or it has taken the path.
 */
void cm_lap_reply(struct cm_id *id)
{
	unsigned long flags;

	spin_lock_irqsave(&id->lock, flags);
	if (id->id.state != IB_CM_ESTABLISHED)
		goto out;
	if (id->id.lap_state == IB_CM_LAP_RCVD)
		cm_lap_send_apr(id, id->loaded ? IB_CM_APR_SUCCESS :
						 IB_CM_APR_UNSUPPORTED);
	else if (id->id.lap_state == IB_CM_MRA_LAP_SENT && id->loaded)
		cm_lap_send_apr(id, IB_CM_APR_SUCCESS);
out:
	spin_unlock_irqrestore(&id->lock, flags);
}

/* ib_cm_notify(IB_EVENT_PATH_MIG): data goes by the other path now. */
int cm_lap_migrated(struct cm_id *id)
{
	const struct cm_fsm_step *step = cm_fsm_step(id->id.state, CM_CALL_MIG);

	lockdep_assert_held(&id->lock);
	if (step->result == CM_ASK_LAP)
		step = cm_fsm_lap_step(id->id.lap_state, CM_CALL_MIG);
	if (step->result != CM_GO)
		return cm_fsm_errno(step);
	if (!id->alt_av.to.port)
		return -EINVAL;
	id->id.lap_state = step->next;
	swap(id->av, id->alt_av);
	/* The peer moves, too, and may have another address there. */
	id->has_peer_gid = false;
	/* Answers no longer go to the address of the first request. */
	cm_dest_drop(&id->reply);
	return 0;
}

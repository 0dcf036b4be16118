// SPDX-License-Identifier: GPL-2.0
/*
 * The end of TimeWait (IBA vol. 1, 12.9.8.4): the id and its consumer are told,
 * and the remote end is freed.
 */
#include <linux/slab.h>

#include "core.h"

static void cm_timewait_notify(struct cm_peer *peer)
{
	struct cm_id *id = cm_id_find(peer->local_id);
	const struct cm_fsm_step *step;

	if (!id)
		return;
	spin_lock_irq(&id->lock);
	step = cm_fsm_step(id->id.state, CM_TIMEWAIT_END);
	/* The id may be in the TimeWait of a connection that came later. */
	if (id->timewait == peer && step->result == CM_GO) {
		id->timewait = NULL;
		cm_id_move(id, step->next);
		cm_event_post_own(id, &id->wait_over, step->raise,
				  IB_WC_SUCCESS);
	}
	spin_unlock_irq(&id->lock);
	cm_id_put(id);
}

static void cm_timewait_work(struct work_struct *work)
{
	struct cm_peer *peer = container_of(to_delayed_work(work),
					    struct cm_peer, work);

	cm_peer_unlist(peer);
	cm_timewait_notify(peer);

	cm_timewait_done(peer);
}

/* Return: a remote end that is not known yet, or NULL. */
struct cm_peer *cm_peer_new(__be32 local_id, gfp_t gfp)
{
	struct cm_peer *peer = kzalloc(sizeof(*peer), gfp);

	if (!peer)
		return NULL;
	peer->local_id = local_id;
	RB_CLEAR_NODE(&peer->by_qpn);
	INIT_LIST_HEAD(&peer->node);
	INIT_DELAYED_WORK(&peer->work, cm_timewait_work);
	return peer;
}

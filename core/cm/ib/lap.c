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

static void cm_say_apr(struct cm_id *id, enum ib_cm_apr_status status)
{
	struct cm_names names;
	union cm_mad mad;

	lockdep_assert_held(&id->lock);
	cm_id_names(id, &names);
	cm_build_apr(&mad, &names, status);
	cm_id_answer(id, &mad);
	id->id.lap_state = IB_CM_LAP_IDLE;
}

/*
 * The consumer's handler has returned (the state is LAP_RCVD still if it did
 * nothing), or it has taken the path.
 */
void cm_lap_answer(struct cm_id *id)
{
	unsigned long flags;

	spin_lock_irqsave(&id->lock, flags);
	if (id->id.state != IB_CM_ESTABLISHED)
		goto out;
	if (id->id.lap_state == IB_CM_LAP_RCVD)
		cm_say_apr(id, id->loaded ? IB_CM_APR_SUCCESS :
					 IB_CM_APR_UNSUPPORTED);
	else if (id->id.lap_state == IB_CM_MRA_LAP_SENT && id->loaded)
		cm_say_apr(id, IB_CM_APR_SUCCESS);
out:
	spin_unlock_irqrestore(&id->lock, flags);
}

/* ib_cm_notify(IB_EVENT_PATH_MIG): data goes by the other path now. */
int cm_lap_migrated(struct cm_id *id)
{
	const struct cm_step *step = cm_step(id->id.state, CM_CALL_MIG);

	lockdep_assert_held(&id->lock);
	if (step->verdict == CM_ASK_LAP)
		step = cm_lap_step(id->id.lap_state, CM_CALL_MIG);
	if (step->verdict != CM_GO)
		return cm_refusal(step);
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

static void cm_take_path(struct cm_rx *rx, struct cm_id *id, struct cm_av *av,
			 const struct cm_step *step)
{
	lockdep_assert_held(&id->lock);
	swap(id->alt_av, *av);
	id->tid = rx->mad->hdr.tid;
	id->loaded = false;
	id->id.lap_state = step->next;
	rx->event.event.event = step->raise;
	rx->event.event.param.lap_rcvd.alternate_path = &rx->path[0];
	rx->event.event.private_data =
		IBA_GET_MEM_PTR(CM_LAP_PRIVATE_DATA, &rx->mad->lap);
	rx->event.message = rx;
	cm_event_post(id, &rx->event);
}

/* What the table says now; the message is counted when it is a duplicate. */
static const struct cm_step *cm_do_lap_step(struct cm_rx *rx, struct cm_id *id)
{
	lockdep_assert_held(&id->lock);
	return cm_rx_fits(rx, id) ? cm_rx_step(rx, id, CM_RX_LAP) : NULL;
}

/* A LAP. On RoCE, which has no path migration, it is dropped. */
bool cm_rx_lap(struct cm_rx *rx)
{
	struct cm_dev *dev = rx->port->dev;
	const struct cm_step *step;
	struct cm_av av = {};
	struct cm_id *id;

	if (!rdma_protocol_ib(dev->device, rx->port->num))
		return false;
	id = cm_rx_id(rx);
	if (!id)
		return false;

	cm_read_lap_path(rx->mad, &rx->path[0]);
	spin_lock_irq(&id->lock);
	step = cm_do_lap_step(rx, id);
	rx->path[0].pkey = id->pkey;
	rx->path[0].mtu = id->path_mtu;
	spin_unlock_irq(&id->lock);

	/* InfiniBand has no neighbour to wait for, but it may sleep. */
	if (step && !cm_av_from_path(dev, &rx->path[0], NULL, &av)) {
		spin_lock_irq(&id->lock);
		step = cm_do_lap_step(rx, id);
		if (step)
			cm_take_path(rx, id, &av, step);
		spin_unlock_irq(&id->lock);
		cm_dest_drop(&av.to);
	} else {
		step = NULL;
	}
	cm_id_put(id);
	return step;
}

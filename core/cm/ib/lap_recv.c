// SPDX-License-Identifier: GPL-2.0
/* A LAP that came in (IBA vol. 1, 12.8). */
#include "core.h"

static void cm_take_path(struct cm_rx *rx, struct cm_id *id, struct cm_av *av,
			 const struct cm_fsm_step *step)
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
static const struct cm_fsm_step *cm_do_lap_step(struct cm_rx *rx, struct cm_id *id)
{
	lockdep_assert_held(&id->lock);
	return cm_rx_fits(rx, id) ? cm_rx_step(rx, id, CM_RX_LAP) : NULL;
}

/* A LAP. On RoCE, which has no path migration, it is dropped. */
bool cm_rx_lap(struct cm_rx *rx)
{
	struct cm_dev *dev = rx->port->dev;
	const struct cm_fsm_step *step;
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

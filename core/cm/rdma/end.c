// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: the end of an id.
 *
 * An id ends in two phases. First its state becomes DESTROYING, with the
 * handler_mutex held: a thread that takes that mutex later to call the handler
 * sees the state and does not call. So no call is left when the mutex is free
 * again. The second phase runs without the mutex, since threads that use the id
 * need it to finish. It cancels queries and removes the id from all places that
 * lead to it: listens, its line in the table of resources (before what is read
 * for that line), groups, the CM's id (which waits for events under way), port,
 * device. A thread that found the id before holds a reference; the references
 * are waited for last.
 */
#include <linux/memcontrol.h>
#include <linux/slab.h>
#include <compat/cm_event.h>

#include "../ib/ib_cm.h"
#include "cma.h"
#include "trace.h"

/*
 * End of a work that has a reference: tells the consumer, unless @event is
 * NULL, and destroys the id if it wants that.
 */
void cma_report_unlock_put(struct cma_id *id, struct rdma_cm_event *event)
{
	int was = -EINVAL;

	if (event && cma_report(id, event))
		was = cma_move_from(id, CMA_M_DESTROY);
	mutex_unlock(&id->handler_mutex);
	cma_id_put(id);
	if (was >= 0)
		cma_end(id, was);
}

/*
 * Ends the id after a call of the CM in which the handler has asked for it. The
 * CM destroys its own id when that call returns, so the caller has cleared its
 * pointer.
 */
void cma_end_unlock(struct cma_id *id)
{
	int was = cma_move_from(id, CMA_M_DESTROY);

	mutex_unlock(&id->handler_mutex);
	if (was >= 0)
		cma_end(id, was);
}

/**
 * cma_finish_callback - the end of a call of the IB or the iWARP CM
 * @id: id that the call was for, with the handler_mutex held
 * @ret: what the handler of the consumer returned, 0 if it was not called
 *
 * The CM destroys its own id when its call returns nonzero, so @id loses its
 * pointer to that. Context: process, may sleep. Return: @ret, for the CM.
 */
int cma_finish_callback(struct cma_id *id, int ret)
{
	lockdep_assert_held(&id->handler_mutex);
	if (!ret) {
		mutex_unlock(&id->handler_mutex);
		return 0;
	}
	/* Also the pointer to the id of the iWARP CM. */
	id->ib = NULL;
	cma_end_unlock(id);
	return ret;
}

/*
 * What @was under way. After rdma_addr_cancel() no callback comes; a cancelled
 * SA query still calls back, and has a reference for that.
 */
static void cma_cancel(struct cma_id *id, enum cma_state was)
{
	switch (was) {
	case CMA_S_ADDR_QUERY:
		rdma_addr_cancel(cma_l2(id));
		break;
	case CMA_S_ROUTE_QUERY:
	case CMA_S_BOUND_SERVICE_QUERY:
	case CMA_S_RESOLVED_SERVICE_QUERY:
		if (id->sa_query)
			ib_sa_cancel_query(id->sa_query_id, id->sa_query);
		break;
	case CMA_S_LISTEN:
		cma_unlisten(id);
		break;
	case CMA_S_DEVICE_REMOVAL:
		/* What a command began after the removal had looked. */
		cma_cancel(id, CMA_S_ADDR_QUERY);
		cma_cancel(id, CMA_S_ROUTE_QUERY);
		break;
	default:
		break;
	}
}

static void cma_end_connection(struct cma_id *id)
{
	if (!id->ib)
		return;
	if (cma_uses_ib(id))
		ib_destroy_cm_id(id->ib);
	else
		iw_destroy_cm_id(id->iw);
	id->ib = NULL;
}

static void cma_free_id(struct cma_id *id)
{
	struct rdma_route *route = &id->pub.route;

	kfree(route->path_rec);
	kfree(route->path_rec_inbound);
	kfree(route->path_rec_outbound);
	compat_free_service_recs(route);
	mem_cgroup_put(id->memcg);
	ofed_cm_owner_put(id->owner);
	put_net(cma_net(id));
	kfree(id);
}

/**
 * cma_end - second phase of the end of an id, see the head of the file
 * @id: id in state DESTROYING; gone when this returns
 * @was: state before
 *
 * Context: process, may sleep; no lock of this module is held, except perhaps
 * the handler_mutex of the listening id of a connection.
 */
void cma_end(struct cma_id *id, enum cma_state was)
{
	trace_cm_id_destroy(id);
	cma_cancel(id, was);
	/* A driver looks at its connection when the line is read. */
	cma_res_hide(&id->res);
	cma_mcast_leave_all(id);
	cma_end_connection(id);
	cma_unwatch(id);
	cma_port_release(id);
	cma_device_detach(id);

	cma_id_put(id);
	wait_for_completion(&id->unused);
	/*
	 * Threads that were waited for above used the device, and the owner
	 * when listening on new devices.
	 */
	cma_res_forget(&id->res);
	cma_device_release(id);
	cma_free_id(id);
}

/**
 * cma_id_removed_put - the device of an id goes
 * @id: id that is in no list of the device any more, with a reference
 *
 * Its consumer hears of it, and destroys it soon. Context: process, may sleep.
 */
void cma_id_removed_put(struct cma_id *id)
{
	struct rdma_cm_event event = {
		.event = RDMA_CM_EVENT_DEVICE_REMOVAL,
	};
	int was;

	mutex_lock(&id->handler_mutex);
	was = cma_move_from(id, CMA_M_REMOVE);
	if (was >= 0 && cma_report(id, &event)) {
		cma_move(id, CMA_M_DESTROY);
		mutex_unlock(&id->handler_mutex);
		cma_id_put(id);
		cma_end(id, was);
		return;
	}
	mutex_unlock(&id->handler_mutex);
	if (was >= 0)
		cma_cancel(id, was);
	cma_id_put(id);
}

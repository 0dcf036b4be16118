/* SPDX-License-Identifier: GPL-2.0 */
/* The states of an id of rdma_cm, and what leads from one to another. Pure: state.c. */
#ifndef OFED_CMA_STATE_H
#define OFED_CMA_STATE_H

#include <linux/types.h>
#include <rdma/ib_cm.h>

/* The numbers are ABI: 'rdma resource show cm_id' gives them names. */
enum cma_state {
	/* no address yet */
	CMA_S_IDLE = 0,
	/* the destination's addresses are being looked for, or are known */
	CMA_S_ADDR_QUERY = 1,
	CMA_S_ADDR_RESOLVED = 2,
	/* and the path */
	CMA_S_ROUTE_QUERY = 3,
	CMA_S_ROUTE_RESOLVED = 4,
	/* from the request on, whichever side sent it */
	CMA_S_CONNECT = 5,
	CMA_S_DISCONNECT = 6,
	/* has a port, maybe a local address */
	CMA_S_ADDR_BOUND = 7,
	CMA_S_LISTEN = 8,
	/* its device is gone, so only destruction is left */
	CMA_S_DEVICE_REMOVAL = 9,
	CMA_S_DESTROYING = 10,
	/* ADDR_BOUND or ADDR_RESOLVED, and services are being looked for; see cma_shown_state() */
	CMA_S_BOUND_SERVICE_QUERY = 11,
	CMA_S_RESOLVED_SERVICE_QUERY = 12,
	CMA_STATES
};

/* What can happen to an id; state.c has the table. */
enum cma_move {
	CMA_M_BIND,
	CMA_M_UNBIND,
	CMA_M_LISTEN,
	CMA_M_UNLISTEN,
	CMA_M_ADDR_ASK,
	CMA_M_ADDR_KNOWN,
	CMA_M_ADDR_FAIL,
	CMA_M_SERVICE_ASK,
	CMA_M_SERVICE_END,
	CMA_M_ROUTE_ASK,
	CMA_M_ROUTE_KNOWN,
	CMA_M_ROUTE_FAIL,
	CMA_M_ROUTE_GIVEN,
	CMA_M_ROUTE_TAKEN,
	CMA_M_CONNECT,
	CMA_M_CONNECT_FAIL,
	CMA_M_REQUESTED,
	CMA_M_DISCONNECT,
	CMA_M_REMOVE,
	CMA_M_DESTROY,
	CMA_MOVES
};

int cma_next_state(enum cma_state from, enum cma_move move);
enum cma_state cma_shown_state(enum cma_state state);
bool cma_takes_ib_event(enum cma_state state, enum ib_cm_event_type event);

#endif /* OFED_CMA_STATE_H */

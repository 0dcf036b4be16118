// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: which state follows which, as a table. */
#include <kunit/visibility.h>

#include "cma.h"

#define FROM(state) [CMA_S_##state]
/* IDLE is zero, so entries are one more than the state they name. */
#define TO(state) (CMA_S_##state + 1)

/* Destruction follows on everything but itself; see cma_next_state(). */
static const u8 next_state[CMA_MOVES][CMA_STATES] = {
	[CMA_M_BIND] = { FROM(IDLE) = TO(ADDR_BOUND) },
	[CMA_M_UNBIND] = { FROM(ADDR_BOUND) = TO(IDLE) },

	[CMA_M_LISTEN] = { FROM(ADDR_BOUND) = TO(LISTEN) },
	[CMA_M_UNLISTEN] = { FROM(LISTEN) = TO(ADDR_BOUND) },

	[CMA_M_ADDR_ASK] = { FROM(ADDR_BOUND) = TO(ADDR_QUERY) },
	[CMA_M_ADDR_KNOWN] = { FROM(ADDR_QUERY) = TO(ADDR_RESOLVED) },
	[CMA_M_ADDR_FAIL] = { FROM(ADDR_QUERY) = TO(ADDR_BOUND) },

	[CMA_M_SERVICE_ASK] = {
		FROM(ADDR_BOUND) = TO(BOUND_SERVICE_QUERY),
		FROM(ADDR_RESOLVED) = TO(RESOLVED_SERVICE_QUERY),
	},
	[CMA_M_SERVICE_END] = {
		FROM(BOUND_SERVICE_QUERY) = TO(ADDR_BOUND),
		FROM(RESOLVED_SERVICE_QUERY) = TO(ADDR_RESOLVED),
	},

	[CMA_M_ROUTE_ASK] = { FROM(ADDR_RESOLVED) = TO(ROUTE_QUERY) },
	[CMA_M_ROUTE_KNOWN] = { FROM(ROUTE_QUERY) = TO(ROUTE_RESOLVED) },
	[CMA_M_ROUTE_FAIL] = { FROM(ROUTE_QUERY) = TO(ADDR_RESOLVED) },
	/* rdma_set_ib_path(): no query; and its failure. */
	[CMA_M_ROUTE_GIVEN] = { FROM(ADDR_RESOLVED) = TO(ROUTE_RESOLVED) },
	[CMA_M_ROUTE_TAKEN] = { FROM(ROUTE_RESOLVED) = TO(ADDR_RESOLVED) },

	[CMA_M_CONNECT] = { FROM(ROUTE_RESOLVED) = TO(CONNECT) },
	[CMA_M_CONNECT_FAIL] = { FROM(CONNECT) = TO(ROUTE_RESOLVED) },
	/* The id of a request that came in. */
	[CMA_M_REQUESTED] = { FROM(IDLE) = TO(CONNECT) },
	[CMA_M_DISCONNECT] = { FROM(CONNECT) = TO(DISCONNECT) },
};

/**
 * cma_next_state - where a move leads
 * @from: state
 * @move: what happens
 *
 * Pure. Return: the next state, or -EINVAL when the move is not allowed.
 */
int cma_next_state(enum cma_state from, enum cma_move move)
{
	if (from == CMA_S_DESTROYING)
		return -EINVAL;
	if (move == CMA_M_DESTROY)
		return CMA_S_DESTROYING;
	if (from == CMA_S_DEVICE_REMOVAL)
		return -EINVAL;
	if (move == CMA_M_REMOVE)
		return CMA_S_DEVICE_REMOVAL;
	return next_state[move][from] ? next_state[move][from] - 1 : -EINVAL;
}
EXPORT_SYMBOL_IF_KUNIT(cma_next_state);

/**
 * cma_shown_state - what 'rdma resource show cm_id' has for a state
 * @state: state
 *
 * A query of services leaves the addresses of the id as they are. Pure.
 * Return: a state that programs have a name for.
 */
enum cma_state cma_shown_state(enum cma_state state)
{
	switch (state) {
	case CMA_S_BOUND_SERVICE_QUERY:
		return CMA_S_ADDR_BOUND;
	case CMA_S_RESOLVED_SERVICE_QUERY:
		return CMA_S_ADDR_RESOLVED;
	default:
		return state;
	}
}
EXPORT_SYMBOL_IF_KUNIT(cma_shown_state);

/**
 * cma_takes_ib_event - does an event of the IB CM mean something to an id?
 * @state: the id's state
 * @event: event
 *
 * A connection that has been given up may still hear of its end of time wait,
 * and of nothing else. Pure. Return: true if so.
 */
bool cma_takes_ib_event(enum cma_state state, enum ib_cm_event_type event)
{
	if (event == IB_CM_TIMEWAIT_EXIT)
		return state == CMA_S_DISCONNECT;
	return state == CMA_S_CONNECT;
}
EXPORT_SYMBOL_IF_KUNIT(cma_takes_ib_event);

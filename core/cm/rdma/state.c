// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: which state follows which, as a table. */
#include <kunit/visibility.h>

#include "cma.h"

#define FROM(state) [RCM_S_##state]
/* IDLE is zero, so entries are one more than the state they name. */
#define TO(state) (RCM_S_##state + 1)

/* Destruction follows on everything but itself; see rcm_next_state(). */
static const u8 next_state[RCM_MOVES][RCM_STATES] = {
	[RCM_M_BIND] = { FROM(IDLE) = TO(ADDR_BOUND) },
	[RCM_M_UNBIND] = { FROM(ADDR_BOUND) = TO(IDLE) },

	[RCM_M_LISTEN] = { FROM(ADDR_BOUND) = TO(LISTEN) },
	[RCM_M_UNLISTEN] = { FROM(LISTEN) = TO(ADDR_BOUND) },

	[RCM_M_ADDR_ASK] = { FROM(ADDR_BOUND) = TO(ADDR_QUERY) },
	[RCM_M_ADDR_KNOWN] = { FROM(ADDR_QUERY) = TO(ADDR_RESOLVED) },
	[RCM_M_ADDR_FAIL] = { FROM(ADDR_QUERY) = TO(ADDR_BOUND) },

	[RCM_M_ROUTE_ASK] = { FROM(ADDR_RESOLVED) = TO(ROUTE_QUERY) },
	[RCM_M_ROUTE_KNOWN] = { FROM(ROUTE_QUERY) = TO(ROUTE_RESOLVED) },
	[RCM_M_ROUTE_FAIL] = { FROM(ROUTE_QUERY) = TO(ADDR_RESOLVED) },
	/* rdma_set_ib_path(): no query; and its failure. */
	[RCM_M_ROUTE_GIVEN] = { FROM(ADDR_RESOLVED) = TO(ROUTE_RESOLVED) },
	[RCM_M_ROUTE_TAKEN] = { FROM(ROUTE_RESOLVED) = TO(ADDR_RESOLVED) },

	[RCM_M_CONNECT] = { FROM(ROUTE_RESOLVED) = TO(CONNECT) },
	[RCM_M_CONNECT_FAIL] = { FROM(CONNECT) = TO(ROUTE_RESOLVED) },
	/* The id of a request that came in. */
	[RCM_M_REQUESTED] = { FROM(IDLE) = TO(CONNECT) },
	[RCM_M_DISCONNECT] = { FROM(CONNECT) = TO(DISCONNECT) },
};

/**
 * rcm_next_state - where a move leads
 * @from: state
 * @move: what happens
 *
 * Pure. Return: the next state, or -EINVAL when the move is not allowed.
 */
int rcm_next_state(enum rcm_state from, enum rcm_move move)
{
	if (from == RCM_S_DESTROYING)
		return -EINVAL;
	if (move == RCM_M_DESTROY)
		return RCM_S_DESTROYING;
	if (from == RCM_S_DEVICE_REMOVAL)
		return -EINVAL;
	if (move == RCM_M_REMOVE)
		return RCM_S_DEVICE_REMOVAL;
	return next_state[move][from] ? next_state[move][from] - 1 : -EINVAL;
}
EXPORT_SYMBOL_IF_KUNIT(rcm_next_state);

/**
 * rcm_takes_ib_event - does an event of the IB CM mean something to an id?
 * @state: the id's state
 * @event: event
 *
 * A connection that has been given up may still hear of its end of time wait,
 * and of nothing else. Pure. Return: true if so.
 */
bool rcm_takes_ib_event(enum rcm_state state, enum ib_cm_event_type event)
{
	if (event == IB_CM_TIMEWAIT_EXIT)
		return state == RCM_S_DISCONNECT;
	return state == RCM_S_CONNECT;
}
EXPORT_SYMBOL_IF_KUNIT(rcm_takes_ib_event);

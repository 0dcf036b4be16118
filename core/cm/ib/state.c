// SPDX-License-Identifier: GPL-2.0
/*
 * The move of an id to its next state: what belongs to the state that it leaves
 * ends here. And how many passive ids there are that are not connected yet.
 */
#include <kunit/visibility.h>
#include <linux/hash.h>

#include "core.h"
#include "ib_cm.h"

VISIBLE_IF_KUNIT atomic_t cm_half_open_all;
static atomic_t half_open[CM_HALF_OPEN_BUCKETS];

/*
 * Listeners are told apart, so that one which is flooded does not take all
 * places. The end is when the id moves on.
 *
 * Return: false when there are too many.
 */
bool cm_half_open_begin(struct cm_id *id, __be64 service_id)
{
	u32 bucket = hash_64(be64_to_cpu(service_id), 32) ^
		     hash_ptr(id->id.device, 32);

	bucket %= CM_HALF_OPEN_BUCKETS;
	if (!atomic_add_unless(&cm_half_open_all, 1, CM_HALF_OPEN_MOST))
		return false;
	if (!atomic_add_unless(&half_open[bucket], 1, CM_HALF_OPEN_ONE)) {
		atomic_dec(&cm_half_open_all);
		return false;
	}
	id->half_open = bucket;
	return true;
}

/**
 * ofed_cm_charge - count the id of a request as the user's until it is connected
 * @cm_id: the id, in the callback with its request
 * @owner: user that listens, or NULL: the kernel does, and nothing is counted
 *
 * Which program a request is for, the CM does not know: a service id may be that of several.
 *
 * Context: process. Return: 0; -ENOMEM: the user has too many, the callback is to return this.
 */
int ofed_cm_charge(struct ib_cm_id *cm_id, struct ofed_cm_owner *owner)
{
	struct cm_id *id = to_cm_id(cm_id);
	bool counted = true;

	if (!owner)
		return 0;
	spin_lock_irq(&id->lock);
	/* The peer may have given up meanwhile. */
	if (id->half_open >= 0)
		counted = cm_owner_begin(id, owner,
					 CM_HALF_OPEN_MOST - atomic_read(&cm_half_open_all));
	spin_unlock_irq(&id->lock);
	return counted ? 0 : -ENOMEM;
}

static void cm_half_open_end(struct cm_id *id)
{
	if (id->half_open < 0)
		return;
	cm_owner_end(id);
	atomic_dec(&half_open[id->half_open]);
	atomic_dec(&cm_half_open_all);
	id->half_open = -1;
}

/* The peer's "I need more time" leaves the request under way. */
static bool cm_still_waiting(enum ib_cm_state state)
{
	return state == IB_CM_MRA_REQ_RCVD || state == IB_CM_MRA_REP_RCVD;
}

/*
 * Everything that belongs to a state ends here, whichever way it is left. The
 * caller has asked cm_fsm_step().
 */
void cm_id_move(struct cm_id *id, enum ib_cm_state next)
{
	lockdep_assert_held(&id->lock);

	if (id->request && !cm_still_waiting(next))
		cm_id_cancel(id);
	if (!cm_state_half_open(next))
		cm_half_open_end(id);
	if (id->sidr_listed && next != IB_CM_SIDR_REQ_RCVD)
		cm_sidr_forget(id);

	id->id.state = next;
	if (next == IB_CM_TIMEWAIT) {
		cm_timewait_begin(id);
	} else if (next == IB_CM_IDLE && id->peer) {
		cm_peer_free(id->peer);
		id->peer = NULL;
	}
}

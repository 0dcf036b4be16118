// SPDX-License-Identifier: GPL-2.0
/* The iWARP CM: ids, their moves and their end. */
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "iwcm_id.h"
#include "iwpm.h"

void ofed_iw_id_get(struct iw_id *id)
{
	refcount_inc(&id->refs);
}

void ofed_iw_id_put(struct iw_id *id)
{
	struct ofed_iw_store *store;

	if (!refcount_dec_and_test(&id->refs))
		return;
	while ((store = id->store)) {
		id->store = store->next;
		kvfree(store);
	}
	kfree(id);
}

/* For drivers, in any context. */
static void iwcm_add_ref(struct iw_cm_id *cm_id)
{
	ofed_iw_id_get(to_iw_id(cm_id));
}

static void iwcm_rem_ref(struct iw_cm_id *cm_id)
{
	ofed_iw_id_put(to_iw_id(cm_id));
}

struct iw_id *ofed_iw_id_new(struct ib_device *device, iw_cm_handler handler,
			     void *context, gfp_t gfp)
{
	struct iw_id *id = kzalloc(sizeof(*id), gfp);

	if (!id)
		return ERR_PTR(-ENOMEM);
	id->id.event_handler = ofed_iw_event;
	id->id.add_ref = iwcm_add_ref;
	id->id.rem_ref = iwcm_rem_ref;
	id->id.device = device;
	id->id.context = context;
	id->id.cm_handler = handler;

	id->state = IW_IDLE;
	refcount_set(&id->refs, 1);
	spin_lock_init(&id->lock);
	init_waitqueue_head(&id->waiters);
	INIT_LIST_HEAD(&id->events);
	INIT_LIST_HEAD(&id->spare);
	INIT_WORK(&id->work, ofed_iw_events_work);
	return id;
}

/* See to it that @id has places for so many events at a time. */
int ofed_iw_id_room(struct iw_id *id, unsigned int events, gfp_t gfp)
{
	struct ofed_iw_store *store;
	unsigned int i, more;

	if (id->places >= events)
		return 0;
	more = events - id->places;
	store = kvzalloc(struct_size(store, events, more), gfp);
	if (!store)
		return -ENOMEM;
	spin_lock_irq(&id->lock);
	for (i = 0; i < more; i++)
		list_add(&store->events[i].entry, &id->spare);
	store->next = id->store;
	id->store = store;
	id->places = events;
	spin_unlock_irq(&id->lock);
	return 0;
}

void ofed_iw_put_qp(struct iw_id *id, struct ib_qp *qp)
{
	if (qp)
		id->id.device->ops.iw_rem_ref(qp);
}

/* Move by a call of the client; @from is the state before. */
int iwcm_move(struct iw_id *id, enum ofed_iw_input input,
	      enum ofed_iw_state *from)
{
	const struct ofed_iw_step step = ofed_iw_step(id->state, input);

	lockdep_assert_held(&id->lock);
	*from = id->state;
	id->state = step.next;
	if (step.result == IW_REFUSE)
		ibdev_dbg(id->id.device, "iw_cm: input %u refused in state %u\n",
			  input, *from);
	return step.result == IW_REFUSE ? -EINVAL : 0;
}

/*
 * Wait out the driver's report or answer, then move. The lock is held when this
 * returns.
 */
int iwcm_move_when_reported(struct iw_id *id, enum ofed_iw_input input,
			    enum ofed_iw_state *from)
	__acquires(&id->lock)
{
	spin_lock_irq(&id->lock);
	wait_event_lock_irq(id->waiters,
			    ofed_iw_step(id->state, input).result != IW_WAIT,
			    id->lock);
	return iwcm_move(id, input, from);
}

struct ib_qp *iwcm_part(struct iw_id *id)
{
	struct ib_qp *qp = id->qp;

	lockdep_assert_held(&id->lock);
	id->qp = NULL;
	return qp;
}

int iwcm_qp_to(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

static void iwcm_take_down(struct iw_id *id, enum ofed_iw_state from,
			   struct ib_qp *qp)
{
	const struct ib_device_ops *ops = &id->id.device->ops;

	if (from == IW_LISTEN)
		ops->iw_destroy_listen(&id->id);
	else if (from == IW_CALLED)
		ops->iw_reject(&id->id, NULL, 0);
	else if (from == IW_OPEN && qp)
		iwcm_qp_to(qp, IB_QPS_ERR);
	ofed_iw_put_qp(id, qp);
}

/*
 * First the id is marked, so that the driver's events reach the client no more;
 * then the driver is told, and may send its last events; then a handler under
 * way on another thread is waited for; what is left in the queue is dropped.
 */
void ofed_iw_id_destroy(struct iw_id *id)
{
	enum ofed_iw_state from;
	struct ib_qp *qp;
	int ret;

	ret = iwcm_move_when_reported(id, IW_DO_DESTROY, &from);
	qp = iwcm_part(id);
	spin_unlock_irq(&id->lock);
	/* A handler that destroys its id and returns an error as well. */
	if (ret)
		return;
	iwcm_take_down(id, from, qp);

	spin_lock_irq(&id->lock);
	wait_event_lock_irq(id->waiters,
			    !id->runner || id->runner == current, id->lock);
	spin_unlock_irq(&id->lock);
	ofed_iw_events_drop(id);
	ofed_iw_pm_unmap(id);
	ofed_iw_id_put(id);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Communication ids: making them, finding them by the number that the peer
 * uses, calling their consumers, and their end.
 */
#include <linux/memcontrol.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "core.h"

/*
 * Ids by their number. The search for a free number goes round from a random
 * start: a number is not used again for as long as that takes, which is longer
 * than any TimeWait, and one run of the machine does not meet late messages of
 * the one before. The xarray's lock guards it; an id that is found under it
 * can not be freed.
 */
static DEFINE_XARRAY_FLAGS(ids, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
static u32 next_number;

void cm_ids_init(void)
{
	next_number = get_random_u32();
}

void cm_ids_exit(void)
{
	xa_destroy(&ids);
}

static struct cm_event *cm_next_event(struct cm_id *id, struct ib_cm_event *event)
{
	struct cm_event *ev = NULL;

	spin_lock_irq(&id->lock);
	if (!id->dying)
		ev = list_first_entry_or_null(&id->events, struct cm_event,
					      node);
	if (ev) {
		list_del_init(&ev->node);
		/* From here on an event of the id may be posted again. */
		*event = ev->event;
	} else {
		id->running = false;
	}
	spin_unlock_irq(&id->lock);
	return ev;
}

/*
 * The one worker of an id. It holds a reference, which cm_id_destroy() waits
 * for.
 */
static void cm_events_work(struct work_struct *work)
{
	struct cm_id *id = container_of(work, struct cm_id, work);
	struct ib_cm_event event;
	struct cm_event *ev;
	int ret;

	while ((ev = cm_next_event(id, &event))) {
		ret = id->id.cm_handler(&id->id, &event);
		cm_event_done(ev);
		if (event.event == IB_CM_LAP_RECEIVED && !ret)
			cm_lap_reply(id);
		if (ret) {
			/* After the handler's error the CM owns the id. */
			cm_id_put(id);
			cm_id_destroy(id, ret == -ENOMEM &&
				      event.event == IB_CM_REQ_RECEIVED);
			return;
		}
	}
	cm_id_put(id);
}

static struct cm_id *cm_id_alloc(ib_cm_handler handler, void *context, gfp_t gfp)
{
	struct cm_id *id = kzalloc(sizeof(*id), gfp);

	if (!id)
		return NULL;
	id->id.cm_handler = handler;
	id->id.context = context;
	id->id.remote_cm_qpn = 1;
	refcount_set(&id->refs, 1);
	init_completion(&id->gone);
	spin_lock_init(&id->lock);
	INIT_LIST_HEAD(&id->events);
	INIT_WORK(&id->work, cm_events_work);
	cm_event_init(&id->failure);
	cm_event_init(&id->established);
	cm_event_init(&id->wait_over);
	RB_CLEAR_NODE(&id->listening);
	id->saved_reply.attr = CM_ATTRS;
	id->half_open = -1;
	return id;
}

/* Return: an idle id with one reference, or ERR_PTR(-ENOMEM, -EBUSY). */
struct cm_id *cm_id_new(struct ib_device *device, ib_cm_handler handler,
			void *context, gfp_t gfp)
{
	struct cm_id *id = cm_id_alloc(handler, context, gfp);
	u32 number;
	int ret;

	if (!id)
		return ERR_PTR(-ENOMEM);
	id->id.device = device;
	id->dev = cm_dev_get(device);

	/* Found by number only when the number can be told from the id. */
	ret = xa_alloc_cyclic(&ids, &number, NULL, xa_limit_32b, &next_number,
			      gfp);
	if (ret < 0) {
		cm_dev_put(id->dev);
		kfree(id);
		return ERR_PTR(ret);
	}
	id->id.local_id = cpu_to_be32(number);
	xa_store(&ids, number, id, GFP_KERNEL);
	return id;
}

/* Return: the id with a reference, or NULL. Process context. */
struct cm_id *cm_id_find(__be32 local_id)
{
	struct cm_id *id;

	xa_lock(&ids);
	id = xa_load(&ids, be32_to_cpu(local_id));
	if (id && !refcount_inc_not_zero(&id->refs))
		id = NULL;
	xa_unlock(&ids);
	return id;
}

/* The caller has the only reference to the id. */
static void cm_drop_events(struct cm_id *id)
{
	struct cm_event *ev, *next;

	list_for_each_entry_safe(ev, next, &id->events, node) {
		list_del_init(&ev->node);
		cm_event_done(ev);
	}
}

static void cm_shut_down(struct cm_id *id, bool quietly)
{
	const struct cm_fsm_step *step;

	spin_lock_irq(&id->lock);
	id->dying = true;
	step = cm_fsm_step(id->id.state, CM_CALL_DESTROY);
	/* An XRC target is not disconnected; its initiator is what counts. */
	if (id->id.state == IB_CM_ESTABLISHED && id->qp_type == IB_QPT_XRC_TGT)
		step = cm_fsm_step(IB_CM_IDLE, CM_CALL_DESTROY);
	if (!quietly || id->id.state != IB_CM_REQ_RCVD)
		cm_id_send_final(id, step->send);
	cm_id_move(id, step->next);
	spin_unlock_irq(&id->lock);
}

/*
 * In two phases. First the id is made unreachable: look-ups do not find it,
 * events are not queued any more, and its requests are cancelled. Then the
 * references that are left are waited for: of a worker that handles a message
 * for it, of the consumer's callback under way, and of the MAD layer, which
 * hands back the cancelled request.
 *
 * @quietly: the peer is not told that its REQ is dropped, and tries again.
 */
void cm_id_destroy(struct cm_id *id, bool quietly)
{
	might_sleep();

	cm_shut_down(id, quietly);
	xa_erase(&ids, be32_to_cpu(id->id.local_id));
	/* A worker that has not begun would find nothing to do. */
	if (cancel_work(&id->work))
		cm_id_put(id);
	cm_id_put(id);
	wait_for_completion(&id->gone);

	cm_drop_events(id);
	cm_id_drop_paths(id);
	cm_dev_put(id->dev);
	mem_cgroup_put(id->memcg);
	kfree(id);
}

/* Nothing is sent or received for @dev any more. */
void cm_ids_unplug(struct cm_dev *dev)
{
	unsigned long number;
	struct cm_id *id;

	xa_for_each(&ids, number, id) {
		id = cm_id_find(cpu_to_be32(number));
		if (!id)
			continue;
		if (id->dev == dev) {
			spin_lock_irq(&id->lock);
			id->unplugged = true;
			cm_id_drop_paths(id);
			spin_unlock_irq(&id->lock);
		}
		cm_id_put(id);
	}
}

/**
 * ib_create_cm_id - make a communication id
 * @device: device that its connection will be on
 * @cm_handler: called with each event, in a worker, one at a time
 * @context: for the consumer
 *
 * IBA vol. 1, 12.4. Context: process, may sleep.
 * Return: the id, for ib_destroy_cm_id(); or ERR_PTR(-ENOMEM).
 */
struct ib_cm_id *ib_create_cm_id(struct ib_device *device,
				 ib_cm_handler cm_handler, void *context)
{
	struct cm_id *id = cm_id_new(device, cm_handler, context, GFP_KERNEL_ACCOUNT);

	return IS_ERR(id) ? ERR_CAST(id) : &id->id;
}
OFED_EXPORT(ib_create_cm_id);

/**
 * ib_destroy_cm_id - end a communication id
 * @cm_id: the id; a listener that is shared loses one share
 *
 * A connection is given up: the peer gets a REJ, or one DREQ that is not
 * repeated. TimeWait goes on without the id.
 *
 * Context: process. Waits until callbacks with @cm_id, and for a listener the
 * callbacks with its requests, have returned: so it must not be called from
 * one of these, nor with a lock that they take.
 */
void ib_destroy_cm_id(struct ib_cm_id *cm_id)
{
	struct cm_id *id = to_cm_id(cm_id);

	if (!cm_listener_remove(id))
		return;
	cm_id_destroy(id, false);
}
OFED_EXPORT(ib_destroy_cm_id);

// SPDX-License-Identifier: GPL-2.0
/*
 * Events, from the state machine to the consumer.
 *
 * An event is queued under the id's lock together with the move that caused it,
 * so the order is that of the moves. It is part of the message that it came
 * with, or of its id: none is lost for want of memory.
 */
#include "core.h"

/* Let go what the event refers to. Context: process. */
void cm_event_done(struct cm_event *ev)
{
	struct cm_id *listener = ev->listener;
	struct cm_rx *message = ev->message;

	ev->listener = NULL;
	ev->message = NULL;
	if (message)
		cm_rx_free(message);
	if (listener)
		cm_listener_put(listener);
}

/* Context: any. The event is the queue's, also when the id takes none. */
void cm_event_post(struct cm_id *id, struct cm_event *ev)
{
	lockdep_assert_held(&id->lock);

	list_add_tail(&ev->node, &id->events);
	/* cm_id_destroy() drops what is left in the list. */
	if (id->running || id->dying)
		return;
	id->running = true;
	cm_id_hold(id);
	queue_work(cm_wq, &id->work);
}

/*
 * Post an event that is part of @id. One that the consumer has not taken yet is
 * not queued twice: the id has gone through the same move again, and a consumer
 * that makes it do so before it takes the first can not tell them apart.
 */
void cm_event_post_own(struct cm_id *id, struct cm_event *ev,
		       enum ib_cm_event_type type, enum ib_wc_status status)
{
	lockdep_assert_held(&id->lock);

	if (id->dying || !list_empty(&ev->node))
		return;
	memset(&ev->event, 0, sizeof(ev->event));
	ev->event.event = type;
	ev->event.param.send_status = status;
	cm_event_post(id, ev);
}

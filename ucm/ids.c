// SPDX-License-Identifier: GPL-2.0
/*
 * Ids: their numbers, and their end.
 *
 * A number is reserved when its id is made, and leads to the id when the program can know it. Ids
 * end under the lock of their file, so that a command keeps the one that it has found.
 */
#include <linux/slab.h>

#include "ucm.h"

/**
 * ucm_id_new - make an id with a number that leads nowhere yet
 * @file: its owner
 * @gfp: how to allocate it
 *
 * The caller sets cm_id. Context: process, may sleep. Return: the id, or NULL: no memory, or the
 * file has UCM_IDS_MOST.
 */
struct ucm_id *ucm_id_new(struct ucm_file *file, gfp_t gfp)
{
	struct ucm_id *id = kzalloc(sizeof(*id), gfp);

	if (!id)
		return NULL;
	id->file = file;
	INIT_LIST_HEAD(&id->events);
	if (xa_alloc(&file->ids, &id->number, NULL, XA_LIMIT(0, UCM_IDS_MOST - 1), gfp)) {
		kfree(id);
		return ucm_refuse(file, NULL, "no memory for an id, or %d ids", UCM_IDS_MOST);
	}
	return id;
}

/* Free an id that has no cm_id (any more), nor events. */
void ucm_id_discard(struct ucm_id *id)
{
	xa_erase(&id->file->ids, id->number);
	kfree(id);
}

/* The program may use the id from now on. A reserved entry needs no memory. */
void ucm_id_publish(struct ucm_id *id)
{
	xa_store(&id->file->ids, id->number, id, GFP_ATOMIC);
}

/* Return: the id, valid until the file is unlocked, or NULL. */
struct ucm_id *ucm_id_find(struct ucm_file *file, u32 number)
{
	lockdep_assert_held(&file->lock);
	return xa_load(&file->ids, number);
}

/*
 * Take unread events of @id out of the queue. An unread request is the only user of its new id, so
 * that id is moved to @dying.
 */
static u32 ucm_drop_events(struct ucm_id *id, struct list_head *dying)
{
	struct ucm_event *event, *next;

	guard(mutex)(&id->file->queue_lock);
	list_for_each_entry_safe(event, next, &id->events, of_id) {
		if (event->request)
			list_add_tail(&event->request->dying, dying);
		ucm_event_free(event);
	}
	return id->events_read;
}

static u32 ucm_end_one(struct ucm_id *id, struct list_head *dying)
{
	u32 events_read;

	/* When it returns, no event of the id is or will be in progress. */
	ib_destroy_cm_id(id->cm_id);
	events_read = ucm_drop_events(id, dying);
	ucm_id_discard(id);
	return events_read;
}

/**
 * ucm_id_end - end an id, and those that were to become its connections
 * @id: found, and the file is still locked
 *
 * Context: process; waits for the handler of the id. Return: number of its events that the program
 * has read.
 */
u32 ucm_id_end(struct ucm_id *id)
{
	u32 events_read;
	LIST_HEAD(dying);

	lockdep_assert_held(&id->file->lock);
	events_read = ucm_end_one(id, &dying);
	while ((id = list_first_entry_or_null(&dying, struct ucm_id, dying))) {
		list_del(&id->dying);
		ucm_end_one(id, &dying);
	}
	return events_read;
}

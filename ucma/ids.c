// SPDX-License-Identifier: GPL-2.0
/*
 * Ids: numbers, references, and an end that comes exactly once.
 *
 * A number is reserved when its id is made. It leads to the id from when the
 * program learns of it until a thread claims the id for destruction, and is
 * free again when the id is. Only the thread that has claimed it destroys the
 * id; other commands may still hold references.
 *
 * The cm_id can end before the id does: when its device goes. An event can not
 * call rdma_destroy_id(), so a work item does. The first of the work item and
 * ucma_id_destroy() to set ucma_id.ended ends the cm_id. All commands get -ENXIO
 * from then on, but the id stays until the program destroys it, as do its
 * unread events.
 */
#include <linux/slab.h>

#include "ucma.h"

DECLARE_RWSEM(ucma_moves);

/* Ids by number; a NULL that is stored reserves one. Its lock guards it. */
static DEFINE_XARRAY_FLAGS(ucma_ids, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);

#define CM_ID_ENDED 0

void ucma_id_put(struct ucma_id *id)
{
	if (refcount_dec_and_test(&id->refs))
		complete(&id->idle);
}

/*
 * End the cm_id, unless another thread does. When rdma_destroy_id() returns, no
 * event of it is or will be in progress.
 */
static void ucma_end_cm_id(struct ucma_id *id)
{
	if (test_and_set_bit(CM_ID_ENDED, &id->ended))
		return;
	ucma_id_put(id);
	wait_for_completion(&id->idle);
	rdma_destroy_id(id->cm_id);
}

static void ucma_unplug_work(struct work_struct *work)
{
	ucma_end_cm_id(container_of(work, struct ucma_id, unplug));
}

/**
 * ucma_id_unplug - let go of a device that goes
 * @id: the id
 *
 * Context: in an event of the id.
 */
void ucma_id_unplug(struct ucma_id *id)
{
	queue_work(system_dfl_wq, &id->unplug);
}

/**
 * ucma_id_new - make an id with a number that leads nowhere yet
 * @file: its owner, or NULL to be set before it is used
 * @gfp: how to allocate it
 *
 * The caller sets cm_id. Context: process, may sleep. Return: the id, or NULL.
 */
struct ucma_id *ucma_id_new(struct ucma_file *file, gfp_t gfp)
{
	struct ucma_id *id = kzalloc(sizeof(*id), gfp);

	if (!id)
		return NULL;
	refcount_set(&id->refs, 1);
	init_completion(&id->idle);
	INIT_WORK(&id->unplug, ucma_unplug_work);
	mutex_init(&id->busy);
	INIT_LIST_HEAD(&id->in_file);
	INIT_LIST_HEAD(&id->events);
	INIT_LIST_HEAD(&id->mcasts);
	id->file = file;
	if (xa_alloc(&ucma_ids, &id->number, NULL, xa_limit_32b, gfp)) {
		kfree(id);
		return NULL;
	}
	return id;
}

/* Free an id that has no cm_id (any more), nor events, nor groups. */
void ucma_id_discard(struct ucma_id *id)
{
	xa_erase(&ucma_ids, id->number);
	mutex_destroy(&id->busy);
	kfree(id);
}

/* The program may use the id from now on. A reserved entry needs no memory. */
void ucma_id_publish(struct ucma_id *id)
{
	lockdep_assert_held(&ucma_moves);
	lockdep_assert_held(&id->file->lock);
	list_add_tail(&id->in_file, &id->file->ids);
	xa_store(&ucma_ids, id->number, id, GFP_ATOMIC);
}

/* Return: the id @number of @file, -ENOENT (none), -EINVAL (another file's). */
static struct ucma_id *ucma_find(struct ucma_file *file, u32 number)
{
	struct ucma_id *id = xa_load(&ucma_ids, number);

	lockdep_assert_held(&ucma_moves);
	lockdep_assert_held(&ucma_ids.xa_lock);
	if (!id)
		return ERR_PTR(-ENOENT);
	return id->file == file ? id : ERR_PTR(-EINVAL);
}

/**
 * ucma_id_get - find an id
 * @file: the asker's
 * @number: as the program sent it
 *
 * Return: the id with a reference, which keeps its cm_id; -ENOENT (no such id),
 * -EINVAL (of another file), -ENXIO (its device is gone, or it is just going).
 */
struct ucma_id *ucma_id_get(struct ucma_file *file, u32 number)
{
	struct ucma_id *id;

	guard(rwsem_read)(&ucma_moves);
	xa_lock(&ucma_ids);
	id = ucma_find(file, number);
	if (!IS_ERR(id) && !refcount_inc_not_zero(&id->refs))
		id = ERR_PTR(-ENXIO);
	xa_unlock(&ucma_ids);
	return id;
}

/**
 * ucma_id_enter - begin a command on an id
 * @file: the asker's
 * @number: as the program sent it
 * @need: what the id has to be
 *
 * Other commands on the id wait until ucma_id_leave(); events do not.
 * Return: the id, an errno of ucma_id_get(), -EINVAL (it has no device), or
 * -ENOBUFS (UCMA_UNREAD_MOST events of it were not read).
 */
struct ucma_id *ucma_id_enter(struct ucma_file *file, u32 number,
			      enum ucma_need need)
{
	struct ucma_id *id = ucma_id_get(file, number);
	int ret = 0;

	if (IS_ERR(id))
		return id;
	mutex_lock(&id->busy);
	/* A reader that sees the device sees its port, which is set before. */
	if (need & UCMA_BOUND_ID && !smp_load_acquire(&id->cm_id->device))
		ret = -EINVAL;
	else if (need & UCMA_ASKS && READ_ONCE(id->unread) >= UCMA_UNREAD_MOST)
		ret = -ENOBUFS;
	if (!ret)
		return id;
	ucma_id_leave(id);
	return ERR_PTR(ret);
}

void ucma_id_leave(struct ucma_id *id)
{
	mutex_unlock(&id->busy);
	ucma_id_put(id);
}

/**
 * ucma_id_claim - claim an id for destruction by the caller
 * @file: the file of the command
 * @number: as the program sent it
 *
 * Return: the id, which no new command finds any more; -ENOENT or -EINVAL as
 * from ucma_id_get().
 */
struct ucma_id *ucma_id_claim(struct ucma_file *file, u32 number)
{
	struct ucma_id *id;

	guard(rwsem_read)(&ucma_moves);
	xa_lock(&ucma_ids);
	id = ucma_find(file, number);
	if (!IS_ERR(id))
		__xa_store(&ucma_ids, number, NULL, GFP_ATOMIC);
	xa_unlock(&ucma_ids);
	return id;
}

/*
 * The caller has a reference to @id. Return: true if @id still belongs to @file
 * and has not been claimed for destruction.
 */
bool ucma_id_is_of(struct ucma_id *id, struct ucma_file *file)
{
	bool ret;

	xa_lock(&ucma_ids);
	ret = ucma_find(file, id->number) == id;
	xa_unlock(&ucma_ids);
	return ret;
}

/*
 * Take unread events of @id out of the queue. An unread connection request is
 * the only user of its new id, so that id is moved to @dead.
 */
static void ucma_drop_events(struct ucma_id *id, struct list_head *dead)
{
	struct ucma_event *event, *next;

	lockdep_assert_held(&ucma_moves);
	lockdep_assert_held(&id->file->lock);
	list_for_each_entry_safe(event, next, &id->events, of_id) {
		if (event->request)
			list_add_tail(&event->request->in_file, dead);
		ucma_event_free(event);
	}
}

static u32 ucma_destroy_one(struct ucma_id *id, struct list_head *dead)
{
	u32 events_read;

	/*
	 * After the first step no event is in progress, so none queues the work
	 * any more. After the second the work has run, if it was queued, and
	 * has ended the cm_id if that was left to it.
	 */
	ucma_end_cm_id(id);
	flush_work(&id->unplug);

	scoped_guard(rwsem_read, &ucma_moves) {
		guard(mutex)(&id->file->lock);
		list_del_init(&id->in_file);
		ucma_drop_events(id, dead);
		events_read = id->events_read;
	}
	/* No list leads to the id now, and a look-up of its number fails. */
	ucma_mcasts_free(id);
	ucma_id_discard(id);
	return events_read;
}

/**
 * ucma_id_destroy - end an id, and those that were to become its connections
 * @id: claimed, or never published, or of a file that is closed
 *
 * Context: process, no lock held; waits for commands on the id to end.
 * Return: number of its events that the program has read.
 */
u32 ucma_id_destroy(struct ucma_id *id)
{
	u32 events_read;
	LIST_HEAD(dead);

	events_read = ucma_destroy_one(id, &dead);
	while ((id = list_first_entry_or_null(&dead, struct ucma_id, in_file)))
		ucma_destroy_one(id, &dead);
	return events_read;
}

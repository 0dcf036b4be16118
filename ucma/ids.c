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
 * ucm_id_destroy() to set ucm_id.ended ends the cm_id. All commands get -ENXIO
 * from then on, but the id stays until the program destroys it, as do its
 * unread events.
 */
#include <linux/slab.h>

#include "ucma.h"

DECLARE_RWSEM(ucm_moves);

/* Ids by number; a NULL that is stored reserves one. Its lock guards it. */
static DEFINE_XARRAY_FLAGS(ucm_ids, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);

#define CM_ID_ENDED 0

void ucm_id_put(struct ucm_id *id)
{
	if (refcount_dec_and_test(&id->refs))
		complete(&id->idle);
}

/*
 * End the cm_id, unless another thread does. When rdma_destroy_id() returns, no
 * event of it is or will be in progress.
 */
static void end_cm_id(struct ucm_id *id)
{
	if (test_and_set_bit(CM_ID_ENDED, &id->ended))
		return;
	ucm_id_put(id);
	wait_for_completion(&id->idle);
	rdma_destroy_id(id->cm_id);
}

static void unplug_work(struct work_struct *work)
{
	end_cm_id(container_of(work, struct ucm_id, unplug));
}

/**
 * ucm_id_unplug - let go of a device that goes
 * @id: the id
 *
 * Context: in an event of the id.
 */
void ucm_id_unplug(struct ucm_id *id)
{
	queue_work(system_unbound_wq, &id->unplug);
}

/**
 * ucm_id_new - make an id with a number that leads nowhere yet
 * @file: its owner, or NULL to be set before it is used
 *
 * The caller sets cm_id. Context: process, may sleep. Return: the id, or NULL.
 */
struct ucm_id *ucm_id_new(struct ucm_file *file)
{
	struct ucm_id *id = kzalloc(sizeof(*id), GFP_KERNEL_ACCOUNT);

	if (!id)
		return NULL;
	refcount_set(&id->refs, 1);
	init_completion(&id->idle);
	INIT_WORK(&id->unplug, unplug_work);
	mutex_init(&id->busy);
	INIT_LIST_HEAD(&id->in_file);
	INIT_LIST_HEAD(&id->events);
	INIT_LIST_HEAD(&id->mcasts);
	id->file = file;
	if (xa_alloc(&ucm_ids, &id->number, NULL, xa_limit_32b, GFP_KERNEL)) {
		kfree(id);
		return NULL;
	}
	return id;
}

/* Free an id that has no cm_id (any more), nor events, nor groups. */
void ucm_id_discard(struct ucm_id *id)
{
	xa_erase(&ucm_ids, id->number);
	mutex_destroy(&id->busy);
	kfree(id);
}

/* The program may use the id from now on. A reserved entry needs no memory. */
void ucm_id_publish(struct ucm_id *id)
{
	lockdep_assert_held(&ucm_moves);
	lockdep_assert_held(&id->file->lock);
	list_add_tail(&id->in_file, &id->file->ids);
	xa_store(&ucm_ids, id->number, id, GFP_ATOMIC);
}

/* Return: the id @number of @file, -ENOENT (none), -EINVAL (another file's). */
static struct ucm_id *find(struct ucm_file *file, u32 number)
{
	struct ucm_id *id = xa_load(&ucm_ids, number);

	lockdep_assert_held(&ucm_moves);
	lockdep_assert_held(&ucm_ids.xa_lock);
	if (!id)
		return ERR_PTR(-ENOENT);
	return id->file == file ? id : ERR_PTR(-EINVAL);
}

/**
 * ucm_id_get - find an id
 * @file: the asker's
 * @number: as the program sent it
 *
 * Return: the id with a reference, which keeps its cm_id; -ENOENT (no such id),
 * -EINVAL (of another file), -ENXIO (its device is gone, or it is just going).
 */
struct ucm_id *ucm_id_get(struct ucm_file *file, u32 number)
{
	struct ucm_id *id;

	guard(rwsem_read)(&ucm_moves);
	xa_lock(&ucm_ids);
	id = find(file, number);
	if (!IS_ERR(id) && !refcount_inc_not_zero(&id->refs))
		id = ERR_PTR(-ENXIO);
	xa_unlock(&ucm_ids);
	return id;
}

/**
 * ucm_id_enter - begin a command on an id
 * @file: the asker's
 * @number: as the program sent it
 * @need: what the id has to be
 *
 * Other commands on the id wait until ucm_id_leave(); events do not.
 * Return: the id, an errno of ucm_id_get(), -EINVAL (it has no device), or
 * -ENOBUFS (UCM_UNREAD_MOST events of it were not read).
 */
struct ucm_id *ucm_id_enter(struct ucm_file *file, u32 number,
			    enum ucm_need need)
{
	struct ucm_id *id = ucm_id_get(file, number);
	int ret = 0;

	if (IS_ERR(id))
		return id;
	mutex_lock(&id->busy);
	/* A reader that sees the device sees its port, which is set before. */
	if (need & UCM_BOUND_ID && !smp_load_acquire(&id->cm_id->device))
		ret = -EINVAL;
	else if (need & UCM_ASKS && READ_ONCE(id->unread) >= UCM_UNREAD_MOST)
		ret = -ENOBUFS;
	if (!ret)
		return id;
	ucm_id_leave(id);
	return ERR_PTR(ret);
}

void ucm_id_leave(struct ucm_id *id)
{
	mutex_unlock(&id->busy);
	ucm_id_put(id);
}

/**
 * ucm_id_claim - claim an id for destruction by the caller
 * @file: the file of the command
 * @number: as the program sent it
 *
 * Return: the id, which no new command finds any more; -ENOENT or -EINVAL as
 * from ucm_id_get().
 */
struct ucm_id *ucm_id_claim(struct ucm_file *file, u32 number)
{
	struct ucm_id *id;

	guard(rwsem_read)(&ucm_moves);
	xa_lock(&ucm_ids);
	id = find(file, number);
	if (!IS_ERR(id))
		__xa_store(&ucm_ids, number, NULL, GFP_ATOMIC);
	xa_unlock(&ucm_ids);
	return id;
}

/*
 * The caller has a reference to @id. Return: true if @id still belongs to @file
 * and has not been claimed for destruction.
 */
bool ucm_id_is_of(struct ucm_id *id, struct ucm_file *file)
{
	bool ret;

	xa_lock(&ucm_ids);
	ret = find(file, id->number) == id;
	xa_unlock(&ucm_ids);
	return ret;
}

/*
 * Take unread events of @id out of the queue. An unread connection request is
 * the only user of its new id, so that id is moved to @dead.
 */
static void drop_events(struct ucm_id *id, struct list_head *dead)
{
	struct ucm_event *event, *next;

	lockdep_assert_held(&ucm_moves);
	lockdep_assert_held(&id->file->lock);
	list_for_each_entry_safe(event, next, &id->events, of_id) {
		if (event->request)
			list_add_tail(&event->request->in_file, dead);
		ucm_event_free(event);
	}
}

static u32 destroy_one(struct ucm_id *id, struct list_head *dead)
{
	u32 events_read;

	/*
	 * After the first step no event is in progress, so none queues the work
	 * any more. After the second the work has run, if it was queued, and
	 * has ended the cm_id if that was left to it.
	 */
	end_cm_id(id);
	flush_work(&id->unplug);

	scoped_guard(rwsem_read, &ucm_moves) {
		guard(mutex)(&id->file->lock);
		list_del_init(&id->in_file);
		drop_events(id, dead);
		events_read = id->events_read;
	}
	/* No list leads to the id now, and a look-up of its number fails. */
	ucm_mcasts_free(id);
	ucm_id_discard(id);
	return events_read;
}

/**
 * ucm_id_destroy - end an id, and those that were to become its connections
 * @id: claimed, or never published, or of a file that is closed
 *
 * Context: process, no lock held; waits for commands on the id to end.
 * Return: number of its events that the program has read.
 */
u32 ucm_id_destroy(struct ucm_id *id)
{
	u32 events_read;
	LIST_HEAD(dead);

	events_read = destroy_one(id, &dead);
	while ((id = list_first_entry_or_null(&dead, struct ucm_id, in_file)))
		destroy_one(id, &dead);
	return events_read;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: the listens of an id and of a device, one for each pair of the two,
 * and their end.
 */
#include <linux/slab.h>

#include "cma.h"

void cma_free_listener(struct cma_listener *listener)
{
	struct cma_dev *cdev = listener->cdev;
	struct cma_id *id = listener->id;

	kfree(listener);
	cma_dev_put(cdev);
	cma_id_put(id);
}

/*
 * Called by the thread that has taken the listener off the lists. Waits for
 * requests that are being offered, so no lock is held.
 */
static void cma_end_listener(struct cma_listener *listener)
{
	cma_res_del(&listener->res);
	if (rdma_cap_ib_cm(listener->cdev->device,
			   rdma_start_port(listener->cdev->device)))
		ib_destroy_cm_id(listener->ib);
	else
		iw_destroy_cm_id(listener->iw);
	cma_free_listener(listener);
}

/* False if the id or the device has been given up meanwhile. */
bool cma_link_listener(struct cma_listener *listener)
{
	bool linked = false;

	mutex_lock(&cma_mutex);
	if (!listener->cdev->gone &&
	    cma_state_of(listener->id) == CMA_S_LISTEN) {
		list_add_tail(&listener->on_id, &listener->id->listeners);
		list_add_tail(&listener->on_dev, &listener->cdev->listeners);
		linked = true;
	}
	mutex_unlock(&cma_mutex);
	return linked;
}

/* Waits for requests that are being offered. Context: process, no locks. */
void cma_end_listeners(struct list_head *doomed)
{
	struct cma_listener *listener, *next;

	list_for_each_entry_safe(listener, next, doomed, on_id)
		cma_end_listener(listener);
}

/* End all listens of a device that goes. Context: process, may sleep. */
void cma_listeners_off_device(struct cma_dev *cdev)
{
	struct cma_listener *listener, *next;
	LIST_HEAD(doomed);

	mutex_lock(&cma_mutex);
	list_for_each_entry_safe(listener, next, &cdev->listeners, on_dev) {
		list_del_init(&listener->on_dev);
		list_move(&listener->on_id, &doomed);
	}
	mutex_unlock(&cma_mutex);
	cma_end_listeners(&doomed);
}

/**
 * cma_unlisten - end all listens of an id
 * @id: id that has just left the state LISTEN
 *
 * Context: process, may sleep; the handler_mutex is not held.
 */
void cma_unlisten(struct cma_id *id)
{
	struct cma_listener *listener;
	LIST_HEAD(doomed);

	mutex_lock(&cma_mutex);
	list_del_init(&id->on_any);
	list_for_each_entry(listener, &id->listeners, on_id)
		list_del_init(&listener->on_dev);
	list_splice_init(&id->listeners, &doomed);
	mutex_unlock(&cma_mutex);
	cma_end_listeners(&doomed);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: listening. An id with a device listens on it; one without listens on
 * every device there is, and on each that comes while it listens.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <ofed/restrack.h>

#include "cma.h"
#include "trace.h"

/* Ids that listen on every device, in order of any_seq; under rcm_mutex. */
static LIST_HEAD(any_ids);
static u64 next_any_seq;

static void free_listener(struct rcm_listener *listener)
{
	struct rcm_dev *cdev = listener->cdev;
	struct rcm_id *id = listener->id;

	kfree(listener);
	rcm_dev_put(cdev);
	rcm_id_put(id);
}

/*
 * Called by the thread that has taken the listener off the lists. Waits for
 * requests that are being offered, so no lock is held.
 */
static void end_listener(struct rcm_listener *listener)
{
	rcm_res_del(&listener->res);
	if (rdma_cap_ib_cm(listener->cdev->device,
			   rdma_start_port(listener->cdev->device)))
		ib_destroy_cm_id(listener->ib);
	else
		iw_destroy_cm_id(listener->iw);
	free_listener(listener);
}

static int start_listener(struct rcm_listener *listener)
{
	struct ib_device *device = listener->cdev->device;
	u32 port = rdma_start_port(device);
	struct rcm_id *id = listener->id;
	struct ib_cm_id *cm_id;

	if (!rdma_cap_ib_cm(device, port))
		return rdma_cap_iw_cm(device, port) ? rcm_iw_listen(listener) :
						      -ENOSYS;
	cm_id = ib_cm_insert_listen(device, rcm_ib_request,
				    rdma_get_service_id(&id->pub, rcm_src(id)));
	if (IS_ERR(cm_id))
		return PTR_ERR(cm_id);
	listener->ib = cm_id;
	return 0;
}

/* False if the id or the device has been given up meanwhile. */
static bool link_listener(struct rcm_listener *listener)
{
	bool linked = false;

	mutex_lock(&rcm_mutex);
	if (!listener->cdev->gone &&
	    rcm_state_of(listener->id) == RCM_S_LISTEN) {
		list_add_tail(&listener->on_id, &listener->id->listeners);
		list_add_tail(&listener->on_dev, &listener->cdev->listeners);
		linked = true;
	}
	mutex_unlock(&rcm_mutex);
	return linked;
}

/*
 * A listen that came too late is put on @doomed, for rcm_end_listeners() when
 * the caller has given up its locks.
 */
static int listen_on(struct rcm_id *id, struct rcm_dev *cdev,
		     struct list_head *doomed)
{
	struct rcm_listener *listener;
	int ret;

	listener = kzalloc(sizeof(*listener), GFP_KERNEL_ACCOUNT);
	if (!listener)
		return -ENOMEM;
	rcm_id_get(id);
	listener->id = id;
	refcount_inc(&cdev->refs);
	listener->cdev = cdev;
	rcm_res_init(&listener->res, id);
	ofed_restrack_parent_name(&listener->res.tracked.entry, &id->res.tracked.entry);
	ret = start_listener(listener);
	if (ret) {
		rcm_res_del(&listener->res);
		free_listener(listener);
		return ret;
	}
	/* An id with a device has a line of its own, and was traced with it. */
	if (!id->cdev) {
		trace_cm_id_attach(id, cdev->device);
		rcm_res_add(&listener->res, cdev->device);
	}
	if (!link_listener(listener))
		list_add(&listener->on_id, doomed);
	return 0;
}

static bool can_listen(struct rcm_id *id, struct rcm_dev *cdev)
{
	struct ib_device *device = cdev->device;
	u32 port = rdma_start_port(device);

	if (!rdma_dev_access_netns(device, rcm_net(id)))
		return false;
	if (rdma_cap_ib_cm(device, port))
		return true;
	return rdma_cap_iw_cm(device, port) && rcm_family(id) != AF_IB;
}

static int listen_everywhere(struct rcm_id *id, struct list_head *doomed)
{
	struct rcm_dev *cdev;
	u64 seq = 0;
	int ret = 0;

	mutex_lock(&rcm_listen_mutex);
	mutex_lock(&rcm_mutex);
	id->any_seq = next_any_seq++;
	list_add_tail(&id->on_any, &any_ids);
	mutex_unlock(&rcm_mutex);
	while (!ret && (cdev = rcm_dev_next(&seq))) {
		if (can_listen(id, cdev))
			ret = listen_on(id, cdev, doomed);
		rcm_dev_put(cdev);
	}
	mutex_unlock(&rcm_listen_mutex);
	return ret;
}

static struct rcm_id *any_id_from(u64 *seq)
{
	struct rcm_id *id, *found = NULL;

	mutex_lock(&rcm_mutex);
	list_for_each_entry(id, &any_ids, on_any)
		if (id->any_seq >= *seq) {
			*seq = id->any_seq + 1;
			rcm_id_get(id);
			found = id;
			break;
		}
	mutex_unlock(&rcm_mutex);
	return found;
}

/**
 * rcm_listen_on_new_device - bring wildcard listens to a device
 * @cdev: device, in the list of devices
 * @doomed: out: listens that are over again, for rcm_end_listeners() after
 *	    rcm_listen_mutex is given up
 *
 * A listen that fails, since a socket has its port, say, is left out: the id
 * listens on the others. Context: process, may sleep; rcm_listen_mutex is held.
 */
void rcm_listen_on_new_device(struct rcm_dev *cdev, struct list_head *doomed)
{
	struct rcm_id *id;
	u64 seq = 0;

	lockdep_assert_held(&rcm_listen_mutex);
	while ((id = any_id_from(&seq))) {
		if (can_listen(id, cdev))
			listen_on(id, cdev, doomed);
		rcm_id_put(id);
	}
}

/* Waits for requests that are being offered. Context: process, no locks. */
void rcm_end_listeners(struct list_head *doomed)
{
	struct rcm_listener *listener, *next;

	list_for_each_entry_safe(listener, next, doomed, on_id)
		end_listener(listener);
}

/* End all listens of a device that goes. Context: process, may sleep. */
void rcm_listeners_off_device(struct rcm_dev *cdev)
{
	struct rcm_listener *listener, *next;
	LIST_HEAD(doomed);

	mutex_lock(&rcm_mutex);
	list_for_each_entry_safe(listener, next, &cdev->listeners, on_dev) {
		list_del_init(&listener->on_dev);
		list_move(&listener->on_id, &doomed);
	}
	mutex_unlock(&rcm_mutex);
	rcm_end_listeners(&doomed);
}

/**
 * rcm_unlisten - end all listens of an id
 * @id: id that has just left the state LISTEN
 *
 * Context: process, may sleep; the handler_mutex is not held.
 */
void rcm_unlisten(struct rcm_id *id)
{
	struct rcm_listener *listener;
	LIST_HEAD(doomed);

	mutex_lock(&rcm_mutex);
	list_del_init(&id->on_any);
	list_for_each_entry(listener, &id->listeners, on_id)
		list_del_init(&listener->on_dev);
	list_splice_init(&id->listeners, &doomed);
	mutex_unlock(&rcm_mutex);
	rcm_end_listeners(&doomed);
}

/**
 * rdma_listen - listen for connections
 * @id: id that is bound, or one without address, which gets any
 * @backlog: number of connections that may wait to be accepted, for the iWARP
 *	     CM; that of the IB CM has no such limit, its consumer refuses
 *
 * Requests come as RDMA_CM_EVENT_CONNECT_REQUEST with an id of their own.
 * Context: process, may sleep.
 * Return: 0, -EINVAL (state of the id), -EADDRINUSE or -EADDRNOTAVAIL (others
 * have the port), -ENOSYS (a device without connections), -ENOMEM, or an errno
 * of ib_cm_insert_listen() or iw_cm_listen().
 */
int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	struct rcm_id *mine = rcm_id_of(id);
	LIST_HEAD(doomed);
	int ret;

	if (rcm_state_of(mine) == RCM_S_IDLE) {
		ret = rdma_bind_addr(id, (struct sockaddr *)&any);
		if (ret)
			return ret;
	}
	if (rcm_move(mine, RCM_M_LISTEN))
		return -EINVAL;
	ret = rcm_port_make_unique(mine);
	if (!ret) {
		mine->backlog = backlog;
		ret = mine->cdev ? listen_on(mine, mine->cdev, &doomed) :
				   listen_everywhere(mine, &doomed);
		rcm_end_listeners(&doomed);
	}
	if (ret) {
		rcm_move(mine, RCM_M_UNLISTEN);
		rcm_unlisten(mine);
	}
	return ret;
}
EXPORT_SYMBOL(rdma_listen);

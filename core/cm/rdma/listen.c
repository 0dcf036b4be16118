// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: listening. An id with a device listens on it; one without listens on
 * every device there is, and on each that comes while it listens.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <ofed/restrack.h>

#include "../ib/ib_cm.h"
#include "cma.h"
#include "trace.h"

/* Ids that listen on every device, in order of any_seq; under cma_mutex. */
static LIST_HEAD(any_ids);
static u64 next_any_seq;

static int cma_start_listener(struct cma_listener *listener)
{
	struct ib_device *device = listener->cdev->device;
	u32 port = rdma_start_port(device);
	struct cma_id *id = listener->id;
	struct ib_cm_id *cm_id;

	if (!rdma_cap_ib_cm(device, port))
		return rdma_cap_iw_cm(device, port) ? cma_iw_listen(listener) :
						      -ENOSYS;
	cm_id = ofed_cm_insert_listen(device, cma_ib_request,
				      rdma_get_service_id(&id->pub, cma_src(id)), id->memcg);
	if (IS_ERR(cm_id))
		return PTR_ERR(cm_id);
	listener->ib = cm_id;
	return 0;
}

/*
 * A listen that came too late is put on @doomed, for cma_end_listeners() when
 * the caller has given up its locks.
 */
static int cma_listen_on(struct cma_id *id, struct cma_dev *cdev,
			 struct list_head *doomed)
{
	struct cma_listener *listener;
	int ret;

	listener = kzalloc(sizeof(*listener), GFP_KERNEL_ACCOUNT);
	if (!listener)
		return -ENOMEM;
	cma_id_get(id);
	listener->id = id;
	refcount_inc(&cdev->refs);
	listener->cdev = cdev;
	cma_res_init(&listener->res, id);
	ofed_restrack_parent_name(&listener->res.tracked.entry, &id->res.tracked.entry);
	ret = cma_start_listener(listener);
	if (ret) {
		cma_res_del(&listener->res);
		cma_free_listener(listener);
		return ret;
	}
	/* An id with a device has a line of its own, and was traced with it. */
	if (!id->cdev) {
		trace_cm_id_attach(id, cdev->device);
		cma_res_add(&listener->res, cdev->device);
	}
	if (!cma_link_listener(listener))
		list_add(&listener->on_id, doomed);
	return 0;
}

static bool cma_can_listen(struct cma_id *id, struct cma_dev *cdev)
{
	struct ib_device *device = cdev->device;
	u32 port = rdma_start_port(device);

	if (!rdma_dev_access_netns(device, cma_net(id)) ||
	    !cma_takes_node(id, device->node_type))
		return false;
	if (rdma_cap_ib_cm(device, port))
		return true;
	return rdma_cap_iw_cm(device, port) && cma_family(id) != AF_IB;
}

static int cma_listen_everywhere(struct cma_id *id, struct list_head *doomed)
{
	struct cma_dev *cdev;
	u64 seq = 0;
	int ret = 0;

	mutex_lock(&cma_listen_mutex);
	mutex_lock(&cma_mutex);
	id->any_seq = next_any_seq++;
	list_add_tail(&id->on_any, &any_ids);
	mutex_unlock(&cma_mutex);
	while (!ret && (cdev = cma_dev_next(&seq))) {
		if (cma_can_listen(id, cdev))
			ret = cma_listen_on(id, cdev, doomed);
		cma_dev_put(cdev);
	}
	mutex_unlock(&cma_listen_mutex);
	return ret;
}

static struct cma_id *cma_any_id_from(u64 *seq)
{
	struct cma_id *id, *found = NULL;

	mutex_lock(&cma_mutex);
	list_for_each_entry(id, &any_ids, on_any)
		if (id->any_seq >= *seq) {
			*seq = id->any_seq + 1;
			cma_id_get(id);
			found = id;
			break;
		}
	mutex_unlock(&cma_mutex);
	return found;
}

/**
 * cma_listen_on_new_device - bring wildcard listens to a device
 * @cdev: device, in the list of devices
 * @doomed: out: listens that are over again, for cma_end_listeners() after
 *	    cma_listen_mutex is given up
 *
 * A listen that fails, since a socket has its port, say, is left out: the id
 * listens on the others. Context: process, may sleep; cma_listen_mutex is held.
 */
void cma_listen_on_new_device(struct cma_dev *cdev, struct list_head *doomed)
{
	struct cma_id *id;
	u64 seq = 0;

	lockdep_assert_held(&cma_listen_mutex);
	while ((id = cma_any_id_from(&seq))) {
		if (cma_can_listen(id, cdev))
			cma_listen_on(id, cdev, doomed);
		cma_id_put(id);
	}
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
	struct cma_id *mine = cma_id_of(id);
	LIST_HEAD(doomed);
	int ret;

	if (cma_state_of(mine) == CMA_S_IDLE) {
		ret = rdma_bind_addr(id, (struct sockaddr *)&any);
		if (ret)
			return ret;
	}
	if (cma_move(mine, CMA_M_LISTEN))
		return -EINVAL;
	ret = cma_port_make_unique(mine);
	if (!ret) {
		mine->backlog = backlog;
		ret = mine->cdev ? cma_listen_on(mine, mine->cdev, &doomed) :
				   cma_listen_everywhere(mine, &doomed);
		cma_end_listeners(&doomed);
	}
	if (ret) {
		cma_move(mine, CMA_M_UNLISTEN);
		cma_unlisten(mine);
	}
	return ret;
}
OFED_EXPORT(rdma_listen);

// SPDX-License-Identifier: GPL-2.0
/*
 * Events of iWARP drivers on their way to the client.
 *
 * A driver reports in any context and may hold locks of its own. So the state
 * moves at once, and the rest is queued: one work item per id, on a queue that
 * runs one at a time, brings the id's events in their order. Nothing is
 * allocated on the way: an id has as many places as can be in use, a listening
 * one as many as its backlog.
 *
 * A thread that destroys an id marks it IW_GONE and waits until a handler under
 * way has returned, unless it runs in that handler itself. A work item that is
 * still queued then finds nothing to bring.
 */
#include <kunit/visibility.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <net/ipv6.h>
#include <rdma/ib_verbs.h>

#include "iwcm_id.h"
#include "iwpm.h"

VISIBLE_IF_KUNIT struct workqueue_struct *iw_wq;

static enum ofed_iw_input iwcm_input_of(const struct iw_cm_event *event)
{
	switch (event->event) {
	case IW_CM_EVENT_CONNECT_REQUEST:
		return IW_UP_REQUEST;
	case IW_CM_EVENT_CONNECT_REPLY:
		return event->status ? IW_UP_REFUSED : IW_UP_REPLY;
	case IW_CM_EVENT_ESTABLISHED:
		return IW_UP_ESTABLISHED;
	case IW_CM_EVENT_DISCONNECT:
		return IW_UP_DISCONNECT;
	case IW_CM_EVENT_CLOSE:
		return IW_UP_CLOSE;
	default:
		return IW_NUM_INPUTS;
	}
}

static void iwcm_fill_event(struct ofed_iw_event *item,
			    const struct iw_cm_event *event)
{
	item->event = *event;
	item->qp = NULL;
	/* Only what opens a connection brings data of the peer. */
	if (event->event != IW_CM_EVENT_CONNECT_REQUEST &&
	    event->event != IW_CM_EVENT_CONNECT_REPLY)
		item->event.private_data_len = 0;
	if (!event->private_data)
		item->event.private_data_len = 0;
	item->event.private_data = NULL;
	if (item->event.private_data_len) {
		memcpy(item->data, event->private_data,
		       item->event.private_data_len);
		item->event.private_data = item->data;
	}
}

static int iwcm_queue_event(struct iw_id *id, const struct iw_cm_event *event)
{
	struct ofed_iw_event *item;

	lockdep_assert_held(&id->lock);
	item = list_first_entry_or_null(&id->spare, struct ofed_iw_event,
					entry);
	if (!item)
		return -ENOMEM;
	iwcm_fill_event(item, event);
	list_move_tail(&item->entry, &id->events);
	if (!id->queued) {
		id->queued = true;
		ofed_iw_id_get(id);
		queue_work(iw_wq, &id->work);
	}
	return 0;
}

/* A connection that is over lets its QP go, but not in the driver's context. */
static void iwcm_part_from_qp(struct iw_id *id)
{
	struct ofed_iw_event *item = list_last_entry(&id->events,
						     struct ofed_iw_event,
						     entry);

	lockdep_assert_held(&id->lock);
	item->qp = id->qp;
	id->qp = NULL;
}

/**
 * ofed_iw_event - take an event of the driver
 * @cm_id: the id that it is about
 * @event: the event; its data is copied
 *
 * Context: any. Return: 0; -ENOMEM (backlog is full), -EINVAL (not in this
 * state): then the driver keeps what the event is about.
 */
int ofed_iw_event(struct iw_cm_id *cm_id, struct iw_cm_event *event)
{
	struct iw_id *id = to_iw_id(cm_id);
	struct ofed_iw_step step;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&id->lock, flags);
	step = ofed_iw_step(id->state, iwcm_input_of(event));
	if (step.result == IW_REFUSE)
		ret = -EINVAL;
	else if (step.result == IW_NOTIFY)
		ret = iwcm_queue_event(id, event);
	if (!ret) {
		if (step.result == IW_NOTIFY && step.next == IW_IDLE)
			iwcm_part_from_qp(id);
		id->state = step.next;
		wake_up_all(&id->waiters);
	}
	spin_unlock_irqrestore(&id->lock, flags);
	return ret;
}

/* The client knows the addresses that it asked for, not those on the wire. */
static void iwcm_use_own_addresses(struct iw_id *id, struct iw_cm_event *event)
{
	id->id.m_local_addr = event->local_addr;
	id->id.m_remote_addr = event->remote_addr;
	event->local_addr = id->id.local_addr;
	event->remote_addr = id->id.remote_addr;
}

/* The address that the peer meant, by the port that the client listens on. */
static void iwcm_own_address(const struct iw_id *listener,
			     struct sockaddr_storage *addr)
{
	const struct sockaddr_storage *own = &listener->id.local_addr;
	const struct sockaddr_in6 *own6 = (const void *)own;
	const struct sockaddr_in *own4 = (const void *)own;

	if (own->ss_family == AF_INET && addr->ss_family == AF_INET &&
	    own4->sin_addr.s_addr == htonl(INADDR_ANY))
		((struct sockaddr_in *)addr)->sin_port = own4->sin_port;
	else if (own->ss_family == AF_INET6 &&
		 ipv6_addr_any(&own6->sin6_addr))
		/* Family or not, the port is in the same place. */
		((struct sockaddr_in6 *)addr)->sin6_port = own6->sin6_port;
	else
		*addr = *own;
}

static void iwcm_take_peer(const struct iw_id *listener, struct iw_id *id,
			   struct iw_cm_event *event)
{
	struct iw_cm_id *cm_id = &id->id;

	cm_id->provider_data = event->provider_data;
	cm_id->local_addr = event->local_addr;
	iwcm_own_address(listener, &cm_id->local_addr);
	cm_id->m_local_addr = event->local_addr;
	cm_id->m_remote_addr = event->remote_addr;
	cm_id->remote_addr = event->remote_addr;
	if (!ofed_iw_pm_remote_take(&listener->id.m_local_addr,
				    &event->remote_addr, &cm_id->remote_addr))
		return;
	event->local_addr = cm_id->local_addr;
	event->remote_addr = cm_id->remote_addr;
}

static struct iw_id *iwcm_request_id(const struct iw_id *listener, gfp_t gfp)
{
	return ofed_iw_id_new(listener->id.device, listener->id.cm_handler,
			      listener->id.context, gfp);
}

/* An id with room for its events, for which the program that listens pays, or NULL. */
static struct iw_id *iwcm_charged_id(const struct iw_id *listener)
{
	struct mem_cgroup *old = set_active_memcg(listener->memcg);
	gfp_t gfp = GFP_KERNEL;
	struct iw_id *id;

	/* No process is killed for what a peer asks. */
	if (listener->memcg)
		gfp = GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN;
	id = iwcm_request_id(listener, gfp);
	if (IS_ERR(id)) {
		id = NULL;
	} else if (ofed_iw_id_room(id, OFED_IW_CONN_EVENTS, gfp)) {
		ofed_iw_id_put(id);
		id = NULL;
	}
	set_active_memcg(old);
	return id;
}

/*
 * A request is an id of its own from here on. Without a client, or without memory, it is
 * destroyed at once, by which the driver rejects it.
 */
static void iwcm_bring_request(struct iw_id *listener, struct iw_cm_event *event,
			       bool wanted)
{
	struct iw_id *id = wanted ? iwcm_charged_id(listener) : NULL;

	wanted = id;
	/* Without an id the driver could not be told to let the peer go. */
	if (!id)
		id = iwcm_request_id(listener, GFP_KERNEL | __GFP_NOFAIL);
	iwcm_take_peer(listener, id, event);
	id->state = IW_CALLED;
	if (!wanted || id->id.cm_handler(&id->id, event))
		ofed_iw_id_destroy(id);
}

static void iwcm_bring(struct iw_id *id, struct ofed_iw_event *item)
{
	struct iw_cm_event *event = &item->event;

	ofed_iw_put_qp(id, item->qp);
	if (event->event == IW_CM_EVENT_CONNECT_REQUEST) {
		iwcm_bring_request(id, event, true);
		return;
	}
	if (event->event == IW_CM_EVENT_CONNECT_REPLY && !event->status)
		iwcm_use_own_addresses(id, event);
	if (id->id.cm_handler(&id->id, event))
		ofed_iw_id_destroy(id);
}

/* The client does not get this event: the QP is put, a request rejected. */
static void iwcm_drop(struct iw_id *id, struct ofed_iw_event *item)
{
	ofed_iw_put_qp(id, item->qp);
	if (item->event.event == IW_CM_EVENT_CONNECT_REQUEST)
		iwcm_bring_request(id, &item->event, false);
}

/* The oldest event, now out of the list. */
static struct ofed_iw_event *iwcm_next_event(struct iw_id *id)
{
	struct ofed_iw_event *item;

	lockdep_assert_held(&id->lock);
	item = list_first_entry_or_null(&id->events, struct ofed_iw_event,
					entry);
	if (item)
		list_del_init(&item->entry);
	return item;
}

/**
 * ofed_iw_events_drop - drop what waits for the client
 * @id: the id
 *
 * Context: process, may sleep.
 */
void ofed_iw_events_drop(struct iw_id *id)
{
	struct ofed_iw_event *item;

	spin_lock_irq(&id->lock);
	while ((item = iwcm_next_event(id))) {
		spin_unlock_irq(&id->lock);
		iwcm_drop(id, item);
		spin_lock_irq(&id->lock);
		list_add(&item->entry, &id->spare);
	}
	spin_unlock_irq(&id->lock);
}

/**
 * ofed_iw_events_work - bring events to the client
 * @work: iw_id.work, queued with a reference
 */
void ofed_iw_events_work(struct work_struct *work)
{
	struct iw_id *id = container_of(work, struct iw_id, work);
	struct ofed_iw_event *item;
	bool gone;

	spin_lock_irq(&id->lock);
	while ((item = iwcm_next_event(id))) {
		gone = id->state == IW_GONE;
		id->runner = current;
		spin_unlock_irq(&id->lock);
		if (gone)
			iwcm_drop(id, item);
		else
			iwcm_bring(id, item);
		spin_lock_irq(&id->lock);
		list_add(&item->entry, &id->spare);
		id->runner = NULL;
		wake_up_all(&id->waiters);
	}
	id->queued = false;
	spin_unlock_irq(&id->lock);
	ofed_iw_id_put(id);
}

/**
 * ofed_iw_events_init - begin to bring events
 *
 * Return: 0 or -ENOMEM.
 */
int ofed_iw_events_init(void)
{
	/* Storage that reconnects under memory pressure waits for it. */
	iw_wq = alloc_ordered_workqueue("ofed-iw-cm", WQ_MEM_RECLAIM);
	return iw_wq ? 0 : -ENOMEM;
}

/**
 * ofed_iw_events_exit - stop delivering events
 *
 * All ids have been destroyed; what is still queued finds nothing to bring.
 */
void ofed_iw_events_exit(void)
{
	destroy_workqueue(iw_wq);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Asynchronous events: from a driver in any context to handlers that may sleep.
 *
 * All events of a device go through the same one of a few queues, each worked
 * on by one work item: so they arrive in the order they were dispatched in, one
 * at a time, and mostly do not wait for those of other devices.
 */
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mempool.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "cache.h"

#define EVENT_QUEUE_BITS 4
/* Events that can be under way when there is no memory at all. */
#define EVENT_RESERVE 64

struct queued_event {
	struct list_head link;
	struct ib_event event;
};

/**
 * struct event_queue - events of the devices that hash to it
 * @lock: guards @waiting; taken in any context
 * @waiting: struct queued_event, oldest first
 * @work: delivers them
 */
struct event_queue {
	spinlock_t lock;
	struct list_head waiting;
	struct work_struct work;
};

static struct event_queue queues[1 << EVENT_QUEUE_BITS];
static mempool_t *event_pool;
/* Set before the first event, and never changed. */
static void (*first_reader)(const struct ib_event *event);

/**
 * ib_register_event_handler - ask for the events of a device
 * @event_handler: set up by INIT_IB_EVENT_HANDLER(); stays the caller's
 *
 * The handler is called in process context, may sleep, and must not register or
 * unregister handlers of the same device. Context: may sleep.
 */
void ib_register_event_handler(struct ib_event_handler *event_handler)
{
	struct ib_device *device = event_handler->device;

	down_write(&device->event_handler_rwsem);
	list_add_tail(&event_handler->list, &device->event_handler_list);
	up_write(&device->event_handler_rwsem);
}
OFED_EXPORT(ib_register_event_handler);

/**
 * ib_unregister_event_handler - no more events
 * @event_handler: registered before
 *
 * When it returns, the handler does not run and will not. Context: may sleep.
 */
void ib_unregister_event_handler(struct ib_event_handler *event_handler)
{
	struct ib_device *device = event_handler->device;

	down_write(&device->event_handler_rwsem);
	list_del(&event_handler->list);
	up_write(&device->event_handler_rwsem);
}
OFED_EXPORT(ib_unregister_event_handler);

static void port_deliver(struct ib_event *event)
{
	struct ib_device *device = event->device;
	struct ib_event_handler *handler;

	first_reader(event);
	down_read(&device->event_handler_rwsem);
	list_for_each_entry(handler, &device->event_handler_list, list)
		handler->handler(handler, event);
	up_read(&device->event_handler_rwsem);
}

static void port_deliver_waiting(struct work_struct *work)
{
	struct event_queue *queue =
		container_of(work, struct event_queue, work);
	struct queued_event *queued;

	for (;;) {
		spin_lock_irq(&queue->lock);
		queued = list_first_entry_or_null(&queue->waiting,
						  struct queued_event, link);
		if (queued)
			list_del(&queued->link);
		spin_unlock_irq(&queue->lock);
		if (!queued)
			return;
		port_deliver(&queued->event);
		mempool_free(queued, event_pool);
	}
}

/**
 * ib_dispatch_event - report an event to all registered handlers
 * @event: copied
 *
 * The core's own view of the port is brought up to date first where the event
 * says that it changed; then the handlers are called, in process context. Events
 * of a device keep their order. When memory has run out and a reserve with it,
 * the event is lost, with one line in the log. Context: any.
 */
void ib_dispatch_event(const struct ib_event *event)
{
	struct event_queue *queue =
		&queues[hash_ptr(event->device, EVENT_QUEUE_BITS)];
	struct queued_event *queued;
	unsigned long flags;

	queued = mempool_alloc(event_pool, GFP_ATOMIC);
	if (!queued) {
		dev_warn_once(&event->device->dev,
			      "out of memory, event %d is lost\n",
			      event->event);
		return;
	}
	queued->event = *event;

	spin_lock_irqsave(&queue->lock, flags);
	list_add_tail(&queued->link, &queue->waiting);
	queue_work(ib_wq, &queue->work);
	spin_unlock_irqrestore(&queue->lock, flags);
}
OFED_EXPORT(ib_dispatch_event);

/**
 * ofed_events_flush - wait until every event dispatched so far is delivered
 *
 * Context: may sleep; not from an event handler.
 */
void ofed_events_flush(void)
{
	int ix;

	for (ix = 0; ix < ARRAY_SIZE(queues); ix++)
		flush_work(&queues[ix].work);
}

/**
 * ofed_events_init - make the queues
 * @first: is called with each event before the registered handlers; may sleep
 *
 * Return: 0 or -ENOMEM.
 */
int ofed_events_init(void (*first)(const struct ib_event *event))
{
	int ix;

	event_pool = mempool_create_kmalloc_pool(EVENT_RESERVE,
						 sizeof(struct queued_event));
	if (!event_pool)
		return -ENOMEM;
	first_reader = first;
	for (ix = 0; ix < ARRAY_SIZE(queues); ix++) {
		spin_lock_init(&queues[ix].lock);
		INIT_LIST_HEAD(&queues[ix].waiting);
		INIT_WORK(&queues[ix].work, port_deliver_waiting);
	}
	return 0;
}

/**
 * ofed_events_exit - free the queues
 *
 * No device is left.
 */
void ofed_events_exit(void)
{
	ofed_events_flush();
	mempool_destroy(event_pool);
}

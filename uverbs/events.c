// SPDX-License-Identifier: GPL-2.0
/*
 * Event files: completion channels, and the asynchronous events of a file.
 *
 * Drivers report events in any context, so a queue has a spinlock. What a
 * program is told when it destroys an object is the number of its events that
 * were read, no more and no less: it waits until it has acknowledged as many.
 * Therefore an event leaves its queue and is counted in one step, and the
 * unread ones of an object leave with it.
 *
 * A completion event has no contents but the CQ: the CQ itself stands in the
 * queue, with a count, and no memory is needed that might be missing.
 */
#include <linux/ktime.h>
#include <linux/memcontrol.h>
#include <linux/poll.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/stat.h>
#include <linux/slab.h>

#include "ioctl/uapi.h"

/**
 * struct uv_async_event - one asynchronous event, unread
 * @node: in uv_async_file.queue.events
 * @sibling: in uv_source.unread, or on its own for an event of the device
 * @source: object that the event is of, or NULL
 * @desc: as it will be read
 */
struct uv_async_event {
	struct list_head node;
	struct list_head sibling;
	struct uv_source *source;
	struct ib_uverbs_async_event_desc desc;
};

union uv_record {
	struct ib_uverbs_comp_event_desc comp;
	struct ib_uverbs_async_event_desc async;
};

void uv_queue_init(struct uv_queue *queue)
{
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->events);
	init_waitqueue_head(&queue->wait);
}

static void uv_queue_wake(struct uv_queue *queue)
{
	wake_up_interruptible(&queue->wait);
	kill_fasync(&queue->fasync, SIGIO, POLL_IN);
}

static void uv_queue_close(struct uv_queue *queue)
{
	scoped_guard(spinlock_irqsave, &queue->lock)
		queue->closed = true;
	uv_queue_wake(queue);
}

/*
 * One record into @record. Return: its size, -EAGAIN (nothing there), -EIO
 * (nothing there, ever), -EINVAL (@space is too small; nothing was taken).
 */
static int uv_queue_take(struct uv_queue *queue, size_t space, size_t size,
			 void (*pop)(struct uv_queue *, union uv_record *),
			 union uv_record *record)
{
	int ret = size;

	spin_lock_irq(&queue->lock);
	if (list_empty(&queue->events))
		ret = queue->closed ? -EIO : -EAGAIN;
	else if (space < size)
		ret = -EINVAL;
	else
		pop(queue, record);
	spin_unlock_irq(&queue->lock);
	return ret;
}

static bool uv_queue_ready(struct uv_queue *queue)
{
	return !list_empty_careful(&queue->events) || READ_ONCE(queue->closed);
}

/* Until an event is there, or @end, or another task wants this processor. */
static void uv_queue_spin(struct uv_queue *queue, u64 end)
{
	while (!uv_queue_ready(queue) && single_task_running() && !need_resched() &&
	       !signal_pending(current) && ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

/* Return: 0, or -ERESTARTSYS. */
static int uv_queue_sleep(struct uv_queue *queue)
{
	return wait_event_interruptible(queue->wait, uv_queue_ready(queue));
}

/* As uv_queue_sleep(), but a reader may spin before it sleeps. */
static int uv_comp_wait(struct uv_queue *queue)
{
	struct uv_spin *spin = &container_of(queue, struct uv_comp_file, queue)->spin;
	u32 ns, most = uv_spin_most();
	u64 begin;
	s64 waited;
	int ret;

	if (!most)
		return uv_queue_sleep(queue);
	ns = min(READ_ONCE(spin->ns), most);
	begin = ktime_get_mono_fast_ns();
	if (ns)
		uv_queue_spin(queue, begin + ns);
	ret = uv_queue_sleep(queue);
	if (ret)
		return ret;
	scoped_guard(spinlock_irq, &queue->lock)
		waited = spin->event_at - begin;
	WRITE_ONCE(spin->ns, uv_spin_next(ns, max(waited, 0LL), most));
	return 0;
}

static ssize_t uv_queue_read(struct uv_queue *queue, struct file *filp,
			     char __user *buf, size_t space, size_t size,
			     int (*wait)(struct uv_queue *),
			     void (*pop)(struct uv_queue *, union uv_record *))
{
	union uv_record record = {};
	int ret;

	for (;;) {
		ret = uv_queue_take(queue, space, size, pop, &record);
		if (ret != -EAGAIN || filp->f_flags & O_NONBLOCK)
			break;
		ret = wait(queue);
		if (ret)
			return ret;
	}
	if (ret > 0 && copy_to_user(buf, &record, size))
		return -EFAULT;
	return ret;
}

static __poll_t uv_queue_poll(struct uv_queue *queue, struct file *filp,
			      struct poll_table_struct *table)
{
	__poll_t mask = 0;

	poll_wait(filp, &queue->wait, table);
	spin_lock_irq(&queue->lock);
	if (!list_empty(&queue->events))
		mask = EPOLLIN | EPOLLRDNORM;
	else if (queue->closed)
		mask = EPOLLERR;
	spin_unlock_irq(&queue->lock);
	return mask;
}

/* Completion channels */

static struct uv_comp_file *uv_events_comp_file(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uv_comp_file, uobj);
}

static void uv_comp_pop(struct uv_queue *queue, union uv_record *record)
{
	struct ib_ucq_object *ucq =
		list_first_entry(&queue->events, typeof(*ucq), comp_node);

	record->comp.cq_handle = ucq->source.uobj.user_handle;
	ucq->comp_reported++;
	/* Turn about: a busy CQ does not hide the others. */
	if (--ucq->comp_pending)
		list_move_tail(&ucq->comp_node, &queue->events);
	else
		list_del_init(&ucq->comp_node);
}

static ssize_t uv_comp_read(struct file *filp, char __user *buf, size_t count,
			    loff_t *pos)
{
	struct uv_comp_file *comp = uv_events_comp_file(filp->private_data);

	return uv_queue_read(&comp->queue, filp, buf, count,
			     sizeof(struct ib_uverbs_comp_event_desc), uv_comp_wait,
			     uv_comp_pop);
}

static __poll_t uv_comp_poll(struct file *filp, struct poll_table_struct *table)
{
	return uv_queue_poll(&uv_events_comp_file(filp->private_data)->queue, filp, table);
}

static int uv_comp_fasync(int fd, struct file *filp, int on)
{
	struct uv_comp_file *comp = uv_events_comp_file(filp->private_data);

	return fasync_helper(fd, filp, on, &comp->queue.fasync);
}

/* CQs may outlive the channel, but their events can not be read without it. */
static void uv_comp_drop_unread(struct uv_queue *queue)
{
	struct ib_ucq_object *ucq, *next;

	spin_lock_irq(&queue->lock);
	list_for_each_entry_safe(ucq, next, &queue->events, comp_node) {
		list_del_init(&ucq->comp_node);
		ucq->comp_pending = 0;
	}
	spin_unlock_irq(&queue->lock);
}

static int uv_comp_release(struct inode *inode, struct file *filp)
{
	struct ib_uobject *uobj = filp->private_data;

	/* NULL: its creation was given up. */
	if (!uobj)
		return 0;
	uv_queue_close(&uv_events_comp_file(uobj)->queue);
	uv_comp_drop_unread(&uv_events_comp_file(uobj)->queue);
	uv_uobj_close_fd(uobj);
	return 0;
}

const struct file_operations uv_comp_fops = {
	.owner = THIS_MODULE,
	.read = uv_comp_read,
	.poll = uv_comp_poll,
	.fasync = uv_comp_fasync,
	.release = uv_comp_release,
};

static int uv_comp_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			   struct uverbs_attr_bundle *attrs)
{
	uv_queue_close(&uv_events_comp_file(uobj)->queue);
	return 0;
}

const struct uv_type uv_type_comp = {
	.api.id = UVERBS_OBJECT_COMP_CHANNEL,
	.size = sizeof(struct uv_comp_file),
	.destroy = uv_comp_destroy,
	.is_fd = true,
	.fops = &uv_comp_fops,
};

static void uv_comp_init(struct uv_comp_file *comp)
{
	uv_queue_init(&comp->queue);
	comp->spin.ns = uv_spin_most();
}

int uv_create_comp_channel(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_comp_channel_resp resp = {};
	struct ib_uverbs_create_comp_channel cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uv_uobj_begin_fd(&uv_type_comp, attrs, &uv_comp_fops);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);

	uv_comp_init(uv_events_comp_file(uobj));
	attrs->uobject = uobj;
	resp.fd = uobj->id;
	return uv_reply(attrs, &resp, sizeof(resp));
}

/* The completion handler of every user's CQ. Any context. */
void uv_cq_completed(struct ib_cq *cq, void *context)
{
	struct ib_ucq_object *ucq = context;
	struct uv_comp_file *channel = ucq->channel;
	unsigned long flags;

	if (!channel)
		return;
	spin_lock_irqsave(&channel->queue.lock, flags);
	if (list_empty(&channel->queue.events))
		channel->spin.event_at = ktime_get_mono_fast_ns();
	/* A program that reads none for hours gets no more of them: 0 stands for "not queued". */
	if (!channel->queue.closed && ucq->comp_pending < U32_MAX && !ucq->comp_pending++)
		list_add_tail(&ucq->comp_node, &channel->queue.events);
	spin_unlock_irqrestore(&channel->queue.lock, flags);
	uv_queue_wake(&channel->queue);
}

/* The CQ is gone, so no more of its events come; the unread ones go. */
void uv_cq_forget_comp(struct ib_ucq_object *ucq)
{
	struct uv_comp_file *channel = ucq->channel;

	if (!channel)
		return;
	scoped_guard(spinlock_irq, &channel->queue.lock) {
		list_del_init(&ucq->comp_node);
		ucq->comp_pending = 0;
	}
	ucq->channel = NULL;
	uv_uobj_put(&channel->uobj);
}

/* Asynchronous events */

static struct uv_async_file *uv_events_async_file(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uv_async_file, uobj);
}

static void uv_async_pop(struct uv_queue *queue, union uv_record *record)
{
	struct uv_async_event *event =
		list_first_entry(&queue->events, typeof(*event), node);

	record->async = event->desc;
	list_del(&event->node);
	if (event->source) {
		event->source->reported++;
		list_del(&event->sibling);
	}
	kfree(event);
}

/*
 * Memory for an event. How many are unread is up to the program: its cgroup is
 * charged, though another thread reports the event. GFP_ATOMIC is charged beyond
 * the limit, too: no event is lost for that, and the next call of the program pays.
 */
static struct uv_async_event *uv_async_event_new(struct uv_async_file *async)
{
	struct uv_async_event *event;
	struct mem_cgroup *old;

	/* Afterwards the file may be gone. */
	lockdep_assert_held(&async->queue.lock);
	if (async->queue.closed)
		return NULL;
	old = set_active_memcg(to_uv_file(async->uobj.ufile)->memcg);
	event = kzalloc(sizeof(*event), GFP_ATOMIC | __GFP_ACCOUNT);
	set_active_memcg(old);
	return event;
}

/* Any context. Without memory, the event is lost. */
static void uv_async_queue(struct uv_async_file *async, u64 element, u32 type,
			   struct uv_source *source)
{
	struct uv_async_event *event;
	unsigned long flags;

	spin_lock_irqsave(&async->queue.lock, flags);
	event = uv_async_event_new(async);
	if (event) {
		event->desc.element = element;
		event->desc.event_type = type;
		event->source = source;
		list_add_tail(&event->node, &async->queue.events);
	}
	if (event && source)
		list_add_tail(&event->sibling, &source->unread);
	spin_unlock_irqrestore(&async->queue.lock, flags);

	if (event)
		uv_queue_wake(&async->queue);
}

/**
 * uv_source_init - before an object with asynchronous events meets its driver
 * @source: the object
 * @async: where its events go; NULL is the file's own
 *
 * A context that was made by ioctl() has no event file until the program asks
 * for one. Events of objects made before are dropped.
 */
void uv_source_init(struct uv_source *source, struct uv_async_file *async)
{
	INIT_LIST_HEAD(&source->unread);
	if (!async)
		async = uv_file_async(source->uobj.ufile);
	if (async)
		uv_uobj_get(&async->uobj);
	source->async = async;
}

/* The event handler of every CQ, QP, SRQ and WQ of a user. Any context. */
void uv_source_event(struct ib_event *event, void *context)
{
	struct uv_source *source = context;

	if (source->async)
		uv_async_queue(source->async, source->uobj.user_handle,
			       event->event, source);
}

/*
 * The object is gone, or has not come to be, so no more of its events come; the
 * unread ones go. What @source->reported is after this is final.
 */
void uv_source_end(struct uv_source *source)
{
	struct uv_async_file *async = source->async;
	struct uv_async_event *event, *next;

	if (!async)
		return;
	spin_lock_irq(&async->queue.lock);
	list_for_each_entry_safe(event, next, &source->unread, sibling) {
		list_del(&event->sibling);
		list_del(&event->node);
		kfree(event);
	}
	spin_unlock_irq(&async->queue.lock);
	source->async = NULL;
	uv_uobj_put(&async->uobj);
}

static void uv_async_device_event(struct ib_event_handler *handler,
				  struct ib_event *event)
{
	uv_async_queue(container_of(handler, struct uv_async_file, handler),
		       event->element.port_num, event->event, NULL);
}

/* From here on it hears of the ports. */
void uv_async_start(struct uv_async_file *async, struct ib_device *ib_dev)
{
	INIT_IB_EVENT_HANDLER(&async->handler, ib_dev, uv_async_device_event);
	ib_register_event_handler(&async->handler);
}

static int uv_async_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			    struct uverbs_attr_bundle *attrs)
{
	struct uv_async_file *async = uv_events_async_file(uobj);

	ib_unregister_event_handler(&async->handler);
	if (why == RDMA_REMOVE_DRIVER_REMOVE)
		uv_async_queue(async, 0, IB_EVENT_DEVICE_FATAL, NULL);
	uv_queue_close(&async->queue);
	return 0;
}

const struct uv_type uv_type_async = {
	.api.id = UVERBS_OBJECT_ASYNC_EVENT,
	.size = sizeof(struct uv_async_file),
	.destroy = uv_async_destroy,
	.is_fd = true,
	.fops = &uv_async_fops,
};

static ssize_t uv_async_read(struct file *filp, char __user *buf, size_t count,
			     loff_t *pos)
{
	struct uv_async_file *async = uv_events_async_file(filp->private_data);

	return uv_queue_read(&async->queue, filp, buf, count,
			     sizeof(struct ib_uverbs_async_event_desc), uv_queue_sleep,
			     uv_async_pop);
}

static __poll_t uv_async_poll(struct file *filp, struct poll_table_struct *table)
{
	return uv_queue_poll(&uv_events_async_file(filp->private_data)->queue, filp, table);
}

static int uv_async_fasync(int fd, struct file *filp, int on)
{
	struct uv_async_file *async = uv_events_async_file(filp->private_data);

	return fasync_helper(fd, filp, on, &async->queue.fasync);
}

static void uv_async_drop_unread(struct uv_queue *queue)
{
	struct uv_async_event *event, *next;

	spin_lock_irq(&queue->lock);
	list_for_each_entry_safe(event, next, &queue->events, node) {
		if (event->source)
			list_del(&event->sibling);
		list_del(&event->node);
		kfree(event);
	}
	spin_unlock_irq(&queue->lock);
}

static int uv_async_release(struct inode *inode, struct file *filp)
{
	struct ib_uobject *uobj = filp->private_data;

	/* NULL: its creation was given up. */
	if (!uobj)
		return 0;
	uv_queue_close(&uv_events_async_file(uobj)->queue);
	uv_async_drop_unread(&uv_events_async_file(uobj)->queue);
	uv_uobj_close_fd(uobj);
	return 0;
}

const struct file_operations uv_async_fops = {
	.owner = THIS_MODULE,
	.read = uv_async_read,
	.poll = uv_async_poll,
	.fasync = uv_async_fasync,
	.release = uv_async_release,
};

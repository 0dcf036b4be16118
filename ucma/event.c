// SPDX-License-Identifier: GPL-2.0
/*
 * Events: from rdma_cm to the queue of a file, and from there to the program.
 */
#include <kunit/visibility.h>
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <ofed/unread.h>
#include <rdma/ib_marshall.h>

#include "ucma.h"

static void ucma_show_conn(struct rdma_ucm_conn_param *to,
			   const struct rdma_conn_param *from)
{
	to->qp_num = from->qp_num;
	to->srq = from->srq;
	to->initiator_depth = from->initiator_depth;
	to->responder_resources = from->responder_resources;
	to->rnr_retry_count = from->rnr_retry_count;
	to->retry_count = from->retry_count;
	to->flow_control = from->flow_control;
	to->private_data_len = from->private_data_len;
	if (from->private_data_len)
		memcpy(to->private_data, from->private_data,
		       from->private_data_len);
}

static void ucma_show_ud(struct rdma_ucm_ud_param *to, struct rdma_ud_param *from,
			 struct ib_device *device)
{
	ib_copy_ah_attr_to_user(device, &to->ah_attr, &from->ah_attr);
	to->qkey = from->qkey;
	to->qp_num = from->qp_num;
	to->private_data_len = from->private_data_len;
	if (from->private_data_len)
		memcpy(to->private_data, from->private_data,
		       from->private_data_len);
}

static bool ucma_is_of_mcast(const struct rdma_cm_event *event)
{
	return event->event == RDMA_CM_EVENT_MULTICAST_JOIN ||
	       event->event == RDMA_CM_EVENT_MULTICAST_ERROR;
}

/* Memory for an event. Context: process; ucma_moves held for reading. */
struct ucma_event *ucma_event_alloc(struct ucma_id *id)
{
	return ofed_unread_alloc(id->file->memcg, sizeof(struct ucma_event),
				 READ_ONCE(id->unread));
}

/*
 * What the program will read of @event, except for its id and group. Events of
 * groups have the parameters of datagrams whatever the type of the id: read as
 * those of a connection, parts of them would be kernel addresses.
 */
static void ucma_event_fill(struct ucma_event *new, struct rdma_cm_id *cm_id,
			    struct rdma_cm_event *event)
{
	BUILD_BUG_ON(sizeof(new->resp) != 336);
	new->resp.event = event->event;
	new->resp.status = event->status;
	new->resp.ece = event->ece;
	if (cm_id->qp_type == IB_QPT_UD || ucma_is_of_mcast(event))
		ucma_show_ud(&new->resp.param.ud, &event->param.ud, cm_id->device);
	else
		ucma_show_conn(&new->resp.param.conn, &event->param.conn);
}

/* False for what is bounded by the backlog, or by the groups. */
static bool ucma_is_counted(const struct ucma_event *event)
{
	return !event->request && !event->mcast;
}

/* Free an event and take it out of the queue; its request is the caller's. */
void ucma_event_free(struct ucma_event *event)
{
	struct ucma_id *id = event->id;

	lockdep_assert_held(&id->file->lock);
	if (ucma_is_counted(event))
		WRITE_ONCE(id->unread, id->unread - 1);
	list_del(&event->of_id);
	list_del(&event->in_file);
	kfree(event);
}

void ucma_enqueue(struct ucma_event *event, struct ucma_id *id)
{
	struct ucma_file *file = id->file;

	lockdep_assert_held(&ucma_moves);
	lockdep_assert_held(&file->lock);
	event->id = id;
	if (ucma_is_counted(event))
		WRITE_ONCE(id->unread, id->unread + 1);
	list_add_tail(&event->of_id, &id->events);
	list_add_tail(&event->in_file, &file->events);
	wake_up_interruptible(&file->wait);
}

/* The group that an event is of; NULL when it is just being left. */
static struct ucma_mcast *ucma_mcast_of(struct ucma_id *id, const void *context)
{
	struct ucma_mcast *mcast;

	list_for_each_entry(mcast, &id->mcasts, in_id)
		if (mcast == context)
			return mcast;
	return NULL;
}

/* Return: false if the group is not joined any more. */
static bool ucma_name_mcast(struct ucma_event *event, struct ucma_id *id,
			    const void *context)
{
	struct ucma_mcast *mcast = ucma_mcast_of(id, context);

	if (!mcast)
		return false;
	event->mcast = mcast;
	event->resp.uid = mcast->uid;
	event->resp.id = mcast->number;
	return true;
}

static bool ucma_is_said(const struct ucma_id *id, enum rdma_cm_event_type type)
{
	const struct ucma_event *event;

	lockdep_assert_held(&id->file->lock);
	list_for_each_entry(event, &id->events, of_id)
		if (event->resp.event == type)
			return true;
	return false;
}

/*
 * Neighbours and interfaces can cause these events without limit, and a second
 * one tells the program nothing while the first is unread. All other events
 * come once, or once for a command, which is refused when there is no room.
 */
static bool ucma_is_one_too_many(const struct ucma_id *id,
				 const struct rdma_cm_event *event)
{
	return id->unread >= UCMA_UNREAD_MOST &&
	       (event->event == RDMA_CM_EVENT_ADDR_CHANGE ||
		event->event == RDMA_CM_EVENT_UNREACHABLE) &&
	       ucma_is_said(id, event->event);
}

/* Without memory an event is lost: there is no caller to get the error. */
static void ucma_take_event(struct ucma_id *id, struct rdma_cm_id *cm_id,
			    struct rdma_cm_event *event)
{
	struct ucma_event *new;

	guard(rwsem_read)(&ucma_moves);
	new = ucma_event_alloc(id);
	if (!new)
		return;
	ucma_event_fill(new, cm_id, event);
	new->resp.uid = id->uid;
	new->resp.id = id->number;

	guard(mutex)(&id->file->lock);
	if (ucma_is_one_too_many(id, event) ||
	    (ucma_is_of_mcast(event) &&
	     !ucma_name_mcast(new, id, event->param.ud.private_data))) {
		kfree(new);
		return;
	}
	ucma_enqueue(new, id);
}

/*
 * The new id is on no list and in no table, but for its number, until the
 * program has read of it: whatever becomes of the listener until then, the event
 * takes the id along.
 */
static bool ucma_enqueue_request(struct ucma_id *listener, struct ucma_event *event,
				 struct ucma_id *id)
{
	lockdep_assert_held(&ucma_moves);
	guard(mutex)(&listener->file->lock);
	if (listener->requests >= listener->backlog)
		return false;
	listener->requests++;
	id->file = listener->file;
	id->cm_id->context = id;
	event->request = id;
	ucma_enqueue(event, listener);
	return true;
}

/*
 * The id of a request, and its event; the opener of the listener's file is charged for both.
 * None of them is free: a peer repeats a request that there is no memory for, and kills no
 * process of the opener by it.
 */
static struct ucma_id *ucma_request_alloc(struct ucma_id *listener, struct ucma_event **event)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN;
	struct mem_cgroup *old = set_active_memcg(listener->file->memcg);
	struct ucma_id *id;

	*event = kzalloc(sizeof(**event), gfp);
	id = *event ? ucma_id_new(NULL, gfp) : NULL;
	set_active_memcg(old);
	if (!id)
		kfree(*event);
	return id;
}

static int ucma_take_request(struct ucma_id *listener, struct rdma_cm_id *cm_id,
			     struct rdma_cm_event *event)
{
	struct ucma_event *new;
	struct ucma_id *id;

	/* A peer that floods the listener gets no memory for it. */
	if (READ_ONCE(listener->requests) >= READ_ONCE(listener->backlog))
		return -ENOMEM;
	guard(rwsem_read)(&ucma_moves);
	id = ucma_request_alloc(listener, &new);
	if (!id)
		return -ENOMEM;
	id->cm_id = cm_id;
	ucma_event_fill(new, cm_id, event);
	new->resp.uid = listener->uid;
	new->resp.id = id->number;
	if (ucma_enqueue_request(listener, new, id))
		return 0;
	kfree(new);
	ucma_id_discard(id);
	return -ENOMEM;
}

/**
 * ucma_handler - what rdma_cm calls for each event of a program's id
 * @cm_id: the id, or the new one of a connection request
 * @event: the event
 *
 * A new id is sent no event before the program has accepted it, and so said how
 * it calls it. What is lost by that is an error, which the accept will see.
 * Context: rdma_lock_handler of @cm_id is held; may sleep.
 * Return: 0, or -ENOMEM for a request that was not taken; its id is destroyed by
 * rdma_cm then.
 */
int ucma_handler(struct rdma_cm_id *cm_id, struct rdma_cm_event *event)
{
	struct ucma_id *id = cm_id->context;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return ucma_take_request(id, cm_id, event);
	if (id->has_uid)
		ucma_take_event(id, cm_id, event);
	if (event->event == RDMA_CM_EVENT_DEVICE_REMOVAL)
		ucma_id_unplug(id);
	return 0;
}

/* The program has @event. */
VISIBLE_IF_KUNIT void ucma_event_was_read(struct ucma_event *event)
{
	struct ucma_id *id = event->id;

	id->events_read++;
	if (event->mcast)
		event->mcast->events_read++;
	if (event->request) {
		id->requests--;
		ucma_id_publish(event->request);
	}
	ucma_event_free(event);
}

/**
 * ucma_event_read - give the oldest event to the program
 * @file: its queue
 * @to: the program's memory
 * @room: bytes of it; what exceeds it the program does not want
 *
 * The event stays where it is unless the program has it, so the copy is made
 * with the queue locked, and does not wait for pages.
 * Return: 0, -EAGAIN (there is none), -EFAULT (pages at @to are not there now).
 */
int ucma_event_read(struct ucma_file *file, void __user *to, size_t room)
{
	struct ucma_event *event;

	guard(rwsem_read)(&ucma_moves);
	guard(mutex)(&file->lock);
	event = list_first_entry_or_null(&file->events, struct ucma_event,
					 in_file);
	if (!event)
		return -EAGAIN;
	if (copy_to_user_nofault(to, &event->resp,
				 min(room, sizeof(event->resp))))
		return -EFAULT;
	ucma_event_was_read(event);
	return 0;
}

static int ucma_wait_for_event(struct ucma_file *file, bool nonblock)
{
	if (!list_empty(&file->events))
		return 0;
	if (nonblock)
		return -EAGAIN;
	return wait_event_interruptible(file->wait, !list_empty(&file->events));
}

int ucma_get_event(struct ucma_call *call)
{
	void __user *to = u64_to_user_ptr(call->req.get_event.response);
	const size_t room = min_t(size_t, call->out_len,
				  sizeof(struct rdma_ucm_event_resp));
	int ret;

	for (;;) {
		ret = ucma_wait_for_event(call->file, call->nonblock);
		if (ret)
			return ret;
		ret = ucma_event_read(call->file, to, room);
		if (!ret)
			return 0;
		if (ret == -EFAULT && fault_in_writeable(to, room))
			return -EFAULT;
		/* Another reader was faster, or the page is there now. */
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
}

/**
 * ucma_events_move - let the events of an id follow it
 * @id: the id, which is moved from id->file
 * @file: to here
 *
 * Context: ucma_moves held for writing, which keeps all others from both queues.
 */
void ucma_events_move(struct ucma_id *id, struct ucma_file *file)
{
	struct ucma_event *event;

	lockdep_assert_held_write(&ucma_moves);
	list_for_each_entry(event, &id->events, of_id) {
		list_move_tail(&event->in_file, &file->events);
		if (event->request)
			event->request->file = file;
	}
	if (!list_empty(&id->events))
		wake_up_interruptible(&file->wait);
}

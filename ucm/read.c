// SPDX-License-Identifier: GPL-2.0
/*
 * Events: from the queue of a file to the program.
 */
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "ucm.h"

/*
 * No byte fits at any address, as fault_in_writeable() has it; copy_to_user_nofault()
 * refuses one that is not the program's. Return: 0 or -EFAULT.
 */
static int ucm_copy(u64 to, const void *from, size_t len)
{
	return len && copy_to_user_nofault(u64_to_user_ptr(to), from, len) ? -EFAULT : 0;
}

/* Without waiting for a page. Return: 0, -ENOSPC, -EFAULT. */
static int ucm_give(const struct ucm_event *event, const struct ib_ucm_event_get *to)
{
	const u8 *info = event->bytes + event->data_len;

	if (to->data_len < event->data_len || to->info_len < event->info_len)
		return -ENOSPC;
	if (ucm_copy(to->response, &event->resp, sizeof(event->resp)) ||
	    ucm_copy(to->data, event->bytes, event->data_len) ||
	    ucm_copy(to->info, info, event->info_len))
		return -EFAULT;
	return 0;
}

/* Bring the pages there. Return: 0 or -EFAULT. */
static int ucm_fault_in(const struct ib_ucm_event_get *to)
{
	if (fault_in_writeable(u64_to_user_ptr(to->response), sizeof(struct ib_ucm_event_resp)) ||
	    fault_in_writeable(u64_to_user_ptr(to->data), to->data_len) ||
	    fault_in_writeable(u64_to_user_ptr(to->info), to->info_len))
		return -EFAULT;
	return 0;
}

/* The program has @event, and knows the id of a request. */
static void ucm_was_read(struct ucm_event *event)
{
	event->id->events_read++;
	if (event->request)
		ucm_id_publish(event->request);
	ucm_event_free(event);
}

/* The oldest event; it stays where it is unless the program has it. */
static int ucm_read_first(struct ucm_file *file, const struct ib_ucm_event_get *to)
{
	struct ucm_event *event;
	int ret;

	guard(mutex)(&file->queue_lock);
	if (file->dead)
		return -EIO;
	event = list_first_entry_or_null(&file->events, struct ucm_event, in_file);
	if (!event)
		return -EAGAIN;
	ret = ucm_give(event, to);
	if (!ret)
		ucm_was_read(event);
	return ret;
}

static bool ucm_is_readable(struct ucm_file *file)
{
	return !list_empty(&file->events) || READ_ONCE(file->dead);
}

/**
 * ucm_read - the command that reads an event
 * @call: the command
 *
 * Context: process, no lock held; waits for an event unless that is refused by O_NONBLOCK.
 * Return: 0; -EAGAIN, -ERESTARTSYS or -EINTR (there is none); -EFAULT, -ENOSPC (no room for all
 * of it): it can be read again; -EIO (the device is gone).
 */
int ucm_read(struct ucm_call *call)
{
	const struct ib_ucm_event_get *to = &call->req.event_get;
	struct ucm_file *file = call->file;
	int ret;

	for (;;) {
		ret = ucm_read_first(file, to);
		if (ret == -EFAULT && ucm_fault_in(to))
			return ret;
		if (ret == -EAGAIN && call->nonblock)
			return ret;
		if (ret == -EAGAIN)
			ret = wait_event_interruptible(file->wait, ucm_is_readable(file)) ?:
				-EAGAIN;
		/* Another reader was faster, or the page is there now. */
		if (ret != -EAGAIN && ret != -EFAULT)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
}

__poll_t ucm_poll(struct file *filp, struct poll_table_struct *table)
{
	struct ucm_file *file = filp->private_data;

	poll_wait(filp, &file->wait, table);
	if (READ_ONCE(file->dead))
		return EPOLLERR | EPOLLHUP;
	return list_empty(&file->events) ? 0 : EPOLLIN | EPOLLRDNORM;
}

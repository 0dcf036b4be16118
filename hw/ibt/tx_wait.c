// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs that wait for the link. A link that has room again has room for a few
 * packets, and each queue pair that is woken sends one before it learns that there
 * is none any more. So they are woken by the handful, in the order in which they
 * came, and only until one of them waits again: the rest has its turn when the link
 * calls next.
 */
#include <linux/export.h>

#include "../soft/task.h"
#include "dev.h"
#include "link.h"
#include "port.h"
#include "qp.h"
#include "requester.h"
#include "resp.h"
#include "tx_wait.h"
#include "sq.h"

/* Of each of the two lines, in one go. */
#define HANDFUL	16

/**
 * ibt_tx_wait_add - wait for ibt_tx_wake()
 * @port: for which xmit() returned -EAGAIN
 * @line: of the port: where to wait
 * @entry: of the queue pair; it may be in @line already
 * @seq: what tx_wake_seq was before xmit() was called
 *
 * The link calls ibt_tx_wake() once after -EAGAIN. When that call has come already,
 * tx_wake_seq is not @seq any more, and no other call would end a wait.
 *
 * Context: any; locks of a queue pair are held.
 *
 * Return: whether @entry is in a line.
 */
bool ibt_tx_wait_add(struct ibt_port *port, struct list_head *line,
		     struct list_head *entry, u32 seq)
{
	unsigned long flags;
	bool waits;

	spin_lock_irqsave(&port->tx_wait_lock, flags);
	if (port->tx_wake_seq == seq) {
		port->full = true;
		if (list_empty(entry))
			list_add_tail(entry, line);
	}
	waits = !list_empty(entry);
	spin_unlock_irqrestore(&port->tx_wait_lock, flags);
	return waits;
}

/**
 * ibt_tx_wait_del - do not wait any more
 * @port: where @entry may be in a line; NULL: it never was
 * @entry: of a queue pair
 *
 * Context: any. The queue pair is not woken by @entry afterwards.
 */
void ibt_tx_wait_del(struct ibt_port *port, struct list_head *entry)
{
	unsigned long flags;

	if (!port)
		return;
	spin_lock_irqsave(&port->tx_wait_lock, flags);
	list_del_init(entry);
	spin_unlock_irqrestore(&port->tx_wait_lock, flags);
}

static void ibt_wake_requester(struct ibt_port *port, struct list_head *entry)
{
	ibt_sq_schedule(container_of(entry, struct ibt_qp, sq.waiting));
}

static void ibt_wake_responder(struct ibt_port *port, struct list_head *entry)
{
	struct ibt_resp *resp = container_of(entry, struct ibt_resp, waiting);

	soft_task_queue(&resp->task);
}

static void ibt_wake_some(struct ibt_port *port, struct list_head *line,
			  void (*wake)(struct ibt_port *port,
				       struct list_head *entry))
{
	struct list_head *entry;
	int i;

	lockdep_assert_held(&port->tx_wait_lock);
	for (i = 0; i < HANDFUL && !list_empty(line); i++) {
		entry = line->next;
		list_del_init(entry);
		wake(port, entry);
	}
}

/* The work stands behind those that are woken here: they go first. */
static void ibt_let_some_go(struct ibt_port *port)
{
	lockdep_assert_held(&port->tx_wait_lock);
	if (port->full)
		return;
	ibt_wake_some(port, &port->answering, ibt_wake_responder);
	ibt_wake_some(port, &port->waiting, ibt_wake_requester);
	if (!list_empty(&port->answering) || !list_empty(&port->waiting))
		queue_work(port->dev->queues.any, &port->tx_wake_work);
}

static void ibt_tx_wake_work(struct work_struct *work)
{
	struct ibt_port *port = container_of(work, struct ibt_port, tx_wake_work);

	spin_lock_irq(&port->tx_wait_lock);
	ibt_let_some_go(port);
	spin_unlock_irq(&port->tx_wait_lock);
}

/**
 * ibt_tx_wake - the link takes packets again
 * @port: that said -EAGAIN before
 *
 * A queue pair that waits for the link goes on from the work queue, so the destructor
 * of a packet may call this. Context: any.
 */
void ibt_tx_wake(struct ibt_port *port)
{
	unsigned long flags;

	spin_lock_irqsave(&port->tx_wait_lock, flags);
	port->tx_wake_seq++;
	port->full = false;
	ibt_let_some_go(port);
	spin_unlock_irqrestore(&port->tx_wait_lock, flags);
}
EXPORT_SYMBOL_GPL(ibt_tx_wake);

void ibt_tx_wait_init(struct ibt_port *port)
{
	spin_lock_init(&port->tx_wait_lock);
	INIT_LIST_HEAD(&port->waiting);
	INIT_LIST_HEAD(&port->answering);
	INIT_WORK(&port->tx_wake_work, ibt_tx_wake_work);
}

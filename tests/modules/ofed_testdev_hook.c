// SPDX-License-Identifier: GPL-2.0
/* Things that hardware would do by itself, done when a test writes a line. */
#include <linux/module.h>
#include <linux/uaccess.h>

#include "ofed_testdev.h"

/*
 * Copy one line out of a write(): without the newline, terminated.
 *
 * Return: length, -EINVAL for none or one that is too long, -EFAULT.
 */
ssize_t td_hook_line(char *line, size_t size, const char __user *buf,
		     size_t count)
{
	if (!count || count >= size)
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	line[count] = '\0';
	if (line[count - 1] == '\n')
		line[--count] = '\0';
	return count ? count : -EINVAL;
}

/* Handlers of CQ, SRQ and WQ may be called in atomic context: so do it. */
static void td_call_atomic(void (*handler)(struct ib_event *, void *),
			   struct ib_event *event, void *context)
{
	if (!handler)
		return;
	local_bh_disable();
	handler(event, context);
	local_bh_enable();
}

static int td_event_cq(struct testdev *td, struct ib_event *event, u32 number)
{
	struct td_cq *cq = xa_load(&td->cqs, number);

	if (!cq)
		return -ENOENT;
	event->element.cq = &cq->ib;
	td_call_atomic(cq->ib.event_handler, event, cq->ib.cq_context);
	return 0;
}

static int td_event_srq(struct testdev *td, struct ib_event *event, u32 number)
{
	struct td_srq *srq = xa_load(&td->srqs, number);

	if (!srq)
		return -ENOENT;
	event->element.srq = &srq->ib;
	td_call_atomic(srq->ib.event_handler, event, srq->ib.srq_context);
	return 0;
}

static int td_event_wq(struct testdev *td, struct ib_event *event, u32 number)
{
	struct td_wq *wq = xa_load(&td->wqs, number);

	if (!wq)
		return -ENOENT;
	event->element.wq = &wq->ib;
	td_call_atomic(wq->ib.event_handler, event, wq->ib.wq_context);
	return 0;
}

static int td_event_qp(struct testdev *td, struct ib_event *event, u32 number)
{
	struct td_qp *qp = xa_load(&td->qps, number);

	if (!qp)
		return -ENOENT;
	event->element.qp = &qp->ib;
	if (qp->ib.event_handler)
		qp->ib.event_handler(event, qp->ib.qp_context);
	return 0;
}

static int td_event_send(struct testdev *td, u32 type, u32 number)
{
	struct ib_event event = { .device = &td->ib, .event = type };

	lockdep_assert_held(&td->hook_lock);
	switch (type) {
	case IB_EVENT_CQ_ERR:
		return td_event_cq(td, &event, number);
	case IB_EVENT_SRQ_ERR:
	case IB_EVENT_SRQ_LIMIT_REACHED:
		return td_event_srq(td, &event, number);
	case IB_EVENT_WQ_FATAL:
		return td_event_wq(td, &event, number);
	case IB_EVENT_QP_FATAL ... IB_EVENT_PATH_MIG_ERR:
	case IB_EVENT_QP_LAST_WQE_REACHED:
		return td_event_qp(td, &event, number);
	case IB_EVENT_DEVICE_FATAL:
	case IB_EVENT_PORT_ACTIVE ... IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
	case IB_EVENT_GID_CHANGE:
		event.element.port_num = number;
		ib_dispatch_event(&event);
		return 0;
	default:
		return -EINVAL;
	}
}

/* TYPE [NUMBER]: enum ib_event_type, then a CQ, QP, SRQ, WQ or port number */
static ssize_t td_event_write(struct file *file, const char __user *buf,
			      size_t count, loff_t *pos)
{
	struct testdev *td = file->private_data;
	char line[64], *args = line, *word;
	u32 type, number = 1;
	ssize_t ret = td_hook_line(line, sizeof(line), buf, count);

	if (ret < 0)
		return ret;
	word = strsep(&args, " ");
	if (kstrtou32(word, 0, &type) || (args && kstrtou32(args, 0, &number)))
		return -EINVAL;
	mutex_lock(&td->hook_lock);
	ret = td_event_send(td, type, number);
	mutex_unlock(&td->hook_lock);
	return ret ? ret : count;
}

const struct file_operations td_event_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = td_event_write,
};

/* The next posted request of one side; from the SRQ where there is one. */
static bool td_next_wr(struct td_qp *qp, bool recv, struct td_wr *wr)
{
	unsigned long flags;
	bool found;

	if (recv && qp->srq)
		return td_srq_take(qp->srq, wr);
	spin_lock_irqsave(&qp->lock, flags);
	found = td_wrq_take(recv ? &qp->rq : &qp->sq, wr);
	spin_unlock_irqrestore(&qp->lock, flags);
	return found;
}

/*
 * Complete @count requests. Where fewer were posted the rest is made up, so
 * that a test can overrun a CQ; a kernel consumer would take the made-up wr_id
 * for a pointer, hence only for QPs of user space.
 */
static int td_complete_run(struct td_qp *qp, bool recv, u32 count, u32 status)
{
	struct td_wr wr;

	for (; count; count--) {
		if (!td_next_wr(qp, recv, &wr)) {
			if (!qp->ib.uobject)
				return -ENOENT;
			wr = (struct td_wr) {
				.opcode = recv ? IB_WC_RECV : IB_WC_SEND,
			};
		}
		wr.signaled = true;
		td_qp_complete(qp, recv, &wr, status);
	}
	return 0;
}

static int td_complete_line(struct testdev *td, char *args)
{
	char *side = strsep(&args, " ");
	char *qpn_word = strsep(&args, " ");
	char *count_word = strsep(&args, " ");
	u32 qpn, count, status = IB_WC_SUCCESS;
	struct td_qp *qp;
	int ret = -ENOENT;

	if (!count_word || kstrtou32(qpn_word, 0, &qpn) ||
	    kstrtou32(count_word, 0, &count) || count > 2 * TD_MAX_CQE ||
	    (args && kstrtou32(args, 0, &status)) ||
	    status > IB_WC_GENERAL_ERR)
		return -EINVAL;
	if (strcmp(side, "send") && strcmp(side, "recv"))
		return -EINVAL;

	mutex_lock(&td->hook_lock);
	qp = xa_load(&td->qps, qpn);
	if (qp)
		ret = td_complete_run(qp, side[0] == 'r', count, status);
	mutex_unlock(&td->hook_lock);
	return ret;
}

static ssize_t td_complete_write(struct file *file, const char __user *buf,
				 size_t count, loff_t *pos)
{
	struct testdev *td = file->private_data;
	char line[64];
	ssize_t ret = td_hook_line(line, sizeof(line), buf, count);

	if (ret < 0)
		return ret;
	ret = td_complete_line(td, line);
	return ret ? ret : count;
}

const struct file_operations td_complete_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = td_complete_write,
};

static ssize_t td_hold_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	struct testdev *td = file->private_data;

	return simple_read_from_buffer(buf, count, pos,
				       READ_ONCE(td->hold) ? "1\n" : "0\n", 2);
}

/* What waited while hold was 1 goes when it becomes 0. */
static ssize_t td_hold_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *pos)
{
	struct testdev *td = file->private_data;
	unsigned long index, flags;
	struct td_qp *qp;
	bool hold;
	int ret = kstrtobool_from_user(buf, count, &hold);

	if (ret)
		return ret;
	mutex_lock(&td->hook_lock);
	WRITE_ONCE(td->hold, hold);
	xa_for_each(&td->qps, index, qp) {
		spin_lock_irqsave(&qp->lock, flags);
		td_qp_run(qp);
		spin_unlock_irqrestore(&qp->lock, flags);
	}
	mutex_unlock(&td->hook_lock);
	return count;
}

const struct file_operations td_hold_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = td_hold_read,
	.write = td_hold_write,
};

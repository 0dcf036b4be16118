// SPDX-License-Identifier: GPL-2.0
/*
 * An object that is a descriptor: read() gives how often it rang since the last
 * time. It outlives its device, and then answers -EIO.
 */
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/wait.h>

#include "ofed_testdev.h"

#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME ofed_testdev
#include <rdma/uverbs_named_ioctl.h>

struct td_bell {
	struct ib_uobject uobj;
	struct testdev *td;
	wait_queue_head_t wait;		/* its lock guards the rest */
	u64 rang;
	bool gone;
};

static ssize_t td_bell_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	struct td_bell *bell = file->private_data;
	int ret = 0;
	u64 rang;

	if (count < sizeof(rang))
		return -EINVAL;
	spin_lock_irq(&bell->wait.lock);
	if (file->f_flags & O_NONBLOCK) {
		if (!bell->rang && !bell->gone)
			ret = -EAGAIN;
	} else {
		ret = wait_event_interruptible_locked_irq(bell->wait,
							  bell->rang ||
							  bell->gone);
	}
	if (!ret && bell->gone)
		ret = -EIO;
	rang = bell->rang;
	if (!ret)
		bell->rang = 0;
	spin_unlock_irq(&bell->wait.lock);
	if (ret)
		return ret;
	return copy_to_user(buf, &rang, sizeof(rang)) ? -EFAULT : sizeof(rang);
}

static __poll_t td_bell_poll(struct file *file, struct poll_table_struct *table)
{
	struct td_bell *bell = file->private_data;
	__poll_t mask = 0;

	poll_wait(file, &bell->wait, table);
	spin_lock_irq(&bell->wait.lock);
	if (bell->rang)
		mask |= EPOLLIN | EPOLLRDNORM;
	if (bell->gone)
		mask |= EPOLLERR;
	spin_unlock_irq(&bell->wait.lock);
	return mask;
}

static const struct file_operations td_bell_fops = {
	.owner = THIS_MODULE,
	.read = td_bell_read,
	.poll = td_bell_poll,
	.release = uverbs_uobject_fd_release,
	.llseek = noop_llseek,
};

static int
UVERBS_HANDLER(TESTDEV_METHOD_BELL_OPEN)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, TESTDEV_ATTR_BELL_OPEN_FD);
	struct td_bell *bell = container_of(uobj, struct td_bell, uobj);
	struct testdev *td = to_td(uobj->context->device);
	int ret = td_fault(&td->ib, open_bell);

	if (ret)
		return ret;
	ret = td_get(td, TD_bell);
	if (ret)
		return ret;
	init_waitqueue_head(&bell->wait);
	bell->td = td;
	return 0;
}

/* Called when the descriptor is closed, or earlier when the device goes. */
static void td_bell_destroy(struct ib_uobject *uobj,
			    enum rdma_remove_reason why)
{
	struct td_bell *bell = container_of(uobj, struct td_bell, uobj);

	spin_lock_irq(&bell->wait.lock);
	bell->gone = true;
	spin_unlock_irq(&bell->wait.lock);
	wake_up_interruptible(&bell->wait);
	td_put(bell->td, TD_bell);
}

static int
UVERBS_HANDLER(TESTDEV_METHOD_BELL_RING)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, TESTDEV_ATTR_BELL_RING_FD);
	struct td_bell *bell = container_of(uobj, struct td_bell, uobj);
	u32 times;
	int ret;

	ret = uverbs_copy_from(&times, attrs, TESTDEV_ATTR_BELL_RING_TIMES);
	if (ret)
		return ret;
	spin_lock_irq(&bell->wait.lock);
	bell->rang += times;
	spin_unlock_irq(&bell->wait.lock);
	wake_up_interruptible(&bell->wait);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(
	TESTDEV_METHOD_BELL_OPEN,
	UVERBS_ATTR_FD(TESTDEV_ATTR_BELL_OPEN_FD, TESTDEV_OBJECT_BELL,
		       UVERBS_ACCESS_NEW, UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	TESTDEV_METHOD_BELL_RING,
	UVERBS_ATTR_FD(TESTDEV_ATTR_BELL_RING_FD, TESTDEV_OBJECT_BELL,
		       UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(TESTDEV_ATTR_BELL_RING_TIMES, UVERBS_ATTR_TYPE(u32),
			   UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(
	TESTDEV_OBJECT_BELL,
	UVERBS_TYPE_ALLOC_FD(sizeof(struct td_bell), td_bell_destroy,
			     &td_bell_fops, "[testdev_bell]", O_RDONLY),
	&UVERBS_METHOD(TESTDEV_METHOD_BELL_OPEN),
	&UVERBS_METHOD(TESTDEV_METHOD_BELL_RING));

const struct uapi_definition td_bell_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(TESTDEV_OBJECT_BELL),
	{},
};

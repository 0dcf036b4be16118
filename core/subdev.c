// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that are a part of another device: the InfiniBand management (SMI)
 * part of a switch chip's ports, for one. A driver makes and removes them when
 * an administrator says so. A part holds its parent, and goes before the parent
 * is disabled, which would wait for it otherwise; so it does when the parent is
 * moved to another network namespace.
 *
 * parent->subdev_lock guards its list of parts. Whoever takes a part off the
 * list removes it, and the part's hold on the parent with it.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "subdev.h"

/*
 * False when somebody else has it off the list already, and removes it; else
 * with a reference of get_device(), which keeps the memory while others may
 * unregister it too.
 */
static bool take_off(struct ib_device *sub)
{
	struct ib_device *parent = sub->parent;
	bool mine;

	mutex_lock(&parent->subdev_lock);
	mine = !list_empty(&sub->subdev_list);
	if (mine) {
		get_device(&sub->dev);
		list_del_init(&sub->subdev_list);
	}
	mutex_unlock(&parent->subdev_lock);
	return mine;
}

static void remove_part(struct ib_device *sub)
{
	struct ib_device *parent = sub->parent;

	parent->ops.del_sub_dev(sub);
	put_device(&sub->dev);
	ib_device_put(parent);
}

/**
 * ib_add_sub_device - have the driver add a part to a device
 * @parent: registered device, held by the caller
 * @type: what part
 * @name: name of the device that the part becomes
 *
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP (the driver has no parts), -EINVAL (@parent is being
 * unregistered), or the driver's errno.
 */
int ib_add_sub_device(struct ib_device *parent,
		      enum rdma_nl_dev_type type,
		      const char *name)
{
	struct ib_device *sub;

	if (!parent->ops.add_sub_dev || !parent->ops.del_sub_dev)
		return -EOPNOTSUPP;
	/* The part's own hold on it. */
	if (!ib_device_try_get(parent))
		return -EINVAL;
	sub = parent->ops.add_sub_dev(parent, type, name);
	if (IS_ERR(sub)) {
		ib_device_put(parent);
		return PTR_ERR(sub);
	}
	sub->type = type;
	sub->parent = parent;
	mutex_lock(&parent->subdev_lock);
	list_add_tail(&sub->subdev_list, &parent->subdev_list_head);
	mutex_unlock(&parent->subdev_lock);
	/* The parent may have looked for parts a moment before. */
	if (ofed_device_is_registered(parent))
		return 0;
	if (take_off(sub))
		remove_part(sub);
	return -EINVAL;
}
EXPORT_SYMBOL(ib_add_sub_device);

/**
 * ib_del_sub_device_and_put - have the driver remove a part of a device
 * @sub: the part, with an ib_device_try_get() reference, which is put
 *
 * Context: process, may sleep for long.
 * Return: 0, also when it is being removed already; -EOPNOTSUPP (no part).
 */
int ib_del_sub_device_and_put(struct ib_device *sub)
{
	bool mine;

	if (!sub->parent) {
		ib_device_put(sub);
		return -EOPNOTSUPP;
	}
	mine = take_off(sub);
	ib_device_put(sub);
	if (mine)
		remove_part(sub);
	return 0;
}
EXPORT_SYMBOL(ib_del_sub_device_and_put);

static struct ib_device *last_part(struct ib_device *parent)
{
	struct ib_device *sub = NULL;

	mutex_lock(&parent->subdev_lock);
	if (!list_empty(&parent->subdev_list_head)) {
		sub = list_last_entry(&parent->subdev_list_head,
				      struct ib_device, subdev_list);
		get_device(&sub->dev);
		list_del_init(&sub->subdev_list);
	}
	mutex_unlock(&parent->subdev_lock);
	return sub;
}

/*
 * While @parent is disabled: youngest parts first. One that another thread is
 * removing holds @parent until that is done. Context: process, sleeps.
 */
void ofed_subdevs_remove(struct ib_device *parent)
{
	struct ib_device *sub;

	while ((sub = last_part(parent)))
		remove_part(sub);
}

/* A device goes by itself: nobody shall remove it as a part any more. */
void ofed_subdev_leave(struct ib_device *sub)
{
	if (!sub->parent || !take_off(sub))
		return;
	ib_device_put(sub->parent);
	put_device(&sub->dev);
}

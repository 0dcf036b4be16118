// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that are a part of another device: the subnet management (SMI) part
 * of a switch chip's ports, for one. An administrator asks for a part by
 * netlink, the driver makes it, and both may end it.
 *
 * A part on the list of its parent holds a registration reference of that
 * parent. Taking it off the list is what decides which thread ends it: that
 * thread gives the reference back, and all others find the part gone. Three
 * things end a part: netlink, the parent that is disabled (unregistered, or moved
 * to another network namespace), and the driver that unregisters the part alone.
 *
 * parent->subdev_lock guards subdev_list_head and the subdev_list of each part.
 * No op of a driver is called under it.
 *
 * A thread that reads part->parent holds the part or runs in its unregistration.
 * The parent lives as long: it waits for the part's reference, which the thread
 * that ends the part keeps until the part is unregistered.
 */
#include <linux/cleanup.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>

#include "device/device.h"
#include "subdev.h"

/*
 * Takes @part off the list of @parent, or, where it is NULL, the youngest part.
 * Return: the part, with a reference of its memory, for ofed_subdev_release();
 * NULL when there is none or another thread ends it.
 */
static struct ib_device *ofed_subdev_claim(struct ib_device *parent,
					   struct ib_device *part)
{
	struct list_head *parts = &parent->subdev_list_head;

	guard(mutex)(&parent->subdev_lock);
	if (!part)
		part = list_empty(parts) ? NULL :
			list_last_entry(parts, struct ib_device, subdev_list);
	else if (list_empty(&part->subdev_list))
		part = NULL;
	if (part) {
		get_device(&part->dev);
		list_del_init(&part->subdev_list);
	}
	return part;
}

/* Of the thread that ends the part, and has a reference of its memory. */
static void ofed_subdev_release(struct ib_device *part)
{
	ib_device_put(part->parent);
	put_device(&part->dev);
}

static void ofed_subdev_end(struct ib_device *part)
{
	part->parent->ops.del_sub_dev(part);
	ofed_subdev_release(part);
}

/* Return: the driver's part, which owns a reference of @parent, or an errno. */
static struct ib_device *ofed_subdev_make(struct ib_device *parent,
					  enum rdma_nl_dev_type type,
					  const char *name)
{
	struct ib_device *part = ERR_PTR(-EINVAL);

	if (ib_device_try_get(parent)) {
		part = parent->ops.add_sub_dev(parent, type, name);
		if (IS_ERR(part))
			ib_device_put(parent);
	}
	return part;
}

/*
 * Return: false when @parent is disabled and may have looked for parts already;
 * the part is on no list then. Disabling clears the mark of @parent before it
 * takes the lock that is held here: either it finds the part, or the mark is
 * seen to be gone.
 */
static bool ofed_subdev_publish(struct ib_device *part, struct ib_device *parent,
				enum rdma_nl_dev_type type)
{
	bool usable;

	guard(mutex)(&parent->subdev_lock);
	part->parent = parent;
	part->type = type;
	usable = ofed_device_is_registered(parent);
	if (usable)
		list_add_tail(&part->subdev_list, &parent->subdev_list_head);
	return usable;
}

/**
 * ib_add_sub_device - have the driver of a device make a part of it
 * @parent: registered device, held by the caller
 * @type: kind of part
 * @name: name of the device that the part is
 *
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP (the driver has no parts), -EINVAL (@parent is being
 * unregistered), or the driver's errno.
 */
int ib_add_sub_device(struct ib_device *parent, enum rdma_nl_dev_type type,
		      const char *name)
{
	const struct ib_device_ops *ops = &parent->ops;
	struct ib_device *part;

	if (!ops->add_sub_dev || !ops->del_sub_dev)
		return ofed_refuse(parent, -EOPNOTSUPP,
				   "the driver has no parts of a device");
	part = ofed_subdev_make(parent, type, name);
	if (IS_ERR(part))
		return PTR_ERR(part);
	if (ofed_subdev_publish(part, parent, type))
		return 0;
	/* No other thread can claim it. */
	get_device(&part->dev);
	ofed_subdev_end(part);
	return -EINVAL;
}
OFED_EXPORT(ib_add_sub_device);

/**
 * ib_del_sub_device_and_put - have the driver end a part of a device
 * @sub: the part, with an ib_device_try_get() reference, which is put
 *
 * Context: process, may sleep for long.
 * Return: 0, also when another thread ends it already; -EOPNOTSUPP (@sub is no
 * part).
 */
int ib_del_sub_device_and_put(struct ib_device *sub)
{
	struct ib_device *claimed = NULL;
	int ret = -EOPNOTSUPP;

	if (sub->parent) {
		claimed = ofed_subdev_claim(sub->parent, sub);
		ret = 0;
	}
	/* First: its unregistration waits for this reference. */
	ib_device_put(sub);
	if (claimed)
		ofed_subdev_end(claimed);
	return ret;
}
OFED_EXPORT(ib_del_sub_device_and_put);

/*
 * While @parent is disabled: youngest parts first. A part that another thread
 * ends holds @parent until that is done. Context: process, sleeps.
 */
void ofed_subdevs_remove(struct ib_device *parent)
{
	struct ib_device *part;

	while ((part = ofed_subdev_claim(parent, NULL)))
		ofed_subdev_end(part);
}

/* A device is unregistered: where it is a part that no thread ends, it leaves. */
void ofed_subdev_leave(struct ib_device *sub)
{
	if (sub->parent && ofed_subdev_claim(sub->parent, sub))
		ofed_subdev_release(sub);
}

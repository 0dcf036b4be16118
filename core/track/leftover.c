// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of objects that a driver refused to destroy. The list is short: a
 * driver that works has nothing on it.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <ofed/leftover.h>

#include "../device/device.h"

/* Guards leftovers. */
static DEFINE_MUTEX(leftovers_lock);
static LIST_HEAD(leftovers);

/**
 * ofed_leftover_keep - keep memory until a device goes
 * @leftover: all but @node is set; ib_dealloc_device() of its device frees it
 *
 * Context: process, may sleep.
 */
void ofed_leftover_keep(struct ofed_leftover *leftover)
{
	mutex_lock(&leftovers_lock);
	list_add(&leftover->node, &leftovers);
	mutex_unlock(&leftovers_lock);
}
EXPORT_SYMBOL_GPL(ofed_leftover_keep);

static struct ofed_leftover *ofed_leftover_take(const struct ib_device *device)
{
	struct ofed_leftover *leftover, *found = NULL;

	mutex_lock(&leftovers_lock);
	list_for_each_entry(leftover, &leftovers, node)
		if (leftover->device == device) {
			list_del(&leftover->node);
			found = leftover;
			break;
		}
	mutex_unlock(&leftovers_lock);
	return found;
}

/**
 * ofed_leftovers_free - free what is kept for a device
 * @device: its driver's last op has returned
 *
 * Context: process, may sleep.
 */
void ofed_leftovers_free(struct ib_device *device)
{
	struct ofed_leftover *leftover;
	struct module *owner;

	while ((leftover = ofed_leftover_take(device))) {
		owner = leftover->owner;
		leftover->free(leftover);
		module_put(owner);
	}
}

/* SPDX-License-Identifier: GPL-2.0 */
/* A device by its name, as a client sees all of them: 7.x has no function of the core for it. */
#ifndef OFED_TEST_FIND_DEVICE_H
#define OFED_TEST_FIND_DEVICE_H

#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

/* What find_device() looks for, and what it has found. Guarded by find_lock. */
static DEFINE_MUTEX(find_lock);
static const char *find_name;
static struct ib_device *find_found;

static int find_add(struct ib_device *dev)
{
	if (!strcmp(dev_name(&dev->dev), find_name) && ib_device_try_get(dev))
		find_found = dev;
	return -EOPNOTSUPP;
}

/* With its registration lock; NULL if there is none. */
static struct ib_device *find_device(const char *name)
{
	struct ib_client client = { .name = "find_device", .add = find_add };

	guard(mutex)(&find_lock);
	find_name = name;
	find_found = NULL;
	if (ib_register_client(&client))
		return NULL;
	ib_unregister_client(&client);
	return find_found;
}

#endif /* OFED_TEST_FIND_DEVICE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * How much device memory a device has, and each user of it. It is the host's memory, which is
 * never swapped: a cgroup is charged for it, and where there is none this is the bound.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <ofed/refuse.h>

#include "dev.h"
#include "dm.h"

/* Users that can have all that the device announces, at the same time. */
#define FULL_USERS	4
/* 1 GiB: offsets of mappings are numbers of pages, of 32 bits. */
#define MAX_KIB		(1U << 20)

static uint device_memory = 4096;
module_param(device_memory, uint, 0644);
MODULE_PARM_DESC(device_memory,
		 "KiB of device memory that a new device announces, for each user (default 4096; 0: none)");

/**
 * soft_dm_share_init - no user has device memory yet
 * @dev: a new device
 *
 * Context: any.
 */
void soft_dm_share_init(struct soft_dev *dev)
{
	struct soft_dm_share *share = &dev->dm;
	u64 kib = min(READ_ONCE(device_memory), MAX_KIB);

	mutex_init(&share->lock);
	INIT_LIST_HEAD(&share->users);
	share->bytes = 0;
	share->user_max = round_down(kib << 10, PAGE_SIZE);
}

/**
 * soft_dm_share_exit - undo soft_dm_share_init()
 * @dev: all device memory is gone
 *
 * Context: any.
 */
void soft_dm_share_exit(struct soft_dev *dev)
{
	WARN_ON(dev->dm.bytes || !list_empty(&dev->dm.users));
	mutex_destroy(&dev->dm.lock);
}

static struct soft_dm_user *soft_dm_user_of(struct soft_dm_share *share, kuid_t uid)
{
	struct soft_dm_user *user;

	lockdep_assert_held(&share->lock);
	list_for_each_entry(user, &share->users, entry)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/* @spare becomes the user's if the user has none yet, and is NULL then. */
static bool soft_dm_count(struct soft_dm_share *share, kuid_t uid, u64 bytes,
			  struct soft_dm_user **spare)
{
	struct soft_dm_user *user = soft_dm_user_of(share, uid);
	u64 has = user ? user->bytes : 0;

	if (bytes > share->user_max - has || bytes > FULL_USERS * share->user_max - share->bytes)
		return false;
	if (!user) {
		user = *spare;
		*spare = NULL;
		user->uid = uid;
		list_add(&user->entry, &share->users);
	}
	user->bytes += bytes;
	share->bytes += bytes;
	return true;
}

/**
 * soft_dm_take - count device memory that is about to be given to a user
 * @dev: the device
 * @uid: the user
 * @bytes: how much, at least 1
 *
 * Context: process, may sleep.
 * Return: 0, and soft_dm_give() follows; or -ENOMEM: the user, or the device, has as much as
 * there may be, or there is no memory.
 */
int soft_dm_take(struct soft_dev *dev, kuid_t uid, u64 bytes)
{
	struct soft_dm_user *spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT);
	bool counted;

	if (!spare)
		return -ENOMEM;
	mutex_lock(&dev->dm.lock);
	counted = soft_dm_count(&dev->dm, uid, bytes, &spare);
	mutex_unlock(&dev->dm.lock);
	kfree(spare);
	if (counted)
		return 0;
	return ofed_refuse(&dev->ib, -ENOMEM, "no %llu bytes of device memory are left", bytes);
}

/**
 * soft_dm_give - device memory that soft_dm_take() has counted is no more
 * @dev: the device
 * @uid: the user
 * @bytes: how much
 *
 * Context: process, may sleep.
 */
void soft_dm_give(struct soft_dev *dev, kuid_t uid, u64 bytes)
{
	struct soft_dm_user *user;

	mutex_lock(&dev->dm.lock);
	user = soft_dm_user_of(&dev->dm, uid);
	dev->dm.bytes -= bytes;
	user->bytes -= bytes;
	if (user->bytes)
		user = NULL;
	else
		list_del(&user->entry);
	mutex_unlock(&dev->dm.lock);
	kfree(user);
}

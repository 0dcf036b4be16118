// SPDX-License-Identifier: GPL-2.0
/*
 * Users with programs that listen, and how many passive ids they have that are not connected
 * yet. A user has at most as many of those as there are places free: alone it takes half of all
 * places, two users take a third each, and there is always one left for a user that has none.
 */
#include <kunit/visibility.h>
#include <linux/slab.h>
#include <ofed/owner.h>

#include "core.h"
#include "ib_cm.h"

/**
 * struct ofed_cm_owner - a user
 * @entry: (cm_owners_lock) in the list of all
 * @uid: of the user
 * @refs: one of each id of rdma_cm, one of each passive id that is counted
 * @half_open: passive ids that are counted
 */
struct ofed_cm_owner {
	struct list_head entry;
	kuid_t uid;
	refcount_t refs;
	atomic_t half_open;
};

/* Guards the list. Inside of cm_id.lock. */
static DEFINE_SPINLOCK(cm_owners_lock);
static LIST_HEAD(cm_owners);

static struct ofed_cm_owner *cm_owner_find(kuid_t uid)
{
	struct ofed_cm_owner *owner;

	lockdep_assert_held(&cm_owners_lock);
	list_for_each_entry(owner, &cm_owners, entry)
		if (uid_eq(owner->uid, uid))
			return owner;
	return NULL;
}

VISIBLE_IF_KUNIT struct ofed_cm_owner *cm_owner_get(kuid_t uid)
{
	struct ofed_cm_owner *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	struct ofed_cm_owner *owner;

	if (!fresh)
		return NULL;
	fresh->uid = uid;
	refcount_set(&fresh->refs, 1);
	spin_lock_irq(&cm_owners_lock);
	owner = cm_owner_find(uid);
	if (owner)
		refcount_inc(&owner->refs);
	else
		list_add(&fresh->entry, &cm_owners);
	spin_unlock_irq(&cm_owners_lock);
	if (owner)
		kfree(fresh);
	return owner ?: fresh;
}

/**
 * ofed_cm_owner_get - the user that the current task is of
 *
 * Context: process, may sleep. Return: the user, for ofed_cm_owner_put(), or NULL: no memory.
 */
struct ofed_cm_owner *ofed_cm_owner_get(void)
{
	return cm_owner_get(ofed_current_owner());
}

/**
 * ofed_cm_owner_put - put a reference
 * @owner: a user, or NULL
 *
 * Context: any.
 */
void ofed_cm_owner_put(struct ofed_cm_owner *owner)
{
	unsigned long flags;

	if (!owner || !refcount_dec_and_lock_irqsave(&owner->refs, &cm_owners_lock, &flags))
		return;
	list_del(&owner->entry);
	spin_unlock_irqrestore(&cm_owners_lock, flags);
	kfree(owner);
}

/* False: the user has as many half-open ids as there are places free, @room. */
bool cm_owner_begin(struct cm_id *id, struct ofed_cm_owner *owner, int room)
{
	lockdep_assert_held(&id->lock);
	if (atomic_inc_return(&owner->half_open) > room) {
		atomic_dec(&owner->half_open);
		return false;
	}
	refcount_inc(&owner->refs);
	id->owner = owner;
	return true;
}

/* The id is not half open any more. */
void cm_owner_end(struct cm_id *id)
{
	struct ofed_cm_owner *owner = id->owner;

	lockdep_assert_held(&id->lock);
	if (!owner)
		return;
	id->owner = NULL;
	atomic_dec(&owner->half_open);
	ofed_cm_owner_put(owner);
}

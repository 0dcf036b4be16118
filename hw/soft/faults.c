// SPDX-License-Identifier: GPL-2.0
/*
 * Page faults that a device has under way for programs. Each may take as long as a program's file
 * system likes (FUSE), and there is a limit for all. So a user has at most as many as there are
 * places free: alone it has half of all, two have a third each, and there is one left for a user
 * that has none. Those beyond wait for an end, in the order of their user.
 */
#include <linux/slab.h>

#include "faults.h"

/**
 * struct soft_fault_user - a user
 * @entry: in soft_faults.users
 * @hungry: in soft_faults.hungry, or empty
 * @faults: of the device
 * @uid: of the user
 * @refs: one of each region
 * @busy: faults under way
 * @waiting: those that wait
 */
struct soft_fault_user {
	struct list_head entry;
	struct list_head hungry;
	struct soft_faults *faults;
	kuid_t uid;
	refcount_t refs;
	u32 busy;
	struct list_head waiting;
};

/**
 * soft_faults_init - none is under way
 * @faults: of a device
 */
void soft_faults_init(struct soft_faults *faults)
{
	spin_lock_init(&faults->lock);
	INIT_LIST_HEAD(&faults->users);
	INIT_LIST_HEAD(&faults->hungry);
	faults->busy = 0;
}

static struct soft_fault_user *soft_fault_user_find(struct soft_faults *faults, kuid_t uid)
{
	struct soft_fault_user *user;

	lockdep_assert_held(&faults->lock);
	list_for_each_entry(user, &faults->users, entry)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

static struct soft_fault_user *soft_fault_user_new(struct soft_faults *faults, kuid_t uid)
{
	struct soft_fault_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	user->faults = faults;
	user->uid = uid;
	refcount_set(&user->refs, 1);
	INIT_LIST_HEAD(&user->hungry);
	INIT_LIST_HEAD(&user->waiting);
	return user;
}

/**
 * soft_fault_user_get - a user has one more region on demand
 * @faults: of the device
 * @uid: of the user
 *
 * Context: process, may sleep. Return: the user, for soft_fault_user_put(), or NULL: no memory.
 */
struct soft_fault_user *soft_fault_user_get(struct soft_faults *faults, kuid_t uid)
{
	struct soft_fault_user *fresh = soft_fault_user_new(faults, uid);
	struct soft_fault_user *user;

	if (!fresh)
		return NULL;
	spin_lock_irq(&faults->lock);
	user = soft_fault_user_find(faults, uid);
	if (user)
		refcount_inc(&user->refs);
	else
		list_add(&fresh->entry, &faults->users);
	spin_unlock_irq(&faults->lock);
	if (user)
		kfree(fresh);
	return user ?: fresh;
}

/**
 * soft_fault_user_put - a region is no more
 * @user: has no fault in that region, or NULL
 *
 * Context: any.
 */
void soft_fault_user_put(struct soft_fault_user *user)
{
	struct soft_faults *faults;
	unsigned long flags;

	if (!user)
		return;
	faults = user->faults;
	if (!refcount_dec_and_lock_irqsave(&user->refs, &faults->lock, &flags))
		return;
	list_del(&user->entry);
	list_del(&user->hungry);
	spin_unlock_irqrestore(&faults->lock, flags);
	kfree(user);
}

/**
 * soft_fault_init - a fault that is not under way
 * @fault: filled in
 * @begin: called when it has its turn, with soft_faults.lock held
 */
void soft_fault_init(struct soft_fault *fault, void (*begin)(struct soft_fault *fault))
{
	INIT_LIST_HEAD(&fault->entry);
	fault->closed = false;
	fault->begin = begin;
}

static bool soft_fault_may_begin(const struct soft_faults *faults,
				 const struct soft_fault_user *user)
{
	lockdep_assert_held(&faults->lock);
	return user->busy < SOFT_FAULTS_MOST - faults->busy;
}

static void soft_fault_begin(struct soft_faults *faults, struct soft_fault_user *user,
			     struct soft_fault *fault)
{
	lockdep_assert_held(&faults->lock);
	faults->busy++;
	user->busy++;
	fault->begin(fault);
}

/**
 * soft_fault_ask - let a fault begin, now or when it has its turn
 * @faults: of the device
 * @fault: neither waits nor is under way
 * @user: has the memory
 *
 * Context: any. Return: false: it is closed, and does not begin.
 */
bool soft_fault_ask(struct soft_faults *faults, struct soft_fault *fault,
		    struct soft_fault_user *user)
{
	unsigned long flags;
	bool closed;

	spin_lock_irqsave(&faults->lock, flags);
	closed = fault->closed;
	if (!closed && soft_fault_may_begin(faults, user)) {
		soft_fault_begin(faults, user, fault);
	} else if (!closed) {
		list_add_tail(&fault->entry, &user->waiting);
		if (list_empty(&user->hungry))
			list_add_tail(&user->hungry, &faults->hungry);
	}
	spin_unlock_irqrestore(&faults->lock, flags);
	return !closed;
}

/* The oldest that waits of a user. It is behind all others then. */
static void soft_fault_next(struct soft_faults *faults, struct soft_fault_user *user)
{
	struct soft_fault *fault;

	fault = list_first_entry_or_null(&user->waiting, struct soft_fault, entry);
	if (!fault) {
		list_del_init(&user->hungry);
	} else if (soft_fault_may_begin(faults, user)) {
		list_del_init(&fault->entry);
		list_move_tail(&user->hungry, &faults->hungry);
		soft_fault_begin(faults, user, fault);
	}
}

/**
 * soft_fault_end - a fault is not under way any more
 * @faults: of the device
 * @user: of the fault
 *
 * Those begin that waited for this.
 *
 * Context: any.
 */
void soft_fault_end(struct soft_faults *faults, struct soft_fault_user *user)
{
	struct soft_fault_user *at, *next;
	unsigned long flags;

	spin_lock_irqsave(&faults->lock, flags);
	faults->busy--;
	user->busy--;
	list_for_each_entry_safe(at, next, &faults->hungry, hungry)
		soft_fault_next(faults, at);
	spin_unlock_irqrestore(&faults->lock, flags);
}

/**
 * soft_fault_close - a fault does not begin any more
 * @faults: of the device
 * @fault: waits, is under way, or neither
 *
 * Context: any. Return: it has waited.
 */
bool soft_fault_close(struct soft_faults *faults, struct soft_fault *fault)
{
	unsigned long flags;
	bool waited;

	spin_lock_irqsave(&faults->lock, flags);
	fault->closed = true;
	waited = !list_empty(&fault->entry);
	list_del_init(&fault->entry);
	spin_unlock_irqrestore(&faults->lock, flags);
	return waited;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What pinned memory is charged to: mm->pinned_vm of the process that pinned
 * it. The drivers' calls do not say which open file they pin for. Therefore a
 * umem is pending until the command ends that the same task runs, and is
 * claimed by the command's file then. When a file ends, its driver has released
 * all of them, or has refused: then the charge is given back, and the pages
 * stay pinned until the device goes.
 */
#include <linux/capability.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <ofed/leftover.h>
#include <ofed/refuse.h>

#include "umem.h"

/* Guards the lists, and node and account of each umem. */
static DEFINE_SPINLOCK(accounts_lock);
static LIST_HEAD(pending);
static LIST_HEAD(settled);

static int umem_charge(const struct ib_umem *umem, unsigned long npages)
{
	u64 limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct mm_struct *mm = umem->owning_mm;
	u64 total = atomic64_add_return(npages, &mm->pinned_vm);

	if (total <= limit || capable(CAP_IPC_LOCK))
		return 0;
	atomic64_sub(npages, &mm->pinned_vm);
	return ofed_refuse(umem->ibdev, -ENOMEM,
			   "RLIMIT_MEMLOCK: %llu pages would be pinned, at most %llu",
			   total, limit);
}

static void umem_give_back(struct umem_pinned *pinned)
{
	struct ib_umem *umem = &pinned->umem;

	atomic64_sub(ofed_umem_pages(umem), &umem->owning_mm->pinned_vm);
}

/**
 * ofed_umem_charge - charge a umem to the current process
 * @pinned: new umem; its range and owning_mm are set
 *
 * Context: process. Return: 0, or -ENOMEM (RLIMIT_MEMLOCK would be exceeded
 * without CAP_IPC_LOCK).
 */
int ofed_umem_charge(struct umem_pinned *pinned)
{
	struct ib_umem *umem = &pinned->umem;
	int ret = umem_charge(umem, ofed_umem_pages(umem));

	if (ret)
		return ret;
	pinned->account = UMEM_PENDING;
	pinned->task = current;
	spin_lock(&accounts_lock);
	list_add(&pinned->node, &pending);
	spin_unlock(&accounts_lock);
	return 0;
}

/**
 * ofed_umem_uncharge - give the charge of a umem back, if it still has one
 * @pinned: the umem
 *
 * Context: process.
 */
void ofed_umem_uncharge(struct umem_pinned *pinned)
{
	bool charged;

	spin_lock(&accounts_lock);
	list_del(&pinned->node);
	charged = pinned->account != UMEM_SETTLED;
	spin_unlock(&accounts_lock);
	if (charged)
		umem_give_back(pinned);
}

/**
 * ofed_umem_claim - the umems of a command are for its file
 * @umems: list of the file's umems
 *
 * Takes what the current task has pinned since its last command. Cheap where
 * nothing was pinned. Context: process.
 */
void ofed_umem_claim(struct list_head *umems)
{
	struct umem_pinned *pinned, *next;

	/* What this task has added, this task sees. */
	if (list_empty_careful(&pending))
		return;
	spin_lock(&accounts_lock);
	list_for_each_entry_safe(pinned, next, &pending, node) {
		if (pinned->task != current)
			continue;
		list_move(&pinned->node, umems);
		pinned->account = UMEM_CLAIMED;
	}
	spin_unlock(&accounts_lock);
}
EXPORT_SYMBOL_GPL(ofed_umem_claim);

/**
 * ofed_umem_settle - give back what a file that ends is still charged with
 * @umems: list of the file's umems; empty on return
 *
 * Context: process, may sleep.
 */
void ofed_umem_settle(struct list_head *umems)
{
	struct umem_pinned *pinned;

	spin_lock(&accounts_lock);
	while (!list_empty(umems)) {
		pinned = list_first_entry(umems, struct umem_pinned, node);
		list_move(&pinned->node, &settled);
		pinned->account = UMEM_SETTLED;
		umem_give_back(pinned);
		cond_resched_lock(&accounts_lock);
	}
	spin_unlock(&accounts_lock);
}
EXPORT_SYMBOL_GPL(ofed_umem_settle);

static struct umem_pinned *umem_take_settled(const struct ib_device *device)
{
	struct umem_pinned *pinned, *found = NULL;

	spin_lock(&accounts_lock);
	list_for_each_entry(pinned, &settled, node)
		if (pinned->umem.ibdev == device) {
			list_del_init(&pinned->node);
			found = pinned;
			break;
		}
	spin_unlock(&accounts_lock);
	return found;
}

/**
 * ofed_umems_free_left - unpin what the driver of a device never released
 * @device: its driver's last op has returned
 *
 * Context: process, may sleep.
 */
void ofed_umems_free_left(struct ib_device *device)
{
	struct umem_pinned *pinned;

	while ((pinned = umem_take_settled(device)))
		ib_umem_release(&pinned->umem);
}

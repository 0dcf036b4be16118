// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetime of objects that are found by number: queue pairs and shared receive
 * queues. The core frees the memory of such an object when its destroy op returns.
 * So a table has not the object but its struct ibt_ref, which is freed a grace period
 * later. A lookup never waits. Destruction waits for the threads that hold a
 * reference, but not for a grace period: a program that ends with a thousand queue
 * pairs would wait for a thousand of them.
 */
#include <linux/slab.h>

#include "objref.h"

/**
 * ibt_ref_alloc - allocate the struct ibt_ref of an object
 * @of: the object
 *
 * Context: process, may sleep.
 *
 * Return: with one reference, of the object itself; NULL: no memory.
 */
struct ibt_ref *ibt_ref_alloc(void *of)
{
	struct ibt_ref *life = kmalloc(sizeof(*life), GFP_KERNEL_ACCOUNT);

	if (life) {
		refcount_set(&life->refs, 1);
		init_completion(&life->unused);
		life->of = of;
		life->number = IBT_NO_NUMBER;
	}
	return life;
}

void ibt_ref_put(struct ibt_ref *life)
{
	if (refcount_dec_and_test(&life->refs))
		complete(&life->unused);
}

/**
 * ibt_ref_lookup - look up an object
 * @table: of struct ibt_ref
 * @number: of the object
 *
 * Context: any.
 *
 * Return: the object, with a reference, or NULL.
 */
void *ibt_ref_lookup(struct xarray *table, u32 number)
{
	struct ibt_ref *life;
	void *of = NULL;

	rcu_read_lock();
	life = xa_load(table, number);
	if (life && ibt_ref_get(life))
		of = life->of;
	rcu_read_unlock();
	return of;
}

/**
 * ibt_ref_wait_last - drop the object's own reference, and wait for the others
 * @life: removed from its table
 *
 * No new reference can be taken afterwards.
 *
 * Context: process, sleeps.
 */
void ibt_ref_wait_last(struct ibt_ref *life)
{
	ibt_ref_put(life);
	wait_for_completion(&life->unused);
}

/**
 * ibt_ref_free_rcu - free a struct ibt_ref after a grace period
 * @life: without references, and removed from its table, so only a reader that has
 *	  found it there may still try to take one; NULL is allowed
 *
 * Context: any.
 */
void ibt_ref_free_rcu(struct ibt_ref *life)
{
	kfree_rcu(life, rcu);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Lifetime of objects that are found by number: queue pairs and shared receive
 * queues. The core frees the memory of such an object when its destroy op returns.
 * So a table has not the object but its struct ibt_life, which is freed a grace period
 * later. A lookup never waits. Destruction waits for the threads that hold a
 * reference, but not for a grace period: a program that ends with a thousand queue
 * pairs would wait for a thousand of them.
 */
#include <linux/slab.h>

#include "life.h"

/**
 * ibt_life_new - allocate the struct ibt_life of an object
 * @of: the object
 *
 * Context: process, may sleep.
 *
 * Return: with one reference, of the object itself; NULL: no memory.
 */
struct ibt_life *ibt_life_new(void *of)
{
	struct ibt_life *life = kmalloc(sizeof(*life), GFP_KERNEL_ACCOUNT);

	if (life) {
		refcount_set(&life->refs, 1);
		init_completion(&life->unused);
		life->of = of;
	}
	return life;
}

void ibt_life_put(struct ibt_life *life)
{
	if (refcount_dec_and_test(&life->refs))
		complete(&life->unused);
}

/**
 * ibt_life_find - look up an object
 * @table: of struct ibt_life
 * @number: of the object
 *
 * Context: any.
 *
 * Return: the object, with a reference, or NULL.
 */
void *ibt_life_find(struct xarray *table, u32 number)
{
	struct ibt_life *life;
	void *of = NULL;

	rcu_read_lock();
	life = xa_load(table, number);
	if (life && ibt_life_get(life))
		of = life->of;
	rcu_read_unlock();
	return of;
}

/**
 * ibt_life_wait - drop the object's own reference, and wait for the others
 * @life: removed from its table
 *
 * No new reference can be taken afterwards.
 *
 * Context: process, sleeps.
 */
void ibt_life_wait(struct ibt_life *life)
{
	ibt_life_put(life);
	wait_for_completion(&life->unused);
}

/**
 * ibt_life_end - free a struct ibt_life after a grace period
 * @life: without references, and removed from its table, so only a reader that has
 *	  found it there may still try to take one; NULL is allowed
 *
 * Context: any.
 */
void ibt_life_end(struct ibt_life *life)
{
	kfree_rcu(life, rcu);
}

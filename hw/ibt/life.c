// SPDX-License-Identifier: GPL-2.0
/*
 * How long what is found by a number lives: queue pairs and shared receive
 * queues, whose memory is the core's and goes as soon as their destruction
 * returns. A table holds not the object but its struct ibt_life, which is freed
 * a grace period later. So who looks never waits, and who destroys waits for
 * those who hold a reference, not for those who might be about to take one: a
 * program that ends with a thousand queue pairs costs no grace period at all.
 */
#include <linux/slab.h>

#include "life.h"

/**
 * ibt_life_new - the life of an object begins
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
 * ibt_life_find - look for an object
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
 * ibt_life_wait - drop the object's own reference, wait for the others
 * @life: not in any table any more
 *
 * Afterwards nobody gets a reference. Context: process, sleeps.
 */
void ibt_life_wait(struct ibt_life *life)
{
	ibt_life_put(life);
	wait_for_completion(&life->unused);
}

/**
 * ibt_life_end - give the memory back
 * @life: nobody has a reference, and nobody is left who could ask for one without
 *	  having looked it up; NULL is fine
 *
 * Context: any.
 */
void ibt_life_end(struct ibt_life *life)
{
	kfree_rcu(life, rcu);
}

/* SPDX-License-Identifier: GPL-2.0 */
/* References to an object that is found by number. */
#ifndef IBT_LIFE_H
#define IBT_LIFE_H

#include <linux/completion.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/xarray.h>

/**
 * struct ibt_life - references to an object that is found by number (life.c)
 * @refs: 1 of the object until its destruction, 1 of each holder
 * @unused: completed when the last reference is dropped
 * @of: the object; valid only with a reference
 * @rcu: for kfree_rcu(): readers may find this after the object is freed
 */
struct ibt_life {
	refcount_t refs;
	struct completion unused;
	void *of;
	struct rcu_head rcu;
};

struct ibt_life *ibt_life_new(void *of);
void *ibt_life_find(struct xarray *table, u32 number);
void ibt_life_put(struct ibt_life *life);
void ibt_life_wait(struct ibt_life *life);
void ibt_life_end(struct ibt_life *life);

/*
 * The caller is an RCU reader, or a work or timer of the object. False: the object is
 * being destroyed.
 */
static inline bool ibt_life_get(struct ibt_life *life)
{
	return refcount_inc_not_zero(&life->refs);
}

#endif /* IBT_LIFE_H */

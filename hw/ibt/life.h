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
 * @refs: 1 until its destruction, 1 of each who found it
 * @unused: the last is gone
 * @of: the object; whoever has no reference must not touch it
 * @rcu: those who look may find this when the object is no more
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

/* Under RCU, or for a work or timer of the object itself. False: it is ending. */
static inline bool ibt_life_get(struct ibt_life *life)
{
	return refcount_inc_not_zero(&life->refs);
}

#endif /* IBT_LIFE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* References to an object that is found by number. */
#ifndef IBT_OBJREF_H
#define IBT_OBJREF_H

#include <linux/completion.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/xarray.h>

/**
 * struct ibt_ref - references to an object that is found by number (objref.c)
 * @refs: 1 of the object until its destruction, 1 of each holder
 * @unused: completed when the last reference is dropped
 * @of: the object; valid only with a reference
 * @number: (queue pair) of the object, as long as it is in the table; else IBT_NO_NUMBER
 * @rcu: for kfree_rcu(): readers may find this after the object is freed
 */
struct ibt_ref {
	refcount_t refs;
	struct completion unused;
	void *of;
	u32 number;
	struct rcu_head rcu;
};

#define IBT_NO_NUMBER	U32_MAX

struct ibt_ref *ibt_ref_alloc(void *of);
void *ibt_ref_lookup(struct xarray *table, u32 number);
void ibt_ref_put(struct ibt_ref *life);
void ibt_ref_wait_last(struct ibt_ref *life);
void ibt_ref_free_rcu(struct ibt_ref *life);

/*
 * The caller is an RCU reader, or a work or timer of the object. False: the object is
 * being destroyed.
 */
static inline bool ibt_ref_get(struct ibt_ref *life)
{
	return refcount_inc_not_zero(&life->refs);
}

#endif /* IBT_OBJREF_H */

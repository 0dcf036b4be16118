// SPDX-License-Identifier: GPL-2.0
/*
 * Pools of memory regions that belong to a QP: allocated where one may sleep,
 * taken and given back where one may not.
 *
 * qp->mr_lock guards the lists of regions at rest and qp->mrs_used. It is taken
 * in completion handlers.
 */
#include <rdma/ib_verbs.h>
#include <rdma/mr_pool.h>

/**
 * ib_mr_pool_get - take a region out of a pool
 * @qp: owner of the pool
 * @list: the pool
 *
 * Context: any. Return: a region for ib_mr_pool_put(), or NULL when none is
 * left.
 */
struct ib_mr *ib_mr_pool_get(struct ib_qp *qp, struct list_head *list)
{
	struct ib_mr *first;
	unsigned long irqs;

	spin_lock_irqsave(&qp->mr_lock, irqs);
	first = list_first_entry_or_null(list, struct ib_mr, qp_entry);
	if (first) {
		qp->mrs_used++;
		list_del(&first->qp_entry);
	}
	spin_unlock_irqrestore(&qp->mr_lock, irqs);
	return first;
}
OFED_EXPORT(ib_mr_pool_get);

static void mr_pool_mr_to_rest(struct ib_qp *qp, struct list_head *pool,
			       struct ib_mr *mr, int used)
{
	unsigned long irqs;

	spin_lock_irqsave(&qp->mr_lock, irqs);
	/* To the front: what was used last is warm in the device's cache. */
	list_add(&mr->qp_entry, pool);
	qp->mrs_used -= used;
	spin_unlock_irqrestore(&qp->mr_lock, irqs);
}

/**
 * ib_mr_pool_put - give a region back to its pool
 * @qp: owner of the pool
 * @list: the pool
 * @mr: from ib_mr_pool_get(); the device uses it no more
 *
 * Context: any.
 */
void ib_mr_pool_put(struct ib_qp *qp, struct list_head *list, struct ib_mr *mr)
{
	mr_pool_mr_to_rest(qp, list, mr, 1);
}
OFED_EXPORT(ib_mr_pool_put);

/**
 * ib_mr_pool_init - fill a pool
 * @qp: owner; the regions are of its PD
 * @list: the pool, empty and initialised
 * @nr: how many regions
 * @type: of which type
 * @max_num_sg: pages of data that each can have
 * @max_num_meta_sg: pages of protection information, for IB_MR_TYPE_INTEGRITY
 *
 * Context: process, may sleep.
 * Return: 0, or the errno of ib_alloc_mr() or ib_alloc_mr_integrity(): then
 * the pool is empty.
 */
int ib_mr_pool_init(struct ib_qp *qp, struct list_head *list, int nr,
		    enum ib_mr_type type, u32 max_num_sg, u32 max_num_meta_sg)
{
	struct ib_mr *mr;

	while (nr-- > 0) {
		mr = type == IB_MR_TYPE_INTEGRITY ?
		     ib_alloc_mr_integrity(qp->pd, max_num_sg,
					   max_num_meta_sg) :
		     ib_alloc_mr(qp->pd, type, max_num_sg);
		if (IS_ERR(mr)) {
			ib_mr_pool_destroy(qp, list);
			return PTR_ERR(mr);
		}
		mr_pool_mr_to_rest(qp, list, mr, 0);
	}
	return 0;
}
OFED_EXPORT(ib_mr_pool_init);

/**
 * ib_mr_pool_destroy - free the regions of a pool
 * @qp: owner of the pool
 * @list: the pool; all regions have been given back
 *
 * Context: process, may sleep.
 */
void ib_mr_pool_destroy(struct ib_qp *qp, struct list_head *list)
{
	struct ib_mr *mr, *next;
	LIST_HEAD(rest);

	/* Drivers sleep when they free a region. */
	spin_lock_irq(&qp->mr_lock);
	list_splice_init(list, &rest);
	spin_unlock_irq(&qp->mr_lock);
	list_for_each_entry_safe(mr, next, &rest, qp_entry)
		ib_dereg_mr(mr);
}
OFED_EXPORT(ib_mr_pool_destroy);

// SPDX-License-Identifier: GPL-2.0
/* Counters of queue pairs: bound by 'rdma statistic qp', one list with those of a port. */
#include <linux/percpu.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <compat/verbs.h>

#include "../soft/stats.h"
#include "qp_counter.h"

/**
 * ibt_counter_add - count for the counter of a queue pair, if it has one
 * @qp: the queue pair
 * @stat: what
 * @more: how much
 *
 * Context: any.
 */
void ibt_counter_add(const struct ibt_qp *qp, enum ibt_stat stat, u32 more)
{
	struct ibt_counter *counter;

	rcu_read_lock();
	counter = rcu_dereference(qp->counter);
	if (counter) {
		this_cpu_add(counter->stats->count[stat], more);
		this_cpu_add(ibt_qp_dev(qp)->bound_stats->count[stat], more);
	}
	rcu_read_unlock();
}

static struct ibt_counter *ibt_counter_of(struct rdma_counter *counter)
{
	return xa_load(&to_ibt_dev(counter->device)->counters, counter->id);
}

/* The core frees its part by itself: what is ours is found by its number. */
static int ibt_counter_create(struct rdma_counter *ib)
{
	struct ibt_counter *counter = kzalloc(sizeof(*counter), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;
	u32 id;

	if (!counter)
		return ret;
	counter->stats = alloc_percpu_gfp(struct ibt_stats, GFP_KERNEL_ACCOUNT);
	if (!counter->stats)
		goto err_counter;
	ret = xa_alloc(&to_ibt_dev(ib->device)->counters, &id, counter, xa_limit_31b,
		       GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_stats;
	ib->id = id;
	return 0;

err_stats:
	free_percpu(counter->stats);
err_counter:
	kfree(counter);
	return ret;
}

static int ibt_counter_dealloc(struct rdma_counter *ib)
{
	struct ibt_counter *counter = xa_erase(&to_ibt_dev(ib->device)->counters, ib->id);

	if (!counter)
		return 0;
	/* No queue pair has it any more; one that is counting has it still. */
	synchronize_rcu();
	free_percpu(counter->stats);
	kfree(counter);
	return 0;
}

/* The core calls for one counter at a time. */
static int ibt_counter_bind_qp(COMPAT_COUNTER_PARAMS(struct rdma_counter *ib,
						     struct ib_qp *ibqp))
{
	int ret = ib->id ? 0 : ibt_counter_create(ib);

	if (ret)
		return ret;
	rcu_assign_pointer(to_ibt_qp(ibqp)->counter, ibt_counter_of(ib));
	ibqp->counter = ib;
	return 0;
}

static int ibt_counter_unbind_qp(COMPAT_COUNTER_PARAMS(struct ib_qp *ibqp))
{
	RCU_INIT_POINTER(to_ibt_qp(ibqp)->counter, NULL);
	ibqp->counter = NULL;
	return 0;
}

static int ibt_counter_update_stats(struct rdma_counter *ib)
{
	struct ibt_counter *counter = ibt_counter_of(ib);

	if (!counter)
		return -EINVAL;
	soft_get_hw_stats(ib->stats, counter->stats->count);
	return 0;
}

static void __maybe_unused ibt_counter_init(struct rdma_counter *ib)
{
}

const struct ib_device_ops ibt_counter_ops = {
	.counter_bind_qp = ibt_counter_bind_qp,
	.counter_unbind_qp = ibt_counter_unbind_qp,
	.counter_dealloc = ibt_counter_dealloc,
	.counter_alloc_stats = ibt_stats_of_counter,
	.counter_update_stats = ibt_counter_update_stats,
	COMPAT_COUNTER_OPS(struct rdma_counter, ibt_counter_init)
};

// SPDX-License-Identifier: GPL-2.0
/*
 * A consumer that needs room for a few completions takes it from a CQ that it
 * shares with others, so that a CPU handles many in one go. One list per
 * polling context; a CQ stays in its list until the device goes.
 *
 * Locking: device->cq_pools_lock guards the lists and cq->cqe_used of the CQs
 * in them. Process context, interrupts on.
 */
#include <ofed/refuse.h>
#include <ofed/restrack.h>
#include <rdma/ib_verbs.h>

#include "cq_pool.h"

/* Room of a shared CQ, unless more is asked for at once. */
#define SHARED_CQ_SIZE 4096U

static struct ib_cq *cq_pool_find(struct ib_device *device, unsigned int nr_cqe,
				  unsigned int vector, enum ib_poll_context ctx)
{
	struct ib_cq *cq;

	lockdep_assert_held(&device->cq_pools_lock);
	list_for_each_entry(cq, &device->cq_pools[ctx], pool_entry)
		if (cq->comp_vector == vector &&
		    nr_cqe <= cq->cqe - cq->cqe_used)
			return cq;
	return NULL;
}

static struct ib_cq *cq_pool_grow(struct ib_device *device, unsigned int nr_cqe,
				  unsigned int vector, enum ib_poll_context ctx)
{
	unsigned int size = max(nr_cqe, SHARED_CQ_SIZE);
	struct ib_cq *cq;

	size = min_t(unsigned int, size, device->attrs.max_cqe);
	if (nr_cqe > size)
		return ofed_refuse(device, ERR_PTR(-EINVAL),
				   "cqe: %u, at most %u", nr_cqe, size);
	cq = __ib_alloc_cq(device, NULL, size, vector, ctx, OFED_OWNER_CORE);
	if (IS_ERR(cq))
		return cq;

	cq->shared = true;
	spin_lock_irq(&device->cq_pools_lock);
	cq->cqe_used = nr_cqe;
	list_add(&cq->pool_entry, &device->cq_pools[ctx]);
	spin_unlock_irq(&device->cq_pools_lock);
	return cq;
}

/* A vector for a consumer that does not care: all of them in turn. */
static unsigned int cq_pool_next_vector(void)
{
	static atomic_t turn = ATOMIC_INIT(-1);

	return atomic_inc_return(&turn);
}

/**
 * ib_cq_pool_get - take room in a shared CQ
 * @dev: device
 * @nr_cqe: completions that may be outstanding at a time
 * @comp_vector_hint: completion vector (taken modulo), or negative for any
 * @poll_ctx: the context that polls; not IB_POLL_DIRECT
 *
 * All work requests of the consumer need a wr_cqe. Context: process, sleeps.
 * Return: a CQ, given back with ib_cq_pool_put(), or -EINVAL (context, or more
 * room than a CQ of this device has), or an errno of ib_alloc_cq().
 */
struct ib_cq *ib_cq_pool_get(struct ib_device *dev, unsigned int nr_cqe,
			     int comp_vector_hint,
			     enum ib_poll_context poll_ctx)
{
	unsigned int vectors, vector;
	struct ib_cq *cq;

	might_sleep();
	if (WARN_ON_ONCE((unsigned int)poll_ctx > IB_POLL_LAST_POOL_TYPE))
		return ERR_PTR(-EINVAL);

	vectors = clamp_t(unsigned int, dev->num_comp_vectors, 1,
			  num_online_cpus());
	vector = comp_vector_hint < 0 ? cq_pool_next_vector() : comp_vector_hint;
	vector %= vectors;

	spin_lock_irq(&dev->cq_pools_lock);
	cq = cq_pool_find(dev, nr_cqe, vector, poll_ctx);
	if (cq)
		cq->cqe_used += nr_cqe;
	spin_unlock_irq(&dev->cq_pools_lock);
	return cq ? cq : cq_pool_grow(dev, nr_cqe, vector, poll_ctx);
}
OFED_EXPORT(ib_cq_pool_get);

/**
 * ib_cq_pool_put - give back room in a shared CQ
 * @cq: from ib_cq_pool_get()
 * @nr_cqe: as asked for then
 *
 * None of the caller's work may be outstanding. Context: process.
 */
void ib_cq_pool_put(struct ib_cq *cq, unsigned int nr_cqe)
{
	struct ib_device *device = cq->device;

	spin_lock_irq(&device->cq_pools_lock);
	if (!WARN_ON_ONCE(nr_cqe > cq->cqe_used))
		cq->cqe_used -= nr_cqe;
	spin_unlock_irq(&device->cq_pools_lock);
}
OFED_EXPORT(ib_cq_pool_put);

void ofed_cq_pool_cleanup(struct ib_device *device)
{
	struct ib_cq *cq, *next;
	unsigned int ctx;

	might_sleep();
	/* No consumer is left to take one, so the lists need no lock. */
	for (ctx = 0; ctx < ARRAY_SIZE(device->cq_pools); ctx++)
		list_for_each_entry_safe(cq, next, &device->cq_pools[ctx],
					 pool_entry) {
			list_del(&cq->pool_entry);
			cq->shared = false;
			ib_free_cq(cq);
		}
}

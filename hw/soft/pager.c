// SPDX-License-Identifier: GPL-2.0
/* A side of a queue pair that waits for absent pages (pager.h). */
#include "odp.h"
#include "pager.h"

/* The pages are there, and can not go before this returns. */
static void soft_pager_there(void *arg)
{
	struct soft_pager *pager = arg;

	atomic_set_release(&pager->state, SOFT_PAGER_IDLE);
	pager->go_on(pager);
}

static void soft_pager_failed(struct soft_pager *pager, const struct soft_want *want, int ret)
{
	pager->key = want->region->key;
	pager->iova = want->iova;
	/* Of what may be otherwise now, the access is to find out. */
	atomic_set_release(&pager->state, ret == -ESTALE || ret == -EBUSY ? SOFT_PAGER_IDLE :
						SOFT_PAGER_FAILED);
	pager->go_on(pager);
}

static void soft_pager_work(struct work_struct *work)
{
	struct soft_pager *pager = container_of(work, struct soft_pager, work);
	struct soft_want want = pager->want;
	int ret;

	ret = soft_odp_bring_in(&want, soft_pager_there, pager);
	if (ret)
		soft_pager_failed(pager, &want, ret);
	soft_fault_end(pager->faults, want.region->user);
	soft_region_put(want.region);
}

static void soft_pager_begin(struct soft_fault *fault)
{
	struct soft_pager *pager = container_of(fault, struct soft_pager, fault);

	queue_work(pager->queue, &pager->work);
}

/**
 * soft_pager_ask - have absent pages brought in
 * @pager: of the side that waits; its lock is held
 * @want: which; the reference to the region is the pager's
 *
 * Context: any.
 *
 * Return: SOFT_ERR_ABSENT: go_on() will be called; SOFT_ERR_BOUNDS: it was, as the first of the
 * pages can not be there.
 */
enum soft_access_err soft_pager_ask(struct soft_pager *pager, const struct soft_want *want)
{
	int state = atomic_read_acquire(&pager->state);

	if (state == SOFT_PAGER_BUSY) {
		soft_region_put(want->region);
		return SOFT_ERR_ABSENT;
	}
	if (state == SOFT_PAGER_FAILED && pager->key == want->region->key &&
	    pager->iova == want->iova) {
		atomic_set(&pager->state, SOFT_PAGER_IDLE);
		soft_region_put(want->region);
		return SOFT_ERR_BOUNDS;
	}
	pager->want = *want;
	atomic_set(&pager->state, SOFT_PAGER_BUSY);
	/* False: soft_pager_stop() waits for a work that asks for more. */
	if (!soft_fault_ask(pager->faults, &pager->fault, want->region->user)) {
		atomic_set(&pager->state, SOFT_PAGER_IDLE);
		soft_region_put(want->region);
	}
	return SOFT_ERR_ABSENT;
}

/**
 * soft_pager_init - nothing waits
 * @pager: of a side of a queue pair
 * @queue: lives longer
 * @faults: live longer
 * @go_on: the pages are there, or it is worth to look again
 *
 * Context: any.
 */
void soft_pager_init(struct soft_pager *pager, struct workqueue_struct *queue,
		     struct soft_faults *faults, void (*go_on)(struct soft_pager *pager))
{
	INIT_WORK(&pager->work, soft_pager_work);
	soft_fault_init(&pager->fault, soft_pager_begin);
	pager->queue = queue;
	pager->faults = faults;
	pager->go_on = go_on;
	atomic_set(&pager->state, SOFT_PAGER_IDLE);
}

/**
 * soft_pager_stop - wait for the work, which is not asked for any more
 * @pager: of a side of a queue pair
 *
 * Context: process, sleeps.
 */
void soft_pager_stop(struct soft_pager *pager)
{
	if (soft_fault_close(pager->faults, &pager->fault))
		soft_region_put(pager->want.region);
	if (!cancel_work_sync(&pager->work))
		return;
	soft_fault_end(pager->faults, pager->want.region->user);
	soft_region_put(pager->want.region);
}

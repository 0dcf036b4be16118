/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One side of a queue pair waits for absent pages and can not sleep. A work brings them in, and
 * has that side go on while the pages can not go.
 */
#ifndef OFED_SOFT_PAGER_H
#define OFED_SOFT_PAGER_H

#include <linux/atomic.h>
#include <linux/workqueue.h>

#include "odp_table.h"

enum soft_pager_state {
	SOFT_PAGER_IDLE,
	SOFT_PAGER_BUSY,	/* the work waits for its turn, is queued, or runs; @want is its own */
	SOFT_PAGER_FAILED,	/* the page that @key and @iova name can not be there */
};

/**
 * struct soft_pager - of one side of a queue pair
 * @work: brings pages in
 * @queue: of the device
 * @faults: of the device; how many works of it a user may hold up
 * @fault: that of the work
 * @go_on: called by the work; may ask for more. Does not sleep
 * @state: enum soft_pager_state. The owner moves it to BUSY, the work from there
 * @want: what the work is to bring in
 * @key: (FAILED)
 * @iova: (FAILED)
 *
 * The owner's lock guards all calls but that of the work.
 */
struct soft_pager {
	struct work_struct work;
	struct workqueue_struct *queue;
	struct soft_faults *faults;
	struct soft_fault fault;
	void (*go_on)(struct soft_pager *pager);
	atomic_t state;
	struct soft_want want;
	u32 key;
	u64 iova;
};

void soft_pager_init(struct soft_pager *pager, struct workqueue_struct *queue,
		     struct soft_faults *faults, void (*go_on)(struct soft_pager *pager));
enum soft_access_err soft_pager_ask(struct soft_pager *pager, const struct soft_want *want);
void soft_pager_stop(struct soft_pager *pager);

/* Does the owner wait? */
static inline bool soft_pager_is_busy(const struct soft_pager *pager)
{
	return atomic_read(&pager->state) == SOFT_PAGER_BUSY;
}

#endif /* OFED_SOFT_PAGER_H */

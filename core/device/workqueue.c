// SPDX-License-Identifier: GPL-2.0
/* The workqueues of the midlayer. */
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "device.h"

/*
 * ib_wq is part of the API: ULPs queue on it. The completion queues run CQ
 * polling: they must make progress under memory pressure, since storage
 * waits for them.
 */
struct workqueue_struct *ib_wq;
OFED_EXPORT(ib_wq);
struct workqueue_struct *ib_comp_wq;
struct workqueue_struct *ib_comp_unbound_wq;
struct workqueue_struct *ofed_unreg_wq;

static const struct {
	struct workqueue_struct **wq;
	const char *name;
	unsigned int flags;
} queues[] = {
	{ &ib_wq, "infiniband", WQ_PERCPU },
	{ &ib_comp_wq, "ib-comp-wq",
	  WQ_PERCPU | WQ_HIGHPRI | WQ_MEM_RECLAIM | WQ_SYSFS },
	{ &ib_comp_unbound_wq, "ib-comp-unb-wq",
	  WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM | WQ_SYSFS },
	{ &ofed_unreg_wq, "ib-unreg-wq", WQ_UNBOUND },
};

void ofed_workqueues_exit(void)
{
	size_t i;

	for (i = ARRAY_SIZE(queues); i--; ) {
		if (*queues[i].wq)
			destroy_workqueue(*queues[i].wq);
		*queues[i].wq = NULL;
	}
}

int ofed_workqueues_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(queues); i++) {
		*queues[i].wq = alloc_workqueue("%s", queues[i].flags, 0,
						queues[i].name);
		if (!*queues[i].wq) {
			ofed_workqueues_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

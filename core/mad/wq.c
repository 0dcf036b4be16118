// SPDX-License-Identifier: GPL-2.0
/* The work queue of the MAD layer. */
#include <linux/workqueue.h>

#include "priv.h"

struct workqueue_struct *mad_wq;

/**
 * mad_wq_init - make the work queue
 *
 * Return: 0 or -ENOMEM.
 */
int mad_wq_init(void)
{
	/* Storage that pages out reconnects through here. */
	mad_wq = alloc_workqueue("ofed_mad", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return mad_wq ? 0 : -ENOMEM;
}

/* No port is left. */
void mad_wq_exit(void)
{
	destroy_workqueue(mad_wq);
}

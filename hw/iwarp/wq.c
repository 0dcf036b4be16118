// SPDX-License-Identifier: GPL-2.0
/* The work queue of the module. */
#include "qp.h"
#include "wq.h"

struct workqueue_struct *iw_wq;

/**
 * iw_tx_kick - have it sent by a work
 * @qp: queue pair
 *
 * Context: any.
 */
void iw_tx_kick(struct iw_qp *qp)
{
	queue_work(iw_wq, &qp->tx.work);
}

int __init iw_wq_init(void)
{
	/* Unbound: a task that keeps a processor does not keep a stream. */
	iw_wq = alloc_workqueue("ofed_iwarp", WQ_MEM_RECLAIM | WQ_UNBOUND |
				WQ_HIGHPRI, 0);
	return iw_wq ? 0 : -ENOMEM;
}

/* Waits for all works. */
void iw_wq_exit(void)
{
	destroy_workqueue(iw_wq);
}

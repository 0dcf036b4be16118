/* SPDX-License-Identifier: GPL-2.0 */
/* The work queue of the module. */
#ifndef OFED_IW_WQ_H
#define OFED_IW_WQ_H

#include <linux/workqueue.h>

extern struct workqueue_struct *iw_wq;
int iw_wq_init(void);
void iw_wq_exit(void);

#endif /* OFED_IW_WQ_H */

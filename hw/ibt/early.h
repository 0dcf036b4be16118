/* SPDX-License-Identifier: GPL-2.0 */
/* Retransmission before the timeout of the queue pair. With sq.lock held, but for the first. */
#ifndef IBT_EARLY_H
#define IBT_EARLY_H

#include <linux/types.h>

struct ibt_qp;

void ibt_early_init(struct ibt_qp *qp);
void ibt_early_await(struct ibt_qp *qp, bool first);
void ibt_early_restart(struct ibt_qp *qp);
void ibt_early_progress(struct ibt_qp *qp);

extern bool ibt_early;	/* module parameter: see early.c */

#endif /* IBT_EARLY_H */

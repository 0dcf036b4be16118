/* SPDX-License-Identifier: GPL-2.0 */
/* Retransmission of single packets. With sq.lock held. */
#ifndef IBT_RECOVERY_H
#define IBT_RECOVERY_H

#include <linux/types.h>

struct ibt_qp;

void ibt_sq_fill(struct ibt_qp *qp, u32 psn, u32 end);
void ibt_sq_overtaken(struct ibt_qp *qp, u32 psn);
void ibt_sq_gap(struct ibt_qp *qp, u32 psn, u32 packets);

extern bool ibt_selective;	/* module parameter: see recovery.c */

#endif /* IBT_RECOVERY_H */

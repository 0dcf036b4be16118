/* SPDX-License-Identifier: GPL-2.0 */
/* Shared receive queues of tag matching: what the program posts besides receive requests. */
#ifndef IBT_TM_SRQ_H
#define IBT_TM_SRQ_H

#include <rdma/ib_verbs.h>

struct ibt_srq;

int ibt_tm_srq_check(const struct ib_device *ib, const struct ib_srq_init_attr *init,
		     struct ib_udata *udata);
int ibt_tm_srq_create(struct ibt_srq *srq, const struct ib_srq_init_attr *init);
void ibt_tm_srq_destroy(struct ibt_srq *srq);
int ibt_tm_srq_op(struct ibt_srq *srq, struct ib_udata *udata, bool *told);

#endif /* IBT_TM_SRQ_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Requests that stay in this host. With sq.lock held. */
#ifndef IBT_LOCAL_OPS_H
#define IBT_LOCAL_OPS_H

struct ibt_qp;
struct ibt_wqe;

/* @wqe is the next one. */
void ibt_do_local_op(struct ibt_qp *qp, struct ibt_wqe *wqe);

#endif /* IBT_LOCAL_OPS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The end of work requests. With sq.lock held. */
#ifndef IBT_SQ_COMPLETE_H
#define IBT_SQ_COMPLETE_H

#include <rdma/ib_verbs.h>

struct ibt_qp;
struct ibt_wqe;
struct ibt_sq;

void ibt_sq_change(struct ibt_sq *sq, enum ib_qp_state state);
void ibt_wqe_fail(struct ibt_qp *qp, struct ibt_wqe *wqe, u8 status);
void ibt_sq_complete_wqes(struct ibt_qp *qp);
u32 ibt_sq_oldest(const struct ibt_sq *sq);
bool ibt_sq_flush_some(struct ibt_qp *qp, int budget);
void ibt_sq_drop_all(struct ibt_qp *qp);
void ibt_sq_check_drained(struct ibt_qp *qp);
void ibt_ud_send_complete(struct ibt_qp *qp, struct ibt_wqe *wqe);
void ibt_loopback_abort(struct ibt_qp *qp);

#endif /* IBT_SQ_COMPLETE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The ring of a program. With sq.lock held. */
#ifndef IBT_SQ_USER_H
#define IBT_SQ_USER_H

#include <linux/types.h>

struct ib_wc;
struct ibt_qp;
struct ibt_sq;

bool ibt_sq_fetch_user_wqe(struct ibt_qp *qp);
bool ibt_sq_peek(const struct ibt_qp *qp, struct ib_wc *wc);
void ibt_sq_discard_ring(struct ibt_sq *sq);

#endif /* IBT_SQ_USER_H */

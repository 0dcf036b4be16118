/* SPDX-License-Identifier: GPL-2.0 */
/* Rendezvous of tag matching: the responder fetches the data of a message. */
#ifndef IBT_TM_FETCH_H
#define IBT_TM_FETCH_H

#include <rdma/ib_verbs.h>

struct ibt_qp;
struct ibt_tm_hdr;

extern const struct ib_qp_cap ibt_tm_fetch_cap;

bool ibt_tm_may_fetch(const struct ibt_qp *qp, const struct ibt_tm_hdr *hdr);
bool ibt_tm_fetch(struct ibt_qp *qp);
void ibt_tm_fetched(struct ibt_qp *qp, struct ib_wc *wc);	/* tm_fetched.c */

#endif /* IBT_TM_FETCH_H */

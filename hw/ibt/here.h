/* SPDX-License-Identifier: GPL-2.0 */
/* Requests that stay in this host. With sq.lock held. */
#ifndef IBT_HERE_H
#define IBT_HERE_H

struct ibt_qp;
struct ibt_slot;

/* @slot is the next one. */
void ibt_do_here(struct ibt_qp *qp, struct ibt_slot *slot);

#endif /* IBT_HERE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Queue pairs by number. */
#ifndef IBT_QP_TABLE_H
#define IBT_QP_TABLE_H

#include <linux/types.h>

struct ibt_dev;
struct ibt_port;
struct ibt_qp;

/* By number, with a reference, or NULL. The caller is an RCU reader. */
struct ibt_qp *ibt_qp_find(struct ibt_dev *dev, u32 qpn);
/* Its last reference is dropped. */
void ibt_qp_forget_recent(struct ibt_qp *qp);
/* QP0 or QP1 of a port, with a reference, or NULL. */
struct ibt_qp *ibt_special_find(struct ibt_port *port, u32 qpn);
/* From here on packets find it, by a number that it gets here; from there on they do not. */
int ibt_qp_publish(struct ibt_qp *qp, u32 port_num);
void ibt_qp_unpublish(struct ibt_qp *qp);
/* For a work or timer of the QP itself: false when it is being destroyed. */
bool ibt_qp_get(struct ibt_qp *qp);
void ibt_qp_put(struct ibt_qp *qp);

#endif /* IBT_QP_TABLE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Events of a queue pair, and its way into the error state. */
#ifndef IBT_QP_EVENT_H
#define IBT_QP_EVENT_H

#include <rdma/ib_verbs.h>

struct ibt_qp;

/* Any context, any lock: raise an affiliated event from the QP's work. */
void ibt_qp_event(struct ibt_qp *qp, enum ib_event_type event);
/* Any context, any lock: to the error state, with @event unless it is -1. Both
 * sides are flushed by the QP's work; a side may flush itself at once.
 */
void ibt_qp_fail(struct ibt_qp *qp, int event);

#endif /* IBT_QP_EVENT_H */

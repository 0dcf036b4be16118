/* SPDX-License-Identifier: GPL-2.0 */
/* Asynchronous events of queue pairs and SRQs, which a work hands to the consumer. */
#ifndef OFED_SOFT_EVENTS_H
#define OFED_SOFT_EVENTS_H

struct ib_qp;
struct ib_srq;

void soft_qp_events(struct ib_qp *qp, unsigned long *pending);
void soft_srq_events(struct ib_srq *srq, unsigned long *pending);

#endif /* OFED_SOFT_EVENTS_H */

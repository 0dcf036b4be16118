/* SPDX-License-Identifier: GPL-2.0 */
/* Completion queues. */
#ifndef OFED_IW_CQ_H
#define OFED_IW_CQ_H

#include <rdma/ib_verbs.h>

#include "../soft/notify.h"
#include "ring.h"

/**
 * struct iw_cq - completion queue
 * @ib: of the core
 * @ring: struct siw_cqe and, behind them, struct siw_cq_ctrl; of the kernel
 *	  struct ib_wc
 * @lock: guards the rest; no consumer is called with it
 * @cons: (kernel) completions taken ever
 * @armed: (kernel) what the consumer waits for
 * @overrun: a completion was lost: IB_EVENT_CQ_ERR was sent
 * @notify: (lock) calls of the consumer
 */
struct iw_cq {
	struct ib_cq ib;
	struct iw_ring ring;
	spinlock_t lock;
	u32 cons;
	u8 armed;
	bool overrun;
	struct soft_notify notify;
};

static inline struct iw_cq *to_iw_cq(struct ib_cq *ib)
{
	return container_of(ib, struct iw_cq, ib);
}

void iw_cq_post(struct iw_cq *cq, const struct ib_wc *wc, bool solicited);
bool iw_cq_post_send(struct iw_cq *cq, const struct ib_wc *wc);
bool iw_cq_is_empty(const struct iw_cq *cq);
void iw_cq_forget(struct iw_cq *cq, const struct ib_qp *qp);

extern const struct ib_device_ops iw_cq_ops;

#endif /* OFED_IW_CQ_H */

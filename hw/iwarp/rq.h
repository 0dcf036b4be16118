/* SPDX-License-Identifier: GPL-2.0 */
/* Receive queues, shared ones among them. */
#ifndef OFED_IW_RQ_H
#define OFED_IW_RQ_H

#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "limits.h"
#include "ring.h"

/**
 * struct iw_recv - a receive request, out of its ring
 * @wr_id: the consumer's
 * @num_sge: of @sge
 * @length: bytes of all of them
 * @sge: where the message goes
 */
struct iw_recv {
	u64 wr_id;
	u32 num_sge;
	u32 length;
	struct ib_sge sge[IW_MAX_SGE];
};

/**
 * struct iw_rq - a receive queue
 * @ring: of a program struct siw_rqe, of the kernel struct iw_rqe
 * @post: (kernel) requests posted ever
 * @max_sge: of a request
 */
struct iw_rq {
	struct iw_ring ring;
	u32 post;
	u32 max_sge;
};

/**
 * struct iw_srq - shared receive queue
 * @ib: of the core
 * @rq: the queue
 * @lock: guards @rq
 * @max_wr: requests that fit
 * @limit: (lock) say so when fewer are left; 0: no more
 * @limit_work: says so
 */
struct iw_srq {
	struct ib_srq ib;
	struct iw_rq rq;
	spinlock_t lock;
	u32 max_wr;
	u32 limit;
	struct work_struct limit_work;
};

static inline struct iw_srq *to_iw_srq(struct ib_srq *ib)
{
	return container_of(ib, struct iw_srq, ib);
}

int iw_rq_alloc(struct iw_rq *rq, u32 max_wr, u32 max_sge,
		struct ib_ucontext *ucontext, u64 *key);
int iw_rq_take(struct iw_rq *rq, struct iw_recv *recv);
int iw_rq_add(struct iw_rq *rq, const struct ib_recv_wr *wr);
bool iw_rq_below(const struct iw_rq *rq, u32 limit);

/* srq.c */
int iw_srq_take(struct iw_srq *srq, struct iw_recv *recv);
extern const struct ib_device_ops iw_srq_ops;

#endif /* OFED_IW_RQ_H */

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Objects of the devices that speak <rdma/siw-abi.h>: iWARP. Rings have no index that is
 * shared: each element has a flag that says which side has it.
 */
#ifndef LIB_SIW_H
#define LIB_SIW_H

#include <pthread.h>

#include <infiniband/driver.h>
#include <rdma/siw-abi.h>

/* Behind the first SGE, which has the length. */
#define SIW_INLINE_BYTES ((uint32_t)SIW_MAX_INLINE)

/**
 * struct siw_ring - a mapped ring
 * @mem: elements, NULL: none
 * @bytes: of the mapping
 * @num: elements, a power of 2
 * @next: index of the element that this process looks at next, not reduced
 */
struct siw_ring {
	void *mem;
	size_t bytes;
	uint32_t num;
	uint32_t next;
};

/**
 * struct siw_cq - completion queue
 * @base: of libibverbs
 * @lock: guards the rest; held while an extended CQ is polled
 * @ring: struct siw_cqe, and behind them the word that asks for an event
 */
struct siw_cq {
	struct verbs_cq base;
	pthread_spinlock_t lock;
	struct siw_ring ring;
};

/* Of receive requests, with a lock of its own. */
struct siw_rq {
	pthread_spinlock_t lock;
	struct siw_ring ring;
};

struct siw_srq {
	struct verbs_srq base;
	struct siw_rq rq;
};

/**
 * struct siw_qp - queue pair
 * @base: of libibverbs
 * @lock: guards what follows @sq; held from ibv_wr_start() to ibv_wr_complete()
 * @rq: without a ring if the receive queue is shared
 * @sq: struct siw_sqe
 * @first: where @sq.next was at ibv_wr_start()
 * @sqe: built last by the functions of ibv_qp_ex, NULL: none
 * @error: errno of these functions since ibv_wr_start()
 */
struct siw_qp {
	struct verbs_qp base;
	pthread_spinlock_t lock;
	struct siw_rq rq;
	struct siw_ring sq;
	uint32_t first;
	struct siw_sqe *sqe;
	int error;
};

static inline struct siw_cq *siw_cq_of(struct ibv_cq *cq)
{
	return container_of(cq, struct siw_cq, base.cq);
}

static inline struct siw_cq *siw_cq_of_ex(struct ibv_cq_ex *cq)
{
	return container_of(cq, struct siw_cq, base.cq_ex);
}

static inline struct siw_qp *siw_qp_of(struct ibv_qp *qp)
{
	return container_of(qp, struct siw_qp, base.qp);
}

static inline struct siw_qp *siw_qp_of_ex(struct ibv_qp_ex *qp)
{
	return container_of(qp, struct siw_qp, base.qp_ex);
}

static inline struct siw_srq *siw_srq_of(struct ibv_srq *srq)
{
	return container_of(srq, struct siw_srq, base.srq);
}

/* siw_ring.c */
int siw_ring_map(struct siw_ring *ring, int fd, uint64_t key, uint32_t num, size_t each,
		 size_t behind);
void siw_ring_unmap(struct siw_ring *ring);

/* siw_cq.c */
struct ibv_cq *siw_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int vector);
struct ibv_cq_ex *siw_create_cq_ex(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *attr);
int siw_destroy_cq(struct ibv_cq *cq);
int siw_poll_cq(struct ibv_cq *cq, int num, struct ibv_wc *wc);
int siw_req_notify_cq(struct ibv_cq *cq, int solicited_only);

/* siw_recv.c */
int siw_rq_map(struct siw_rq *rq, int fd, uint64_t key, uint32_t num);
void siw_rq_unmap(struct siw_rq *rq);
int siw_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int siw_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad);
struct ibv_srq *siw_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
int siw_destroy_srq(struct ibv_srq *srq);

/* siw_qp.c */
struct ibv_qp *siw_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *siw_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr);
int siw_destroy_qp(struct ibv_qp *qp);

/* siw_send.c, siw_wr.c */
int siw_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
struct siw_sqe *siw_sqe_next(struct siw_qp *qp);
int siw_sqe_set_sges(struct siw_sqe *sqe, const struct ibv_sge *sges, size_t num);
void siw_publish(struct siw_qp *qp, uint32_t first);
int siw_tell(struct siw_qp *qp, uint32_t first);
uint16_t siw_flags(unsigned int flags);
extern const uint64_t siw_wr_ops_known;
void siw_qp_ex_ops(struct siw_qp *qp);

#endif /* LIB_SIW_H */

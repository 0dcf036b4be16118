/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Objects of the devices that speak <rdma/rdma_user_rxe.h>: RoCE and InfiniBand. */
#ifndef LIB_RXE_H
#define LIB_RXE_H

#include <pthread.h>

#include <infiniband/driver.h>
#include <ofed/ofed_user_verbs.h>

#include "bell.h"
#include "ring.h"

/**
 * struct rxe_context - an open device
 * @base: of libibverbs
 * @version: of the extension, 0: the kernel module has none
 * @features: enum ofed_context_feature
 * @bells: page of doorbells, NULL: none
 * @bells_bytes: of the mapping
 */
struct rxe_context {
	struct verbs_context base;
	uint32_t version;
	uint32_t features;
	struct ofed_doorbell_page *bells;
	size_t bells_bytes;
};

struct rxe_ah {
	struct ibv_ah base;
	uint32_t number;
};

/**
 * struct rxe_cq - completion queue
 * @base: of libibverbs
 * @lock: guards the rest, but in a CQ for one thread
 * @ring: struct ib_uverbs_wc, with @timed struct ofed_cqe_time in addition
 * @next: index of the oldest completion that was not polled
 * @single: made for one thread
 * @timed: completions have times
 */
struct rxe_cq {
	struct verbs_cq base;
	pthread_spinlock_t lock;
	struct lib_ring ring;
	uint32_t next;
	bool single;
	bool timed;
};

/**
 * struct rxe_queue - queue that this process fills
 * @lock: guards the rest, but in a queue of a thread domain
 * @single: made with a thread domain
 * @ring: struct rxe_send_wqe or rxe_recv_wqe
 * @next: index of the next free element, not masked
 * @max_sge: SGEs that fit in an element
 */
struct rxe_queue {
	pthread_spinlock_t lock;
	bool single;
	struct lib_ring ring;
	uint32_t next;
	uint32_t max_sge;
};

/**
 * struct rxe_srq - shared receive queue
 * @base: of libibverbs
 * @rq: its receive requests
 * @number: of the kernel module
 * @tags: (tag matching) tagged buffers so far, from which each has its handle
 */
struct rxe_srq {
	struct verbs_srq base;
	struct rxe_queue rq;
	uint32_t number;
	uint32_t tags;
};

/**
 * struct rxe_qp - queue pair
 * @base: of libibverbs
 * @sq: its lock is held from ibv_wr_start() to ibv_wr_complete()
 * @rq: without a ring if the receive queue is shared
 * @bell: its doorbell in the page
 * @max_inline: bytes that fit in an element of @sq
 * @first: (@sq.lock) where @sq.next was at ibv_wr_start()
 * @wqe: (@sq.lock) built last by the functions of ibv_qp_ex, NULL: none
 * @error: (@sq.lock) errno of these functions since ibv_wr_start()
 */
struct rxe_qp {
	struct verbs_qp base;
	struct rxe_queue sq;
	struct rxe_queue rq;
	struct lib_bell bell;
	uint32_t max_inline;
	uint32_t first;
	struct rxe_send_wqe *wqe;
	int error;
};

static inline struct rxe_context *rxe_context_of(struct ibv_context *context)
{
	return container_of(context, struct rxe_context, base.context);
}

static inline struct rxe_cq *rxe_cq_of(struct ibv_cq *cq)
{
	return container_of(cq, struct rxe_cq, base.cq);
}

static inline struct rxe_cq *rxe_cq_of_ex(struct ibv_cq_ex *cq)
{
	return container_of(cq, struct rxe_cq, base.cq_ex);
}

static inline struct rxe_qp *rxe_qp_of(struct ibv_qp *qp)
{
	return container_of(qp, struct rxe_qp, base.qp);
}

static inline struct rxe_qp *rxe_qp_of_ex(struct ibv_qp_ex *qp)
{
	return container_of(qp, struct rxe_qp, base.qp_ex);
}

static inline struct rxe_srq *rxe_srq_of(struct ibv_srq *srq)
{
	return container_of(srq, struct rxe_srq, base.srq);
}

static inline uint32_t rxe_ah_number(struct ibv_ah *ah)
{
	return container_of(ah, struct rxe_ah, base)->number;
}

/* IBA 10.3.1: in which states of a queue pair requests can be sent. */
static inline bool rxe_may_send(const struct rxe_qp *qp)
{
	return qp->sq.ring.buf && qp->base.qp.state != IBV_QPS_RESET &&
	       qp->base.qp.state != IBV_QPS_INIT && qp->base.qp.state != IBV_QPS_RTR;
}

static inline void rxe_queue_lock(struct rxe_queue *queue)
{
	if (!queue->single)
		pthread_spin_lock(&queue->lock);
}

static inline void rxe_queue_unlock(struct rxe_queue *queue)
{
	if (!queue->single)
		pthread_spin_unlock(&queue->lock);
}

/* queue.c */
int rxe_queue_map(struct rxe_queue *queue, struct ibv_pd *pd, int fd,
		  const struct mminfo *info, uint32_t max_sge);
void rxe_queue_unmap(struct rxe_queue *queue);
int rxe_queue_post(struct rxe_queue *queue, struct ibv_recv_wr *wr,
		   struct ibv_recv_wr **bad);

/* pd.c: memory, windows, addresses, XRC domains */
struct ibv_mr *rxe_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  uint64_t iova, int access);
int rxe_rereg_mr(struct verbs_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		 size_t length, int access);
struct ibv_mr *rxe_import_mr(struct ibv_pd *pd, uint32_t handle);
void rxe_unimport_mr(struct ibv_mr *mr);
struct ibv_mw *rxe_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int rxe_dealloc_mw(struct ibv_mw *mw);
int rxe_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);
struct ibv_ah *rxe_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int rxe_destroy_ah(struct ibv_ah *ah);
struct ibv_xrcd *rxe_open_xrcd(struct ibv_context *context,
			       struct ibv_xrcd_init_attr *attr);
int rxe_close_xrcd(struct ibv_xrcd *xrcd);

/* cq.c, cq_ex.c */
struct ibv_cq *rxe_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int vector);
struct ibv_cq_ex *rxe_create_cq_ex(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *attr);
int rxe_resize_cq(struct ibv_cq *cq, int cqe);
int rxe_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
int rxe_destroy_cq(struct ibv_cq *cq);
void rxe_cq_clean(struct rxe_cq *cq, uint32_t qp_num, bool keep_recv);
int rxe_poll_cq(struct ibv_cq *cq, int num, struct ibv_wc *wc);
void rxe_cq_ex_ops(struct rxe_cq *cq, uint64_t wc_flags);
void rxe_cq_lock(struct rxe_cq *cq);
void rxe_cq_unlock(struct rxe_cq *cq);

/* qp.c */
struct ibv_qp *rxe_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *rxe_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr);
struct ibv_qp *rxe_open_qp(struct ibv_context *context,
			   struct ibv_qp_open_attr *attr);
int rxe_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
int rxe_destroy_qp(struct ibv_qp *qp);
int rxe_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad);

/* send.c, wr.c */
int rxe_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad);
struct rxe_send_wqe *rxe_wqe_next(struct rxe_qp *qp);
void rxe_wqe_publish(struct rxe_qp *qp);
int rxe_wqe_set_sges(struct rxe_qp *qp, struct rxe_send_wqe *wqe,
		     const struct ibv_sge *sges, size_t num);
void rxe_wqe_bind(struct rxe_send_wqe *wqe, const struct ibv_mw *mw, uint32_t rkey,
		  const struct ibv_mw_bind_info *info);
uint64_t rxe_wr_ops_known(enum ibv_qp_type type);
void rxe_qp_ex_ops(struct rxe_qp *qp, uint64_t wanted, bool has_flush);

/* srq.c */
struct ibv_srq *rxe_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
struct ibv_srq *rxe_create_srq_ex(struct ibv_context *context,
				  struct ibv_srq_init_attr_ex *attr);
int rxe_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
int rxe_get_srq_num(struct ibv_srq *srq, uint32_t *number);
int rxe_destroy_srq(struct ibv_srq *srq);
int rxe_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad);

/* tag.c */
int rxe_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *wr, struct ibv_ops_wr **bad);
void rxe_say_tm_caps(struct ibv_device_attr_ex *attr, size_t attr_size);

#endif /* LIB_RXE_H */

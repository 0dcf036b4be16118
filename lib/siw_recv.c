// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Receive queues of iWARP devices, also those that are shared. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "siw.h"

static_assert(sizeof(struct siw_sge) == sizeof(struct ibv_sge), "struct ibv_sge");

int siw_rq_map(struct siw_rq *rq, int fd, uint64_t key, uint32_t num)
{
	int ret = siw_ring_map(&rq->ring, fd, key, num, sizeof(struct siw_rqe), 0);

	return ret ? ret : pthread_spin_init(&rq->lock, PTHREAD_PROCESS_PRIVATE);
}

void siw_rq_unmap(struct siw_rq *rq)
{
	pthread_spin_destroy(&rq->lock);
	siw_ring_unmap(&rq->ring);
}

static int siw_fill_recv(struct siw_ring *ring, const struct ibv_recv_wr *wr)
{
	struct siw_rqe *rqe = (struct siw_rqe *)ring->mem + (ring->next & (ring->num - 1));

	if (wr->num_sge < 0 || wr->num_sge > SIW_MAX_SGE)
		return EINVAL;
	/* The kernel module has read the element: pairs with its store. */
	if (__atomic_load_n(&rqe->flags, __ATOMIC_ACQUIRE) & SIW_WQE_VALID)
		return ENOMEM;
	rqe->id = wr->wr_id;
	rqe->num_sge = wr->num_sge;
	memcpy(rqe->sge, wr->sg_list, wr->num_sge * sizeof(rqe->sge[0]));
	__atomic_store_n(&rqe->flags, SIW_WQE_VALID, __ATOMIC_RELEASE);
	ring->next++;
	return 0;
}

static int siw_rq_post(struct siw_rq *rq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int ret = 0;

	pthread_spin_lock(&rq->lock);
	for (; wr && !ret; wr = wr->next) {
		*bad = wr;
		ret = siw_fill_recv(&rq->ring, wr);
	}
	pthread_spin_unlock(&rq->lock);
	return ret;
}

int siw_post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct siw_qp *qp = siw_qp_of(ibv);

	*bad = wr;
	return qp->rq.ring.mem ? siw_rq_post(&qp->rq, wr, bad) : EINVAL;
}

int siw_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return siw_rq_post(&siw_srq_of(srq)->rq, wr, bad);
}

struct ibv_srq *siw_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct {
		struct ib_uverbs_create_srq_resp core;
		struct siw_uresp_create_srq siw;
	} resp = {};
	struct siw_srq *srq = calloc(1, sizeof(*srq));
	struct ibv_create_srq cmd;
	int ret;

	if (!srq)
		return NULL;
	ret = ibv_cmd_create_srq(pd, &srq->base.srq, attr, &cmd, sizeof(cmd), &resp.core,
				 sizeof(resp));
	if (ret)
		goto err_srq;
	ret = siw_rq_map(&srq->rq, pd->context->cmd_fd, resp.siw.srq_key, resp.siw.num_rqe);
	if (ret)
		goto err_cmd;
	return &srq->base.srq;

err_cmd:
	ibv_cmd_destroy_srq(&srq->base.srq);
err_srq:
	free(srq);
	errno = ret;
	return NULL;
}

int siw_destroy_srq(struct ibv_srq *ibv)
{
	struct siw_srq *srq = siw_srq_of(ibv);
	int ret = ibv_cmd_destroy_srq(ibv);

	if (ret)
		return ret;
	siw_rq_unmap(&srq->rq);
	free(srq);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Queues that this process fills, and posting to those that receive. */
#include <errno.h>
#include <string.h>

#include "domain.h"
#include "rxe.h"

/* @pd: that it was made with, NULL: none */
int rxe_queue_map(struct rxe_queue *queue, struct ibv_pd *pd, int fd,
		  const struct mminfo *info, uint32_t max_sge)
{
	int ret = lib_ring_map(&queue->ring, fd, info);

	if (ret || !queue->ring.buf)
		return ret;
	queue->next = lib_ring_load(&queue->ring.buf->producer_index);
	queue->max_sge = max_sge;
	queue->single = lib_pd_is_single(pd);
	return pthread_spin_init(&queue->lock, PTHREAD_PROCESS_PRIVATE);
}

void rxe_queue_unmap(struct rxe_queue *queue)
{
	if (!queue->ring.buf)
		return;
	pthread_spin_destroy(&queue->lock);
	lib_ring_unmap(&queue->ring);
}

static int rxe_fill_recv(struct rxe_queue *queue, const struct ibv_recv_wr *wr)
{
	struct rxe_recv_wqe *wqe;
	uint32_t total = 0;
	int i;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > queue->max_sge)
		return EINVAL;
	if (lib_ring_full(&queue->ring, queue->next))
		return ENOMEM;
	wqe = lib_ring_at(&queue->ring, queue->next);
	for (i = 0; i < wr->num_sge; i++) {
		wqe->dma.sge[i].addr = wr->sg_list[i].addr;
		wqe->dma.sge[i].length = wr->sg_list[i].length;
		wqe->dma.sge[i].lkey = wr->sg_list[i].lkey;
		total += wr->sg_list[i].length;
	}
	wqe->wr_id = wr->wr_id;
	wqe->dma.length = total;
	wqe->dma.resid = total;
	wqe->dma.cur_sge = 0;
	wqe->dma.num_sge = wr->num_sge;
	wqe->dma.sge_offset = 0;
	queue->next++;
	return 0;
}

/* Those before @bad are posted also if there is an error. */
int rxe_queue_post(struct rxe_queue *queue, struct ibv_recv_wr *wr,
		   struct ibv_recv_wr **bad)
{
	struct lib_ring *ring = &queue->ring;
	int ret = 0;

	rxe_queue_lock(queue);
	for (; wr; wr = wr->next) {
		ret = rxe_fill_recv(queue, wr);
		if (ret) {
			*bad = wr;
			break;
		}
	}
	lib_ring_store(&ring->buf->producer_index, queue->next & ring->mask);
	rxe_queue_unlock(queue);
	return ret;
}

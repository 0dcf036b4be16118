// SPDX-License-Identifier: GPL-2.0
/* Receive queues: requests out of the ring into kernel memory. */
#include "rq.h"

/* Of a kernel consumer's ring. */
struct iw_rqe {
	u64 wr_id;
	u32 num_sge;
	struct ib_sge sge[IW_MAX_SGE];
};

/**
 * iw_rq_alloc - make a receive queue
 * @rq: filled in
 * @max_wr: requests
 * @max_sge: of a request
 * @ucontext: of the program, or NULL
 * @key: (with @ucontext) where to map it
 *
 * Context: process, may sleep. Return: 0, -EINVAL or -ENOMEM.
 */
int iw_rq_alloc(struct iw_rq *rq, u32 max_wr, u32 max_sge,
		struct ib_ucontext *ucontext, u64 *key)
{
	if (max_sge > (ucontext ? SIW_MAX_SGE : IW_MAX_SGE))
		return -EINVAL;
	rq->max_sge = ucontext ? SIW_MAX_SGE : max(max_sge, 1U);
	rq->post = 0;
	return iw_ring_alloc(&rq->ring, max_wr, ucontext ?
			     sizeof(struct siw_rqe) : sizeof(struct iw_rqe), 0,
			     ucontext, key);
}

/* Every byte is read once, then checked where the program can not reach it. */
static int iw_take_user(struct iw_rq *rq, struct iw_recv *recv)
{
	struct siw_rqe *rqe = iw_ring_at(&rq->ring, rq->ring.next);

	/* Pairs with the program's store, which follows the element. */
	if (!(smp_load_acquire(&rqe->flags) & SIW_WQE_VALID))
		return -ENOENT;
	recv->wr_id = READ_ONCE(rqe->id);
	recv->num_sge = min_t(u32, READ_ONCE(rqe->num_sge), SIW_MAX_SGE);
	memcpy(recv->sge, rqe->sge, recv->num_sge * sizeof(recv->sge[0]));
	/* The element was read before the program fills it again. */
	smp_store_release(&rqe->flags, 0);
	rq->ring.next++;
	return 0;
}

static int iw_take_kernel(struct iw_rq *rq, struct iw_recv *recv)
{
	const struct iw_rqe *rqe = iw_ring_at(&rq->ring, rq->ring.next);

	if (rq->ring.next == rq->post)
		return -ENOENT;
	recv->wr_id = rqe->wr_id;
	recv->num_sge = rqe->num_sge;
	memcpy(recv->sge, rqe->sge, recv->num_sge * sizeof(recv->sge[0]));
	rq->ring.next++;
	return 0;
}

/**
 * iw_rq_take - the oldest receive request, out of the ring
 * @rq: the queue; the caller has the lock of its consumer side
 * @recv: filled in
 *
 * Context: any. Return: 0; -ENOENT: there is none; -EMSGSIZE: it is taken, but
 * has more room than a message may have.
 */
int iw_rq_take(struct iw_rq *rq, struct iw_recv *recv)
{
	int ret = rq->ring.map ? iw_take_user(rq, recv) : iw_take_kernel(rq, recv);
	u64 length = 0;
	u32 i;

	if (ret)
		return ret;
	for (i = 0; i < recv->num_sge; i++)
		length += recv->sge[i].length;
	recv->length = length;
	return length > U32_MAX ? -EMSGSIZE : 0;
}

/**
 * iw_rq_add - post a receive request of the kernel
 * @rq: the queue; the caller has the lock of its producer side
 * @wr: the request
 *
 * Context: any. Return: 0, -EINVAL (SGEs), -ENOMEM (full).
 */
int iw_rq_add(struct iw_rq *rq, const struct ib_recv_wr *wr)
{
	struct iw_rqe *rqe = iw_ring_at(&rq->ring, rq->post);

	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return -EINVAL;
	if (rq->post - rq->ring.next == rq->ring.num)
		return -ENOMEM;
	rqe->wr_id = wr->wr_id;
	rqe->num_sge = wr->num_sge;
	memcpy(rqe->sge, wr->sg_list, wr->num_sge * sizeof(rqe->sge[0]));
	rq->post++;
	return 0;
}

/**
 * iw_rq_below - do fewer requests wait than so many?
 * @rq: the queue; the caller has the lock of its consumer side
 * @limit: that many, at least 1
 *
 * Requests of a program have no gaps: one place tells. A program that leaves some
 * deceives itself.
 *
 * Context: any.
 */
bool iw_rq_below(const struct iw_rq *rq, u32 limit)
{
	const struct siw_rqe *rqe;

	if (!rq->ring.map)
		return rq->post - rq->ring.next < limit;
	if (limit > rq->ring.num)
		return true;
	rqe = iw_ring_at(&rq->ring, rq->ring.next + limit - 1);
	return !(READ_ONCE(rqe->flags) & SIW_WQE_VALID);
}

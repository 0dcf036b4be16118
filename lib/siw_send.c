// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Requests of ibv_post_send() to iWARP devices, and the call that tells of requests. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "doorbell.h"
#include "siw.h"

static struct siw_sqe *siw_sqe_at(const struct siw_qp *qp, uint32_t index)
{
	return (struct siw_sqe *)qp->sq.mem + (index & (qp->sq.num - 1));
}

/*
 * The element at @sq.next, which is behind it afterwards. It is the kernel module's when
 * siw_publish() says so. NULL: the queue is full.
 */
struct siw_sqe *siw_sqe_next(struct siw_qp *qp)
{
	struct siw_sqe *sqe = siw_sqe_at(qp, qp->sq.next);

	if (qp->sq.next - qp->first >= qp->sq.num)
		return NULL;
	/* The kernel module has read the element: pairs with its store. */
	if (__atomic_load_n(&sqe->flags, __ATOMIC_ACQUIRE) & SIW_WQE_VALID)
		return NULL;
	qp->sq.next++;
	return sqe;
}

/* The elements from @first on, in their order. */
void siw_publish(struct siw_qp *qp, uint32_t first)
{
	struct siw_sqe *sqe;

	for (; first != qp->sq.next; first++) {
		sqe = siw_sqe_at(qp, first);
		__atomic_store_n(&sqe->flags, sqe->flags | SIW_WQE_VALID, __ATOMIC_RELEASE);
	}
}

/*
 * The kernel module takes elements until it finds one that is not valid. If it has not
 * taken the element before @first, it is going to find those that follow.
 */
int siw_tell(struct siw_qp *qp, uint32_t first)
{
	const struct siw_sqe *before = siw_sqe_at(qp, first - 1);

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (qp->sq.next - first < qp->sq.num &&
	    __atomic_load_n(&before->flags, __ATOMIC_RELAXED) & SIW_WQE_VALID)
		return 0;
	return lib_ring_doorbell(&qp->base.qp);
}

uint16_t siw_flags(unsigned int flags)
{
	return (flags & IBV_SEND_SIGNALED ? SIW_WQE_SIGNALLED : 0) |
	       (flags & IBV_SEND_SOLICITED ? SIW_WQE_SOLICITED : 0) |
	       (flags & IBV_SEND_FENCE ? SIW_WQE_READ_FENCE : 0);
}

/* ---- what a request carries ----------------------------------------------------------- */

int siw_sqe_set_sges(struct siw_sqe *sqe, const struct ibv_sge *sges, size_t num)
{
	if (num > SIW_MAX_SGE)
		return EINVAL;
	memcpy(sqe->sge, sges, num * sizeof(sqe->sge[0]));
	sqe->num_sge = num;
	return 0;
}

static int siw_copy_inline(struct siw_sqe *sqe, const struct ibv_send_wr *wr)
{
	uint8_t *to = (uint8_t *)&sqe->sge[1];
	uint32_t total = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];

		if (sge->length > SIW_INLINE_BYTES - total)
			return EINVAL;
		memcpy(to + total, (void *)(uintptr_t)sge->addr, sge->length);
		total += sge->length;
	}
	sqe->sge[0].length = total;
	sqe->num_sge = 1;
	sqe->flags |= SIW_WQE_INLINE;
	return 0;
}

static int siw_opcode_of(const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
		return SIW_OP_WRITE;
	case IBV_WR_RDMA_READ:
		return SIW_OP_READ;
	case IBV_WR_SEND:
		return SIW_OP_SEND;
	case IBV_WR_SEND_WITH_INV:
		return SIW_OP_SEND_REMOTE_INV;
	default:
		return -1;
	}
}

static int siw_fill_send(struct siw_sqe *sqe, const struct ibv_send_wr *wr)
{
	int opcode = siw_opcode_of(wr);

	if (opcode < 0 || wr->num_sge < 0)
		return EINVAL;
	sqe->id = wr->wr_id;
	sqe->opcode = opcode;
	sqe->flags = siw_flags(wr->send_flags);
	sqe->rkey = opcode == SIW_OP_SEND_REMOTE_INV ? wr->invalidate_rkey : wr->wr.rdma.rkey;
	sqe->raddr = wr->wr.rdma.remote_addr;
	if (!(wr->send_flags & IBV_SEND_INLINE))
		return siw_sqe_set_sges(sqe, wr->sg_list, wr->num_sge);
	return opcode == SIW_OP_READ ? EINVAL : siw_copy_inline(sqe, wr);
}

/* ---- posting ---------------------------------------------------------------------------- */

/* Requests before the one at fault are sent. */
int siw_post_send(struct ibv_qp *ibv, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct siw_qp *qp = siw_qp_of(ibv);
	struct ibv_send_wr *head = wr;
	int ret = 0, told = 0;
	struct siw_sqe *sqe;

	pthread_spin_lock(&qp->lock);
	qp->first = qp->sq.next;
	for (; wr; wr = wr->next) {
		sqe = siw_sqe_next(qp);
		ret = sqe ? siw_fill_send(sqe, wr) : ENOMEM;
		if (ret) {
			/* Of what was written to it no bit may stay that says valid. */
			if (sqe) {
				sqe->flags = 0;
				qp->sq.next--;
			}
			*bad = wr;
			break;
		}
	}
	if (wr != head) {
		siw_publish(qp, qp->first);
		told = siw_tell(qp, qp->first);
	}
	pthread_spin_unlock(&qp->lock);
	if (!ret && told) {
		*bad = head;
		ret = told;
	}
	return ret;
}

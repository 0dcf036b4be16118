// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of a user: from the user's ring into WQEs. The user may overwrite the ring
 * at any moment, so every byte is read once, then checked in kernel memory, out of the
 * user's reach.
 */
#include "../soft/ring.h"
#include "ah.h"
#include "limits.h"
#include "opcode.h"
#include "pkt.h"
#include "qp.h"
#include "sq.h"
#include "sq_user.h"
#include "wqe.h"

#define WQE_HEAD	offsetof(struct rxe_send_wqe, dma.sge)

static const u8 *ibt_copy_head(const struct ibt_sq *sq, u32 ahead,
			       struct rxe_send_wqe *user_wqe)
{
	const u8 *from = soft_ring_at(&sq->ring, sq->ring.cons + ahead);

	memcpy(user_wqe, from, WQE_HEAD);
	/* The compiler must not look at the ring again instead. */
	barrier();
	return from + WQE_HEAD;
}

/* Data that the element holds itself. */
static u8 ibt_take_inline(struct ibt_sq *sq, struct ibt_wqe *wqe, u32 length,
			  const u8 *from)
{
	wqe->length = length;
	if (length > sq->max_inline)
		return IB_WC_LOC_LEN_ERR;
	memcpy(wqe->data, from, length);
	return IB_WC_SUCCESS;
}

/*
 * The message is as long as its pieces. What the element says besides is not looked at:
 * ibv_wr_set_sge_list() of librxe multiplies their number with the length of the first.
 */
static u8 ibt_take_pieces(struct ibt_sq *sq, struct ibt_wqe *wqe, u32 num,
			  const u8 *from)
{
	u64 total = 0;
	u32 i;

	if (num > sq->max_sge)
		return IB_WC_LOC_QP_OP_ERR;
	memcpy(wqe->sge, from, num * sizeof(wqe->sge[0]));
	barrier();
	for (i = 0; i < num; i++)
		total += wqe->sge[i].length;
	if (total > IBT_MAX_MSG_BYTES)
		return IB_WC_LOC_LEN_ERR;
	wqe->num_sge = num;
	wqe->length = total;
	return IB_WC_SUCCESS;
}

/*
 * From behind the element's head. For ibv_wr_set_inline_data() and
 * ibv_wr_atomic_write() librxe does not set the flag; there are no SGEs then, and
 * bytes all the same.
 */
static u8 ibt_take_payload(struct ibt_sq *sq, struct ibt_wqe *wqe,
			   const struct rxe_send_wqe *user_wqe, const u8 *from)
{
	wqe->is_inline = user_wqe->wr.send_flags & IB_SEND_INLINE ||
			  (!user_wqe->dma.num_sge && user_wqe->dma.length);
	if (wqe->is_inline)
		return ibt_take_inline(sq, wqe, user_wqe->dma.length, from);
	return ibt_take_pieces(sq, wqe, user_wqe->dma.num_sge, from);
}

static u8 ibt_take_datagram(struct ibt_qp *qp, struct ibt_wqe *wqe,
			    const struct rxe_send_wr *wr)
{
	wqe->ud.route = ibt_ah_get_av(ibt_qp_dev(qp), qp->ib.pd,
				      wr->wr.ud.ah_num);
	if (!wqe->ud.route)
		return IB_WC_LOC_QP_OP_ERR;
	wqe->ud.qpn = wr->wr.ud.remote_qpn & IBT_QPN_MASK;
	wqe->ud.qkey = wr->wr.ud.remote_qkey;
	wqe->ud.pkey_index = wr->wr.ud.pkey_index;
	return IB_WC_SUCCESS;
}

/* Annex A19.4. There are no SGEs, and what the element says of its bytes is nothing. */
static void ibt_take_flush(struct ibt_wqe *wqe, const struct rxe_send_wr *wr)
{
	wqe->flush.remote_addr = compat_rxe_flush(wr)->remote_addr;
	wqe->flush.rkey = compat_rxe_flush(wr)->rkey;
	wqe->flush.length = compat_rxe_flush(wr)->length;
	wqe->flush.placement = compat_rxe_flush(wr)->type;
	wqe->flush.selectivity = compat_rxe_flush(wr)->level;
}

/* @wr.reserved: the only place where the user can name a remote SRQ (XRC). */
static u8 ibt_take_ask(struct ibt_wqe *wqe, const struct rxe_send_wr *wr,
		       const struct ibt_wr_info *info)
{
	if (info->verb == IBT_FLUSH) {
		ibt_take_flush(wqe, wr);
		return IB_WC_SUCCESS;
	}
	if (wqe->is_inline)
		return IB_WC_LOC_QP_OP_ERR;
	if (info->verb == IBT_READ) {
		wqe->rdma.remote_addr = wr->wr.rdma.remote_addr;
		wqe->rdma.rkey = wr->wr.rdma.rkey;
		wqe->rdma.srqn = wr->reserved;
		return IB_WC_SUCCESS;
	}
	if (wqe->length < sizeof(u64))
		return IB_WC_LOC_LEN_ERR;
	wqe->length = sizeof(u64);
	wqe->atomic.remote_addr = wr->wr.atomic.remote_addr;
	wqe->atomic.compare_add = wr->wr.atomic.compare_add;
	wqe->atomic.swap = wr->wr.atomic.swap;
	wqe->atomic.rkey = wr->wr.atomic.rkey;
	wqe->atomic.srqn = wr->reserved;
	return IB_WC_SUCCESS;
}

static void ibt_take_bind(struct ibt_wqe *wqe, const struct rxe_send_wr *wr)
{
	wqe->bind.mw_rkey = wr->wr.mw.mw_rkey;
	wqe->bind.new_key = wr->wr.mw.rkey & 0xff;
	wqe->bind.mr_lkey = wr->wr.mw.mr_lkey;
	wqe->bind.addr = wr->wr.mw.addr;
	wqe->bind.length = wr->wr.mw.length;
	wqe->bind.access = wr->wr.mw.access;
}

static u8 ibt_take_kind(struct ibt_qp *qp, struct ibt_wqe *wqe,
			const struct rxe_send_wr *wr,
			const struct ibt_wr_info *info)
{
	switch (info->kind) {
	case IBT_WR_ATOMIC_WRITE:
		if (wqe->length != sizeof(u64))
			return IB_WC_LOC_LEN_ERR;
		fallthrough;
	case IBT_WR_DATA:
		if (qp->transport == IBT_UD)
			return ibt_take_datagram(qp, wqe, wr);
		wqe->rdma.remote_addr = wr->wr.rdma.remote_addr;
		wqe->rdma.rkey = wr->wr.rdma.rkey;
		wqe->rdma.srqn = wr->reserved;
		return IB_WC_SUCCESS;
	case IBT_WR_RD_ATOMIC:
		return ibt_take_ask(wqe, wr, info);
	default:
		if (wr->opcode == IB_WR_BIND_MW)
			ibt_take_bind(wqe, wr);
		return IB_WC_SUCCESS;
	}
}

/* IBA 10.7.3.1, 11.6.2: what is wrong with a request before anything is sent. */
static u8 ibt_sq_user_take(struct ibt_qp *qp, struct ibt_wqe *wqe,
			   const struct rxe_send_wqe *user_wqe, const u8 *payload)
{
	const struct ibt_wr_info *info = ibt_wr_info(user_wqe->wr.opcode);
	u8 status;

	if (info->kind == IBT_WR_NONE || info->kernel_only ||
	    !(info->transports & BIT(qp->transport)))
		return IB_WC_LOC_QP_OP_ERR;
	if (info->kind != IBT_WR_LOCAL_OP && info->verb != IBT_FLUSH) {
		status = ibt_take_payload(&qp->sq, wqe, user_wqe, payload);
		if (status)
			return status;
	}
	return ibt_take_kind(qp, wqe, &user_wqe->wr, info);
}

/*
 * Most requests: SEND or WRITE of a connected queue pair, with one SGE. Of its element few members
 * mean something, and each is read once. False: the request is another one; of the WQE nothing
 * counts yet.
 */
static bool ibt_take_usual(struct ibt_qp *qp, struct ibt_wqe *wqe,
			   const struct rxe_send_wqe *from)
{
	const u32 opcode = READ_ONCE(from->wr.opcode), flags = READ_ONCE(from->wr.send_flags);
	const struct ibt_wr_info *info = ibt_wr_info(opcode);

	if (info->kind != IBT_WR_DATA || qp->transport == IBT_UD || info->kernel_only ||
	    !(info->transports & BIT(qp->transport)) || flags & IB_SEND_INLINE ||
	    READ_ONCE(from->dma.num_sge) != 1 || !qp->sq.max_sge)
		return false;
	*wqe = (struct ibt_wqe) {
		.wr_id = READ_ONCE(from->wr.wr_id),
		.opcode = opcode,
		.flags = flags,
		.num_sge = 1,
		.inv_rkey = READ_ONCE(from->wr.ex.invalidate_rkey),
		.rdma.remote_addr = READ_ONCE(from->wr.wr.rdma.remote_addr),
		.rdma.rkey = READ_ONCE(from->wr.wr.rdma.rkey),
		.rdma.srqn = READ_ONCE(from->wr.reserved),
	};
	wqe->sge[0].addr = READ_ONCE(from->dma.sge[0].addr);
	wqe->sge[0].length = READ_ONCE(from->dma.sge[0].length);
	wqe->sge[0].lkey = READ_ONCE(from->dma.sge[0].lkey);
	if (wqe->sge[0].length <= IBT_MAX_MSG_BYTES)
		wqe->length = wqe->sge[0].length;
	else
		wqe->status = IB_WC_LOC_LEN_ERR;
	return true;
}

static void ibt_take_any(struct ibt_qp *qp, struct ibt_wqe *wqe)
{
	struct rxe_send_wqe user_wqe;
	const u8 *payload;

	memset(wqe, 0, sizeof(*wqe));
	payload = ibt_copy_head(&qp->sq, qp->sq.head - qp->sq.tail, &user_wqe);
	wqe->wr_id = user_wqe.wr.wr_id;
	wqe->opcode = user_wqe.wr.opcode;
	wqe->flags = user_wqe.wr.send_flags;
	wqe->inv_rkey = user_wqe.wr.ex.invalidate_rkey;
	wqe->status = ibt_sq_user_take(qp, wqe, &user_wqe, payload);
}

/**
 * ibt_sq_fetch_user_wqe - one more request of the user into a WQE
 * @qp: queue pair of a user
 *
 * A malformed one gets a WQE too: it fails when its turn comes, behind those in
 * front of it.
 *
 * Context: sq.lock held.
 *
 * Return: false: there is none, or no WQE is free.
 */
bool ibt_sq_fetch_user_wqe(struct ibt_qp *qp)
{
	struct ibt_sq *sq = &qp->sq;
	struct ibt_wqe *wqe;
	u32 taken;

	lockdep_assert_held(&sq->lock);
	taken = sq->head - sq->tail;
	if (!sq->wqes || taken > sq->mask || soft_ring_ready(&sq->ring) <= taken)
		return false;
	wqe = ibt_wqe_at(sq, sq->head);
	if (!ibt_take_usual(qp, wqe, soft_ring_at(&sq->ring, sq->ring.cons + taken)))
		ibt_take_any(qp, wqe);
	sq->head++;
	return true;
}

/* Completes a WQE that is in the user's ring only, when all others are gone. False: none. */
bool ibt_sq_peek(const struct ibt_qp *qp, struct ib_wc *wc)
{
	const struct ibt_sq *sq = &qp->sq;
	struct rxe_send_wqe user_wqe;

	lockdep_assert_held(&sq->lock);
	if (!ibt_sq_is_user(sq) || sq->head != sq->tail ||
	    !soft_ring_ready(&sq->ring))
		return false;
	ibt_copy_head(sq, 0, &user_wqe);
	wc->wr_id = user_wqe.wr.wr_id;
	wc->opcode = ibt_wr_info(user_wqe.wr.opcode)->wc;
	return true;
}

/* Forget what is queued. */
void ibt_sq_discard_ring(struct ibt_sq *sq)
{
	u32 ready;

	lockdep_assert_held(&sq->lock);
	if (!ibt_sq_is_user(sq))
		return;
	for (ready = soft_ring_ready(&sq->ring); ready; ready--)
		soft_ring_consume(&sq->ring);
}

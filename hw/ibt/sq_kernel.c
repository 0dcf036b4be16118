// SPDX-License-Identifier: GPL-2.0
/* WQEs of requests that the kernel posts: those of its consumers, and of tag matching. */
#include "ah.h"
#include "limits.h"
#include "link.h"
#include "opcode.h"
#include "pkt.h"
#include "qp.h"
#include "sq.h"
#include "wqe.h"

/* The request's own bytes, behind its head. */
static int ibt_fill_payload(struct ibt_sq *sq, struct ibt_wqe *wqe,
			    const struct ib_send_wr *wr)
{
	u64 total = 0;
	u8 *to = wqe->data;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > sq->max_sge)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++)
		total += wr->sg_list[i].length;
	if (total > IBT_MAX_MSG_BYTES)
		return -EINVAL;
	wqe->length = total;
	wqe->is_inline = wr->send_flags & IB_SEND_INLINE;
	if (!wqe->is_inline) {
		wqe->num_sge = wr->num_sge;
		memcpy(wqe->sge, wr->sg_list,
		       wr->num_sge * sizeof(*wr->sg_list));
		return 0;
	}
	if (total > sq->max_inline)
		return -EINVAL;
	wqe->num_sge = 0;
	for (i = 0; i < wr->num_sge; i++) {
		/* Inline bytes of a kernel consumer are at a virtual address. */
		memcpy(to, (void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
	return 0;
}

/* What is to be cut into packets, and how. False: it can not be. */
static bool ibt_fill_large(struct ibt_qp *qp, struct ibt_wqe *wqe,
			   const struct ib_ud_wr *wr)
{
	int most = ibt_qp_dev(qp)->link->max_mtu;

	if (!qp->offload || !wqe->length || !wr->header)
		return false;
	if (wr->hlen <= 0 || wr->hlen >= most || wr->mss <= 0 ||
	    wr->mss > most - wr->hlen)
		return false;
	wqe->ud.header = wr->header;
	wqe->ud.header_bytes = wr->hlen;
	wqe->ud.mss = wr->mss;
	return true;
}

static int ibt_sq_kernel_fill_datagram(struct ibt_qp *qp, struct ibt_wqe *wqe,
				       const struct ib_ud_wr *wr)
{
	if (!wr->ah)
		return -EINVAL;
	wqe->ud.qpn = wr->remote_qpn & IBT_QPN_MASK;
	wqe->ud.qkey = wr->remote_qkey;
	wqe->ud.pkey_index = wr->pkey_index;
	if (wqe->opcode == IB_WR_LSO && !ibt_fill_large(qp, wqe, wr))
		return -EINVAL;
	/* With a reference, which the WQE keeps. */
	wqe->ud.route = ibt_kernel_ah_av(wr->ah);
	return 0;
}

static int ibt_fill_ask(struct ibt_wqe *wqe, const struct ib_send_wr *wr,
			const struct ibt_wr_info *info)
{
	if (wqe->is_inline)
		return -EINVAL;
	if (info->verb == IBT_READ) {
		wqe->rdma.remote_addr = rdma_wr(wr)->remote_addr;
		wqe->rdma.rkey = rdma_wr(wr)->rkey;
		wqe->rdma.srqn = 0;
		return 0;
	}
	if (wqe->length < sizeof(u64))
		return -EINVAL;
	wqe->length = sizeof(u64);
	wqe->atomic.remote_addr = atomic_wr(wr)->remote_addr;
	wqe->atomic.compare_add = atomic_wr(wr)->compare_add;
	wqe->atomic.swap = atomic_wr(wr)->swap;
	wqe->atomic.rkey = atomic_wr(wr)->rkey;
	wqe->atomic.srqn = 0;
	return 0;
}

/* What a request of this kind says beside its bytes. */
static int ibt_fill_kind(struct ibt_qp *qp, struct ibt_wqe *wqe,
			 const struct ib_send_wr *wr,
			 const struct ibt_wr_info *info)
{
	switch (info->kind) {
	case IBT_WR_ATOMIC_WRITE:
		if (wqe->length != sizeof(u64))
			return -EINVAL;
		fallthrough;
	case IBT_WR_DATA:
		if (qp->transport == IBT_UD)
			return ibt_sq_kernel_fill_datagram(qp, wqe, ud_wr(wr));
		wqe->rdma.srqn = 0;
		if (info->verb != IBT_SEND) {
			wqe->rdma.remote_addr = rdma_wr(wr)->remote_addr;
			wqe->rdma.rkey = rdma_wr(wr)->rkey;
		}
		return 0;
	case IBT_WR_RD_ATOMIC:
		return ibt_fill_ask(wqe, wr, info);
	case IBT_WR_LOCAL_OP:
		if (wr->opcode != IB_WR_REG_MR)
			return 0;
		if (!reg_wr(wr)->mr)
			return -EINVAL;
		wqe->reg.mr = reg_wr(wr)->mr;
		wqe->reg.key = reg_wr(wr)->key;
		wqe->reg.access = reg_wr(wr)->access;
		return 0;
	default:
		return -EINVAL;
	}
}

static int ibt_fill_wqe(struct ibt_qp *qp, struct ibt_wqe *wqe,
			const struct ib_send_wr *wr)
{
	const struct ibt_wr_info *info = ibt_wr_info(wr->opcode);
	int ret;

	if (info->kind == IBT_WR_NONE || info->user_only ||
	    !(info->transports & BIT(qp->transport)))
		return -EINVAL;
	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->flags = wr->send_flags;
	wqe->state = IBT_WQE_POSTED;
	wqe->status = IB_WC_SUCCESS;
	wqe->numbered = false;
	wqe->counted = false;
	wqe->is_inline = false;
	wqe->num_sge = 0;
	wqe->length = 0;
	wqe->inv_rkey = wr->ex.invalidate_rkey;
	if (info->kind != IBT_WR_LOCAL_OP) {
		ret = ibt_fill_payload(&qp->sq, wqe, wr);
		if (ret)
			return ret;
	}
	return ibt_fill_kind(qp, wqe, wr, info);
}

/**
 * ibt_sq_kernel_post_list - put requests of the kernel into WQEs
 * @qp: queue pair without a ring of a user
 * @wr: list of requests
 * @bad: out, on failure: the first request that was not taken
 *
 * Nothing is sent yet.
 *
 * Context: any.
 *
 * Return: 0; -EINVAL: the state takes no requests, or *@bad is not one that this queue pair can
 * have; -ENOMEM: the queue is full.
 */
int ibt_sq_kernel_post_list(struct ibt_qp *qp, const struct ib_send_wr *wr,
			    const struct ib_send_wr **bad)
{
	struct ibt_sq *sq = &qp->sq;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&sq->post_lock, flags);
	if (!ibt_state_takes(sq->state) || qp->ib.qp_type == IB_QPT_XRC_TGT)
		ret = -EINVAL;
	for (; wr && !ret; wr = wr->next) {
		/* The send side does not read a WQE any more once tail has passed it. */
		if (sq->head - smp_load_acquire(&sq->tail) >= sq->max_wr)
			ret = -ENOMEM;
		else
			ret = ibt_fill_wqe(qp, ibt_wqe_at(sq, sq->head), wr);
		if (ret)
			break;
		/* The requester reads the WQE once it sees the index. */
		smp_store_release(&sq->head, sq->head + 1);
	}
	spin_unlock_irqrestore(&sq->post_lock, flags);
	if (ret)
		*bad = wr;
	return ret;
}

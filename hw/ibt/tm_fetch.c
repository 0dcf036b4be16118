// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous of tag matching. A queue pair that was created without a send queue has one that is
 * the responder's: for a request that a tagged buffer takes it posts a READ of the data, and
 * behind that a SEND with the headers of the request, as a FIN. tm_fetched.c learns how the READ
 * ended.
 *
 * All of it with resp.lock held, which is what keeps others from posting.
 */
#include "qp.h"
#include "requester.h"
#include "resp.h"
#include "rq.h"
#include "sq.h"
#include "srq.h"
#include "tag_match.h"
#include "tm_fetch.h"
#include "tm_wire.h"

/* For a message: READ, and SEND. */
#define WQES	2

const struct ib_qp_cap ibt_tm_fetch_cap = {
	.max_send_wr = 64,
	.max_send_sge = IBT_TAG_MAX_SGE,
	.max_inline_data = sizeof(struct ibt_tm_hdr),
};

static bool ibt_tm_has_room(const struct ibt_sq *sq)
{
	return READ_ONCE(sq->head) - READ_ONCE(sq->tail) + WQES <= sq->max_wr;
}

/**
 * ibt_tm_may_fetch - does the responder fetch the data of a request that was matched?
 * @qp: queue pair; the buffer is in resp.recv
 * @hdr: headers of the request
 *
 * Context: resp.lock held.
 */
bool ibt_tm_may_fetch(const struct ibt_qp *qp, const struct ibt_tm_hdr *hdr)
{
	return qp->fetches && qp->ib.pd == qp->srq->ib.pd &&
	       READ_ONCE(qp->sq.state) == IB_QPS_RTS && READ_ONCE(qp->attr.max_rd_atomic) &&
	       be32_to_cpu(hdr->rvh.len) <= qp->resp.recv->length && ibt_tm_has_room(&qp->sq);
}

/* The first @length bytes of the buffer. */
static u32 ibt_tm_trim(struct ibt_recv *recv, u32 length)
{
	u32 i;

	for (i = 0; i < recv->num_sge && length; i++) {
		recv->sge[i].length = min(recv->sge[i].length, length);
		length -= recv->sge[i].length;
	}
	return i;
}

/**
 * ibt_tm_fetch - post the READ and the FIN for the request in progress
 * @qp: queue pair, with ibt_tm_may_fetch() a moment ago
 *
 * Context: resp.lock held. Return: false: they were not posted, as the queue pair is in an error
 * state.
 */
bool ibt_tm_fetch(struct ibt_qp *qp)
{
	struct ibt_recv *recv = qp->resp.recv;
	struct ibt_tm_hdr hdr = qp->resp.tm.hdr;
	struct ib_sge sge = {
		.addr = (uintptr_t)&hdr,
		.length = sizeof(hdr),
	};
	struct ib_send_wr fin = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_INLINE | IB_SEND_FENCE | IB_SEND_SOLICITED,
	};
	const struct ib_rdma_wr read = {
		.wr = {
			.wr_id = recv->wr_id,
			.next = &fin,
			.sg_list = recv->sge,
			.num_sge = ibt_tm_trim(recv, be32_to_cpu(hdr.rvh.len)),
			.opcode = IB_WR_RDMA_READ,
			.send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = be64_to_cpu(hdr.rvh.va),
		.rkey = be32_to_cpu(hdr.rvh.rkey),
	};
	const struct ib_send_wr *bad;

	lockdep_assert_held(&qp->resp.lock);
	hdr.tmh.opcode = IBT_TMH_FIN;
	if (ibt_sq_kernel_post_list(qp, &read.wr, &bad))
		return false;
	ibt_sq_schedule(qp);
	return true;
}

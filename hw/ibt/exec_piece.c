// SPDX-License-Identifier: GPL-2.0
/*
 * Execution of a whole WRITE or SEND with bytes that lie in one piece at both ends, in the usual
 * state of a queue pair: most messages are such. Where anything is unusual, or wrong, nothing is
 * done, and exec.c executes the message.
 */
#include "../soft/piece.h"
#include "dev.h"
#include "exec_piece.h"
#include "limits.h"
#include "qp.h"
#include "resp.h"
#include "rq.h"

/* Nothing but the message itself is to be looked after. */
static bool ibt_piece_is_usual(const struct ibt_qp *qp)
{
	const struct ibt_resp *resp = &qp->resp;

	return (qp->transport == IBT_RC || qp->transport == IBT_UC) &&
	       (resp->state == IB_QPS_RTS || (resp->state == IB_QPS_RTR && resp->established)) &&
	       !resp->op && !resp->local && !resp->cur.active;
}

static bool ibt_piece_place(const struct soft_piece *to, const struct ibt_piece *piece)
{
	if (piece->bytes)
		return soft_piece_write(to, piece->bytes, piece->length);
	return soft_piece_copy(to, piece->from, piece->length);
}

static bool ibt_piece_write(struct ibt_qp *qp, const struct ibt_piece *piece)
{
	const struct soft_piece to = {
		.mem = &ibt_qp_dev(qp)->soft.mem,
		.cache = &qp->resp.write_key,
		.pd = qp->ib.pd,
		.iova = piece->va,
		.key = piece->rkey,
		.covers = piece->length,
		.access = IB_ACCESS_REMOTE_WRITE,
		.remote = true,
		.qpn = qp->ib.qp_num,
	};

	return READ_ONCE(qp->attr.qp_access_flags) & IB_ACCESS_REMOTE_WRITE &&
	       ibt_piece_place(&to, piece);
}

/* The receive request stays in its queue until it is filled. */
static bool ibt_piece_send(struct ibt_qp *qp, const struct ibt_piece *piece)
{
	struct soft_piece to = {
		.mem = &ibt_qp_dev(qp)->soft.mem,
		.cache = &qp->resp.recv_key,
		.pd = qp->ib.pd,
		.access = IB_ACCESS_LOCAL_WRITE,
	};
	struct ib_wc wc = {
		.opcode = IB_WC_RECV,
		.byte_len = piece->length,
		.src_qp = READ_ONCE(qp->attr.dest_qp_num),
	};
	struct ib_sge sge;

	if (qp->srq || qp->resp.has_rwqe || !ibt_rq_peek_one(&qp->rq, &wc.wr_id, &sge) ||
	    sge.length < piece->length)
		return false;
	to.iova = sge.addr;
	to.key = sge.lkey;
	to.covers = sge.length;
	if (!ibt_piece_place(&to, piece))
		return false;
	soft_ring_consume(&qp->rq.ring);
	ibt_rq_complete(qp, NULL, &wc, piece->solicited);
	return true;
}

/**
 * ibt_exec_piece - execute a message in one piece
 * @qp: queue pair of the responder
 * @piece: the message, the next one by its PSN
 *
 * Context: resp.lock of @qp held.
 *
 * Return: false: nothing was done; ibt_exec_begin() and what follows may do better, or say why
 * not.
 */
bool ibt_exec_piece(struct ibt_qp *qp, const struct ibt_piece *piece)
{
	bool done;

	lockdep_assert_held(&qp->resp.lock);
	if (!ibt_piece_is_usual(qp))
		return false;
	done = piece->verb == IBT_WRITE ? ibt_piece_write(qp, piece) : ibt_piece_send(qp, piece);
	if (done)
		qp->resp.told = false;
	return done;
}

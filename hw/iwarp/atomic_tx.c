// SPDX-License-Identifier: GPL-2.0
/* Requests of RFC 7306, atomics and immediate data behind a WRITE, and what they mean. */
#include "qp.h"

/**
 * iw_atomic_ask - build the request
 * @qp: queue pair; tx.lock is held
 * @wqe: an atomic, with its MSN
 *
 * Context: process, may sleep. Return: as iw_tx_control().
 */
int iw_atomic_ask(struct iw_qp *qp, const struct iw_wqe *wqe)
{
	bool swap = wqe->opcode == IB_WR_ATOMIC_CMP_AND_SWP;
	struct iw_atomic_req req = {
		.hdr = {
			.ddp = IW_DDP_VERSION | IW_DDP_LAST,
			.rdmap = IW_RDMAP_VERSION | IW_RDMAP_ATOMIC_REQ,
			.qn = cpu_to_be32(IW_QN_READ_REQ),
			.msn = cpu_to_be32(wqe->msn),
		},
		.op = cpu_to_be32(swap ? IW_ATOMIC_CMP_SWAP : IW_ATOMIC_FETCH_ADD),
		.id = cpu_to_be32(wqe->msn),
		.stag = cpu_to_be32(wqe->rkey),
		.to = cpu_to_be64(wqe->raddr),
		.add_swap = cpu_to_be64(swap ? wqe->swap : wqe->operand),
		.compare_mask = cpu_to_be64(U64_MAX),
	};

	/* All bits are compared, and all are swapped; one field is added to. */
	if (swap) {
		req.add_swap_mask = cpu_to_be64(U64_MAX);
		req.compare = cpu_to_be64(wqe->operand);
	}
	qp->tx.kind = IW_TX_NONE;
	return iw_tx_control(qp, &req, sizeof(req));
}

/**
 * iw_imm_send - build the immediate data behind a WRITE
 * @qp: queue pair; tx.lock is held
 * @wqe: the WRITE, all of which is built
 *
 * Context: process, may sleep. Return: as iw_tx_control().
 */
int iw_imm_send(struct iw_qp *qp, const struct iw_wqe *wqe)
{
	bool solicited = wqe->flags & IB_SEND_SOLICITED;
	struct iw_imm imm = {
		.hdr = {
			.ddp = IW_DDP_VERSION | IW_DDP_LAST,
			.rdmap = IW_RDMAP_VERSION |
				 (solicited ? IW_RDMAP_IMM_SE : IW_RDMAP_IMM),
			.qn = cpu_to_be32(IW_QN_SEND),
			.msn = cpu_to_be32(qp->tx.msn[IW_QN_SEND]),
		},
		.low = wqe->imm,
	};
	int ret;

	ret = iw_tx_control(qp, &imm, sizeof(imm));
	if (!ret)
		qp->tx.msn[IW_QN_SEND]++;
	return ret;
}

/* Each bit of @ends is the last of a field, and what it carries goes nowhere. */
static u64 iw_add_fields(u64 a, u64 b, u64 ends)
{
	return ((a & ~ends) + (b & ~ends)) ^ ((a ^ b) & ends);
}

/**
 * iw_atomic_outcome - what an atomic makes of a word
 * @ask: an atomic
 * @was: what is there
 *
 * RFC 7306 5.1. Context: any. Return: what is to be there.
 */
u64 iw_atomic_outcome(const struct iw_irrq_entry *ask, u64 was)
{
	if (ask->op == IW_ATOMIC_FETCH_ADD)
		return iw_add_fields(was, ask->add_swap, ask->add_swap_mask);
	if ((was ^ ask->compare) & ask->compare_mask)
		return was;
	return (was & ~ask->add_swap_mask) | (ask->add_swap & ask->add_swap_mask);
}

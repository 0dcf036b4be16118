// SPDX-License-Identifier: GPL-2.0
/*
 * Atomics, RFC 7306, for kernel consumers: the user ABI of siw does not know them. An
 * atomic takes a place among the READs, at both ends, and is carried out when its turn
 * to be answered comes: once, and in their order.
 */
#include "../soft/mr.h"
#include "rdmap.h"

/* Compare-and-swap attempts per atomic, while the word keeps changing. */
#define MOST_TRIES	(1U << 16)

/* The word that an atomic is about, held until soft_iter_end(). */
static enum soft_access_err iw_find_word(struct iw_qp *qp, const struct iw_irrq_entry *ask,
					 struct soft_iter *word)
{
	return soft_iter_remote(word, iw_qp_mem(qp), qp->ib.pd, qp->ib.qp_num,
				ask->source_stag, ask->source_to, sizeof(u64),
				IB_ACCESS_REMOTE_ATOMIC);
}

/*
 * Atomics that no single instruction carries out: repeat compare-and-swap until the word
 * does not change between the read and the swap. A program that keeps writing the word
 * can defeat this for ever, so the number of attempts is limited.
 */
static enum soft_access_err iw_by_swaps(const struct iw_irrq_entry *ask,
					const struct soft_iter *word, u64 *original)
{
	enum soft_access_err fault;
	u32 tries;
	u64 guess;

	*original = 0;
	for (tries = 0; tries < MOST_TRIES; tries++) {
		guess = *original;
		fault = soft_region_cmp_swap(word->region, word->grant, ask->source_to, guess,
					     iw_atomic_outcome(ask, guess), original);
		if (fault != SOFT_OK || *original == guess)
			return fault;
	}
	return SOFT_ERR_PERM;
}

/* Most atomics are about all of the word, as one field. */
static enum soft_access_err iw_atomic_change(const struct iw_irrq_entry *ask,
					     const struct soft_iter *word, u64 *original)
{
	const bool add = ask->op == IW_ATOMIC_FETCH_ADD;

	if (add && !ask->add_swap_mask)
		return soft_region_fetch_add(word->region, word->grant, ask->source_to,
					     ask->add_swap, original);
	if (!add && !~(ask->compare_mask & ask->add_swap_mask))
		return soft_region_cmp_swap(word->region, word->grant, ask->source_to,
					    ask->compare, ask->add_swap, original);
	return iw_by_swaps(ask, word, original);
}

static enum soft_access_err iw_carry_out(struct iw_qp *qp, const struct iw_irrq_entry *ask,
					 u64 *original)
{
	enum soft_access_err fault;
	struct soft_iter word;

	fault = iw_find_word(qp, ask, &word);
	if (fault == SOFT_OK)
		fault = iw_atomic_change(ask, &word, original);
	soft_iter_end(&word);
	return fault;
}

/**
 * iw_atomic_answer - execute an atomic of the peer and build the Atomic Response
 * @qp: queue pair; tx.lock is held, and there is room for an FPDU
 * @ask: the atomic; the oldest entry of the IRRQ
 *
 * Context: process, may sleep. Return: 1; 0: the stream can not go on.
 */
int iw_atomic_answer(struct iw_qp *qp, const struct iw_irrq_entry *ask)
{
	struct iw_atomic_resp resp = {
		.hdr = {
			.ddp = IW_DDP_VERSION | IW_DDP_LAST,
			.rdmap = IW_RDMAP_VERSION | IW_RDMAP_ATOMIC_RESP,
			.qn = cpu_to_be32(IW_QN_ATOMIC_RESP),
			.msn = cpu_to_be32(qp->tx.msn[IW_QN_ATOMIC_RESP]++),
		},
		.id = cpu_to_be32(ask->id),
	};
	enum soft_access_err fault;
	u64 original = 0;

	/* It was there when it was asked for. */
	fault = iw_carry_out(qp, ask, &original);
	if (fault != SOFT_OK) {
		iw_qp_fail(qp, iw_term_of_fault(fault, false), NULL);
		return 0;
	}
	resp.original = cpu_to_be64(original);
	if (!iw_tx_control(qp, &resp, sizeof(resp)))
		return 1;
	iw_qp_fail(qp, IW_TERM_LOCAL_CATASTROPHIC, NULL);
	return 0;
}

/* ---- what comes --------------------------------------------------------------- */

static bool iw_known_op(u8 op)
{
	return op == IW_ATOMIC_FETCH_ADD || op == IW_ATOMIC_CMP_SWAP;
}

/* What is wrong with an atomic before it gets a place. */
static enum iw_term iw_check_atomic(struct iw_qp *qp, const struct iw_irrq_entry *ask)
{
	enum soft_access_err fault;
	struct soft_iter word;

	/* RFC 7306 8.2: this error, of all. */
	if (ask->source_to % sizeof(u64))
		return IW_TERM_RDMAP_STREAM;
	if (!iw_qp_allows(qp, IB_ACCESS_REMOTE_ATOMIC))
		return IW_TERM_RDMAP_ACCESS;
	fault = iw_find_word(qp, ask, &word);
	soft_iter_end(&word);
	return fault == SOFT_OK ? 0 : iw_term_of_fault(fault, false);
}

/* The peer wants an atomic. With the socket's lock. */
void iw_rx_atomic_req(struct iw_qp *qp, const struct iw_fpdu *view,
		      const union iw_hdr *hdr)
{
	const struct iw_irrq_entry ask = {
		.atomic = true,
		.op = be32_to_cpu(hdr->atomic.op) & IW_ATOMIC_OP_MASK,
		.id = be32_to_cpu(hdr->atomic.id),
		.source_stag = be32_to_cpu(hdr->atomic.stag),
		.source_to = be64_to_cpu(hdr->atomic.to),
		.size = sizeof(u64),
		.add_swap = be64_to_cpu(hdr->atomic.add_swap),
		.add_swap_mask = be64_to_cpu(hdr->atomic.add_swap_mask),
		.compare = be64_to_cpu(hdr->atomic.compare),
		.compare_mask = be64_to_cpu(hdr->atomic.compare_mask),
	};
	enum iw_term what = iw_check_turn(qp, hdr, IW_QN_READ_REQ);

	if (!what && !iw_hdr_is_all(view, hdr, sizeof(hdr->atomic)))
		what = IW_TERM_DDP_TOO_LONG;
	if (!what && !iw_known_op(ask.op))
		what = IW_TERM_RDMAP_OPERATION;
	if (!what)
		what = iw_check_atomic(qp, &ask);
	iw_irrq_add(qp, view, hdr, &ask, what);
}

static u8 iw_place_original(struct iw_qp *qp, struct iw_wqe *wqe, u64 original)
{
	struct soft_iter to, from;
	enum soft_access_err fault;

	soft_iter_list(&to, iw_qp_mem(qp), qp->ib.pd, &wqe->sink, 1,
		       IB_ACCESS_LOCAL_WRITE);
	soft_iter_bytes(&from, &original, sizeof(original));
	fault = soft_iter_copy(&to, &from, sizeof(original));
	soft_iter_end(&to);
	return fault == SOFT_OK ? IB_WC_SUCCESS : IB_WC_LOC_PROT_ERR;
}

/* An Atomic Response: the original value of the word. The socket's lock is held. */
void iw_rx_atomic_resp(struct iw_qp *qp, const struct iw_fpdu *view,
		       const union iw_hdr *hdr)
{
	enum iw_term what = iw_check_turn(qp, hdr, IW_QN_ATOMIC_RESP);
	struct iw_wqe *wqe = iw_oldest_ask(qp);
	u8 status;

	if (!what && !iw_hdr_is_all(view, hdr, sizeof(hdr->original)))
		what = IW_TERM_DDP_TOO_LONG;
	if (!what && (!wqe || !iw_wqe_is_atomic(wqe) ||
		      be32_to_cpu(hdr->original.id) != wqe->msn))
		what = IW_TERM_RDMAP_OPCODE;
	if (what) {
		iw_refuse(qp, view, hdr, what);
		return;
	}
	qp->rx.msn[IW_QN_ATOMIC_RESP]++;
	status = iw_place_original(qp, wqe, be64_to_cpu(hdr->original.original));
	iw_answered(qp, wqe, status);
	if (status != IB_WC_SUCCESS)
		iw_refuse(qp, view, hdr, IW_TERM_LOCAL_CATASTROPHIC);
	else
		iw_tx_kick(qp);
}

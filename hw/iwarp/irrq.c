// SPDX-License-Identifier: GPL-2.0
/* READs and atomics: outbound ones without a response, and the inbound queue (IRRQ). */
#include "rdmap.h"

void iw_answered(struct iw_qp *qp, struct iw_wqe *wqe, u8 status)
{
	unsigned long flags;
	bool more;

	/* RFC 7306 and the verbs: the key of the sink ends with the answer. */
	if (status == IB_WC_SUCCESS &&
	    wqe->opcode == IB_WR_RDMA_READ_WITH_INV && wqe->num_sge)
		soft_region_invalidate(iw_qp_mem(qp), qp->ib.pd, qp->ib.qp_num,
				       wqe->sge[0].lkey, false);
	spin_lock_irqsave(&qp->lock, flags);
	iw_wqe_done(qp, wqe, status);
	more = iw_sq_complete(qp);
	spin_unlock_irqrestore(&qp->lock, flags);
	if (more)
		iw_tx_kick(qp);
}

/*
 * The WQE stays: a READ is completed by its answer alone, or by a flush, which
 * does not begin before the stream is detached from this side.
 */
struct iw_wqe *iw_find_ask(struct iw_qp *qp,
			   bool (*fits)(const struct iw_wqe *wqe,
					const void *arg),
			   const void *arg)
{
	struct iw_wqe *wqe;
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	wqe = iw_sq_find_read(qp, fits, arg);
	spin_unlock_irqrestore(&qp->lock, flags);
	return wqe;
}

static bool iw_ask_any(const struct iw_wqe *wqe, const void *arg)
{
	return true;
}

/* Answers come in the order of the requests. */
struct iw_wqe *iw_oldest_ask(struct iw_qp *qp)
{
	return iw_find_ask(qp, iw_ask_any, NULL);
}

static bool iw_add_ask(struct iw_qp *qp, const struct iw_irrq_entry *ask)
{
	struct iw_irrq *asks = &qp->asks;
	unsigned long flags;
	bool room;

	spin_lock_irqsave(&qp->lock, flags);
	room = asks->head - asks->tail < asks->num;
	if (room)
		asks->ring[asks->head++ % asks->num] = *ask;
	spin_unlock_irqrestore(&qp->lock, flags);
	return room;
}

/* A READ or an atomic gets its place, unless @what is wrong with it. */
void iw_irrq_add(struct iw_qp *qp, const struct iw_fpdu *view,
		 const union iw_hdr *hdr, const struct iw_irrq_entry *ask,
		 enum iw_term what)
{
	/* More than the IRD: RFC 5040 6.6.1. */
	if (!what && !iw_add_ask(qp, ask))
		what = IW_TERM_DDP_NO_BUFFER;
	if (what) {
		iw_refuse(qp, view, hdr, what);
		return;
	}
	qp->rx.msn[IW_QN_READ_REQ]++;
	iw_tx_kick(qp);
}

/* Is this what the oldest READ waits for? */
static bool iw_fits_read(const struct iw_wqe *wqe, const union iw_hdr *hdr,
			 u32 bytes, bool last)
{
	u32 stag = wqe->num_sge ? wqe->sge[0].lkey : 0;
	u64 to = wqe->num_sge ? wqe->sge[0].addr : 0;

	if (bytes > wqe->length - wqe->got)
		return false;
	if (last && wqe->got + bytes != wqe->length)
		return false;
	if (!wqe->length)
		return true;
	return be32_to_cpu(hdr->tagged.stag) == stag &&
	       be64_to_cpu(hdr->tagged.to) == to + wqe->got;
}

/* The RTR was a READ: the ORD counts it, too. */
static void iw_rtr_answered(struct iw_qp *qp)
{
	unsigned long flags;

	qp->rx.read_rtr = false;
	spin_lock_irqsave(&qp->lock, flags);
	qp->sq.reads--;
	spin_unlock_irqrestore(&qp->lock, flags);
	iw_tx_kick(qp);
}

/* A segment of a READ response. The socket's lock is held. */
void iw_rx_read_resp(struct iw_qp *qp, const struct iw_fpdu *view,
		     const union iw_hdr *hdr)
{
	u32 bytes = iw_payload_of(view, sizeof(hdr->tagged));
	bool last = hdr->tagged.ddp & IW_DDP_LAST;
	enum soft_access_err fault = SOFT_OK;
	struct iw_wqe *wqe;
	struct soft_iter to;

	/* The response of the READ that was sent as RTR. */
	if (qp->rx.read_rtr && !bytes && last) {
		iw_rtr_answered(qp);
		return;
	}
	wqe = iw_oldest_ask(qp);
	if (!wqe || iw_wqe_is_atomic(wqe)) {
		iw_refuse(qp, view, hdr, IW_TERM_RDMAP_OPCODE);
		return;
	}
	if (!iw_fits_read(wqe, hdr, bytes, last)) {
		iw_refuse(qp, view, hdr, IW_TERM_DDP_BOUNDS);
		return;
	}
	soft_iter_list(&to, iw_qp_mem(qp), qp->ib.pd, wqe->sge, wqe->num_sge,
		       IB_ACCESS_LOCAL_WRITE);
	soft_iter_skip(&to, wqe->got);
	fault = iw_view_place(view, sizeof(hdr->tagged), bytes, &to);
	soft_iter_end(&to);
	if (iw_fpdu_src_fault(view))
		return;
	if (fault != SOFT_OK) {
		iw_answered(qp, wqe, IB_WC_LOC_PROT_ERR);
		iw_refuse(qp, view, hdr, IW_TERM_LOCAL_CATASTROPHIC);
		return;
	}
	wqe->got += bytes;
	if (!last)
		return;
	iw_answered(qp, wqe, IB_WC_SUCCESS);
	/* One that had to wait for it may go. */
	iw_tx_kick(qp);
}

/* RFC 5040 5.2: what is wrong with a READ before it gets a place. */
static enum iw_term iw_check_ask(struct iw_qp *qp, const struct iw_irrq_entry *ask)
{
	enum soft_access_err fault;
	struct soft_iter from;

	if (!ask->size)
		return 0;
	if (ask->source_to > U64_MAX - ask->size)
		return IW_TERM_RDMAP_WRAP;
	if (!iw_qp_allows(qp, IB_ACCESS_REMOTE_READ))
		return IW_TERM_RDMAP_ACCESS;
	fault = soft_iter_remote(&from, iw_qp_mem(qp), qp->ib.pd, qp->ib.qp_num,
				 ask->source_stag, ask->source_to, ask->size,
				 IB_ACCESS_REMOTE_READ);
	soft_iter_end(&from);
	return fault == SOFT_OK ? 0 : iw_term_of_fault(fault, false);
}

/* The peer wants a READ. With the socket's lock. */
void iw_rx_read_req(struct iw_qp *qp, const struct iw_fpdu *view,
		    const union iw_hdr *hdr)
{
	const struct iw_irrq_entry ask = {
		.sink_stag = be32_to_cpu(hdr->read.sink_stag),
		.sink_to = be64_to_cpu(hdr->read.sink_to),
		.source_stag = be32_to_cpu(hdr->read.source_stag),
		.source_to = be64_to_cpu(hdr->read.source_to),
		.size = be32_to_cpu(hdr->read.size),
	};
	enum iw_term what = iw_check_turn(qp, hdr, IW_QN_READ_REQ);

	if (!what && (!(hdr->untagged.ddp & IW_DDP_LAST) ||
		      iw_payload_of(view, sizeof(hdr->read))))
		what = IW_TERM_DDP_TOO_LONG;
	if (!what)
		what = iw_check_ask(qp, &ask);
	iw_irrq_add(qp, view, hdr, &ask, what);
}

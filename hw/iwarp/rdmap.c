// SPDX-License-Identifier: GPL-2.0
/*
 * FPDUs become messages: DDP (RFC 5041) and RDMAP (RFC 5040). Everything of a
 * header is checked before any byte is placed; what does not fit ends the stream
 * with a Terminate that says why.
 */
#include <net/sock.h>

#include "conn.h"
#include "rdmap.h"

static struct iw_qp *iw_qp_of(struct iw_rx *rx)
{
	return container_of(rx, struct iw_qp, rx);
}

static void iw_rx_write(struct iw_qp *qp, const struct iw_fpdu *view,
			const union iw_hdr *hdr)
{
	u32 bytes = iw_payload_of(view, sizeof(hdr->tagged));
	enum soft_access_err fault;
	struct soft_iter to;

	if (qp->rx.write_over)
		qp->rx.written = 0;
	qp->rx.written += bytes;
	qp->rx.write_over = hdr->tagged.ddp & IW_DDP_LAST;
	/* RFC 5040 5.1: an empty WRITE has no key. */
	if (!bytes)
		return;
	if (be64_to_cpu(hdr->tagged.to) > U64_MAX - bytes) {
		iw_refuse(qp, view, hdr, IW_TERM_DDP_WRAP);
		return;
	}
	if (!iw_qp_allows(qp, IB_ACCESS_REMOTE_WRITE)) {
		iw_refuse(qp, view, hdr, IW_TERM_RDMAP_ACCESS);
		return;
	}
	fault = soft_iter_remote(&to, iw_qp_mem(qp), qp->ib.pd, qp->ib.qp_num,
				 be32_to_cpu(hdr->tagged.stag),
				 be64_to_cpu(hdr->tagged.to), bytes,
				 IB_ACCESS_REMOTE_WRITE);
	if (fault == SOFT_OK)
		fault = iw_view_place(view, sizeof(hdr->tagged), bytes, &to);
	soft_iter_end(&to);
	if (fault != SOFT_OK)
		iw_refuse(qp, view, hdr, iw_term_of_fault(fault, true));
}

/*
 * Is the Terminate about this READ? If the Terminate has the DDP header, the message
 * sequence number tells. If it has the READ request alone, the peer may have advanced
 * the request to where it stopped; the end of the range is the same (RFC 5040 4.8).
 */
static bool iw_rdmap_blames(const struct iw_wqe *wqe, const void *arg)
{
	const struct iw_term_msg *term = arg;
	union iw_hdr about = {};
	u32 size;
	u64 to;

	memcpy(about.bytes + IW_MPA_LENGTH_BYTES, term->ddp, sizeof(term->ddp));
	memcpy(about.bytes + sizeof(about.untagged), term->request,
	       sizeof(term->request));
	if (term->ddp_bytes)
		return !(about.read.hdr.ddp & IW_DDP_TAGGED) &&
		       be32_to_cpu(about.read.hdr.qn) == IW_QN_READ_REQ &&
		       be32_to_cpu(about.read.hdr.msn) == wqe->msn;
	size = be32_to_cpu(about.read.size);
	to = wqe->num_sge ? wqe->sge[0].addr : 0;
	return be32_to_cpu(about.read.source_stag) == wqe->rkey &&
	       be64_to_cpu(about.read.source_to) + size ==
	       wqe->raddr + wqe->length &&
	       be64_to_cpu(about.read.sink_to) + size == to + wqe->length;
}

/* A Terminate. If it is about an outbound READ or atomic, that WQE fails. */
static void iw_rx_terminate(struct iw_qp *qp, const struct iw_fpdu *view,
			    const union iw_hdr *hdr)
{
	u32 bytes = min_t(u32, iw_payload_of(view, sizeof(hdr->untagged)),
			  IW_TERM_MAX_BYTES);
	u8 payload[IW_TERM_MAX_BYTES];
	struct iw_wqe *wqe;
	struct iw_term_msg term;

	iw_count(iw_qp_dev(qp), IW_STAT_RX_TERM);
	if (!iw_view_read(view, sizeof(hdr->untagged), payload, bytes) ||
	    !iw_term_parse(&term, payload, bytes))
		term = (struct iw_term_msg){};
	wqe = term.read || term.ddp_bytes ? iw_find_ask(qp, iw_rdmap_blames, &term) : NULL;
	if (wqe)
		iw_answered(qp, wqe, term.what >> 8 == IW_TERM_RDMAP_STAG >> 8 ?
			  IB_WC_REM_ACCESS_ERR : IB_WC_REM_OP_ERR);
	iw_qp_llp_closed(qp, !wqe);
}

/* ---- dispatch -------------------------------------------------------------------- */

struct op {
	bool tagged;
	u8 header;
	void (*rx)(struct iw_qp *qp, const struct iw_fpdu *view,
		   const union iw_hdr *hdr);
};

static const struct op ops[IW_RDMAP_OPCODES] = {
	[IW_RDMAP_WRITE]	= { true, sizeof(struct iw_tagged), iw_rx_write },
	[IW_RDMAP_READ_REQ]	= { false, sizeof(struct iw_read_req), iw_rx_read_req },
	[IW_RDMAP_READ_RESP]	= { true, sizeof(struct iw_tagged), iw_rx_read_resp },
	[IW_RDMAP_SEND]		= { false, sizeof(struct iw_untagged), iw_rx_send },
	[IW_RDMAP_SEND_INV]	= { false, sizeof(struct iw_untagged), iw_rx_send },
	[IW_RDMAP_SEND_SE]	= { false, sizeof(struct iw_untagged), iw_rx_send },
	[IW_RDMAP_SEND_SE_INV]	= { false, sizeof(struct iw_untagged), iw_rx_send },
	[IW_RDMAP_TERMINATE]	= { false, sizeof(struct iw_untagged), iw_rx_terminate },
	[IW_RDMAP_IMM]		= { false, sizeof(struct iw_imm), iw_rx_imm },
	[IW_RDMAP_IMM_SE]	= { false, sizeof(struct iw_imm), iw_rx_imm },
	[IW_RDMAP_ATOMIC_REQ]	= { false, sizeof(struct iw_atomic_req), iw_rx_atomic_req },
	[IW_RDMAP_ATOMIC_RESP]	= { false, sizeof(struct iw_atomic_resp), iw_rx_atomic_resp },
};

static enum iw_term iw_rdmap_check(const struct iw_fpdu *view, const union iw_hdr *hdr)
{
	u8 opcode = hdr->tagged.rdmap & IW_RDMAP_OPCODE_MASK;
	bool tagged = hdr->tagged.ddp & IW_DDP_TAGGED;

	if ((hdr->tagged.ddp & IW_DDP_VERSION_MASK) != IW_DDP_VERSION)
		return tagged ? IW_TERM_DDP_TAGGED_VERSION :
			IW_TERM_DDP_UNTAGGED_VERSION;
	if ((hdr->tagged.rdmap & IW_RDMAP_VERSION_MASK) != IW_RDMAP_VERSION)
		return IW_TERM_RDMAP_VERSION;
	if (!ops[opcode].rx || ops[opcode].tagged != tagged)
		return IW_TERM_RDMAP_OPCODE;
	/* Too short for its own header; no code says so. */
	if (view->ulpdu + IW_MPA_LENGTH_BYTES < ops[opcode].header)
		return IW_TERM_RDMAP_OPERATION;
	return 0;
}

/* First FPDU of the MPA initiator, its RTR; an empty SEND consumes no receive WQE. */
static bool iw_is_rtr(struct iw_qp *qp, const struct iw_fpdu *view,
		      const union iw_hdr *hdr)
{
	u8 opcode = hdr->tagged.rdmap & IW_RDMAP_OPCODE_MASK;

	qp->rx.rtr = false;
	iw_conn_ready(qp->rx.conn);
	if (opcode != IW_RDMAP_SEND || iw_payload_of(view, sizeof(hdr->untagged)) ||
	    iw_check_turn(qp, hdr, IW_QN_SEND))
		return false;
	qp->rx.msn[IW_QN_SEND]++;
	return true;
}

/**
 * iw_rdmap_rx - an FPDU has come
 * @rx: receive side of the stream; the socket's lock is held
 * @view: the FPDU, with a correct CRC
 *
 * Context: softirq, or the owner of the socket.
 */
void iw_rdmap_rx(struct iw_rx *rx, const struct iw_fpdu *view)
{
	struct iw_qp *qp = iw_qp_of(rx);
	union iw_hdr hdr = {};
	enum iw_term what;

	if (READ_ONCE(qp->has_term)) {
		rx->stopped = true;
		return;
	}
	iw_view_read(view, 0, hdr.bytes,
		     min_t(u32, sizeof(hdr), IW_MPA_LENGTH_BYTES + view->ulpdu));
	what = iw_rdmap_check(view, &hdr);
	if (what) {
		iw_count(iw_qp_dev(qp), IW_STAT_RX_MALFORMED);
		iw_refuse(qp, view, &hdr, what);
		return;
	}
	if (rx->rtr && iw_is_rtr(qp, view, &hdr))
		return;
	ops[hdr.tagged.rdmap & IW_RDMAP_OPCODE_MASK].rx(qp, view, &hdr);
}

/**
 * iw_rdmap_bad_crc - an FPDU with a wrong CRC has come
 * @rx: receive side of the stream
 *
 * RFC 5044 8: none of its fields can be trusted. Context: as iw_rdmap_rx().
 */
void iw_rdmap_bad_crc(struct iw_rx *rx)
{
	iw_count(iw_qp_dev(iw_qp_of(rx)), IW_STAT_RX_CRC);
	iw_qp_fail(iw_qp_of(rx), IW_TERM_MPA_CRC, NULL);
}

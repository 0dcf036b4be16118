// SPDX-License-Identifier: GPL-2.0
/* Messages that take a receive request: SEND, and immediate data of RFC 7306. */
#include "rdmap.h"

static enum iw_term iw_begin_recv(struct iw_qp *qp)
{
	struct iw_rx_msg *msg = &qp->rx.msg;
	struct iw_recv recv;
	int ret;

	ret = iw_qp_take_recv(qp, &recv);
	if (ret == -ENOENT) {
		iw_count(iw_qp_dev(qp), IW_STAT_NO_BUFFER);
		return IW_TERM_DDP_NO_BUFFER;
	}
	if (ret) {
		iw_recv_done(qp, recv.wr_id, IB_WC_LOC_LEN_ERR, 0, NULL, false);
		return IW_TERM_LOCAL_CATASTROPHIC;
	}
	msg->busy = true;
	msg->wr_id = recv.wr_id;
	msg->room = recv.length;
	msg->num_sge = recv.num_sge;
	memcpy(msg->sge, recv.sge, recv.num_sge * sizeof(recv.sge[0]));
	return 0;
}

static enum iw_term iw_recv_fails(struct iw_qp *qp, u8 status, enum iw_term what)
{
	qp->rx.msg.busy = false;
	iw_recv_done(qp, qp->rx.msg.wr_id, status, 0, NULL, false);
	return what;
}

static enum iw_term iw_place_recv(struct iw_qp *qp, const struct iw_fpdu *view,
				  u32 bytes)
{
	struct iw_rx_msg *msg = &qp->rx.msg;
	enum soft_access_err fault;
	struct soft_iter to;

	if (bytes > msg->room - qp->rx.mo)
		return iw_recv_fails(qp, IB_WC_LOC_LEN_ERR, IW_TERM_DDP_TOO_LONG);
	soft_iter_list(&to, iw_qp_mem(qp), qp->ib.pd, msg->sge, msg->num_sge,
		       IB_ACCESS_LOCAL_WRITE);
	soft_iter_skip(&to, qp->rx.mo);
	fault = iw_view_place(view, sizeof(struct iw_untagged), bytes, &to);
	soft_iter_end(&to);
	if (iw_fpdu_src_fault(view))
		return IW_TERM_LOCAL_CATASTROPHIC;
	if (fault != SOFT_OK)
		return iw_recv_fails(qp, IB_WC_LOC_PROT_ERR,
				     IW_TERM_LOCAL_CATASTROPHIC);
	qp->rx.mo += bytes;
	return 0;
}

static enum iw_term iw_end_recv(struct iw_qp *qp, const union iw_hdr *hdr)
{
	u8 opcode = hdr->untagged.rdmap & IW_RDMAP_OPCODE_MASK;
	bool solicited = opcode == IW_RDMAP_SEND_SE ||
			 opcode == IW_RDMAP_SEND_SE_INV;
	bool invalidate = opcode == IW_RDMAP_SEND_INV ||
			  opcode == IW_RDMAP_SEND_SE_INV;
	u32 key = be32_to_cpu(hdr->untagged.ulp);
	u32 bytes = qp->rx.mo;

	if (invalidate &&
	    soft_region_invalidate(iw_qp_mem(qp), qp->ib.pd, qp->ib.qp_num, key,
				   true) != SOFT_OK)
		return iw_recv_fails(qp, IB_WC_REM_INV_REQ_ERR,
				     IW_TERM_RDMAP_NO_INVALIDATE);
	qp->rx.msg.busy = false;
	qp->rx.mo = 0;
	qp->rx.msn[IW_QN_SEND]++;
	iw_recv_done(qp, qp->rx.msg.wr_id, IB_WC_SUCCESS, bytes,
		     invalidate ? &key : NULL, solicited);
	return 0;
}

/* A segment of a SEND. With the socket's lock. */
void iw_rx_send(struct iw_qp *qp, const struct iw_fpdu *view,
		const union iw_hdr *hdr)
{
	u32 bytes = iw_payload_of(view, sizeof(hdr->untagged));
	enum iw_term what = iw_check_turn(qp, hdr, IW_QN_SEND);

	if (!what && !qp->rx.msg.busy)
		what = iw_begin_recv(qp);
	if (!what)
		what = iw_place_recv(qp, view, bytes);
	if (!what && hdr->untagged.ddp & IW_DDP_LAST)
		what = iw_end_recv(qp, hdr);
	if (what)
		iw_refuse(qp, view, hdr, what);
}

/* Immediate data take the next receive request, and none of its memory. */
void iw_rx_imm(struct iw_qp *qp, const struct iw_fpdu *view,
	       const union iw_hdr *hdr)
{
	u8 opcode = hdr->untagged.rdmap & IW_RDMAP_OPCODE_MASK;
	enum iw_term what = iw_check_turn(qp, hdr, IW_QN_SEND);

	/* A program could not be told of them. */
	if (qp->sq.ring.map)
		what = IW_TERM_RDMAP_OPCODE;
	/* Not in the middle of a SEND. */
	if (!what && qp->rx.msg.busy)
		what = IW_TERM_DDP_MSN_RANGE;
	if (!what && !iw_hdr_is_all(view, hdr, sizeof(hdr->imm)))
		what = IW_TERM_DDP_TOO_LONG;
	if (!what)
		what = iw_begin_recv(qp);
	if (what) {
		iw_refuse(qp, view, hdr, what);
		return;
	}
	qp->rx.msg.busy = false;
	qp->rx.msn[IW_QN_SEND]++;
	iw_recv_imm(qp, qp->rx.msg.wr_id, qp->rx.written, hdr->imm.low,
		    opcode == IW_RDMAP_IMM_SE);
	qp->rx.written = 0;
}

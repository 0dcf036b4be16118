// SPDX-License-Identifier: GPL-2.0
/*
 * Received datagrams, those of QP0 and QP1 too (IBA 9.8.3, 10.2.5). The responder never
 * answers: it drops and counts a datagram that does not fit, without using a WQE. When
 * the memory of a sender of this host disappears during the copy, or pages of the WQE's memory
 * have to be brought in first, the WQE that was taken stays for the next datagram.
 */
#include <rdma/ib_mad.h>

#include "../soft/iter.h"
#include "../soft/mr_table.h"
#include "dev.h"
#include "exec.h"
#include "link.h"
#include "msg.h"
#include "opcode.h"
#include "paging.h"
#include "pkey.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "resp.h"
#include "responder.h"
#include "rq.h"
#include "rx.h"
#include "srq.h"
#include "stats.h"
#include "ud_recv.h"

/* Index of the P_Key that matches that of @pkt, or -1. */
static int ibt_ud_pkey_index(const struct ibt_qp *qp, const struct ibt_port *port,
			     const struct ibt_pkt *pkt)
{
	u16 index = READ_ONCE(qp->attr.pkey_index);

	if (qp->ib.qp_type == IB_QPT_SMI)
		return 0;
	if (qp->ib.qp_type == IB_QPT_GSI)
		return ibt_pkey_find(port, pkt->pkey);
	return ibt_pkey_ok(port, index, pkt->pkey) ? index : -1;
}

static bool ibt_ud_qkey_ok(const struct ibt_qp *qp, u32 qkey)
{
	if (qp->ib.qp_type == IB_QPT_SMI)
		return true;
	return qkey == (qp->ib.qp_type == IB_QPT_GSI ?
			IB_QP1_QKEY : READ_ONCE(qp->attr.qkey));
}

/* Takes a WQE that the datagram fits into, to resp.recv. */
static enum ibt_exec_status ibt_ud_take(struct ibt_qp *qp, u32 length)
{
	struct ibt_resp *resp = &qp->resp;
	enum ibt_exec_status verdict = IBT_EXEC_OK;

	if (!resp->has_rwqe)
		verdict = ibt_rq_take(qp, qp->srq, resp->recv, length);
	if (verdict != IBT_EXEC_OK)
		return verdict;
	resp->has_rwqe = true;
	return length <= resp->recv->length ? IBT_EXEC_OK : IBT_EXEC_SILENT_DROP;
}

/* The payload begins behind the room for a GRH, with a GRH or without (IBA 11.4.1.2). */
static enum ibt_exec_status ibt_ud_place(struct ibt_qp *qp, const struct ibt_pkt *pkt,
					 struct soft_iter *from,
					 const struct ibt_rx_meta *meta)
{
	struct ibt_recv *recv = qp->resp.recv;
	struct ib_pd *pd = qp->srq ? qp->srq->ib.pd : qp->ib.pd;
	enum ibt_exec_status verdict = IBT_EXEC_OK;
	enum soft_access_err fault;
	struct soft_iter grh, to;

	soft_iter_list(&to, &ibt_qp_dev(qp)->soft.mem, pd, recv->sge,
		       recv->num_sge, IB_ACCESS_LOCAL_WRITE);
	if (meta->has_grh) {
		soft_iter_bytes(&grh, (void *)meta->grh, IBT_GRH_BYTES);
		fault = soft_iter_copy(&to, &grh, IBT_GRH_BYTES);
	} else {
		fault = soft_iter_skip(&to, IBT_GRH_BYTES);
	}
	if (fault == SOFT_OK && pkt->length)
		fault = soft_iter_copy(&to, from, pkt->length);
	if (fault == SOFT_ERR_ABSENT)
		verdict = ibt_resp_page_in(qp, &to, IBT_GRH_BYTES + pkt->length, true) ?
			  IBT_EXEC_SILENT_DROP : IBT_EXEC_REM_OP;
	/* If the WQE's memory is valid, that of a sender of this host is not. */
	else if (fault != SOFT_OK)
		verdict = soft_iter_check(&to) == SOFT_OK ? IBT_EXEC_SILENT_DROP :
							    IBT_EXEC_REM_OP;
	soft_iter_end(&to);
	return verdict;
}

/* Fills in the fields of a completion that describe the sender's network. */
static void ibt_ud_say_network(struct ibt_qp *qp, struct ib_wc *wc,
			       const struct ibt_rx_meta *meta)
{
	if (ibt_qp_dev(qp)->link->layer != IB_LINK_LAYER_ETHERNET)
		return;
	wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE | IB_WC_WITH_SMAC;
	wc->network_hdr_type = meta->network;
	memcpy(wc->smac, meta->smac, ETH_ALEN);
	if (meta->has_vlan) {
		wc->wc_flags |= IB_WC_WITH_VLAN;
		wc->vlan_id = meta->vlan;
	}
}

static void ibt_ud_complete(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			    const struct ibt_rx_meta *meta, int index)
{
	struct ib_wc wc = {
		.wr_id = qp->resp.recv->wr_id,
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.byte_len = pkt->length + IBT_GRH_BYTES,
		.src_qp = pkt->src_qpn,
		.slid = meta->slid,
		.sl = meta->sl,
		.dlid_path_bits = meta->dlid_path_bits,
		.pkey_index = index,
	};

	if (meta->has_grh)
		wc.wc_flags |= IB_WC_GRH;
	if (pkt->op->headers & IBT_IMM) {
		wc.wc_flags |= IB_WC_WITH_IMM;
		wc.ex.imm_data = pkt->imm;
	}
	if (pkt->sums_ok)
		wc.wc_flags |= IB_WC_IP_CSUM_OK;
	ibt_ud_say_network(qp, &wc, meta);
	qp->resp.has_rwqe = false;
	ibt_rq_complete(qp, qp->srq, &wc, pkt->solicited);
}

static enum ibt_exec_status ibt_ud_deliver(struct ibt_qp *qp, const struct ibt_pkt *pkt,
					   struct soft_iter *from,
					   const struct ibt_rx_meta *meta, int index)
{
	enum ibt_exec_status verdict;

	if (!ibt_resp_receives(qp->resp.state))
		return IBT_EXEC_SILENT_DROP;
	verdict = ibt_ud_take(qp, pkt->length + IBT_GRH_BYTES);
	if (verdict != IBT_EXEC_OK)
		return verdict;
	verdict = ibt_ud_place(qp, pkt, from, meta);
	if (verdict == IBT_EXEC_OK)
		ibt_ud_complete(qp, pkt, meta, index);
	else if (verdict == IBT_EXEC_REM_OP)
		ibt_rq_error(qp, qp->srq, IB_WC_LOC_PROT_ERR);
	return verdict;
}

void ibt_ud_refused(struct ibt_port *port, enum ibt_ud_fault fault,
		    const struct ibt_pkt *pkt, const struct ibt_rx_meta *meta)
{
	if (fault != IBT_UD_OK)
		ibt_rx_bad_key(port, fault == IBT_UD_QKEY, pkt, meta);
}

/*
 * Takes resp.lock. Checks P_Key and Q_Key against @qp, since a multicast packet has many
 * receivers.
 */
enum ibt_ud_fault ibt_ud_try(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			     struct soft_iter *from,
			     const struct ibt_rx_meta *meta)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);
	struct ibt_port *port = ibt_dev_port(dev, READ_ONCE(qp->attr.port_num));
	struct ibt_resp *resp = &qp->resp;
	enum ibt_exec_status verdict;
	int index;

	if (!port || !ibt_resp_receives(READ_ONCE(resp->state))) {
		ibt_resp_check_flush(qp);
		ibt_qp_count(qp, IBT_STAT_RX_NO_QP);
		return IBT_UD_OK;
	}
	index = ibt_ud_pkey_index(qp, port, pkt);
	if (index < 0)
		return IBT_UD_PKEY;
	if (!ibt_ud_qkey_ok(qp, pkt->qkey))
		return IBT_UD_QKEY;

	spin_lock_bh(&resp->lock);
	verdict = ibt_ud_deliver(qp, pkt, from, meta, index);
	if (verdict == IBT_EXEC_REM_OP)
		ibt_exec_failed(qp, verdict);
	spin_unlock_bh(&resp->lock);
	if (verdict != IBT_EXEC_OK)
		ibt_qp_count(qp, IBT_STAT_RX_DROP);
	return IBT_UD_OK;
}

void ibt_ud_receive(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		    struct soft_iter *from, const struct ibt_rx_meta *meta)
{
	struct ibt_port *port = ibt_dev_port(ibt_qp_dev(qp),
					     READ_ONCE(qp->attr.port_num));
	enum ibt_ud_fault fault = ibt_ud_try(qp, pkt, from, meta);

	if (port)
		ibt_ud_refused(port, fault, pkt, meta);
}

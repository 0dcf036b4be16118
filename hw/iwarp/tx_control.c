// SPDX-License-Identifier: GPL-2.0
/* FPDUs without a WQE: the RTR of the MPA initiator, and a Terminate. */
#include "mpa.h"
#include "qp.h"

/* RFC 6581 5: the first FPDU of the MPA initiator has no payload. */
static int iw_build_rtr(struct iw_qp *qp, u16 how)
{
	struct iw_read_req read = {
		.hdr = {
			.ddp = IW_DDP_VERSION | IW_DDP_LAST,
			.rdmap = IW_RDMAP_VERSION | IW_RDMAP_READ_REQ,
			.qn = cpu_to_be32(IW_QN_READ_REQ),
		},
	};
	struct iw_tagged write = {
		.ddp = IW_DDP_VERSION | IW_DDP_LAST | IW_DDP_TAGGED,
		.rdmap = IW_RDMAP_VERSION | IW_RDMAP_WRITE,
	};
	struct iw_untagged send = {
		.ddp = IW_DDP_VERSION | IW_DDP_LAST,
		.rdmap = IW_RDMAP_VERSION | IW_RDMAP_SEND,
	};

	if (how == IW_RTR_WRITE)
		return iw_tx_control(qp, &write, sizeof(write));
	if (how == IW_RTR_READ) {
		read.hdr.msn = cpu_to_be32(qp->tx.msn[IW_QN_READ_REQ]++);
		return iw_tx_control(qp, &read, sizeof(read));
	}
	send.msn = cpu_to_be32(qp->tx.msn[IW_QN_SEND]++);
	return iw_tx_control(qp, &send, sizeof(send));
}

/**
 * iw_tx_rtr - tell the peer that this side is ready to receive
 * @qp: queue pair that has connected
 * @how: enum iw_rtr
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM.
 */
int iw_tx_rtr(struct iw_qp *qp, u16 how)
{
	int ret;

	mutex_lock(&qp->tx.lock);
	ret = iw_build_rtr(qp, how);
	if (!ret)
		iw_tx_push(qp);
	iw_tx_unlock(qp);
	return ret;
}

/**
 * iw_tx_terminate - the last FPDU of a stream that went wrong
 * @qp: queue pair with a reason
 *
 * Sent if the socket has room, behind what was built before. Context: process,
 * may sleep.
 */
void iw_tx_terminate(struct iw_qp *qp)
{
	struct {
		struct iw_untagged hdr;
		u8 payload[IW_TERM_MAX_BYTES];
	} term = {
		.hdr = {
			.ddp = IW_DDP_VERSION | IW_DDP_LAST,
			.rdmap = IW_RDMAP_VERSION | IW_RDMAP_TERMINATE,
			.qn = cpu_to_be32(IW_QN_TERMINATE),
			.msn = cpu_to_be32(1),
		},
	};
	struct iw_tx *tx = &qp->tx;
	u32 bytes;

	mutex_lock(&tx->lock);
	bytes = iw_term_build(&qp->term, term.payload);
	if (tx->sock && (tx->num < IW_TX_VECS || !iw_tx_push(qp)) &&
	    !iw_tx_control(qp, &term, sizeof(term.hdr) + bytes)) {
		iw_count(iw_qp_dev(qp), IW_STAT_TX_TERM);
		iw_tx_push(qp);
	}
	mutex_unlock(&tx->lock);
}

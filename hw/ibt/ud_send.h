/* SPDX-License-Identifier: GPL-2.0 */
/* Datagrams that are sent. With sq.lock held. */
#ifndef IBT_UD_SEND_H
#define IBT_UD_SEND_H

#include "qp.h"
#include "wqe.h"

/* Is there work for struct ibt_offload in this datagram? */
static inline bool ibt_wqe_needs_offload(const struct ibt_qp *qp,
					 const struct ibt_wqe *wqe)
{
	return (wqe->opcode == IB_WR_LSO ||
		(wqe->flags & IB_SEND_IP_CSUM)) &&
	       ibt_qp_dev(qp)->link->offload;
}

bool ibt_ud_send(struct ibt_qp *qp, struct ibt_wqe *wqe,
		 const struct ibt_wr_info *info);

#endif /* IBT_UD_SEND_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Data of a SEND, WRITE or ATOMIC WRITE of a connected queue pair. */
#ifndef IBT_REQ_DATA_H
#define IBT_REQ_DATA_H

#include <linux/types.h>

struct ibt_qp;
struct ibt_round;
struct ibt_wqe;
struct ibt_wr_info;

/*
 * Sends some of the request at sq.next. With sq.lock held.
 * False: no more can be sent now, as a limit is reached or the request has failed.
 */
bool ibt_req_send_data(struct ibt_qp *qp, struct ibt_round *round, struct ibt_wqe *wqe,
		       const struct ibt_wr_info *info);

#endif /* IBT_REQ_DATA_H */

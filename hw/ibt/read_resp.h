/* SPDX-License-Identifier: GPL-2.0 */
/* The answer of a READ. With resp.lock held. */
#ifndef IBT_READ_RESP_H
#define IBT_READ_RESP_H

#include <linux/types.h>

struct ibt_pkt;
struct ibt_qp;
struct ibt_resp;
struct ibt_resp_res;

/* Packets of a READ answer that leave in one go. */
#define IBT_READ_BURST		32

enum ibt_progress {
	IBT_FINISHED,
	IBT_MORE,	/* the budget is spent */
	IBT_WAIT,	/* the work will be woken */
	IBT_ELSEWHERE,	/* resp.cpu is to send it */
};

/* The answer of the READ request @pkt is to be sent. */
void ibt_read_resp_begin(struct ibt_qp *qp, const struct ibt_pkt *pkt);
/* It is @pkt, all of @entry or a part, that is to be sent once more. */
void ibt_read_resp_restart(struct ibt_qp *qp, struct ibt_resp_res *entry,
			   const struct ibt_pkt *pkt);
/* What is to be sent now is in ibt_resp.reading. False: nothing is. */
bool ibt_read_resp_next(struct ibt_resp *resp);
/* Send at most @budget packets of it. */
enum ibt_progress ibt_read_resp_send(struct ibt_qp *qp, int *budget);

#endif /* IBT_READ_RESP_H */

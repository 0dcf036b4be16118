/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of a request of a connected queue pair. With sq.lock held. */
#ifndef IBT_REQ_PKT_H
#define IBT_REQ_PKT_H

#include <linux/sizes.h>
#include <linux/types.h>

#include "../soft/iter.h"
#include "retry.h"

struct ibt_path;
struct ibt_pkt;
struct ibt_qp;
struct ibt_sq;
struct ibt_wqe;
struct ibt_wr_info;
struct sk_buff;

/* Payload between two releases of sq.lock. */
#define IBT_ROUND_BYTES	((u32)SZ_64K)

/**
 * struct ibt_round - state of the requester for as long as it holds sq.lock
 * @path: referenced, of a connected QP; NULL: not looked up yet, or no route
 * @asked: @path has been looked up
 * @source_of: the request that sq.source belongs to, or NULL
 * @bytes: payload sent in this round
 * @over: the packets are to leave this host before more are built
 * @elsewhere: sq.cpu is to send
 * @again: a packet that the peer misses, @again_psn, is retransmitted alone; then sending goes on
 *	   at @front and @front_psn
 */
struct ibt_round {
	struct ibt_path *path;
	bool asked;
	struct ibt_wqe *source_of;
	u32 bytes;
	bool over;
	bool elsewhere;
	bool again;
	u32 again_psn;
	u32 front_psn;
	struct ibt_resend_pos front;
};

/* Headers: all but the opcode's own fields, and those of the packet at an offset. */
void ibt_req_fill(const struct ibt_qp *qp, const struct ibt_path *path,
		  const struct ibt_wqe *wqe, const struct ibt_wr_info *info, u32 psn,
		  struct ibt_pkt *pkt);
u8 ibt_req_opcode(const struct ibt_qp *qp, const struct ibt_wr_info *info, u32 offset,
		  bool last);
void ibt_req_place(struct ibt_qp *qp, const struct ibt_wqe *wqe,
		   const struct ibt_wr_info *info, u32 offset, bool last,
		   struct ibt_pkt *pkt);

/* Payload. */
struct soft_iter *ibt_req_source(struct ibt_qp *qp, struct ibt_round *round,
				 struct ibt_wqe *wqe);
struct sk_buff *ibt_req_load(struct ibt_qp *qp, struct ibt_round *round,
			     struct ibt_wqe *wqe, u32 length);

/* Records of what has been sent. */
void ibt_req_sent(struct ibt_qp *qp, u32 packets);
void ibt_req_sent_all(struct ibt_qp *qp, struct ibt_wqe *wqe);
void ibt_req_outstanding(struct ibt_sq *sq, struct ibt_wqe *wqe);

#endif /* IBT_REQ_PKT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to a queue pair of this host, without packets. With sq.lock held. */
#ifndef IBT_LOOPBACK_H
#define IBT_LOOPBACK_H

#include <linux/types.h>

#include "../soft/iter.h"
#include "qp_table.h"

struct ibt_path;
struct ibt_pkt;
struct ibt_qp;
struct ibt_wqe;
struct ibt_wr_info;

/**
 * struct ibt_loopback_xfer - a message in progress to a queue pair of this host
 * @peer: the receiving queue pair, referenced; NULL: no message is in progress
 * @wqe: index of the WQE
 * @direct: the peer is of another device, which is a neighbour
 * @done: bytes that have been copied
 * @from: (READ) the memory of the peer that is read
 */
struct ibt_loopback_xfer {
	struct ibt_qp *peer;
	u32 wqe;
	bool direct;
	u32 done;
	struct soft_iter from;
};

/* The message that is on its way without packets is not any more. */
static inline void ibt_local_forget(struct ibt_loopback_xfer *local)
{
	if (!local->peer)
		return;
	soft_iter_end(&local->from);
	ibt_qp_put(local->peer);
	local->peer = NULL;
}

enum ibt_loopback_result {
	IBT_LOOPBACK_NOT_POSSIBLE,		/* by packets, please */
	IBT_LOCAL_WAIT,		/* soon: packets are without an answer */
	IBT_LOOPBACK_DONE,	/* done, or a part of it, or it failed */
};

enum ibt_loopback_result ibt_loopback_send(struct ibt_qp *qp, struct ibt_path *path,
					   struct ibt_wqe *wqe,
					   const struct ibt_wr_info *info);
bool ibt_loopback_ud(struct ibt_qp *qp, struct ibt_path *path,
		     struct ibt_wqe *wqe, struct ibt_pkt *pkt);

#endif /* IBT_LOOPBACK_H */

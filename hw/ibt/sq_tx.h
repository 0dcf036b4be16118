/* SPDX-License-Identifier: GPL-2.0 */
/* A packet of the send side to the link. With sq.lock held. */
#ifndef IBT_SQ_TX_H
#define IBT_SQ_TX_H

#include <linux/types.h>

struct ibt_path;
struct ibt_pkt;
struct ibt_port;
struct ibt_qp;
struct sk_buff;

bool ibt_sq_wait_room(struct ibt_qp *qp, struct ibt_port *port, u32 seq);
bool ibt_sq_emit(struct ibt_qp *qp, struct ibt_path *path, struct sk_buff *skb,
		 struct ibt_pkt *pkt);

#endif /* IBT_SQ_TX_H */

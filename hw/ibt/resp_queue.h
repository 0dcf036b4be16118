/* SPDX-License-Identifier: GPL-2.0 */
/* Requests on their way to the responder; those that come while its lock is held for long. */
#ifndef IBT_RESP_QUEUE_H
#define IBT_RESP_QUEUE_H

#include <linux/skbuff.h>

struct ibt_pkt;
struct ibt_qp;
struct ibt_rx_meta;

/* Request packets that wait for resp.lock, at most. */
#define IBT_MAX_INBOX		128

/**
 * struct ibt_resp_queue - requests that do not wait for resp.lock
 * @skbs: in the order in which they came; has a lock of its own, which is innermost
 */
struct ibt_resp_queue {
	struct sk_buff_head skbs;
};

void ibt_inbox_init(struct ibt_resp_queue *box);
/* What lies there comes before what else is received. */
void ibt_resp_queue_drain(struct ibt_qp *qp);
void ibt_resp_queue_purge(struct ibt_qp *qp);
/* A request packet for a connected @qp. Does not consume @skb. Softirq. */
void ibt_responder(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		   struct sk_buff *skb, const struct ibt_rx_meta *meta);

#endif /* IBT_RESP_QUEUE_H */

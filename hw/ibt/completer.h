/* SPDX-License-Identifier: GPL-2.0 */
/* What responses mean for the requests that they answer. */
#ifndef IBT_COMPLETER_H
#define IBT_COMPLETER_H

#include <linux/bits.h>
#include <linux/types.h>

struct ibt_pkt;
struct ibt_qp;
struct ibt_wqe;
struct sk_buff;

/* What can be sent when a response has been received. */
enum ibt_send_more {
	IBT_SEND_NOTHING,
	IBT_SEND_HERE,		/* in the receiver's context */
	IBT_SEND_MUCH,		/* by another processor, if one is free; else here */
	IBT_SEND_QUEUED,	/* by the next round: one is running */
};

/* A response packet for @qp. Does not consume @skb. Softirq. */
enum ibt_send_more ibt_completer(struct ibt_qp *qp, const struct ibt_pkt *pkt,
				 struct sk_buff *skb);

/* Of ibt_sq.deferred_ack: there is one. */
#define IBT_ACK_DEFERRED	BIT(31)

/* With sq.lock held. */

/* An ACK that found the lock held. */
void ibt_sq_process_deferred_ack(struct ibt_qp *qp);
/* A NAK, or none, for @psn, however it came. */
void ibt_sq_nak(struct ibt_qp *qp, u32 psn, u8 syndrome);
void ibt_sq_reset_retry_count(struct ibt_qp *qp);
bool ibt_wqe_write_atomic_ack(struct ibt_qp *qp, struct ibt_wqe *wqe, u64 original);

#endif /* IBT_COMPLETER_H */

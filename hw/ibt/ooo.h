/* SPDX-License-Identifier: GPL-2.0 */
/* Requests that the responder keeps behind a gap. With resp.lock held. */
#ifndef IBT_OOO_H
#define IBT_OOO_H

#include <linux/skbuff.h>
#include <linux/types.h>

struct ibt_pkt;
struct ibt_qp;
struct ibt_resp;

enum ibt_ooo_state {
	IBT_OOO_DROP,		/* as the specification has it */
	IBT_OOO_KEEP,		/* the requester retransmits single packets */
};

/**
 * struct ibt_ooo - of one responder; ibt_resp.lock guards it
 * @state: enum ibt_ooo_state
 * @marks: IBT_MARK_KEEPS as long as the requester asks whether packets are kept
 * @skbs: packets behind the expected PSN, by PSN
 */
struct ibt_ooo {
	enum ibt_ooo_state state;
	u8 marks;
	struct sk_buff_head skbs;
};

void ibt_ooo_init(struct ibt_ooo *ooo);
void ibt_ooo_reset(struct ibt_ooo *ooo);
void ibt_ooo_learn(struct ibt_ooo *ooo, u8 marks);
bool ibt_ooo_keep(struct ibt_qp *qp, const struct ibt_pkt *pkt, struct sk_buff *skb);
bool ibt_ooo_is_next(const struct ibt_resp *resp);
struct sk_buff *ibt_ooo_take(struct ibt_qp *qp);
void ibt_ooo_name_gaps(struct ibt_qp *qp);

#endif /* IBT_OOO_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Requests behind a READ response. With resp.lock held. */
#ifndef IBT_BACKLOG_H
#define IBT_BACKLOG_H

#include <linux/build_bug.h>
#include <linux/skbuff.h>
#include <linux/types.h>

struct ibt_pkt;
struct ibt_qp;
struct ibt_resp;

/**
 * struct ibt_backlog_note - in skb->cb of a request that waits, here or behind a gap (ooo.c)
 * @psn: its first
 * @packets: (behind a gap) PSNs that it takes
 * @bytes: charged to the device
 * @read: counted in waiting_reads
 * @again: a READ that was executed before
 * @excess: a READ more than the peer may have outstanding
 */
struct ibt_backlog_note {
	u32 psn;
	u32 packets;
	u32 bytes;
	bool read;
	bool again;
	bool excess;
};

static inline struct ibt_backlog_note *ibt_backlog_note_of(struct sk_buff *skb)
{
	static_assert(sizeof(struct ibt_backlog_note) <= sizeof(skb->cb));
	return (struct ibt_backlog_note *)skb->cb;
}

/*
 * Request packets that wait behind a READ answer, at most; a READ among them looks for a copy
 * of itself there.
 */
#define IBT_MAX_BACKLOG		4096

/* One more, or it is dropped. The caller keeps a reference to @skb of its own. */
void ibt_backlog_add(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		     struct sk_buff *skb);
/* The first, or NULL. */
struct sk_buff *ibt_backlog_take(struct ibt_qp *qp);
/* Is it a READ more than the peer may have outstanding? */
bool ibt_backlog_excess(struct sk_buff *skb);
/* Does a request wait that is older than @psn? */
bool ibt_backlog_older(const struct ibt_resp *resp, u32 psn);
/* It was taken, and could not be answered. */
void ibt_backlog_put_back(struct ibt_qp *qp, struct sk_buff *skb);
/* Drop all that waits, here or behind a gap. */
void ibt_backlog_purge(struct ibt_qp *qp);

#endif /* IBT_BACKLOG_H */

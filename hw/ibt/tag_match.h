/* SPDX-License-Identifier: GPL-2.0 */
/* Tags of a shared receive queue, and which of them takes a message. */
#ifndef IBT_TAG_MATCH_H
#define IBT_TAG_MATCH_H

#include <linux/list.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* SGEs of a tagged buffer. */
#define IBT_TAG_MAX_SGE	8

/**
 * struct ibt_tag - a tagged buffer
 * @entry: in a list of struct ibt_tags
 * @tag: takes a message if its tag and @mask make this
 * @mask: bits that matter
 * @wr_id: of the consumer
 * @handle: by which the consumer cancels it
 * @num_sge: entries of @sge that mean something
 * @length: bytes that there is room for
 * @sge: where they are
 */
struct ibt_tag {
	struct list_head entry;
	u64 tag;
	u64 mask;
	u64 wr_id;
	u32 handle;
	u32 num_sge;
	u32 length;
	struct ib_sge sge[IBT_TAG_MAX_SGE];
};

/**
 * struct ibt_tags - tagged buffers, in the order in which they were posted
 * @active: those that take messages. All are older than those in @pending
 * @pending: posted while the consumer had not handled all unexpected messages
 * @unused: room for more
 * @all: memory of all
 * @unexpected: messages with a tag that no buffer took
 * @handled: so many of them has the consumer handled, as it said last
 */
struct ibt_tags {
	struct list_head active;
	struct list_head pending;
	struct list_head unused;
	struct ibt_tag *all;
	u32 unexpected;
	u32 handled;
};

int ibt_tags_init(struct ibt_tags *tags, u32 max);
void ibt_tags_destroy(struct ibt_tags *tags);
int ibt_tags_add(struct ibt_tags *tags, const struct ibt_tag *tag);
bool ibt_tags_del(struct ibt_tags *tags, u32 handle);
void ibt_tags_sync(struct ibt_tags *tags, u32 handled);
struct ibt_tag *ibt_tags_find(struct ibt_tags *tags, u64 tag);
void ibt_tags_take(struct ibt_tags *tags, struct ibt_tag *taken);
void ibt_tags_unexpected(struct ibt_tags *tags);
void ibt_tags_unexpected_lost(struct ibt_tags *tags);

static inline bool ibt_tags_in_sync(const struct ibt_tags *tags)
{
	return tags->unexpected == tags->handled;
}

#endif /* IBT_TAG_MATCH_H */

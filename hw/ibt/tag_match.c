// SPDX-License-Identifier: GPL-2.0
/*
 * Tag matching: a list of tagged buffers, and two counts that keep it coherent with the list of
 * the consumer.
 *
 * The consumer keeps messages that no buffer took, the unexpected ones, and looks at them before
 * it posts a buffer. It does not know yet of those that are on their way to it. A buffer that is
 * posted meanwhile belongs to the oldest of them that fits, and must not take a later message. So
 * it is pending until the consumer has handled as many as there were: it has then looked at all
 * buffers that it had posted, and cancelled those that it filled itself.
 *
 * The caller serializes all calls.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "tag_match.h"

/**
 * ibt_tags_init - an empty list
 * @tags: the list
 * @max: tags that it can hold
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM.
 */
int ibt_tags_init(struct ibt_tags *tags, u32 max)
{
	u32 i;

	INIT_LIST_HEAD(&tags->active);
	INIT_LIST_HEAD(&tags->pending);
	INIT_LIST_HEAD(&tags->unused);
	tags->unexpected = 0;
	tags->handled = 0;
	tags->all = kvcalloc(max, sizeof(*tags->all), GFP_KERNEL_ACCOUNT);
	if (!tags->all)
		return -ENOMEM;
	for (i = 0; i < max; i++)
		list_add_tail(&tags->all[i].entry, &tags->unused);
	return 0;
}

/**
 * ibt_tags_destroy - free the memory of a list
 * @tags: list that is not used any more
 *
 * Context: process, may sleep.
 */
void ibt_tags_destroy(struct ibt_tags *tags)
{
	kvfree(tags->all);
	tags->all = NULL;
}

/**
 * ibt_tags_add - post a tagged buffer
 * @tags: list
 * @tag: is copied
 *
 * Context: any. Return: 0, or -ENOMEM: the list is full.
 */
int ibt_tags_add(struct ibt_tags *tags, const struct ibt_tag *tag)
{
	struct ibt_tag *own = list_first_entry_or_null(&tags->unused, struct ibt_tag, entry);

	if (!own)
		return -ENOMEM;
	list_del(&own->entry);
	*own = *tag;
	list_add_tail(&own->entry, ibt_tags_in_sync(tags) ? &tags->active : &tags->pending);
	return 0;
}

static bool ibt_tags_del_from(struct ibt_tags *tags, struct list_head *list, u32 handle)
{
	struct ibt_tag *tag;

	list_for_each_entry(tag, list, entry)
		if (tag->handle == handle) {
			ibt_tags_take(tags, tag);
			return true;
		}
	return false;
}

/**
 * ibt_tags_del - cancel a tagged buffer
 * @tags: list
 * @handle: of the buffer
 *
 * Context: any. Return: false: a message has taken it.
 */
bool ibt_tags_del(struct ibt_tags *tags, u32 handle)
{
	return ibt_tags_del_from(tags, &tags->active, handle) ||
	       ibt_tags_del_from(tags, &tags->pending, handle);
}

static void ibt_tags_activate(struct ibt_tags *tags)
{
	if (ibt_tags_in_sync(tags))
		list_splice_tail_init(&tags->pending, &tags->active);
}

/**
 * ibt_tags_sync - the consumer says how many unexpected messages it has handled
 * @tags: list
 * @handled: how many, since the list was made
 *
 * Context: any.
 */
void ibt_tags_sync(struct ibt_tags *tags, u32 handled)
{
	tags->handled = handled;
	ibt_tags_activate(tags);
}

/**
 * ibt_tags_find - the oldest buffer that a message fits
 * @tags: list
 * @tag: of the message
 *
 * Context: any. Return: a buffer, for ibt_tags_take(). NULL: the message is unexpected.
 */
struct ibt_tag *ibt_tags_find(struct ibt_tags *tags, u64 tag)
{
	struct ibt_tag *at;

	list_for_each_entry(at, &tags->active, entry)
		if ((tag & at->mask) == at->tag)
			return at;
	return NULL;
}

/**
 * ibt_tags_take - a buffer leaves the list
 * @tags: list
 * @taken: buffer in it; its contents stay valid until the next ibt_tags_add()
 *
 * Context: any.
 */
void ibt_tags_take(struct ibt_tags *tags, struct ibt_tag *taken)
{
	list_move(&taken->entry, &tags->unused);
}

/**
 * ibt_tags_unexpected - a message that no buffer took goes to the consumer
 * @tags: list
 *
 * Context: any.
 */
void ibt_tags_unexpected(struct ibt_tags *tags)
{
	tags->unexpected++;
}

/**
 * ibt_tags_unexpected_lost - the rest of an unexpected message did not come
 * @tags: list
 *
 * The consumer never sees it, and does not count it.
 *
 * Context: any.
 */
void ibt_tags_unexpected_lost(struct ibt_tags *tags)
{
	tags->unexpected--;
	ibt_tags_activate(tags);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Tag matching by itself. The matching list is half of what a message passing library needs: the
 * other half is a consumer that learns late of what the list did. Both are walked here with random
 * tags, masks, cancels and delays, and the pairs that come out are compared with the rule of MPI:
 * of a buffer and a message that fit, neither may have left behind an older one that fits.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/random.h>

#include "hw/ibt/tag_match.h"

#define EPISODES	62500
#define MESSAGES	16	/* of an episode: 1,000,000 in all */
#define BUFFERS		20
#define NONE		U32_MAX

/* What the list tells the consumer, in order. */
struct tm_event {
	u32 msg;
	u32 buf;	/* that took it, NONE: unexpected */
};

struct tm_buf {
	u64 tag, mask;
	u32 msg;	/* that it got, NONE: none */
	bool cancelled;
	bool ended;	/* as the consumer knows it */
};

struct tm_msg {
	u64 tag;
	u32 buf;	/* that has it, NONE: none yet */
	bool lost;	/* its rest does not come */
	bool kept;	/* the consumer keeps it */
};

struct tm_world {
	struct kunit *test;
	struct ibt_tags tags;
	struct rnd_state rnd;
	struct tm_buf bufs[BUFFERS];
	struct tm_msg msgs[MESSAGES];
	struct tm_event events[MESSAGES];
	u32 num_bufs, num_msgs, added, seen;
	u32 handled;
	u32 losing;	/* messages that are unexpected, and will not come to an end */
	long cancels, late_cancels, pairs, kept_pairs, out_of_sync;
};

static u32 tm_below(struct tm_world *w, u32 limit)
{
	return prandom_u32_state(&w->rnd) % limit;
}

static bool tm_fits(const struct tm_buf *buf, const struct tm_msg *msg)
{
	return (msg->tag & buf->mask) == buf->tag;
}

static void tm_pair(struct tm_world *w, u32 msg, u32 buf)
{
	KUNIT_ASSERT_EQ(w->test, w->msgs[msg].buf, NONE);
	KUNIT_ASSERT_EQ(w->test, w->bufs[buf].msg, NONE);
	KUNIT_ASSERT_TRUE(w->test, tm_fits(&w->bufs[buf], &w->msgs[msg]));
	w->msgs[msg].buf = buf;
	w->bufs[buf].msg = msg;
	w->pairs++;
}

/* ---- the wire ------------------------------------------------------------------ */

static void tm_arrive(struct tm_world *w)
{
	u32 msg = w->num_msgs++;
	struct ibt_tag *taken;
	struct tm_event *event;

	w->msgs[msg] = (struct tm_msg){ .tag = tm_below(w, 4) << 8 | tm_below(w, 4), .buf = NONE };
	taken = ibt_tags_find(&w->tags, w->msgs[msg].tag);
	if (!taken) {
		ibt_tags_unexpected(&w->tags);
		if (!tm_below(w, 8)) {
			w->msgs[msg].lost = true;
			w->losing++;
			return;
		}
	}
	event = &w->events[w->added++];
	*event = (struct tm_event){ .msg = msg, .buf = taken ? (u32)taken->wr_id : NONE };
	if (!taken)
		return;
	tm_pair(w, msg, event->buf);
	ibt_tags_take(&w->tags, taken);
}

/* The rest of a message will not come. */
static void tm_lose(struct tm_world *w)
{
	if (!w->losing)
		return;
	w->losing--;
	ibt_tags_unexpected_lost(&w->tags);
}

/* ---- the consumer -------------------------------------------------------------- */

/* The oldest buffer that it believes is open, and that takes @msg. */
static u32 tm_own_match(struct tm_world *w, u32 msg)
{
	u32 i;

	for (i = 0; i < w->num_bufs; i++)
		if (!w->bufs[i].ended && tm_fits(&w->bufs[i], &w->msgs[msg]))
			return i;
	return NONE;
}

static void tm_see_unexpected(struct tm_world *w, u32 msg)
{
	u32 buf = tm_own_match(w, msg);

	w->handled++;
	if (buf == NONE) {
		w->msgs[msg].kept = true;
		return;
	}
	/* It is pending since before the message came, or the message would not have come. */
	KUNIT_ASSERT_TRUE(w->test, ibt_tags_del(&w->tags, buf));
	w->bufs[buf].ended = true;
	tm_pair(w, msg, buf);
	w->kept_pairs++;
}

/* The next of what the list has told. */
static void tm_see(struct tm_world *w)
{
	const struct tm_event *event = &w->events[w->seen];

	if (w->seen == w->added)
		return;
	w->seen++;
	if (event->buf == NONE)
		tm_see_unexpected(w, event->msg);
	else
		w->bufs[event->buf].ended = true;
}

static bool tm_take_kept(struct tm_world *w, u32 buf)
{
	u32 i;

	for (i = 0; i < w->num_msgs; i++)
		if (w->msgs[i].kept && tm_fits(&w->bufs[buf], &w->msgs[i])) {
			w->msgs[i].kept = false;
			w->bufs[buf].ended = true;
			tm_pair(w, i, buf);
			return true;
		}
	return false;
}

static void tm_post(struct tm_world *w)
{
	static const u64 masks[] = { 0xffff, 0xff, 0xff00, 0 };
	u32 buf = w->num_bufs++;
	struct ibt_tag tag = { .wr_id = buf, .handle = buf };

	tag.mask = masks[tm_below(w, 8) % ARRAY_SIZE(masks)];
	tag.tag = (tm_below(w, 4) << 8 | tm_below(w, 4)) & tag.mask;
	w->bufs[buf] = (struct tm_buf){ .tag = tag.tag, .mask = tag.mask, .msg = NONE };
	if (tm_take_kept(w, buf))
		return;
	if (tm_below(w, 2))
		ibt_tags_sync(&w->tags, w->handled);
	w->out_of_sync += !ibt_tags_in_sync(&w->tags);
	KUNIT_ASSERT_EQ(w->test, ibt_tags_add(&w->tags, &tag), 0);
}

static void tm_cancel(struct tm_world *w)
{
	u32 buf = tm_below(w, w->num_bufs + 1);
	bool open;

	if (buf == w->num_bufs || w->bufs[buf].ended)
		return;
	open = w->bufs[buf].msg == NONE;
	KUNIT_ASSERT_EQ(w->test, ibt_tags_del(&w->tags, buf), open);
	if (!open) {
		w->late_cancels++;
		return;
	}
	w->bufs[buf].ended = true;
	w->bufs[buf].cancelled = true;
	w->cancels++;
}

/* ---- episodes ------------------------------------------------------------------ */

static void tm_step(struct tm_world *w)
{
	switch (tm_below(w, 10)) {
	case 0 ... 2:
		if (w->num_msgs < MESSAGES)
			tm_arrive(w);
		break;
	case 3 ... 5:
		if (w->num_bufs < BUFFERS)
			tm_post(w);
		break;
	case 6 ... 7:
		tm_see(w);
		break;
	case 8:
		ibt_tags_sync(&w->tags, w->handled);
		break;
	default:
		if (tm_below(w, 2))
			tm_cancel(w);
		else
			tm_lose(w);
		break;
	}
}

/* @buf and @msg are not a pair, but fit, and each preferred something later, or nothing. */
static bool tm_left_behind(const struct tm_world *w, u32 buf, u32 msg)
{
	const struct tm_buf *b = &w->bufs[buf];
	const struct tm_msg *m = &w->msgs[msg];

	if (b->cancelled || m->lost || m->buf == buf || !tm_fits(b, m))
		return false;
	return (m->buf == NONE || m->buf > buf) && (b->msg == NONE || b->msg > msg);
}

static void tm_compare(struct tm_world *w)
{
	u32 buf, msg;

	for (buf = 0; buf < w->num_bufs; buf++)
		for (msg = 0; msg < w->num_msgs; msg++)
			KUNIT_ASSERT_FALSE_MSG(w->test, tm_left_behind(w, buf, msg),
					       "buffer %u (got %d), message %u (is in %d)", buf,
					       w->bufs[buf].msg, msg, w->msgs[msg].buf);
}

static void tm_episode(struct tm_world *w)
{
	u32 buf;

	w->num_bufs = w->num_msgs = w->added = w->seen = 0;
	while (w->num_msgs < MESSAGES)
		tm_step(w);
	while (w->seen < w->added)
		tm_see(w);
	ibt_tags_sync(&w->tags, w->handled);
	while (w->losing)
		tm_lose(w);
	KUNIT_ASSERT_TRUE(w->test, ibt_tags_in_sync(&w->tags));
	KUNIT_ASSERT_TRUE(w->test, list_empty(&w->tags.pending));
	tm_compare(w);
	/* The list has what the consumer thinks it has. */
	for (buf = 0; buf < w->num_bufs; buf++)
		KUNIT_ASSERT_EQ(w->test, ibt_tags_del(&w->tags, buf), !w->bufs[buf].ended);
	KUNIT_ASSERT_TRUE(w->test, list_empty(&w->tags.active));
}

static void tm_pairs_test(struct kunit *test)
{
	struct tm_world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->test = test;
	prandom_seed_state(&w->rnd, 34);
	KUNIT_ASSERT_EQ(test, ibt_tags_init(&w->tags, BUFFERS), 0);
	/* Both counts go round. */
	w->tags.unexpected = w->tags.handled = w->handled = U32_MAX - 1000;
	for (i = 0; i < EPISODES; i++)
		tm_episode(w);
	ibt_tags_destroy(&w->tags);
	kunit_info(test, "%ld pairs, %ld by the consumer, %ld cancels, %ld too late, %ld out of sync",
		   w->pairs, w->kept_pairs, w->cancels, w->late_cancels, w->out_of_sync);
	KUNIT_EXPECT_GT(test, w->kept_pairs, 0L);
	KUNIT_EXPECT_GT(test, w->cancels, 0L);
	KUNIT_EXPECT_GT(test, w->late_cancels, 0L);
	KUNIT_EXPECT_GT(test, w->out_of_sync, 0L);
}

static void tm_room_test(struct kunit *test)
{
	struct ibt_tag tag = { .tag = 1, .mask = U64_MAX };
	struct ibt_tags tags;

	KUNIT_ASSERT_EQ(test, ibt_tags_init(&tags, 2), 0);
	KUNIT_EXPECT_EQ(test, ibt_tags_add(&tags, &tag), 0);
	tag.handle = 1;
	KUNIT_EXPECT_EQ(test, ibt_tags_add(&tags, &tag), 0);
	KUNIT_EXPECT_EQ(test, ibt_tags_add(&tags, &tag), -ENOMEM);
	KUNIT_EXPECT_NULL(test, ibt_tags_find(&tags, 2));
	KUNIT_ASSERT_NOT_NULL(test, ibt_tags_find(&tags, 1));
	KUNIT_EXPECT_EQ(test, ibt_tags_find(&tags, 1)->handle, 0);
	KUNIT_EXPECT_TRUE(test, ibt_tags_del(&tags, 0));
	KUNIT_EXPECT_FALSE(test, ibt_tags_del(&tags, 0));
	KUNIT_EXPECT_EQ(test, ibt_tags_find(&tags, 1)->handle, 1);
	ibt_tags_destroy(&tags);
}

static struct kunit_case tm_cases[] = {
	KUNIT_CASE(tm_pairs_test),
	KUNIT_CASE(tm_room_test),
	{}
};

static struct kunit_suite tm_suite = {
	.name = "ibt_tag_match",
	.test_cases = tm_cases,
};
kunit_test_suite(tm_suite);

MODULE_DESCRIPTION("KUnit: tag matching against the rule of MPI");
MODULE_LICENSE("GPL");

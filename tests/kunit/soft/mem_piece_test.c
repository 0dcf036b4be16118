// SPDX-License-Identifier: GPL-2.0
/* Copies in one piece, and the cache of the key that names one: whatever ends it. */
#include "hw/soft/mw.h"
#include "hw/soft/piece.h"
#include "mem.h"

#define BYTES 64

/* What a queue pair keeps: one cache for each end of its copies. */
static struct soft_key_cache write_key, source_key;

static struct soft_piece written(struct kunit *test, u32 rkey, u64 iova)
{
	return (struct soft_piece){
		.mem = world(test)->mem, .cache = &write_key, .pd = &world(test)->pd,
		.iova = iova, .key = rkey, .covers = BYTES, .access = RWR, .remote = true,
		.qpn = 7,
	};
}

static struct soft_piece source(struct kunit *test, u32 lkey, u64 addr)
{
	return (struct soft_piece){
		.mem = world(test)->mem, .cache = &source_key, .pd = &world(test)->pd,
		.iova = addr, .key = lkey, .covers = BYTES,
	};
}

/* May bytes be written by @rkey? */
static bool writes(struct kunit *test, u32 rkey, u64 iova, u8 what)
{
	struct soft_piece to = written(test, rkey, iova);
	struct soft_piece from = { };
	u8 bytes[BYTES];

	memset(bytes, what, sizeof(bytes));
	from.bytes = bytes;
	return soft_piece_copy(&to, &from, BYTES);
}

static u8 byte_at(struct kunit *test, struct ib_mr *mr, u64 iova)
{
	struct soft_iter to, from;
	u8 byte = 0;

	over(test, &from, mr, iova, 1, RRD);
	soft_iter_bytes(&to, &byte, 1);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 1), (int)SOFT_OK);
	soft_iter_end(&from);
	return byte;
}

/* May the bytes at @iova be read by @lkey, and are all of them @what? */
static bool reads(struct kunit *test, u32 lkey, u64 iova, u8 what)
{
	struct soft_piece from = source(test, lkey, iova);
	u8 bytes[BYTES] = { };

	return soft_piece_read(&from, bytes, BYTES) && !memchr_inv(bytes, what, BYTES);
}

static void forget_keys(void)
{
	write_key = (struct soft_key_cache){ };
	source_key = (struct soft_key_cache){ };
}

static void piece_moves(struct kunit *test)
{
	struct ib_mr *a = user_mr(test, RW), *b = user_mr(test, RW);
	struct soft_piece from = source(test, a->lkey, VA);
	struct soft_piece to = written(test, b->rkey, VA + 100);
	int i;

	forget_keys();
	KUNIT_EXPECT_TRUE(test, writes(test, a->rkey, VA, 0x55));
	/* Twice by a lookup, then by the cache. */
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, soft_piece_copy(&to, &from, BYTES));
	KUNIT_EXPECT_TRUE(test, reads(test, b->lkey, VA + 100, 0x55));
	KUNIT_EXPECT_FALSE(test, reads(test, b->lkey, VA + 99, 0x55));
	KUNIT_EXPECT_EQ(test, byte_at(test, b, VA + 100), 0x55);
	KUNIT_EXPECT_EQ(test, byte_at(test, b, VA + 100 + BYTES - 1), 0x55);
	KUNIT_EXPECT_EQ(test, byte_at(test, b, VA + 99), 0);
	KUNIT_EXPECT_EQ(test, byte_at(test, b, VA + 100 + BYTES), 0);
	/* Within one region. */
	to = written(test, a->rkey, VA + 1000);
	KUNIT_EXPECT_TRUE(test, soft_piece_copy(&to, &from, BYTES));
	KUNIT_EXPECT_EQ(test, byte_at(test, a, VA + 1000), 0x55);
	dereg(test, a);
	dereg(test, b);
}

/* Over the border of two pages, or of the region; nothing is copied. */
static void piece_borders(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RW);
	u64 border = PAGE_ALIGN(VA);

	forget_keys();
	KUNIT_EXPECT_TRUE(test, writes(test, mr->rkey, border - BYTES, 1));
	KUNIT_EXPECT_FALSE(test, writes(test, mr->rkey, border - BYTES + 1, 2));
	KUNIT_EXPECT_TRUE(test, reads(test, mr->lkey, border - BYTES, 1));
	KUNIT_EXPECT_FALSE(test, reads(test, mr->lkey, border - BYTES + 1, 1));
	KUNIT_EXPECT_FALSE(test, reads(test, mr->lkey ^ 1, border - BYTES, 1));
	KUNIT_EXPECT_EQ(test, byte_at(test, mr, border - 1), 1);
	KUNIT_EXPECT_EQ(test, byte_at(test, mr, border), 0);
	KUNIT_EXPECT_FALSE(test, writes(test, mr->rkey, VA - 1, 2));
	KUNIT_EXPECT_TRUE(test, writes(test, mr->rkey, VA + LEN - BYTES, 1));
	KUNIT_EXPECT_FALSE(test, writes(test, mr->rkey, VA + LEN - BYTES + 1, 2));
	KUNIT_EXPECT_FALSE(test, writes(test, mr->rkey, U64_MAX - 3, 2));
	dereg(test, mr);
}

/* Rights are looked at with each copy, although the key is known. */
static void piece_rights(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RW), *other = user_mr(test, RW);
	struct soft_piece from = source(test, other->lkey, VA);
	struct soft_piece to = written(test, mr->rkey, VA);

	forget_keys();
	KUNIT_EXPECT_TRUE(test, soft_piece_copy(&to, &from, BYTES));
	KUNIT_EXPECT_FALSE(test, writes(test, mr->rkey ^ 1, VA, 2));
	from.key ^= 1;
	KUNIT_EXPECT_FALSE(test, soft_piece_copy(&to, &from, BYTES));
	from.key ^= 1;
	from.pd = &world(test)->other_pd;
	KUNIT_EXPECT_FALSE(test, soft_piece_copy(&to, &from, BYTES));
	from.pd = &world(test)->pd;
	/* The entry of the work request is longer than the message. */
	from.covers = LEN + 1;
	KUNIT_EXPECT_FALSE(test, soft_piece_copy(&to, &from, BYTES));
	from.covers = LEN;
	KUNIT_EXPECT_TRUE(test, soft_piece_copy(&to, &from, BYTES));
	/* The consumer takes the right to write away. */
	KUNIT_EXPECT_PTR_EQ(test, soft_rereg_user_mr(mr, IB_MR_REREG_ACCESS, 0, 0, 0, RRD | LW,
						     NULL, NULL), NULL);
	KUNIT_EXPECT_FALSE(test, soft_piece_copy(&to, &from, BYTES));
	dereg(test, mr);
	dereg(test, other);
}

/* Other memory under the same key is what is written from then on. */
static void piece_rereg(struct kunit *test)
{
	struct ib_mr *mr = user_mr(test, RW);

	forget_keys();
	KUNIT_EXPECT_TRUE(test, writes(test, mr->rkey, VA, 1));
	KUNIT_EXPECT_PTR_EQ(test, soft_rereg_user_mr(mr, IB_MR_REREG_TRANS, 0x3000, 100, 0x5000,
						     0, NULL, NULL), NULL);
	KUNIT_EXPECT_FALSE(test, writes(test, mr->rkey, VA, 2));
	KUNIT_EXPECT_TRUE(test, writes(test, mr->rkey, 0x5000, 3));
	KUNIT_EXPECT_EQ(test, byte_at(test, mr, 0x5000), 3);
	dereg(test, mr);
}

/* A key that is gone, and one of another region with its index. */
static void piece_dereg(struct kunit *test)
{
	struct world *w = world(test);
	struct ib_mr *mr = user_mr(test, RW), *other;
	u32 old = mr->rkey, key;

	forget_keys();
	KUNIT_EXPECT_TRUE(test, writes(test, old, VA, 1));
	dereg(test, mr);
	KUNIT_EXPECT_FALSE(test, writes(test, old, VA, 2));
	/* The cache has looked for the index in vain, and a region gets it again. */
	w->mem->next = old >> 8;
	other = user_mr(test, RW);
	key = other->rkey;
	KUNIT_ASSERT_EQ(test, key >> 8, old >> 8);
	KUNIT_EXPECT_TRUE(test, writes(test, key, VA, 3));
	KUNIT_EXPECT_EQ(test, byte_at(test, other, VA), 3);
	if (key != old)
		KUNIT_EXPECT_FALSE(test, writes(test, old, VA, 4));
	dereg(test, other);
	KUNIT_EXPECT_FALSE(test, writes(test, key, VA, 5));
}

/* The cache has a region that is withdrawn, and its successor gets the very index. */
static void piece_index_again(struct kunit *test)
{
	struct world *w = world(test);
	struct ib_mr *mr = user_mr(test, RW), *other;
	u32 index = mr->rkey >> 8;

	forget_keys();
	KUNIT_EXPECT_TRUE(test, writes(test, mr->rkey, VA, 1));
	dereg(test, mr);
	w->mem->next = index;
	other = user_mr(test, RW);
	KUNIT_ASSERT_EQ(test, other->rkey >> 8, index);
	KUNIT_EXPECT_TRUE(test, writes(test, other->rkey, VA, 3));
	KUNIT_EXPECT_EQ(test, byte_at(test, other, VA), 3);
	dereg(test, other);
}

static struct soft_mw *new_window(struct kunit *test)
{
	struct soft_mw *mw = kunit_kzalloc(test, sizeof(*mw), GFP_KERNEL);

	mw->mw.device = world(test)->pd.device;
	mw->mw.pd = &world(test)->pd;
	mw->mw.type = IB_MW_TYPE_2;
	KUNIT_ASSERT_EQ(test, soft_alloc_mw(&mw->mw, NULL), 0);
	return mw;
}

static void piece_window(struct kunit *test)
{
	struct soft_mw *mw = new_window(test);
	struct ib_mr *mr = user_mr(test, RW);
	struct world *w = world(test);
	const struct soft_bind bind = {
		.mw_rkey = mw->mw.rkey, .new_key = mw->mw.rkey + 1, .mr_lkey = mr->lkey,
		.addr = VA, .length = BYTES, .access = RWR,
	};
	u32 key = (mw->mw.rkey & ~0xffU) | (u8)(mw->mw.rkey + 1);

	forget_keys();
	KUNIT_EXPECT_FALSE(test, writes(test, key, VA, 1));
	KUNIT_EXPECT_EQ(test, (int)soft_window_bind(w->mem, &w->pd, 7, &bind), (int)SOFT_OK);
	KUNIT_EXPECT_TRUE(test, writes(test, key, VA, 1));
	KUNIT_EXPECT_FALSE(test, writes(test, key, VA + 1, 2));
	KUNIT_EXPECT_EQ(test, byte_at(test, mr, VA), 1);
	KUNIT_EXPECT_EQ(test, (int)soft_region_invalidate(w->mem, &w->pd, 7, key, true),
			(int)SOFT_OK);
	KUNIT_EXPECT_FALSE(test, writes(test, key, VA, 2));
	soft_dealloc_mw(&mw->mw);
	KUNIT_EXPECT_FALSE(test, writes(test, key, VA, 2));
	KUNIT_EXPECT_EQ(test, byte_at(test, mr, VA), 1);
	dereg(test, mr);
}

/* A window is no source, and a queue pair that it is not bound to may not write by it. */
static void piece_window_of_another(struct kunit *test)
{
	struct soft_mw *mw = new_window(test);
	struct ib_mr *mr = user_mr(test, RW);
	struct world *w = world(test);
	const struct soft_bind bind = {
		.mw_rkey = mw->mw.rkey, .new_key = mw->mw.rkey + 1, .mr_lkey = mr->lkey,
		.addr = VA, .length = LEN, .access = RWR,
	};
	u32 key = (mw->mw.rkey & ~0xffU) | (u8)(mw->mw.rkey + 1);
	struct soft_piece from = source(test, key, VA);
	struct soft_piece to = written(test, mr->rkey, VA);

	forget_keys();
	KUNIT_EXPECT_EQ(test, (int)soft_window_bind(w->mem, &w->pd, 8, &bind), (int)SOFT_OK);
	KUNIT_EXPECT_FALSE(test, writes(test, key, VA, 1));
	KUNIT_EXPECT_FALSE(test, soft_piece_copy(&to, &from, BYTES));
	soft_dealloc_mw(&mw->mw);
	dereg(test, mr);
}

static struct kunit_case mem_piece_cases[] = {
	KUNIT_CASE(piece_moves),
	KUNIT_CASE(piece_borders),
	KUNIT_CASE(piece_rights),
	KUNIT_CASE(piece_rereg),
	KUNIT_CASE(piece_dereg),
	KUNIT_CASE(piece_index_again),
	KUNIT_CASE(piece_window),
	KUNIT_CASE(piece_window_of_another),
	{}
};

struct kunit_suite soft_mem_piece_suite = {
	.name = "soft_mem_piece",
	.init = soft_mem_test_init,
	.exit = soft_mem_test_exit,
	.test_cases = mem_piece_cases,
};

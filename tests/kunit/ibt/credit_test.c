// SPDX-License-Identifier: GPL-2.0
/* What ACKs say about the receive requests of a peer. credit.c is linked with this. */
#include <kunit/test.h>
#include <linux/module.h>

#include "hw/ibt/credit.h"
#include "hw/ibt/pkt.h"
#include "hw/ibt/wqe.h"

static const struct ibt_wr_info a_send = { .verb = IBT_SEND };
static const struct ibt_wr_info a_write = { .verb = IBT_WRITE };
static const struct ibt_wr_info a_write_imm = { .verb = IBT_WRITE, .extra = IBT_IMM };
static const struct ibt_wr_info a_send_inv = { .verb = IBT_SEND, .extra = IBT_IETH };
static const struct ibt_wr_info a_read = { .verb = IBT_READ };

/* IBA vol. 1, table 46: two codes for each power of two, and its half more, from 5 on. */
static u32 count_of(u32 code)
{
	if (code < 4)
		return code;
	return (code & 1 ? 6 : 4) << (code - 4) / 2;
}

static void all_codes(struct kunit *test)
{
	struct ibt_credit credit;
	u32 code;

	for (code = 0; code < 31; code++) {
		credit = (struct ibt_credit){ .last = 100 };
		ibt_credit_take(&credit, code, 100);
		KUNIT_EXPECT_TRUE(test, credit.counted);
		KUNIT_EXPECT_EQ_MSG(test, ibt_credit_left(&credit, &a_send), count_of(code),
				    "code %u", code);
	}
	ibt_credit_take(&credit, 31, 100);
	KUNIT_EXPECT_FALSE(test, credit.counted);
	KUNIT_EXPECT_EQ(test, ibt_credit_left(&credit, &a_send), U32_MAX);
}

static void some_take_none(struct kunit *test)
{
	struct ibt_credit credit = { .last = 7 };

	ibt_credit_take(&credit, 0, 7);
	KUNIT_EXPECT_EQ(test, ibt_credit_left(&credit, &a_send), 0U);
	KUNIT_EXPECT_EQ(test, ibt_credit_left(&credit, &a_send_inv), 0U);
	KUNIT_EXPECT_EQ(test, ibt_credit_left(&credit, &a_write_imm), 0U);
	KUNIT_EXPECT_EQ(test, ibt_credit_left(&credit, &a_write), U32_MAX);
	KUNIT_EXPECT_EQ(test, ibt_credit_left(&credit, &a_read), U32_MAX);
}

/* What is said, one after the other, with ten messages begun; how many may begin then. */
static void limits(struct kunit *test)
{
	static const struct {
		u32 last;
		u32 code[2];
		u32 msn[2];
		u32 left;
	} rows[] = {
		{ 10, { 2, 2 }, { 10, 10 }, 2 },
		/* Messages on their way have taken theirs. */
		{ 10, { 4, 4 }, { 7, 8 }, 2 },
		{ 10, { 1, 1 }, { 7, 7 }, 0 },
		{ 10, { 0, 0 }, { 3, 10 }, 0 },
		/* An older answer, and one that says less: a receive request is not taken back. */
		{ 10, { 4, 3 }, { 10, 9 }, 4 },
		{ 10, { 4, 0 }, { 10, 10 }, 4 },
		{ 0, { 5, 5 }, { 0xfffffe, 0xfffffe }, 4 },
		{ 0xfffffe, { 5, 6 }, { 0xfffffd, 0xfffffe }, 8 },
		{ 0xfffffe, { 30, 0 }, { 0xfffffe, 0xfffffe }, 32768 },
	};
	struct ibt_credit credit;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		credit = (struct ibt_credit){ .last = rows[i].last };
		ibt_credit_take(&credit, rows[i].code[0], rows[i].msn[0]);
		ibt_credit_take(&credit, rows[i].code[1], rows[i].msn[1]);
		KUNIT_EXPECT_EQ_MSG(test, ibt_credit_left(&credit, &a_send), rows[i].left,
				    "row %d", i);
	}
}

static struct kunit_case credit_cases[] = {
	KUNIT_CASE(all_codes),
	KUNIT_CASE(some_take_none),
	KUNIT_CASE(limits),
	{ }
};

static struct kunit_suite credit_suite = {
	.name = "ibt_credit",
	.test_cases = credit_cases,
};
kunit_test_suite(credit_suite);

MODULE_DESCRIPTION("KUnit tests of end-to-end credits");
MODULE_LICENSE("GPL");

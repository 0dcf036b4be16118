// SPDX-License-Identifier: GPL-2.0
/* The copy itself, both ways: the cases of soft_mem_kunit.c, which includes this. */

#define ROOM	512

/* Every length, at every distance from a word; nothing beside it is touched. */
static void expect_copies(struct kunit *test)
{
	u8 *from = kunit_kzalloc(test, ROOM, GFP_KERNEL);
	u8 *to = kunit_kzalloc(test, ROOM, GFP_KERNEL);
	u32 length, at, i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, from);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, to);
	for (i = 0; i < ROOM; i++)
		from[i] = pattern(i);
	for (length = 0; length < 300; length++) {
		for (at = 0; at < 8; at++) {
			memset(to, 0xee, ROOM);
			soft_copy(to + 8 + at, from + 16 - at, length);
			KUNIT_EXPECT_FALSE(test, memcmp(to + 8 + at,
							from + 16 - at, length));
			KUNIT_EXPECT_FALSE(test, memchr_inv(to, 0xee, 8 + at));
			KUNIT_EXPECT_FALSE(test,
					   memchr_inv(to + 8 + at + length, 0xee,
						      ROOM - 8 - at - length));
		}
	}
}

static void copy_by_both(struct kunit *test)
{
	char name[sizeof("memcpy")] = "words";

	soft_copy_choose(name, sizeof(name));
	KUNIT_EXPECT_STREQ(test, name, "words");
	KUNIT_EXPECT_TRUE(test, static_key_enabled(&by_words));
	expect_copies(test);
	strscpy(name, "memcpy", sizeof(name));
	soft_copy_choose(name, sizeof(name));
	KUNIT_EXPECT_STREQ(test, name, "memcpy");
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&by_words));
	expect_copies(test);
}

/* Whichever it is, it has a name. */
static void copy_is_chosen(struct kunit *test)
{
	char name[sizeof("memcpy")] = "";

	soft_copy_choose(name, sizeof(name));
	KUNIT_EXPECT_STREQ(test, name, static_key_enabled(&by_words) ?
			   "words" : "memcpy");
	expect_copies(test);
}

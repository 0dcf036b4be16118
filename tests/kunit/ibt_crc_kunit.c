// SPDX-License-Identifier: GPL-2.0
/* The CRC-32 of packets, which is built into this module, against the kernel's. */
#include <kunit/test.h>
#include <linux/crc32.h>
#include <linux/module.h>
#include <linux/prandom.h>

#include "../../hw/ibt/crc.c"

#define BYTES	9000

static void choose(struct kunit *test, const char *way)
{
	char name[64];

	strscpy(name, way, sizeof(name));
	ibt_crc_choose(name, sizeof(name));
	KUNIT_EXPECT_EQ_MSG(test, !shash, !strcmp(name, "crc32_le"), "%s", name);
	if (*way)
		KUNIT_EXPECT_EQ_MSG(test, !shash, !strcmp(way, "table"), "%s", name);
}

/* Either way it is the same, from any state, wherever the bytes are. */
static void crc_either_way(struct kunit *test)
{
	static const char *const ways[] = { "table", "crypto", "" };
	u8 *bytes = kunit_kzalloc(test, BYTES, GFP_KERNEL);
	struct rnd_state rnd;
	u32 i, at, length;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	prandom_seed_state(&rnd, 7);
	prandom_bytes_state(&rnd, bytes, BYTES);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		choose(test, ways[i]);
		for (length = 0; length < BYTES - 64; length += 1 + length / 16) {
			at = length % 61;
			KUNIT_EXPECT_EQ_MSG(test, ibt_crc32(~length, bytes + at, length),
					    crc32_le(~length, bytes + at, length),
					    "%u bytes at %u, way '%s'", length, at, ways[i]);
		}
		ibt_crc_end();
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(crc_either_way),
	{}
};

static struct kunit_suite suite = {
	.name = "ibt_crc",
	.test_cases = cases,
};
kunit_test_suites(&suite);
MODULE_DESCRIPTION("Tests of the CRC-32 of packets");
MODULE_LICENSE("GPL");

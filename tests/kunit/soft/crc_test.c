// SPDX-License-Identifier: GPL-2.0
/* Checksums of packets and FPDUs, which are linked with this, against the kernel's. */
#include <kunit/test.h>
#include <linux/crc32.h>
#include <linux/module.h>
#include <linux/prandom.h>

#include "hw/ibt/crc.h"
#include "hw/iwarp/crc.h"
#include "hw/soft/crc.h"

#define BYTES	9000

static u32 packets(u32 crc, const u8 *at, u32 length)
{
	return ibt_crc32(crc, at, length);
}

static u32 fpdus(u32 crc, const u8 *at, u32 length)
{
	return iw_crc(crc, at, length);
}

static const struct kind {
	const struct soft_crc *crc;
	u32 (*go_on)(u32 crc, const u8 *at, u32 length);
	void (*choose)(char *name, size_t size);
	void (*end)(void);
} kinds[] = {
	{ &ibt_crc_kind, packets, ibt_crc_choose, ibt_crc_end },
	{ &iw_crc_kind, fpdus, iw_crc_choose, iw_crc_end },
};

static void choose(struct kunit *test, const struct kind *kind, const char *way)
{
	char name[64];

	strscpy(name, way, sizeof(name));
	kind->choose(name, sizeof(name));
	if (strcmp(name, "slices"))
		KUNIT_EXPECT_EQ_MSG(test, !kind->crc->shash,
				    !strcmp(name, kind->crc->table_name), "%s", name);
	if (*way)
		KUNIT_EXPECT_EQ_MSG(test, !kind->crc->shash, !strcmp(way, "table"), "%s", name);
}

static void either_way(struct kunit *test, const struct kind *kind, const char *way,
		       const u8 *bytes)
{
	u32 at, length;

	choose(test, kind, way);
	for (length = 0; length < BYTES - 64; length += 1 + length / 16) {
		at = length % 61;
		KUNIT_EXPECT_EQ_MSG(test, kind->go_on(~length, bytes + at, length),
				    kind->crc->table(~length, bytes + at, length),
				    "%s: %u bytes at %u, way '%s'", kind->crc->name,
				    length, at, way);
	}
	kind->end();
}

/* Either way it is the same, from any state, wherever the bytes are. */
static void crc_either_way(struct kunit *test)
{
	static const char *const ways[] = { "table", "crypto", "" };
	u8 *bytes = kunit_kzalloc(test, BYTES, GFP_KERNEL);
	struct rnd_state rnd;
	u32 i, k;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	prandom_seed_state(&rnd, 7);
	prandom_bytes_state(&rnd, bytes, BYTES);
	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		for (i = 0; i < ARRAY_SIZE(ways); i++)
			either_way(test, &kinds[k], ways[i], bytes);
}

/* Of several packets in turns, as of each alone. */
static void crc_beside(struct kunit *test)
{
	static const char *const ways[] = { "table", "crypto", "slices" };
	u8 *bytes = kunit_kzalloc(test, BYTES, GFP_KERNEL);
	const u8 *at[IBT_ICRCS];
	u32 crc[IBT_ICRCS];
	struct rnd_state rnd;
	u32 way, length, n, i;
	char name[64];

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	prandom_seed_state(&rnd, 8);
	prandom_bytes_state(&rnd, bytes, BYTES);
	for (way = 0; way < ARRAY_SIZE(ways); way++) {
		strscpy(name, ways[way], sizeof(name));
		ibt_crc_choose(name, sizeof(name));
		KUNIT_EXPECT_EQ(test, ibt_crc32_most(), way == 2 ? IBT_ICRCS : 1);
		for (length = 0; length < BYTES / 2; length += 1 + length / 7) {
			n = length % (IBT_ICRCS + 1);
			for (i = 0; i < n; i++) {
				crc[i] = ~i;
				at[i] = bytes + i * 1001 + length % 13;
			}
			ibt_crc32_interleaved(crc, at, n, length);
			for (i = 0; i < n; i++)
				KUNIT_EXPECT_EQ_MSG(test, crc[i], crc32_le(~i, at[i], length),
						    "%s: %u bytes, %u of %u", name, length,
						    i, n);
		}
		ibt_crc_end();
	}
}

/* "123456789", as the catalogues of checksums have it. */
static void crc_known(struct kunit *test)
{
	const u8 *digits = "123456789";

	KUNIT_EXPECT_EQ(test, ~ibt_crc32(~0, digits, 9), 0xcbf43926);
	KUNIT_EXPECT_EQ(test, ~iw_crc(~0, digits, 9), 0xe3069283);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(crc_either_way),
	KUNIT_CASE(crc_beside),
	KUNIT_CASE(crc_known),
	{}
};

static struct kunit_suite suite = {
	.name = "soft_crc",
	.test_cases = cases,
};
kunit_test_suites(&suite);
MODULE_DESCRIPTION("Tests of checksums");
MODULE_LICENSE("GPL");

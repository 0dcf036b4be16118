// SPDX-License-Identifier: GPL-2.0
/* ofed_iwarp: bytes of Terminate and of the start-up frames. */
#include <asm/unaligned.h>

#include "hw/iwarp/mpa.h"
#include "hw/iwarp/term.h"
#include "sender.h"
#include "suites.h"

/* ---- Terminate: RFC 5040 4.8 --------------------------------------------------------- */

static const struct {
	u16 what;
	u8 word[2];
	bool blames;
} terms[] = {
	{ IW_TERM_LOCAL_CATASTROPHIC,	{ 0x00, 0x00 }, false },
	{ IW_TERM_RDMAP_STAG,		{ 0x01, 0x00 }, true },
	{ IW_TERM_RDMAP_BOUNDS,		{ 0x01, 0x01 }, true },
	{ IW_TERM_RDMAP_ACCESS,		{ 0x01, 0x02 }, true },
	{ IW_TERM_RDMAP_NOT_ASSOCIATED,	{ 0x01, 0x03 }, true },
	{ IW_TERM_RDMAP_WRAP,		{ 0x01, 0x04 }, true },
	{ IW_TERM_RDMAP_NO_INVALIDATE,	{ 0x01, 0x09 }, true },
	{ IW_TERM_RDMAP_PROTECTION,	{ 0x01, 0xff }, true },
	{ IW_TERM_RDMAP_VERSION,	{ 0x02, 0x05 }, true },
	{ IW_TERM_RDMAP_OPCODE,		{ 0x02, 0x06 }, true },
	{ IW_TERM_RDMAP_STREAM,		{ 0x02, 0x07 }, true },
	{ IW_TERM_RDMAP_GLOBAL,		{ 0x02, 0x08 }, true },
	{ IW_TERM_RDMAP_INVALIDATE,	{ 0x02, 0x09 }, true },
	{ IW_TERM_RDMAP_OPERATION,	{ 0x02, 0xff }, true },
	{ IW_TERM_DDP_LOCAL,		{ 0x10, 0x00 }, false },
	{ IW_TERM_DDP_STAG,		{ 0x11, 0x00 }, true },
	{ IW_TERM_DDP_BOUNDS,		{ 0x11, 0x01 }, true },
	{ IW_TERM_DDP_NOT_ASSOCIATED,	{ 0x11, 0x02 }, true },
	{ IW_TERM_DDP_WRAP,		{ 0x11, 0x03 }, true },
	{ IW_TERM_DDP_TAGGED_VERSION,	{ 0x11, 0x04 }, true },
	{ IW_TERM_DDP_QN,		{ 0x12, 0x01 }, true },
	{ IW_TERM_DDP_NO_BUFFER,	{ 0x12, 0x02 }, true },
	{ IW_TERM_DDP_MSN_RANGE,	{ 0x12, 0x03 }, true },
	{ IW_TERM_DDP_MO,		{ 0x12, 0x04 }, true },
	{ IW_TERM_DDP_TOO_LONG,		{ 0x12, 0x05 }, true },
	{ IW_TERM_DDP_UNTAGGED_VERSION,	{ 0x12, 0x06 }, true },
	{ IW_TERM_MPA_CLOSED,		{ 0x20, 0x01 }, false },
	{ IW_TERM_MPA_CRC,		{ 0x20, 0x02 }, false },
	{ IW_TERM_MPA_MARKER,		{ 0x20, 0x03 }, false },
	{ IW_TERM_MPA_CATASTROPHIC,	{ 0x20, 0x05 }, false },
	{ IW_TERM_MPA_IRD,		{ 0x20, 0x06 }, false },
	{ IW_TERM_MPA_RTR,		{ 0x20, 0x07 }, false },
};

static void term_golden_test(struct kunit *test)
{
	struct iw_term_msg term, back;
	u8 bytes[IW_TERM_MAX_BYTES];
	u32 i, length;

	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		term = (struct iw_term_msg){
			.what = terms[i].what, .length = 0x1234, .ddp_bytes = 14,
			.ddp = { 0xc1, 0x40, 0xde, 0xad, 0xbe, 0xef },
		};
		length = iw_term_build(&term, bytes);
		KUNIT_EXPECT_EQ(test, length, terms[i].blames ? 4 + 2 + 14 : 4);
		EXPECT_BYTES(test, bytes, terms[i].word);
		KUNIT_EXPECT_EQ(test, bytes[2], terms[i].blames ? 0xc0 : 0);
		KUNIT_EXPECT_EQ(test, bytes[3], 0);
		KUNIT_ASSERT_TRUE(test, iw_term_parse(&back, bytes, length));
		KUNIT_EXPECT_EQ(test, back.what, terms[i].what);
		if (!terms[i].blames)
			continue;
		KUNIT_EXPECT_EQ(test, get_unaligned_be16(bytes + 4), 0x1234);
		KUNIT_EXPECT_EQ(test, memcmp(bytes + 6, term.ddp, 14), 0);
		KUNIT_EXPECT_EQ(test, back.length, 0x1234);
		KUNIT_EXPECT_EQ(test, memcmp(back.ddp, term.ddp, 14), 0);
	}
}

/* A READ request goes back whole; nothing is read behind the end. */
static void term_read_test(struct kunit *test)
{
	struct iw_term_msg term = {
		.what = IW_TERM_RDMAP_BOUNDS, .length = 46, .ddp_bytes = 18,
		.ddp = { 0x41, 0x41 }, .read = true, .request = { 1, 2, 3 },
	}, back;
	u8 bytes[IW_TERM_MAX_BYTES];
	u32 length = iw_term_build(&term, bytes), i;

	KUNIT_EXPECT_EQ(test, length, 4 + 2 + 18 + 28);
	KUNIT_EXPECT_EQ(test, bytes[2], 0xe0);
	KUNIT_EXPECT_EQ(test, memcmp(bytes + 24, term.request, 28), 0);
	KUNIT_ASSERT_TRUE(test, iw_term_parse(&back, bytes, length));
	KUNIT_EXPECT_TRUE(test, back.read);
	KUNIT_EXPECT_EQ(test, memcmp(back.request, term.request, 28), 0);
	for (i = 0; i < length; i++)
		KUNIT_EXPECT_FALSE(test, iw_term_parse(&back, bytes, i));
}

/* ---- start-up frames ------------------------------------------------------------------- */

static void mpa_golden_test(struct kunit *test)
{
	static const u8 want[] = {
		'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e', 'q', ' ',
		'F', 'r', 'a', 'm', 'e', 0x50, 2, 0, 7,
		0xc0, 0x05, 0xc0, 0x09, 'a', 'b', 'c',
	};
	static const u8 reply[] = {
		'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e', 'p', ' ',
		'F', 'r', 'a', 'm', 'e', 0x60, 1, 0, 1, 'x',
	};
	struct iw_mpa_frame frame = {
		.crc = true, .enhanced = true, .p2p = true,
		.rtr = IW_RTR_SEND | IW_RTR_WRITE | IW_RTR_READ, .rev = 2,
		.ird = 5, .ord = 9, .pd_bytes = 3,
	}, no = {
		.reply = true, .crc = true, .reject = true, .rev = 1,
		.pd_bytes = 1,
	}, back;
	u8 bytes[IW_MPA_MAX_FRAME];
	const u8 *pd;

	KUNIT_EXPECT_EQ(test, iw_mpa_build(&frame, "abc", bytes), sizeof(want));
	EXPECT_BYTES(test, bytes, want);
	KUNIT_ASSERT_EQ(test, iw_mpa_parse(&back, bytes, false, &pd), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&back, &frame, sizeof(back)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(pd, "abc", 3), 0);
	KUNIT_EXPECT_EQ(test, iw_mpa_build(&no, "x", bytes), sizeof(reply));
	EXPECT_BYTES(test, bytes, reply);
	KUNIT_EXPECT_EQ(test, iw_mpa_parse(&back, bytes, true, &pd), 0);
	KUNIT_EXPECT_TRUE(test, back.reject);
	/* One is not the other. */
	KUNIT_EXPECT_EQ(test, iw_mpa_parse(&back, bytes, false, &pd), -EPROTO);
}

static void mpa_bad_test(struct kunit *test)
{
	struct iw_mpa_frame frame = { .rev = 2, .enhanced = true }, back;
	u8 bytes[IW_MPA_MAX_FRAME], good[IW_MPA_MAX_FRAME];
	const u8 *pd;
	u32 i;

	iw_mpa_build(&frame, NULL, good);
	for (i = 0; i < IW_MPA_KEY_BYTES; i++) {
		memcpy(bytes, good, sizeof(good));
		bytes[i] ^= 1;
		KUNIT_EXPECT_EQ(test, iw_mpa_frame_bytes(bytes, false), -EPROTO);
	}
	memcpy(bytes, good, sizeof(good));
	put_unaligned_be16(513, bytes + 18);
	KUNIT_EXPECT_EQ(test, iw_mpa_frame_bytes(bytes, false), -EMSGSIZE);
	put_unaligned_be16(512, bytes + 18);
	KUNIT_EXPECT_EQ(test, iw_mpa_frame_bytes(bytes, false), 532);
	/* Said to be enhanced, without room for it. */
	put_unaligned_be16(3, bytes + 18);
	KUNIT_EXPECT_EQ(test, iw_mpa_parse(&back, bytes, false, &pd), -EPROTO);
	memcpy(bytes, good, sizeof(good));
	bytes[17] = 0;
	KUNIT_EXPECT_EQ(test, iw_mpa_parse(&back, bytes, false, &pd),
			-EPROTONOSUPPORT);
	bytes[17] = 3;
	KUNIT_EXPECT_EQ(test, iw_mpa_parse(&back, bytes, false, &pd),
			-EPROTONOSUPPORT);
	/* A request never refuses. */
	bytes[17] = 2;
	bytes[16] |= IW_MPA_REJECT;
	KUNIT_EXPECT_EQ(test, iw_mpa_parse(&back, bytes, false, &pd), -EPROTO);
}

static void mpa_terms_test(struct kunit *test)
{
	struct iw_mpa_frame request = {
		.rev = 2, .enhanced = true, .p2p = true, .ird = 4, .ord = 16,
		.rtr = IW_RTR_READ | IW_RTR_SEND,
	}, reply;
	struct iw_mpa_terms theirs, ours;

	iw_mpa_answer(&reply, &theirs, &request, 8, 32, true);
	KUNIT_EXPECT_EQ(test, theirs.ord, 4);
	KUNIT_EXPECT_EQ(test, theirs.ird, 8);
	KUNIT_EXPECT_EQ(test, (int)theirs.rtr, (int)IW_RTR_READ);
	KUNIT_EXPECT_TRUE(test, theirs.crc);
	KUNIT_ASSERT_EQ(test, iw_mpa_agree(&ours, &request, &reply, 128), 0);
	KUNIT_EXPECT_EQ(test, ours.ord, 8);
	KUNIT_EXPECT_EQ(test, ours.ird, 4);
	KUNIT_EXPECT_TRUE(test, ours.crc);
	KUNIT_EXPECT_EQ(test, (int)ours.rtr, (int)IW_RTR_READ);

	/* What was not requested, or is not possible. */
	reply.rtr = IW_RTR_WRITE;
	KUNIT_EXPECT_EQ(test, iw_mpa_agree(&ours, &request, &reply, 128), -EPROTO);
	reply.rtr = IW_RTR_READ;
	reply.ord = 200;
	KUNIT_EXPECT_EQ(test, iw_mpa_agree(&ours, &request, &reply, 128), -ENOBUFS);
	reply.markers = true;
	KUNIT_EXPECT_EQ(test, iw_mpa_agree(&ours, &request, &reply, 128),
			-EOPNOTSUPP);
	/* RFC 5044 alone knows none of it. */
	request = (struct iw_mpa_frame){ .rev = 1 };
	iw_mpa_answer(&reply, &theirs, &request, 8, 32, false);
	KUNIT_EXPECT_FALSE(test, reply.enhanced);
	KUNIT_EXPECT_EQ(test, reply.rev, 1);
	KUNIT_EXPECT_EQ(test, theirs.ord, 32);
	KUNIT_EXPECT_FALSE(test, theirs.crc);
}

static struct kunit_case frames_cases[] = {
	KUNIT_CASE(term_golden_test),
	KUNIT_CASE(term_read_test),
	KUNIT_CASE(mpa_golden_test),
	KUNIT_CASE(mpa_bad_test),
	KUNIT_CASE(mpa_terms_test),
	{}
};

struct kunit_suite iwarp_frames_suite = {
	.name = "iwarp_frames",
	.test_cases = frames_cases,
};

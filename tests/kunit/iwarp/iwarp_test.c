// SPDX-License-Identifier: GPL-2.0
/*
 * ofed_iwarp without a socket: bytes of each frame, FPDU and Terminate, what
 * becomes of a stream in pieces and of a damaged one, and the table of
 * connections.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/random.h>
#include <asm/unaligned.h>

#include "hw/iwarp/conn_states.h"
#include "hw/iwarp/crc.h"
#include "hw/iwarp/mpa.h"
#include "hw/iwarp/qp.h"
#include "hw/iwarp/rx.h"
#include "hw/iwarp/term.h"

#define EXPECT_BYTES(test, have, want) \
	KUNIT_EXPECT_EQ(test, memcmp(have, want, sizeof(want)), 0)

/* iw_near_kunit has it. */
void iw_loopback_send_ctrl(struct iw_qp *qp, const void *fpdu, u32 bytes)
{
}

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

/* ---- FPDUs: bytes, CRCs by another implementation ---------------------------------------- */

struct sender {
	struct iw_dev dev;
	struct iw_qp qp;
};

static struct sender *new_sender(struct kunit *test)
{
	struct sender *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s);
	s->dev.stats = alloc_percpu(struct iw_stats);
	KUNIT_ASSERT_TRUE(test, !!s->dev.stats);
	s->qp.ib.device = &s->dev.soft.ib;
	mutex_init(&s->qp.tx.lock);
	mutex_lock(&s->qp.tx.lock);
	s->qp.tx.crc = true;
	s->qp.tx.max_ulpdu = 1400;
	return s;
}

static void end_sender(struct sender *s)
{
	iw_tx_drop(&s->qp.tx);
	mutex_unlock(&s->qp.tx.lock);
	free_percpu(s->dev.stats);
}

static const u8 *built(struct sender *s)
{
	const struct bio_vec *vec = &s->qp.tx.vec[0];

	return page_address(vec->bv_page) + vec->bv_offset;
}

static void fpdu_tagged_test(struct kunit *test)
{
	static const u8 want[] = {
		0x00, 0x13, 0xc1, 0x40, 0x11, 0x22, 0x33, 0x44, 0x01, 0x02,
		0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x68, 0x65, 0x6c, 0x6c,
		0x6f, 0x00, 0x00, 0x00, 0x1f, 0xb1, 0x00, 0x4d,
	};
	struct sender *s = new_sender(test);
	struct iw_tx *tx = &s->qp.tx;
	u8 text[] = "hello";

	tx->hdr = (struct iw_tx_hdr){
		.rdmap = IW_RDMAP_WRITE, .tagged = true, .stag = 0x11223344,
		.to = 0x0102030405060708,
	};
	tx->length = 5;
	soft_iter_bytes(&tx->from, text, 5);
	KUNIT_EXPECT_EQ(test, iw_fpdu_build(&s->qp, tx), 0);
	KUNIT_EXPECT_EQ(test, tx->vec[0].bv_len, sizeof(want));
	EXPECT_BYTES(test, built(s), want);
	end_sender(s);
}

static void fpdu_untagged_test(struct kunit *test)
{
	static const u8 want[] = {
		0x00, 0x15, 0x41, 0x46, 0xaa, 0xbb, 0xcc, 0xdd, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00,
		0x61, 0x62, 0x63, 0x00, 0x50, 0xc7, 0x26, 0xdc,
	};
	struct sender *s = new_sender(test);
	struct iw_tx *tx = &s->qp.tx;
	u8 text[] = "abc";

	tx->hdr = (struct iw_tx_hdr){
		.rdmap = IW_RDMAP_SEND_SE_INV, .stag = 0xaabbccdd,
		.qn = IW_QN_SEND, .msn = 7,
	};
	tx->length = 3;
	soft_iter_bytes(&tx->from, text, 3);
	KUNIT_EXPECT_EQ(test, iw_fpdu_build(&s->qp, tx), 0);
	KUNIT_EXPECT_EQ(test, tx->vec[0].bv_len, sizeof(want));
	EXPECT_BYTES(test, built(s), want);
	end_sender(s);
}

static void fpdu_read_test(struct kunit *test)
{
	static const u8 want[] = {
		0x00, 0x2e, 0x41, 0x41, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x01, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00,
		0x01, 0x02, 0x03, 0x04, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
		0x17, 0x18, 0x00, 0x00, 0x10, 0x00, 0x21, 0x22, 0x23, 0x24,
		0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x94, 0x7d,
		0x05, 0x3d,
	};
	const struct iw_read_req req = {
		.hdr = {
			.ddp = IW_DDP_VERSION | IW_DDP_LAST,
			.rdmap = IW_RDMAP_VERSION | IW_RDMAP_READ_REQ,
			.qn = cpu_to_be32(IW_QN_READ_REQ),
			.msn = cpu_to_be32(3),
		},
		.sink_stag = cpu_to_be32(0x01020304),
		.sink_to = cpu_to_be64(0x1112131415161718),
		.size = cpu_to_be32(0x1000),
		.source_stag = cpu_to_be32(0x21222324),
		.source_to = cpu_to_be64(0x3132333435363738),
	};
	struct sender *s = new_sender(test);

	KUNIT_EXPECT_EQ(test, iw_fpdu_control(&s->qp, &req, sizeof(req)), 0);
	KUNIT_EXPECT_EQ(test, s->qp.tx.vec[0].bv_len, sizeof(want));
	EXPECT_BYTES(test, built(s), want);
	end_sender(s);
}

/* RFC 7306 5.2.1 */
static void fpdu_atomic_test(struct kunit *test)
{
	static const u8 want[] = {
		0x00, 0x46, 0x41, 0x4a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x01, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x03, 0x21, 0x22,
		0x23, 0x24, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38,
		0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x51, 0x52, 0x53, 0x54,
		0x55, 0x56, 0x57, 0x58, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xc4, 0x84, 0x16, 0xfa,
	};
	const struct iw_wqe wqe = {
		.opcode = IB_WR_ATOMIC_CMP_AND_SWP, .msn = 3, .rkey = 0x21222324,
		.raddr = 0x3132333435363738, .swap = 0x4142434445464748,
		.operand = 0x5152535455565758,
	};
	struct sender *s = new_sender(test);

	KUNIT_EXPECT_EQ(test, iw_atomic_ask(&s->qp, &wqe), 0);
	KUNIT_EXPECT_EQ(test, s->qp.tx.vec[0].bv_len, sizeof(want));
	EXPECT_BYTES(test, built(s), want);
	end_sender(s);
}

/* RFC 7306 5.1, bit by bit as it is written there. */
static u64 added(u64 was, u64 add, u64 mask)
{
	u64 result = 0;
	u32 bit, sum, carry = 0;

	for (bit = 0; bit < 64; bit++) {
		sum = carry + (was >> bit & 1) + (add >> bit & 1);
		result |= (u64)(sum & 1) << bit;
		carry = mask >> bit & 1 ? 0 : sum >> 1;
	}
	return result;
}

static u64 swapped(const struct iw_irrq_entry *ask, u64 was)
{
	u64 result = 0, from;
	u32 bit;

	for (bit = 0; bit < 64; bit++)
		if (ask->compare_mask >> bit & 1 &&
		    (ask->compare >> bit & 1) != (was >> bit & 1))
			return was;
	for (bit = 0; bit < 64; bit++) {
		from = ask->add_swap_mask >> bit & 1 ? ask->add_swap : was;
		result |= from & BIT_ULL(bit);
	}
	return result;
}

static void atomic_outcome_test(struct kunit *test)
{
	struct iw_irrq_entry ask = { .atomic = true };
	u32 i, equal = 0;
	u64 was, want;

	for (i = 0; i < 10000; i++) {
		was = get_random_u64();
		ask.add_swap = get_random_u64();
		ask.add_swap_mask = i % 3 ? get_random_u64() : i % 2 ? 0 : U64_MAX;
		ask.compare_mask = get_random_u64() & get_random_u64();
		ask.compare = i % 2 ? get_random_u64() :
			(was & ask.compare_mask) | (~was & ~ask.compare_mask);
		ask.op = IW_ATOMIC_FETCH_ADD;
		KUNIT_EXPECT_EQ(test, iw_atomic_outcome(&ask, was),
				added(was, ask.add_swap, ask.add_swap_mask));
		ask.op = IW_ATOMIC_CMP_SWAP;
		want = swapped(&ask, was);
		KUNIT_EXPECT_EQ(test, iw_atomic_outcome(&ask, was), want);
		equal += want != was;
	}
	KUNIT_EXPECT_GT(test, equal, 1000);
}

/* RFC 7306 6; the verbs have 32 bits, in the order of the wire */
static void fpdu_imm_test(struct kunit *test)
{
	static const u8 want[] = {
		0x00, 0x1a, 0x41, 0x49, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0xca, 0xfe, 0x00, 0x01, 0xa4, 0xd9,
		0x5b, 0x35,
	};
	const struct iw_wqe wqe = {
		.opcode = IB_WR_RDMA_WRITE_WITH_IMM, .flags = IB_SEND_SOLICITED,
		.imm = cpu_to_be32(0xcafe0001),
	};
	struct sender *s = new_sender(test);

	s->qp.tx.msn[IW_QN_SEND] = 7;
	KUNIT_EXPECT_EQ(test, iw_imm_send(&s->qp, &wqe), 0);
	KUNIT_EXPECT_EQ(test, s->qp.tx.vec[0].bv_len, sizeof(want));
	EXPECT_BYTES(test, built(s), want);
	KUNIT_EXPECT_EQ(test, s->qp.tx.msn[IW_QN_SEND], 8);
	end_sender(s);
}

/* ---- streams ------------------------------------------------------------------------------ */

#define STREAM_BYTES	6000
#define SPLITS		4096

/*
 * @bytes: FPDUs, one behind the other, of random lengths
 * @at: where each begins
 */
struct stream {
	u8 bytes[STREAM_BYTES];
	u32 at[STREAM_BYTES / 8];
	u32 num;
	u32 length;
};

/* What the receive side made of a stream. */
struct listener {
	struct iw_rx rx;
	struct kunit *test;
	const struct stream *stream;
	u32 next;
	u32 wrong;
	u32 bad;
};

static struct stream *new_stream(struct kunit *test)
{
	struct stream *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	u32 ulpdu, covered;
	u8 *at;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s);
	for (;;) {
		ulpdu = 1 + get_random_u32() % 300;
		if (s->length + iw_fpdu_bytes(ulpdu) > STREAM_BYTES)
			return s;
		at = s->bytes + s->length;
		covered = iw_fpdu_bytes(ulpdu) - IW_MPA_CRC_BYTES;
		get_random_bytes(at, covered);
		put_unaligned_be16(ulpdu, at);
		put_unaligned_le32(~iw_crc(~0U, at, covered), at + covered);
		s->at[s->num++] = s->length;
		s->length += covered + IW_MPA_CRC_BYTES;
	}
}

static void hear(struct iw_rx *rx, const struct iw_fpdu *view)
{
	struct listener *l = container_of(rx, struct listener, rx);
	u32 bytes = iw_fpdu_bytes(view->ulpdu);
	static u8 found[STREAM_BYTES];

	if (l->next >= l->stream->num || bytes > sizeof(found) ||
	    !iw_view_read(view, 0, found, bytes) ||
	    memcmp(found, l->stream->bytes + l->stream->at[l->next], bytes))
		l->wrong++;
	l->next++;
}

static void hear_bad(struct iw_rx *rx)
{
	struct listener *l = container_of(rx, struct listener, rx);

	l->bad++;
	rx->stopped = true;
}

static void begin(struct listener *l, struct kunit *test,
		  const struct stream *stream)
{
	memset(l, 0, sizeof(*l));
	l->test = test;
	l->stream = stream;
	l->rx.fpdu = hear;
	l->rx.bad_crc = hear_bad;
	iw_rx_begin(&l->rx, true);
}

static void feed(struct listener *l, const u8 *bytes, u32 length)
{
	struct sk_buff *skb;

	if (!length)
		return;
	skb = alloc_skb(length, GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(l->test, skb);
	skb_put_data(skb, bytes, length);
	KUNIT_EXPECT_EQ(l->test, iw_rx_input(&l->rx, skb, 0, length), length);
	kfree_skb(skb);
}

static void rx_splits_test(struct kunit *test)
{
	struct stream *stream = new_stream(test);
	struct listener *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	u32 split;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, l);
	for (split = 0; split < SPLITS; split++) {
		begin(l, test, stream);
		feed(l, stream->bytes, split);
		feed(l, stream->bytes + split, stream->length - split);
		if (l->next != stream->num || l->wrong || l->bad)
			KUNIT_FAIL(test, "split at %u: %u of %u, %u wrong, %u bad",
				   split, l->next, stream->num, l->wrong, l->bad);
		KUNIT_EXPECT_EQ(test, l->rx.num, 0);
		iw_rx_end(&l->rx);
	}
}

/* Pieces of 1 byte, of 2, …: more than are held as they come. */
static void rx_pieces_test(struct kunit *test)
{
	struct stream *stream = new_stream(test);
	struct listener *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	u32 size, at;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, l);
	for (size = 1; size < 40; size++) {
		begin(l, test, stream);
		for (at = 0; at < stream->length; at += size)
			feed(l, stream->bytes + at,
			     min(size, stream->length - at));
		KUNIT_EXPECT_EQ(test, l->next, stream->num);
		KUNIT_EXPECT_EQ(test, l->wrong, 0);
		KUNIT_EXPECT_EQ(test, l->bad, 0);
		iw_rx_end(&l->rx);
	}
}

/* A million bytes of streams, each with one that is wrong: no consumer hears of it. */
static void rx_mutated_test(struct kunit *test)
{
	struct listener *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	struct stream *stream = new_stream(test);
	u8 *bytes = kunit_kzalloc(test, STREAM_BYTES, GFP_KERNEL);
	u32 done, at, split, caught = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, l);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, bytes);
	for (done = 0; done < 1000000; done += stream->length) {
		memcpy(bytes, stream->bytes, stream->length);
		at = get_random_u32() % stream->length;
		bytes[at] ^= 1 + get_random_u32() % 255;
		split = get_random_u32() % stream->length;
		begin(l, test, stream);
		feed(l, bytes, split);
		feed(l, bytes + split, stream->length - split);
		KUNIT_EXPECT_EQ(test, l->wrong, 0);
		/* Or it waits for the rest of an FPDU that seems to be longer. */
		KUNIT_EXPECT_TRUE(test, l->bad == 1 || l->rx.num);
		KUNIT_EXPECT_LT(test, l->next, stream->num);
		caught += l->bad;
		iw_rx_end(&l->rx);
	}
	KUNIT_EXPECT_GT(test, caught, 0);
}

/* ---- connections: state x event ------------------------------------------------------------- */

static bool releases(u8 act)
{
	return act == IW_A_GIVE_UP || act == IW_A_DROP || act == IW_A_END ||
	       act == IW_A_LATE_END || act == IW_A_ABORT;
}

static bool opens(u8 act)
{
	return act == IW_A_OPEN || act == IW_A_ACCEPT || act == IW_A_ESTABLISHED;
}

/* Each cell, by the rules that it must keep. */
static void table_cells_test(struct kunit *test)
{
	struct iw_conn_step step;
	int state, event;

	for (state = 0; state < IW_C_STATES; state++)
		for (event = 0; event < IW_C_EVENTS; event++) {
			step = iw_conn_step(state, event);
			KUNIT_EXPECT_LT(test, step.next, IW_C_STATES);
			if (step.act == IW_A_REFUSE) {
				KUNIT_EXPECT_EQ(test, (int)step.next, state);
				continue;
			}
			/* The socket goes with the last state, and never before. */
			KUNIT_EXPECT_EQ(test, step.next == IW_C_DEAD,
					releases(step.act));
			KUNIT_EXPECT_NE(test, state, (int)IW_C_DEAD);
			if (step.next == IW_C_OPEN)
				KUNIT_EXPECT_TRUE(test, opens(step.act));
			/* A report of success is for the contexts that wait for one. */
			if (step.act == IW_A_END || step.act == IW_A_ABORT)
				KUNIT_EXPECT_TRUE(test, state == IW_C_OPEN ||
						  state == IW_C_CLOSING);
			if (step.act == IW_A_LATE_END)
				KUNIT_EXPECT_EQ(test, state, (int)IW_C_READYING);
			if (step.act == IW_A_GIVE_UP)
				KUNIT_EXPECT_TRUE(test, state == IW_C_TCP ||
						  state == IW_C_ASKING);
		}
}

/* Whatever the state: a reset, or the end of the module, lead out of it. */
static void table_ends_test(struct kunit *test)
{
	struct iw_conn_step step;
	int state;

	for (state = 0; state < IW_C_DEAD; state++) {
		if (state == IW_C_LOST) {
			step = iw_conn_step(state, IW_E_REJECT);
			KUNIT_EXPECT_EQ(test, (int)step.next, (int)IW_C_DEAD);
			continue;
		}
		step = iw_conn_step(state, IW_E_RESET);
		KUNIT_EXPECT_TRUE(test, step.next == IW_C_DEAD ||
				  step.next == IW_C_LOST);
		step = iw_conn_step(state, IW_E_ABORT);
		KUNIT_EXPECT_TRUE(test, step.next == IW_C_DEAD ||
				  step.next == IW_C_LOST);
		step = iw_conn_step(state, IW_E_FIN);
		KUNIT_EXPECT_NE(test, (int)step.act, (int)IW_A_REFUSE);
	}
}

/* Every state can be reached from where a connection begins. */
static void table_reach_test(struct kunit *test)
{
	u32 seen = BIT(IW_C_TCP) | BIT(IW_C_HEARING), before;
	int state, event;

	do {
		before = seen;
		for (state = 0; state < IW_C_STATES; state++)
			for (event = 0; event < IW_C_EVENTS; event++)
				if (seen & BIT(state))
					seen |= BIT(iw_conn_step(state, event).next);
	} while (seen != before);
	KUNIT_EXPECT_EQ(test, seen, BIT(IW_C_STATES) - 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(term_golden_test),
	KUNIT_CASE(term_read_test),
	KUNIT_CASE(mpa_golden_test),
	KUNIT_CASE(mpa_bad_test),
	KUNIT_CASE(mpa_terms_test),
	KUNIT_CASE(fpdu_tagged_test),
	KUNIT_CASE(fpdu_untagged_test),
	KUNIT_CASE(fpdu_read_test),
	KUNIT_CASE(fpdu_atomic_test),
	KUNIT_CASE(atomic_outcome_test),
	KUNIT_CASE(fpdu_imm_test),
	KUNIT_CASE(rx_splits_test),
	KUNIT_CASE(rx_pieces_test),
	KUNIT_CASE(rx_mutated_test),
	KUNIT_CASE(table_cells_test),
	KUNIT_CASE(table_ends_test),
	KUNIT_CASE(table_reach_test),
	{}
};

static int suite_init(struct kunit_suite *suite)
{
	char fastest[64] = "";

	iw_crc_choose(fastest, sizeof(fastest));
	return 0;
}

static void suite_exit(struct kunit_suite *suite)
{
	iw_crc_end();
}

static struct kunit_suite suite = {
	.name = "iwarp",
	.suite_init = suite_init,
	.suite_exit = suite_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of ofed_iwarp");
MODULE_LICENSE("GPL");

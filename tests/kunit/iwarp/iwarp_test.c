// SPDX-License-Identifier: GPL-2.0
/*
 * ofed_iwarp without a socket: bytes of each FPDU, and what becomes of a stream
 * in pieces and of a damaged one.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/random.h>
#include <asm/unaligned.h>

#include "hw/iwarp/crc.h"
#include "hw/iwarp/qp.h"
#include "hw/iwarp/rx.h"
#include "sender.h"
#include "suites.h"

/* iw_near_kunit has it. */
void iw_loopback_send_ctrl(struct iw_qp *qp, const void *fpdu, u32 bytes)
{
}

/* ---- FPDUs: bytes, CRCs by another implementation ---------------------------------------- */

static struct sender *crc_sender(struct kunit *test)
{
	struct sender *s = new_sender(test);

	s->qp.tx.crc = true;
	s->qp.tx.max_ulpdu = 1400;
	return s;
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
	struct sender *s = crc_sender(test);
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
	struct sender *s = crc_sender(test);
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
	struct sender *s = crc_sender(test);

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
	struct sender *s = crc_sender(test);

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
	struct sender *s = crc_sender(test);

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

static struct kunit_case cases[] = {
	KUNIT_CASE(fpdu_tagged_test),
	KUNIT_CASE(fpdu_untagged_test),
	KUNIT_CASE(fpdu_read_test),
	KUNIT_CASE(fpdu_atomic_test),
	KUNIT_CASE(atomic_outcome_test),
	KUNIT_CASE(fpdu_imm_test),
	KUNIT_CASE(rx_splits_test),
	KUNIT_CASE(rx_pieces_test),
	KUNIT_CASE(rx_mutated_test),
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
kunit_test_suites(&suite, &iwarp_frames_suite, &iwarp_conn_states_suite);

MODULE_DESCRIPTION("KUnit tests of ofed_iwarp");
MODULE_LICENSE("GPL");

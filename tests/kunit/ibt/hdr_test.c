// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes of the InfiniBand transport: the opcode table, headers, PSNs.
 * Tables and packets are typed in from the InfiniBand Architecture
 * Specification, volume 1, not made by the code under test, which is linked with
 * this module.
 */
#include <kunit/test.h>
#include <linux/crc32.h>
#include <linux/module.h>
#include <linux/prandom.h>

#include "hw/ibt/crc.h"
#include "hw/ibt/icrc.h"
#include "hw/ibt/opcode.h"
#include "hw/ibt/pkt.h"
#include "hw/ibt/wire.h"
#include "ibt_skb.h"
#include "table_38.h"

/* ---- table 38 ----------------------------------------------------------------- */

static u16 headers_of(const struct row *row)
{
	static const char letters[] = "XDFRCAKMIN";
	static const u16 bits[] = {
		IBT_XRCETH, IBT_DETH, IBT_FETH, IBT_RETH, IBT_ATOMICETH,
		IBT_AETH, IBT_ATOMICACK, IBT_IMM, IBT_IETH, IBT_CNPETH,
	};
	const char *letter;
	u16 headers = 0;

	for (letter = row->headers; *letter; letter++)
		headers |= bits[strchr(letters, *letter) - letters];
	return headers;
}

static u8 flags_of(const struct row *row)
{
	u8 flags = 0;

	if (row->place == 'F' || row->place == 'O')
		flags |= IBT_FIRST;
	if (row->place == 'L' || row->place == 'O')
		flags |= IBT_LAST;
	if (row->place == 'F' || row->place == 'M')
		flags |= IBT_FULL;
	if (strchr(row->traits, 'r'))
		flags |= IBT_TAKES_RECV;
	if (strchr(row->traits, 'a'))
		flags |= IBT_RESPONSE;
	if (strchr(row->traits, 'p'))
		flags |= IBT_PAYLOAD;
	return flags;
}

static void opcodes_are_table_38(struct kunit *test)
{
	int byte;

	for (byte = 0; byte < 256; byte++) {
		const struct ibt_opcode *op = &ibt_opcodes[byte];
		const struct row *row = row_of(byte);

		if (!row) {
			KUNIT_EXPECT_PTR_EQ_MSG(test, op->name, (const char *)NULL,
						"opcode %02x", byte);
			continue;
		}
		KUNIT_ASSERT_NOT_ERR_OR_NULL_MSG(test, op->name, "%s", row->name);
		KUNIT_EXPECT_STREQ(test, op->name, row->name);
		KUNIT_EXPECT_EQ_MSG(test, op->transport, row->transport, "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, op->verb, row->verb, "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, op->headers, headers_of(row), "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, op->flags, flags_of(row), "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, op->length, row->length, "%s", row->name);
	}
}

static int meaningful_rows(void)
{
	int i, rows = 0;

	for (i = 0; i < ARRAY_SIZE(table_38); i++)
		rows += table_38[i].verb != IBT_UNKNOWN;
	return rows;
}

/* Every question, sensible or not, is answered with a row that says just that. */
static void opcode_of_is_the_way_back(struct kunit *test)
{
	static const u16 extras[] = { 0, IBT_IMM, IBT_IETH };
	int question, found = 0;

	for (question = 0; question < 8 * 16 * 4 * 3; question++) {
		int extra = question % 3, place = question / 3 % 4;
		int verb = question / 12 % 16, transport = question / 192;
		u8 byte = ibt_opcode_of(transport, verb, place, extras[extra]);
		const struct row *row = row_of(byte);

		if (byte == 0xff)
			continue;
		found++;
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, row);
		KUNIT_EXPECT_EQ(test, row->transport, transport);
		KUNIT_EXPECT_EQ(test, row->verb, verb);
		KUNIT_EXPECT_EQ(test, flags_of(row) & 3, place);
		KUNIT_EXPECT_EQ(test, headers_of(row) & (IBT_IMM | IBT_IETH),
				extras[extra]);
	}
	KUNIT_EXPECT_EQ(test, found, meaningful_rows());
	/* Flags of a table entry do as a place. */
	KUNIT_EXPECT_EQ(test, ibt_opcode_of(IBT_RC, IBT_SEND,
					    ibt_opcodes[0x02].flags, 0), 0x02);
}

/* ---- packets written down ------------------------------------------------------ */

struct golden {
	const char *name;
	u8 length;
	u8 bytes[64];
	struct ibt_pkt pkt;	/* @op: set by the test */
};

#define ICRC 0xde, 0xad, 0xbe, 0xef	/* no parser looks at it */

static const struct golden goldens[] = { {
	/* BTH, figure 'BTH' of section 9.2: SE, M, pad 1, AckReq. */
	.name = "RC SEND ONLY", .length = 12 + 4 + 4,
	.bytes = { 0x04, 0xd0, 0x80, 0x01, 0x00, 0x12, 0x34, 0x56,
		   0x80, 0xab, 0xcd, 0xef,
		   'a', 'b', 'c', 0, ICRC },
	.pkt = { .opcode = 0x04, .solicited = true, .migrated = true,
		 .ack_request = true, .pad = 1, .pkey = 0x8001,
		 .qpn = 0x123456, .psn = 0xabcdef, .payload = 12, .length = 3 },
}, {
	/* FECN and BECN are the two high bits of resv8a, annex A17. */
	.name = "UC WRITE MIDDLE", .length = 12 + 4 + 4,
	.bytes = { 0x27, 0x00, 0xff, 0xff, 0xc0, 0xff, 0xff, 0xff,
		   0x00, 0x00, 0x00, 0x00, 1, 2, 3, 4, ICRC },
	.pkt = { .opcode = 0x27, .fecn = true, .becn = true, .pkey = 0xffff,
		 .qpn = 0xffffff, .payload = 12, .length = 4 },
}, {
	/* DETH, section 9.3.2; ImmDt, section 9.3.6. */
	.name = "UD SEND ONLY with immediate", .length = 24 + 4,
	.bytes = { 0x65, 0x00, 0xff, 0xff, 0x00, 0xff, 0xff, 0xff,
		   0x00, 0x00, 0x00, 0x07,
		   0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
		   0x11, 0x22, 0x33, 0x44, ICRC },
	.pkt = { .opcode = 0x65, .pkey = 0xffff, .qpn = 0xffffff, .psn = 7,
		 .qkey = 0x80010000, .src_qpn = 1,
		 .imm = cpu_to_be32(0x11223344), .payload = 24 },
}, {
	/* RETH, section 9.3.3. */
	.name = "RC WRITE ONLY with immediate", .length = 32 + 4 + 4,
	.bytes = { 0x0b, 0x30, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11,
		   0x00, 0x00, 0x00, 0x01,
		   0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
		   0xca, 0xfe, 0xf0, 0x0d, 0x00, 0x00, 0x00, 0x01,
		   0x00, 0x00, 0x00, 0x2a, 'x', 0, 0, 0, ICRC },
	.pkt = { .opcode = 0x0b, .pad = 3, .pkey = 0xffff, .qpn = 17, .psn = 1,
		 .va = 0x0123456789abcdef, .rkey = 0xcafef00d, .dma_length = 1,
		 .imm = cpu_to_be32(42), .payload = 32, .length = 1 },
}, {
	.name = "RC READ request", .length = 28 + 4,
	.bytes = { 0x0c, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x02,
		   0x80, 0x00, 0x00, 0x09,
		   0xff, 0xff, 0x88, 0x80, 0x00, 0x00, 0x10, 0x00,
		   0x00, 0x01, 0x02, 0x03, 0x80, 0x00, 0x00, 0x00, ICRC },
	.pkt = { .opcode = 0x0c, .ack_request = true, .pkey = 0xffff,
		 .qpn = 0x102, .psn = 9, .va = 0xffff888000001000,
		 .rkey = 0x10203, .dma_length = 0x80000000, .payload = 28 },
}, {
	/* FETH, annex A19: placement in the low 4 bits, selectivity above; then a RETH. */
	.name = "RC FLUSH", .length = 32 + 4,
	.bytes = { 0x1c, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x02,
		   0x80, 0x00, 0x00, 0x09, 0x00, 0x00, 0x00, 0x12,
		   0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x08,
		   0x00, 0x01, 0x02, 0x03, 0x00, 0x00, 0x00, 0x40, ICRC },
	.pkt = { .opcode = 0x1c, .ack_request = true, .pkey = 0xffff,
		 .qpn = 0x102, .psn = 9, .placement = 2, .selectivity = 1,
		 .va = 0x7f0000001008, .rkey = 0x10203, .dma_length = 0x40,
		 .payload = 32 },
}, {
	/* AETH, section 9.3.5: NAK, remote access error (0 11 00010), MSN 3. */
	.name = "RC NAK", .length = 16 + 4,
	.bytes = { 0x11, 0x40, 0xff, 0xff, 0x00, 0x00, 0x01, 0x02,
		   0x00, 0xff, 0xff, 0xff, 0x62, 0x00, 0x00, 0x03, ICRC },
	.pkt = { .opcode = 0x11, .migrated = true, .pkey = 0xffff,
		 .qpn = 0x102, .psn = 0xffffff, .syndrome = 0x62, .msn = 3,
		 .payload = 16 },
}, {
	/* AtomicAckETH, section 9.5.3: behind the AETH. */
	.name = "RC atomic acknowledge", .length = 24 + 4,
	.bytes = { 0x12, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x02,
		   0x00, 0x00, 0x00, 0x0a, 0x1f, 0xff, 0xff, 0xff,
		   0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, ICRC },
	.pkt = { .opcode = 0x12, .pkey = 0xffff, .qpn = 0x102, .psn = 10,
		 .syndrome = 0x1f, .msn = 0xffffff,
		 .original = 0x1020304050607080, .payload = 24 },
}, {
	/* AtomicETH, section 9.3.4: swap (or add), then compare. */
	.name = "RC compare and swap", .length = 40 + 4,
	.bytes = { 0x13, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x02,
		   0x80, 0x00, 0x00, 0x0b,
		   0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x00, 0x08,
		   0x00, 0x00, 0xbe, 0xef,
		   0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
		   0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, ICRC },
	.pkt = { .opcode = 0x13, .ack_request = true, .pkey = 0xffff,
		 .qpn = 0x102, .psn = 11, .va = 0x7f0000000008, .rkey = 0xbeef,
		 .swap_add = 0x0102030405060708, .compare = 0x1112131415161718,
		 .payload = 40 },
}, {
	/* IETH, section 9.3.7. */
	.name = "RC SEND ONLY with invalidate", .length = 16 + 8 + 4,
	.bytes = { 0x17, 0x20, 0xff, 0xff, 0x00, 0x00, 0x01, 0x02,
		   0x00, 0x00, 0x00, 0x0c, 0x12, 0x34, 0x56, 0x78,
		   1, 2, 3, 4, 5, 6, 0, 0, ICRC },
	.pkt = { .opcode = 0x17, .pad = 2, .pkey = 0xffff, .qpn = 0x102,
		 .psn = 12, .inv_rkey = 0x12345678, .payload = 16, .length = 6 },
}, {
	/* ATOMIC WRITE, annex A19: a RETH of length 8, and the eight bytes. */
	.name = "RC ATOMIC WRITE", .length = 28 + 8 + 4,
	.bytes = { 0x1d, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x02,
		   0x80, 0x00, 0x00, 0x0e,
		   0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x00, 0x10,
		   0x00, 0x00, 0xbe, 0xef, 0x00, 0x00, 0x00, 0x08,
		   '8', ' ', 'o', 'c', 't', 'e', 't', 's', ICRC },
	.pkt = { .opcode = 0x1d, .ack_request = true, .pkey = 0xffff,
		 .qpn = 0x102, .psn = 14, .va = 0x7f0000000010, .rkey = 0xbeef,
		 .dma_length = 8, .payload = 28, .length = 8 },
}, {
	/* What answers it: a READ response ONLY of no bytes. */
	.name = "RC READ response without payload", .length = 16 + 4,
	.bytes = { 0x10, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x02,
		   0x00, 0x00, 0x00, 0x0e, 0x1f, 0x00, 0x00, 0x05, ICRC },
	.pkt = { .opcode = 0x10, .pkey = 0xffff, .qpn = 0x102, .psn = 14,
		 .syndrome = 0x1f, .msn = 5, .payload = 16 },
}, {
	/* Annex A17.9.3: BECN and 16 reserved bytes. */
	.name = "CNP", .length = 12 + 16 + 4,
	.bytes = { 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18,
		   0x00, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
		   0, 0, 0, 0, 0, 0, 0, 0, ICRC },
	.pkt = { .opcode = 0x81, .becn = true, .pkey = 0xffff, .qpn = 0x118,
		 .payload = 28 },
}, {
	/* XRCETH, annex A14: in front of the AtomicETH. */
	.name = "XRC fetch and add", .length = 44 + 4,
	.bytes = { 0xb4, 0x00, 0xff, 0xff, 0x00, 0x00, 0x01, 0x02,
		   0x80, 0x00, 0x00, 0x0d, 0x00, 0x0a, 0x0b, 0x0c,
		   0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00,
		   0x00, 0x00, 0x00, 0x05,
		   0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		   0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, ICRC },
	.pkt = { .opcode = 0xb4, .ack_request = true, .pkey = 0xffff,
		 .qpn = 0x102, .psn = 13, .srqn = 0xa0b0c, .va = 0x1000,
		 .rkey = 5, .swap_add = ~0ULL, .payload = 44 },
} };

#define FIELDS(X)							\
	X(opcode) X(solicited) X(migrated) X(ack_request) X(fecn)	\
	X(becn) X(pad) X(pkey) X(qpn) X(psn) X(srqn) X(qkey) X(src_qpn)	\
	X(placement) X(selectivity)					\
	X(va) X(rkey) X(dma_length) X(swap_add) X(compare) X(syndrome)	\
	X(msn) X(original) X(imm) X(inv_rkey) X(payload) X(length)

static void same_packet(struct kunit *test, const struct ibt_pkt *is,
			const struct ibt_pkt *should, const char *name)
{
#define DIFFERS(field) is->field != should->field ? #field :
	const char *wrong = FIELDS(DIFFERS) NULL;

	KUNIT_EXPECT_TRUE_MSG(test, !wrong, "%s: %s", name, wrong);
#undef DIFFERS
}

static void goldens_are_read(struct kunit *test)
{
	struct sk_buff *skb;
	struct ibt_pkt pkt;
	u32 piece;
	int i;

	for (i = 0; i < ARRAY_SIZE(goldens); i++)
		for (piece = 0; piece < goldens[i].length; piece++) {
			memset(&pkt, 0, sizeof(pkt));
			skb = skb_of(test, goldens[i].bytes, goldens[i].length,
				     piece);
			KUNIT_EXPECT_EQ_MSG(test, ibt_hdr_parse(&pkt, skb, 0, skb->len), 0,
					    "%s", goldens[i].name);
			same_packet(test, &pkt, &goldens[i].pkt, goldens[i].name);
			KUNIT_EXPECT_PTR_EQ(test, pkt.op,
					    &ibt_opcodes[goldens[i].bytes[0]]);
			kfree_skb(skb);
		}
}

static void goldens_are_written(struct kunit *test)
{
	struct sk_buff *skb;
	struct ibt_pkt pkt;
	int i;

	for (i = 0; i < ARRAY_SIZE(goldens); i++) {
		const struct golden *g = &goldens[i];

		pkt = g->pkt;
		pkt.op = &ibt_opcodes[pkt.opcode];
		skb = skb_of(test, g->bytes + pkt.payload,
			     g->length - pkt.payload, 0);
		ibt_hdr_push(&pkt, skb);
		KUNIT_EXPECT_EQ(test, skb->len, (u32)g->length);
		KUNIT_EXPECT_TRUE_MSG(test, !memcmp(skb->data, g->bytes, g->length),
				      "%s", g->name);
		kfree_skb(skb);
	}
}

/* What a field can not hold must not reach its neighbours. */
static void wide_values_are_cut(struct kunit *test)
{
	struct ibt_pkt in, out = { };
	struct sk_buff *skb;
	int byte;

	for (byte = 0; byte < 256; byte++) {
		if (!ibt_opcodes[byte].name)
			continue;
		memset(&in, 0xff, sizeof(in));
		in.op = &ibt_opcodes[byte];
		in.opcode = byte;
		in.solicited = in.migrated = in.ack_request = true;
		in.fecn = in.becn = false;
		in.pad = 0;
		skb = skb_of(test, "icrc", 4, 0);
		ibt_hdr_push(&in, skb);
		KUNIT_EXPECT_EQ(test, ibt_hdr_parse(&out, skb, 0, skb->len), 0);
		KUNIT_EXPECT_FALSE(test, out.fecn);
		KUNIT_EXPECT_FALSE(test, out.becn);
		KUNIT_EXPECT_EQ(test, out.qpn, 0xffffffU);
		KUNIT_EXPECT_EQ(test, out.psn, 0xffffffU);
		/* Reserved, but for the marks: five bits beside AckReq. */
		KUNIT_EXPECT_EQ(test, skb->data[8], 0x83);
		KUNIT_EXPECT_EQ(test, out.marks, 0x03);
		kfree_skb(skb);
	}
}

static void round_trip(struct kunit *test)
{
	struct rnd_state random;
	struct ibt_pkt in, out;
	struct sk_buff *skb;
	int round;

	prandom_seed_state(&random, 4711);
	for (round = 0; round < 20000; round++) {
		u8 byte = prandom_u32_state(&random);
		u16 headers = ibt_opcodes[byte].headers;
		struct ibt_pkt noise;

		if (!ibt_opcodes[byte].name)
			continue;
		prandom_bytes_state(&random, &noise, sizeof(noise));
		memset(&in, 0, sizeof(in));
		memset(&out, 0, sizeof(out));
		in.op = &ibt_opcodes[byte];
		in.opcode = byte;
		in.payload = in.op->length;
		in.psn = noise.psn & 0xffffff;
		in.qpn = noise.qpn & 0xffffff;
		in.pkey = noise.pkey;
		in.ack_request = noise.qkey & 1;
		in.solicited = noise.qkey & 2;
		in.migrated = noise.qkey & 4;
		in.srqn = headers & IBT_XRCETH ? noise.srqn & 0xffffff : 0;
		in.placement = headers & IBT_FETH ? noise.placement & 15 : 0;
		in.selectivity = headers & IBT_FETH ? noise.selectivity & 3 : 0;
		in.va = headers & (IBT_RETH | IBT_ATOMICETH) ? noise.va : 0;
		in.rkey = headers & (IBT_RETH | IBT_ATOMICETH) ? noise.rkey : 0;
		in.imm = headers & IBT_IMM ? noise.imm : 0;
		in.inv_rkey = headers & IBT_IETH ? noise.inv_rkey : 0;
		in.msn = headers & IBT_AETH ? noise.msn & 0xffffff : 0;
		in.syndrome = headers & IBT_AETH ? noise.syndrome : 0;
		skb = skb_of(test, "icrc", 4, 0);
		ibt_hdr_push(&in, skb);
		KUNIT_ASSERT_EQ(test, ibt_hdr_parse(&out, skb, 0, skb->len), 0);
		same_packet(test, &out, &in, in.op->name);
		kfree_skb(skb);
	}
}

/* ---- malformed packets ---------------------------------------------------------- */

static const struct {
	const char *why;
	u8 length;
	u8 bytes[48];
} malformed[] = {
	{ "nothing at all", 0, { } },
	{ "half a BTH", 6, { 0x04, 0x00, 0xff, 0xff, 0x00, 0x00 } },
	{ "BTH without ICRC", 12, { 0x04, 0x00, 0xff, 0xff } },
	{ "three bytes of ICRC", 15, { 0x04, 0x00, 0xff, 0xff } },
	{ "transport version 1", 16, { 0x04, 0x01, 0xff, 0xff } },
	{ "transport version 8", 16, { 0x04, 0x08, 0xff, 0xff } },
	{ "reserved opcode UC 0x35", 16, { 0x35, 0x00, 0xff, 0xff } },
	{ "reserved opcode UD 0x7f", 16, { 0x7f, 0x00, 0xff, 0xff } },
	{ "READ on UC", 32, { 0x2c, 0x00, 0xff, 0xff } },
	{ "RD SEND ONLY", 24, { 0x44, 0x00, 0xff, 0xff } },
	{ "UD SEND FIRST", 24, { 0x60, 0x00, 0xff, 0xff } },
	{ "manufacturer's opcode", 16, { 0xe0, 0x00, 0xff, 0xff } },
	{ "ATOMIC WRITE on UC", 40, { 0x3d, 0x00, 0xff, 0xff } },
	{ "ATOMIC WRITE without RETH", 24, { 0x1d, 0x00, 0xff, 0xff } },
	{ "a notification that does not exist", 32, { 0x80, 0x00, 0xff, 0xff } },
	{ "CNP cut short", 28, { 0x81, 0x00, 0xff, 0xff } },
	{ "payload on a CNP", 36, { 0x81, 0x00, 0xff, 0xff } },
	{ "RETH cut short", 28, { 0x0c, 0x00, 0xff, 0xff } },
	{ "DETH cut short", 20, { 0x64, 0x00, 0xff, 0xff } },
	{ "AtomicETH cut short", 40, { 0x13, 0x00, 0xff, 0xff } },
	{ "AETH missing", 16, { 0x11, 0x00, 0xff, 0xff } },
	{ "pad beyond the payload", 16, { 0x04, 0x30, 0xff, 0xff } },
	{ "pad reaching the headers", 20, { 0x05, 0x10, 0xff, 0xff } },
	{ "pad and no payload", 17, { 0x04, 0x10, 0xff, 0xff } },
	{ "nothing but pad", 20, { 0x05, 0x30, 0xff, 0xff } },
	{ "ICRC out of step", 18, { 0x04, 0x00, 0xff, 0xff } },
	{ "pad and payload do not fill a word", 19, { 0x04, 0x20, 0xff, 0xff } },
	{ "payload on a READ request", 36, { 0x0c, 0x00, 0xff, 0xff } },
	{ "payload on an ACK", 24, { 0x11, 0x00, 0xff, 0xff } },
	{ "payload on an atomic ACK", 32, { 0x12, 0x00, 0xff, 0xff } },
	{ "payload on a fetch and add", 48, { 0x14, 0x00, 0xff, 0xff } },
};

static void malformed_is_refused(struct kunit *test)
{
	struct sk_buff *skb;
	struct ibt_pkt pkt;
	int i;

	for (i = 0; i < ARRAY_SIZE(malformed); i++) {
		skb = skb_of(test, malformed[i].bytes, malformed[i].length, 0);
		KUNIT_EXPECT_EQ_MSG(test, ibt_hdr_parse(&pkt, skb, 0, skb->len), -EINVAL,
				    "%s", malformed[i].why);
		kfree_skb(skb);
		skb = skb_of(test, malformed[i].bytes, malformed[i].length, 5);
		KUNIT_EXPECT_EQ_MSG(test, ibt_hdr_parse(&pkt, skb, 0, skb->len), -EINVAL,
				    "%s, in pieces", malformed[i].why);
		kfree_skb(skb);
	}
}

/* The lengths add up, or the packet is refused. */
static void any_bytes(struct kunit *test)
{
	struct rnd_state random;
	struct sk_buff *skb;
	struct ibt_pkt pkt;
	int round, good = 0;
	u8 bytes[80];

	prandom_seed_state(&random, 4711);
	for (round = 0; round < 100000; round++) {
		u32 length = prandom_u32_state(&random) % sizeof(bytes);
		u32 piece = prandom_u32_state(&random) % 40;

		prandom_bytes_state(&random, bytes, sizeof(bytes));
		bytes[1] &= 0x3f;	/* version 0 often enough */
		if (round & 1)
			bytes[1] &= 0xf0;
		skb = skb_of(test, bytes, length, piece);
		if (!ibt_hdr_parse(&pkt, skb, 0, skb->len)) {
			const struct row *row = row_of(bytes[0]);

			good++;
			KUNIT_ASSERT_NOT_ERR_OR_NULL(test, row);
			KUNIT_ASSERT_EQ(test, pkt.payload + pkt.length +
					      pkt.pad + 4, length);
			KUNIT_ASSERT_EQ(test, pkt.payload, (u32)row->length);
		}
		ibt_icrc_ok(skb, 0, skb->len, 0);
		kfree_skb(skb);
	}
	KUNIT_EXPECT_GT(test, good, 100);
}

/* ---- PSNs ------------------------------------------------------------------------- */

static void psn_arithmetic(struct kunit *test)
{
	static const struct {
		u32 a, b;
		s32 diff;
	} rows[] = {
		{ 0, 0, 0 }, { 1, 0, 1 }, { 0, 1, -1 },
		{ 0, 0xffffff, 1 }, { 0xffffff, 0, -1 },
		{ 0xffffff, 0xfffffe, 1 }, { 5, 0xfffffb, 10 },
		{ 0xfffffb, 5, -10 }, { 0x7fffff, 0, 0x7fffff },
		{ 0x800000, 0, -0x800000 }, { 0x800001, 0, -0x7fffff },
		{ 0, 0x800001, 0x7fffff }, { 0x123456, 0x123456, 0 },
		{ 0xff000001, 0x00000001, 0 },	/* high bits do not count */
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, ibt_psn_diff(rows[i].a, rows[i].b),
				    rows[i].diff, "%x - %x", rows[i].a, rows[i].b);

	KUNIT_EXPECT_EQ(test, ibt_psn_add(0xffffff, 1), 0U);
	KUNIT_EXPECT_EQ(test, ibt_psn_add(0xfffff0, 0x20), 0x10U);
	KUNIT_EXPECT_EQ(test, ibt_psn_add(3, -4), 0xffffffU);
	KUNIT_EXPECT_EQ(test, ibt_psn_add(7, 0), 7U);

	KUNIT_EXPECT_EQ(test, ibt_packets(0, 1024), 1U);
	KUNIT_EXPECT_EQ(test, ibt_packets(1, 1024), 1U);
	KUNIT_EXPECT_EQ(test, ibt_packets(1024, 1024), 1U);
	KUNIT_EXPECT_EQ(test, ibt_packets(1025, 1024), 2U);
	KUNIT_EXPECT_EQ(test, ibt_packets(1U << 31, 256), 1U << 23);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(opcodes_are_table_38),
	KUNIT_CASE(opcode_of_is_the_way_back),
	KUNIT_CASE(goldens_are_read),
	KUNIT_CASE(goldens_are_written),
	KUNIT_CASE(wide_values_are_cut),
	KUNIT_CASE(round_trip),
	KUNIT_CASE(malformed_is_refused),
	KUNIT_CASE(any_bytes),
	KUNIT_CASE(psn_arithmetic),
	{ }
};

static struct kunit_suite suite = {
	.name = "ibt_wire",
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("Bytes of the InfiniBand transport");
MODULE_LICENSE("GPL");

/* SPDX-License-Identifier: GPL-2.0 */
/* Table 38 of the InfiniBand Architecture Specification, volume 1, typed in from there. */
#ifndef KUNIT_IBT_TABLE_38_H
#define KUNIT_IBT_TABLE_38_H

#include "hw/ibt/opcode.h"

/*
 * One row per opcode: its byte; transport; name; kind of message; place in it
 * (F first, M middle, L last, O only); r: takes a receive request, a: is an
 * answer, p: may have payload; headers behind the BTH in their order (X XRCETH,
 * D DETH, R RETH, C AtomicETH, A AETH, K AtomicAckETH, M ImmDt, I IETH, N the 16
 * bytes of a notification); bytes of all of them with the BTH.
 */
struct row {
	u8 byte;
	u8 transport;
	const char *name;
	u8 verb;
	char place;
	const char *traits;
	const char *headers;
	u8 length;
};

static const struct row table_38[] = {
	{ 0x00, IBT_RC, "RC_SEND_FIRST", IBT_SEND, 'F', "rp", "", 12 },
	{ 0x01, IBT_RC, "RC_SEND_MIDDLE", IBT_SEND, 'M', "rp", "", 12 },
	{ 0x02, IBT_RC, "RC_SEND_LAST", IBT_SEND, 'L', "rp", "", 12 },
	{ 0x03, IBT_RC, "RC_SEND_LAST_WITH_IMMEDIATE", IBT_SEND, 'L', "rp", "M", 16 },
	{ 0x04, IBT_RC, "RC_SEND_ONLY", IBT_SEND, 'O', "rp", "", 12 },
	{ 0x05, IBT_RC, "RC_SEND_ONLY_WITH_IMMEDIATE", IBT_SEND, 'O', "rp", "M", 16 },
	{ 0x06, IBT_RC, "RC_RDMA_WRITE_FIRST", IBT_WRITE, 'F', "p", "R", 28 },
	{ 0x07, IBT_RC, "RC_RDMA_WRITE_MIDDLE", IBT_WRITE, 'M', "p", "", 12 },
	{ 0x08, IBT_RC, "RC_RDMA_WRITE_LAST", IBT_WRITE, 'L', "p", "", 12 },
	{ 0x09, IBT_RC, "RC_RDMA_WRITE_LAST_WITH_IMMEDIATE", IBT_WRITE, 'L', "rp", "M", 16 },
	{ 0x0a, IBT_RC, "RC_RDMA_WRITE_ONLY", IBT_WRITE, 'O', "p", "R", 28 },
	{ 0x0b, IBT_RC, "RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", IBT_WRITE, 'O', "rp", "RM", 32 },
	{ 0x0c, IBT_RC, "RC_RDMA_READ_REQUEST", IBT_READ, 'O', "", "R", 28 },
	{ 0x0d, IBT_RC, "RC_RDMA_READ_RESPONSE_FIRST", IBT_READ_RESP, 'F', "ap", "A", 16 },
	{ 0x0e, IBT_RC, "RC_RDMA_READ_RESPONSE_MIDDLE", IBT_READ_RESP, 'M', "ap", "", 12 },
	{ 0x0f, IBT_RC, "RC_RDMA_READ_RESPONSE_LAST", IBT_READ_RESP, 'L', "ap", "A", 16 },
	{ 0x10, IBT_RC, "RC_RDMA_READ_RESPONSE_ONLY", IBT_READ_RESP, 'O', "ap", "A", 16 },
	{ 0x11, IBT_RC, "RC_ACKNOWLEDGE", IBT_ACK, 'O', "a", "A", 16 },
	{ 0x12, IBT_RC, "RC_ATOMIC_ACKNOWLEDGE", IBT_ATOMIC_RESP, 'O', "a", "AK", 24 },
	{ 0x13, IBT_RC, "RC_COMPARE_SWAP", IBT_CMP_SWAP, 'O', "", "C", 40 },
	{ 0x14, IBT_RC, "RC_FETCH_ADD", IBT_FETCH_ADD, 'O', "", "C", 40 },
	{ 0x16, IBT_RC, "RC_SEND_LAST_WITH_INVALIDATE", IBT_SEND, 'L', "rp", "I", 16 },
	{ 0x17, IBT_RC, "RC_SEND_ONLY_WITH_INVALIDATE", IBT_SEND, 'O', "rp", "I", 16 },
	/* Annex A19; RC only. */
	{ 0x1c, IBT_RC, "RC_FLUSH", IBT_FLUSH, 'O', "", "FR", 32 },
	{ 0x1d, IBT_RC, "RC_ATOMIC_WRITE", IBT_ATOMIC_WRITE, 'O', "p", "R", 28 },
	/* Reserved there, or in annexes that we do not do: to be refused (9.7.4.1.3). */
	{ 0x15, IBT_RC, "RC_UNUSED_15", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0x18, IBT_RC, "RC_UNUSED_18", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0x19, IBT_RC, "RC_UNUSED_19", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0x1a, IBT_RC, "RC_UNUSED_1A", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0x1b, IBT_RC, "RC_UNUSED_1B", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0x1e, IBT_RC, "RC_UNUSED_1E", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0x1f, IBT_RC, "RC_UNUSED_1F", IBT_UNKNOWN, 'O', "p", "", 12 },

	{ 0x20, IBT_UC, "UC_SEND_FIRST", IBT_SEND, 'F', "rp", "", 12 },
	{ 0x21, IBT_UC, "UC_SEND_MIDDLE", IBT_SEND, 'M', "rp", "", 12 },
	{ 0x22, IBT_UC, "UC_SEND_LAST", IBT_SEND, 'L', "rp", "", 12 },
	{ 0x23, IBT_UC, "UC_SEND_LAST_WITH_IMMEDIATE", IBT_SEND, 'L', "rp", "M", 16 },
	{ 0x24, IBT_UC, "UC_SEND_ONLY", IBT_SEND, 'O', "rp", "", 12 },
	{ 0x25, IBT_UC, "UC_SEND_ONLY_WITH_IMMEDIATE", IBT_SEND, 'O', "rp", "M", 16 },
	{ 0x26, IBT_UC, "UC_RDMA_WRITE_FIRST", IBT_WRITE, 'F', "p", "R", 28 },
	{ 0x27, IBT_UC, "UC_RDMA_WRITE_MIDDLE", IBT_WRITE, 'M', "p", "", 12 },
	{ 0x28, IBT_UC, "UC_RDMA_WRITE_LAST", IBT_WRITE, 'L', "p", "", 12 },
	{ 0x29, IBT_UC, "UC_RDMA_WRITE_LAST_WITH_IMMEDIATE", IBT_WRITE, 'L', "rp", "M", 16 },
	{ 0x2a, IBT_UC, "UC_RDMA_WRITE_ONLY", IBT_WRITE, 'O', "p", "R", 28 },
	{ 0x2b, IBT_UC, "UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", IBT_WRITE, 'O', "rp", "RM", 32 },

	{ 0x64, IBT_UD, "UD_SEND_ONLY", IBT_SEND, 'O', "rp", "D", 20 },
	{ 0x65, IBT_UD, "UD_SEND_ONLY_WITH_IMMEDIATE", IBT_SEND, 'O', "rp", "DM", 24 },

	/* Annex A17.9.3. */
	{ 0x81, IBT_CNP, "CNP_NOTIFY", IBT_NOTIFY, 'O', "", "N", 28 },

	/* Annex A14: the numbers of RC with 101 in the high bits. */
	{ 0xa0, IBT_XRC, "XRC_SEND_FIRST", IBT_SEND, 'F', "rp", "X", 16 },
	{ 0xa1, IBT_XRC, "XRC_SEND_MIDDLE", IBT_SEND, 'M', "rp", "X", 16 },
	{ 0xa2, IBT_XRC, "XRC_SEND_LAST", IBT_SEND, 'L', "rp", "X", 16 },
	{ 0xa3, IBT_XRC, "XRC_SEND_LAST_WITH_IMMEDIATE", IBT_SEND, 'L', "rp", "XM", 20 },
	{ 0xa4, IBT_XRC, "XRC_SEND_ONLY", IBT_SEND, 'O', "rp", "X", 16 },
	{ 0xa5, IBT_XRC, "XRC_SEND_ONLY_WITH_IMMEDIATE", IBT_SEND, 'O', "rp", "XM", 20 },
	{ 0xa6, IBT_XRC, "XRC_RDMA_WRITE_FIRST", IBT_WRITE, 'F', "p", "XR", 32 },
	{ 0xa7, IBT_XRC, "XRC_RDMA_WRITE_MIDDLE", IBT_WRITE, 'M', "p", "X", 16 },
	{ 0xa8, IBT_XRC, "XRC_RDMA_WRITE_LAST", IBT_WRITE, 'L', "p", "X", 16 },
	{ 0xa9, IBT_XRC, "XRC_RDMA_WRITE_LAST_WITH_IMMEDIATE", IBT_WRITE, 'L', "rp", "XM", 20 },
	{ 0xaa, IBT_XRC, "XRC_RDMA_WRITE_ONLY", IBT_WRITE, 'O', "p", "XR", 32 },
	{ 0xab, IBT_XRC, "XRC_RDMA_WRITE_ONLY_WITH_IMMEDIATE", IBT_WRITE, 'O', "rp", "XRM", 36 },
	{ 0xac, IBT_XRC, "XRC_RDMA_READ_REQUEST", IBT_READ, 'O', "", "XR", 32 },
	{ 0xad, IBT_XRC, "XRC_RDMA_READ_RESPONSE_FIRST", IBT_READ_RESP, 'F', "ap", "A", 16 },
	{ 0xae, IBT_XRC, "XRC_RDMA_READ_RESPONSE_MIDDLE", IBT_READ_RESP, 'M', "ap", "", 12 },
	{ 0xaf, IBT_XRC, "XRC_RDMA_READ_RESPONSE_LAST", IBT_READ_RESP, 'L', "ap", "A", 16 },
	{ 0xb0, IBT_XRC, "XRC_RDMA_READ_RESPONSE_ONLY", IBT_READ_RESP, 'O', "ap", "A", 16 },
	{ 0xb1, IBT_XRC, "XRC_ACKNOWLEDGE", IBT_ACK, 'O', "a", "A", 16 },
	{ 0xb2, IBT_XRC, "XRC_ATOMIC_ACKNOWLEDGE", IBT_ATOMIC_RESP, 'O', "a", "AK", 24 },
	{ 0xb3, IBT_XRC, "XRC_COMPARE_SWAP", IBT_CMP_SWAP, 'O', "", "XC", 44 },
	{ 0xb4, IBT_XRC, "XRC_FETCH_ADD", IBT_FETCH_ADD, 'O', "", "XC", 44 },
	{ 0xb6, IBT_XRC, "XRC_SEND_LAST_WITH_INVALIDATE", IBT_SEND, 'L', "rp", "XI", 20 },
	{ 0xb7, IBT_XRC, "XRC_SEND_ONLY_WITH_INVALIDATE", IBT_SEND, 'O', "rp", "XI", 20 },
	{ 0xb5, IBT_XRC, "XRC_UNUSED_15", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0xb8, IBT_XRC, "XRC_UNUSED_18", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0xb9, IBT_XRC, "XRC_UNUSED_19", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0xba, IBT_XRC, "XRC_UNUSED_1A", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0xbb, IBT_XRC, "XRC_UNUSED_1B", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0xbc, IBT_XRC, "XRC_UNUSED_1C", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0xbd, IBT_XRC, "XRC_UNUSED_1D", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0xbe, IBT_XRC, "XRC_UNUSED_1E", IBT_UNKNOWN, 'O', "p", "", 12 },
	{ 0xbf, IBT_XRC, "XRC_UNUSED_1F", IBT_UNKNOWN, 'O', "p", "", 12 },
};

static inline const struct row *row_of(u8 byte)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(table_38); i++)
		if (table_38[i].byte == byte)
			return &table_38[i];
	return NULL;
}

#endif /* KUNIT_IBT_TABLE_38_H */

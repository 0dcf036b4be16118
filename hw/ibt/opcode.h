/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one table of opcodes (IBA vol. 1 table 38; XRC: annex A14, congestion
 * notification: A17, FLUSH and ATOMIC WRITE: A19). It drives building, parsing and sequence
 * checks.
 */
#ifndef IBT_OPCODE_H
#define IBT_OPCODE_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_verbs.h>

/* Of an opcode's high three bits; ib_pack.h has the others (IB_OPCODE_RC, …). */
#define IBT_OPCODE_XRC		0xa0
/* Of the low five bits, beside IB_OPCODE_CNP. */
#define IB_OPCODE_NOTIFY	0x01
/* Beside IB_OPCODE_RC and IBT_OPCODE_XRC: reserved, or RC's alone. */
#define IB_OPCODE_UNUSED_15	0x15
#define IB_OPCODE_UNUSED_18	0x18
#define IB_OPCODE_UNUSED_19	0x19
#define IB_OPCODE_UNUSED_1A	0x1a
#define IB_OPCODE_UNUSED_1B	0x1b
#define IB_OPCODE_UNUSED_1C	0x1c	/* FLUSH, in RC */
#define IB_OPCODE_UNUSED_1D	0x1d	/* ATOMIC WRITE, in RC */
#define IB_OPCODE_UNUSED_1E	0x1e
#define IB_OPCODE_UNUSED_1F	0x1f

enum ibt_transport {
	IBT_RC,
	IBT_UC,
	IBT_UD,
	IBT_XRC,
	IBT_CNP,	/* congestion notification: of the port, no queue pair's */
	IBT_TRANSPORTS,
};

/* Extended headers, in the order in which they follow the BTH. */
#define IBT_XRCETH	BIT(0)
#define IBT_DETH	BIT(1)
#define IBT_FETH	BIT(2)
#define IBT_RETH	BIT(3)
#define IBT_ATOMICETH	BIT(4)
#define IBT_AETH	BIT(5)
#define IBT_ATOMICACK	BIT(6)
#define IBT_IMM		BIT(7)
#define IBT_IETH	BIT(8)
#define IBT_CNPETH	BIT(9)	/* 16 reserved bytes */

/* What a message is. */
enum ibt_verb {
	IBT_SEND,
	IBT_WRITE,
	IBT_READ,
	IBT_READ_RESP,
	IBT_ACK,
	IBT_ATOMIC_RESP,
	IBT_CMP_SWAP,
	IBT_FETCH_ADD,
	IBT_ATOMIC_WRITE,
	IBT_FLUSH,
	IBT_NOTIFY,
	IBT_RESYNC,
	IBT_UNKNOWN,	/* an opcode without a meaning: it is refused in its turn */
};

/* Where in it a packet stands. ONLY is FIRST and LAST. */
#define IBT_FIRST	BIT(0)
#define IBT_LAST	BIT(1)
/* Flags of an opcode beside these. */
#define IBT_RESPONSE	BIT(2)	/* for the completer */
#define IBT_TAKES_RECV	BIT(3)	/* its message takes a receive request */
#define IBT_PAYLOAD	BIT(4)	/* may carry bytes */
#define IBT_FULL	BIT(5)	/* must carry exactly one path MTU */

/**
 * struct ibt_opcode - facts of one opcode
 * @name: for tracing; NULL: there is no such opcode
 * @transport: of the queue pairs that may meet it
 * @verb: kind of message
 * @headers: IBT_*ETH mask
 * @flags: IBT_FIRST … IBT_FULL
 * @length: bytes of BTH and extended headers
 */
struct ibt_opcode {
	const char *name;
	u8 transport;
	u8 verb;
	u16 headers;
	u8 flags;
	u8 length;
};

/* Total: whatever is not in the table has no name. */
extern const struct ibt_opcode ibt_opcodes[256];

/* Of a request packet: which opcode says this. @extra: 0, IBT_IMM or IBT_IETH. */
u8 ibt_opcode_of(enum ibt_transport transport, enum ibt_verb verb, u8 place,
		 u16 extra);

#endif /* IBT_OPCODE_H */

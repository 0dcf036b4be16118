// SPDX-License-Identifier: GPL-2.0
/*
 * The table of opcodes, and the reverse table from a meaning to an opcode. Both
 * are made from one list, so they can not disagree.
 */
#include "opcode.h"
#include "pkt.h"
#include "wire.h"

/* Length of an extended header, if @headers has it. */
#define ETH_BYTES(headers, bit, type) \
	(((headers) & (bit)) ? sizeof(struct ibt_wire_##type) : 0)

#define HDR_BYTES(headers) (sizeof(struct ibt_wire_bth) +		\
	ETH_BYTES(headers, IBT_XRCETH, xrceth) +			\
	ETH_BYTES(headers, IBT_DETH, deth) +				\
	ETH_BYTES(headers, IBT_FETH, feth) +				\
	ETH_BYTES(headers, IBT_RETH, reth) +				\
	ETH_BYTES(headers, IBT_ATOMICETH, atomiceth) +			\
	ETH_BYTES(headers, IBT_AETH, aeth) +				\
	ETH_BYTES(headers, IBT_ATOMICACK, atomicack) +			\
	ETH_BYTES(headers, IBT_IMM, immdt) +				\
	ETH_BYTES(headers, IBT_IETH, ieth) +				\
	ETH_BYTES(headers, IBT_CNPETH, cnpeth))

/* Position of a packet in its message; FIRST and MIDDLE packets are full. */
#define F	(IBT_FIRST | IBT_PAYLOAD | IBT_FULL)
#define M	(IBT_PAYLOAD | IBT_FULL)
#define L	(IBT_LAST | IBT_PAYLOAD)
#define O	(IBT_FIRST | IBT_LAST | IBT_PAYLOAD)
#define BARE	(IBT_FIRST | IBT_LAST)		/* ONLY, without payload */
#define RECV	IBT_TAKES_RECV
#define RESP	IBT_RESPONSE

/*
 * IBA vol. 1 table 38: X(transport, number, operation, verb, headers, flags).
 * @x: header that each request of the transport has.
 */
#define SEND_ROWS(X, t, n, x)						\
	X(t, n, SEND_FIRST, SEND, x, F | RECV)				\
	X(t, n, SEND_MIDDLE, SEND, x, M | RECV)				\
	X(t, n, SEND_LAST, SEND, x, L | RECV)				\
	X(t, n, SEND_LAST_WITH_IMMEDIATE, SEND, x | IBT_IMM, L | RECV)	\
	X(t, n, SEND_ONLY, SEND, x, O | RECV)				\
	X(t, n, SEND_ONLY_WITH_IMMEDIATE, SEND, x | IBT_IMM, O | RECV)

#define WRITE_ROWS(X, t, n, x)						\
	X(t, n, RDMA_WRITE_FIRST, WRITE, x | IBT_RETH, F)		\
	X(t, n, RDMA_WRITE_MIDDLE, WRITE, x, M)				\
	X(t, n, RDMA_WRITE_LAST, WRITE, x, L)				\
	X(t, n, RDMA_WRITE_LAST_WITH_IMMEDIATE, WRITE, x | IBT_IMM,	\
	  L | RECV)							\
	X(t, n, RDMA_WRITE_ONLY, WRITE, x | IBT_RETH, O)		\
	X(t, n, RDMA_WRITE_ONLY_WITH_IMMEDIATE, WRITE,			\
	  x | IBT_RETH | IBT_IMM, O | RECV)

#define RELIABLE_ROWS(X, t, n, x)					\
	SEND_ROWS(X, t, n, x)						\
	WRITE_ROWS(X, t, n, x)						\
	X(t, n, RDMA_READ_REQUEST, READ, x | IBT_RETH, BARE)		\
	X(t, n, RDMA_READ_RESPONSE_FIRST, READ_RESP, IBT_AETH, F | RESP) \
	X(t, n, RDMA_READ_RESPONSE_MIDDLE, READ_RESP, 0, M | RESP)	\
	X(t, n, RDMA_READ_RESPONSE_LAST, READ_RESP, IBT_AETH, L | RESP)	\
	X(t, n, RDMA_READ_RESPONSE_ONLY, READ_RESP, IBT_AETH, O | RESP)	\
	X(t, n, ACKNOWLEDGE, ACK, IBT_AETH, BARE | RESP)		\
	X(t, n, ATOMIC_ACKNOWLEDGE, ATOMIC_RESP,			\
	  IBT_AETH | IBT_ATOMICACK, BARE | RESP)			\
	X(t, n, COMPARE_SWAP, CMP_SWAP, x | IBT_ATOMICETH, BARE)	\
	X(t, n, FETCH_ADD, FETCH_ADD, x | IBT_ATOMICETH, BARE)		\
	X(t, n, SEND_LAST_WITH_INVALIDATE, SEND, x | IBT_IETH, L | RECV) \
	X(t, n, SEND_ONLY_WITH_INVALIDATE, SEND, x | IBT_IETH, O | RECV)

#define ALL_ROWS(X)							\
	RELIABLE_ROWS(X, RC, IB_OPCODE_RC, 0)				\
	X(RC, IB_OPCODE_RC, FLUSH, FLUSH, IBT_FETH | IBT_RETH, BARE)	\
	X(RC, IB_OPCODE_RC, ATOMIC_WRITE, ATOMIC_WRITE, IBT_RETH, O)	\
	SEND_ROWS(X, UC, IB_OPCODE_UC, 0)				\
	WRITE_ROWS(X, UC, IB_OPCODE_UC, 0)				\
	X(UD, IB_OPCODE_UD, SEND_ONLY, SEND, IBT_DETH, O | RECV)	\
	X(UD, IB_OPCODE_UD, SEND_ONLY_WITH_IMMEDIATE, SEND,		\
	  IBT_DETH | IBT_IMM, O | RECV)					\
	RELIABLE_ROWS(X, XRC, IBT_OPCODE_XRC, IBT_XRCETH)		\
	X(CNP, IB_OPCODE_CNP, NOTIFY, NOTIFY, IBT_CNPETH, BARE)

/*
 * IBA 9.7.4.1.3: a reliable responder answers a request with an unknown opcode
 * with a NAK, so these opcodes must pass the parser. The reverse table does not
 * have them.
 */
#define UNUSED_ROW(X, t, n, bits)					\
	X(t, n, UNUSED_##bits, UNKNOWN, 0, O)
#define RESERVED_ROWS(X, t, n)						\
	UNUSED_ROW(X, t, n, 15) UNUSED_ROW(X, t, n, 18)			\
	UNUSED_ROW(X, t, n, 19) UNUSED_ROW(X, t, n, 1A)			\
	UNUSED_ROW(X, t, n, 1B) UNUSED_ROW(X, t, n, 1E)			\
	UNUSED_ROW(X, t, n, 1F)
#define UNUSED_ROWS(X)							\
	RESERVED_ROWS(X, RC, IB_OPCODE_RC)				\
	RESERVED_ROWS(X, XRC, IBT_OPCODE_XRC)				\
	UNUSED_ROW(X, XRC, IBT_OPCODE_XRC, 1C)				\
	UNUSED_ROW(X, XRC, IBT_OPCODE_XRC, 1D)

#define FACTS(t, n, op, kind, eth, how)					\
	[(n) + IB_OPCODE_##op] = {					\
		.name = #t "_" #op,					\
		.transport = IBT_##t,					\
		.verb = IBT_##kind,					\
		.headers = (eth),					\
		.flags = (how),						\
		.length = HDR_BYTES(eth),				\
	},

const struct ibt_opcode ibt_opcodes[256] = {
	ALL_ROWS(FACTS) UNUSED_ROWS(FACTS)
};

#define TOO_LONG(t, n, op, kind, eth, how) \
	|| HDR_BYTES(eth) > IBT_MAX_HDR_BYTES
static_assert(!(false ALL_ROWS(TOO_LONG)));

/* The reverse table; entries are opcodes plus 1, 0: there is none. */
enum { NO_EXTRA, WITH_IMM, WITH_IETH, NUM_EXTRA };

#define EXTRA_OF(eth) \
	((eth) & IBT_IMM ? WITH_IMM : (eth) & IBT_IETH ? WITH_IETH : NO_EXTRA)
#define PLACES	(IBT_FIRST | IBT_LAST)

#define REVERSE(t, n, op, kind, eth, how)				\
	[IBT_##t][IBT_##kind][(how) & PLACES][EXTRA_OF(eth)] =		\
		(n) + IB_OPCODE_##op + 1,

static const u8
numbers[IBT_TRANSPORTS][IBT_RESYNC + 1][PLACES + 1][NUM_EXTRA] = {
	ALL_ROWS(REVERSE)
};

/**
 * ibt_opcode_of - find the opcode of a packet
 * @transport: of the queue pair
 * @verb: kind of message
 * @place: IBT_FIRST and IBT_LAST, as they apply; other bits are ignored
 * @extra: 0, or IBT_IMM or IBT_IETH if the packet has this header
 *
 * Context: any.
 *
 * Return: the opcode; 0xff, which is not in the table, if there is none.
 */
u8 ibt_opcode_of(enum ibt_transport transport, enum ibt_verb verb, u8 place,
		 u16 extra)
{
	if (transport >= IBT_TRANSPORTS || verb > IBT_RESYNC)
		return 0xff;
	return numbers[transport][verb][place & PLACES][EXTRA_OF(extra)] - 1;
}

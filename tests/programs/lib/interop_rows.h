/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of interop: an operation each, and what is special about it. */
#ifndef INTEROP_ROWS_H
#define INTEROP_ROWS_H

#include <stdbool.h>
#include <infiniband/verbs.h>

#define GUARD 64		/* before and behind a message, not to be touched */

enum { RC, UC, UD, KINDS };

/* What is special about a row. */
enum how {
	PLAIN,
	LATE,		/* the receive is posted after the SEND */
	TOO_SHORT,	/* the receive is too short for the SEND */
	NO_LKEY,	/* the receive names memory that is none */
	NO_RKEY,	/* the request does */
	INVALIDATE,	/* SEND takes a window away, which then is closed */
	AT_ONCE,	/* a dozen requests without waiting */
};

static const struct row {
	const char *name;
	int kind;
	enum ibv_wr_opcode op;
	enum how how;
} rows[] = {
	{ "RC SEND", RC, IBV_WR_SEND },
	{ "RC SEND_IMM", RC, IBV_WR_SEND_WITH_IMM },
	{ "RC WRITE", RC, IBV_WR_RDMA_WRITE },
	{ "RC WRITE_IMM", RC, IBV_WR_RDMA_WRITE_WITH_IMM },
	{ "RC READ", RC, IBV_WR_RDMA_READ },
	{ "RC CMP_SWAP", RC, IBV_WR_ATOMIC_CMP_AND_SWP },
	{ "RC FETCH_ADD", RC, IBV_WR_ATOMIC_FETCH_AND_ADD },
	{ "RC SEND_INV", RC, IBV_WR_SEND_WITH_INV, INVALIDATE },
	{ "RC many at once", RC, IBV_WR_SEND, AT_ONCE },
	{ "RC SEND before the receive", RC, IBV_WR_SEND, LATE },
	{ "RC SEND too long", RC, IBV_WR_SEND, TOO_SHORT },
	{ "RC SEND to a receive without memory", RC, IBV_WR_SEND, NO_LKEY },
	{ "RC WRITE with a wrong key", RC, IBV_WR_RDMA_WRITE, NO_RKEY },
	{ "RC READ with a wrong key", RC, IBV_WR_RDMA_READ, NO_RKEY },
	{ "UC SEND", UC, IBV_WR_SEND },
	{ "UC SEND_IMM", UC, IBV_WR_SEND_WITH_IMM },
	{ "UC WRITE", UC, IBV_WR_RDMA_WRITE },
	{ "UC WRITE_IMM", UC, IBV_WR_RDMA_WRITE_WITH_IMM },
	{ "UD SEND", UD, IBV_WR_SEND },
	{ "UD SEND_IMM", UD, IBV_WR_SEND_WITH_IMM },
};

static const struct row *row;	/* that is carried out */
static uint32_t size;		/* of the message in hand */

static inline bool is_atomic(void)
{
	return row->op == IBV_WR_ATOMIC_CMP_AND_SWP || row->op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static inline bool is_send(void)
{
	return row->op == IBV_WR_SEND || row->op == IBV_WR_SEND_WITH_IMM ||
	       row->op == IBV_WR_SEND_WITH_INV;
}

static inline bool has_imm(void)
{
	return row->op == IBV_WR_SEND_WITH_IMM || row->op == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static inline bool takes_receive(void)
{
	return is_send() || has_imm();
}

/* Where in the area; not aligned if it need not be. */
static inline uint32_t place(void)
{
	return GUARD + (is_atomic() ? 0 : 3);
}

static inline uint32_t imm_of(void)
{
	return 0xa1b2c300 ^ size;
}

#endif /* INTEROP_ROWS_H */

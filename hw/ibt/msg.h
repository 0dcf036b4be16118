/* SPDX-License-Identifier: GPL-2.0 */
/* A request, however it came, and what became of it at the responder. */
#ifndef IBT_MSG_H
#define IBT_MSG_H

#include <linux/types.h>

#include "opcode.h"

/* What became of a request at the responder. */
enum ibt_exec_status {
	IBT_EXEC_OK,
	IBT_RNR,		/* no receive request */
	IBT_EXEC_PSN_ERR,		/* PSN ahead of its turn */
	IBT_EXEC_INV_REQ,	/* NAK: invalid request */
	IBT_EXEC_REM_ACCESS,		/* NAK: remote access error */
	IBT_EXEC_REM_OP,		/* NAK: remote operational error */
	IBT_EXEC_SILENT_DROP,		/* nothing is said */
	IBT_EXEC_PAGES,		/* nothing was done: pages are brought in first; or a FLUSH goes on */
};

/**
 * struct ibt_msg - a request, however it came
 * @verb: IBT_SEND, _WRITE, _READ, _CMP_SWAP, _FETCH_ADD, _ATOMIC_WRITE, _FLUSH
 * @extra: 0, IBT_IMM (@imm), IBT_IETH (@inv_rkey)
 * @solicited: the peer's consumer is to be woken
 * @imm: immediate data
 * @inv_rkey: key that the peer is to invalidate
 * @va: address at the peer, of all but a SEND
 * @rkey: its key
 * @placement: (FLUSH) IB_FLUSH_GLOBAL, IB_FLUSH_PERSISTENT; @selectivity: IB_FLUSH_RANGE,
 *	       IB_FLUSH_MR
 * @length: of WRITE, READ, ATOMIC WRITE and FLUSH; of a SEND, if not @whole: so much is
 *	    known to come
 * @whole: it comes straight from the requester: @length is known at once
 * @only: (not @whole) it comes in one packet
 * @swap_add: of an atomic; of an ATOMIC WRITE the eight bytes, in the order of memory
 * @compare: of CMP_SWAP
 * @srqn: (XRC) number of the shared receive queue
 */
struct ibt_msg {
	enum ibt_verb verb;
	u16 extra;
	bool solicited;
	bool whole;
	bool only;
	__be32 imm;
	u32 inv_rkey;
	u8 placement;
	u8 selectivity;
	u64 va;
	u32 rkey;
	u32 length;
	u64 swap_add;
	u64 compare;
	u32 srqn;
};

#endif /* IBT_MSG_H */

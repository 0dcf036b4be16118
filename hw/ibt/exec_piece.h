/* SPDX-License-Identifier: GPL-2.0 */
/* Execution of a WRITE or SEND in one piece, by packets and without them. */
#ifndef IBT_EXEC_PIECE_H
#define IBT_EXEC_PIECE_H

#include <linux/types.h>

#include "opcode.h"

struct ibt_qp;
struct soft_piece;

/**
 * struct ibt_piece - a whole WRITE or SEND, without immediate data and without a key to invalidate
 * @verb: IBT_WRITE or IBT_SEND
 * @solicited: (SEND) the peer's consumer is to be woken
 * @length: bytes, at least 1
 * @rkey: (WRITE) key of the memory
 * @va: (WRITE) address there
 * @bytes: its bytes in kernel memory; NULL: they are at
 * @from: of a region
 */
struct ibt_piece {
	enum ibt_verb verb;
	bool solicited;
	u32 length;
	u32 rkey;
	u64 va;
	const void *bytes;
	const struct soft_piece *from;
};

bool ibt_exec_piece(struct ibt_qp *qp, const struct ibt_piece *piece);

#endif /* IBT_EXEC_PIECE_H */

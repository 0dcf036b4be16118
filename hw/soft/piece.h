/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes in one piece, which need no cursor. */
#ifndef OFED_SOFT_PIECE_H
#define OFED_SOFT_PIECE_H

#include <linux/types.h>

#include "mr_table.h"

/**
 * struct soft_piece - bytes of one region, or of kernel memory
 * @mem: keys of the device; NULL: the bytes are those at @bytes, and no other member is read
 * @cache: of the one that names keys here, which holds a lock over the copy
 * @pd: of the queue pair
 * @iova: of the first byte
 * @key: lkey, or of a peer the rkey
 * @covers: bytes that @key has to grant, at least those that are copied
 * @access: IB_ACCESS_* that it has to grant
 * @remote: a peer names it
 * @qpn: (@remote) of the queue pair
 * @bytes: kernel memory
 */
struct soft_piece {
	struct soft_mem *mem;
	struct soft_key_cache *cache;
	struct ib_pd *pd;
	u64 iova;
	u32 key;
	u32 covers;
	int access;
	bool remote;
	u32 qpn;
	void *bytes;
};

bool soft_piece_read(const struct soft_piece *from, void *bytes, u32 length);
bool soft_piece_write(const struct soft_piece *to, const void *bytes, u32 length);
bool soft_piece_copy(const struct soft_piece *to, const struct soft_piece *from, u32 length);

#endif /* OFED_SOFT_PIECE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Rings that libsiw maps. */
#ifndef OFED_IW_RING_H
#define OFED_IW_RING_H

#include <linux/types.h>
#include <rdma/siw-abi.h>

#include "../soft/ring.h"

/**
 * struct iw_ring - a ring of elements with an ownership flag each
 * @mem: elements, then the extra bytes of iw_ring_alloc(); with @map a program
 *	 can change all of it at any time
 * @map: mapping of a program's ring; NULL: kernel memory
 * @num: elements, a power of 2
 * @bytes: bytes of an element
 * @next: index of the next element for the kernel, not masked
 */
struct iw_ring {
	void *mem;
	struct soft_map *map;
	u32 num;
	u32 bytes;
	u32 next;
};

int iw_ring_alloc(struct iw_ring *ring, u32 num, u32 bytes, u32 extra,
		  struct ib_ucontext *ucontext, u64 *key);
void iw_ring_free(struct iw_ring *ring);

static inline void *iw_ring_at(const struct iw_ring *ring, u32 index)
{
	return ring->mem + (size_t)(index & (ring->num - 1)) * ring->bytes;
}

#endif /* OFED_IW_RING_H */

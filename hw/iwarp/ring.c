// SPDX-License-Identifier: GPL-2.0
/*
 * Rings as <rdma/siw-abi.h> defines them: each element has a flag that tells
 * which side owns it. No index is shared, so a program can not make the kernel
 * process more elements than the ring has.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "ring.h"

/* In pages: above the offset that libsiw takes for an error. */
#define FIRST_PAGE ((SIW_INVAL_UOBJ_KEY >> PAGE_SHIFT) + 1)

static int iw_map_user(struct iw_ring *ring, size_t bytes,
		       struct ib_ucontext *ucontext, u64 *key)
{
	struct soft_map *map = soft_map_new(ucontext, bytes, FIRST_PAGE);

	if (!map)
		return -ENOMEM;
	*key = rdma_user_mmap_get_offset(&map->entry);
	ring->map = map;
	ring->mem = map->mem;
	return 0;
}

/**
 * iw_ring_alloc - allocate a ring of zeroed elements
 * @ring: filled in
 * @num: elements; rounded up to a power of 2, since libsiw counts modulo 2^32
 * @bytes: of an element
 * @extra: bytes behind the elements
 * @ucontext: of the program that is going to map it, or NULL: the kernel's
 * @key: (with @ucontext) where to map it
 *
 * Memory is charged to the caller's cgroup. Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int iw_ring_alloc(struct iw_ring *ring, u32 num, u32 bytes, u32 extra,
		  struct ib_ucontext *ucontext, u64 *key)
{
	size_t all;

	num = roundup_pow_of_two(max(num, 1U));
	*ring = (struct iw_ring){ .num = num, .bytes = bytes };
	all = (size_t)num * bytes + extra;
	if (ucontext)
		return iw_map_user(ring, all, ucontext, key);
	ring->mem = kvzalloc(all, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	return ring->mem ? 0 : -ENOMEM;
}

/**
 * iw_ring_free - undo iw_ring_alloc()
 * @ring: not in use by the kernel any more; all zero is fine
 *
 * Pages that a program has mapped stay its own until it unmaps them.
 * Context: process, may sleep.
 */
void iw_ring_free(struct iw_ring *ring)
{
	if (ring->map)
		rdma_user_mmap_entry_remove(&ring->map->entry);
	else
		kvfree(ring->mem);
	*ring = (struct iw_ring){};
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of fixed-size elements. The layout is the one that librxe maps: it
 * takes size and mask from the header, which the kernel fills in and never
 * reads back. Indices in the header are masked; a ring is full when one element
 * is left.
 *
 * A program that writes a wrong index makes the kernel see a wrong number of
 * elements, at most all of them. The stale ones have bytes of the same program.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "ring.h"

/* Far above what any device allows; keeps sizes inside 31 bits. */
#define RING_MAX_BYTES (1UL << 30)

/* Copied in one piece when a ring gets another size: some 10 microseconds. */
#define MOVE_BYTES (64U << 10)

static int soft_ring_map_user(struct soft_ring *ring, size_t bytes,
			      struct ib_ucontext *ucontext, struct mminfo *info)
{
	struct soft_map *map = soft_map_new(ucontext, bytes, 0);

	if (!map)
		return -ENOMEM;
	info->offset = rdma_user_mmap_get_offset(&map->entry);
	info->size = PAGE_ALIGN(bytes);
	info->pad = 0;
	ring->map = map;
	ring->buf = map->mem;
	return 0;
}

/**
 * soft_ring_alloc - make an empty ring
 * @ring: filled in
 * @slots: elements that must fit in at once
 * @elem_bytes: of an element; rounded up to a power of 2
 * @ucontext: of the program that is going to map it, or NULL: the kernel's
 * @info: (with @ucontext) where to map it
 *
 * Memory is charged to the caller's cgroup. Context: process, may sleep.
 * Return: 0, -EINVAL (sizes), or -ENOMEM.
 */
int soft_ring_alloc(struct soft_ring *ring, u32 slots, u32 elem_bytes,
		    struct ib_ucontext *ucontext, struct mminfo *info)
{
	size_t bytes;
	u64 num;
	int ret = 0;

	if (!elem_bytes || elem_bytes > PAGE_SIZE)
		return -EINVAL;
	num = roundup_pow_of_two((u64)slots + 1);
	/* Two at least: a mask of 0 could hold nothing at all. */
	num = max_t(u64, num, 2);
	*ring = (struct soft_ring){ .shift = order_base_2(elem_bytes) };
	if (num > (RING_MAX_BYTES >> ring->shift))
		return -EINVAL;
	ring->mask = num - 1;
	bytes = sizeof(*ring->buf) + (num << ring->shift);

	if (ucontext) {
		ret = soft_ring_map_user(ring, bytes, ucontext, info);
	} else {
		ring->buf = kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!ring->buf)
			ret = -ENOMEM;
	}
	if (ret)
		return ret;
	ring->buf->log2_elem_size = ring->shift;
	ring->buf->index_mask = ring->mask;
	return 0;
}

/**
 * soft_ring_free - undo soft_ring_alloc()
 * @ring: not in use by the kernel any more; all zero is fine
 *
 * Pages that a program has mapped stay its own until it unmaps them.
 * Context: process, may sleep.
 */
void soft_ring_free(struct soft_ring *ring)
{
	if (ring->map)
		rdma_user_mmap_entry_remove(&ring->map->entry);
	else
		kvfree(ring->buf);
	*ring = (struct soft_ring){};
}

/**
 * soft_move_begin - prepare to copy the elements of a ring into a new one
 * @move: filled in
 * @from: the ring in use
 * @to: an empty ring with elements of the same size
 * @end: behind the newest element, counted without masking
 * @waiting: elements in @from
 *
 * Context: any.
 */
void soft_move_begin(struct soft_ring_resize *move, const struct soft_ring *from,
		     struct soft_ring *to, u32 end, u32 waiting)
{
	*move = (struct soft_ring_resize){
		.from = from,
		.to = to,
		.next = end - waiting,
		.turns = 2 * (((size_t)(from->mask + 1) << from->shift) /
			      MOVE_BYTES + 1),
	};
}

/**
 * soft_move_some - copy a piece
 * @move: prepared by soft_move_begin()
 * @end: current value of the argument of soft_move_begin()
 * @waiting: current number of elements in the old ring; so many fit into the new
 *
 * The locks may be released between two pieces. Elements that are added meanwhile
 * are copied; elements that are consumed are not. If the producer adds faster than
 * this copies, for as many pieces as two whole rings have, the rest is copied at
 * once.
 *
 * Context: any; the caller holds the locks of both sides of the old ring.
 * Return: true: the new ring has all elements. It must replace the old one before
 * the locks are released.
 */
bool soft_move_some(struct soft_ring_resize *move, u32 end, u32 waiting)
{
	u32 left = min(end - move->next, waiting);
	struct soft_ring *to = move->to;
	u32 piece = left;

	if (move->turns) {
		move->turns--;
		piece = min(left, max(MOVE_BYTES >> to->shift, 1U));
	}
	move->next = end - left;
	for (left -= piece; piece; piece--) {
		memcpy(soft_ring_at(to, to->prod),
		       soft_ring_at(move->from, move->next++), 1UL << to->shift);
		soft_ring_produce(to);
	}
	if (left)
		return false;
	to->cons = to->prod - waiting;
	/* Pairs with the acquire of the next producer, as in soft_ring_consume(). */
	smp_store_release(&to->buf->consumer_index, to->cons & to->mask);
	return true;
}

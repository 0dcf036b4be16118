/* SPDX-License-Identifier: GPL-2.0 */
/* Rings that user space maps. */
#ifndef OFED_SOFT_RING_H
#define OFED_SOFT_RING_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <rdma/uverbs_ioctl.h>

/**
 * struct soft_map - memory of a ring, and its place in user space's offsets
 * @entry: of the core; its last put frees @mem and this struct
 * @mem: vmalloc_user() memory
 */
struct soft_map {
	struct rdma_user_mmap_entry entry;
	void *mem;
};

/**
 * struct soft_ring - fixed-size elements between one producer and one consumer
 * @buf: header and elements; when user space maps it, everything in it is
 *	 hostile: nothing is read from it but the index of the other side, which
 *	 is masked, and elements, which are copied before they are looked at
 * @map: of a ring that user space maps, else NULL and @buf is kernel memory
 * @mask: slots - 1, a power of 2 minus 1; one slot always stays empty
 * @shift: log2 of bytes of an element
 * @prod: (kernel produces) elements produced in all; masked, it is an index
 * @cons: (kernel consumes) elements consumed in all; masked, it is an index
 */
struct soft_ring {
	struct rxe_queue_buf *buf;
	struct soft_map *map;
	u32 mask;
	u8 shift;
	u32 prod;
	u32 cons;
};

int soft_ring_alloc(struct soft_ring *ring, u32 slots, u32 elem_bytes,
		    struct ib_ucontext *ucontext, struct mminfo *info);
void soft_ring_free(struct soft_ring *ring);

/**
 * soft_ring_ready - how many elements can be consumed by the kernel
 * @ring: the ring
 *
 * What their producer wrote is visible afterwards. Context: any, one consumer.
 */
static inline u32 soft_ring_ready(const struct soft_ring *ring)
{
	/* Pairs with the release of the index by the producer. */
	u32 prod = smp_load_acquire(&ring->buf->producer_index);

	return (prod - ring->cons) & ring->mask;
}

/**
 * soft_ring_room - how many elements can be produced by the kernel
 * @ring: the ring
 *
 * Context: any, one producer.
 */
static inline u32 soft_ring_room(const struct soft_ring *ring)
{
	/* Pairs with the release by the consumer, after it has read the element. */
	u32 cons = smp_load_acquire(&ring->buf->consumer_index);

	return ring->mask - ((ring->prod - cons) & ring->mask);
}

/**
 * soft_ring_at - address of an element
 * @ring: the ring
 * @index: of the element, may run past the end
 */
static inline void *soft_ring_at(const struct soft_ring *ring, u32 index)
{
	size_t slot = index & ring->mask;

	return ring->buf->data + (slot << ring->shift);
}

/**
 * soft_ring_produce - publish the element at @ring->prod
 * @ring: a ring with room
 */
static inline void soft_ring_produce(struct soft_ring *ring)
{
	ring->prod++;
	/* The element is seen before the index: the consumer acquires it. */
	smp_store_release(&ring->buf->producer_index, ring->prod & ring->mask);
}

/**
 * soft_ring_consume - give the slot at @ring->cons back
 * @ring: a ring with something ready
 */
static inline void soft_ring_consume(struct soft_ring *ring)
{
	ring->cons++;
	/* Order the read of the element before its reuse: the producer acquires. */
	smp_store_release(&ring->buf->consumer_index, ring->cons & ring->mask);
}

/**
 * struct soft_ring_resize - elements on their way into a ring of another size
 * @from: the ring in use; both sides use it while the caller does not hold the
 *	  locks of both
 * @to: the new ring, not published yet
 * @next: index of the first element in @from that was not copied, not masked
 * @turns: pieces left to be copied one by one; then the rest is copied at once
 */
struct soft_ring_resize {
	const struct soft_ring *from;
	struct soft_ring *to;
	u32 next;
	u32 turns;
};

void soft_move_begin(struct soft_ring_resize *move, const struct soft_ring *from,
		     struct soft_ring *to, u32 end, u32 waiting);
bool soft_move_some(struct soft_ring_resize *move, u32 end, u32 waiting);

/* mmap.c */
struct soft_map *soft_map_new(struct ib_ucontext *ucontext, size_t bytes,
			      u32 first);
int soft_mmap(struct ib_ucontext *ucontext, struct vm_area_struct *vma);
void soft_mmap_free(struct rdma_user_mmap_entry *entry);

/* Of the program that asks, or NULL: a kernel consumer. */
static inline struct ib_ucontext *soft_udata_context(struct ib_udata *udata)
{
	return udata ? rdma_udata_to_uverbs_attr_bundle(udata)->context : NULL;
}

#endif /* OFED_SOFT_RING_H */

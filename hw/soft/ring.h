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
u32 soft_ring_ready(const struct soft_ring *ring);
u32 soft_ring_room(const struct soft_ring *ring);
/* The element at @index, which may run past the end: @ring->cons + 1 is fine. */
void *soft_ring_at(const struct soft_ring *ring, u32 index);
void soft_ring_produce(struct soft_ring *ring);
void soft_ring_consume(struct soft_ring *ring);

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

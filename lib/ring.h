/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Rings that the kernel module and this process map: struct rxe_queue_buf. Indices are
 * masked, and one element stays empty. Each side stores its own index and reads the
 * other's.
 */
#ifndef LIB_RING_H
#define LIB_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/rdma_user_rxe.h>

/**
 * struct lib_ring - a mapped ring
 * @buf: the mapping, NULL: none
 * @bytes: of the mapping
 * @mask: elements - 1
 * @shift: log2 of bytes of an element
 */
struct lib_ring {
	struct rxe_queue_buf *buf;
	size_t bytes;
	uint32_t mask;
	uint32_t shift;
};

int lib_ring_map(struct lib_ring *ring, int fd, const struct mminfo *info);
void lib_ring_unmap(struct lib_ring *ring);

static inline void *lib_ring_at(const struct lib_ring *ring, uint32_t index)
{
	return ring->buf->data + ((size_t)(index & ring->mask) << ring->shift);
}

/* The index that the kernel module wrote; what it wrote before is visible afterwards. */
static inline uint32_t lib_ring_load(const uint32_t *index)
{
	return __atomic_load_n(index, __ATOMIC_ACQUIRE);
}

/* What was written to the elements before is visible with the index. */
static inline void lib_ring_store(uint32_t *index, uint32_t value)
{
	__atomic_store_n(index, value, __ATOMIC_RELEASE);
}

/* Is there no room for an element at @producer, which is not masked? */
static inline bool lib_ring_full(const struct lib_ring *ring, uint32_t producer)
{
	uint32_t consumer = lib_ring_load(&ring->buf->consumer_index);

	return ((producer + 1 - consumer) & ring->mask) == 0;
}

static inline bool lib_ring_empty(const struct lib_ring *ring, uint32_t consumer)
{
	uint32_t producer = lib_ring_load(&ring->buf->producer_index);

	return ((producer - consumer) & ring->mask) == 0;
}

#endif /* LIB_RING_H */

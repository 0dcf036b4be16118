// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Mapping of rings. */
#include <errno.h>
#include <sys/mman.h>

#include "ring.h"

/* Returns 0 or an errno. A kernel module that has no such ring says a size of 0. */
int lib_ring_map(struct lib_ring *ring, int fd, const struct mminfo *info)
{
	void *mem;

	if (!info->size)
		return 0;
	mem = mmap(NULL, info->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   info->offset);
	if (mem == MAP_FAILED)
		return errno;
	ring->buf = mem;
	ring->bytes = info->size;
	ring->mask = ring->buf->index_mask;
	ring->shift = ring->buf->log2_elem_size;
	return 0;
}

void lib_ring_unmap(struct lib_ring *ring)
{
	if (ring->buf)
		munmap(ring->buf, ring->bytes);
	ring->buf = NULL;
}

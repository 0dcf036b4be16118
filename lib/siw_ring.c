// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Mapping of rings of iWARP devices. */
#include <errno.h>
#include <sys/mman.h>

#include "siw.h"

/* Returns 0 or an errno. @behind: bytes that follow the elements. */
int siw_ring_map(struct siw_ring *ring, int fd, uint64_t key, uint32_t num, size_t each,
		 size_t behind)
{
	size_t bytes = num * each + behind;
	void *mem;

	if (!num)
		return 0;
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, key);
	if (mem == MAP_FAILED)
		return errno;
	*ring = (struct siw_ring){ .mem = mem, .bytes = bytes, .num = num };
	return 0;
}

void siw_ring_unmap(struct siw_ring *ring)
{
	if (ring->mem)
		munmap(ring->mem, ring->bytes);
	ring->mem = NULL;
}

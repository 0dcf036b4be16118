/* SPDX-License-Identifier: GPL-2.0 */
/* The rings that a process shares with the driver: where they are, and what spoils them. */
#ifndef RXE_RING_H
#define RXE_RING_H

#include "innocent.h"

#include <rdma/rdma_user_rxe.h>

#define NEED(x) do { if (!(x)) { printf("FAIL set-up: %s: %s\n", #x, strerror(errno)); exit(1); } } while (0)

struct ring {
	struct rxe_queue_buf *buf;
	size_t bytes;
};

#define MAPS 64
static struct ring known[MAPS];
static int knowns;

static inline bool is_known(void *at)
{
	int i;

	for (i = 0; i < knowns; i++)
		if (known[i].buf == at)
			return true;
	return false;
}

/* Mappings of the device that were not there before. */
static inline int new_rings(struct ring *found, int most)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512];
	int n = 0;

	NEED(file);
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, "/dev/infiniband/uverbs") ||
		    sscanf(line, "%lx-%lx", &start, &end) != 2 || is_known((void *)start))
			continue;
		if (n < most && knowns < MAPS)
			known[knowns++] = found[n++] = (struct ring){ (void *)start, end - start };
	}
	fclose(file);
	return n;
}

static inline uint64_t odd(uint64_t *s)
{
	static const uint64_t values[] = { 0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff,
		0x7fffffffffffffff, ~0ULL, 0x100000000, 33, 4096 };

	return below(s, 3) ? values[below(s, 11)] : (uint64_t)rng(s) << 32 | rng(s);
}

/* A ring of the kernel's own size: its header is ours to spoil. */
struct shape {
	uint32_t shift, mask;
};

static inline uint8_t *slot(const struct ring *r, struct shape shape, uint32_t i)
{
	return r->buf->data + ((size_t)(i & shape.mask) << shape.shift);
}

static inline void spoil_header(struct ring *r, struct shape shape, uint64_t *s)
{
	volatile struct rxe_queue_buf *b = r->buf;

	switch (below(s, 6)) {
	case 0:	b->producer_index = odd(s); break;
	case 1:	b->consumer_index = odd(s); break;
	case 2:	b->log2_elem_size = odd(s); break;
	case 3:	b->index_mask = odd(s); break;
	case 4:	b->producer_index = rng(s) & shape.mask; break;
	case 5:	b->consumer_index = rng(s) & shape.mask; break;
	}
}

static inline struct shape shape_of(const struct ring *r)
{
	struct shape shape = { r->buf->log2_elem_size, r->buf->index_mask };

	return shape;
}

#endif /* RXE_RING_H */

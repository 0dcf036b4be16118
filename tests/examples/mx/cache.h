/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registration cache. A registration takes longer than a short message, and programs use
 * their buffers again: so memory stays registered when a message has ended.
 *
 * What stays has the pages of then. A program that unmaps its memory and maps other memory in
 * its place would get a key of the old pages: hooks.c tells the cache of that.
 */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <sys/queue.h>
#include <infiniband/verbs.h>

#define CACHE_WINDOWS	16	/* that are kept */

/* Registered memory: the notes call it an RDMA window. */
struct window {
	TAILQ_ENTRY(window) entry;
	uintptr_t start, end;
	int access;
	struct ibv_mr *mr;
	unsigned int users;
	bool stale;		/* not for new users: its memory is another */
};

struct cache {
	LIST_ENTRY(cache) entry;	/* of all caches of the process */
	struct ibv_pd *pd;
	TAILQ_HEAD(windows, window) windows;	/* the latest user's first */
	unsigned int kept;
	bool off;
	unsigned int hits, misses, evictions, forgotten;
};

void cache_init(struct cache *cache, struct ibv_pd *pd);
void cache_exit(struct cache *cache);
struct window *cache_get(struct cache *cache, const void *start, size_t length, int access);
void cache_put(struct cache *cache, struct window *w);
void cache_forget(const void *start, size_t length);

/* hooks.c */
bool hooks_work(void);

#endif /* CACHE_H */

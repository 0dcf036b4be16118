// SPDX-License-Identifier: GPL-2.0
/* MX_RCACHE=0 in the environment: no cache. MX_RCACHE=2: no look whether it can work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cache.h"

static LIST_HEAD(, cache) caches = LIST_HEAD_INITIALIZER(caches);

void cache_init(struct cache *cache, struct ibv_pd *pd)
{
	const char *set = getenv("MX_RCACHE");

	cache->pd = pd;
	cache->off = set && !strcmp(set, "0");
	if (!cache->off && !(set && !strcmp(set, "2")) && !hooks_work()) {
		fprintf(stderr, "warning: regcache incompatible with malloc\n");
		cache->off = true;
	}
	TAILQ_INIT(&cache->windows);
	LIST_INSERT_HEAD(&caches, cache, entry);
}

static void cache_drop(struct cache *cache, struct window *w)
{
	TAILQ_REMOVE(&cache->windows, w, entry);
	cache->kept--;
	ibv_dereg_mr(w->mr);
	free(w);
}

void cache_exit(struct cache *cache)
{
	while (!TAILQ_EMPTY(&cache->windows))
		cache_drop(cache, TAILQ_FIRST(&cache->windows));
	LIST_REMOVE(cache, entry);
}

/* The one that has not been used for longest, of those that no request uses. */
static bool cache_evict(struct cache *cache)
{
	struct window *w;

	TAILQ_FOREACH_REVERSE(w, &cache->windows, windows, entry)
		if (!w->users) {
			cache_drop(cache, w);
			cache->evictions++;
			return true;
		}
	return false;
}

static struct window *cache_find(struct cache *cache, uintptr_t start, uintptr_t end, int access)
{
	struct window *w;

	TAILQ_FOREACH(w, &cache->windows, entry)
		if (!w->stale && w->start <= start && end <= w->end &&
		    (w->access & access) == access)
			return w;
	return NULL;
}

/* Pinned memory has a limit: what is kept and not used gives way. */
static struct window *cache_add(struct cache *cache, uintptr_t start, size_t length, int access)
{
	struct window *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	do
		w->mr = ibv_reg_mr(cache->pd, (void *)start, length, access);
	while (!w->mr && errno == ENOMEM && cache_evict(cache));
	if (!w->mr) {
		free(w);
		return NULL;
	}
	w->start = start;
	w->end = start + length;
	w->access = access;
	TAILQ_INSERT_HEAD(&cache->windows, w, entry);
	cache->kept++;
	cache->misses++;
	return w;
}

/* A window of that memory, with a user more. */
struct window *cache_get(struct cache *cache, const void *start, size_t length, int access)
{
	uintptr_t at = (uintptr_t)start;
	struct window *w = cache->off ? NULL : cache_find(cache, at, at + length, access);

	if (w) {
		cache->hits++;
		TAILQ_REMOVE(&cache->windows, w, entry);
		TAILQ_INSERT_HEAD(&cache->windows, w, entry);
	} else {
		w = cache_add(cache, at, length, access);
	}
	if (w)
		w->users++;
	return w;
}

void cache_put(struct cache *cache, struct window *w)
{
	if (--w->users)
		return;
	if (cache->off || w->stale)
		cache_drop(cache, w);
	else if (cache->kept > CACHE_WINDOWS)
		cache_evict(cache);
}

/*
 * The first window of that memory has no new user any more, and goes with its last one. To
 * deregister it may unmap memory, and so come here again: the list is not read on.
 */
static bool cache_forget_one(struct cache *cache, uintptr_t start, uintptr_t end)
{
	struct window *w;

	TAILQ_FOREACH(w, &cache->windows, entry)
		if (!w->stale && w->start < end && start < w->end)
			break;
	if (!w)
		return false;
	w->stale = true;
	cache->forgotten++;
	if (!w->users)
		cache_drop(cache, w);
	return true;
}

/* That memory is another from now on. */
void cache_forget(const void *start, size_t length)
{
	struct cache *cache;

	LIST_FOREACH(cache, &caches, entry)
		while (cache_forget_one(cache, (uintptr_t)start, (uintptr_t)start + length))
			;
}

// SPDX-License-Identifier: GPL-2.0
/* The registration cache, and what happens to memory between two messages. */
#include <stdlib.h>
#include <sys/mman.h>
#include "states.h"

#define LONG	40000u
#define PAGES	(64u << 10)
#define MANY	24u

static bool memory_send(struct sides *s, const void *buffer, uint32_t length)
{
	return !end(s, give(s, buffer, length, 1)).code;
}

static bool memory_recv(struct sides *s, void *buffer, uint32_t length, uint32_t seed)
{
	struct mx_status status = end(s, take(s, buffer, length, 1, EXACT));

	return !status.code && status.xfer_length == length && filled(buffer, length, seed);
}

/* One message, from or into @buffer. */
static bool memory_move(struct sides *s, char *buffer, uint32_t length, uint32_t seed)
{
	meet(s);
	if (!s->a)
		return memory_recv(s, buffer, length, seed);
	fill(buffer, length, seed);
	return memory_send(s, buffer, length);
}

static void memory_hits(struct sides *s)
{
	struct cache *cache = &s->ep->cache;
	char *buffer = map(PAGES);
	unsigned int hits = cache->hits, misses = cache->misses;
	bool good = memory_move(s, buffer, PAGES, 1) && memory_move(s, buffer, PAGES, 2) &&
		    memory_move(s, buffer + 5000, LONG, 3);

	if (cache->off)
		row(s, "no cache: each message registers, and nothing is kept",
		    good && cache->misses == misses + 3 && cache->hits == hits && !cache->kept);
	else
		row(s, "memory that was used before, and a part of it, are found",
		    good && cache->misses == misses + 1 && cache->hits == hits + 2);
	munmap(buffer, PAGES);
}

/* One after the other, and then all at once. */
static void memory_evict(struct sides *s)
{
	struct cache *cache = &s->ep->cache;
	unsigned int i, evictions = cache->evictions;
	struct mx_request *r[MANY];
	char *buffer[MANY];
	bool good = true;

	for (i = 0; i < MANY; i++) {
		buffer[i] = map(PAGES);
		good &= memory_move(s, buffer[i], PAGES, i);
	}
	row(s, "of many buffers the last ones are kept", good &&
	    (cache->off || (cache->kept == CACHE_WINDOWS &&
			    cache->evictions >= evictions + MANY - CACHE_WINDOWS)));
	meet(s);
	for (i = 0; i < MANY; i++) {
		if (s->a)
			fill(buffer[i], PAGES, i + 50);
		r[i] = s->a ? give(s, buffer[i], PAGES, i) : take(s, buffer[i], PAGES, i, EXACT);
	}
	for (i = 0; i < MANY; i++)
		good &= !end(s, r[i]).code && filled(buffer[i], PAGES, i + 50);
	row(s, "none is lost that is used", good && cache->kept <= CACHE_WINDOWS);
	for (i = 0; i < MANY; i++)
		munmap(buffer[i], PAGES);
}

static void *memory_at(void *at, int flags)
{
	return mmap(at, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

/* Each gives back other memory at the same address. */
static void *memory_unmapped(void *at)
{
	munmap(at, PAGES);
	return memory_at(at, MAP_FIXED_NOREPLACE);
}

static void *memory_mapped_over(void *at)
{
	return memory_at(at, MAP_FIXED);
}

static void *memory_moved_away(void *at)
{
	void *other = mremap(at, PAGES, PAGES, MREMAP_MAYMOVE | MREMAP_FIXED, map(PAGES));

	munmap(other, PAGES);
	return memory_at(at, MAP_FIXED_NOREPLACE);
}

static void *memory_moved_over(void *at)
{
	return mremap(map(PAGES), PAGES, PAGES, MREMAP_MAYMOVE | MREMAP_FIXED, at);
}

static void *memory_dropped(void *at)
{
	madvise(at, PAGES, MADV_DONTNEED);
	return at;
}

static const struct {
	const char *name;
	void *(*change)(void *at);
} changes[] = {
	{ "a munmap between two messages", memory_unmapped },
	{ "another mapping over it", memory_mapped_over },
	{ "memory that was moved away", memory_moved_away },
	{ "other memory moved there", memory_moved_over },
	{ "pages that were given up", memory_dropped },
};

static void memory_changes(struct sides *s, unsigned int i)
{
	struct cache *cache = &s->ep->cache;
	char *buffer = map(PAGES);
	unsigned int forgotten = cache->forgotten;
	bool good = memory_move(s, buffer, PAGES, 20 + i);
	char *again = changes[i].change(buffer);

	good &= again == buffer && memory_move(s, again, PAGES, 30 + i);
	row(s, changes[i].name, good && (cache->off || cache->forgotten > forgotten));
	munmap(buffer, PAGES);
}

/* What free() takes remains mapped: a registration of it remains right. */
static void memory_malloc(struct sides *s)
{
	unsigned int i;
	bool good = true;
	char *buffer;

	for (i = 0; i < 8; i++) {
		buffer = malloc(PAGES << i % 4);
		good &= memory_move(s, buffer, PAGES << i % 4, i);
		free(buffer);
	}
	row(s, "malloc and free between messages", good);
}

/* All of one kind are given out once, and again when they are back. */
static bool memory_gives_out(struct rooms *rooms, uint32_t length, unsigned int many)
{
	char *room[ROOM_MEDIUM] = { NULL }, *again;
	unsigned int i, k;

	for (i = 0; i < many; i++) {
		room[i] = room_get(rooms, length);
		for (k = 0; room[i] && k < i; k++)
			if (room[k] < room[i] + length && room[i] < room[k] + length)
				return false;
		if (!room[i])
			return false;
	}
	if (room_get(rooms, length))
		return false;
	room_free(rooms, room[many / 2], length);
	again = room_get(rooms, length);
	for (i = 0; i < many; i++)
		room_free(rooms, room[i], length);
	return again == room[many / 2];
}

static void memory_rooms(struct sides *s)
{
	struct rooms rooms = { 0 };
	bool good = room_init(&rooms, s->ep->link.pd);

	row(s, "rooms for copies are given out once", good &&
	    memory_gives_out(&rooms, 100, ROOM_SMALL) &&
	    memory_gives_out(&rooms, 32768, ROOM_MEDIUM / WIRE_FRAGMENTS) &&
	    memory_gives_out(&rooms, 32768, ROOM_MEDIUM / WIRE_FRAGMENTS));
	room_exit(&rooms);
}

void test_cache(struct sides *s)
{
	unsigned int i;

	memory_rooms(s);

	memory_hits(s);
	memory_evict(s);
	for (i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		memory_changes(s, i);
	memory_malloc(s);
}

/*
 * An address that no process has, at either side. Both hear of it, and go on. Memory that is
 * mapped without any right would not do: some kernels register it.
 */
void test_bad_memory(struct sides *s)
{
	void *none = (void *)4096;
	char *buffer = map(PAGES);
	struct mx_status status;

	meet(s);
	status = end(s, s->a ? give(s, none, LONG, 1) : take(s, buffer, LONG, 1, EXACT));
	row(s, "a sender without memory", status.code == MX_BAD_MEMORY && !status.xfer_length);
	status = end(s, s->a ? give(s, buffer, LONG, 2) : take(s, none, LONG, 2, EXACT));
	row(s, "a receiver without memory", status.code == MX_BAD_MEMORY && !status.xfer_length);
	row(s, "a message after that", memory_move(s, buffer, PAGES, 3));
	munmap(buffer, PAGES);
}

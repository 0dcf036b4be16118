/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes that say where they belong: each follows from the seed of its stream and
 * its place in it, so that what is lost, doubled, moved or of another stream is seen.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdint.h>
#include <stddef.h>
#include <string.h>

/* The eight bytes at place 8 * word: the finish of splitmix64. */
static inline uint64_t pattern_word(uint64_t seed, uint64_t word)
{
	uint64_t x = seed + (word + 1) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline void pattern_fill(uint64_t seed, uint64_t place, uint8_t *to, size_t n)
{
	while (n) {
		uint64_t word = pattern_word(seed, place / 8);
		size_t skip = place % 8;
		size_t part = n < 8 - skip ? n : 8 - skip;

		memcpy(to, (uint8_t *)&word + skip, part);
		to += part;
		place += part;
		n -= part;
	}
}

/* pattern_differs() - how many of the bytes are right, or -1 if all are */
static inline long pattern_differs(uint64_t seed, uint64_t place, const uint8_t *at,
				   size_t n)
{
	size_t done = 0;

	while (done < n) {
		uint64_t word = pattern_word(seed, place / 8);
		size_t skip = place % 8;
		size_t part = n - done < 8 - skip ? n - done : 8 - skip;

		if (memcmp(at + done, (uint8_t *)&word + skip, part)) {
			while (at[done] == ((uint8_t *)&word)[skip]) {
				done++;
				skip++;
			}
			return done;
		}
		done += part;
		place += part;
	}
	return -1;
}

/* A length from 1 to most, as often small as large. */
static inline size_t pattern_length(unsigned int *state, size_t most)
{
	unsigned int bits = 1, r;

	while (most >> bits)
		bits++;
	*state = *state * 1103515245u + 12345u;
	bits = (*state >> 16) % bits + 1;
	*state = *state * 1103515245u + 12345u;
	r = (*state >> 4) & ((1u << bits) - 1);
	return 1 + r % most;
}

#endif /* PATTERN_H */

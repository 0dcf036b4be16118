/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two processes walk the requests of ../mx through their states. Each step has two sides that
 * meet before it: side A, which connected, sends, and side B receives, unless it says so.
 */
#ifndef STATES_H
#define STATES_H

#include <stdbool.h>
#include <stdint.h>
#include "../mx/endpoint.h"

#define EXACT	(~0ull)
#define SYNC	(1ull << 63)	/* in the match bits of what only lets the sides meet */

struct sides {
	struct mx_endpoint *ep;
	bool a;			/* this side connected */
	unsigned int failed;
	uint32_t seed;
};

/* A row of the result: what is on its left is its name. */
bool row(struct sides *s, const char *name, bool good);

void meet(struct sides *s);
void *map(size_t length);
void fill(void *buffer, uint32_t length, uint32_t seed);
bool filled(const void *buffer, uint32_t length, uint32_t seed);
uint32_t draw(struct sides *s);

struct mx_request *give(struct sides *s, const void *buffer, uint32_t length, uint64_t match);
struct mx_request *take(struct sides *s, void *buffer, uint32_t length, uint64_t match,
			uint64_t mask);
struct mx_status end(struct sides *s, struct mx_request *request);
struct mx_request *unexpected(struct sides *s, uint64_t match);
bool lived(const struct mx_status *status, const char *pattern);

void test_lives(struct sides *s);
void test_matching(struct sides *s);
void test_cache(struct sides *s);
void test_bad_calls(struct sides *s);
void test_bad_packets(struct sides *s);
void test_bad_memory(struct sides *s);
void test_traffic(struct sides *s, unsigned int messages);
void test_end(struct sides *s);

#endif /* STATES_H */

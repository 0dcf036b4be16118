// SPDX-License-Identifier: GPL-2.0
/* What every step uses. A call that fails where none should ends the program. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "states.h"

#define STEP_MS	60000

static void must(enum mx_return bad, const char *what)
{
	if (!bad)
		return;
	fprintf(stderr, "%s: %s\n", what, mx_strerror(bad));
	exit(1);
}

bool row(struct sides *s, const char *name, bool good)
{
	printf("%s %s, side %c\n", good ? "ok  " : "FAIL", name, s->a ? 'A' : 'B');
	s->failed += !good;
	return good;
}

void *map(size_t length)
{
	void *at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		must(MX_NO_MEMORY, "mmap");
	return at;
}

static uint8_t byte(uint32_t i, uint32_t seed)
{
	return (i * 131 + (i >> 8) + seed * 7) ^ seed;
}

void fill(void *buffer, uint32_t length, uint32_t seed)
{
	uint32_t i;

	for (i = 0; i < length; i++)
		((uint8_t *)buffer)[i] = byte(i, seed);
}

bool filled(const void *buffer, uint32_t length, uint32_t seed)
{
	uint32_t i;

	for (i = 0; i < length; i++)
		if (((const uint8_t *)buffer)[i] != byte(i, seed))
			return false;
	return true;
}

/* The same numbers on both sides. */
uint32_t draw(struct sides *s)
{
	s->seed = s->seed * 1664525 + 1013904223;
	return s->seed >> 8;
}

struct mx_request *give(struct sides *s, const void *buffer, uint32_t length, uint64_t match)
{
	struct mx_request *request;

	must(mx_isend(s->ep, buffer, length, match, NULL, &request), "mx_isend");
	return request;
}

struct mx_request *take(struct sides *s, void *buffer, uint32_t length, uint64_t match,
			uint64_t mask)
{
	struct mx_request *request;

	must(mx_irecv(s->ep, buffer, length, match, mask, NULL, &request), "mx_irecv");
	return request;
}

struct mx_status end(struct sides *s, struct mx_request *request)
{
	struct mx_status status;
	bool done;

	must(mx_wait(s->ep, &request, STEP_MS, &status, &done), "mx_wait");
	if (!done) {
		fprintf(stderr, "a request does not end: %s\n", request->status.life);
		exit(1);
	}
	return status;
}

/* Until a message with these bits waits for a receive. */
struct mx_request *unexpected(struct sides *s, uint64_t match)
{
	struct mx_request *u;

	while (!(u = match_message(s->ep, match, EXACT)) && !s->ep->dead)
		if (!progress(s->ep))
			progress_wait(s->ep, 100);
	if (!u)
		must(s->ep->dead, "waiting for a message");
	return u;
}

/* Neither goes on before the other one is here. */
void meet(struct sides *s)
{
	char mine = 0, theirs;
	struct mx_request *in = take(s, &theirs, 1, SYNC, EXACT);
	struct mx_request *out = give(s, &mine, 1, SYNC);

	must(end(s, in).code, "to meet");
	must(end(s, out).code, "to meet");
}

bool lived(const struct mx_status *status, const char *pattern)
{
	regex_t compiled;
	bool good;

	if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB))
		return false;
	good = !regexec(&compiled, status->life, 0, NULL, 0);
	regfree(&compiled);
	if (!good)
		printf("lived: %s\n", status->life);
	return good;
}

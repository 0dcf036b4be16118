// SPDX-License-Identifier: GPL-2.0
/* Which message goes to which receive, and which request is named first. */
#include <string.h>
#include "states.h"

#define ROOM	64

struct letter { char text[ROOM]; };

static void matching_write(struct sides *s, const char *text, uint64_t match)
{
	end(s, give(s, text, strlen(text) + 1, match));
}

static bool matching_got(struct sides *s, struct mx_request *request, const struct letter *l,
			 const char *text, uint64_t match)
{
	struct mx_status status = end(s, request);

	return !status.code && status.match == match && !strcmp(l->text, text);
}

/* Of two receives that take it, the message goes to the older one. */
static void matching_receives(struct sides *s)
{
	struct mx_request *r[2] = { NULL };
	struct letter l[2];

	if (!s->a) {
		r[0] = take(s, &l[0], ROOM, 0x10, 0xf0 | SYNC);
		r[1] = take(s, &l[1], ROOM, 0x12, EXACT);
	}
	meet(s);
	if (s->a) {
		matching_write(s, "first", 0x12);
		matching_write(s, "second", 0x12);
		return;
	}
	row(s, "the receive that was posted first",
	    matching_got(s, r[0], &l[0], "first", 0x12) &&
	    matching_got(s, r[1], &l[1], "second", 0x12));
}

/* Of two messages that it takes, a receive gets the older one. */
static void matching_messages(struct sides *s)
{
	struct letter l[3];
	bool good;

	meet(s);
	if (s->a) {
		matching_write(s, "other", 0x30);
		matching_write(s, "first", 0x20);
		matching_write(s, "second", 0x21);
		return;
	}
	unexpected(s, 0x21);
	good = matching_got(s, take(s, &l[0], ROOM, 0x20, 0xf0 | SYNC), &l[0], "first", 0x20) &&
	       matching_got(s, take(s, &l[1], ROOM, 0x20, 0xf0 | SYNC), &l[1], "second", 0x21) &&
	       matching_got(s, take(s, &l[2], ROOM, 0, SYNC), &l[2], "other", 0x30);
	row(s, "the message that came first", good);
}

/* The mask says which bits count. */
static void matching_mask(struct sides *s)
{
	struct mx_request *request = NULL;
	struct letter l[2];
	bool good;

	if (!s->a)
		request = take(s, &l[0], ROOM, 0x500000000ull, 0xf00000000ull | SYNC);
	meet(s);
	if (s->a) {
		matching_write(s, "not this", 0x400000005ull);
		matching_write(s, "this", 0x543210fffull);
		return;
	}
	good = matching_got(s, request, &l[0], "this", 0x543210fffull) &&
	       matching_got(s, take(s, &l[1], ROOM, 0x400000005ull, EXACT), &l[1], "not this",
			    0x400000005ull);
	row(s, "bits that the mask leaves out do not count", good);
}

/* A tiny message leaves before a medium one that waits, and is received after it. */
static void matching_early(struct sides *s)
{
	static char medium[20000];
	unsigned int overtaken = s->ep->partner.early_ever;
	struct mx_request *r[2] = { NULL };
	struct letter l;
	bool good;

	if (!s->a) {
		r[0] = take(s, medium, sizeof(medium), 0, SYNC);
		r[1] = take(s, &l, ROOM, 0, SYNC);
	}
	meet(s);
	if (s->a) {
		fill(medium, sizeof(medium), 5);
		r[0] = give(s, medium, sizeof(medium), 0x41);
		r[1] = give(s, "tiny", 5, 0x42);
		end(s, r[1]);
		end(s, r[0]);
		return;
	}
	good = matching_got(s, r[1], &l, "tiny", 0x42);
	row(s, "a message that overtook another is received after it",
	    good && end(s, r[0]).match == 0x41 && filled(medium, sizeof(medium), 5) &&
	    s->ep->partner.early_ever > overtaken);
}

/* What has ended is named in its order, each once, and remains until it is tested. */
static void matching_peek(struct sides *s)
{
	struct mx_request *r[2] = { NULL }, *named[3];
	bool done[5];
	struct letter l[2];

	if (!s->a) {
		r[0] = take(s, &l[0], ROOM, 0x51, EXACT);
		r[1] = take(s, &l[1], ROOM, 0x52, EXACT);
		mx_test(s->ep, &r[0], NULL, &done[0]);
		mx_ipeek(s->ep, &named[0], &done[1]);
		row(s, "nothing has ended", !done[0] && !done[1] && r[0] && !named[0]);
	}
	meet(s);
	if (s->a) {
		matching_write(s, "second first", 0x52);
		matching_write(s, "then the first", 0x51);
		return;
	}
	mx_peek(s->ep, MX_FOREVER, &named[0], &done[0]);
	mx_peek(s->ep, MX_FOREVER, &named[1], &done[1]);
	mx_ipeek(s->ep, &named[2], &done[2]);
	row(s, "requests are named in the order in which they ended",
	    done[0] && named[0] == r[1] && done[1] && named[1] == r[0] && !done[2]);
	mx_test(s->ep, &r[0], NULL, &done[3]);
	mx_test(s->ep, &r[1], NULL, &done[4]);
	row(s, "and end when they are tested", done[3] && done[4] && !r[0] && !r[1]);
}

void test_matching(struct sides *s)
{
	matching_receives(s);
	matching_messages(s);
	matching_mask(s);
	matching_early(s);
	matching_peek(s);
}

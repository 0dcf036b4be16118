// SPDX-License-Identifier: GPL-2.0
/*
 * Each queue and state of a request, the four ways, expected and not. An acknowledgment may be
 * here before the completion of the SEND that it is for.
 */
#include <stdio.h>
#include <sys/mman.h>
#include "states.h"

#define BUFFERED_SEND \
	"buffered_sendq\\+BUFFERED\\+MCP resend_list\\+BUFFERED(\\+ACKED)? doneq\\+BUFFERED\\+ACKED$"
#define LARGE_SEND \
	"^send_reqq\\+SEND_QUEUED large_sendq\\+MCP resend_list(\\+ACKED)? " \
	"notifying_large_sendq\\+ACKED doneq\\+ACKED$"
#define GET	"send_reqq\\+SEND_QUEUED\\+RECV_MATCHED large_getq\\+MCP\\+RECV_MATCHED "
#define NOTIFY	GET "resend_list(\\+ACKED)?\\+RECV_MATCHED doneq\\+ACKED\\+RECV_MATCHED$"
#define PARTS	"multifrag_recvq\\+RECV_MATCHED "
#define DONE	"doneq\\+RECV_MATCHED$"

static const struct life {
	const char *name;
	uint32_t length;
	bool synchronous;
	const char *send, *expected, *unexpected;
} lives[] = {
	{ "nothing", 0, false, "^" BUFFERED_SEND, "^recv_reqq " DONE, "^" DONE },
	{ "tiny", 32, false, "^" BUFFERED_SEND, "^recv_reqq " DONE, "^" DONE },
	{ "the shortest small", 33, false, "^" BUFFERED_SEND, "^recv_reqq " DONE, "^" DONE },
	{ "small", 128, false, "^" BUFFERED_SEND, "^recv_reqq " DONE, "^" DONE },
	{ "medium, one fragment", 129, false, "^send_reqq\\+SEND_QUEUED " BUFFERED_SEND,
	  "^recv_reqq " DONE, "^" DONE },
	{ "medium", 32768, false, "^send_reqq\\+SEND_QUEUED " BUFFERED_SEND,
	  "^recv_reqq " PARTS DONE, "^" DONE },
	{ "the shortest large", 32769, false, LARGE_SEND, "^recv_reqq " GET NOTIFY, "^" GET NOTIFY },
	{ "large", MX_LONGEST, false, LARGE_SEND, "^recv_reqq " GET NOTIFY, "^" GET NOTIFY },
	{ "synchronous, nothing", 0, true, LARGE_SEND, "^recv_reqq " NOTIFY, "^" NOTIFY },
	{ "synchronous, tiny", 8, true, LARGE_SEND, "^recv_reqq " GET NOTIFY, "^" GET NOTIFY },
	{ "synchronous, medium", 5000, true, LARGE_SEND, "^recv_reqq " GET NOTIFY,
	  "^" GET NOTIFY },
};

#define LIVES	(sizeof(lives) / sizeof(*lives))

static bool lives_send(struct sides *s, const struct life *l, char *buffer, uint32_t seed)
{
	struct mx_request *request;
	struct mx_status status;

	fill(buffer, l->length, seed);
	if (l->synchronous)
		mx_issend(s->ep, buffer, l->length, seed, buffer, &request);
	else
		mx_isend(s->ep, buffer, l->length, seed, buffer, &request);
	status = end(s, request);
	return !status.code && status.xfer_length == l->length && status.match == seed &&
	       status.context == buffer && lived(&status, l->send);
}

static bool lives_received(const struct life *l, const struct mx_status *status, const char *buffer,
			   uint32_t seed, const char *pattern)
{
	return !status->code && status->match == seed && status->msg_length == l->length &&
	       status->xfer_length == l->length && filled(buffer, l->length, seed) &&
	       lived(status, pattern);
}

static void lives_expected(struct sides *s, const struct life *l, char *buffer, uint32_t seed)
{
	struct mx_request *request = NULL;
	struct mx_status status;
	char name[80];

	snprintf(name, sizeof(name), "%s, a receive waits", l->name);
	if (!s->a)
		request = take(s, buffer, MX_LONGEST, seed, EXACT);
	meet(s);
	if (s->a) {
		row(s, name, lives_send(s, l, buffer, seed));
		return;
	}
	status = end(s, request);
	row(s, name, lives_received(l, &status, buffer, seed, l->expected));
}

/* All fragments have come, before there is a receive. */
static bool lives_receive_late(struct sides *s, const struct life *l, char *buffer, uint32_t seed)
{
	struct mx_request *u = unexpected(s, seed);
	struct mx_status status;

	while (s->ep->partner.partial == u)
		progress(s->ep);
	status = end(s, take(s, buffer, MX_LONGEST, seed, EXACT));
	return lives_received(l, &status, buffer, seed, l->unexpected);
}

static void lives_unexpected(struct sides *s, const struct life *l, char *buffer, uint32_t seed)
{
	char name[80];

	snprintf(name, sizeof(name), "%s, unexpected", l->name);
	meet(s);
	row(s, name, s->a ? lives_send(s, l, buffer, seed) :
			    lives_receive_late(s, l, buffer, seed));
}

/* Side B says whether it has seen what it waits for. */
static bool lives_agree(struct sides *s, bool seen)
{
	end(s, s->a ? take(s, &seen, 1, SYNC | 1, EXACT) : give(s, &seen, 1, SYNC | 1));
	return seen;
}

/* True if the receive came when a part of the fragments was here. */
static bool lives_receive_middle(struct sides *s, const struct life *l, char *buffer, bool *good)
{
	struct mx_request *u = unexpected(s, 99);
	bool part = s->ep->partner.partial == u;
	struct mx_status status = end(s, take(s, buffer, MX_LONGEST, 99, EXACT));

	*good &= lives_received(l, &status, buffer, 99, part ? l->expected : l->unexpected);
	return part;
}

/* A receive comes between two fragments. On a busy host all of them may be first: once more. */
static void lives_partial(struct sides *s, char *buffer)
{
	static const struct life half = {
		.length = 32768, .send = "^send_reqq\\+SEND_QUEUED " BUFFERED_SEND,
		.expected = "^" PARTS DONE, .unexpected = "^" DONE,
	};
	bool good = true, part = false;
	int i;

	for (i = 0; i < 100 && !part; i++) {
		meet(s);
		if (s->a)
			good &= lives_send(s, &half, buffer, 99);
		else
			part = lives_receive_middle(s, &half, buffer, &good);
		part = lives_agree(s, part);
	}
	row(s, "medium, a receive in the middle", good && part);
}

/* A synchronous send is not done before there is a receive, another one is. */
static void lives_synchronous(struct sides *s, char *buffer)
{
	struct mx_request *request, *plain;
	struct mx_status status;
	bool early, done;

	meet(s);
	if (!s->a) {
		unexpected(s, 7);
		meet(s);
		end(s, take(s, buffer, 8, 7, EXACT));
		end(s, take(s, buffer, 8, 8, EXACT));
		return;
	}
	plain = give(s, buffer, 8, 8);
	mx_issend(s->ep, buffer, 8, 7, NULL, &request);
	end(s, plain);
	mx_wait(s->ep, &request, 50, &status, &early);
	meet(s);
	mx_wait(s->ep, &request, MX_FOREVER, &status, &done);
	row(s, "a synchronous send waits for its receive, another does not",
	    !early && done && !status.code);
}

void test_lives(struct sides *s)
{
	char *buffer = map(MX_LONGEST);
	unsigned int i;

	for (i = 0; i < LIVES; i++)
		lives_expected(s, &lives[i], buffer, 100 + i);
	for (i = 0; i < LIVES; i++)
		lives_unexpected(s, &lives[i], buffer, 200 + i);
	lives_partial(s, buffer);
	lives_synchronous(s, buffer);
	munmap(buffer, MX_LONGEST);
}

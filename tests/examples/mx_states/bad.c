// SPDX-License-Identifier: GPL-2.0
/* Calls and packets that are wrong, messages that are too long, and the end. */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include "states.h"

static void bad_call(struct sides *s, const char *name, enum mx_return got, enum mx_return want)
{
	char text[160];

	snprintf(text, sizeof(text), "%s: %s", name, mx_strerror(want));
	row(s, text, got == want);
}

void test_bad_calls(struct sides *s)
{
	struct mx_request *r = NULL;
	struct mx_endpoint *ep = s->ep;
	char byte = 0;
	bool done;

	bad_call(s, "a send without an endpoint", mx_isend(NULL, &byte, 1, 0, NULL, &r),
		 MX_BAD_ENDPOINT);
	bad_call(s, "a send without a request", mx_isend(ep, &byte, 1, 0, NULL, NULL),
		 MX_BAD_REQUEST);
	bad_call(s, "a send without a buffer", mx_issend(ep, NULL, 1, 0, NULL, &r), MX_BAD_BUFFER);
	bad_call(s, "a receive without a buffer", mx_irecv(ep, NULL, 1, 0, EXACT, NULL, &r),
		 MX_BAD_BUFFER);
	bad_call(s, "a send of too much", mx_isend(ep, &byte, MX_LONGEST + 1, 0, NULL, &r),
		 MX_BAD_LENGTH);
	bad_call(s, "a receive of too much", mx_irecv(ep, &byte, ~0u, 0, EXACT, NULL, &r),
		 MX_BAD_LENGTH);
	bad_call(s, "a receive", mx_irecv(ep, &byte, 1, 3, 1, NULL, &r), MX_BAD_MASK);
	bad_call(s, "a test of nothing", mx_test(ep, &r, NULL, &done), MX_BAD_REQUEST);
	bad_call(s, "a test without an endpoint", mx_test(NULL, &r, NULL, &done), MX_BAD_ENDPOINT);
	bad_call(s, "a test without a place for the result", mx_test(ep, &r, NULL, NULL),
		 MX_BAD_REQUEST);
	bad_call(s, "a peek without a place", mx_ipeek(ep, NULL, &done), MX_BAD_REQUEST);
	bad_call(s, "progress of nothing", mx_progress(NULL), MX_BAD_ENDPOINT);
	bad_call(s, "the end of nothing", mx_close(NULL), MX_BAD_ENDPOINT);
	bad_call(s, "a connection without a host", mx_connect(NULL, "1", &ep), MX_BAD_ENDPOINT);
	bad_call(s, "a connection to a wrong name", mx_connect("127.0.0.1", "none", &ep),
		 MX_NO_CONNECTION);
	row(s, "no such error", !strcmp(mx_strerror(1000), "unknown"));
}

static const struct {
	const char *name, *wrong;
	uint32_t bytes;
	struct packet p;
} packets[] = {
	{ "tiny", NULL, 32, { .type = WIRE_TINY, .length = 32 } },
	{ "too much for tiny", "a message that is too long for its way", 33,
	  { .type = WIRE_TINY, .length = 33 } },
	{ "tiny, a byte is missing", "data of a wrong length", 31,
	  { .type = WIRE_TINY, .length = 32 } },
	{ "tiny, a byte too many", "data of a wrong length", 32,
	  { .type = WIRE_TINY, .length = 31 } },
	{ "tiny with an offset", "a fragment where none begins", 0,
	  { .type = WIRE_TINY, .length = 32, .offset = 32 } },
	{ "small", NULL, 128, { .type = WIRE_SMALL, .length = 128 } },
	{ "too much for small", "a message that is too long for its way", 129,
	  { .type = WIRE_SMALL, .length = 129 } },
	{ "medium, the last fragment", NULL, 1, { .type = WIRE_MEDIUM, .length = 4097,
						  .offset = 4096 } },
	{ "too much for medium", "a message that is too long for its way", 4096,
	  { .type = WIRE_MEDIUM, .length = 32769 } },
	{ "a fragment at an odd place", "a fragment where none begins", 96,
	  { .type = WIRE_MEDIUM, .length = 4096, .offset = 4000 } },
	{ "a fragment behind the end", "a fragment where none begins", 0,
	  { .type = WIRE_MEDIUM, .length = 4096, .offset = 4096 } },
	{ "a short fragment", "data of a wrong length", 4095,
	  { .type = WIRE_MEDIUM, .length = 8192 } },
	{ "large", NULL, 16, { .type = WIRE_LARGE, .length = MX_LONGEST } },
	{ "too much for large", "a message that is too long for its way", 16,
	  { .type = WIRE_LARGE, .length = MX_LONGEST + 1 } },
	{ "large without a window", "data of a wrong length", 0,
	  { .type = WIRE_LARGE, .length = 40000 } },
	{ "a notify", NULL, 12, { .type = WIRE_NOTIFY } },
	{ "an empty notify", "data of a wrong length", 0, { .type = WIRE_NOTIFY } },
	{ "an acknowledgment", NULL, 0, { .type = WIRE_ACK } },
	{ "an acknowledgment with data", "data of a wrong length", 1, { .type = WIRE_ACK } },
	{ "no type", "an unknown type", 0, { .type = WIRE_TYPES } },
};

static bool bad_says(const char *wrong, const char *want)
{
	return wrong && want ? !strcmp(wrong, want) : wrong == want;
}

static bool bad_packet(unsigned int i)
{
	struct wire_header header = wire_pack(&packets[i].p);
	char memory[sizeof(header) + WIRE_FRAGMENT + 1] = { 0 };
	struct packet p;

	memcpy(memory, &header, sizeof(header));
	return bad_says(wire_unpack(&p, memory, sizeof(header) + packets[i].bytes),
			packets[i].wrong);
}

/* Numbers that a peer cannot mean. None changes what this side knows. */
static void bad_numbers(struct sides *s)
{
	struct partner *partner = &s->ep->partner;
	struct packet p = { .type = WIRE_ACK, .ack = partner->next_seq + 1 };
	struct wire_header header = { .version = WIRE_VERSION + 1 };

	row(s, "an acknowledgment of what was not sent",
	    bad_says(partner_heard(s->ep, &p), "an acknowledgment of what was not sent"));
	p = (struct packet){ .ack = partner->acked, .credits = 65535 };
	row(s, "too many credits",
	    bad_says(partner_heard(s->ep, &p), "more credits than there are buffers"));
	row(s, "half a header", bad_says(wire_unpack(&p, &header, 16), "less than a header"));
	row(s, "another version",
	    bad_says(wire_unpack(&p, &header, sizeof(header)), "an unknown version"));
	p = (struct packet){ .type = WIRE_MEDIUM, .length = 8192, .offset = 4096 };
	row(s, "a second fragment without the first",
	    bad_says(recv_message(s->ep, &p, NULL), "a fragment that does not follow"));
	p = (struct packet){ .type = WIRE_NOTIFY, .data = &header };
	row(s, "a notify of nothing",
	    bad_says(send_notified(s->ep, &p), "a notify of what was not sent"));
}

void test_bad_packets(struct sides *s)
{
	char text[100];
	unsigned int i;

	for (i = 0; i < sizeof(packets) / sizeof(*packets); i++) {
		snprintf(text, sizeof(text), "a packet: %s", packets[i].name);
		row(s, text, bad_packet(i));
	}
	bad_numbers(s);
}

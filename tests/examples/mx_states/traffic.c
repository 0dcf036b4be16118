// SPDX-License-Identifier: GPL-2.0
/* Many messages of all lengths both ways, buffers that are too short, and the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "states.h"

#define WINDOW	32u
#define LONG	100000u
#define FLOOD	200u

struct traffic_slot {
	struct mx_request *in, *out;
	uint32_t lengths[2], number;
	char in_buffer[LONG], out_buffer[LONG];
};

/* Mostly short, as messages are. */
static uint32_t traffic_length(struct sides *s)
{
	static const uint32_t most[] = { 32, 128, 5000, 32768, LONG };
	uint32_t way = draw(s) % 5;

	return draw(s) % (most[way] + 1);
}

static void traffic_begin(struct sides *s, struct traffic_slot *slot, uint32_t number)
{
	unsigned int mine = s->a;

	slot->number = number;
	slot->lengths[0] = traffic_length(s);
	slot->lengths[1] = traffic_length(s);
	fill(slot->out_buffer, slot->lengths[mine], number * 2 + mine);
	slot->in = take(s, slot->in_buffer, LONG, number, EXACT);
	slot->out = give(s, slot->out_buffer, slot->lengths[mine], number);
}

static bool traffic_end(struct sides *s, struct traffic_slot *slot)
{
	unsigned int theirs = !s->a;
	struct mx_status in = end(s, slot->in), out = end(s, slot->out);

	return !in.code && !out.code && in.msg_length == slot->lengths[theirs] &&
	       filled(slot->in_buffer, in.msg_length, slot->number * 2 + theirs);
}

/* A receive gets as much as there is room for, and the sender of a large message knows. */
static void traffic_truncated(struct sides *s, const char *name, uint32_t length)
{
	uint32_t room = length / 2;
	char *buffer = calloc(1, length);
	struct mx_status status;
	bool good;

	meet(s);
	if (s->a) {
		fill(buffer, length, 8);
		status = end(s, give(s, buffer, length, 4));
		good = !status.code &&
		       status.xfer_length == (length > WIRE_MEDIUM_MAX ? room : length);
	} else {
		status = end(s, take(s, buffer, room, 4, EXACT));
		good = status.code == MX_TRUNCATED && status.msg_length == length &&
		       status.xfer_length == room && filled(buffer, room, 8) && !buffer[room];
	}
	row(s, name, good);
	free(buffer);
}

/* More than the peer has buffers for, or this side room, while the peer does not look. */
static void traffic_flood(struct sides *s, const char *name, const uint32_t lengths[2])
{
	static char buffers[FLOOD][9000];
	struct mx_request *r[FLOOD];
	unsigned int i, wrong = 0;

	meet(s);
	for (i = 0; s->a && i < FLOOD; i++) {
		fill(buffers[i], lengths[i % 2], i);
		r[i] = give(s, buffers[i], lengths[i % 2], 6);
		progress(s->ep);
	}
	if (!s->a)
		sleep(1);
	for (i = 0; i < FLOOD; i++) {
		if (!s->a)
			r[i] = take(s, buffers[i], 9000, 6, EXACT);
		wrong += end(s, r[i]).code || !filled(buffers[i], lengths[i % 2], i);
	}
	row(s, name, !wrong);
}

void test_traffic(struct sides *s, unsigned int messages)
{
	struct traffic_slot *slots = calloc(WINDOW, sizeof(*slots));
	unsigned int i, wrong = 0;
	char name[80];

	traffic_truncated(s, "a buffer too short for a tiny message", 31);
	traffic_truncated(s, "a buffer too short for a small message", 101);
	traffic_truncated(s, "a buffer too short for a medium message", 25000);
	traffic_truncated(s, "a buffer too short for a large message", 50000);
	traffic_flood(s, "tiny messages, more than buffers", (const uint32_t[2]){ 16, 0 });
	traffic_flood(s, "messages, more than room for them", (const uint32_t[2]){ 100, 9000 });
	meet(s);
	for (i = 0; i < messages; i++) {
		if (i >= WINDOW)
			wrong += !traffic_end(s, &slots[i % WINDOW]);
		traffic_begin(s, &slots[i % WINDOW], i + 1);
	}
	for (i = messages > WINDOW ? messages - WINDOW : 0; i < messages; i++)
		wrong += !traffic_end(s, &slots[i % WINDOW]);
	snprintf(name, sizeof(name), "%u messages each way, %u at once", messages, WINDOW);
	row(s, name, !wrong);
	free(slots);
}

/* What came before the end is received after it; nothing else is. */
void test_end(struct sides *s)
{
	struct mx_request *waits = NULL, *request;
	struct mx_status status;
	char text[8] = "";

	if (!s->a)
		waits = take(s, text, 8, 1, EXACT);
	meet(s);
	if (s->a) {
		end(s, give(s, "goodbye", 8, 2));
		row(s, "an end", mx_close(s->ep) == MX_SUCCESS);
		return;
	}
	status = end(s, waits);
	row(s, "a receive that waits when the peer ends", status.code == MX_CLOSED &&
	    !status.xfer_length);
	status = end(s, take(s, text, 8, 2, EXACT));
	row(s, "a message that came before", !status.code && !strcmp(text, "goodbye"));
	row(s, "a receive after the end",
	    mx_irecv(s->ep, text, 8, 3, EXACT, NULL, &request) == MX_CLOSED);
	row(s, "a send after the end", mx_isend(s->ep, text, 8, 3, NULL, &request) == MX_CLOSED);
	row(s, "an end after the end", mx_close(s->ep) == MX_SUCCESS);
}

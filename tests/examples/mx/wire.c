// SPDX-License-Identifier: GPL-2.0
/* Headers, and what makes a packet a wrong one: nothing that the peer says is trusted. */
#include <arpa/inet.h>
#include <endian.h>
#include <string.h>
#include "mx.h"
#include "wire.h"

#define WIRE_MESSAGE	(~0u)	/* the data is the message */

static const struct { uint32_t longest, data; } kinds[WIRE_TYPES] = {
	[WIRE_TINY] = { WIRE_TINY_MAX, WIRE_MESSAGE },
	[WIRE_SMALL] = { WIRE_SMALL_MAX, WIRE_MESSAGE },
	[WIRE_MEDIUM] = { WIRE_MEDIUM_MAX, WIRE_MESSAGE },
	[WIRE_LARGE] = { MX_LONGEST, sizeof(struct wire_window) },
	[WIRE_NOTIFY] = { 0, sizeof(struct wire_notify) },
};

struct wire_header wire_pack(const struct packet *p)
{
	return (struct wire_header){
		.version = WIRE_VERSION, .type = p->type, .credits = htons(p->credits),
		.seq = htonl(p->seq), .ack = htonl(p->ack), .length = htonl(p->length),
		.offset = htonl(p->offset), .match = htobe64(p->match),
	};
}

static const char *wire_check(const struct packet *p)
{
	uint32_t bytes;

	if (p->type >= WIRE_TYPES)
		return "an unknown type";
	if (p->length > kinds[p->type].longest)
		return "a message that is too long for its way";
	if (p->type == WIRE_MEDIUM ? p->offset % WIRE_FRAGMENT || p->offset >= p->length : p->offset)
		return "a fragment where none begins";
	bytes = kinds[p->type].data;
	if (bytes == WIRE_MESSAGE)
		bytes = wire_min(p->length - p->offset, WIRE_FRAGMENT);
	return p->bytes == bytes ? NULL : "data of a wrong length";
}

/* Returns what is wrong with the packet, or NULL. */
const char *wire_unpack(struct packet *p, const void *from, uint32_t bytes)
{
	struct wire_header h;

	if (bytes < sizeof(h))
		return "less than a header";
	memcpy(&h, from, sizeof(h));
	if (h.version != WIRE_VERSION)
		return "an unknown version";
	*p = (struct packet){
		.type = h.type, .credits = ntohs(h.credits), .seq = ntohl(h.seq),
		.ack = ntohl(h.ack), .length = ntohl(h.length), .offset = ntohl(h.offset),
		.match = be64toh(h.match), .data = (const char *)from + sizeof(h),
		.bytes = bytes - sizeof(h),
	};
	return wire_check(p);
}

/* SPDX-License-Identifier: GPL-2.0 */
/* What the two processes say to each other: each SEND is one packet, big-endian. */
#ifndef WIRE_H
#define WIRE_H

#include <stdint.h>

#define WIRE_VERSION	1

/* The longest message of each way. */
#define WIRE_TINY_MAX	32
#define WIRE_SMALL_MAX	128
#define WIRE_FRAGMENT	4096
#define WIRE_FRAGMENTS	8
#define WIRE_MEDIUM_MAX	(WIRE_FRAGMENT * WIRE_FRAGMENTS)

enum wire_type { WIRE_TINY, WIRE_SMALL, WIRE_MEDIUM, WIRE_LARGE, WIRE_NOTIFY, WIRE_ACK,
		 WIRE_TYPES };

struct wire_header {
	uint8_t version;
	uint8_t type;
	uint16_t credits;	/* so many more receive buffers are free again */
	uint32_t seq;		/* of the message */
	uint32_t ack;		/* all messages before this one have come */
	uint32_t length;	/* of the message */
	uint32_t offset;	/* of this fragment */
	uint32_t reserved;
	uint64_t match;
};

/* Data of WIRE_LARGE: where the message can be read. No address: it cannot be. */
struct wire_window {
	uint64_t address;
	uint32_t rkey;
	uint32_t reserved;
};

/* Data of WIRE_NOTIFY: the message of that number has been read. */
struct wire_notify {
	uint32_t seq;
	uint32_t xfer_length;
	uint32_t failed;
};

/* A packet, in the order of this host. */
struct packet {
	enum wire_type type;
	uint16_t credits;
	uint32_t seq, ack, length, offset;
	uint64_t match;
	const void *data;
	uint32_t bytes;		/* of data */
};

struct wire_header wire_pack(const struct packet *p);
const char *wire_unpack(struct packet *p, const void *from, uint32_t bytes);

/* Is message A before B? Numbers come round. */
static inline int wire_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static inline uint32_t wire_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

#endif /* WIRE_H */

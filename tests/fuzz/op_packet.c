// SPDX-License-Identifier: GPL-2.0
/*
 * RoCE packets from the other end of the wire, to queue pairs of the input: as IPv4 and as
 * Ethertype 0x8915. What each opcode has is typed here once more, from IBA vol. 1 table 38.
 */
#include <string.h>
#include <sys/socket.h>
#include <arpa/inet.h>
#include <linux/if_packet.h>

#include "choice.h"
#include "op.h"

#define MOST	2048

enum { RETH = 1, AETH = 2, ATOMIC = 4, ORIGINAL = 8, IMM = 16, IETH = 32, DATA = 64 };

static const uint8_t kinds[32] = {
	[0x00] = DATA, [0x01] = DATA, [0x02] = DATA, [0x03] = DATA | IMM,
	[0x04] = DATA, [0x05] = DATA | IMM, [0x06] = DATA | RETH, [0x07] = DATA,
	[0x08] = DATA, [0x09] = DATA | IMM, [0x0a] = DATA | RETH, [0x0b] = DATA | RETH | IMM,
	[0x0c] = RETH, [0x0d] = DATA | AETH, [0x0e] = DATA, [0x0f] = DATA | AETH,
	[0x10] = DATA | AETH, [0x11] = AETH, [0x12] = AETH | ORIGINAL,
	[0x13] = ATOMIC, [0x14] = ATOMIC, [0x16] = DATA | IETH, [0x17] = DATA | IETH,
	[0x1c] = RETH, [0x1d] = RETH | DATA,
};

static const uint8_t macs[2][6] = { { 2, 0, 0, 0, 0, 1 }, { 2, 0, 0, 0, 0, 2 } };

static uint8_t frame[MOST + 128];
static uint32_t length;		/* of what is behind the IP and UDP headers */
static uint8_t *bth;

static void put(uint64_t value, int bytes)
{
	while (bytes--)
		bth[length++] = value >> 8 * bytes;
}

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static uint32_t crc(uint32_t c, const uint8_t *p, size_t n)
{
	while (n--) {
		c ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
	}
	return c;
}

/* ---- from the BTH on ---- */

static void extended(uint8_t opcode, uint32_t payload)
{
	uint8_t kind = kinds[opcode & 0x1f];

	if ((opcode & 0xe0) == 0xa0)
		put(world_number(WORLD_QPN), 4);
	if ((opcode & 0xe0) == 0x60) {
		put(choice(6) ? 0x11111111 : choice_odd(), 4);
		put(1 + choice(4), 4);
	}
	if (kind & (RETH | ATOMIC)) {
		put(world_address() & (choice(2) ? ~7ull : ~0ull), 8);
		put(world_number(WORLD_RKEY), 4);
	}
	if (kind & RETH)
		put(choice(4) ? kind & DATA ? payload : choice(3000) : choice_odd(), 4);
	if (kind & ATOMIC) {
		put(choice(4), 8);
		put(choice(4), 8);
	}
	if (kind & AETH) {
		put(choice(3) ? 0x1f : choice(256), 1);
		put(choice(6), 3);
	}
	if (kind & ORIGINAL)
		put(choice(256), 8);
	if (kind & IMM)
		put(choice(256), 4);
	if (kind & IETH)
		put(world_number(WORLD_RKEY), 4);
}

static void transport(void)
{
	static const uint8_t services[] = { 0x00, 0x00, 0x20, 0x60, 0xa0, 0x80 };
	static const uint16_t sizes[] = { 0, 256, 512, 1024, 1, 7, 100, 255 };
	uint8_t opcode = choice(10) ? services[choice(6)] | choice(0x1e) : choice(256);
	uint32_t payload = kinds[opcode & 0x1f] & DATA ? sizes[choice(8)] : 0;
	uint8_t pad = -payload & 3;

	length = 0;
	put(opcode, 1);
	put(0x40 | pad << 4 | (choice(16) ? 0 : choice(256) & 0x8f), 1);
	put(choice(24) ? 0xffff : choice_odd(), 2);
	put(choice(16) ? 0 : choice(256), 1);
	put(choice(16) ? world_number(WORLD_QPN) : choice(4), 3);
	put(choice(2) ? 0x80 : choice(256), 1);
	put(choice(8) ? choice(8) : choice_odd(), 3);
	extended(opcode, payload);
	memset(bth + length, opcode, payload + pad);
	length += payload + pad;
	for (uint32_t n = choice(10) ? 0 : 1 + choice(3); n; n--)
		bth[choice(length < 48 ? length : 48)] ^= 1 << choice(8);
	if (!choice(16))
		length = 1 + choice(length);
	length += 4;
}

/* ---- in front of it ---- */

static uint16_t sum(const uint8_t *at, int n)
{
	uint32_t s = 0;

	for (int i = 0; i < n; i += 2)
		s += at[i] << 8 | at[i + 1];
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return ~s;
}

static void ip4(uint8_t *h)
{
	memset(h, 0, 28);
	h[0] = 0x45;
	h[1] = choice(16) ? 0 : choice(256);
	put16(h + 2, choice(24) ? 28 + length : choice(65536));
	h[6] = choice(24) ? 0x40 : choice(256);
	h[8] = 64;
	h[9] = 17;
	memcpy(h + 12, "\x0a\0\0\3", 4);
	memcpy(h + 16, "\x0a\0\0\1", 4);
	if (!choice(16))
		h[15] = choice(8);
	put16(h + 10, sum(h, 20));
	put16(h + 20, 49152 + choice(4));
	put16(h + 22, 4791);
	put16(h + 24, choice(24) ? 8 + length : choice(65536));
}

static void grh(uint8_t *h)
{
	memset(h, 0, 40);
	h[0] = 0x60;
	put16(h + 4, choice(24) ? length : choice(65536));
	h[6] = 0x1b;
	h[7] = 64;
	memcpy(h + 8, "\xfe\x80\0\0\0\0\0\0\0\0\0\xff\xfe\0\0\2", 16);
	h[16] = 0;
	memcpy(h + 24, world.gid[0], 16);
}

/* What a router may change counts as ones. */
static void seal(const uint8_t *h, uint32_t ip_bytes)
{
	uint8_t copy[48], eight[8];
	uint32_t c;

	if (length < 16)
		return;
	memset(eight, 0xff, sizeof(eight));
	memcpy(copy, h, ip_bytes);
	if (ip_bytes == 28) {
		copy[1] = copy[8] = copy[10] = copy[11] = copy[26] = copy[27] = 0xff;
	} else {
		copy[0] |= 0x0f;
		memset(copy + 1, 0xff, 3);
		copy[7] = 0xff;
	}
	c = crc(crc(~0u, eight, 8), copy, ip_bytes);
	memcpy(copy, bth, 12);
	copy[4] = 0xff;
	c = ~crc(crc(c, copy, 12), bth + 12, length - 16);
	if (!choice(24))
		c ^= 1;
	memcpy(bth + length - 4, &c, 4);
}

static void op_packet(void)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET, .sll_ifindex = world.peer_index, .sll_halen = 6,
	};
	bool v1 = !choice(6);
	uint32_t ip_bytes = v1 ? 40 : 28;

	if (world.packet_fd < 0)
		return;
	for (uint32_t n = 1 + choice(4); n; n--) {
		bth = frame + 14 + ip_bytes;
		transport();
		memcpy(frame, macs[0], 6);
		memcpy(frame + 6, macs[1], 6);
		put16(frame + 12, v1 ? 0x8915 : 0x0800);
		if (v1)
			grh(frame + 14);
		else
			ip4(frame + 14);
		seal(frame + 14, ip_bytes);
		feature(F_PACKET, sendto(world.packet_fd, frame, 14 + ip_bytes + length, 0,
					 (struct sockaddr *)&to, sizeof(to)) < 0);
	}
}

/* A datagram for the management of queue pair 1. */
static void op_mad(void)
{
	static const uint8_t classes[] = { 0x07, 0x07, 0x03, 0x04, 0x01, 0x81, 0x06, 0x30, 0x09 };
	static const uint16_t cm[] = {
		0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b,
	};
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET, .sll_ifindex = world.peer_index, .sll_halen = 6,
	};
	uint8_t *mad, class = classes[choice(9)];

	if (world.packet_fd < 0)
		return;
	bth = frame + 14 + 28;
	length = 0;
	put(0x64400000 | 0xffff, 4);
	put(1, 4);
	put(choice(8), 4);
	put(choice(16) ? 0x80010000 : choice_odd(), 4);
	put(1, 4);
	mad = bth + length;
	memset(mad, 0, 256);
	length += 256 + 4;
	mad[0] = 1;
	mad[1] = class;
	mad[2] = class == 0x03 || class == 0x07 ? 2 : 1;
	mad[3] = choice(4) ? (uint8_t[]){ 3, 1, 2, 0x81, 0x12, 0x92 }[choice(6)] : choice(256);
	put16(mad + 4, choice(6) ? 0 : choice(65536));
	mad[15] = choice(4);
	put16(mad + 16, class == 7 ? cm[choice(12)] : choice(4) ? choice(0x40) : choice(65536));
	/* The ids of the CM, small numbers of others, a service. */
	for (uint32_t i = 24; i < 60; i++)
		mad[i] = choice(3) ? 0 : choice(256);
	if (choice(2))
		memcpy(mad + 32, "\0\0\0\0\1\6\x1b\x58", 8);
	for (uint32_t n = choice(24); n; n--)
		mad[choice(256)] = choice(256);
	memcpy(frame, macs[0], 6);
	memcpy(frame + 6, macs[1], 6);
	put16(frame + 12, 0x0800);
	ip4(frame + 14);
	seal(frame + 14, 28);
	feature(F_PACKET + 1, sendto(world.packet_fd, frame, 14 + 28 + length, 0,
				     (struct sockaddr *)&to, sizeof(to)) < 0);
}

const struct op packet_ops[] = {
	{ "packet.roce", op_packet, 12, OP_ROCE },
	{ "packet.mad", op_mad, 6, OP_ROCE },
	{ 0 }
};

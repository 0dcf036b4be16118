// SPDX-License-Identifier: GPL-2.0
/* Packets that come in by the cable of an HCA: management by LID and directed route, data. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "choice.h"
#include "op.h"

#define LRH	8
#define GRH	40
#define HEAD	20		/* BTH and DETH */
#define MOST	1400

static uint8_t packet[MOST + 64];

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value);
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

/* IBA vol. 1 7.8.1, for whatever the LNH says. */
static void seal(uint32_t length)
{
	uint8_t copy[sizeof(packet)];
	uint32_t front = LRH, sum;

	if (length < LRH + HEAD + 4)
		return;
	put16(packet + 4, length / 4);
	memcpy(copy, packet, length);
	copy[0] |= 0xf0;
	if ((packet[1] & 3) == 3 && length >= LRH + GRH + HEAD + 4) {
		memset(copy, 0xff, LRH);
		copy[LRH] |= 0x0f;
		memset(copy + LRH + 1, 0xff, 3);
		copy[LRH + 7] = 0xff;
		front += GRH;
	}
	copy[front + 4] = 0xff;
	sum = ~crc(~0u, copy, length - 4);
	memcpy(packet + length - 4, &sum, 4);
}

static void inject(uint32_t length)
{
	length = (length + 3) & ~3u;
	for (uint32_t n = choice(8) ? 0 : 1 + choice(3); n; n--)
		packet[choice(choice(2) ? LRH + HEAD : 256) % length] ^= 1 << choice(8);
	if (choice(24))
		seal(length);
	if (!choice(16))
		length = 1 + choice(length);
	feature(F_PACKET, write(world.inject_fd, packet, length) < 0 ? errno : 0);
}

static void smp_routes(uint8_t *mad)
{
	put32(mad + 32, 0xffffffff);
	mad[4] = choice(4) ? 0 : 0x80;
	mad[6] = choice(5);
	mad[7] = choice(4);
	for (int i = 128; i < 256; i++)
		mad[i] = i < 136 ? choice(4) : 0;
}

static void op_management(void)
{
	static const uint16_t smp[] = {
		0x02, 0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1b, 0x20, 0x31, 0xff00,
	};
	static const uint16_t cm[] = { 0x10, 0x11, 0x13, 0x14, 0x15, 0x16, 0x17, 0x19, 0x1a };
	static const uint8_t methods[] = { 1, 1, 2, 2, 3, 5, 6, 7, 0x81, 0x86 };
	static const uint8_t classes[] = { 1, 0x81, 0x81, 4, 7, 7, 3, 0x30 };
	uint8_t class = classes[choice(8)], *mad = packet + LRH + HEAD;
	bool sm = class == 1 || class == 0x81;

	memset(packet, 0, sizeof(packet));
	packet[0] = sm ? 0xf0 : 0;
	packet[1] = 2;
	put16(packet + 2, class == 0x81 ? 0xffff : 1 + choice(3));
	put16(packet + 6, class == 0x81 ? 0xffff : 1 + choice(3));
	packet[LRH] = 0x64;
	put16(packet + LRH + 2, 0xffff);
	put32(packet + LRH + 4, !sm);
	put32(packet + LRH + 12, sm ? 0 : 0x80010000);
	put32(packet + LRH + 16, !sm);
	mad[0] = 1;
	mad[1] = class;
	mad[2] = class == 7 || class == 3 ? 2 : 1;
	mad[3] = class == 7 ? 3 : methods[choice(10)];
	mad[15] = choice(4);
	put16(mad + 16, class == 7 ? cm[choice(9)] : class == 4 ? choice(0x20) : smp[choice(14)]);
	put32(mad + 20, choice(4) ? choice(6) : choice_odd());
	for (uint32_t n = choice(24); n; n--)
		mad[24 + choice(232)] = choice(256);
	if (class == 0x81)
		smp_routes(mad);
	inject(LRH + HEAD + 256 + 4);
}

/* Opcodes of all transports; a GRH if it is for a group, and sometimes else. */
static void op_data(void)
{
	bool group = !choice(4), global = group || !choice(3);
	uint32_t front = LRH + (global ? GRH : 0), length = front + 12;
	static const uint8_t services[] = { 0, 0, 0x20, 0x60, 0xa0, 0x80 };

	memset(packet, 0, sizeof(packet));
	packet[0] = choice(16) ? 0 : choice(9) << 4;
	packet[1] = choice(4) << 4 | (global ? 3 : 2);
	put16(packet + 2, group ? 0xc000 + choice(4) : 1 + choice(3));
	put16(packet + 6, 1 + choice(3));
	packet[front] = choice(10) ? services[choice(6)] | choice(0x1e) : choice(256);
	put16(packet + front + 2, choice(24) ? 0xffff : choice_odd());
	put32(packet + front + 4, group ? 0xffffff : world_number(WORLD_QPN) & 0xffffff);
	put32(packet + front + 8, (choice(2) ? 0x80000000 : 0) | (choice(8) ? choice(8) : choice(1 << 24)));
	/* Headers behind it: an address, a key and a length, wherever they are. */
	put32(packet + length, choice(2) ? 0x11111111 : world_address() >> 32);
	put32(packet + length + 4, choice(2) ? 1 : world_address());
	put32(packet + length + 8, world_number(WORLD_RKEY));
	put32(packet + length + 12, choice(2) ? choice(2048) : choice_odd());
	length += 16 + choice(64) * 4 * (choice(4) ? 1 : 4);
	if (global) {
		packet[LRH] = 0x60;
		put16(packet + LRH + 4, length - front + 4);
		packet[LRH + 6] = 0x1b;
		memcpy(packet + LRH + 8, world.gid[1], 16);
		memcpy(packet + LRH + 24, group ? "\xff\x12\x40\x1b\xff\xff\0\0\0\0\0\0\0\0\0\5" :
		       (char *)world.gid[0], 16);
	}
	inject(length + 4);
}

const struct op ib_ops[] = {
	{ "ib.management", op_management, 8, OP_IB },
	{ "ib.data", op_data, 10, OP_IB },
	{ 0 }
};

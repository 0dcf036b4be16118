// SPDX-License-Identifier: GPL-2.0
/*
 * Mutated packets on InfiniBand cables.
 *
 * usage: ib_inject SEED COUNT FILE...
 *
 * Each FILE is one of debugfs, below ofed_ib: what is written there comes in by a port.
 * Packets begin as SMPs by LID and by directed routes, as management of QP1, and as
 * data to queue pairs and groups. Half of those that were damaged get a length and an
 * ICRC that fit again, so that the damage gets past the first checks. Status 0: every
 * write was taken, or refused for its length.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LRH	8
#define GRH	40
#define UD	20
#define MAD	256
#define ICRC	4
#define MOST	4200

static uint64_t state;

/* xorshift64* */
static uint32_t any(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dULL) >> 32) % below;
}

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

static uint32_t crc(uint32_t sum, const uint8_t *at, size_t length)
{
	int bit;

	while (length--) {
		sum ^= *at++;
		for (bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
	}
	return sum;
}

/* Section 7.8.1, for whatever the LNH says. */
static void seal(uint8_t *packet, size_t length)
{
	uint8_t copy[MOST];
	size_t front = LRH;
	uint32_t sum;

	if (length < LRH + UD + ICRC)
		return;
	put16(packet + 4, length / 4);
	memcpy(copy, packet, length);
	copy[0] |= 0xf0;
	if ((packet[1] & 3) == 3 && length >= LRH + GRH + UD + ICRC) {
		memset(copy, 0xff, LRH);
		copy[LRH] |= 0x0f;
		memset(copy + LRH + 1, 0xff, 3);
		copy[LRH + 7] = 0xff;
		front += GRH;
	}
	copy[front + 4] = 0xff;
	sum = ~crc(~0U, copy, length - ICRC);
	packet[length - 4] = sum;
	packet[length - 3] = sum >> 8;
	packet[length - 2] = sum >> 16;
	packet[length - 1] = sum >> 24;
}

static void fill_mad(uint8_t *mad, int class)
{
	static const uint16_t smp[] = {
		0x02, 0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1b, 0x20,
		0x31, 0xff00,
	};
	static const uint16_t pma[] = { 0x01, 0x10, 0x12, 0x1d, 0x99 };
	static const uint8_t methods[] = { 1, 1, 2, 2, 3, 5, 6, 7, 0x81, 0x86 };
	int i;

	memset(mad, 0, MAD);
	mad[0] = 1;
	mad[1] = class;
	mad[2] = 1;
	mad[3] = methods[any(sizeof(methods))];
	put32(mad + 12, any(~0U));
	put16(mad + 16, class == 4 ? pma[any(5)] : smp[any(14)]);
	put32(mad + 20, any(2) ? any(6) : any(~0U));
	for (i = 64; i < MAD; i++)
		mad[i] = any(3) ? 0 : any(256);
	if (class == 0x81) {
		put32(mad + 32, 0xffffffff);
		mad[7] = any(4);
		mad[6] = any(5);
		mad[4] = any(4) ? 0 : 0x80;
		for (i = 128; i < MAD; i++)
			mad[i] = any(9);
	}
}

static size_t management(uint8_t *packet, int class)
{
	int smp = class != 4;

	memset(packet, 0, LRH + UD);
	packet[0] = smp ? 0xf0 : 0;
	packet[1] = 2;
	put16(packet + 2, class == 0x81 ? 0xffff : any(8));
	put16(packet + 6, class == 0x81 ? 0xffff : any(8));
	packet[LRH] = 0x64;
	put16(packet + LRH + 2, 0xffff);
	put32(packet + LRH + 4, !smp);
	put32(packet + LRH + 12, smp ? 0 : 0x80010000);
	put32(packet + LRH + 16, !smp);
	fill_mad(packet + LRH + UD, class);
	return LRH + UD + MAD + ICRC;
}

/* Opcodes of all transports; a GRH if it is for a group, and sometimes else. */
static size_t data(uint8_t *packet)
{
	int group = !any(3), global = group || !any(3);
	size_t front = LRH + (global ? GRH : 0), length, i;

	length = front + UD + any(any(4) ? 64 : 1024) * 4 + ICRC;
	for (i = 0; i < length; i++)
		packet[i] = any(256);
	packet[0] = any(9) << 4;
	packet[1] = any(16) << 4 | (global ? 3 : 2);
	put16(packet + 2, group ? 0xc000 + any(40) : any(10));
	put16(packet + 6, any(10));
	if (global) {
		packet[LRH] = 0x60;
		put16(packet + LRH + 4, length - front);
		packet[LRH + 6] = 0x1b;
		if (group)
			packet[LRH + 24] = 0xff;
	}
	packet[front] = any(4) ? (any(8) << 5 | any(32)) : 0x64;
	packet[front + 1] = any(4) ? 0 : any(256);
	put16(packet + front + 2, 0xffff);
	if (group)
		put32(packet + front + 4, 0xffffff);
	return length;
}

static size_t make(uint8_t *packet)
{
	switch (any(5)) {
	case 0:
		return management(packet, 1);
	case 1:
	case 2:
		return management(packet, 0x81);
	case 3:
		return management(packet, 4);
	default:
		return data(packet);
	}
}

static size_t mutate(uint8_t *packet, size_t length)
{
	uint32_t times = any(6);

	while (times--)
		packet[any(any(2) ? length : LRH + UD + 64 < length ?
			   LRH + UD + 64 : length)] ^= 1 << any(8);
	if (!any(10))
		length = 1 + any(length);
	return length;
}

int main(int argc, char **argv)
{
	unsigned long i, count, refused = 0;
	uint8_t packet[MOST];
	int files[256], num;
	size_t length;

	if (argc < 4 || argc - 3 > 256)
		return 2;
	state = strtoull(argv[1], NULL, 0) * 2 + 1;
	count = strtoul(argv[2], NULL, 0);
	for (num = 0; num < argc - 3; num++) {
		files[num] = open(argv[num + 3], O_WRONLY);
		if (files[num] < 0) {
			perror(argv[num + 3]);
			return 1;
		}
	}
	for (i = 0; i < count; i++) {
		length = make(packet);
		seal(packet, length);
		length = mutate(packet, length);
		if (any(2)) {
			length = (length + 3) & ~3UL;
			seal(packet, length);
		}
		if (write(files[any(num)], packet, length) == (ssize_t)length)
			continue;
		if (errno != EINVAL) {
			perror("write");
			return 1;
		}
		refused++;
	}
	printf("%lu packets, %lu refused\n", count, refused);
	return 0;
}

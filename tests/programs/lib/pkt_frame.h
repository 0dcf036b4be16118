/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A packet of pkt_fuzz: what is changed of its bytes; the headers in front, of IP and UDP or of
 * Ethertype 0x8915, with lies; and the ICRC.
 */
#ifndef PKT_FRAME_H
#define PKT_FRAME_H

#include <netinet/in.h>

#include "innocent.h"

#define PORT		4791
#define R(n)		below(&seed, n)

enum net { V4, V6, V1, NETS };

struct packet {
	uint8_t bytes[9000];	/* from the BTH on */
	uint32_t length;	/* with the ICRC */
};

static uint64_t seed;
static union ibv_gid our_gid[NETS], their_gid[NETS];
static uint32_t crc_table[256];

static uint32_t crc(uint32_t c, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n--)
		c = c >> 8 ^ crc_table[(c ^ *p++) & 0xff];
	return c;
}

static void crc_init(void)
{
	uint32_t i, c;
	int k;

	for (i = 0; i < 256; i++) {
		for (c = i, k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
		crc_table[i] = c;
	}
}

static void put(struct packet *p, uint64_t value, int bytes)
{
	while (bytes--)
		p->bytes[p->length++] = value >> 8 * bytes;
}

/* What a peer that is out of its mind makes of it. */
static void mutate(struct packet *p)
{
	uint32_t at, n;

	switch (R(8)) {
	case 0:		/* a bit, of the headers mostly */
	case 1:
		p->bytes[R(R(4) && p->length > 40 ? 40 : p->length)] ^= 1 << R(8);
		break;
	case 2:		/* cut off, in the headers or behind */
		p->length = R(R(2) && p->length > 48 ? 48 : p->length);
		break;
	case 3:		/* more than was told */
		n = 1 + R(32);
		for (at = p->length; n--; at++)
			p->bytes[at] = rng(&seed);
		p->length = at;
		break;
	case 4:		/* pad */
		p->bytes[1] ^= (1 + R(3)) << 4;
		break;
	case 5:		/* version of the transport, migration, solicited */
		p->bytes[1] ^= 1 << R(8);
		break;
	case 6:		/* a field of ones, zeros or anything */
		at = R(p->length > 44 ? 44 : p->length);
		memset(p->bytes + at, (int[]){ 0, 0xff, 0x80, R(256) }[R(4)],
		       at + 4 <= p->length ? 4 : 1);
		break;
	case 7:		/* another opcode on the same bytes */
		p->bytes[0] = rng(&seed);
		break;
	}
	if (!p->length)
		p->length = 1;
}

static uint16_t sum_up(uint32_t sum, const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t i;

	for (i = 0; i < n; i++)
		sum += i & 1 ? p[i] : p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static uint32_t make_ip(uint8_t *h, enum net net, uint32_t length)
{
	memset(h, 0, 48);
	if (net == V4) {
		h[0] = 0x45;
		put16(h + 2, 28 + length);
		put16(h + 4, 1 + R(0xffff));
		h[6] = 0x40;
		h[8] = 64;
		h[9] = IPPROTO_UDP;
		memcpy(h + 12, their_gid[V4].raw + 12, 4);
		memcpy(h + 16, our_gid[V4].raw + 12, 4);
		put16(h + 10, ~sum_up(0, h, 20));
		h += 20;
	} else {
		h[0] = 0x60;
		h[2] = R(256);
		put16(h + 4, net == V6 ? 8 + length : length);
		h[6] = net == V6 ? IPPROTO_UDP : 0x1b;
		h[7] = 64;
		memcpy(h + 8, their_gid[net].raw, 16);
		memcpy(h + 24, our_gid[net].raw, 16);
		if (net == V1)
			return 40;
		h += 40;
	}
	put16(h, 49152 + R(16384));
	put16(h + 2, PORT);
	put16(h + 4, 8 + length);
	return net == V4 ? 28 : 48;
}

/* IBA vol. 1 7.8.1, A16.5.1, A17.3.3: what a router may change counts as ones. */
static uint32_t icrc(const uint8_t *ip, enum net net, const struct packet *p)
{
	uint8_t h[48], bth[12];
	uint32_t c = ~0, n = net == V4 ? 28 : net == V6 ? 48 : 40;

	memcpy(h, ip, n);
	if (net == V4) {
		h[1] = h[8] = h[10] = h[11] = 0xff;
	} else {
		h[0] |= 0x0f;
		memset(h + 1, 0xff, 3);
		h[7] = 0xff;
	}
	if (net != V1)
		h[n - 2] = h[n - 1] = 0xff;
	c = crc(c, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	c = crc(c, h, n);
	memcpy(bth, p->bytes, 12);
	bth[4] = 0xff;
	c = crc(c, bth, 12);
	return ~crc(c, p->bytes + 12, p->length - 16);
}

/* Lies of the headers in front, which the ICRC does not save from. */
static void lie(uint8_t *ip, enum net net, uint32_t length)
{
	uint8_t *udp = ip + (net == V4 ? 20 : 40);
	uint32_t wrong = R(2) ? R(length + 64) : R(0x10000);

	switch (net == V1 ? R(2) : R(6)) {
	case 0:	/* length of the IP packet or the GRH */
		put16(ip + (net == V4 ? 2 : 4), wrong);
		break;
	case 1:	/* version, header length, next header */
		ip[R(2) ? 0 : net == V4 ? 9 : 6] ^= 1 << R(8);
		break;
	case 2:	/* fragments */
		if (net == V4)
			put16(ip + 6, R(2) ? 0x2000 : R(0x2000));
		break;
	case 3:
		put16(udp + 4, wrong);
		break;
	case 4:	/* a checksum, where none has to be */
		put16(udp + 6, 1 + R(0xffff));
		break;
	case 5:	/* from a stranger */
		ip[net == V4 ? 15 : 23] ^= 1 + R(255);
		break;
	}
	if (net == V4) {
		put16(ip + 10, 0);
		put16(ip + 10, ~sum_up(0, ip, 20));
	}
}

#endif /* PKT_FRAME_H */

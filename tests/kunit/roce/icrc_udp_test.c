// SPDX-License-Identifier: GPL-2.0
/*
 * CRCs over masked IP and UDP headers, which are put together from parts, against those that are
 * computed over all of their bytes (annex A17.3.3).
 */
#include <kunit/test.h>
#include <linux/crc32.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <rdma/ib_verbs.h>

#include "hw/roce/icrc_udp.h"

#define PACKETS	2000
/* More pairs of addresses than are kept. */
#define PAIRS	40

static struct rnd_state rnd;

static u32 draw(void)
{
	return prandom_u32_state(&rnd);
}

/* One of two that have the same place where CRCs are kept. */
static __be32 addr_of(u32 pair)
{
	return htonl(0x0a000000 | (draw() % 2) << 16 | pair << 7 | pair);
}

/* The headers as they are, with ones where routers write; @bytes of them. */
static u32 reference(const u8 *headers, u32 bytes)
{
	u8 all[8 + sizeof(struct ipv6hdr) + sizeof(struct udphdr)];
	u8 *ip = all + 8;
	bool v4 = headers[0] >> 4 == 4;

	memset(all, 0xff, 8);
	memcpy(ip, headers, bytes);
	if (v4) {
		ip[1] = 0xff;			/* TOS */
		ip[8] = 0xff;			/* TTL */
		ip[10] = 0xff;			/* checksum */
		ip[11] = 0xff;
	} else {
		ip[0] |= 0x0f;			/* traffic class, flow label */
		memset(ip + 1, 0xff, 3);
		ip[7] = 0xff;			/* hop limit */
	}
	memset(ip + bytes - 2, 0xff, 2);	/* UDP checksum */
	return crc32_le(~0, all, 8 + bytes);
}

static void fill_udp(struct udphdr *udp, u16 length)
{
	udp->source = htons(draw());
	udp->dest = htons(ROCE_V2_UDP_DPORT);
	udp->len = htons(length);
	udp->check = (__force __sum16)draw();
}

static u32 fill_ipv4(u8 *at, u16 length)
{
	u32 pair = draw() % PAIRS;
	struct iphdr ip = {
		.version = 4, .ihl = 5, .tos = draw(), .tot_len = htons(sizeof(ip) + length),
		.id = htons(draw()), .frag_off = htons(draw() % 8 ? IP_DF : 0), .ttl = draw(),
		.protocol = IPPROTO_UDP, .check = (__force __sum16)draw(),
		.saddr = addr_of(pair), .daddr = addr_of(pair + 1 + draw() % 2),
	};

	memcpy(at, &ip, sizeof(ip));
	return sizeof(ip);
}

static u32 fill_ipv6(u8 *at, u16 length)
{
	u32 pair = draw() % PAIRS;
	struct ipv6hdr ip = {
		.version = 6, .priority = draw(), .flow_lbl = { draw(), draw(), draw() },
		.payload_len = htons(length), .nexthdr = draw() % 8 ? IPPROTO_UDP : 0,
		.hop_limit = draw(),
		.saddr.s6_addr = { 0xfe, 0x80, [13] = draw() % 2, [14] = pair, [15] = pair },
		.daddr.s6_addr = { 0xfe, 0x80, [13] = draw() % 2, [15] = pair + 1 },
	};

	memcpy(at, &ip, sizeof(ip));
	return sizeof(ip);
}

/* A packet of @length bytes of UDP; data at its BTH. */
static struct sk_buff *packet(struct kunit *test, bool v4, u16 length, u8 *headers, u32 *bytes)
{
	struct sk_buff *skb = alloc_skb(256, GFP_KERNEL);
	struct udphdr udp;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
	*bytes = v4 ? fill_ipv4(headers, length) : fill_ipv6(headers, length);
	fill_udp(&udp, length);
	memcpy(headers + *bytes, &udp, sizeof(udp));
	*bytes += sizeof(udp);
	skb->protocol = v4 ? htons(ETH_P_IP) : htons(ETH_P_IPV6);
	skb_reset_network_header(skb);
	skb_put_data(skb, headers, *bytes);
	__skb_pull(skb, *bytes);
	return skb;
}

static void one(struct kunit *test, bool v4)
{
	u8 headers[sizeof(struct ipv6hdr) + sizeof(struct udphdr)];
	struct sk_buff *skb;
	u32 bytes, seed;

	skb = packet(test, v4, draw(), headers, &bytes);
	local_bh_disable();
	seed = roce_udp_seed(skb, 0, 0);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, seed, reference(headers, bytes));
	/* Where softirqs are enabled nothing is kept. */
	KUNIT_EXPECT_EQ(test, roce_udp_seed(skb, 0, 0), seed);
	kfree_skb(skb);
}

static void seed_of_packets(struct kunit *test)
{
	int i;

	for (i = 0; i < PACKETS; i++)
		one(test, i & 1);
}

static void put_16(u8 *at, u16 value)
{
	at[0] = value >> 8;
	at[1] = value;
}

/* Packet @index of a GSO skb has its own length, and with IPv4 its own identification. */
static void one_of_run(struct kunit *test, bool v4, u32 index)
{
	u8 headers[sizeof(struct ipv6hdr) + sizeof(struct udphdr)];
	u16 length = draw() % 4096, udp = length + sizeof(struct udphdr);
	struct sk_buff *skb;
	u32 bytes, seed;

	skb = packet(test, v4, 40000, headers, &bytes);
	skb_shinfo(skb)->gso_size = length + 1;
	local_bh_disable();
	seed = roce_udp_seed(skb, index, length);
	local_bh_enable();
	if (v4) {
		put_16(headers + 2, udp + sizeof(struct iphdr));
		put_16(headers + 4, (headers[4] << 8 | headers[5]) + index);
	} else {
		put_16(headers + 4, udp);
	}
	put_16(headers + bytes - 4, udp);
	KUNIT_EXPECT_EQ(test, seed, reference(headers, bytes));
	skb_shinfo(skb)->gso_size = 0;
	kfree_skb(skb);
}

static void seed_of_runs(struct kunit *test)
{
	int i;

	for (i = 0; i < PACKETS; i++)
		one_of_run(test, i & 1, draw() % 64);
}

/* ---- packets that are sent -------------------------------------------------------------- */

/* A header of ours: of @length bytes of UDP, between two addresses. */
static struct sk_buff *sent_packet(struct kunit *test, bool v4, u16 length, u32 *base)
{
	u8 headers[sizeof(struct ipv6hdr) + sizeof(struct udphdr)];
	struct ipv6hdr *ipv6 = (void *)headers;
	struct iphdr *ipv4 = (void *)headers;
	struct sk_buff *skb;
	u32 bytes;

	skb = packet(test, v4, length, headers, &bytes);
	__skb_push(skb, bytes);
	if (v4) {
		ipv4->frag_off = htons(IP_DF);
		ipv4->id = 0;
		*base = roce_seed_base_ipv4(ipv4->saddr, ipv4->daddr);
	} else {
		ipv6->nexthdr = IPPROTO_UDP;
		*base = roce_seed_base_ipv6(&ipv6->saddr, &ipv6->daddr);
	}
	memcpy(skb->data, headers, bytes);
	__skb_pull(skb, bytes);
	return skb;
}

/* The same as the one of any packet, alone and in a GSO skb. */
static void seed_of_sent(struct kunit *test)
{
	u16 length, udp;
	struct sk_buff *skb;
	u32 base, index;
	int i;

	for (i = 0; i < PACKETS; i++) {
		length = draw() % 4096;
		udp = length + sizeof(struct udphdr);
		skb = sent_packet(test, i & 1, udp, &base);
		KUNIT_EXPECT_EQ(test, roce_udp_tx_seed(skb, base, 0, length),
				roce_udp_seed(skb, 0, length));
		index = draw() % 64;
		skb_shinfo(skb)->gso_size = length + 1;
		KUNIT_EXPECT_EQ(test, roce_udp_tx_seed(skb, base, index, length),
				roce_udp_seed(skb, index, length));
		skb_shinfo(skb)->gso_size = 0;
		kfree_skb(skb);
	}
}

static int seed_init(struct kunit *test)
{
	prandom_seed_state(&rnd, 4791);
	roce_icrc_udp_init();
	return 0;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(seed_of_packets),
	KUNIT_CASE(seed_of_runs),
	KUNIT_CASE(seed_of_sent),
	{}
};

static struct kunit_suite suite = {
	.name = "roce_icrc_udp",
	.init = seed_init,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit: CRCs over masked IP and UDP headers");
MODULE_LICENSE("GPL");

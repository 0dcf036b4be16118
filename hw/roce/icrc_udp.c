// SPDX-License-Identifier: GPL-2.0
/*
 * ICRC of version 2: the CRC over the headers in front of the BTH, without the fields that
 * routers change, which count as ones (annex A17.3.3).
 *
 * Of the packets between two addresses these headers differ in few fields, and a CRC is linear:
 * that of a header is the one of the header with zeroes in such a field, XORed with what the
 * field adds, which depends on its value and its place alone. So a path has the CRC of its two
 * addresses, each processor keeps those of packets that it has received, and a table has what each
 * byte of a field adds.
 */
#include <linux/crc32.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/percpu.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <rdma/ib_verbs.h>

#include "icrc_udp.h"

/* The ICRC covers eight bytes of ones in the place of InfiniBand's LRH. */
#define PSEUDO_LRH	8
/* Pairs of addresses that a processor keeps, of IPv4 and of IPv6; a power of 2. */
#define KNOWN_PAIRS	16

struct roce_masked_ipv4 {
	u8 lrh[PSEUDO_LRH];
	struct iphdr ip;
	struct udphdr udp;
} __packed;

struct roce_masked_ipv6 {
	u8 lrh[PSEUDO_LRH];
	struct ipv6hdr ip;
	struct udphdr udp;
} __packed;

/* Fields of 16 bits that differ from packet to packet. */
enum roce_seed_field {
	ROCE_SEED_PORT,		/* UDP source */
	ROCE_SEED_UDP_LENGTH,
	ROCE_SEED_IPV4_LENGTH,
	ROCE_SEED_IPV4_ID,
	ROCE_SEED_IPV6_LENGTH,
	ROCE_SEED_IPV6_BOTH,	/* lengths, where that of UDP is the one of IP */
	ROCE_SEED_FIELDS
};

/* What the first and the second byte of a field add, by value. */
static u32 roce_seed_adds[ROCE_SEED_FIELDS][2][256];

/*
 * CRCs of one processor: only contexts with softirqs disabled use them.
 * @base: with zeroes in all of those fields
 * @known: the entry has a value
 */
struct roce_seed_ipv4 {
	__be32 saddr, daddr;
	u32 base;
	bool known;
};

struct roce_seed_ipv6 {
	struct in6_addr saddr, daddr;
	u32 base;
	bool known;
};

struct roce_seeds {
	struct roce_seed_ipv4 ipv4[KNOWN_PAIRS];
	struct roce_seed_ipv6 ipv6[KNOWN_PAIRS];
};

static DEFINE_PER_CPU(struct roce_seeds, roce_seeds);

/* ---- fields ----------------------------------------------------------------------- */

/* @behind: bytes of the headers behind the field */
static void roce_seed_fill(u32 adds[2][256], u32 behind)
{
	u8 bytes[sizeof(struct roce_masked_ipv6)] = {};
	u32 value;

	for (value = 0; value < 256; value++) {
		bytes[0] = value;
		adds[0][value] = crc32_le(0, bytes, 1 + 1 + behind);
		adds[1][value] = crc32_le(0, bytes, 1 + behind);
	}
}

#define BEHIND(type, field)	(sizeof(type) - offsetof(type, field) - sizeof(u16))

/* Two fields that have the same value. */
static void roce_seed_join(enum roce_seed_field both, enum roce_seed_field a,
			   enum roce_seed_field b)
{
	u32 byte, value;

	for (byte = 0; byte < 2; byte++)
		for (value = 0; value < 256; value++)
			roce_seed_adds[both][byte][value] = roce_seed_adds[a][byte][value] ^
							    roce_seed_adds[b][byte][value];
}

/* Before the first packet. */
void roce_icrc_udp_init(void)
{
	roce_seed_fill(roce_seed_adds[ROCE_SEED_PORT],
		       BEHIND(struct roce_masked_ipv6, udp.source));
	roce_seed_fill(roce_seed_adds[ROCE_SEED_UDP_LENGTH],
		       BEHIND(struct roce_masked_ipv6, udp.len));
	roce_seed_fill(roce_seed_adds[ROCE_SEED_IPV4_LENGTH],
		       BEHIND(struct roce_masked_ipv4, ip.tot_len));
	roce_seed_fill(roce_seed_adds[ROCE_SEED_IPV4_ID],
		       BEHIND(struct roce_masked_ipv4, ip.id));
	roce_seed_fill(roce_seed_adds[ROCE_SEED_IPV6_LENGTH],
		       BEHIND(struct roce_masked_ipv6, ip.payload_len));
	roce_seed_join(ROCE_SEED_IPV6_BOTH, ROCE_SEED_IPV6_LENGTH, ROCE_SEED_UDP_LENGTH);
}

static __always_inline u32 roce_seed_add(enum roce_seed_field field, u16 value)
{
	return roce_seed_adds[field][0][value >> 8] ^ roce_seed_adds[field][1][value & 0xff];
}

/*
 * Softirqs are disabled wherever packets are sent and received. On PREEMPT_RT that alone does not
 * keep other tasks off.
 */
static bool roce_seeds_are_ours(void)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT) && likely(softirq_count());
}

/* ---- IPv4 ------------------------------------------------------------------------- */

/**
 * roce_seed_base_ipv4 - CRC32 state behind the masked headers of a packet, but for some fields
 * @saddr: source address
 * @daddr: destination address
 *
 * Context: any.
 *
 * Return: that of headers with zeroes in all fields that differ from packet to packet.
 */
u32 roce_seed_base_ipv4(__be32 saddr, __be32 daddr)
{
	struct roce_masked_ipv4 masked;

	memset(&masked, 0, sizeof(masked));
	memset(masked.lrh, 0xff, sizeof(masked.lrh));
	masked.ip.version = 4;
	masked.ip.ihl = sizeof(masked.ip) / 4;
	masked.ip.tos = 0xff;
	masked.ip.frag_off = htons(IP_DF);
	masked.ip.ttl = 0xff;
	masked.ip.protocol = IPPROTO_UDP;
	masked.ip.check = (__force __sum16)0xffff;
	masked.ip.saddr = saddr;
	masked.ip.daddr = daddr;
	masked.udp.dest = htons(ROCE_V2_UDP_DPORT);
	masked.udp.check = (__force __sum16)0xffff;
	return crc32_le(~0, (u8 *)&masked, sizeof(masked));
}

/* All of it, of a header that has other flags than ours. */
static noinline u32 roce_whole_ipv4(const struct iphdr *ip, u16 total, u16 id, u16 length)
{
	struct roce_masked_ipv4 masked;

	memset(masked.lrh, 0xff, sizeof(masked.lrh));
	memcpy(&masked.ip, ip, sizeof(masked.ip));
	memcpy(&masked.udp, ip + 1, sizeof(masked.udp));
	masked.ip.tot_len = htons(total);
	masked.ip.id = htons(id);
	masked.udp.len = htons(length);
	masked.ip.tos = 0xff;
	masked.ip.ttl = 0xff;
	masked.ip.check = (__force __sum16)0xffff;
	masked.udp.check = (__force __sum16)0xffff;
	return crc32_le(~0, (u8 *)&masked, sizeof(masked));
}

static bool roce_is_usual_ipv4(const struct iphdr *ip, const struct udphdr *udp)
{
	return ip->frag_off == htons(IP_DF) && ip->protocol == IPPROTO_UDP &&
	       ip->ihl == sizeof(*ip) / 4 && udp->dest == htons(ROCE_V2_UDP_DPORT);
}

/* What the fields of such a header add. */
static __always_inline u32 roce_fields_ipv4(const struct udphdr *udp, u16 total, u16 id, u16 length)
{
	return roce_seed_add(ROCE_SEED_IPV4_LENGTH, total) ^
	       roce_seed_add(ROCE_SEED_IPV4_ID, id) ^
	       roce_seed_add(ROCE_SEED_PORT, ntohs(udp->source)) ^
	       roce_seed_add(ROCE_SEED_UDP_LENGTH, length);
}

static struct roce_seed_ipv4 *roce_slot_ipv4(const struct iphdr *ip)
{
	u32 i = (__force u32)ip->saddr ^ (__force u32)ip->daddr << 1;

	/* The last byte of either counts, in both byte orders; both ways have entries of their own. */
	return &this_cpu_ptr(&roce_seeds)->ipv4[(i ^ i >> 24) % KNOWN_PAIRS];
}

/* Addresses that are not known yet, or an unusual header. */
static noinline u32 roce_seed_learn_ipv4(const struct iphdr *ip, u16 total, u16 id, u16 length)
{
	const struct udphdr *udp = (const void *)(ip + 1);
	u32 whole = roce_whole_ipv4(ip, total, id, length);
	struct roce_seed_ipv4 *seed;

	if (!roce_seeds_are_ours() || !roce_is_usual_ipv4(ip, udp))
		return whole;
	seed = roce_slot_ipv4(ip);
	seed->base = whole ^ roce_fields_ipv4(udp, total, id, length);
	seed->saddr = ip->saddr;
	seed->daddr = ip->daddr;
	seed->known = true;
	return whole;
}

static __always_inline u32 roce_udp_seed_ipv4(const struct sk_buff *skb, u32 index, u16 length)
{
	const struct iphdr *ip = ip_hdr(skb);
	const struct udphdr *udp = (const void *)(ip + 1);
	u16 total = sizeof(*ip) + length, id = ntohs(ip->id) + index;
	const struct roce_seed_ipv4 *seed;

	if (!skb_is_gso(skb)) {
		total = ntohs(ip->tot_len);
		id = ntohs(ip->id);
		length = ntohs(udp->len);
	}
	if (likely(roce_seeds_are_ours() && roce_is_usual_ipv4(ip, udp))) {
		seed = roce_slot_ipv4(ip);
		if (likely(seed->known && seed->saddr == ip->saddr && seed->daddr == ip->daddr))
			return seed->base ^ roce_fields_ipv4(udp, total, id, length);
	}
	return roce_seed_learn_ipv4(ip, total, id, length);
}

/* ---- IPv6 ------------------------------------------------------------------------- */

/**
 * roce_seed_base_ipv6 - as roce_seed_base_ipv4()
 * @saddr: source address
 * @daddr: destination address
 *
 * Context: any.
 */
u32 roce_seed_base_ipv6(const struct in6_addr *saddr, const struct in6_addr *daddr)
{
	struct roce_masked_ipv6 masked;

	memset(&masked, 0, sizeof(masked));
	memset(masked.lrh, 0xff, sizeof(masked.lrh));
	/* Masks all but the version in the first word. */
	ip6_flow_hdr(&masked.ip, 0xff, htonl(IB_GRH_FLOWLABEL_MASK));
	masked.ip.nexthdr = IPPROTO_UDP;
	masked.ip.hop_limit = 0xff;
	masked.ip.saddr = *saddr;
	masked.ip.daddr = *daddr;
	masked.udp.dest = htons(ROCE_V2_UDP_DPORT);
	masked.udp.check = (__force __sum16)0xffff;
	return crc32_le(~0, (u8 *)&masked, sizeof(masked));
}

/* All of it, of a header that is not as ours are. */
static noinline u32 roce_whole_ipv6(const struct ipv6hdr *ip, u16 payload, u16 length)
{
	struct roce_masked_ipv6 masked;

	memset(masked.lrh, 0xff, sizeof(masked.lrh));
	memcpy(&masked.ip, ip, sizeof(masked.ip));
	memcpy(&masked.udp, ip + 1, sizeof(masked.udp));
	masked.ip.payload_len = htons(payload);
	masked.udp.len = htons(length);
	ip6_flow_hdr(&masked.ip, 0xff, htonl(IB_GRH_FLOWLABEL_MASK));
	masked.ip.hop_limit = 0xff;
	masked.udp.check = (__force __sum16)0xffff;
	return crc32_le(~0, (u8 *)&masked, sizeof(masked));
}

static bool roce_is_usual_ipv6(const struct ipv6hdr *ip, const struct udphdr *udp)
{
	return ip->nexthdr == IPPROTO_UDP && udp->dest == htons(ROCE_V2_UDP_DPORT);
}

static __always_inline u32 roce_fields_ipv6(const struct udphdr *udp, u16 payload, u16 length)
{
	u32 port = roce_seed_add(ROCE_SEED_PORT, ntohs(udp->source));

	if (likely(payload == length))
		return port ^ roce_seed_add(ROCE_SEED_IPV6_BOTH, length);
	return port ^ roce_seed_add(ROCE_SEED_IPV6_LENGTH, payload) ^
	       roce_seed_add(ROCE_SEED_UDP_LENGTH, length);
}

static struct roce_seed_ipv6 *roce_slot_ipv6(const struct ipv6hdr *ip)
{
	/* Both ways have entries of their own. */
	u8 i = ip->saddr.s6_addr[15] ^ ip->daddr.s6_addr[15] << 1;

	return &this_cpu_ptr(&roce_seeds)->ipv6[i % KNOWN_PAIRS];
}

/* As roce_seed_learn_ipv4(). */
static noinline u32 roce_seed_learn_ipv6(const struct ipv6hdr *ip, u16 payload, u16 length)
{
	const struct udphdr *udp = (const void *)(ip + 1);
	u32 whole = roce_whole_ipv6(ip, payload, length);
	struct roce_seed_ipv6 *seed;

	if (!roce_seeds_are_ours() || !roce_is_usual_ipv6(ip, udp))
		return whole;
	seed = roce_slot_ipv6(ip);
	seed->base = whole ^ roce_fields_ipv6(udp, payload, length);
	seed->saddr = ip->saddr;
	seed->daddr = ip->daddr;
	seed->known = true;
	return whole;
}

static __always_inline u32 roce_udp_seed_ipv6(const struct sk_buff *skb, u16 length)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);
	const struct udphdr *udp = (const void *)(ip + 1);
	const struct roce_seed_ipv6 *seed;
	u16 payload = length;

	if (!skb_is_gso(skb)) {
		payload = ntohs(ip->payload_len);
		length = ntohs(udp->len);
	}
	if (likely(roce_seeds_are_ours() && roce_is_usual_ipv6(ip, udp))) {
		seed = roce_slot_ipv6(ip);
		if (likely(seed->known && ipv6_addr_equal(&seed->saddr, &ip->saddr) &&
			   ipv6_addr_equal(&seed->daddr, &ip->daddr)))
			return seed->base ^ roce_fields_ipv6(udp, payload, length);
	}
	return roce_seed_learn_ipv6(ip, payload, length);
}

/**
 * roce_udp_seed - CRC32 state behind the masked headers of a packet
 * @skb: data at the BTH; the UDP header follows the IP header
 * @index: (GSO skb) number of the packet
 * @length: (GSO skb) bytes of the packet, from BTH to ICRC
 *
 * Of any packet, received ones too. A GSO skb has one header for all packets; that of packet
 * @index is derived from it as segmentation does.
 *
 * Context: any.
 */
u32 roce_udp_seed(const struct sk_buff *skb, u32 index, u32 length)
{
	length += sizeof(struct udphdr);
	if (skb->protocol == htons(ETH_P_IP))
		return roce_udp_seed_ipv4(skb, index, length);
	return roce_udp_seed_ipv6(skb, length);
}

/**
 * roce_udp_tx_seed - roce_udp_seed() of a packet that roce_udp_build() has made
 * @skb: as of roce_udp_seed()
 * @base: of the addresses
 * @index: number of the packet in a GSO skb, else 0
 * @length: bytes of the packet, from BTH to ICRC
 *
 * Context: any.
 */
u32 roce_udp_tx_seed(const struct sk_buff *skb, u32 base, u32 index, u32 length)
{
	const void *network = skb_network_header(skb);

	length += sizeof(struct udphdr);
	if (skb->protocol == htons(ETH_P_IP))
		return base ^ roce_fields_ipv4(network + sizeof(struct iphdr),
					       sizeof(struct iphdr) + length, index, length);
	return base ^ roce_fields_ipv6(network + sizeof(struct ipv6hdr), length, length);
}

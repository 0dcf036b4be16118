// SPDX-License-Identifier: GPL-2.0
/*
 * Offloads that IPoIB may use at an HCA: checksums of TCP and UDP over IPv4, and TCP
 * segmentation. A datagram of IPoIB is an encapsulation header and an IP packet. The
 * type in the header is an Ethertype (RFC 4391, section 6).
 */
#include <kunit/visibility.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>

#include "hca.h"

/* RFC 4391, figure 3 */
struct encap {
	__be16 type;
	__be16 reserved;
};
static_assert(sizeof(struct encap) == 4);

/**
 * struct inside - TCP or UDP packet in a datagram; not a fragment
 * @ip: its IPv4 header
 * @ip_bytes: length of that header
 * @bytes: bytes behind it
 */
struct inside {
	struct iphdr *ip;
	u32 ip_bytes;
	u32 bytes;
};

static u32 ibf_least_of(u8 protocol)
{
	switch (protocol) {
	case IPPROTO_TCP:
		return sizeof(struct tcphdr);
	case IPPROTO_UDP:
		return sizeof(struct udphdr);
	default:
		return 0;
	}
}

/*
 * Finds the TCP or UDP packet in a datagram of @length bytes. @head has at least its
 * first @room bytes. False: there is none.
 */
static bool ibf_offload_look(void *head, u32 room, u32 length, struct inside *in)
{
	const struct encap *encap = head;
	u32 total, least;

	in->ip = head + sizeof(*encap);
	if (room < sizeof(*encap) + sizeof(*in->ip) ||
	    encap->type != htons(ETH_P_IP) || in->ip->version != 4 ||
	    in->ip->ihl < 5 || ip_is_fragment(in->ip))
		return false;
	in->ip_bytes = in->ip->ihl * 4;
	total = ntohs(in->ip->tot_len);
	least = ibf_least_of(in->ip->protocol);
	if (!least || total > length - sizeof(*encap) ||
	    total < in->ip_bytes + least)
		return false;
	in->bytes = total - in->ip_bytes;
	return room >= sizeof(*encap) + in->ip_bytes;
}

static __sum16 ibf_sum_of(const struct inside *in, __wsum bytes)
{
	return csum_tcpudp_magic(in->ip->saddr, in->ip->daddr, in->bytes,
				 in->ip->protocol, bytes);
}

static void ibf_sum(void *data, u32 length)
{
	struct inside in;
	__sum16 *at;
	void *inner;

	if (!ibf_offload_look(data, length, length, &in))
		return;
	inner = (void *)in.ip + in.ip_bytes;
	if (in.ip->protocol == IPPROTO_TCP)
		at = &((struct tcphdr *)inner)->check;
	else
		at = &((struct udphdr *)inner)->check;
	*at = 0;
	*at = ibf_sum_of(&in, csum_partial(inner, in.bytes, 0));
	/* RFC 768: a checksum of 0 means that there is none. */
	if (in.ip->protocol == IPPROTO_UDP && !*at)
		*at = CSUM_MANGLED_0;
	ip_send_check(in.ip);
}

/* RFC 4391 does not describe segmentation; this does as Ethernet devices do. */
static void ibf_segment(void *data, u32 length, u32 header, u32 offset,
			u32 index, bool last)
{
	struct iphdr *ip = data + sizeof(struct encap);
	struct tcphdr *tcp;
	struct inside in;

	/* The total length in the header is that of the whole request. */
	if (header < sizeof(struct encap) + sizeof(*ip))
		return;
	ip->tot_len = htons(length - sizeof(struct encap));
	if (!ibf_offload_look(data, header, length, &in) || ip->protocol != IPPROTO_TCP ||
	    header < sizeof(struct encap) + in.ip_bytes + sizeof(*tcp))
		return;
	ip->id = htons(ntohs(ip->id) + index);
	tcp = (void *)ip + in.ip_bytes;
	tcp->seq = htonl(ntohl(tcp->seq) + offset);
	if (!last) {
		tcp->fin = 0;
		tcp->psh = 0;
	}
	/* RFC 3168, 6.1.2: CWR is set in the first segment alone. */
	if (index)
		tcp->cwr = 0;
}

static bool ibf_sums_ok(const struct sk_buff *skb, u32 offset, u32 length)
{
	u8 bytes[sizeof(struct encap) + 60] __aligned(4);
	u32 room = min_t(u32, length, sizeof(bytes));
	const struct udphdr *udp;
	struct udphdr header;
	struct inside in;

	if (skb_copy_bits(skb, offset, bytes, room) ||
	    !ibf_offload_look(bytes, room, length, &in) ||
	    ip_fast_csum((u8 *)in.ip, in.ip->ihl))
		return false;
	offset += sizeof(struct encap) + in.ip_bytes;
	if (in.ip->protocol == IPPROTO_UDP) {
		udp = skb_header_pointer(skb, offset, sizeof(header),
					 &header);
		if (!udp || !udp->check)
			return false;
	}
	return !ibf_sum_of(&in, skb_checksum(skb, offset, in.bytes, 0));
}

const struct ibt_offload ibf_offload = {
	.segment = ibf_segment,
	.sum = ibf_sum,
	.sums_ok = ibf_sums_ok,
};
EXPORT_SYMBOL_IF_KUNIT(ibf_offload);

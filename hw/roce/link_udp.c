// SPDX-License-Identifier: GPL-2.0
/*
 * RoCE version 2: UDP port 4791 over IPv4 and IPv6 (annex A17). What the ICRC covers of these
 * headers is in icrc_udp.c.
 */
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/sock.h>
#include <net/udp.h>

#include "dev.h"
#include "link_eth.h"
#include "link_udp.h"
#include "netdev.h"
#include "owner.h"
#include "path.h"
#include "rx_skb.h"

static bool roce_runs = true;
module_param_named(runs, roce_runs, bool, 0644);
MODULE_PARM_DESC(runs,
		 "Send packets of one message as one skb where that pays (default Y)");

/* ---- headers ---------------------------------------------------------------------- */

static u16 roce_source_port(const struct roce_path *p, u32 flow)
{
	u32 label = p->flow_label ?: flow & IB_GRH_FLOWLABEL_MASK;

	return rdma_flow_label_to_udp_sport(label);
}

/* Traffic class as of the address, but for its ECN bits where the engine answers marks. */
static u8 roce_link_udp_dsfield(const struct roce_path *p)
{
	if (!ibt_path_markable(&p->path))
		return p->tclass;
	return (p->tclass & ~INET_ECN_MASK) | INET_ECN_ECT_0;
}

/*
 * @length: of the packet, with this header. The packet is never fragmented, so it needs
 * no identification (RFC 6864). ip_local_out() sets the length, to the same value, and
 * the checksum, which the ICRC does not cover.
 */
static void roce_fill_ipv4(struct iphdr *ip, const struct roce_path *p, u32 length)
{
	memset(ip, 0, sizeof(*ip));
	ip->version = 4;
	ip->ihl = sizeof(*ip) / 4;
	ip->tos = roce_link_udp_dsfield(p);
	ip->tot_len = htons(length);
	ip->frag_off = htons(IP_DF);
	ip->ttl = p->hop_limit;
	ip->protocol = IPPROTO_UDP;
	ip->saddr = roce_gid_ipv4(&p->sgid);
	ip->daddr = roce_gid_ipv4(&p->dgid);
}

/* @payload: bytes behind this header; ip6_local_out() sets the same value. */
static void roce_fill_ipv6(struct ipv6hdr *ip, const struct roce_path *p, u32 payload)
{
	ip6_flow_hdr(ip, roce_link_udp_dsfield(p), htonl(p->flow_label));
	ip->payload_len = htons(payload);
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = p->hop_limit;
	memcpy(&ip->saddr, &p->sgid, sizeof(ip->saddr));
	memcpy(&ip->daddr, &p->dgid, sizeof(ip->daddr));
}

/*
 * Sizes, in bytes, for which GSO pays although the stack computes the checksums. The
 * checksum of such a packet costs less than its own pass through the stack. Measured
 * between two VMs with virtual interfaces without checksum offload: packets of 1,024
 * bytes are a quarter faster, those of 4,096 bytes slower, and those of 64 bytes a tenth
 * slower with many queue pairs.
 */
#define SUMMED_LEAST	512
#define SUMMED_MOST	1200

/*
 * How many packets of @size bytes may share one GSO skb. An interface that segments
 * the skb, or delivers it whole, saves the cost of each packet. Segmentation by the
 * stack pays if it copies no payload and the interface computes the UDP checksums; else
 * only for sizes at which the checksum is cheap.
 */
u32 roce_udp_run(const struct roce_path *p, u32 size)
{
	netdev_features_t features, sums = NETIF_F_HW_CSUM;
	const struct net_device *ndev;
	u32 headers, bytes;

	/* The namespace of the path has just ended. */
	if (!rcu_access_pointer(p->net))
		return 1;
	ndev = p->dst->dev;
	features = READ_ONCE(ndev->features);
	headers = LL_RESERVED_SPACE(ndev) + sizeof(struct udphdr);
	bytes = READ_ONCE(ndev->gso_max_size);
	sums |= p->kind == ROCE_IPV4 ? NETIF_F_IP_CSUM : NETIF_F_IPV6_CSUM;
	if (!READ_ONCE(roce_runs) ||
	    ((size < SUMMED_LEAST || size > SUMMED_MOST) &&
	     !(features & NETIF_F_GSO_UDP_L4) &&
	     (!(features & NETIF_F_SG) || !(features & sums))))
		return 1;
	headers += p->kind == ROCE_IPV4 ? sizeof(struct iphdr) :
					  sizeof(struct ipv6hdr);
	/* The length in the IP header has 16 bits; more would be a jumbogram. */
	bytes = min_t(u32, bytes, U16_MAX);
	if (bytes <= headers)
		return 1;
	return min3((bytes - headers) / size, (u32)UDP_MAX_SEGMENTS,
		    (u32)READ_ONCE(ndev->gso_max_segs));
}

/*
 * Makes a GSO skb: the stack, or the interface, segments it into packets of @size bytes.
 * Each gets a length of its own, and the next identification with IPv4. Segmentation
 * requires a UDP checksum, here of the pseudo header; RoCE receivers do not need it.
 */
static void roce_make_run(struct sk_buff *skb, const struct udphdr *udp, u32 size)
{
	struct skb_shared_info *info = skb_shinfo(skb);

	info->gso_type = SKB_GSO_UDP_L4;
	info->gso_size = size;
	info->gso_segs = DIV_ROUND_UP(skb->len - sizeof(*udp), size);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = (u8 *)udp - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

void roce_udp_build(struct sk_buff *skb, const struct roce_path *p, u32 flow,
		    u32 size)
{
	struct udphdr *udp = skb_push(skb, sizeof(*udp));
	u32 length = skb->len;

	udp->source = htons(roce_source_port(p, flow));
	udp->dest = htons(ROCE_V2_UDP_DPORT);
	udp->len = htons(skb->len);
	udp->check = 0;
	skb->ip_summed = CHECKSUM_NONE;
	if (size)
		roce_make_run(skb, udp, size);
	if (p->kind == ROCE_IPV4) {
		skb->protocol = htons(ETH_P_IP);
		skb_push(skb, sizeof(struct iphdr));
		skb_reset_network_header(skb);
		roce_fill_ipv4(ip_hdr(skb), p, skb->len);
		if (size)
			udp->check = ~udp_v4_check(length, ip_hdr(skb)->saddr,
						   ip_hdr(skb)->daddr, 0);
	} else {
		skb->protocol = htons(ETH_P_IPV6);
		skb_push(skb, sizeof(struct ipv6hdr));
		skb_reset_network_header(skb);
		roce_fill_ipv6(ipv6_hdr(skb), p,
			       skb->len - sizeof(struct ipv6hdr));
		if (size)
			udp->check = ~udp_v6_check(length,
						   &ipv6_hdr(skb)->saddr,
						   &ipv6_hdr(skb)->daddr, 0);
	}
}

/* ---- transmit --------------------------------------------------------------------- */

void roce_udp_xmit(struct sk_buff *skb, struct roce_path *p)
{
	struct net *net;

	skb->priority = rt_tos2priority(p->tclass);
	/* The stack expects a clear skb->cb, which the engine has used so far. */
	memset(skb->cb, 0, sizeof(skb->cb));
	rcu_read_lock();
	net = rcu_dereference(p->net);
	if (unlikely(!net)) {
		rcu_read_unlock();
		kfree_skb(skb);
		return;
	}
	skb_dst_set_noref(skb, p->dst);
	if (p->kind == ROCE_IPV4) {
		skb_set_transport_header(skb, sizeof(struct iphdr));
		ip_local_out(net, skb->sk, skb);
	} else if (IS_ENABLED(CONFIG_IPV6)) {
		skb_set_transport_header(skb, sizeof(struct ipv6hdr));
		ip6_local_out(net, skb->sk, skb);
	}
	rcu_read_unlock();
}

/* A UD receiver gets the IP header unchanged, an IPv4 one behind 20 unused bytes. */
void roce_udp_meta(const struct roce_path *p, u32 length,
		   struct ibt_rx_meta *meta)
{
	struct ipv6hdr ipv6;
	struct iphdr ipv4;

	length += sizeof(struct udphdr);
	if (p->kind == ROCE_IPV4) {
		meta->network = RDMA_NETWORK_IPV4;
		roce_fill_ipv4(&ipv4, p, length + sizeof(ipv4));
		ip_send_check(&ipv4);
		memcpy(meta->grh + IBT_GRH_BYTES - sizeof(ipv4), &ipv4,
		       sizeof(ipv4));
	} else {
		meta->network = RDMA_NETWORK_IPV6;
		roce_fill_ipv6(&ipv6, p, length);
		memcpy(meta->grh, &ipv6, sizeof(ipv6));
	}
	meta->congested = INET_ECN_is_ce(p->tclass);
}

/* ---- receive ---------------------------------------------------------------------- */

static void roce_learn_ipv4(const struct sk_buff *skb, struct ibt_rx_meta *meta)
{
	const struct iphdr *ip = ip_hdr(skb);

	meta->network = RDMA_NETWORK_IPV4;
	meta->congested = INET_ECN_is_ce(ip->tos);
	memset(meta->grh, 0, IBT_GRH_BYTES - sizeof(*ip));
	memcpy(meta->grh + IBT_GRH_BYTES - sizeof(*ip), ip, sizeof(*ip));
	ipv6_addr_set_v4mapped(ip->saddr, (struct in6_addr *)&meta->sgid);
	ipv6_addr_set_v4mapped(ip->daddr, (struct in6_addr *)&meta->dgid);
}

static void roce_learn_ipv6(const struct sk_buff *skb, struct ibt_rx_meta *meta)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);

	BUILD_BUG_ON(sizeof(*ip) != IBT_GRH_BYTES);
	meta->network = RDMA_NETWORK_IPV6;
	meta->congested = INET_ECN_is_ce(ipv6_get_dsfield(ip));
	memcpy(meta->grh, ip, sizeof(*ip));
	memcpy(&meta->sgid, &ip->saddr, sizeof(meta->sgid));
	memcpy(&meta->dgid, &ip->daddr, sizeof(meta->dgid));
}

/*
 * The device that receives a packet. The interface that received it decides. For a local
 * delivery, or an interface without a device, the destination address decides.
 */
static struct roce_dev *roce_link_udp_receiver(const struct sk_buff *skb)
{
	struct net_device *by = roce_came_by(skb), *owner;
	struct roce_dev *rd = NULL;

	if (!(by->flags & IFF_LOOPBACK))
		rd = roce_at(by);
	if (rd)
		return rd;
	owner = roce_owner_of(skb);
	if (owner)
		rd = roce_below(owner);
	return rd ?: roce_below(by);
}

/* Checks the UDP header, its position and its length. */
static bool roce_link_udp_is_proper(struct sk_buff *skb)
{
	u32 headers = skb->protocol == htons(ETH_P_IP) ?
		      sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	u32 length;

	/* IP options and extension headers are not valid: the ICRC does not cover them. */
	if (skb_network_header_len(skb) != headers ||
	    !pskb_may_pull(skb, sizeof(struct udphdr)))
		return false;
	length = ntohs(udp_hdr(skb)->len);
	return length >= sizeof(struct udphdr) && length <= skb->len &&
	       !pskb_trim(skb, length);
}

/*
 * Receives a packet, or a GSO skb, of port 4791; data at the UDP header. Consumes @skb. Whatever
 * calls this, UDP or a hook of netfilter, is an RCU reader.
 */
int roce_udp_rcv(struct sock *sk, struct sk_buff *skb)
{
	struct ibt_rx_meta meta;
	struct roce_dev *rd;

	skb = skb_share_check(skb, GFP_ATOMIC);
	rd = skb ? roce_link_udp_receiver(skb) : NULL;
	if (!rd || !roce_link_udp_is_proper(skb)) {
		kfree_skb(skb);
		return 0;
	}
	meta.has_grh = true;
	meta.slid = 0;
	meta.sl = 0;
	meta.dlid_path_bits = 0;
	roce_eth_source(skb, &meta);
	if (skb->protocol == htons(ETH_P_IP))
		roce_learn_ipv4(skb, &meta);
	else
		roce_learn_ipv6(skb, &meta);
	__skb_pull(skb, sizeof(struct udphdr));
	roce_sever(skb);
	if (skb_is_gso(skb))
		ibt_rx_gso(rd->port, skb, skb_shinfo(skb)->gso_size, &meta);
	else
		ibt_rx(rd->port, skb, &meta);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Runs (skbs of several packets, for UDP segmentation offload) as they come in.
 *
 * UDP would divide each for a socket like ours: whoever takes packets out of UDP
 * gets them one by one. That costs more than all that is done for a packet here.
 * So a hook behind all filters of the host, where a packet is about to be given to
 * its protocol, takes runs out before that. Whatever is unusual about one goes the
 * way of all packets, and is divided.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/xfrm.h>
#include <rdma/ib_verbs.h>

#include "in_route.h"
#include "link_udp.h"

/* Is there a UDP checksum to look at? What is of this host has none in any case. */
static bool is_summed(const struct sk_buff *skb)
{
	return udp_hdr(skb)->check && !skb_is_gso(skb) &&
	       !skb_csum_unnecessary(skb);
}

/* UDP, for our port: @skb is linear as far as the UDP header goes. */
static bool is_ours(struct sk_buff *skb, u32 headers, u8 protocol)
{
	if (protocol != IPPROTO_UDP || skb->pkt_type == PACKET_MULTICAST ||
	    skb->pkt_type == PACKET_BROADCAST ||
	    (skb_is_gso(skb) &&
	     !(skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4)) ||
	    skb_network_header_len(skb) != headers ||
	    !pskb_may_pull(skb, headers + sizeof(struct udphdr)))
		return false;
	return udp_hdr(skb)->dest == htons(ROCE_V2_UDP_DPORT);
}

/* @wrong: its checksum. UDP will see that, too, and count it. */
static unsigned int take(struct sk_buff *skb, u32 headers, bool wrong)
{
	if (wrong) {
		skb_push_rcsum(skb, headers);
		return NF_ACCEPT;
	}
	roce_udp_rcv(NULL, skb);
	return NF_STOLEN;
}

static unsigned int take_ipv4(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	u32 headers = sizeof(struct iphdr);

	if (!is_ours(skb, headers, ip_hdr(skb)->protocol))
		return NF_ACCEPT;
	roce_in_route_learn(skb, state);
	/* What UDP would ask before the socket gets it. */
	if (!xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_DROP;
	skb_pull_rcsum(skb, headers);
	return take(skb, headers, is_summed(skb) &&
		    skb_checksum_validate(skb, IPPROTO_UDP, inet_compute_pseudo));
}

static unsigned int take_ipv6(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	u32 headers = sizeof(struct ipv6hdr);

	if (!is_ours(skb, headers, ipv6_hdr(skb)->nexthdr))
		return NF_ACCEPT;
	roce_in_route_learn(skb, state);
	if (!xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_DROP;
	skb_pull_rcsum(skb, headers);
	return take(skb, headers, is_summed(skb) &&
		    skb_checksum_validate(skb, IPPROTO_UDP, ip6_compute_pseudo));
}

static const struct nf_hook_ops roce_hooks[] = {
	{
		.hook = take_ipv4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP_PRI_LAST,
	}, {
		.hook = take_ipv6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP6_PRI_LAST,
	},
};

/**
 * roce_runs_open - take runs out of the packets for a namespace
 * @net: where port 4791 is ours
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM.
 */
int roce_runs_open(struct net *net)
{
	return nf_register_net_hooks(net, roce_hooks, ARRAY_SIZE(roce_hooks));
}

/**
 * roce_runs_close - the end of it
 * @net: the same
 *
 * A grace period later nobody is inside of a hook.
 *
 * Context: process, may sleep.
 */
void roce_runs_close(struct net *net)
{
	nf_unregister_net_hooks(net, roce_hooks, ARRAY_SIZE(roce_hooks));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Reception of GSO skbs: skbs of several packets, from UDP segmentation offload.
 *
 * UDP segments such an skb for an encapsulation socket, and encap_rcv gets the packets
 * one by one, which costs more than all the work of the engine for a packet. So a hook
 * at the end of LOCAL_IN, behind all filters of the host, takes GSO skbs before UDP
 * does. An unusual skb takes the normal way through UDP, and is segmented.
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

#include "rx_dst.h"
#include "link_udp.h"
#include "watch.h"

/* Must the UDP checksum be verified? Packets of this host itself have none. */
static bool roce_is_summed(const struct sk_buff *skb)
{
	return udp_hdr(skb)->check && !skb_is_gso(skb) &&
	       !skb_csum_unnecessary(skb);
}

/*
 * Packets behind one header? Those of a list (rx-gro-list) have headers of their own, which the
 * ICRCs cover.
 */
static bool roce_is_run(const struct sk_buff *skb)
{
	return (skb_shinfo(skb)->gso_type & (SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST)) ==
	       SKB_GSO_UDP_L4;
}

/* Is it UDP for port 4791? If so @skb is linear to the end of the UDP header. */
static bool roce_is_ours(struct sk_buff *skb, u32 headers, u8 protocol)
{
	if (protocol != IPPROTO_UDP || skb->pkt_type == PACKET_MULTICAST ||
	    skb->pkt_type == PACKET_BROADCAST ||
	    (skb_is_gso(skb) && !roce_is_run(skb)) ||
	    skb_network_header_len(skb) != headers ||
	    !pskb_may_pull(skb, headers + sizeof(struct udphdr)))
		return false;
	return udp_hdr(skb)->dest == htons(ROCE_V2_UDP_DPORT);
}

/* @wrong: the checksum is wrong. UDP detects that again, and counts the packet. */
static unsigned int roce_runs_take(struct sk_buff *skb, u32 headers, bool wrong)
{
	if (wrong) {
		skb_push_rcsum(skb, headers);
		return NF_ACCEPT;
	}
	roce_udp_rcv(NULL, skb);
	return NF_STOLEN;
}

unsigned int roce_take_ipv4(void *priv, struct sk_buff *skb,
			    const struct nf_hook_state *state)
{
	u32 headers = sizeof(struct iphdr);

	if (!roce_is_ours(skb, headers, ip_hdr(skb)->protocol))
		return NF_ACCEPT;
	roce_in_route_learn(skb, state);
	/* The check that UDP does before a socket receives a packet. */
	if (!xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_DROP;
	skb_pull_rcsum(skb, headers);
	return roce_runs_take(skb, headers, roce_is_summed(skb) &&
			      skb_checksum_validate(skb, IPPROTO_UDP, inet_compute_pseudo));
}

unsigned int roce_take_ipv6(void *priv, struct sk_buff *skb,
			    const struct nf_hook_state *state)
{
	u32 headers = sizeof(struct ipv6hdr);

	if (!roce_is_ours(skb, headers, ipv6_hdr(skb)->nexthdr))
		return NF_ACCEPT;
	roce_in_route_learn(skb, state);
	if (!xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb))
		return NF_DROP;
	skb_pull_rcsum(skb, headers);
	return roce_runs_take(skb, headers, roce_is_summed(skb) &&
			      skb_checksum_validate(skb, IPPROTO_UDP, ip6_compute_pseudo));
}

static const struct nf_hook_ops roce_hooks[] = {
	{
		.hook = roce_take_ipv4,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP_PRI_LAST,
	}, {
		.hook = roce_take_ipv6,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP6_PRI_LAST,
	},
};

/**
 * roce_runs_open - register the hooks that take GSO skbs
 * @net: namespace in which this module has port 4791
 *
 * Context: process, may sleep.
 * Return: 0, or -ENOMEM.
 */
int roce_runs_open(struct net *net)
{
	return nf_register_net_hooks(net, roce_hooks, ARRAY_SIZE(roce_hooks));
}

/**
 * roce_runs_close - unregister the hooks
 * @net: the namespace
 *
 * A hook may still be executing until the caller has waited for a grace period.
 *
 * Context: process, may sleep.
 */
void roce_runs_close(struct net *net)
{
	nf_unregister_net_hooks(net, roce_hooks, ARRAY_SIZE(roce_hooks));
}

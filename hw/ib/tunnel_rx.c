// SPDX-License-Identifier: GPL-2.0
/* Datagrams that the socket of a tunnel receives. */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/nsproxy.h>
#include <linux/udp.h>
#include <net/net_namespace.h>
#include <net/udp_tunnel.h>

#include "tunnel.h"

/* The longest that the length in an LRH can say. */
#define MAX_PACKET	(FIELD_MAX(IBF_LRH_LENGTH) * 4)

/* Is @skb, at its UDP header, from the peer? */
static bool ibf_from_peer(const struct ibf_tunnel *t, const struct sk_buff *skb)
{
	const struct udphdr *udp = udp_hdr(skb);

	if (t->peer.ss_family == AF_INET)
		return ip_hdr(skb)->version == 4 &&
		       ip_hdr(skb)->saddr == ibf_in4(&t->peer)->sin_addr.s_addr &&
		       udp->source == ibf_in4(&t->peer)->sin_port;
	return ip_hdr(skb)->version == 6 &&
	       ipv6_addr_equal(&ipv6_hdr(skb)->saddr,
			       &ibf_in6(&t->peer)->sin6_addr) &&
	       udp->source == ibf_in6(&t->peer)->sin6_port;
}

static void ibf_receive_hello(struct ibf_tunnel *t, struct sk_buff *skb)
{
	struct ibf_hello hello;

	if (skb->len != sizeof(hello) ||
	    skb_copy_bits(skb, 0, &hello, sizeof(hello)))
		ibf_tunnel_refuse(t, IBF_REFUSED_MALFORMED);
	else
		ibf_tunnel_hear(t, &hello);
	consume_skb(skb);
}

/*
 * Returns a packet with its own data: switches write to headers, so the data must not be
 * shared. Credits count packets, so a packet in many fragments, which uses much more
 * memory than its bytes, is copied, too.
 */
static struct sk_buff *ibf_tunnel_rx_own(struct sk_buff *skb)
{
	struct sk_buff *copy;

	if (!skb_cloned(skb) && skb->truesize <= SKB_TRUESIZE(2 * MAX_PACKET))
		return skb;
	copy = skb_copy(skb, GFP_ATOMIC);
	consume_skb(skb);
	return copy;
}

static void ibf_receive_data(struct ibf_tunnel *t, struct sk_buff *skb,
			     const struct ibf_frame *frame)
{
	__skb_pull(skb, sizeof(*frame));
	if (skb->len > MAX_PACKET ||
	    !pskb_may_pull(skb, sizeof(struct ibf_lrh) + IBF_BTH_BYTES)) {
		ibf_tunnel_refuse(t, IBF_REFUSED_MALFORMED);
		kfree_skb(skb);
		return;
	}
	skb = ibf_tunnel_rx_own(skb);
	if (!skb)
		return;
	skb_orphan(skb);
	skb_scrub_packet(skb, true);
	skb->dev = NULL;
	skb->ip_summed = CHECKSUM_NONE;
	ibf_tunnel_take(t, skb, frame);
}

static bool ibf_read_frame(struct sk_buff *skb, struct ibf_frame *frame)
{
	if (skb_is_gso(skb) || !pskb_may_pull(skb, sizeof(struct udphdr) +
						   sizeof(*frame)))
		return false;
	__skb_pull(skb, sizeof(struct udphdr));
	memcpy(frame, skb->data, sizeof(*frame));
	return frame->magic == cpu_to_be32(IBF_FRAME_MAGIC);
}

/* UDP has checked the checksum. Return: 0, @skb is consumed. */
static int ibf_tunnel_rx_receive(struct sock *sk, struct sk_buff *skb)
{
	struct ibf_tunnel *t = rcu_dereference_sk_user_data(sk);
	enum ibf_refusal why = IBF_REFUSED_MALFORMED;
	struct ibf_frame frame;

	if (!t)
		goto drop;
	if (!ibf_from_peer(t, skb)) {
		why = IBF_REFUSED_FOREIGN;
		goto refuse;
	}
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return 0;
	if (!ibf_read_frame(skb, &frame))
		goto refuse;
	if (frame.type == IBF_FRAME_HELLO)
		ibf_receive_hello(t, skb);
	else if (frame.type == IBF_FRAME_DATA)
		ibf_receive_data(t, skb, &frame);
	else
		goto refuse;
	return 0;

refuse:
	ibf_tunnel_refuse(t, why);
drop:
	kfree_skb(skb);
	return 0;
}

/**
 * ibf_tunnel_bind - create the socket of a tunnel, in the namespace of the caller
 * @t: addresses are set
 *
 * The socket receives before this returns.
 *
 * Context: process, sleeps.
 * Return: 0, or the errno of socket() or bind().
 */
int ibf_tunnel_bind(struct ibf_tunnel *t)
{
	struct udp_tunnel_sock_cfg tunnel = {
		.sk_user_data = t,
		.encap_type = 1,
		.encap_rcv = ibf_tunnel_rx_receive,
	};
	struct udp_port_cfg port = {
		.family = t->local.ss_family,
		.ipv6_v6only = 1,
		.use_udp_checksums = 1,
		.use_udp6_tx_checksums = 1,
		.use_udp6_rx_checksums = 1,
	};
	int ret;

	if (t->local.ss_family == AF_INET) {
		port.local_ip = ibf_in4(&t->local)->sin_addr;
		port.local_udp_port = ibf_in4(&t->local)->sin_port;
	} else {
		port.local_ip6 = ibf_in6(&t->local)->sin6_addr;
		port.local_udp_port = ibf_in6(&t->local)->sin6_port;
		port.bind_ifindex = ibf_in6(&t->local)->sin6_scope_id;
	}
	t->net = current->nsproxy->net_ns;
	ret = udp_sock_create(t->net, &port, &t->sock);
	if (ret) {
		t->sock = NULL;
		return ret;
	}
	compat_setup_udp_tunnel_sock(t->net, t->sock->sk, &tunnel);
	return 0;
}

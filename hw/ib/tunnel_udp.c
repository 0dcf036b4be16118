// SPDX-License-Identifier: GPL-2.0
/*
 * Sends the frames of a tunnel by UDP. IP fragments a datagram that is too large for a
 * link of the route; the MTU of the tunnel is meant to be small enough to avoid that.
 */
#include <compat/ip6_route.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/route.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>

#include "tunnel.h"

/* Frames that wait to be sent. */
#define MOST_OUT	1024

/* Frames that the work sends before it lets other works of the processor run. */
#define BUDGET		64

/* Makes room for all headers, and clears what IP and UDP would read in the skb. */
static bool ibf_tunnel_udp_prepare(struct sk_buff *skb, const struct dst_entry *dst, u32 ip)
{
	u32 room = LL_RESERVED_SPACE(dst->dev) + dst->header_len + ip +
		   sizeof(struct udphdr);

	if (skb_cow_head(skb, room))
		return false;
	skb->ip_summed = CHECKSUM_NONE;
	skb->encapsulation = 0;
	skb->ignore_df = 1;
	/* No interface counts the frame in its statistics. */
	skb->dev = NULL;
	memset(skb->cb, 0, sizeof(skb->cb));
	return true;
}

static bool ibf_tunnel_udp_xmit4(struct ibf_tunnel *t, struct sk_buff *skb)
{
	const struct sockaddr_in *from = ibf_in4(&t->local), *to = ibf_in4(&t->peer);
	struct flowi4 flow = {
		.daddr = to->sin_addr.s_addr,
		.saddr = from->sin_addr.s_addr,
		.flowi4_proto = IPPROTO_UDP,
		.fl4_sport = from->sin_port,
		.fl4_dport = to->sin_port,
	};
	struct rtable *rt = ip_route_output_flow(t->net, &flow, NULL);

	if (IS_ERR(rt))
		return false;
	if (!ibf_tunnel_udp_prepare(skb, &rt->dst, sizeof(struct iphdr))) {
		ip_rt_put(rt);
		return false;
	}
	compat_udp_tunnel_xmit_skb(0, rt, t->sock->sk, skb, flow.saddr, flow.daddr, 0,
				   ip4_dst_hoplimit(&rt->dst), 0, from->sin_port,
				   to->sin_port, false, false);
	return true;
}

static bool ibf_tunnel_udp_xmit6(struct ibf_tunnel *t, struct sk_buff *skb)
{
	const struct sockaddr_in6 *from = ibf_in6(&t->local), *to = ibf_in6(&t->peer);
	struct flowi6 flow = {
		.daddr = to->sin6_addr,
		.saddr = from->sin6_addr,
		.flowi6_oif = to->sin6_scope_id,
		.flowi6_proto = IPPROTO_UDP,
		.fl6_sport = from->sin6_port,
		.fl6_dport = to->sin6_port,
	};
	struct dst_entry *dst;

	dst = compat_ip6_dst_lookup_flow(t->net, t->sock->sk, &flow, NULL);
	if (IS_ERR(dst))
		return false;
	if (!ibf_tunnel_udp_prepare(skb, dst, sizeof(struct ipv6hdr))) {
		dst_release(dst);
		return false;
	}
	compat_udp_tunnel6_xmit_skb(0, dst, t->sock->sk, skb, NULL, &flow.saddr,
				    &flow.daddr, 0, ip6_dst_hoplimit(dst), 0,
				    from->sin6_port, to->sin6_port, false);
	return true;
}

static void ibf_tunnel_udp_xmit(struct ibf_tunnel *t, struct sk_buff *skb)
{
	bool sent;

	if (t->peer.ss_family == AF_INET)
		sent = ibf_tunnel_udp_xmit4(t, skb);
	else
		sent = IS_ENABLED(CONFIG_IPV6) && ibf_tunnel_udp_xmit6(t, skb);
	if (!sent) {
		ibf_tunnel_refuse(t, IBF_REFUSED_NO_ROUTE);
		kfree_skb(skb);
	}
}

static void ibf_send_out(struct work_struct *work)
{
	struct ibf_tunnel *t = container_of(work, struct ibf_tunnel, out_work);
	struct sk_buff *skb;
	u32 left = BUDGET;

	while (left-- && (skb = skb_dequeue(&t->out))) {
		local_bh_disable();
		rcu_read_lock();
		ibf_tunnel_udp_xmit(t, skb);
		rcu_read_unlock();
		local_bh_enable();
		cond_resched();
	}
	if (!skb_queue_empty_lockless(&t->out))
		queue_work_on(t->cpu, system_highpri_wq, &t->out_work);
}

/**
 * ibf_tunnel_xmit - send a frame to the peer
 * @t: the tunnel; ibf_tunnel_close() waits for this function
 * @skb: data at the frame; consumed
 *
 * All frames of a tunnel are sent on one processor. Those of two processors could
 * overtake each other, because the network stack queues packets per processor.
 *
 * Context: softirq, or softirqs disabled; an RCU reader.
 */
void ibf_tunnel_xmit(struct ibf_tunnel *t, struct sk_buff *skb)
{
	/* Packets for the subnet manager take no credits. */
	if (skb_queue_len_lockless(&t->out) >= MOST_OUT) {
		ibf_tunnel_refuse(t, IBF_REFUSED_NO_ROUTE);
		kfree_skb(skb);
		return;
	}
	skb_queue_tail(&t->out, skb);
	queue_work_on(t->cpu, system_highpri_wq, &t->out_work);
}

/* Called before the first frame. */
void ibf_tunnel_out_init(struct ibf_tunnel *t)
{
	skb_queue_head_init(&t->out);
	INIT_WORK(&t->out_work, ibf_send_out);
	t->cpu = raw_smp_processor_id();
}

/* Called a grace period after the last sender could begin. The socket is still open. */
void ibf_tunnel_out_exit(struct ibf_tunnel *t)
{
	cancel_work_sync(&t->out_work);
	skb_queue_purge(&t->out);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cables to ports of other hosts. A tunnel ends a cable of this host at a port of a
 * node that is nowhere else, the stand-in of the port at the other host: what arrives
 * there goes out by UDP, what comes in by UDP is sent by it. So links train, count,
 * wait and go down as on any cable.
 *
 * The two hosts tell each other by hellos who they are, whom they expect, what their
 * end can do, and how many packets of each VL may be sent (section 7.9.4, in packets).
 * The stand-in is there for its cable as long as hellos come that fit.
 *
 * ibf_tunnel.lock (spinlock, bh) is inside of ibf_lock and outside of ibf_port.lock.
 */
#ifndef IBF_TUNNEL_H
#define IBF_TUNNEL_H

#include <linux/in6.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/socket.h>
#include <linux/udp.h>

#include "cable.h"
#include "node.h"

/* ---- on the wire: our own, there is no standard ------------------------------------ */

#define IBF_FRAME_MAGIC	0x4f494201	/* "OIB", version 1 */

enum {
	IBF_FRAME_DATA	= 1,
	IBF_FRAME_HELLO	= 2,
};

/**
 * struct ibf_frame - in front of everything in a datagram
 * @magic: IBF_FRAME_MAGIC
 * @type: IBF_FRAME_*
 * @vl: (data) of the packet
 * @reserved: 0
 * @session: (data) of the receiver; (hello) of the sender
 * @seq: (data) packets of this VL that were sent before; (hello) hellos
 * @reserved2: 0
 */
struct ibf_frame {
	__be32 magic;
	u8 type;
	u8 vl;
	__be16 reserved;
	__be64 session;
	__be32 seq;
	__be32 reserved2;
};
static_assert(sizeof(struct ibf_frame) == 24);

#define IBF_TUNNEL_VLS	(IBF_DATA_VLS + 1)	/* VL15 is the last */

/**
 * struct ibf_hello - a frame that is no packet
 * @frame: as above
 * @echo: session of the receiver, as last heard; 0: not heard
 * @guid: of the sender's node, @port: of its end
 * @peer_guid: that it expects, @peer_port: likewise
 * @port: see there
 * @peer_port: see there
 * @flags: IBF_HELLO_*
 * @mtu: the most that it carries, enum ib_mtu
 * @width: LinkWidthEnabled
 * @speed: LinkSpeedEnabled (2:0), LinkSpeedExtEnabled (5:3)
 * @reserved: 0
 * @epoch: links that it has ended by itself
 * @sent: packets of each VL that have come, or are lost
 * @room: how many of each data VL may have been sent
 */
struct ibf_hello {
	struct ibf_frame frame;
	__be64 echo;
	__be64 guid;
	__be64 peer_guid;
	u8 port;
	u8 peer_port;
	u8 flags;
	u8 mtu;
	u8 width;
	u8 speed;
	__be16 reserved;
	__be32 epoch;
	__be32 sent[IBF_TUNNEL_VLS];
	__be32 room[IBF_DATA_VLS];
};
static_assert(sizeof(struct ibf_hello) == 128);

#define IBF_HELLO_READY	BIT(0)		/* it could train */

/* ---- here ---------------------------------------------------------------------------- */

/* In front of a frame, as a rule; a device may want more. */
#define IBF_TUNNEL_ROOM	(MAX_HEADER + sizeof(struct ipv6hdr) + \
			 sizeof(struct udphdr))

/* What is not taken from the network, or not sent. */
enum ibf_refusal {
	IBF_REFUSED_FOREIGN,	/* not from the peer's address */
	IBF_REFUSED_MALFORMED,
	IBF_REFUSED_WRONG,	/* not the port that is expected, or it expects another */
	IBF_REFUSED_STALE,	/* of another session, or heard before */
	IBF_REFUSED_LATE,	/* overtaken by another packet */
	IBF_REFUSED_OVERRUN,	/* sent without a credit */
	IBF_REFUSED_NO_ROUTE,
	IBF_REFUSALS,
};

/**
 * struct ibf_flow - packets of one VL (lock)
 * @sent: by us
 * @before: that until the latest tick, @settled: until the one before
 * @settled: see there
 * @received: by the peer, and here or lost
 * @told: what the peer may have sent, as it was told
 */
struct ibf_flow {
	u32 sent;
	u32 before;
	u32 settled;
	u32 received;
	u32 told;
};

/**
 * struct ibf_tunnel - a cable to another host
 * @item: in configfs
 * @entry: list of tunnels (ibf_config)
 * @near: its end here
 * @expect_guid: node at the other end, @expect_port: port of it
 * @expect_port: see there
 * @mtu: the most that it carries, enum ib_mtu
 * @local: address here, @peer: address there (ibf_config; not changed while plugged)
 * @peer: see there
 * @net: namespace of @sock; its end closes the tunnel
 * @sock: to send and receive by; NULL: not plugged in (ibf_config)
 * @stub: node of the stand-in, its port 1
 * @cable: between @near and the stand-in (ibf_lock, like all that follows)
 * @open: hellos are sent
 * @alive: the peer has answered us, and not long ago
 * @up: the link was brought up by a hello
 * @missed: ticks since the latest hello that fitted
 * @peer_epoch: of the hello that brought the link up
 * @hello_heard: number of the latest one
 * @hello_sent: likewise, by us
 * @caused: times that the peer, or its silence, took the link down
 * @overrun: packets came without credit since the last tick
 * @overruns: ticks in a row with such
 * @session: of this end, unknown to who has not heard us
 * @work: ticks
 * @out: frames to be sent
 * @out_work: sends them, on
 * @cpu: this processor
 * @lock: guards what follows
 * @peer_session: of the other end, 0: not heard
 * @flows: by VL
 * @refused: counters
 */
struct ibf_tunnel {
	struct config_item item;
	struct list_head entry;
	struct ibf_end near;
	u64 expect_guid;
	u8 expect_port;
	u8 mtu;
	struct sockaddr_storage local;
	struct sockaddr_storage peer;
	struct net *net;
	struct socket *sock;
	struct ibf_node *stub;
	struct ibf_cable cable;
	bool open;
	bool alive;
	bool up;
	u32 missed;
	u32 peer_epoch;
	u32 hello_heard;
	u32 hello_sent;
	u32 caused;
	bool overrun;
	u32 overruns;
	u64 session;
	struct delayed_work work;
	struct sk_buff_head out;
	struct work_struct out_work;
	int cpu;
	spinlock_t lock;
	u64 peer_session;
	struct ibf_flow flows[IBF_TUNNEL_VLS];
	u64 refused[IBF_REFUSALS];
};

/* The stand-in. */
static inline struct ibf_port *ibf_tunnel_far(const struct ibf_tunnel *tunnel)
{
	return &tunnel->stub->ports[1];
}

static inline const struct sockaddr_in *
ibf_in4(const struct sockaddr_storage *address)
{
	return (const struct sockaddr_in *)address;
}

static inline const struct sockaddr_in6 *
ibf_in6(const struct sockaddr_storage *address)
{
	return (const struct sockaddr_in6 *)address;
}

/**
 * ibf_tunnel_refuse - count what is not taken, or not sent
 * @t: the tunnel
 * @why: see there
 *
 * Context: softirqs disabled.
 */
static inline void ibf_tunnel_refuse(struct ibf_tunnel *t,
				     enum ibf_refusal why)
{
	spin_lock(&t->lock);
	t->refused[why]++;
	spin_unlock(&t->lock);
}

/* tunnel.c */
int ibf_tunnel_open(struct ibf_tunnel *tunnel, struct ibf_port *near);
void ibf_tunnel_close(struct ibf_tunnel *tunnel);

/* tunnel_hello.c */
void ibf_tunnel_hear(struct ibf_tunnel *tunnel, const struct ibf_hello *hello);
void ibf_tunnel_say_hello(struct ibf_tunnel *tunnel);
void ibf_tunnel_take_down(struct ibf_tunnel *tunnel);

/* tunnel_flow.c */
void ibf_tunnel_settle(struct ibf_tunnel *tunnel);
void ibf_tunnel_flow_told(struct ibf_tunnel *tunnel, struct ibf_hello *hello);
void ibf_tunnel_flow_heard(struct ibf_tunnel *tunnel,
			   const struct ibf_hello *hello, bool anew);
void ibf_tunnel_take(struct ibf_tunnel *tunnel, struct sk_buff *skb,
		     const struct ibf_frame *frame);
void ibf_tunnel_send(struct ibf_port *far, struct sk_buff *skb);
bool ibf_tunnel_took(struct ibf_port *far, u32 queue);

/* tunnel_rx.c */
int ibf_tunnel_bind(struct ibf_tunnel *tunnel);

/* tunnel_udp.c */
void ibf_tunnel_out_init(struct ibf_tunnel *tunnel);
void ibf_tunnel_out_exit(struct ibf_tunnel *tunnel);
void ibf_tunnel_xmit(struct ibf_tunnel *tunnel, struct sk_buff *skb);

#endif /* IBF_TUNNEL_H */

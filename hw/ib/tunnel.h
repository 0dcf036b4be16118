/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cables to ports of other hosts. A tunnel ends a cable of this host at a port of a
 * node that belongs to no fabric, the stand-in of the port at the other host. A packet
 * that arrives at the stand-in goes out by UDP; the stand-in sends a packet that comes
 * in by UDP. So links train, count, wait and go down as on any cable.
 *
 * The two hosts exchange hellos. A hello has the identity of its sender and of the port
 * that it expects, the properties of its end, and the credits of each VL (section 7.9.4,
 * counted in packets). The link of the stand-in is up while hellos come that fit.
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

/* ---- on the wire: a private format, there is no standard ---------------------------- */

#define IBF_FRAME_MAGIC	0x4f494201	/* "OIB", version 1 */

enum {
	IBF_FRAME_DATA	= 1,
	IBF_FRAME_HELLO	= 2,
};

/**
 * struct ibf_frame - header of every datagram
 * @magic: IBF_FRAME_MAGIC
 * @type: IBF_FRAME_*
 * @vl: (data) VL of the packet
 * @reserved: 0
 * @session: (data) session of the receiver; (hello) session of the sender
 * @seq: (data) number of packets of this VL sent before; (hello) number of the hello
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
 * struct ibf_hello - frame that keeps the link up and returns credits
 * @frame: header
 * @echo: session of the receiver, from its latest hello; 0: none came
 * @guid: GUID of the sender's node
 * @peer_guid: GUID of the node that the sender expects
 * @port: number of the sender's port
 * @peer_port: number of the port that the sender expects
 * @flags: IBF_HELLO_*
 * @mtu: largest MTU of the sender's end, enum ib_mtu
 * @width: LinkWidthEnabled
 * @speed: LinkSpeedEnabled (2:0), LinkSpeedExtEnabled (5:3)
 * @reserved: 0
 * @epoch: number of times that the sender has taken the link down
 * @sent: packets of each VL that were received or lost, as the sender knows
 * @room: number of packets of each data VL that the receiver of the hello may have sent
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

#define IBF_HELLO_READY	BIT(0)		/* the sender's end can train */

/* ---- in this host -------------------------------------------------------------------- */

/* Usual headroom of a frame; a device may need more. */
#define IBF_TUNNEL_ROOM	(MAX_HEADER + sizeof(struct ipv6hdr) + \
			 sizeof(struct udphdr))

/* Reasons to refuse a frame, or not to send one. */
enum ibf_refusal {
	IBF_REFUSED_FOREIGN,	/* not from the peer's address */
	IBF_REFUSED_MALFORMED,
	IBF_REFUSED_WRONG,	/* either end expects another port */
	IBF_REFUSED_STALE,	/* of another session, or a repeated number */
	IBF_REFUSED_LATE,	/* overtaken by another packet */
	IBF_REFUSED_OVERRUN,	/* sent without a credit */
	IBF_REFUSED_NO_ROUTE,
	IBF_REFUSALS,
};

/**
 * struct ibf_flow - counters of packets of one VL (lock)
 * @sent: sent by this end
 * @before: value of @sent at the latest tick
 * @settled: value of @sent at the tick before: those are received or lost
 * @received: received from the peer, or known to be lost
 * @told: limit that the latest hello gave to the peer
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
 * @near: local end
 * @expect_guid: GUID of the expected node at the other end
 * @expect_port: number of its port
 * @mtu: largest MTU, enum ib_mtu
 * @local: local address (ibf_config; not changed while plugged)
 * @peer: address of the peer (ibf_config; not changed while plugged)
 * @net: namespace of @sock; its end closes the tunnel
 * @sock: socket; NULL: not plugged in (ibf_config)
 * @stub: node of the stand-in, which is its port 1
 * @cable: between @near and the stand-in (ibf_lock, like all that follows)
 * @open: hellos are sent
 * @alive: the peer has answered within the last ticks
 * @up: a hello has brought the link up
 * @missed: ticks since the latest valid hello
 * @peer_epoch: epoch of the hello that brought the link up
 * @hello_heard: number of the latest hello of the peer
 * @hello_sent: number of the latest hello of this end
 * @caused: times that the peer, or its silence, took the link down
 * @overrun: packets came without credit since the last tick
 * @overruns: ticks in a row with @overrun set
 * @session: random number of this end; only a host that receives its hellos knows it
 * @work: the ticks
 * @out: frames to be sent
 * @out_work: sends @out, on @cpu
 * @cpu: processor of @out_work
 * @lock: guards what follows
 * @peer_session: session of the peer, 0: not known
 * @flows: by VL
 * @refused: counters, by enum ibf_refusal
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
 * ibf_tunnel_refuse - count a frame that is refused, or not sent
 * @t: the tunnel
 * @why: the reason
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

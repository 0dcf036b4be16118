/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between the transport engine and a link. The engine never reads
 * IP, UDP or LRH; a link never sees a queue pair or a work request.
 */
#ifndef IBT_LINK_H
#define IBT_LINK_H

#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>
#include "pkt.h"

struct ibt_dev;
struct ibt_port;
struct ibt_path;

/**
 * struct ibt_path - path of the packets of one address; a link embeds it first
 * @refs: of queue pairs and address handles that hold it
 * @port: port that packets leave by
 * @mtu: largest payload of a packet, in bytes
 * @headroom: bytes in front of the BTH that build() and xmit() may push
 * @sgid: source GID of its packets, of the link; NULL: they have none
 * @connected: the path is of a connected queue pair (set by the engine)
 * @local: port of this engine at which the path ends, if nothing between could see or
 *	   change a packet; else NULL
 * @direct: (@local) that port is another one, with an interface of its own
 */
struct ibt_path {
	refcount_t refs;
	struct ibt_port *port;
	u32 mtu;
	u16 headroom;
	const union ib_gid *sgid;
	bool connected;
	bool direct;
	struct ibt_port *local;
};

/* Values of the module parameter `congestion`: what slows a sender. */
enum {
	IBT_CONGESTION_OFF,
	IBT_CONGESTION_MARKS,	/* CNPs of the peer; losses while there is a limit */
	IBT_CONGESTION_LOSSES,	/* any loss, too */
};

extern unsigned int ibt_congestion;	/* see pace.c */

/* Do packets along @path say that routers may mark them, for example by ECT(0)? */
static inline bool ibt_path_markable(const struct ibt_path *path)
{
	return path->connected && READ_ONCE(ibt_congestion);
}

/* Values of the module parameter `direct`: which devices of this host are one without packets. */
enum {
	IBT_DIRECT_OFF,
	IBT_DIRECT_PEER,	/* those at the two ends of a veth pair */
};

extern int ibt_direct;	/* see loopback.c */

/* May a path of a link end at another port without packets? */
static inline bool ibt_direct_peer(void)
{
	return READ_ONCE(ibt_direct) == IBT_DIRECT_PEER;
}

/**
 * struct ibt_bad_key - a packet that was refused for a key
 * @qkey: true: the Q_Key was wrong; false: the P_Key
 * @key: the wrong key
 * @qpn: destination QP
 * @src_qpn: source QP; 0: the packet does not have it (connected transports)
 */
struct ibt_bad_key {
	bool qkey;
	u32 key;
	u32 qpn;
	u32 src_qpn;
};

/**
 * struct ibt_offload - offloads for network interfaces over this link: IB_SEND_IP_CSUM,
 *	IB_WR_LSO, IB_WC_IP_CSUM_OK
 * @segment: adjust the headers of packet number @index of an IB_WR_LSO request. @data, of
 *	@length bytes, begins with the @header bytes that the request has for all of its
 *	packets; the payload from @offset on follows. @last: it is the last packet
 * @sum: fill in the checksums in a datagram of @length bytes at @data
 * @sums_ok: does the datagram of @length bytes at @offset from skb->data have checksums,
 *	and are they right?
 *
 * The contents of a datagram are unchecked. One of a protocol that the link does not
 * know is left unchanged, and its checksums are not right.
 *
 * Context: any but hard interrupt.
 */
struct ibt_offload {
	void (*segment)(void *data, u32 length, u32 header, u32 offset,
			u32 index, bool last);
	void (*sum)(void *data, u32 length);
	bool (*sums_ok)(const struct sk_buff *skb, u32 offset, u32 length);
};

/**
 * struct ibt_passage - progress of the packets that a port sends
 * @taken: bytes that xmit() has taken so far, in the link's own measure; wraps
 * @gone: bytes of these that have left this host. All packets that were taken before
 *	  @taken had a value have left when @gone reaches it, unless a later packet
 *	  overtook them
 */
struct ibt_passage {
	unsigned long taken;
	unsigned long gone;
};

/**
 * struct ibt_link_ops - a kind of link
 * @name: for messages
 * @layer: link layer of its ports
 * @tailroom: bytes behind the ICRC
 * @max_mtu: largest path MTU
 * @path_resolve: resolve an address into a path, with one reference. Any context, @gfp
 *	fits it. ERR_PTR: -EHOSTUNREACH, -ENETUNREACH, -ENOMEM, -EINVAL, or -EAGAIN: the
 *	caller must retry with interrupts enabled. The address's sgid_attr is valid
 *	during the call only.
 * @path_valid: is the path still that of the address? If not the engine resolves it
 *	again. After true, @path.local may be used as long as softirqs stay disabled,
 *	or the RCU section lasts: a device is freed a grace period after its paths
 *	become invalid.
 * @path_free: the last reference is dropped. Any context, softirq too.
 * @run: (optional) how many packets of @size bytes each, from BTH to ICRC, one GSO
 *	skb may have along @path now. 0 or 1: no GSO. Softirqs are disabled.
 * @build: push the link's headers in front of the BTH. @flow: ECMP hash, the same for
 *	all packets of a queue pair. @size: 0: one packet; else a GSO skb of packets of
 *	@size bytes, of which the last may be shorter; @run allowed their number.
 *	skb->data is at the (first) BTH before and at the link's first byte after;
 *	transport header is set to the BTH. Payload and room for each ICRC are there
 *	already. Only the pushed headers are certain to be linear.
 * @lanes: GSO skbs may be received on another processor
 * @offload: (optional) offloads for network interfaces over this link
 * @tx_in_flight: (optional) may a packet that is sent on another processor overtake those
 *	that @xmit has taken? Any context.
 * @passage: (optional) progress of the packets of a port; @gone may be behind. Any
 *	context.
 * @icrc_seed: CRC32 state after the link's masked headers, as packet @index of @skb has
 *	them; that packet is @length bytes long from BTH to ICRC. skb->data is at the
 *	BTH; network header is set. For sent and for received packets.
 * @tx_seed: (optional) the same of a packet that @build has made for @path
 * @xmit: send a packet; consumes it always. 0, or -EAGAIN: the packet is sent, and the
 *	engine must pause until the link calls ibt_tx_wake(), which it does once.
 *	Softirqs may be disabled, interrupts are enabled.
 * @meta: fill in what the receiver of a packet along @path would learn; @length is from
 *	BTH to ICRC. For local deliveries, which need no packet.
 * @query_port: fill in attributes of the link: state, phys_state, speed, width, mtus,
 *	gid_tbl_len, LIDs. The engine has filled in its own. May sleep.
 * @active_mtu: active MTU of a port, without sleeping. Any context.
 * @mcast_join: receive packets of a group; may sleep
 * @mcast_leave: no longer receive packets of a group; may sleep
 * @bad_key: (optional) a packet was refused for a key. Any context but hard interrupt;
 *	locks of the sending queue pair may be held.
 * @enabled: (optional) the core enables the device for its clients: when the device is
 *	registered, and after each move to another namespace. May sleep; locks of the
 *	core are held.
 * @dealloc: the device is unregistered (also by the core, for 'rdma link delete' or
 *	the end of a namespace): release what the link holds for it. May sleep. The
 *	device is freed afterwards.
 * @ib_ops: ops of the device that the link implements (get_netdev, get_link_layer,
 *	get_port_immutable, ...)
 */
struct ibt_link_ops {
	const char *name;
	enum rdma_link_layer layer;
	u16 tailroom;
	u32 max_mtu;
	bool lanes;
	const struct ibt_offload *offload;
	struct ibt_path *(*path_resolve)(struct ibt_port *port,
					 const struct rdma_ah_attr *attr,
					 gfp_t gfp);
	bool (*path_valid)(const struct ibt_path *path);
	void (*path_free)(struct ibt_path *path);
	u32 (*run)(const struct ibt_path *path, u32 size);
	void (*build)(struct sk_buff *skb, struct ibt_path *path, u32 flow,
		      u32 size);
	u32 (*icrc_seed)(const struct sk_buff *skb, u32 index, u32 length);
	u32 (*tx_seed)(const struct sk_buff *skb, const struct ibt_path *path, u32 index,
		       u32 length);
	int (*xmit)(struct sk_buff *skb, struct ibt_path *path);
	bool (*tx_in_flight)(const struct ibt_port *port);
	void (*passage)(const struct ibt_port *port, struct ibt_passage *passage);
	void (*meta)(struct ibt_path *path, u32 length,
		     struct ibt_rx_meta *meta);
	int (*query_port)(struct ibt_port *port, struct ib_port_attr *attr);
	enum ib_mtu (*active_mtu)(struct ibt_port *port);
	int (*mcast_join)(struct ibt_port *port, const union ib_gid *gid);
	void (*mcast_leave)(struct ibt_port *port, const union ib_gid *gid);
	void (*bad_key)(struct ibt_port *port, const struct ibt_bad_key *what,
			const struct ibt_rx_meta *meta);
	void (*enabled)(struct ibt_dev *dev);
	void (*dealloc)(struct ibt_dev *dev);
	const struct ib_device_ops *ib_ops;
};

/* ---- functions that a link calls (hw/ibt/dev.c, rx.c) -------------------------- */

/* A device with @num_ports ports of this link; @priv_bytes of its own per device,
 * see ibt_dev_priv(). Not registered yet. NULL: no memory.
 */
struct ibt_dev *ibt_dev_alloc(const struct ibt_link_ops *ops, u32 num_ports,
			      size_t priv_bytes);
/* Its ib_device, to set parent, node_guid, … before ibt_dev_register(). */
struct ib_device *ibt_dev_ib(struct ibt_dev *dev);
void ibt_dev_set_system(struct ibt_dev *dev, __be64 guid);
void ibt_dev_set_caps(struct ibt_dev *dev, u64 caps);
struct ibt_dev *ibt_dev_of(struct ib_device *ib);
void *ibt_dev_priv(struct ibt_dev *dev);
struct ibt_port *ibt_dev_port(struct ibt_dev *dev, u32 num);
struct ibt_dev *ibt_port_dev(const struct ibt_port *port);
u32 ibt_port_num(const struct ibt_port *port);
/* ib_register_device() under @name; on failure the caller keeps the device. */
int ibt_dev_register(struct ibt_dev *dev, const char *name);
/*
 * Frees a device that was never registered, and calls its 'dealloc'. After
 * ib_unregister_device*() the core has done so already.
 */
void ibt_dev_free(struct ibt_dev *dev);

/*
 * P_Keys of a port: the size of the table (set before ibt_dev_register()), one entry
 * (any context), and the number of packets refused for a P_Key, or for a Q_Key.
 */
void ibt_port_set_pkeys(struct ibt_port *port, u16 num);
void ibt_port_set_pkey(struct ibt_port *port, u16 index, u16 pkey);
atomic_t *ibt_port_refused(struct ibt_port *port, bool qkeys);

/*
 * process_mad() of a link without agents: performance management with the counters of
 * the device.
 */
int ibt_process_mad(struct ib_device *ib, int flags, u32 port_num,
		    const struct ib_wc *wc, const struct ib_grh *grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index);

/*
 * Receives a packet for @port: data at the BTH, network header set, ICRC at the tail.
 * Consumes @skb. Softirq, or softirqs disabled; an RCU reader.
 */
void ibt_rx(struct ibt_port *port, struct sk_buff *skb,
	    const struct ibt_rx_meta *meta);
/*
 * Receives a GSO skb: packets of one sender behind one header of the link, each of @size
 * bytes, the last may be shorter. Not for multicast. Context as ibt_rx().
 */
void ibt_rx_gso(struct ibt_port *port, struct sk_buff *skb, u32 size,
		const struct ibt_rx_meta *meta);
/* Ends the pause that -EAGAIN of xmit() began. Any context. */
void ibt_tx_wake(struct ibt_port *port);
/*
 * Something about the port changed: dispatches @event, and makes the engine check its
 * paths. Any context.
 */
void ibt_port_event(struct ibt_port *port, enum ib_event_type event);

static inline struct ibt_path *ibt_path_get(struct ibt_path *path)
{
	refcount_inc(&path->refs);
	return path;
}
void ibt_path_put(struct ibt_path *path);	/* @path may be NULL */

#endif /* IBT_LINK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the transport engine and a link. The engine never reads IP, UDP or
 * LRH; a link never sees a queue pair or a work request.
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
 * struct ibt_path - where packets of one address go; a link embeds it first
 * @refs: of queue pairs and address handles that hold it
 * @port: it leaves by
 * @mtu: bytes of payload that the way can carry, at most
 * @headroom: bytes in front of the BTH that build() and xmit() may push
 * @connected: of a connected queue pair; the engine's
 * @local: port of this machine (and of this engine) that it ends at, with
 *	   nothing between that could see or change a packet; NULL: a real way
 */
struct ibt_path {
	refcount_t refs;
	struct ibt_port *port;
	u32 mtu;
	u16 headroom;
	bool connected;
	struct ibt_port *local;
};

extern bool ibt_congestion;	/* module parameter: see congestion.c */

/* Do packets along @path say that routers may mark them, for example by ECT(0)? */
static inline bool ibt_path_markable(const struct ibt_path *path)
{
	return path->connected && READ_ONCE(ibt_congestion);
}

/**
 * struct ibt_bad_key - a packet that was refused for a key
 * @qkey: for its Q_Key, else for its P_Key
 * @key: see there
 * @qpn: that it was sent to
 * @src_qpn: that it says it came from; 0: a connected one's, it does not say
 */
struct ibt_bad_key {
	bool qkey;
	u32 key;
	u32 qpn;
	u32 src_qpn;
};

/**
 * struct ibt_offload - what a network interface over this link may leave to its device:
 *	IB_SEND_IP_CSUM, IB_WR_LSO, IB_WC_IP_CSUM_OK
 * @segment: packet number @index of an IB_WR_LSO request. @data, of @length bytes, begins
 *	with the @header bytes that the request has for all of its packets, and goes on
 *	with its payload from @offset on. Those headers are made those of this packet.
 *	@last: nothing follows
 * @sum: fill in the checksums of what is in a datagram, @length bytes at @data
 * @sums_ok: those in the datagram of @length bytes at @offset from skb->data are there,
 *	and right
 *
 * What is in it may be anything: that which the link does not know is left alone, and
 * not right. Any context but hard interrupt.
 */
struct ibt_offload {
	void (*segment)(void *data, u32 length, u32 header, u32 offset,
			u32 index, bool last);
	void (*sum)(void *data, u32 length);
	bool (*sums_ok)(const struct sk_buff *skb, u32 offset, u32 length);
};

/**
 * struct ibt_passage - how far packets of a port have come
 * @taken: bytes that xmit() has taken so far, in the link's own measure. Wraps
 * @gone: of these, those that have left this host. What was taken before @taken had some
 *	  value has left when @gone gets there, unless it was overtaken
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
 * @path_resolve: (any context, @gfp says) path of an address, with one
 *	reference, or ERR_PTR: -EHOSTUNREACH, -ENETUNREACH, -ENOMEM, -EINVAL.
 *	-EAGAIN: not with interrupts disabled; ask again from elsewhere.
 *	The address's sgid_attr is valid during the call only.
 * @path_valid: the way has not changed since; else the engine resolves anew.
 *	@path.local may be looked at only where softirqs have been disabled (or
 *	an RCU section goes on) since this said so: a device goes a grace period
 *	after its paths became invalid.
 * @path_free: the last reference is gone (any context, softirq too)
 * @run: (optional) how many packets of @size bytes each, from BTH to ICRC, it
 *	would take in one skb along @path now. 0 or 1: one at a time.
 *	Softirqs are disabled.
 * @build: push the link's headers in front of the BTH. @flow: picks one of
 *	several ways, the same for all packets of a queue pair. @size: 0: one
 *	packet; else there are several in it, one behind the other, of @size bytes
 *	each but the last, which may be shorter; @run has said that they may be.
 *	skb->data is at the (first) BTH before and at the link's first byte after;
 *	transport header is set to the BTH. Payload and room for each ICRC are
 *	there already; only headers that are pushed are linear for sure.
 * @lanes: runs may be received on another processor
 * @offload: (optional) see there
 * @under_way: (optional) may packets that @xmit took still be where those that are
 *	sent on another processor could overtake them? Any context.
 * @passage: (optional) see there; @gone may be behind. Any context.
 * @icrc_seed: CRC32 state after the link's masked headers, as they will be in
 *	front of packet @index of those in @skb, which is @length bytes long from
 *	BTH to ICRC. skb->data is at the BTH; network header is set. Same for
 *	packets to send and received ones.
 * @xmit: send; always consumes. 0, or -EAGAIN: it is on its way, but no more
 *	please until the one call of ibt_tx_room() that will follow. Softirqs
 *	may be disabled, interrupts are enabled.
 * @meta: what the receiver of a packet along @path would be told; @length is of
 *	BTH to ICRC. For deliveries that need no packet.
 * @query_port: attributes of the link: state, phys_state, speed, width, mtus,
 *	gid_tbl_len, LIDs. The engine has filled in its own. May sleep.
 * @active_mtu: that alone, at once. Any context.
 * @mcast_join: receive this group (may sleep); @mcast_leave: no more
 * @bad_key: (optional) a packet was refused. Any context but hard interrupt; locks
 *	of the queue pair that sent it may be held.
 * @enabled: (optional) the core begins to give the device to clients: when it is
 *	registered, and after each move to another namespace. May sleep; locks of
 *	the core are held.
 * @dealloc: the device is unregistered (also by the core, on behalf of 'rdma link
 *	delete' or of a namespace): give back what the link holds for it. May
 *	sleep. The device's memory goes afterwards.
 * @ib_ops: further ops of the device that belong to the link (get_netdev,
 *	get_link_layer, get_port_immutable, ...)
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
	int (*xmit)(struct sk_buff *skb, struct ibt_path *path);
	bool (*under_way)(const struct ibt_port *port);
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

/* ---- what a link calls (hw/ibt/dev.c, rx.c) ------------------------------------ */

/* A device with @num_ports ports of this link; @priv_bytes of its own per device,
 * see ibt_dev_priv(). Not registered yet. NULL: no memory.
 */
struct ibt_dev *ibt_dev_alloc(const struct ibt_link_ops *ops, u32 num_ports,
			      size_t priv_bytes);
/* ib_device of it, to set parent, node_guid, … before ibt_dev_register(). */
struct ib_device *ibt_dev_ib(struct ibt_dev *dev);
void ibt_dev_set_system(struct ibt_dev *dev, __be64 guid);
struct ibt_dev *ibt_dev_of(struct ib_device *ib);
void *ibt_dev_priv(struct ibt_dev *dev);
struct ibt_port *ibt_dev_port(struct ibt_dev *dev, u32 num);
struct ibt_dev *ibt_port_dev(const struct ibt_port *port);
u32 ibt_port_num(const struct ibt_port *port);
/* ib_register_device() under @name; on failure the device is the caller's still. */
int ibt_dev_register(struct ibt_dev *dev, const char *name);
/* Of a device that was never registered: 'dealloc' is called and all is freed.
 * After ib_unregister_device*() the core has done so already.
 */
void ibt_dev_free(struct ibt_dev *dev);

/* P_Keys of a port: how many there are room for (before ibt_dev_register()), one
 * entry (any context), and how many packets were refused for theirs, or for their
 * Q_Key.
 */
void ibt_port_set_pkeys(struct ibt_port *port, u16 num);
void ibt_port_set_pkey(struct ibt_port *port, u16 index, u16 pkey);
atomic_t *ibt_port_refused(struct ibt_port *port, bool qkeys);

/* process_mad() of a link that has no agents: performance management, by the counters of
 * the device.
 */
int ibt_process_mad(struct ib_device *ib, int flags, u32 port_num,
		    const struct ib_wc *wc, const struct ib_grh *grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index);

/* A packet for @port: data at the BTH, network header set, ICRC at the tail.
 * Consumes @skb. Softirq, or softirqs disabled.
 */
void ibt_rx(struct ibt_port *port, struct sk_buff *skb,
	    const struct ibt_rx_meta *meta);
/* The same of several packets of one sender, behind one header of the link: each of
 * @size bytes, the last may be shorter. @skb is GSO still; not for groups.
 */
void ibt_rx_run(struct ibt_port *port, struct sk_buff *skb, u32 size,
		const struct ibt_rx_meta *meta);
/* After xmit() said -EAGAIN: there is room again. Any context. */
void ibt_tx_room(struct ibt_port *port);
/* Something about the port changed: dispatches @event; paths are checked anew.
 * Any context.
 */
void ibt_port_event(struct ibt_port *port, enum ib_event_type event);

static inline struct ibt_path *ibt_path_get(struct ibt_path *path)
{
	refcount_inc(&path->refs);
	return path;
}
void ibt_path_put(struct ibt_path *path);	/* NULL is fine */

#endif /* IBT_LINK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Software InfiniBand: channel adapters (HCAs), switches, and cables between them.
 *
 * An HCA is a device of the transport engine, whose link this is; a switch is
 * nothing but a node of the fabric. Both have ports and an agent (SMA, PMA) that
 * works on struct ibf_node and knows no ib_device.
 *
 *   engine -> link.c -> queue.c ==cable==> hca.c -> engine
 *                         ^        |
 *                         |        v
 *                         +---- switch.c -> mad.c -> sma.c, pma.c
 *
 * Locks, outermost first:
 *
 * ibf_config (mutex, config.c)
 *	one change of the fabric at a time: guards the list of nodes, the ends of
 *	cables, and who is powered. The core is called with it held; what the core
 *	calls back does not take it.
 * ibf_lock (spinlock, bh; main.c)
 *	all that management reads and changes: attributes, tables, link states,
 *	traps. Packets look at single words of these without it. Who sends a datagram
 *	to his own port, which refuses it for a key, comes with sq.lock of his queue
 *	pair: nothing that takes one is called with ibf_lock held.
 * ibf_port.lock (spinlock, bh)
 *	packets that wait to be sent by the port.
 * ibf_tunnel.lock (spinlock, bh; tunnel.h), between the two
 *
 * Nothing of the engine or of the core that takes time is called with the two
 * spinlocks held.
 *
 * A packet finds the far end of a cable under RCU, in softirq. A node leaves the
 * cables first, then, after a grace period, nobody schedules its tasklets.
 */
#ifndef IBF_H
#define IBF_H

#include <linux/bitfield.h>
#include <linux/configfs.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <rdma/ib_hdrs.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_smi.h>
#include <rdma/ib_verbs.h>

#include "../ibt/link.h"
#include "wire.h"

enum {
	IBF_HCA_PORTS		= 4,
	IBF_SWITCH_PORTS	= 64,
	IBF_DATA_VLS		= 8,
	IBF_LANES		= 16,	/* VLs, VL15 included, or SLs */
	IBF_WIRES		= 12,	/* lanes of the widest link */
	IBF_PKEYS		= 32,	/* one block of the attribute */
	IBF_GUIDS		= 8,	/* likewise */
	IBF_LFT_ENTRIES		= 0xc000,
	IBF_LFT_BLOCK		= 64,
	IBF_MFT_ENTRIES		= 1024,
	IBF_MFT_BLOCK		= 32,
	IBF_MFT_POSITIONS	= 5,	/* of 16 ports: 0 to 64, and some */
	IBF_NO_PORT		= 0xff,	/* in the linear table */
	IBF_NAME_BYTES		= 20,	/* libibumad's limit */
};

/* Queues of a port: its data VLs, then these. */
enum {
	IBF_QUEUE_VL15		= IBF_DATA_VLS,
	IBF_QUEUE_LOOP,		/* to this port itself */
	IBF_QUEUES,
};

/* Packets: what the receiver of a VL takes before it gives no more credit, and what
 * waits at an HCA before the engine is asked to pause.
 */
#define IBF_CREDITS	32
#define IBF_SOFT_LIMIT	64
#define IBF_HARD_LIMIT	1024
#define IBF_VL15_LIMIT	256

/* Counters of a port, section 16.1.3.5. */
enum ibf_count {
	IBF_XMIT_DATA,		/* words of 4 bytes */
	IBF_RCV_DATA,
	IBF_XMIT_PKTS,
	IBF_RCV_PKTS,
	IBF_UNICAST_XMIT,
	IBF_UNICAST_RCV,
	IBF_MCAST_XMIT,
	IBF_MCAST_RCV,
	IBF_LINK_DOWNED,
	IBF_RCV_ERRORS,
	IBF_RELAY_ERRORS,
	IBF_XMIT_DISCARDS,
	IBF_XMIT_CONSTRAINT,
	IBF_RCV_CONSTRAINT,
	IBF_VL15_DROPPED,
	IBF_XMIT_WAIT,
	IBF_SYMBOL_ERRORS,
	IBF_LINK_RECOVERED,
	IBF_INTEGRITY_ERRORS,
	IBF_OVERRUNS,
	/* Of IBF_RCV_ERRORS and IBF_RELAY_ERRORS: PortRcvErrorDetails. */
	IBF_RCV_PHYSICAL,
	IBF_RCV_MALFORMED,
	IBF_RCV_OVERRUN,
	IBF_RCV_DLID,
	IBF_RCV_VL,
	IBF_RCV_LOOP,
	/* Of IBF_XMIT_DISCARDS: PortXmitDiscardDetails. */
	IBF_DISCARD_INACTIVE,
	IBF_DISCARD_MTU,
	IBF_DISCARD_LIFETIME,	/* no switch here limits that */
	IBF_DISCARD_HOQ,
	/* Packets of the opcode that ibf_port.opcodes names. */
	IBF_OP_PKTS,
	IBF_OP_DATA,
	/* Credits that the far end waited for, told and heard. */
	IBF_FLOW_XMIT,
	IBF_FLOW_RCV,
	/* One for each VL, or SL. */
	IBF_VL_OP_PKTS,
	IBF_VL_OP_DATA		= IBF_VL_OP_PKTS + IBF_LANES,
	IBF_VL_WAIT		= IBF_VL_OP_DATA + IBF_LANES,
	IBF_SL_XMIT		= IBF_VL_WAIT + IBF_LANES,
	IBF_SL_RCV		= IBF_SL_XMIT + IBF_LANES,
	/* Of links that have 64b/66b; then one for each physical lane. */
	IBF_BAD_BLOCKS		= IBF_SL_RCV + IBF_LANES,
	IBF_WIRE_ERRORS,
	IBF_COUNTS		= IBF_WIRE_ERRORS + IBF_WIRES,
};

/* Attributes of the PMA that count packets of one opcode, section 16.1.4. */
enum ibf_op {
	IBF_OP_RCV,		/* PortOpRcvCounters */
	IBF_OP_VL_PKTS,		/* PortVLOpPackets */
	IBF_OP_VL_DATA,		/* PortVLOpData */
	IBF_OPS,
};

struct ibf_node;
struct ibf_cable;
struct ibf_tunnel;

/* What a port may tell by a trap, each at most once at a time. */
enum ibf_trap {
	IBF_TRAP_SLOT_LINK,
	IBF_TRAP_SLOT_CAPS,
	IBF_TRAP_SLOT_DESC,
	IBF_TRAP_SLOT_INTEGRITY,
	IBF_TRAP_SLOT_OVERRUN,
	IBF_TRAP_SLOT_WATCHDOG,
	IBF_TRAP_SLOT_MKEY,
	IBF_TRAP_SLOT_PKEY,
	IBF_TRAP_SLOT_QKEY,
	IBF_TRAP_SLOTS,
};

/**
 * struct ibf_notice - a trap that is repeated until it is repressed
 * @left: times that it is sent still
 * @raised: it was, since the power came; @next means something
 * @next: not raised anew before, in jiffies
 * @tid: its number
 * @notice: what it says
 */
struct ibf_notice {
	u8 left;
	bool raised;
	unsigned long next;
	__be64 tid;
	struct ib_mad_notice_attr notice;
};

/* Chances are given in parts of this. */
#define IBF_FAULT_SURE	1000000

/**
 * struct ibf_fault - what a cable does besides carrying packets; fault.c
 * @errors: chance of a packet to arrive damaged
 * @losses: to be lost
 * @delay: microseconds that it is under way
 * @limit: 1: no faster than width and speed
 */
struct ibf_fault {
	u32 errors;
	u32 losses;
	u32 delay;
	u32 limit;
};

/**
 * struct ibf_wire - a cable in one direction (lock of the port that sends)
 * @active: packets go by @flight; packets look at this without the lock
 * @asked: @fault asks for something
 * @fault: what is asked for
 * @random: where the sequence of random numbers is
 * @byte_ps: picoseconds that a byte takes
 * @free_at: when it has carried what was sent, in ns
 * @busy: a packet has waited for that, and others have followed since
 * @flight: packets under way, in order
 * @timer: wakes the pump when the first has arrived, or the next may be sent
 */
struct ibf_wire {
	bool active;
	bool asked;
	struct ibf_fault fault;
	struct rnd_state random;
	u32 byte_ps;
	u64 free_at;
	bool busy;
	struct sk_buff_head flight;
	struct hrtimer timer;
};

/**
 * struct ibf_port - a port of a node
 * @node: whose
 * @num: from 1; port 0 is that of a switch itself
 * @cable: plugged in here, or NULL (ibf_lock)
 * @tunnel: it stands in for a port of another host; else NULL
 * @mtu_max: the most that its cable carries, enum ib_mtu; 0: anything (ibf_lock)
 * @peer: far end while the link is up (RCU; ibf_lock to change)
 * @ibt: (HCA) the engine's part, NULL: there is no device (RCU; ibf_lock to change)
 * @guids: GUIDInfo, the first is the port's own (ibf_lock, like the next three)
 * @info: PortInfo; what packets need of it is repeated below
 * @vlarb: VLArbitration, kept for whoever asks
 * @lease: end of the M_Key lease that runs, in jiffies, if @leased
 * @leased: see there
 * @notices: traps about the port (ibf_lock)
 * @state: PortState
 * @phys: PortPhysicalState
 * @lid: base LID
 * @lmc: LID mask control
 * @mtu: NeighborMTU, enum ib_mtu
 * @op_vls: data VLs in use
 * @enforce: IBF_ENFORCE_*
 * @hoq_life: jiffies that a packet may wait at the head of a queue, 0: for ever
 * @generation: paths that were resolved before it changed are stale
 * @pkeys: P_Key table
 * @sl2vl: VL of each SL, for packets that came in by each port of the node
 * @used: packets of a VL that came in here and have not left the node
 * @lock: see above; guards all that follows but the counters
 * @out: packets to be sent, by queue
 * @next_vl: whose turn it is
 * @full: the engine waits for ibt_tx_room()
 * @pump: sends them
 * @hoq: wakes it while a packet waits that may wait for too long
 * @hoq_ticks: of it
 * @wire: what leaves by the port
 * @phy_errors: damaged packets in excess of good ones (far end's pump)
 * @opcodes: BTH opcode of what is counted, by enum ibf_op (ibf_lock to change)
 * @count: counters
 * @base: what they were when PMA cleared them (ibf_lock)
 */
struct ibf_port {
	struct ibf_node *node;
	u8 num;
	struct ibf_cable *cable;
	struct ibf_tunnel *tunnel;
	u8 mtu_max;
	struct ibf_port __rcu *peer;
	struct ibt_port *ibt;
	__be64 guids[IBF_GUIDS];
	struct ibf_port_info info;
	u8 vlarb[4][64];
	unsigned long lease;
	bool leased;
	struct ibf_notice notices[IBF_TRAP_SLOTS];
	u8 state;
	u8 phys;
	u16 lid;
	u8 lmc;
	u8 mtu;
	u8 op_vls;
	u8 enforce;
	unsigned long hoq_life;
	atomic_t generation;
	u16 pkeys[IBF_PKEYS];
	u8 (*sl2vl)[16];
	atomic_t used[IBF_DATA_VLS];
	spinlock_t lock;
	struct sk_buff_head out[IBF_QUEUES];
	u8 next_vl;
	bool full;
	struct tasklet_struct pump;
	struct timer_list hoq;
	u32 hoq_ticks;
	struct ibf_wire wire;
	u32 phy_errors;
	u8 opcodes[IBF_OPS];
	atomic64_t count[IBF_COUNTS];
	u64 base[IBF_COUNTS];
};

/**
 * struct ibf_switch - what a switch has beside its ports; all under ibf_lock, packets
 *		       read single words
 * @info: SwitchInfo
 * @lft: port of each LID
 * @mft: ports of each group: bits, 16 in a word
 */
struct ibf_switch {
	struct ibf_switch_info info;
	u8 lft[IBF_LFT_ENTRIES];
	u16 mft[IBF_MFT_ENTRIES][IBF_MFT_POSITIONS];
};

#define IBF_SAMPLES	15

/**
 * struct ibf_sample - what ports count between two points in time, pma_sample.c;
 *		       all under ibf_lock
 * @timer: the next of the two
 * @status: IBF_SAMPLES_*
 * @port_select: as asked
 * @first: port, @last: to that
 * @last: see there
 * @start: ticks
 * @interval: ticks
 * @tag: of who has asked
 * @select: what is counted, 0: nothing
 * @value: counted at the first point; then the difference
 */
struct ibf_sample {
	struct hrtimer timer;
	u8 status;
	u8 port_select;
	u8 first;
	u8 last;
	u32 start;
	u32 interval;
	__be16 tag;
	u16 select[IBF_SAMPLES];
	u64 value[IBF_SAMPLES];
};

/**
 * struct ibf_node - an HCA or a switch
 * @group: in configfs
 * @entry: list of nodes
 * @name: of configfs, and of the ib_device
 * @is_switch: else it is an HCA
 * @num_ports: without port 0
 * @guid: of the node
 * @sys_guid: of the system
 * @desc: NodeDescription of a switch
 * @live: it is powered; of an HCA: there is a device (ibf_lock)
 * @dev: (HCA) the engine's device
 * @ib: (HCA) the core's, referenced from power on to power off
 * @parent: (HCA) of the core's device: what programs find the network interfaces by that
 *	    belong to it (DEVICE/device/net in sysfs), which have the same
 * @sw: (switch) tables
 * @trap_tid: number of its latest trap (ibf_lock)
 * @trap_work: repeats traps
 * @sample: see there
 * @debugfs: folder
 * @ports: from 0 on
 */
struct ibf_node {
	struct config_group group;
	struct list_head entry;
	char name[IBF_NAME_BYTES];
	bool is_switch;
	u8 num_ports;
	__be64 guid;
	__be64 sys_guid;
	char desc[IB_DEVICE_NODE_DESC_MAX];
	bool live;
	struct ibt_dev *dev;
	struct ib_device *ib;
	struct platform_device *parent;
	struct ibf_switch *sw;
	u64 trap_tid;
	struct delayed_work trap_work;
	struct ibf_sample sample;
	struct dentry *debugfs;
	struct ibf_port *ports;
};

/**
 * struct ibf_end - of a cable
 * @name: node
 * @num: port
 * @port: where it is plugged in, NULL: nowhere (ibf_lock)
 */
struct ibf_end {
	char name[IBF_NAME_BYTES];
	u8 num;
	struct ibf_port *port;
};

/**
 * struct ibf_cable - joins two ports
 * @item: in configfs
 * @ends: its ends
 * @width: IBF_WIDTH_* that it carries
 * @speed: 0: SDR to 5: HDR
 * @fault: what it does to packets, each way
 * @seed: where chance begins
 */
struct ibf_cable {
	struct config_item item;
	struct ibf_end ends[2];
	u8 width;
	u8 speed;
	struct ibf_fault fault;
	u32 seed;
};

/**
 * struct ibf_cb - of a packet that waits in a queue, or is under way
 * @held: port whose credit it holds, or NULL
 * @vl: of that credit
 * @byte_ps: picoseconds that a byte takes at its static rate, 0: as the cable has it
 * @waits: it is at the head of the queue, and has no credit
 * @since: hoq_ticks of the port when that began
 * @due: it arrives, in ns
 */
struct ibf_cb {
	struct ibf_port *held;
	u8 vl;
	u32 byte_ps;
	bool waits;
	u32 since;
	u64 due;
};

static inline struct ibf_cb *ibf_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct ibf_cb) > sizeof(skb->cb));
	return (struct ibf_cb *)skb->cb;
}

static inline struct ibf_lrh *ibf_lrh(const struct sk_buff *skb)
{
	return (struct ibf_lrh *)skb->data;
}

/* GRH, or NULL, and BTH of a well-formed packet. */
static inline const struct ib_grh *ibf_grh(const struct sk_buff *skb)
{
	if (FIELD_GET(IBF_LRH_LNH, ibf_lrh(skb)->sl) != IBF_LNH_GLOBAL)
		return NULL;
	return (const void *)(skb->data + sizeof(struct ibf_lrh));
}

static inline struct ibf_ud *ibf_ud(const struct sk_buff *skb)
{
	u32 front = sizeof(struct ibf_lrh);

	if (ibf_grh(skb))
		front += sizeof(struct ib_grh);
	return (struct ibf_ud *)(skb->data + front);
}

static inline void ibf_count_more(struct ibf_port *port, enum ibf_count count,
				  u32 more)
{
	atomic64_add(more, &port->count[count]);
}

static inline void ibf_count(struct ibf_port *port, enum ibf_count count)
{
	ibf_count_more(port, count, 1);
}

/* Packets that are not sent, and why: one of IBF_DISCARD_*. */
static inline void ibf_count_discards(struct ibf_port *port,
				      enum ibf_count why, u32 num)
{
	ibf_count_more(port, IBF_XMIT_DISCARDS, num);
	ibf_count_more(port, why, num);
}

/* A packet with an error, and which: one of IBF_RCV_*. */
static inline void ibf_count_error(struct ibf_port *port, enum ibf_count why)
{
	ibf_count(port, IBF_RCV_ERRORS);
	ibf_count(port, why);
}

static inline bool ibf_is_mcast(u16 lid)
{
	return lid >= IBF_LID_MCAST && lid != IBF_LID_PERMISSIVE;
}

/* Is @lid one of the port's own? */
static inline bool ibf_owns(const struct ibf_port *port, u16 lid)
{
	u16 base = READ_ONCE(port->lid);

	return base && (lid & ~(BIT(READ_ONCE(port->lmc)) - 1)) == base;
}

/* The port that has the LIDs, and the keys, of a node: of @port, or of its switch. */
static inline struct ibf_port *ibf_end_port(struct ibf_port *port)
{
	return port->node->is_switch ? &port->node->ports[0] : port;
}

/* main.c */
extern spinlock_t ibf_lock;
extern struct dentry *ibf_debugfs;

/* node.c */
struct ibf_node *ibf_node_new(const char *name, bool is_switch);
int ibf_node_resize(struct ibf_node *node, u8 num_ports);
void ibf_node_free(struct ibf_node *node);
void ibf_node_reset(struct ibf_node *node);
int ibf_node_power(struct ibf_node *node, bool on);

/* cable.c; ibf_lock held */
int ibf_plug(struct ibf_cable *cable, struct ibf_port *a, struct ibf_port *b);
void ibf_unplug(struct ibf_cable *cable);
void ibf_cable_ask(struct ibf_cable *cable, bool seed);
void ibf_link_train(struct ibf_port *port);
void ibf_link_down(struct ibf_port *port, u8 phys);
void ibf_port_state(struct ibf_port *port, u8 state);
void ibf_tell(struct ibf_port *port, enum ib_event_type event);

/* config.c; config_cable.c; config_tunnel.c */
extern struct mutex ibf_config;
extern const struct config_item_type ibf_cables_type;
extern const struct config_item_type ibf_tunnels_type;
struct ibf_port *ibf_find_port(const char *name, u8 num);
int ibf_parse_end(const char *page, struct ibf_end *end);
int ibf_tunnels_init(void);
void ibf_tunnels_exit(void);
int ibf_config_init(void);
void ibf_config_exit(void);

/* hca.c */
int ibf_hca_start(struct ibf_node *node);
void ibf_hca_stop(struct ibf_node *node);
void ibf_hca_receive(struct ibf_port *port, struct sk_buff *skb);
void ibf_dealloc(struct ibt_dev *dev);
extern const struct ib_device_ops ibf_ib_ops;

/* link.c */
extern const struct ibt_link_ops ibf_link;

/* offload.c */
extern const struct ibt_offload ibf_offload;

/* queue.c */
void ibf_queues_init(struct ibf_port *port);
void ibf_queues_exit(struct ibf_port *port);
bool ibf_enqueue(struct ibf_port *port, struct sk_buff *skb, u32 queue,
		 struct ibf_port *held, u8 held_vl);
int ibf_enqueue_hca(struct ibf_port *port, struct sk_buff *skb, u32 queue,
		    u32 byte_ps);
void ibf_purge(struct ibf_port *port);
void ibf_release(struct ibf_port *held, u8 vl);
void ibf_receive(struct ibf_port *port, struct sk_buff *skb);

/* fault.c */
void ibf_wire_init(struct ibf_port *port);
void ibf_wire_exit(struct ibf_port *port);
void ibf_wire_ask(struct ibf_port *port, const struct ibf_fault *fault);
void ibf_wire_seed(struct ibf_port *port, u64 seed);
void ibf_wire_speed(struct ibf_port *port, u8 width, int speed);
bool ibf_wire_ready(struct ibf_port *port);
void ibf_wire_idle(struct ibf_port *port);
void ibf_wire_send(struct ibf_port *port, struct ibf_port *peer,
		   struct sk_buff *skb, u8 vl);
void ibf_wire_land(struct ibf_port *port, struct ibf_port *peer);

/* tunnel_flow.c; what is behind them is in tunnel.h */
void ibf_tunnel_send(struct ibf_port *far, struct sk_buff *skb);
void ibf_tunnel_took(struct ibf_port *far, u32 queue);

/* switch.c */
void ibf_switch_receive(struct ibf_port *port, struct sk_buff *skb);
void ibf_switch_send(struct ibf_node *node, struct sk_buff *skb);
u16 ibf_pkey_match(const struct ibf_port *port, u16 pkey);

/* dr.c: directed routes, section 14.2.2 */

enum ibf_way {
	IBF_WAY_DROP,
	IBF_WAY_HERE,		/* to the agent of this node */
	IBF_WAY_PORT,		/* out by a port */
	IBF_WAY_LID,		/* on by LID */
};

/**
 * struct ibf_hop - where an SMP goes
 * @way: how
 * @port: (IBF_WAY_PORT) by which
 * @lid: (IBF_WAY_LID) to which
 */
struct ibf_hop {
	enum ibf_way way;
	u8 port;
	u16 lid;
};

struct ibf_hop ibf_dr_arrived(struct ib_smp *smp, u8 in_port, u8 num_ports);
struct ibf_hop ibf_dr_answer(struct ib_smp *smp, u8 num_ports);

/* mad.c: management packets of a node itself */

/**
 * struct ibf_mad_from - where a MAD came from
 * @slid: LID
 * @dlid: that it was sent to
 * @sl: service level
 * @sqpn: QP
 * @qpn: to which it was sent, 0 or 1
 * @pkey: what the receiver has of its partition
 * @has_grh: @grh is its GRH
 * @grh: see there
 */
struct ibf_mad_from {
	u16 slid;
	u16 dlid;
	u8 sl;
	u32 sqpn;
	u8 qpn;
	u16 pkey;
	bool has_grh;
	struct ib_grh grh;
};

void ibf_mad_receive(struct ibf_port *port, struct sk_buff *skb);
struct sk_buff *ibf_mad_packet(struct ibf_port *from, const struct ib_mad *mad,
			       const struct ibf_mad_from *to);
void ibf_mad_send(struct ibf_port *from, struct sk_buff *skb);
u32 ibf_icrc_seed(const struct ibf_lrh *lrh, const struct ib_grh *grh);

/* agent.c: what answers MADs */

enum ibf_answer {
	IBF_PASS,		/* for somebody else */
	IBF_REPLY,
	IBF_CONSUMED,
};

enum ibf_answer ibf_agent(struct ibf_port *in_port, const struct ib_mad *in,
			  struct ib_mad *out);

/* sma.c, sma_port.c, sma_tables.c; ibf_lock held */

/**
 * struct ibf_query - a Get or Set of the SMA
 * @node: that is asked
 * @port: that it is asked as: the HCA's port, or port 0 of a switch
 * @in_port: that the SMP came in by
 * @set: else it is a Get
 * @mod: attribute modifier
 * @data: 64 bytes: what is to be set, and the answer
 */
struct ibf_query {
	struct ibf_node *node;
	struct ibf_port *port;
	struct ibf_port *in_port;
	bool set;
	u32 mod;
	u8 *data;
};

enum ibf_answer ibf_sma(struct ibf_port *in_port, const struct ib_smp *in,
			struct ib_smp *out);
u16 ibf_sma_port_info(struct ibf_query *query);
u16 ibf_sma_pkeys(struct ibf_query *query);
u16 ibf_sma_sl2vl(struct ibf_query *query);
u16 ibf_sma_vlarb(struct ibf_query *query);
u16 ibf_sma_lft(struct ibf_query *query);
u16 ibf_sma_mft(struct ibf_query *query);
u16 ibf_sma_guids(struct ibf_query *query);
void ibf_port_info_init(struct ibf_port *port);
void ibf_port_info_get(struct ibf_port *port, struct ibf_port_info *info);

/* pma.c; ibf_lock held but for the first */

/**
 * struct ibf_selection - ports that a query is about
 * @node: that is asked
 * @first: port from which on it counts
 * @last: the last of them
 */
struct ibf_selection {
	struct ibf_node *node;
	u8 first;
	u8 last;
};

enum ibf_answer ibf_pma(struct ibf_port *in_port, const struct ib_mad *in,
			struct ib_mad *out);
bool ibf_pma_ports(const struct ibf_node *node, u8 select, u8 *first, u8 *last);
bool ibf_pma_select(struct ibf_port *in_port, u8 select,
		    struct ibf_selection *ports);
u64 ibf_pma_value(const struct ibf_selection *ports, enum ibf_count count);
void ibf_pma_clear(const struct ibf_selection *ports, enum ibf_count count);

/* pma_optional.c; ibf_lock held */
u16 ibf_pma_optional(struct ibf_port *in_port, __be16 attr_id, u8 *data,
		     bool set);

/* pma_sample.c; ibf_lock held but for the last two */
u16 ibf_sample_control(struct ibf_node *node, u8 *data, bool set);
void ibf_sample_result(struct ibf_node *node, u8 *data, bool extended);
void ibf_sample_init(struct ibf_node *node);
void ibf_sample_stop(struct ibf_node *node);

/* trap.c; ibf_lock held but for the work, and those that packets raise */

/**
 * struct ibf_bad_key - a packet that an end port refused for a key
 * @qkey: for its Q_Key, else for its P_Key
 * @key: see there
 * @slid: source LID
 * @dlid: destination
 * @sl: service level
 * @sqpn: source QP, 0: unknown, or that
 * @dqpn: destination QP
 * @grh: its GRH, or NULL
 */
struct ibf_bad_key {
	bool qkey;
	u32 key;
	u16 slid;
	u16 dlid;
	u8 sl;
	u32 sqpn;
	u32 dqpn;
	const struct ib_grh *grh;
};

void ibf_trap_link_state(struct ibf_node *node);
void ibf_trap_caps(struct ibf_port *port);
void ibf_trap_desc(struct ibf_node *node);
void ibf_trap_integrity(struct ibf_port *port);
void ibf_trap_overrun(struct ibf_port *port);
void ibf_trap_watchdog(struct ibf_port *port);
void ibf_trap_bad_mkey(struct ibf_port *port, const struct ib_smp *smp);
void ibf_trap_bad_key(struct ibf_port *port, const struct ibf_bad_key *what);
void ibf_trap_switch_pkey(struct ibf_port *port, const struct sk_buff *skb);
void ibf_trap_repress(struct ibf_node *node, const struct ib_smp *smp);
void ibf_trap_forget(struct ibf_node *node);
void ibf_trap_work(struct work_struct *work);

/* inject.c: packets of a test, by debugfs */
void ibf_inject_add(struct ibf_node *node);
void ibf_inject_del(struct ibf_node *node);

#endif /* IBF_H */

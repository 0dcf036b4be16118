/* SPDX-License-Identifier: GPL-2.0 */
/* A port of a node. */
#ifndef IBF_PORT_H
#define IBF_PORT_H

#include <linux/bitfield.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <rdma/ib_smi.h>
#include <rdma/ib_verbs.h>

#include "../ibt/link.h"
#include "count.h"
#include "limits.h"
#include "wire.h"

struct ibf_cable;
struct ibf_node;
struct ibf_tunnel;

/* Traps of a port; at most one of each is pending. */
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
 * @left: number of times that it is still to be sent
 * @raised: raised since power on, so @next is valid
 * @next: earliest time to raise it again, in jiffies
 * @tid: transaction ID
 * @notice: contents
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
 * struct ibf_fault - impairments of a cable (cable_impair.c)
 * @errors: chance that a packet arrives damaged, in parts of IBF_FAULT_SURE
 * @losses: chance that a packet is lost, in parts of IBF_FAULT_SURE
 * @delay: propagation delay in microseconds
 * @limit: 1: limit the rate to that of width and speed
 */
struct ibf_fault {
	u32 errors;
	u32 losses;
	u32 delay;
	u32 limit;
};

/**
 * struct ibf_wire - one direction of a cable (lock of the port that sends)
 * @active: packets go by @flight; read without the lock
 * @asked: some impairment is configured
 * @fault: the impairments
 * @random: state of the random numbers
 * @byte_ps: rate of the link, in ps per byte
 * @free_at: time at which the last packet is fully sent, in ns
 * @busy: a packet has waited for @free_at, and the wire has not been idle since
 * @flight: packets under way, in order
 * @timer: wakes the pump when the first packet is due, or the next may be sent
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
 * @node: its node
 * @num: its number, from 1; port 0 is the switch itself
 * @cable: plugged in here, or NULL (ibf_lock)
 * @tunnel: tunnel for which it stands in for a remote port, or NULL
 * @mtu_max: largest MTU of its cable, enum ib_mtu; 0: no limit (ibf_lock)
 * @peer: far end while the link is up (RCU; ibf_lock to change)
 * @vnics: Ethernet interfaces that are up (RCU; ibf_lock to change)
 * @vnic_strays: packets for a virtual switch that none of @vnics is connected to
 * @ibt: (HCA) the engine's port, NULL: there is no device (RCU; ibf_lock to change)
 * @guids: GUIDInfo, the first is the port's own (ibf_lock, like the next four)
 * @info: PortInfo; the fields that the packet path reads are repeated below
 * @vlarb: VLArbitration tables; stored and returned, without effect
 * @lease: end of the M_Key lease period in jiffies, if @leased
 * @leased: a lease period runs
 * @notices: traps about the port (ibf_lock)
 * @state: PortState
 * @phys: PortPhysicalState
 * @lid: base LID
 * @lmc: LID mask control
 * @mtu: NeighborMTU, enum ib_mtu
 * @op_vls: data VLs in use
 * @enforce: IBF_ENFORCE_*
 * @hoq_life: jiffies that a packet may wait at the head of a queue, 0: no limit
 * @generation: changes when paths that were resolved earlier become stale
 * @pkeys: P_Key table
 * @sl2vl: VL of each SL, by the port of the node that received the packet
 * @used: credits in use: packets of a VL that came in here and are still in the node
 * @lock: guards all that follows but the counters
 * @out: packets to be sent, by queue
 * @next_vl: VL that sends next
 * @full: the engine and the interfaces are to be woken
 * @pump: tasklet that sends the packets of @out
 * @hoq: timer that schedules @pump while a packet waits under @hoq_life
 * @hoq_ticks: expiries of @hoq
 * @wire: the direction of the cable that leaves this port
 * @phy_errors: damaged packets in excess of good ones (pump of the far end)
 * @opcodes: BTH opcode that is counted, by enum ibf_op (ibf_lock to change)
 * @count: counters
 * @base: values of @count at the last clear by the PMA (ibf_lock)
 */
struct ibf_port {
	struct ibf_node *node;
	u8 num;
	struct ibf_cable *cable;
	struct ibf_tunnel *tunnel;
	u8 mtu_max;
	struct ibf_port __rcu *peer;
	struct list_head vnics;
	atomic64_t vnic_strays;
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

static inline void ibf_count_more(struct ibf_port *port, enum ibf_count count,
				  u32 more)
{
	atomic64_add(more, &port->count[count]);
}

static inline void ibf_count(struct ibf_port *port, enum ibf_count count)
{
	ibf_count_more(port, count, 1);
}

/* Counts packets that are discarded; @why is one of IBF_DISCARD_*. */
static inline void ibf_count_discards(struct ibf_port *port,
				      enum ibf_count why, u32 num)
{
	ibf_count_more(port, IBF_XMIT_DISCARDS, num);
	ibf_count_more(port, why, num);
}

/* Counts a packet with an error; @why is one of IBF_RCV_*. */
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

#endif /* IBF_PORT_H */

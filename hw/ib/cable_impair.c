// SPDX-License-Identifier: GPL-2.0
/*
 * Impairments of cables: damaged, lost and delayed packets, and the rate limit that
 * the link's width and speed imply. All of them are off by default.
 *
 * The receiver sees what the receiver of a real cable sees. A damaged packet fails its
 * CRC: it counts in SymbolErrorCounter and PortRcvErrors. The start of a lost packet is
 * not recognised: it counts as a symbol error alone. When damaged packets in excess of
 * good ones exceed LocalPhyErrors, that is a local link integrity error, and the link
 * recovers at once (sections 7.12.2, 5.6.1).
 *
 * Packets under way hold a credit of the far end, as those on a long cable do. Each
 * packet draws one random number, whatever is configured, so a seed and a sequence of
 * packets determine which packets are damaged or lost.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "packet.h"
#include "queue.h"
#include "trap.h"

/* Timers fire late: a busy link may catch up on this much time, in ns. */
#define BURST		(2 * NSEC_PER_MSEC)
/* Packets on a cable in one direction; those of VL15 have no credits. */
#define MAX_FLIGHT	(IBF_DATA_VLS * IBF_CREDITS + IBF_VL15_LIMIT)

/*
 * Wakes the pump at @when: a packet arrives then, or the next one may be sent. The timer serves
 * both, so the earlier time stays: the pump, woken by it, arms the timer for the later one.
 */
static void ibf_fault_arm(struct ibf_wire *wire, u64 now, u64 when)
{
	if (hrtimer_is_queued(&wire->timer) &&
	    ktime_to_ns(hrtimer_get_expires(&wire->timer)) <= when)
		return;
	hrtimer_start(&wire->timer, ns_to_ktime(when > now ? when - now : 0),
		      HRTIMER_MODE_REL);
}

static enum hrtimer_restart ibf_fault_expired(struct hrtimer *timer)
{
	struct ibf_port *port = container_of(timer, struct ibf_port, wire.timer);

	tasklet_schedule(&port->pump);
	return HRTIMER_NORESTART;
}

/* ---- at the far end ------------------------------------------------------------------ */

/* Lanes of a link with 64b/66b (volume 2, 5.3); 0: it has 8b/10b. */
static u32 ibf_block_lanes(const struct ibf_port *port)
{
	static const u8 lanes[] = { 1, 4, 8, 12 };
	u8 width = READ_ONCE(port->info.width_active) & IBF_WIDTH_ALL;

	if (!FIELD_GET(IBF_HIGH, READ_ONCE(port->info.ext_speed)) || !width)
		return 0;
	return lanes[fls(width) - 1];
}

/* Counts a single wrong bit; @number, a random number, chooses the lane. */
static void ibf_count_damaged(struct ibf_port *port, u32 number)
{
	u32 lanes = ibf_block_lanes(port);

	ibf_count(port, IBF_SYMBOL_ERRORS);
	ibf_count_error(port, IBF_RCV_PHYSICAL);
	if (lanes)
		ibf_count(port, IBF_WIRE_ERRORS + number % lanes);
}

static void ibf_count_lost(struct ibf_port *port)
{
	ibf_count(port, IBF_SYMBOL_ERRORS);
	if (ibf_block_lanes(port))
		ibf_count(port, IBF_BAD_BLOCKS);
}

/* phy_errors needs no lock: only the pump of the near end changes it. */
static void ibf_fault_integrity(struct ibf_port *port)
{
	u8 most = FIELD_GET(IBF_HIGH, READ_ONCE(port->info.thresholds));

	if (++port->phy_errors <= most)
		return;
	port->phy_errors = 0;
	ibf_count(port, IBF_INTEGRITY_ERRORS);
	ibf_count(port, IBF_LINK_RECOVERED);
	ibf_trap_integrity(port);
}

static void ibf_fault_arrive(struct ibf_port *port, struct ibf_port *peer,
			     struct sk_buff *skb)
{
	struct ibf_wire *wire = &port->wire;
	u32 number, errors, losses;

	spin_lock(&port->lock);
	number = prandom_u32_state(&wire->random) % IBF_FAULT_SURE;
	errors = wire->fault.errors;
	losses = wire->fault.losses;
	spin_unlock(&port->lock);
	if (number < errors) {
		ibf_count_damaged(peer, number);
		ibf_fault_integrity(peer);
		kfree_skb(skb);
	} else if (number - errors < losses) {
		ibf_count_lost(peer);
		kfree_skb(skb);
	} else {
		if (peer->phy_errors)
			peer->phy_errors--;
		ibf_receive(peer, skb);
	}
}

static struct sk_buff *ibf_fault_landed(struct ibf_port *port, u64 now)
{
	struct ibf_wire *wire = &port->wire;
	struct sk_buff *skb;

	spin_lock(&port->lock);
	skb = skb_peek(&wire->flight);
	if (skb && ibf_cb(skb)->due > now) {
		ibf_fault_arm(wire, now, ibf_cb(skb)->due);
		skb = NULL;
	}
	if (skb)
		__skb_unlink(skb, &wire->flight);
	else if (skb_queue_empty(&wire->flight))
		WRITE_ONCE(wire->active, wire->asked);
	spin_unlock(&port->lock);
	return skb;
}

/**
 * ibf_wire_land - deliver the packets under way that are due
 * @port: port that sent them
 * @peer: far end
 *
 * Context: the pump of @port; an RCU reader.
 */
void ibf_wire_land(struct ibf_port *port, struct ibf_port *peer)
{
	u64 now = ktime_get_ns();
	struct sk_buff *skb;
	struct ibf_cb cb;

	while ((skb = ibf_fault_landed(port, now))) {
		cb = *ibf_cb(skb);
		ibf_fault_arrive(port, peer, skb);
		ibf_release(cb.held, cb.vl);
	}
}

/* ---- at the near end ------------------------------------------------------------------- */

/**
 * ibf_wire_ready - may a port send now?
 * @port: port with impairments configured
 *
 * Context: the pump of @port.
 * Return: false: not yet; a timer wakes the pump when the port may send.
 */
bool ibf_wire_ready(struct ibf_port *port)
{
	struct ibf_wire *wire = &port->wire;
	u64 now = ktime_get_ns();
	bool ready;

	spin_lock(&port->lock);
	ready = skb_queue_len(&wire->flight) < MAX_FLIGHT;
	if (wire->fault.limit && wire->free_at > now) {
		ready = false;
		wire->busy = true;
		ibf_fault_arm(wire, now, wire->free_at);
	}
	spin_unlock(&port->lock);
	return ready;
}

/**
 * ibf_wire_idle - a port has no packet that it may send
 * @port: port with impairments configured
 *
 * Context: the pump of @port.
 */
void ibf_wire_idle(struct ibf_port *port)
{
	spin_lock(&port->lock);
	port->wire.busy = false;
	spin_unlock(&port->lock);
}

/* Arrival time in ns: transmission time at the packet's rate, then the delay. */
static u64 ibf_due_at(struct ibf_wire *wire, u32 bytes, u32 byte_ps)
{
	u64 now = ktime_get_ns();

	if (wire->fault.limit) {
		wire->free_at = max(wire->free_at,
				    wire->busy ? now - BURST : now) +
				div_u64((u64)bytes * max(wire->byte_ps, byte_ps), 1000);
		now = max(wire->free_at, now);
	}
	return now + (u64)wire->fault.delay * NSEC_PER_USEC;
}

/**
 * ibf_wire_send - put a packet on a cable with impairments
 * @port: port that sends it
 * @peer: far end; the packet holds a credit there until it arrives
 * @skb: data at the LRH; consumed
 * @vl: VL of the credit; 15 takes none
 *
 * Context: the pump of @port; an RCU reader.
 */
void ibf_wire_send(struct ibf_port *port, struct ibf_port *peer,
		   struct sk_buff *skb, u8 vl)
{
	struct ibf_cb cb = { .vl = vl, .byte_ps = ibf_cb(skb)->byte_ps };
	struct ibf_wire *wire = &port->wire;
	bool there;

	if (vl != 15) {
		cb.held = peer;
		atomic_inc(&peer->used[vl]);
	}
	spin_lock(&port->lock);
	/*
	 * A thread that takes the link down clears @peer first and then, under
	 * this lock, drops the packets of @flight.
	 */
	there = rcu_access_pointer(port->peer) == peer;
	cb.due = there ? ibf_due_at(wire, skb->len, cb.byte_ps) : 0;
	*ibf_cb(skb) = cb;
	if (there)
		__skb_queue_tail(&wire->flight, skb);
	spin_unlock(&port->lock);
	if (!there) {
		kfree_skb(skb);
		ibf_release(cb.held, cb.vl);
	}
}

void ibf_wire_init(struct ibf_port *port)
{
	__skb_queue_head_init(&port->wire.flight);
	hrtimer_setup(&port->wire.timer, ibf_fault_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL);
}

/* The caller has waited for a grace period since the last user could find @port. */
void ibf_wire_exit(struct ibf_port *port)
{
	hrtimer_cancel(&port->wire.timer);
}

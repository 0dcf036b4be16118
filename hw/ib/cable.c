// SPDX-License-Identifier: GPL-2.0
/*
 * Cables, and the state of the links upon them. Both ends of a cable train in one
 * call: the negotiated width, speed and MTU are set when a function here returns.
 */
#include <kunit/visibility.h>

#include "cable.h"
#include "fabric.h"
#include "node.h"
#include "queue.h"
#include "trap.h"

/**
 * ibf_tell - report a change of a port
 * @port: the port; ibf_lock is held
 * @event: (HCA) event that the consumers of the device receive
 */
void ibf_tell(struct ibf_port *port, enum ib_event_type event)
{
	lockdep_assert_held(&ibf_lock);
	/* The change is visible before the new generation: pairs with ibf_path_resolve(). */
	smp_mb__before_atomic();
	atomic_inc(&port->generation);
	if (port->ibt)
		ibt_port_event(port->ibt, event);
}

/* Reports a link that went up or down to the subnet manager. */
static void ibf_switch_changed(struct ibf_node *node)
{
	if (!node->is_switch)
		return;
	node->sw->info.flags |= IBF_SWITCH_CHANGED;
	ibf_trap_link_state(node);
}

/**
 * ibf_port_state - move a link to another logical state
 * @port: the port; ibf_lock is held
 * @state: new PortState, IBF_STATE_*; the transition is legal
 */
void ibf_port_state(struct ibf_port *port, u8 state)
{
	u8 old = port->state;

	lockdep_assert_held(&ibf_lock);
	if (old == state)
		return;
	WRITE_ONCE(port->state, state);
	if (state == IBF_STATE_ACTIVE)
		ibf_tell(port, IB_EVENT_PORT_ACTIVE);
	else if (old == IBF_STATE_ACTIVE)
		ibf_tell(port, IB_EVENT_PORT_ERR);
	if (old == IBF_STATE_DOWN || state == IBF_STATE_DOWN)
		ibf_switch_changed(port->node);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_port_state);

static void ibf_end_down(struct ibf_port *port, u8 phys)
{
	rcu_assign_pointer(port->peer, NULL);
	port->phys = phys;
	if (port->state == IBF_STATE_DOWN)
		return;
	ibf_count(port, IBF_LINK_DOWNED);
	ibf_port_state(port, IBF_STATE_DOWN);
	ibf_purge(port);
}

/**
 * ibf_link_down - take a link down
 * @port: one of its ends; ibf_lock is held
 * @phys: new PortPhysicalState of this end, IBF_PHYS_*; the other end polls
 */
void ibf_link_down(struct ibf_port *port, u8 phys)
{
	struct ibf_port *peer;

	lockdep_assert_held(&ibf_lock);
	peer = rcu_dereference_protected(port->peer,
					 lockdep_is_held(&ibf_lock));
	ibf_end_down(port, phys);
	if (peer)
		ibf_end_down(peer, IBF_PHYS_POLLING);
}

/* ---- what both ends and the cable can do ---------------------------------------------- */

static u8 ibf_best_width(const struct ibf_port *a, const struct ibf_port *b, u8 most)
{
	u8 common = a->info.width_enabled & b->info.width_enabled;

	while (most && !(common & most))
		most >>= 1;
	return most;
}

/* SDR, DDR, QDR, then FDR, EDR, HDR, a bit each. */
static u8 ibf_cable_speeds(const struct ibf_port *port)
{
	return FIELD_GET(IBF_LOW, port->info.speed) |
	       port->info.ext_enabled << 3;
}

static int ibf_best_speed(const struct ibf_port *a, const struct ibf_port *b, u8 most)
{
	u8 common = ibf_cable_speeds(a) & ibf_cable_speeds(b) & (BIT(most + 1) - 1);

	return fls(common) - 1;
}

static void ibf_set_speed(struct ibf_port *port, u8 width, int speed)
{
	struct ibf_port_info *info = &port->info;
	u8 active = BIT(min(speed, 2)), ext = speed > 2 ? BIT(speed - 3) : 0;

	info->width_active = width;
	info->speed = FIELD_PREP(IBF_HIGH, active) | (info->speed & IBF_LOW);
	info->ext_speed = FIELD_PREP(IBF_HIGH, ext) |
			  (info->ext_speed & IBF_LOW);
}

static void ibf_end_up(struct ibf_port *port, struct ibf_port *peer)
{
	port->phys = IBF_PHYS_LINK_UP;
	rcu_assign_pointer(port->peer, peer);
	ibf_port_state(port, IBF_STATE_INIT);
}

static bool ibf_cable_can_train(const struct ibf_port *port)
{
	return port->node->live && port->state == IBF_STATE_DOWN &&
	       port->phys == IBF_PHYS_POLLING;
}

/**
 * ibf_link_train - bring a link up, if both ends can
 * @port: one of its ends, or a port without a cable; ibf_lock is held
 */
void ibf_link_train(struct ibf_port *port)
{
	struct ibf_cable *cable = port->cable;
	struct ibf_port *a, *b;
	int speed;
	u8 width;

	lockdep_assert_held(&ibf_lock);
	if (!cable)
		return;
	a = cable->ends[0].port;
	b = cable->ends[1].port;
	if (!ibf_cable_can_train(a) || !ibf_cable_can_train(b))
		return;
	width = ibf_best_width(a, b, cable->width);
	speed = ibf_best_speed(a, b, cable->speed);
	if (!width || speed < 0)
		return;
	ibf_set_speed(a, width, speed);
	ibf_set_speed(b, width, speed);
	ibf_wire_speed(a, width, speed);
	ibf_wire_speed(b, width, speed);
	ibf_end_up(a, b);
	ibf_end_up(b, a);
}

/* ---- cables ------------------------------------------------------------------------------ */

/**
 * ibf_cable_ask - apply the impairments that are configured for a cable
 * @cable: plugged in, or not; ibf_lock is held
 * @seed: restart the sequence of random numbers
 */
void ibf_cable_ask(struct ibf_cable *cable, bool seed)
{
	struct ibf_port *port;
	int i;

	lockdep_assert_held(&ibf_lock);
	for (i = 0; i < 2; i++) {
		port = cable->ends[i].port;
		if (!port)
			return;
		/* The two directions draw different random numbers. */
		if (seed)
			ibf_wire_seed(port, (u64)cable->seed << 1 | i);
		ibf_wire_ask(port, &cable->fault);
	}
}
EXPORT_SYMBOL_IF_KUNIT(ibf_cable_ask);

/**
 * ibf_plug - plug a cable in
 * @cable: not plugged in
 * @a: for its first end
 * @b: for the other; ibf_lock is held
 *
 * Return: 0, or -EBUSY: one of the ports has a cable.
 */
int ibf_plug(struct ibf_cable *cable, struct ibf_port *a, struct ibf_port *b)
{
	lockdep_assert_held(&ibf_lock);
	if (a->cable || b->cable || a == b)
		return -EBUSY;
	cable->ends[0].port = a;
	cable->ends[1].port = b;
	a->cable = cable;
	b->cable = cable;
	ibf_cable_ask(cable, true);
	ibf_link_train(a);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(ibf_plug);

/**
 * ibf_unplug - pull a cable
 * @cable: plugged in, or not; ibf_lock is held
 */
void ibf_unplug(struct ibf_cable *cable)
{
	static const struct ibf_fault none;
	struct ibf_port *port = cable->ends[0].port;
	int i;

	lockdep_assert_held(&ibf_lock);
	if (!port)
		return;
	if (port->state != IBF_STATE_DOWN)
		ibf_link_down(port, IBF_PHYS_POLLING);
	for (i = 0; i < 2; i++) {
		ibf_wire_ask(cable->ends[i].port, &none);
		cable->ends[i].port->mtu_max = 0;
		cable->ends[i].port->cable = NULL;
		cable->ends[i].port = NULL;
	}
}
EXPORT_SYMBOL_IF_KUNIT(ibf_unplug);

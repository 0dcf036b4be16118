// SPDX-License-Identifier: GPL-2.0
/* Configures the impairments of a cable and the speed of its link. */
#include <kunit/visibility.h>

#include "cable.h"
#include "fabric.h"

/**
 * ibf_wire_ask - set the impairments of packets that leave by a port
 * @port: the port; ibf_lock is held
 * @fault: new impairments
 */
void ibf_wire_ask(struct ibf_port *port, const struct ibf_fault *fault)
{
	struct ibf_wire *wire = &port->wire;

	lockdep_assert_held(&ibf_lock);
	spin_lock(&port->lock);
	wire->fault = *fault;
	wire->asked = fault->errors || fault->losses || fault->delay ||
		      fault->limit;
	/*
	 * A packet must not overtake those under way. The pump ends @active when the
	 * last of them has arrived.
	 */
	if (wire->asked)
		WRITE_ONCE(wire->active, true);
	spin_unlock(&port->lock);
	tasklet_schedule(&port->pump);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_wire_ask);

/**
 * ibf_wire_seed - restart the sequence of random numbers of a port
 * @port: the port; ibf_lock is held
 * @seed: new seed
 */
void ibf_wire_seed(struct ibf_port *port, u64 seed)
{
	lockdep_assert_held(&ibf_lock);
	spin_lock(&port->lock);
	prandom_seed_state(&port->wire.random, seed);
	spin_unlock(&port->lock);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_wire_seed);

/**
 * ibf_wire_speed - how fast a link is
 * @port: one of its ends; ibf_lock is held
 * @width: IBF_WIDTH_*, one of them
 * @speed: 0: SDR to 5: HDR
 */
void ibf_wire_speed(struct ibf_port *port, u8 width, int speed)
{
	/* Data of a lane in Mbit/s, without 8b/10b and 64b/66b (volume 2, 5.2). */
	static const u32 lane[] = { 2000, 4000, 8000, 13636, 25000, 50000 };
	static const u8 lanes[] = { 1, 4, 8, 12 };

	lockdep_assert_held(&ibf_lock);
	spin_lock(&port->lock);
	port->wire.byte_ps = 8000000 / (lane[speed] * lanes[fls(width) - 1]);
	port->wire.free_at = 0;
	spin_unlock(&port->lock);
}

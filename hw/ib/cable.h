/* SPDX-License-Identifier: GPL-2.0 */
/* Cables, and the state of the links upon them. */
#ifndef IBF_CABLE_H
#define IBF_CABLE_H

#include <linux/configfs.h>
#include <rdma/ib_verbs.h>

#include "port.h"

/**
 * struct ibf_end - one end of a cable
 * @name: name of the node
 * @num: number of the port
 * @port: port that the end is plugged into, NULL: none (ibf_lock)
 */
struct ibf_end {
	char name[IBF_NAME_BYTES];
	u8 num;
	struct ibf_port *port;
};

/**
 * struct ibf_cable - joins two ports
 * @item: in configfs
 * @ends: the ports that it joins
 * @width: widths that it carries, IBF_WIDTH_*
 * @speed: its highest speed, 0: SDR to 5: HDR
 * @fault: impairments, the same in both directions
 * @seed: of the random numbers that impairments draw
 */
struct ibf_cable {
	struct config_item item;
	struct ibf_end ends[2];
	u8 width;
	u8 speed;
	struct ibf_fault fault;
	u32 seed;
};

/* cable.c; ibf_lock held */
int ibf_plug(struct ibf_cable *cable, struct ibf_port *a, struct ibf_port *b);
void ibf_unplug(struct ibf_cable *cable);
void ibf_cable_ask(struct ibf_cable *cable, bool seed);
void ibf_link_train(struct ibf_port *port);
void ibf_link_down(struct ibf_port *port, u8 phys);
void ibf_port_state(struct ibf_port *port, u8 state);
void ibf_tell(struct ibf_port *port, enum ib_event_type event);

/* cable_fault.c; ibf_lock held */
void ibf_wire_ask(struct ibf_port *port, const struct ibf_fault *fault);
void ibf_wire_seed(struct ibf_port *port, u64 seed);
void ibf_wire_speed(struct ibf_port *port, u8 width, int speed);

#endif /* IBF_CABLE_H */

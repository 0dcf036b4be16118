// SPDX-License-Identifier: GPL-2.0
/* The rate of a port, of the speed of a lane and the number of lanes. */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <rdma/ib_verbs.h>

#include "port.h"

/*
 * Speeds of one lane in units of 100 Mb/s, in the order of the bits of enum
 * ib_port_speed (IBA vol. 1, 14.2.5.6, LinkSpeedActive and its extensions).
 */
static const struct lane_speed {
	const char *name;
	unsigned int deci_gbps;
} lane_speeds[] = {
	{ "SDR", 25 }, { "DDR", 50 }, { "QDR", 100 }, { "FDR10", 100 },
	{ "FDR", 140 }, { "EDR", 250 }, { "HDR", 500 }, { "NDR", 1000 },
	{ "XDR", 2000 },
};

/**
 * ofed_port_rate - rate of a port, all lanes together
 * @attr: its attributes; what is not exactly one known speed counts as the slowest
 * @name: out: the speed of a lane, as IBA names it
 *
 * Context: any.
 *
 * Return: units of 100 Mb/s, or -EINVAL (a width that is not known).
 */
int ofed_port_rate(const struct ib_port_attr *attr, const char **name)
{
	const struct lane_speed *lane = &lane_speeds[0];
	int lanes = ib_width_enum_to_int(attr->active_width);

	if (lanes < 0)
		return -EINVAL;
	if (is_power_of_2(attr->active_speed) &&
	    ilog2(attr->active_speed) < ARRAY_SIZE(lane_speeds))
		lane = &lane_speeds[ilog2(attr->active_speed)];
	*name = lane->name;
	return lane->deci_gbps * lanes;
}

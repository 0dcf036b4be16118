// SPDX-License-Identifier: GPL-2.0
/* The speed of a port as an op of its own, since 7.x. */
#include <linux/module.h>

#include "ofed_testdev.h"

static int td_query_port_speed(struct ib_device *ibdev, u32 port_num, u64 *speed)
{
	int ret = td_fault(ibdev, query_port_speed);

	if (ret)
		return ret;
	*speed = 1000 + port_num;
	return 0;
}

const struct ib_device_ops td_speed_ops = {
	.query_port_speed = td_query_port_speed,
};

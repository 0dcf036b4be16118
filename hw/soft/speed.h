/* SPDX-License-Identifier: GPL-2.0 */
/* The speed of a port that is an interface. */
#ifndef SOFT_SPEED_H
#define SOFT_SPEED_H

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

void soft_eth_speed(struct ib_device *ib, u32 port_num, struct net_device *ndev,
		    struct ib_port_attr *attr);

#endif /* SOFT_SPEED_H */

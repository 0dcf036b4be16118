// SPDX-License-Identifier: GPL-2.0
/* The speed of a port that is an interface. */
#include <linux/ethtool.h>
#include <linux/export.h>
#include <linux/rtnetlink.h>

#include "speed.h"

/* Many virtual interfaces report no speed, and some real ones none while down. */
static bool soft_knows_speed(struct net_device *ndev)
{
	struct ethtool_link_ksettings link = {};
	int ret = -ENODEV;

	rtnl_lock();
	if (ndev->reg_state == NETREG_REGISTERED && netif_device_present(ndev))
		ret = __ethtool_get_link_ksettings(ndev, &link);
	rtnl_unlock();
	return !ret && link.base.speed && link.base.speed != (u32)SPEED_UNKNOWN;
}

/**
 * soft_eth_speed - fill in the speed and the width of a port
 * @ib: device of which ops.get_netdev gives @ndev
 * @port_num: its port
 * @ndev: the interface, held by the caller, or NULL
 * @attr: out: @active_speed and @active_width
 *
 * Any user can ask for the attributes of a port, and for an unknown speed the kernel's own
 * ib_get_eth_speed() logs what it assumes at each call. So it is asked for known speeds alone.
 *
 * Context: process, may sleep; takes rtnl.
 */
void soft_eth_speed(struct ib_device *ib, u32 port_num, struct net_device *ndev,
		    struct ib_port_attr *attr)
{
	attr->active_speed = IB_SPEED_SDR;
	attr->active_width = IB_WIDTH_1X;
	if (ndev && soft_knows_speed(ndev))
		ib_get_eth_speed(ib, port_num, &attr->active_speed, &attr->active_width);
}
EXPORT_SYMBOL_GPL(soft_eth_speed);

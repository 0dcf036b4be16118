// SPDX-License-Identifier: GPL-2.0
/* The speed of an Ethernet port in terms of InfiniBand: lanes, and the rate of a lane. */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>

struct port_rate {
	u32 mbps;
	u16 speed;
	u8 width;
};

/* Whole-port rates, for interfaces that do not tell their lanes. */
static const struct port_rate port_rates[] = {
	{ SPEED_1000, IB_SPEED_SDR, IB_WIDTH_1X },
	{ SPEED_10000, IB_SPEED_FDR10, IB_WIDTH_1X },
	{ SPEED_20000, IB_SPEED_DDR, IB_WIDTH_4X },
	{ SPEED_25000, IB_SPEED_EDR, IB_WIDTH_1X },
	{ SPEED_40000, IB_SPEED_FDR10, IB_WIDTH_4X },
	{ U32_MAX, IB_SPEED_EDR, IB_WIDTH_4X },
};

static const struct {
	u32 mbps;
	u16 speed;
} lane_rates[] = {
	{ SPEED_2500, IB_SPEED_SDR },
	{ SPEED_5000, IB_SPEED_DDR },
	{ SPEED_10000, IB_SPEED_FDR10 },
	{ SPEED_14000, IB_SPEED_FDR },
	{ SPEED_25000, IB_SPEED_EDR },
	{ SPEED_50000, IB_SPEED_HDR },
	{ SPEED_100000, IB_SPEED_NDR },
};

static void port_rate_of_port(u32 mbps, u16 *speed, u8 *width)
{
	const struct port_rate *row = port_rates;

	while (mbps > row->mbps)
		row++;
	*speed = row->speed;
	*width = row->width;
}

static void port_rate_of_lanes(u32 mbps, u32 lanes, u16 *speed, u8 *width)
{
	static const u8 widths[] = {
		[1] = IB_WIDTH_1X, [2] = IB_WIDTH_2X, [4] = IB_WIDTH_4X,
		[8] = IB_WIDTH_8X, [12] = IB_WIDTH_12X,
	};
	size_t i;

	*width = lanes < ARRAY_SIZE(widths) ? widths[lanes] : 0;
	if (!*width)
		*width = IB_WIDTH_1X;

	*speed = IB_SPEED_SDR;
	for (i = 0; i < ARRAY_SIZE(lane_rates); i++)
		if (lane_rates[i].mbps == mbps / lanes)
			*speed = lane_rates[i].speed;
}

/**
 * ib_get_eth_speed - speed and width of an Ethernet port in InfiniBand's terms
 * @dev: device
 * @port_num: port
 * @speed: out: speed of a lane, IB_SPEED_x
 * @width: out: lanes, IB_WIDTH_x
 *
 * An interface that does not know its speed counts as one of 1 Gb/s.
 * Context: process, takes the rtnl: not from a netdev notifier or another caller
 * that holds it, nor from work that such a caller waits for.
 * Return: 0, -EINVAL (no Ethernet port), or -ENODEV (no interface).
 */
int ib_get_eth_speed(struct ib_device *dev, u32 port_num, u16 *speed,
		     u8 *width)
{
	struct ethtool_link_ksettings link = {};
	struct net_device *ndev;
	u32 mbps = SPEED_1000;
	int ret;

	if (rdma_port_get_link_layer(dev, port_num) != IB_LINK_LAYER_ETHERNET)
		return ofed_refuse(dev, -EINVAL, "port %u is not of Ethernet",
				   port_num);
	ndev = ib_device_get_netdev(dev, port_num);
	if (!ndev)
		return ofed_refuse(dev, -ENODEV, "port %u has no interface",
				   port_num);

	rtnl_lock();
	ret = __ethtool_get_link_ksettings(ndev, &link);
	rtnl_unlock();
	dev_put(ndev);

	if (!ret && link.base.speed != (u32)SPEED_UNKNOWN)
		mbps = link.base.speed;
	if (link.lanes)
		port_rate_of_lanes(mbps, link.lanes, speed, width);
	else
		port_rate_of_port(mbps, speed, width);
	return 0;
}
OFED_EXPORT(ib_get_eth_speed);

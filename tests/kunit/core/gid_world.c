// SPDX-License-Identifier: GPL-2.0
/*
 * The device of the tests of GIDs, and what they see of it. The GID files of ofed_core are
 * linked with this, and the rest of the core is played by the functions below.
 */
#include <linux/export.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/bonding.h>
#include <rdma/ib_cache.h>

#include "core/port/cache.h"
#include "core/port/gid.h"
#include "core/port/gid_table.h"
#include "gid_world.h"

const u8 lower_mac[ETH_ALEN] = { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 };
const u8 other_mac[ETH_ALEN] = { 0x52, 0x54, 0x00, 0x65, 0x43, 0x21 };

/* Typed in, not computed: fe80::5054:ff:fe12:3456 and ...fe65:4321. */
const union ib_gid lower_default = { .raw = {
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xff, 0xfe, 0x12, 0x34, 0x56
} };
const union ib_gid other_default = { .raw = {
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xff, 0xfe, 0x65, 0x43, 0x21
} };
const union ib_gid link_local_1 = { .raw = {
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1
} };

struct gid_world world;

void ib_dispatch_event(const struct ib_event *event)
{
	if (event->event != IB_EVENT_GID_CHANGE || event->element.port_num != 1)
		world.misuse++;
	world.events++;
}

struct net_device *ib_device_get_netdev(struct ib_device *device, u32 port)
{
	if (!world.lower || world.lower->reg_state != NETREG_REGISTERED)
		return NULL;
	dev_hold(world.lower);
	return world.lower;
}

bool rdma_dev_access_netns(const struct ib_device *device, const struct net *net)
{
	return !world.foreign_netns;
}

void ofed_events_flush(void)
{
}

static int hw_add_gid(const struct ib_gid_attr *attr, void **context)
{
	might_sleep();
	if (world.refuse)
		return world.refuse;
	if (attr->index >= SLOTS || world.used[attr->index] || *context) {
		world.misuse++;
		return -EIO;
	}
	world.used[attr->index] = true;
	world.hw[attr->index] = attr->gid;
	*context = &world.hw[attr->index];
	return 0;
}

static int hw_del_gid(const struct ib_gid_attr *attr, void **context)
{
	might_sleep();
	if (attr->index >= SLOTS || !world.used[attr->index] ||
	    *context != &world.hw[attr->index])
		world.misuse++;
	else
		world.used[attr->index] = false;
	return 0;
}

static int hw_query_gid(struct ib_device *device, u32 port, int index,
			union ib_gid *gid)
{
	*gid = world.ib_gids[index];
	return 0;
}

static netdev_tx_t drop_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops played_netdev_ops = {
	.ndo_start_xmit = drop_xmit,
	.ndo_set_mac_address = eth_mac_addr,
};

/* Room for a bond's private data in all of them. */
struct net_device *netdev_create(struct kunit *test, const u8 *mac)
{
	struct net_device *ndev;

	ndev = alloc_netdev(sizeof(struct bonding), "gidtest%d",
			    NET_NAME_UNKNOWN, ether_setup);
	KUNIT_ASSERT_NOT_NULL(test, ndev);
	ndev->netdev_ops = &played_netdev_ops;
	ndev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	eth_hw_addr_set(ndev, mac);
	KUNIT_ASSERT_EQ(test, register_netdev(ndev), 0);
	return ndev;
}

/* Addresses by hand: no API of the kernel adds one from inside. */
struct in_ifaddr *ip_add(struct kunit *test, struct net_device *ndev,
			 __be32 ip)
{
	struct in_ifaddr *ifa = kunit_kzalloc(test, sizeof(*ifa), GFP_KERNEL);
	struct in_ifaddr __rcu **at;
	struct in_device *in_dev;

	KUNIT_ASSERT_NOT_NULL(test, ifa);
	ifa->ifa_local = ip;
	ifa->ifa_address = ip;
	ifa->ifa_mask = htonl(0xffffff00);
	ifa->ifa_prefixlen = 24;

	rtnl_lock();
	in_dev = __in_dev_get_rtnl(ndev);
	ifa->ifa_dev = in_dev;
	at = &in_dev->ifa_list;
	while (rtnl_dereference(*at))
		at = &rtnl_dereference(*at)->ifa_next;
	rcu_assign_pointer(*at, ifa);
	ofed_gid_events_kick();
	rtnl_unlock();
	ofed_gid_events_flush();
	return ifa;
}

void ip_del(struct in_ifaddr *ifa)
{
	struct in_ifaddr __rcu **at;

	rtnl_lock();
	at = &ifa->ifa_dev->ifa_list;
	while (rtnl_dereference(*at) != ifa)
		at = &rtnl_dereference(*at)->ifa_next;
	rcu_assign_pointer(*at, rtnl_dereference(ifa->ifa_next));
	ofed_gid_events_kick();
	rtnl_unlock();
	synchronize_rcu();
	ofed_gid_events_flush();
}

static void ips_forget(struct net_device *ndev)
{
	if (!ndev)
		return;
	rtnl_lock();
	RCU_INIT_POINTER(__in_dev_get_rtnl(ndev)->ifa_list, NULL);
	rtnl_unlock();
	synchronize_rcu();
}

void mac_set(struct kunit *test, struct net_device *ndev, const u8 *mac)
{
	struct sockaddr sa = { .sa_family = ndev->type };
	int ret;

	memcpy(sa.sa_data, mac, ETH_ALEN);
	rtnl_lock();
	ret = dev_set_mac_address(ndev, &sa, NULL);
	rtnl_unlock();
	KUNIT_ASSERT_EQ(test, ret, 0);
	ofed_gid_events_flush();
}

void world_start(struct kunit *test, u32 caps, int slots)
{
	struct ib_port_immutable *immutable = &world.port_data[1].immutable;

	world.device.port_data = world.port_data;
	world.device.phys_port_cnt = 1;
	world.device.dev.init_name = "gidtest";
	world.device.ops.add_gid = hw_add_gid;
	world.device.ops.del_gid = hw_del_gid;
	world.device.ops.query_gid = hw_query_gid;
	immutable->core_cap_flags = caps;
	immutable->gid_tbl_len = slots;
	world.lower = netdev_create(test, lower_mac);
	KUNIT_ASSERT_EQ(test, ofed_gid_tables_setup(&world.device), 0);
	ofed_gid_events_scan(&world.device);
	ofed_gid_events_flush();
}

void stop_following(void)
{
	ofed_gid_unwatch(world.port_data[1].cache.gid);
}

int gid_init(struct kunit *test)
{
	memset(&world, 0, sizeof(world));
	return 0;
}

static void netdev_destroy(struct net_device *ndev)
{
	if (!ndev)
		return;
	unregister_netdev(ndev);
	free_netdev(ndev);
}

void gid_exit(struct kunit *test)
{
	int ix;

	ips_forget(world.lower);
	ips_forget(world.upper);
	if (world.device.port_data) {
		ofed_gid_tables_cleanup(&world.device);
		ofed_gid_tables_release(&world.device);
	}
	netdev_destroy(world.upper);
	netdev_destroy(world.lower);
	KUNIT_EXPECT_EQ(test, world.misuse, 0);
	for (ix = 0; ix < SLOTS; ix++)
		KUNIT_EXPECT_FALSE(test, world.used[ix]);
}

union ib_gid gid_of_ip(__be32 ip)
{
	union ib_gid gid;

	ipv6_addr_set_v4mapped(ip, (struct in6_addr *)gid.raw);
	return gid;
}

void expect_at(struct kunit *test, int index, const union ib_gid *gid,
	       enum ib_gid_type type, struct net_device *ndev)
{
	const struct ib_gid_attr *attr;
	union ib_gid seen;

	attr = rdma_get_gid_attr(&world.device, 1, index);
	KUNIT_ASSERT_FALSE(test, IS_ERR(attr));
	KUNIT_EXPECT_EQ(test, rdma_query_gid(&world.device, 1, index, &seen), 0);
	KUNIT_EXPECT_TRUE(test, ofed_gid_equal(&seen, gid));
	KUNIT_EXPECT_TRUE(test, ofed_gid_equal(&attr->gid, gid));
	KUNIT_EXPECT_EQ(test, (int)attr->gid_type, (int)type);
	KUNIT_EXPECT_EQ(test, (int)attr->index, index);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(attr->ndev), ndev);
	if (ndev) {
		KUNIT_EXPECT_TRUE(test, world.used[index]);
		KUNIT_EXPECT_TRUE(test, ofed_gid_equal(&world.hw[index], gid));
		KUNIT_EXPECT_PTR_EQ(test, rdma_read_gid_hw_context(attr),
				    (void *)&world.hw[index]);
	}
	rdma_put_gid_attr(attr);
}

void expect_empty(struct kunit *test, int index)
{
	union ib_gid gid;

	KUNIT_EXPECT_EQ(test, rdma_query_gid(&world.device, 1, index, &gid),
			-ENOENT);
	KUNIT_EXPECT_EQ(test,
			PTR_ERR(rdma_get_gid_attr(&world.device, 1, index)),
			(long)-ENODATA);
	KUNIT_EXPECT_FALSE(test, world.used[index]);
}

int index_of(const union ib_gid *gid, enum ib_gid_type type,
	     struct net_device *ndev)
{
	const struct ib_gid_attr *attr;
	int ix;

	attr = rdma_find_gid_by_port(&world.device, gid, type, 1, ndev);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	ix = attr->index;
	rdma_put_gid_attr(attr);
	return ix;
}

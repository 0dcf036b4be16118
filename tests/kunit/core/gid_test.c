// SPDX-License-Identifier: GPL-2.0
/*
 * GID tables under real netdev events: interfaces are registered, renumbered,
 * stacked and removed; a made-up driver keeps a table of its own, and the two
 * must agree. Nothing of ofed_core needs to be loaded.
 */
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/bonding.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "core/port/gid.h"
#include "core/port/gid_table.h"
#include "gid_world.h"

static void default_gids(struct kunit *test)
{
	world_start(test, ROCE_V1_V2, SLOTS);
	expect_at(test, 0, &lower_default, V1, world.lower);
	expect_at(test, 1, &lower_default, V2, world.lower);
	expect_empty(test, 2);
	KUNIT_EXPECT_EQ(test, world.events, 2);
}

static void one_type(struct kunit *test)
{
	union ib_gid ip = gid_of_ip(htonl(0x0a000001));

	world_start(test, ROCE_V2, SLOTS);
	ip_add(test, world.lower, htonl(0x0a000001));
	expect_at(test, 0, &lower_default, V2, world.lower);
	expect_at(test, 1, &ip, V2, world.lower);
	expect_empty(test, 2);
	KUNIT_EXPECT_EQ(test, index_of(&ip, V1, NULL), -ENOENT);
}

static void ipv4_comes_and_goes(struct kunit *test)
{
	union ib_gid first = gid_of_ip(htonl(0x0a000001));
	union ib_gid second = gid_of_ip(htonl(0x0a000002));
	struct in_ifaddr *ifa;

	world_start(test, ROCE_V1_V2, SLOTS);
	ifa = ip_add(test, world.lower, htonl(0x0a000001));
	expect_at(test, 2, &first, V1, world.lower);
	expect_at(test, 3, &first, V2, world.lower);
	ip_add(test, world.lower, htonl(0x0a000002));
	expect_at(test, 5, &second, V2, world.lower);
	KUNIT_EXPECT_EQ(test, index_of(&first, V2, world.lower), 3);
	KUNIT_EXPECT_EQ(test, world.events, 6);

	ip_del(ifa);
	expect_empty(test, 2);
	expect_empty(test, 3);
	/* The others stay where they are; the holes are filled next. */
	expect_at(test, 4, &second, V1, world.lower);
	ip_add(test, world.lower, htonl(0x0a000001));
	expect_at(test, 2, &first, V1, world.lower);
}

/* A user of an entry keeps its index from meaning something else. */
static void held_entry(struct kunit *test)
{
	union ib_gid first = gid_of_ip(htonl(0x0a000001));
	union ib_gid second = gid_of_ip(htonl(0x0a000002));
	const struct ib_gid_attr *attr;
	struct in_ifaddr *ifa;

	world_start(test, ROCE_V2, SLOTS);
	ifa = ip_add(test, world.lower, htonl(0x0a000001));
	attr = rdma_get_gid_attr(&world.device, 1, 1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(attr));
	ip_del(ifa);
	expect_empty(test, 1);
	KUNIT_EXPECT_EQ(test, index_of(&first, V2, NULL), -ENOENT);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, PTR_ERR(rdma_read_gid_attr_ndev_rcu(attr)),
			(long)-ENODEV);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, rdma_read_gid_l2_fields(attr, NULL, NULL),
			-ENODEV);

	ip_add(test, world.lower, htonl(0x0a000002));
	expect_at(test, 2, &second, V2, world.lower);
	rdma_put_gid_attr(attr);
	ip_add(test, world.lower, htonl(0x0a000003));
	second = gid_of_ip(htonl(0x0a000003));
	expect_at(test, 1, &second, V2, world.lower);
}

static void mac_change(struct kunit *test)
{
	u8 smac[ETH_ALEN];
	u16 vlan = 0;
	const struct ib_gid_attr *attr;

	world_start(test, ROCE_V1_V2, SLOTS);
	mac_set(test, world.lower, other_mac);
	expect_at(test, 0, &other_default, V1, world.lower);
	expect_at(test, 1, &other_default, V2, world.lower);
	KUNIT_EXPECT_EQ(test, index_of(&lower_default, V2, NULL), -ENOENT);

	attr = rdma_get_gid_attr(&world.device, 1, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(attr));
	KUNIT_EXPECT_EQ(test, rdma_read_gid_l2_fields(attr, &vlan, smac), 0);
	KUNIT_EXPECT_EQ(test, (int)vlan, 0xffff);
	KUNIT_EXPECT_EQ(test, memcmp(smac, other_mac, ETH_ALEN), 0);
	rdma_put_gid_attr(attr);
}

/* Its slot is the only one it may have: it comes when that is free again. */
static void default_waits_for_its_slot(struct kunit *test)
{
	const struct ib_gid_attr *attr;

	world_start(test, ROCE_V2, SLOTS);
	attr = rdma_get_gid_attr(&world.device, 1, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(attr));
	mac_set(test, world.lower, other_mac);
	expect_empty(test, 0);
	KUNIT_EXPECT_EQ(test, index_of(&other_default, V2, NULL), -ENOENT);
	rdma_put_gid_attr(attr);
	ofed_gid_events_flush();
	expect_at(test, 0, &other_default, V2, world.lower);
}

static void table_full(struct kunit *test)
{
	union ib_gid third = gid_of_ip(htonl(0x0a000003));
	struct in_ifaddr *ifa;

	world_start(test, ROCE_V2, 3);
	ifa = ip_add(test, world.lower, htonl(0x0a000001));
	ip_add(test, world.lower, htonl(0x0a000002));
	ip_add(test, world.lower, htonl(0x0a000003));
	KUNIT_EXPECT_EQ(test, index_of(&third, V2, NULL), -ENOENT);
	KUNIT_EXPECT_EQ(test,
			PTR_ERR(rdma_get_gid_attr(&world.device, 1, 3)),
			(long)-EINVAL);
	ip_del(ifa);
	expect_at(test, 1, &third, V2, world.lower);
}

static void driver_refuses(struct kunit *test)
{
	union ib_gid ip = gid_of_ip(htonl(0x0a000001));

	world_start(test, ROCE_V2, SLOTS);
	world.refuse = -ENXIO;
	ip_add(test, world.lower, htonl(0x0a000001));
	expect_empty(test, 1);
	KUNIT_EXPECT_EQ(test, world.events, 1);
	world.refuse = 0;
	rdma_roce_rescan_port(&world.device, 1);
	expect_at(test, 1, &ip, V2, world.lower);
}

/* IPv6 makes the same link-local address when the interface comes up. */
static void ipv6_link_local(struct kunit *test)
{
	struct in6_addr ip;
	int ret;

	world_start(test, ROCE_V2, SLOTS);
	rtnl_lock();
	ret = dev_open(world.lower, NULL);
	KUNIT_EXPECT_NOT_NULL(test, __in6_dev_get(world.lower));
	memcpy(&ip, &link_local_1, sizeof(ip));
	addrconf_add_linklocal(__in6_dev_get(world.lower), &ip, 0);
	rtnl_unlock();
	KUNIT_ASSERT_EQ(test, ret, 0);
	ofed_gid_events_flush();
	expect_at(test, 0, &lower_default, V2, world.lower);
	expect_at(test, 1, &link_local_1, V2, world.lower);
	expect_empty(test, 2);

	rtnl_lock();
	dev_close(world.lower);
	rtnl_unlock();
	ofed_gid_events_flush();
	expect_at(test, 0, &lower_default, V2, world.lower);
	expect_empty(test, 1);
}

static void upper_device(struct kunit *test)
{
	union ib_gid ip = gid_of_ip(htonl(0x0a000001));

	world_start(test, ROCE_V2, SLOTS);
	world.upper = netdev_create(test, other_mac);
	ip_add(test, world.upper, htonl(0x0a000001));
	KUNIT_EXPECT_EQ(test, index_of(&ip, V2, NULL), -ENOENT);

	rtnl_lock();
	KUNIT_EXPECT_EQ(test, netdev_upper_dev_link(world.lower, world.upper,
						    NULL), 0);
	rtnl_unlock();
	ofed_gid_events_flush();
	expect_at(test, 0, &lower_default, V2, world.lower);
	expect_at(test, 1, &ip, V2, world.upper);
	KUNIT_EXPECT_EQ(test, index_of(&ip, V2, world.upper), 1);
	KUNIT_EXPECT_EQ(test, index_of(&ip, V2, world.lower), -ENOENT);
	KUNIT_EXPECT_EQ(test, index_of(&other_default, V2, NULL), -ENOENT);

	rtnl_lock();
	netdev_upper_dev_unlink(world.lower, world.upper);
	rtnl_unlock();
	ofed_gid_events_flush();
	expect_empty(test, 1);
}

static void bond_failover(struct bonding *bond, struct slave *active)
{
	rtnl_lock();
	rcu_assign_pointer(bond->curr_active_slave, active);
	call_netdevice_notifiers(NETDEV_BONDING_FAILOVER, bond->dev);
	rtnl_unlock();
	ofed_gid_events_flush();
}

/* An active-backup bond: its addresses are those of the active slave's port. */
static void bond(struct kunit *test)
{
	union ib_gid ip = gid_of_ip(htonl(0x0a000001));
	struct slave *slaves;
	struct bonding *bond;

	world_start(test, ROCE_V2, SLOTS);
	slaves = kunit_kcalloc(test, 2, sizeof(*slaves), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, slaves);
	world.upper = netdev_create(test, other_mac);
	bond = netdev_priv(world.upper);
	bond->dev = world.upper;
	bond->params.mode = BOND_MODE_ACTIVEBACKUP;
	slaves[0].dev = world.lower;
	slaves[1].dev = world.upper;

	rtnl_lock();
	world.upper->flags |= IFF_MASTER;
	world.upper->priv_flags |= IFF_BONDING;
	world.lower->flags |= IFF_SLAVE;
	world.lower->priv_flags |= IFF_BONDING;
	rcu_assign_pointer(bond->curr_active_slave, &slaves[1]);
	KUNIT_EXPECT_EQ(test, netdev_upper_dev_link(world.lower, world.upper,
						    NULL), 0);
	rtnl_unlock();
	ip_add(test, world.upper, htonl(0x0a000001));
	expect_empty(test, 0);
	expect_empty(test, 1);

	bond_failover(bond, &slaves[0]);
	expect_at(test, 0, &other_default, V2, world.upper);
	expect_at(test, 1, &ip, V2, world.upper);
	bond_failover(bond, &slaves[1]);
	expect_empty(test, 0);
	expect_empty(test, 1);

	rtnl_lock();
	netdev_upper_dev_unlink(world.lower, world.upper);
	world.lower->flags &= ~IFF_SLAVE;
	world.lower->priv_flags &= ~IFF_BONDING;
	world.upper->flags &= ~IFF_MASTER;
	world.upper->priv_flags &= ~IFF_BONDING;
	rtnl_unlock();
	ofed_gid_events_kick();
	ofed_gid_events_flush();
	expect_at(test, 0, &lower_default, V2, world.lower);
}

/* unregister_netdev() would wait for ever for a reference left behind. */
static void netdev_goes(struct kunit *test)
{
	const struct ib_gid_attr *attr;

	world_start(test, ROCE_V1_V2, SLOTS);
	attr = rdma_get_gid_attr(&world.device, 1, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(attr));
	unregister_netdev(world.lower);
	ofed_gid_events_flush();
	expect_empty(test, 0);
	expect_empty(test, 1);
	rdma_put_gid_attr(attr);
	free_netdev(world.lower);
	world.lower = NULL;
}

static void other_namespace(struct kunit *test)
{
	world_start(test, ROCE_V2, SLOTS);
	world.foreign_netns = true;
	rdma_roce_rescan_device(&world.device);
	expect_empty(test, 0);
	world.foreign_netns = false;
	rdma_roce_rescan_device(&world.device);
	expect_at(test, 0, &lower_default, V2, world.lower);
	stop_following();
	ofed_gid_del_netdev(&world.device, 1, world.lower);
	expect_empty(test, 0);
}

static void add_and_delete(struct kunit *test)
{
	union ib_gid zero = {}, ip = gid_of_ip(htonl(0x0a000001));
	struct ib_gid_attr attr = { .gid_type = V2 };
	struct ib_device *device = &world.device;

	world_start(test, ROCE_V2, SLOTS);
	stop_following();
	RCU_INIT_POINTER(attr.ndev, world.lower);
	KUNIT_EXPECT_EQ(test, ofed_gid_add(device, 1, &zero, &attr, false),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ofed_gid_add(device, 2, &ip, &attr, false),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ofed_gid_add(device, 1, &ip, &attr, true),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, ofed_gid_add(device, 1, &ip, &attr, false), 0);
	KUNIT_EXPECT_EQ(test, ofed_gid_add(device, 1, &ip, &attr, false), 0);
	expect_at(test, 1, &ip, V2, world.lower);
	expect_empty(test, 2);
	ofed_gid_del(device, 1, &lower_default, &attr, false);
	expect_at(test, 0, &lower_default, V2, world.lower);
	ofed_gid_del(device, 1, &ip, &attr, false);
	expect_empty(test, 1);
	attr.gid_type = V1;
	KUNIT_EXPECT_EQ(test, ofed_gid_add(device, 1, &ip, &attr, false),
			-EINVAL);
}

/* The driver owns the indices of an InfiniBand port. */
static void infiniband_port(struct kunit *test)
{
	union ib_gid first = { .raw = { 0xfe, 0x80, [15] = 1 } };
	union ib_gid third = { .raw = { 0xfe, 0x80, [15] = 3 } };
	const struct ib_gid_attr *kept, *old;
	u16 index = 0;
	u32 port = 0;

	world.ib_gids[0] = first;
	world.ib_gids[2] = third;
	world_start(test, RDMA_CORE_CAP_PROT_IB, 4);
	KUNIT_ASSERT_EQ(test, ofed_gid_table_refresh(&world.device, 1), 0);
	expect_at(test, 0, &first, IB_GID_TYPE_IB, NULL);
	expect_empty(test, 1);
	KUNIT_EXPECT_EQ(test, ib_find_gid(&world.device, &third, &port,
					  &index), 0);
	KUNIT_EXPECT_EQ(test, port, 1u);
	KUNIT_EXPECT_EQ(test, (int)index, 2);

	kept = rdma_get_gid_attr(&world.device, 1, 0);
	old = rdma_get_gid_attr(&world.device, 1, 2);
	world.ib_gids[2].raw[15] = 9;
	KUNIT_EXPECT_EQ(test, ofed_gid_table_refresh(&world.device, 1), 0);
	expect_at(test, 2, &world.ib_gids[2], IB_GID_TYPE_IB, NULL);
	KUNIT_EXPECT_TRUE(test, ofed_gid_equal(&old->gid, &third));
	rdma_hold_gid_attr(kept);
	KUNIT_EXPECT_PTR_EQ(test, rdma_get_gid_attr(&world.device, 1, 0), kept);
	rdma_put_gid_attr(kept);
	rdma_put_gid_attr(kept);
	rdma_put_gid_attr(kept);
	rdma_put_gid_attr(old);
	expect_at(test, 2, &world.ib_gids[2], IB_GID_TYPE_IB, NULL);
	KUNIT_EXPECT_EQ(test, world.events, 0);
}

static bool is_v2(const union ib_gid *gid, const struct ib_gid_attr *attr,
		  void *context)
{
	return attr->gid_type == V2;
}

static void queries(struct kunit *test)
{
	struct ib_uverbs_gid_entry entries[2];
	const struct ib_gid_attr *attr;

	world_start(test, ROCE_V1_V2, SLOTS);
	attr = rdma_find_gid_by_filter(&world.device, &lower_default, 1, is_v2,
				       NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(attr));
	KUNIT_EXPECT_EQ(test, (int)attr->index, 1);
	rdma_put_gid_attr(attr);
	attr = rdma_find_gid(&world.device, &lower_default, V1, world.lower);
	KUNIT_ASSERT_FALSE(test, IS_ERR(attr));
	KUNIT_EXPECT_EQ(test, (int)attr->index, 0);
	rdma_put_gid_attr(attr);

	KUNIT_EXPECT_EQ(test,
			rdma_query_gid_table(&world.device, entries, 1),
			(ssize_t)-EINVAL);
	KUNIT_ASSERT_EQ(test,
			rdma_query_gid_table(&world.device, entries, 2),
			(ssize_t)2);
	KUNIT_EXPECT_EQ(test, entries[1].gid_index, 1u);
	KUNIT_EXPECT_EQ(test, entries[1].port_num, 1u);
	KUNIT_EXPECT_EQ(test, (int)entries[1].gid_type, (int)V2);
	KUNIT_EXPECT_EQ(test, (int)entries[1].netdev_ifindex,
			world.lower->ifindex);
	KUNIT_EXPECT_EQ(test, ofed_gid_type_parse("RoCE v2\n"), (int)V2);
	KUNIT_EXPECT_EQ(test, ofed_gid_type_parse("IB/RoCE v1"), (int)V1);
	KUNIT_EXPECT_EQ(test, ofed_gid_type_parse("RoCE"), -EINVAL);
}

static int gid_suite_init(struct kunit_suite *suite)
{
	return ofed_gid_events_init();
}

static void gid_suite_exit(struct kunit_suite *suite)
{
	ofed_gid_events_exit();
}

static struct kunit_case gid_cases[] = {
	KUNIT_CASE(default_gids),
	KUNIT_CASE(one_type),
	KUNIT_CASE(ipv4_comes_and_goes),
	KUNIT_CASE(held_entry),
	KUNIT_CASE(mac_change),
	KUNIT_CASE(default_waits_for_its_slot),
	KUNIT_CASE(table_full),
	KUNIT_CASE(driver_refuses),
	KUNIT_CASE(ipv6_link_local),
	KUNIT_CASE(upper_device),
	KUNIT_CASE(bond),
	KUNIT_CASE(netdev_goes),
	KUNIT_CASE(other_namespace),
	KUNIT_CASE(add_and_delete),
	KUNIT_CASE(infiniband_port),
	KUNIT_CASE(queries),
	{}
};

static struct kunit_suite gid_suite = {
	.name = "ofed_gid",
	.suite_init = gid_suite_init,
	.suite_exit = gid_suite_exit,
	.init = gid_init,
	.exit = gid_exit,
	.test_cases = gid_cases,
};
kunit_test_suite(gid_suite);

MODULE_DESCRIPTION("KUnit tests of the GID tables");
MODULE_LICENSE("GPL");

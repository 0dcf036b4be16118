/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A made-up device with a table of GIDs of its own, and the interfaces below its port:
 *
 *	     upper (plain upper device, or a bond)
 *	       |
 *	     lower  <-- netdev of port 1 of the device
 */
#ifndef KUNIT_GID_WORLD_H
#define KUNIT_GID_WORLD_H

#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/inetdevice.h>
#include <rdma/ib_verbs.h>

#define SLOTS 8
#define V1 IB_GID_TYPE_ROCE
#define V2 IB_GID_TYPE_ROCE_UDP_ENCAP
#define ROCE_V1_V2 (RDMA_CORE_CAP_PROT_ROCE | RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP)
#define ROCE_V2 RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP

extern const u8 lower_mac[ETH_ALEN];
extern const u8 other_mac[ETH_ALEN];
extern const union ib_gid lower_default;
extern const union ib_gid other_default;
extern const union ib_gid link_local_1;

/* The made-up device; one at a time, since notifiers know no test case. */
extern struct gid_world {
	struct ib_device device;
	struct ib_port_data port_data[2];
	struct net_device *lower;
	struct net_device *upper;
	/* The driver's table: what add_gid put in, less what del_gid took out. */
	union ib_gid hw[SLOTS];
	bool used[SLOTS];
	int misuse;
	int refuse;
	int events;
	bool foreign_netns;
	/* What query_gid answers. */
	union ib_gid ib_gids[SLOTS];
} world;

/* init and exit of each case. */
int gid_init(struct kunit *test);
void gid_exit(struct kunit *test);

/* The device is there, with @slots entries and what the port is capable of. */
void world_start(struct kunit *test, u32 caps, int slots);
/* For changes by hand, which the next event of any interface would undo. */
void stop_following(void);

struct net_device *netdev_create(struct kunit *test, const u8 *mac);
struct in_ifaddr *ip_add(struct kunit *test, struct net_device *ndev, __be32 ip);
void ip_del(struct in_ifaddr *ifa);
void mac_set(struct kunit *test, struct net_device *ndev, const u8 *mac);

union ib_gid gid_of_ip(__be32 ip);
/* Both the table and the driver have @gid at @index, or neither does. */
void expect_at(struct kunit *test, int index, const union ib_gid *gid,
	       enum ib_gid_type type, struct net_device *ndev);
void expect_empty(struct kunit *test, int index);
/* Index of the entry with @gid, or an errno. */
int index_of(const union ib_gid *gid, enum ib_gid_type type, struct net_device *ndev);

#endif /* KUNIT_GID_WORLD_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GID tables: one per port, the same struct for RoCE ports (kept by the core
 * from netdev events) and for InfiniBand and iWARP ports (read from the
 * driver's query_gid).
 */
#ifndef OFED_CORE_GID_H
#define OFED_CORE_GID_H

#include <rdma/ib_verbs.h>
#include <rdma/ib_cache.h>

/* Life of the tables of a device: setup before the device is visible, cleanup
 * (no more entries, netdev references dropped) at unregister, release when the
 * last reference of the device goes.
 */
int ofed_gid_tables_setup(struct ib_device *device);
void ofed_gid_tables_cleanup(struct ib_device *device);
void ofed_gid_tables_release(struct ib_device *device);

/* Read the whole table of a port without RoCE from the driver. May sleep. */
int ofed_gid_table_refresh(struct ib_device *device, u32 port);

/**
 * ofed_gid_add - put an entry into the table of a RoCE port
 * @device: registered, or being registered
 * @port: port number, from 1
 * @gid: the address
 * @attr: gid_type and ndev are read
 * @default_slot: put it into the slot reserved for the default GID of its type
 *
 * Finding the entry already there is success. Context: may sleep.
 * Return: 0, -EINVAL (zero gid), -ENOSPC (table full), or the driver's errno.
 */
int ofed_gid_add(struct ib_device *device, u32 port, const union ib_gid *gid,
		 const struct ib_gid_attr *attr, bool default_slot);
int ofed_gid_del(struct ib_device *device, u32 port, const union ib_gid *gid,
		 const struct ib_gid_attr *attr, bool default_slot);
void ofed_gid_del_netdev(struct ib_device *device, u32 port,
			 const struct net_device *ndev);

/* Bit mask of enum ib_gid_type that a port can hold. */
unsigned long ofed_gid_type_mask(struct ib_device *device, u32 port);

/* "IB/RoCE v1" and "RoCE v2"; parse gives a type, or -EINVAL. */
const char *ofed_gid_type_str(enum ib_gid_type type);
int ofed_gid_type_parse(const char *text);

/* roce_gid_mgmt.c: the netdev, inetaddr and inet6addr side. */
int ofed_gid_events_init(void);
void ofed_gid_events_exit(void);
/* Fill the tables of a new device from the interfaces there are. May sleep. */
void ofed_gid_events_scan(struct ib_device *device);
/* Wait until every event seen so far is in the tables. May sleep. */
void ofed_gid_events_flush(void);
/* Hold all tables against the interfaces again, soon. Any context. */
void ofed_gid_events_kick(void);

#endif /* OFED_CORE_GID_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* What the files that make up ports/N share. */
#ifndef OFED_CORE_SYSFS_PORT_H
#define OFED_CORE_SYSFS_PORT_H

#include <linux/kobject.h>
#include <rdma/ib_sysfs.h>
#include <rdma/ib_verbs.h>

struct port_table;

/**
 * struct ib_port - the directory ports/N of one core device
 * @kobj: the directory; owns everything below
 * @node: in ib_core_device.port_list
 * @device: the device, which outlives the directory
 * @num: port number
 * @gids: files of gids/
 * @pkeys: files of pkeys/, NULL when the port has no such table
 * @types: files of gid_attrs/types/
 * @ndevs: files of gid_attrs/ndevs/
 * @gid_attrs: the directory gid_attrs
 * @stats: hw_counters/, NULL when the driver has none
 *
 * Set up before the directory is announced and constant from then on, so
 * there is no lock.
 */
struct ib_port {
	struct kobject kobj;
	struct list_head node;
	struct ib_device *device;
	u32 num;
	struct port_table *gids;
	struct port_table *pkeys;
	struct port_table *types;
	struct port_table *ndevs;
	struct kobject *gid_attrs;
	struct hw_stats_device_data *stats;
};

static inline struct ib_port *kobj_to_port(struct kobject *kobj)
{
	return container_of(kobj, struct ib_port, kobj);
}

/* port_attrs.c: lid, state, rate, ... */
extern const struct attribute_group ofed_port_attr_group;

/* port_tables.c: gids, pkeys and gid_attrs; remove before the port. */
int ofed_port_tables_alloc(struct ib_port *port);
int ofed_port_tables_add(struct ib_port *port);
void ofed_port_tables_remove(struct ib_port *port);
void ofed_port_tables_free(struct ib_port *port);

/* pma.c: counters/, no error when the driver processes no MADs. */
int ofed_pma_add(struct ib_port *port);

/* track/hw_stats.c: hw_counters/ of a port; no error when the driver has none. */
int ofed_hw_stats_add_port(struct ib_port *port);
void ofed_hw_stats_free(struct hw_stats_device_data *data);

/**
 * ofed_port_add_groups - show files of a part of the core in ports/N
 * @device: device, between a client's add() and the end of its remove()
 * @port_num: port
 * @groups: of struct ib_port_attribute
 *
 * Context: process, sleeps. Return: 0 or the errno of sysfs.
 */
int ofed_port_add_groups(struct ib_device *device, u32 port_num,
			 const struct attribute_group **groups);
/* Waits for readers. Context: as ofed_port_add_groups(). */
void ofed_port_remove_groups(struct ib_device *device, u32 port_num,
			     const struct attribute_group **groups);

#endif /* OFED_CORE_SYSFS_PORT_H */

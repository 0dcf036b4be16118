/* SPDX-License-Identifier: GPL-2.0 */
/* The port of a device: ops of the core, groups and GIDs. */
#ifndef ROCE_PORT_H
#define ROCE_PORT_H

#include <linux/jhash.h>
#include <rdma/ib_verbs.h>

#include "dev.h"

#define ROCE_GIDS		256

/* port.c */
extern const struct ib_device_ops roce_ib_ops;
int roce_query_port(struct ibt_port *port, struct ib_port_attr *attr);
enum ib_mtu roce_active_mtu(struct ibt_port *port);

/* mcast.c */
int roce_mcast_join(struct ibt_port *port, const union ib_gid *gid);
void roce_mcast_leave(struct ibt_port *port, const union ib_gid *gid);
void roce_groups_rejoin(struct roce_dev *rd, struct net_device *ndev);
void roce_groups_forget(struct roce_dev *rd);

/* gid_table.c */
static inline u32 roce_gid_hash(const union ib_gid *gid)
{
	return jhash(gid->raw, sizeof(gid->raw), 0);
}

static inline struct roce_dev *roce_of_gid(const struct ib_gid_attr *attr)
{
	return roce_of_port(ibt_dev_port(ibt_dev_of(attr->device),
					 attr->port_num));
}

bool roce_gid_is_ours(struct roce_dev *rd, const union ib_gid *gid);
int roce_gid_add(const struct ib_gid_attr *attr, void **context);
void roce_gid_del(const struct ib_gid_attr *attr, void **context);

#endif /* ROCE_PORT_H */

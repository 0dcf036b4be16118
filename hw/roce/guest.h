/* SPDX-License-Identifier: GPL-2.0 */
/* Guests: GIDs of the port that are of another namespace than the device. */
#ifndef ROCE_GUEST_H
#define ROCE_GUEST_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>

struct roce_dev;
struct roce_path;

/**
 * struct roce_guest - a GID of version 2 of an interface in another namespace than the
 *		       device
 * @net: namespace of the interface; NULL: it is gone
 * @in_net: entry of the guests of @net
 */
struct roce_guest {
	struct net *net;
	struct list_head in_net;
};

/* guest.c */
int roce_guest_add(struct roce_dev *rd, const struct ib_gid_attr *attr,
		   void **context);
void roce_guest_del(void **context);

/* guest_path.c */
int roce_guest_keep(struct roce_path *p, struct net *net);
void roce_guest_drop(struct roce_path *p);
void roce_guest_end(struct net *net);

#endif /* ROCE_GUEST_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Guests: GIDs of interfaces that lie upon the device's own but are in another
 * namespace, for example the macvlan of a container. In shared mode their addresses
 * are GIDs of the port. While a namespace has one of version 2, this module receives
 * at port 4791 there, and looks up paths from that GID there.
 *
 * Such a namespace waits neither for the device nor for its users elsewhere. Once its
 * interfaces are gone it closes the port and releases the dsts of the paths that use
 * the namespace.
 */
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "dev.h"
#include "guest.h"
#include "net.h"
#include "socket.h"

/* The namespace of a GID, referenced, if it is not the device's; else NULL. */
static struct net *roce_foreign_net(const struct roce_dev *rd,
				    const struct ib_gid_attr *attr)
{
	struct net_device *ndev;
	struct net *net = NULL;

	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	if (ndev && !net_eq(dev_net(ndev), rd->net))
		net = maybe_get_net(dev_net(ndev));
	rcu_read_unlock();
	return net;
}

/**
 * roce_guest_add - add a GID of version 2 that may be of another namespace
 * @rd: device
 * @attr: the GID; its interface is held by the caller
 * @context: out: for roce_guest_del()
 *
 * If another socket of the namespace has port 4791 the GID is added, and each path from
 * it fails.
 *
 * Context: process, may sleep; rtnl may be held.
 * Return: 0 or -ENOMEM.
 */
int roce_guest_add(struct roce_dev *rd, const struct ib_gid_attr *attr,
		   void **context)
{
	struct net *net = roce_foreign_net(rd, attr);
	struct roce_guest *guest;
	int ret = -ENOMEM;

	if (!net)
		return 0;
	guest = kzalloc(sizeof(*guest), GFP_KERNEL);
	if (!guest)
		goto out;
	ret = roce_guest_listen(net, guest);
	if (ret)
		kfree(guest);
	else
		*context = guest;
out:
	put_net(net);
	return ret;
}

/* Context: as roce_guest_add(). */
void roce_guest_del(void **context)
{
	struct roce_guest *guest = *context;

	*context = NULL;
	if (!guest)
		return;
	roce_guest_unlisten(guest);
	kfree(guest);
}

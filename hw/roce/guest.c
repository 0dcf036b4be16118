// SPDX-License-Identifier: GPL-2.0
/*
 * Namespaces that a device is not in, but an interface upon its own is: the macvlan
 * of a container, say. In shared mode the addresses of such an interface are GIDs of
 * the port like others. As long as there is one of version 2, port 4791 is ours in
 * that namespace as well, and paths from it are looked up there.
 *
 * Such a namespace waits neither for the device nor for those that use its addresses
 * from elsewhere. Once its interfaces are gone it closes the port, and takes its
 * routes out of the paths that are kept.
 */
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "dev.h"
#include "guest.h"
#include "net.h"
#include "socket.h"

/* The namespace of a GID, with a reference, if that is not the device's; or NULL. */
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
 * roce_guest_add - a GID of version 2 is the port's
 * @rd: device
 * @attr: the GID; its interface is held by the caller
 * @context: out: for roce_guest_del()
 *
 * Where another has port 4791 the GID is there, and each path from it fails. Context: process, may sleep; rtnl may be held.
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Tunnels in configfs:
 *
 *	ofed_ib/tunnels/NAME	port local peer expect mtu plugged state refused
 *
 * The port is "NODE PORT". Addresses are "ADDRESS UDP-PORT", in the network namespace
 * of the process that plugs the tunnel in. The port that is expected at the other end
 * is "GUID PORT". A namespace that ends unplugs the tunnels that belong to it.
 */
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>

#include "cable.h"
#include "config.h"
#include "fabric.h"
#include "tunnel.h"

static LIST_HEAD(tunnels);	/* (ibf_config) */

static struct ibf_tunnel *ibf_tunnel_of(struct config_item *item)
{
	return container_of(item, struct ibf_tunnel, item);
}

/* Attributes change only while the tunnel is unplugged. ibf_config is held on success. */
static int ibf_config_tunnel_begin(struct ibf_tunnel *t)
{
	mutex_lock(&ibf_config);
	if (!t->sock)
		return 0;
	mutex_unlock(&ibf_config);
	return -EBUSY;
}

static ssize_t ibf_config_tunnel_end(size_t count)
{
	mutex_unlock(&ibf_config);
	return count;
}

/* ---- the two ends ------------------------------------------------------------------- */

static ssize_t ibf_tunnel_port_show(struct config_item *item, char *page)
{
	return ibf_show_end(&ibf_tunnel_of(item)->near, page);
}

static ssize_t ibf_tunnel_port_store(struct config_item *item, const char *page,
				     size_t count)
{
	struct ibf_tunnel *t = ibf_tunnel_of(item);
	struct ibf_end near = { };
	int ret;

	ret = ibf_parse_end(page, &near) ?: ibf_config_tunnel_begin(t);
	if (ret)
		return ret;
	t->near = near;
	return ibf_config_tunnel_end(count);
}

static ssize_t ibf_tunnel_expect_show(struct config_item *item, char *page)
{
	const struct ibf_tunnel *t = ibf_tunnel_of(item);

	return sysfs_emit(page, "0x%016llx %u\n", t->expect_guid,
			  t->expect_port);
}

static ssize_t ibf_tunnel_expect_store(struct config_item *item,
				       const char *page, size_t count)
{
	struct ibf_tunnel *t = ibf_tunnel_of(item);
	u32 port;
	u64 guid;
	int ret;

	if (sscanf(page, "%lli %u", (s64 *)&guid, &port) != 2 || !guid ||
	    !port || port > U8_MAX)
		return -EINVAL;
	ret = ibf_config_tunnel_begin(t);
	if (ret)
		return ret;
	t->expect_guid = guid;
	t->expect_port = port;
	return ibf_config_tunnel_end(count);
}

static ssize_t ibf_show_address(const struct sockaddr_storage *address, char *page)
{
	__be16 port = ((const struct sockaddr_in *)address)->sin_port;

	if (!address->ss_family)
		return sysfs_emit(page, "\n");
	BUILD_BUG_ON(offsetof(struct sockaddr_in, sin_port) !=
		     offsetof(struct sockaddr_in6, sin6_port));
	return sysfs_emit(page, "%pISc %u\n", address, ntohs(port));
}

static bool ibf_is_usable(const struct sockaddr_storage *address)
{
	const struct in6_addr *ip6 =
		&((const struct sockaddr_in6 *)address)->sin6_addr;
	__be32 ip4 = ((const struct sockaddr_in *)address)->sin_addr.s_addr;

	if (address->ss_family == AF_INET)
		return ip4 && !ipv4_is_multicast(ip4) && !ipv4_is_lbcast(ip4);
	return !ipv6_addr_any(ip6) && !ipv6_addr_is_multicast(ip6) &&
	       !ipv6_addr_v4mapped(ip6);
}

static ssize_t ibf_store_address(struct ibf_tunnel *t, struct sockaddr_storage *to,
				 const char *page, size_t count)
{
	char address[64], port[8], after;
	struct sockaddr_storage parsed = { };
	int ret;

	if (sscanf(page, "%63s %7s %c", address, port, &after) != 2 ||
	    !strcmp(port, "0"))
		return -EINVAL;
	ret = inet_pton_with_scope(current->nsproxy->net_ns, AF_UNSPEC, address,
				   port, &parsed);
	if (ret || !ibf_is_usable(&parsed))
		return -EINVAL;
	ret = ibf_config_tunnel_begin(t);
	if (ret)
		return ret;
	*to = parsed;
	return ibf_config_tunnel_end(count);
}

static ssize_t ibf_tunnel_local_show(struct config_item *item, char *page)
{
	return ibf_show_address(&ibf_tunnel_of(item)->local, page);
}

static ssize_t ibf_tunnel_local_store(struct config_item *item,
				      const char *page, size_t count)
{
	struct ibf_tunnel *t = ibf_tunnel_of(item);

	return ibf_store_address(t, &t->local, page, count);
}

static ssize_t ibf_tunnel_peer_show(struct config_item *item, char *page)
{
	return ibf_show_address(&ibf_tunnel_of(item)->peer, page);
}

static ssize_t ibf_tunnel_peer_store(struct config_item *item, const char *page,
				     size_t count)
{
	struct ibf_tunnel *t = ibf_tunnel_of(item);

	return ibf_store_address(t, &t->peer, page, count);
}

/* ---- the way between ------------------------------------------------------------------ */

static ssize_t ibf_tunnel_mtu_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n",
			  ib_mtu_enum_to_int(ibf_tunnel_of(item)->mtu));
}

static ssize_t ibf_tunnel_mtu_store(struct config_item *item, const char *page,
				    size_t count)
{
	struct ibf_tunnel *t = ibf_tunnel_of(item);
	enum ib_mtu mtu;
	int bytes, ret;

	ret = kstrtoint(page, 0, &bytes);
	if (ret)
		return ret;
	mtu = ib_mtu_int_to_enum(bytes);
	if (ib_mtu_enum_to_int(mtu) != bytes)
		return -EINVAL;
	ret = ibf_config_tunnel_begin(t);
	if (ret)
		return ret;
	t->mtu = mtu;
	return ibf_config_tunnel_end(count);
}

static int ibf_config_tunnel_plug(struct config_item *item)
{
	struct ibf_tunnel *t = ibf_tunnel_of(item);
	struct ibf_port *near = ibf_find_port(t->near.name, t->near.num);

	lockdep_assert_held(&ibf_config);
	if (t->sock)
		return -EBUSY;
	if (!t->local.ss_family || t->local.ss_family != t->peer.ss_family ||
	    !t->expect_guid)
		return -EINVAL;
	return near ? ibf_tunnel_open(t, near) : -ENODEV;
}

static void ibf_config_tunnel_unplug(struct config_item *item)
{
	ibf_tunnel_close(ibf_tunnel_of(item));
}

static ssize_t ibf_tunnel_plugged_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", !!READ_ONCE(ibf_tunnel_of(item)->sock));
}

static ssize_t ibf_tunnel_plugged_store(struct config_item *item,
					const char *page, size_t count)
{
	return ibf_store_plugged(item, page, count, ibf_config_tunnel_plug,
				 ibf_config_tunnel_unplug);
}

/* ---- how it is ---------------------------------------------------------------------------- */

static ssize_t ibf_tunnel_state_show(struct config_item *item, char *page)
{
	struct ibf_tunnel *t = ibf_tunnel_of(item);
	const char *state = "unplugged";

	spin_lock_bh(&ibf_lock);
	if (t->open && !t->alive)
		state = "silent";
	else if (t->open)
		state = t->cable.ends[0].port &&
			t->cable.ends[0].port->state != IBF_STATE_DOWN ?
			"up" : "down";
	spin_unlock_bh(&ibf_lock);
	return sysfs_emit(page, "%s\n", state);
}

static const char *const refusals[IBF_REFUSALS] = {
	[IBF_REFUSED_FOREIGN]	= "foreign",
	[IBF_REFUSED_MALFORMED]	= "malformed",
	[IBF_REFUSED_WRONG]	= "wrong",
	[IBF_REFUSED_STALE]	= "stale",
	[IBF_REFUSED_LATE]	= "late",
	[IBF_REFUSED_OVERRUN]	= "overrun",
	[IBF_REFUSED_NO_ROUTE]	= "no_route",
};

static ssize_t ibf_tunnel_refused_show(struct config_item *item, char *page)
{
	struct ibf_tunnel *t = ibf_tunnel_of(item);
	ssize_t length = 0;
	u32 i;

	spin_lock_bh(&t->lock);
	for (i = 0; i < IBF_REFUSALS; i++)
		length += sysfs_emit_at(page, length, "%s %llu\n", refusals[i],
					t->refused[i]);
	spin_unlock_bh(&t->lock);
	return length;
}

CONFIGFS_ATTR(ibf_tunnel_, port);
CONFIGFS_ATTR(ibf_tunnel_, local);
CONFIGFS_ATTR(ibf_tunnel_, peer);
CONFIGFS_ATTR(ibf_tunnel_, expect);
CONFIGFS_ATTR(ibf_tunnel_, mtu);
CONFIGFS_ATTR(ibf_tunnel_, plugged);
CONFIGFS_ATTR_RO(ibf_tunnel_, state);
CONFIGFS_ATTR_RO(ibf_tunnel_, refused);

static struct configfs_attribute *ibf_tunnel_attrs[] = {
	&ibf_tunnel_attr_port,
	&ibf_tunnel_attr_local,
	&ibf_tunnel_attr_peer,
	&ibf_tunnel_attr_expect,
	&ibf_tunnel_attr_mtu,
	&ibf_tunnel_attr_plugged,
	&ibf_tunnel_attr_state,
	&ibf_tunnel_attr_refused,
	NULL
};

static void ibf_tunnel_release(struct config_item *item)
{
	kfree(ibf_tunnel_of(item));
}

static struct configfs_item_operations ibf_tunnel_item_ops = {
	.release = ibf_tunnel_release,
};

static const struct config_item_type ibf_tunnel_type = {
	.ct_item_ops = &ibf_tunnel_item_ops,
	.ct_attrs = ibf_tunnel_attrs,
	.ct_owner = THIS_MODULE,
};

static struct config_item *ibf_make_tunnel(struct config_group *group,
					   const char *name)
{
	struct ibf_tunnel *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&t->lock);
	/* With all headers it goes through an Ethernet of 1500 bytes. */
	t->mtu = IB_MTU_1024;
	config_item_init_type_name(&t->item, name, &ibf_tunnel_type);
	mutex_lock(&ibf_config);
	list_add_tail(&t->entry, &tunnels);
	mutex_unlock(&ibf_config);
	return &t->item;
}

static void ibf_drop_tunnel(struct config_group *group, struct config_item *item)
{
	mutex_lock(&ibf_config);
	ibf_tunnel_close(ibf_tunnel_of(item));
	list_del(&ibf_tunnel_of(item)->entry);
	mutex_unlock(&ibf_config);
	config_item_put(item);
}

static struct configfs_group_operations ibf_tunnels_ops = {
	.make_item = ibf_make_tunnel,
	.drop_item = ibf_drop_tunnel,
};

const struct config_item_type ibf_tunnels_type = {
	.ct_group_ops = &ibf_tunnels_ops,
	.ct_owner = THIS_MODULE,
};

/* ---- namespaces ---------------------------------------------------------------------------- */

static void ibf_net_exit(struct net *net)
{
	struct ibf_tunnel *t;

	mutex_lock(&ibf_config);
	list_for_each_entry(t, &tunnels, entry)
		if (t->sock && t->net == net)
			ibf_tunnel_close(t);
	mutex_unlock(&ibf_config);
}

static struct pernet_operations net_ops = {
	.exit = ibf_net_exit,
};

/* A pernet device: ends before what sockets need does. */
int ibf_tunnels_init(void)
{
	return register_pernet_device(&net_ops);
}

void ibf_tunnels_exit(void)
{
	unregister_pernet_device(&net_ops);
}

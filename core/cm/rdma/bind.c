// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: local addresses and ports. Each network namespace has its port
 * spaces, which have nothing to do with the ports of sockets.
 */
#include <kunit/visibility.h>
#include <linux/capability.h>
#include <linux/export.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/netns/generic.h>
#include <rdma/ib.h>

#include "cma.h"

enum cma_space {
	SPACE_TCP,
	SPACE_UDP,
	SPACE_IB,
	SPACE_IPOIB,
	SPACES
};

/**
 * struct cma_ports - ports of a namespace
 * @space: struct cma_port by number, a table for each space; cma_mutex
 */
struct cma_ports {
	struct xarray space[SPACES];
};

/**
 * struct cma_port - a port in use
 * @owners: struct cma_id; never empty
 * @table: that it is in
 * @number: in host order
 */
struct cma_port {
	struct hlist_head owners;
	struct xarray *table;
	u16 number;
};

static unsigned int ports_net_id;

static struct xarray *cma_table_of(struct net *net, enum rdma_ucm_port_space ps)
{
	struct cma_ports *ports = net_generic(net, ports_net_id);

	switch (ps) {
	case RDMA_PS_TCP:
		return &ports->space[SPACE_TCP];
	case RDMA_PS_UDP:
		return &ports->space[SPACE_UDP];
	case RDMA_PS_IB:
		return &ports->space[SPACE_IB];
	case RDMA_PS_IPOIB:
		return &ports->space[SPACE_IPOIB];
	default:
		return NULL;
	}
}

/**
 * cma_claims_clash - may two ids have the same port?
 * @mine: the one that wants it
 * @theirs: the one that has it
 *
 * Pure. Return: 0 if so, -EADDRINUSE (same address), -EADDRNOTAVAIL (one of
 * them has every address).
 */
int cma_claims_clash(const struct cma_claim *mine,
		     const struct cma_claim *theirs)
{
	if (mine->reuse && theirs->reuse)
		return 0;
	if (mine->afonly && theirs->afonly &&
	    mine->src->sa_family != theirs->src->sa_family)
		return 0;
	if (cma_is_any(mine->src) || cma_is_any(theirs->src))
		return -EADDRNOTAVAIL;
	return cma_same_address(mine->src, theirs->src) ? -EADDRINUSE : 0;
}
EXPORT_SYMBOL_IF_KUNIT(cma_claims_clash);

/* True if both are set and differ. */
static bool cma_certainly_differ(const struct sockaddr *a, const struct sockaddr *b)
{
	if (a->sa_family == AF_UNSPEC || b->sa_family == AF_UNSPEC)
		return false;
	return !cma_is_any(a) && !cma_is_any(b) && !cma_same_address(a, b);
}

/**
 * cma_claims_apart - would connections of two ids with one port differ?
 * @mine: id that connects, and has not chosen its port
 * @theirs: id that has a port
 *
 * Pure. Return: true if so, whatever else the two do.
 */
bool cma_claims_apart(const struct cma_claim *mine,
		      const struct cma_claim *theirs)
{
	__be16 my_peer = cma_port_of(mine->dst);
	__be16 their_peer = cma_port_of(theirs->dst);

	if (my_peer && their_peer && my_peer != their_peer)
		return true;
	return cma_certainly_differ(mine->src, theirs->src) ||
	       cma_certainly_differ(mine->dst, theirs->dst);
}
EXPORT_SYMBOL_IF_KUNIT(cma_claims_apart);

/* Which ids may have a service id of which space, first come first served. */
static const struct {
	enum rdma_ucm_port_space of_id;
	enum rdma_ucm_port_space space;
	u64 sid;
} ib_spaces[] = {
	{ RDMA_PS_IB, RDMA_PS_IB, RDMA_IB_IP_PS_IB },
	{ RDMA_PS_IB, RDMA_PS_TCP, RDMA_IB_IP_PS_TCP },
	{ RDMA_PS_TCP, RDMA_PS_TCP, RDMA_IB_IP_PS_TCP },
	{ RDMA_PS_IB, RDMA_PS_UDP, RDMA_IB_IP_PS_UDP },
	{ RDMA_PS_UDP, RDMA_PS_UDP, RDMA_IB_IP_PS_UDP },
};

static int cma_select_ib_space(enum rdma_ucm_port_space ps, struct sockaddr_ib *sib,
			       enum rdma_ucm_port_space *space)
{
	u16 port = be16_to_cpu(cma_port_of((struct sockaddr *)sib));
	u64 mask = be64_to_cpu(sib->sib_sid_mask) & RDMA_IB_IP_PS_MASK;
	u64 asked = be64_to_cpu(sib->sib_sid) & mask;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ib_spaces); i++) {
		if (ib_spaces[i].of_id != ps ||
		    (ib_spaces[i].sid & mask) != asked)
			continue;
		*space = ib_spaces[i].space;
		sib->sib_sid = cpu_to_be64(ib_spaces[i].sid | port);
		sib->sib_sid_mask |= cpu_to_be64(RDMA_IB_IP_PS_MASK);
		return 0;
	}
	return -EPROTONOSUPPORT;
}

/**
 * cma_select_space - find the port space of an address
 * @ps: port space of the id
 * @addr: address; the service id of family AF_IB is completed
 * @space: out: port space
 *
 * Pure. Return: 0, or -EPROTONOSUPPORT.
 */
int cma_select_space(enum rdma_ucm_port_space ps, struct sockaddr *addr,
		     enum rdma_ucm_port_space *space)
{
	if (addr->sa_family == AF_IB)
		return cma_select_ib_space(ps, (struct sockaddr_ib *)addr, space);
	switch (ps) {
	case RDMA_PS_TCP:
	case RDMA_PS_UDP:
	case RDMA_PS_IB:
	case RDMA_PS_IPOIB:
		*space = ps;
		return 0;
	default:
		return -EPROTONOSUPPORT;
	}
}
EXPORT_SYMBOL_IF_KUNIT(cma_select_space);

static struct cma_claim cma_claim_of(struct cma_id *id)
{
	return (struct cma_claim) {
		.src = cma_src(id),
		.dst = cma_dst(id),
		.reuse = id->reuse,
		.afonly = id->afonly,
	};
}

static int cma_clash_with_owners(const struct cma_port *port, struct cma_id *id,
				 bool reuse)
{
	struct cma_claim mine = cma_claim_of(id), theirs;
	struct cma_id *owner;
	int ret;

	mine.reuse = reuse;
	hlist_for_each_entry(owner, &port->owners, on_port) {
		if (owner == id)
			continue;
		theirs = cma_claim_of(owner);
		ret = cma_claims_clash(&mine, &theirs);
		if (ret)
			return ret;
	}
	return 0;
}

static bool cma_apart_from_owners(const struct cma_port *port, struct cma_id *id)
{
	struct cma_claim mine = cma_claim_of(id), theirs;
	struct cma_id *owner;

	hlist_for_each_entry(owner, &port->owners, on_port) {
		theirs = cma_claim_of(owner);
		if (!cma_claims_apart(&mine, &theirs))
			return false;
	}
	return true;
}

static int cma_own_port(struct xarray *table, struct cma_id *id, u16 number)
{
	struct cma_port *port = xa_load(table, number);
	int ret;

	lockdep_assert_held(&cma_mutex);
	if (!port) {
		port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);
		if (!port)
			return -ENOMEM;
		port->table = table;
		port->number = number;
		ret = xa_insert(table, number, port, GFP_KERNEL_ACCOUNT);
		if (ret) {
			kfree(port);
			return ret;
		}
	}
	hlist_add_head(&id->on_port, &port->owners);
	id->port = port;
	cma_set_port(cma_src(id), cpu_to_be16(number));
	return 0;
}

static int cma_own_given_port(struct xarray *table, struct cma_id *id, u16 number)
{
	struct cma_port *port = xa_load(table, number);
	struct net *net = cma_net(id);
	int ret = 0;

	if (inet_port_requires_bind_service(net, number) &&
	    !ns_capable(net->user_ns, CAP_NET_BIND_SERVICE))
		return -EACCES;
	if (port)
		ret = cma_clash_with_owners(port, id, id->reuse);
	return ret ?: cma_own_port(table, id, number);
}

/* A free port, or else a shared one with owners that have other peers. */
static bool cma_port_suits(struct xarray *table, struct cma_id *id, u16 number,
			   bool shared)
{
	struct cma_port *port = xa_load(table, number);

	if (inet_is_local_reserved_port(cma_net(id), number))
		return false;
	return !port || (shared && cma_apart_from_owners(port, id));
}

static int cma_own_some_port(struct xarray *table, struct cma_id *id)
{
	int low, high, span, start, i;
	u16 number;

	inet_get_local_port_range(cma_net(id), &low, &high);
	span = high - low + 1;
	start = get_random_u32() % span;
	for (i = 0; i < 2 * span; i++) {
		number = low + (start + i) % span;
		if (cma_port_suits(table, id, number, i >= span))
			return cma_own_port(table, id, number);
	}
	return -EADDRNOTAVAIL;
}

/**
 * cma_port_acquire - take the port of the local address, or any
 * @id: id with its addresses; the port is written into the local one
 *
 * Context: process, may sleep. Return: 0, -EACCES (a privileged port),
 * -EADDRINUSE or -EADDRNOTAVAIL (the port is in use, or no port is free),
 * -EPROTONOSUPPORT (port space), -ENOMEM.
 */
int cma_port_acquire(struct cma_id *id)
{
	enum rdma_ucm_port_space space;
	struct xarray *table;
	u16 number;
	int ret;

	ret = cma_select_space(id->pub.ps, cma_src(id), &space);
	if (ret)
		return ret;
	table = cma_table_of(cma_net(id), space);
	number = be16_to_cpu(cma_port_of(cma_src(id)));
	mutex_lock(&cma_mutex);
	ret = number ? cma_own_given_port(table, id, number) :
		       cma_own_some_port(table, id);
	mutex_unlock(&cma_mutex);
	return ret;
}

/**
 * cma_port_make_unique - an id that listens shares its port no more
 * @id: id that has a port
 *
 * Others may have it at other addresses. Context: process, may sleep.
 * Return: 0, -EADDRINUSE or -EADDRNOTAVAIL.
 */
int cma_port_make_unique(struct cma_id *id)
{
	int ret = 0;

	mutex_lock(&cma_mutex);
	if (id->port)
		ret = cma_clash_with_owners(id->port, id, false);
	if (!ret) {
		spin_lock_irq(&id->lock);
		id->reuse = false;
		spin_unlock_irq(&id->lock);
	}
	mutex_unlock(&cma_mutex);
	return ret;
}

void cma_port_release(struct cma_id *id)
{
	struct cma_port *port;

	mutex_lock(&cma_mutex);
	port = id->port;
	id->port = NULL;
	if (port) {
		hlist_del_init(&id->on_port);
		if (hlist_empty(&port->owners)) {
			xa_erase(port->table, port->number);
			kfree(port);
		}
	}
	mutex_unlock(&cma_mutex);
}

/* Return: struct cma_id by on_port, or NULL for a port without owners. */
struct hlist_head *cma_port_owners_locked(struct net *net,
					  enum rdma_ucm_port_space space,
					  __be16 number)
{
	struct xarray *table = cma_table_of(net, space);
	struct cma_port *port;

	lockdep_assert_held(&cma_mutex);
	port = table ? xa_load(table, be16_to_cpu(number)) : NULL;
	return port ? &port->owners : NULL;
}

/*
 * A link-local address is one only together with its interface. That of the
 * destination will do for an id that takes what local address there is.
 */
static int cma_bind_take_scope(struct cma_id *id, const struct sockaddr *src,
			       const struct sockaddr *dst)
{
	const struct sockaddr_in6 *src6 = (const struct sockaddr_in6 *)src;
	const struct sockaddr_in6 *dst6 = (const struct sockaddr_in6 *)dst;
	int scope = 0;

	if (cma_is_link_local(src)) {
		scope = src6->sin6_scope_id;
		if (!scope)
			return -EINVAL;
	} else if (dst && cma_is_link_local(dst)) {
		scope = dst6->sin6_scope_id;
	}
	cma_l2(id)->bound_dev_if = scope;
	id->wish_if = scope;
	return 0;
}

static void cma_default_afonly(struct cma_id *id)
{
	spin_lock_irq(&id->lock);
	if (!id->afonly_set) {
		if (cma_family(id) == AF_INET)
			id->afonly = true;
		else if (cma_family(id) == AF_INET6)
			id->afonly = cma_net(id)->ipv6.sysctl.bindv6only;
	}
	spin_unlock_irq(&id->lock);
}

static int cma_take_address(struct cma_id *id, const struct sockaddr *src,
			    const struct sockaddr *dst)
{
	int ret;

	ret = cma_bind_take_scope(id, src, dst);
	if (ret)
		return ret;
	memcpy(cma_src(id), src, rdma_addr_size(src));
	if (dst)
		memcpy(cma_dst(id), dst, rdma_addr_size(dst));
	else
		cma_dst(id)->sa_family = src->sa_family;
	if (!cma_is_any(src)) {
		ret = cma_resolve_source(id);
		if (ret)
			return ret;
		ret = cma_device_by_source(id);
		if (ret)
			return ret;
	}
	cma_default_afonly(id);
	ret = cma_port_acquire(id);
	if (ret)
		goto err_device;
	if (id->cdev)
		cma_res_add(&id->res, id->pub.device);
	return 0;

err_device:
	cma_device_release(id);
	return ret;
}

static void cma_forget_address(struct cma_id *id)
{
	memset(&id->pub.route.addr.src_addr, 0, sizeof(struct sockaddr_storage));
	memset(&id->pub.route.addr.dst_addr, 0, sizeof(struct sockaddr_storage));
	cma_l2(id)->bound_dev_if = 0;
	id->wish_if = 0;
}

static int cma_bind_to(struct cma_id *id, const struct sockaddr *src,
		       const struct sockaddr *dst)
{
	int ret;

	if (!rdma_addr_size(src) ||
	    (src->sa_family == AF_INET6 && !IS_ENABLED(CONFIG_IPV6))) {
		pr_debug("rdma_cm: no address of family %u\n", src->sa_family);
		return -EAFNOSUPPORT;
	}
	if (dst && dst->sa_family != src->sa_family) {
		pr_debug("rdma_cm: source of family %u, destination of family %u\n",
			 src->sa_family, dst->sa_family);
		return -EINVAL;
	}
	ret = cma_move(id, CMA_M_BIND);
	if (ret)
		return ret;
	ret = cma_take_address(id, src, dst);
	if (ret) {
		pr_debug("rdma_cm: can not bind to %pISpc: %d\n", src, ret);
		cma_forget_address(id);
		cma_move(id, CMA_M_UNBIND);
	}
	return ret;
}

/**
 * rdma_bind_addr - give an id a local address and a port
 * @id: id without address
 * @addr: address; the zero address of a family and a loopback address stand for
 *	  all; port 0 asks for any
 *
 * An address that is not for all takes the device that has it. Context: process,
 * may sleep.
 * Return: 0, -EAFNOSUPPORT (family), -EINVAL (the id has an address; a link-local
 * address without interface), -EADDRNOTAVAIL (no interface has the address; or
 * the port is taken for all of them), -EADDRINUSE (the port is taken), -EACCES
 * (no right to the port), -ENODEV (no RDMA device has the address), -ENOMEM.
 */
int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	return cma_bind_to(cma_id_of(id), addr, NULL);
}
OFED_EXPORT(rdma_bind_addr);

/**
 * cma_bind_within - bind an id that connects
 * @id: id without address
 * @src: local address, or NULL for whatever the route says
 * @dst: destination
 *
 * Context: process, may sleep. Return: as rdma_bind_addr().
 */
int cma_bind_within(struct cma_id *id, const struct sockaddr *src,
		    const struct sockaddr *dst)
{
	union {
		struct sockaddr sa;
		struct sockaddr_ib ib;
	} any = { };

	if (src && src->sa_family)
		return cma_bind_to(id, src, dst);
	any.sa.sa_family = dst->sa_family;
	if (dst->sa_family == AF_IB)
		any.ib.sib_pkey = ((const struct sockaddr_ib *)dst)->sib_pkey;
	return cma_bind_to(id, &any.sa, dst);
}

static int __net_init cma_ports_begin(struct net *net)
{
	struct cma_ports *ports = net_generic(net, ports_net_id);
	int i;

	for (i = 0; i < SPACES; i++)
		xa_init_flags(&ports->space[i], XA_FLAGS_ACCOUNT);
	return 0;
}

/* Every id holds its namespace, so there is none left. */
static void __net_exit cma_ports_end(struct net *net)
{
	struct cma_ports *ports = net_generic(net, ports_net_id);
	int i;

	for (i = 0; i < SPACES; i++)
		WARN_ON(!xa_empty(&ports->space[i]));
}

static struct pernet_operations ports_net_ops = {
	.init	= cma_ports_begin,
	.exit	= cma_ports_end,
	.id	= &ports_net_id,
	.size	= sizeof(struct cma_ports),
};

int cma_ports_init(void)
{
	return register_pernet_subsys(&ports_net_ops);
}

void cma_ports_exit(void)
{
	unregister_pernet_subsys(&ports_net_ops);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: addresses of the three families, service ids (IBA vol. 1 annex A11)
 * and multicast GIDs. No state, no device.
 */
#include <kunit/visibility.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <rdma/ib.h>

#include "cma.h"

/* All three families in one, for a switch on the first member. */
union cma_any {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_ib ib;
};

static const union cma_any *cma_any_of(const struct sockaddr *addr)
{
	return (const union cma_any *)addr;
}

/* True for the address of the family that means "each". */
bool cma_is_zero(const struct sockaddr *addr)
{
	const union cma_any *any = cma_any_of(addr);

	switch (addr->sa_family) {
	case AF_INET:
		return ipv4_is_zeronet(any->in.sin_addr.s_addr);
	case AF_INET6:
		return ipv6_addr_any(&any->in6.sin6_addr);
	case AF_IB:
		return ib_addr_any(&any->ib.sib_addr);
	default:
		return false;
	}
}

bool cma_is_loopback(const struct sockaddr *addr)
{
	const union cma_any *any = cma_any_of(addr);

	switch (addr->sa_family) {
	case AF_INET:
		return ipv4_is_loopback(any->in.sin_addr.s_addr);
	case AF_INET6:
		return ipv6_addr_loopback(&any->in6.sin6_addr);
	case AF_IB:
		return ib_addr_loopback(&any->ib.sib_addr);
	default:
		return false;
	}
}

/* Neither names a device: no GID is made of a loopback address. */
bool cma_is_any(const struct sockaddr *addr)
{
	return cma_is_zero(addr) || cma_is_loopback(addr);
}
EXPORT_SYMBOL_IF_KUNIT(cma_is_any);

bool cma_is_link_local(const struct sockaddr *addr)
{
	return addr->sa_family == AF_INET6 &&
	       ipv6_addr_type(&cma_any_of(addr)->in6.sin6_addr) &
	       IPV6_ADDR_LINKLOCAL;
}

/* Ports do not count; of a link-local address, the interface does. */
bool cma_same_address(const struct sockaddr *a, const struct sockaddr *b)
{
	const union cma_any *x = cma_any_of(a), *y = cma_any_of(b);

	if (a->sa_family != b->sa_family)
		return false;
	switch (a->sa_family) {
	case AF_INET:
		return x->in.sin_addr.s_addr == y->in.sin_addr.s_addr;
	case AF_INET6:
		return ipv6_addr_equal(&x->in6.sin6_addr, &y->in6.sin6_addr) &&
		       (!cma_is_link_local(a) ||
			x->in6.sin6_scope_id == y->in6.sin6_scope_id);
	case AF_IB:
		return !ib_addr_cmp(&x->ib.sib_addr, &y->ib.sib_addr);
	default:
		return false;
	}
}
EXPORT_SYMBOL_IF_KUNIT(cma_same_address);

/* The address alone: @to, of the same family, keeps its port. */
void cma_copy_address(struct sockaddr *to, const struct sockaddr *from)
{
	const union cma_any *source = cma_any_of(from);
	union cma_any *target = (union cma_any *)to;

	switch (from->sa_family) {
	case AF_INET:
		target->in.sin_addr = source->in.sin_addr;
		break;
	case AF_INET6:
		target->in6.sin6_addr = source->in6.sin6_addr;
		target->in6.sin6_scope_id = source->in6.sin6_scope_id;
		break;
	case AF_IB:
		target->ib.sib_addr = source->ib.sib_addr;
		target->ib.sib_pkey = source->ib.sib_pkey;
		break;
	}
}

void cma_set_loopback(struct sockaddr *addr)
{
	union cma_any *any = (union cma_any *)addr;

	if (addr->sa_family == AF_INET)
		any->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else if (addr->sa_family == AF_INET6)
		any->in6.sin6_addr = in6addr_loopback;
	else if (addr->sa_family == AF_IB)
		ib_addr_set(&any->ib.sib_addr, 0, 0, 0, htonl(1));
}

/**
 * cma_port_of - port of an address
 * @addr: address; that of family AF_IB is a service id, of which the bits
 *	  outside of its mask do not count
 *
 * Pure. Return: port, 0 for none.
 */
__be16 cma_port_of(const struct sockaddr *addr)
{
	const union cma_any *any = cma_any_of(addr);

	switch (addr->sa_family) {
	case AF_INET:
		return any->in.sin_port;
	case AF_INET6:
		return any->in6.sin6_port;
	case AF_IB:
		return cma_port_of_service(any->ib.sib_sid &
					   any->ib.sib_sid_mask);
	default:
		return 0;
	}
}
EXPORT_SYMBOL_IF_KUNIT(cma_port_of);

void cma_set_port(struct sockaddr *addr, __be16 port)
{
	union cma_any *any = (union cma_any *)addr;
	u64 sid;

	switch (addr->sa_family) {
	case AF_INET:
		any->in.sin_port = port;
		break;
	case AF_INET6:
		any->in6.sin6_port = port;
		break;
	case AF_IB:
		sid = be64_to_cpu(any->ib.sib_sid) & RDMA_IB_IP_PS_MASK;
		any->ib.sib_sid = cpu_to_be64(sid | be16_to_cpu(port));
		any->ib.sib_sid_mask = cpu_to_be64(U64_MAX);
		break;
	}
}
EXPORT_SYMBOL_IF_KUNIT(cma_set_port);

/**
 * cma_service_id - service id of a port
 * @ps: port space
 * @addr: address with the port; one of family AF_IB says it itself
 *
 * IBA annex A11.2: 0x0000000001, the IP protocol, the port. Pure.
 * Return: service id.
 */
__be64 cma_service_id(enum rdma_ucm_port_space ps, const struct sockaddr *addr)
{
	if (addr->sa_family == AF_IB)
		return cma_any_of(addr)->ib.sib_sid;
	return cpu_to_be64((u64)ps << 16 | be16_to_cpu(cma_port_of(addr)));
}
EXPORT_SYMBOL_IF_KUNIT(cma_service_id);

enum rdma_ucm_port_space cma_space_of_service(__be64 service_id)
{
	return be64_to_cpu(service_id) >> 16 & 0xffff;
}
EXPORT_SYMBOL_IF_KUNIT(cma_space_of_service);

__be16 cma_port_of_service(__be64 service_id)
{
	return cpu_to_be16(be64_to_cpu(service_id) & 0xffff);
}
EXPORT_SYMBOL_IF_KUNIT(cma_port_of_service);

/* ff1x:a01b::/32 is what an SA makes up; such a GID is joined as it is. */
static bool cma_is_sa_made(const struct in6_addr *ip)
{
	return (ip->s6_addr32[0] & htonl(0xfff0ffff)) == htonl(0xff10a01b);
}

/**
 * cma_mgid_ib - multicast GID of an address on InfiniBand
 * @addr: address of the group, or any
 * @broadcast: hardware broadcast address of the IPoIB interface, which gives
 *	       scope and P_Key
 * @ps: port space; groups of RDMA_PS_UDP have a signature of their own, so that
 *	they do not meet those of IPoIB (RFC 4391)
 * @mgid: out: GID
 *
 * Pure.
 */
void cma_mgid_ib(const struct sockaddr *addr, const u8 *broadcast,
		 enum rdma_ucm_port_space ps, union ib_gid *mgid)
{
	const union cma_any *any = cma_any_of(addr);
	/* A hardware address: QPN in front of the GID. */
	char hw[4 + sizeof(*mgid)] = { };

	memset(mgid, 0, sizeof(*mgid));
	if (cma_is_any(addr))
		return;
	if (addr->sa_family == AF_IB) {
		memcpy(mgid, &any->ib.sib_addr, sizeof(*mgid));
		return;
	}
	if (addr->sa_family == AF_INET6 && cma_is_sa_made(&any->in6.sin6_addr)) {
		memcpy(mgid, &any->in6.sin6_addr, sizeof(*mgid));
		return;
	}
	if (addr->sa_family == AF_INET6)
		ipv6_ib_mc_map(&any->in6.sin6_addr, broadcast, hw);
	else
		ip_ib_mc_map(any->in.sin_addr.s_addr, broadcast, hw);
	memcpy(mgid, hw + 4, sizeof(*mgid));
	if (ps == RDMA_PS_UDP)
		mgid->raw[3] = 0x01;
}
EXPORT_SYMBOL_IF_KUNIT(cma_mgid_ib);

/**
 * cma_mgid_roce - multicast GID of an address on RoCE
 * @addr: address of the group, or any
 * @type: GID type of the port
 * @mgid: out: GID
 *
 * An IPv4 group is ::ffff:a.b.c.d for RoCE v2 (annex A17.9), and
 * ff0e::ffff:a.b.c.d for v1, which knows multicast by its first byte. Pure.
 */
void cma_mgid_roce(const struct sockaddr *addr, enum ib_gid_type type,
		   union ib_gid *mgid)
{
	const union cma_any *any = cma_any_of(addr);

	memset(mgid, 0, sizeof(*mgid));
	if (cma_is_any(addr))
		return;
	if (addr->sa_family == AF_INET6) {
		memcpy(mgid, &any->in6.sin6_addr, sizeof(*mgid));
		return;
	}
	ipv6_addr_set_v4mapped(any->in.sin_addr.s_addr,
			       (struct in6_addr *)mgid);
	if (type != IB_GID_TYPE_ROCE_UDP_ENCAP) {
		mgid->raw[0] = 0xff;
		mgid->raw[1] = 0x0e;
	}
}
EXPORT_SYMBOL_IF_KUNIT(cma_mgid_roce);

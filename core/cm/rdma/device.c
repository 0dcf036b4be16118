// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: which device and port an address is on. */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <rdma/ib.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "cma.h"
#include "trace.h"

/*
 * Asked of each port. Return: entry of its GID table for the id, with a
 * reference; NULL, where a port that suits has none; or an ERR_PTR.
 */
typedef const struct ib_gid_attr *(*port_test)(struct cma_dev *cdev, u32 port,
					       struct cma_id *id);

/* The reference of @attr goes to the id. */
static void cma_attach(struct cma_id *id, struct cma_dev *cdev, u32 port,
		       const struct ib_gid_attr *attr)
{
	struct rdma_dev_addr *l2 = cma_l2(id);

	lockdep_assert_held(&cma_mutex);
	refcount_inc(&cdev->refs);
	id->cdev = cdev;
	list_add_tail(&id->on_dev, &cdev->ids);
	id->pub.port_num = port;
	l2->transport = rdma_node_get_transport(cdev->device->node_type);
	l2->sgid_attr = attr;
	/* The last one: pairs with cma_device(), and ucma_id_enter(). */
	smp_store_release(&id->pub.device, cdev->device);
	trace_cm_id_attach(id, cdev->device);
}

static int cma_try_ports(struct cma_dev *cdev, struct cma_id *id, port_test test)
{
	const struct ib_gid_attr *attr;
	u32 port;

	rdma_for_each_port(cdev->device, port) {
		attr = test(cdev, port, id);
		if (!IS_ERR(attr)) {
			cma_attach(id, cdev, port, attr);
			return 0;
		}
	}
	return -ENODEV;
}

/* May @id be attached? The device's namespace is not looked at. */
static bool cma_takes(const struct cma_dev *cdev, const struct cma_id *id)
{
	lockdep_assert_held(&cma_mutex);
	return !cdev->gone && cma_takes_node(id, cdev->device->node_type) &&
	       (!cdev->closing || rdma_is_kernel_res(&id->res.tracked.entry));
}

static bool cma_is_choice(const struct cma_dev *cdev, struct cma_id *id)
{
	return cma_takes(cdev, id) &&
	       rdma_dev_access_netns(cdev->device, cma_net(id));
}

static int cma_first_port(struct cma_id *id, port_test test)
{
	struct cma_dev *cdev;
	int ret = -ENODEV;

	mutex_lock(&cma_mutex);
	list_for_each_entry(cdev, &cma_devices, list) {
		if (!cma_is_choice(cdev, id))
			continue;
		ret = cma_try_ports(cdev, id, test);
		if (!ret)
			break;
	}
	mutex_unlock(&cma_mutex);
	return ret;
}

/* The interface that the id's local address is on, referenced, or NULL. */
struct net_device *cma_netdev(struct cma_id *id)
{
	int ifindex = cma_l2(id)->bound_dev_if;

	return ifindex ? dev_get_by_index(cma_net(id), ifindex) : NULL;
}

static const struct ib_gid_attr *cma_roce_source(struct cma_dev *cdev, u32 port,
						 struct cma_id *id)
{
	const struct ib_gid_attr *attr;
	struct net_device *ndev;
	union ib_gid gid;

	if (rdma_ip2gid(cma_src(id), &gid))
		return ERR_PTR(-ENODEV);
	ndev = cma_netdev(id);
	if (!ndev)
		return ERR_PTR(-ENODEV);
	attr = rdma_find_gid_by_port(cdev->device, &gid,
				     cma_port_config(cdev, port)->gid_type,
				     port, ndev);
	dev_put(ndev);
	return attr;
}

static const struct ib_gid_attr *cma_hw_source(struct cma_dev *cdev, u32 port,
					       struct cma_id *id)
{
	union ib_gid gid;

	rdma_addr_get_sgid(cma_l2(id), &gid);
	return rdma_find_gid_by_port(cdev->device, &gid, IB_GID_TYPE_IB, port,
				     NULL);
}

/* Of an iWARP port its GID says nothing. */
static const struct ib_gid_attr *cma_iwarp_entry(struct cma_dev *cdev, u32 port)
{
	const struct ib_gid_attr *attr;

	attr = rdma_get_gid_attr(cdev->device, port, 0);
	return IS_ERR(attr) ? NULL : attr;
}

/*
 * TCP knows loopback addresses itself, in the namespace of the interface, so
 * any port there will do.
 */
static const struct ib_gid_attr *cma_iwarp_loopback(struct cma_dev *cdev, u32 port,
						    struct cma_id *id)
{
	struct net_device *own = ib_device_get_netdev(cdev->device, port);
	bool here = own && net_eq(dev_net(own), cma_net(id));

	dev_put(own);
	return here ? cma_iwarp_entry(cdev, port) : ERR_PTR(-ENODEV);
}

/*
 * An iWARP port is an interface, or a VLAN of it. A driver that does not say
 * which has the MAC in its GID.
 */
static const struct ib_gid_attr *cma_iwarp_source(struct cma_dev *cdev, u32 port,
						  struct cma_id *id)
{
	struct net_device *own, *ndev;
	bool same;

	own = ib_device_get_netdev(cdev->device, port);
	if (!own)
		return cma_hw_source(cdev, port, id);
	ndev = cma_netdev(id);
	same = ndev && (ndev == own || rdma_vlan_dev_real_dev(ndev) == own);
	dev_put(ndev);
	dev_put(own);
	return same ? cma_iwarp_entry(cdev, port) : ERR_PTR(-ENODEV);
}

static const struct ib_gid_attr *cma_source_on_port(struct cma_dev *cdev, u32 port,
						    struct cma_id *id)
{
	bool ipoib = cma_l2(id)->dev_type == ARPHRD_INFINIBAND;

	if (ipoib != rdma_protocol_ib(cdev->device, port))
		return ERR_PTR(-ENODEV);
	if (ipoib)
		return cma_hw_source(cdev, port, id);
	if (rdma_protocol_roce(cdev->device, port))
		return cma_roce_source(cdev, port, id);
	if (rdma_protocol_iwarp(cdev->device, port))
		return cma_iwarp_source(cdev, port, id);
	return ERR_PTR(-ENODEV);
}

/**
 * cma_device_by_source - find the device that has the local address of an id
 * @id: id without device; its address is resolved
 *
 * Context: process, may sleep. Return: 0, -ENODEV (no device has it), -EINVAL
 * (port space RDMA_PS_IPOIB on an interface that is not IPoIB).
 */
int cma_device_by_source(struct cma_id *id)
{
	if (id->pub.ps == RDMA_PS_IPOIB &&
	    cma_l2(id)->dev_type != ARPHRD_INFINIBAND)
		return -EINVAL;
	return cma_first_port(id, cma_source_on_port);
}

static int cma_resolve_ib_source(struct cma_id *id)
{
	struct sockaddr_ib *sib = (struct sockaddr_ib *)cma_src(id);
	struct rdma_dev_addr *l2 = cma_l2(id);

	l2->dev_type = ARPHRD_INFINIBAND;
	rdma_addr_set_sgid(l2, (union ib_gid *)&sib->sib_addr);
	ib_addr_set_pkey(l2, be16_to_cpu(sib->sib_pkey));
	return 0;
}

/**
 * cma_resolve_source - find the hardware address of the local address of an id
 * @id: id with an address that is not for all
 *
 * Context: process. Return: 0, -ENODEV, -EADDRNOTAVAIL as rdma_translate_ip().
 */
int cma_resolve_source(struct cma_id *id)
{
	return cma_family(id) == AF_IB ? cma_resolve_ib_source(id) :
	       rdma_translate_ip(cma_src(id), cma_l2(id));
}

/**
 * cma_has_choice - is there any device that an id might take?
 * @id: id
 *
 * Context: process, may sleep. Return: true if so.
 */
bool cma_has_choice(struct cma_id *id)
{
	struct cma_dev *cdev;
	bool found = false;

	mutex_lock(&cma_mutex);
	list_for_each_entry(cdev, &cma_devices, list)
		if (cma_is_choice(cdev, id)) {
			found = true;
			break;
		}
	mutex_unlock(&cma_mutex);
	return found;
}

static bool cma_port_is_up(struct ib_device *device, u32 port)
{
	enum ib_port_state state;

	return !ib_get_cached_port_state(device, port, &state) &&
	       state == IB_PORT_ACTIVE;
}

/* An address that others could be told, unlike ::1 and fe80::. */
static bool cma_is_address_of_family(const struct ib_gid_attr *attr, int family)
{
	struct in6_addr ip;

	memcpy(&ip, &attr->gid, sizeof(ip));
	if (ipv6_addr_v4mapped(&ip))
		return family == AF_INET;
	return family == AF_INET6 && !rdma_link_local_addr(&ip);
}

static bool cma_is_in_net(const struct ib_gid_attr *attr, const struct net *net)
{
	struct net_device *ndev;
	bool ret;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	ret = !IS_ERR(ndev) && net_eq(dev_net(ndev), net);
	rcu_read_unlock();
	return ret;
}

static const struct ib_gid_attr *cma_roce_loopback(struct cma_dev *cdev, u32 port,
						   struct cma_id *id)
{
	int size = cdev->device->port_data[port].immutable.gid_tbl_len;
	u8 type = cma_port_config(cdev, port)->gid_type;
	const struct ib_gid_attr *attr;
	int i;

	for (i = 0; i < size; i++) {
		attr = rdma_get_gid_attr(cdev->device, port, i);
		if (IS_ERR(attr))
			continue;
		if (attr->gid_type == type &&
		    cma_is_address_of_family(attr, cma_dst(id)->sa_family) &&
		    cma_is_in_net(attr, cma_net(id)))
			return attr;
		rdma_put_gid_attr(attr);
	}
	return ERR_PTR(-ENODEV);
}

static const struct ib_gid_attr *cma_loopback_port(struct cma_dev *cdev, u32 port,
						   struct cma_id *id)
{
	if (!cma_port_is_up(cdev->device, port))
		return ERR_PTR(-ENODEV);
	if (rdma_protocol_roce(cdev->device, port))
		return cma_roce_loopback(cdev, port, id);
	if (rdma_protocol_iwarp(cdev->device, port) &&
	    cma_family(id) != AF_IB)
		return cma_iwarp_loopback(cdev, port, id);
	if (cma_family(id) == AF_IB && !rdma_protocol_ib(cdev->device, port))
		return ERR_PTR(-ENODEV);
	return rdma_get_gid_attr(cdev->device, port, 0);
}

/* On RoCE an address is what packets are sent to, so 127.0.0.1 will not do. */
static int cma_take_roce_loopback(struct cma_id *id)
{
	const struct ib_gid_attr *attr = cma_l2(id)->sgid_attr;
	struct sockaddr_in6 ip = { };
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	if (!IS_ERR(ndev))
		cma_l2(id)->bound_dev_if = ndev->ifindex;
	rcu_read_unlock();
	if (IS_ERR(ndev))
		return -ENODEV;
	rdma_gid2ip((struct sockaddr *)&ip, &attr->gid);
	cma_copy_address(cma_src(id), (struct sockaddr *)&ip);
	cma_copy_address(cma_dst(id), (struct sockaddr *)&ip);
	return rdma_translate_ip(cma_src(id), cma_l2(id));
}

static int cma_take_hw_loopback(struct cma_id *id)
{
	struct rdma_dev_addr *l2 = cma_l2(id);
	u16 pkey = 0xffff;
	union ib_gid gid;

	if (rdma_protocol_ib(id->pub.device, id->pub.port_num)) {
		ib_get_cached_pkey(id->pub.device, id->pub.port_num, 0, &pkey);
		l2->dev_type = ARPHRD_INFINIBAND;
	} else {
		l2->dev_type = ARPHRD_ETHER;
	}
	/* An iWARP port may do without. */
	if (l2->sgid_attr) {
		gid = l2->sgid_attr->gid;
		rdma_addr_set_sgid(l2, &gid);
	}
	ib_addr_set_pkey(l2, pkey);
	if (cma_is_zero(cma_src(id)))
		cma_set_loopback(cma_src(id));
	if (cma_is_zero(cma_dst(id)))
		cma_set_loopback(cma_dst(id));
	return 0;
}

/**
 * cma_device_for_loopback - choose a device for a connection to this host
 * @id: id without device; its destination is a loopback address, or any address
 *
 * Its addresses are set. Context: process, may sleep. Return: 0, or -ENODEV (no
 * port is up).
 */
int cma_device_for_loopback(struct cma_id *id)
{
	int ret = cma_first_port(id, cma_loopback_port);

	if (ret)
		return ret;
	ret = cma_on_roce(id) ? cma_take_roce_loopback(id) : cma_take_hw_loopback(id);
	if (ret)
		cma_device_release(id);
	return ret;
}

/* An entry of the table in the subnet of the destination, or the same. */
static const struct ib_gid_attr *cma_gid_towards(struct cma_dev *cdev, u32 port,
						 struct cma_id *id, bool exact)
{
	struct sockaddr_ib *sib = (struct sockaddr_ib *)cma_dst(id);
	const union ib_gid *dgid = (union ib_gid *)&sib->sib_addr;
	int size = cdev->device->port_data[port].immutable.gid_tbl_len;
	const struct ib_gid_attr *attr;
	u16 index;
	int i;

	if (!rdma_protocol_ib(cdev->device, port) ||
	    !cma_port_is_up(cdev->device, port) ||
	    ib_find_cached_pkey(cdev->device, port,
				be16_to_cpu(sib->sib_pkey), &index))
		return ERR_PTR(-ENODEV);
	for (i = 0; i < size; i++) {
		attr = rdma_get_gid_attr(cdev->device, port, i);
		if (IS_ERR(attr))
			continue;
		if (exact ? !memcmp(&attr->gid, dgid, sizeof(*dgid)) :
			    attr->gid.global.subnet_prefix ==
			    dgid->global.subnet_prefix)
			return attr;
		rdma_put_gid_attr(attr);
	}
	return ERR_PTR(-ENODEV);
}

static const struct ib_gid_attr *cma_ib_itself(struct cma_dev *cdev, u32 port,
					       struct cma_id *id)
{
	return cma_gid_towards(cdev, port, id, true);
}

static const struct ib_gid_attr *cma_ib_neighbour(struct cma_dev *cdev, u32 port,
						  struct cma_id *id)
{
	return cma_gid_towards(cdev, port, id, false);
}

/**
 * cma_device_by_ib_path - choose a device for a destination of family AF_IB
 * @id: id without device, bound to any address
 *
 * A port that is the destination itself, or is in its subnet. The local address
 * becomes the port's GID. Context: process, may sleep. Return: 0, or -ENODEV.
 */
int cma_device_by_ib_path(struct cma_id *id)
{
	struct sockaddr_ib *src = (struct sockaddr_ib *)cma_src(id);
	struct sockaddr_ib *dst = (struct sockaddr_ib *)cma_dst(id);
	int ret;

	ret = cma_first_port(id, cma_ib_itself);
	if (ret)
		ret = cma_first_port(id, cma_ib_neighbour);
	if (ret)
		return ret;
	memcpy(&src->sib_addr, &cma_l2(id)->sgid_attr->gid,
	       sizeof(src->sib_addr));
	src->sib_pkey = dst->sib_pkey;
	return cma_resolve_ib_source(id);
}

/**
 * cma_device_of_request - the device that a request came in on
 * @id: id of the connection
 * @device: device
 * @port: its port
 * @sgid_attr: entry that it is for, held by the caller; or NULL
 * @sgid: its GID, when there is no entry; NULL when that is not known either
 *
 * Context: process, may sleep. Return: 0, or -ENODEV (the device goes, is not in
 * the id's namespace, or has no such GID).
 */
int cma_device_of_request(struct cma_id *id, struct ib_device *device,
			  u32 port, const struct ib_gid_attr *sgid_attr,
			  const union ib_gid *sgid)
{
	const struct ib_gid_attr *attr = sgid_attr;
	struct cma_dev *cdev;
	int ret = -ENODEV;

	if (!rdma_dev_access_netns(device, cma_net(id)))
		return ret;
	if (attr)
		rdma_hold_gid_attr(attr);
	else if (sgid)
		attr = rdma_find_gid_by_port(device, sgid, IB_GID_TYPE_IB,
					     port, NULL);
	if (IS_ERR(attr))
		return ret;

	mutex_lock(&cma_mutex);
	cdev = cma_dev_of_locked(device);
	if (cdev && cma_takes(cdev, id)) {
		cma_attach(id, cdev, port, attr);
		ret = 0;
	}
	mutex_unlock(&cma_mutex);
	if (ret && attr)
		rdma_put_gid_attr(attr);
	return ret;
}

/**
 * cma_device_of_listener - the device that an iWARP request came in on
 * @id: id of the connection; its local address is resolved
 * @cdev: device of the listener
 *
 * Context: process, may sleep. Return: 0, or -ENODEV.
 */
int cma_device_of_listener(struct cma_id *id, struct cma_dev *cdev)
{
	port_test test = cma_is_loopback(cma_src(id)) ? cma_iwarp_loopback :
							cma_source_on_port;
	int ret = -ENODEV;

	if (!rdma_dev_access_netns(cdev->device, cma_net(id)))
		return ret;
	mutex_lock(&cma_mutex);
	if (cma_takes(cdev, id))
		ret = cma_try_ports(cdev, id, test);
	mutex_unlock(&cma_mutex);
	return ret;
}

/* No removal of the device finds the id any more. */
void cma_device_detach(struct cma_id *id)
{
	mutex_lock(&cma_mutex);
	list_del_init(&id->on_dev);
	mutex_unlock(&cma_mutex);
}

/**
 * cma_device_release - take the device from an id
 * @id: id, with or without device
 *
 * After the last one a removal of the device goes on. Context: process, may
 * sleep.
 */
void cma_device_release(struct cma_id *id)
{
	struct cma_dev *cdev = id->cdev;

	if (!cdev)
		return;
	cma_device_detach(id);
	WRITE_ONCE(id->pub.device, NULL);
	id->pub.port_num = 0;
	id->cdev = NULL;
	if (cma_l2(id)->sgid_attr)
		rdma_put_gid_attr(cma_l2(id)->sgid_attr);
	cma_l2(id)->sgid_attr = NULL;
	cma_dev_put(cdev);
}

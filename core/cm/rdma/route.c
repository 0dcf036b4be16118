// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: the path to a resolved destination. InfiniBand asks the subnet
 * administrator, on RoCE the path is made here, iWARP has none.
 */
#include <linux/export.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/route.h>
#include <rdma/ib.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_user_sa.h>
#include <rdma/rdma_cm_ib.h>

#include "../../port/gid.h"
#include "cma.h"

/* Destinations off the subnet, say, are for RoCE v2 alone. */
static enum ib_gid_type cma_route_gid_type(struct cma_id *id)
{
	struct ib_device *device = id->pub.device;
	u32 port = id->pub.port_num;

	if (cma_l2(id)->network != RDMA_NETWORK_IB &&
	    ofed_gid_type_mask(device, port) & BIT(IB_GID_TYPE_ROCE_UDP_ENCAP))
		return IB_GID_TYPE_ROCE_UDP_ENCAP;
	return cma_port_config(id->cdev, port)->gid_type;
}

/* The entry for the local address was chosen before the route was known. */
static int cma_fit_sgid(struct cma_id *id, enum ib_gid_type type,
			struct net_device *ndev)
{
	const struct ib_gid_attr *attr, *old = cma_l2(id)->sgid_attr;

	if (old && old->gid_type == type)
		return 0;
	if (!old)
		return -ENODEV;
	attr = rdma_find_gid_by_port(id->pub.device, &old->gid, type,
				     id->pub.port_num, ndev);
	if (IS_ERR(attr))
		return -ENODEV;
	cma_l2(id)->sgid_attr = attr;
	rdma_put_gid_attr(old);
	return 0;
}

static u8 cma_sl_of_tos(struct net_device *ndev, u8 tos)
{
	u32 prio = rt_tos2priority(tos);
	struct net_device *real = rdma_vlan_dev_real_dev(ndev) ?: ndev;

	if (real->num_tc)
		return netdev_get_prio_tc_map(real, prio);
	if (!is_vlan_dev(ndev))
		return 0;
	return (vlan_dev_get_egress_qos_mask(ndev, prio) & VLAN_PRIO_MASK) >>
	       VLAN_PRIO_SHIFT;
}

static u8 cma_tos_of(struct cma_id *id)
{
	u8 tos;

	spin_lock_irq(&id->lock);
	tos = id->tos_set ? id->tos :
	      cma_port_config(id->cdev, id->pub.port_num)->tos;
	spin_unlock_irq(&id->lock);
	return tos;
}

/*
 * The ACK timeout is twice the life time of packets and the peer's delay (IBA
 * 12.7.34), which is little. Both are exponents; an ACK timeout of 0 means that
 * there is none.
 */
static u8 cma_roce_lifetime(struct cma_id *id)
{
	u8 ret = CMA_ROCE_LIFETIME;

	spin_lock_irq(&id->lock);
	if (id->ack_timeout_set && id->ack_timeout)
		ret = id->ack_timeout - 1;
	spin_unlock_irq(&id->lock);
	return ret;
}

static void cma_set_l2(struct cma_id *id, struct sa_path_rec *rec,
		       enum ib_gid_type type)
{
	rec->rec_type = sa_conv_gid_to_pathrec_type(type);
	rec->roce.route_resolved = true;
	sa_path_set_dmac(rec, cma_l2(id)->dst_dev_addr);
}

/* Packets of one connection shall take one way, those of two maybe two. */
static __be32 cma_flow_label(struct cma_id *id)
{
	u32 mine = be16_to_cpu(cma_port_of(cma_src(id)));
	u32 theirs = be16_to_cpu(cma_port_of(cma_dst(id)));

	if (!rdma_protocol_roce_udp_encap(id->pub.device, id->pub.port_num))
		return 0;
	return cpu_to_be32(rdma_calc_flow_label(mine, theirs));
}

static int cma_fill_roce_path(struct cma_id *id, struct sa_path_rec *rec,
			      struct net_device *ndev)
{
	const struct rdma_dev_addr *l2 = cma_l2(id);
	enum ib_gid_type type = cma_route_gid_type(id);
	int ret;

	memset(rec, 0, sizeof(*rec));
	ret = cma_fit_sgid(id, type, ndev);
	if (ret)
		return ret;
	rec->mtu = iboe_get_mtu(ndev->mtu);
	if (!rec->mtu)
		return -EINVAL;
	cma_set_l2(id, rec, type);
	rdma_ip2gid(cma_src(id), &rec->sgid);
	rdma_ip2gid(cma_dst(id), &rec->dgid);
	rec->pkey = cpu_to_be16(0xffff);
	rec->reversible = 1;
	rec->traffic_class = cma_tos_of(id);
	rec->sl = cma_sl_of_tos(ndev, rec->traffic_class);
	rec->flow_label = cma_flow_label(id);
	rec->hop_limit = l2->network != RDMA_NETWORK_IB ? l2->hoplimit : 1;
	/* No static rate: zero means the rate of the port. */
	rec->rate = IB_RATE_PORT_CURRENT;
	rec->packet_life_time = cma_roce_lifetime(id);
	rec->mtu_selector = IB_SA_EQ;
	rec->rate_selector = IB_SA_EQ;
	rec->packet_life_time_selector = IB_SA_EQ;
	return 0;
}

static bool cma_route_finish(struct cma_id *id, int status,
			     struct rdma_cm_event *event)
{
	if (cma_state_of(id) != CMA_S_ROUTE_QUERY)
		return false;
	event->event = status ? RDMA_CM_EVENT_ROUTE_ERROR :
				RDMA_CM_EVENT_ROUTE_RESOLVED;
	event->status = status;
	if (cma_move(id, status ? CMA_M_ROUTE_FAIL : CMA_M_ROUTE_KNOWN))
		return false;
	if (!status)
		cma_watch(id);
	return true;
}

/* Memory for the path; that of a query that failed is there still. */
static int cma_need_path_rec(struct cma_id *id)
{
	struct rdma_route *route = &id->pub.route;

	if (!route->path_rec)
		route->path_rec = kzalloc(sizeof(*route->path_rec),
					  GFP_KERNEL_ACCOUNT);
	return route->path_rec ? 0 : -ENOMEM;
}

static int cma_make_roce_path(struct cma_id *id)
{
	struct net_device *ndev;
	int ret;

	ret = cma_need_path_rec(id);
	if (ret)
		return ret;
	ndev = cma_netdev(id);
	if (!ndev)
		return -ENODEV;
	ret = cma_fill_roce_path(id, id->pub.route.path_rec, ndev);
	dev_put(ndev);
	if (ret)
		return ret;
	id->pub.route.num_pri_alt_paths = 1;
	cma_step_start(id, 0, cma_route_finish);
	return 0;
}

static void cma_keep_path(struct sa_path_rec **where, const struct sa_path_rec *rec)
{
	if (!*where)
		*where = kmalloc(sizeof(**where), GFP_ATOMIC);
	/* Without memory the connection goes by the primary path both ways. */
	if (*where)
		**where = *rec;
}

/*
 * Answers of a daemon may have a path each way besides the one for messages of
 * the CM; those of a subnet administrator are one path and have no flags.
 */
static int cma_take_paths(struct rdma_route *route, const struct sa_path_rec *rec,
			  unsigned int count)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!rec[i].flags || rec[i].flags & IB_PATH_GMP) {
			*route->path_rec = rec[i];
			found = true;
		} else if (rec[i].flags & IB_PATH_INBOUND) {
			cma_keep_path(&route->path_rec_inbound, &rec[i]);
		} else if (rec[i].flags & IB_PATH_OUTBOUND) {
			cma_keep_path(&route->path_rec_outbound, &rec[i]);
		}
	}
	return found ? 0 : -EINVAL;
}

static void cma_got_paths(int status, struct sa_path_rec *rec,
			  compat_num_prs count, void *context)
{
	struct cma_id *id = context;

	if (!status)
		status = cma_take_paths(&id->pub.route, rec, count);
	if (!status)
		id->pub.route.num_pri_alt_paths = 1;
	cma_step_start(id, status, cma_route_finish);
	/* The one of the query. */
	cma_id_put(id);
}

/* Quality of service as the family says it. */
static ib_sa_comp_mask cma_ask_for_qos(struct cma_id *id, struct sa_path_rec *rec)
{
	const struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)cma_src(id);
	const struct sockaddr_ib *sib = (struct sockaddr_ib *)cma_src(id);

	switch (cma_family(id)) {
	case AF_INET6:
		rec->traffic_class = be32_to_cpu(in6->sin6_flowinfo) >> 20;
		return IB_SA_PATH_REC_TRAFFIC_CLASS;
	case AF_IB:
		rec->traffic_class = be32_to_cpu(sib->sib_flowinfo) >> 20;
		return IB_SA_PATH_REC_TRAFFIC_CLASS;
	default:
		rec->qos_class = cpu_to_be16(cma_tos_of(id));
		return IB_SA_PATH_REC_QOS_CLASS;
	}
}

static int cma_ask_for_path(struct cma_id *id, unsigned long timeout_ms)
{
	ib_sa_comp_mask mask = IB_SA_PATH_REC_DGID | IB_SA_PATH_REC_SGID |
			       IB_SA_PATH_REC_PKEY | IB_SA_PATH_REC_NUMB_PATH |
			       IB_SA_PATH_REC_REVERSIBLE |
			       IB_SA_PATH_REC_SERVICE_ID;
	struct rdma_dev_addr *l2 = cma_l2(id);
	struct sa_path_rec rec = { };
	int ret;

	ret = cma_need_path_rec(id);
	if (ret)
		return ret;
	rec.rec_type = rdma_cap_opa_ah(id->pub.device, id->pub.port_num) ?
		       SA_PATH_REC_TYPE_OPA : SA_PATH_REC_TYPE_IB;
	rdma_addr_get_sgid(l2, &rec.sgid);
	rdma_addr_get_dgid(l2, &rec.dgid);
	rec.service_id = rdma_get_service_id(&id->pub, cma_dst(id));
	rec.pkey = cpu_to_be16(ib_addr_get_pkey(l2));
	rec.numb_path = 1;
	rec.reversible = 1;
	mask |= cma_ask_for_qos(id, &rec);

	/* One for the callback, one for this call: the query may end first. */
	cma_id_get(id);
	cma_id_get(id);
	ret = ib_sa_path_rec_get(&cma_sa_client, id->pub.device,
				 id->pub.port_num, &rec, mask, timeout_ms,
				 GFP_KERNEL_ACCOUNT, cma_got_paths, id, &id->sa_query);
	if (ret < 0)
		cma_id_put(id);
	else
		id->sa_query_id = ret;
	cma_id_put(id);
	return min(ret, 0);
}

/**
 * rdma_resolve_route - find the path to the destination
 * @id: id with a resolved destination
 * @timeout_ms: time until a query fails
 *
 * Ends with RDMA_CM_EVENT_ROUTE_RESOLVED, or with RDMA_CM_EVENT_ROUTE_ERROR, and
 * it may be asked again. Context: process, may sleep.
 * Return: 0, -EINVAL (state of the id, no time, an MTU too small for a packet),
 * -ENODEV (the interface or its address is gone), -ENOMEM, -ENOSYS (a port
 * without connections), or an errno of ib_sa_path_rec_get().
 */
int rdma_resolve_route(struct rdma_cm_id *id, unsigned long timeout_ms)
{
	struct cma_id *mine = cma_id_of(id);
	int ret;

	if (!timeout_ms || cma_move(mine, CMA_M_ROUTE_ASK))
		return -EINVAL;
	if (rdma_cap_ib_sa(id->device, id->port_num)) {
		ret = cma_ask_for_path(mine, timeout_ms);
	} else if (cma_on_roce(mine)) {
		ret = cma_make_roce_path(mine);
	} else if (cma_uses_iw(mine)) {
		cma_step_start(mine, 0, cma_route_finish);
		ret = 0;
	} else {
		ret = -ENOSYS;
	}
	if (ret)
		cma_move(mine, CMA_M_ROUTE_FAIL);
	return ret;
}
OFED_EXPORT(rdma_resolve_route);

static int cma_adapt_given_path(struct cma_id *id, struct sa_path_rec *rec)
{
	enum ib_gid_type type = cma_route_gid_type(id);
	struct net_device *ndev;
	int ret;

	if (!cma_on_roce(id))
		return 0;
	ndev = cma_netdev(id);
	if (!ndev)
		return -ENODEV;
	ret = cma_fit_sgid(id, type, ndev);
	dev_put(ndev);
	if (!ret)
		cma_set_l2(id, rec, type);
	return ret;
}

/**
 * rdma_set_ib_path - give an id its path
 * @id: id with a resolved destination
 * @path_rec: the path; it is copied
 *
 * In place of rdma_resolve_route(), and without an event. Context: process, may
 * sleep. Return: 0, -EINVAL (state of the id), -ENODEV (the interface or its
 * address is gone), -ENOMEM.
 */
int rdma_set_ib_path(struct rdma_cm_id *id, struct sa_path_rec *path_rec)
{
	struct cma_id *mine = cma_id_of(id);
	int ret;

	if (cma_move(mine, CMA_M_ROUTE_GIVEN))
		return -EINVAL;
	ret = cma_need_path_rec(mine);
	if (ret)
		goto err_state;
	*id->route.path_rec = *path_rec;
	ret = cma_adapt_given_path(mine, id->route.path_rec);
	if (ret)
		goto err_state;
	id->route.num_pri_alt_paths = 1;
	cma_watch(mine);
	return 0;

err_state:
	cma_move(mine, CMA_M_ROUTE_TAKEN);
	return ret;
}
OFED_EXPORT(rdma_set_ib_path);

// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: multicast groups. On InfiniBand the subnet administrator keeps them.
 * RoCE has no such administrator; routers and switches learn of a receiver by
 * IGMP or MLD.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <ofed/cma.h>
#include <net/addrconf.h>
#include <rdma/ib.h>
#include <rdma/ib_addr.h>

#include "../../sa/sa.h"
#include "cma.h"
#include "mcast.h"

/* QPN that a multicast packet is for. */
#define MULTICAST_QPN 0xffffff

static struct sockaddr *cma_group_addr(struct cma_mcast *mc)
{
	return (struct sockaddr *)&mc->addr;
}

static int cma_fill_event(struct cma_mcast *mc, int status,
			  struct ib_sa_mcmember_rec *rec, enum ib_gid_type type,
			  struct rdma_cm_event *event)
{
	struct rdma_ud_param *ud = &event->param.ud;
	struct cma_id *id = mc->id;
	struct net_device *ndev;

	ud->private_data = mc->context;
	if (!status) {
		ndev = cma_netdev(id);
		status = ib_init_ah_from_mcmember(id->pub.device,
						  id->pub.port_num, rec, ndev,
						  type, &ud->ah_attr);
		dev_put(ndev);
	}
	event->status = status;
	event->event = status ? RDMA_CM_EVENT_MULTICAST_ERROR :
				RDMA_CM_EVENT_MULTICAST_JOIN;
	if (!status) {
		ud->qp_num = MULTICAST_QPN;
		ud->qkey = be32_to_cpu(rec->qkey);
	}
	return status;
}

static void cma_mcast_report(struct cma_mcast *mc, int status,
			     struct ib_sa_mcmember_rec *rec, enum ib_gid_type type)
{
	struct rdma_cm_event event = { };
	struct cma_id *id = mc->id;
	bool has_av;

	mutex_lock(&id->handler_mutex);
	if (cma_state_of(id) != CMA_S_DEVICE_REMOVAL &&
	    cma_state_of(id) != CMA_S_DESTROYING) {
		has_av = !cma_fill_event(mc, status, rec, type, &event);
		if (cma_report(id, &event))
			cma_end_later(id);
		if (has_av)
			rdma_destroy_ah_attr(&event.param.ud.ah_attr);
	}
	mutex_unlock(&id->handler_mutex);
}

static int cma_sa_event(int status, struct ib_sa_multicast *multicast)
{
	/* The port has lost its groups; the consumer joins again if it cares. */
	if (status != -ENETRESET)
		cma_mcast_report(multicast->context, status, &multicast->rec,
				 IB_GID_TYPE_IB);
	return 0;
}

VISIBLE_IF_KUNIT void cma_roce_event(struct work_struct *work)
{
	struct cma_mcast *mc = container_of(work, struct cma_mcast, work);

	cma_mcast_report(mc, 0, &mc->rec, mc->gid_type);
}

static int cma_announce_ipv4(struct net_device *ndev, __be32 group, bool join)
{
	struct in_device *in_dev = __in_dev_get_rtnl(ndev);

	if (!in_dev)
		return -ENODEV;
	if (join)
		ip_mc_inc_group(in_dev, group);
	else
		ip_mc_dec_group(in_dev, group);
	return 0;
}

static int cma_announce_ipv6(struct net_device *ndev, const struct in6_addr *group,
			     bool join)
{
	if (!IS_ENABLED(CONFIG_IPV6) || !ipv6_mod_enabled())
		return -EAFNOSUPPORT;
	return join ? ipv6_dev_mc_inc(ndev, group) :
		      ipv6_dev_mc_dec(ndev, group);
}

static int cma_announce(struct net_device *ndev, const union ib_gid *mgid,
			bool join)
{
	struct in6_addr group;
	int ret;

	memcpy(&group, mgid, sizeof(group));
	rtnl_lock();
	if (ipv6_addr_v4mapped(&group))
		ret = cma_announce_ipv4(ndev, group.s6_addr32[3], join);
	else
		ret = cma_announce_ipv6(ndev, &group, join);
	rtnl_unlock();
	return ret;
}

/* Only receivers are announced; packets of RoCE v1 do not leave the link. */
static bool cma_is_to_be_announced(const struct cma_mcast *mc)
{
	return mc->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
	       mc->join_state != BIT(SENDONLY_FULLMEMBER_JOIN);
}

static int cma_fill_roce_rec(struct cma_mcast *mc, const struct net_device *ndev)
{
	struct ib_sa_mcmember_rec *rec = &mc->rec;
	struct cma_id *id = mc->id;
	struct in6_addr group;
	int ret;

	mc->gid_type = cma_port_config(id->cdev, id->pub.port_num)->gid_type;
	cma_mgid_roce(cma_group_addr(mc), mc->gid_type, &rec->mgid);
	memcpy(&group, &rec->mgid, sizeof(group));
	if (!rdma_is_multicast_addr(&group))
		return -EINVAL;
	ret = cma_default_qkey(id);
	if (ret)
		return ret;
	rec->mtu = iboe_get_mtu(ndev->mtu);
	if (!rec->mtu)
		return -EINVAL;
	rdma_ip2gid(cma_src(id), &rec->port_gid);
	rec->qkey = cpu_to_be32(id->qkey);
	rec->pkey = cpu_to_be16(0xffff);
	rec->rate = IB_RATE_PORT_CURRENT;
	rec->join_state = mc->join_state;
	rec->hop_limit = mc->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP ?
			 IPV6_DEFAULT_HOPLIMIT : 1;
	return 0;
}

static int cma_join_roce(struct cma_mcast *mc)
{
	struct net_device *ndev;
	int ret;

	if (cma_group_addr(mc)->sa_family == AF_IB)
		return -EINVAL;
	ndev = cma_netdev(mc->id);
	if (!ndev)
		return -ENODEV;
	ret = cma_fill_roce_rec(mc, ndev);
	if (!ret && cma_is_to_be_announced(mc)) {
		ret = cma_announce(ndev, &mc->rec.mgid, true);
		mc->announced = !ret;
	}
	dev_put(ndev);
	if (!ret)
		queue_work(cma_wq, &mc->work);
	return ret;
}

/* The group is like the broadcast group of the IPoIB interface. */
static int cma_join_ib(struct cma_mcast *mc)
{
	ib_sa_comp_mask mask = IB_SA_MCMEMBER_REC_MGID |
			       IB_SA_MCMEMBER_REC_PORT_GID |
			       IB_SA_MCMEMBER_REC_JOIN_STATE |
			       IB_SA_MCMEMBER_REC_PKEY |
			       IB_SA_MCMEMBER_REC_QKEY |
			       IB_SA_MCMEMBER_REC_SL |
			       IB_SA_MCMEMBER_REC_TRAFFIC_CLASS |
			       IB_SA_MCMEMBER_REC_FLOW_LABEL;
	struct ib_sa_mcmember_rec rec = { };
	struct ib_sa_multicast *sa;
	struct cma_id *id = mc->id;
	int ret;

	/* An old administrator would take the bit for nothing. */
	if (mc->join_state == BIT(SENDONLY_FULLMEMBER_JOIN)) {
		ret = ofed_sa_sendonly_fullmember(id->pub.device,
						  id->pub.port_num);
		if (ret)
			return ret;
	}
	ib_addr_get_mgid(cma_l2(id), &rec.mgid);
	ret = ib_sa_get_mcmember_rec(id->pub.device, id->pub.port_num,
				     &rec.mgid, &rec);
	if (!ret)
		ret = cma_default_qkey(id);
	if (ret)
		return ret;
	cma_mgid_ib(cma_group_addr(mc), cma_l2(id)->broadcast, id->pub.ps,
		    &rec.mgid);
	rdma_addr_get_sgid(cma_l2(id), &rec.port_gid);
	rec.pkey = cpu_to_be16(ib_addr_get_pkey(cma_l2(id)));
	rec.qkey = cpu_to_be32(id->qkey);
	rec.join_state = mc->join_state;
	if (id->pub.ps == RDMA_PS_IPOIB)
		mask |= IB_SA_MCMEMBER_REC_RATE |
			IB_SA_MCMEMBER_REC_RATE_SELECTOR |
			IB_SA_MCMEMBER_REC_MTU |
			IB_SA_MCMEMBER_REC_MTU_SELECTOR |
			IB_SA_MCMEMBER_REC_HOP_LIMIT;
	sa = ib_sa_join_multicast(&cma_sa_client, id->pub.device,
				  id->pub.port_num, &rec, mask,
				  GFP_KERNEL_ACCOUNT, cma_sa_event, mc);
	if (IS_ERR(sa))
		return PTR_ERR(sa);
	mc->sa = sa;
	return 0;
}

/* Waits for the event, if it is being told. */
static void cma_leave(struct cma_mcast *mc)
{
	struct net_device *ndev;

	if (mc->sa)
		ib_sa_free_multicast(mc->sa);
	cancel_work_sync(&mc->work);
	if (mc->announced) {
		ndev = cma_netdev(mc->id);
		if (ndev)
			cma_announce(ndev, &mc->rec.mgid, false);
		dev_put(ndev);
	}
	kfree(mc);
}

static bool cma_can_join(struct cma_id *id)
{
	enum cma_state state = cma_state_of(id);

	/* The QP of a kernel consumer would have to be attached as well. */
	return cma_device(id) && !id->pub.qp && id->pub.qp_type == IB_QPT_UD &&
	       (state == CMA_S_ADDR_BOUND || state == CMA_S_ADDR_RESOLVED);
}

/**
 * rdma_join_multicast - join a group
 * @id: id of type IB_QPT_UD without a QP from rdma_create_qp(), bound or with a
 *	resolved address, on a device
 * @addr: address of the group; an IP address is mapped, one of family AF_IB is
 *	  the GID
 * @join_state: bits of enum ib_sa_mc_join_states
 * @context: comes back as private_data of the events
 *
 * Ends with RDMA_CM_EVENT_MULTICAST_JOIN, or RDMA_CM_EVENT_MULTICAST_ERROR; the
 * group is to be left in both cases. Context: process, may sleep; takes the
 * rtnl.
 * Return: 0, -EINVAL (state or type of the id, not an address of a group),
 * -ENOSYS (iWARP), -ENODEV (the interface is gone), -EOPNOTSUPP (the subnet
 * administrator knows no full members that only send), -ENOMEM, or an errno of
 * ib_sa_join_multicast().
 */
int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr,
			u8 join_state, void *context)
{
	struct cma_id *mine = cma_id_of(id);
	struct cma_mcast *mc;
	int ret;

	if (!cma_can_join(mine) || !rdma_addr_size(addr))
		return -EINVAL;
	mc = kzalloc(sizeof(*mc), GFP_KERNEL_ACCOUNT);
	if (!mc)
		return -ENOMEM;
	memcpy(&mc->addr, addr, rdma_addr_size(addr));
	INIT_WORK(&mc->work, cma_roce_event);
	mc->join_state = join_state;
	mc->context = context;
	mc->id = mine;
	mutex_lock(&cma_mutex);
	list_add(&mc->list, &mine->mcast);
	mutex_unlock(&cma_mutex);

	if (cma_on_roce(mine))
		ret = cma_join_roce(mc);
	else if (rdma_cap_ib_mcast(id->device, id->port_num))
		ret = cma_join_ib(mc);
	else
		ret = -ENOSYS;
	if (!ret)
		return 0;

	mutex_lock(&cma_mutex);
	list_del(&mc->list);
	mutex_unlock(&cma_mutex);
	kfree(mc);
	return ret;
}
OFED_EXPORT(rdma_join_multicast);

static bool cma_has_address(const struct cma_mcast *mc, const void *addr)
{
	return !memcmp(&mc->addr, addr, rdma_addr_size(addr));
}

static bool cma_has_context(const struct cma_mcast *mc, const void *context)
{
	return mc->context == context;
}

static bool cma_mcast_is_any(const struct cma_mcast *mc, const void *unused)
{
	return true;
}

/* Takes a group off the list. The caller leaves that group. */
static struct cma_mcast *
cma_take_group(struct cma_id *id,
	       bool (*suits)(const struct cma_mcast *mc, const void *what),
	       const void *what)
{
	struct cma_mcast *mc, *found = NULL;

	mutex_lock(&cma_mutex);
	list_for_each_entry(mc, &id->mcast, list)
		if (suits(mc, what)) {
			list_del(&mc->list);
			found = mc;
			break;
		}
	mutex_unlock(&cma_mutex);
	return found;
}

/**
 * rdma_leave_multicast - leave a group
 * @id: id
 * @addr: address as given to rdma_join_multicast()
 *
 * No event of the group comes any more. Of two joins of one address the later
 * one is undone. Context: process, may sleep; takes the rtnl; not from a handler.
 */
void rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr)
{
	struct cma_mcast *mc = cma_take_group(cma_id_of(id), cma_has_address, addr);

	if (mc)
		cma_leave(mc);
}
OFED_EXPORT(rdma_leave_multicast);

/**
 * ofed_cma_leave - leave the group that was joined with a context
 * @id: id
 * @context: as given to rdma_join_multicast(), of one join alone
 *
 * As rdma_leave_multicast(), for consumers that join an address more than once.
 * No event with @context comes after this returns. Context: process, may sleep;
 * takes the rtnl; not from a handler.
 */
void ofed_cma_leave(struct rdma_cm_id *id, const void *context)
{
	struct cma_mcast *mc = cma_take_group(cma_id_of(id), cma_has_context, context);

	if (mc)
		cma_leave(mc);
}
EXPORT_SYMBOL_GPL(ofed_cma_leave);

/* For the end of an id. Context: process, may sleep. */
void cma_mcast_leave_all(struct cma_id *id)
{
	struct cma_mcast *mc;

	while ((mc = cma_take_group(id, cma_mcast_is_any, NULL)))
		cma_leave(mc);
}

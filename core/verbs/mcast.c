// SPDX-License-Identifier: GPL-2.0
/* Membership of UD QPs in multicast groups (IBA vol. 1 section 10.5). */
#include <linux/in6.h>
#include <ofed/refuse.h>
#include <ofed/verbs.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>

static bool ofed_port_is_ib(struct ib_device *device, u32 port)
{
	return rdma_port_get_link_layer(device, port) ==
	       IB_LINK_LAYER_INFINIBAND;
}

/*
 * Annex A16 lets RoCE ignore the LID of a multicast group. A QP has its port
 * from Init on; before that, the LID is checked if all ports are InfiniBand.
 */
static bool ofed_mcast_lid_matters(struct ib_qp *qp)
{
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr attr = {};
	u32 port;

	if (!ib_query_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT, &init) &&
	    attr.qp_state != IB_QPS_RESET)
		return ofed_port_is_ib(qp->device, attr.port_num);

	rdma_for_each_port(qp->device, port)
		if (!ofed_port_is_ib(qp->device, port))
			return false;
	return true;
}

static bool ofed_mcast_is_possible(const struct ib_qp *qp, const union ib_gid *gid)
{
	return qp->qp_type == IB_QPT_UD &&
	       rdma_is_multicast_addr((struct in6_addr *)gid);
}

static bool ofed_mcast_is_ok(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	if (!ofed_mcast_is_possible(qp, gid))
		return false;
	if (lid >= be16_to_cpu(IB_MULTICAST_LID_BASE) &&
	    lid != be16_to_cpu(IB_LID_PERMISSIVE))
		return true;
	return !ofed_mcast_lid_matters(qp);
}

/**
 * ib_attach_mcast - let a UD QP receive what is sent to a multicast group
 * @qp: the QP; busy until it is detached
 * @gid: of the group
 * @lid: of the group, in host order; ignored by RoCE
 *
 * IBA vol. 1 chapter 11, Attach QP to Multicast Group.
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP (driver has none), -EINVAL (no UD QP, or no multicast
 * address), or the driver's errno.
 */
int ib_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret;

	if (!qp->device->ops.attach_mcast)
		return ofed_refuse_op(qp->device, "attach_mcast");
	if (!ofed_mcast_is_ok(qp, gid, lid))
		return ofed_refuse(qp->device, -EINVAL,
				   "QP %u of type %u can not join group %pI6c, LID %u",
				   qp->qp_num, qp->qp_type, gid->raw, lid);

	ret = qp->device->ops.attach_mcast(qp, gid, lid);
	if (!ret)
		atomic_inc(&qp->usecnt);
	return ret;
}
OFED_EXPORT(ib_attach_mcast);

/**
 * ib_detach_mcast - end what ib_attach_mcast() began
 * @qp: the QP
 * @gid: of the group
 * @lid: of the group, in host order; ignored by RoCE
 *
 * IBA vol. 1 chapter 11, Detach QP from Multicast Group. The LID is not checked
 * again: the QP may have another port by now, where the LID would be wrong.
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP (driver has none), -EINVAL (no UD QP, or no multicast
 * address), or the driver's errno.
 */
int ib_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	const struct ib_device_ops *ops = &qp->device->ops;
	int ret;

	if (!ops->detach_mcast)
		return ofed_refuse_op(qp->device, "detach_mcast");
	if (!ofed_mcast_is_possible(qp, gid))
		return ofed_refuse(qp->device, -EINVAL,
				   "QP %u of type %u is in no group %pI6c",
				   qp->qp_num, qp->qp_type, gid->raw);

	ret = ops->detach_mcast(qp, gid, lid);
	if (!ret)
		atomic_dec(&qp->usecnt);
	return ret;
}
OFED_EXPORT(ib_detach_mcast);

/**
 * ofed_end_mcast - detach a QP that is about to be destroyed
 * @qp: the QP; not busy with this group any more, whatever the driver says
 * @gid: of the group
 * @lid: as it was attached with
 *
 * A driver may know a group by its GID alone, and has left it before then.
 */
void ofed_end_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret = ib_detach_mcast(qp, gid, lid);

	if (!ret)
		return;
	ibdev_dbg(qp->device, "QP %u stays in group %pI6: %d\n", qp->qp_num,
		  gid->raw, ret);
	atomic_dec(&qp->usecnt);
}
EXPORT_SYMBOL_GPL(ofed_end_mcast);

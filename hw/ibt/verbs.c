// SPDX-License-Identifier: GPL-2.0
/* Attributes of a device and its ports, and objects without state. */
#include <ofed/refuse.h>
#include <rdma/ib_mad.h>
#include <uapi/ofed/ofed_user_verbs.h>

#include "../soft/context.h"
#include "../soft/cq.h"
#include "../soft/dev.h"
#include "../soft/ident.h"
#include "dev.h"
#include "limits.h"
#include "link.h"
#include "port.h"
#include "verbs.h"

#define IBT_CAPS (							\
	IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |		\
	IB_DEVICE_AUTO_PATH_MIG | IB_DEVICE_CURR_QP_STATE_MOD |		\
	IB_DEVICE_PORT_ACTIVE_EVENT | IB_DEVICE_SYS_IMAGE_GUID |	\
	IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_SRQ_RESIZE |		\
	IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B |		\
	IB_DEVICE_XRC | IB_DEVICE_ATOMIC_WRITE | COMPAT_DEVICE_FLUSH)

static void ibt_say_queues(struct ib_device_attr *attr)
{
	attr->max_qp_wr = IBT_MAX_QP_WR;
	attr->max_send_sge = IBT_MAX_SGE;
	attr->max_recv_sge = IBT_MAX_SGE;
	attr->max_sge_rd = IBT_MAX_SGE;
	attr->max_qp_rd_atom = IBT_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = IBT_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = IBT_MAX_RD_ATOMIC * attr->max_qp;
	attr->max_cqe = IBT_MAX_CQE;
	attr->max_srq_wr = IBT_MAX_SRQ_WR;
	attr->max_srq_sge = IBT_MAX_SGE;
	attr->max_mcast_grp = IBT_MAX_GROUPS;
	attr->max_mcast_qp_attach = IBT_MAX_MCAST_QP;
	attr->max_total_mcast_qp_attach = IBT_MAX_MEMBERS;
}

/*
 * Datagrams that find their place absent are dropped, so receiving them is not announced. What
 * a transport does with a shared receive queue it does with its own.
 */
static void ibt_say_on_demand(struct ib_device_attr *attr)
{
	struct ib_odp_caps *caps = &attr->odp_caps;

	if (!IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING))
		return;
	attr->kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	caps->general_caps = IB_ODP_SUPPORT | IB_ODP_SUPPORT_IMPLICIT;
	caps->per_transport_caps.rc_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_SRQ_RECV |
		IB_ODP_SUPPORT_WRITE | IB_ODP_SUPPORT_READ | IB_ODP_SUPPORT_ATOMIC;
	caps->per_transport_caps.uc_odp_caps =
		IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_WRITE;
	caps->per_transport_caps.ud_odp_caps = IB_ODP_SUPPORT_SEND;
}

static int ibt_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			    struct ib_udata *udata)
{
	struct ibt_dev *dev = to_ibt_dev(ib);
	u16 pkeys = 0;
	int ret;
	u32 i;

	ret = soft_query_device(ib, attr, udata);
	if (ret)
		return ret;
	for (i = 0; i < dev->num_ports; i++)
		pkeys = max(pkeys, dev->ports[i].num_pkeys);

	if (dev->sys_image_guid)
		attr->sys_image_guid = dev->sys_image_guid;
	attr->device_cap_flags |= IBT_CAPS;
	attr->kernel_cap_flags |= dev->link_caps;
	if (dev->link->offload) {
		attr->device_cap_flags |= IB_DEVICE_UD_IP_CSUM;
		attr->kernel_cap_flags |= IBK_UD_TSO;
	}
	/* word.c: by instructions of the processor, which no other processor comes between. */
	attr->atomic_cap = IB_ATOMIC_GLOB;
	attr->max_fast_reg_page_list_len = IBT_MAX_FAST_PAGES;
	attr->max_pkeys = pkeys;
	/* 134 ms: a loaded host may be slow to schedule the receive path. */
	attr->local_ca_ack_delay = 15;
	attr->cq_caps.max_cq_moderation_count = U16_MAX;
	attr->cq_caps.max_cq_moderation_period = U16_MAX;
	ibt_say_queues(attr);
	ibt_say_on_demand(attr);
	return 0;
}

static int ibt_modify_device(struct ib_device *ib, int mask,
			     struct ib_device_modify *modify)
{
	if (mask & ~(IB_DEVICE_MODIFY_NODE_DESC |
		     IB_DEVICE_MODIFY_SYS_IMAGE_GUID))
		return ofed_refuse(ib, -EOPNOTSUPP, "attributes 0x%x of the device",
				   mask);
	if (mask & IB_DEVICE_MODIFY_SYS_IMAGE_GUID)
		ib->attrs.sys_image_guid =
			cpu_to_be64(modify->sys_image_guid);
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ib->node_desc, modify->node_desc,
		       sizeof(ib->node_desc));
	return 0;
}

/*
 * @attr is zeroed. The engine fills in its part first, and the link may override it.
 */
static int ibt_query_port(struct ib_device *ib, u32 port_num,
			  struct ib_port_attr *attr)
{
	struct ibt_dev *dev = to_ibt_dev(ib);
	struct ibt_port *port = ibt_dev_port(dev, port_num);

	if (!port)
		return -EINVAL;
	attr->max_mtu = ib_mtu_int_to_enum(dev->link->max_mtu);
	attr->max_msg_sz = IBT_MAX_MSG_BYTES;
	attr->max_vl_num = 1;
	attr->port_cap_flags = READ_ONCE(port->cap_mask);
	attr->pkey_tbl_len = port->num_pkeys;
	attr->bad_pkey_cntr = atomic_read(&port->bad_pkeys);
	attr->qkey_viol_cntr = atomic_read(&port->bad_qkeys);
	return dev->link->query_port(port, attr);
}

static int ibt_modify_port(struct ib_device *ib, u32 port_num, int mask,
			   struct ib_port_modify *modify)
{
	struct ibt_port *port = ibt_dev_port(to_ibt_dev(ib), port_num);

	if (!port)
		return ofed_refuse(ib, -EINVAL, "there is no port %u", port_num);
	if (mask & ~IB_PORT_RESET_QKEY_CNTR)
		return ofed_refuse(ib, -EOPNOTSUPP, "attributes 0x%x of port %u", mask,
				   port_num);
	if (mask & IB_PORT_RESET_QKEY_CNTR)
		atomic_set(&port->bad_qkeys, 0);
	/* Kernel services set and clear capability flags of their own. */
	WRITE_ONCE(port->cap_mask,
		   (READ_ONCE(port->cap_mask) | modify->set_port_cap_mask) &
		   ~modify->clr_port_cap_mask);
	return 0;
}

static int ibt_query_pkey(struct ib_device *ib, u32 port_num, u16 index,
			  u16 *pkey)
{
	struct ibt_port *port = ibt_dev_port(to_ibt_dev(ib), port_num);

	if (!port || index >= port->num_pkeys)
		return -EINVAL;
	*pkey = READ_ONCE(port->pkeys[index]);
	return 0;
}

static int ibt_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata)
{
	return soft_open_context(ib, udata, OFED_FEATURE_CQ_TIME | OFED_FEATURE_DOORBELLS |
				 OFED_FEATURE_TAG_MATCHING, IBT_MAX_INLINE);
}

static void ibt_dealloc_ucontext(struct ib_ucontext *ib)
{
	soft_close_context(ib);
}

/*
 * Empty, but with this op the core can remove the device while its files are open. Their
 * mappings stay valid, as plain memory.
 */
static void ibt_disassociate_ucontext(struct ib_ucontext *ib)
{
}

/* A process that was handed the file takes over what is in it; the device has nothing to add. */
static int ibt_query_ucontext(struct ib_ucontext *ib, struct uverbs_attr_bundle *attrs)
{
	return 0;
}

static int ibt_alloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	return 0;
}

static int ibt_dealloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata)
{
	return 0;
}

const struct ib_device_ops ibt_verbs_ops = {
	.query_device = ibt_query_device,
	.modify_device = ibt_modify_device,
	.get_dev_fw_str = soft_get_dev_fw_str,
	.query_port = ibt_query_port,
	.modify_port = ibt_modify_port,
	.query_pkey = ibt_query_pkey,
	.alloc_ucontext = ibt_alloc_ucontext,
	.dealloc_ucontext = ibt_dealloc_ucontext,
	.disassociate_ucontext = ibt_disassociate_ucontext,
	.query_ucontext = ibt_query_ucontext,
	.alloc_xrcd = ibt_alloc_xrcd,
	.dealloc_xrcd = ibt_dealloc_xrcd,
	.modify_cq = soft_modify_cq,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, soft_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, ibt_xrcd, ib),
};

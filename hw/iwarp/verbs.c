// SPDX-License-Identifier: GPL-2.0
/* What a device and its port say of themselves, and objects without a state. */
#include <ofed/refuse.h>
#include <rdma/ib_mad.h>

#include "../soft/mr.h"
#include "../soft/speed.h"
#include "dev.h"

struct iw_ucontext {
	struct ib_ucontext ib;
};

static int iw_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			   struct ib_udata *udata)
{
	int ret = soft_query_device(ib, attr, udata);

	if (ret)
		return ret;
	attr->max_fast_reg_page_list_len = IW_MAX_FAST_PAGES;
	attr->max_qp_wr = IW_MAX_QP_WR;
	attr->max_send_sge = IW_MAX_SGE;
	attr->max_recv_sge = IW_MAX_SGE;
	attr->max_sge_rd = IW_MAX_SGE;
	attr->max_qp_rd_atom = IW_MAX_DEPTH;
	attr->max_qp_init_rd_atom = IW_MAX_DEPTH;
	attr->max_res_rd_atom = IW_MAX_DEPTH * attr->max_qp;
	attr->max_cqe = IW_MAX_CQE;
	attr->max_srq_wr = IW_MAX_SRQ_WR;
	attr->max_srq_sge = IW_MAX_SGE;
	attr->atomic_cap = IB_ATOMIC_NONE;
	return 0;
}

/* @attr has MTUs and state already: the core knows those of an iWARP port. */
static int iw_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct net_device *ndev = iw_get_ndev(to_iw_dev(ib));

	attr->gid_tbl_len = 1;
	attr->max_msg_sz = IW_MAX_MSG_BYTES;
	attr->max_vl_num = 1;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	soft_eth_speed(ib, port, ndev, attr);
	dev_put(ndev);
	return 0;
}

static int iw_get_port_immutable(struct ib_device *ib, u32 port,
				 struct ib_port_immutable *immutable)
{
	immutable->gid_tbl_len = 1;
	immutable->core_cap_flags = RDMA_CORE_PORT_IWARP;
	return 0;
}

static int iw_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	if (index)
		return -EINVAL;
	*gid = to_iw_dev(ib)->gid;
	return 0;
}

static struct net_device *iw_get_netdev(struct ib_device *ib, u32 port)
{
	return port == 1 ? iw_get_ndev(to_iw_dev(ib)) : NULL;
}

static int iw_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata)
{
	struct siw_uresp_alloc_ctx resp = { .dev_id = ib->device->index };

	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

static void iw_dealloc_ucontext(struct ib_ucontext *ib)
{
}

/*
 * Being there is what counts: it lets the device go while files are open. What
 * they map stays theirs as plain memory.
 */
static void iw_disassociate_ucontext(struct ib_ucontext *ib)
{
}

/* The key that a program proposes is ignored: a peer may know it from an old region. */
static struct ib_mr *iw_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
				    u64 virt_addr, int access,
				    COMPAT_DMAH_PARAM struct ib_udata *udata)
{
	struct siw_uresp_reg_mr resp = {};
	struct ib_mr *mr;
	int ret;

	if (udata && ofed_too_short(pd->device, "MR answer",
				    udata->outlen, sizeof(resp)))
		return ERR_PTR(-EINVAL);
	mr = soft_reg_user_mr(pd, start, length, virt_addr, access,
			      COMPAT_DMAH_ARG udata);
	if (IS_ERR(mr) || !udata)
		return mr;
	resp.stag = mr->rkey;
	ret = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (!ret)
		return mr;
	pd->device->ops.dereg_mr(mr, NULL);
	return ERR_PTR(ret);
}

const struct ib_device_ops iw_verbs_ops = {
	.device_group = &soft_device_group,
	.query_device = iw_query_device,
	.get_dev_fw_str = soft_get_dev_fw_str,
	.query_port = iw_query_port,
	.get_port_immutable = iw_get_port_immutable,
	.query_gid = iw_query_gid,
	.get_netdev = iw_get_netdev,
	.alloc_ucontext = iw_alloc_ucontext,
	.dealloc_ucontext = iw_dealloc_ucontext,
	.disassociate_ucontext = iw_disassociate_ucontext,
	.reg_user_mr = iw_reg_user_mr,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, iw_ucontext, ib),
};

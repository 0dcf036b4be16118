// SPDX-License-Identifier: GPL-2.0
/*
 * What a QP needs for RDMA READ and WRITE of kernel consumers (rw.c): length of
 * its send queue, and the pools of its regions.
 */
#include <linux/moduleparam.h>
#include <rdma/ib_verbs.h>
#include <rdma/mr_pool.h>
#include <rdma/rw.h>

#include "rw.h"
#include "rw_plan.h"

/* A page list longer than this costs more to post than a second region. */
#define REGION_PAGES_MAX 256

bool ofed_rw_force_mr;
module_param_named(force_mr, ofed_rw_force_mr, bool, 0);
MODULE_PARM_DESC(force_mr,
		 "Force usage of MRs for RDMA READ/WRITE operations");

static bool rw_may_register(struct ib_device *device, u32 port)
{
	return ofed_rw_force_mr || device->attrs.max_sgl_rd ||
	       rdma_protocol_iwarp(device, port);
}

/**
 * ofed_rw_region_pages - how many pages one region covers
 * @device: device
 * @integrity: of a region with a signature
 *
 * Context: any. Return: the number, 1 or more.
 */
u32 ofed_rw_region_pages(const struct ib_device *device, bool integrity)
{
	u32 pages = integrity ? device->attrs.max_pi_fast_reg_page_list_len :
				device->attrs.max_fast_reg_page_list_len;

	return clamp_t(u32, pages, 1, REGION_PAGES_MAX);
}

/**
 * rdma_rw_mr_factor - contexts that one transfer takes at most
 * @device: device
 * @port_num: its port
 * @maxpages: pages of the largest transfer
 *
 * For cap.max_rdma_ctxs: so many per transfer. Context: any.
 * Return: the number.
 */
unsigned int rdma_rw_mr_factor(struct ib_device *device, u32 port_num,
			       unsigned int maxpages)
{
	const u32 pages = rw_may_register(device, port_num) ?
			  ofed_rw_region_pages(device, false) :
			  max_t(u32, device->attrs.max_sge_rd, 1);

	return DIV_ROUND_UP(maxpages, pages);
}
OFED_EXPORT(rdma_rw_mr_factor);

/**
 * rdma_rw_max_send_wr - work requests that contexts take at most
 * @dev: device
 * @port_num: its port
 * @max_rdma_ctxs: number of contexts
 * @create_flags: IB_QP_CREATE_* of the QP
 *
 * What ib_create_qp() adds to cap.max_send_wr for cap.max_rdma_ctxs, for
 * consumers that size a CQ. Context: any. Return: the number, at most UINT_MAX.
 */
unsigned int rdma_rw_max_send_wr(struct ib_device *dev, u32 port_num,
				 unsigned int max_rdma_ctxs, u32 create_flags)
{
	const bool registers = create_flags & IB_QP_CREATE_INTEGRITY_EN ||
			       rw_may_register(dev, port_num);
	unsigned int wrs;

	if (check_mul_overflow(max_rdma_ctxs,
			       (unsigned int)ofed_rw_wrs_per_ctx(registers),
			       &wrs))
		return UINT_MAX;
	return wrs;
}
OFED_EXPORT(rdma_rw_max_send_wr);

/**
 * rdma_rw_init_qp - make room in the queue of a QP that is to be created
 * @dev: device
 * @attr: in and out; cap.max_rdma_ctxs is not 0
 *
 * A device that has not so many gives what it has: the consumer counts.
 */
void rdma_rw_init_qp(struct ib_device *dev, struct ib_qp_init_attr *attr)
{
	const u64 wanted = (u64)attr->cap.max_send_wr +
			   rdma_rw_max_send_wr(dev, attr->port_num,
					       attr->cap.max_rdma_ctxs,
					       attr->create_flags);

	attr->cap.max_send_wr = min_t(u64, wanted, dev->attrs.max_qp_wr);
}

/**
 * rdma_rw_init_mrs - fill the pools of a new QP
 * @qp: the QP
 * @attr: what it was created with
 *
 * Context: process, may sleep. Return: 0 or an errno of ib_mr_pool_init(): then
 * the pools are empty.
 */
int rdma_rw_init_mrs(struct ib_qp *qp, struct ib_qp_init_attr *attr)
{
	struct ib_device *device = qp->pd->device;
	const bool integrity = attr->create_flags & IB_QP_CREATE_INTEGRITY_EN;
	const u32 pages = ofed_rw_region_pages(device, integrity);
	const u32 regions = attr->cap.max_rdma_ctxs;
	int ret;

	if (!integrity && !rw_may_register(device, attr->port_num))
		return 0;
	ret = ib_mr_pool_init(qp, &qp->rdma_mrs, regions, IB_MR_TYPE_MEM_REG,
			      pages, 0);
	if (ret || !integrity)
		return ret;
	ret = ib_mr_pool_init(qp, &qp->sig_mrs, regions,
			      IB_MR_TYPE_INTEGRITY, pages, pages);
	if (ret)
		ib_mr_pool_destroy(qp, &qp->rdma_mrs);
	return ret;
}

/**
 * rdma_rw_cleanup_mrs - empty the pools of a QP
 * @qp: the QP, which the device uses no more
 *
 * Context: process, may sleep.
 */
void rdma_rw_cleanup_mrs(struct ib_qp *qp)
{
	WARN_ON_ONCE(qp->mrs_used);
	ib_mr_pool_destroy(qp, &qp->sig_mrs);
	ib_mr_pool_destroy(qp, &qp->rdma_mrs);
}

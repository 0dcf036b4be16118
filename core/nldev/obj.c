// SPDX-License-Identifier: GPL-2.0
/* NLDEV: what is told of contexts, PDs, MRs and CQs. */
#include <net/netlink.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#include "nldev.h"

/* Every kind of uobject begins with a struct ib_uobject. */
static int nldev_put_context(struct sk_buff *msg, const void *uobject)
{
	const struct ib_uobject *base = uobject;

	return nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CTXN,
			   base->context->res.id);
}

static int nldev_put_use_count(struct sk_buff *msg, const atomic_t *usecnt)
{
	return nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_RES_USECNT,
				 atomic_read(usecnt), RDMA_NLDEV_ATTR_PAD);
}

/* nldev_kind.fill */
int ofed_nldev_put_ctx(struct sk_buff *msg, struct rdma_restrack_entry *res,
		       const struct nldev_req *req)
{
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CTXN, res->id))
		return -EMSGSIZE;
	return ofed_nldev_put_owner(msg, res);
}

/* The key of all memory, and its use by peers, is for administrators only. */
static int nldev_put_pd_keys(struct sk_buff *msg, const struct ib_pd *pd)
{
	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LOCAL_DMA_LKEY,
			pd->local_dma_lkey))
		return -EMSGSIZE;
	if (!(pd->flags & IB_PD_UNSAFE_GLOBAL_RKEY))
		return 0;
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_UNSAFE_GLOBAL_RKEY,
			   pd->unsafe_global_rkey);
}

/* nldev_kind.fill */
int ofed_nldev_put_pd(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_req *req)
{
	const struct ib_pd *pd = container_of(res, struct ib_pd, res);

	if (req->admin && nldev_put_pd_keys(msg, pd))
		return -EMSGSIZE;
	if (nldev_put_use_count(msg, &pd->usecnt) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, res->id))
		return -EMSGSIZE;
	if (!rdma_is_kernel_res(res) && nldev_put_context(msg, pd->uobject))
		return -EMSGSIZE;
	return ofed_nldev_put_owner(msg, res);
}

static int nldev_put_mr_keys(struct sk_buff *msg, const struct ib_mr *mr)
{
	return nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_RKEY, mr->rkey) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LKEY, mr->lkey);
}

/* nldev_kind.fill */
int ofed_nldev_put_mr(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_req *req)
{
	struct ib_mr *mr = container_of(res, struct ib_mr, res);
	int ret;

	if (req->admin && nldev_put_mr_keys(msg, mr))
		return -EMSGSIZE;
	if (nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_RES_MRLEN, mr->length,
			      RDMA_NLDEV_ATTR_PAD) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_MRN, res->id))
		return -EMSGSIZE;
	if (!rdma_is_kernel_res(res) &&
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PDN, mr->pd->res.id))
		return -EMSGSIZE;
	ret = ofed_nldev_put_owner(msg, res);
	if (!ret && mr->device->ops.fill_res_mr_entry)
		ret = mr->device->ops.fill_res_mr_entry(msg, mr);
	return ret;
}

/* nldev_kind.fill */
int ofed_nldev_put_mr_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
			  const struct nldev_req *req)
{
	struct ib_mr *mr = container_of(res, struct ib_mr, res);

	if (!mr->device->ops.fill_res_mr_entry_raw)
		return ofed_refuse(mr->device, -EINVAL,
				   "the driver has no fill_res_mr_entry_raw");
	return mr->device->ops.fill_res_mr_entry_raw(msg, mr);
}

/* Users poll as they like, so how it is done is told of the kernel's only. */
static int nldev_put_cq_owner(struct sk_buff *msg, const struct ib_cq *cq)
{
	if (rdma_is_kernel_res(&cq->res)) {
		if (nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_POLL_CTX, cq->poll_ctx))
			return -EMSGSIZE;
	} else if (nldev_put_context(msg, cq->uobject)) {
		return -EMSGSIZE;
	}
	return ofed_nldev_put_owner(msg, &cq->res);
}

/* nldev_kind.fill */
int ofed_nldev_put_cq(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_req *req)
{
	struct ib_cq *cq = container_of(res, struct ib_cq, res);
	int ret;

	if (nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQE, cq->cqe) ||
	    nldev_put_use_count(msg, &cq->usecnt) ||
	    nla_put_u8(msg, RDMA_NLDEV_ATTR_DEV_DIM, !!cq->dim) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_CQN, res->id))
		return -EMSGSIZE;
	ret = nldev_put_cq_owner(msg, cq);
	if (!ret && cq->device->ops.fill_res_cq_entry)
		ret = cq->device->ops.fill_res_cq_entry(msg, cq);
	return ret;
}

/* nldev_kind.fill */
int ofed_nldev_put_cq_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
			  const struct nldev_req *req)
{
	struct ib_cq *cq = container_of(res, struct ib_cq, res);

	if (!cq->device->ops.fill_res_cq_entry_raw)
		return ofed_refuse(cq->device, -EINVAL,
				   "the driver has no fill_res_cq_entry_raw");
	return cq->device->ops.fill_res_cq_entry_raw(msg, cq);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers that a program names for its queues, since 7.x: each is pinned and let go. File
 * want_buffer: a program has to name one.
 */
#include <linux/module.h>

#include "ofed_testdev.h"

#define TD_BUFFER	4096	/* bytes that each has at least */

/* The errno of the core, or one of this driver's own where a buffer is missed. */
static int td_look_at(struct testdev *td, struct ib_umem *umem)
{
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	if (!umem)
		return READ_ONCE(td->want_buffer) ? -ENODATA : 0;
	ib_umem_release(umem);
	return 0;
}

static int td_look_at_attr(struct ib_device *ibdev, struct ib_udata *udata, u16 id)
{
	struct uverbs_attr_bundle *attrs;

	if (!udata)
		return 0;
	attrs = rdma_udata_to_uverbs_attr_bundle(udata);
	return td_look_at(to_td(ibdev), ib_umem_get_attr(ibdev, attrs, id, TD_BUFFER,
							 IB_ACCESS_LOCAL_WRITE));
}

static int td_create_user_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			     struct uverbs_attr_bundle *attrs)
{
	int ret = td_fault(ibcq->device, create_user_cq);

	if (ret)
		return ret;
	ret = td_look_at(to_td(ibcq->device), ib_umem_get_cq_buf(ibcq->device, attrs, TD_BUFFER,
								IB_ACCESS_LOCAL_WRITE));
	return ret ? ret : td_create_cq(ibcq, attr, attrs);
}

static int td_buffer_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
			       struct ib_udata *udata)
{
	static const u16 ids[] = {
		UVERBS_ATTR_CREATE_QP_BUF_UMEM, UVERBS_ATTR_CREATE_QP_RQ_BUF_UMEM,
		UVERBS_ATTR_CREATE_QP_SQ_BUF_UMEM,
	};
	int ret, i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		ret = td_look_at_attr(ibqp->device, udata, ids[i]);
		if (ret)
			return ret;
	}
	return td_create_qp(ibqp, init, udata);
}

static int td_buffer_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
				struct ib_udata *udata)
{
	int ret = td_look_at_attr(ibsrq->device, udata, UVERBS_ATTR_CREATE_SRQ_BUF_UMEM);

	return ret ? ret : td_create_srq(ibsrq, init, udata);
}

const struct ib_device_ops td_buffer_ops = {
	.create_user_cq = td_create_user_cq,
	.create_qp = td_buffer_create_qp,
	.create_srq = td_buffer_create_srq,
};

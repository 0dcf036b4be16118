// SPDX-License-Identifier: GPL-2.0
/*
 * Completion counters, since 7.x. They have the values that programs give them: no completion is
 * counted.
 */
#include <linux/module.h>

#include "ofed_testdev.h"

#define TD_CNTR_OPS	(IB_QP_ATTACH_COMP_CNTR_OP_SEND | IB_QP_ATTACH_COMP_CNTR_OP_RECV | \
			 IB_QP_ATTACH_COMP_CNTR_OP_RDMA_READ)

struct td_cntr {
	struct ib_comp_cntr ib;
	atomic64_t value[2];	/* by enum ib_comp_cntr_entry */
};

static struct td_cntr *to_td_cntr(struct ib_comp_cntr *cntr)
{
	return container_of(cntr, struct td_cntr, ib);
}

static int td_create_comp_cntr(struct ib_comp_cntr *cntr, struct uverbs_attr_bundle *attrs)
{
	int ret = td_fault(cntr->device, create_comp_cntr);

	return ret ? ret : td_get(to_td(cntr->device), TD_comp_cntr);
}

static int td_destroy_comp_cntr(struct ib_comp_cntr *cntr)
{
	int ret = td_fault(cntr->device, destroy_comp_cntr);

	if (ret)
		return ret;
	td_put(to_td(cntr->device), TD_comp_cntr);
	return 0;
}

static int td_modify_comp_cntr(struct ib_comp_cntr *cntr, enum ib_comp_cntr_entry entry,
			       enum ib_comp_cntr_modify_op op, u64 value)
{
	int ret = td_fault(cntr->device, modify_comp_cntr);

	if (ret)
		return ret;
	/* What a core lets pass is told by an errno of its own. */
	if (entry > IB_COMP_CNTR_ENTRY_ERR)
		return -EDOM;
	switch (op) {
	case IB_COMP_CNTR_MODIFY_OP_SET:
		atomic64_set(&to_td_cntr(cntr)->value[entry], value);
		return 0;
	case IB_COMP_CNTR_MODIFY_OP_INC:
		atomic64_add(value, &to_td_cntr(cntr)->value[entry]);
		return 0;
	default:
		return -ECHRNG;
	}
}

static int td_read_comp_cntr(struct ib_comp_cntr *cntr, enum ib_comp_cntr_entry entry, u64 *value)
{
	int ret = td_fault(cntr->device, read_comp_cntr);

	if (ret)
		return ret;
	if (entry > IB_COMP_CNTR_ENTRY_ERR)
		return -EDOM;
	*value = atomic64_read(&to_td_cntr(cntr)->value[entry]);
	return 0;
}

static int td_query_comp_cntr_caps(struct ib_device *ibdev, struct ib_comp_cntr_caps *caps,
				   struct uverbs_attr_bundle *attrs)
{
	int ret = td_fault(ibdev, query_comp_cntr_caps);

	if (ret)
		return ret;
	caps->max_counters = td_kind_max(TD_comp_cntr);
	caps->max_value = U64_MAX;
	caps->supported_qp_attach_ops = TD_CNTR_OPS;
	return 0;
}

static int td_qp_attach_comp_cntr(struct ib_qp *qp, struct ib_comp_cntr *cntr,
				  struct ib_qp_attach_comp_cntr_attr *attr)
{
	int ret = td_fault(qp->device, qp_attach_comp_cntr);

	if (ret)
		return ret;
	return attr->op_mask & ~TD_CNTR_OPS ? -EXFULL : 0;
}

const struct ib_device_ops td_cntr_ops = {
	.create_comp_cntr = td_create_comp_cntr,
	.destroy_comp_cntr = td_destroy_comp_cntr,
	.modify_comp_cntr = td_modify_comp_cntr,
	.read_comp_cntr = td_read_comp_cntr,
	.query_comp_cntr_caps = td_query_comp_cntr_caps,
	.qp_attach_comp_cntr = td_qp_attach_comp_cntr,
	INIT_RDMA_OBJ_SIZE(ib_comp_cntr, td_cntr, ib),
};

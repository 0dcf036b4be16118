// SPDX-License-Identifier: GPL-2.0
/* Flow steering rules: checked for shape and kept. */
#include <linux/module.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

struct td_flow {
	struct ib_flow ib;
	struct testdev *td;
	u32 id;				/* in td->flows */
};

static bool td_spec_known(u32 type)
{
	switch (type & ~IB_FLOW_SPEC_INNER) {
	case IB_FLOW_SPEC_ETH:
	case IB_FLOW_SPEC_IB:
	case IB_FLOW_SPEC_IPV4:
	case IB_FLOW_SPEC_IPV6:
	case IB_FLOW_SPEC_TCP:
	case IB_FLOW_SPEC_UDP:
	case IB_FLOW_SPEC_ACTION_TAG:
	case IB_FLOW_SPEC_ACTION_DROP:
	case IB_FLOW_SPEC_ACTION_COUNT:
		return true;
	default:
		return false;
	}
}

/* Specs follow each other, each as long as it says and inside @attr. */
static int td_flow_check(struct testdev *td, const struct ib_flow_attr *attr)
{
	const void *at = attr->flows, *end = (const void *)attr + attr->size;
	const union ib_flow_spec *spec;
	int i;

	if (attr->type > IB_FLOW_ATTR_SNIFFER || !attr->port ||
	    attr->port > td->cfg.ports)
		return -EINVAL;
	for (i = 0; i < attr->num_of_specs; i++) {
		spec = at;
		if (at + sizeof(u32) + sizeof(u16) > end ||
		    !spec->size || at + spec->size > end)
			return -EINVAL;
		if (!td_spec_known(spec->type))
			return -EOPNOTSUPP;
		at += spec->size;
	}
	return 0;
}

static struct ib_flow *td_create_flow(struct ib_qp *ibqp,
				      struct ib_flow_attr *attr,
				      struct ib_udata *udata)
{
	struct testdev *td = to_td(ibqp->device);
	int ret = td_fault(ibqp->device, create_flow);
	struct td_flow *flow;

	if (!ret)
		ret = td_flow_check(td, attr);
	if (!ret)
		ret = td_get(td, TD_flow);
	if (ret)
		return ERR_PTR(ret);
	flow = kzalloc(sizeof(*flow), GFP_KERNEL);
	ret = flow ? xa_alloc(&td->flows, &flow->id, flow, xa_limit_31b,
			      GFP_KERNEL) : -ENOMEM;
	if (ret) {
		kfree(flow);
		td_put(td, TD_flow);
		return ERR_PTR(ret);
	}
	flow->td = td;
	return &flow->ib;
}

static int td_destroy_flow(struct ib_flow *ibflow)
{
	struct td_flow *flow = container_of(ibflow, struct td_flow, ib);
	struct testdev *td = flow->td;
	int ret = td_fault_check(td, TD_OP_destroy_flow);

	if (ret)
		return ret;
	xa_erase(&td->flows, flow->id);
	kfree(flow);
	td_put(td, TD_flow);
	return 0;
}

void td_free_flows(struct testdev *td)
{
	struct td_flow *flow;
	unsigned long id;

	xa_for_each(&td->flows, id, flow)
		kfree(flow);
	xa_destroy(&td->flows);
}

const struct ib_device_ops td_flow_ops = {
	.create_flow = td_create_flow,
	.destroy_flow = td_destroy_flow,
};

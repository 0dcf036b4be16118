// SPDX-License-Identifier: GPL-2.0
/* Commands on steering rules of raw Ethernet packets. */
#include <linux/capability.h>
#include <linux/slab.h>
#include <ofed/refuse.h>

#include "cmd.h"
#include "flow_spec.h"

/* The longest spec that a program can know, of value and mask of IPv6. */
#define SPEC_MAX sizeof(struct ib_uverbs_flow_spec_ipv6)

static int uv_flow_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			   struct uverbs_attr_bundle *attrs)
{
	struct ib_uflow_object *uflow =
		container_of(uobj, struct ib_uflow_object, uobject);
	struct ib_flow *flow = uobj->object;
	struct ib_qp *qp = flow->qp;
	int ret;

	ret = flow->device->ops.destroy_flow(flow);
	if (ret)
		return ret;
	if (qp)
		atomic_dec(&qp->usecnt);
	ib_uverbs_flow_resources_free(uflow->resources);
	return 0;
}

/* The rule itself is the driver's memory. */
static void uv_flow_forget(struct ib_uobject *uobj)
{
	uv_flow_resources_forget(container_of(uobj, struct ib_uflow_object,
					      uobject)->resources);
}

UV_OBJ_TYPE(uv_type_flow, UVERBS_OBJECT_FLOW, struct ib_uflow_object,
	    uv_flow_destroy, destroy_flow, .forget = uv_flow_forget);

static int uv_flow_check(const struct ib_uverbs_file *file,
			 const struct ib_uverbs_create_flow *cmd)
{
	const struct ib_uverbs_flow_attr *attr = &cmd->flow_attr;
	const bool by_default = attr->type == IB_FLOW_ATTR_ALL_DEFAULT ||
				attr->type == IB_FLOW_ATTR_MC_DEFAULT;

	if (cmd->comp_mask)
		return uv_refuse(file, -EINVAL, "create_flow: comp_mask 0x%x",
				 cmd->comp_mask);
	/* Rules reach for packets that are addressed to others. */
	if (!uv_has_raw_cap(file))
		return uv_refuse(file, -EPERM,
				 "create_flow: CAP_NET_RAW is required");
	if (attr->flags >= IB_FLOW_ATTR_FLAGS_RESERVED ||
	    (by_default && attr->flags & IB_FLOW_ATTR_FLAGS_DONT_TRAP))
		return uv_refuse(file, -EINVAL,
				 "create_flow: flags 0x%x of a rule of type %u",
				 attr->flags, attr->type);
	if (attr->num_of_specs > IB_FLOW_SPEC_SUPPORT_LAYERS ||
	    attr->size > attr->num_of_specs * SPEC_MAX)
		return uv_refuse(file, -EINVAL,
				 "create_flow: %u bytes of %u specs",
				 attr->size, attr->num_of_specs);
	if (attr->reserved[0] || attr->reserved[1])
		return uv_refuse(file, -EINVAL, "create_flow: reserved is not 0");
	return 0;
}

/* Room for the longest specs: num_of_specs of them were checked to be few. */
static struct ib_flow_attr *uv_flow_attr_new(const struct ib_uverbs_flow_attr *user)
{
	struct ib_flow_attr *attr;

	attr = kzalloc(struct_size(attr, flows, user->num_of_specs),
		       GFP_KERNEL);
	if (!attr)
		return NULL;
	attr->type = user->type;
	attr->priority = user->priority;
	attr->flags = user->flags;
	attr->port = user->port;
	attr->num_of_specs = user->num_of_specs;
	attr->size = sizeof(*attr);
	return attr;
}

/* @specs are @left bytes, copied. All of them must be used up. */
static int uv_flow_attr_fill(struct ib_flow_attr *attr, const void *specs,
			     size_t left, struct ib_uflow_resources *resources,
			     struct uverbs_attr_bundle *attrs)
{
	const struct ib_uverbs_flow_spec_hdr *user = specs;
	union ib_flow_spec *spec;
	int i, ret;

	for (i = 0; i < attr->num_of_specs; i++) {
		if (left < sizeof(*user) || user->size < sizeof(*user) ||
		    user->size > left)
			return uv_refuse(attrs->ufile, -EINVAL,
					 "create_flow: spec %d goes beyond the end",
					 i);
		spec = (void *)attr + attr->size;
		ret = uv_flow_spec(user, spec, resources, attrs);
		if (ret)
			return uv_refuse(attrs->ufile, ret,
					 "create_flow: spec %d of type 0x%x, %u bytes",
					 i, user->type, user->size);
		attr->size += spec->size;
		left -= user->size;
		user = (const void *)user + user->size;
	}
	if (left)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_flow: %zu bytes behind the last spec", left);
	return 0;
}

DEFINE_FREE(resources, struct ib_uflow_resources *,
	    ib_uverbs_flow_resources_free(_T))

/* uobj->object is set on success. */
static int uv_flow_make(struct ib_uobject *uobj,
			const struct ib_uverbs_create_flow *cmd,
			const void *specs, struct uverbs_attr_bundle *attrs)
{
	struct ib_uflow_resources *resources __free(resources) = NULL;
	struct ib_flow_attr *attr __free(kfree) = NULL;
	struct ib_uobject *qp_uobj __free(uv_put_read) = NULL;
	struct ib_flow *flow;
	struct ib_qp *qp;
	int ret;

	if (!rdma_is_port_valid(uobj->context->device, cmd->flow_attr.port))
		return ofed_refuse_port(uobj->context->device,
					cmd->flow_attr.port);
	qp_uobj = uv_get_read(&uv_type_qp, cmd->qp_handle, attrs);
	if (IS_ERR(qp_uobj))
		return PTR_ERR(qp_uobj);
	qp = qp_uobj->object;
	if (qp->qp_type != IB_QPT_UD && qp->qp_type != IB_QPT_RAW_PACKET)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "create_flow: QP %u of type %u takes no rules",
				 qp->qp_num, qp->qp_type);

	attr = uv_flow_attr_new(&cmd->flow_attr);
	if (!attr)
		return -ENOMEM;
	resources = flow_resources_alloc(attr->num_of_specs);
	if (!resources)
		return -ENOMEM;
	ret = uv_flow_attr_fill(attr, specs, cmd->flow_attr.size, resources,
				attrs);
	if (ret)
		return ret;
	flow = qp->device->ops.create_flow(qp, attr, &attrs->driver_udata);
	if (IS_ERR(flow))
		return PTR_ERR(flow);
	ib_set_flow(uobj, flow, qp, qp->device, no_free_ptr(resources));
	return 0;
}

int uv_ex_create_flow(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_flow_resp resp = {};
	struct ib_uverbs_create_flow cmd;
	void *specs __free(kfree) = NULL;
	struct uv_reader reader;
	struct ib_uobject *uobj;
	int ret;

	ret = uv_read_start(&reader, attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ret = uv_flow_check(attrs->ufile, &cmd);
	if (ret)
		return ret;
	if (cmd.flow_attr.size) {
		specs = kmalloc(cmd.flow_attr.size, GFP_KERNEL);
		if (!specs)
			return -ENOMEM;
	}
	ret = uv_read(&reader, specs, cmd.flow_attr.size);
	if (!ret)
		ret = uv_read_end(&reader);
	if (ret)
		return ret;

	uobj = uv_uobj_begin(&uv_type_flow, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;
	ret = uv_flow_make(uobj, &cmd, specs, attrs);
	if (ret)
		return ret;
	resp.flow_handle = uobj->id;
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_ex_destroy_flow(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_flow cmd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "destroy_flow: comp_mask 0x%x", cmd.comp_mask);
	return uv_destroy(&uv_type_flow, cmd.flow_handle, attrs);
}

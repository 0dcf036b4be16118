// SPDX-License-Identifier: GPL-2.0
/* The effective speed of a port, which a bond or a virtual port has apart from its lanes. */
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>

#include "std.h"

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_PORT_SPEED)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *context = ib_uverbs_get_ucontext(attrs);
	u64 speed = 0;
	u32 port;
	int ret;

	if (IS_ERR(context))
		return PTR_ERR(context);
	if (!context->device->ops.query_port_speed)
		return ofed_refuse_op(context->device, "query_port_speed");
	ret = uverbs_get_const(&port, attrs, UVERBS_ATTR_QUERY_PORT_SPEED_PORT_NUM);
	if (ret)
		return ret;
	if (!rdma_is_port_valid(context->device, port))
		return ofed_refuse_port(context->device, port);
	ret = context->device->ops.query_port_speed(context->device, port, &speed);
	return ret ?: uv_answer(attrs, UVERBS_ATTR_QUERY_PORT_SPEED_RESP, &speed);
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_QUERY_PORT_SPEED,
	UV_NUMBER(UVERBS_ATTR_QUERY_PORT_SPEED_PORT_NUM, u32),
	UV_ANSWER(UVERBS_ATTR_QUERY_PORT_SPEED_RESP, u64));

ADD_UVERBS_METHODS(uv_port_speed_tree, UVERBS_OBJECT_DEVICE,
		   &UVERBS_METHOD(UVERBS_METHOD_QUERY_PORT_SPEED));

const struct uapi_definition uv_def_port_speed[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &uv_port_speed_tree),
	{}
};

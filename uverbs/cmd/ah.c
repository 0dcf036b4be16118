// SPDX-License-Identifier: GPL-2.0
/* Commands on address handles. */
#include <ofed/refuse.h>
#include <ofed/verbs.h>

#include "cmd.h"

static int uv_ah_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	return rdma_destroy_ah_user(uobj->object, RDMA_DESTROY_AH_SLEEPABLE,
				    &attrs->driver_udata);
}

static void uv_ah_forget(struct ib_uobject *uobj)
{
	ofed_forget_ah(uobj->object);
}

UV_OBJ_TYPE(uv_type_ah, UVERBS_OBJECT_AH, struct ib_uobject, uv_ah_destroy,
	    destroy_ah, .forget = uv_ah_forget);

static void uv_av_from_user(struct rdma_ah_attr *av, struct ib_device *ib_dev,
			    struct ib_uverbs_ah_attr *user)
{
	av->type = rdma_ah_find_type(ib_dev, user->port_num);
	rdma_ah_set_port_num(av, user->port_num);
	rdma_ah_set_static_rate(av, user->static_rate);
	rdma_ah_set_path_bits(av, user->src_path_bits);
	rdma_ah_set_dlid(av, user->dlid);
	rdma_ah_set_sl(av, user->sl);
	if (user->is_global)
		rdma_ah_set_grh(av, (union ib_gid *)user->grh.dgid,
				user->grh.flow_label, user->grh.sgid_index,
				user->grh.hop_limit, user->grh.traffic_class);
}

int uv_create_ah(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *pd __free(uv_put_read) = NULL;
	struct ib_uverbs_create_ah_resp resp = {};
	struct ib_uverbs_create_ah cmd;
	struct rdma_ah_attr av = {};
	struct ib_device *ib_dev;
	struct ib_uobject *uobj;
	struct ib_ah *ah;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uv_uobj_begin(&uv_type_ah, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;

	ib_dev = uobj->context->device;
	if (!rdma_is_port_valid(ib_dev, cmd.attr.port_num))
		return ofed_refuse_port(ib_dev, cmd.attr.port_num);
	pd = uv_get_read(&uv_type_pd, cmd.pd_handle, attrs);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	uv_av_from_user(&av, ib_dev, &cmd.attr);
	ah = rdma_create_user_ah(pd->object, &av, &attrs->driver_udata);
	if (IS_ERR(ah))
		return PTR_ERR(ah);

	ah->uobject = uobj;
	uobj->user_handle = cmd.user_handle;
	uobj->object = ah;
	resp.ah_handle = uobj->id;
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_destroy_ah(struct uverbs_attr_bundle *attrs)
{
	return uv_destroy_request(&uv_type_ah, attrs);
}

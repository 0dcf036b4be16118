// SPDX-License-Identifier: GPL-2.0
/* Commands on memory regions and windows. */
#include <ofed/restrack.h>
#include <ofed/verbs.h>

#include "cmd.h"

static int uv_mr_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	return ib_dereg_mr_user(uobj->object, &attrs->driver_udata);
}

static void uv_mr_hide(struct ib_uobject *uobj)
{
	struct ib_mr *mr = uobj->object;

	ofed_restrack_del(&mr->res);
}

UV_OBJ_TYPE(uv_type_mr, UVERBS_OBJECT_MR, struct ib_uobject, uv_mr_destroy,
	    dereg_mr, .hide = uv_mr_hide);

static int uv_mw_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			 struct uverbs_attr_bundle *attrs)
{
	return ofed_dealloc_mw(uobj->object);
}

UV_OBJ_TYPE(uv_type_mw, UVERBS_OBJECT_MW, struct ib_uobject, uv_mw_destroy,
	    dealloc_mw, .forget = uv_uobj_forget);

int uv_reg_mr(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *pd __free(uv_put_read) = NULL;
	struct ib_uverbs_reg_mr_resp resp = {};
	struct ib_uverbs_reg_mr cmd;
	struct ib_uobject *uobj;
	struct ib_mr *mr;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ret = ofed_mr_check_offset(uv_ib_dev(attrs->ufile->device), cmd.start,
				   cmd.hca_va);
	if (ret)
		return ret;
	uobj = uv_uobj_begin(&uv_type_mr, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;

	/* Before the PD: wrong flags are reported before a wrong handle. */
	ret = ofed_mr_check_access(uobj->context->device, cmd.access_flags);
	if (ret)
		return ret;
	pd = uv_get_read(&uv_type_pd, cmd.pd_handle, attrs);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	mr = ofed_reg_user_mr(pd->object, cmd.start, cmd.length, cmd.hca_va,
			      cmd.access_flags, NULL, uobj, &attrs->driver_udata);
	if (IS_ERR(mr))
		return PTR_ERR(mr);

	uobj->object = mr;
	resp.mr_handle = uobj->id;
	resp.lkey = mr->lkey;
	resp.rkey = mr->rkey;
	return uv_reply(attrs, &resp, sizeof(resp));
}

/* The driver has made another region of @uobj's. The old one moves to @spare. */
static void uv_mr_replace(struct ib_uobject *uobj, struct ib_uobject *spare,
			  struct ib_mr *next)
{
	struct ib_mr *old = uobj->object;

	uobj->object = next;
	old->uobject = spare;
	spare->object = old;
}

/* @uobj is the region, held for writing. */
static int uv_mr_rereg(struct ib_uobject *uobj, struct ib_uverbs_rereg_mr *cmd,
		       struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *pd __free(uv_put_read) = NULL;
	struct ib_uobject *spare;
	struct ib_mr *mr = uobj->object, *next;

	if (mr->dm)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "rereg_mr: a region of device memory stays as it is");
	if (cmd->flags & IB_MR_REREG_ACCESS) {
		int ret = ofed_mr_check_access(mr->device, cmd->access_flags);

		if (ret)
			return ret;
	}
	if (cmd->flags & IB_MR_REREG_PD) {
		pd = uv_get_read(&uv_type_pd, cmd->pd_handle, attrs);
		if (IS_ERR(pd))
			return PTR_ERR(pd);
	}
	/* Room for the old region, since there is no way back later. */
	spare = uv_uobj_begin(&uv_type_mr, attrs);
	if (IS_ERR(spare))
		return PTR_ERR(spare);

	next = ofed_rereg_user_mr(mr, cmd->flags, cmd->start, cmd->length,
				  cmd->hca_va, cmd->access_flags,
				  pd ? pd->object : mr->pd,
				  &attrs->driver_udata);
	if (!IS_ERR_OR_NULL(next))
		uv_mr_replace(uobj, spare, next);
	/* An old region that can not go yet waits there, without a handle. */
	uv_uobj_abort(spare, attrs);
	return PTR_ERR_OR_ZERO(next);
}

int uv_rereg_mr(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj __free(uv_put_write) = NULL;
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct ib_uverbs_rereg_mr cmd;
	struct ib_mr *mr;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (!cmd.flags)
		return uv_refuse(attrs->ufile, -EINVAL,
				 "rereg_mr: there is nothing to change");
	if (cmd.flags & ~IB_MR_REREG_SUPPORTED)
		return uv_refuse(attrs->ufile, -EOPNOTSUPP,
				 "rereg_mr: flags 0x%x", cmd.flags);
	if (cmd.flags & IB_MR_REREG_TRANS) {
		ret = ofed_mr_check_offset(uv_ib_dev(attrs->ufile->device),
					   cmd.start, cmd.hca_va);
		if (ret)
			return ret;
	}

	uobj = uv_get_write(&uv_type_mr, cmd.mr_handle, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	ret = uv_mr_rereg(uobj, &cmd, attrs);
	if (ret)
		return ret;
	mr = uobj->object;
	resp.lkey = mr->lkey;
	resp.rkey = mr->rkey;
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_dereg_mr(struct uverbs_attr_bundle *attrs)
{
	return uv_destroy_request(&uv_type_mr, attrs);
}

int uv_alloc_mw(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *pd __free(uv_put_read) = NULL;
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ib_uverbs_alloc_mw cmd;
	struct ib_uobject *uobj;
	struct ib_mw *mw;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uv_uobj_begin(&uv_type_mw, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;

	pd = uv_get_read(&uv_type_pd, cmd.pd_handle, attrs);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	mw = ofed_alloc_user_mw(pd->object, cmd.mw_type, uobj,
				&attrs->driver_udata);
	if (IS_ERR(mw))
		return PTR_ERR(mw);

	uobj->object = mw;
	resp.mw_handle = uobj->id;
	resp.rkey = mw->rkey;
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_dealloc_mw(struct uverbs_attr_bundle *attrs)
{
	return uv_destroy_request(&uv_type_mw, attrs);
}

// SPDX-License-Identifier: GPL-2.0
/* Commands that destroy, where those of several types are alike. */
#include "cmd.h"

/**
 * uv_destroy_request - run a command that is a handle and no more
 * @type: what it destroys
 * @attrs: of the command
 *
 * Return: as uv_request() and uv_get_destroyed().
 */
int uv_destroy_request(const struct uv_type *type,
		       struct uverbs_attr_bundle *attrs)
{
	u32 handle;
	int ret;

	static_assert(sizeof(struct ib_uverbs_dealloc_pd) == sizeof(handle));
	static_assert(sizeof(struct ib_uverbs_close_xrcd) == sizeof(handle));
	static_assert(sizeof(struct ib_uverbs_dereg_mr) == sizeof(handle));
	static_assert(sizeof(struct ib_uverbs_dealloc_mw) == sizeof(handle));
	static_assert(sizeof(struct ib_uverbs_destroy_ah) == sizeof(handle));
	ret = uv_request(attrs, &handle, sizeof(handle));
	return ret ?: uv_destroy(type, handle, attrs);
}

/**
 * uv_destroy_source - run a command that destroys a QP or an SRQ
 * @type: which of them
 * @attrs: of the command
 *
 * The answer is how many of the object's events were read. Return: as
 * uv_request(), uv_get_destroyed() and uv_reply().
 */
int uv_destroy_source(const struct uv_type *type,
		      struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_qp_resp resp = {};
	struct ib_uverbs_destroy_qp cmd;
	struct ib_uobject *uobj;
	int ret;

	static_assert(sizeof(struct ib_uverbs_destroy_srq) == sizeof(cmd) &&
		      sizeof(struct ib_uverbs_destroy_srq_resp) == sizeof(resp));
	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uv_get_destroyed(type, cmd.qp_handle, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	resp.events_reported = uv_source(uobj)->reported;
	uv_uobj_put(uobj);
	return uv_reply(attrs, &resp, sizeof(resp));
}

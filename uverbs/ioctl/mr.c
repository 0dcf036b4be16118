// SPDX-License-Identifier: GPL-2.0
/* Methods of memory regions. Plain ones are made by write(). */
#include <ofed/refuse.h>
#include <ofed/verbs.h>

#include "std.h"

/*
 * The program must do without an optional right if need be; a driver hears of
 * those that this kernel has a name for.
 */
int uv_get_access(u32 *access, struct uverbs_attr_bundle *attrs, u16 id, u32 allowed)
{
	int ret = uverbs_get_flags32(access, attrs, id,
				     allowed | IB_ACCESS_OPTIONAL);

	if (!ret)
		*access &= ~IB_ACCESS_OPTIONAL | IB_ACCESS_RELAXED_ORDERING;
	return ret;
}

static int uv_answer_keys(const struct ib_mr *mr, struct uverbs_attr_bundle *attrs,
			  u16 lkey, u16 rkey)
{
	return uv_answer(attrs, lkey, &mr->lkey) ?:
	       uv_answer(attrs, rkey, &mr->rkey);
}

static int UVERBS_HANDLER(UVERBS_METHOD_DM_MR_REG)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, UVERBS_ATTR_REG_DM_MR_HANDLE);
	struct ib_pd *pd =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_REG_DM_MR_PD_HANDLE);
	struct ib_dm *dm =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_REG_DM_MR_DM_HANDLE);
	struct ib_dm_mr_attr attr = {};
	struct ib_mr *mr;
	int ret;

	/* Said before anything that is asked for is judged. */
	if (!pd->device->ops.reg_dm_mr)
		return ofed_refuse_op(pd->device, "reg_dm_mr");
	ret = uverbs_copy_from(&attr.offset, attrs,
			       UVERBS_ATTR_REG_DM_MR_OFFSET) ?:
	      uverbs_copy_from(&attr.length, attrs,
			       UVERBS_ATTR_REG_DM_MR_LENGTH) ?:
	      uv_get_access(&attr.access_flags, attrs,
			    UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS,
			    IB_ACCESS_SUPPORTED);
	if (ret)
		return ret;
	mr = ofed_reg_dm_mr(pd, dm, &attr, uobj, attrs);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	uobj->object = mr;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_REG_DM_MR_HANDLE);
	return uv_answer_keys(mr, attrs, UVERBS_ATTR_REG_DM_MR_RESP_LKEY,
			      UVERBS_ATTR_REG_DM_MR_RESP_RKEY);
}

static int UVERBS_HANDLER(UVERBS_METHOD_REG_DMABUF_MR)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs,
					UVERBS_ATTR_REG_DMABUF_MR_HANDLE);
	struct ib_pd *pd =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE);
	/* Of the optional rights, just this one. */
	const u32 allowed = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
			    IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |
			    IB_ACCESS_RELAXED_ORDERING;
	u64 offset, length, iova;
	u32 access, fd;
	struct ib_mr *mr;
	int ret;

	if (!pd->device->ops.reg_user_mr_dmabuf)
		return ofed_refuse_op(pd->device, "reg_user_mr_dmabuf");
	ret = uverbs_copy_from(&offset, attrs,
			       UVERBS_ATTR_REG_DMABUF_MR_OFFSET) ?:
	      uverbs_copy_from(&length, attrs,
			       UVERBS_ATTR_REG_DMABUF_MR_LENGTH) ?:
	      uverbs_copy_from(&iova, attrs, UVERBS_ATTR_REG_DMABUF_MR_IOVA) ?:
	      uverbs_copy_from(&fd, attrs, UVERBS_ATTR_REG_DMABUF_MR_FD) ?:
	      uverbs_get_flags32(&access, attrs,
				 UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
				 allowed);
	if (ret)
		return ret;
	mr = ofed_reg_dmabuf_mr(pd, offset, length, iova, fd, access, NULL, uobj,
				attrs);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	uobj->object = mr;
	uverbs_finalize_uobj_create(attrs, UVERBS_ATTR_REG_DMABUF_MR_HANDLE);
	return uv_answer_keys(mr, attrs, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY,
			      UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY);
}

static int UVERBS_HANDLER(UVERBS_METHOD_QUERY_MR)(
	struct uverbs_attr_bundle *attrs)
{
	const struct ib_mr *mr =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_QUERY_MR_HANDLE);

	return uv_answer_keys(mr, attrs, UVERBS_ATTR_QUERY_MR_RESP_LKEY,
			      UVERBS_ATTR_QUERY_MR_RESP_RKEY) ?:
	       uv_answer(attrs, UVERBS_ATTR_QUERY_MR_RESP_LENGTH,
			 &mr->length) ?:
	       uv_answer_opt(attrs, UVERBS_ATTR_QUERY_MR_RESP_IOVA, &mr->iova);
}

static int UVERBS_HANDLER(UVERBS_METHOD_ADVISE_MR)(
	struct uverbs_attr_bundle *attrs)
{
	struct ib_pd *pd =
		uverbs_attr_get_obj(attrs, UVERBS_ATTR_ADVISE_MR_PD_HANDLE);
	const u16 list = UVERBS_ATTR_ADVISE_MR_SGE_LIST;
	enum ib_uverbs_advise_mr_advice advice;
	int ret, count;
	u32 flags;

	/* Drivers take the program's list as it is. */
	static_assert(sizeof(struct ib_uverbs_sge) == sizeof(struct ib_sge));
	if (!pd->device->ops.advise_mr)
		return ofed_refuse_op(pd->device, "advise_mr");
	ret = uverbs_get_const(&advice, attrs, UVERBS_ATTR_ADVISE_MR_ADVICE) ?:
	      uverbs_get_flags32(&flags, attrs, UVERBS_ATTR_ADVISE_MR_FLAGS,
				 IB_UVERBS_ADVISE_MR_FLAG_FLUSH);
	if (ret)
		return ret;
	count = uverbs_attr_ptr_get_array_size(attrs, list,
					       sizeof(struct ib_sge));
	if (count <= 0)
		return count;
	return pd->device->ops.advise_mr(pd, advice, flags,
					 uverbs_attr_get_alloced_ptr(attrs,
								     list),
					 count, attrs);
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_DM_MR_REG,
	UV_MAKES(UVERBS_ATTR_REG_DM_MR_HANDLE, UVERBS_OBJECT_MR),
	UV_USES(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, UVERBS_OBJECT_PD),
	UV_USES(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, UVERBS_OBJECT_DM),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS,
			     enum ib_access_flags),
	UV_GIVEN(UVERBS_ATTR_REG_DM_MR_LENGTH, u64),
	UV_GIVEN(UVERBS_ATTR_REG_DM_MR_OFFSET, u64),
	UV_ANSWER(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, u32),
	UV_ANSWER(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, u32));

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_REG_DMABUF_MR,
	UV_MAKES(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, UVERBS_OBJECT_MR),
	UV_USES(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, UVERBS_OBJECT_PD),
	UV_GIVEN(UVERBS_ATTR_REG_DMABUF_MR_FD, u32),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
			     enum ib_access_flags),
	UV_GIVEN(UVERBS_ATTR_REG_DMABUF_MR_IOVA, u64),
	UV_GIVEN(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, u64),
	UV_GIVEN(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, u64),
	UV_ANSWER(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, u32),
	UV_ANSWER(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, u32));

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_QUERY_MR,
	UV_USES(UVERBS_ATTR_QUERY_MR_HANDLE, UVERBS_OBJECT_MR),
	UV_ANSWER_OPT(UVERBS_ATTR_QUERY_MR_RESP_IOVA, u64),
	UV_ANSWER(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, u64),
	UV_ANSWER(UVERBS_ATTR_QUERY_MR_RESP_RKEY, u32),
	UV_ANSWER(UVERBS_ATTR_QUERY_MR_RESP_LKEY, u32));

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_ADVISE_MR,
	UV_USES(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, UVERBS_OBJECT_PD),
	UVERBS_ATTR_FLAGS_IN(UVERBS_ATTR_ADVISE_MR_FLAGS,
			     enum ib_uverbs_advise_mr_flag, UA_MANDATORY),
	UVERBS_ATTR_CONST_IN(UVERBS_ATTR_ADVISE_MR_ADVICE,
			     enum ib_uverbs_advise_mr_advice, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_ADVISE_MR_SGE_LIST,
			   UVERBS_ATTR_MIN_SIZE(sizeof(struct ib_uverbs_sge)),
			   UA_MANDATORY, UA_ALLOC_AND_COPY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(UVERBS_METHOD_MR_DESTROY,
	UV_ENDS(UVERBS_ATTR_DESTROY_MR_HANDLE, UVERBS_OBJECT_MR));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_MR,
	&UVERBS_METHOD(UVERBS_METHOD_ADVISE_MR),
	&UVERBS_METHOD(UVERBS_METHOD_DM_MR_REG),
	&UVERBS_METHOD(UVERBS_METHOD_MR_DESTROY),
	&UVERBS_METHOD(UVERBS_METHOD_QUERY_MR),
	&UVERBS_METHOD(UVERBS_METHOD_REG_DMABUF_MR));

UV_DEF(uv_def_mr, UVERBS_OBJECT_MR);

// SPDX-License-Identifier: GPL-2.0
/*
 * The driver's own part of the ioctl() interface: an object, methods of no
 * object, a method on an object of the core and attributes in a method of the
 * core; one of everything that a driver can define. ofed_testdev_abi.h tells
 * user space.
 */
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

#include <rdma/uverbs_std_types.h>

#define UVERBS_MODULE_NAME ofed_testdev
#include <rdma/uverbs_named_ioctl.h>

/*
 * A method that has the handle for writing is alone with it, so no lock of its
 * own.
 */
struct td_box {
	struct testdev *td;
	u32 number;
	enum testdev_box_kind kind;
	s32 level;
	u32 flags;
	u32 shape;
	u32 pds;
	u64 size;
	u16 text_len;
	char text[];
};

static atomic_t td_box_number;

/* ---- box ---- */

static struct td_box *td_box_of(struct uverbs_attr_bundle *attrs, u16 id)
{
	return uverbs_attr_get_obj(attrs, id);
}

static struct td_box *td_box_alloc(struct uverbs_attr_bundle *attrs)
{
	const void *text;
	struct td_box *box;
	int len;

	text = uverbs_attr_get_alloced_ptr(attrs, TESTDEV_ATTR_BOX_CREATE_TEXT);
	if (IS_ERR(text))
		return ERR_CAST(text);
	len = uverbs_attr_get_len(attrs, TESTDEV_ATTR_BOX_CREATE_TEXT);
	if (len > TESTDEV_BOX_TEXT)
		return ERR_PTR(-E2BIG);
	box = kzalloc(struct_size(box, text, len), GFP_KERNEL_ACCOUNT);
	if (!box)
		return ERR_PTR(-ENOMEM);
	box->text_len = len;
	memcpy(box->text, text, len);
	return box;
}

static int td_box_settings(struct td_box *box, struct uverbs_attr_bundle *attrs)
{
	int ret;

	ret = uverbs_get_const(&box->kind, attrs, TESTDEV_ATTR_BOX_CREATE_KIND);
	if (ret)
		return ret;
	if (box->kind >= TESTDEV_BOX_KINDS)
		return -EOPNOTSUPP;
	ret = uverbs_get_const_default(&box->level, attrs,
				       TESTDEV_ATTR_BOX_CREATE_LEVEL,
				       TESTDEV_BOX_LEVEL);
	if (ret)
		return ret;
	return uverbs_get_flags32(&box->flags, attrs,
				  TESTDEV_ATTR_BOX_CREATE_FLAGS,
				  TESTDEV_BOX_LOCKED | TESTDEV_BOX_PAINTED);
}

static int
UVERBS_HANDLER(TESTDEV_METHOD_BOX_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, TESTDEV_ATTR_BOX_CREATE_HANDLE);
	struct testdev *td = to_td(uobj->context->device);
	struct td_box *box;
	int ret = td_fault(&td->ib, create_box);

	if (ret)
		return ret;
	ret = td_get(td, TD_box);
	if (ret)
		return ret;
	box = td_box_alloc(attrs);
	if (IS_ERR(box)) {
		ret = PTR_ERR(box);
		goto err_put;
	}
	box->td = td;
	box->number = atomic_inc_return(&td_box_number);
	ret = td_box_settings(box, attrs);
	if (ret)
		goto err_free;
	uobj->object = box;
	/* From here on the core takes it back if the answer does not arrive. */
	uverbs_finalize_uobj_create(attrs, TESTDEV_ATTR_BOX_CREATE_HANDLE);
	return uverbs_copy_to(attrs, TESTDEV_ATTR_BOX_CREATE_RESP_NUMBER,
			      &box->number, sizeof(box->number));

err_free:
	kfree(box);
err_put:
	td_put(td, TD_box);
	return ret;
}

static int td_box_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			  struct uverbs_attr_bundle *attrs)
{
	struct td_box *box = uobj->object;
	struct testdev *td = box->td;
	int ret = 0;

	/* No context is there to try again when the file or the device goes. */
	if (why == RDMA_REMOVE_DESTROY)
		ret = td_fault(&td->ib, destroy_box);
	if (ret)
		return ret;
	kfree(box);
	td_put(td, TD_box);
	return 0;
}

static int
UVERBS_HANDLER(TESTDEV_METHOD_BOX_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct td_box *box = td_box_of(attrs, TESTDEV_ATTR_BOX_QUERY_HANDLE);
	struct testdev_box_info info = {
		.number = box->number,
		.kind = box->kind,
		.level = box->level,
		.text_len = box->text_len,
		.flags = box->flags,
		.shape = box->shape,
		.pds = box->pds,
		.size = box->size,
	};
	int ret;

	ret = uverbs_copy_to_struct_or_zero(attrs, TESTDEV_ATTR_BOX_QUERY_RESP,
					    &info, sizeof(info));
	if (ret)
		return ret;
	ret = uverbs_copy_to(attrs, TESTDEV_ATTR_BOX_QUERY_TEXT, box->text,
			     box->text_len);
	return IS_UVERBS_COPY_ERR(ret) ? ret : 0;
}

static int
UVERBS_HANDLER(TESTDEV_METHOD_BOX_SHAPE)(struct uverbs_attr_bundle *attrs)
{
	struct td_box *box = td_box_of(attrs, TESTDEV_ATTR_BOX_SHAPE_HANDLE);
	struct testdev_block block = {};
	u32 line = 0;
	u64 size = 0;
	int shape, ret = 0;

	shape = uverbs_attr_get_enum_id(attrs, TESTDEV_ATTR_BOX_SHAPE);
	if (shape < 0)
		return shape;
	if (box->flags & TESTDEV_BOX_LOCKED)
		return -EPERM;
	switch (shape) {
	case TESTDEV_SHAPE_LINE:
		ret = uverbs_copy_from(&line, attrs, TESTDEV_ATTR_BOX_SHAPE);
		size = line;
		break;
	case TESTDEV_SHAPE_BLOCK:
		ret = uverbs_copy_from(&block, attrs, TESTDEV_ATTR_BOX_SHAPE);
		if (!ret && check_mul_overflow(block.width, block.height,
					       &size))
			ret = -EOVERFLOW;
		break;
	}
	if (ret)
		return ret;
	box->shape = shape;
	box->size = size;
	return 0;
}

static int
UVERBS_HANDLER(TESTDEV_METHOD_BOX_PACK)(struct uverbs_attr_bundle *attrs)
{
	struct td_box *box = td_box_of(attrs, TESTDEV_ATTR_BOX_PACK_HANDLE);
	struct ib_uobject **pds;
	int i, count;
	u64 sum = 0;

	count = uverbs_attr_get_uobjs_arr(attrs, TESTDEV_ATTR_BOX_PACK_PDS,
					  &pds);
	for (i = 0; i < count; i++) {
		struct ib_pd *pd = pds[i]->object;

		if (pd->device != &box->td->ib)
			return -EXDEV;
		sum += pds[i]->id;
	}
	box->pds = count;
	return uverbs_copy_to(attrs, TESTDEV_ATTR_BOX_PACK_RESP_SUM, &sum,
			      sizeof(sum));
}

static const struct uverbs_attr_spec td_shapes[] = {
	[TESTDEV_SHAPE_POINT] = {
		.type = UVERBS_ATTR_TYPE_PTR_IN,
		UVERBS_ATTR_NO_DATA(),
	},
	[TESTDEV_SHAPE_LINE] = {
		.type = UVERBS_ATTR_TYPE_PTR_IN,
		UVERBS_ATTR_TYPE(u32),
	},
	[TESTDEV_SHAPE_BLOCK] = {
		.type = UVERBS_ATTR_TYPE_PTR_IN,
		UVERBS_ATTR_STRUCT(struct testdev_block, height),
	},
};

DECLARE_UVERBS_NAMED_METHOD(
	TESTDEV_METHOD_BOX_CREATE,
	UVERBS_ATTR_IDR(TESTDEV_ATTR_BOX_CREATE_HANDLE, TESTDEV_OBJECT_BOX,
			UVERBS_ACCESS_NEW, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(TESTDEV_ATTR_BOX_CREATE_TEXT,
			   UVERBS_ATTR_MIN_SIZE(1), UA_MANDATORY,
			   UA_ALLOC_AND_COPY),
	UVERBS_ATTR_CONST_IN(TESTDEV_ATTR_BOX_CREATE_KIND,
			     enum testdev_box_kind, UA_MANDATORY),
	UVERBS_ATTR_CONST_IN(TESTDEV_ATTR_BOX_CREATE_LEVEL, s32, UA_OPTIONAL),
	UVERBS_ATTR_FLAGS_IN(TESTDEV_ATTR_BOX_CREATE_FLAGS,
			     enum testdev_box_flags, UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(TESTDEV_ATTR_BOX_CREATE_RESP_NUMBER,
			    UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	TESTDEV_METHOD_BOX_DESTROY,
	UVERBS_ATTR_IDR(TESTDEV_ATTR_BOX_DESTROY_HANDLE, TESTDEV_OBJECT_BOX,
			UVERBS_ACCESS_DESTROY, UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	TESTDEV_METHOD_BOX_QUERY,
	UVERBS_ATTR_IDR(TESTDEV_ATTR_BOX_QUERY_HANDLE, TESTDEV_OBJECT_BOX,
			UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(TESTDEV_ATTR_BOX_QUERY_RESP,
			    UVERBS_ATTR_STRUCT(struct testdev_box_info, level),
			    UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(TESTDEV_ATTR_BOX_QUERY_TEXT,
			    UVERBS_ATTR_MIN_SIZE(0), UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(
	TESTDEV_METHOD_BOX_SHAPE,
	UVERBS_ATTR_IDR(TESTDEV_ATTR_BOX_SHAPE_HANDLE, TESTDEV_OBJECT_BOX,
			UVERBS_ACCESS_WRITE, UA_MANDATORY),
	UVERBS_ATTR_ENUM_IN(TESTDEV_ATTR_BOX_SHAPE, td_shapes, UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	TESTDEV_METHOD_BOX_PACK,
	UVERBS_ATTR_IDR(TESTDEV_ATTR_BOX_PACK_HANDLE, TESTDEV_OBJECT_BOX,
			UVERBS_ACCESS_WRITE, UA_MANDATORY),
	UVERBS_ATTR_IDRS_ARR(TESTDEV_ATTR_BOX_PACK_PDS, UVERBS_OBJECT_PD,
			     UVERBS_ACCESS_READ, 1, TESTDEV_BOX_PDS,
			     UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(TESTDEV_ATTR_BOX_PACK_RESP_SUM,
			    UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(TESTDEV_OBJECT_BOX,
			    UVERBS_TYPE_ALLOC_IDR(td_box_destroy),
			    &UVERBS_METHOD(TESTDEV_METHOD_BOX_CREATE),
			    &UVERBS_METHOD(TESTDEV_METHOD_BOX_DESTROY),
			    &UVERBS_METHOD(TESTDEV_METHOD_BOX_QUERY),
			    &UVERBS_METHOD(TESTDEV_METHOD_BOX_SHAPE),
			    &UVERBS_METHOD(TESTDEV_METHOD_BOX_PACK));

/* ---- an object that only some devices have ---- */

static bool td_hidden_supported(struct ib_device *ibdev)
{
	return to_td(ibdev)->cfg.virt_dma;
}

static int
UVERBS_HANDLER(TESTDEV_METHOD_HIDDEN_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, TESTDEV_ATTR_HIDDEN_HANDLE);

	/* Its existence is all there is to it. */
	uobj->object = to_td(uobj->context->device);
	uverbs_finalize_uobj_create(attrs, TESTDEV_ATTR_HIDDEN_HANDLE);
	return 0;
}

static int td_hidden_destroy(struct ib_uobject *uobj,
			     enum rdma_remove_reason why,
			     struct uverbs_attr_bundle *attrs)
{
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(
	TESTDEV_METHOD_HIDDEN_CREATE,
	UVERBS_ATTR_IDR(TESTDEV_ATTR_HIDDEN_HANDLE, TESTDEV_OBJECT_HIDDEN,
			UVERBS_ACCESS_NEW, UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	TESTDEV_METHOD_HIDDEN_DESTROY,
	UVERBS_ATTR_IDR(TESTDEV_ATTR_HIDDEN_HANDLE, TESTDEV_OBJECT_HIDDEN,
			UVERBS_ACCESS_DESTROY, UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(TESTDEV_OBJECT_HIDDEN,
			    UVERBS_TYPE_ALLOC_IDR(td_hidden_destroy),
			    &UVERBS_METHOD(TESTDEV_METHOD_HIDDEN_CREATE),
			    &UVERBS_METHOD(TESTDEV_METHOD_HIDDEN_DESTROY));

/* ---- methods of no object ---- */

static int
UVERBS_HANDLER(TESTDEV_METHOD_TOOLS_ECHO)(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ibuc = ib_uverbs_get_ucontext(attrs);
	int len = uverbs_attr_get_len(attrs, TESTDEV_ATTR_ECHO_TEXT);
	u32 times, i;
	char *text, *all;
	int ret;

	if (IS_ERR(ibuc))
		return PTR_ERR(ibuc);
	if (len < 0)
		return len;
	ret = uverbs_copy_from(&times, attrs, TESTDEV_ATTR_ECHO_TIMES);
	if (ret)
		return ret;
	if (times > 64)
		return -EINVAL;
	/* Both go with the call. */
	text = uverbs_zalloc(attrs, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	all = uverbs_kcalloc(attrs, times, len);
	if (IS_ERR(all))
		return PTR_ERR(all);
	ret = _uverbs_copy_from(text, attrs, TESTDEV_ATTR_ECHO_TEXT, len);
	if (ret)
		return ret;
	for (i = 0; i < times; i++)
		memcpy(all + i * len, text, len);
	return uverbs_copy_to(attrs, TESTDEV_ATTR_ECHO_RESP, all, times * len);
}

static int
UVERBS_HANDLER(TESTDEV_METHOD_TOOLS_NAME)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj =
		uverbs_attr_get_uobject(attrs, TESTDEV_ATTR_NAME_HANDLE);
	u32 object = uobj_get_object_id(uobj);

	return uverbs_copy_to(attrs, TESTDEV_ATTR_NAME_RESP, &object,
			      sizeof(object));
}

DECLARE_UVERBS_NAMED_METHOD(
	TESTDEV_METHOD_TOOLS_ECHO,
	UVERBS_ATTR_PTR_IN(TESTDEV_ATTR_ECHO_TEXT, UVERBS_ATTR_MIN_SIZE(1),
			   UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(TESTDEV_ATTR_ECHO_TIMES, UVERBS_ATTR_TYPE(u32),
			   UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(TESTDEV_ATTR_ECHO_RESP, UVERBS_ATTR_MIN_SIZE(1),
			    UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	TESTDEV_METHOD_TOOLS_NAME,
	UVERBS_ATTR_IDR(TESTDEV_ATTR_NAME_HANDLE, UVERBS_IDR_ANY_OBJECT,
			UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(TESTDEV_ATTR_NAME_RESP, UVERBS_ATTR_TYPE(u32),
			    UA_MANDATORY));

DECLARE_UVERBS_GLOBAL_METHODS(TESTDEV_OBJECT_TOOLS,
			      &UVERBS_METHOD(TESTDEV_METHOD_TOOLS_ECHO),
			      &UVERBS_METHOD(TESTDEV_METHOD_TOOLS_NAME));

/* ---- a method on the core's PD ---- */

static int
UVERBS_HANDLER(TESTDEV_METHOD_PD_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_pd *pd =
		uverbs_attr_get_obj(attrs, TESTDEV_ATTR_PD_QUERY_HANDLE);
	u32 handle = pd->uobject->id;

	return uverbs_copy_to(attrs, TESTDEV_ATTR_PD_QUERY_RESP, &handle,
			      sizeof(handle));
}

DECLARE_UVERBS_NAMED_METHOD(
	TESTDEV_METHOD_PD_QUERY,
	UVERBS_ATTR_IDR(TESTDEV_ATTR_PD_QUERY_HANDLE, UVERBS_OBJECT_PD,
			UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(TESTDEV_ATTR_PD_QUERY_RESP, UVERBS_ATTR_TYPE(u32),
			    UA_MANDATORY));

ADD_UVERBS_METHODS(td_pd_methods, UVERBS_OBJECT_PD,
		   &UVERBS_METHOD(TESTDEV_METHOD_PD_QUERY));

/* ---- attributes in the core's CQ_CREATE ---- */

/*
 * td_mark_cq() answers the driver's attributes of CQ_CREATE, which a CQ made by
 * write() does not have.
 */
int td_mark_cq(struct ib_udata *udata)
{
	struct uverbs_attr_bundle *attrs =
		rdma_udata_to_uverbs_attr_bundle(udata);
	u32 mark;
	int ret;

	ret = uverbs_copy_from(&mark, attrs, TESTDEV_ATTR_CREATE_CQ_MARK);
	if (ret)
		return IS_UVERBS_COPY_ERR(ret) ? ret : 0;
	mark = ~mark;
	ret = uverbs_copy_to(attrs, TESTDEV_ATTR_CREATE_CQ_RESP_MARK, &mark,
			     sizeof(mark));
	return IS_UVERBS_COPY_ERR(ret) ? ret : 0;
}

ADD_UVERBS_ATTRIBUTES_SIMPLE(
	td_cq_create, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE,
	UVERBS_ATTR_PTR_IN(TESTDEV_ATTR_CREATE_CQ_MARK, UVERBS_ATTR_TYPE(u32),
			   UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(TESTDEV_ATTR_CREATE_CQ_RESP_MARK,
			    UVERBS_ATTR_TYPE(u32), UA_OPTIONAL));

const struct uapi_definition td_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(TESTDEV_OBJECT_BOX),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(
		TESTDEV_OBJECT_HIDDEN,
		UAPI_DEF_IS_OBJ_SUPPORTED(td_hidden_supported)),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(TESTDEV_OBJECT_TOOLS),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_PD, &td_pd_methods),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_CQ, &td_cq_create),
	UAPI_DEF_CHAIN(td_bell_defs),
	{},
};

/* SPDX-License-Identifier: GPL-2.0 */
/* What the ioctl() methods of the standard objects have in common. */
#ifndef OFED_UVERBS_IOCTL_STD_H
#define OFED_UVERBS_IOCTL_STD_H

#define UVERBS_MODULE_NAME ofed_uverbs
#include <rdma/uverbs_named_ioctl.h>

#include "../cmd/cmd.h"
#include "uapi.h"

/*
 * Attributes: an object that is made, destroyed or used; a value of fixed size
 * that is given, or answered. OPT: may be left out.
 */
#define UV_MAKES(id, object) \
	UVERBS_ATTR_IDR(id, object, UVERBS_ACCESS_NEW, UA_MANDATORY)
#define UV_ENDS(id, object) \
	UVERBS_ATTR_IDR(id, object, UVERBS_ACCESS_DESTROY, UA_MANDATORY)
#define UV_USES(id, object) \
	UVERBS_ATTR_IDR(id, object, UVERBS_ACCESS_READ, UA_MANDATORY)
#define UV_USES_OPT(id, object) \
	UVERBS_ATTR_IDR(id, object, UVERBS_ACCESS_READ, UA_OPTIONAL)
#define UV_USES_FD_OPT(id, object) \
	UVERBS_ATTR_FD(id, object, UVERBS_ACCESS_READ, UA_OPTIONAL)
#define UV_GIVEN(id, type) \
	UVERBS_ATTR_PTR_IN(id, UVERBS_ATTR_TYPE(type), UA_MANDATORY)
#define UV_GIVEN_OPT(id, type) \
	UVERBS_ATTR_PTR_IN(id, UVERBS_ATTR_TYPE(type), UA_OPTIONAL)
#define UV_NUMBER(id, type) \
	UVERBS_ATTR_CONST_IN(id, type, UA_MANDATORY)
#define UV_ANSWER(id, type) \
	UVERBS_ATTR_PTR_OUT(id, UVERBS_ATTR_TYPE(type), UA_MANDATORY)
#define UV_ANSWER_OPT(id, type) \
	UVERBS_ATTR_PTR_OUT(id, UVERBS_ATTR_TYPE(type), UA_OPTIONAL)

/* The definition of a standard object that has methods. */
#define UV_DEF(name, object)						\
	const struct uapi_definition name[] = {				\
		UAPI_DEF_CHAIN_OBJ_TREE_NAMED(object),			\
		{},							\
	}

/* The definition of an object with one method: destroy, with one attribute. */
#define UV_DEF_DESTROY(name, object, method, handle)			\
	DECLARE_UVERBS_NAMED_METHOD_DESTROY(method,			\
					    UV_ENDS(handle, object));	\
	DECLARE_UVERBS_GLOBAL_METHODS(object, &UVERBS_METHOD(method));	\
	UV_DEF(name, object)

/* An optional object, or NULL. */
static inline struct ib_uobject *
uv_attr_uobject(const struct uverbs_attr_bundle *attrs, u16 id)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, id);

	return IS_ERR(uobj) ? NULL : uobj;
}

/* The event file that a new object shall have, or NULL for the context's. */
static inline struct uv_async_file *
uv_attr_async(const struct uverbs_attr_bundle *attrs, u16 id)
{
	struct ib_uobject *uobj = uv_attr_uobject(attrs, id);

	return uobj ? container_of(uobj, struct uv_async_file, uobj) : NULL;
}

/* mr.c: enum ib_access_flags of a region that is made. */
int uv_get_access(u32 *access, struct uverbs_attr_bundle *attrs, u16 id, u32 allowed);

/* Answer with a variable of the size that the attribute has. */
#define uv_answer(attrs, id, from) \
	uverbs_copy_to((attrs), (id), (from), sizeof(*(from)))

/* The same for one that the program may leave out. */
#define uv_answer_opt(attrs, id, from) \
	(uverbs_attr_is_valid((attrs), (id)) ? uv_answer(attrs, id, from) : 0)

/*
 * The answer of the methods that destroy a QP, an SRQ or a WQ: how many of its
 * events were read. The handle is that of what is left of it.
 */
static inline int uv_answer_events(struct uverbs_attr_bundle *attrs, u16 handle,
				   u16 id)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, handle);

	static_assert(sizeof(struct ib_uverbs_destroy_qp_resp) == sizeof(u32));
	static_assert(sizeof(struct ib_uverbs_destroy_srq_resp) == sizeof(u32));
	return uv_answer(attrs, id, &uv_source(uobj)->reported);
}

#endif /* OFED_UVERBS_IOCTL_STD_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands have in common. */
#ifndef OFED_UVERBS_CMD_H
#define OFED_UVERBS_CMD_H

#include "uverbs.h"

static inline void *uv_verbs_object(struct ib_uobject *uobj)
{
	return IS_ERR(uobj) ? ERR_CAST(uobj) : uobj->object;
}

/* The verbs object of a handle, to use it; its uobject for uv_put_read(). */
#define uv_read_obj(struct_, type_, id_, attrs_) \
	((struct_ *)uv_verbs_object(uv_get_read((type_), (id_), (attrs_))))

static inline struct ib_ucq_object *uv_ucq(struct ib_uobject *uobj)
{
	return container_of(uv_source(uobj), struct ib_ucq_object, source);
}

static inline struct ib_uqp_object *uv_uqp(struct ib_uobject *uobj)
{
	return container_of(uv_source(uobj), struct ib_uqp_object, source);
}

static inline struct ib_usrq_object *uv_usrq(struct ib_uobject *uobj)
{
	return container_of(uv_source(uobj), struct ib_usrq_object, source);
}

static inline struct ib_uwq_object *uv_uwq(struct ib_uobject *uobj)
{
	return container_of(uv_source(uobj), struct ib_uwq_object, source);
}

static inline void uv_put_cq(struct ib_cq *cq)
{
	uv_put_read(&cq->uobject->source.uobj);
}

static inline void uv_put_qp(struct ib_qp *qp)
{
	uv_put_read(&qp->uobject->source.uobj);
}

static inline void uv_put_srq(struct ib_srq *srq)
{
	uv_put_read(&srq->uobject->source.uobj);
}

static inline void uv_put_wq(struct ib_wq *wq)
{
	uv_put_read(&wq->uobject->source.uobj);
}

/* cmd_destroy.c */
int uv_destroy_request(const struct uv_type *type,
		       struct uverbs_attr_bundle *attrs);
int uv_destroy_source(const struct uv_type *type,
		      struct uverbs_attr_bundle *attrs);

/* A type of object that a device has if its driver has @op. */
#define UV_OBJ_TYPE(name, id_, struct_, destroy_, op)			\
	const struct uv_type name = {					\
		.api = { .id = (id_) },					\
		.size = sizeof(struct_),				\
		.destroy = (destroy_),					\
		.needs = offsetof(struct ib_device_ops, op),		\
	}

#endif /* OFED_UVERBS_CMD_H */

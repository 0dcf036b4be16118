/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands have in common. */
#ifndef OFED_UVERBS_CMD_H
#define OFED_UVERBS_CMD_H

#include <ofed/raw_cap.h>

#include "../uverbs.h"

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

static inline struct uv_comp_file *uv_comp_file(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uv_comp_file, uobj);
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

/* mcast.c */
void uv_mcast_detach_all(struct ib_uqp_object *uqp, struct ib_qp *qp);

/*
 * The parameters of new objects. write() and ioctl() parse them and share the
 * rest. Objects in them are locked for reading; an absent one is NULL. @async
 * is NULL for the event file of the context.
 */

/**
 * struct uv_cq_params - a new CQ
 * @init: for the driver
 * @user_handle: what events call it
 * @channel: completion channel; the CQ takes a reference
 * @async: event file
 */
struct uv_cq_params {
	struct ib_cq_init_attr init;
	u64 user_handle;
	struct uv_comp_file *channel;
	struct uv_async_file *async;
};

/**
 * struct uv_qp_params - a new QP
 * @init: for the driver, in and out, but for handler and context
 * @user_handle: what events call it
 * @pd: protection domain; NULL for an XRC target QP
 * @xrcd: XRC domain, of which @init has the ib_xrcd
 * @async: event file
 */
struct uv_qp_params {
	struct ib_qp_init_attr init;
	u64 user_handle;
	struct ib_pd *pd;
	struct ib_uobject *xrcd;
	struct uv_async_file *async;
};

/**
 * struct uv_srq_params - a new SRQ
 * @init: for the driver, in and out, but for handler and context
 * @user_handle: what events call it
 * @pd: protection domain
 * @xrcd: XRC domain, of which @init has the ib_xrcd
 * @async: event file
 */
struct uv_srq_params {
	struct ib_srq_init_attr init;
	u64 user_handle;
	struct ib_pd *pd;
	struct ib_uobject *xrcd;
	struct uv_async_file *async;
};

/**
 * struct uv_wq_params - a new WQ
 * @init: for the driver, in and out, but for handler and context
 * @user_handle: what events call it
 * @pd: protection domain
 * @async: event file
 */
struct uv_wq_params {
	struct ib_wq_init_attr init;
	u64 user_handle;
	struct ib_pd *pd;
	struct uv_async_file *async;
};

int uv_cq_make(struct ib_uobject *uobj, const struct uv_cq_params *params,
	       struct uverbs_attr_bundle *attrs);
void uv_cq_events(struct ib_uobject *uobj,
		  struct ib_uverbs_destroy_cq_resp *resp);
/* CAP_NET_RAW for the device of the file's context, or without one for none yet. */
static inline bool uv_has_raw_cap(const struct ib_uverbs_file *file)
{
	const struct ib_ucontext *context = READ_ONCE(file->ucontext);

	return ofed_has_raw_cap(context ? context->device : NULL);
}

int uv_qp_check(const struct ib_uverbs_file *file,
		const struct ib_qp_init_attr *init, bool has_table, bool has_srq);
int uv_qp_make(struct ib_uobject *uobj, struct uv_qp_params *params,
	       struct uverbs_attr_bundle *attrs);
int uv_srq_make(struct ib_uobject *uobj, struct uv_srq_params *params,
		struct uverbs_attr_bundle *attrs);
int uv_wq_make(struct ib_uobject *uobj, struct uv_wq_params *params,
	       struct uverbs_attr_bundle *attrs);

/* destroy.c */
int uv_destroy_request(const struct uv_type *type,
		       struct uverbs_attr_bundle *attrs);
int uv_destroy_source(const struct uv_type *type,
		      struct uverbs_attr_bundle *attrs);

/* A type of object that a device has if its driver has @op. More may follow. */
#define UV_OBJ_TYPE(name, id_, struct_, destroy_, op, ...)		\
	const struct uv_type name = {					\
		.api = { .id = (id_) },					\
		.size = sizeof(struct_),				\
		.destroy = (destroy_),					\
		.needs = offsetof(struct ib_device_ops, op),		\
		__VA_ARGS__						\
	}

#endif /* OFED_UVERBS_CMD_H */

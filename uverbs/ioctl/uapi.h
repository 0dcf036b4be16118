/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree of a device: which objects, methods and attributes its ioctl() has,
 * and which write() commands.
 *
 * It is built from definitions when the device gets its node, first the core's,
 * then those of the driver, and does not change after that. Definitions of the
 * driver stay where they are, but for what is copied into the tree; no pointer
 * into the driver is followed once the device is unplugged.
 *
 * A standard object has its struct uv_type, which belongs to its id: see
 * uapi_std.c. Its definitions bring methods only (no type_attrs), by
 * DECLARE_UVERBS_GLOBAL_METHODS. A device has the object if its driver has what
 * uv_type.needs says, so UAPI_DEF_OBJ_NEEDS_FN is not repeated there. An object
 * of the driver's own (type_attrs) gets a struct uv_type when the tree is
 * built.
 *
 * What a handler may count on:
 *
 * - All mandatory attributes are there, objects are locked as the attribute
 *   says and of its type, the device is present. attrs->context is that of the
 *   objects; without objects it is NULL, and ib_uverbs_get_ucontext() finds it.
 * - UVERBS_ACCESS_NEW: the uobject is from uv_uobj_begin() or, for an FD, from
 *   uv_uobj_begin_fd() with uv_type.fops, and the program knows its handle. The
 *   handler sets uobject->object (not that of an FD). Until it has called
 *   uverbs_finalize_uobj_create(), it undoes what it has done when it fails;
 *   after that, uv_type.destroy does (with RDMA_REMOVE_ABORT).
 * - UVERBS_ACCESS_DESTROY: the object is destroyed before the handler runs,
 *   which is left to copy counts from the uobject. This also happens after an
 *   unplug, to an empty object.
 * - -EPROTONOSUPPORT is not for handlers.
 */
#ifndef OFED_UVERBS_UAPI_H
#define OFED_UVERBS_UAPI_H

#include <linux/xarray.h>
#include <rdma/uverbs_ioctl.h>

#include "../uverbs.h"

/* Each in the ioctl_<object>.c of its object, ended by an empty definition. */
extern const struct uapi_definition uv_def_device[];
extern const struct uapi_definition uv_def_pd[];
extern const struct uapi_definition uv_def_comp[];
extern const struct uapi_definition uv_def_cq[];
extern const struct uapi_definition uv_def_qp[];
extern const struct uapi_definition uv_def_srq[];
extern const struct uapi_definition uv_def_ah[];
extern const struct uapi_definition uv_def_mr[];
extern const struct uapi_definition uv_def_mw[];
extern const struct uapi_definition uv_def_flow[];
extern const struct uapi_definition uv_def_xrcd[];
extern const struct uapi_definition uv_def_rwq[];
extern const struct uapi_definition uv_def_wq[];
extern const struct uapi_definition uv_def_flow_action[];
extern const struct uapi_definition uv_def_dm[];
extern const struct uapi_definition uv_def_counters[];
extern const struct uapi_definition uv_def_async[];
/* ioctl/ucaps.c, where the kernel has it. */
int uv_ucaps_init(void);
void uv_ucaps_exit(void);
int uv_context_caps(struct ib_ucontext *context, struct uverbs_attr_bundle *attrs);

/* Those that only some kernels have. */
extern const struct uapi_definition uv_def_dmah[];
extern const struct uapi_definition uv_def_comp_cntr[];
extern const struct uapi_definition uv_def_port_speed[];
extern const struct uapi_definition uv_def_buffers[];
extern const struct uapi_definition uv_def_srq_buffer[];
extern const struct uapi_definition uv_def_ucaps[];
extern const struct uapi_definition uv_def_dmabuf[];

/*
 * Types that only ioctl() makes objects of; the others are in uverbs.h. Their
 * definitions stand beside the methods.
 */
extern const struct uv_type uv_type_flow_action, uv_type_dm, uv_type_counters,
	uv_type_dmah, uv_type_comp_cntr, uv_type_dmabuf;

/*
 * The event file of objects that are created without one, or NULL: GET_CONTEXT
 * by ioctl() does not bring one. The first ASYNC_EVENT_ALLOC of a file offers
 * its own, before it commits; the file takes a reference.
 */
struct uv_async_file *uv_file_async(struct ib_uverbs_file *file);
void uv_file_offer_async(struct ib_uverbs_file *file,
			 struct uv_async_file *async);

/* What uv_method.destroyed is for a method that destroys nothing. */
#define UV_NO_ATTR UVERBS_API_ATTR_BKEY_LEN

/**
 * struct uverbs_api_attr - an attribute of a method
 * @spec: what it has to be
 * @type: (IDR, FD, IDRS_ARRAY) of the objects, or NULL for any
 * @impossible: the device has no such objects, so that a call without it is fine
 *		and one with it is not
 *
 * The name is that which <rdma/uverbs_ioctl.h> has for it.
 */
struct uverbs_api_attr {
	struct uverbs_attr_spec spec;
	const struct uv_type *type;
	bool impossible;
};

/**
 * struct uv_method - a method of an object
 * @handler: what it does
 * @mandatory: attributes that must be there, by bkey
 * @num_attrs: one more than the highest bkey
 * @destroyed: bkey of the object that it destroys, or UV_NO_ATTR
 * @has_udata: it has the two attributes of a driver's command
 * @of_driver: it ends with the device, as part of it is the driver's
 */
struct uv_method {
	int (*handler)(struct uverbs_attr_bundle *attrs);
	DECLARE_BITMAP(mandatory, UVERBS_API_ATTR_BKEY_LEN);
	u8 num_attrs;
	u8 destroyed;
	bool has_udata;
	bool of_driver;
};

/**
 * struct uv_object - an object of a tree
 * @type: of its instances, or NULL: there are none
 * @own: what @type points to, if the driver has brought the object
 * @disabled: the device does not have it; only while the tree is built
 */
struct uv_object {
	const struct uv_type *type;
	struct uv_type own;
	bool disabled;
};

/**
 * struct uv_api - the tree
 * @nodes: by key as in <rdma/uverbs_ioctl.h>: struct uv_object, uv_method,
 *	   uverbs_api_attr, and uv_cmd where a command is the driver's
 * @objects: objects there are, by the number in their key
 * @driver_id: what a program must say
 * @legacy: write() commands, NULL where there is none
 * @extended: the same for extended ones
 * @num_legacy: one more than the highest of @legacy
 * @num_extended: the same for @extended
 */
struct uv_api {
	struct xarray nodes;
	u32 objects;
	u32 driver_id;
	const struct uv_cmd *legacy[UVERBS_API_WRITE_KEY_NUM];
	const struct uv_cmd *extended[UVERBS_API_WRITE_KEY_NUM];
	u32 num_legacy;
	u32 num_extended;
};

/**
 * struct uv_api_core - what every device could have
 * @types: types of standard objects
 * @num_types: how many
 * @defs: methods
 * @legacy: write() commands by number
 * @num_legacy: how many
 * @extended: extended ones
 * @num_extended: how many
 */
struct uv_api_core {
	const struct uv_type * const *types;
	size_t num_types;
	const struct uapi_definition *defs;
	const struct uv_cmd *legacy;
	size_t num_legacy;
	const struct uv_cmd *extended;
	size_t num_extended;
};

struct uv_api *uv_api_build(struct ib_device *ib_dev,
			    const struct uv_api_core *core);
void uv_api_free(struct uv_api *api);
const struct uv_object *uv_api_object(struct uv_api *api, u32 object_id);
const struct uv_type *uv_api_type(struct uv_api *api, u32 object_id);
const struct uv_method *uv_api_method(struct uv_api *api, u32 object_id,
				      u32 method_id, u32 *key);

/* uapi_std.c */
struct uv_api *uv_api_of(struct ib_device *ib_dev);

/* cmd/table.c */
extern const struct uv_cmd uv_legacy_cmds[UVERBS_API_WRITE_KEY_NUM];
extern const struct uv_cmd uv_extended_cmds[UVERBS_API_WRITE_KEY_NUM];

#endif /* OFED_UVERBS_UAPI_H */

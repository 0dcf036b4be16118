/* SPDX-License-Identifier: GPL-2.0 */
/* A method while it runs: what ioctl() and the getters of attributes share. */
#ifndef OFED_UVERBS_IOCTL_H
#define OFED_UVERBS_IOCTL_H

#include "uapi.h"

/* Memory that a method has asked for, until it ends. */
struct uv_chunk {
	struct uv_chunk *next;
	u64 data[];
};

/**
 * struct uv_call - a method while it runs
 * @api: tree of the device
 * @method: the method
 * @key: its key
 * @user_attrs: attributes in the memory of the program
 * @uattrs: a copy of them
 * @chunks: see struct uv_chunk
 * @held: attributes with objects that are locked or, for one that is to be
 *	  destroyed, referred to; by bkey
 * @made: objects that the handler has finished, by bkey
 * @bundle: what the handler sees; its attributes follow
 */
struct uv_call {
	struct uv_api *api;
	const struct uv_method *method;
	u32 key;
	struct ib_uverbs_attr __user *user_attrs;
	struct ib_uverbs_attr *uattrs;
	struct uv_chunk *chunks;
	DECLARE_BITMAP(held, UVERBS_API_ATTR_BKEY_LEN);
	DECLARE_BITMAP(made, UVERBS_API_ATTR_BKEY_LEN);
	struct uverbs_attr_bundle bundle;
};

static inline struct uv_call *uv_call(const struct uverbs_attr_bundle *attrs)
{
	return container_of(attrs, struct uv_call, bundle);
}

/* attr.c */
void uv_attr_buffers(const struct uverbs_attr_bundle *attrs,
		     struct ib_udata *udata, u16 in, u16 out);
int uv_attr_written(const struct uverbs_attr_bundle *attrs, u16 id);
void uv_chunks_free(struct uv_call *call);

#if IS_ENABLED(CONFIG_KUNIT)
struct uv_call *uv_call_new(struct ib_uverbs_file *file,
			    const struct uv_method *method, u16 count);
int uv_parse_attrs(struct uv_call *call, u16 count);
int uv_call_run(struct uv_call *call, u16 count);
void uv_call_end(struct uv_call *call, int result);
#endif

#endif /* OFED_UVERBS_IOCTL_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer of a shared receive queue, named by an attribute as those of buffers.c.
 */
#include "std.h"

ADD_UVERBS_ATTRIBUTES_SIMPLE(uv_srq_buffer, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE,
	UVERBS_ATTR_UMEM(UVERBS_ATTR_CREATE_SRQ_BUF_UMEM, UA_OPTIONAL));

const struct uapi_definition uv_def_srq_buffer[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_SRQ, &uv_srq_buffer),
	{}
};

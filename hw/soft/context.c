// SPDX-License-Identifier: GPL-2.0
/*
 * What the library of a program and the driver agree upon, beyond the ABI that the
 * kernel's own driver has.
 */
#include <rdma/uverbs_ioctl.h>
#include <uapi/ofed/ofed_user_verbs.h>

#include "context.h"

static_assert(sizeof(struct ofed_context_req) == 8);
static_assert(sizeof(struct ofed_context_resp) == 16);
static_assert(sizeof(struct ofed_cqe_time) == 16);

/**
 * soft_open_context - answer a library that knows the extension
 * @ib: context of the program, in a struct soft_ucontext
 * @udata: driver data of GET_CONTEXT
 * @features: of enum ofed_context_feature, what the device has
 * @max_inline: bytes of inline data that a send queue can have
 *
 * A library that sends nothing, or has no room for the answer, is one that does not
 * know the extension.
 *
 * Context: process, may sleep. Return: 0 or -EFAULT.
 */
int soft_open_context(struct ib_ucontext *ib, struct ib_udata *udata, u32 features,
		      u32 max_inline)
{
	struct ofed_context_resp resp = {};
	struct ofed_context_req req = {};
	int ret;

	if (!udata || udata->inlen < sizeof(req) || udata->outlen < sizeof(resp))
		return 0;
	ret = ib_copy_from_udata(&req, udata, sizeof(req));
	if (ret)
		return ret;
	resp.version = min_t(u32, req.version, OFED_USER_VERBS_VERSION);
	if (resp.version) {
		resp.features = features;
		resp.max_inline = max_inline;
	}
	ret = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (!ret)
		to_soft_ucontext(ib)->features = resp.features;
	return ret;
}

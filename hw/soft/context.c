// SPDX-License-Identifier: GPL-2.0
/*
 * What the library of a program and the driver agree upon, beyond the ABI that the
 * kernel's own driver has.
 */
#include <rdma/uverbs_ioctl.h>
#include <uapi/ofed/ofed_user_verbs.h>

#include "context.h"
#include "poller.h"

static_assert(sizeof(struct ofed_context_req) == 8);
static_assert(sizeof(struct ofed_context_resp) == 32);
static_assert(offsetof(struct ofed_context_resp, doorbell_offset) == OFED_CONTEXT_RESP_1_BYTES);
static_assert(sizeof(struct ofed_qp_resp) == 8);
static_assert(sizeof(struct ofed_doorbell_page) == 192);
static_assert(sizeof(struct ofed_cqe_time) == 16);
static_assert(sizeof(struct ofed_create_cq_req) == 8);
static_assert(sizeof(struct ofed_cqe_tm) == 16);
static_assert(sizeof(struct ofed_tm_op) == 184);

/* Doorbells, if the library has room for where they are. */
static void soft_open_doorbells(struct soft_ucontext *context, struct ofed_context_resp *resp,
				size_t room)
{
	if (resp->version < 2 || room < sizeof(*resp))
		return;
	context->poller = soft_poller_open(&context->ib);
	if (!context->poller)
		return;
	resp->features |= OFED_FEATURE_DOORBELLS;
	soft_poller_where(context->poller, &resp->doorbell_offset, &resp->doorbell_bytes);
}

/* Those of @features that a library of this version knows. Doorbells are added where there are. */
static u32 soft_features(u32 features, u32 version)
{
	features &= ~OFED_FEATURE_DOORBELLS;
	return version < 3 ? features & ~OFED_FEATURE_TAG_MATCHING : features;
}

/**
 * soft_open_context - answer a library that knows the extension
 * @ib: context of the program, in a struct soft_ucontext
 * @udata: driver data of GET_CONTEXT
 * @features: of enum ofed_context_feature, what the device has
 * @max_inline: bytes of inline data that a send queue can have
 *
 * A library that sends nothing, or has no room for the answer, is one that does not
 * know the extension. Where @features has OFED_FEATURE_DOORBELLS, the context gets some if
 * that is wanted.
 *
 * Context: process, may sleep. Return: 0 or -EFAULT.
 */
int soft_open_context(struct ib_ucontext *ib, struct ib_udata *udata, u32 features,
		      u32 max_inline)
{
	struct soft_ucontext *context = to_soft_ucontext(ib);
	struct ofed_context_resp resp = {};
	struct ofed_context_req req = {};
	int ret;

	if (!udata || udata->inlen < sizeof(req) || udata->outlen < OFED_CONTEXT_RESP_1_BYTES)
		return 0;
	ret = ib_copy_from_udata(&req, udata, sizeof(req));
	if (ret)
		return ret;
	resp.version = min_t(u32, req.version, OFED_USER_VERBS_VERSION);
	if (resp.version) {
		resp.features = soft_features(features, resp.version);
		resp.max_inline = max_inline;
	}
	if (features & OFED_FEATURE_DOORBELLS)
		soft_open_doorbells(context, &resp, udata->outlen);
	ret = ib_copy_to_udata(udata, &resp, min(udata->outlen, sizeof(resp)));
	if (ret)
		soft_close_context(ib);
	else
		context->features = resp.features;
	return ret;
}

/**
 * soft_close_context - the end of a program's context
 * @ib: of soft_open_context()
 *
 * Context: process, sleeps.
 */
void soft_close_context(struct ib_ucontext *ib)
{
	struct soft_ucontext *context = to_soft_ucontext(ib);

	soft_poller_close(context->poller);
	context->poller = NULL;
}

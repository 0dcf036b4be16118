// SPDX-License-Identifier: GPL-2.0
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "frame.h"

#define HDR_BYTES sizeof(struct ib_uverbs_cmd_hdr)
#define EX_HDR_BYTES sizeof(struct ib_uverbs_ex_cmd_hdr)

static_assert(HDR_BYTES == 8 && EX_HDR_BYTES == 16);

static int uv_parse_extended(const struct uv_cmd *cmd,
			     const struct ib_uverbs_cmd_hdr *hdr,
			     const struct ib_uverbs_ex_cmd_hdr *ex, size_t count,
			     struct uv_frame *frame)
{
	const bool has_out = hdr->out_words || ex->provider_out_words;

	frame->start = HDR_BYTES + EX_HDR_BYTES;
	frame->core_in = hdr->in_words * 8;
	frame->drv_in = ex->provider_in_words * 8;
	frame->core_out = hdr->out_words * 8;
	frame->drv_out = ex->provider_out_words * 8;

	if (count < frame->start ||
	    count - frame->start != (size_t)frame->core_in + frame->drv_in)
		return -EINVAL;
	/* A command has the address of a response only if it has a response. */
	if (ex->cmd_hdr_reserved || has_out != !!ex->response)
		return -EINVAL;
	if (frame->core_in < cmd->req_size || frame->core_out < cmd->resp_size)
		return -ENOSPC;
	return 0;
}

/*
 * rdma-core 18 and 19 say 16 when they write DESTROY_CQ, although the request
 * lies there whole, and kernels of their time did not look.
 */
static bool uv_is_short_destroy_cq(const struct ib_uverbs_cmd_hdr *hdr,
				   size_t count)
{
	return hdr->command == IB_USER_VERBS_CMD_DESTROY_CQ && count == 16;
}

static int uv_parse_legacy(const struct uv_cmd *cmd,
			   const struct ib_uverbs_cmd_hdr *hdr, size_t count,
			   struct uv_frame *frame)
{
	frame->start = HDR_BYTES;
	if (count < HDR_BYTES || count != hdr->in_words * 4)
		return -EINVAL;
	frame->core_in = count - HDR_BYTES;
	frame->core_out = hdr->out_words * 4;

	if (frame->core_in < cmd->req_size) {
		if (!uv_is_short_destroy_cq(hdr, count))
			return -ENOSPC;
		frame->core_in = cmd->req_size;
	} else if (frame->core_out < cmd->resp_size) {
		return -ENOSPC;
	}

	if (cmd->has_udata) {
		frame->drv_in = frame->core_in - cmd->req_size;
		frame->core_in = cmd->req_size;
		if (cmd->has_resp) {
			frame->drv_out = frame->core_out - cmd->resp_size;
			frame->core_out = cmd->resp_size;
		}
	}
	return 0;
}

int uv_frame_parse(const struct uv_cmd *cmd,
		   const struct ib_uverbs_cmd_hdr *hdr,
		   const struct ib_uverbs_ex_cmd_hdr *ex, size_t count,
		   struct uv_frame *frame)
{
	memset(frame, 0, sizeof(*frame));
	return cmd->extended ? uv_parse_extended(cmd, hdr, ex, count, frame) :
			       uv_parse_legacy(cmd, hdr, count, frame);
}

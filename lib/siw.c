// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The provider for iWARP devices: contexts and memory. */
#include <errno.h>
#include <stdlib.h>

#include "common.h"
#include "dm.h"
#include "domain.h"
#include "match.h"
#include "siw.h"

/* An open device. */
struct siw_context {
	struct verbs_context base;
};

/* The kernel module chooses the key. */
static struct ibv_mr *siw_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
				 uint64_t iova, int access)
{
	struct {
		struct ibv_reg_mr core;
		struct siw_ureq_reg_mr siw;
	} cmd = {};
	struct {
		struct ib_uverbs_reg_mr_resp core;
		struct siw_uresp_reg_mr siw;
	} resp = {};
	struct verbs_mr *mr = calloc(1, sizeof(*mr));

	if (!mr)
		return NULL;
	if (ibv_cmd_reg_mr(pd, addr, length, iova, access, mr, &cmd.core, sizeof(cmd),
			   &resp.core, sizeof(resp))) {
		free(mr);
		return NULL;
	}
	return &mr->ibv_mr;
}

static int siw_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct ibv_modify_srq cmd = {};

	return ibv_cmd_modify_srq(srq, attr, mask, &cmd, sizeof(cmd));
}

static void siw_free_context(struct ibv_context *ibv)
{
	struct siw_context *context = container_of(ibv, struct siw_context, base.context);

	verbs_uninit_context(&context->base);
	free(context);
}

static const struct verbs_context_ops siw_ops = {
	.alloc_dm = lib_alloc_dm,
	.alloc_null_mr = lib_alloc_null_mr,
	.alloc_parent_domain = lib_alloc_parent_domain,
	.alloc_pd = lib_alloc_pd,
	.alloc_td = lib_alloc_td,
	.create_cq = siw_create_cq,
	.create_cq_ex = siw_create_cq_ex,
	.create_qp = siw_create_qp,
	.create_qp_ex = siw_create_qp_ex,
	.create_srq = siw_create_srq,
	.dealloc_pd = lib_dealloc_pd,
	.dealloc_td = lib_dealloc_td,
	.dereg_mr = lib_dereg_mr,
	.destroy_cq = siw_destroy_cq,
	.destroy_qp = siw_destroy_qp,
	.destroy_srq = siw_destroy_srq,
	.free_context = siw_free_context,
	.free_dm = lib_free_dm,
	.modify_qp = lib_modify_qp,
	.modify_srq = siw_modify_srq,
	.poll_cq = siw_poll_cq,
	.post_recv = siw_post_recv,
	.post_send = siw_post_send,
	.post_srq_recv = siw_post_srq_recv,
	.query_device_ex = lib_query_device_ex,
	.query_port = lib_query_port,
	.query_qp = lib_query_qp,
	.query_srq = lib_query_srq,
	.reg_dm_mr = lib_reg_dm_mr,
	.reg_dmabuf_mr = lib_reg_dmabuf_mr,
	.reg_mr = siw_reg_mr,
	.req_notify_cq = siw_req_notify_cq,
};

static struct verbs_context *siw_alloc_context(struct ibv_device *device, int cmd_fd,
					       void *private_data)
{
	struct {
		struct ib_uverbs_get_context_resp core;
		struct siw_uresp_alloc_ctx siw;
	} resp = {};
	struct siw_context *context;
	struct ibv_get_context cmd;

	context = verbs_init_and_alloc_context(device, cmd_fd, context, base,
					       RDMA_DRIVER_SIW);
	if (!context)
		return NULL;
	if (ibv_cmd_get_context(&context->base, &cmd, sizeof(cmd), &resp.core,
				sizeof(resp))) {
		verbs_uninit_context(&context->base);
		free(context);
		return NULL;
	}
	verbs_set_ops(&context->base, &siw_ops);
	return &context->base;
}

static const struct verbs_match_ent siw_matches[] = {
	VERBS_DRIVER_ID(RDMA_DRIVER_SIW),
	{}
};

static const struct verbs_device_ops siw_device_ops = {
	.name = "ofed-iwarp",
	.match_min_abi_version = SIW_ABI_VERSION,
	.match_max_abi_version = SIW_ABI_VERSION,
	.match_table = siw_matches,
	.match_device = lib_is_ours,
	.alloc_device = lib_alloc_device,
	.uninit_device = lib_free_device,
	.alloc_context = siw_alloc_context,
};
PROVIDER_DRIVER(ofed_iwarp, siw_device_ops);

// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The provider for RoCE and InfiniBand devices: contexts, and what they say of the device. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common.h"
#include "dm.h"
#include "domain.h"
#include "match.h"
#include "rxe.h"

/* kHz of CLOCK_MONOTONIC_RAW, and the bits of its nanoseconds. */
#define CLOCK_KHZ	1000000
#define CLOCK_MASK	UINT64_MAX

static int rxe_query_device_ex(struct ibv_context *context,
			       const struct ibv_query_device_ex_input *input,
			       struct ibv_device_attr_ex *attr, size_t attr_size)
{
	int ret = lib_query_device_ex(context, input, attr, attr_size);

	if (ret)
		return ret;
	if (rxe_context_of(context)->features & OFED_FEATURE_TAG_MATCHING)
		rxe_say_tm_caps(attr, attr_size);
	if (attr_size < offsetof(struct ibv_device_attr_ex, hca_core_clock) +
			sizeof(attr->hca_core_clock) ||
	    !(rxe_context_of(context)->features & OFED_FEATURE_CQ_TIME))
		return 0;
	attr->completion_timestamp_mask = CLOCK_MASK;
	attr->hca_core_clock = CLOCK_KHZ;
	return 0;
}

static int rxe_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	if (values->comp_mask & ~IBV_VALUES_MASK_RAW_CLOCK)
		return EINVAL;
	if (!(rxe_context_of(context)->features & OFED_FEATURE_CQ_TIME))
		return EOPNOTSUPP;
	if (!(values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK))
		return 0;
	return clock_gettime(CLOCK_MONOTONIC_RAW, &values->raw_clock) ? errno : 0;
}

/* Without the page each doorbell is a call. */
static void rxe_map_bells(struct rxe_context *context, const struct ofed_context_resp *resp)
{
	void *page;

	if (!(context->features & OFED_FEATURE_DOORBELLS) ||
	    resp->doorbell_bytes < sizeof(*context->bells))
		return;
	page = mmap(NULL, resp->doorbell_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		    context->base.context.cmd_fd, resp->doorbell_offset);
	if (page == MAP_FAILED)
		return;
	context->bells = page;
	context->bells_bytes = resp->doorbell_bytes;
}

static void rxe_free_context(struct ibv_context *ibv)
{
	struct rxe_context *context = rxe_context_of(ibv);

	if (context->bells)
		munmap(context->bells, context->bells_bytes);
	verbs_uninit_context(&context->base);
	free(context);
}

static const struct verbs_context_ops rxe_ops = {
	.advise_mr = ibv_cmd_advise_mr,
	.alloc_dm = lib_alloc_dm,
	.alloc_mw = rxe_alloc_mw,
	.alloc_null_mr = lib_alloc_null_mr,
	.alloc_parent_domain = lib_alloc_parent_domain,
	.alloc_pd = lib_alloc_pd,
	.alloc_td = lib_alloc_td,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = rxe_bind_mw,
	.close_xrcd = rxe_close_xrcd,
	.create_ah = rxe_create_ah,
	.create_cq = rxe_create_cq,
	.create_cq_ex = rxe_create_cq_ex,
	.create_qp = rxe_create_qp,
	.create_qp_ex = rxe_create_qp_ex,
	.create_srq = rxe_create_srq,
	.create_srq_ex = rxe_create_srq_ex,
	.dealloc_mw = rxe_dealloc_mw,
	.dealloc_pd = lib_dealloc_pd,
	.dealloc_td = lib_dealloc_td,
	.dereg_mr = lib_dereg_mr,
	.destroy_ah = rxe_destroy_ah,
	.destroy_cq = rxe_destroy_cq,
	.destroy_qp = rxe_destroy_qp,
	.destroy_srq = rxe_destroy_srq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = rxe_free_context,
	.free_dm = lib_free_dm,
	.get_srq_num = rxe_get_srq_num,
	.import_dm = lib_import_dm,
	.import_mr = rxe_import_mr,
	.import_pd = lib_import_pd,
	.modify_cq = rxe_modify_cq,
	.modify_qp = rxe_modify_qp,
	.modify_srq = rxe_modify_srq,
	.open_qp = rxe_open_qp,
	.open_xrcd = rxe_open_xrcd,
	.poll_cq = rxe_poll_cq,
	.post_recv = rxe_post_recv,
	.post_send = rxe_post_send,
	.post_srq_ops = rxe_post_srq_ops,
	.post_srq_recv = rxe_post_srq_recv,
	.query_device_ex = rxe_query_device_ex,
	.query_port = lib_query_port,
	.query_qp = lib_query_qp,
	.query_rt_values = rxe_query_rt_values,
	.query_srq = lib_query_srq,
	.reg_dm_mr = lib_reg_dm_mr,
	.reg_dmabuf_mr = lib_reg_dmabuf_mr,
	.reg_mr = rxe_reg_mr,
	.req_notify_cq = ibv_cmd_req_notify_cq,
	.rereg_mr = rxe_rereg_mr,
	.resize_cq = rxe_resize_cq,
	.unimport_dm = lib_unimport_dm,
	.unimport_mr = rxe_unimport_mr,
	.unimport_pd = lib_unimport_pd,
};

/* A kernel module that does not know the extension leaves its answer as it is: zero. */
static int rxe_get_context(struct rxe_context *context)
{
	struct {
		struct ibv_get_context core;
		struct ofed_context_req own;
	} cmd = { .own.version = OFED_USER_VERBS_VERSION };
	struct {
		struct ib_uverbs_get_context_resp core;
		struct ofed_context_resp own;
	} resp = {};
	int ret;

	ret = ibv_cmd_get_context(&context->base, &cmd.core, sizeof(cmd), &resp.core,
				  sizeof(resp));
	if (ret)
		return ret;
	context->version = resp.own.version;
	if (context->version)
		context->features = resp.own.features;
	rxe_map_bells(context, &resp.own);
	return 0;
}

static struct verbs_context *rxe_alloc_context(struct ibv_device *device, int cmd_fd,
					       void *private_data)
{
	struct rxe_context *context;

	context = verbs_init_and_alloc_context(device, cmd_fd, context, base,
					       RDMA_DRIVER_RXE);
	if (!context)
		return NULL;
	if (rxe_get_context(context)) {
		verbs_uninit_context(&context->base);
		free(context);
		return NULL;
	}
	verbs_set_ops(&context->base, &rxe_ops);
	return &context->base;
}

/*
 * Of the file of another process. The extension was negotiated, or not, when that one opened
 * the device, and is not used here.
 */
static struct verbs_context *rxe_import_context(struct ibv_device *device, int cmd_fd)
{
	struct rxe_context *context;
	int ret;

	context = verbs_init_and_alloc_context(device, cmd_fd, context, base,
					       RDMA_DRIVER_RXE);
	if (!context)
		return NULL;
	ret = ibv_cmd_query_context(&context->base.context, NULL);
	if (ret) {
		verbs_uninit_context(&context->base);
		free(context);
		errno = ret;
		return NULL;
	}
	verbs_set_ops(&context->base, &rxe_ops);
	return &context->base;
}

static const struct verbs_match_ent rxe_matches[] = {
	VERBS_DRIVER_ID(RDMA_DRIVER_RXE),
	{}
};

static const struct verbs_device_ops rxe_device_ops = {
	.name = "ofed",
	.match_min_abi_version = 1,
	.match_max_abi_version = 2,
	.match_table = rxe_matches,
	.match_device = lib_is_ours,
	.alloc_device = lib_alloc_device,
	.uninit_device = lib_free_device,
	.alloc_context = rxe_alloc_context,
	.import_context = rxe_import_context,
};
PROVIDER_DRIVER(ofed, rxe_device_ops);

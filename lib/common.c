// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* What devices of either kind do by a command alone. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/cmd_ioctl.h>
#include <ofed/ofed_user_verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "common.h"

int lib_query_device_ex(struct ibv_context *context,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	size_t resp_size = sizeof(resp);
	uint64_t version;
	int ret;

	ret = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp,
				       &resp_size);
	if (ret)
		return ret;
	version = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%u.%u.%u",
		 (unsigned int)(version >> 32), (unsigned int)(version >> 16 & 0xffff),
		 (unsigned int)(version & 0xffff));
	return 0;
}

/* The kernel module has one null region for all, so there is nothing to be undone. */
struct ibv_mr *lib_alloc_null_mr(struct ibv_pd *pd)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_PD, OFED_METHOD_PD_NULL_KEY, 2);
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	int ret;

	if (!mr)
		return NULL;
	fill_attr_in_obj(cmd, OFED_ATTR_NULL_KEY_PD, pd->handle);
	fill_attr_out_ptr(cmd, OFED_ATTR_NULL_KEY_RESP_LKEY, &mr->ibv_mr.lkey);
	ret = execute_ioctl(pd->context, cmd);
	if (ret) {
		free(mr);
		errno = ret == EPROTONOSUPPORT ? EOPNOTSUPP : ret;
		return NULL;
	}
	mr->ibv_mr.context = pd->context;
	mr->ibv_mr.pd = pd;
	mr->ibv_mr.length = SIZE_MAX;
	mr->mr_type = IBV_MR_TYPE_NULL_MR;
	return &mr->ibv_mr;
}

int lib_dereg_mr(struct verbs_mr *mr)
{
	int ret = mr->mr_type == IBV_MR_TYPE_NULL_MR ? 0 : ibv_cmd_dereg_mr(mr);

	if (!ret)
		free(mr);
	return ret;
}

/*
 * A library of rdma-core 54 and later has one more argument than those of 44 to 53, with the same
 * private ABI: those do not look at it.
 */
typedef int reg_dmabuf(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd,
		       int access, struct verbs_mr *mr, void *driver);

struct ibv_mr *lib_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
				 uint64_t iova, int fd, int access)
{
	reg_dmabuf *reg = (reg_dmabuf *)(void (*)(void))ibv_cmd_reg_dmabuf_mr;
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	int ret;

	if (!mr)
		return NULL;
	ret = reg(pd, offset, length, iova, fd, access, mr, NULL);
	if (!ret)
		return &mr->ibv_mr;
	free(mr);
	errno = ret;
	return NULL;
}

int lib_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	struct ibv_query_qp cmd;

	return ibv_cmd_query_qp(qp, attr, mask, init, &cmd, sizeof(cmd));
}

int lib_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_modify_qp cmd = {};

	return ibv_cmd_modify_qp(qp, attr, mask, &cmd, sizeof(cmd));
}

int lib_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd;

	return ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd));
}

int lib_query_port(struct ibv_context *context, uint8_t port,
			  struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(context, port, attr, &cmd, sizeof(cmd));
}

/*
 * Creates @qp. For create_flags libibverbs has another command, with another answer. No device
 * of ours has any, and an application may say so.
 */
int lib_create_qp(struct ibv_context *context, struct verbs_qp *qp,
		  struct ibv_qp_init_attr_ex *attr, struct ib_uverbs_create_qp_resp *resp,
		  size_t resp_size)
{
	const uint32_t mask = attr->comp_mask;
	struct ibv_create_qp cmd;
	int ret;

	if (mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && attr->create_flags)
		return EOPNOTSUPP;
	attr->comp_mask &= ~(uint32_t)IBV_QP_INIT_ATTR_CREATE_FLAGS;
	ret = ibv_cmd_create_qp_ex(context, qp, attr, &cmd, sizeof(cmd), resp, resp_size);
	attr->comp_mask = mask;
	return ret;
}

/* @ex: the same, for functions that take the extended attributes. */
void lib_init_attr_ex(struct ibv_qp_init_attr_ex *ex, struct ibv_pd *pd,
		      const struct ibv_qp_init_attr *attr)
{
	*ex = (struct ibv_qp_init_attr_ex){
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
}

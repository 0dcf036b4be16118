// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tag matching: operations on the tagged buffers of a shared receive queue. Each is a command,
 * and is done when the command returns.
 */
#include <errno.h>
#include <string.h>

#include "rxe.h"

/* None is outstanding behind its command, so this is no limit. */
#define MAX_OPS	OFED_TM_MAX_TAGS

/* What is behind the headers of a request is for the application alone, so this is none either. */
#define MAX_RNDV_HDR	1024

static_assert(sizeof(struct ofed_tm_sge) == sizeof(struct ibv_sge), "struct ofed_tm_sge");

static int rxe_fill_tag(struct ofed_tm_op *op, const struct ibv_ops_wr *wr)
{
	if (wr->tm.add.num_sge < 0 || wr->tm.add.num_sge > OFED_TM_MAX_SGE)
		return EINVAL;
	op->recv_wr_id = wr->tm.add.recv_wr_id;
	op->tag = wr->tm.add.tag;
	op->mask = wr->tm.add.mask;
	op->num_sge = wr->tm.add.num_sge;
	memcpy(op->sge, wr->tm.add.sg_list, op->num_sge * sizeof(*op->sge));
	return 0;
}

static int rxe_fill_op(struct rxe_srq *srq, struct ofed_tm_op *op, struct ibv_ops_wr *wr)
{
	op->wr_id = wr->wr_id;
	op->handled = wr->tm.unexpected_cnt;
	if (wr->flags & IBV_OPS_SIGNALED)
		op->flags |= OFED_TM_SIGNALED;
	if (wr->flags & IBV_OPS_TM_SYNC)
		op->flags |= OFED_TM_HANDLED;
	switch (wr->opcode) {
	case IBV_WR_TAG_ADD:
		op->opcode = OFED_TM_ADD;
		wr->tm.handle = __atomic_add_fetch(&srq->tags, 1, __ATOMIC_RELAXED);
		op->handle = wr->tm.handle;
		return rxe_fill_tag(op, wr);
	case IBV_WR_TAG_DEL:
		op->opcode = OFED_TM_DEL;
		op->handle = wr->tm.handle;
		return 0;
	case IBV_WR_TAG_SYNC:
		op->opcode = OFED_TM_SYNC;
		op->flags |= OFED_TM_HANDLED;
		return 0;
	default:
		return EINVAL;
	}
}

static int rxe_post_op(struct rxe_srq *srq, struct ibv_ops_wr *wr)
{
	struct {
		struct ibv_modify_srq core;
		struct ofed_tm_op own;
	} cmd = {};
	struct ibv_srq_attr none = {};
	int ret;

	ret = rxe_fill_op(srq, &cmd.own, wr);
	if (ret)
		return ret;
	return ibv_cmd_modify_srq(&srq->base.srq, &none, 0, &cmd.core, sizeof(cmd));
}

int rxe_post_srq_ops(struct ibv_srq *ibv, struct ibv_ops_wr *wr, struct ibv_ops_wr **bad)
{
	struct rxe_srq *srq = rxe_srq_of(ibv);
	int ret;

	for (; wr; wr = wr->next) {
		ret = srq->base.srq_type == IBV_SRQT_TM ? rxe_post_op(srq, wr) : EINVAL;
		if (ret) {
			*bad = wr;
			return ret;
		}
	}
	return 0;
}

void rxe_say_tm_caps(struct ibv_device_attr_ex *attr, size_t attr_size)
{
	if (attr_size < offsetof(struct ibv_device_attr_ex, tm_caps) + sizeof(attr->tm_caps))
		return;
	attr->tm_caps = (struct ibv_tm_caps){
		.max_rndv_hdr_size = MAX_RNDV_HDR,
		.max_num_tags = OFED_TM_MAX_TAGS,
		.flags = IBV_TM_CAP_RC,
		.max_ops = MAX_OPS,
		.max_sge = OFED_TM_MAX_SGE,
	};
}

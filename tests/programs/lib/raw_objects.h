/* SPDX-License-Identifier: GPL-2.0 */
/* Objects by command: one of every kind, made and taken back. */
#ifndef RAW_OBJECTS_H
#define RAW_OBJECTS_H

#include "raw_command.h"
#include "../../modules/ofed_testdev_abi.h"

#define RV_MEMORY (64 * 4096)

/* Handles of one of every object. */
struct rv_world {
	struct rv_device dev;
	int fd, async_fd, channel, file;
	uint64_t io_offset, ram_offset;
	char *memory;
	uint32_t pd, xrcd, cq, cq_ex, mr, lkey, mw, ah, srq, xsrq;
	uint32_t rc, rc_num, ud, tgt, tgt_num, opened, raw, qp_ex;
	uint32_t wq, table, rss, flow;
};

/* A command that is a handle and no more. */
static inline int rv_drop(struct rv_world *w, uint32_t number, uint32_t handle)
{
	return rv_write(w->fd, number, &handle, sizeof(handle), 0);
}

/* DESTROY_CQ, _QP, _SRQ: one layout, and that of a CQ has the longest answer. */
static inline int rv_destroy(struct rv_world *w, uint32_t number,
			     uint32_t handle, size_t resp_size)
{
	struct ib_uverbs_destroy_cq_resp resp = {};
	struct ib_uverbs_destroy_cq cmd = {
		.response = (uintptr_t)&resp, .cq_handle = handle,
	};

	return rv_write(w->fd, number, &cmd, sizeof(cmd), resp_size);
}

static inline int rv_make_context(struct rv_world *w)
{
	struct ib_uverbs_get_context cmd = {};
	struct {
		struct ib_uverbs_get_context_resp base;
		struct testdev_alloc_ucontext_resp driver;
	} resp = {};
	int ret;

	w->fd = open(w->dev.node, O_RDWR | O_CLOEXEC);
	if (w->fd < 0)
		return -errno;
	ret = RV(w->fd, GET_CONTEXT, cmd, resp);
	if (ret) {
		close(w->fd);
		return ret;
	}
	w->async_fd = resp.base.async_fd;
	w->io_offset = resp.driver.io_offset;
	w->ram_offset = resp.driver.ram_offset;
	return 0;
}

static inline int rv_undo_context(struct rv_world *w)
{
	close(w->async_fd);
	close(w->fd);
	return 0;
}

static inline int rv_make_pd(struct rv_world *w)
{
	struct ib_uverbs_alloc_pd cmd = {};
	struct ib_uverbs_alloc_pd_resp resp = {};
	int ret = RV(w->fd, ALLOC_PD, cmd, resp);

	w->pd = resp.pd_handle;
	return ret;
}

static inline int rv_undo_pd(struct rv_world *w)
{
	return rv_drop(w, IB_USER_VERBS_CMD_DEALLOC_PD, w->pd);
}

static inline int rv_make_xrcd(struct rv_world *w)
{
	/* Bound to a file, as two processes would share it. */
	struct ib_uverbs_open_xrcd cmd = {
		.fd = w->file, .oflags = O_CREAT,
	};
	struct ib_uverbs_open_xrcd_resp resp = {};
	int ret = RV(w->fd, OPEN_XRCD, cmd, resp);

	w->xrcd = resp.xrcd_handle;
	return ret;
}

static inline int rv_undo_xrcd(struct rv_world *w)
{
	return rv_drop(w, IB_USER_VERBS_CMD_CLOSE_XRCD, w->xrcd);
}

static inline int rv_make_channel(struct rv_world *w)
{
	struct ib_uverbs_create_comp_channel cmd = {};
	struct ib_uverbs_create_comp_channel_resp resp = {};
	int ret = RV(w->fd, CREATE_COMP_CHANNEL, cmd, resp);

	w->channel = resp.fd;
	return ret;
}

static inline int rv_undo_channel(struct rv_world *w)
{
	close(w->channel);
	return 0;
}

static inline int rv_make_cq(struct rv_world *w)
{
	struct ib_uverbs_create_cq cmd = {
		.user_handle = 0xc0, .cqe = 64, .comp_channel = w->channel,
	};
	/* Room for the driver's part, testdev's or rxe's. */
	struct {
		struct ib_uverbs_create_cq_resp base;
		uint64_t driver[2];
	} resp = {};
	int ret = RV(w->fd, CREATE_CQ, cmd, resp);

	w->cq = resp.base.cq_handle;
	return ret;
}

static inline int rv_destroy_cq(struct rv_world *w, uint32_t handle)
{
	return rv_destroy(w, IB_USER_VERBS_CMD_DESTROY_CQ, handle,
			  sizeof(struct ib_uverbs_destroy_cq_resp));
}

static inline int rv_undo_cq(struct rv_world *w)
{
	return rv_destroy_cq(w, w->cq);
}

static inline int rv_make_cq_ex(struct rv_world *w)
{
	struct ib_uverbs_ex_create_cq cmd = {
		.user_handle = 0xc1, .cqe = 64, .comp_channel = -1,
	};
	struct ib_uverbs_ex_create_cq_resp resp = {};
	int ret = RV_EXT(w->fd, CREATE_CQ, cmd, resp);

	w->cq_ex = resp.base.cq_handle;
	return ret;
}

static inline int rv_undo_cq_ex(struct rv_world *w)
{
	return rv_destroy_cq(w, w->cq_ex);
}

static inline int rv_make_mr(struct rv_world *w)
{
	struct ib_uverbs_reg_mr cmd = {
		.start = (uintptr_t)w->memory, .length = RV_MEMORY,
		.hca_va = (uintptr_t)w->memory, .pd_handle = w->pd,
		.access_flags = 0x7,
	};
	struct ib_uverbs_reg_mr_resp resp = {};
	int ret = RV(w->fd, REG_MR, cmd, resp);

	w->mr = resp.mr_handle;
	w->lkey = resp.lkey;
	return ret;
}

static inline int rv_undo_mr(struct rv_world *w)
{
	return rv_drop(w, IB_USER_VERBS_CMD_DEREG_MR, w->mr);
}

static inline int rv_make_mw(struct rv_world *w)
{
	struct ib_uverbs_alloc_mw cmd = { .pd_handle = w->pd, .mw_type = 1 };
	struct ib_uverbs_alloc_mw_resp resp = {};
	int ret = RV(w->fd, ALLOC_MW, cmd, resp);

	w->mw = resp.mw_handle;
	return ret;
}

static inline int rv_undo_mw(struct rv_world *w)
{
	return rv_drop(w, IB_USER_VERBS_CMD_DEALLOC_MW, w->mw);
}

/* The way to the device itself: by GID on Ethernet, by LID on InfiniBand. */
static inline int rv_make_ah(struct rv_world *w)
{
	struct ib_uverbs_create_ah cmd = {
		.user_handle = 0xa0, .pd_handle = w->pd,
		.attr = { .port_num = 1, .dlid = 1 },
	};
	struct {
		struct ib_uverbs_create_ah_resp base;
		uint32_t driver[3];
	} resp = {};
	int ret;

	if (w->dev.ethernet) {
		cmd.attr.dlid = 0;
		cmd.attr.is_global = 1;
		cmd.attr.grh.hop_limit = 1;
		memcpy(cmd.attr.grh.dgid, w->dev.gid, 16);
	}
	ret = RV(w->fd, CREATE_AH, cmd, resp);
	w->ah = resp.base.ah_handle;
	return ret;
}

static inline int rv_undo_ah(struct rv_world *w)
{
	return rv_drop(w, IB_USER_VERBS_CMD_DESTROY_AH, w->ah);
}

static inline int rv_make_srq(struct rv_world *w)
{
	struct ib_uverbs_create_srq cmd = {
		.user_handle = 0x50, .pd_handle = w->pd,
		.max_wr = 16, .max_sge = 1,
	};
	struct {
		struct ib_uverbs_create_srq_resp base;
		uint64_t driver[3];
	} resp = {};
	int ret = RV(w->fd, CREATE_SRQ, cmd, resp);

	w->srq = resp.base.srq_handle;
	return ret;
}

static inline int rv_destroy_srq(struct rv_world *w, uint32_t handle)
{
	return rv_destroy(w, IB_USER_VERBS_CMD_DESTROY_SRQ, handle,
			  sizeof(struct ib_uverbs_destroy_srq_resp));
}

static inline int rv_undo_srq(struct rv_world *w)
{
	return rv_destroy_srq(w, w->srq);
}

static inline int rv_make_xsrq(struct rv_world *w)
{
	struct ib_uverbs_create_xsrq cmd = {
		.user_handle = 0x51, .srq_type = 1, .pd_handle = w->pd,
		.max_wr = 16, .max_sge = 1, .xrcd_handle = w->xrcd,
		.cq_handle = w->cq,
	};
	struct ib_uverbs_create_srq_resp resp = {};
	int ret = RV(w->fd, CREATE_XSRQ, cmd, resp);

	w->xsrq = resp.srq_handle;
	return ret;
}

static inline int rv_undo_xsrq(struct rv_world *w)
{
	return rv_destroy_srq(w, w->xsrq);
}

static inline int rv_create_qp(struct rv_world *w, uint8_t type, uint32_t srq,
			       uint32_t *handle, uint32_t *number)
{
	struct ib_uverbs_create_qp cmd = {
		.user_handle = 0x90, .pd_handle = w->pd,
		.send_cq_handle = w->cq, .recv_cq_handle = w->cq,
		.max_send_wr = 16, .max_recv_wr = 16,
		.max_send_sge = 1, .max_recv_sge = 1,
		.sq_sig_all = 1, .qp_type = type,
		.is_srq = srq != ~0u, .srq_handle = srq,
	};
	struct {
		struct ib_uverbs_create_qp_resp base;
		uint64_t driver[4];
	} resp = {};
	int ret;

	if (type == RV_XRC_TGT)	/* the field holds the XRC domain then */
		cmd.pd_handle = w->xrcd;
	ret = RV(w->fd, CREATE_QP, cmd, resp);
	*handle = resp.base.qp_handle;
	if (number)
		*number = resp.base.qpn;
	return ret;
}

static inline int rv_destroy_qp(struct rv_world *w, uint32_t handle)
{
	return rv_destroy(w, IB_USER_VERBS_CMD_DESTROY_QP, handle,
			  sizeof(struct ib_uverbs_destroy_qp_resp));
}

static inline int rv_make_rc(struct rv_world *w)
{
	return rv_create_qp(w, RV_RC, ~0u, &w->rc, &w->rc_num);
}

static inline int rv_undo_rc(struct rv_world *w)
{
	return rv_destroy_qp(w, w->rc);
}

static inline int rv_make_ud(struct rv_world *w)
{
	return rv_create_qp(w, RV_UD, w->srq, &w->ud, NULL);
}

static inline int rv_undo_ud(struct rv_world *w)
{
	return rv_destroy_qp(w, w->ud);
}

static inline int rv_make_tgt(struct rv_world *w)
{
	return rv_create_qp(w, RV_XRC_TGT, ~0u, &w->tgt, &w->tgt_num);
}

static inline int rv_undo_tgt(struct rv_world *w)
{
	return rv_destroy_qp(w, w->tgt);
}

static inline int rv_make_opened(struct rv_world *w)
{
	struct ib_uverbs_open_qp cmd = {
		.user_handle = 0x91, .pd_handle = w->xrcd, .qpn = w->tgt_num,
		.qp_type = RV_XRC_TGT,
	};
	struct ib_uverbs_create_qp_resp resp = {};
	int ret = RV(w->fd, OPEN_QP, cmd, resp);

	w->opened = resp.qp_handle;
	return ret;
}

static inline int rv_undo_opened(struct rv_world *w)
{
	return rv_destroy_qp(w, w->opened);
}

static inline int rv_make_raw(struct rv_world *w)
{
	return rv_create_qp(w, RV_RAW, ~0u, &w->raw, NULL);
}

static inline int rv_undo_raw(struct rv_world *w)
{
	return rv_destroy_qp(w, w->raw);
}

static inline int rv_create_qp_ex(struct rv_world *w, uint8_t type,
				  bool table, uint32_t *handle)
{
	struct ib_uverbs_ex_create_qp cmd = {
		.user_handle = 0x92, .pd_handle = w->pd,
		.send_cq_handle = w->cq, .recv_cq_handle = w->cq,
		.max_send_wr = 16, .max_send_sge = 1, .qp_type = type,
	};
	struct ib_uverbs_ex_create_qp_resp resp = {};
	int ret;

	if (table) {
		cmd.comp_mask = IB_UVERBS_CREATE_QP_MASK_IND_TABLE;
		cmd.rwq_ind_tbl_handle = w->table;
		/* Only the table receives, and nothing sends. */
		cmd.send_cq_handle = cmd.recv_cq_handle = 0;
		cmd.max_send_wr = cmd.max_send_sge = 0;
	} else {
		cmd.max_recv_wr = 16;
		cmd.max_recv_sge = 1;
	}
	ret = RV_EXT(w->fd, CREATE_QP, cmd, resp);
	*handle = resp.base.qp_handle;
	return ret;
}

static inline int rv_make_qp_ex(struct rv_world *w)
{
	return rv_create_qp_ex(w, RV_UC, false, &w->qp_ex);
}

static inline int rv_undo_qp_ex(struct rv_world *w)
{
	return rv_destroy_qp(w, w->qp_ex);
}

static inline int rv_make_wq(struct rv_world *w)
{
	struct ib_uverbs_ex_create_wq cmd = {
		.user_handle = 0xb0, .pd_handle = w->pd, .cq_handle = w->cq,
		.max_wr = 16, .max_sge = 1,
	};
	struct ib_uverbs_ex_create_wq_resp resp = {};
	int ret = RV_EXT(w->fd, CREATE_WQ, cmd, resp);

	w->wq = resp.wq_handle;
	return ret;
}

static inline int rv_undo_wq(struct rv_world *w)
{
	struct ib_uverbs_ex_destroy_wq cmd = { .wq_handle = w->wq };
	struct ib_uverbs_ex_destroy_wq_resp resp = {};

	return RV_EXT(w->fd, DESTROY_WQ, cmd, resp);
}

static inline int rv_make_table(struct rv_world *w)
{
	struct {
		struct ib_uverbs_ex_create_rwq_ind_table base;
		uint32_t wq[2];
	} cmd = { .wq = { w->wq, 0 } };
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {};
	int ret = RV_EXT(w->fd, CREATE_RWQ_IND_TBL, cmd, resp);

	w->table = resp.ind_tbl_handle;
	return ret;
}

static inline int rv_undo_table(struct rv_world *w)
{
	struct ib_uverbs_ex_destroy_rwq_ind_table cmd = {
		.ind_tbl_handle = w->table,
	};

	return RV_EXT_QUIET(w->fd, DESTROY_RWQ_IND_TBL, cmd);
}

static inline int rv_make_rss(struct rv_world *w)
{
	return rv_create_qp_ex(w, RV_RAW, true, &w->rss);
}

static inline int rv_undo_rss(struct rv_world *w)
{
	return rv_destroy_qp(w, w->rss);
}

static inline int rv_make_flow(struct rv_world *w)
{
	struct {
		struct ib_uverbs_create_flow base;
		struct ib_uverbs_flow_spec_eth eth;
	} cmd = {
		.base.qp_handle = w->raw,
		.base.flow_attr = {
			.size = sizeof(struct ib_uverbs_flow_spec_eth),
			.num_of_specs = 1, .port = 1,
		},
		.eth = { .type = 0x20, .size = sizeof(cmd.eth) },
	};
	struct ib_uverbs_create_flow_resp resp = {};
	int ret;

	memset(cmd.eth.mask.dst_mac, 0xff, 6);
	ret = RV_EXT(w->fd, CREATE_FLOW, cmd, resp);
	w->flow = resp.flow_handle;
	return ret;
}

static inline int rv_undo_flow(struct rv_world *w)
{
	struct ib_uverbs_destroy_flow cmd = { .flow_handle = w->flow };

	return RV_EXT_QUIET(w->fd, DESTROY_FLOW, cmd);
}

static inline int rv_make_mcast(struct rv_world *w)
{
	struct ib_uverbs_attach_mcast cmd = {
		.gid = { 0xff, 0x0e, [15] = 7 }, .qp_handle = w->ud,
		.mlid = 0xc001,
	};

	return RV_QUIET(w->fd, ATTACH_MCAST, cmd);
}

static inline int rv_undo_mcast(struct rv_world *w)
{
	struct ib_uverbs_detach_mcast cmd = {
		.gid = { 0xff, 0x0e, [15] = 7 }, .qp_handle = w->ud,
		.mlid = 0xc001,
	};

	return RV_QUIET(w->fd, DETACH_MCAST, cmd);
}

#endif /* RAW_OBJECTS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verbs by write(), without a library between the test and the kernel. Every
 * call returns 0 or a negative errno.
 */
#ifndef RAW_VERBS_H
#define RAW_VERBS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>

#include "../modules/ofed_testdev_abi.h"

#define RV_EX 0x80000000u
#define RV_MEMORY (64 * 4096)

/* Parts of the verbs ABI that its header leaves to the kernel's own. */
enum {
	RV_RC = 2, RV_UC = 3, RV_UD = 4, RV_RAW = 8, RV_XRC_INI = 9,
	RV_XRC_TGT = 10,
};

enum { RV_RESET, RV_INIT, RV_RTR, RV_RTS, RV_SQD, RV_SQE, RV_ERR };

enum {
	RV_STATE = 1, RV_ACCESS = 1 << 3, RV_PKEY = 1 << 4, RV_PORT = 1 << 5,
	RV_QKEY = 1 << 6, RV_AV = 1 << 7, RV_MTU = 1 << 8, RV_TIMEOUT = 1 << 9,
	RV_RETRY = 1 << 10, RV_RNR = 1 << 11, RV_RQ_PSN = 1 << 12,
	RV_RD_ATOMIC = 1 << 13, RV_MIN_RNR = 1 << 15, RV_SQ_PSN = 1 << 16,
	RV_DEST_RD_ATOMIC = 1 << 17, RV_DEST_QPN = 1 << 20,
};

/* ---- the device ---- */

struct rv_device {
	char node[64];
	bool ethernet;
	uint8_t gid[16];		/* index 0 of port 1 */
};

static inline bool rv_read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return false;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static inline void rv_parse_gid(const char *text, uint8_t gid[16])
{
	unsigned int word[8] = { 0 };
	int i;

	sscanf(text, "%4x:%4x:%4x:%4x:%4x:%4x:%4x:%4x", &word[0], &word[1],
	       &word[2], &word[3], &word[4], &word[5], &word[6], &word[7]);
	for (i = 0; i < 8; i++) {
		gid[2 * i] = word[i] >> 8;
		gid[2 * i + 1] = word[i];
	}
}

/* Return: 0, or -ENODEV while there is no char device of that name. */
static inline int rv_find(const char *name, struct rv_device *dev)
{
	char path[384], text[128];
	struct dirent *entry;
	int ret = -ENODEV;
	DIR *dir;

	dir = opendir("/sys/class/infiniband_verbs");
	if (!dir)
		return -ENODEV;
	while (ret && (entry = readdir(dir))) {
		snprintf(path, sizeof(path),
			 "/sys/class/infiniband_verbs/%s/ibdev", entry->d_name);
		if (!rv_read_file(path, text, sizeof(text)) ||
		    strcmp(text, name))
			continue;
		snprintf(dev->node, sizeof(dev->node), "/dev/infiniband/%.40s",
			 entry->d_name);
		ret = 0;
	}
	closedir(dir);
	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/1/link_layer", name);
	dev->ethernet = rv_read_file(path, text, sizeof(text)) &&
		!strcmp(text, "Ethernet");
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/0",
		 name);
	if (rv_read_file(path, text, sizeof(text)))
		rv_parse_gid(text, dev->gid);
	return ret;
}

/* ---- one command ---- */

/* @cmd is the command without its header; a legacy response pointer is in it. */
static inline int rv_write(int fd, uint32_t number, const void *cmd,
			   size_t size, size_t resp_size)
{
	char buffer[1024];
	struct ib_uverbs_cmd_hdr hdr = {
		.command = number,
		.in_words = (sizeof(hdr) + size) / 4,
		.out_words = resp_size / 4,
	};

	memcpy(buffer, &hdr, sizeof(hdr));
	memcpy(buffer + sizeof(hdr), cmd, size);
	if (write(fd, buffer, sizeof(hdr) + size) < 0)
		return -errno;
	return 0;
}

static inline int rv_write_ex(int fd, uint32_t number, const void *cmd,
			      size_t size, void *resp, size_t resp_size)
{
	char buffer[1024] = { 0 };
	struct ib_uverbs_cmd_hdr hdr = {
		.command = number | RV_EX,
		.in_words = (size + 7) / 8,
		.out_words = resp_size / 8,
	};
	struct ib_uverbs_ex_cmd_hdr ex = { .response = (uintptr_t)resp };
	size_t total = sizeof(hdr) + sizeof(ex) + hdr.in_words * 8;

	memcpy(buffer, &hdr, sizeof(hdr));
	memcpy(buffer + sizeof(hdr), &ex, sizeof(ex));
	memcpy(buffer + sizeof(hdr) + sizeof(ex), cmd, size);
	if (write(fd, buffer, total) < 0)
		return -errno;
	return 0;
}

/* A legacy command whose response has a type: RV(fd, ALLOC_PD, cmd, resp). */
#define RV(fd, NAME, cmd, resp)						\
	((cmd).response = (uintptr_t)&(resp),				\
	 rv_write(fd, IB_USER_VERBS_CMD_##NAME, &(cmd), sizeof(cmd),	\
		  sizeof(resp)))
#define RV_QUIET(fd, NAME, cmd)						\
	rv_write(fd, IB_USER_VERBS_CMD_##NAME, &(cmd), sizeof(cmd), 0)
#define RV_EXT(fd, NAME, cmd, resp)					\
	rv_write_ex(fd, IB_USER_VERBS_EX_CMD_##NAME, &(cmd),		\
		    sizeof(cmd), &(resp), sizeof(resp))
#define RV_EXT_QUIET(fd, NAME, cmd)					\
	rv_write_ex(fd, IB_USER_VERBS_EX_CMD_##NAME, &(cmd),		\
		    sizeof(cmd), NULL, 0)

/* ---- one of everything ---- */

/*
 * Handles of one of every object. A step makes one; its undo takes it back.
 * Steps come in an order in which each finds what it needs.
 */
struct rv_world {
	struct rv_device dev;
	int fd, async_fd, channel, file;
	uint64_t io_offset, ram_offset;
	char *memory;
	uint32_t pd, xrcd, cq, cq_ex, mr, lkey, mw, ah, srq, xsrq;
	uint32_t rc, rc_num, ud, tgt, tgt_num, opened, raw, qp_ex;
	uint32_t wq, table, rss, flow;
};

struct rv_step {
	const char *name;
	int (*make)(struct rv_world *w);
	int (*undo)(struct rv_world *w);
	bool testdev;		/* more than stock rxe can do */
};

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
	struct ib_uverbs_dealloc_pd cmd = { .pd_handle = w->pd };

	return RV_QUIET(w->fd, DEALLOC_PD, cmd);
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
	struct ib_uverbs_close_xrcd cmd = { .xrcd_handle = w->xrcd };

	return RV_QUIET(w->fd, CLOSE_XRCD, cmd);
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
	struct ib_uverbs_destroy_cq cmd = { .cq_handle = handle };
	struct ib_uverbs_destroy_cq_resp resp = {};

	return RV(w->fd, DESTROY_CQ, cmd, resp);
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
	struct ib_uverbs_dereg_mr cmd = { .mr_handle = w->mr };

	return RV_QUIET(w->fd, DEREG_MR, cmd);
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
	struct ib_uverbs_dealloc_mw cmd = { .mw_handle = w->mw };

	return RV_QUIET(w->fd, DEALLOC_MW, cmd);
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
	struct ib_uverbs_destroy_ah cmd = { .ah_handle = w->ah };

	return RV_QUIET(w->fd, DESTROY_AH, cmd);
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
	struct ib_uverbs_destroy_srq cmd = { .srq_handle = handle };
	struct ib_uverbs_destroy_srq_resp resp = {};

	return RV(w->fd, DESTROY_SRQ, cmd, resp);
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
	struct ib_uverbs_destroy_qp cmd = { .qp_handle = handle };
	struct ib_uverbs_destroy_qp_resp resp = {};

	return RV(w->fd, DESTROY_QP, cmd, resp);
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

/* ---- things done with them ---- */

static inline void rv_fill_path(const struct rv_world *w,
				struct ib_uverbs_qp_dest *dest)
{
	dest->port_num = 1;
	dest->dlid = 1;
	if (w->dev.ethernet) {
		dest->dlid = 0;
		dest->is_global = 1;
		dest->hop_limit = 1;
		memcpy(dest->dgid, w->dev.gid, 16);
	}
}

static inline int rv_modify_rc(struct rv_world *w, uint8_t state)
{
	struct ib_uverbs_modify_qp cmd = {
		.qp_handle = w->rc, .attr_mask = RV_STATE, .qp_state = state,
		.qp_access_flags = 7, .port_num = 1, .path_mtu = 3,
		.dest_qp_num = w->rc_num, .min_rnr_timer = 12,
		.max_rd_atomic = 1, .max_dest_rd_atomic = 1, .timeout = 14,
		.retry_cnt = 7, .rnr_retry = 7,
	};

	rv_fill_path(w, &cmd.dest);
	if (state == RV_INIT)
		cmd.attr_mask |= RV_PKEY | RV_PORT | RV_ACCESS;
	else if (state == RV_RTR)
		cmd.attr_mask |= RV_AV | RV_MTU | RV_DEST_QPN | RV_RQ_PSN |
			RV_DEST_RD_ATOMIC | RV_MIN_RNR;
	else if (state == RV_RTS)
		cmd.attr_mask |= RV_TIMEOUT | RV_RETRY | RV_RNR | RV_SQ_PSN |
			RV_RD_ATOMIC;
	return RV_QUIET(w->fd, MODIFY_QP, cmd);
}

static inline int rv_make_init(struct rv_world *w)
{
	return rv_modify_rc(w, RV_INIT);
}

static inline int rv_make_rtr(struct rv_world *w)
{
	return rv_modify_rc(w, RV_RTR);
}

static inline int rv_make_rts(struct rv_world *w)
{
	return rv_modify_rc(w, RV_RTS);
}

static inline int rv_undo_init(struct rv_world *w)
{
	return rv_modify_rc(w, RV_RESET);
}

static inline int rv_undo_rtr(struct rv_world *w)
{
	return rv_undo_init(w) ?: rv_make_init(w);
}

static inline int rv_undo_rts(struct rv_world *w)
{
	return rv_undo_rtr(w) ?: rv_make_rtr(w);
}

static inline int rv_make_rereg(struct rv_world *w)
{
	struct ib_uverbs_rereg_mr cmd = {
		.mr_handle = w->mr, .flags = 1,
		.start = (uintptr_t)w->memory, .length = RV_MEMORY / 2,
		.hca_va = (uintptr_t)w->memory, .pd_handle = w->pd,
		.access_flags = 0x7,
	};
	struct ib_uverbs_rereg_mr_resp resp = {};

	return RV(w->fd, REREG_MR, cmd, resp);
}

static inline int rv_make_resize(struct rv_world *w)
{
	struct ib_uverbs_resize_cq cmd = { .cq_handle = w->cq, .cqe = 128 };
	struct {
		struct ib_uverbs_resize_cq_resp base;
		uint64_t driver[2];
	} resp = {};

	return RV(w->fd, RESIZE_CQ, cmd, resp);
}

static inline int rv_make_notify(struct rv_world *w)
{
	struct ib_uverbs_req_notify_cq cmd = { .cq_handle = w->cq };

	return RV_QUIET(w->fd, REQ_NOTIFY_CQ, cmd);
}

static inline int rv_make_send(struct rv_world *w)
{
	struct {
		struct ib_uverbs_post_send base;
		struct ib_uverbs_send_wr wr;
		struct ib_uverbs_sge sge;
	} cmd = {
		.base = { .qp_handle = w->rc, .wr_count = 1, .sge_count = 1,
			  .wqe_size = sizeof(cmd.wr) },
		.wr = { .wr_id = 1, .num_sge = 1, .opcode = 2 },
		.sge = { (uintptr_t)w->memory, 64, w->lkey },
	};
	struct ib_uverbs_post_send_resp resp = {};

	cmd.base.response = (uintptr_t)&resp;
	return rv_write(w->fd, IB_USER_VERBS_CMD_POST_SEND, &cmd, sizeof(cmd),
			sizeof(resp));
}

static inline int rv_make_recv(struct rv_world *w)
{
	struct {
		struct ib_uverbs_post_recv base;
		struct ib_uverbs_recv_wr wr;
		struct ib_uverbs_sge sge;
	} cmd = {
		.base = { .qp_handle = w->rc, .wr_count = 1, .sge_count = 1,
			  .wqe_size = sizeof(cmd.wr) },
		.wr = { .wr_id = 2, .num_sge = 1 },
		.sge = { (uintptr_t)w->memory, 64, w->lkey },
	};
	struct ib_uverbs_post_recv_resp resp = {};

	cmd.base.response = (uintptr_t)&resp;
	return rv_write(w->fd, IB_USER_VERBS_CMD_POST_RECV, &cmd, sizeof(cmd),
			sizeof(resp));
}

static inline int rv_make_srq_recv(struct rv_world *w)
{
	struct {
		struct ib_uverbs_post_srq_recv base;
		struct ib_uverbs_recv_wr wr;
		struct ib_uverbs_sge sge;
	} cmd = {
		.base = { .srq_handle = w->srq, .wr_count = 1, .sge_count = 1,
			  .wqe_size = sizeof(cmd.wr) },
		.wr = { .wr_id = 3, .num_sge = 1 },
		.sge = { (uintptr_t)w->memory, 64, w->lkey },
	};
	struct ib_uverbs_post_srq_recv_resp resp = {};

	cmd.base.response = (uintptr_t)&resp;
	return rv_write(w->fd, IB_USER_VERBS_CMD_POST_SRQ_RECV, &cmd,
			sizeof(cmd), sizeof(resp));
}

/* Return: how many, their wr_ids in @ids, or a negative errno. */
static inline int rv_poll_cq(struct rv_world *w, uint64_t *ids,
			     uint32_t *statuses, uint32_t wanted)
{
	struct ib_uverbs_poll_cq cmd = { .cq_handle = w->cq, .ne = wanted };
	struct {
		struct ib_uverbs_poll_cq_resp base;
		struct ib_uverbs_wc wc[16];
	} resp = {};
	uint32_t i;
	int ret;

	cmd.ne = wanted > 16 ? 16 : wanted;
	cmd.response = (uintptr_t)&resp;
	ret = rv_write(w->fd, IB_USER_VERBS_CMD_POLL_CQ, &cmd, sizeof(cmd),
		       sizeof(resp.base) + cmd.ne * sizeof(resp.wc[0]));
	if (ret)
		return ret;
	for (i = 0; i < resp.base.count; i++) {
		ids[i] = resp.wc[i].wr_id;
		statuses[i] = resp.wc[i].status;
	}
	return resp.base.count;
}

static inline int rv_make_poll(struct rv_world *w)
{
	uint64_t ids[16];
	uint32_t statuses[16];
	int ret = rv_poll_cq(w, ids, statuses, 16);

	return ret < 0 ? ret : 0;
}

static inline int rv_make_query_qp(struct rv_world *w)
{
	struct ib_uverbs_query_qp cmd = { .qp_handle = w->rc, .attr_mask = 1 };
	struct ib_uverbs_query_qp_resp resp = {};

	return RV(w->fd, QUERY_QP, cmd, resp);
}

static inline int rv_make_query_srq(struct rv_world *w)
{
	struct ib_uverbs_query_srq cmd = { .srq_handle = w->srq };
	struct ib_uverbs_query_srq_resp resp = {};

	return RV(w->fd, QUERY_SRQ, cmd, resp);
}

static inline int rv_make_query_device(struct rv_world *w)
{
	struct ib_uverbs_query_device cmd = {};
	struct ib_uverbs_query_device_resp resp = {};

	return RV(w->fd, QUERY_DEVICE, cmd, resp);
}

static inline int rv_make_query_port(struct rv_world *w)
{
	struct ib_uverbs_query_port cmd = { .port_num = 1 };
	struct ib_uverbs_query_port_resp resp = {};

	return RV(w->fd, QUERY_PORT, cmd, resp);
}

static const struct rv_step rv_steps[] = {
	{ "context", rv_make_context, rv_undo_context, false },
	{ "query device", rv_make_query_device, NULL, false },
	{ "query port", rv_make_query_port, NULL, false },
	{ "pd", rv_make_pd, rv_undo_pd, false },
	{ "comp channel", rv_make_channel, rv_undo_channel, false },
	{ "cq", rv_make_cq, rv_undo_cq, false },
	{ "cq (extended)", rv_make_cq_ex, rv_undo_cq_ex, true },
	{ "mr", rv_make_mr, rv_undo_mr, false },
	{ "mw", rv_make_mw, rv_undo_mw, false },
	{ "ah", rv_make_ah, rv_undo_ah, false },
	{ "srq", rv_make_srq, rv_undo_srq, false },
	{ "xrcd", rv_make_xrcd, rv_undo_xrcd, true },
	{ "srq (xrc)", rv_make_xsrq, rv_undo_xsrq, true },
	{ "qp (rc)", rv_make_rc, rv_undo_rc, false },
	{ "qp (ud, srq)", rv_make_ud, rv_undo_ud, false },
	{ "qp (xrc target)", rv_make_tgt, rv_undo_tgt, true },
	{ "qp (opened)", rv_make_opened, rv_undo_opened, true },
	{ "qp (raw)", rv_make_raw, rv_undo_raw, true },
	{ "qp (extended)", rv_make_qp_ex, rv_undo_qp_ex, true },
	{ "wq", rv_make_wq, rv_undo_wq, true },
	{ "rwq table", rv_make_table, rv_undo_table, true },
	{ "qp (table)", rv_make_rss, rv_undo_rss, true },
	{ "flow", rv_make_flow, rv_undo_flow, true },
	{ "mcast", rv_make_mcast, rv_undo_mcast, false },
	{ "qp to INIT", rv_make_init, rv_undo_init, false },
	{ "qp to RTR", rv_make_rtr, rv_undo_rtr, false },
	{ "qp to RTS", rv_make_rts, rv_undo_rts, false },
	{ "rereg mr", rv_make_rereg, NULL, true },
	{ "resize cq", rv_make_resize, NULL, false },
	{ "notify cq", rv_make_notify, NULL, false },
	{ "post recv", rv_make_recv, NULL, true },
	{ "post srq recv", rv_make_srq_recv, NULL, true },
	{ "post send", rv_make_send, NULL, true },
	{ "poll cq", rv_make_poll, NULL, true },
	{ "query qp", rv_make_query_qp, NULL, false },
	{ "query srq", rv_make_query_srq, NULL, false },
};

#define RV_STEPS (sizeof(rv_steps) / sizeof(rv_steps[0]))

/* Everything a world needs that is not a verbs object. */
static inline int rv_world_init(struct rv_world *w, const char *device)
{
	char name[] = "/tmp/xrcd.XXXXXX";
	int ret;

	memset(w, 0, sizeof(*w));
	ret = rv_find(device, &w->dev);
	if (ret)
		return ret;
	w->memory = mmap(NULL, RV_MEMORY, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	w->file = mkstemp(name);
	unlink(name);
	return w->memory == MAP_FAILED || w->file < 0 ? -errno : 0;
}

static inline bool rv_step_applies(const struct rv_step *step,
				   const char *device)
{
	return !step->testdev || !strncmp(device, "testdev", 7);
}

#endif /* RAW_VERBS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verbs by command on the objects of raw_objects.h, and the list of all steps
 * from nothing to a world in which everything was done once.
 */
#ifndef RAW_VERBS_H
#define RAW_VERBS_H

#include <stdlib.h>
#include <sys/mman.h>

#include "raw_objects.h"

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

/* POST_RECV and POST_SRQ_RECV have one layout. */
static inline int rv_post_recv(struct rv_world *w, uint32_t number,
			       uint32_t handle, uint64_t id)
{
	struct {
		struct ib_uverbs_post_recv base;
		struct ib_uverbs_recv_wr wr;
		struct ib_uverbs_sge sge;
	} cmd = {
		.base = { .qp_handle = handle, .wr_count = 1, .sge_count = 1,
			  .wqe_size = sizeof(cmd.wr) },
		.wr = { .wr_id = id, .num_sge = 1 },
		.sge = { (uintptr_t)w->memory, 64, w->lkey },
	};
	struct ib_uverbs_post_recv_resp resp = {};

	cmd.base.response = (uintptr_t)&resp;
	return rv_write(w->fd, number, &cmd, sizeof(cmd), sizeof(resp));
}

static inline int rv_make_recv(struct rv_world *w)
{
	return rv_post_recv(w, IB_USER_VERBS_CMD_POST_RECV, w->rc, 2);
}

static inline int rv_make_srq_recv(struct rv_world *w)
{
	return rv_post_recv(w, IB_USER_VERBS_CMD_POST_SRQ_RECV, w->srq, 3);
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

/*
 * A step makes an object or uses some; its undo takes it back. They come in an
 * order in which each finds what it needs.
 */
struct rv_step {
	const char *name;
	int (*make)(struct rv_world *w);
	int (*undo)(struct rv_world *w);
	bool testdev;		/* more than stock rxe can do */
};

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

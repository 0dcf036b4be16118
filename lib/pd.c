// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Memory, windows, address handles, XRC domains: commands, without state of their own. */
#include <errno.h>
#include <stdlib.h>

#include "rxe.h"

/* ---- memory ------------------------------------------------------------------- */

struct ibv_mr *rxe_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  uint64_t iova, int access)
{
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	struct ib_uverbs_reg_mr_resp resp;
	struct ibv_reg_mr cmd;

	if (!mr)
		return NULL;
	if (ibv_cmd_reg_mr(pd, addr, length, iova, access, mr, &cmd, sizeof(cmd),
			   &resp, sizeof(resp))) {
		free(mr);
		return NULL;
	}
	return &mr->ibv_mr;
}

int rxe_rereg_mr(struct verbs_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		 size_t length, int access)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ibv_rereg_mr cmd;

	if (mr->mr_type == IBV_MR_TYPE_NULL_MR)
		return EINVAL;
	return ibv_cmd_rereg_mr(mr, flags, addr, length, (uintptr_t)addr, access, pd,
				&cmd, sizeof(cmd), &resp, sizeof(resp));
}

struct ibv_mr *rxe_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	int ret;

	if (!mr)
		return NULL;
	ret = ibv_cmd_query_mr(pd, mr, handle);
	if (ret) {
		free(mr);
		errno = ret;
		return NULL;
	}
	return &mr->ibv_mr;
}

void rxe_unimport_mr(struct ibv_mr *mr)
{
	free(verbs_get_mr(mr));
}

/* ---- windows ------------------------------------------------------------------- */

struct ibv_mw *rxe_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ibv_mw *mw = calloc(1, sizeof(*mw));
	struct ib_uverbs_alloc_mw_resp resp;
	struct ibv_alloc_mw cmd;

	if (!mw)
		return NULL;
	if (ibv_cmd_alloc_mw(pd, type, mw, &cmd, sizeof(cmd), &resp, sizeof(resp))) {
		free(mw);
		return NULL;
	}
	return mw;
}

int rxe_dealloc_mw(struct ibv_mw *mw)
{
	int ret = ibv_cmd_dealloc_mw(mw);

	if (!ret)
		free(mw);
	return ret;
}

/* Of type 1. Each bind gives the window another key, which is valid after the completion. */
int rxe_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	const struct ibv_mw_bind_info *info = &bind->bind_info;
	struct ibv_send_wr *bad;
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = {
			.mw = mw,
			.rkey = ibv_inc_rkey(mw->rkey),
			.bind_info = *info,
		},
	};
	int ret;

	if (mw->type != IBV_MW_TYPE_1 || (!info->mr && info->length))
		return EINVAL;
	ret = rxe_post_send(qp, &wr, &bad);
	if (!ret)
		mw->rkey = wr.bind_mw.rkey;
	return ret;
}

/* ---- addresses ------------------------------------------------------------------- */

struct ibv_ah *rxe_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct {
		struct ib_uverbs_create_ah_resp core;
		struct rxe_create_ah_resp rxe;
	} resp = {};
	struct rxe_ah *ah = calloc(1, sizeof(*ah));

	if (!ah)
		return NULL;
	if (ibv_cmd_create_ah(pd, &ah->base, attr, &resp.core, sizeof(resp))) {
		free(ah);
		return NULL;
	}
	ah->number = resp.rxe.ah_num;
	return &ah->base;
}

int rxe_destroy_ah(struct ibv_ah *ibv)
{
	int ret = ibv_cmd_destroy_ah(ibv);

	if (!ret)
		free(container_of(ibv, struct rxe_ah, base));
	return ret;
}

/* ---- XRC -------------------------------------------------------------------------- */

struct ibv_xrcd *rxe_open_xrcd(struct ibv_context *context,
			       struct ibv_xrcd_init_attr *attr)
{
	struct verbs_xrcd *xrcd = calloc(1, sizeof(*xrcd));
	struct ib_uverbs_open_xrcd_resp resp;
	struct ibv_open_xrcd cmd;

	if (!xrcd)
		return NULL;
	if (ibv_cmd_open_xrcd(context, xrcd, sizeof(*xrcd), attr, &cmd, sizeof(cmd),
			      &resp, sizeof(resp))) {
		free(xrcd);
		return NULL;
	}
	return &xrcd->xrcd;
}

int rxe_close_xrcd(struct ibv_xrcd *ibv)
{
	struct verbs_xrcd *xrcd = container_of(ibv, struct verbs_xrcd, xrcd);
	int ret = ibv_cmd_close_xrcd(xrcd);

	if (!ret)
		free(xrcd);
	return ret;
}

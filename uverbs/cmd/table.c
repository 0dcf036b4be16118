// SPDX-License-Identifier: GPL-2.0
/* The commands of write(). */
#include "../ioctl/uapi.h"

#define OP(op) offsetof(struct ib_device_ops, op)

#define REQ(type) .req_size = sizeof(struct type)
#define RESP(type) .resp_size = sizeof(struct type), .has_resp = 1
#define EXTENDED .extended = 1
#define OF(what) .object = UVERBS_OBJECT_##what
#define UDATA .has_udata = 1
#define NEEDS(...) .needs = { __VA_ARGS__ }

const struct uv_cmd uv_legacy_cmds[UVERBS_API_WRITE_KEY_NUM] = {
	[IB_USER_VERBS_CMD_GET_CONTEXT] = {
		uv_get_context, OF(DEVICE), REQ(ib_uverbs_get_context),
		RESP(ib_uverbs_get_context_resp), UDATA,
	},
	[IB_USER_VERBS_CMD_QUERY_DEVICE] = {
		uv_query_device, OF(DEVICE), REQ(ib_uverbs_query_device),
		RESP(ib_uverbs_query_device_resp),
	},
	[IB_USER_VERBS_CMD_QUERY_PORT] = {
		uv_query_port, OF(DEVICE), REQ(ib_uverbs_query_port),
		RESP(ib_uverbs_query_port_resp), NEEDS(OP(query_port)),
	},
	[IB_USER_VERBS_CMD_ALLOC_PD] = {
		uv_alloc_pd, OF(PD), REQ(ib_uverbs_alloc_pd),
		RESP(ib_uverbs_alloc_pd_resp), UDATA, NEEDS(OP(alloc_pd)),
	},
	[IB_USER_VERBS_CMD_DEALLOC_PD] = {
		uv_dealloc_pd, OF(PD), REQ(ib_uverbs_dealloc_pd),
	},
	[IB_USER_VERBS_CMD_CREATE_AH] = {
		uv_create_ah, OF(AH), REQ(ib_uverbs_create_ah),
		RESP(ib_uverbs_create_ah_resp), UDATA,
		NEEDS(OP(create_user_ah)),
	},
	[IB_USER_VERBS_CMD_DESTROY_AH] = {
		uv_destroy_ah, OF(AH), REQ(ib_uverbs_destroy_ah),
	},
	[IB_USER_VERBS_CMD_REG_MR] = {
		uv_reg_mr, OF(MR), REQ(ib_uverbs_reg_mr),
		RESP(ib_uverbs_reg_mr_resp), UDATA, NEEDS(OP(reg_user_mr)),
	},
	[IB_USER_VERBS_CMD_REREG_MR] = {
		uv_rereg_mr, OF(MR), REQ(ib_uverbs_rereg_mr),
		RESP(ib_uverbs_rereg_mr_resp), UDATA, NEEDS(OP(rereg_user_mr)),
	},
	[IB_USER_VERBS_CMD_DEREG_MR] = {
		uv_dereg_mr, OF(MR), REQ(ib_uverbs_dereg_mr),
	},
	[IB_USER_VERBS_CMD_ALLOC_MW] = {
		uv_alloc_mw, OF(MW), REQ(ib_uverbs_alloc_mw),
		RESP(ib_uverbs_alloc_mw_resp), UDATA, NEEDS(OP(alloc_mw)),
	},
	[IB_USER_VERBS_CMD_DEALLOC_MW] = {
		uv_dealloc_mw, OF(MW), REQ(ib_uverbs_dealloc_mw),
	},
	[IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL] = {
		uv_create_comp_channel, OF(COMP_CHANNEL),
		REQ(ib_uverbs_create_comp_channel),
		RESP(ib_uverbs_create_comp_channel_resp),
	},
	[IB_USER_VERBS_CMD_CREATE_CQ] = {
		uv_create_cq, OF(CQ), REQ(ib_uverbs_create_cq),
		RESP(ib_uverbs_create_cq_resp), UDATA, NEEDS(OP(create_cq)),
	},
	[IB_USER_VERBS_CMD_RESIZE_CQ] = {
		uv_resize_cq, OF(CQ), REQ(ib_uverbs_resize_cq),
		RESP(ib_uverbs_resize_cq_resp), UDATA, NEEDS(OP(resize_user_cq)),
	},
	[IB_USER_VERBS_CMD_POLL_CQ] = {
		uv_poll_cq, OF(CQ), REQ(ib_uverbs_poll_cq),
		RESP(ib_uverbs_poll_cq_resp), NEEDS(OP(poll_cq)),
	},
	[IB_USER_VERBS_CMD_REQ_NOTIFY_CQ] = {
		uv_req_notify_cq, OF(CQ), REQ(ib_uverbs_req_notify_cq),
		NEEDS(OP(req_notify_cq)),
	},
	[IB_USER_VERBS_CMD_DESTROY_CQ] = {
		uv_destroy_cq, OF(CQ), REQ(ib_uverbs_destroy_cq),
		RESP(ib_uverbs_destroy_cq_resp),
	},
	[IB_USER_VERBS_CMD_CREATE_QP] = {
		uv_create_qp, OF(QP), REQ(ib_uverbs_create_qp),
		RESP(ib_uverbs_create_qp_resp), UDATA, NEEDS(OP(create_qp)),
	},
	[IB_USER_VERBS_CMD_OPEN_QP] = {
		uv_open_qp, OF(XRCD), REQ(ib_uverbs_open_qp),
		RESP(ib_uverbs_create_qp_resp), UDATA,
	},
	[IB_USER_VERBS_CMD_QUERY_QP] = {
		uv_query_qp, OF(QP), REQ(ib_uverbs_query_qp),
		RESP(ib_uverbs_query_qp_resp), NEEDS(OP(query_qp)),
	},
	[IB_USER_VERBS_CMD_MODIFY_QP] = {
		uv_modify_qp, OF(QP), REQ(ib_uverbs_modify_qp),
		NEEDS(OP(modify_qp)),
	},
	[IB_USER_VERBS_CMD_DESTROY_QP] = {
		uv_destroy_qp, OF(QP), REQ(ib_uverbs_destroy_qp),
		RESP(ib_uverbs_destroy_qp_resp),
	},
	[IB_USER_VERBS_CMD_POST_SEND] = {
		uv_post_send, OF(QP), REQ(ib_uverbs_post_send),
		RESP(ib_uverbs_post_send_resp), NEEDS(OP(post_send)),
	},
	[IB_USER_VERBS_CMD_POST_RECV] = {
		uv_post_recv, OF(QP), REQ(ib_uverbs_post_recv),
		RESP(ib_uverbs_post_recv_resp), NEEDS(OP(post_recv)),
	},
	[IB_USER_VERBS_CMD_ATTACH_MCAST] = {
		uv_attach_mcast, OF(QP), REQ(ib_uverbs_attach_mcast),
		NEEDS(OP(attach_mcast), OP(detach_mcast)),
	},
	[IB_USER_VERBS_CMD_DETACH_MCAST] = {
		uv_detach_mcast, OF(QP), REQ(ib_uverbs_detach_mcast),
		NEEDS(OP(detach_mcast)),
	},
	[IB_USER_VERBS_CMD_CREATE_SRQ] = {
		uv_create_srq, OF(SRQ), REQ(ib_uverbs_create_srq),
		RESP(ib_uverbs_create_srq_resp), UDATA, NEEDS(OP(create_srq)),
	},
	[IB_USER_VERBS_CMD_CREATE_XSRQ] = {
		uv_create_xsrq, OF(SRQ), REQ(ib_uverbs_create_xsrq),
		RESP(ib_uverbs_create_srq_resp), UDATA, NEEDS(OP(create_srq)),
	},
	[IB_USER_VERBS_CMD_MODIFY_SRQ] = {
		uv_modify_srq, OF(SRQ), REQ(ib_uverbs_modify_srq), UDATA,
		NEEDS(OP(modify_srq)),
	},
	[IB_USER_VERBS_CMD_QUERY_SRQ] = {
		uv_query_srq, OF(SRQ), REQ(ib_uverbs_query_srq),
		RESP(ib_uverbs_query_srq_resp), NEEDS(OP(query_srq)),
	},
	[IB_USER_VERBS_CMD_DESTROY_SRQ] = {
		uv_destroy_srq, OF(SRQ), REQ(ib_uverbs_destroy_srq),
		RESP(ib_uverbs_destroy_srq_resp),
	},
	[IB_USER_VERBS_CMD_POST_SRQ_RECV] = {
		uv_post_srq_recv, OF(SRQ), REQ(ib_uverbs_post_srq_recv),
		RESP(ib_uverbs_post_srq_recv_resp), NEEDS(OP(post_srq_recv)),
	},
	[IB_USER_VERBS_CMD_OPEN_XRCD] = {
		uv_open_xrcd, OF(XRCD), REQ(ib_uverbs_open_xrcd),
		RESP(ib_uverbs_open_xrcd_resp), UDATA, NEEDS(OP(alloc_xrcd)),
	},
	[IB_USER_VERBS_CMD_CLOSE_XRCD] = {
		uv_close_xrcd, OF(XRCD), REQ(ib_uverbs_close_xrcd),
	},
};

const struct uv_cmd uv_extended_cmds[UVERBS_API_WRITE_KEY_NUM] = {
	[IB_USER_VERBS_EX_CMD_QUERY_DEVICE] = {
		uv_ex_query_device, OF(DEVICE), EXTENDED,
		NEEDS(OP(query_device)),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_CQ] = {
		uv_ex_create_cq, OF(CQ), EXTENDED, NEEDS(OP(create_cq)),
	},
	[IB_USER_VERBS_EX_CMD_MODIFY_CQ] = {
		uv_ex_modify_cq, OF(CQ), EXTENDED, NEEDS(OP(modify_cq)),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_QP] = {
		uv_ex_create_qp, OF(QP), EXTENDED, NEEDS(OP(create_qp)),
	},
	[IB_USER_VERBS_EX_CMD_MODIFY_QP] = {
		uv_ex_modify_qp, OF(QP), EXTENDED, NEEDS(OP(modify_qp)),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_FLOW] = {
		uv_ex_create_flow, OF(FLOW), EXTENDED, NEEDS(OP(create_flow)),
	},
	[IB_USER_VERBS_EX_CMD_DESTROY_FLOW] = {
		uv_ex_destroy_flow, OF(FLOW), EXTENDED,
	},
	[IB_USER_VERBS_EX_CMD_CREATE_WQ] = {
		uv_ex_create_wq, OF(WQ), EXTENDED, NEEDS(OP(create_wq)),
	},
	[IB_USER_VERBS_EX_CMD_MODIFY_WQ] = {
		uv_ex_modify_wq, OF(WQ), EXTENDED, NEEDS(OP(modify_wq)),
	},
	[IB_USER_VERBS_EX_CMD_DESTROY_WQ] = {
		uv_ex_destroy_wq, OF(WQ), EXTENDED,
	},
	[IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL] = {
		uv_ex_create_rwq_ind_table, OF(RWQ_IND_TBL), EXTENDED,
		NEEDS(OP(create_rwq_ind_table)),
	},
	[IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL] = {
		uv_ex_destroy_rwq_ind_table, OF(RWQ_IND_TBL), EXTENDED,
	},
};

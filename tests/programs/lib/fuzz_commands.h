/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every write() command as data: which field is what, so that a generator can
 * fill in a valid one, and what its answer gives or takes.
 */
#ifndef FUZZ_COMMANDS_H
#define FUZZ_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/ib_user_verbs.h>

enum kind { NONE, PD, CQ, QP, SRQ, MR, MW, AH, XRCD, WQ, TABLE, FLOW, KINDS };

enum type {
	HANDLE,		/* arg: kind */
	NUMBER,		/* 0 .. arg */
	FIXED,		/* arg */
	BITS,		/* any of the bits of arg */
	ADDRESS,	/* in the arena */
	LENGTH,		/* up to a few pages of the arena */
	CHANNEL,	/* a completion channel or -1 */
	XRC_FILE,	/* a file or -1 */
};

/* What does not fit into fields. */
enum special { PLAIN, QP_TYPES, QP_STATES, SENDS, RECVS, SPECS, HANDLES,
	       PATH, TARGET };

struct field {
	uint16_t offset, size;
	enum type type;
	uint32_t arg;
};

struct command {
	const char *name;
	uint32_t number;
	uint8_t extended;
	uint16_t size;		/* of the command without headers */
	uint16_t answer;	/* bytes of response */
	enum special special;
	enum kind makes;
	uint16_t made;		/* where in the response its handle is */
	enum kind takes;	/* field[0] is the handle of it */
	struct field field[16];
};

#define F(s, member, type, arg)						\
	{ offsetof(struct ib_uverbs_##s, member),			\
	  sizeof(((struct ib_uverbs_##s *)0)->member), type, arg }
#define CMD(NAME, s) .name = #NAME, .number = IB_USER_VERBS_CMD_##NAME,	\
	.size = sizeof(struct ib_uverbs_##s)
#define EXT(NAME, s) .name = "EX_" #NAME, .extended = 1,		\
	.number = IB_USER_VERBS_EX_CMD_##NAME,				\
	.size = sizeof(struct ib_uverbs_##s)
#define ANSWER(s, driver) .answer = sizeof(struct ib_uverbs_##s) + (driver)
#define MAKES(kind, s, member) .makes = (kind),				\
	.made = offsetof(struct ib_uverbs_##s, member)

/* Driver's part of a response: room for what stock rxe wants to tell. */
enum { RING = 16, TWO_RINGS = 32, SRQ_RING = 24 };

#define QP_FIELDS(s)							\
	F(s, pd_handle, HANDLE, PD),					\
	F(s, send_cq_handle, HANDLE, CQ),				\
	F(s, recv_cq_handle, HANDLE, CQ),				\
	F(s, srq_handle, HANDLE, SRQ),					\
	F(s, is_srq, NUMBER, 1),					\
	F(s, max_send_wr, NUMBER, 32), F(s, max_recv_wr, NUMBER, 32),	\
	F(s, max_send_sge, NUMBER, 4), F(s, max_recv_sge, NUMBER, 4),	\
	F(s, max_inline_data, NUMBER, 64), F(s, sq_sig_all, NUMBER, 1)

static const struct command commands[] = {
	{ CMD(GET_CONTEXT, get_context), ANSWER(get_context_resp, 16) },
	{ CMD(QUERY_DEVICE, query_device), ANSWER(query_device_resp, 0) },
	{ CMD(QUERY_PORT, query_port), ANSWER(query_port_resp, 0),
	  .field = { F(query_port, port_num, FIXED, 1) } },

	{ CMD(ALLOC_PD, alloc_pd), ANSWER(alloc_pd_resp, 0),
	  MAKES(PD, alloc_pd_resp, pd_handle) },
	{ CMD(DEALLOC_PD, dealloc_pd), .takes = PD,
	  .field = { F(dealloc_pd, pd_handle, HANDLE, PD) } },

	{ CMD(CREATE_AH, create_ah), ANSWER(create_ah_resp, 12),
	  MAKES(AH, create_ah_resp, ah_handle), .special = PATH,
	  .field = { F(create_ah, pd_handle, HANDLE, PD),
		     F(create_ah, attr.port_num, FIXED, 1),
		     F(create_ah, attr.sl, NUMBER, 15) } },
	{ CMD(DESTROY_AH, destroy_ah), .takes = AH,
	  .field = { F(destroy_ah, ah_handle, HANDLE, AH) } },

	{ CMD(REG_MR, reg_mr), ANSWER(reg_mr_resp, 0),
	  MAKES(MR, reg_mr_resp, mr_handle),
	  .field = { F(reg_mr, pd_handle, HANDLE, PD),
		     F(reg_mr, start, ADDRESS, 0),
		     F(reg_mr, length, LENGTH, 0),
		     F(reg_mr, access_flags, FIXED, 7) } },
	{ CMD(REREG_MR, rereg_mr), ANSWER(rereg_mr_resp, 0),
	  .field = { F(rereg_mr, mr_handle, HANDLE, MR),
		     F(rereg_mr, flags, BITS, 7),
		     F(rereg_mr, start, ADDRESS, 0),
		     F(rereg_mr, length, LENGTH, 0),
		     F(rereg_mr, pd_handle, HANDLE, PD),
		     F(rereg_mr, access_flags, BITS, 7) } },
	{ CMD(DEREG_MR, dereg_mr), .takes = MR,
	  .field = { F(dereg_mr, mr_handle, HANDLE, MR) } },
	{ CMD(ALLOC_MW, alloc_mw), ANSWER(alloc_mw_resp, 0),
	  MAKES(MW, alloc_mw_resp, mw_handle),
	  .field = { F(alloc_mw, pd_handle, HANDLE, PD),
		     F(alloc_mw, mw_type, FIXED, 1) } },
	{ CMD(DEALLOC_MW, dealloc_mw), .takes = MW,
	  .field = { F(dealloc_mw, mw_handle, HANDLE, MW) } },

	{ CMD(CREATE_COMP_CHANNEL, create_comp_channel),
	  ANSWER(create_comp_channel_resp, 0) },
	{ CMD(CREATE_CQ, create_cq), ANSWER(create_cq_resp, RING),
	  MAKES(CQ, create_cq_resp, cq_handle),
	  .field = { F(create_cq, cqe, NUMBER, 100),
		     F(create_cq, comp_vector, FIXED, 0),
		     F(create_cq, comp_channel, CHANNEL, 0) } },
	{ CMD(RESIZE_CQ, resize_cq), ANSWER(resize_cq_resp, RING),
	  .field = { F(resize_cq, cq_handle, HANDLE, CQ),
		     F(resize_cq, cqe, NUMBER, 200) } },
	{ CMD(DESTROY_CQ, destroy_cq), ANSWER(destroy_cq_resp, 0), .takes = CQ,
	  .field = { F(destroy_cq, cq_handle, HANDLE, CQ) } },
	{ CMD(POLL_CQ, poll_cq),
	  .answer = sizeof(struct ib_uverbs_poll_cq_resp) +
		    8 * sizeof(struct ib_uverbs_wc),
	  .field = { F(poll_cq, cq_handle, HANDLE, CQ),
		     F(poll_cq, ne, NUMBER, 8) } },
	{ CMD(REQ_NOTIFY_CQ, req_notify_cq),
	  .field = { F(req_notify_cq, cq_handle, HANDLE, CQ),
		     F(req_notify_cq, solicited_only, NUMBER, 1) } },

	{ CMD(CREATE_QP, create_qp), ANSWER(create_qp_resp, TWO_RINGS),
	  MAKES(QP, create_qp_resp, qp_handle), .special = QP_TYPES,
	  .field = { QP_FIELDS(create_qp) } },
	{ CMD(OPEN_QP, open_qp), ANSWER(create_qp_resp, 0),
	  MAKES(QP, create_qp_resp, qp_handle), .special = TARGET,
	  .field = { F(open_qp, pd_handle, HANDLE, XRCD),
		     F(open_qp, qp_type, FIXED, 10) } },
	{ CMD(QUERY_QP, query_qp), ANSWER(query_qp_resp, 0),
	  .field = { F(query_qp, qp_handle, HANDLE, QP),
		     F(query_qp, attr_mask, BITS, 0x1fffff) } },
	{ CMD(MODIFY_QP, modify_qp), .special = QP_STATES,
	  .field = { F(modify_qp, qp_handle, HANDLE, QP) } },
	{ CMD(DESTROY_QP, destroy_qp), ANSWER(destroy_qp_resp, 0), .takes = QP,
	  .field = { F(destroy_qp, qp_handle, HANDLE, QP) } },
	{ CMD(POST_SEND, post_send), ANSWER(post_send_resp, 0),
	  .special = SENDS,
	  .field = { F(post_send, qp_handle, HANDLE, QP) } },
	{ CMD(POST_RECV, post_recv), ANSWER(post_recv_resp, 0),
	  .special = RECVS,
	  .field = { F(post_recv, qp_handle, HANDLE, QP) } },
	{ CMD(ATTACH_MCAST, attach_mcast), .special = PATH,
	  .field = { F(attach_mcast, qp_handle, HANDLE, QP),
		     F(attach_mcast, mlid, FIXED, 0xc001) } },
	{ CMD(DETACH_MCAST, detach_mcast), .special = PATH,
	  .field = { F(detach_mcast, qp_handle, HANDLE, QP),
		     F(detach_mcast, mlid, FIXED, 0xc001) } },

	{ CMD(CREATE_SRQ, create_srq), ANSWER(create_srq_resp, SRQ_RING),
	  MAKES(SRQ, create_srq_resp, srq_handle),
	  .field = { F(create_srq, pd_handle, HANDLE, PD),
		     F(create_srq, max_wr, NUMBER, 64),
		     F(create_srq, max_sge, NUMBER, 4),
		     F(create_srq, srq_limit, FIXED, 0) } },
	{ CMD(CREATE_XSRQ, create_xsrq), ANSWER(create_srq_resp, SRQ_RING),
	  MAKES(SRQ, create_srq_resp, srq_handle),
	  .field = { F(create_xsrq, srq_type, NUMBER, 1),
		     F(create_xsrq, pd_handle, HANDLE, PD),
		     F(create_xsrq, max_wr, NUMBER, 64),
		     F(create_xsrq, max_sge, NUMBER, 4),
		     F(create_xsrq, xrcd_handle, HANDLE, XRCD),
		     F(create_xsrq, cq_handle, HANDLE, CQ) } },
	{ CMD(MODIFY_SRQ, modify_srq),
	  .field = { F(modify_srq, srq_handle, HANDLE, SRQ),
		     F(modify_srq, attr_mask, BITS, 3),
		     F(modify_srq, max_wr, NUMBER, 100),
		     F(modify_srq, srq_limit, NUMBER, 20) } },
	{ CMD(QUERY_SRQ, query_srq), ANSWER(query_srq_resp, 0),
	  .field = { F(query_srq, srq_handle, HANDLE, SRQ) } },
	{ CMD(DESTROY_SRQ, destroy_srq), ANSWER(destroy_srq_resp, 0),
	  .takes = SRQ,
	  .field = { F(destroy_srq, srq_handle, HANDLE, SRQ) } },
	{ CMD(POST_SRQ_RECV, post_srq_recv), ANSWER(post_srq_recv_resp, 0),
	  .special = RECVS,
	  .field = { F(post_srq_recv, srq_handle, HANDLE, SRQ) } },

	{ CMD(OPEN_XRCD, open_xrcd), ANSWER(open_xrcd_resp, 0),
	  MAKES(XRCD, open_xrcd_resp, xrcd_handle),
	  .field = { F(open_xrcd, fd, XRC_FILE, 0),
		     F(open_xrcd, oflags, FIXED, 0100) } },
	{ CMD(CLOSE_XRCD, close_xrcd), .takes = XRCD,
	  .field = { F(close_xrcd, xrcd_handle, HANDLE, XRCD) } },

	{ EXT(QUERY_DEVICE, ex_query_device),
	  ANSWER(ex_query_device_resp, 0) },
	{ EXT(CREATE_CQ, ex_create_cq), ANSWER(ex_create_cq_resp, RING),
	  MAKES(CQ, ex_create_cq_resp, base.cq_handle),
	  .field = { F(ex_create_cq, cqe, NUMBER, 100),
		     F(ex_create_cq, comp_channel, CHANNEL, 0),
		     F(ex_create_cq, flags, BITS, 2) } },
	{ EXT(CREATE_QP, ex_create_qp), ANSWER(ex_create_qp_resp, TWO_RINGS),
	  MAKES(QP, ex_create_qp_resp, base.qp_handle), .special = QP_TYPES,
	  .field = { QP_FIELDS(ex_create_qp),
		     F(ex_create_qp, rwq_ind_tbl_handle, HANDLE, TABLE) } },
	{ EXT(MODIFY_QP, ex_modify_qp), ANSWER(ex_modify_qp_resp, 0),
	  .special = QP_STATES,
	  .field = { F(ex_modify_qp, base.qp_handle, HANDLE, QP) } },
	{ EXT(CREATE_FLOW, create_flow), ANSWER(create_flow_resp, 0),
	  MAKES(FLOW, create_flow_resp, flow_handle), .special = SPECS,
	  .field = { F(create_flow, qp_handle, HANDLE, QP) } },
	{ EXT(DESTROY_FLOW, destroy_flow),
	  .takes = FLOW,
	  .field = { F(destroy_flow, flow_handle, HANDLE, FLOW) } },
	{ EXT(CREATE_WQ, ex_create_wq), ANSWER(ex_create_wq_resp, 0),
	  MAKES(WQ, ex_create_wq_resp, wq_handle),
	  .field = { F(ex_create_wq, pd_handle, HANDLE, PD),
		     F(ex_create_wq, cq_handle, HANDLE, CQ),
		     F(ex_create_wq, max_wr, NUMBER, 32),
		     F(ex_create_wq, max_sge, NUMBER, 4) } },
	{ EXT(MODIFY_WQ, ex_modify_wq),
	  .field = { F(ex_modify_wq, wq_handle, HANDLE, WQ),
		     F(ex_modify_wq, attr_mask, BITS, 3),
		     F(ex_modify_wq, wq_state, NUMBER, 2),
		     F(ex_modify_wq, curr_wq_state, NUMBER, 2) } },
	{ EXT(DESTROY_WQ, ex_destroy_wq), ANSWER(ex_destroy_wq_resp, 0),
	  .takes = WQ,
	  .field = { F(ex_destroy_wq, wq_handle, HANDLE, WQ) } },
	{ EXT(CREATE_RWQ_IND_TBL, ex_create_rwq_ind_table),
	  ANSWER(ex_create_rwq_ind_table_resp, 0),
	  MAKES(TABLE, ex_create_rwq_ind_table_resp, ind_tbl_handle),
	  .special = HANDLES },
	{ EXT(DESTROY_RWQ_IND_TBL, ex_destroy_rwq_ind_table), .takes = TABLE,
	  .field = { F(ex_destroy_rwq_ind_table, ind_tbl_handle, HANDLE,
		       TABLE) } },
	{ EXT(MODIFY_CQ, ex_modify_cq),
	  .field = { F(ex_modify_cq, cq_handle, HANDLE, CQ),
		     F(ex_modify_cq, attr_mask, FIXED, 1),
		     F(ex_modify_cq, attr.cq_count, NUMBER, 100),
		     F(ex_modify_cq, attr.cq_period, NUMBER, 100) } },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

#endif /* FUZZ_COMMANDS_H */

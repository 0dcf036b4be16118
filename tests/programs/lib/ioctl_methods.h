/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every method of every standard object as data: its attributes, of what type
 * they are, and a value that is good.
 */
#ifndef IOCTL_METHODS_H
#define IOCTL_METHODS_H

#include <stddef.h>

#include <rdma/ib_user_ioctl_verbs.h>

#include "ioctl_tree.h"

enum attr_type {
	T_END,
	T_NEW,		/* a handle is made; kind: the object */
	T_USE,		/* a handle */
	T_GONE,		/* a handle that is destroyed */
	T_USES,		/* len bytes of handles */
	T_FD,		/* a descriptor; kind: the object */
	T_NEW_FD,	/* a descriptor is made */
	T_RAW_FD,	/* any descriptor: a dma-buf's */
	T_IN,		/* value of len bytes; more than eight: SPECIAL */
	T_OUT,		/* len bytes are answered */
	T_CONST,	/* one of some, 8 bytes */
	T_FLAGS,	/* 4 or 8 bytes */
	T_ENUM,		/* one of kind shapes of a value */
};

/* How a well-formed call uses it. */
enum attr_use {
	MUST,		/* cannot do without */
	MAY,		/* can, but has it */
	LEFT,		/* can, and does */
};

/* Values that do not fit into eight bytes. */
enum { SPECIAL_CAP = 1, SPECIAL_SGE, SPECIAL_COMMAND, SPECIAL_BUFFER };

/* A value of eight bytes: where the memory of the world is. */
#define SPECIAL_ADDRESS 0xadd2e55adadadadaULL

struct ioctl_attr {
	const char *name;
	uint16_t id;
	uint8_t type, use;
	uint16_t len, kind;
	uint64_t value;		/* or which special one */
};

struct ioctl_method {
	const char *name;
	uint16_t object, method;
	struct ioctl_attr attr[18];
};

#define OBJECTS		(UVERBS_OBJECT_ASYNC_EVENT + 1)
#define ANSWER_ROOM	64	/* of a driver */

#define M(o, n) .name = #n, .object = UVERBS_OBJECT_##o,		\
	.method = UVERBS_METHOD_##n
#define A(n) #n, UVERBS_ATTR_##n
#define NEW(n, o) { A(n), T_NEW, MUST, 0, UVERBS_OBJECT_##o, 0 }
#define USE(n, o) { A(n), T_USE, MUST, 0, UVERBS_OBJECT_##o, 0 }
#define MAYUSE(n, o) { A(n), T_USE, LEFT, 0, UVERBS_OBJECT_##o, 0 }
#define GONE(n, o) { A(n), T_GONE, MUST, 0, UVERBS_OBJECT_##o, 0 }
#define EVENTS(n) { A(n), T_FD, MAY, 0, UVERBS_OBJECT_ASYNC_EVENT, 0 }
#define IN(n, len, v) { A(n), T_IN, MUST, len, 0, v }
#define MAYIN(n, len, v) { A(n), T_IN, LEFT, len, 0, v }
#define CONST(n, v) { A(n), T_CONST, MUST, 8, 0, v }
#define FLAGS(n, use, v) { A(n), T_FLAGS, use, 4, 0, v }
#define OUT(n, len) { A(n), T_OUT, MUST, len, 0, 0 }
#define MAYOUT(n, len) { A(n), T_OUT, MAY, len, 0, 0 }
#define DRIVER(use)							\
	{ A(UHW_IN), T_IN, LEFT, 0, 0, 0 },				\
	{ A(UHW_OUT), T_OUT, use, ANSWER_ROOM, 0, 0 }
#define DESTROYS(o, method, attr)					\
	{ M(o, method), { GONE(attr, o) } }

static const struct ioctl_method ioctl_methods[] = {
	{ M(DEVICE, INVOKE_WRITE), {
		{ A(CORE_IN), T_IN, MAY, 8, 0, SPECIAL_COMMAND },
		MAYOUT(CORE_OUT, sizeof(struct ib_uverbs_query_device_resp)),
		CONST(WRITE_CMD, IB_USER_VERBS_CMD_QUERY_DEVICE),
		DRIVER(LEFT) } },
	{ M(DEVICE, INFO_HANDLES), {
		CONST(INFO_OBJECT_ID, UVERBS_OBJECT_PD),
		MAYOUT(INFO_TOTAL_HANDLES, 4),
		MAYOUT(INFO_HANDLES_LIST, 64) } },
	{ M(DEVICE, QUERY_PORT), {
		CONST(QUERY_PORT_PORT_NUM, 1),
		OUT(QUERY_PORT_RESP,
		    sizeof(struct ib_uverbs_query_port_resp_ex)) } },
	{ M(DEVICE, GET_CONTEXT), {
		MAYOUT(GET_CONTEXT_NUM_COMP_VECTORS, 4),
		MAYOUT(GET_CONTEXT_CORE_SUPPORT, 8),
		DRIVER(MAY) } },
	{ M(DEVICE, QUERY_CONTEXT), {
		MAYOUT(QUERY_CONTEXT_NUM_COMP_VECTORS, 4),
		MAYOUT(QUERY_CONTEXT_CORE_SUPPORT, 8) } },
	{ M(DEVICE, QUERY_GID_TABLE), {
		CONST(QUERY_GID_TABLE_ENTRY_SIZE,
		      sizeof(struct ib_uverbs_gid_entry)),
		FLAGS(QUERY_GID_TABLE_FLAGS, LEFT, 0),
		OUT(QUERY_GID_TABLE_RESP_ENTRIES,
		    64 * sizeof(struct ib_uverbs_gid_entry)),
		OUT(QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8) } },
	{ M(DEVICE, QUERY_GID_ENTRY), {
		CONST(QUERY_GID_ENTRY_PORT, 1),
		CONST(QUERY_GID_ENTRY_GID_INDEX, 0),
		FLAGS(QUERY_GID_ENTRY_FLAGS, MUST, 0),
		OUT(QUERY_GID_ENTRY_RESP_ENTRY,
		    sizeof(struct ib_uverbs_gid_entry)) } },

	{ M(CQ, CQ_CREATE), {
		NEW(CREATE_CQ_HANDLE, CQ),
		IN(CREATE_CQ_CQE, 4, 16),
		IN(CREATE_CQ_USER_HANDLE, 8, 0xc0),
		{ A(CREATE_CQ_COMP_CHANNEL), T_FD, MAY, 0,
		  UVERBS_OBJECT_COMP_CHANNEL, 0 },
		IN(CREATE_CQ_COMP_VECTOR, 4, 0),
		FLAGS(CREATE_CQ_FLAGS, LEFT, 0),
		OUT(CREATE_CQ_RESP_CQE, 4),
		EVENTS(CREATE_CQ_EVENT_FD),
		DRIVER(MAY) } },
	{ M(QP, QP_CREATE), {
		NEW(CREATE_QP_HANDLE, QP),
		MAYUSE(CREATE_QP_XRCD_HANDLE, XRCD),
		{ A(CREATE_QP_PD_HANDLE), T_USE, MAY, 0, UVERBS_OBJECT_PD, 0 },
		MAYUSE(CREATE_QP_SRQ_HANDLE, SRQ),
		{ A(CREATE_QP_SEND_CQ_HANDLE), T_USE, MAY, 0,
		  UVERBS_OBJECT_CQ, 0 },
		{ A(CREATE_QP_RECV_CQ_HANDLE), T_USE, MAY, 0,
		  UVERBS_OBJECT_CQ, 0 },
		MAYUSE(CREATE_QP_IND_TABLE_HANDLE, RWQ_IND_TBL),
		IN(CREATE_QP_USER_HANDLE, 8, 0x90),
		IN(CREATE_QP_CAP, sizeof(struct ib_uverbs_qp_cap), SPECIAL_CAP),
		CONST(CREATE_QP_TYPE, IB_UVERBS_QPT_UD),
		FLAGS(CREATE_QP_FLAGS, LEFT, 0),
		MAYIN(CREATE_QP_SOURCE_QPN, 4, 0),
		EVENTS(CREATE_QP_EVENT_FD),
		OUT(CREATE_QP_RESP_CAP, sizeof(struct ib_uverbs_qp_cap)),
		OUT(CREATE_QP_RESP_QP_NUM, 4),
		DRIVER(MAY) } },
	{ M(SRQ, SRQ_CREATE), {
		NEW(CREATE_SRQ_HANDLE, SRQ),
		USE(CREATE_SRQ_PD_HANDLE, PD),
		MAYUSE(CREATE_SRQ_XRCD_HANDLE, XRCD),
		MAYUSE(CREATE_SRQ_CQ_HANDLE, CQ),
		IN(CREATE_SRQ_USER_HANDLE, 8, 0x50),
		IN(CREATE_SRQ_MAX_WR, 4, 8),
		IN(CREATE_SRQ_MAX_SGE, 4, 1),
		IN(CREATE_SRQ_LIMIT, 4, 0),
		MAYIN(CREATE_SRQ_MAX_NUM_TAGS, 4, 0),
		CONST(CREATE_SRQ_TYPE, IB_UVERBS_SRQT_BASIC),
		EVENTS(CREATE_SRQ_EVENT_FD),
		OUT(CREATE_SRQ_RESP_MAX_WR, 4),
		OUT(CREATE_SRQ_RESP_MAX_SGE, 4),
		{ A(CREATE_SRQ_RESP_SRQ_NUM), T_OUT, LEFT, 4, 0, 0 },
		DRIVER(MAY) } },
	{ M(WQ, WQ_CREATE), {
		NEW(CREATE_WQ_HANDLE, WQ),
		USE(CREATE_WQ_PD_HANDLE, PD),
		USE(CREATE_WQ_CQ_HANDLE, CQ),
		IN(CREATE_WQ_USER_HANDLE, 8, 0xb0),
		CONST(CREATE_WQ_TYPE, IB_UVERBS_WQT_RQ),
		EVENTS(CREATE_WQ_EVENT_FD),
		IN(CREATE_WQ_MAX_WR, 4, 8),
		IN(CREATE_WQ_MAX_SGE, 4, 1),
		FLAGS(CREATE_WQ_FLAGS, MUST, 0),
		OUT(CREATE_WQ_RESP_MAX_WR, 4),
		OUT(CREATE_WQ_RESP_MAX_SGE, 4),
		OUT(CREATE_WQ_RESP_WQ_NUM, 4),
		DRIVER(MAY) } },
	{ M(DM, DM_ALLOC), {
		NEW(ALLOC_DM_HANDLE, DM),
		IN(ALLOC_DM_LENGTH, 8, 4096),
		IN(ALLOC_DM_ALIGNMENT, 4, 0) } },
	{ M(MR, DM_MR_REG), {
		NEW(REG_DM_MR_HANDLE, MR),
		IN(REG_DM_MR_OFFSET, 8, 0),
		IN(REG_DM_MR_LENGTH, 8, 4096),
		USE(REG_DM_MR_PD_HANDLE, PD),
		FLAGS(REG_DM_MR_ACCESS_FLAGS, MUST,
		      IB_UVERBS_ACCESS_LOCAL_WRITE |
		      IB_UVERBS_ACCESS_ZERO_BASED),
		USE(REG_DM_MR_DM_HANDLE, DM),
		OUT(REG_DM_MR_RESP_LKEY, 4),
		OUT(REG_DM_MR_RESP_RKEY, 4) } },
	{ M(MR, REG_DMABUF_MR), {
		NEW(REG_DMABUF_MR_HANDLE, MR),
		USE(REG_DMABUF_MR_PD_HANDLE, PD),
		IN(REG_DMABUF_MR_OFFSET, 8, 0),
		IN(REG_DMABUF_MR_LENGTH, 8, 4096),
		IN(REG_DMABUF_MR_IOVA, 8, 0),
		{ A(REG_DMABUF_MR_FD), T_RAW_FD, MUST, 4, 0, 0 },
		FLAGS(REG_DMABUF_MR_ACCESS_FLAGS, MUST,
		      IB_UVERBS_ACCESS_LOCAL_WRITE),
		OUT(REG_DMABUF_MR_RESP_LKEY, 4),
		OUT(REG_DMABUF_MR_RESP_RKEY, 4) } },
	{ M(MR, ADVISE_MR), {
		USE(ADVISE_MR_PD_HANDLE, PD),
		CONST(ADVISE_MR_ADVICE, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH),
		FLAGS(ADVISE_MR_FLAGS, MUST, 0),
		IN(ADVISE_MR_SGE_LIST, sizeof(struct ib_uverbs_sge),
		   SPECIAL_SGE) } },
	{ M(MR, QUERY_MR), {
		USE(QUERY_MR_HANDLE, MR),
		OUT(QUERY_MR_RESP_LKEY, 4),
		OUT(QUERY_MR_RESP_RKEY, 4),
		OUT(QUERY_MR_RESP_LENGTH, 8),
		{ A(QUERY_MR_RESP_IOVA), T_OUT, LEFT, 8, 0, 0 } } },
	{ M(COUNTERS, COUNTERS_CREATE), {
		NEW(CREATE_COUNTERS_HANDLE, COUNTERS) } },
	{ M(COUNTERS, COUNTERS_READ), {
		USE(READ_COUNTERS_HANDLE, COUNTERS),
		OUT(READ_COUNTERS_BUFF, 64),
		FLAGS(READ_COUNTERS_FLAGS, MUST, 0) } },
	{ M(ASYNC_EVENT, ASYNC_EVENT_ALLOC), {
		{ A(ASYNC_EVENT_ALLOC_FD_HANDLE), T_NEW_FD, MUST, 0,
		  UVERBS_OBJECT_ASYNC_EVENT, 0 } } },
	{ M(FLOW_ACTION, FLOW_ACTION_ESP_CREATE), {
		NEW(CREATE_FLOW_ACTION_ESP_HANDLE, FLOW_ACTION) } },
	{ M(FLOW_ACTION, FLOW_ACTION_ESP_MODIFY), {
		USE(MODIFY_FLOW_ACTION_ESP_HANDLE, FLOW_ACTION) } },

	DESTROYS(FLOW_ACTION, FLOW_ACTION_DESTROY, DESTROY_FLOW_ACTION_HANDLE),
	DESTROYS(COUNTERS, COUNTERS_DESTROY, DESTROY_COUNTERS_HANDLE),
	DESTROYS(FLOW, FLOW_DESTROY, DESTROY_FLOW_HANDLE),
	{ M(QP, QP_DESTROY), {
		GONE(DESTROY_QP_HANDLE, QP),
		OUT(DESTROY_QP_RESP, sizeof(struct ib_uverbs_destroy_qp_resp)) } },
	DESTROYS(RWQ_IND_TBL, RWQ_IND_TBL_DESTROY, DESTROY_RWQ_IND_TBL_HANDLE),
	{ M(WQ, WQ_DESTROY), {
		GONE(DESTROY_WQ_HANDLE, WQ),
		OUT(DESTROY_WQ_RESP, 4) } },
	{ M(SRQ, SRQ_DESTROY), {
		GONE(DESTROY_SRQ_HANDLE, SRQ),
		OUT(DESTROY_SRQ_RESP, sizeof(struct ib_uverbs_destroy_srq_resp)) } },
	{ M(CQ, CQ_DESTROY), {
		GONE(DESTROY_CQ_HANDLE, CQ),
		OUT(DESTROY_CQ_RESP, sizeof(struct ib_uverbs_destroy_cq_resp)) } },
	DESTROYS(MW, MW_DESTROY, DESTROY_MW_HANDLE),
	DESTROYS(MR, MR_DESTROY, DESTROY_MR_HANDLE),
	DESTROYS(DM, DM_FREE, FREE_DM_HANDLE),
	DESTROYS(AH, AH_DESTROY, DESTROY_AH_HANDLE),
	DESTROYS(XRCD, XRCD_DESTROY, DESTROY_XRCD_HANDLE),
	DESTROYS(PD, PD_DESTROY, DESTROY_PD_HANDLE),
};

#define METHODS (sizeof(ioctl_methods) / sizeof(ioctl_methods[0]))

#include "ioctl_methods_7.h"

#undef M
#undef A
#undef NEW
#undef USE
#undef MAYUSE
#undef GONE
#undef EVENTS
#undef IN
#undef MAYIN
#undef CONST
#undef FLAGS
#undef OUT
#undef MAYOUT
#undef DRIVER
#undef DESTROYS

/* Is what the table says of a type a handle or a descriptor? */
static inline bool attr_is_handle(const struct ioctl_attr *a)
{
	return a->type == T_USE || a->type == T_GONE;
}

static inline bool attr_is_fd(const struct ioctl_attr *a)
{
	return a->type == T_FD || a->type == T_RAW_FD;
}

#endif /* IOCTL_METHODS_H */

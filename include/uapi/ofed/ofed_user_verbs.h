/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-2-Clause) */
/*
 * What libofed and the modules of this project say to each other beyond
 * <rdma/rdma_user_rxe.h>. Each struct has one layout on 32 and on 64 bits.
 *
 * A library that knows the extension sends struct ofed_context_req with GET_CONTEXT, and
 * leaves room for struct ofed_context_resp. A module that does not know it leaves that
 * untouched, and everything is as <rdma/rdma_user_rxe.h> has it.
 */
#ifndef OFED_USER_VERBS_H
#define OFED_USER_VERBS_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

/* Of what follows. A version has all that those before it have. */
#define OFED_USER_VERBS_VERSION 3

/**
 * struct ofed_context_req - driver input of GET_CONTEXT
 * @version: highest version that the library knows
 * @reserved: 0
 */
struct ofed_context_req {
	__u32 version;
	__u32 reserved;
};

enum ofed_context_feature {
	/* Version 1. */
	/* A CQ created with IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION has struct ofed_cqe_time. */
	OFED_FEATURE_CQ_TIME = 1 << 0,
	/* Version 2. The context has a page of doorbells, struct ofed_doorbell_page. */
	OFED_FEATURE_DOORBELLS = 1 << 1,
	/* Version 3. Shared receive queues of IB_UVERBS_SRQT_TM, and what belongs to them. */
	OFED_FEATURE_TAG_MATCHING = 1 << 2,
};

/**
 * struct ofed_context_resp - driver output of GET_CONTEXT
 * @version: that both know from now on, 0: none
 * @features: of enum ofed_context_feature, what the device has
 * @max_inline: bytes of inline data that a send queue can be asked for
 * @reserved: 0
 * @doorbell_offset: (OFED_FEATURE_DOORBELLS) where to map the page of doorbells
 * @doorbell_bytes: how much to map
 * @reserved_2: 0
 *
 * Of version 1 it ends before @doorbell_offset. A library that knows version 1 alone has no
 * room for the rest.
 */
struct ofed_context_resp {
	__u32 version;
	__u32 features;
	__u32 max_inline;
	__u32 reserved;
	__aligned_u64 doorbell_offset;
	__u32 doorbell_bytes;
	__u32 reserved_2;
};

#define OFED_CONTEXT_RESP_1_BYTES 16

/* Doorbells of a page: so many queue pairs of a context can have one. */
#define OFED_DOORBELLS 1024

/**
 * struct ofed_qp_resp - driver output of CREATE_QP, behind that of <rdma/rdma_user_rxe.h>
 * @doorbell: 1 + number of the queue pair's doorbell, 0: it has none
 * @reserved: 0
 */
struct ofed_qp_resp {
	__u32 doorbell;
	__u32 reserved;
};

/**
 * struct ofed_doorbell_page - doorbells of a context
 * @awake: the kernel module looks at @rung by itself. It writes this, and reads it never
 * @reserved: nothing
 * @rung: a bit for each doorbell. The library sets it, the kernel module clears it
 *
 * To ring, the library stores the producer index of the queue, sets the queue pair's bit by
 * an atomic operation that is a full barrier, and then reads @awake. If that is 0, it makes
 * the call POST_SEND, as it does for a queue pair without a doorbell.
 */
struct ofed_doorbell_page {
	__u32 awake;
	__u32 reserved[15];
	__u32 rung[OFED_DOORBELLS / 32];
};

/* Where it is in an element of a CQ, behind struct ib_uverbs_wc. */
#define OFED_CQE_TIME_OFFSET 48

/**
 * struct ofed_cqe_time - when a work request completed
 * @raw: nanoseconds of CLOCK_MONOTONIC_RAW
 * @wall: nanoseconds of CLOCK_REALTIME
 */
struct ofed_cqe_time {
	__aligned_u64 raw;
	__aligned_u64 wall;
};

enum ofed_cq_flag {
	/* (OFED_FEATURE_TAG_MATCHING) Completions have struct ofed_cqe_tm. */
	OFED_CQ_TM_INFO = 1 << 0,
};

/**
 * struct ofed_create_cq_req - driver input of CREATE_CQ
 * @flags: of enum ofed_cq_flag
 * @reserved: 0
 */
struct ofed_create_cq_req {
	__u32 flags;
	__u32 reserved;
};

/* Where it is in an element of a CQ that has it, behind struct ofed_cqe_time. */
#define OFED_CQE_TM_OFFSET 64

/**
 * struct ofed_cqe_tm - what a message of tag matching says
 * @tag: in host order; 0 if no tagged buffer took the message
 * @app_ctx: word of the sending application, as it came
 * @reserved: 0
 */
struct ofed_cqe_tm {
	__aligned_u64 tag;
	__u32 app_ctx;
	__u32 reserved;
};

/* (OFED_FEATURE_TAG_MATCHING) Of a shared receive queue. */
#define OFED_TM_MAX_TAGS 1024
#define OFED_TM_MAX_SGE 8

enum ofed_tm_opcode {
	OFED_TM_ADD,
	OFED_TM_DEL,
	OFED_TM_SYNC,
};

enum ofed_tm_flag {
	/* It completes with a success, too. */
	OFED_TM_SIGNALED = 1 << 0,
	/* @handled of struct ofed_tm_op is valid. */
	OFED_TM_HANDLED = 1 << 1,
};

struct ofed_tm_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/**
 * struct ofed_tm_op - driver input of MODIFY_SRQ with no attribute
 * @opcode: enum ofed_tm_opcode
 * @flags: of enum ofed_tm_flag
 * @handled: unexpected messages that the application has handled, since the SRQ was created
 * @handle: of the tagged buffer. The library chooses a number that no other has
 * @wr_id: of the operation
 * @recv_wr_id: (ADD) of the message that takes the buffer
 * @tag: (ADD) value that the tag of a message must have, in the bits of
 * @mask: (ADD) these
 * @num_sge: (ADD) entries of @sge that are valid
 * @reserved: 0
 * @sge: (ADD) the buffer
 *
 * It is done when the command returns. -ENOMEM: the SRQ has as many tagged buffers as it was
 * created for.
 */
struct ofed_tm_op {
	__u32 opcode;
	__u32 flags;
	__u32 handled;
	__u32 handle;
	__aligned_u64 wr_id;
	__aligned_u64 recv_wr_id;
	__aligned_u64 tag;
	__aligned_u64 mask;
	__u32 num_sge;
	__u32 reserved;
	struct ofed_tm_sge sge[OFED_TM_MAX_SGE];
};

/*
 * Device memory, by ioctl(), of any version: attributes and methods are found or not. It is
 * mapped from @OFED_ATTR_ALLOC_DM_RESP_OFFSET of the device's file, whole pages, shared.
 */

/* Of UVERBS_METHOD_DM_ALLOC. */
enum ofed_alloc_dm_attr {
	OFED_ATTR_ALLOC_DM_RESP_OFFSET = 1U << UVERBS_ID_NS_SHIFT,	/* __u64 */
};

/* Of UVERBS_OBJECT_DM. */
enum ofed_dm_method {
	OFED_METHOD_DM_QUERY = 1U << UVERBS_ID_NS_SHIFT,
};

enum ofed_query_dm_attr {
	OFED_ATTR_QUERY_DM_HANDLE = 1U << UVERBS_ID_NS_SHIFT,
	OFED_ATTR_QUERY_DM_RESP_OFFSET,		/* __u64, as above */
	OFED_ATTR_QUERY_DM_RESP_LENGTH,		/* __u64, bytes */
};

/*
 * The null region, found in the same way: the lkey is good for as long as the protection domain
 * is there, and needs no other object.
 */

/* Of UVERBS_OBJECT_PD. */
enum ofed_pd_method {
	OFED_METHOD_PD_NULL_KEY = 1U << UVERBS_ID_NS_SHIFT,
};

enum ofed_null_key_attr {
	OFED_ATTR_NULL_KEY_PD = 1U << UVERBS_ID_NS_SHIFT,
	OFED_ATTR_NULL_KEY_RESP_LKEY,		/* __u32 */
};

#endif /* OFED_USER_VERBS_H */

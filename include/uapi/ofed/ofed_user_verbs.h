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

/* Of what follows. A version has all that those before it have. */
#define OFED_USER_VERBS_VERSION 2

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

#endif /* OFED_USER_VERBS_H */

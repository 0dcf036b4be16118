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
#define OFED_USER_VERBS_VERSION 1

/**
 * struct ofed_context_req - driver input of GET_CONTEXT
 * @version: highest version that the library knows
 * @reserved: 0
 */
struct ofed_context_req {
	__u32 version;
	__u32 reserved;
};

/* Features of version 1. */
enum ofed_context_feature {
	/* A CQ created with IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION has struct ofed_cqe_time. */
	OFED_FEATURE_CQ_TIME = 1 << 0,
};

/**
 * struct ofed_context_resp - driver output of GET_CONTEXT
 * @version: that both know from now on, 0: none
 * @features: of enum ofed_context_feature, what the device has
 * @max_inline: bytes of inline data that a send queue can be asked for
 * @reserved: 0
 */
struct ofed_context_resp {
	__u32 version;
	__u32 features;
	__u32 max_inline;
	__u32 reserved;
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

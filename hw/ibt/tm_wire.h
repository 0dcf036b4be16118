/* SPDX-License-Identifier: GPL-2.0 */
/* Headers of tag matching, in the payload of a SEND: <infiniband/tm_types.h> of rdma-core. */
#ifndef IBT_TM_WIRE_H
#define IBT_TM_WIRE_H

#include <linux/build_bug.h>
#include <linux/types.h>

enum {
	IBT_TMH_NO_TAG	= 0,
	IBT_TMH_RNDV	= 1,
	IBT_TMH_FIN	= 2,
	IBT_TMH_EAGER	= 3,
};

/* Tag Matching Header */
struct ibt_tmh {
	u8	opcode;
	u8	reserved[3];
	__be32	app_ctx;
	__be64	tag;
};
static_assert(sizeof(struct ibt_tmh) == 16);

/* Rendezvous Header */
struct ibt_rvh {
	__be64	va;
	__be32	rkey;
	__be32	len;
};
static_assert(sizeof(struct ibt_rvh) == 16);

/* What a message may begin with. */
struct ibt_tm_hdr {
	struct ibt_tmh tmh;
	struct ibt_rvh rvh;
};
static_assert(sizeof(struct ibt_tm_hdr) == 32);

#endif /* IBT_TM_WIRE_H */

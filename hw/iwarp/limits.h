/* SPDX-License-Identifier: GPL-2.0 */
/* What devices have at most. */
#ifndef OFED_IW_LIMITS_H
#define OFED_IW_LIMITS_H

#include <rdma/siw-abi.h>

enum {
	IW_MAX_PD	= 1 << 16,
	IW_MAX_CQ	= 1 << 16,
	IW_MAX_MR	= 1 << 19,
	IW_MAX_SRQ	= 1 << 16,
	IW_MAX_QP	= 1 << 16,
	IW_MAX_QP_WR	= 1 << 15,
	IW_MAX_SGE	= 16,		/* of kernel consumers; libsiw has 6 */
	IW_MAX_CQE	= 1 << 20,
	IW_MAX_SRQ_WR	= 1 << 17,
	IW_MAX_DEPTH	= 128,		/* READs under way, each direction */
	IW_MAX_INLINE	= SIW_MAX_INLINE,
	IW_MAX_FAST_PAGES = 512,
	IW_SQ_BATCH	= 64,		/* completions under one lock */
};

#define IW_MAX_MSG_BYTES	(1U << 31)

#endif /* OFED_IW_LIMITS_H */

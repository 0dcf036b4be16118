/* SPDX-License-Identifier: GPL-2.0 */
/* Limits of every device of the engine. */
#ifndef IBT_LIMITS_H
#define IBT_LIMITS_H

enum {
	IBT_MAX_PD		= 1 << 16,
	IBT_MAX_CQ		= 1 << 16,
	IBT_MAX_MR		= 1 << 19,
	IBT_MAX_MW		= 1 << 19,
	IBT_MAX_SRQ		= 1 << 16,
	IBT_MAX_QP		= 1 << 16,
	IBT_MAX_QP_WR		= 1 << 16,
	IBT_MAX_SGE		= 32,
	IBT_MAX_INLINE		= 1024,
	IBT_MAX_RD_ATOMIC	= 128,
	IBT_MAX_CQE		= (1 << 20) - 1,
	IBT_MAX_SRQ_WR		= 1 << 17,
	IBT_MAX_AH		= 1 << 16,
	IBT_MAX_MCAST_QP	= 1 << 12,	/* of one group */
	IBT_MAX_GROUPS		= 1 << 13,
	IBT_MAX_MEMBERS		= 1 << 18,	/* of all groups */
	IBT_MAX_PKEYS		= 64,
	IBT_MAX_FAST_PAGES	= 512,
	IBT_MIN_QPN		= 16,
};

#define IBT_MAX_MSG_BYTES	(1U << 31)
/* Received packets that a device keeps for later: memory of all of them. */
#define IBT_MAX_QUEUED_BYTES	(64 << 20)

#endif /* IBT_LIMITS_H */

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * struct ibv_qp_ex has grown without another number of the ABI. What follows it in struct
 * verbs_qp is where libibverbs was built to have it, and that is where creation writes 0:
 * behind wr_flush, or, where libibverbs does not know wr_flush, in its place.
 */
#ifndef LIB_VERBS_QP_H
#define LIB_VERBS_QP_H

#include <infiniband/driver.h>

#define LIB_UNTOUCHED 0x5a5a5a5a

static inline uint32_t *lib_old_mask(struct verbs_qp *qp)
{
	return (uint32_t *)&qp->qp_ex.wr_flush;
}

/* Before libibverbs creates @qp. */
static inline void lib_masks_mark(struct verbs_qp *qp)
{
	*lib_old_mask(qp) = LIB_UNTOUCHED;
	qp->comp_mask = LIB_UNTOUCHED;
}

/* Afterwards. Returns where libibverbs has the mask; the other place is cleared. */
static inline uint32_t *lib_masks_settle(struct verbs_qp *qp)
{
	if (*lib_old_mask(qp) != LIB_UNTOUCHED)
		return lib_old_mask(qp);
	*lib_old_mask(qp) = 0;
	return &qp->comp_mask;
}

#endif /* LIB_VERBS_QP_H */

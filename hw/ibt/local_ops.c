// SPDX-License-Identifier: GPL-2.0
/* Requests that are carried out here and now: keys of memory. */
#include "../soft/mr_table.h"
#include "../soft/mr.h"
#include "../soft/mw.h"
#include "local_ops.h"
#include "qp.h"
#include "sq.h"
#include "sq_complete.h"
#include "wqe.h"

static bool ibt_here_do_local_op(struct ibt_qp *qp, const struct ibt_wqe *wqe)
{
	struct soft_mem *mem = &ibt_qp_dev(qp)->soft.mem;
	struct ib_pd *pd = qp->ib.pd;

	switch (wqe->opcode) {
	case IB_WR_LOCAL_INV:
		return soft_region_invalidate(mem, pd, qp->ib.qp_num,
					      wqe->inv_rkey, false) == SOFT_OK;
	case IB_WR_BIND_MW:
		return soft_window_bind(mem, pd, qp->ib.qp_num,
					&wqe->bind) == SOFT_OK;
	case IB_WR_REG_MR:
		return !soft_region_register(wqe->reg.mr, pd, wqe->reg.key,
					     wqe->reg.access);
	default:
		return false;
	}
}

/**
 * ibt_do_local_op - carry out the next request, which concerns keys of memory
 * @qp: queue pair
 * @wqe: the request
 *
 * IBA vol. 1, 11.6.2 has one status for all that can be wrong with it, the memory
 * management operation error, which verbs still call by its first use.
 *
 * Context: sq.lock held.
 */
void ibt_do_local_op(struct ibt_qp *qp, struct ibt_wqe *wqe)
{
	lockdep_assert_held(&qp->sq.lock);
	if (!ibt_here_do_local_op(qp, wqe)) {
		ibt_wqe_fail(qp, wqe, IB_WC_MW_BIND_ERR);
		return;
	}
	wqe->state = IBT_WQE_DONE;
	qp->sq.next++;
	ibt_sq_complete_wqes(qp);
}

// SPDX-License-Identifier: GPL-2.0
/* Automatic path migration: what the MigReq of a packet says (IBA 17.2.8). */
#include "path.h"
#include "qp.h"
#include "timers.h"

static void ibt_qp_arm(struct ibt_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->path_lock, flags);
	if (qp->mig_state == IB_MIG_REARM)
		WRITE_ONCE(qp->mig_state, IB_MIG_ARMED);
	spin_unlock_irqrestore(&qp->path_lock, flags);
}

/*
 * The way counts as much as the word. MigReq 1 by the path in use, and 0 by the
 * alternate one, are from before: of a packet that was long on its way, or came
 * twice.
 *
 * A peer that migrates was armed, which it gets by our MigReq 0 only: if we are
 * not, then for want of what it sent meanwhile. Whatever was lost, that is what the
 * alternate path is for, so we go with it.
 */
void ibt_qp_mig_seen(struct ibt_qp *qp, bool migrated, bool alternate)
{
	enum ib_mig_state state = READ_ONCE(qp->mig_state);

	if (likely(state == IB_MIG_MIGRATED) || migrated != alternate)
		return;
	if (state == IB_MIG_REARM)
		ibt_qp_arm(qp);
	if (migrated && ibt_qp_migrate(qp))
		ibt_sq_migrated(qp);
}

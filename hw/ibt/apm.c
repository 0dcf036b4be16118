// SPDX-License-Identifier: GPL-2.0
/* Automatic path migration: the MigReq bit of received packets (IBA 17.2.8). */
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
 * Both the MigReq bit and the path of a packet count. MigReq 1 on the path in use, and
 * 0 on the alternate one, are of a delayed or duplicate packet from before a migration.
 *
 * A peer that migrates was armed, and only a packet of this end with MigReq 0 arms it. If
 * this end is not armed, a packet that the peer sent meanwhile was lost. Such a loss is
 * what the alternate path is for, so this end migrates, too.
 */
void ibt_apm_rx(struct ibt_qp *qp, bool migrated, bool alternate)
{
	enum ib_mig_state state = READ_ONCE(qp->mig_state);

	if (likely(state == IB_MIG_MIGRATED) || migrated != alternate)
		return;
	if (state == IB_MIG_REARM)
		ibt_qp_arm(qp);
	if (migrated && ibt_qp_migrate(qp))
		ibt_sq_migrated(qp);
}

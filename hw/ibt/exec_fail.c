// SPDX-License-Identifier: GPL-2.0
/* What follows the execution of a request: the next PSN, or the end of the queue pair. */
#include "backlog.h"
#include "dev.h"
#include "exec.h"
#include "opcode.h"
#include "pkt.h"
#include "qp.h"
#include "qp_counter.h"
#include "qp_event.h"
#include "resp.h"
#include "resp_res.h"
#include "stats.h"

/*
 * IBA 9.9.3. A reliable responder goes into the error state, with an event
 * unless a receive completion says what happened (class A). An unreliable one
 * has dropped the message (class D), but a receive request that is no good ends
 * it, too (class E).
 */
void ibt_exec_failed(struct ibt_qp *qp, enum ibt_exec_status verdict)
{
	int event = -1;

	lockdep_assert_held(&qp->resp.lock);
	ibt_exec_abort(qp);
	if (verdict == IBT_EXEC_REM_ACCESS)
		ibt_qp_count(qp, IBT_STAT_ACCESS_ERR);
	if (verdict == IBT_EXEC_OK || verdict == IBT_RNR || verdict == IBT_EXEC_PSN_ERR ||
	    verdict == IBT_EXEC_SILENT_DROP)
		return;
	if ((qp->transport == IBT_UC || qp->transport == IBT_UD) &&
	    verdict != IBT_EXEC_REM_OP) {
		ibt_qp_count(qp, IBT_STAT_RX_DROP);
		return;
	}
	if (!qp->resp.told && verdict == IBT_EXEC_INV_REQ)
		event = IB_EVENT_QP_REQ_ERR;
	else if (!qp->resp.told && verdict == IBT_EXEC_REM_ACCESS)
		event = IB_EVENT_QP_ACCESS_ERR;
	WRITE_ONCE(qp->resp.state, IB_QPS_ERR);
	ibt_resp_stop(qp);
	ibt_qp_fail(qp, event);
}

void ibt_resp_advance(struct ibt_qp *qp, u32 packets)
{
	struct ibt_resp *resp = &qp->resp;

	lockdep_assert_held(&resp->lock);
	resp->psn = ibt_psn_add(resp->psn, packets);
	resp->msn = ibt_psn_add(resp->msn, 1);
	resp->nak_sent = false;
}

void ibt_resp_stop(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;

	ibt_exec_abort(qp);
	resp->reading.active = false;
	ibt_replay_unpark_all(resp);
	ibt_backlog_purge(qp);
	resp->dropped = false;
}

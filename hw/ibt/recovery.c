// SPDX-License-Identifier: GPL-2.0
/*
 * Selective recovery, the requester's side. The specification has the responder drop all packets
 * behind a lost one, and the requester retransmit all of them (IBA 9.7.5.1.1). Two ends of this
 * engine do better: the responder keeps the packets (ooo.c) and names the missing ones, and the
 * requester retransmits those alone.
 *
 * The ends find each other by a reserved bit of the BTH, which every receiver ignores (IBA 9.2).
 * The requests of a new connection carry it until the first response, and the responses of a
 * responder that keeps packets carry it as long as the requests do. Towards any other peer both
 * ends do as the specification says. A NAK that names a gap, and a request that asks for the
 * gaps, carry another reserved bit: only an end that is known gets one.
 */
#include <linux/module.h>

#include "congestion.h"
#include "dev.h"
#include "early.h"
#include "pkt.h"
#include "qp.h"
#include "qp_counter.h"
#include "recovery.h"
#include "resend.h"
#include "retry.h"
#include "rtt.h"
#include "rtx.h"
#include "sq.h"
#include "stats.h"
#include "trace.h"

bool ibt_selective = true;
EXPORT_SYMBOL_GPL(ibt_selective);
module_param_named(selective, ibt_selective, bool, 0644);
MODULE_PARM_DESC(selective, "retransmit only what is missing, between two devices of this module");

/* Is @psn one of those that were sent and have no answer, or the one behind them? */
static bool ibt_was_sent(const struct ibt_sq *sq, u32 psn)
{
	return ibt_psn_ahead(psn, sq->una) <= ibt_psn_ahead(sq->high, sq->una);
}

/* The first gap among the packets that were on their way: fewer are from now on. */
static void ibt_shrink_window(struct ibt_qp *qp, u32 psn)
{
	struct ibt_resend *rs = &qp->rtx.resend;
	struct ibt_sq *sq = &qp->sq;

	if (ibt_was_sent(sq, rs->recover) &&
	    ibt_psn_ahead(psn, sq->una) < ibt_psn_ahead(rs->recover, sq->una))
		return;
	rs->recover = sq->high;
	qp->rtx.window = max(qp->rtx.window / 2, IBT_WINDOW_LEAST_KEPT);
	ibt_qp_count(qp, IBT_STAT_RETRY_SEQ);
	ibt_pace_lost(qp);
}

/* Packets from @psn on are to be retransmitted alone. */
static void ibt_begin_filling(struct ibt_qp *qp, u32 psn)
{
	trace_ibt_retry(qp, IBT_RETRY_SELECTIVE, psn, qp->rtx.retries);
	ibt_shrink_window(qp, psn);
	ibt_rtt_refused(&qp->rtx.rtt, qp->sq.high);
	qp->rtx.recovery = IBT_FILLING;
	ibt_early_restart(qp);
}

/**
 * ibt_sq_fill - packets are to be retransmitted alone
 * @qp: queue pair; its peer keeps packets
 * @psn: of the first; una <= @psn < high
 * @end: behind the last; @psn < @end <= high
 *
 * This is no progress: the timeout of the queue pair goes on.
 *
 * Context: sq.lock held.
 */
void ibt_sq_fill(struct ibt_qp *qp, u32 psn, u32 end)
{
	struct ibt_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	/* All of them are about to be retransmitted. */
	if (sq->cur_psn != sq->high)
		return;
	if (ibt_psn_ahead(psn, sq->una) >= IBT_RESEND_SPAN)
		ibt_sq_rewind(qp, psn);
	else if (!ibt_resend_add(&qp->rtx.resend, sq->una, psn, end))
		return;
	ibt_begin_filling(qp, psn);
}

/**
 * ibt_sq_overtaken - a packet of a READ response has come, and tells of requests sent before its
 * @qp: queue pair; its peer keeps packets
 * @psn: of the packet
 *
 * Context: sq.lock held.
 */
void ibt_sq_overtaken(struct ibt_qp *qp, u32 psn)
{
	struct ibt_resend *rs = &qp->rtx.resend;

	lockdep_assert_held(&qp->sq.lock);
	if (rs->num_asks && ibt_resend_overtaken(rs, qp->sq.una, psn))
		ibt_begin_filling(qp, ibt_resend_first(rs, qp->sq.una));
}

/**
 * ibt_sq_gap - the peer keeps packets, and names some that are missing in front of them
 * @qp: queue pair
 * @psn: first missing; una <= @psn < high
 * @packets: how many, or IBT_GAP_OPEN: all that were sent before the latest probe
 *
 * Context: sq.lock held.
 */
void ibt_sq_gap(struct ibt_qp *qp, u32 psn, u32 packets)
{
	struct ibt_resend *rs = &qp->rtx.resend;
	struct ibt_sq *sq = &qp->sq;
	u32 end = packets == IBT_GAP_OPEN ? rs->probed : ibt_psn_add(psn, packets);

	lockdep_assert_held(&sq->lock);
	ibt_qp_count(qp, IBT_STAT_RX_NAK);
	trace_ibt_nak_rx(qp, psn, IBT_NAK_PSN);
	if (rs->peer == IBT_PEER_KEEPS && qp->rtx.pause != IBT_PAUSE_RNR &&
	    ibt_was_sent(sq, end) &&
	    ibt_psn_ahead(end, sq->una) > ibt_psn_ahead(psn, sq->una))
		ibt_sq_fill(qp, psn, end);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Responses without payload: ACKs, NAKs, values of atomics (IBA 9.7.5).
 *
 * A response that cannot be allocated becomes pending. The responder's work sends it, unless
 * another response that is sent meanwhile acknowledges as much. A response that would overtake
 * the response of a READ becomes pending, too (tx_order.c).
 *
 * ACKs are coalesced while a softirq receives. An ACK acknowledges all requests before it, so
 * one ACK suffices for all packets that are received together (IBA 9.7.5.1.2). It is pending
 * until a tasklet sends it, after those packets have been received. A requester that sends
 * its packets one by one gains nothing by that and waits for the tasklet, so ACKs to such a
 * requester are seldom coalesced.
 */
#include <linux/interrupt.h>

#include "ack.h"
#include "dev.h"
#include "exec.h"
#include "link.h"
#include "msg.h"
#include "opcode.h"
#include "tx_order.h"
#include "path.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "resp.h"
#include "responder.h"
#include "stats.h"
#include "trace.h"
#include "tx.h"

/* ACKs that do not wait, after one did so for no other. */
#define LEAST_PAUSE	8
#define MOST_PAUSE	128

u8 ibt_resp_syndrome(const struct ibt_qp *qp, enum ibt_exec_status verdict)
{
	switch (verdict) {
	case IBT_EXEC_OK:
		/* Receive requests are not counted to the peer. */
		return IBT_AETH_ACK | IBT_ACK_NO_CREDITS;
	case IBT_RNR:
		return IBT_AETH_RNR | (READ_ONCE(qp->attr.min_rnr_timer) &
				       IBT_AETH_VALUE);
	case IBT_EXEC_PSN_ERR:
		return IBT_NAK_PSN;
	case IBT_EXEC_INV_REQ:
		return IBT_NAK_INVALID;
	case IBT_EXEC_REM_ACCESS:
		return IBT_NAK_ACCESS;
	default:
		return IBT_NAK_OPERATION;
	}
}

void ibt_resp_header(const struct ibt_qp *qp, const struct ibt_path *path,
		     struct ibt_pkt *pkt, enum ibt_verb verb, u8 place,
		     u32 psn)
{
	u16 index = READ_ONCE(qp->attr.pkey_index);

	pkt->opcode = ibt_opcode_of(qp->transport, verb, place, 0);
	pkt->op = &ibt_opcodes[pkt->opcode];
	pkt->migrated = READ_ONCE(qp->mig_state) == IB_MIG_MIGRATED;
	pkt->qpn = READ_ONCE(qp->attr.dest_qp_num);
	pkt->psn = psn;
	pkt->syndrome = ibt_resp_syndrome(qp, IBT_EXEC_OK);
	pkt->msn = qp->resp.msn;
	pkt->marks = qp->resp.ooo.marks;
	if (index < path->port->num_pkeys)
		pkt->pkey = READ_ONCE(path->port->pkeys[index]);
}

/*
 * @gap: packets of a gap, else 0. False: no memory. Without a way to the peer it is lost, as on
 * the wire.
 */
static bool ibt_send_aeth(struct ibt_qp *qp, u32 psn, u8 syndrome, u32 gap)
{
	struct ibt_path *path = ibt_qp_path(qp);
	struct ibt_pkt pkt = { };
	struct sk_buff *skb;

	if (!path) {
		ibt_qp_count(qp, IBT_STAT_TX_ERROR);
		return true;
	}
	skb = ibt_tx_alloc(path, 0, GFP_ATOMIC);
	if (skb) {
		ibt_resp_header(qp, path, &pkt, IBT_ACK,
				IBT_FIRST | IBT_LAST, psn);
		pkt.syndrome = syndrome;
		if (gap) {
			pkt.marks |= IBT_MARK_GAPS;
			pkt.msn = gap;
		}
		/* A busy link took it all the same, and more are not coming. */
		ibt_tx(path, skb, &pkt, qp->flow);
		ibt_qp_count_tx(qp, 1, ibt_pkt_bytes(&pkt));
	}
	ibt_path_put(path);
	return skb;
}

/*
 * An answer acknowledges all before it. A NAK that is owed for a request at or before
 * @psn is settled too: its PSN came again, and was executed. But an answer of
 * something older, for a duplicate, leaves it due.
 */
static bool ibt_has_newer_pending(const struct ibt_resp *resp, u32 psn)
{
	return resp->owed && ibt_psn_diff(resp->pending_psn, psn) > 0;
}

void ibt_resp_ack_sent(struct ibt_resp *resp, u32 psn)
{
	lockdep_assert_held(&resp->lock);
	resp->owed = ibt_has_newer_pending(resp, psn);
}

/* Unless something newer is owed. */
static void ibt_ack_owe(struct ibt_resp *resp, u32 psn, u8 syndrome)
{
	if (ibt_has_newer_pending(resp, psn))
		return;
	resp->owed = true;
	resp->pending_psn = psn;
	resp->pending_syndrome = syndrome;
}

static void ibt_ack_say(struct ibt_qp *qp, u32 psn, u8 syndrome)
{
	struct ibt_resp *resp = &qp->resp;

	lockdep_assert_held(&resp->lock);
	if (!ibt_order_resp(qp, psn)) {
		ibt_ack_owe(resp, psn, syndrome);
	} else if (ibt_send_aeth(qp, psn, syndrome, 0)) {
		ibt_resp_ack_sent(resp, psn);
	} else {
		ibt_ack_owe(resp, psn, syndrome);
		ibt_resp_schedule(qp, 1);
	}
}

bool ibt_resp_send_pending_ack(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;

	if (resp->owed)
		ibt_ack_say(qp, resp->pending_psn, resp->pending_syndrome);
	return !resp->owed;
}

/* Elsewhere than in a softirq nothing says when the rest has been received. */
static bool ibt_may_coalesce_ack(struct ibt_resp *resp)
{
	if (!in_serving_softirq())
		return false;
	if (!resp->immediate_acks_left)
		return true;
	resp->immediate_acks_left--;
	return false;
}

void ibt_resp_ack(struct ibt_qp *qp, u32 psn)
{
	struct ibt_resp *resp = &qp->resp;
	u8 syndrome = ibt_resp_syndrome(qp, IBT_EXEC_OK);

	resp->unacked = 0;
	if (!ibt_may_coalesce_ack(resp)) {
		ibt_ack_say(qp, psn, syndrome);
		return;
	}
	resp->coalesced_acks = min(resp->coalesced_acks + 1, 2);
	ibt_ack_owe(resp, psn, syndrome);
	tasklet_schedule(&resp->ack_tasklet);
}

/* Has it been of use? Each time it has not, twice as many are sent at once. */
static void ibt_ack_learn(struct ibt_resp *resp)
{
	lockdep_assert_held(&resp->lock);
	if (resp->coalesced_acks > 1)
		resp->coalesce_backoff = 0;
	else
		resp->coalesce_backoff = clamp(2 * resp->coalesce_backoff, LEAST_PAUSE, MOST_PAUSE);
	resp->immediate_acks_left = resp->coalesce_backoff;
	resp->coalesced_acks = 0;
}

static void ibt_ack_coalesce_timeout(struct tasklet_struct *tasklet)
{
	struct ibt_resp *resp = from_tasklet(resp, tasklet, ack_tasklet);

	spin_lock(&resp->lock);
	if (resp->coalesced_acks)
		ibt_ack_learn(resp);
	ibt_resp_send_pending_ack(container_of(resp, struct ibt_qp, resp));
	spin_unlock(&resp->lock);
}

void ibt_resp_ack_init(struct ibt_resp *resp)
{
	tasklet_setup(&resp->ack_tasklet, ibt_ack_coalesce_timeout);
}

/* A request is refused by @syndrome, which tells it to the peer. */
void ibt_resp_trace(const struct ibt_qp *qp, u32 psn, u8 syndrome)
{
	if ((syndrome & IBT_AETH_KIND) == IBT_AETH_RNR)
		trace_ibt_rnr_tx(qp, psn, syndrome & IBT_AETH_VALUE);
	else
		trace_ibt_nak_tx(qp, psn, syndrome);
}

/*
 * IBA table 58: what the peer is told, then what happens here. After RNR and a
 * gap the peer comes again with the same PSN, and what is still under way behind
 * it is not worth a word.
 */
void ibt_resp_nak(struct ibt_qp *qp, u32 psn, enum ibt_exec_status verdict)
{
	if (verdict == IBT_EXEC_SILENT_DROP) {
		ibt_qp_count(qp, IBT_STAT_RX_DROP);
		return;
	}
	ibt_qp_count(qp, verdict == IBT_RNR ? IBT_STAT_TX_RNR : IBT_STAT_TX_NAK);
	ibt_resp_trace(qp, psn, ibt_resp_syndrome(qp, verdict));
	ibt_ack_say(qp, psn, ibt_resp_syndrome(qp, verdict));
	if (verdict == IBT_RNR || verdict == IBT_EXEC_PSN_ERR)
		qp->resp.nak_sent = true;
	else
		ibt_exec_failed(qp, verdict);
}

/**
 * ibt_resp_gap - tell a requester that retransmits single packets what is missing
 * @qp: queue pair
 * @psn: first missing
 * @packets: how many, or IBT_GAP_OPEN
 *
 * It may overtake other responses, as it acknowledges nothing. Without memory it is lost.
 *
 * Context: softirqs disabled, resp.lock held.
 */
void ibt_resp_gap(struct ibt_qp *qp, u32 psn, u32 packets)
{
	lockdep_assert_held(&qp->resp.lock);
	ibt_qp_count(qp, IBT_STAT_TX_NAK);
	ibt_resp_trace(qp, psn, IBT_NAK_PSN);
	ibt_send_aeth(qp, psn, IBT_NAK_PSN, packets);
}

void ibt_resp_atomic(struct ibt_qp *qp, struct ibt_path *path,
		     struct sk_buff *skb, const struct ibt_pkt *request,
		     u64 original)
{
	enum ibt_verb verb = IBT_ATOMIC_RESP;
	struct ibt_pkt pkt = { };

	/* Annex A19: there is nothing to tell but that it was done. */
	if (request->op->verb == IBT_ATOMIC_WRITE ||
	    request->op->verb == IBT_FLUSH)
		verb = IBT_READ_RESP;
	ibt_resp_header(qp, path, &pkt, verb, IBT_FIRST | IBT_LAST,
			request->psn);
	pkt.original = original;
	qp->resp.unacked = 0;
	ibt_resp_ack_sent(&qp->resp, request->psn);
	qp->resp.cpu = smp_processor_id();
	ibt_tx(path, skb, &pkt, qp->flow);
	ibt_qp_count_tx(qp, 1, ibt_pkt_bytes(&pkt));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The answer of a READ: a stream of packets under the PSNs that the request took
 * (IBA 9.7.5.2.4). It leaves in bursts; between two of them nothing is held but
 * the rest of the request, which is checked anew each time.
 */
#include "../soft/iter.h"
#include "../soft/mr_table.h"
#include "ack.h"
#include "dev.h"
#include "exec.h"
#include "link.h"
#include "msg.h"
#include "opcode.h"
#include "tx_order.h"
#include "paging.h"
#include "path.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "read_resp.h"
#include "resp_res.h"
#include "resp.h"
#include "responder.h"
#include "tx_wait.h"
#include "gso.h"
#include "stats.h"
#include "tx.h"

static void ibt_fill_reading(struct ibt_read_resp *reading,
			     const struct ibt_pkt *pkt, bool again)
{
	*reading = (struct ibt_read_resp) {
		.active = true,
		.again = again,
		.first = true,
		.psn = pkt->psn,
		.va = pkt->va,
		.rkey = pkt->rkey,
		.left = pkt->dma_length,
		.srqn = pkt->srqn,
	};
}

bool ibt_read_resp_next(struct ibt_resp *resp)
{
	lockdep_assert_held(&resp->lock);
	return resp->reading.active || ibt_read_part_take(&resp->parts, &resp->reading) ||
	       ibt_resp_res_next_deferred(resp, &resp->reading);
}

void ibt_read_resp_begin(struct ibt_qp *qp, const struct ibt_pkt *pkt)
{
	lockdep_assert_held(&qp->resp.lock);
	ibt_fill_reading(&qp->resp.reading, pkt, false);
}

/*
 * Was the packet that is asked for again sent, and has not left this host? Then it is no loss:
 * the requester has waited for less time than the packet waits here.
 */
static bool ibt_answer_on_way(struct ibt_qp *qp, const struct ibt_resp_res *entry, u32 psn)
{
	const struct ibt_read_resp *reading = &qp->resp.reading;

	if (entry->parked.active && ibt_psn_diff(psn, entry->parked.psn) >= 0)
		return false;
	if (reading->active && ibt_resp_res_lookup(&qp->resp, reading->psn) == entry &&
	    ibt_psn_diff(psn, reading->psn) >= 0)
		return false;
	return ibt_resp_answer_held(qp, &entry->mark, psn);
}

/*
 * A requester that keeps packets lacks a part of an answer: the part leaves now, behind other parts,
 * and the answer under way goes on behind them.
 */
static void ibt_read_resp_add_part(struct ibt_qp *qp, const struct ibt_pkt *pkt)
{
	struct ibt_resp *resp = &qp->resp;
	struct ibt_read_resp *reading = &resp->reading;
	struct ibt_resp_res *entry;
	struct ibt_read_resp part;

	ibt_fill_reading(&part, pkt, true);
	part.part = true;
	if (!ibt_read_part_add(&resp->parts, &part))
		return;
	if (reading->active && !reading->part) {
		/* Without an entry it is one that the peer may not ask for any more. */
		entry = ibt_resp_res_lookup(resp, reading->psn);
		if (entry)
			ibt_resp_res_defer(resp, entry, reading);
		reading->active = false;
	}
	ibt_read_resp_next(resp);
}

/* Is it a part of the answer that ends before the answer does? */
static bool ibt_is_gap(const struct ibt_qp *qp, const struct ibt_resp_res *entry,
		       const struct ibt_pkt *pkt)
{
	u32 end = ibt_psn_add(pkt->psn, ibt_packets(pkt->dma_length, qp->mtu));

	return qp->resp.ooo.state == IBT_OOO_KEEP &&
	       ibt_psn_diff(end, entry->last_psn) <= 0;
}

/*
 * The peer waits for this answer, and has no use for packets that come behind it. So
 * older answers go first, and an answer in progress begins anew. The peer asks for
 * what is missing now, so the latest request replaces an earlier one for the same
 * answer: there are never more answers due than requests that the peer may have
 * outstanding.
 */
void ibt_read_resp_restart(struct ibt_qp *qp, struct ibt_resp_res *entry,
			   const struct ibt_pkt *pkt)
{
	struct ibt_resp *resp = &qp->resp;
	struct ibt_read_resp *reading = &resp->reading;
	struct ibt_read_resp *parked = &entry->parked;
	struct ibt_read_resp asked;

	lockdep_assert_held(&resp->lock);
	if (ibt_answer_on_way(qp, entry, pkt->psn))
		return;
	/* Something of the answer was lost, mostly. */
	ibt_pace_lost(qp);
	if (ibt_is_gap(qp, entry, pkt)) {
		ibt_read_resp_add_part(qp, pkt);
		return;
	}
	if (reading->active && ibt_resp_res_lookup(resp, reading->psn) == entry) {
		ibt_fill_reading(reading, pkt, reading->again);
		return;
	}
	ibt_fill_reading(&asked, pkt, parked->active ? parked->again : true);
	ibt_resp_res_defer(resp, entry, &asked);
	if (reading->active &&
	    (reading->part || ibt_psn_diff(pkt->psn, reading->psn) > 0))
		return;
	/* Without an entry it is one that the peer may not ask for any more. */
	entry = ibt_resp_res_lookup(resp, reading->psn);
	if (reading->active && entry)
		ibt_resp_res_defer(resp, entry, reading);
	ibt_resp_res_next_deferred(resp, reading);
}

/* Headers of the next packet of the answer, with @length bytes. */
static void ibt_read_reply_describe(const struct ibt_qp *qp, const struct ibt_path *path,
				    struct ibt_pkt *pkt, u32 length)
{
	const struct ibt_read_resp *reading = &qp->resp.reading;
	u8 place = 0;

	if (reading->first)
		place |= IBT_FIRST;
	if (length == reading->left)
		place |= IBT_LAST;
	*pkt = (struct ibt_pkt){ };
	ibt_resp_header(qp, path, pkt, IBT_READ_RESP, place, reading->psn);
}

/* The answer says as much as an ACK for all that was before. */
static void ibt_packet_left(struct ibt_qp *qp, u32 length)
{
	struct ibt_resp *resp = &qp->resp;
	struct ibt_read_resp *reading = &resp->reading;

	ibt_pace_sent(&qp->congestion, length + IBT_PACE_HEADERS);
	ibt_resp_ack_sent(resp, reading->psn);
	reading->first = false;
	reading->psn = ibt_psn_add(reading->psn, 1);
	reading->va += length;
	reading->left -= length;
	reading->active = reading->left;
	resp->unacked = 0;
}

/* The link had no room, when it had answered so often: the task goes on when it has. */
static void ibt_read_wait_room(struct ibt_qp *qp, struct ibt_port *port, u32 seq)
{
	struct ibt_resp *resp = &qp->resp;

	lockdep_assert_held(&resp->lock);
	/* Of another port, before a migration. */
	if (resp->tx_wait_port != port)
		ibt_tx_wait_del(resp->tx_wait_port, &resp->waiting);
	resp->tx_wait_port = port;
	if (!ibt_tx_wait_add(port, &port->answering, &resp->waiting, seq))
		ibt_resp_schedule(qp, 0);
}

/* The next bytes of the answer could not be read. */
static enum ibt_progress ibt_read_no_data(struct ibt_qp *qp, enum soft_access_err fault,
					  const struct soft_iter *from,
					  enum ibt_exec_status *verdict)
{
	if (fault == SOFT_ERR_ABSENT && ibt_resp_page_in(qp, from, qp->mtu, false))
		return IBT_WAIT;
	*verdict = IBT_EXEC_REM_ACCESS;
	return IBT_FINISHED;
}

static enum ibt_progress ibt_send_packet(struct ibt_qp *qp, struct ibt_path *path,
					 struct soft_iter *from,
					 enum ibt_exec_status *verdict)
{
	struct ibt_read_resp *reading = &qp->resp.reading;
	u32 length = min(reading->left, qp->mtu);
	u32 seq = READ_ONCE(path->port->tx_wake_seq);
	enum soft_access_err fault = SOFT_OK;
	bool busy;
	struct soft_iter to;
	struct sk_buff *skb;
	struct ibt_pkt pkt;

	skb = ibt_tx_alloc(path, length, GFP_ATOMIC);
	if (!skb) {
		ibt_resp_schedule(qp, 1);
		return IBT_WAIT;
	}
	soft_iter_bytes(&to, skb->data, length);
	if (length)
		fault = soft_iter_copy(&to, from, length);
	if (fault != SOFT_OK) {
		kfree_skb(skb);
		return ibt_read_no_data(qp, fault, from, verdict);
	}

	ibt_read_reply_describe(qp, path, &pkt, length);
	ibt_packet_left(qp, length);
	busy = ibt_tx(path, skb, &pkt, qp->flow) == -EAGAIN;
	ibt_qp_count_tx(qp, 1, ibt_pkt_bytes(&pkt));
	if (busy && reading->active) {
		ibt_read_wait_room(qp, path->port, seq);
		return IBT_WAIT;
	}
	return reading->active ? IBT_MORE : IBT_FINISHED;
}

static const struct ibt_opcode *ibt_op_at(const struct ibt_qp *qp, u8 place)
{
	return &ibt_opcodes[ibt_opcode_of(qp->transport, IBT_READ_RESP, place,
					  0)];
}

static bool ibt_read_reply_begin_run(const struct ibt_qp *qp, struct ibt_path *path,
				     int budget, struct ibt_gso *run)
{
	const struct ibt_read_resp *reading = &qp->resp.reading;
	const struct ibt_seg_desc rest = {
		.next = ibt_op_at(qp, reading->first ? IBT_FIRST : 0),
		.middle = ibt_op_at(qp, 0),
		.end = ibt_op_at(qp, IBT_LAST),
		.left = reading->left,
		.mtu = qp->mtu,
	};

	return ibt_gso_begin(run, path, &rest, budget);
}

/* As ibt_send_packet(), of those that leave together. */
static enum ibt_progress ibt_read_reply_send_run(struct ibt_qp *qp, struct ibt_gso *run,
						 struct soft_iter *from,
						 enum ibt_exec_status *verdict)
{
	struct ibt_read_resp *reading = &qp->resp.reading;
	struct ibt_port *port = run->path->port;
	u32 seq = READ_ONCE(port->tx_wake_seq);
	enum soft_access_err fault = SOFT_OK;
	struct soft_iter to;
	struct ibt_pkt pkt;
	u32 length;
	int ret;

	while (run->packets < run->most) {
		length = min(reading->left, qp->mtu);
		ibt_read_reply_describe(qp, run->path, &pkt, length);
		soft_iter_bytes(&to, ibt_gso_payload_ptr(run, pkt.op), length);
		fault = soft_iter_copy(&to, from, length);
		if (fault != SOFT_OK)
			break;
		ibt_gso_add_pkt(run, &pkt, length);
		ibt_packet_left(qp, length);
	}
	ret = ibt_gso_xmit(run, qp->flow);
	ibt_qp_count_tx(qp, run->packets, ibt_gso_bytes(run));
	if (fault != SOFT_OK)
		return ibt_read_no_data(qp, fault, from, verdict);
	if (ret == -EAGAIN && reading->active) {
		ibt_read_wait_room(qp, port, seq);
		return IBT_WAIT;
	}
	return reading->active ? IBT_MORE : IBT_FINISHED;
}

/*
 * The next packet of the answer, or a GSO skb of at most @budget packets. A GSO skb ends
 * the burst: softirqs bring it to the other end.
 */
static enum ibt_progress ibt_send_some(struct ibt_qp *qp, struct ibt_path *path,
				       struct soft_iter *from, int *budget,
				       enum ibt_exec_status *verdict)
{
	enum ibt_progress progress;
	struct ibt_gso run;

	if (!ibt_read_reply_begin_run(qp, path, *budget, &run)) {
		--*budget;
		return ibt_send_packet(qp, path, from, verdict);
	}
	progress = ibt_read_reply_send_run(qp, &run, from, verdict);
	*budget = 0;
	return progress;
}

static enum ibt_progress ibt_send_burst(struct ibt_qp *qp, struct ibt_path *path,
					int *budget, enum ibt_exec_status *verdict)
{
	struct ibt_read_resp *reading = &qp->resp.reading;
	enum ibt_progress progress = IBT_MORE;
	const struct ibt_msg msg = {
		.verb = IBT_READ,
		.va = reading->va,
		.rkey = reading->rkey,
		.length = reading->left,
		.srqn = reading->srqn,
	};
	struct soft_iter from;

	*verdict = ibt_exec_read(qp, &msg, &from);
	if (*verdict != IBT_EXEC_OK)
		return IBT_FINISHED;
	ibt_resp_mark_answer(qp);
	while (progress == IBT_MORE && *budget > 0)
		progress = ibt_send_some(qp, path, &from, budget, verdict);
	soft_iter_end(&from);
	return progress;
}

/*
 * A burst of the answer in progress. When memory can not be read any more, the
 * peer gets a NAK in place of the packet that would have been next. A duplicate
 * gets no NAK: it may be a copy that the network made of a request with a complete
 * answer. The consumer may take the region away once the answer is complete.
 */
enum ibt_progress ibt_read_resp_send(struct ibt_qp *qp, int *budget)
{
	struct ibt_read_resp *reading = &qp->resp.reading;
	struct ibt_path *path = ibt_qp_path(qp);
	enum ibt_progress progress;
	enum ibt_exec_status verdict;

	lockdep_assert_held(&qp->resp.lock);
	if (!path) {
		/* As if lost on the wire: the peer will ask again. */
		ibt_qp_count(qp, IBT_STAT_TX_ERROR);
		reading->active = false;
		return IBT_FINISHED;
	}
	if (!ibt_order_ok(path->port, &qp->resp.cpu, qp->resp.late)) {
		ibt_path_put(path);
		return IBT_ELSEWHERE;
	}
	if (!ibt_pace_ok(qp, &qp->congestion, IBT_PACE_ANSWERS)) {
		ibt_path_put(path);
		return IBT_WAIT;
	}
	*budget = min_t(u32, *budget, ibt_pace_burst(qp));
	progress = ibt_send_burst(qp, path, budget, &verdict);
	ibt_path_put(path);
	if (verdict == IBT_EXEC_OK)
		return progress;
	reading->active = false;
	ibt_resp_nak(qp, reading->psn, reading->again ? IBT_EXEC_SILENT_DROP : verdict);
	return IBT_FINISHED;
}

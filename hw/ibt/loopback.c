// SPDX-License-Identifier: GPL-2.0
/*
 * Loopback: requests to a queue pair of the same host, without packets. The requester calls
 * the functions by which the peer's responder executes requests (exec.c).
 *
 * A request takes this path only where the consumers at both ends cannot tell it from packets:
 * the responder expects just this PSN and has no other request in progress, and no request
 * that was sent in packets lacks its response. All other requests are sent in packets, which
 * also handles losses and errors.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../soft/iter.h"
#include "../soft/mr_table.h"
#include "../soft/piece.h"
#include "ack.h"
#include "completer.h"
#include "ud_send.h"
#include "dev.h"
#include "exec.h"
#include "exec_piece.h"
#include "limits.h"
#include "link.h"
#include "loopback.h"
#include "msg.h"
#include "opcode.h"
#include "paging.h"
#include "pkey.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "qp_table.h"
#include "resp.h"
#include "sq.h"
#include "sq_complete.h"
#include "stats.h"
#include "ud_recv.h"
#include "wqe.h"

static bool ibt_loopback = true;
module_param_named(loopback, ibt_loopback, bool, 0644);
MODULE_PARM_DESC(loopback,
		 "Hand messages between queue pairs of this host over without packets (default: on)");

static const char *const ibt_direct_names[] = {
	[IBT_DIRECT_OFF]	= "off",
	[IBT_DIRECT_PEER]	= "peer",
};

int ibt_direct = IBT_DIRECT_PEER;
EXPORT_SYMBOL_GPL(ibt_direct);

static int ibt_direct_set(const char *val, const struct kernel_param *kp)
{
	int way = sysfs_match_string(ibt_direct_names, val);

	if (way < 0)
		return way;
	WRITE_ONCE(ibt_direct, way);
	return 0;
}

static int ibt_direct_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", ibt_direct_names[READ_ONCE(ibt_direct)]);
}

static const struct kernel_param_ops ibt_direct_ops = {
	.set = ibt_direct_set,
	.get = ibt_direct_get,
};
module_param_cb(direct, &ibt_direct_ops, NULL, 0644);
MODULE_PARM_DESC(direct,
		 "Messages to another device of this host without packets: off, or peer (default), at the other end of a veth pair");

/* Both locks are released after so many bytes. */
#define CHUNK_BYTES	(64U << 10)

static void ibt_fill_msg(const struct ibt_wqe *wqe,
			 const struct ibt_wr_info *info, struct ibt_msg *msg)
{
	*msg = (struct ibt_msg) {
		.verb = info->verb,
		.extra = info->extra,
		.solicited = wqe->flags & IB_SEND_SOLICITED,
		.whole = true,
		.length = wqe->length,
	};
	if (info->verb == IBT_CMP_SWAP || info->verb == IBT_FETCH_ADD) {
		bool swap = info->verb == IBT_CMP_SWAP;

		msg->va = wqe->atomic.remote_addr;
		msg->rkey = wqe->atomic.rkey;
		msg->srqn = wqe->atomic.srqn;
		msg->compare = swap ? wqe->atomic.compare_add : 0;
		msg->swap_add = swap ? wqe->atomic.swap :
				       wqe->atomic.compare_add;
		return;
	}
	if (info->verb == IBT_FLUSH) {
		msg->placement = wqe->flush.placement;
		msg->selectivity = wqe->flush.selectivity;
		msg->va = wqe->flush.remote_addr;
		msg->rkey = wqe->flush.rkey;
		msg->length = wqe->flush.length;
		return;
	}
	msg->va = wqe->rdma.remote_addr;
	msg->rkey = wqe->rdma.rkey;
	msg->srqn = wqe->rdma.srqn;
	if (info->extra == IBT_IMM)
		msg->imm = wqe->imm;
	else if (info->extra == IBT_IETH)
		msg->inv_rkey = wqe->inv_rkey;
}

/* The responder may take several rounds for it, and packets behind it wait meanwhile. */
static bool ibt_local_flush_is_long(const struct ibt_wqe *wqe)
{
	return wqe->flush.placement & IB_FLUSH_PERSISTENT &&
	       (wqe->flush.selectivity != IB_FLUSH_RANGE ||
		wqe->flush.length > READ_ONCE(soft_flush_at_once));
}

/* Would the peer know packets along @path for ours? */
static bool ibt_local_known(struct ibt_path *path, const struct ibt_qp *peer)
{
	const struct rdma_ah_attr *attr = &peer->attr.ah_attr;
	struct ibt_rx_meta meta = { };

	if (attr->ah_flags & IB_AH_GRH)
		return path->sgid && !memcmp(&attr->grh.dgid, path->sgid, sizeof(*path->sgid));
	if (path->sgid)
		return false;
	path->port->dev->link->meta(path, IBT_BTH_BYTES + IBT_ICRC_BYTES, &meta);
	return rdma_ah_get_dlid(attr) == meta.slid;
}

/* What rx.c asks of a packet's receiver. */
static bool ibt_local_fits(const struct ibt_qp *qp, struct ibt_path *path,
			   const struct ibt_qp *peer)
{
	u16 ours = READ_ONCE(qp->attr.pkey_index);
	enum ib_qp_type type = peer->ib.qp_type;

	if (peer->transport != qp->transport || type == IB_QPT_XRC_INI ||
	    READ_ONCE(peer->attr.dest_qp_num) != qp->ib.qp_num ||
	    READ_ONCE(peer->attr.port_num) != path->local->num)
		return false;
	/* Migration is told by packets. */
	if (READ_ONCE(qp->mig_state) != IB_MIG_MIGRATED ||
	    READ_ONCE(peer->mig_state) != IB_MIG_MIGRATED)
		return false;
	return ours < IBT_MAX_PKEYS && ibt_local_known(path, peer) &&
	       ibt_pkey_ok(path->local, READ_ONCE(peer->attr.pkey_index),
			   READ_ONCE(path->port->pkeys[ours]));
}

static struct ibt_qp *ibt_find_peer(const struct ibt_qp *qp,
				    struct ibt_path *path)
{
	struct ibt_qp *peer;

	rcu_read_lock();
	peer = ibt_qp_find(path->local->dev, qp->sq.dest_qpn);
	rcu_read_unlock();
	if (peer && !ibt_local_fits(qp, path, peer)) {
		ibt_qp_put(peer);
		peer = NULL;
	}
	return peer;
}

/* A message of @length bytes has gone without packets; without a peer (UC) it was lost. */
static void ibt_local_count_msg(struct ibt_qp *qp, const struct ibt_qp *peer, u32 length,
				bool direct)
{
	if (peer)
		ibt_qp_count(peer, IBT_STAT_RX_LOCAL);
	ibt_qp_count(qp, IBT_STAT_LOCAL_MSGS);
	qp->sq.way = direct ? IBT_WAY_DIRECT : IBT_WAY_LOOPBACK;
	if (!direct)
		return;
	ibt_qp_count(qp, IBT_STAT_DIRECT_MSGS);
	ibt_qp_count_more(qp, IBT_STAT_DIRECT_BYTES, length);
}

/* The next request is done with: go on behind it. */
static void ibt_local_go_on(struct ibt_qp *qp, struct ibt_wqe *wqe)
{
	struct ibt_sq *sq = &qp->sq;
	u32 end = ibt_psn_add(wqe->last_psn, 1);

	if (ibt_psn_ahead(end, sq->una) > ibt_psn_ahead(sq->high, sq->una))
		sq->high = end;
	sq->una = end;
	sq->cur_psn = end;
	ibt_sq_reset_retry_count(qp);
	if (wqe->counted) {
		wqe->counted = false;
		sq->rd_atomic--;
	}
	wqe->state = IBT_WQE_DONE;
	sq->offset = 0;
	sq->next++;
	ibt_sq_complete_wqes(qp);
}

/* The next request has arrived, or (UC) is lost. */
static void ibt_local_finish(struct ibt_qp *qp, struct ibt_wqe *wqe)
{
	ibt_local_count_msg(qp, qp->local.peer, wqe->length, qp->local.direct);
	ibt_local_forget(&qp->local);
	ibt_local_go_on(qp, wqe);
}

/* Payload of @length bytes has gone from a queue pair to another one. */
static void ibt_local_count_bytes(const struct ibt_qp *from, const struct ibt_qp *to,
				  u32 length)
{
	ibt_qp_count_more(from, IBT_STAT_TX_BYTES, length);
	ibt_qp_count_more(to, IBT_STAT_RX_BYTES, length);
}

/* Our own memory is not there. The peer keeps what it has, as by packets. */
static void ibt_fail_here(struct ibt_qp *qp, struct ibt_wqe *wqe)
{
	struct ibt_qp *peer = qp->local.peer;

	spin_lock(&peer->resp.lock);
	if (peer->resp.local == qp)
		peer->resp.local = NULL;
	spin_unlock(&peer->resp.lock);
	ibt_local_forget(&qp->local);
	ibt_wqe_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
}

/*
 * The peer refused: a packet would tell us by @syndrome. IBT_EXEC_SILENT_DROP: it can not, or
 * says nothing, so packets shall find out.
 */
static enum ibt_loopback_result ibt_local_refused(struct ibt_qp *qp, struct ibt_wqe *wqe,
						  enum ibt_exec_status verdict, u8 syndrome)
{
	ibt_local_forget(&qp->local);
	if (!ibt_qp_reliable(qp) && verdict != IBT_EXEC_SILENT_DROP) {
		ibt_local_finish(qp, wqe);
		return IBT_LOOPBACK_DONE;
	}
	if (verdict == IBT_EXEC_SILENT_DROP)
		return IBT_LOOPBACK_NOT_POSSIBLE;
	ibt_sq_nak(qp, wqe->first_psn, syndrome);
	return IBT_LOOPBACK_DONE;
}

/* resp.lock of @peer held; returns the syndrome. */
static u8 ibt_local_consequences(struct ibt_qp *qp, struct ibt_qp *peer,
				 const struct ibt_wqe *wqe, enum ibt_exec_status verdict)
{
	u8 syndrome = ibt_resp_syndrome(peer, verdict);

	lockdep_assert_held(&peer->resp.lock);
	if (peer->resp.local == qp)
		peer->resp.local = NULL;
	if (ibt_qp_reliable(qp)) {
		ibt_qp_count(peer, verdict == IBT_RNR ? IBT_STAT_TX_RNR : IBT_STAT_TX_NAK);
		ibt_resp_trace(peer, wqe->first_psn, syndrome);
	}
	ibt_exec_failed(peer, verdict);
	if (!ibt_qp_reliable(qp))
		ibt_resp_advance(peer, ibt_wqe_npkts(wqe));
	return syndrome;
}

/*
 * Copy bytes of a READ. After a failure the local memory is checked. If all of it is valid,
 * the memory of the peer has failed, which is a remote access error. Otherwise, or if pages
 * are absent at either end, the request is sent in packets.
 */
static enum ibt_exec_status ibt_local_pull(struct ibt_loopback_xfer *local, struct soft_iter *to,
					   u32 length)
{
	enum soft_access_err fault = soft_iter_copy(to, &local->from, length);

	if (likely(fault == SOFT_OK))
		return IBT_EXEC_OK;
	if (fault == SOFT_ERR_ABSENT)
		return IBT_EXEC_SILENT_DROP;
	return soft_iter_check(to) == SOFT_OK ? IBT_EXEC_REM_ACCESS : IBT_EXEC_SILENT_DROP;
}

/* May a message with @psn be executed by @peer now, without packets? */
static bool ibt_peer_ready(const struct ibt_qp *peer, u32 psn)
{
	const struct ibt_resp *resp = &peer->resp;

	lockdep_assert_held(&resp->lock);
	return ibt_resp_receives(resp->state) && !resp->op && !resp->local &&
	       !ibt_resp_reads_due(resp) &&
	       skb_queue_empty(&resp->backlog) &&
	       (peer->transport == IBT_UC || resp->psn == psn);
}

/*
 * The next bytes of a message, up to a chunk. @own: our memory, from there on.
 * @begun: the peer has heard of it; if it is not at it any more, it was reset or
 * has failed meanwhile. It counts the message as arrived behind the last byte only,
 * so that packets can begin anew.
 */
static enum ibt_exec_status ibt_local_move(struct ibt_qp *qp, struct ibt_wqe *wqe,
					   const struct ibt_msg *msg, struct soft_iter *own,
					   bool begun)
{
	struct ibt_loopback_xfer *local = &qp->local;
	struct ibt_qp *peer = local->peer;
	u32 length = min(wqe->length - local->done, CHUNK_BYTES);
	bool read = msg->verb == IBT_READ;
	enum ibt_exec_status verdict = IBT_EXEC_OK;

	lockdep_assert_held(&peer->resp.lock);
	if (begun ? peer->resp.local != qp :
		    !ibt_peer_ready(peer, wqe->first_psn))
		return IBT_EXEC_SILENT_DROP;
	if (!begun)
		verdict = read ? ibt_exec_read(peer, msg, &local->from) :
				 ibt_exec_begin(peer, msg);
	if (verdict == IBT_EXEC_OK && length)
		verdict = read ? ibt_local_pull(local, own, length) :
				 ibt_exec_data(peer, own, length);
	if (verdict != IBT_EXEC_OK)
		return verdict;
	local->done += length;
	ibt_local_count_bytes(read ? peer : qp, read ? qp : peer, length);
	if (local->done < wqe->length) {
		peer->resp.local = qp;
		return IBT_EXEC_OK;
	}
	peer->resp.local = NULL;
	if (!read)
		verdict = ibt_exec_end(peer, msg);
	if (verdict == IBT_EXEC_OK)
		ibt_resp_advance(peer, ibt_wqe_npkts(wqe));
	return verdict;
}

/* SEND, WRITE, READ. @begun: as above. */
static enum ibt_loopback_result ibt_move_chunk(struct ibt_qp *qp, struct ibt_wqe *wqe,
					       const struct ibt_wr_info *info,
					       bool begun)
{
	struct ibt_loopback_xfer *local = &qp->local;
	struct ibt_qp *peer = local->peer;
	enum ibt_exec_status verdict = IBT_EXEC_OK;
	struct soft_iter own;
	struct ibt_msg msg;
	u8 syndrome = 0;

	if (ibt_wqe_check_sge(qp, wqe, info) != SOFT_OK) {
		ibt_fail_here(qp, wqe);
		return IBT_LOOPBACK_DONE;
	}
	ibt_fill_msg(wqe, info, &msg);
	if (info->verb == IBT_READ)
		ibt_wqe_dst_iter(qp, wqe, &own);
	else
		ibt_wqe_src_iter(qp, wqe, &own);
	if (local->done && soft_iter_skip(&own, local->done) != SOFT_OK)
		verdict = IBT_EXEC_SILENT_DROP;

	spin_lock(&peer->resp.lock);
	if (verdict == IBT_EXEC_OK)
		verdict = ibt_local_move(qp, wqe, &msg, &own, begun);
	if (verdict != IBT_EXEC_OK && verdict != IBT_EXEC_SILENT_DROP)
		syndrome = ibt_local_consequences(qp, peer, wqe, verdict);
	else if (verdict == IBT_EXEC_SILENT_DROP && peer->resp.local == qp)
		peer->resp.local = NULL;
	spin_unlock(&peer->resp.lock);
	soft_iter_end(&own);

	if (verdict != IBT_EXEC_OK)
		return ibt_local_refused(qp, wqe, verdict, syndrome);
	/* The peer is there, as packets would have told. */
	ibt_sq_reset_retry_count(qp);
	if (local->done == wqe->length)
		ibt_local_finish(qp, wqe);
	return IBT_LOOPBACK_DONE;
}

/* The word that an ATOMIC WRITE stores. False: the request has failed. */
static bool ibt_take_word(struct ibt_qp *qp, struct ibt_wqe *wqe,
			  struct ibt_msg *msg)
{
	struct soft_iter from, to;
	enum soft_access_err fault;

	ibt_wqe_src_iter(qp, wqe, &from);
	soft_iter_bytes(&to, &msg->swap_add, sizeof(msg->swap_add));
	fault = soft_iter_copy(&to, &from, sizeof(msg->swap_add));
	soft_iter_end(&from);
	if (fault != SOFT_OK)
		ibt_fail_here(qp, wqe);
	return fault == SOFT_OK;
}

/* Atomic, ATOMIC WRITE, FLUSH: executed at once. */
static enum ibt_loopback_result ibt_local_ask(struct ibt_qp *qp, struct ibt_wqe *wqe,
					      const struct ibt_wr_info *info)
{
	struct ibt_qp *peer = qp->local.peer;
	enum ibt_exec_status verdict = IBT_EXEC_SILENT_DROP;
	struct ibt_msg msg;
	u64 original = 0;
	u8 syndrome = 0;

	ibt_fill_msg(wqe, info, &msg);
	if (info->kind == IBT_WR_ATOMIC_WRITE && !ibt_take_word(qp, wqe, &msg))
		return IBT_LOOPBACK_DONE;
	spin_lock(&peer->resp.lock);
	if (ibt_peer_ready(peer, wqe->first_psn))
		verdict = ibt_exec_atomic(peer, &msg, &original);
	if (verdict == IBT_EXEC_PAGES)
		verdict = IBT_EXEC_SILENT_DROP;
	if (verdict == IBT_EXEC_OK) {
		ibt_resp_advance(peer, ibt_wqe_npkts(wqe));
		ibt_local_count_bytes(qp, peer, wqe->length);
	} else if (verdict != IBT_EXEC_SILENT_DROP) {
		syndrome = ibt_local_consequences(qp, peer, wqe, verdict);
	}
	spin_unlock(&peer->resp.lock);

	if (verdict != IBT_EXEC_OK)
		return ibt_local_refused(qp, wqe, verdict, syndrome);
	if (info->kind == IBT_WR_ATOMIC_WRITE || info->verb == IBT_FLUSH ||
	    ibt_wqe_write_atomic_ack(qp, wqe, original))
		ibt_local_finish(qp, wqe);
	return IBT_LOOPBACK_DONE;
}

/* Most messages: a WRITE or SEND in one piece. False: the peer has not heard of it. */
static bool ibt_local_piece(struct ibt_qp *qp, struct ibt_qp *peer, bool direct,
			    struct ibt_wqe *wqe, const struct ibt_wr_info *info)
{
	struct soft_piece from;
	const struct ibt_piece piece = {
		.verb = info->verb,
		.solicited = wqe->flags & IB_SEND_SOLICITED,
		.length = wqe->length,
		.rkey = wqe->rdma.rkey,
		.va = wqe->rdma.remote_addr,
		.bytes = wqe->is_inline ? wqe->data : NULL,
		.from = &from,
	};
	bool done;

	if (info->kind != IBT_WR_DATA || info->extra || !ibt_wqe_piece(qp, wqe, &from))
		return false;
	ibt_wqe_assign_psn(qp, wqe);
	spin_lock(&peer->resp.lock);
	done = ibt_peer_ready(peer, wqe->first_psn) && ibt_exec_piece(peer, &piece);
	if (done)
		ibt_resp_advance(peer, ibt_wqe_npkts(wqe));
	spin_unlock(&peer->resp.lock);
	if (!done)
		return false;
	ibt_local_count_bytes(qp, peer, wqe->length);
	ibt_local_count_msg(qp, peer, wqe->length, direct);
	ibt_local_go_on(qp, wqe);
	return true;
}

static enum ibt_loopback_result ibt_local_begin(struct ibt_qp *qp, struct ibt_qp *peer,
						bool direct, struct ibt_wqe *wqe,
						const struct ibt_wr_info *info)
{
	bool ask = ibt_wr_has_response(info) && info->verb != IBT_READ;
	struct ibt_sq *sq = &qp->sq;

	/* An answer that can not be placed is asked for again, and must be in replay then. */
	if ((ask && ibt_may_page(&ibt_qp_dev(qp)->soft.mem)) ||
	    (info->verb == IBT_FLUSH && ibt_local_flush_is_long(wqe))) {
		ibt_qp_put(peer);
		return IBT_LOOPBACK_NOT_POSSIBLE;
	}
	qp->local = (struct ibt_loopback_xfer) {
		.peer = peer, .wqe = sq->next, .direct = direct,
	};
	soft_iter_bytes(&qp->local.from, NULL, 0);
	ibt_wqe_assign_psn(qp, wqe);
	if (ask)
		return ibt_local_ask(qp, wqe, info);
	return ibt_move_chunk(qp, wqe, info, false);
}

/**
 * ibt_loopback_send - the next request without packets, if that is possible
 * @qp: connected queue pair
 * @path: of it; may be NULL
 * @wqe: the request
 * @info: of its opcode
 *
 * A long message takes several calls, between which sq.lock may be released.
 *
 * Context: sq.lock held, resp.lock of the peer is taken.
 *
 * Return: what came of it.
 */
enum ibt_loopback_result ibt_loopback_send(struct ibt_qp *qp, struct ibt_path *path,
					   struct ibt_wqe *wqe,
					   const struct ibt_wr_info *info)
{
	struct ibt_sq *sq = &qp->sq;
	struct ibt_qp *peer;

	lockdep_assert_held(&sq->lock);
	/* An answer out of the blue may have taken its request from us. */
	if (qp->local.peer && qp->local.wqe != sq->next)
		ibt_loopback_abort(qp);
	if (qp->local.peer)
		return ibt_move_chunk(qp, wqe, info, true);
	if (!READ_ONCE(ibt_loopback) || !path || !path->local || sq->offset)
		return IBT_LOOPBACK_NOT_POSSIBLE;
	peer = ibt_find_peer(qp, path);
	if (!peer)
		return IBT_LOOPBACK_NOT_POSSIBLE;
	if (sq->cur_psn != sq->una) {
		ibt_qp_put(peer);
		return IBT_LOCAL_WAIT;
	}
	if (ibt_local_piece(qp, peer, path->direct, wqe, info)) {
		ibt_qp_put(peer);
		return IBT_LOOPBACK_DONE;
	}
	return ibt_local_begin(qp, peer, path->direct, wqe, info);
}

static struct ibt_qp *ibt_find_listener(const struct ibt_path *path, u32 qpn)
{
	struct ibt_qp *peer;

	rcu_read_lock();
	peer = qpn == 1 ? ibt_special_find(path->local, qpn) :
			  ibt_qp_find(path->local->dev, qpn);
	rcu_read_unlock();
	if (peer && (peer->transport != IBT_UD ||
		     READ_ONCE(peer->attr.port_num) != path->local->num)) {
		ibt_qp_put(peer);
		peer = NULL;
	}
	return peer;
}

/**
 * ibt_loopback_ud - the next datagram without a packet, if that is possible
 * @qp: UD or GSI
 * @path: where it goes
 * @wqe: the request
 * @pkt: what its packet would say
 *
 * Context: sq.lock held, resp.lock of the receiver is taken.
 *
 * Return: it is done with, or has failed. False: by a packet, please.
 */
bool ibt_loopback_ud(struct ibt_qp *qp, struct ibt_path *path,
		     struct ibt_wqe *wqe, struct ibt_pkt *pkt)
{
	const struct ibt_link_ops *link = ibt_qp_dev(qp)->link;
	struct ibt_rx_meta meta = { };
	struct soft_iter from;
	struct ibt_qp *peer;

	lockdep_assert_held(&qp->sq.lock);
	/* What has to be cut, or summed, is so in a packet, and a packet waits for pages. */
	if (!READ_ONCE(ibt_loopback) || !path->local ||
	    wqe->ud.qpn == IBT_MCAST_QPN || ibt_wqe_needs_offload(qp, wqe) ||
	    ibt_may_page(&ibt_qp_dev(qp)->soft.mem))
		return false;
	peer = ibt_find_listener(path, wqe->ud.qpn);
	if (!peer)
		return false;
	if (ibt_wqe_check_sge(qp, wqe, ibt_wr_info(wqe->opcode)) != SOFT_OK) {
		ibt_qp_put(peer);
		ibt_wqe_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
		return true;
	}
	pkt->length = wqe->length;
	pkt->pad = -wqe->length & 3;
	link->meta(path, pkt->op->length + pkt->length + pkt->pad +
		   IBT_ICRC_BYTES, &meta);
	ibt_wqe_src_iter(qp, wqe, &from);
	ibt_ud_receive(peer, pkt, &from, &meta);
	soft_iter_end(&from);
	ibt_local_count_bytes(qp, peer, wqe->length);
	ibt_local_count_msg(qp, peer, wqe->length, path->direct);
	ibt_qp_put(peer);
	ibt_ud_send_complete(qp, wqe);
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Execution of requests: rights, receive requests, memory, completions. The
 * same for requests that come in packets (responder.c) and for those of a queue
 * pair of this host (loopback.c).
 */
#include "../soft/flush.h"
#include "../soft/iter.h"
#include "../soft/mr_table.h"
#include "../soft/mr.h"
#include "backlog.h"
#include "dev.h"
#include "exec.h"
#include "limits.h"
#include "msg.h"
#include "opcode.h"
#include "paging.h"
#include "pkt.h"
#include "qp.h"
#include "qp_event.h"
#include "resp_res.h"
#include "resp.h"
#include "responder.h"
#include "rq.h"
#include "srq.h"
#include "tm_recv.h"

/* First sign of life of the peer, before the consumer went to RTS by itself. */
static void ibt_note_established(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;

	if (likely(resp->established || resp->state != IB_QPS_RTR))
		return;
	resp->established = true;
	ibt_qp_event(qp, IB_EVENT_COMM_EST);
}

/* IBA table 58, unsupported opcode: also what this QP was not set up for. */
static bool ibt_qp_allows(const struct ibt_qp *qp, int access)
{
	return (READ_ONCE(qp->attr.qp_access_flags) & access) == access;
}

static struct soft_mem *ibt_mem_of(const struct ibt_qp *qp)
{
	return &ibt_qp_dev(qp)->soft.mem;
}

/*
 * The PD of the regions that a request names. With XRC it is the PD of the SRQ that the
 * request names (annex A14). @srq holds a reference to that SRQ, which the caller puts.
 * False: there is no such SRQ.
 */
static bool ibt_remote_pd(struct ibt_qp *qp, u32 srqn, struct ibt_srq **srq,
			  struct ib_pd **pd)
{
	*srq = NULL;
	*pd = qp->ib.pd;
	if (qp->transport != IBT_XRC)
		return true;
	*srq = ibt_rq_srq(qp, srqn);
	if (!*srq)
		return false;
	*pd = (*srq)->ib.pd;
	return true;
}

/* What an rkey grants; whatever is wrong with it, the peer is told the same. */
static enum ibt_exec_status ibt_remote_iter(struct ibt_qp *qp, u32 srqn,
					    struct soft_iter *it, u32 rkey, u64 va,
					    u64 length, int access)
{
	enum soft_access_err fault;
	struct ibt_srq *srq;
	struct ib_pd *pd;

	if (!ibt_remote_pd(qp, srqn, &srq, &pd))
		return IBT_EXEC_INV_REQ;
	fault = soft_iter_remote(it, ibt_mem_of(qp), pd, qp->ib.qp_num, rkey, va,
				 length, access);
	ibt_rq_srq_put(qp, srq);
	return fault == SOFT_OK ? IBT_EXEC_OK : IBT_EXEC_REM_ACCESS;
}

/*
 * A copy failed: if all is well at this end, it was the source, which a sender of
 * this host may have taken away. That is no matter of the receiver.
 */
static enum ibt_exec_status ibt_exec_blame(struct soft_iter *to, enum ibt_exec_status verdict)
{
	return soft_iter_check(to) == SOFT_OK ? IBT_EXEC_SILENT_DROP : verdict;
}

/*
 * Bytes do not go to @to. A request that came in a packet waits for pages that are absent; one
 * of a queue pair of this host comes again in packets, as its source may be what is absent.
 */
static enum ibt_exec_status ibt_exec_no_copy(struct ibt_qp *qp, enum soft_access_err fault,
					     struct soft_iter *to, const struct soft_iter *from,
					     u32 length, enum ibt_exec_status verdict)
{
	if (fault != SOFT_ERR_ABSENT)
		return ibt_exec_blame(to, verdict);
	if (from->kind != SOFT_ITER_SKB)
		return IBT_EXEC_SILENT_DROP;
	return ibt_resp_page_in(qp, to, length, true) ? IBT_EXEC_PAGES : verdict;
}

/* ---- receive requests ----------------------------------------------------------- */

/* Why the receive request that is taken will not be filled. */
static void ibt_recv_error(struct ibt_qp *qp, enum ib_wc_status status)
{
	struct ibt_srq *srq;

	srq = ibt_rq_srq(qp, qp->resp.recv_srqn);
	ibt_rq_error(qp, srq, status);
	ibt_rq_srq_put(qp, srq);
}

/*
 * Take one, unless there is one left of a message that was given up. @bytes: if
 * these do not fit, it is left to others.
 */
static enum ibt_exec_status ibt_take_recv(struct ibt_qp *qp, u32 srqn, u32 bytes)
{
	struct ibt_resp *resp = &qp->resp;
	enum ibt_exec_status verdict;
	struct ibt_srq *srq;

	resp->cur.taking = true;
	/* It is of a SEND with a tag, which did not come to its end. */
	if (resp->has_rwqe && resp->tm.kind && resp->cur.verb != IBT_SEND)
		ibt_recv_error(qp, IB_WC_WR_FLUSH_ERR);
	if (resp->has_rwqe &&
	    (qp->transport != IBT_XRC || resp->recv_srqn == srqn))
		return IBT_EXEC_OK;
	/* (XRC) It is of another SRQ. */
	if (resp->has_rwqe)
		ibt_recv_error(qp, IB_WC_WR_FLUSH_ERR);
	srq = ibt_rq_srq(qp, srqn);
	if (qp->transport == IBT_XRC && !srq)
		return IBT_EXEC_INV_REQ;
	verdict = ibt_rq_take(qp, srq, resp->recv, bytes);
	ibt_rq_srq_put(qp, srq);
	if (verdict == IBT_EXEC_OK) {
		resp->has_rwqe = true;
		resp->recv_srqn = srqn;
	}
	return verdict;
}

void ibt_exec_abort(struct ibt_qp *qp)
{
	lockdep_assert_held(&qp->resp.lock);
	soft_iter_end(&qp->resp.to);
	qp->resp.cur.active = false;
	qp->resp.op = NULL;
	qp->resp.local = NULL;
}

static enum ibt_exec_status ibt_give_up(struct ibt_qp *qp, enum ibt_exec_status verdict)
{
	ibt_exec_abort(qp);
	return verdict;
}

/* ---- SEND and WRITE ---------------------------------------------------------------- */

/* An unreliable message that does not fit is dropped, and what it would have
 * filled waits for the next one, in its queue if that could be told at once; a
 * reliable one ends the queue pair.
 */
static enum ibt_exec_status ibt_too_long(struct ibt_qp *qp)
{
	if (qp->transport != IBT_UC)
		ibt_recv_error(qp, IB_WC_LOC_LEN_ERR);
	return ibt_give_up(qp, IBT_EXEC_INV_REQ);
}

static enum ibt_exec_status ibt_begin_send(struct ibt_qp *qp, const struct ibt_msg *msg)
{
	struct ibt_resp *resp = &qp->resp;
	u32 bytes = qp->transport == IBT_UC ? msg->length : 0;
	enum ibt_exec_status verdict;

	/* Its first bytes say what takes it. */
	if (ibt_qp_matches_tags(qp)) {
		resp->cur.taking = true;
		resp->cur.length = IBT_MAX_MSG_BYTES;
		return IBT_EXEC_OK;
	}
	verdict = ibt_take_recv(qp, msg->srqn, bytes);
	if (verdict != IBT_EXEC_OK)
		return ibt_give_up(qp, verdict);
	resp->cur.length = resp->recv->length;
	if (msg->length > resp->recv->length)
		return ibt_too_long(qp);

	/* The PD is set when the cursor is used. It is that of the SRQ or of the queue pair. */
	soft_iter_list(&resp->to, ibt_mem_of(qp), NULL, resp->recv->sge,
		       resp->recv->num_sge, IB_ACCESS_LOCAL_WRITE);
	return IBT_EXEC_OK;
}

/* A message that packets would divide has its rights checked with the first, and
 * takes its receive request with the last.
 */
static enum ibt_exec_status ibt_check_divided(struct ibt_qp *qp,
					      const struct ibt_msg *msg)
{
	enum ibt_exec_status verdict;
	struct soft_iter to;

	if (!msg->whole || msg->length <= qp->mtu)
		return IBT_EXEC_OK;
	verdict = ibt_remote_iter(qp, msg->srqn, &to, msg->rkey, msg->va,
				  msg->length, IB_ACCESS_REMOTE_WRITE);
	if (verdict == IBT_EXEC_OK)
		soft_iter_end(&to);
	return verdict;
}

static enum ibt_exec_status ibt_begin_write(struct ibt_qp *qp,
					    const struct ibt_msg *msg)
{
	enum ibt_exec_status verdict = IBT_EXEC_OK;

	if (!ibt_qp_allows(qp, IB_ACCESS_REMOTE_WRITE) ||
	    msg->length > IBT_MAX_MSG_BYTES) {
		verdict = IBT_EXEC_INV_REQ;
	} else if (msg->extra & IBT_IMM) {
		verdict = ibt_check_divided(qp, msg);
		if (verdict == IBT_EXEC_OK)
			verdict = ibt_take_recv(qp, msg->srqn, 0);
	}
	return verdict == IBT_EXEC_OK ? verdict : ibt_give_up(qp, verdict);
}

enum ibt_exec_status ibt_exec_begin(struct ibt_qp *qp, const struct ibt_msg *msg)
{
	struct ibt_resp *resp = &qp->resp;

	lockdep_assert_held(&resp->lock);
	if (!ibt_resp_receives(resp->state))
		return IBT_EXEC_SILENT_DROP;
	ibt_note_established(qp);
	/* What a peer began and did not end is over. */
	ibt_exec_abort(qp);
	resp->told = false;
	resp->cur = (struct ibt_resp_msg) {
		.active = true,
		.verb = msg->verb,
		.length = msg->length,
		.va = msg->va,
		.rkey = msg->rkey,
		.srqn = msg->srqn,
		.only = msg->whole ? msg->length <= qp->mtu : msg->only,
	};
	return msg->verb == IBT_SEND ? ibt_begin_send(qp, msg) :
				       ibt_begin_write(qp, msg);
}

enum ibt_exec_status ibt_exec_reserve(struct ibt_qp *qp)
{
	lockdep_assert_held(&qp->resp.lock);
	/* The first packet has said which SRQ; what the others say is not heard. */
	return qp->resp.cur.active ? ibt_take_recv(qp, qp->resp.cur.srqn, 0) :
				     IBT_EXEC_SILENT_DROP;
}

/*
 * A cursor over an SGE list keeps the region that it has looked up for as long as the message
 * takes. A consumer that registers the memory anew meanwhile invalidates that region, but the
 * SGE may still be valid. So a copy that fails looks the region up again and is repeated once.
 *
 * After a failure @to is where it was, for a retransmit of the same bytes.
 */
static enum soft_access_err ibt_copy_to(struct soft_iter *to, struct soft_iter *from,
					u32 length)
{
	bool list = to->kind == SOFT_ITER_LIST;
	u64 behind = from->left - length;
	u64 pos = to->pos, left = to->left;
	enum soft_access_err fault;
	u32 cur = to->cur;

	fault = soft_iter_copy(to, from, length);
	if (fault != SOFT_OK && fault != SOFT_ERR_ABSENT && list) {
		soft_iter_end(to);
		fault = soft_iter_copy(to, from, from->left - behind);
	}
	if (likely(fault == SOFT_OK))
		return fault;
	if (list)
		soft_iter_end(to);
	to->cur = cur;
	to->pos = pos;
	to->left = left;
	return fault;
}

/* The first bytes need the rights on all that is announced; each copy looks
 * whether they still stand.
 */
static enum ibt_exec_status ibt_write_data(struct ibt_qp *qp, struct soft_iter *from,
					   u32 length)
{
	struct ibt_resp_msg *cur = &qp->resp.cur;
	struct soft_iter *to = &qp->resp.to;
	enum ibt_exec_status verdict = IBT_EXEC_OK;
	enum soft_access_err fault;

	if (!cur->placed) {
		soft_iter_end(to);
		verdict = ibt_remote_iter(qp, cur->srqn, to, cur->rkey, cur->va,
					  cur->length, IB_ACCESS_REMOTE_WRITE);
	}
	if (verdict == IBT_EXEC_OK) {
		fault = ibt_copy_to(to, from, length);
		if (likely(fault == SOFT_OK))
			return IBT_EXEC_OK;
		verdict = ibt_exec_no_copy(qp, fault, to, from, length,
					   IBT_EXEC_REM_ACCESS);
	}
	/* Unreliable, the request waits for a better message. */
	if (verdict == IBT_EXEC_REM_ACCESS && cur->taking &&
	    qp->transport != IBT_UC)
		ibt_recv_error(qp, IB_WC_LOC_ACCESS_ERR);
	return verdict;
}

static enum ibt_exec_status ibt_exec_send_data(struct ibt_qp *qp, struct soft_iter *from,
					       u32 length)
{
	struct ibt_srq *srq = ibt_rq_srq(qp, qp->resp.cur.srqn);
	enum ibt_exec_status verdict = IBT_EXEC_OK;
	struct soft_iter *to = &qp->resp.to;
	enum soft_access_err fault;

	to->pd = srq ? srq->ib.pd : qp->ib.pd;
	fault = ibt_copy_to(to, from, length);
	if (fault != SOFT_OK)
		verdict = ibt_exec_no_copy(qp, fault, to, from, length, IBT_EXEC_REM_OP);
	ibt_rq_srq_put(qp, srq);
	if (verdict == IBT_EXEC_REM_OP)
		ibt_recv_error(qp, IB_WC_LOC_PROT_ERR);
	return verdict;
}

enum ibt_exec_status ibt_exec_data(struct ibt_qp *qp, struct soft_iter *from,
				   u32 length)
{
	struct ibt_resp_msg *cur = &qp->resp.cur;
	enum ibt_exec_status verdict;

	lockdep_assert_held(&qp->resp.lock);
	if (!cur->active)
		return IBT_EXEC_SILENT_DROP;
	if (unlikely(ibt_qp_matches_tags(qp)) && cur->verb == IBT_SEND) {
		if (length && !cur->headed) {
			verdict = ibt_tm_begin(qp, from, &length);
			if (verdict != IBT_EXEC_OK)
				return ibt_give_up(qp, verdict);
		} else if (ibt_tm_discards(qp)) {
			return IBT_EXEC_OK;
		}
	}
	if (length > cur->length - cur->placed)
		return cur->verb == IBT_SEND ? ibt_too_long(qp) :
					       ibt_give_up(qp, IBT_EXEC_INV_REQ);
	if (!length)
		return IBT_EXEC_OK;
	verdict = cur->verb == IBT_SEND ? ibt_exec_send_data(qp, from, length) :
					  ibt_write_data(qp, from, length);
	if (verdict == IBT_EXEC_OK)
		cur->placed += length;
	else if (verdict != IBT_EXEC_SILENT_DROP && verdict != IBT_EXEC_PAGES)
		ibt_exec_abort(qp);
	return verdict;
}

static void ibt_complete_recv(struct ibt_qp *qp, const struct ibt_msg *msg)
{
	struct ibt_resp *resp = &qp->resp;
	struct ibt_srq *srq = ibt_rq_srq(qp, resp->recv_srqn);
	struct ib_wc wc = {
		.wr_id = resp->recv->wr_id,
		.status = IB_WC_SUCCESS,
		.opcode = msg->verb == IBT_WRITE ? IB_WC_RECV_RDMA_WITH_IMM :
						   IB_WC_RECV,
		.byte_len = resp->cur.placed,
		.src_qp = READ_ONCE(qp->attr.dest_qp_num),
	};

	if (msg->extra & IBT_IMM) {
		wc.wc_flags = IB_WC_WITH_IMM;
		wc.ex.imm_data = msg->imm;
	} else if (msg->extra & IBT_IETH) {
		wc.wc_flags = IB_WC_WITH_INVALIDATE;
		wc.ex.invalidate_rkey = msg->inv_rkey;
	}
	resp->has_rwqe = false;
	if (unlikely(resp->tm.kind))
		ibt_tm_complete(qp, &wc, msg->solicited);
	else
		ibt_rq_complete(qp, srq, &wc, msg->solicited);
	ibt_rq_srq_put(qp, srq);
}

static enum ibt_exec_status ibt_exec_invalidate(struct ibt_qp *qp, const struct ibt_msg *msg)
{
	enum soft_access_err fault = SOFT_ERR_KEY;
	struct ibt_srq *srq;
	struct ib_pd *pd;

	if (ibt_remote_pd(qp, qp->resp.cur.srqn, &srq, &pd))
		fault = soft_region_invalidate(ibt_mem_of(qp), pd, qp->ib.qp_num,
					       msg->inv_rkey, true);
	ibt_rq_srq_put(qp, srq);
	if (fault == SOFT_OK)
		return IBT_EXEC_OK;
	ibt_recv_error(qp, IB_WC_LOC_ACCESS_ERR);
	return IBT_EXEC_REM_ACCESS;
}

enum ibt_exec_status ibt_exec_end(struct ibt_qp *qp, const struct ibt_msg *msg)
{
	struct ibt_resp_msg *cur = &qp->resp.cur;
	enum ibt_exec_status verdict = IBT_EXEC_OK;

	lockdep_assert_held(&qp->resp.lock);
	if (!cur->active)
		return IBT_EXEC_SILENT_DROP;
	if (cur->verb == IBT_WRITE && cur->placed != cur->length)
		verdict = IBT_EXEC_INV_REQ;
	else if (cur->verb == IBT_SEND && ibt_qp_matches_tags(qp) && !cur->headed)
		verdict = ibt_tm_begin_empty(qp);
	if (verdict == IBT_EXEC_OK && msg->extra & IBT_IETH)
		verdict = ibt_exec_invalidate(qp, msg);
	if (verdict == IBT_EXEC_OK &&
	    (cur->verb == IBT_SEND || msg->extra & IBT_IMM)) {
		verdict = ibt_take_recv(qp, cur->srqn, 0);
		if (verdict == IBT_EXEC_OK)
			ibt_complete_recv(qp, msg);
	}
	return ibt_give_up(qp, verdict);
}

/* ---- READ and atomics ---------------------------------------------------------------- */

/* What all of them need; @access: IB_ACCESS_REMOTE_*, or those of a FLUSH. */
static enum ibt_exec_status ibt_may_answer(struct ibt_qp *qp, int access)
{
	lockdep_assert_held(&qp->resp.lock);
	if (!ibt_resp_receives(qp->resp.state))
		return IBT_EXEC_SILENT_DROP;
	ibt_note_established(qp);
	qp->resp.told = false;
	if (!ibt_qp_allows(qp, access) || !qp->resp.num_replay)
		return IBT_EXEC_INV_REQ;
	return IBT_EXEC_OK;
}

enum ibt_exec_status ibt_exec_read(struct ibt_qp *qp, const struct ibt_msg *msg,
				   struct soft_iter *from)
{
	enum ibt_exec_status verdict = ibt_may_answer(qp, IB_ACCESS_REMOTE_READ);

	if (verdict != IBT_EXEC_OK)
		return verdict;
	if (msg->length > IBT_MAX_MSG_BYTES)
		return IBT_EXEC_INV_REQ;
	if (!msg->length) {
		/* IBA 9.7.4.1.4: nothing is touched, no key is needed. */
		soft_iter_bytes(from, NULL, 0);
		return IBT_EXEC_OK;
	}
	return ibt_remote_iter(qp, msg->srqn, from, msg->rkey, msg->va,
			       msg->length, IB_ACCESS_REMOTE_READ);
}

static enum soft_access_err ibt_exec_do_atomic(struct soft_region *region, u32 grant,
					       const struct ibt_msg *msg, u64 *original)
{
	if (msg->verb == IBT_ATOMIC_WRITE) {
		*original = 0;
		return soft_region_store(region, grant, msg->va, msg->swap_add);
	}
	if (msg->verb == IBT_CMP_SWAP)
		return soft_region_cmp_swap(region, grant, msg->va, msg->compare,
					    msg->swap_add, original);
	return soft_region_fetch_add(region, grant, msg->va, msg->swap_add, original);
}

/* Annex A19.4.1.1: what the placement types want of a queue pair and a region. */
static int ibt_flush_access(u8 placement)
{
	return (placement & IB_FLUSH_GLOBAL ? IB_ACCESS_FLUSH_GLOBAL : 0) |
	       (placement & IB_FLUSH_PERSISTENT ? IB_ACCESS_FLUSH_PERSISTENT : 0);
}

static enum ibt_exec_status ibt_exec_flush(struct ibt_qp *qp, const struct ibt_msg *msg)
{
	const struct soft_flush flush = {
		.rkey = msg->rkey,
		.whole = msg->selectivity == IB_FLUSH_MR,
		.iova = msg->va,
		.length = msg->length,
		.access = ibt_flush_access(msg->placement),
	};
	enum ibt_exec_status verdict = ibt_may_answer(qp, flush.access);
	struct soft_flush_part *part = &qp->resp.flushing;

	if (verdict != IBT_EXEC_OK)
		return verdict;
	if (!flush.access || msg->selectivity > IB_FLUSH_MR ||
	    msg->placement & ~(IB_FLUSH_GLOBAL | IB_FLUSH_PERSISTENT))
		return IBT_EXEC_INV_REQ;
	if (soft_flush(ibt_mem_of(qp), qp->ib.pd, qp->ib.qp_num, &flush, part) != SOFT_OK)
		return IBT_EXEC_REM_ACCESS;
	if (!part->more)
		return IBT_EXEC_OK;
	/* A round of resp.task goes on with it; what comes behind it waits. */
	ibt_resp_schedule(qp, 0);
	return IBT_EXEC_PAGES;
}

static enum ibt_exec_status ibt_exec_word(struct ibt_qp *qp, const struct ibt_msg *msg,
					  u64 *original)
{
	bool store = msg->verb == IBT_ATOMIC_WRITE;
	int access = store ? IB_ACCESS_REMOTE_WRITE : IB_ACCESS_REMOTE_ATOMIC;
	enum ibt_exec_status verdict = ibt_may_answer(qp, access);
	struct soft_region *region;
	enum soft_access_err fault;
	struct ibt_srq *srq;
	struct ib_pd *pd;
	u32 grant;

	if (verdict != IBT_EXEC_OK)
		return verdict;
	if (!IS_ALIGNED(msg->va, sizeof(u64)) ||
	    (store && msg->length != sizeof(u64)) ||
	    !ibt_remote_pd(qp, msg->srqn, &srq, &pd))
		return IBT_EXEC_INV_REQ;
	region = soft_region_remote(ibt_mem_of(qp), pd, qp->ib.qp_num, msg->rkey,
				    msg->va, sizeof(u64), access, &fault, &grant);
	ibt_rq_srq_put(qp, srq);
	if (!region)
		return IBT_EXEC_REM_ACCESS;
	fault = ibt_exec_do_atomic(region, grant, msg, original);
	verdict = fault == SOFT_OK ? IBT_EXEC_OK : IBT_EXEC_REM_ACCESS;
	if (fault == SOFT_ERR_ABSENT && ibt_resp_word_page_in(qp, region, msg->va, true))
		verdict = IBT_EXEC_PAGES;
	soft_region_put(region);
	return verdict;
}

enum ibt_exec_status ibt_exec_atomic(struct ibt_qp *qp, const struct ibt_msg *msg,
				     u64 *original)
{
	if (msg->verb != IBT_FLUSH)
		return ibt_exec_word(qp, msg, original);
	*original = 0;
	return ibt_exec_flush(qp, msg);
}

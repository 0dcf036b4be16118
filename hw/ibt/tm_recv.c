// SPDX-License-Identifier: GPL-2.0
/*
 * Tag matching at the responder. The first bytes of a SEND say which tag it has. A buffer that it
 * fits takes its payload. Otherwise a receive request of the queue takes all of it, and the
 * program matches it itself.
 *
 * A request to fetch data (rendezvous) is matched, too. Then the responder fetches it, if the send
 * queue is its own (tm_fetch.c) and the data fits. Otherwise the buffer gets the headers, completes
 * as incomplete, and the program fetches the data.
 *
 * A message that is given up comes again, and finds the buffer that it has taken before: it is the
 * next message of its queue pair.
 *
 * All of it with resp.lock held.
 */
#include "../soft/cq.h"
#include "../soft/iter.h"
#include "dev.h"
#include "qp.h"
#include "resp.h"
#include "rq.h"
#include "srq.h"
#include "tag_match.h"
#include "tm_fetch.h"
#include "tm_recv.h"
#include "tm_tell.h"
#include "tm_wire.h"

/* The first bytes of the message, which stay in @from. False: its source is gone. */
static bool ibt_tm_peek(const struct soft_iter *from, u32 length, struct ibt_tm_hdr *hdr)
{
	struct soft_iter at = *from, to;
	enum soft_access_err fault;

	/* A list takes its references itself. */
	if (at.kind == SOFT_ITER_LIST)
		at.region = NULL;
	memset(hdr, 0, sizeof(*hdr));
	soft_iter_bytes(&to, hdr, sizeof(*hdr));
	fault = soft_iter_copy(&to, &at, min_t(u32, length, sizeof(*hdr)));
	if (at.kind == SOFT_ITER_LIST)
		soft_iter_end(&at);
	return fault == SOFT_OK;
}

/* Does the message have a tag, and the headers that belong to it? */
static bool ibt_tm_is_tagged(const struct ibt_tm_hdr *hdr, u32 length)
{
	switch (hdr->tmh.opcode) {
	case IBT_TMH_EAGER:
		return length >= sizeof(hdr->tmh);
	case IBT_TMH_RNDV:
		return length >= sizeof(*hdr);
	default:
		return false;
	}
}

static void ibt_tm_take(struct ibt_qp *qp, struct ibt_tag *tag)
{
	struct ibt_tm_recv *tm = &qp->resp.tm;
	struct ibt_recv *recv = qp->resp.recv;

	recv->wr_id = tag->wr_id;
	recv->length = tag->length;
	recv->num_sge = tag->num_sge;
	memcpy(recv->sge, tag->sge, tag->num_sge * sizeof(*tag->sge));
	ibt_tags_take(qp->srq->tags, tag);
	tm->kind = IBT_TM_EXPECTED;
	tm->wr_id = tag->wr_id;
	list_add_tail(&tm->untold, &qp->srq->untold);
}

/*
 * The oldest buffer that fits leaves the list. A message of several packets has its match told
 * before its data is there. False: no buffer fits, and the message is counted.
 */
static bool ibt_tm_match(struct ibt_qp *qp)
{
	struct ibt_tm_recv *tm = &qp->resp.tm;
	struct ibt_srq *srq = qp->srq;
	struct ibt_tag *tag;
	unsigned long flags;
	bool told;

	spin_lock_irqsave(&srq->lock, flags);
	told = ibt_tm_tell_all(srq);
	tag = ibt_tags_find(srq->tags, be64_to_cpu(tm->hdr.tmh.tag));
	if (tag) {
		ibt_tm_take(qp, tag);
		if (!qp->resp.cur.only)
			told &= ibt_tm_tell(tm);
	} else {
		tm->kind = IBT_TM_UNEXPECTED;
		ibt_tags_unexpected(srq->tags);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	if (!told)
		ibt_rq_overrun(qp, srq);
	return tag;
}

/* A receive request for a message that no tagged buffer takes. */
static enum ibt_exec_status ibt_tm_take_untagged(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;
	enum ibt_exec_status verdict = ibt_rq_take(qp, qp->srq, resp->recv, 0);

	if (verdict == IBT_EXEC_OK)
		resp->has_rwqe = true;
	else
		ibt_rq_forget_tag(qp, qp->srq);
	return verdict;
}

static enum ibt_exec_status ibt_tm_find(struct ibt_qp *qp, const struct ibt_tm_hdr *hdr,
					u32 length)
{
	struct ibt_resp *resp = &qp->resp;
	struct ibt_tm_recv *tm = &resp->tm;

	tm->kind = IBT_TM_NO_TAG;
	tm->fetch = false;
	tm->hdr = *hdr;
	if (!ibt_tm_is_tagged(hdr, length) || !ibt_tm_match(qp))
		return ibt_tm_take_untagged(qp);
	resp->has_rwqe = true;
	return IBT_EXEC_OK;
}

/*
 * A message that has taken something before: is it this one? Behind a short one @hdr is zero, so
 * its bytes alone can be those of a longer one that has a tag.
 */
static bool ibt_tm_is_same(const struct ibt_tm_recv *tm, const struct ibt_tm_hdr *hdr,
			   u32 length)
{
	return ibt_tm_is_tagged(hdr, length) == (tm->kind != IBT_TM_NO_TAG) &&
	       !memcmp(&tm->hdr, hdr, sizeof(*hdr));
}

static bool ibt_tm_is_rndv(const struct ibt_tm_recv *tm)
{
	return tm->kind == IBT_TM_EXPECTED && tm->hdr.tmh.opcode == IBT_TMH_RNDV;
}

/* What of the first bytes goes into the buffer. */
static void ibt_tm_cut(struct ibt_qp *qp, struct soft_iter *from, u32 *length)
{
	if (qp->resp.tm.kind != IBT_TM_EXPECTED)
		return;
	if (ibt_tm_is_rndv(&qp->resp.tm)) {
		qp->resp.tm.fetch = ibt_tm_may_fetch(qp, &qp->resp.tm.hdr);
		*length = qp->resp.tm.fetch ? 0 : sizeof(struct ibt_tm_hdr);
		return;
	}
	soft_iter_skip(from, sizeof(struct ibt_tmh));
	*length -= sizeof(struct ibt_tmh);
}

/**
 * ibt_tm_begin - find the buffer of a message
 * @qp: queue pair with an SRQ of tag matching
 * @from: first bytes of the message; moves to what goes into the buffer
 * @length: how many; then, how many go into the buffer
 *
 * Context: resp.lock held.
 *
 * Return: IBT_EXEC_OK: resp.recv is the buffer; IBT_RNR, IBT_EXEC_REM_OP, as ibt_rq_take();
 * IBT_EXEC_SILENT_DROP: the bytes can not be read.
 */
enum ibt_exec_status ibt_tm_begin(struct ibt_qp *qp, struct soft_iter *from, u32 *length)
{
	struct ibt_resp *resp = &qp->resp;
	enum ibt_exec_status verdict;
	struct ibt_tm_hdr hdr;

	lockdep_assert_held(&resp->lock);
	if (!ibt_tm_peek(from, *length, &hdr))
		return IBT_EXEC_SILENT_DROP;
	if (resp->has_rwqe && !(resp->tm.kind && ibt_tm_is_same(&resp->tm, &hdr, *length)))
		ibt_rq_error(qp, qp->srq, IB_WC_WR_FLUSH_ERR);
	if (!resp->has_rwqe) {
		verdict = ibt_tm_find(qp, &hdr, *length);
		if (verdict != IBT_EXEC_OK)
			return verdict;
	}
	resp->cur.headed = true;
	resp->cur.length = resp->recv->length;
	soft_iter_list(&resp->to, &ibt_qp_dev(qp)->soft.mem, NULL, resp->recv->sge,
		       resp->recv->num_sge, IB_ACCESS_LOCAL_WRITE);
	ibt_tm_cut(qp, from, length);
	return IBT_EXEC_OK;
}

/**
 * ibt_tm_begin_empty - a message without a byte is at its end
 * @qp: queue pair with an SRQ of tag matching
 *
 * Context: resp.lock held. Return: as ibt_tm_begin().
 */
enum ibt_exec_status ibt_tm_begin_empty(struct ibt_qp *qp)
{
	struct soft_iter none;
	u32 length = 0;

	soft_iter_bytes(&none, NULL, 0);
	return ibt_tm_begin(qp, &none, &length);
}

/**
 * ibt_tm_discards - are bytes of the message in progress left out?
 * @qp: queue pair
 *
 * Those behind the headers of a request to fetch data are for a program that has to match it.
 *
 * Context: resp.lock held.
 */
bool ibt_tm_discards(const struct ibt_qp *qp)
{
	return ibt_tm_is_rndv(&qp->resp.tm) && (qp->resp.cur.placed || qp->resp.tm.fetch);
}

/* The completion at the end of a message. srq->lock held. */
static bool ibt_tm_post_end(struct ibt_qp *qp, struct ib_wc *wc, bool solicited)
{
	struct ibt_tm_recv *tm = &qp->resp.tm;
	bool told = list_empty(&tm->untold);
	u32 flags = 0;

	list_del_init(&tm->untold);
	wc->opcode = tm->kind == IBT_TM_NO_TAG ? SOFT_WC_TM_NO_TAG : SOFT_WC_TM_RECV;
	if (tm->kind == IBT_TM_EXPECTED && !told)
		flags = SOFT_WC_TM_MATCH;
	if (ibt_tm_is_rndv(tm)) {
		if (tm->fetch && told)
			return true;
		if (!tm->fetch)
			wc->status = SOFT_WC_TM_RNDV_INCOMPLETE;
	} else if (tm->kind == IBT_TM_EXPECTED) {
		flags |= SOFT_WC_TM_DATA_VALID;
	}
	return ibt_tm_post(qp, wc, flags, solicited);
}

/* The match was told before, so that the data cannot be there before that. */
static void ibt_tm_begin_fetch(struct ibt_qp *qp, struct ib_wc *wc)
{
	if (!qp->resp.tm.fetch || ibt_tm_fetch(qp))
		return;
	wc->status = IB_WC_WR_FLUSH_ERR;
	ibt_rq_complete(qp, qp->srq, wc, true);
}

/**
 * ibt_tm_complete - complete the receive request of a message that has come
 * @qp: queue pair; the request is in resp.recv
 * @wc: with what every receive completion has
 * @solicited: the program is to be woken
 *
 * Context: resp.lock held.
 */
void ibt_tm_complete(struct ibt_qp *qp, struct ib_wc *wc, bool solicited)
{
	struct ibt_srq *srq = qp->srq;
	unsigned long flags;
	bool posted;

	spin_lock_irqsave(&srq->lock, flags);
	posted = ibt_tm_post_end(qp, wc, solicited);
	spin_unlock_irqrestore(&srq->lock, flags);
	if (!posted)
		ibt_rq_overrun(qp, srq);
	ibt_tm_begin_fetch(qp, wc);
	qp->resp.tm.kind = IBT_TM_NONE;
	qp->resp.tm.fetch = false;
}

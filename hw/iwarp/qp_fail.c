// SPDX-License-Identifier: GPL-2.0
/* Errors of a stream: they are reported to the consumer and to the connection. */
#include "../soft/events.h"
#include "conn.h"
#include "qp.h"
#include "wq.h"

static void iw_event_work(struct work_struct *work)
{
	struct iw_qp *qp = container_of(work, struct iw_qp, event_work);

	soft_qp_events(&qp->ib, &qp->events);
	iw_qp_put(qp);
}

/**
 * iw_qp_events_init - of a queue pair that begins
 * @qp: nothing else knows it
 */
void iw_qp_events_init(struct iw_qp *qp)
{
	INIT_WORK(&qp->event_work, iw_event_work);
}

/**
 * iw_qp_event - an asynchronous event
 * @qp: queue pair, referenced
 * @type: of the event
 *
 * A work calls the consumer: this may be inside of a call of the consumer's, which may
 * hold a lock that its handler takes.
 *
 * Context: any.
 */
void iw_qp_event(struct iw_qp *qp, enum ib_event_type type)
{
	set_bit(type, &qp->events);
	/* The reference is the work's, one as long as it is pending. */
	iw_qp_get(qp);
	if (!queue_work(iw_wq, &qp->event_work))
		iw_qp_put(qp);
}

/* The state is that of a stream that ends; the first reason counts. */
static bool iw_go_wrong(struct iw_qp *qp, int what, const struct iw_term_msg *term)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&qp->lock, flags);
	first = !qp->has_term && qp->state < IW_TERMINATE;
	if (first) {
		WRITE_ONCE(qp->has_term, true);
		qp->term = *term;
		if (qp->state != IW_IDLE)
			WRITE_ONCE(qp->state, IW_TERMINATE);
		if (qp->conn)
			iw_conn_post_event(qp->conn, what);
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	return first;
}

static enum ib_event_type iw_event_of(enum iw_term what)
{
	switch (what >> 8) {
	case IW_TERM_RDMAP_STAG >> 8:
	case IW_TERM_DDP_STAG >> 8:
		return IB_EVENT_QP_ACCESS_ERR;
	default:
		return IB_EVENT_QP_REQ_ERR;
	}
}

/**
 * iw_qp_fail - the stream can not go on
 * @qp: queue pair
 * @what: why
 * @about: the segment that is to blame; NULL: none of the peer's
 *
 * The connection sends the Terminate, and flushes. Context: any.
 */
void iw_qp_fail(struct iw_qp *qp, enum iw_term what,
		const struct iw_term_msg *about)
{
	struct iw_term_msg term = about ? *about : (struct iw_term_msg){};

	term.what = what;
	if (!iw_go_wrong(qp, IW_CONN_FAILED, &term))
		return;
	/* What was posted here has its completion instead. */
	if (about || what >> 12 == IW_LAYER_LLP)
		iw_qp_event(qp, iw_event_of(what));
	if (iw_event_of(what) == IB_EVENT_QP_ACCESS_ERR && about)
		iw_count(iw_qp_dev(qp), IW_STAT_ACCESS_ERR);
}

/**
 * iw_qp_llp_closed - the peer has ended the stream by a Terminate
 * @qp: queue pair
 * @tell: no completion does
 *
 * Context: any.
 */
void iw_qp_llp_closed(struct iw_qp *qp, bool tell)
{
	const struct iw_term_msg none = {};

	if (iw_go_wrong(qp, IW_CONN_HEARD, &none) && tell)
		iw_qp_event(qp, IB_EVENT_QP_FATAL);
}

/* Its connection may have something to do. Any context. */
void iw_qp_notify_conn(struct iw_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	if (qp->conn)
		iw_conn_kick(qp->conn);
	spin_unlock_irqrestore(&qp->lock, flags);
}

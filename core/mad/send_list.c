// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of the sends of one agent. A posted send is
 *
 *   flying	 with a send queue, or on its way there
 *   timed	 waiting for its response, for an ACK, or held by the fault hook
 *   busy	 its response is with the consumer's receive handler
 *
 * and its outcome is decided at some moment: sent and nothing more wanted,
 * answered, timed out, cancelled, failed. The consumer's send handler is called
 * once, when it is decided and neither flying nor busy. The first thread that
 * sees this, in a function of this file, takes the send out of the list and
 * calls the handler. A thread that cancels may not call it, so it puts the send
 * on the finished list.
 *
 * No locks and no clock in here: the caller holds the agent's lock, and brings
 * the time (in jiffies).
 */
#include <kunit/visibility.h>
#include <linux/hash.h>
#include <linux/jiffies.h>

#include "priv.h"

/* An ACK is awaited for so long, or for the time of a response if shorter. */
#define ACK_TIMEOUT (2 * HZ)
/* In that time what has none is sent again so often. */
#define RESENDS	2

void mad_sends_init(struct mad_send_list *sends)
{
	INIT_LIST_HEAD(&sends->live);
	INIT_LIST_HEAD(&sends->finished);
	sends->timers = RB_ROOT_CACHED;
	hash_init(sends->by_tid);
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_init);

/* The next segment of a transfer takes off. */
static enum mad_action mad_fly_segment(struct mad_send *send)
{
	send->flying = true;
	send->segment = send->out.next;
	rmpp_out_sent(&send->out);
	return MAD_TRANSMIT_NEXT;
}

/**
 * mad_sends_post - take up a send
 * @sends: list
 * @send: not posted, its MAD filled in; flying from now on
 * @timeout: for the response; 0 for none
 * @retries: how often it may be sent again
 *
 * Return: how to transmit it.
 */
enum mad_action mad_sends_post(struct mad_send_list *sends, struct mad_send *send,
			       unsigned long timeout, int retries)
{
	const struct ib_mad_hdr *hdr = send->buf.mad;

	send->tid = hdr->tid;
	send->timeout = timeout;
	send->retries = retries;
	send->retries_left = retries;
	send->resends = 0;
	send->buf.retries = 0;
	send->status = IB_WC_SUCCESS;
	send->vendor_err = 0;
	send->posted = true;
	send->flying = true;
	send->timed = false;
	send->busy = false;
	send->decided = false;
	send->held = false;
	send->lost = false;
	send->again = false;

	list_add_tail(&send->node, &sends->live);
	hash_add(sends->by_tid, &send->by_tid, (__force u64)send->tid);
	if (!mad_send_is_rmpp(send))
		return MAD_TRANSMIT;
	rmpp_out_init(&send->out, send->buf.seg_count);
	return mad_fly_segment(send);
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_post);

static bool mad_earlier(struct rb_node *a, const struct rb_node *b)
{
	return time_before(rb_entry(a, struct mad_send, timer)->deadline,
			   rb_entry(b, struct mad_send, timer)->deadline);
}

static void mad_stop_timer(struct mad_send_list *sends, struct mad_send *send)
{
	if (send->timed)
		rb_erase_cached(&send->timer, &sends->timers);
	send->timed = false;
	send->held = false;
}

/**
 * mad_sends_wait - set the timer of a send
 * @sends: list
 * @send: not flying
 * @deadline: when mad_sends_due() shall find it
 */
void mad_sends_wait(struct mad_send_list *sends, struct mad_send *send,
		    unsigned long deadline)
{
	mad_stop_timer(sends, send);
	send->deadline = deadline;
	send->timed = true;
	rb_add_cached(&send->timer, &sends->timers, mad_earlier);
}

/**
 * mad_sends_progress - a part of a response is here, and not the last
 * @sends: list
 * @send: not decided
 * @now: the time for the rest of it begins
 */
void mad_sends_progress(struct mad_send_list *sends, struct mad_send *send,
			unsigned long now)
{
	if (send->timed && !send->held)
		mad_sends_wait(sends, send, now + send->timeout);
}

/**
 * mad_sends_unpost - forget a send after its posting has failed
 * @sends: list
 * @send: flying
 *
 * A response with the same TID (to an earlier request) may have come all the
 * same, and be with the receive handler; or a cancelling thread was told that
 * the send comes to the send handler. Then it has to.
 * Return: false when it stays posted, since its outcome is decided; else no
 * handler is called.
 */
bool mad_sends_unpost(struct mad_send_list *sends, struct mad_send *send)
{
	send->flying = false;
	if (send->decided) {
		mad_sends_settle(sends, send);
		return false;
	}
	hash_del(&send->by_tid);
	list_del_init(&send->node);
	send->posted = false;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_unpost);

/**
 * mad_sends_decide - decide the outcome
 * @sends: list
 * @send: posted
 * @status: for the handler
 * @vendor_err: for the handler
 *
 * No response is matched with it any more. Return: false when it was decided
 * already.
 */
bool mad_sends_decide(struct mad_send_list *sends, struct mad_send *send,
		      enum ib_wc_status status, u32 vendor_err)
{
	if (send->decided)
		return false;
	send->decided = true;
	send->status = status;
	send->vendor_err = vendor_err;
	mad_stop_timer(sends, send);
	hash_del(&send->by_tid);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_decide);

static bool mad_is_over(const struct mad_send *send)
{
	return send->decided && !send->flying && !send->busy;
}

/**
 * mad_sends_take - take a send out when all is over
 * @send: posted
 *
 * Return: MAD_FINISH when the caller is to call the handler, else MAD_NOTHING.
 */
enum mad_action mad_sends_take(struct mad_send *send)
{
	if (!mad_is_over(send))
		return MAD_NOTHING;
	list_del_init(&send->node);
	send->posted = false;
	return MAD_FINISH;
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_take);

/* For a caller that may not call handlers: leave it to mad_sends_due(). */
void mad_sends_settle(struct mad_send_list *sends, struct mad_send *send)
{
	if (mad_is_over(send))
		list_move_tail(&send->node, &sends->finished);
}

/*
 * A retry is spent when no ACK has come for ACK_TIMEOUT, which is longer than many
 * programs wait for all of a transfer. So that one lost segment does not cost them
 * the transfer, what has no ACK is sent again after an eighth of that time, and
 * after three eighths.
 */
static unsigned long mad_ack_timeout(const struct mad_send *send)
{
	const unsigned long all = send->timeout ?
		min_t(unsigned long, send->timeout, ACK_TIMEOUT) : ACK_TIMEOUT;

	switch (send->resends) {
	case 0:
		return max(all / 8, 1UL);
	case 1:
		return max(all / 4, 1UL);
	default:
		return max(all - all / 8 - all / 4, 1UL);
	}
}

/* All is sent. Wait for what is still to come, if anything. */
static enum mad_action mad_wait_for_more(struct mad_send_list *sends,
					 struct mad_send *send, unsigned long now)
{
	if (mad_send_is_rmpp(send) && !rmpp_out_done(&send->out)) {
		if (rmpp_out_next(&send->out))
			return mad_fly_segment(send);
		mad_sends_wait(sends, send, now + mad_ack_timeout(send));
		return MAD_NOTHING;
	}
	if (send->timeout) {
		mad_sends_wait(sends, send, now + send->timeout);
		return MAD_NOTHING;
	}
	mad_sends_decide(sends, send, IB_WC_SUCCESS, 0);
	return mad_sends_take(send);
}

/**
 * mad_sends_sent - a send has come back from the send queue
 * @sends: list
 * @send: flying
 * @status: of the work request
 * @vendor_err: of the work request
 * @now: time
 *
 * Return: what the caller does next.
 */
enum mad_action mad_sends_sent(struct mad_send_list *sends, struct mad_send *send,
			       enum ib_wc_status status, u32 vendor_err,
			       unsigned long now)
{
	if (status == IB_WC_SUCCESS && send->again && !send->decided) {
		send->again = false;
		return MAD_TRANSMIT_NOW;
	}
	send->flying = false;
	if (status != IB_WC_SUCCESS)
		mad_sends_decide(sends, send, status, vendor_err);
	return send->decided ? mad_sends_take(send) :
			       mad_wait_for_more(sends, send, now);
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_sent);

/**
 * mad_sends_acked - an RMPP ACK has come
 * @sends: list
 * @send: an RMPP transfer, not decided
 * @reply: what rmpp_out_ack() said
 * @now: time
 *
 * Return: what the caller does next.
 */
enum mad_action mad_sends_acked(struct mad_send_list *sends, struct mad_send *send,
				enum rmpp_reply reply, unsigned long now)
{
	if (reply != RMPP_PROGRESS && reply != RMPP_ALL_ACKED)
		return MAD_NOTHING;
	send->retries_left = send->retries;
	send->resends = 0;
	/* Else it goes on when this segment is sent. */
	if (send->flying || send->held)
		return MAD_NOTHING;
	mad_stop_timer(sends, send);
	return mad_wait_for_more(sends, send, now);
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_acked);

/**
 * mad_sends_hold - the fault hook delays a send, or drops it
 * @sends: list
 * @send: flying; no more so
 * @lost: pretend at @deadline that it was sent, instead of sending it
 * @deadline: when
 *
 * The caller may be one that may not call handlers.
 */
void mad_sends_hold(struct mad_send_list *sends, struct mad_send *send, bool lost,
		    unsigned long deadline)
{
	send->flying = false;
	if (send->decided) {
		mad_sends_settle(sends, send);
		return;
	}
	mad_sends_wait(sends, send, deadline);
	send->held = true;
	send->lost = lost;
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_hold);

/**
 * mad_sends_modify - give a send another time limit, or cancel it
 * @sends: list
 * @send: anything that the consumer has created
 * @timeout: from now on; 0 to cancel
 * @now: time
 *
 * Return: 0, or -EINVAL when it is not posted or its outcome is decided.
 */
int mad_sends_modify(struct mad_send_list *sends, struct mad_send *send,
		     unsigned long timeout, unsigned long now)
{
	if (!send->posted || send->decided)
		return -EINVAL;
	if (!timeout) {
		mad_sends_decide(sends, send, IB_WC_WR_FLUSH_ERR, 0);
		mad_sends_settle(sends, send);
		return 0;
	}

	send->timeout = timeout;
	if (send->timed && !send->held)
		mad_sends_wait(sends, send, now + timeout);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_modify);

/* Cancel all. */
void mad_sends_flush(struct mad_send_list *sends)
{
	struct mad_send *send, *next;

	list_for_each_entry_safe(send, next, &sends->live, node) {
		mad_sends_decide(sends, send, IB_WC_WR_FLUSH_ERR, 0);
		mad_sends_settle(sends, send);
	}
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_flush);

/**
 * mad_sends_find - find the send that a received MAD belongs to
 * @sends: list
 * @got: header of the MAD
 * @match: does the rest of it fit?
 * @ctx: for @match
 *
 * It may be found before its own completion: the other side was faster.
 * Return: a send that is not decided, or NULL.
 */
struct mad_send *mad_sends_find(struct mad_send_list *sends,
				const struct ib_mad_hdr *got,
				bool (*match)(const struct mad_send *send,
					      const void *ctx),
				const void *ctx)
{
	const struct ib_mad_hdr *sent;
	struct mad_send *send;

	hash_for_each_possible(sends->by_tid, send, by_tid,
			       (__force u64)got->tid) {
		sent = send->buf.mad;
		if (send->tid == got->tid &&
		    sent->mgmt_class == got->mgmt_class &&
		    (send->timeout || mad_send_is_rmpp(send)) &&
		    match(send, ctx))
			return send;
	}
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_find);

/* What the other side has in full is not sent again. */
static bool mad_wants_ack(const struct mad_send *send)
{
	return mad_send_is_rmpp(send) && !rmpp_out_done(&send->out);
}

static enum mad_action mad_send_again(struct mad_send *send)
{
	send->flying = true;
	if (!mad_send_is_rmpp(send))
		return MAD_TRANSMIT;
	rmpp_out_rewind(&send->out);
	return mad_fly_segment(send);
}

static enum mad_action mad_timer_ended(struct mad_send_list *sends,
				       struct mad_send *send)
{
	const bool held = send->held;

	mad_stop_timer(sends, send);
	if (held) {
		send->flying = true;
		return send->lost ? MAD_SAY_SENT : MAD_TRANSMIT_NOW;
	}

	if (mad_wants_ack(send) && send->resends < RESENDS) {
		send->resends++;
		return mad_send_again(send);
	}
	if (send->retries_left > 0 &&
	    (mad_wants_ack(send) || !mad_send_is_rmpp(send))) {
		send->retries_left--;
		send->resends = 0;
		send->buf.retries++;
		return mad_send_again(send);
	}
	mad_sends_decide(sends, send, IB_WC_RESP_TIMEOUT_ERR, 0);
	return mad_sends_take(send);
}

/**
 * mad_sends_due - what is to be done by now?
 * @sends: list
 * @now: time
 * @found: out: the send that it is to be done with
 *
 * Return: what to do with it, or MAD_NOTHING when there is no more.
 */
enum mad_action mad_sends_due(struct mad_send_list *sends, unsigned long now,
			      struct mad_send **found)
{
	struct rb_node *first = rb_first_cached(&sends->timers);
	struct mad_send *send;

	send = list_first_entry_or_null(&sends->finished, struct mad_send,
					node);
	if (send) {
		*found = send;
		return mad_sends_take(send);
	}
	if (!first)
		return MAD_NOTHING;
	send = rb_entry(first, struct mad_send, timer);
	if (time_before(now, send->deadline))
		return MAD_NOTHING;
	*found = send;
	return mad_timer_ended(sends, send);
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_due);

/**
 * mad_sends_delay - when does mad_sends_due() have something to do?
 * @sends: list
 * @now: time
 * @delay: out: jiffies from @now on
 *
 * Return: false when there is nothing.
 */
bool mad_sends_delay(const struct mad_send_list *sends, unsigned long now,
		     unsigned long *delay)
{
	const struct rb_node *first = rb_first_cached(&sends->timers);
	unsigned long deadline;

	*delay = 0;
	if (!list_empty(&sends->finished))
		return true;
	if (!first)
		return false;
	deadline = rb_entry(first, struct mad_send, timer)->deadline;
	if (time_after(deadline, now))
		*delay = deadline - now;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(mad_sends_delay);

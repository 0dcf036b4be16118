// SPDX-License-Identifier: GPL-2.0
/*
 * Sending for the agents: post, modify, time limits, completion. What is to be
 * done with a send is decided in send_list.c, under the agent's lock; here it
 * is done, without it.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <ofed/refuse.h>

#include "inject.h"
#include "priv.h"
#include "smi.h"

/* Leave it to the work item of the port's local SMPs. */
static void mad_local_queue(struct mad_send *send)
{
	struct mad_port *port = send->agent->port;
	unsigned long flags;

	spin_lock_irqsave(&port->work_lock, flags);
	list_add_tail(&send->queue, &port->locals);
	spin_unlock_irqrestore(&port->work_lock, flags);
	queue_work(mad_wq, &port->local_work);
}

/* @send is flying, and not the caller's any more when this returns 0. */
static int mad_transmit_now(struct mad_send *send)
{
	if (send->local) {
		mad_local_queue(send);
		return 0;
	}
	return mad_qp_send(send->agent->qp, send);
}

/* Have the agent's work item run when its list of sends needs it. */
void mad_agent_arm(struct mad_agent *agent)
{
	const unsigned long now = jiffies;
	unsigned long delay;

	lockdep_assert_held(&agent->lock);
	if (!mad_sends_delay(&agent->sends, now, &delay))
		return;
	if (agent->armed && time_before_eq(agent->armed_for, now + delay))
		return;
	agent->armed = true;
	agent->armed_for = now + delay;
	mod_delayed_work(mad_wq, &agent->work, delay);
}

/* Does an injected fault take a flying send? Then it is not the caller's any more. */
static bool mad_inject_takes(struct mad_send *send)
{
	struct mad_agent *agent = send->agent;
	unsigned long flags, deadline = jiffies;
	enum mad_inject_action action;
	u32 delay_ms = 0;

	action = mad_inject_action_of(send->image, &delay_ms);
	if (action == MAD_INJECT_PASS)
		return false;
	if (action == MAD_INJECT_DELAY)
		deadline += msecs_to_jiffies(delay_ms);

	spin_lock_irqsave(&agent->lock, flags);
	if (action == MAD_INJECT_DUPLICATE)
		send->again = true;
	else
		mad_sends_hold(&agent->sends, send, action == MAD_INJECT_DROP,
			       deadline);
	mad_agent_arm(agent);
	spin_unlock_irqrestore(&agent->lock, flags);
	return action != MAD_INJECT_DUPLICATE;
}

static int mad_send_transmit(struct mad_send *send)
{
	return mad_inject_takes(send) ? 0 : mad_transmit_now(send);
}

static void mad_finish(struct mad_send *send)
{
	struct ib_mad_send_wc wc = {
		.send_buf = &send->buf,
		.status = send->status,
		.vendor_err = send->vendor_err,
	};

	/* The handler may post it again, or free it. */
	send->agent->pub.send_handler(&send->agent->pub, &wc);
}

/**
 * mad_do_action - do what a function of send_list.c has asked for
 * @send: the send that @next is about; not the caller's any more
 * @next: the action
 *
 * Context: process; no lock held, as a handler may be called.
 */
void mad_do_action(struct mad_send *send, enum mad_action next)
{
	int ret = 0;

	switch (next) {
	case MAD_NOTHING:
		break;
	case MAD_FINISH:
		mad_finish(send);
		break;
	case MAD_SAY_SENT:
		mad_sent(send, IB_WC_SUCCESS, 0);
		break;
	case MAD_TRANSMIT_NEXT:
		rmpp_compose(send);
		fallthrough;
	case MAD_TRANSMIT:
		ret = mad_send_transmit(send);
		break;
	case MAD_TRANSMIT_NOW:
		ret = mad_transmit_now(send);
		break;
	}
	if (ret)
		mad_sent(send, IB_WC_GENERAL_ERR, 0);
}

/**
 * mad_sent - a send comes back
 * @send: flying; not the caller's any more
 * @status: of its work request
 * @vendor_err: of its work request
 *
 * Context: process; no lock held.
 */
void mad_sent(struct mad_send *send, enum ib_wc_status status, u32 vendor_err)
{
	struct mad_agent *agent = send->agent;
	enum mad_action next;
	unsigned long flags;

	spin_lock_irqsave(&agent->lock, flags);
	next = mad_sends_sent(&agent->sends, send, status, vendor_err,
			      jiffies);
	mad_agent_arm(agent);
	spin_unlock_irqrestore(&agent->lock, flags);
	mad_do_action(send, next);
}

/* Whatever of an agent's sends has waited long enough. */
void mad_agent_work(struct work_struct *work)
{
	struct mad_agent *agent = container_of(to_delayed_work(work),
					       struct mad_agent, work);
	struct mad_send *send;
	enum mad_action next;

	spin_lock_irq(&agent->lock);
	agent->armed = false;
	for (;;) {
		next = mad_sends_due(&agent->sends, jiffies, &send);
		if (next == MAD_NOTHING)
			break;
		spin_unlock_irq(&agent->lock);
		mad_do_action(send, next);
		/* Thousands may have timed out at once. */
		cond_resched();
		spin_lock_irq(&agent->lock);
	}
	mad_agent_arm(agent);
	spin_unlock_irq(&agent->lock);
}

static int mad_check_send(const struct mad_send *send)
{
	const struct ib_mad_agent *agent = &send->agent->pub;
	const struct ib_mad_hdr *hdr = send->buf.mad;

	if (!agent->send_handler || send->buf.timeout_ms < 0)
		return ofed_refuse(agent->device, -EINVAL,
				   "a MAD with timeout %d and %s send handler",
				   send->buf.timeout_ms,
				   agent->send_handler ? "a" : "no");
	/* A response needs a receive handler to go to. */
	if (send->buf.timeout_ms && !agent->recv_handler)
		return ofed_refuse(agent->device, -EINVAL,
				   "a request without a receive handler");
	if (agent->rmpp_version && !ib_is_mad_class_rmpp(hdr->mgmt_class))
		return ofed_refuse(agent->device, -EINVAL,
				   "class 0x%02x has no RMPP", hdr->mgmt_class);
	return 0;
}

/**
 * mad_local_check - find out where a send has to go
 * @send: not posted; the hop pointer of a directed-route SMP is moved
 *
 * Return: 0, with send->local set, or -EINVAL when its route is impossible.
 */
int mad_local_check(struct mad_send *send)
{
	struct mad_port *port = send->agent->port;
	struct ib_mad_hdr *hdr = send->buf.mad;

	send->local = false;
	if (send->agent->qp != port->qp[0] ||
	    hdr->mgmt_class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		return 0;
	mad_trace_smp_out(hdr);

	switch (smi_outgoing(send->buf.mad, port->num)) {
	case SMI_DISCARD:
		return ofed_refuse(port->device, -EINVAL,
				   "port %u: a directed route that is none",
				   port->num);
	case SMI_HERE:
		/*
		 * A peer's directed-route request may have no hop to make. The
		 * reply is not delivered here: it could match a local request
		 * with the same TID.
		 */
		if (send->agent == send->agent->qp->reply_agent)
			return -EINVAL;
		/* Without it, the SMA is behind the QP. */
		send->local = port->device->ops.process_mad;
		break;
	case SMI_WIRE:
		break;
	}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(mad_local_check);

/* Posting has failed. Returns @error, or 0 when it is too late for that. */
static int mad_unpost(struct mad_send *send, int error)
{
	struct mad_agent *agent = send->agent;
	unsigned long flags;

	spin_lock_irqsave(&agent->lock, flags);
	if (!mad_sends_unpost(&agent->sends, send))
		error = 0;
	mad_agent_arm(agent);
	spin_unlock_irqrestore(&agent->lock, flags);
	return error;
}

static int mad_post_one(struct mad_send *send)
{
	struct mad_agent *agent = send->agent;
	enum mad_action next = MAD_NOTHING;
	unsigned long flags;
	int ret;

	ret = mad_check_send(send);
	if (!ret)
		ret = mad_local_check(send);
	if (ret)
		return ret;
	if (!send->local && !send->buf.ah)
		return ofed_refuse(agent->pub.device, -EINVAL,
				   "a MAD without an address handle");

	spin_lock_irqsave(&agent->lock, flags);
	if (!agent->dying && !send->posted)
		next = mad_sends_post(&agent->sends, send,
				      msecs_to_jiffies(send->buf.timeout_ms),
				      send->buf.retries);
	spin_unlock_irqrestore(&agent->lock, flags);
	if (next == MAD_NOTHING)
		return ofed_refuse(agent->pub.device, -EINVAL,
				   "a MAD that is posted, or an agent that goes");

	if (next == MAD_TRANSMIT_NEXT)
		rmpp_compose(send);
	ret = mad_send_transmit(send);
	return ret ? mad_unpost(send, ret) : 0;
}

/**
 * ib_post_send_mad - send MADs
 * @send_buf: the first of a list, linked by @next; complete but for the RMPP
 *	      header of an RMPP transfer
 * @bad_send_buf: (may be NULL) out: the one that could not be posted; those
 *		  before it are, it and those behind it are not
 *
 * Each comes to the send handler once: when it is sent; when its response has
 * been handed over, if timeout_ms is not 0; or when that has not come in
 * timeout_ms, and not after as many retries either (IB_WC_RESP_TIMEOUT_ERR);
 * cancelled (IB_WC_WR_FLUSH_ERR); refused by the receiver of a transfer
 * (IB_WC_REM_ABORT_ERR, vendor_err being the RMPP status). An SMP with a
 * directed route that ends at this port goes to the port's own SMA. Context:
 * any; handlers are not called from within.
 * Return: 0, or -EINVAL (handlers missing, no address, directed route
 * impossible, class without RMPP on an agent with, posted already), -ENOMEM,
 * -ENODEV (the port is gone), or the driver's errno.
 */
int ib_post_send_mad(struct ib_mad_send_buf *send_buf,
		     struct ib_mad_send_buf **bad_send_buf)
{
	struct ib_mad_send_buf *next;
	int ret;

	for (; send_buf; send_buf = next) {
		/* Once posted it may be freed at any time. */
		next = send_buf->next;
		ret = mad_post_one(to_mad_send(send_buf));
		if (ret) {
			if (bad_send_buf)
				*bad_send_buf = send_buf;
			return ret;
		}
	}
	return 0;
}
OFED_EXPORT(ib_post_send_mad);

/**
 * ib_modify_mad - change the time limit of a posted MAD, or cancel it
 * @send_buf: a buffer that is not freed
 * @timeout_ms: from now on, if it waits for its response; 0 cancels
 *
 * A cancelled one comes to the send handler with IB_WC_WR_FLUSH_ERR, later and
 * from another context. Context: any.
 * Return: 0, or -EINVAL when there is nothing to modify: not posted, or answered,
 * cancelled or failed already.
 */
int ib_modify_mad(struct ib_mad_send_buf *send_buf, u32 timeout_ms)
{
	struct mad_agent *agent;
	unsigned long flags;
	int ret;

	if (!send_buf)
		return -EINVAL;
	agent = to_mad_send(send_buf)->agent;
	spin_lock_irqsave(&agent->lock, flags);
	ret = mad_sends_modify(&agent->sends, to_mad_send(send_buf),
			       msecs_to_jiffies(timeout_ms), jiffies);
	if (!ret)
		send_buf->timeout_ms = timeout_ms;
	mad_agent_arm(agent);
	spin_unlock_irqrestore(&agent->lock, flags);
	return ret;
}
OFED_EXPORT(ib_modify_mad);

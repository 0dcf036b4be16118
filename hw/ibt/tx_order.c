// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of a queue pair stay in order on their way through this host.
 *
 * What is sent on one processor may lie there until its softirqs run, which can be late
 * (ksoftirqd), or in one of several queues of the interface, chosen by processor. What is
 * sent on another one meanwhile overtakes it, and the receiver drops all that comes too
 * soon. So a queue pair goes on sending where it sent before as long as the link has packets
 * that are under way. If that processor does not begin in time, the order is given up: a
 * retransmission costs less than a stream that stands still.
 */
#include <linux/cpumask.h>
#include <linux/smp.h>

#include "../soft/task.h"
#include "dev.h"
#include "link.h"
#include "tx_order.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "resp_res.h"

static bool ibt_order_under_way(const struct ibt_port *port)
{
	const struct ibt_link_ops *link = port->dev->link;

	return link->tx_in_flight && link->tx_in_flight(port);
}

/**
 * ibt_order_ok - may packets be sent on this processor?
 * @port: they leave by
 * @cpu: where those in front of them were sent, or SOFT_NO_CPU. Becomes this one if so
 * @late: that one was to send them, and has not
 *
 * Context: softirqs disabled; the lock that guards @cpu is held.
 *
 * Return: false: they are to be sent on @cpu.
 */
bool ibt_order_ok(const struct ibt_port *port, int *cpu, bool late)
{
	int here = smp_processor_id();

	if (unlikely(*cpu != here && *cpu != SOFT_NO_CPU && !late) &&
	    cpu_online(*cpu) && ibt_order_under_way(port))
		return false;
	*cpu = here;
	return true;
}

/**
 * ibt_order_resp_here - may the responder send on this processor?
 * @qp: queue pair that answers
 *
 * Context: softirqs disabled; resp.lock held.
 *
 * Return: false: resp.cpu is to send.
 */
bool ibt_order_resp_here(struct ibt_qp *qp)
{
	struct ibt_resp *resp = &qp->resp;
	const struct ibt_port *port;

	lockdep_assert_held(&resp->lock);
	if (likely(resp->cpu == SOFT_NO_CPU || resp->cpu == smp_processor_id()))
		return true;
	port = ibt_dev_port(ibt_qp_dev(qp), READ_ONCE(qp->attr.port_num));
	if (port && !ibt_order_ok(port, &resp->cpu, resp->late))
		return false;
	/* Until a READ or atomic is answered, ACKs leave where they are made. */
	resp->cpu = SOFT_NO_CPU;
	return true;
}

/**
 * ibt_order_resp - may an answer leave here and now?
 * @qp: queue pair that answers
 * @psn: of the answer
 *
 * Every answer but that of a READ asks this before it leaves. It waits behind the answers of
 * READs that have not left yet, and goes where these were sent: a requester takes a READ or
 * atomic for lost when it gets what is behind it (IBA 9.7.5.1.4).
 *
 * Context: softirqs disabled; resp.lock held.
 *
 * Return: false: no; a round of resp.task comes when it may.
 */
bool ibt_order_resp(struct ibt_qp *qp, u32 psn)
{
	struct ibt_resp *resp = &qp->resp;

	lockdep_assert_held(&resp->lock);
	if (resp->reading.active && ibt_psn_diff(psn, resp->reading.psn) > 0)
		return false;
	if (resp->parked && ibt_replay_due_before(resp, psn))
		return false;
	if (resp->parts.num && ibt_read_part_due_before(&resp->parts, psn))
		return false;
	if (ibt_order_resp_here(qp))
		return true;
	soft_task_queue_on(&resp->task, resp->cpu);
	return false;
}

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
#include "order.h"
#include "port.h"

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
	const struct ibt_link_ops *link = port->dev->link;
	int here = smp_processor_id();

	if (unlikely(*cpu != here && *cpu != SOFT_NO_CPU && !late) &&
	    cpu_online(*cpu) && link->under_way && link->under_way(port))
		return false;
	*cpu = here;
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of a queue pair stay in order on their way through this host.
 *
 * What is sent on one processor may lie there until its softirqs have their turn,
 * which can be late (ksoftirqd), or in one of several queues of the interface, chosen
 * by processor. What is sent on another one meanwhile would overtake it, and the
 * receiver drop all that comes too soon. So who sends goes on where he sent before, as
 * long as something may still be there.
 */
#include <linux/cpumask.h>
#include <linux/smp.h>

#include "ibt.h"

/**
 * ibt_order_here - is this the processor that goes on?
 * @cpu: where packets were sent that something could overtake, or IBT_NO_CPU. Becomes
 *	 this one if so
 *
 * Context: softirqs disabled; the lock that guards @cpu is held.
 *
 * Return: whether packets may be sent on this one.
 */
bool ibt_order_here(int *cpu)
{
	int here = smp_processor_id();

	if (*cpu != here && *cpu != IBT_NO_CPU && cpu_online(*cpu))
		return false;
	*cpu = here;
	return true;
}

/**
 * ibt_order_there - go on elsewhere
 * @dev: device
 * @cpu: processor
 * @work: on no other queue, ever: there it would be waited for in vain
 *
 * Context: any.
 */
void ibt_order_there(const struct ibt_dev *dev, int cpu,
		     struct work_struct *work)
{
	queue_work_on(cpu, dev->cpus_wq, work);
}

/**
 * ibt_order_under_way - may packets of a port be where later ones would overtake them?
 * @port: they left by
 *
 * Context: any.
 */
bool ibt_order_under_way(const struct ibt_port *port)
{
	const struct ibt_link_ops *link = port->dev->link;

	return link->under_way && link->under_way(port);
}

/**
 * ibt_order_ok - may packets that nobody acknowledges be sent on this processor?
 * @port: they leave by
 * @cpu: where those in front of them were sent, or IBT_NO_CPU. Becomes this one if so
 * @work: as of ibt_order_there()
 *
 * Context: softirqs disabled; the lock that guards @cpu is held.
 *
 * Return: false: @work goes on, where they were.
 */
bool ibt_order_ok(const struct ibt_port *port, int *cpu,
		  struct work_struct *work)
{
	if (likely(ibt_order_here(cpu)))
		return true;
	if (ibt_order_under_way(port)) {
		ibt_order_there(port->dev, *cpu, work);
		return false;
	}
	*cpu = IBT_NO_CPU;
	return ibt_order_here(cpu);
}

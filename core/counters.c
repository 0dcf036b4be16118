// SPDX-License-Identifier: GPL-2.0
/*
 * QP counters: a QP can be bound to a counter of its own, which is then left
 * out of the port's sums. Every port starts with no binding at all.
 */
#include "counters.h"

void ofed_port_counter_init(struct rdma_port_counter *counter)
{
	counter->mode.mode = RDMA_COUNTER_MODE_NONE;
	/* Guards mode and num_counters. */
	mutex_init(&counter->lock);
}

void ofed_port_counter_release(struct rdma_port_counter *counter)
{
	mutex_destroy(&counter->lock);
}

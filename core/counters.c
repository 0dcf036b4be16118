// SPDX-License-Identifier: GPL-2.0
/*
 * QP counters: a QP can be bound to a counter of its own, which is then left
 * out of the port's sums. Every port starts with no binding at all.
 */
#include "counters.h"

/* Context: process, before the device is visible; port_data is allocated. */
void ofed_counters_init(struct ib_device *device)
{
	struct rdma_port_counter *counter;
	u32 port;

	rdma_for_each_port(device, port) {
		counter = &device->port_data[port].port_counter;
		counter->mode.mode = RDMA_COUNTER_MODE_NONE;
		/* Guards mode and num_counters. */
		mutex_init(&counter->lock);
	}
}

/* Context: process, when nothing can reach the device any more. */
void ofed_counters_release(struct ib_device *device)
{
	u32 port;

	rdma_for_each_port(device, port)
		mutex_destroy(&device->port_data[port].port_counter.lock);
}

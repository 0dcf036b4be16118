// SPDX-License-Identifier: GPL-2.0
/*
 * The QP counters of a port: its mode, the values of its counters, and what they
 * add to the port's own. counters.c has the locks.
 */
#include <linux/slab.h>
#include <compat/counter.h>
#include <kunit/visibility.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <ofed/restrack.h>

#include "counters.h"
#include "../sysfs/sysfs.h"

/* What programs may choose by; the rest of the mask is reserved. */
#define AUTO_MASKS (RDMA_COUNTER_MASK_QP_TYPE | RDMA_COUNTER_MASK_PID)

/**
 * ofed_counter_init - prepare the QP counters of a device, and room for what they have counted
 * @dev: device that is being registered
 *
 * A port without that memory, or without counters, has no QP counters either.
 * Context: process, may sleep.
 */
void ofed_counter_init(struct ib_device *dev)
{
	struct rdma_port_counter *counter;
	u32 port;

	rdma_for_each_port(dev, port) {
		counter = &dev->port_data[port].port_counter;
		counter->mode.mode = RDMA_COUNTER_MODE_NONE;
		mutex_init(&counter->lock);
		if (dev->ops.alloc_hw_port_stats)
			counter->hstats = dev->ops.alloc_hw_port_stats(dev, port);
	}
}

/**
 * ofed_counter_release - free what ofed_counter_init() got
 * @dev: device that has no QPs any more
 *
 * Context: process, may sleep.
 */
void ofed_counter_release(struct ib_device *dev)
{
	struct rdma_port_counter *counter;
	u32 port;

	rdma_for_each_port(dev, port) {
		counter = &dev->port_data[port].port_counter;
		rdma_free_hw_stats_struct(counter->hstats);
		counter->hstats = NULL;
		mutex_destroy(&counter->lock);
	}
}

/**
 * ofed_counter_next - the next counter of a port
 * @dev: device
 * @port: port number
 * @id: first number to look at; out: that of the counter
 *
 * Return: the counter, with a reference on its entry, or NULL.
 */
struct rdma_counter *ofed_counter_next(struct ib_device *dev, u32 port, u32 *id)
{
	struct rdma_restrack_entry *entry;

	for (; (entry = ofed_restrack_get_from(dev, RDMA_RESTRACK_COUNTER, id));
	     ++*id) {
		if (to_counter(entry)->port == port)
			return to_counter(entry);
		rdma_restrack_put(entry);
	}
	return NULL;
}

/**
 * ofed_counter_query_stats - read a counter's values anew
 * @counter: counter that the caller keeps alive
 *
 * They are in @counter->stats then. Context: process, may sleep.
 * Return: 0, -EINVAL (the driver can not), or the driver's errno.
 */
int ofed_counter_query_stats(struct rdma_counter *counter)
{
	int ret;

	if (!counter->device->ops.counter_update_stats)
		return ofed_refuse(counter->device, -EINVAL,
				   "the driver has no counter_update_stats");
	mutex_lock(&counter->lock);
	ret = counter->device->ops.counter_update_stats(counter);
	mutex_unlock(&counter->lock);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_counter_query_stats);

static int counter_check_auto(const struct ib_device *device,
			      const struct rdma_port_counter *port, u32 mask,
			      bool bind_opcnt)
{
	lockdep_assert_held(&port->lock);
	if (mask & ~AUTO_MASKS)
		return ofed_refuse(device, -EINVAL, "mask 0x%x of counters",
				   mask);
	if (port->mode.mode == RDMA_COUNTER_MODE_AUTO && port->mode.mask == mask &&
	    compat_counter_opcnt(&port->mode) == bind_opcnt)
		return 0;
	/* Those that are there were made by other rules. */
	return port->num_counters ? -EBUSY : 0;
}

/**
 * ofed_counter_set_auto_mode - switch automatic binding on a port on or off
 * @dev: device
 * @port: port number
 * @mask: what QPs that share a counter have in common; 0 switches off
 * @bind_opcnt: the driver is to bind its optional counters as well; since 7.x
 * @extack: for the reason of a failure
 *
 * Counters that are there when it is switched off stay until their last QP
 * goes. Context: process, may sleep.
 * Return: 0, also if it is so already; -EOPNOTSUPP (no counters), -EINVAL
 * (strange mask), -EBUSY (QPs are bound by another rule).
 */
int ofed_counter_set_auto_mode(struct ib_device *dev, u32 port,
			       enum rdma_nl_counter_mask mask, bool bind_opcnt,
			       struct netlink_ext_ack *extack)
{
	struct rdma_port_counter *counter = &dev->port_data[port].port_counter;
	int ret = 0;

	if (!counter->hstats)
		return ofed_refuse(dev, -EOPNOTSUPP,
				   "port %u has no counters of QPs", port);
	mutex_lock(&counter->lock);
	if (mask) {
		ret = counter_check_auto(dev, counter, mask, bind_opcnt);
		if (ret == -EBUSY)
			NL_SET_ERR_MSG(extack, "QPs are bound to counters");
		if (ret)
			goto out;
		counter->mode.mode = RDMA_COUNTER_MODE_AUTO;
	} else if (counter->mode.mode == RDMA_COUNTER_MODE_AUTO) {
		counter->mode.mode = counter->num_counters ?
				     RDMA_COUNTER_MODE_MANUAL :
				     RDMA_COUNTER_MODE_NONE;
	}
	counter->mode.mask = mask;
	compat_counter_set_opcnt(&counter->mode, mask && bind_opcnt);
out:
	mutex_unlock(&counter->lock);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_counter_set_auto_mode);

/**
 * ofed_counter_get_mode - read how QPs of a port are bound
 * @dev: device
 * @port: port number
 * @mode: out: the mode, and what is common in automatic mode
 *
 * Context: process, may sleep.
 */
void ofed_counter_get_mode(struct ib_device *dev, u32 port, struct rdma_counter_mode *mode)
{
	struct rdma_port_counter *counter = &dev->port_data[port].port_counter;

	mutex_lock(&counter->lock);
	*mode = counter->mode;
	mutex_unlock(&counter->lock);
}
EXPORT_SYMBOL_IF_KUNIT(ofed_counter_get_mode);

/**
 * ofed_counter_get_hwstat_value - what the counters of a port add to it
 * @dev: device
 * @port: port number
 * @index: which value
 *
 * Context: process, may sleep; the lock of the port's stats may be held.
 * Return: the sum over the counters that are there and those that were.
 */
u64 ofed_counter_get_hwstat_value(struct ib_device *dev, u32 port, u32 index)
{
	struct rdma_port_counter *history = &dev->port_data[port].port_counter;
	struct rdma_counter *counter;
	u64 sum = 0;
	u32 id;

	mutex_lock(&history->lock);
	for (id = 0; (counter = ofed_counter_next(dev, port, &id)); id++) {
		if (index < counter->stats->num_counters &&
		    !ofed_counter_query_stats(counter))
			sum += counter->stats->value[index];
		rdma_restrack_put(&counter->res);
	}
	if (history->hstats && index < history->hstats->num_counters)
		sum += history->hstats->value[index];
	mutex_unlock(&history->lock);
	return sum;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_counter_get_hwstat_value);

/**
 * ofed_counter_modify - switch an optional counter of a port on or off
 * @dev: device
 * @port: port number
 * @index: which counter
 * @enable: on or off
 *
 * Context: process, may sleep.
 * Return: 0, also if it is so already; -EOPNOTSUPP (the driver has none to
 * switch), -EINVAL (this one is always on, or not there), or the driver's
 * errno.
 */
int ofed_counter_modify(struct ib_device *dev, u32 port,
			unsigned int index, bool enable)
{
	struct rdma_hw_stats *stats;
	int ret = 0;

	if (!dev->ops.modify_hw_stat)
		return ofed_refuse_op(dev, "modify_hw_stat");
	stats = ofed_hw_stats_of_port(dev, port);
	if (!stats || index >= stats->num_counters ||
	    !(stats->descs[index].flags & IB_STAT_FLAG_OPTIONAL))
		return ofed_refuse(dev, -EINVAL,
				   "port %u has no optional counter %u", port,
				   index);
	mutex_lock(&stats->lock);
	if (enable == test_bit(index, stats->is_disabled)) {
		ret = dev->ops.modify_hw_stat(dev, port, index, enable);
		if (!ret)
			__assign_bit(index, stats->is_disabled, !enable);
	}
	mutex_unlock(&stats->lock);
	return ret;
}

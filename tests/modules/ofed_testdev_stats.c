// SPDX-License-Identifier: GPL-2.0
/* Counters: of the device, of a port, of QPs, and counter objects of users. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "ofed_testdev.h"

struct td_counters {
	struct ib_counters ib;
};

enum { TD_STAT_QPS, TD_STAT_MRS };

static const struct rdma_stat_desc td_device_stats[] = {
	[TD_STAT_QPS].name = "live_qps",
	[TD_STAT_MRS].name = "live_mrs",
};

enum { TD_STAT_SENT, TD_STAT_RECEIVED, TD_STAT_OPTIONAL };

static const struct rdma_stat_desc td_port_stats[] = {
	[TD_STAT_SENT].name = "sent_requests",
	[TD_STAT_RECEIVED].name = "received_requests",
	[TD_STAT_OPTIONAL].name = "optional",
	[TD_STAT_OPTIONAL].flags = IB_STAT_FLAG_OPTIONAL,
};

static struct rdma_hw_stats *td_alloc_device_stats(struct ib_device *ibdev)
{
	if (td_fault(ibdev, alloc_hw_device_stats))
		return NULL;
	return rdma_alloc_hw_stats_struct(td_device_stats,
					  ARRAY_SIZE(td_device_stats),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static struct rdma_hw_stats *td_alloc_port_stats(struct ib_device *ibdev,
						 u32 port_num)
{
	if (td_fault(ibdev, alloc_hw_port_stats))
		return NULL;
	return rdma_alloc_hw_stats_struct(td_port_stats,
					  ARRAY_SIZE(td_port_stats),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int td_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
			   u32 port_num, int index)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, get_hw_stats);

	if (ret)
		return ret;
	if (!port_num) {
		stats->value[TD_STAT_QPS] =
			atomic_read(&td->counts.live[TD_qp]);
		stats->value[TD_STAT_MRS] =
			atomic_read(&td->counts.live[TD_mr]);
	} else {
		stats->value[TD_STAT_SENT] = atomic64_read(&td->sent);
		stats->value[TD_STAT_RECEIVED] = atomic64_read(&td->received);
		stats->value[TD_STAT_OPTIONAL] = 1;
	}
	return stats->num_counters;
}

static int td_modify_hw_stat(struct ib_device *ibdev, u32 port_num,
			     unsigned int index, bool enable)
{
	int ret = td_fault(ibdev, modify_hw_stat);

	if (ret)
		return ret;
	return index == TD_STAT_OPTIONAL ? 0 : -EINVAL;
}

/* Room of the driver's own behind the core's. Since 7.x the core has no counter for one without. */
struct td_counter {
	struct rdma_counter ib;
	bool begun;
};

static void __maybe_unused td_counter_init(struct rdma_counter *counter)
{
	container_of(counter, struct td_counter, ib)->begun = true;
}

/* The only ids a QP counter can have are small and never run out. */
static int td_counter_bind_qp(COMPAT_COUNTER_PARAMS(struct rdma_counter *counter,
						     struct ib_qp *ibqp))
{
	int ret = td_fault(ibqp->device, counter_bind_qp);

	if (ret)
		return ret;
	if (!counter->id)
		counter->id = ibqp->qp_num;
	ibqp->counter = counter;
	return 0;
}

static int td_counter_unbind_qp(COMPAT_COUNTER_PARAMS(struct ib_qp *ibqp))
{
	int ret = td_fault(ibqp->device, counter_unbind_qp);

	if (ret)
		return ret;
	ibqp->counter = NULL;
	return 0;
}

static int td_counter_dealloc(struct rdma_counter *counter)
{
	int ret = td_fault(counter->device, counter_dealloc);

	if (ret)
		return ret;
	counter->id = 0;
	return 0;
}

static struct rdma_hw_stats *
td_counter_alloc_stats(struct rdma_counter *counter)
{
	if (td_fault(counter->device, counter_alloc_stats))
		return NULL;
	return rdma_alloc_hw_stats_struct(td_port_stats,
					  ARRAY_SIZE(td_port_stats),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/* Every counter has seen the same. */
static int td_counter_update_stats(struct rdma_counter *counter)
{
	int ret = td_fault(counter->device, counter_update_stats);

	if (ret)
		return ret;
	counter->stats->value[TD_STAT_SENT] = 10;
	counter->stats->value[TD_STAT_RECEIVED] = 20;
	counter->stats->value[TD_STAT_OPTIONAL] = 30;
	return 0;
}

static int td_create_counters(struct ib_counters *counters,
			      struct uverbs_attr_bundle *attrs)
{
	int ret = td_fault(counters->device, create_counters);

	return ret ? ret : td_get(to_td(counters->device), TD_counters);
}

static int td_destroy_counters(struct ib_counters *counters)
{
	int ret = td_fault(counters->device, destroy_counters);

	if (ret)
		return ret;
	td_put(to_td(counters->device), TD_counters);
	return 0;
}

static int td_read_counters(struct ib_counters *counters,
			    struct ib_counters_read_attr *attr,
			    struct uverbs_attr_bundle *attrs)
{
	int ret = td_fault(counters->device, read_counters);
	u32 i;

	if (ret)
		return ret;
	for (i = 0; i < attr->ncounters; i++)
		attr->counters_buff[i] = i;
	return 0;
}

const struct ib_device_ops td_stats_ops = {
	.alloc_hw_device_stats = td_alloc_device_stats,
	.alloc_hw_port_stats = td_alloc_port_stats,
	.get_hw_stats = td_get_hw_stats,
	.modify_hw_stat = td_modify_hw_stat,
	.counter_bind_qp = td_counter_bind_qp,
	.counter_unbind_qp = td_counter_unbind_qp,
	.counter_dealloc = td_counter_dealloc,
	.counter_alloc_stats = td_counter_alloc_stats,
	.counter_update_stats = td_counter_update_stats,
	COMPAT_COUNTER_OPS(struct td_counter, td_counter_init)
	.create_counters = td_create_counters,
	.destroy_counters = td_destroy_counters,
	.read_counters = td_read_counters,
	INIT_RDMA_OBJ_SIZE(ib_counters, td_counters, ib),
};

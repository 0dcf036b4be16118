// SPDX-License-Identifier: GPL-2.0
/*
 * PortSamplesControl and its results (sections 16.1.3.2, 16.1.3.4): what a port counts
 * in an interval of time. A node has one sampling mechanism. While it is in use, a
 * request of another client changes nothing; the status in the reply says so.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <rdma/ib_pma.h>

#include "fabric.h"
#include "node.h"
#include "pma.h"

#define TICK_NS		4	/* Tick is 0: the time that 10 bits take at 2.5 Gbit/s */
#define WIDTH_32	4	/* CounterWidth */
#define WIDTH_64	(2U << 30)	/* ExtendedWidth */
#define MANDATORY	1	/* CounterMask: quantities that each port can count */

/* By CounterSelect. */
static const enum ibf_count quantities[] = {
	[1] = IBF_XMIT_DATA,
	[2] = IBF_RCV_DATA,
	[3] = IBF_XMIT_PKTS,
	[4] = IBF_RCV_PKTS,
	[5] = IBF_XMIT_WAIT,
};

static bool ibf_is_quantity(u16 select)
{
	return select && select < ARRAY_SIZE(quantities);
}

static u64 ibf_count_of(const struct ibf_node *node, u16 select)
{
	const struct ibf_sample *sample = &node->sample;
	u64 sum = 0;
	u32 num;

	for (num = sample->first; num <= sample->last; num++)
		sum += atomic64_read(&node->ports[num].count[quantities[select]]);
	return sum;
}

/* Called at the start and at the end: the second call leaves the difference. */
static void ibf_pma_sample_measure(struct ibf_node *node)
{
	struct ibf_sample *sample = &node->sample;
	u32 i;

	lockdep_assert_held(&ibf_lock);
	for (i = 0; i < IBF_SAMPLES; i++)
		if (ibf_is_quantity(sample->select[i]))
			sample->value[i] = ibf_count_of(node, sample->select[i]) -
					   sample->value[i];
}

static enum hrtimer_restart ibf_pma_sample_expired(struct hrtimer *timer)
{
	struct ibf_node *node = container_of(timer, struct ibf_node, sample.timer);
	enum hrtimer_restart again = HRTIMER_NORESTART;
	struct ibf_sample *sample = &node->sample;

	spin_lock(&ibf_lock);
	ibf_pma_sample_measure(node);
	if (sample->status == IBF_SAMPLES_STARTED) {
		sample->status = IBF_SAMPLES_RUNNING;
		hrtimer_forward_now(timer, ns_to_ktime((u64)sample->interval * TICK_NS));
		again = HRTIMER_RESTART;
	} else {
		sample->status = IBF_SAMPLES_DONE;
	}
	spin_unlock(&ibf_lock);
	return again;
}

/* ---- attributes ---------------------------------------------------------------------- */

static void ibf_pma_sample_begin(struct ibf_node *node)
{
	struct ibf_sample *sample = &node->sample;
	u64 ticks = sample->start;

	memset(sample->value, 0, sizeof(sample->value));
	sample->status = IBF_SAMPLES_STARTED;
	if (!sample->start) {
		ibf_pma_sample_measure(node);
		sample->status = IBF_SAMPLES_RUNNING;
		ticks = sample->interval;
	}
	hrtimer_start(&sample->timer, ns_to_ktime(ticks * TICK_NS),
		      HRTIMER_MODE_REL_SOFT);
}

static void ibf_pma_sample_ask(struct ibf_node *node,
			       const struct ibf_samples_control *control)
{
	struct ibf_sample *sample = &node->sample;
	u16 select;
	u32 i;

	sample->port_select = control->port_select;
	sample->start = be32_to_cpu(control->start);
	/* The timer fires twice: the second expiry must be later than the first. */
	sample->interval = max(be32_to_cpu(control->interval), 1U);
	sample->tag = control->tag;
	for (i = 0; i < IBF_SAMPLES; i++) {
		select = be16_to_cpu(control->select[i]);
		sample->select[i] = ibf_is_quantity(select) ? select : 0;
	}
	ibf_pma_sample_begin(node);
}

static void ibf_fill_control(const struct ibf_sample *sample,
			     struct ibf_samples_control *control)
{
	u32 i, masks = 0;

	memset(control, 0, sizeof_field(struct ib_pma_mad, data));
	for (i = 0; i < 10; i++)
		masks |= MANDATORY << 3 * i;
	control->port_select = sample->port_select;
	control->counter_width = WIDTH_32;
	control->counter_masks = cpu_to_be32(masks);
	control->counter_masks10 = cpu_to_be16(masks & 0x7fff);
	control->status = sample->status;
	control->option_mask = cpu_to_be64(IBF_OPTIONS);
	control->start = cpu_to_be32(sample->start);
	control->interval = cpu_to_be32(sample->interval);
	control->tag = sample->tag;
	for (i = 0; i < IBF_SAMPLES; i++)
		control->select[i] = cpu_to_be16(sample->select[i]);
}

/**
 * ibf_sample_control - Get or Set PortSamplesControl
 * @node: node that is queried; ibf_lock is held
 * @data: 192 bytes: the values of a Set; filled with the reply
 * @set: true: Set; false: Get
 *
 * Return: the status of the reply.
 */
u16 ibf_sample_control(struct ibf_node *node, u8 *data, bool set)
{
	struct ibf_samples_control *control = (void *)data;
	struct ibf_sample *sample = &node->sample;
	u8 first, last;

	lockdep_assert_held(&ibf_lock);
	BUILD_BUG_ON(sizeof(*control) > sizeof_field(struct ib_pma_mad, data));
	if (set) {
		if (!ibf_pma_ports(node, control->port_select, &first, &last))
			return IBF_SMP_BAD_FIELD;
		/* Power off stops the timer: it must not be started afterwards. */
		if (sample->status == IBF_SAMPLES_DONE && node->live) {
			sample->first = first;
			sample->last = last;
			ibf_pma_sample_ask(node, control);
		}
	}
	ibf_fill_control(sample, control);
	return 0;
}

/**
 * ibf_sample_result - Get PortSamplesResult, or PortSamplesResultExtended
 * @node: node that is queried; ibf_lock is held
 * @data: 192 bytes: filled with the reply
 * @extended: true: PortSamplesResultExtended
 */
void ibf_sample_result(struct ibf_node *node, u8 *data, bool extended)
{
	struct ib_pma_portsamplesresult_ext *wide = (void *)data;
	struct ib_pma_portsamplesresult *result = (void *)data;
	const struct ibf_sample *sample = &node->sample;
	const bool done = sample->status == IBF_SAMPLES_DONE;
	u64 value;
	u32 i;

	lockdep_assert_held(&ibf_lock);
	BUILD_BUG_ON(ARRAY_SIZE(wide->counter) != IBF_SAMPLES ||
		     ARRAY_SIZE(result->counter) != IBF_SAMPLES);
	memset(data, 0, sizeof_field(struct ib_pma_mad, data));
	result->tag = sample->tag;
	result->sample_status = cpu_to_be16(sample->status);
	if (extended)
		wide->extended_width = cpu_to_be32(WIDTH_64);
	for (i = 0; i < IBF_SAMPLES; i++) {
		value = done ? sample->value[i] : 0;
		if (extended)
			wide->counter[i] = cpu_to_be64(value);
		else
			result->counter[i] = cpu_to_be32(min_t(u64, value, U32_MAX));
	}
}

/* ---- life ------------------------------------------------------------------------------ */

void ibf_sample_init(struct ibf_node *node)
{
	hrtimer_setup(&node->sample.timer, ibf_pma_sample_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
}

/* The node has no power, so no sampling can begin. Context: process, sleeps. */
void ibf_sample_stop(struct ibf_node *node)
{
	hrtimer_cancel(&node->sample.timer);
	spin_lock_bh(&ibf_lock);
	node->sample.status = IBF_SAMPLES_DONE;
	memset(node->sample.value, 0, sizeof(node->sample.value));
	spin_unlock_bh(&ibf_lock);
}

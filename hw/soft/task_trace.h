/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of tasks: events/soft_task/{soft_task_queue,soft_task_late}. The round says
 * which side of a queue pair it is. Devices are shown by their index, as 'rdma dev' does;
 * tasks that belong to no queue pair have qpn=0.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM soft_task

#if !defined(OFED_SOFT_TASK_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define OFED_SOFT_TASK_TRACE_H

#include <linux/ktime.h>
#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>

#include "task.h"

#ifndef OFED_SOFT_TASK_TRACE_ONCE
#define OFED_SOFT_TASK_TRACE_ONCE
/* What begins a round. */
enum soft_task_by {
	SOFT_TASK_BY_CALL,	/* a caller, or a packet */
	SOFT_TASK_BY_WORK,
	SOFT_TASK_BY_TIMER,
};
#endif

TRACE_DEFINE_ENUM(SOFT_TASK_BY_CALL);
TRACE_DEFINE_ENUM(SOFT_TASK_BY_WORK);
TRACE_DEFINE_ENUM(SOFT_TASK_BY_TIMER);

#define soft_task_show_by(by)						\
	__print_symbolic(by,						\
			 { SOFT_TASK_BY_CALL, "call" },			\
			 { SOFT_TASK_BY_WORK, "work" },			\
			 { SOFT_TASK_BY_TIMER, "timer" })

TRACE_EVENT(soft_task_queue,
	TP_PROTO(const struct soft_task *task, int cpu),
	TP_ARGS(task, cpu),

	TP_STRUCT__entry(
		__field(void *, round)
		__field(u32, dev)
		__field(u32, qpn)
		__field(int, cpu)
	),

	TP_fast_assign(
		__entry->round = task->round;
		__entry->dev = task->qp ? task->qp->device->index : 0;
		__entry->qpn = task->qp ? task->qp->qp_num : 0;
		__entry->cpu = cpu;
	),

	TP_printk("dev=%u qpn=%u %ps to cpu=%d", __entry->dev, __entry->qpn,
		  __entry->round, __entry->cpu)
);

TRACE_EVENT(soft_task_late,
	TP_PROTO(const struct soft_task *task, u8 by),
	TP_ARGS(task, by),

	TP_STRUCT__entry(
		__field(void *, round)
		__field(u64, waited)
		__field(u32, dev)
		__field(u32, qpn)
		__field(int, cpu)
		__field(u8, by)
	),

	TP_fast_assign(
		__entry->round = task->round;
		__entry->waited = ktime_get_mono_fast_ns() - task->since;
		__entry->dev = task->qp ? task->qp->device->index : 0;
		__entry->qpn = task->qp ? task->qp->qp_num : 0;
		__entry->cpu = task->cpu;
		__entry->by = by;
	),

	TP_printk("dev=%u qpn=%u %ps of cpu=%d, taken over by a %s after %llu ns",
		  __entry->dev, __entry->qpn, __entry->round, __entry->cpu,
		  soft_task_show_by(__entry->by), __entry->waited)
);

#endif /* OFED_SOFT_TASK_TRACE_H */

/* Relative to this project's include/, which is on the compiler's path. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH ../hw/soft
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE task_trace
#include <trace/define_trace.h>

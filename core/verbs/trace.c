// SPDX-License-Identifier: GPL-2.0
/* The tracepoints of the kernel's own <trace/events/rdma_core.h>. */
#include <rdma/ib_verbs.h>

#define CREATE_TRACE_POINTS
#include <trace/events/rdma_core.h>

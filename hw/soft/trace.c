// SPDX-License-Identifier: GPL-2.0
/* The bodies of the tracepoints. */
#define CREATE_TRACE_POINTS
#include "task_trace.h"

// SPDX-License-Identifier: GPL-2.0
/* The tracepoints of rdma_cm. */
#define CREATE_TRACE_POINTS
#include "trace.h"

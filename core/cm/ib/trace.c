// SPDX-License-Identifier: GPL-2.0
/* The tracepoints of the InfiniBand CM. */
#define CREATE_TRACE_POINTS
#include "trace.h"

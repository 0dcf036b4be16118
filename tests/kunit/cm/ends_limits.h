/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included first by ends_test.c and by the sources that it tests: limits that are small enough to
 * be reached.
 */
#ifndef CM_ENDS_LIMITS_H
#define CM_ENDS_LIMITS_H

#include "core/cm/ib/core.h"

#undef CM_PENDING_MOST
#define CM_PENDING_MOST 4
#undef CM_HALF_OPEN_MOST
#define CM_HALF_OPEN_MOST 6
#undef CM_UNMATCHED_MOST
#define CM_UNMATCHED_MOST 4
#undef CM_ADDR_AT_A_TIME
#define CM_ADDR_AT_A_TIME 3
#undef CM_TIMEWAIT_MOST
#define CM_TIMEWAIT_MOST 8

#endif /* CM_ENDS_LIMITS_H */

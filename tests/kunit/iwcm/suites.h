/* SPDX-License-Identifier: GPL-2.0 */
/* Suites of iw_kunit.ko. */
#ifndef KUNIT_IWCM_SUITES_H
#define KUNIT_IWCM_SUITES_H

#include <kunit/test.h>

extern struct kunit_suite iw_ends_suite;	/* ids with a driver that is played */

#endif /* KUNIT_IWCM_SUITES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Suites of iwarp_kunit.ko. */
#ifndef KUNIT_IWARP_SUITES_H
#define KUNIT_IWARP_SUITES_H

#include <kunit/test.h>

extern struct kunit_suite iwarp_frames_suite;		/* Terminate, start-up frames */
extern struct kunit_suite iwarp_conn_states_suite;	/* states of connections */

#endif /* KUNIT_IWARP_SUITES_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Suites of ibt_engine_kunit.ko. */
#ifndef IBT_ENGINE_H
#define IBT_ENGINE_H

#include "ibt_ends.h"

extern struct kunit_suite ibt_wire_suite;	/* packets meet accidents */
extern struct kunit_suite ibt_ends_suite;	/* how work requests end */

#endif /* IBT_ENGINE_H */

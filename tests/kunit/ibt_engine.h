/* SPDX-License-Identifier: GPL-2.0 */
/* Suites of ibt_engine_kunit.ko. */
#ifndef IBT_ENGINE_H
#define IBT_ENGINE_H

#include "ibt_ends.h"

extern struct kunit_suite ibt_wire_suite;	/* packets meet accidents */
extern struct kunit_suite ibt_ends_suite;	/* how work requests end */
extern struct kunit_suite ibt_apm_suite;	/* two paths */
extern struct kunit_suite ibt_words_suite;	/* ATOMIC WRITE, congestion */
extern struct kunit_suite ibt_recv_suite;	/* a hard life for the responder */
extern struct kunit_suite ibt_send_suite;	/* what gets in the way of sending */
extern struct kunit_suite ibt_again_suite;	/* what is lost for a moment only */
extern struct kunit_suite ibt_limits_suite;	/* multicast groups */

#endif /* IBT_ENGINE_H */

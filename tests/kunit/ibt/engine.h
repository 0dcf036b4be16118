/* SPDX-License-Identifier: GPL-2.0 */
/* Suites of ibt_engine_kunit.ko. */
#ifndef IBT_ENGINE_H
#define IBT_ENGINE_H

#include "qp_pair.h"

extern struct kunit_suite ibt_wire_suite;	/* packets meet accidents */
extern struct kunit_suite ibt_ends_suite;	/* how work requests end */
extern struct kunit_suite ibt_apm_suite;	/* two paths */
extern struct kunit_suite ibt_words_suite;	/* ATOMIC WRITE, congestion */
extern struct kunit_suite ibt_crowd_suite;	/* many at a link, or in a group */
extern struct kunit_suite ibt_crowd_runs_suite;
extern struct kunit_suite ibt_recv_suite;	/* a hard life for the responder */
extern struct kunit_suite ibt_send_suite;	/* what gets in the way of sending */
extern struct kunit_suite ibt_qp_end_suite;	/* requests of a queue pair that goes */
extern struct kunit_suite ibt_qp_end_runs_suite;
extern struct kunit_suite ibt_paging_suite;	/* and of those whose pages do not come */
extern struct kunit_suite ibt_again_suite;	/* what is lost for a moment only */
extern struct kunit_suite ibt_limits_suite;	/* multicast groups */
extern struct kunit_suite ibt_wire_runs_suite;
extern struct kunit_suite ibt_send_runs_suite;
extern struct kunit_suite ibt_recv_runs_suite;
extern struct kunit_suite ibt_ends_runs_suite;
extern struct kunit_suite ibt_runs_suite;	/* packets that leave together */
extern struct kunit_suite ibt_trains_suite;	/* messages that do */
extern struct kunit_suite ibt_lanes_suite;	/* and are received elsewhere */
extern struct kunit_suite ibt_early_suite;	/* and are sent again in time */
extern struct kunit_suite ibt_selective_suite;	/* alone */
extern struct kunit_suite ibt_wire_selective_suite;
extern struct kunit_suite ibt_congestion_suite;	/* or are marked on their way */
extern struct kunit_suite ibt_held_suite;	/* but not while they are here still */
extern struct kunit_suite ibt_order_suite;	/* and do not overtake each other */
extern struct kunit_suite ibt_answers_suite;	/* nor do answers */
extern struct kunit_suite ibt_asked_suite;	/* one that answers what asks alone */
extern struct kunit_suite ibt_unsignaled_suite;	/* requests that ask for little */
extern struct kunit_suite ibt_credits_suite;	/* a peer that counts its receives */
extern struct kunit_suite ibt_flush_suite;	/* what takes long to execute */
extern struct kunit_suite ibt_tm_fetch_suite;	/* requests of the responder itself */
extern struct kunit_suite ibt_calls_suite;	/* a consumer with a lock of its own */

/* suite_init, suite_exit: the same suite on a link that takes runs of packets. */
int runs_begin(struct kunit_suite *suite);
void runs_end(struct kunit_suite *suite);
/* And one where only what is missing comes again. */
int selective_begin(struct kunit_suite *suite);
void selective_end(struct kunit_suite *suite);

#endif /* IBT_ENGINE_H */

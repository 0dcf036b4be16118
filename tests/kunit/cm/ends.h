/* SPDX-License-Identifier: GPL-2.0 */
/* Consumers of the CM that keep a list of what they were told. */
#ifndef KUNIT_CM_ENDS_H
#define KUNIT_CM_ENDS_H

#include "fake_mad.h"

#define EVENTS_MOST	16

struct told {
	enum ib_cm_event_type type;
	int status;
	u8 data[8];
};

/*
 * A consumer.
 * @id: its id
 * @listener: if it is the passive side
 * @qpn: its QP
 * @answer: what its handler returns for a request
 * @owner: user that its requests are counted for, or NULL
 * @many: it takes any number of requests, and wants no events
 * @made: how many @ids came with requests
 * @ids: these
 * @count: of @events
 * @events: in the order they came
 * @status, @data: of the last that was expected
 */
struct end {
	struct ib_cm_id *id;
	struct ib_cm_id *listener;
	u32 qpn;
	int answer;
	struct ofed_cm_owner *owner;
	bool many;
	int made;
	struct ib_cm_id *ids[EVENTS_MOST];
	int count;
	struct told events[EVENTS_MOST];
	int status;
	u8 data[8];
};

/*
 * One call at a time per id, but requests to one listener come side by side;
 * tests look when all workers have settled.
 */
int end_handler(struct ib_cm_id *id, const struct ib_cm_event *event);
void end_open(struct kunit *test, struct end *end);
void end_listen(struct kunit *test, struct end *end, __be64 service);
int end_req(struct end *end, __be64 service);
int end_sidr(struct end *end, u8 len);
int end_rep(struct end *end);
void expect_no_event(struct kunit *test, struct end *end);
void expect_event(struct kunit *test, struct end *end, enum ib_cm_event_type type);
void wait_event_of(struct kunit *test, struct end *end, enum ib_cm_event_type type);
void ends_until_rep(struct kunit *test, struct end *a, struct end *b);
void ends_connect(struct kunit *test, struct end *a, struct end *b);
void ends_destroy(struct end *a, struct end *b);

/* Every request that @end has taken. */
void ends_forget(struct end *end);
void expect_attr(struct kunit *test, struct end *end, const struct end *peer,
		 int reads_here, int reads_there);
void played_unplug(void);
int played_init(struct kunit *test);

/* Whatever a test did, nothing is left. */
void played_exit(struct kunit *test);

/* other_peers_test.c: what others than the peer can do to a CM. */
extern struct kunit_suite ib_cm_others_suite;

#endif /* KUNIT_CM_ENDS_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * What others than the peer can do to a CM, and what an id or a device keeps of what is
 * over.
 */
#include "ends.h"

#include <linux/delay.h>

/* The end of a connection that @first asks for. */
static void ends_disconnect(struct kunit *test, struct end *first,
			    struct end *then)
{
	KUNIT_EXPECT_EQ(test, ib_send_cm_dreq(first->id, NULL, 0), 0);
	wire_run();
	expect_event(test, then, IB_CM_DREQ_RECEIVED);
	KUNIT_EXPECT_EQ(test, ib_send_cm_drep(then->id, "first", 5), 0);
	wire_run();
	expect_event(test, first, IB_CM_DREP_RECEIVED);
}

static void ids_of(const struct end *end, struct cm_msg_ids *ids)
{
	ids->tid = cpu_to_be64(0x1234);
	ids->local_id = end->id->local_id;
	ids->remote_id = end->id->remote_id;
}

static u32 timewaits(void)
{
	return READ_ONCE(played.data->timewaits);
}

/* TimeWait lasts, but not for more than may be: the oldest ends. */
static void timewait_test(struct kunit *test)
{
	struct end *a, *b, *c, *d;
	int i;

	a = kunit_kcalloc(test, 4, sizeof(*a), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, a);
	b = a + 1;
	c = a + 2;
	d = a + 3;

	ends_connect(test, a, b);
	ends_disconnect(test, a, b);
	ib_destroy_cm_id(b->listener);
	b->listener = NULL;
	for (i = 2; i < CM_TIMEWAIT_MOST; i += 2) {
		ends_connect(test, c, d);
		ends_destroy(c, d);
	}
	KUNIT_EXPECT_EQ(test, timewaits(), (u32)CM_TIMEWAIT_MOST);
	expect_no_event(test, a);
	expect_no_event(test, b);

	ends_connect(test, c, d);
	ends_destroy(c, d);
	expect_event(test, a, IB_CM_TIMEWAIT_EXIT);
	expect_event(test, b, IB_CM_TIMEWAIT_EXIT);
	KUNIT_EXPECT_EQ(test, (int)a->id->state, (int)IB_CM_IDLE);
	KUNIT_EXPECT_EQ(test, timewaits(), (u32)CM_TIMEWAIT_MOST);
	ends_destroy(a, b);
}

/* The QP of a connection that is over may have another one: it is not stale. */
static void qpn_again_test(struct kunit *test)
{
	struct end a, b, c;

	ends_connect(test, &a, &b);
	ends_disconnect(test, &a, &b);
	KUNIT_EXPECT_EQ(test, (int)b.id->state, (int)IB_CM_TIMEWAIT);
	ib_destroy_cm_id(b.id);
	b.id = NULL;

	end_open(test, &c);
	c.qpn = a.qpn;
	KUNIT_EXPECT_EQ(test, end_req(&c, SERVICE), 0);
	wire_run();
	expect_event(test, &b, IB_CM_REQ_RECEIVED);
	KUNIT_EXPECT_EQ(test, sent(CM_ATTR_REJ), 0l);
	ib_destroy_cm_id(c.id);
	ends_destroy(&a, &b);
}

static void wait_for_waiting(struct kunit *test, int n)
{
	int i;

	for (i = 0; i < 200 && atomic_read(&neighbours.waiting) < n; i++)
		msleep(20);
	/* And no more than these. */
	msleep(50);
	KUNIT_EXPECT_EQ(test, atomic_read(&neighbours.waiting), n);
}

/*
 * Replies to senders that cannot be reached have few places, and no sender waits
 * behind them.
 */
static void unmatched_test(struct kunit *test)
{
	struct cm_port *port = &played.data->port[0];
	struct cm_msg_ids ids = { .remote_id = cpu_to_be32(1) };
	struct end a, b;
	union cm_mad mad;
	int i;

	neighbours.closed = true;
	for (i = 0; i < CM_UNMATCHED_MOST; i++) {
		ids.local_id = cpu_to_be32(0x1000 + i);
		cm_build_dreq(&mad, &ids, 0x99, NULL, 0);
		deliver_from(&mad, &nowhere);
	}
	wait_for_waiting(test, CM_UNMATCHED_MOST);

	/* No id listens, and there is no place for the rejection. */
	end_open(test, &a);
	KUNIT_EXPECT_EQ(test, end_req(&a, SERVICE), 0);
	wire_run();
	expect_no_event(test, &a);
	KUNIT_EXPECT_EQ(test, atomic_read(&port->waiting[CM_UNMATCHED]),
			CM_UNMATCHED_MOST);
	KUNIT_EXPECT_EQ(test, atomic_read(&port->waiting[CM_ORDERED]), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&port->waiting[CM_NEEDS_ADDR]), 0);
	ib_destroy_cm_id(a.id);
	wire_run();

	ends_connect(test, &a, &b);
	KUNIT_EXPECT_EQ(test, atomic_read(&neighbours.waiting),
			CM_UNMATCHED_MOST);
	KUNIT_EXPECT_EQ(test, sent(CM_ATTR_DREP), 0l);
	neighbours_answer();
	wire_settle();
	KUNIT_EXPECT_EQ(test, sent(CM_ATTR_DREP), (long)CM_UNMATCHED_MOST);
	KUNIT_EXPECT_EQ(test, atomic_read(&port->waiting[CM_UNMATCHED]), 0);
	ends_destroy(&a, &b);
}

/* Of one port's requests a few look for their senders at a time. */
static void addr_wait_test(struct kunit *test)
{
	const int n = CM_ADDR_AT_A_TIME + 1;
	struct packet *packet;
	struct end *a, b;
	int i;

	a = kunit_kcalloc(test, n, sizeof(*a), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, a);
	end_listen(test, &b, SERVICE);
	b.many = true;
	neighbours.closed = true;
	for (i = 0; i < n; i++) {
		end_open(test, &a[i]);
		KUNIT_EXPECT_EQ(test, end_req(&a[i], SERVICE), 0);
	}
	while ((packet = take_packet())) {
		deliver_from(&packet->mad, &nowhere);
		kfree(packet);
	}
	wait_for_waiting(test, CM_ADDR_AT_A_TIME);
	KUNIT_EXPECT_EQ(test, played.data->port[0].addr_running,
			(u32)CM_ADDR_AT_A_TIME);

	neighbours_answer();
	wire_settle();
	KUNIT_EXPECT_EQ(test, b.made, n);
	KUNIT_EXPECT_EQ(test, played.data->port[0].addr_running, 0u);
	for (i = 0; i < n; i++)
		ib_destroy_cm_id(a[i].id);
	ends_forget(&b);
	ib_destroy_cm_id(b.listener);
	wire_run();
}

/* While its tables are looked at the device can not go; then it can. */
static void held_test(struct kunit *test)
{
	struct end a;

	end_open(test, &a);
	KUNIT_EXPECT_EQ(test, end_req(&a, SERVICE), 0);
	KUNIT_EXPECT_EQ(test, played.most_refs, 2);
	KUNIT_EXPECT_EQ(test, refcount_read(&played.device.refcount), 1u);
	ib_destroy_cm_id(a.id);
	wire_run();

	played.most_refs = 0;
	end_open(test, &a);
	KUNIT_EXPECT_EQ(test, end_sidr(&a, 0), 0);
	KUNIT_EXPECT_EQ(test, played.most_refs, 2);
	KUNIT_EXPECT_EQ(test, refcount_read(&played.device.refcount), 1u);
	ib_destroy_cm_id(a.id);
	wire_run();
}

/* A sender that knows the numbers of a connection is not its peer for that. */
static void address_test(struct kunit *test)
{
	const struct cm_rej_info info = {
		.reason = IB_CM_REJ_CONSUMER_DEFINED, .about = CM_ABOUT_OTHER,
	};
	struct cm_msg_ids ids;
	struct end a, b;
	union cm_mad mad;

	ends_connect(test, &a, &b);
	ids_of(&b, &ids);
	cm_build_rej(&mad, &ids, &info);
	deliver_from(&mad, &nowhere);
	wire_settle();
	expect_no_event(test, &a);
	KUNIT_EXPECT_EQ(test, (int)a.id->state, (int)IB_CM_ESTABLISHED);

	/* It may be told that the connection is over: for it, it is. */
	ids_of(&a, &ids);
	cm_build_dreq(&mad, &ids, b.qpn, NULL, 0);
	deliver_from(&mad, &nowhere);
	wire_run();
	expect_no_event(test, &b);
	KUNIT_EXPECT_EQ(test, (int)b.id->state, (int)IB_CM_ESTABLISHED);
	KUNIT_EXPECT_EQ(test, sent(CM_ATTR_DREP), 1l);

	ids_of(&b, &ids);
	cm_build_rej(&mad, &ids, &info);
	deliver(&mad);
	wire_settle();
	expect_event(test, &a, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)a.id->state, (int)IB_CM_TIMEWAIT);
	ends_destroy(&a, &b);
}

/* A new connection on an old id: what was said in the first is not said here. */
static void again_test(struct kunit *test)
{
	struct cm_msg_ids ids;
	struct end a, b;
	union cm_mad mad;

	played.life = SHORT_LIFE;
	ends_connect(test, &a, &b);
	ends_disconnect(test, &b, &a);
	wait_event_of(test, &a, IB_CM_TIMEWAIT_EXIT);
	wait_event_of(test, &b, IB_CM_TIMEWAIT_EXIT);
	ib_destroy_cm_id(b.id);
	ib_destroy_cm_id(b.listener);

	played.life = LIFE;
	a.qpn = played.next_qpn++;
	end_listen(test, &b, SERVICE);
	KUNIT_EXPECT_EQ(test, end_req(&a, SERVICE), 0);
	wire_run();
	expect_event(test, &b, IB_CM_REQ_RECEIVED);
	KUNIT_EXPECT_EQ(test, end_rep(&b), 0);
	wire_run();
	expect_event(test, &a, IB_CM_REP_RECEIVED);
	KUNIT_EXPECT_EQ(test, ib_send_cm_rej(b.id, IB_CM_REJ_CONSUMER_DEFINED,
					     NULL, 0, NULL, 0), 0);
	wire_run();
	expect_event(test, &a, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)a.id->state, (int)IB_CM_TIMEWAIT);

	wire.keep = CM_ATTR_DREP;
	ids_of(&b, &ids);
	cm_build_dreq(&mad, &ids, a.qpn, NULL, 0);
	deliver(&mad);
	wire_run();
	KUNIT_ASSERT_TRUE(test, wire.kept);
	KUNIT_EXPECT_EQ(test, (int)*(u8 *)IBA_GET_MEM_PTR(CM_DREP_PRIVATE_DATA,
							  &wire.kept_mad.drep),
			0);
	ends_destroy(&a, &b);
}

/* A port without MADs takes no connections from the other. */
static void no_mads_test(struct kunit *test)
{
	struct end a, b;

	played_unplug();
	played.device.phys_port_cnt = 2;
	played.no_mads = PORT + 1;
	KUNIT_ASSERT_EQ(test, played.client->add(&played.device), 0);
	played.there = true;
	ends_connect(test, &a, &b);
	ends_destroy(&a, &b);
}

static struct kunit_case others_cases[] = {
	KUNIT_CASE(timewait_test),
	KUNIT_CASE(qpn_again_test),
	KUNIT_CASE(unmatched_test),
	KUNIT_CASE(addr_wait_test),
	KUNIT_CASE(held_test),
	KUNIT_CASE(address_test),
	KUNIT_CASE(again_test),
	KUNIT_CASE(no_mads_test),
	{}
};

struct kunit_suite ib_cm_others_suite = {
	.name = "ib_cm_others",
	.init = played_init,
	.exit = played_exit,
	.test_cases = others_cases,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Two ends of the communication manager on one device without hardware. The MAD
 * layer and the tables of addresses are played here (fake_mad.c): a message
 * that is posted waits on a wire until the test carries it over, which it may do
 * never, once or twice.
 */
#include <linux/delay.h>
#include <linux/module.h>

#include "ends.h"

static void connect_test(struct kunit *test)
{
	struct end a, b;

	played.life = SHORT_LIFE;
	ends_connect(test, &a, &b);
	/* Each end knows the other's QP, PSN and limits. */
	expect_attr(test, &a, &b, 3, 2);
	expect_attr(test, &b, &a, 2, 3);

	KUNIT_EXPECT_EQ(test, ib_send_cm_dreq(a.id, "bye", 3), 0);
	KUNIT_EXPECT_EQ(test, ib_send_cm_dreq(a.id, NULL, 0), -EINVAL);
	wire_run();
	expect_event(test, &b, IB_CM_DREQ_RECEIVED);
	KUNIT_EXPECT_EQ(test, memcmp(b.data, "bye", 3), 0);
	KUNIT_EXPECT_EQ(test, ib_send_cm_drep(b.id, NULL, 0), 0);
	wire_run();
	expect_event(test, &a, IB_CM_DREP_RECEIVED);
	wait_event_of(test, &a, IB_CM_TIMEWAIT_EXIT);
	wait_event_of(test, &b, IB_CM_TIMEWAIT_EXIT);
	KUNIT_EXPECT_EQ(test, (int)a.id->state, (int)IB_CM_IDLE);
	ends_destroy(&a, &b);
}

/* Every message is lost once, and asked for again. */
static void loss_test(struct kunit *test)
{
	static const enum cm_attr lost[] = {
		CM_ATTR_REQ, CM_ATTR_REP, CM_ATTR_RTU,
	};
	struct end a, b;
	int i;

	for (i = 0; i < ARRAY_SIZE(lost); i++) {
		wire.lose = lost[i];
		ends_connect(test, &a, &b);
		KUNIT_EXPECT_EQ(test, (int)wire.lose, (int)CM_ATTRS);
		ends_destroy(&a, &b);
		wire_run();
	}

	ends_connect(test, &a, &b);
	wire.lose = CM_ATTR_DREQ;
	KUNIT_EXPECT_EQ(test, ib_send_cm_dreq(a.id, NULL, 0), 0);
	wire_run();
	wire_repeat();
	expect_event(test, &b, IB_CM_DREQ_RECEIVED);
	wire.lose = CM_ATTR_DREP;
	KUNIT_EXPECT_EQ(test, ib_send_cm_drep(b.id, "end", 3), 0);
	wire_run();
	expect_no_event(test, &a);
	/* In TimeWait the DREP is said again, with its private data. */
	wire_repeat();
	expect_event(test, &a, IB_CM_DREP_RECEIVED);
	KUNIT_EXPECT_EQ(test, memcmp(a.data, "end", 3), 0);
	ends_destroy(&a, &b);
}

/* Every message comes twice: no event does. */
static void twice_test(struct kunit *test)
{
	struct end a, b;

	wire.twice = true;
	ends_connect(test, &a, &b);
	KUNIT_EXPECT_EQ(test, ib_send_cm_dreq(a.id, NULL, 0), 0);
	wire_run();
	expect_event(test, &b, IB_CM_DREQ_RECEIVED);
	KUNIT_EXPECT_EQ(test, ib_send_cm_drep(b.id, NULL, 0), 0);
	wire_run();
	expect_event(test, &a, IB_CM_DREP_RECEIVED);
	KUNIT_EXPECT_GT(test, counter(CM_RX_DUPLICATES, CM_ATTR_REQ), 0l);
	KUNIT_EXPECT_GT(test, counter(CM_RX_DUPLICATES, CM_ATTR_RTU), 0l);
	ends_destroy(&a, &b);
}

/* No reply comes: the consumer is told, and the peer that we gave up. */
static void timeout_test(struct kunit *test)
{
	struct end a, b;

	end_open(test, &a);
	wire.deaf = true;
	KUNIT_EXPECT_EQ(test, end_req(&a, SERVICE), 0);
	wire_run();
	wire.deaf = false;
	wire_give_up();
	expect_event(test, &a, IB_CM_REQ_ERROR);
	KUNIT_EXPECT_EQ(test, (int)a.status, (int)IB_WC_RESP_TIMEOUT_ERR);
	KUNIT_EXPECT_EQ(test, sent(CM_ATTR_REJ), 1l);
	wire_run();

	/* The id may try again. */
	end_listen(test, &b, SERVICE);
	KUNIT_EXPECT_EQ(test, end_req(&a, SERVICE), 0);
	wire_run();
	expect_event(test, &b, IB_CM_REQ_RECEIVED);

	/* Then the passive side hears of the end by GUID. */
	wire_give_up();
	expect_event(test, &a, IB_CM_REQ_ERROR);
	wire_run();
	expect_event(test, &b, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)b.status, (int)IB_CM_REJ_TIMEOUT);
	KUNIT_EXPECT_EQ(test, (int)b.id->state, (int)IB_CM_IDLE);
	ends_destroy(&a, &b);
}

static void reject_test(struct kunit *test)
{
	struct end a, b;
	u8 ari[72] = { 7 };

	end_open(test, &a);
	KUNIT_EXPECT_EQ(test, end_req(&a, SERVICE), 0);
	wire_run();
	expect_event(test, &a, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)a.status, (int)IB_CM_REJ_INVALID_SERVICE_ID);

	end_listen(test, &b, SERVICE);
	KUNIT_EXPECT_EQ(test, end_req(&a, SERVICE), 0);
	wire_run();
	expect_event(test, &b, IB_CM_REQ_RECEIVED);
	KUNIT_EXPECT_EQ(test, ib_send_cm_rej(b.id, 28, ari, 73, NULL, 0),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ib_send_cm_rej(b.id, 28, NULL, 0, ari, 149),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ib_send_cm_rej(b.id, 28, ari, 72, "no", 2), 0);
	wire_run();
	expect_event(test, &a, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)a.status, (int)IB_CM_REJ_CONSUMER_DEFINED);
	KUNIT_EXPECT_EQ(test, memcmp(a.data, "no", 2), 0);
	ends_destroy(&a, &b);
}

/* A handler that fails has its id destroyed, and the peer is told. */
static void handler_fails_test(struct kunit *test)
{
	struct end a, b;

	end_open(test, &a);
	end_listen(test, &b, SERVICE);
	b.answer = -EPERM;
	KUNIT_EXPECT_EQ(test, end_req(&a, SERVICE), 0);
	wire_run();
	expect_event(test, &a, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)a.status, (int)IB_CM_REJ_CONSUMER_DEFINED);

	/* But not when it may work the next time. */
	b.answer = -ENOMEM;
	KUNIT_EXPECT_EQ(test, end_req(&a, SERVICE), 0);
	wire_run();
	expect_no_event(test, &a);
	b.answer = 0;
	wire_repeat();
	KUNIT_EXPECT_EQ(test, (int)b.id->state, (int)IB_CM_REQ_RCVD);
	ends_destroy(&a, &b);
}

/* The peer's QP comes again with another comm id: it has forgotten us. */
static void stale_test(struct kunit *test)
{
	struct end a, b, c;

	ends_connect(test, &a, &b);
	end_open(test, &c);
	c.qpn = a.qpn;
	KUNIT_EXPECT_EQ(test, end_req(&c, SERVICE), 0);
	wire_run();
	expect_event(test, &c, IB_CM_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)c.status, (int)IB_CM_REJ_STALE_CONN);
	KUNIT_EXPECT_EQ(test, (int)c.id->state, (int)IB_CM_TIMEWAIT);
	expect_event(test, &a, IB_CM_DREQ_RECEIVED);
	ib_destroy_cm_id(c.id);
	ends_destroy(&a, &b);
}

/* A REQ that comes after the end is not a new connection (12.9.8.3). */
static void late_req_test(struct kunit *test)
{
	struct end a, b;

	wire.keep = CM_ATTR_REQ;
	ends_connect(test, &a, &b);
	ends_destroy(&a, &b);
	wire_run();
	KUNIT_EXPECT_EQ(test, sent(CM_ATTR_REJ), 0l);
	deliver(&wire.kept_mad);
	wire_run();
	KUNIT_EXPECT_EQ(test, sent(CM_ATTR_REJ), 1l);
	KUNIT_EXPECT_EQ(test, wire.last_reason, (int)IB_CM_REJ_STALE_CONN);
}

static void patience_test(struct kunit *test)
{
	struct end a, b;
	u8 data[223] = { 1, 2, 3 };

	end_open(test, &a);
	end_listen(test, &b, SERVICE);
	KUNIT_EXPECT_EQ(test, end_req(&a, SERVICE), 0);
	wire_run();
	expect_event(test, &b, IB_CM_REQ_RECEIVED);
	KUNIT_EXPECT_EQ(test, ib_send_cm_mra(b.id, 24, data, 223), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_send_cm_mra(b.id, IB_CM_MRA_FLAG_DELAY | 24,
					     data, 222), 0);
	wire_run();
	expect_no_event(test, &a);
	wire_repeat();
	expect_event(test, &a, IB_CM_MRA_RECEIVED);
	KUNIT_EXPECT_EQ(test, memcmp(a.data, data, 3), 0);
	KUNIT_EXPECT_GE(test, wire.last_timeout, 1 << (24 - 8));
	/* The next one is a duplicate. */
	wire_repeat();
	expect_no_event(test, &a);
	KUNIT_EXPECT_EQ(test, end_rep(&b), 0);
	wire_run();
	expect_event(test, &a, IB_CM_REP_RECEIVED);
	KUNIT_EXPECT_EQ(test, ib_send_cm_mra(a.id, 20, NULL, 0), 0);
	wire_run();
	expect_event(test, &b, IB_CM_MRA_RECEIVED);
	KUNIT_EXPECT_EQ(test, ib_send_cm_mra(a.id, 20, NULL, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_send_cm_rtu(a.id, data, 225), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_send_cm_rtu(a.id, NULL, 0), 0);
	wire_run();
	expect_event(test, &b, IB_CM_RTU_RECEIVED);
	KUNIT_EXPECT_EQ(test, ib_cm_notify(b.id, IB_EVENT_COMM_EST), -EISCONN);
	KUNIT_EXPECT_EQ(test, ib_cm_notify(b.id, IB_EVENT_SQ_DRAINED), -EINVAL);
	ends_destroy(&a, &b);
}

/* Data came before the RTU. */
static void notify_test(struct kunit *test)
{
	struct end a, b;

	ends_until_rep(test, &a, &b);
	KUNIT_EXPECT_EQ(test, ib_cm_notify(a.id, IB_EVENT_COMM_EST), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cm_notify(b.id, IB_EVENT_COMM_EST), 0);
	wire_run();
	expect_event(test, &b, IB_CM_USER_ESTABLISHED);
	KUNIT_EXPECT_EQ(test, ib_send_cm_rtu(a.id, NULL, 0), 0);
	wire_run();
	expect_no_event(test, &b);
	ends_destroy(&a, &b);
}

static void listen_test(struct kunit *test)
{
	struct ib_cm_id *one, *two, *other;
	struct end a;

	one = ib_cm_insert_listen(&played.device, end_handler, SERVICE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, one);
	two = ib_cm_insert_listen(&played.device, end_handler, SERVICE);
	KUNIT_EXPECT_PTR_EQ(test, one, two);
	other = ib_cm_insert_listen(&played.device, NULL, SERVICE);
	KUNIT_EXPECT_EQ(test, PTR_ERR(other), (long)-EINVAL);

	end_open(test, &a);
	KUNIT_EXPECT_EQ(test, ib_cm_listen(a.id, SERVICE), -EBUSY);
	KUNIT_EXPECT_EQ(test, ib_cm_listen(a.id, cpu_to_be64(2ULL << 56 | 1)),
			-EINVAL);
	ib_destroy_cm_id(two);
	KUNIT_EXPECT_EQ(test, ib_cm_listen(a.id, SERVICE), -EBUSY);
	ib_destroy_cm_id(one);
	KUNIT_EXPECT_EQ(test, ib_cm_listen(a.id, SERVICE), 0);
	KUNIT_EXPECT_EQ(test, ib_cm_listen(a.id, SERVICE), -EINVAL);
	/* A listener of ib_cm_listen() is its owner's alone. */
	other = ib_cm_insert_listen(&played.device, end_handler, SERVICE);
	KUNIT_EXPECT_EQ(test, PTR_ERR(other), (long)-EINVAL);
	ib_destroy_cm_id(a.id);

	end_open(test, &a);
	KUNIT_EXPECT_EQ(test, ib_cm_listen(a.id, IB_CM_ASSIGN_SERVICE_ID), 0);
	KUNIT_EXPECT_NE(test, be64_to_cpu(a.id->service_id), 2ULL << 56);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(a.id->service_id) >> 56, 2ULL);
	ib_destroy_cm_id(a.id);
}

/* More than may be half open: the rest is dropped, and comes back later. */
static void limit_test(struct kunit *test)
{
	const int n = CM_HALF_OPEN_MOST + 2;
	struct end *a, b;
	int i;

	a = kunit_kcalloc(test, n, sizeof(*a), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, a);

	end_listen(test, &b, SERVICE);
	b.many = true;
	for (i = 0; i < n; i++) {
		end_open(test, &a[i]);
		KUNIT_EXPECT_EQ(test, end_req(&a[i], SERVICE), 0);
		wire_run();
	}
	KUNIT_EXPECT_EQ(test, b.made, CM_HALF_OPEN_MOST);
	KUNIT_EXPECT_EQ(test, sent(CM_ATTR_REJ), 0l);

	ends_forget(&b);
	wire_run();
	KUNIT_EXPECT_EQ(test, b.made, 0);
	wire_repeat();
	KUNIT_EXPECT_EQ(test, b.made, 2);
	for (i = 0; i < n; i++)
		ib_destroy_cm_id(a[i].id);
	ends_forget(&b);
	ib_destroy_cm_id(b.listener);
}

/* Requests that a listener's owner does not answer. */
static void fill(struct kunit *test, struct end *a, int n, __be64 service)
{
	for (; n; n--, a++) {
		end_open(test, a);
		KUNIT_EXPECT_EQ(test, end_req(a, service), 0);
		wire_run();
	}
}

static void end_listen_for(struct kunit *test, struct end *end, __be64 service, u32 uid)
{
	end_listen(test, end, service);
	end->many = true;
	end->owner = cm_owner_get(KUIDT_INIT(uid));
	KUNIT_ASSERT_NOT_NULL(test, end->owner);
}

/* A user with two listeners has half of all places, and leaves some to another user. */
static void owner_test(struct kunit *test)
{
	const __be64 other = cpu_to_be64(0x4712), third = cpu_to_be64(0x4713);
	const int n = CM_HALF_OPEN_MOST;
	struct end *a, *b;
	int i;

	a = kunit_kcalloc(test, 2 * n + 1, sizeof(*a), GFP_KERNEL);
	b = kunit_kcalloc(test, 3, sizeof(*b), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, a);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, b);

	end_listen_for(test, &b[0], SERVICE, 1000);
	end_listen_for(test, &b[1], other, 1000);
	end_listen_for(test, &b[2], third, 1001);
	KUNIT_EXPECT_PTR_EQ(test, b[0].owner, b[1].owner);
	fill(test, a, n, SERVICE);
	fill(test, a + n, n, other);
	KUNIT_EXPECT_EQ(test, b[0].made + b[1].made, n / 2);
	fill(test, a + 2 * n, 1, third);
	KUNIT_EXPECT_EQ(test, b[2].made, 1);
	KUNIT_EXPECT_EQ(test, sent(CM_ATTR_REJ), 0l);

	/* What ends makes room, and the peer comes again. */
	ends_forget(&b[0]);
	wire_run();
	wire_repeat();
	KUNIT_EXPECT_GT(test, b[0].made + b[1].made, 0);
	for (i = 0; i < 2 * n + 1; i++)
		ib_destroy_cm_id(a[i].id);
	for (i = 0; i < 3; i++) {
		ends_forget(&b[i]);
		ib_destroy_cm_id(b[i].listener);
		ofed_cm_owner_put(b[i].owner);
	}
}

static void sidr_test(struct kunit *test)
{
	struct ib_cm_sidr_rep_param rep = {
		.qp_num = 0x200, .qkey = 0x1234567, .status = IB_SIDR_SUCCESS,
		.private_data = "hi", .private_data_len = 2,
	};
	struct end a, b;

	end_open(test, &a);
	KUNIT_EXPECT_EQ(test, end_sidr(&a, 217), -EINVAL);
	KUNIT_EXPECT_EQ(test, end_sidr(&a, 216), 0);
	wire_run();
	expect_event(test, &a, IB_CM_SIDR_REP_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)a.status, (int)IB_SIDR_UNSUPPORTED);

	end_listen(test, &b, SERVICE);
	wire.twice = true;
	KUNIT_EXPECT_EQ(test, end_sidr(&a, 216), 0);
	wire_run();
	expect_event(test, &b, IB_CM_SIDR_REQ_RECEIVED);
	KUNIT_EXPECT_GT(test, counter(CM_RX_DUPLICATES, CM_ATTR_SIDR_REQ), 0l);
	rep.private_data_len = 137;
	KUNIT_EXPECT_EQ(test, ib_send_cm_sidr_rep(b.id, &rep), -EINVAL);
	rep.private_data_len = 2;
	KUNIT_EXPECT_EQ(test, ib_send_cm_sidr_rep(b.id, &rep), 0);
	KUNIT_EXPECT_EQ(test, ib_send_cm_sidr_rep(b.id, &rep), -EINVAL);
	wire_run();
	expect_event(test, &a, IB_CM_SIDR_REP_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)a.status, (int)IB_SIDR_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(a.data, "hi", 2), 0);

	/* An id that ends without a reply rejects. */
	ib_destroy_cm_id(b.id);
	b.id = NULL;
	wire.twice = false;
	KUNIT_EXPECT_EQ(test, end_sidr(&a, 0), 0);
	wire_run();
	expect_event(test, &b, IB_CM_SIDR_REQ_RECEIVED);
	ib_destroy_cm_id(b.id);
	b.id = NULL;
	wire_run();
	expect_event(test, &a, IB_CM_SIDR_REP_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)a.status, (int)IB_SIDR_REJECT);
	ends_destroy(&a, &b);
}

/* A DREQ for an id that is gone is confirmed, so that the peer is done. */
static void gone_test(struct kunit *test)
{
	struct end a, b;

	ends_connect(test, &a, &b);
	/* Its own DREQ is lost. */
	wire.lose = CM_ATTR_DREQ;
	ib_destroy_cm_id(b.id);
	b.id = NULL;
	wire_run();
	expect_no_event(test, &a);
	KUNIT_EXPECT_EQ(test, ib_send_cm_dreq(a.id, NULL, 0), 0);
	wire_run();
	expect_event(test, &a, IB_CM_DREP_RECEIVED);
	ends_destroy(&a, &b);
}

/* The device goes in the middle: an error, and the id is of no use. */
static void unplug_test(struct kunit *test)
{
	struct end a, b, c;

	ends_connect(test, &a, &b);
	end_open(test, &c);
	wire.deaf = true;
	KUNIT_EXPECT_EQ(test, end_req(&c, SERVICE), 0);
	KUNIT_EXPECT_EQ(test, ib_send_cm_dreq(a.id, NULL, 0), 0);
	played_unplug();
	expect_event(test, &c, IB_CM_REQ_ERROR);
	KUNIT_EXPECT_EQ(test, (int)c.status, (int)IB_WC_WR_FLUSH_ERR);
	expect_event(test, &a, IB_CM_DREQ_ERROR);
	expect_event(test, &a, IB_CM_TIMEWAIT_EXIT);
	/* Its tables are not looked at: played.late tells at the end. */
	KUNIT_EXPECT_EQ(test, end_req(&c, SERVICE), -EINVAL);
	KUNIT_EXPECT_EQ(test, end_sidr(&c, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_send_cm_dreq(b.id, NULL, 0), -EINVAL);
	/* Nothing of the device is held, although the ids are still there. */
	KUNIT_EXPECT_EQ(test, atomic_read(&played.gids), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&played.ahs), 0);
	ib_destroy_cm_id(c.id);
	ends_destroy(&a, &b);
}

/* Messages from a peer that is out of its mind. */
static void mutation_test(struct kunit *test)
{
	struct end a, b;
	int i;

	wire.mutate = true;
	for (i = 0; i < 500; i++) {
		end_open(test, &a);
		end_listen(test, &b, SERVICE);
		b.many = true;
		end_req(&a, SERVICE);
		wire_run();
		if (b.id)
			end_rep(&b);
		wire_run();
		ib_send_cm_rtu(a.id, NULL, 0);
		wire_run();
		ib_send_cm_dreq(a.id, NULL, 0);
		wire_run();
		ib_destroy_cm_id(a.id);
		ends_forget(&b);
		ib_destroy_cm_id(b.listener);
		wire_run();
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&cm_half_open_all), 0);
}

static struct kunit_case ends_cases[] = {
	KUNIT_CASE(connect_test),
	KUNIT_CASE(loss_test),
	KUNIT_CASE(twice_test),
	KUNIT_CASE(timeout_test),
	KUNIT_CASE(reject_test),
	KUNIT_CASE(handler_fails_test),
	KUNIT_CASE(stale_test),
	KUNIT_CASE(late_req_test),
	KUNIT_CASE(patience_test),
	KUNIT_CASE(notify_test),
	KUNIT_CASE(listen_test),
	KUNIT_CASE(limit_test),
	KUNIT_CASE(owner_test),
	KUNIT_CASE(sidr_test),
	KUNIT_CASE(gone_test),
	KUNIT_CASE(unplug_test),
	KUNIT_CASE(mutation_test),
	{}
};

static struct kunit_suite ends_suite = {
	.name = "ib_cm_ends",
	.init = played_init,
	.exit = played_exit,
	.test_cases = ends_cases,
};
kunit_test_suites(&ends_suite, &ib_cm_others_suite);

MODULE_DESCRIPTION("KUnit: two ends of the communication manager");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/* A shared receive queue gets another size while both sides of it go on. */
#include <linux/delay.h>
#include <linux/kthread.h>

#include "ibt_engine.h"

/* Requests of so many SGEs that a few hundred are copied in several pieces. */
enum { SMALL = 500, LARGE = 1500, MAX_SGE = 32, AT_ONCE = 8 };

static struct pair pair;

static int srq_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	return fake_start();
}

static void srq_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

static struct ib_srq *make_srq(void)
{
	struct ib_srq_init_attr init = {
		.srq_type = IB_SRQT_BASIC,
		.attr = { .max_wr = SMALL, .max_sge = MAX_SGE },
	};
	struct ib_srq *srq = ib_create_srq(pair.end[1].pd, &init);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(pair.test, srq);
	return srq;
}

/* Side 1 receives by @srq from now on. */
static void use_srq(struct ib_srq *srq)
{
	struct ib_qp_attr reset = { .qp_state = IB_QPS_RESET };
	struct end *e = &pair.end[1];
	struct ib_qp_init_attr attr = {
		.qp_type = pair.type,
		.send_cq = e->send_cq,
		.recv_cq = e->recv_cq,
		.srq = srq,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = { .max_send_wr = 2, .max_send_sge = 1 },
	};

	ib_destroy_qp(e->qp);
	e->qp = ib_create_qp(e->pd, &attr);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(pair.test, e->qp);
	KUNIT_ASSERT_EQ(pair.test, ib_modify_qp(pair.end[0].qp, &reset,
						IB_QP_STATE), 0);
	KUNIT_ASSERT_EQ(pair.test, ends_connect(&pair, 0), 0);
	KUNIT_ASSERT_EQ(pair.test, ends_connect(&pair, 1), 0);
}

static int post_one(struct ib_srq *srq, u64 id)
{
	struct ib_recv_wr wr = { .wr_id = id };

	return ib_post_srq_recv(srq, &wr, NULL);
}

static int resize(struct ib_srq *srq, u32 max_wr)
{
	struct ib_srq_attr attr = { .max_wr = max_wr };

	return ib_modify_srq(srq, &attr, IB_SRQ_MAX_WR);
}

static u32 size_of(struct ib_srq *srq)
{
	struct ib_srq_attr attr = { };

	KUNIT_EXPECT_EQ(pair.test, ib_query_srq(srq, &attr), 0);
	return attr.max_wr;
}

/* The next @count receives complete, and are those that were posted as @id on. */
static void receive(u64 id, u32 count)
{
	struct job job = { .op = IB_WR_SEND };
	u32 i;

	for (i = 0; i < count; i++)
		KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &job), 0);
	for (i = 0; i < count; i++) {
		EXPECT_WC(&pair, pair.end[0].send_cq, 0, IB_WC_SUCCESS);
		EXPECT_WC(&pair, pair.end[1].recv_cq, id + i, IB_WC_SUCCESS);
	}
}

/* What waits comes along; what has no room keeps the size that it had. */
static void sizes(struct kunit *test)
{
	struct ib_srq *srq;
	u32 i, room;

	ends_make(&pair);
	srq = make_srq();
	use_srq(srq);
	room = size_of(srq);
	KUNIT_EXPECT_GE(test, room, (u32)SMALL);
	for (i = 0; i < SMALL; i++)
		KUNIT_ASSERT_EQ(test, post_one(srq, i), 0);
	receive(0, AT_ONCE);
	KUNIT_EXPECT_EQ(test, resize(srq, 100), -EINVAL);
	KUNIT_EXPECT_EQ(test, resize(srq, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, size_of(srq), room);
	KUNIT_EXPECT_EQ(test, resize(srq, LARGE), 0);
	KUNIT_EXPECT_GE(test, size_of(srq), (u32)LARGE);
	for (; i < LARGE; i++)
		KUNIT_ASSERT_EQ(test, post_one(srq, i), 0);
	receive(AT_ONCE, AT_ONCE);
	KUNIT_EXPECT_EQ(test, resize(srq, SMALL), -EINVAL);
	receive(2 * AT_ONCE, AT_ONCE);
	ib_destroy_qp(pair.end[1].qp);
	pair.end[1].qp = NULL;
	ib_destroy_srq(srq);
}

/* Of those that were posted; what waits always fits into the small size. */
static u32 received;

static int post_for_ever(void *data)
{
	struct ib_srq *srq = data;
	u32 id = 0;

	while (!kthread_should_stop()) {
		if (id - READ_ONCE(received) < SMALL - 100 &&
		    !post_one(srq, id))
			id++;
		else
			usleep_range(100, 200);
	}
	return 0;
}

static void while_in_use(struct kunit *test)
{
	struct task_struct *poster;
	struct ib_srq *srq;
	u32 round;

	ends_make(&pair);
	srq = make_srq();
	use_srq(srq);
	received = 0;
	poster = kthread_run(post_for_ever, srq, "ibt_srq_kunit");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, poster);
	for (round = 0; round < 60; round++) {
		receive(round * AT_ONCE, AT_ONCE);
		WRITE_ONCE(received, received + AT_ONCE);
		KUNIT_EXPECT_EQ(test, resize(srq, round & 1 ? SMALL : LARGE),
				0);
	}
	kthread_stop(poster);
	ib_destroy_qp(pair.end[1].qp);
	pair.end[1].qp = NULL;
	ib_destroy_srq(srq);
}

static struct kunit_case srq_cases[] = {
	KUNIT_CASE(sizes),
	KUNIT_CASE(while_in_use),
	{ }
};

struct kunit_suite ibt_srq_suite = {
	.name = "ibt_engine_srq",
	.init = srq_init,
	.exit = srq_exit,
	.test_cases = srq_cases,
};

// SPDX-License-Identifier: GPL-2.0
/* Requests that fail while their queue pair changes its state, or is destroyed. */
#include <linux/delay.h>

#include "hw/ibt/dev.h"
#include "hw/ibt/objref.h"
#include "hw/ibt/qp.h"
#include "hw/ibt/qp_table.h"
#include "engine.h"

static struct pair pair;

static int qp_end_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	pair.mtu = IB_MTU_4096;
	return fake_start();
}

static void qp_end_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

static void post(struct job job)
{
	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &job), 0);
}

static void expect_sent(u64 id, enum ib_wc_status status)
{
	EXPECT_WC(&pair, pair.end[0].send_cq, id, status);
}

static int to_state(int which, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(pair.end[which].qp, &attr, IB_QP_STATE);
}

static int bad_post;

static void fail_now(void)
{
	bad_post = ends_post(&pair, 0, &(struct job){
			.op = IB_WR_SEND, .id = 4, .length = 8, .lkey = 0x12345600 });
}

/* A send fails while modify_qp is on its way from RTS to RTS. */
static void failure_inside_modify(struct kunit *test)
{
	struct ib_qp_attr attr = {
		.alt_port_num = 1,
		.alt_ah_attr.type = RDMA_AH_ATTR_TYPE_IB,
	};

	ends_defaults(&pair, test, IB_QPT_UC);
	ends_make(&pair);
	rdma_ah_set_port_num(&attr.alt_ah_attr, 1);
	rdma_ah_set_path_bits(&attr.alt_ah_attr, 1);
	rdma_ah_set_dlid(&attr.alt_ah_attr, 4);
	bad_post = -1;
	fake.resolving = fail_now;
	KUNIT_EXPECT_EQ(test, ib_modify_qp(pair.end[0].qp, &attr, IB_QP_ALT_PATH),
			0);
	KUNIT_EXPECT_EQ(test, bad_post, 0);
	expect_sent(4, IB_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 0), IB_QPS_SQE);
	post((struct job){ .op = IB_WR_RDMA_WRITE, .id = 5, .length = 8 });
	expect_sent(5, IB_WC_WR_FLUSH_ERR);

	KUNIT_EXPECT_EQ(test, to_state(0, IB_QPS_RTS), 0);
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 0), IB_QPS_RTS);
	post((struct job){ .op = IB_WR_RDMA_WRITE, .id = 6, .length = 8 });
	expect_sent(6, IB_WC_SUCCESS);
}

/* ---- completions of a queue pair that is no more -------------------------------------------------- */

/* A queue pair on the CQs of side 0 that flushes its requests. */
static struct ib_qp *make_other(void)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.send_cq = pair.end[0].send_cq,
		.recv_cq = pair.end[0].recv_cq,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1 };
	struct ib_qp *qp = ib_create_qp(pair.end[0].pd, &init);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(pair.test, qp);
	KUNIT_EXPECT_EQ(pair.test,
			ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT |
				     IB_QP_PKEY_INDEX | IB_QP_ACCESS_FLAGS), 0);
	attr.qp_state = IB_QPS_ERR;
	KUNIT_EXPECT_EQ(pair.test, ib_modify_qp(qp, &attr, IB_QP_STATE), 0);
	return qp;
}

static void post_to(struct ib_qp *qp, u64 id)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND, .wr_id = id };

	KUNIT_EXPECT_EQ(pair.test, ib_post_send(qp, &wr, NULL), 0);
}

static void completions_of_the_dead(struct kunit *test)
{
	static const char whose[] = "ododdooddd";	/* other, dead */
	struct ib_cq *cq;
	struct ib_qp *other;
	struct ib_wc wc = { };
	int i;

	fake.local = true;
	ends_make(&pair);
	cq = pair.end[0].send_cq;
	other = make_other();
	/* The ring wraps in the midst of them. */
	for (i = 0; i < 1018; i++) {
		post_to(other, i);
		KUNIT_ASSERT_TRUE(test, ends_wait(cq, &wc));
	}
	for (i = 0; whose[i]; i++) {
		if (whose[i] == 'o')
			post_to(other, i);
		else
			post((struct job){ .op = IB_WR_RDMA_WRITE, .id = i,
					   .length = 8 });
	}
	ends_recv(&pair, 0, 77, 0, 8);
	ib_destroy_qp(pair.end[0].qp);
	pair.end[0].qp = NULL;

	for (i = 0; whose[i]; i++) {
		if (whose[i] != 'o')
			continue;
		KUNIT_EXPECT_EQ(test, ib_poll_cq(cq, 1, &wc), 1);
		KUNIT_EXPECT_EQ(test, wc.wr_id, (u64)i);
		KUNIT_EXPECT_PTR_EQ(test, wc.qp, other);
	}
	KUNIT_EXPECT_TRUE(test, ends_quiet(cq));
	KUNIT_EXPECT_TRUE(test, ends_quiet(pair.end[0].recv_cq));
	/* There is room as before. */
	post_to(other, 99);
	KUNIT_EXPECT_EQ(test, ib_poll_cq(cq, 1, &wc), 1);
	KUNIT_EXPECT_EQ(test, wc.wr_id, 99ULL);
	ib_destroy_qp(other);
}

/* ---- requests to a queue pair that is no more ----------------------------------------------------- */

/* A round runs, as far as a request can tell, and the one that is to receive it never begins. */
static void a_request_to_the_dead(struct kunit *test)
{
	atomic_t *queued;
	struct ibt_qp *qp;
	int i;

	ends_make(&pair);
	queued = &to_ibt_dev(fake_ib(1))->queued;
	qp = container_of(pair.end[1].qp, struct ibt_qp, ib);
	atomic_set(&qp->resp.task.state, SOFT_TASK_BUSY);
	post((struct job){ .op = IB_WR_RDMA_WRITE, .id = 1, .length = 8 });
	for (i = 0; i < 100 && !atomic_read(queued); i++)
		msleep(20);
	KUNIT_EXPECT_NE(test, atomic_read(queued), 0);
	ib_destroy_qp(pair.end[1].qp);
	pair.end[1].qp = NULL;
	KUNIT_EXPECT_EQ(test, atomic_read(queued), 0);
}

/* ---- what processors keep of a queue pair --------------------------------------------------------- */

static struct ibt_qp *found(struct ibt_dev *dev, u32 qpn)
{
	struct ibt_qp *qp;

	rcu_read_lock();
	qp = ibt_qp_find(dev, qpn);
	rcu_read_unlock();
	if (qp)
		ibt_qp_put(qp);
	return qp;
}

/* How many processors keep something in the place of that number. */
static u32 kept_for(struct ibt_dev *dev, u32 qpn)
{
	u32 num = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		num += !!rcu_access_pointer(per_cpu_ptr(dev->recent, cpu)->of[qpn % IBT_RECENT]);
	return num;
}

static void found_until_the_end(struct kunit *test)
{
	struct ibt_dev *dev;
	struct ibt_qp *qp;
	u32 qpn;
	int i;

	ends_make(&pair);
	dev = to_ibt_dev(fake_ib(1));
	qp = container_of(pair.end[1].qp, struct ibt_qp, ib);
	qpn = qp->ib.qp_num;
	/* By a lookup, then by what the lookup has left. */
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_PTR_EQ(test, found(dev, qpn), qp);
	KUNIT_EXPECT_NE(test, kept_for(dev, qpn), 0U);
	/* Another number in the same place. */
	KUNIT_EXPECT_NULL(test, found(dev, qpn + IBT_RECENT));
	KUNIT_EXPECT_PTR_EQ(test, found(dev, qpn), qp);

	/* It ends, and a packet still has a reference. */
	KUNIT_EXPECT_TRUE(test, ibt_qp_get(qp));
	ibt_qp_unpublish(qp);
	KUNIT_EXPECT_NULL(test, found(dev, qpn));
	ibt_qp_put(qp);
	ib_destroy_qp(pair.end[1].qp);
	pair.end[1].qp = NULL;
	KUNIT_EXPECT_NULL(test, found(dev, qpn));
	KUNIT_EXPECT_EQ(test, kept_for(dev, qpn), 0U);
}

static struct kunit_case qp_end_cases[] = {
	KUNIT_CASE(failure_inside_modify),
	KUNIT_CASE(completions_of_the_dead),
	KUNIT_CASE(a_request_to_the_dead),
	KUNIT_CASE(found_until_the_end),
	{ }
};

struct kunit_suite ibt_qp_end_suite = {
	.name = "ibt_engine_qp_end",
	.init = qp_end_init,
	.exit = qp_end_exit,
	.test_cases = qp_end_cases,
};

struct kunit_suite ibt_qp_end_runs_suite = {
	.name = "ibt_engine_qp_end_runs",
	.suite_init = runs_begin,
	.suite_exit = runs_end,
	.init = qp_end_init,
	.exit = qp_end_exit,
	.test_cases = qp_end_cases,
};

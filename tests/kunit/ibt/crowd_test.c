// SPDX-License-Identifier: GPL-2.0
/* Crowds: many queue pairs that wait for the link, and many in a multicast group. */
#include <linux/delay.h>

#include "gate.h"

static struct pair pair;

static int crowd_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	return fake_start();
}

static void crowd_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

/* ---- many wait for the link --------------------------------------------------------------------- */

#define CROWD 96

static struct ib_qp *crowd[CROWD];

static void make_crowd(int which, int number)
{
	int i;

	for (i = 0; i < number; i++)
		crowd[i] = make_qp(&pair, which, NULL);
}

static void drop_crowd(int number)
{
	int i;

	for (i = 0; i < number; i++)
		ib_destroy_qp(crowd[i]);
}

static enum fake_fate into_the_void(u32 number, const u8 *bth)
{
	pass_gate(number);
	return FAKE_DROP;
}

static void all_send(u32 bytes)
{
	const struct job write = { .op = IB_WR_RDMA_WRITE, .length = bytes };
	struct ib_qp *first = pair.end[0].qp;
	int i;

	for (i = 0; i < CROWD; i++) {
		pair.end[0].qp = crowd[i];
		KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &write), 0);
	}
	pair.end[0].qp = first;
}

/* Each of them sends a packet before it knows; so the link must not call all. */
static void woken_by_the_handful(struct kunit *test)
{
	u32 waiting;
	int i;

	if (fake_run_packets)
		kunit_skip(test, "one packet is what it counts");
	ends_defaults(&pair, test, IB_QPT_UC);
	ends_make(&pair);
	make_crowd(0, CROWD);
	close_gate(0, into_the_void);
	fake.limit = 2;
	all_send(2048);
	reach_gate(&pair);
	waiting = queue_when_waiting(&pair, 0, false, CROWD);
	KUNIT_EXPECT_GE(test, waiting, (u32)CROWD - 4);

	/* All these pass, there is room, and the first that comes then is held. */
	WRITE_ONCE(gate.at, waiting + 1);
	reinit_completion(&gate.reached);
	complete(&gate.open);
	reach_gate(&pair);
	KUNIT_EXPECT_LE(test, queue_when_waiting(&pair, 0, false, CROWD),
			(u32)CROWD / 2);

	/* No queue pair is forgotten: eight packets each. */
	WRITE_ONCE(gate.at, ~0);
	complete(&gate.open);
	for (i = 0; i < CROWD; i++)
		EXPECT_WC(&pair, pair.end[0].send_cq, 0, IB_WC_SUCCESS);
	fake_restart(NULL);
	drop_crowd(CROWD);
}

/* ---- many in a group -------------------------------------------------------------------------------- */

enum { MEMBERS = 40 };

static union ib_gid group_gid = {
	.raw = { 0xff, 0x12, 0x60, 0x1b, [15] = 0x77 },
};

static void forge_multicast(u32 qkey)
{
	u8 bytes[12 + 8 + 100 + 4] = { };

	put32(put32(put_bth(bytes, UD_SEND_ONLY, IBT_MCAST_QPN, 1), qkey), 5);
	fake.group = &group_gid;
	fake_inject(1, bytes, sizeof(bytes));
	fake.group = NULL;
}

static void make_group(struct kunit *test)
{
	struct ib_sge sge = { .length = 200 };
	struct ib_recv_wr wr = { .wr_id = 9, .sg_list = &sge, .num_sge = 1 };
	int i;

	ends_defaults(&pair, test, IB_QPT_UD);
	ends_make(&pair);
	make_crowd(1, MEMBERS);
	sge.addr = (uintptr_t)pair.end[1].buf;
	sge.lkey = pair.end[1].pd->local_dma_lkey;
	for (i = 0; i < MEMBERS; i++) {
		KUNIT_EXPECT_EQ(test, ib_post_recv(crowd[i], &wr, NULL), 0);
		KUNIT_EXPECT_EQ(test, ib_attach_mcast(crowd[i], &group_gid,
						      0xc001), 0);
	}
}

static void leave_group(int first, int behind)
{
	int i;

	for (i = first; i < behind; i++)
		KUNIT_EXPECT_EQ(pair.test, ib_detach_mcast(crowd[i], &group_gid,
							   0xc001), 0);
}

static void wait_crowd(struct ibt_dev *dev)
{
	unsigned long deadline = jiffies + 20 * HZ;

	while (READ_ONCE(dev->num_crowd) && time_before(jiffies, deadline))
		usleep_range(100, 1000);
	flush_work(&dev->mcast_backlog_work);
}

/* Not where the packet came in, which the lock shows; nor without end. */
static void crowd_is_for_the_work(struct kunit *test)
{
	struct ibt_dev *dev = dev_of(1);
	struct ib_wc wc;
	u64 dropped;
	int i;

	make_group(test);
	mutex_lock(&dev->groups_lock);
	forge_multicast(0x11111111);
	KUNIT_EXPECT_EQ(test, ib_poll_cq(pair.end[1].recv_cq, 1, &wc), 0);
	mutex_unlock(&dev->groups_lock);
	for (i = 0; i < MEMBERS; i++)
		EXPECT_WC(&pair, pair.end[1].recv_cq, 9, IB_WC_SUCCESS);

	mutex_lock(&dev->groups_lock);
	dropped = ends_counter(1, "rx_dropped");
	for (i = 0; i < 200; i++)
		forge_multicast(0x22222222);
	KUNIT_EXPECT_GE(test, ends_counter(1, "rx_dropped") - dropped, 130ULL);
	KUNIT_EXPECT_LT(test, ends_counter(1, "rx_dropped") - dropped, 140ULL);
	mutex_unlock(&dev->groups_lock);
	wait_crowd(dev);
	KUNIT_EXPECT_EQ(test, atomic_read(&dev->queued), 0);

	/* A packet may wait when all members leave. */
	mutex_lock(&dev->groups_lock);
	forge_multicast(0x11111111);
	mutex_unlock(&dev->groups_lock);
	leave_group(0, MEMBERS);
	drop_crowd(MEMBERS);
	wait_crowd(dev);
}

/* A packet with a bad key is one, however many members see that. */
static void bad_key_counts_once(struct kunit *test)
{
	make_group(test);
	forge_multicast(0x22222222);
	wait_crowd(dev_of(1));
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_qkey_errors"), 1ULL);
	leave_group(0, MEMBERS - 10);
	forge_multicast(0x22222222);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_qkey_errors"), 2ULL);
	leave_group(MEMBERS - 10, MEMBERS);
	drop_crowd(MEMBERS);
}

static struct kunit_case crowd_cases[] = {
	KUNIT_CASE(woken_by_the_handful),
	KUNIT_CASE(crowd_is_for_the_work),
	KUNIT_CASE(bad_key_counts_once),
	{ }
};

struct kunit_suite ibt_crowd_suite = {
	.name = "ibt_engine_crowd",
	.init = crowd_init,
	.exit = crowd_exit,
	.test_cases = crowd_cases,
};

struct kunit_suite ibt_crowd_runs_suite = {
	.name = "ibt_engine_crowd_runs",
	.suite_init = runs_begin,
	.suite_exit = runs_end,
	.init = crowd_init,
	.exit = crowd_exit,
	.test_cases = crowd_cases,
};

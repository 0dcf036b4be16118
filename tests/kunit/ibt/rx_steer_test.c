// SPDX-License-Identifier: GPL-2.0
/*
 * Runs that are received on another processor: only the counter shows it. And
 * what makes that worth while: an ACK does not wait for the sender.
 */
#include <linux/delay.h>
#include <linux/prandom.h>

#include "hw/ibt/completer.h"
#include "hw/ibt/dev.h"
#include "hw/ibt/qp.h"
#include "engine.h"

#define MTU	256
#define RUBBISH	10000	/* bytes */

static struct pair pair;

static int lanes_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	/* So many that another processor is worth waking. */
	fake_run_packets = 64;
	fake_run_whole = true;
	fake_lanes = true;
	return fake_start();
}

static void lanes_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
	fake_lanes = false;
	runs_end(NULL);
}

static struct ibt_dev *dev_of(int which)
{
	return to_ibt_dev(fake_ib(which));
}

static void fill(u8 *at, u32 bytes, u32 seed)
{
	struct rnd_state random;

	prandom_seed_state(&random, seed);
	prandom_bytes_state(&random, at, bytes);
}

/* The last bytes complete a request before their skb is freed. */
static void expect_empty(struct kunit *test, struct ibt_dev *dev)
{
	int i;

	for (i = 0; i < 100 && atomic_read(&dev->active_rx_queues); i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, atomic_read(&dev->active_rx_queues), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&dev->queued), 0);
}

/*
 * Long ones with a middle that goes through a lane, and what comes alone behind them, into
 * the same bytes: the last one wins.
 */
static void all_stay_in_order(struct kunit *test)
{
	static const struct job jobs[] = {
		{ IB_WR_RDMA_WRITE, 1, 0, 40 * MTU },
		{ IB_WR_RDMA_WRITE, 2, 20 * MTU, 100, 10 * MTU },
		{ IB_WR_SEND, 3, 0, 34 * MTU },
		{ IB_WR_RDMA_WRITE, 4, 0, 1, 5 * MTU },
		{ IB_WR_RDMA_READ, 5, 0xc000, 40 * MTU, 0 },
	};
	u8 *near, *far;
	u32 i, round;

	ends_make(&pair);
	near = pair.end[0].buf;
	far = pair.end[1].buf;
	for (round = 0; round < 20; round++) {
		fill(near, 40 * MTU, round);
		KUNIT_ASSERT_EQ(test, ends_recv(&pair, 1, 1, 0x8000, 34 * MTU), 0);
		for (i = 0; i < ARRAY_SIZE(jobs); i++)
			KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &jobs[i]), 0);
		for (i = 0; i < ARRAY_SIZE(jobs); i++)
			EXPECT_WC(&pair, pair.end[0].send_cq, i + 1, IB_WC_SUCCESS);
		EXPECT_WC(&pair, pair.end[1].recv_cq, 1, IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, memcmp(near, far, 5 * MTU), 0);
		KUNIT_EXPECT_EQ(test, far[5 * MTU], near[0]);
		KUNIT_EXPECT_EQ(test, memcmp(far + 10 * MTU, near + 20 * MTU, 100), 0);
		KUNIT_EXPECT_EQ(test, memcmp(far + 0x8000, near, 34 * MTU), 0);
		KUNIT_EXPECT_EQ(test, memcmp(near + 0xc000, far, 40 * MTU), 0);
	}
	if (num_online_cpus() > 1)
		KUNIT_EXPECT_GE(test, ends_counter(1, "rx_lanes"), 40ULL);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, ends_counter(i, "packet_seq_err"), 0ULL);
		KUNIT_EXPECT_EQ(test, ends_counter(i, "out_of_sequence"), 0ULL);
		KUNIT_EXPECT_EQ(test, ends_counter(i, "rx_dropped"), 0ULL);
		expect_empty(test, dev_of(i));
	}
	ends_check_guards(&pair);
}

/* Where too much waits a run is lost, as on any wire, and sent again. */
static void no_room_is_a_loss(struct kunit *test)
{
	const struct job job = { IB_WR_RDMA_WRITE, 7, 0, 40 * MTU };
	atomic_t *queued;
	int i;

	if (num_online_cpus() == 1)
		kunit_skip(test, "one processor");
	ends_make(&pair);
	queued = &dev_of(1)->queued;
	fill(pair.end[0].buf, 40 * MTU, 7);
	atomic_add(IBT_MAX_QUEUED_BYTES, queued);
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	for (i = 0; i < 100 && !ends_counter(1, "rx_dropped"); i++)
		msleep(20);
	KUNIT_EXPECT_GT(test, ends_counter(1, "rx_dropped"), 0ULL);
	atomic_sub(IBT_MAX_QUEUED_BYTES, queued);
	EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(pair.end[0].buf, pair.end[1].buf, 40 * MTU), 0);
	expect_empty(test, dev_of(1));
}

static struct sk_buff *rubbish(struct rnd_state *random, u32 size)
{
	struct sk_buff *skb = alloc_skb(FAKE_BYTES + RUBBISH, GFP_KERNEL);

	if (!skb)
		return NULL;
	skb_put(skb, FAKE_BYTES);
	skb_reset_network_header(skb);
	skb_pull(skb, FAKE_BYTES);
	skb_shinfo(skb)->gso_size = size;
	prandom_bytes_state(random, skb_put(skb, RUBBISH), RUBBISH);
	return skb;
}

static void receive_rubbish(struct ibt_dev *dev)
{
	struct ibt_rx_meta meta = { };
	struct rnd_state random;
	struct sk_buff *skb;
	int i;

	prandom_seed_state(&random, 1);
	for (i = 0; i < 500; i++) {
		skb = rubbish(&random, 20);
		KUNIT_EXPECT_NOT_NULL(pair.test, skb);
		if (!skb)
			return;
		local_bh_disable();
		rcu_read_lock();
		ibt_rx_gso(ibt_dev_port(dev, 1), skb, 20, &meta);
		rcu_read_unlock();
		local_bh_enable();
	}
}

/* The link has not ended yet, and delivers on any processor. */
static void at_the_end(struct ibt_dev *dev)
{
	if (num_possible_cpus() > 1)
		KUNIT_EXPECT_NE(pair.test, dev->num_lanes, 0U);
	receive_rubbish(dev);
}

/* With lanes full of rubbish. */
static void a_device_goes(struct kunit *test)
{
	ends_make(&pair);
	fake.ending = at_the_end;
	receive_rubbish(fake.dev[1]);
}

static u32 requests;

/* No answer comes back. */
static enum fake_fate mute(u32 number, const u8 *bth)
{
	if (bth[0] == 0x11)
		return FAKE_DROP;
	WRITE_ONCE(requests, requests + 1);
	return FAKE_PASS;
}

/* The bytes of an RC ACK to @qp. */
static void make_ack(u8 *at, u32 qpn, u32 psn)
{
	static const u8 ack[20] = { 0x11, 0, 0xff, 0xff, [12] = 0x1f };

	memcpy(at, ack, sizeof(ack));
	at[5] = qpn >> 16;
	at[6] = qpn >> 8;
	at[7] = qpn;
	at[9] = psn >> 16;
	at[10] = psn >> 8;
	at[11] = psn;
}

/* The receiver of an ACK goes on while the queue pair is busy; the ACK is not lost. */
static void an_ack_waits_for_nobody(struct kunit *test)
{
	const struct job job = { IB_WR_RDMA_WRITE, 7, 0, 2 * MTU };
	struct ibt_sq *sq;
	struct ib_qp *ib;
	u8 bytes[20];
	int i;

	/* One processor cannot find the lock held: softirqs are off while it is. */
	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "one processor");
	ends_make(&pair);
	ib = pair.end[0].qp;
	sq = &container_of(ib, struct ibt_qp, ib)->sq;
	requests = 0;
	fake_restart(mute);
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &job), 0);
	for (i = 0; i < 100 && READ_ONCE(requests) < 2; i++)
		msleep(20);
	spin_lock_bh(&sq->lock);
	/* The newest is what counts, whichever comes last. */
	make_ack(bytes, ib->qp_num, (pair.psn + 1) & 0xffffff);
	fake_inject(0, bytes, sizeof(bytes));
	make_ack(bytes, ib->qp_num, pair.psn);
	fake_inject(0, bytes, sizeof(bytes));
	KUNIT_EXPECT_EQ(test, (u32)atomic_read(&sq->deferred_ack),
			((pair.psn + 1) & 0xffffff) | IBT_ACK_DEFERRED);
	spin_unlock_bh(&sq->lock);
	EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&sq->deferred_ack), 0);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
}

static const struct job second = { IB_WR_RDMA_WRITE, 8, 100, 50, 100 };

static void post_second(void)
{
	KUNIT_EXPECT_EQ(pair.test, ends_post(&pair, 0, &second), 0);
}

/* A poster leaves the request to the holder of the lock, which sends. */
static void a_post_waits_for_nobody(struct kunit *test)
{
	const struct job first = { IB_WR_RDMA_WRITE, 7, 0, 100 };

	ends_make(&pair);
	fill(pair.end[0].buf, 150, 7);
	fake.sending = post_second;
	KUNIT_ASSERT_EQ(test, ends_post(&pair, 0, &first), 0);
	EXPECT_WC(&pair, pair.end[0].send_cq, 7, IB_WC_SUCCESS);
	EXPECT_WC(&pair, pair.end[0].send_cq, 8, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, memcmp(pair.end[0].buf, pair.end[1].buf, 150), 0);
}

static struct kunit_case lanes_cases[] = {
	KUNIT_CASE(all_stay_in_order),
	KUNIT_CASE(no_room_is_a_loss),
	KUNIT_CASE(a_device_goes),
	KUNIT_CASE(an_ack_waits_for_nobody),
	KUNIT_CASE(a_post_waits_for_nobody),
	{}
};

struct kunit_suite ibt_lanes_suite = {
	.name = "ibt_engine_lanes",
	.init = lanes_init,
	.exit = lanes_exit,
	.test_cases = lanes_cases,
};

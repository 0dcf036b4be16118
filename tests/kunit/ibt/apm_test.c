// SPDX-License-Identifier: GPL-2.0
/* Automatic path migration: alternate paths, the handshake, roads that die. */
#include <linux/delay.h>

#include "apm.h"

static void loads_alternate(struct kunit *test)
{
	struct ib_qp_attr attr;

	ends_make(&pair);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_REARM), -EINVAL);
	KUNIT_EXPECT_EQ(test, load_ways(0, 1, 4), -EHOSTUNREACH);
	KUNIT_EXPECT_EQ(test, load(0, 1), 0);
	attr = query(0);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_dlid(&attr.ah_attr), 2U);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_dlid(&attr.alt_ah_attr), 4U);
	KUNIT_EXPECT_EQ(test, attr.alt_port_num, 1);
	KUNIT_EXPECT_EQ(test, attr.alt_timeout, LATE);
	KUNIT_EXPECT_EQ(test, attr.path_mig_state, IB_MIG_MIGRATED);
	/* Another takes its place. */
	KUNIT_EXPECT_EQ(test, load(0, 2), 0);
	attr = query(0);
	KUNIT_EXPECT_EQ(test, rdma_ah_get_dlid(&attr.alt_ah_attr), 6U);
	/* Consumers do not arm, and there is no way back from REARM. */
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_ARMED), -EINVAL);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_MIGRATED), 0);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_REARM), 0);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_MIGRATED), -EINVAL);
	expect_states(IB_MIG_REARM, IB_MIG_MIGRATED);
	KUNIT_EXPECT_TRUE(test, uses(0, 0));
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 0, IB_EVENT_PATH_MIG, 0));
}

/* One after the other says REARM; packets of both tell, each way. */
static void shake_hands(struct kunit *test, int first)
{
	ends_make(&pair);
	load(0, 1);
	load(1, 1);
	watch_from(0, 0);
	ping(0);
	ping(1);
	expect_bits(true, true);
	expect_states(IB_MIG_MIGRATED, IB_MIG_MIGRATED);

	KUNIT_EXPECT_EQ(test, set_mig(first, IB_MIG_REARM), 0);
	watch_from(0, 0);
	ping(0);
	ping(1);
	expect_bits(first, !first);
	KUNIT_EXPECT_EQ(test, mig_state(first), IB_MIG_REARM);
	KUNIT_EXPECT_EQ(test, mig_state(!first), IB_MIG_MIGRATED);

	KUNIT_EXPECT_EQ(test, set_mig(!first, IB_MIG_REARM), 0);
	expect_states(IB_MIG_REARM, IB_MIG_REARM);
	watch_from(0, 0);
	ping(first);
	expect_bits(false, false);
	expect_states(IB_MIG_ARMED, IB_MIG_ARMED);
	exchange();
	expect_states(IB_MIG_ARMED, IB_MIG_ARMED);
	KUNIT_EXPECT_TRUE(test, uses(0, 0) && uses(1, 0));
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 0, IB_EVENT_PATH_MIG, 0));
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 1, IB_EVENT_PATH_MIG, 0));
}

static void arms_from_requester(struct kunit *test)
{
	shake_hands(test, 0);
}

static void arms_from_responder(struct kunit *test)
{
	shake_hands(test, 1);
}

/* ---- a road dies ------------------------------------------------------------------------------ */

/*
 * Every try goes by the first road, then the second has as many, and is given the
 * time that was said to be its own.
 */
static void retries_exhausted(struct kunit *test)
{
	pair.timeout = SOON;
	alt_timeout = SOON + 1;
	pair.retries = TRIES - 1;
	ends_make(&pair);
	arm(1);
	watch_from(road(0), 0);
	watch.toll = 1;
	prandom_bytes_state(&random_bytes, pair.end[0].buf, 600);
	post(0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 1, .length = 600,
			      .remote_at = D_WRITE });
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, !memcmp(pair.end[1].buf + D_WRITE,
					pair.end[0].buf, 600));
	expect_migrated(1, 1);
	/* Three packets, and one for each other try. */
	KUNIT_EXPECT_EQ(test, watch.lost, 3U + (TRIES - 1) + 1);
	/* The answer of the last try may be late, and one more is made. */
	KUNIT_EXPECT_GE(test, ends_counter(0, "local_ack_timeout_err"),
			TRIES + 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "retry_exceeded_err"), 0ULL);
	KUNIT_EXPECT_EQ(test, query(0).timeout, alt_timeout);
	KUNIT_EXPECT_EQ(test, query(1).timeout, alt_timeout);
	exchange();
	expect_migrated(1, 1);
}

/* What was executed is not executed again, though asked for by another road. */
static void answers_lost(struct kunit *test)
{
	pair.timeout = SOON;
	pair.retries = TRIES - 1;
	ends_make(&pair);
	arm(1);
	watch_from(BIT(lid_of(1, 0)), 0);
	exchange();
	expect_migrated(1, 1);
	KUNIT_EXPECT_GT(test, ends_counter(1, "duplicate_request"), 0ULL);
	exchange();
}

/* The first road dies at another packet of the exchange each time; there and back. */
static void dies_anywhere(struct kunit *test)
{
	int number = 0, times = 0;
	u32 since;

	pair.timeout = SOON;
	alt_timeout = SOON;
	pair.retries = TRIES - 1;
	ends_make(&pair);
	for (since = 0; since < EXCHANGE; since += 3) {
		arm(!number);
		watch_from(road(number), since);
		exchange();
		number = !number;
		times++;
		expect_migrated(number, times);
		KUNIT_EXPECT_GT(test, watch.lost, 0U);
		watch_from(0, 0);
	}
}

static void dies_unarmed(struct kunit *test, bool half)
{
	pair.timeout = SOON;
	pair.retries = 1;
	ends_make(&pair);
	load(0, 1);
	load(1, 1);
	if (half)
		KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_REARM), 0);
	watch_from(road(0), 0);
	post(0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 1, .length = 8 });
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_RETRY_EXC_ERR);
	KUNIT_EXPECT_TRUE(test, ends_reaches(&pair, 0, IB_QPS_ERR));
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 0, IB_EVENT_PATH_MIG, 0));
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(test, watch.from[lid_of(0, 1)], 0U);
	ends_drop(&pair);
}

/* Loaded, but not armed, nor half of it: that is no other way. */
static void not_armed(struct kunit *test)
{
	dies_unarmed(test, false);
	dies_unarmed(test, true);
}

/* A packet that was kept, as if it had been on its way since. */
static void inject_kept(u32 number)
{
	const struct sk_buff *skb = fake.kept[number];

	fake_inject_from(skb->data[7], skb->data + FAKE_BYTES,
			 skb->len - FAKE_BYTES);
	fake_restart(NULL);
}

/* ---- a consumer wants it ------------------------------------------------------------------------ */

static void forced(struct kunit *test)
{
	ends_make(&pair);
	arm(1);
	watch_from(0, 0);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_MIGRATED), 0);
	KUNIT_EXPECT_TRUE(test, uses(0, 1));
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 0, IB_EVENT_PATH_MIG, 1));
	/* The peer can not know yet. */
	expect_states(IB_MIG_MIGRATED, IB_MIG_ARMED);
	KUNIT_EXPECT_TRUE(test, uses(1, 0));
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 1, IB_EVENT_PATH_MIG, 0));

	/* MigReq 1 from the alternate address: that is how it learns. */
	ping(0);
	expect_migrated(1, 1);
	expect_bits(true, true);
	KUNIT_EXPECT_EQ(test, watch.from[1] + watch.from[2], 0U);
	exchange();
	expect_migrated(1, 1);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
}

/*
 * One that has not heard of it sends by the old road. It is listened to, and
 * hears by the answer, at once.
 */
static void forced_in_silence(struct kunit *test)
{
	u64 strangers;

	ends_make(&pair);
	arm(1);
	watch_from(0, 0);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_MIGRATED), 0);
	fake.keep = true;
	ping(1);
	expect_migrated(1, 1);
	fake_restart(NULL);
	fake.keep = false;
	KUNIT_EXPECT_EQ(test, watch.from[lid_of(1, 0)], 1U);
	KUNIT_EXPECT_EQ(test, watch.from[lid_of(0, 0)], 0U);
	exchange();
	KUNIT_EXPECT_EQ(test, ends_counter(1, "local_ack_timeout_err"), 0ULL);

	/* Once another alternate is loaded, the old path belongs to no queue pair. */
	strangers = ends_counter(0, "rx_no_qp");
	inject_kept(0);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rx_no_qp"), strangers);
	KUNIT_EXPECT_EQ(test, load(0, 2), 0);
	inject_kept(0);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "rx_no_qp"), strangers + 1);
	expect_migrated(1, 1);
}

static void wait_packets(u32 number)
{
	unsigned long deadline = jiffies + 20 * HZ;

	while (READ_ONCE(fake.number) < number && time_before(jiffies, deadline))
		usleep_range(10, 50);
}

/* In the middle of long messages that go both ways. */
static void forced_under_load(struct kunit *test)
{
	int i, k;

	/* 17 s, on either road: the machine is busiest here. */
	pair.timeout = 22;
	alt_timeout = 22;
	ends_make(&pair);
	arm(1);
	for (i = 0; i < 2; i++) {
		u8 *buf = pair.end[i].buf;

		prandom_bytes_state(&random_bytes, buf + S_LONG, LONG);
		memset(buf + D_LONG, 0, LONG);
	}
	watch_from(0, 0);
	for (k = 0; k < 8; k++)
		for (i = 0; i < 2; i++)
			post(i, (struct job){ .op = IB_WR_RDMA_WRITE, .id = k,
					      .at = S_LONG, .length = LONG,
					      .remote_at = D_LONG });
	wait_packets(100);
	KUNIT_EXPECT_EQ(test, set_mig(1, IB_MIG_MIGRATED), 0);
	for (k = 0; k < 8; k++)
		for (i = 0; i < 2; i++)
			EXPECT_WC(&pair, send_cq(i), k, IB_WC_SUCCESS);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_TRUE(test, !memcmp(pair.end[i].buf + S_LONG,
						pair.end[!i].buf + D_LONG,
						LONG));
	/* All may have been over before it migrated: this tells the other side. */
	exchange();
	expect_migrated(1, 1);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, ends_counter(i, "out_of_sequence"), 0ULL);
		KUNIT_EXPECT_EQ(test, ends_counter(i, "local_ack_timeout_err"),
				0ULL);
	}
}

/* No answers there: MigReq of the requests is all. */
static void unreliable(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_UC);
	ends_make(&pair);
	load(0, 1);
	load(1, 1);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_REARM), 0);
	KUNIT_EXPECT_EQ(test, set_mig(1, IB_MIG_REARM), 0);
	ping(0);
	fake_restart(NULL);
	expect_states(IB_MIG_REARM, IB_MIG_ARMED);
	ping(1);
	fake_restart(NULL);
	expect_states(IB_MIG_ARMED, IB_MIG_ARMED);

	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_MIGRATED), 0);
	memset(pair.end[0].buf, 0x42, 600);
	post(0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 1, .length = 600,
			      .remote_at = D_WRITE });
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_SUCCESS);
	fake_restart(NULL);
	expect_migrated(1, 1);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(pair.end[1].buf + D_WRITE, 0x42,
					     600), NULL);
}

/* ---- one knows, the other does not ---------------------------------------------------------------- */

/* The last word of the handshake was lost; the peer is armed, and migrates. */
static void peer_is_ahead(struct kunit *test)
{
	/* Its retries last until we have seen the peer armed. */
	pair.timeout = SOON + 2;
	ends_make(&pair);
	load(0, 1);
	load(1, 1);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_REARM), 0);
	KUNIT_EXPECT_EQ(test, set_mig(1, IB_MIG_REARM), 0);
	watch_from(BIT(lid_of(1, 0)), 0);
	post(0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 1, .length = 8,
			      .remote_at = D_WRITE });
	KUNIT_ASSERT_TRUE(test, wait_mig(1, IB_MIG_ARMED));
	KUNIT_EXPECT_EQ(test, mig_state(0), IB_MIG_REARM);
	KUNIT_EXPECT_EQ(test, set_mig(1, IB_MIG_MIGRATED), 0);
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_SUCCESS);
	expect_migrated(1, 1);
	exchange();
}

/* Without an ack timeout the old road keeps a request for ever; the new has one. */
static void timeout_of_new_path(struct kunit *test)
{
	pair.timeout = 0;
	alt_timeout = SOON;
	ends_make(&pair);
	arm(1);
	watch_from(BIT(lid_of(0, 0)), 0);
	post(0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 1, .length = 8,
			      .remote_at = D_WRITE });
	KUNIT_EXPECT_TRUE(test, ends_quiet(send_cq(0)));
	KUNIT_EXPECT_EQ(test, set_mig(1, IB_MIG_MIGRATED), 0);
	ping(1);
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_SUCCESS);
	expect_migrated(1, 1);
	/* One, and more where the answer is late. */
	KUNIT_EXPECT_GE(test, ends_counter(0, "local_ack_timeout_err"), 1ULL);
}

static void keep_ping(struct kunit *test)
{
	fake_restart(NULL);
	fake.num_kept = 0;
	fake.keep = true;
	ping(0);
	fake_restart(NULL);
	fake.keep = false;
	KUNIT_ASSERT_EQ(test, fake.num_kept, 2U);
}

/* Words of an earlier round, by the road that they were said on. */
static void ghosts(struct kunit *test)
{
	ends_make(&pair);
	/* MigReq 1, when the road that it comes by is in use again. */
	keep_ping(test);
	arm(1);
	inject_kept(0);
	inject_kept(1);
	expect_states(IB_MIG_ARMED, IB_MIG_ARMED);
	KUNIT_EXPECT_TRUE(test, uses(0, 0) && uses(1, 0));

	/* MigReq 0, by what has become the alternate road. */
	keep_ping(test);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_MIGRATED), 0);
	ping(0);
	expect_migrated(1, 1);
	load(0, 0);
	load(1, 0);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_REARM), 0);
	KUNIT_EXPECT_EQ(test, set_mig(1, IB_MIG_REARM), 0);
	inject_kept(1);
	expect_states(IB_MIG_REARM, IB_MIG_REARM);
	/* A request, though it is old, has an answer, and that is no ghost. */
	inject_kept(0);
	expect_states(IB_MIG_ARMED, IB_MIG_REARM);
	ping(1);
	expect_states(IB_MIG_ARMED, IB_MIG_ARMED);
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 0, IB_EVENT_PATH_MIG_ERR, 0));
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 1, IB_EVENT_PATH_MIG_ERR, 0));
}

/*
 * The peer was told of another address than ours: it refuses, and its consumer
 * hears of that once, however many packets come. We hear nothing.
 */
static void wrong_alternate(struct kunit *test)
{
	int i;

	alt_timeout = SOON + 2;
	ends_make(&pair);
	KUNIT_EXPECT_EQ(test, load_ways(0, 2, 1), 0);
	KUNIT_EXPECT_EQ(test, load(1, 1), 0);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_REARM), 0);
	KUNIT_EXPECT_EQ(test, set_mig(1, IB_MIG_REARM), 0);
	ping(0);
	expect_states(IB_MIG_ARMED, IB_MIG_ARMED);

	fake_restart(NULL);
	fake.num_kept = 0;
	fake.keep = true;
	watch_from(road(0), 0);
	KUNIT_EXPECT_EQ(test, set_mig(0, IB_MIG_MIGRATED), 0);
	post(0, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 1, .length = 600,
			      .remote_at = D_WRITE });
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 1, IB_EVENT_PATH_MIG_ERR, 1));
	fake_restart(NULL);
	fake.keep = false;
	KUNIT_EXPECT_GE(test, watch.from[lid_of(0, 2)], 3U);
	KUNIT_EXPECT_EQ(test, mig_state(1), IB_MIG_ARMED);
	KUNIT_EXPECT_TRUE(test, uses(1, 0));
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 0, IB_EVENT_PATH_MIG, 1));
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 1, IB_EVENT_PATH_MIG, 0));
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 0, IB_EVENT_PATH_MIG_ERR, 0));

	for (i = 0; i < 3; i++) {
		inject_kept(i);
		msleep(20);
	}
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 1, IB_EVENT_PATH_MIG_ERR, 1));

	/* It is told again when it has tried to mend that, in vain. */
	KUNIT_EXPECT_EQ(test, load(1, 1), 0);
	inject_kept(0);
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 1, IB_EVENT_PATH_MIG_ERR, 2));
	/* When it has, the next try gets through. */
	KUNIT_EXPECT_EQ(test, load_ways(1, 1, 2), 0);
	EXPECT_WC(&pair, send_cq(0), 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 1, IB_EVENT_PATH_MIG, 1));
	KUNIT_EXPECT_TRUE(test, wait_mig(1, IB_MIG_MIGRATED));
	exchange();
}

static struct kunit_case apm_cases[] = {
	KUNIT_CASE(loads_alternate),
	KUNIT_CASE(arms_from_requester),
	KUNIT_CASE(arms_from_responder),
	KUNIT_CASE(retries_exhausted),
	KUNIT_CASE(answers_lost),
	KUNIT_CASE(dies_anywhere),
	KUNIT_CASE(not_armed),
	KUNIT_CASE(forced),
	KUNIT_CASE(forced_in_silence),
	KUNIT_CASE(forced_under_load),
	KUNIT_CASE(unreliable),
	KUNIT_CASE(peer_is_ahead),
	KUNIT_CASE(timeout_of_new_path),
	KUNIT_CASE(ghosts),
	KUNIT_CASE(wrong_alternate),
	{ }
};

struct kunit_suite ibt_apm_suite = {
	.name = "ibt_engine_apm",
	.init = apm_init,
	.exit = apm_exit,
	.test_cases = apm_cases,
};

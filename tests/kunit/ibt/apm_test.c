// SPDX-License-Identifier: GPL-2.0
/*
 * Automatic path migration (IBA vol. 1, 17.2.8, 10.4). Each side has an address on
 * every road; the first is the one that they connect by:
 *
 *	side 0		LID 1 ---- road 0 ---- LID 2	side 1
 *			LID 3 ---- road 1 ---- LID 4
 *			LID 5 ---- road 2 ---- LID 6
 *
 * A case lets roads die, by dropping what comes from some of the addresses, and
 * reads MigReq in what passes.
 */
#include <linux/delay.h>
#include <linux/prandom.h>

#include "engine.h"

/*
 * Ack timeout where something gets lost, 268 ms: a starved machine answers within
 * three of them.
 */
#define SOON		16
#define TRIES		3	/* the first, and the retries */
#define LATE		20	/* 4 s, as ends_defaults() has it */

#define MIGREQ		0x40	/* in the second byte of the BTH */

/* Places in the memory of either side (S: source, D: destination). */
enum {
	S_DATA		= 0x0000,
	S_READ		= 0x1000,
	D_READ		= 0x2000,
	D_ATOMIC	= 0x3000,
	D_RECV		= 0x4000,
	D_WRITE		= 0x5000,
	COUNTER		= 0x6000,
	S_LONG		= 0x7000,
	D_LONG		= 0xb000,
};

#define LONG		0x4000

/* Packets of an exchange, at least. */
#define EXCHANGE	28

static struct pair pair;
static u8 alt_timeout;
static struct rnd_state random_bytes;

/* ---- the roads ----------------------------------------------------------------------- */

/**
 * struct watch - what passes; it outlives the cases, as packets do
 * @dead: what comes from BIT(LID) is lost, from packet @since on
 * @since: see @dead
 * @toll: so many packets from elsewhere are lost too, the first ones
 * @lost: so many
 * @bits: packets of each side, by their MigReq
 * @from: packets from each LID
 */
static struct watch {
	unsigned long dead;
	u32 since;
	u32 toll;
	u32 lost;
	u32 bits[2][2];
	u32 from[FAKE_LIDS + 1];
} watch;

static enum fake_fate look(u32 number, const u8 *bth)
{
	int slid = fake_slid(bth);

	watch.bits[(slid - 1) & 1][!!(bth[1] & MIGREQ)]++;
	watch.from[slid]++;
	if (watch.dead & BIT(slid)) {
		if (number < watch.since)
			return FAKE_PASS;
	} else {
		if (!watch.toll)
			return FAKE_PASS;
		watch.toll--;
	}
	watch.lost++;
	return FAKE_DROP;
}

static void watch_from(unsigned long dead, u32 since)
{
	fake_restart(NULL);
	watch = (struct watch){ .dead = dead, .since = since };
	fake_restart(look);
}

static int lid_of(int which, int road)
{
	return 1 + which + 2 * road;
}

/* Both directions. */
static unsigned long road(int number)
{
	return BIT(lid_of(0, number)) | BIT(lid_of(1, number));
}

/* ---- attributes ----------------------------------------------------------------------- */

static struct ib_qp_attr query(int which)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = { };

	KUNIT_EXPECT_EQ(pair.test, ib_query_qp(pair.end[which].qp, &attr,
					       IB_QP_STATE, &init), 0);
	return attr;
}

static enum ib_mig_state mig_state(int which)
{
	return query(which).path_mig_state;
}

static int set_mig(int which, enum ib_mig_state state)
{
	struct ib_qp_attr attr = { .path_mig_state = state };

	return ib_modify_qp(pair.end[which].qp, &attr, IB_QP_PATH_MIG_STATE);
}

/* An alternate path from our address on one road to the peer's on another. */
static int load_ways(int which, int from, int to)
{
	struct ib_qp_attr attr = {
		.alt_port_num = 1,
		.alt_timeout = alt_timeout,
		.alt_ah_attr.type = RDMA_AH_ATTR_TYPE_IB,
	};

	rdma_ah_set_port_num(&attr.alt_ah_attr, 1);
	rdma_ah_set_path_bits(&attr.alt_ah_attr, from);
	rdma_ah_set_dlid(&attr.alt_ah_attr, lid_of(!which, to));
	return ib_modify_qp(pair.end[which].qp, &attr, IB_QP_ALT_PATH);
}

static int load(int which, int number)
{
	return load_ways(which, number, number);
}

static bool uses(int which, int number)
{
	struct ib_qp_attr attr = query(which);

	return rdma_ah_get_dlid(&attr.ah_attr) == lid_of(!which, number) &&
	       rdma_ah_get_path_bits(&attr.ah_attr) == number;
}

static bool wait_mig(int which, enum ib_mig_state state)
{
	unsigned long deadline = jiffies + 20 * HZ;

	while (mig_state(which) != state) {
		if (time_after(jiffies, deadline))
			return false;
		usleep_range(50, 200);
	}
	return true;
}

/* ---- traffic ---------------------------------------------------------------------------- */

static void post(int which, struct job job)
{
	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, which, &job), 0);
}

static struct ib_cq *send_cq(int which)
{
	return pair.end[which].send_cq;
}

/* A request, and (RC) its answer. */
static void ping(int which)
{
	post(which, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 7, .at = S_DATA,
				  .length = 8, .remote_at = D_WRITE });
	EXPECT_WC(&pair, send_cq(which), 7, IB_WC_SUCCESS);
}

static void exchange_post(int which)
{
	struct end *e = &pair.end[which];

	prandom_bytes_state(&random_bytes, e->buf + S_DATA, 0x2000);
	memset(e->buf + D_READ, 0, COUNTER - D_READ);
	KUNIT_ASSERT_EQ(pair.test, ends_recv(&pair, which, 9, D_RECV, 700), 0);
}

static void exchange_send(int which)
{
	post(which, (struct job){ .op = IB_WR_SEND, .id = 1, .at = S_DATA,
				  .length = 600 });
	post(which, (struct job){ .op = IB_WR_RDMA_WRITE, .id = 2,
				  .at = S_DATA + 0x400, .length = 700,
				  .remote_at = D_WRITE });
	post(which, (struct job){ .op = IB_WR_RDMA_READ, .id = 3, .at = D_READ,
				  .length = 600, .remote_at = S_READ });
	post(which, (struct job){ .op = IB_WR_ATOMIC_FETCH_AND_ADD, .id = 4,
				  .at = D_ATOMIC, .length = 8,
				  .remote_at = COUNTER, .add = 5 });
}

static void exchange_check(int which, u64 count)
{
	const u8 *a = pair.end[which].buf, *b = pair.end[!which].buf;
	struct kunit *test = pair.test;
	u64 id;

	for (id = 1; id <= 4; id++)
		EXPECT_WC(&pair, send_cq(which), id, IB_WC_SUCCESS);
	EXPECT_WC(&pair, pair.end[!which].recv_cq, 9, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, !memcmp(b + D_RECV, a + S_DATA, 600));
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(b + D_RECV + 600, 0, 100), NULL);
	KUNIT_EXPECT_TRUE(test, !memcmp(b + D_WRITE, a + S_DATA + 0x400, 700));
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(b + D_WRITE + 700, 0, 100), NULL);
	KUNIT_EXPECT_TRUE(test, !memcmp(a + D_READ, b + S_READ, 600));
	KUNIT_EXPECT_EQ(test, *(const u64 *)(a + D_ATOMIC), count);
	KUNIT_EXPECT_EQ(test, *(const u64 *)(b + COUNTER), count + 5);
}

static u64 counter_of(int which)
{
	return *(const u64 *)(pair.end[which].buf + COUNTER);
}

/* Something of everything, both ways at once; each byte must be where it belongs. */
static void exchange(void)
{
	u64 counts[2] = { counter_of(0), counter_of(1) };
	int i;

	for (i = 0; i < 2; i++)
		exchange_post(i);
	for (i = 0; i < 2; i++)
		exchange_send(i);
	for (i = 0; i < 2; i++)
		exchange_check(i, counts[!i]);
}

/* ---- handshake ----------------------------------------------------------------------------- */

/* Both are ARMED for this road. */
static void arm(int number)
{
	int i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(pair.test, load(i, number), 0);
		KUNIT_ASSERT_EQ(pair.test, set_mig(i, IB_MIG_REARM), 0);
	}
	ping(0);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_TRUE(pair.test, wait_mig(i, IB_MIG_ARMED));
}

/* Each side has migrated so many times, and uses this road. */
static void expect_migrated(int number, int times)
{
	int i;

	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_TRUE(pair.test, wait_mig(i, IB_MIG_MIGRATED));
		KUNIT_EXPECT_TRUE(pair.test, ends_events(&pair, i,
							 IB_EVENT_PATH_MIG,
							 times));
		KUNIT_EXPECT_TRUE(pair.test, uses(i, number));
		KUNIT_EXPECT_TRUE(pair.test, ends_events(&pair, i,
							 IB_EVENT_PATH_MIG_ERR,
							 0));
	}
}

static void expect_states(enum ib_mig_state zero, enum ib_mig_state one)
{
	KUNIT_EXPECT_EQ(pair.test, mig_state(0), zero);
	KUNIT_EXPECT_EQ(pair.test, mig_state(1), one);
}

/* All packets of each side had this MigReq, and there were some. */
static void expect_bits(bool zero, bool one)
{
	fake_restart(NULL);
	KUNIT_EXPECT_GT(pair.test, watch.bits[0][zero], 0U);
	KUNIT_EXPECT_GT(pair.test, watch.bits[1][one], 0U);
	KUNIT_EXPECT_EQ(pair.test, watch.bits[0][!zero], 0U);
	KUNIT_EXPECT_EQ(pair.test, watch.bits[1][!one], 0U);
}

static int apm_init(struct kunit *test)
{
	prandom_seed_state(&random_bytes, 4711);
	alt_timeout = LATE;
	ends_defaults(&pair, test, IB_QPT_RC);
	return fake_start();
}

static void apm_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

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

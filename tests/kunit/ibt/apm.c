// SPDX-License-Identifier: GPL-2.0
/* The roads, the traffic and the handshake of the tests of automatic path migration. */
#include <linux/delay.h>

#include "apm.h"

#define MIGREQ		0x40	/* in the second byte of the BTH */

struct pair pair;
u8 alt_timeout;
struct rnd_state random_bytes;

/* ---- the roads ----------------------------------------------------------------------- */

struct watch watch;

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

void watch_from(unsigned long dead, u32 since)
{
	fake_restart(NULL);
	watch = (struct watch){ .dead = dead, .since = since };
	fake_restart(look);
}

int lid_of(int which, int road)
{
	return 1 + which + 2 * road;
}

unsigned long road(int number)
{
	return BIT(lid_of(0, number)) | BIT(lid_of(1, number));
}

/* ---- attributes ----------------------------------------------------------------------- */

struct ib_qp_attr query(int which)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = { };

	KUNIT_EXPECT_EQ(pair.test, ib_query_qp(pair.end[which].qp, &attr,
					       IB_QP_STATE, &init), 0);
	return attr;
}

enum ib_mig_state mig_state(int which)
{
	return query(which).path_mig_state;
}

int set_mig(int which, enum ib_mig_state state)
{
	struct ib_qp_attr attr = { .path_mig_state = state };

	return ib_modify_qp(pair.end[which].qp, &attr, IB_QP_PATH_MIG_STATE);
}

int load_ways(int which, int from, int to)
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

int load(int which, int number)
{
	return load_ways(which, number, number);
}

bool uses(int which, int number)
{
	struct ib_qp_attr attr = query(which);

	return rdma_ah_get_dlid(&attr.ah_attr) == lid_of(!which, number) &&
	       rdma_ah_get_path_bits(&attr.ah_attr) == number;
}

bool wait_mig(int which, enum ib_mig_state state)
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

void post(int which, struct job job)
{
	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, which, &job), 0);
}

struct ib_cq *send_cq(int which)
{
	return pair.end[which].send_cq;
}

void ping(int which)
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

void exchange(void)
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

void arm(int number)
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

void expect_migrated(int number, int times)
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

void expect_states(enum ib_mig_state zero, enum ib_mig_state one)
{
	KUNIT_EXPECT_EQ(pair.test, mig_state(0), zero);
	KUNIT_EXPECT_EQ(pair.test, mig_state(1), one);
}

void expect_bits(bool zero, bool one)
{
	fake_restart(NULL);
	KUNIT_EXPECT_GT(pair.test, watch.bits[0][zero], 0U);
	KUNIT_EXPECT_GT(pair.test, watch.bits[1][one], 0U);
	KUNIT_EXPECT_EQ(pair.test, watch.bits[0][!zero], 0U);
	KUNIT_EXPECT_EQ(pair.test, watch.bits[1][!one], 0U);
}

int apm_init(struct kunit *test)
{
	prandom_seed_state(&random_bytes, 4711);
	alt_timeout = LATE;
	ends_defaults(&pair, test, IB_QPT_RC);
	return fake_start();
}

void apm_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

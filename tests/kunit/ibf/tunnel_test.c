// SPDX-License-Identifier: GPL-2.0
/*
 * What an end of a tunnel takes, and what it tells the other end to send, without a
 * network: section 7.9.4, in packets.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "hw/ib/tunnel.h"
#include "ib_bench.h"

#define SESSION	0x1122334455667788

static struct ibf_tunnel *new_tunnel(struct kunit *test)
{
	struct ibf_tunnel *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t);
	spin_lock_init(&t->lock);
	t->session = SESSION;
	t->stub = ib_bench_node(test, "stub", false, 1);
	t->stub->ports[1].tunnel = t;
	return t;
}

/* How much room for VL0 it tells, as a difference to what the peer has sent. */
static s32 told(struct ibf_tunnel *t, u32 sent)
{
	struct ibf_hello hello = { };

	ibf_tunnel_flow_told(t, &hello);
	return be32_to_cpu(hello.room[0]) - sent;
}

static void come(struct ibf_tunnel *t, u8 vl, u32 seq, u64 session)
{
	const struct ibf_frame frame = {
		.vl = vl,
		.session = cpu_to_be64(session),
		.seq = cpu_to_be32(seq),
	};
	struct sk_buff *skb = alloc_skb(64, GFP_ATOMIC);

	skb_put_zero(skb, 24);
	ibf_tunnel_take(t, skb, &frame);
}

static u32 waiting(struct ibf_tunnel *t)
{
	return skb_queue_len(&ibf_tunnel_far(t)->out[0]);
}

/* Softirqs are off, so what comes stays in the queue. */
static void take_test(struct kunit *test)
{
	struct ibf_tunnel *t = new_tunnel(test);
	struct ibf_hello hello = { };
	s32 first, full, lost;
	u32 taken, i;

	local_bh_disable();
	rcu_read_lock();
	first = told(t, 0);
	for (i = 0; i < IBF_CREDITS; i++)
		come(t, 0, i, SESSION);
	full = told(t, IBF_CREDITS);
	come(t, 0, IBF_CREDITS, SESSION);	/* no credit */
	come(t, 0, 3, SESSION);			/* again */
	come(t, 0, IBF_CREDITS, SESSION + 1);	/* a stranger */
	come(t, 8, 0, SESSION);			/* no such VL */
	come(t, 14, 0, SESSION);
	come(t, 16, 0, SESSION);
	come(t, 15, 0, SESSION);
	taken = waiting(t);
	/* Ten that the network lost are not waited for. */
	hello.sent[0] = cpu_to_be32(IBF_CREDITS + 10);
	ibf_tunnel_flow_heard(t, &hello, false);
	lost = told(t, IBF_CREDITS + 10);
	rcu_read_unlock();
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, first, IBF_CREDITS);
	KUNIT_EXPECT_EQ(test, taken, IBF_CREDITS);
	KUNIT_EXPECT_EQ(test, full, 0);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, t->refused[IBF_REFUSED_OVERRUN], 1);
	KUNIT_EXPECT_EQ(test, t->refused[IBF_REFUSED_LATE], 1);
	KUNIT_EXPECT_EQ(test, t->refused[IBF_REFUSED_STALE], 1);
	KUNIT_EXPECT_EQ(test, t->refused[IBF_REFUSED_MALFORMED], 3);
	KUNIT_EXPECT_TRUE(test, t->overrun);
	/* Without a link nothing stays. */
	for (i = 0; i < 1000 && waiting(t); i++)
		usleep_range(1000, 2000);
	local_bh_disable();
	KUNIT_EXPECT_EQ(test, told(t, IBF_CREDITS + 10), IBF_CREDITS);
	local_bh_enable();
	ibf_node_free(t->stub);
}

/* Whatever the peer says, the port sends no more than it may, and at most a window. */
static void credits_test(struct kunit *test)
{
	static const struct {
		u32 sent, room, left;
	} rows[] = {
		{ 0, 0, 0 }, { 0, 1, 1 }, { 0, IBF_CREDITS, IBF_CREDITS },
		{ 0, 1000, IBF_CREDITS }, { 10, 9, 0 }, { 10, 15, 5 },
		{ 0, 0x80000000, 0 }, { 0, 0x7fffffff, IBF_CREDITS },
		{ 0xffffffff, 3, 4 }, { 0xffffffff, 0xfffffff0, 0 },
	};
	struct ibf_tunnel *t = new_tunnel(test);
	struct ibf_hello hello = { };
	u32 i, left;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		t->flows[0].sent = rows[i].sent;
		hello.room[0] = cpu_to_be32(rows[i].room);
		local_bh_disable();
		rcu_read_lock();
		ibf_tunnel_flow_heard(t, &hello, true);
		rcu_read_unlock();
		local_bh_enable();
		left = IBF_CREDITS - atomic_read(&ibf_tunnel_far(t)->used[0]);
		KUNIT_EXPECT_EQ_MSG(test, left, rows[i].left, "row %u", i);
	}
	ibf_node_free(t->stub);
}

static u32 told_sent(struct ibf_tunnel *t)
{
	struct ibf_hello hello = { };

	ibf_tunnel_flow_told(t, &hello);
	return be32_to_cpu(hello.sent[0]);
}

/* What is on its way is not told to be lost by a hello that overtakes it. */
static void settle_test(struct kunit *test)
{
	struct ibf_tunnel *t = new_tunnel(test);
	u32 at_once, later, then;

	local_bh_disable();
	ibf_tunnel_settle(t);
	t->flows[0].sent = 5;
	at_once = told_sent(t);
	ibf_tunnel_settle(t);
	t->flows[0].sent = 7;
	later = told_sent(t);
	ibf_tunnel_settle(t);
	then = told_sent(t);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, at_once, 0);
	KUNIT_EXPECT_EQ(test, later, 0);
	KUNIT_EXPECT_EQ(test, then, 5);
	ibf_node_free(t->stub);
}

static struct kunit_case ib_tunnel_cases[] = {
	KUNIT_CASE(take_test),
	KUNIT_CASE(settle_test),
	KUNIT_CASE(credits_test),
	{}
};

struct kunit_suite ib_tunnel_suite = {
	.name = "ib_tunnel",
	.test_cases = ib_tunnel_cases,
};

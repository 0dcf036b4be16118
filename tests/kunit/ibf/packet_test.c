// SPDX-License-Identifier: GPL-2.0
/*
 * What a switch does with packets, and credits, of which none may get lost.
 */
#include <linux/delay.h>

#include "ib_bench.h"

static void forwarding_test(struct kunit *test)
{
	struct ibf_port *ports;

	ib_bench_up(test);
	ports = ib_bench.sw->ports;
	ib_bench_arrive(2, 0, 0, 0xffff);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 1);
	KUNIT_EXPECT_EQ(test, ib_bench_got(2), 0);
	/* Where it came from, nowhere, and behind the table. */
	ib_bench_arrive(1, 0, 0, 0xffff);
	ib_bench_arrive(4, 0, 0, 0xffff);
	ib_bench_arrive(0xbfff, 0, 0, 0xffff);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(1, IBF_RELAY_ERRORS), 3);
	KUNIT_EXPECT_EQ(test, ib_bench_got(0), 0);
	/* In the table, but behind the end that the subnet manager has set. */
	ib_bench.sw->sw->lft[IB_BENCH_FAR + 2] = 2;
	ib_bench_arrive(IB_BENCH_FAR + 2, 0, 0, 0xffff);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(1, IBF_RELAY_ERRORS), 4);
	/* A group, one without members, and one that is not in the table. */
	ib_bench_arrive(0xc000, 0, 0, 0xffff);
	ib_bench_arrive(0xc001, 0, 0, 0xffff);
	ib_bench_arrive(0xfffe, 0, 0, 0xffff);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 2);
	KUNIT_EXPECT_EQ(test, ib_bench_got(2), 1);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(1, IBF_RELAY_ERRORS), 5);
	/* That has a port of its own, if the subnet manager says so. */
	ib_bench.sw->sw->info.default_mcast_primary = 3;
	ib_bench_arrive(0xfffe, 0, 0, 0xffff);
	KUNIT_EXPECT_EQ(test, ib_bench_got(2), 2);
	/* SL 3 is for VL 5 at port 2, SL 4 for none. */
	ports[2].sl2vl[1][3] = 5;
	ports[2].sl2vl[1][4] = 15;
	ib_bench_arrive(2, 3, 0, 0xffff);
	ib_bench_arrive(2, 4, 0, 0xffff);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 3);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(1, IBF_RELAY_ERRORS), 6);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(2, IBF_XMIT_DISCARDS), 0);
	/* Not active: nothing leaves. */
	ports[3].state = IBF_STATE_ARMED;
	ib_bench_arrive(3, 0, 0, 0xffff);
	KUNIT_EXPECT_EQ(test, ib_bench_got(2), 2);
	ports[3].state = IBF_STATE_ACTIVE;
	ib_bench_down();
}

/* Partitions, coming and going: a limited member and one that is none. */
static void partitions_test(struct kunit *test)
{
	struct ibf_port *ports;

	ib_bench_up(test);
	ports = ib_bench.sw->ports;
	ports[1].enforce = IBF_ENFORCE_IN;
	ports[1].pkeys[0] = 0x8001;
	ib_bench_arrive(2, 0, 0, 0xffff);
	ib_bench_arrive(2, 0, 0, 0x0001);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(1, IBF_RCV_CONSTRAINT), 1);
	/* Where a limited member is, one comes in, but no sender with full membership. */
	ports[1].pkeys[0] = 0x0001;
	ib_bench_arrive(2, 0, 0, 0x0001);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 2);
	ib_bench_arrive(2, 0, 0, 0x8001);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 2);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(1, IBF_RCV_CONSTRAINT), 2);
	ports[1].pkeys[0] = 0x8001;
	ports[2].enforce = IBF_ENFORCE_OUT;
	ports[2].pkeys[0] = 0x0001;
	ib_bench_arrive(2, 0, 0, 0x0001);
	ib_bench_arrive(2, 0, 0, 0x8001);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(2, IBF_XMIT_CONSTRAINT), 1);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 3);
	ib_bench_down();
}

/* ---- credits ---------------------------------------------------------------------------------- */

enum { ONE, GROUP, STOP2, GO2, STOP3, CUT2, EVENTS };

static void let_go(int port)
{
	atomic_set(&ib_bench.far[port - 1]->ports[1].used[0], 0);
	local_bh_disable();
	tasklet_schedule(&ib_bench.sw->ports[port].pump);
	local_bh_enable();
	ib_bench_settle();
}

static void happen(int event)
{
	switch (event) {
	case ONE:
		ib_bench_arrive(2, 0, 0, 0xffff);
		break;
	case GROUP:
		ib_bench_arrive(0xc000, 0, 0, 0xffff);
		break;
	case STOP2:
		atomic_set(&ib_bench.far[1]->ports[1].used[0], IBF_CREDITS);
		break;
	case GO2:
		let_go(2);
		break;
	case STOP3:
		atomic_set(&ib_bench.far[2]->ports[1].used[0], IBF_CREDITS);
		break;
	case CUT2:
		spin_lock_bh(&ibf_lock);
		ibf_unplug(&ib_bench.cables[1]);
		spin_unlock_bh(&ibf_lock);
		ib_bench_plug(1);
		ib_bench_settle();
		break;
	}
}

static u32 waiting(int port)
{
	return skb_queue_len(&ib_bench.sw->ports[port].out[0]);
}

/* In every order of that many events: what is held is what waits, and at last nothing. */
#define STEPS	5

static void credits_test(struct kunit *test)
{
	u32 sequence, rest, most = 1;
	int i, wrong = 0, left = 0;

	ib_bench_up(test);
	for (i = 0; i < STEPS; i++)
		most *= EVENTS;
	for (sequence = 0; sequence < most; sequence++) {
		for (i = 0, rest = sequence; i < STEPS; i++, rest /= EVENTS) {
			happen(rest % EVENTS);
			wrong += atomic_read(&ib_bench.sw->ports[1].used[0]) !=
				 waiting(2) + waiting(3);
		}
		let_go(2);
		let_go(3);
		left += atomic_read(&ib_bench.sw->ports[1].used[0]) ||
			waiting(2) || waiting(3);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_EQ(test, left, 0);
	KUNIT_EXPECT_GT(test, ib_bench_got(1), 0);
	ib_bench_down();
}

/* The sender stops when the switch holds as many as it has room for, and goes on. */
static void pressure_test(struct kunit *test)
{
	struct ibf_port *in, *far;
	u32 i;

	ib_bench_up(test);
	in = &ib_bench.sw->ports[1];
	far = &ib_bench.far[0]->ports[1];
	happen(STOP2);
	for (i = 0; i < IBF_CREDITS; i++)
		ib_bench_arrive(2, 0, 0, 0xffff);
	KUNIT_EXPECT_EQ(test, atomic_read(&in->used[0]), IBF_CREDITS);
	/* What the far end has to send stays there. */
	ib_bench.far[0]->sw->lft[2] = 1;
	spin_lock_bh(&far->lock);
	__skb_queue_tail(&far->out[0], ({
		struct sk_buff *skb = alloc_skb(64, GFP_ATOMIC);
		struct ibf_lrh *lrh = skb_put_zero(skb, 24);

		lrh->sl = IBF_LNH_LOCAL;
		lrh->dlid = cpu_to_be16(2);
		lrh->length = cpu_to_be16(6);
		*ibf_cb(skb) = (struct ibf_cb){ };
		skb;
	}));
	spin_unlock_bh(&far->lock);
	local_bh_disable();
	tasklet_schedule(&far->pump);
	local_bh_enable();
	ib_bench_settle();
	KUNIT_EXPECT_EQ(test, skb_queue_len(&far->out[0]), 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&far->count[IBF_XMIT_WAIT]), 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&far->count[IBF_VL_WAIT]), 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&in->count[IBF_FLOW_XMIT]), 0);
	happen(GO2);
	KUNIT_EXPECT_EQ(test, atomic64_read(&in->count[IBF_FLOW_XMIT]), 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&far->count[IBF_FLOW_RCV]), 1);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&far->out[0]), 0);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), IBF_CREDITS + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&in->used[0]), 0);
	ib_bench_down();
}

/* Section 18.2.5.4: no packet waits for ever at the head of a queue. */
static void hoq_life_test(struct kunit *test)
{
	int i;

	ib_bench_up(test);
	ib_bench.sw->ports[2].hoq_life = 1;
	happen(STOP2);
	ib_bench_arrive(2, 0, 0, 0xffff);
	ib_bench_arrive(2, 0, 0, 0xffff);
	for (i = 0; i < 500 && waiting(2); i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, waiting(2), 0);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(2, IBF_XMIT_DISCARDS), 2);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(2, IBF_DISCARD_HOQ), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&ib_bench.sw->ports[1].used[0]), 0);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 0);
	ib_bench_down();
}

/* What the host does not see is not the packet's time at the head of the queue. */
static void stall_test(struct kunit *test)
{
	unsigned long flags;

	ib_bench_up(test);
	ib_bench.sw->ports[2].hoq_life = HZ;
	happen(STOP2);
	ib_bench_arrive(2, 0, 0, 0xffff);
	local_irq_save(flags);
	mdelay(2000);
	local_irq_restore(flags);
	/* Until the timer is late, and has been seen to be. */
	msleep(20);
	ib_bench_settle();
	KUNIT_EXPECT_EQ(test, waiting(2), 1);
	happen(GO2);
	KUNIT_EXPECT_EQ(test, ib_bench_got(1), 1);
	KUNIT_EXPECT_EQ(test, ib_bench_counted(2, IBF_XMIT_DISCARDS), 0);
	ib_bench_down();
}

/* ---- traps: section 14.2.5.1 --------------------------------------------------------------- */

/* Type security, producer switch, number, issuer; then LIDs, P_Key, SL, QPs, port. */
static const u8 switch_pkey_bytes[64] = {
	0x82, 0x00, 0x00, 0x02, 0x01, 0x03, 0x00, 0x09, 0x00, 0x00,
	0x00, 0x2f, 0x00, 0x01, 0x00, 0x02, 0x12, 0x34,
	0x30, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	[58] = 0x00, 0x09, 0x01,
};

static void traps_test(struct kunit *test)
{
	struct ibf_notice *notice;
	struct ib_smp smp = { };
	struct ibf_port *ports;
	u64 told;
	int i;

	ib_bench_up(test);
	ports = ib_bench.sw->ports;
	/* There is no manager to notify. */
	ports[1].enforce = IBF_ENFORCE_IN;
	ib_bench_arrive(2, 3, 0, 0x1234);
	notice = &ports[1].notices[IBF_TRAP_SLOT_PKEY];
	KUNIT_EXPECT_EQ(test, notice->left, 0);
	/* The manager is behind port 2. */
	spin_lock_bh(&ibf_lock);
	ports[0].lid = 9;
	ports[0].info.master_sm_lid = cpu_to_be16(2);
	spin_unlock_bh(&ibf_lock);
	ib_bench_arrive(2, 3, 0, 0x1234);
	/* Without a DETH the source QP is not known: bit 4 is not there. */
	ib_bench_expect(test, "trap 259", &notice->notice, switch_pkey_bytes);
	for (i = 0; i < 500 && !ib_bench_got(1); i++)
		msleep(20);
	told = ib_bench_got(1);
	KUNIT_EXPECT_GT(test, told, 0);
	/* Others like it are no news, nor is one right after it was heard. */
	for (i = 0; i < 1000; i++)
		ib_bench_arrive(2, 3, 0, 0x1234);
	KUNIT_EXPECT_LT(test, ib_bench_got(1), 30);
	smp.tid = notice->tid;
	ibf_trap_integrity(&ports[2]);
	spin_lock_bh(&ibf_lock);
	ibf_trap_repress(ib_bench.sw, &smp);
	spin_unlock_bh(&ibf_lock);
	KUNIT_EXPECT_EQ(test, notice->left, 0);
	/* What another port told goes on. */
	notice = &ports[2].notices[IBF_TRAP_SLOT_INTEGRITY];
	KUNIT_EXPECT_GT(test, notice->left, 0);
	ib_bench_down();
}

static struct kunit_case ib_packets_cases[] = {
	KUNIT_CASE(forwarding_test),
	KUNIT_CASE(partitions_test),
	KUNIT_CASE(pressure_test),
	KUNIT_CASE(hoq_life_test),
	KUNIT_CASE(stall_test),
	KUNIT_CASE(traps_test),
	KUNIT_CASE(credits_test),
	{}
};

struct kunit_suite ib_packets_suite = {
	.name = "ib_packets",
	.test_cases = ib_packets_cases,
};

// SPDX-License-Identifier: GPL-2.0
/* Multicast: how many groups there may be, and which members receive what is for one. */
#include <linux/delay.h>

#include "engine.h"
#include "hw/ibt/limits.h"
#include "hw/ibt/qp.h"

#define MLID	0xc000

static struct pair pair;

static int limits_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_UD);
	return fake_start();
}

static void limits_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

static union ib_gid group(u32 number)
{
	union ib_gid gid = { .raw = { 0xff, 0x0e } };

	gid.global.interface_id = cpu_to_be64(number);
	return gid;
}

static int attach(int which, u32 number)
{
	union ib_gid gid = group(number);

	return ib_attach_mcast(pair.end[which].qp, &gid, MLID);
}

static int detach(int which, u32 number)
{
	union ib_gid gid = group(number);

	return ib_detach_mcast(pair.end[which].qp, &gid, MLID);
}

/* As many as query_device says; one that goes makes room for another. */
static void groups_end(struct kunit *test)
{
	u32 i, max, most;

	ends_make(&pair);
	max = pair.end[0].ib->attrs.max_mcast_grp;
	most = pair.end[0].ib->attrs.max_total_mcast_qp_attach;
	KUNIT_EXPECT_GT(test, most, max);
	for (i = 0; i < max; i++)
		if (attach(0, i))
			break;
	KUNIT_EXPECT_EQ(test, i, max);
	KUNIT_EXPECT_EQ(test, attach(0, max), -ENOMEM);
	/* The other device has its own. */
	KUNIT_EXPECT_EQ(test, attach(1, max), 0);
	KUNIT_EXPECT_EQ(test, detach(1, max), 0);

	KUNIT_EXPECT_EQ(test, detach(0, 7), 0);
	KUNIT_EXPECT_EQ(test, attach(0, max), 0);
	KUNIT_EXPECT_EQ(test, attach(0, 7), -ENOMEM);
	KUNIT_EXPECT_EQ(test, detach(0, 7), -EINVAL);
	KUNIT_EXPECT_EQ(test, detach(0, max), 0);
	for (i = 0; i < max; i++)
		if (i != 7)
			KUNIT_EXPECT_EQ(test, detach(0, i), 0);
}

/* One MGID under two LIDs is two attachments, and each is undone by itself. */
static void lids_end(struct kunit *test)
{
	union ib_gid gid = group(1);
	struct ib_qp *qp;

	ends_make(&pair);
	qp = pair.end[0].qp;
	KUNIT_ASSERT_EQ(test, ib_attach_mcast(qp, &gid, MLID), 0);
	KUNIT_ASSERT_EQ(test, ib_attach_mcast(qp, &gid, MLID + 1), 0);
	KUNIT_EXPECT_EQ(test, ib_detach_mcast(qp, &gid, MLID), 0);
	KUNIT_EXPECT_EQ(test, ib_detach_mcast(qp, &gid, MLID + 1), 0);
	KUNIT_EXPECT_EQ(test, ib_detach_mcast(qp, &gid, MLID), -EINVAL);
	KUNIT_EXPECT_EQ(test, atomic_read(&qp->usecnt), 0);
}

/* A datagram for the queue pair of device 1, and one for its group. */
static void send(u32 qpn)
{
	u8 bytes[12 + 8 + 4 + 4] = { 0x64, 0x40, 0xff, 0xff };
	__be32 be = cpu_to_be32(qpn);

	memcpy(bytes + 4, &be, sizeof(be));
	fake_inject(1, bytes, sizeof(bytes));
}

static void groups_are_not_for_one(struct kunit *test)
{
	union ib_gid gid = group(1);
	u64 malformed;

	ends_make(&pair);
	KUNIT_ASSERT_EQ(test, attach(1, 1), 0);
	malformed = ends_counter(1, "rx_malformed");
	fake.group = &gid;
	send(pair.end[1].qp->qp_num);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_malformed"), malformed + 1);
	/* An unknown Q_Key is as far as it gets. */
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_qkey_errors"), 0ULL);
	send(0xffffff);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_malformed"), malformed + 1);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_qkey_errors"), 1ULL);
	fake.group = NULL;
	KUNIT_EXPECT_EQ(test, detach(1, 1), 0);
}

/*
 * A queue pair that the core never destroys, with work in a second from now: a
 * target, which needs no other object.
 */
static struct ibt_qp *forgotten_qp(struct kunit *test, struct ib_device *ib)
{
	static struct ib_xrcd xrcd;
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_XRC_TGT,
		.xrcd = &xrcd,
	};
	struct ibt_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, qp);
	qp->ib.device = ib;
	qp->ib.qp_type = init.qp_type;
	KUNIT_ASSERT_EQ(test, ib->ops.create_qp(&qp->ib, &init, NULL), 0);
	mod_delayed_work(ibt_qp_dev(qp)->queues.any, &qp->resp.work, HZ);
	return qp;
}

static void works_end_with_device(struct kunit *test)
{
	struct ibt_qp *qp;

	qp = forgotten_qp(test, ibt_dev_ib(fake.dev[0]));
	fake_stop();
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&qp->resp.work));
	KUNIT_ASSERT_EQ(test, fake_start(), 0);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(groups_end),
	KUNIT_CASE(lids_end),
	KUNIT_CASE(groups_are_not_for_one),
	KUNIT_CASE(works_end_with_device),
	{ }
};

struct kunit_suite ibt_limits_suite = {
	.name = "ibt_engine_limits",
	.init = limits_init,
	.exit = limits_exit,
	.test_cases = limits_cases,
};

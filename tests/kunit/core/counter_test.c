// SPDX-License-Identifier: GPL-2.0
/* QP counters, on a device that is not registered. */
#include <kunit/test.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <ofed/restrack.h>

#include "core/track/counters.h"

/* A counter of the device counts one for each time it is asked. */
struct fixture {
	struct ib_device device;
	struct ib_port_data ports[3];
	struct ib_qp qps[4];
	u32 next_id;
	int live;
	int bind_error;
	int unbind_error;
};

static struct fixture *fixture_of(struct ib_device *device)
{
	return container_of(device, struct fixture, device);
}

static const struct rdma_stat_desc descs[] = { { .name = "asked" } };

static int fake_bind(struct rdma_counter *counter, struct ib_qp *qp)
{
	struct fixture *f = fixture_of(qp->device);

	if (f->bind_error)
		return f->bind_error;
	if (!counter->id) {
		counter->id = ++f->next_id;
		f->live++;
	}
	qp->counter = counter;
	return 0;
}

static int fake_unbind(struct ib_qp *qp)
{
	struct fixture *f = fixture_of(qp->device);

	if (f->unbind_error)
		return f->unbind_error;
	qp->counter = NULL;
	return 0;
}

static int fake_dealloc(struct rdma_counter *counter)
{
	fixture_of(counter->device)->live--;
	return 0;
}

static struct rdma_hw_stats *fake_alloc_stats(struct rdma_counter *counter)
{
	return rdma_alloc_hw_stats_struct(descs, 1, 0);
}

static int fake_update(struct rdma_counter *counter)
{
	counter->stats->value[0]++;
	return 0;
}

static void add_qp(struct fixture *f, int i, enum ib_qp_type type,
		   const char *owner)
{
	struct ib_qp *qp = &f->qps[i];

	qp->device = &f->device;
	qp->real_qp = qp;
	qp->qp_num = 100 + i;
	qp->qp_type = type;
	qp->port = 1;
	ofed_restrack_new(&qp->res, RDMA_RESTRACK_QP);
	ofed_restrack_set_name(&qp->res, owner);
	ofed_restrack_add(&qp->res);
}

/* Two RC QPs and a UD one of this process, one of the kernel. */
static int counter_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 port;

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	f->device.phys_port_cnt = 2;
	f->device.port_data = f->ports;
	KUNIT_ASSERT_EQ(test, ofed_restrack_init(&f->device), 0);
	f->device.ops.counter_bind_qp = fake_bind;
	f->device.ops.counter_unbind_qp = fake_unbind;
	f->device.ops.counter_dealloc = fake_dealloc;
	f->device.ops.counter_alloc_stats = fake_alloc_stats;
	f->device.ops.counter_update_stats = fake_update;
	rdma_for_each_port(&f->device, port) {
		mutex_init(&f->ports[port].port_counter.lock);
		f->ports[port].port_counter.hstats =
			rdma_alloc_hw_stats_struct(descs, 1, 0);
	}
	add_qp(f, 0, IB_QPT_RC, NULL);
	add_qp(f, 1, IB_QPT_RC, NULL);
	add_qp(f, 2, IB_QPT_UD, NULL);
	add_qp(f, 3, IB_QPT_RC, "kernel");
	return 0;
}

static void counter_exit(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 port;
	int i;

	f->unbind_error = 0;
	for (i = 0; i < ARRAY_SIZE(f->qps); i++) {
		ofed_counter_unbind_qp(&f->qps[i], true);
		ofed_restrack_del(&f->qps[i].res);
	}
	KUNIT_EXPECT_EQ(test, f->live, 0);
	rdma_for_each_port(&f->device, port)
		rdma_free_hw_stats_struct(f->ports[port].port_counter.hstats);
	ofed_restrack_exit(&f->device);
}

static int set_auto(struct fixture *f, u32 mask)
{
	return ofed_counter_set_auto_mode(&f->device, 1, mask, false, NULL);
}

static enum rdma_nl_counter_mode mode_of(struct fixture *f)
{
	struct rdma_counter_mode mode;

	ofed_counter_get_mode(&f->device, 1, &mode);
	return mode.mode;
}

static void mode_test(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_NONE);
	KUNIT_EXPECT_EQ(test, set_auto(f, 0x80), -EINVAL);
	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_NONE);
	KUNIT_EXPECT_EQ(test, set_auto(f, RDMA_COUNTER_MASK_QP_TYPE), 0);
	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_AUTO);
	KUNIT_EXPECT_EQ(test, set_auto(f, RDMA_COUNTER_MASK_PID), 0);
	KUNIT_EXPECT_EQ(test, set_auto(f, 0), 0);
	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_NONE);
}

static void without_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 id;

	/* Off: nothing happens. */
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qp_auto(&f->qps[0], 1), 0);
	KUNIT_EXPECT_NULL(test, f->qps[0].counter);

	f->device.ops.counter_bind_qp = NULL;
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qpn_alloc(&f->device, 1, 100,
							  &id), -ENOMEM);
	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_NONE);
	rdma_free_hw_stats_struct(f->ports[1].port_counter.hstats);
	f->ports[1].port_counter.hstats = NULL;
	KUNIT_EXPECT_EQ(test, set_auto(f, 1), -EOPNOTSUPP);
}

static void auto_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_qp *qp = f->qps;
	int i;

	KUNIT_ASSERT_EQ(test, set_auto(f, RDMA_COUNTER_MASK_QP_TYPE), 0);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, ofed_counter_bind_qp_auto(&qp[i], 1), 0);
	KUNIT_ASSERT_NOT_NULL(test, qp[0].counter);
	KUNIT_EXPECT_PTR_EQ(test, qp[0].counter, qp[1].counter);
	KUNIT_EXPECT_PTR_NE(test, qp[0].counter, qp[2].counter);
	KUNIT_EXPECT_NULL(test, qp[3].counter);
	KUNIT_EXPECT_EQ(test, f->live, 2);
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qp_auto(&qp[0], 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qp_auto(&qp[0], 3), -EINVAL);

	/* Other rules wait until the counters are gone, these may go on. */
	KUNIT_EXPECT_EQ(test, set_auto(f, RDMA_COUNTER_MASK_PID), -EBUSY);
	KUNIT_EXPECT_EQ(test, set_auto(f, RDMA_COUNTER_MASK_QP_TYPE), 0);
	KUNIT_EXPECT_EQ(test, set_auto(f, 0), 0);
	KUNIT_EXPECT_NOT_NULL(test, qp[0].counter);
	KUNIT_EXPECT_EQ(test, ofed_counter_unbind_qp(&qp[0], false), 0);
	KUNIT_EXPECT_EQ(test, f->live, 2);
	KUNIT_EXPECT_EQ(test, ofed_counter_unbind_qp(&qp[1], false), 0);
	KUNIT_EXPECT_EQ(test, f->live, 1);
	KUNIT_EXPECT_EQ(test, ofed_counter_unbind_qp(&qp[1], false), -EINVAL);
	KUNIT_EXPECT_EQ(test, ofed_counter_unbind_qp(&qp[2], false), 0);
	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_NONE);
}

static void history_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 id = 0;

	KUNIT_ASSERT_EQ(test, ofed_counter_bind_qpn_alloc(&f->device, 1, 100,
							  &id), 0);
	/* Each look makes it one more, and so does the last. */
	KUNIT_EXPECT_EQ(test,
			ofed_counter_get_hwstat_value(&f->device, 1, 0), 1);
	KUNIT_EXPECT_EQ(test,
			ofed_counter_get_hwstat_value(&f->device, 1, 0), 2);
	KUNIT_EXPECT_EQ(test,
			ofed_counter_get_hwstat_value(&f->device, 2, 0), 0);
	KUNIT_EXPECT_EQ(test,
			ofed_counter_get_hwstat_value(&f->device, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, ofed_counter_unbind_qpn(&f->device, 1, 100, id),
			0);
	KUNIT_EXPECT_EQ(test,
			ofed_counter_get_hwstat_value(&f->device, 1, 0), 3);
	KUNIT_EXPECT_EQ(test,
			ofed_counter_get_hwstat_value(&f->device, 1, 0), 3);
}

static void manual_test(struct kunit *test)
{
	struct ib_device *device;
	struct fixture *f = test->priv;
	u32 id = 0;

	device = &f->device;
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qpn_alloc(device, 1, 999, &id),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qpn_alloc(device, 2, 100, &id),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qpn(device, 1, 100, 77),
			-ENOENT);
	KUNIT_ASSERT_EQ(test, ofed_counter_bind_qpn_alloc(device, 1, 100, &id),
			0);
	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_MANUAL);
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qpn_alloc(device, 1, 100, &id),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_MANUAL);
	KUNIT_EXPECT_EQ(test, set_auto(f, 1), -EBUSY);
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qpn(device, 1, 100, id),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qpn(device, 1, 102, id), 0);
	/* Not with the kernel's. */
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qpn(device, 1, 103, id),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ofed_counter_unbind_qpn(device, 1, 100, 77),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ofed_counter_unbind_qpn(device, 1, 100, id), 0);
	KUNIT_EXPECT_EQ(test, f->live, 1);
	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_MANUAL);
	KUNIT_EXPECT_EQ(test, ofed_counter_unbind_qpn(device, 1, 102, id), 0);
	KUNIT_EXPECT_EQ(test, f->live, 0);
	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_NONE);
}

static void driver_fails_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 id = 0;

	f->bind_error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qpn_alloc(&f->device, 1, 100,
							  &id), -ENOMEM);
	KUNIT_EXPECT_EQ(test, mode_of(f), RDMA_COUNTER_MODE_NONE);
	f->bind_error = 0;
	KUNIT_ASSERT_EQ(test, ofed_counter_bind_qpn_alloc(&f->device, 1, 100,
							  &id), 0);
	f->bind_error = -ENOSPC;
	KUNIT_EXPECT_EQ(test, ofed_counter_bind_qpn(&f->device, 1, 101, id),
			-ENOSPC);
	f->unbind_error = -EIO;
	KUNIT_EXPECT_EQ(test, ofed_counter_unbind_qpn(&f->device, 1, 100, id),
			-EIO);
	KUNIT_EXPECT_EQ(test, f->live, 1);
	KUNIT_EXPECT_EQ(test, ofed_counter_unbind_qp(&f->qps[0], true), 0);
	KUNIT_EXPECT_NULL(test, f->qps[0].counter);
	KUNIT_EXPECT_EQ(test, f->live, 0);
}

static struct kunit_case counter_cases[] = {
	KUNIT_CASE(mode_test),
	KUNIT_CASE(without_test),
	KUNIT_CASE(auto_test),
	KUNIT_CASE(history_test),
	KUNIT_CASE(manual_test),
	KUNIT_CASE(driver_fails_test),
	{}
};

static struct kunit_suite counter_suite = {
	.name = "ofed_counter",
	.init = counter_init,
	.exit = counter_exit,
	.test_cases = counter_cases,
};

kunit_test_suite(counter_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("Tests of QP counters");
MODULE_LICENSE("GPL");

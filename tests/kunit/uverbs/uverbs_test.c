// SPDX-License-Identifier: GPL-2.0
/*
 * The frame of write() commands, as a table; and the handles of a file: what a
 * lookup says, and that an object ends once, by whichever thread.
 *
 * The sources are linked with this. Objects here have a fake for what the driver would
 * have: it counts how often it is destroyed, and may refuse.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/prandom.h>

#include "uverbs/frame.h"
#include "bench.h"

/* Frames */

struct frame_case {
	const char *name;
	struct uv_cmd cmd;
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex;
	size_t count;
	int ret;
	struct uv_frame frame;
};

#define LEGACY(req, resp, ...) { .req_size = req, .resp_size = resp, ##__VA_ARGS__ }
#define EXTENDED { .extended = 1 }
#define FRAME(...) .frame = { __VA_ARGS__ }

static const struct frame_case frame_cases[] = {
	{
		.name = "legacy: a command without response",
		.cmd = LEGACY(4, 0), .hdr = { 4, 3, 0 }, .count = 12,
		FRAME(8, 4, 0, 0, 0),
	}, {
		.name = "legacy: word count above the length",
		.cmd = LEGACY(4, 0), .hdr = { 4, 4, 0 }, .count = 12,
		.ret = -EINVAL,
	}, {
		.name = "legacy: word count below the length",
		.cmd = LEGACY(4, 0), .hdr = { 4, 2, 0 }, .count = 12,
		.ret = -EINVAL,
	}, {
		.name = "legacy: length is no multiple of a word",
		.cmd = LEGACY(4, 0), .hdr = { 4, 3, 0 }, .count = 13,
		.ret = -EINVAL,
	}, {
		.name = "legacy: request too short",
		.cmd = LEGACY(8, 0), .hdr = { 4, 3, 0 }, .count = 12,
		.ret = -ENOSPC,
	}, {
		.name = "legacy: response too short",
		.cmd = LEGACY(8, 8, .has_resp = 1), .hdr = { 0, 4, 1 },
		.count = 16, .ret = -ENOSPC,
	}, {
		.name = "legacy: more than the core's goes to the driver",
		.cmd = LEGACY(32, 8, .has_resp = 1, .has_udata = 1),
		.hdr = { 18, 12, 6 }, .count = 48,
		FRAME(8, 32, 8, 8, 16),
	}, {
		.name = "legacy: without driver's data it is the core's",
		.cmd = LEGACY(16, 8, .has_resp = 1),
		.hdr = { 21, 8, 26 }, .count = 32,
		FRAME(8, 24, 0, 104, 0),
	}, {
		.name = "legacy: driver's request without response",
		.cmd = LEGACY(16, 0, .has_udata = 1),
		.hdr = { 33, 8, 5 }, .count = 32,
		FRAME(8, 16, 8, 20, 0),
	}, {
		.name = "legacy: DESTROY_CQ of rdma-core 18",
		.cmd = LEGACY(16, 8, .has_resp = 1),
		.hdr = { IB_USER_VERBS_CMD_DESTROY_CQ, 4, 2 }, .count = 16,
		FRAME(8, 16, 0, 8, 0),
	}, {
		.name = "legacy: nothing but another command may do that",
		.cmd = LEGACY(16, 8, .has_resp = 1),
		.hdr = { IB_USER_VERBS_CMD_DESTROY_QP, 4, 2 }, .count = 16,
		.ret = -ENOSPC,
	}, {
		.name = "legacy: largest word count",
		.cmd = LEGACY(24, 4, .has_resp = 1),
		.hdr = { 28, 65535, 65535 }, .count = 262140,
		FRAME(8, 262132, 0, 262140, 0),
	}, {
		.name = "no command: any legacy frame will do",
		.hdr = { 6, 2, 0 }, .count = 8,
		FRAME(8, 0, 0, 0, 0),
	}, {
		.name = "no command: an extended frame will not",
		.hdr = { 0x80000003, 1, 0 }, .count = 32,
		.ret = -EINVAL,
	}, {
		.name = "extended: both parts in and out",
		.cmd = EXTENDED, .hdr = { 0x80000012, 2, 3 },
		.ex = { 4096, 1, 2, 0 }, .count = 48,
		FRAME(24, 16, 8, 24, 16),
	}, {
		.name = "extended: length of one part only",
		.cmd = EXTENDED, .hdr = { 0x80000012, 2, 3 },
		.ex = { 4096, 1, 2, 0 }, .count = 40,
		.ret = -EINVAL,
	}, {
		.name = "extended: shorter than its headers",
		.cmd = EXTENDED, .hdr = { 0x80000012, 0xfffe, 0 },
		.count = 8, .ret = -EINVAL,
	}, {
		.name = "extended: a short request is an older one",
		.cmd = EXTENDED, .hdr = { 0x80000012, 0, 1 },
		.ex = { 4096, 0, 0, 0 }, .count = 24,
		FRAME(24, 0, 0, 8, 0),
	}, {
		.name = "extended: room for a response, but no address",
		.cmd = EXTENDED, .hdr = { 0x80000012, 1, 2 },
		.count = 32, .ret = -EINVAL,
	}, {
		.name = "extended: address of a response, but no room",
		.cmd = EXTENDED, .hdr = { 0x80000012, 1, 0 },
		.ex = { 4096, 0, 0, 0 }, .count = 32, .ret = -EINVAL,
	}, {
		.name = "extended: no room for a response",
		.cmd = EXTENDED, .hdr = { 0x80000012, 1, 0 },
		.count = 32,
		FRAME(24, 8, 0, 0, 0),
	}, {
		.name = "extended: reserved field",
		.cmd = EXTENDED, .hdr = { 0x80000012, 1, 0 },
		.ex = { 0, 0, 0, 1 }, .count = 32, .ret = -EINVAL,
	},
};

static void frame_name(const struct frame_case *one, char *name)
{
	strscpy(name, one->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(frame, frame_cases, frame_name);

static void test_frame(struct kunit *test)
{
	const struct frame_case *one = test->param_value;
	struct uv_frame frame;
	int ret;

	ret = uv_frame_parse(&one->cmd, &one->hdr, &one->ex, one->count,
			     &frame);
	KUNIT_ASSERT_EQ(test, ret, one->ret);
	if (ret)
		return;
	KUNIT_EXPECT_EQ(test, frame.start, one->frame.start);
	KUNIT_EXPECT_EQ(test, frame.core_in, one->frame.core_in);
	KUNIT_EXPECT_EQ(test, frame.drv_in, one->frame.drv_in);
	KUNIT_EXPECT_EQ(test, frame.core_out, one->frame.core_out);
	KUNIT_EXPECT_EQ(test, frame.drv_out, one->frame.drv_out);
}

/* Handles */

/* What a driver would have: part of @of, which is busy as long as it lives. */
struct fake {
	atomic_t users;
	atomic_t destroyed;
	struct fake *of;
	bool stubborn;
};

static int fake_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			struct uverbs_attr_bundle *attrs)
{
	struct fake *fake = uobj->object;

	if (atomic_read(&fake->users))
		return -EBUSY;
	if (fake->stubborn)
		return -EIO;
	atomic_inc(&fake->destroyed);
	if (fake->of)
		atomic_dec(&fake->of->users);
	return 0;
}

static const struct uv_type apple = {
	.api.id = UVERBS_OBJECT_PD,
	.size = sizeof(struct ib_uobject),
	.destroy = fake_destroy,
};

static const struct uv_type pear = {
	.api.id = UVERBS_OBJECT_MR,
	.size = sizeof(struct ib_uobject),
	.destroy = fake_destroy,
};

static const struct uv_type quince = {
	.api.id = UVERBS_OBJECT_FLOW,
	.size = sizeof(struct ib_uobject),
	.destroy = fake_destroy,
};

static struct ib_uobject *make(struct bench *bench, const struct uv_type *type,
			       struct fake *fake)
{
	struct uverbs_attr_bundle attrs = { .ufile = &bench->file.base };
	struct ib_uobject *uobj = uv_uobj_begin(type, &attrs);

	if (IS_ERR(uobj))
		return uobj;
	uobj->object = fake;
	if (fake->of)
		atomic_inc(&fake->of->users);
	uv_uobj_commit(uobj);
	return uobj;
}

static int look(struct bench *bench, const struct uv_type *type, u32 id)
{
	struct uverbs_attr_bundle attrs = { .ufile = &bench->file.base };
	struct ib_uobject *uobj = uv_get_read(type, id, &attrs);

	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	uv_put_read(uobj);
	return 0;
}

static int destroy(struct bench *bench, const struct uv_type *type, u32 id)
{
	struct uverbs_attr_bundle attrs = { .ufile = &bench->file.base };

	return uv_destroy(type, id, &attrs);
}

static void test_lookup(struct kunit *test)
{
	struct bench *bench = test->priv;
	struct uverbs_attr_bundle attrs = { .ufile = &bench->file.base };
	struct ib_uobject *uobj, *again;
	struct fake fake = {};

	guard(srcu)(&bench->dev.srcu);
	uobj = uv_uobj_begin(&apple, &attrs);
	KUNIT_ASSERT_FALSE(test, IS_ERR(uobj));
	KUNIT_EXPECT_PTR_EQ(test, attrs.context, &bench->context);
	/* Reserved is not there. */
	KUNIT_EXPECT_EQ(test, look(bench, &apple, uobj->id), -ENOENT);
	uobj->object = &fake;
	uv_uobj_commit(uobj);

	KUNIT_EXPECT_EQ(test, look(bench, &apple, uobj->id), 0);
	KUNIT_EXPECT_EQ(test, look(bench, &pear, uobj->id), -EINVAL);
	KUNIT_EXPECT_EQ(test, look(bench, &quince, uobj->id), -EINVAL);
	KUNIT_EXPECT_EQ(test, look(bench, &apple, uobj->id + 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, look(bench, &apple, U32_MAX), -ENOENT);

	/* Readers share; a writer is alone. */
	again = uv_get_read(&apple, uobj->id, &attrs);
	KUNIT_ASSERT_PTR_EQ(test, again, uobj);
	KUNIT_EXPECT_EQ(test, look(bench, &apple, uobj->id), 0);
	KUNIT_EXPECT_EQ(test, destroy(bench, &apple, uobj->id), -EBUSY);
	KUNIT_EXPECT_EQ(test, PTR_ERR(uv_get_write(&apple, uobj->id, &attrs)),
			(long)-EBUSY);
	uv_put_read(again);
	again = uv_get_write(&apple, uobj->id, &attrs);
	KUNIT_ASSERT_PTR_EQ(test, again, uobj);
	KUNIT_EXPECT_EQ(test, look(bench, &apple, uobj->id), -EBUSY);
	uv_put_write(again);

	KUNIT_EXPECT_EQ(test, destroy(bench, &pear, uobj->id), -EINVAL);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake.destroyed), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 1);
	KUNIT_EXPECT_EQ(test, destroy(bench, &apple, 0), 0);
	KUNIT_EXPECT_EQ(test, destroy(bench, &apple, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake.destroyed), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 0);
}

static void test_abort(struct kunit *test)
{
	struct bench *bench = test->priv;
	struct uverbs_attr_bundle attrs = { .ufile = &bench->file.base };
	struct fake made = {}, stubborn = { .stubborn = true };
	struct ib_uobject *uobj;

	guard(srcu)(&bench->dev.srcu);
	/* Before the driver has made anything, and after. */
	uobj = uv_uobj_begin(&apple, &attrs);
	KUNIT_ASSERT_FALSE(test, IS_ERR(uobj));
	uv_uobj_abort(uobj, &attrs);
	uobj = uv_uobj_begin(&apple, &attrs);
	KUNIT_ASSERT_FALSE(test, IS_ERR(uobj));
	uobj->object = &made;
	uv_uobj_abort(uobj, &attrs);
	KUNIT_EXPECT_EQ(test, atomic_read(&made.destroyed), 1);
	KUNIT_EXPECT_TRUE(test, xa_empty(&bench->file.base.idr));
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 0);

	/* What the driver does not give back is kept for the teardown. */
	uobj = uv_uobj_begin(&apple, &attrs);
	KUNIT_ASSERT_FALSE(test, IS_ERR(uobj));
	uobj->object = &stubborn;
	uv_uobj_abort(uobj, &attrs);
	KUNIT_EXPECT_EQ(test, look(bench, &apple, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, destroy(bench, &apple, 0), -ENOENT);
	KUNIT_EXPECT_TRUE(test, xa_empty(&bench->file.base.idr));
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 1);
	stubborn.stubborn = false;
	bench_teardown(bench, RDMA_REMOVE_CLOSE);
	KUNIT_EXPECT_EQ(test, atomic_read(&stubborn.destroyed), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 0);
}

/* Use counts decide the order, not age. */
static void test_teardown(struct kunit *test)
{
	struct bench *bench = test->priv;
	struct fake fakes[5] = {};
	int i;

	guard(srcu)(&bench->dev.srcu);
	for (i = 0; i < 5; i++) {
		KUNIT_ASSERT_FALSE(test, IS_ERR(make(bench, &apple,
						     &fakes[i])));
		/* Every one but the youngest is part of the next one. */
		if (i) {
			fakes[i - 1].of = &fakes[i];
			atomic_inc(&fakes[i].users);
		}
	}
	KUNIT_EXPECT_EQ(test, destroy(bench, &apple, 4), -EBUSY);
	bench_teardown(bench, RDMA_REMOVE_CLOSE);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&fakes[i].destroyed), 1);
	KUNIT_EXPECT_TRUE(test, list_empty(&bench->file.base.uobjects));
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 0);
}

/* A program that does not know yet that the device is gone. */
static void test_unplugged(struct kunit *test)
{
	struct bench *bench = test->priv;
	struct uverbs_attr_bundle attrs = { .ufile = &bench->file.base };
	struct ib_uobject *uobj;
	struct fake fakes[2] = {};

	guard(srcu)(&bench->dev.srcu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(make(bench, &apple, &fakes[0])));
	KUNIT_ASSERT_FALSE(test, IS_ERR(make(bench, &pear, &fakes[1])));
	rcu_assign_pointer(bench->dev.ib_dev, NULL);
	bench_teardown(bench, RDMA_REMOVE_DRIVER_REMOVE);
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 0);

	KUNIT_EXPECT_EQ(test, look(bench, &apple, 0), -EIO);
	KUNIT_EXPECT_EQ(test, look(bench, &pear, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(uv_uobj_begin(&apple, &attrs)),
			(long)-EIO);
	uobj = uv_get_destroyed(&apple, 0, &attrs);
	KUNIT_ASSERT_FALSE(test, IS_ERR(uobj));
	uv_uobj_put(uobj);
	KUNIT_EXPECT_EQ(test, destroy(bench, &apple, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&fakes[0].destroyed), 1);
	/* The pear stays for the release of the file. */
	KUNIT_EXPECT_EQ(test, atomic_read(&fakes[1].destroyed), 1);
}

enum {
	THREADS = 4,
	ROUNDS = 200,
	BATCH = 16,
};

/**
 * struct crowd - threads that use and destroy the same objects
 * @bench: file that has them
 * @stop: they have done enough
 * @unplugged: the device is gone, or about to go
 * @strange: lookups with another answer than they may have
 * @won: objects that a thread has destroyed
 * @running: threads, and 1 of the test
 * @done: completed by the last of them
 */
struct crowd {
	struct bench *bench;
	bool stop;
	bool unplugged;
	atomic_t strange;
	atomic_t won;
	atomic_t running;
	struct completion done;
};

static void crowd_step(struct crowd *crowd, struct rnd_state *rnd)
{
	struct bench *bench = crowd->bench;
	u32 id = prandom_u32_state(rnd) % (BATCH + 2);
	int ret;

	if (prandom_u32_state(rnd) % 4) {
		ret = look(bench, &apple, id);
	} else {
		ret = destroy(bench, &apple, id);
		if (!ret)
			atomic_inc(&crowd->won);
	}
	if (ret && ret != -ENOENT && ret != -EBUSY &&
	    (ret != -EIO || !READ_ONCE(crowd->unplugged)))
		atomic_inc(&crowd->strange);
}

static int crowd_thread(void *data)
{
	struct crowd *crowd = data;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, (unsigned long)current);
	while (!READ_ONCE(crowd->stop)) {
		scoped_guard(srcu, &crowd->bench->dev.srcu)
			crowd_step(crowd, &rnd);
		cond_resched();
	}
	if (atomic_dec_and_test(&crowd->running))
		complete(&crowd->done);
	return 0;
}

static struct crowd *crowd_start(struct kunit *test)
{
	struct crowd *crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);
	int i;

	if (!crowd)
		return NULL;
	crowd->bench = test->priv;
	init_completion(&crowd->done);
	atomic_set(&crowd->running, 1);
	for (i = 0; i < THREADS; i++) {
		atomic_inc(&crowd->running);
		if (IS_ERR(kthread_run(crowd_thread, crowd, "handles/%d", i)))
			atomic_dec(&crowd->running);
	}
	return crowd;
}

static void crowd_stop(struct crowd *crowd)
{
	WRITE_ONCE(crowd->stop, true);
	if (!atomic_dec_and_test(&crowd->running))
		wait_for_completion(&crowd->done);
}

static int not_ended_once(const struct fake *fakes, int count)
{
	int i, wrong = 0;

	for (i = 0; i < count; i++)
		if (atomic_read(&fakes[i].destroyed) != 1)
			wrong++;
	return wrong;
}

/* Each thread destroys everything; each object ends once. */
static void test_crowd(struct kunit *test)
{
	struct bench *bench = test->priv;
	struct crowd *crowd;
	struct fake *fakes;
	int i, made = 0;

	fakes = kunit_kcalloc(test, ROUNDS * BATCH, sizeof(*fakes), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, fakes);
	crowd = crowd_start(test);
	KUNIT_ASSERT_TRUE(test, crowd);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->running), THREADS + 1);
	for (i = 0; i < ROUNDS * BATCH; i++) {
		scoped_guard(srcu, &bench->dev.srcu)
			if (!IS_ERR(make(bench, &apple, &fakes[i])))
				made++;
		/* Keep the table about as full as the crowd looks. */
		while (atomic_read(&bench_charged) > BATCH &&
		       atomic_read(&crowd->running) > 1)
			usleep_range(10, 50);
		cond_resched();
	}
	crowd_stop(crowd);

	KUNIT_EXPECT_EQ(test, made, ROUNDS * BATCH);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->strange), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->won) +
			atomic_read(&bench_charged), made);
	bench_teardown(bench, RDMA_REMOVE_CLOSE);
	KUNIT_EXPECT_EQ(test, not_ended_once(fakes, made), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 0);
}

/* The same while the device goes: the way of uv_device_unplug(). */
static void test_crowd_unplugged(struct kunit *test)
{
	struct bench *bench = test->priv;
	struct fake fakes[BATCH];
	struct ib_uobject *uobj;
	struct crowd *crowd;
	int i, round, wrong = 0;
	unsigned long id;

	crowd = crowd_start(test);
	KUNIT_ASSERT_TRUE(test, crowd);
	for (round = 0; round < ROUNDS; round++) {
		memset(fakes, 0, sizeof(fakes));
		scoped_guard(srcu, &bench->dev.srcu)
			for (i = 0; i < BATCH; i++)
				if (IS_ERR(make(bench, &apple, &fakes[i])))
					atomic_set(&fakes[i].destroyed, 1);

		WRITE_ONCE(crowd->unplugged, true);
		rcu_assign_pointer(bench->dev.ib_dev, NULL);
		synchronize_srcu(&bench->dev.srcu);
		bench_teardown(bench, RDMA_REMOVE_DRIVER_REMOVE);
		wrong += not_ended_once(fakes, BATCH);
		wrong += !list_empty(&bench->file.base.uobjects);
		/* Make room for the next, as if it were another device. */
		scoped_guard(srcu, &bench->dev.srcu)
			xa_for_each(&bench->file.base.idr, id, uobj)
				destroy(bench, &apple, id);
		rcu_assign_pointer(bench->dev.ib_dev, &bench->ib_dev);
	}
	crowd_stop(crowd);

	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->strange), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&bench_charged), 0);
}

static struct kunit_case frame_tests[] = {
	KUNIT_CASE_PARAM(test_frame, frame_gen_params),
	{}
};

static struct kunit_suite frame_suite = {
	.name = "ofed_uverbs_frame",
	.test_cases = frame_tests,
};

static struct kunit_case handle_tests[] = {
	KUNIT_CASE(test_lookup),
	KUNIT_CASE(test_abort),
	KUNIT_CASE(test_teardown),
	KUNIT_CASE(test_unplugged),
	KUNIT_CASE(test_crowd),
	KUNIT_CASE(test_crowd_unplugged),
	{}
};

static struct kunit_suite handle_suite = {
	.name = "ofed_uverbs_handles",
	.init = bench_init,
	.exit = bench_exit,
	.test_cases = handle_tests,
};

kunit_test_suites(&frame_suite, &handle_suite);

MODULE_DESCRIPTION("Tests of the frames and handles of uverbs");
MODULE_LICENSE("GPL");

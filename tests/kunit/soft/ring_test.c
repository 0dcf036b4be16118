// SPDX-License-Identifier: GPL-2.0
/*
 * Rings and completion queues of software devices. The other side of a ring is
 * played here, and writes what it likes into the header.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "hw/soft/cq.h"
#include "hw/soft/dev.h"
#include "hw/soft/ring.h"

static int entries;	/* that the played core knows */

int rdma_user_mmap_entry_insert_range(struct ib_ucontext *ucontext,
				      struct rdma_user_mmap_entry *entry,
				      size_t length, u32 min_pgoff, u32 max_pgoff)
{
	entry->ucontext = ucontext;
	entry->npages = length >> PAGE_SHIFT;
	entry->start_pgoff = 0x1234;
	entries++;
	return 0;
}

void rdma_user_mmap_entry_remove(struct rdma_user_mmap_entry *entry)
{
	entries--;
	soft_mmap_free(entry);
}

struct rdma_user_mmap_entry *rdma_user_mmap_entry_get(struct ib_ucontext *ucontext,
						      struct vm_area_struct *vma)
{
	return NULL;
}

void rdma_user_mmap_entry_put(struct rdma_user_mmap_entry *entry)
{
}

struct shape {
	u32 slots;
	u32 elem_bytes;
	int ret;
	u32 mask;
	u8 shift;
};

static const struct shape shapes[] = {
	{ 0, 64, 0, 1, 6 },
	{ 1, 64, 0, 1, 6 },
	{ 2, 64, 0, 3, 6 },
	{ 3, 64, 0, 3, 6 },
	{ 4, 64, 0, 7, 6 },
	{ 100, 48, 0, 127, 6 },
	{ 100, 65, 0, 127, 7 },
	{ 100, 1, 0, 127, 0 },
	{ 100, PAGE_SIZE, 0, 127, PAGE_SHIFT },
	{ 100, PAGE_SIZE + 1, -EINVAL, 0, 0 },
	{ 100, 0, -EINVAL, 0, 0 },
	{ 1U << 30, 64, -EINVAL, 0, 0 },
	{ U32_MAX, 1, -EINVAL, 0, 0 },
};

static void ring_shapes(struct kunit *test)
{
	const struct shape *want;
	struct soft_ring ring;
	int i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		want = &shapes[i];
		KUNIT_ASSERT_EQ_MSG(test, want->ret,
				    soft_ring_alloc(&ring, want->slots,
						    want->elem_bytes, NULL,
						    NULL), "row %d", i);
		if (want->ret)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, ring.mask, want->mask, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, ring.shift, want->shift, "row %d", i);
		KUNIT_EXPECT_EQ(test, ring.buf->index_mask, want->mask);
		KUNIT_EXPECT_EQ(test, ring.buf->log2_elem_size, want->shift);
		KUNIT_EXPECT_EQ(test, soft_ring_room(&ring), want->mask);
		KUNIT_EXPECT_EQ(test, soft_ring_ready(&ring), 0);
		soft_ring_free(&ring);
		soft_ring_free(&ring);
	}
}

/* Three times around: in order, full at one slot less, empty at last. */
static void ring_in_order(struct kunit *test)
{
	struct soft_ring ring;
	u32 next = 0, seen = 0;

	KUNIT_ASSERT_EQ(test, soft_ring_alloc(&ring, 7, 4, NULL, NULL), 0);
	while (seen < 24) {
		while (soft_ring_room(&ring)) {
			*(u32 *)soft_ring_at(&ring, ring.prod) = next++;
			soft_ring_produce(&ring);
		}
		KUNIT_EXPECT_EQ(test, soft_ring_ready(&ring), 7);
		KUNIT_EXPECT_EQ(test, *(u32 *)soft_ring_at(&ring,
							   ring.cons + 6),
				seen + 6);
		while (soft_ring_ready(&ring)) {
			KUNIT_EXPECT_EQ(test,
					*(u32 *)soft_ring_at(&ring, ring.cons),
					seen++);
			soft_ring_consume(&ring);
		}
	}
	KUNIT_EXPECT_EQ(test, soft_ring_room(&ring), 7);
	soft_ring_free(&ring);
}

static const u32 bad_indices[] = {
	0, 1, 7, 8, 9, 0x7fffffff, 0x80000000, 0xfffffff8, U32_MAX,
};

static void ring_hostile(struct kunit *test)
{
	struct ib_ucontext ucontext = {};
	struct mminfo info = {};
	struct soft_ring ring;
	void *at;
	int i;

	KUNIT_ASSERT_EQ(test, soft_ring_alloc(&ring, 7, 64, &ucontext, &info),
			0);
	KUNIT_EXPECT_EQ(test, entries, 1);
	KUNIT_EXPECT_EQ(test, info.offset, 0x1234ULL << PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, info.size, PAGE_SIZE);

	ring.buf->log2_elem_size = 31;
	ring.buf->index_mask = U32_MAX;
	for (i = 0; i < ARRAY_SIZE(bad_indices); i++) {
		ring.buf->producer_index = bad_indices[i];
		ring.buf->consumer_index = bad_indices[i];
		KUNIT_EXPECT_EQ(test, soft_ring_ready(&ring),
				bad_indices[i] & 7);
		KUNIT_EXPECT_LE(test, soft_ring_room(&ring), 7);
		at = soft_ring_at(&ring, bad_indices[i]);
		KUNIT_EXPECT_TRUE(test, at >= (void *)ring.buf->data);
		KUNIT_EXPECT_TRUE(test, at + 64 <= (void *)ring.buf->data + 512);
	}
	ring.buf->producer_index = U32_MAX;
	for (i = 0; i < 20; i++)
		soft_ring_consume(&ring);
	KUNIT_EXPECT_EQ(test, ring.cons, 20);
	KUNIT_EXPECT_EQ(test, ring.buf->consumer_index, 20 & 7);
	soft_ring_free(&ring);
	KUNIT_EXPECT_EQ(test, entries, 0);
}

/* ---- another size -------------------------------------------------------------- */

enum { MOVE_SLOTS = 4095, MOVE_ELEMENT = 64 };

static void produce(struct soft_ring *ring, u32 count)
{
	while (count--) {
		*(u32 *)soft_ring_at(ring, ring->prod) = ring->prod;
		soft_ring_produce(ring);
	}
}

static void consume(struct soft_ring *ring, u32 count)
{
	while (count--)
		soft_ring_consume(ring);
}

/* What happens to the old ring after each piece. */
struct meanwhile {
	const char *name;
	u32 waiting;		/* at first */
	u32 consumed;
	u32 produced;
};

static const struct meanwhile meanwhiles[] = {
	{ "nothing", 4000, 0, 0 },
	{ "empty", 0, 0, 0 },
	{ "full", MOVE_SLOTS, 0, 0 },
	{ "consumed slowly", 4000, 10, 0 },
	{ "consumed faster than it is copied", 4000, 1500, 0 },
	{ "produced", 2000, 0, 400 },
	{ "both", 2000, 300, 300 },
	{ "turned around exactly", 4000, 4000, 4000 },
	{ "turned around", 3000, 3000, MOVE_SLOTS },
	{ "produced as fast as it is copied", 3000, 1024, 1024 },
};

/* The new ring has what the old one had in the end, in order. */
static void move_while(struct kunit *test, const struct meanwhile *row)
{
	struct soft_ring from, to;
	struct soft_ring_resize move;
	u32 i, passes = 0;

	KUNIT_ASSERT_EQ(test, soft_ring_alloc(&from, MOVE_SLOTS, MOVE_ELEMENT,
					      NULL, NULL), 0);
	KUNIT_ASSERT_EQ(test, soft_ring_alloc(&to, MOVE_SLOTS + 1, MOVE_ELEMENT,
					      NULL, NULL), 0);
	produce(&from, 1000);
	consume(&from, 1000);
	produce(&from, row->waiting);
	soft_move_begin(&move, &from, &to, from.prod, row->waiting);
	while (!soft_move_some(&move, from.prod, soft_ring_ready(&from))) {
		passes++;
		consume(&from, min(row->consumed, soft_ring_ready(&from)));
		produce(&from, min(row->produced, soft_ring_room(&from)));
	}
	KUNIT_EXPECT_LE_MSG(test, passes, 20U, "%s", row->name);
	if (row->waiting > 1024)
		KUNIT_EXPECT_GE_MSG(test, passes, 1U, "%s", row->name);
	KUNIT_ASSERT_EQ_MSG(test, soft_ring_ready(&to), soft_ring_ready(&from),
			    "%s", row->name);
	for (i = 0; i < soft_ring_ready(&from); i++)
		KUNIT_ASSERT_EQ_MSG(test, *(u32 *)soft_ring_at(&to, to.cons + i),
				    from.cons + i, "%s", row->name);
	KUNIT_EXPECT_EQ(test, soft_ring_room(&to),
			to.mask - soft_ring_ready(&from));
	soft_ring_free(&from);
	soft_ring_free(&to);
}

static void ring_moves(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(meanwhiles); i++)
		move_while(test, &meanwhiles[i]);
}

/* ---- completion queues ------------------------------------------------------ */

struct consumer {
	struct soft_dev dev;
	struct soft_cq cq;
	struct completion called;
	struct completion told;
	int calls;
	int events;
	enum ib_event_type event;
};

static void on_completion(struct ib_cq *ibcq, void *context)
{
	struct consumer *c = context;

	c->calls++;
	complete(&c->called);
}

static void on_event(struct ib_event *event, void *context)
{
	struct consumer *c = context;

	c->events++;
	c->event = event->event;
	complete(&c->told);
}

static struct consumer *new_consumer(struct kunit *test)
{
	static const u32 max[SOFT_OBJECT_NUM] = { [SOFT_OBJECT_CQ] = 1 };
	struct consumer *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, c);
	soft_limits_init(&c->dev, max);
	c->dev.max_cqe = 1000;
	c->cq.cq.device = &c->dev.ib;
	c->cq.cq.comp_handler = on_completion;
	c->cq.cq.event_handler = on_event;
	c->cq.cq.cq_context = c;
	init_completion(&c->called);
	init_completion(&c->told);
	return c;
}

static struct consumer *new_cq(struct kunit *test, u32 cqe)
{
	const struct ib_cq_init_attr attr = { .cqe = cqe };
	struct consumer *c = new_consumer(test);

	KUNIT_ASSERT_EQ(test, soft_create_cq(&c->cq.cq, &attr, NULL), 0);
	return c;
}

static bool post(struct consumer *c, u64 wr_id, enum ib_wc_status status,
		 bool solicited)
{
	const struct ib_wc wc = { .wr_id = wr_id, .status = status };

	return soft_cq_post(&c->cq, &wc, solicited);
}

static bool soon(struct completion *done)
{
	return wait_for_completion_timeout(done, 5 * HZ);
}

/* Nothing is left to run after the tasklet was waited for. */
static bool never(struct consumer *c)
{
	tasklet_unlock_wait(&c->cq.notify.tasklet);
	return !test_bit(TASKLET_STATE_SCHED, &c->cq.notify.tasklet.state) &&
	       !completion_done(&c->called);
}

static void cq_limits(struct kunit *test)
{
	struct consumer *c = new_consumer(test);
	struct ib_cq_init_attr attr = {};
	struct soft_cq *more = kunit_kzalloc(test, sizeof(*more), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, more);
	more->cq.device = &c->dev.ib;
	KUNIT_EXPECT_EQ(test, soft_create_cq(&c->cq.cq, &attr, NULL), -EINVAL);
	attr.cqe = 1001;
	KUNIT_EXPECT_EQ(test, soft_create_cq(&c->cq.cq, &attr, NULL), -EINVAL);
	attr.cqe = 1000;
	attr.flags = IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	KUNIT_EXPECT_EQ(test, soft_create_cq(&c->cq.cq, &attr, NULL),
			-EOPNOTSUPP);
	attr.flags = 0;
	KUNIT_ASSERT_EQ(test, soft_create_cq(&c->cq.cq, &attr, NULL), 0);
	KUNIT_EXPECT_GE(test, c->cq.cq.cqe, 1000);
	KUNIT_EXPECT_EQ(test, soft_create_cq(&more->cq, &attr, NULL), -ENOMEM);
	soft_destroy_cq(&c->cq.cq, NULL);
	soft_limits_exit(&c->dev);
}

static void cq_overrun(struct kunit *test)
{
	struct consumer *c = new_cq(test, 3);
	struct ib_wc wc[8];
	int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, post(c, i, IB_WC_SUCCESS, false));
	for (i = 3; i < 6; i++)
		KUNIT_EXPECT_FALSE(test, post(c, i, IB_WC_SUCCESS, false));
	KUNIT_EXPECT_TRUE(test, soon(&c->told));
	KUNIT_EXPECT_EQ(test, soft_peek_cq(&c->cq.cq, 2), 2);
	KUNIT_EXPECT_EQ(test, soft_peek_cq(&c->cq.cq, 8), 3);
	KUNIT_EXPECT_EQ(test, soft_poll_cq(&c->cq.cq, 8, wc), 3);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, wc[i].wr_id, (u64)i);
	KUNIT_EXPECT_FALSE(test, post(c, 6, IB_WC_SUCCESS, false));
	soft_destroy_cq(&c->cq.cq, NULL);
	KUNIT_EXPECT_EQ(test, c->events, 1);
	KUNIT_EXPECT_EQ(test, (int)c->event, (int)IB_EVENT_CQ_ERR);
	KUNIT_EXPECT_EQ(test, c->calls, 0);
}

struct notice {
	enum ib_cq_notify_flags first;
	enum ib_cq_notify_flags then;	/* asked for as well, if not 0 */
	enum ib_wc_status status;
	bool solicited;
	bool called;
};

static const struct notice notices[] = {
	{ 0, 0, IB_WC_SUCCESS, true, false },
	{ IB_CQ_NEXT_COMP, 0, IB_WC_SUCCESS, false, true },
	{ IB_CQ_NEXT_COMP, 0, IB_WC_SUCCESS, true, true },
	{ IB_CQ_NEXT_COMP, 0, IB_WC_WR_FLUSH_ERR, false, true },
	{ IB_CQ_SOLICITED, 0, IB_WC_SUCCESS, false, false },
	{ IB_CQ_SOLICITED, 0, IB_WC_SUCCESS, true, true },
	{ IB_CQ_SOLICITED, 0, IB_WC_WR_FLUSH_ERR, false, true },
	{ IB_CQ_NEXT_COMP, IB_CQ_SOLICITED, IB_WC_SUCCESS, false, true },
	{ IB_CQ_SOLICITED, IB_CQ_NEXT_COMP, IB_WC_SUCCESS, false, true },
};

static void cq_notices(struct kunit *test)
{
	const struct notice *n;
	struct consumer *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(notices); i++) {
		n = &notices[i];
		c = new_cq(test, 8);
		if (n->first)
			soft_req_notify_cq(&c->cq.cq, n->first);
		if (n->then)
			soft_req_notify_cq(&c->cq.cq, n->then);
		post(c, 1, n->status, n->solicited);
		if (n->called)
			KUNIT_EXPECT_TRUE_MSG(test, soon(&c->called),
					      "row %d", i);
		/* One request, one call. */
		post(c, 2, IB_WC_WR_FLUSH_ERR, true);
		if (n->called)
			KUNIT_EXPECT_TRUE_MSG(test, never(c), "row %d", i);
		soft_destroy_cq(&c->cq.cq, NULL);
		KUNIT_EXPECT_LE(test, c->calls, 1);
	}
}

static void cq_missed(struct kunit *test)
{
	const int how = IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS;
	struct consumer *c = new_cq(test, 8);
	struct ib_wc wc;

	KUNIT_EXPECT_EQ(test, soft_req_notify_cq(&c->cq.cq, how), 0);
	post(c, 1, IB_WC_SUCCESS, false);
	KUNIT_EXPECT_EQ(test, soft_req_notify_cq(&c->cq.cq, how), 1);
	KUNIT_EXPECT_EQ(test, soft_req_notify_cq(&c->cq.cq, IB_CQ_NEXT_COMP),
			0);
	KUNIT_EXPECT_EQ(test, soft_poll_cq(&c->cq.cq, 1, &wc), 1);
	KUNIT_EXPECT_EQ(test, soft_req_notify_cq(&c->cq.cq, how), 0);
	soft_destroy_cq(&c->cq.cq, NULL);
}

static void cq_resize(struct kunit *test)
{
	struct consumer *c = new_cq(test, 7);
	struct ib_wc wc[16];
	int i;

	for (i = 0; i < 6; i++)
		post(c, 99, IB_WC_SUCCESS, false);
	soft_poll_cq(&c->cq.cq, 6, wc);
	for (i = 0; i < 5; i++)
		post(c, i, IB_WC_SUCCESS, false);
	KUNIT_EXPECT_EQ(test, soft_resize_cq(&c->cq.cq, 0, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, soft_resize_cq(&c->cq.cq, -1, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, soft_resize_cq(&c->cq.cq, 1001, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, soft_resize_cq(&c->cq.cq, 4, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, c->cq.cq.cqe, 7);
	KUNIT_EXPECT_EQ(test, soft_resize_cq(&c->cq.cq, 12, NULL), 0);
	KUNIT_EXPECT_EQ(test, c->cq.cq.cqe, 15);
	for (i = 5; i < 15; i++)
		KUNIT_EXPECT_TRUE(test, post(c, i, IB_WC_SUCCESS, false));
	KUNIT_EXPECT_EQ(test, soft_poll_cq(&c->cq.cq, 16, wc), 15);
	for (i = 0; i < 15; i++)
		KUNIT_EXPECT_EQ(test, wc[i].wr_id, (u64)i);
	KUNIT_EXPECT_EQ(test, soft_resize_cq(&c->cq.cq, 1, NULL), 0);
	KUNIT_EXPECT_EQ(test, c->cq.cq.cqe, 1);
	soft_destroy_cq(&c->cq.cq, NULL);
}

static int post_for_ever(void *data)
{
	struct consumer *c = data;
	u64 id = 0;

	while (!kthread_should_stop()) {
		if (soft_peek_cq(&c->cq.cq, 1 << 20) < 3000)
			post(c, id++, IB_WC_SUCCESS, false);
		else
			cond_resched();
	}
	return 0;
}

/* Nothing is lost, doubled or out of order while both sides go on. */
static void cq_resize_running(struct kunit *test)
{
	struct consumer *c = new_consumer(test);
	const struct ib_cq_init_attr attr = { .cqe = 4095 };
	struct task_struct *poster;
	struct ib_wc wc[16];
	u32 round;
	u64 id = 0;
	int i, got;

	c->dev.max_cqe = 20000;
	KUNIT_ASSERT_EQ(test, soft_create_cq(&c->cq.cq, &attr, NULL), 0);
	poster = kthread_run(post_for_ever, c, "soft_ring_kunit");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, poster);
	for (round = 0; round < 100; round++) {
		for (i = 0; i < 1000; i++) {
			got = soft_poll_cq(&c->cq.cq, 1, wc);
			if (got && wc->wr_id != id++)
				goto out;
			/* The poster may have no other CPU. */
			if (!got)
				cond_resched();
		}
		if (soft_resize_cq(&c->cq.cq, round & 1 ? 4095 : 16383, NULL))
			goto out;
	}
out:
	kthread_stop(poster);
	KUNIT_EXPECT_EQ(test, round, 100U);
	while ((got = soft_poll_cq(&c->cq.cq, 16, wc)) > 0)
		for (i = 0; i < got; i++)
			KUNIT_ASSERT_EQ(test, wc[i].wr_id, id++);
	KUNIT_EXPECT_GT(test, id, 1000ULL);
	KUNIT_EXPECT_FALSE(test, c->cq.overrun);
	soft_destroy_cq(&c->cq.cq, NULL);
}

/* A program's CQ, without the program: its ring is put in by hand. */
static void cq_of_user(struct kunit *test)
{
	struct ib_ucontext ucontext = {};
	struct consumer *c = new_cq(test, 3);
	struct ib_qp qp = { .qp_num = 77 };
	const struct ib_wc wc = {
		.wr_id = 0x1122334455667788, .status = IB_WC_LOC_PROT_ERR,
		.opcode = IB_WC_RECV_RDMA_WITH_IMM, .byte_len = 5, .qp = &qp,
		.ex.imm_data = cpu_to_be32(9), .src_qp = 3, .port_num = 2,
		.wc_flags = IB_WC_GRH | IB_WC_WITH_INVALIDATE |
			    IB_WC_WITH_SMAC | IB_WC_WITH_VLAN,
	};
	struct ib_uverbs_wc *got;
	struct mminfo info = {};
	struct ib_wc none;
	int i;

	soft_ring_free(&c->cq.ring);
	KUNIT_ASSERT_EQ(test, soft_ring_alloc(&c->cq.ring, 3, SOFT_USER_CQE_BYTES,
					      &ucontext, &info), 0);
	KUNIT_EXPECT_TRUE(test, soft_cq_post(&c->cq, &wc, false));
	got = soft_ring_at(&c->cq.ring, 0);
	KUNIT_EXPECT_EQ(test, got->wr_id, 0x1122334455667788);
	KUNIT_EXPECT_EQ(test, got->status, 4);
	KUNIT_EXPECT_EQ(test, got->opcode, 129);
	KUNIT_EXPECT_EQ(test, got->byte_len, 5);
	KUNIT_EXPECT_EQ(test, got->qp_num, 77);
	KUNIT_EXPECT_EQ(test, got->src_qp, 3);
	KUNIT_EXPECT_EQ(test, got->wc_flags, 1 | 8);
	KUNIT_EXPECT_EQ(test, (int)got->port_num, 2);
	KUNIT_EXPECT_EQ(test, c->cq.ring.buf->producer_index, 1);
	KUNIT_EXPECT_EQ(test, c->calls, 0);
	/* A waiter is woken at once, and once. */
	c->cq.armed = IB_CQ_NEXT_COMP;
	KUNIT_EXPECT_TRUE(test, soft_cq_post(&c->cq, &wc, false));
	KUNIT_EXPECT_EQ(test, c->calls, 1);
	KUNIT_EXPECT_TRUE(test, soft_cq_post(&c->cq, &wc, false));
	KUNIT_EXPECT_EQ(test, c->calls, 1);
	KUNIT_EXPECT_EQ(test, soft_poll_cq(&c->cq.cq, 1, &none), -EOPNOTSUPP);

	/* The reader says that it has read, and read, and read. */
	for (i = 0; i < 100; i++) {
		c->cq.ring.buf->consumer_index = i * 0x01010101;
		soft_cq_post(&c->cq, &wc, false);
		c->cq.overrun = false;
	}
	soft_destroy_cq(&c->cq.cq, NULL);
	KUNIT_EXPECT_EQ(test, entries, 0);
}

static struct kunit_case soft_ring_cases[] = {
	KUNIT_CASE(ring_shapes),
	KUNIT_CASE(ring_in_order),
	KUNIT_CASE(ring_hostile),
	KUNIT_CASE(ring_moves),
	KUNIT_CASE(cq_limits),
	KUNIT_CASE(cq_overrun),
	KUNIT_CASE(cq_notices),
	KUNIT_CASE(cq_missed),
	KUNIT_CASE(cq_resize),
	KUNIT_CASE(cq_resize_running),
	KUNIT_CASE(cq_of_user),
	{}
};

static struct kunit_suite soft_ring_suite = {
	.name = "soft_ring",
	.test_cases = soft_ring_cases,
};
kunit_test_suite(soft_ring_suite);

MODULE_DESCRIPTION("KUnit: rings and completion queues of software devices");
MODULE_LICENSE("GPL");

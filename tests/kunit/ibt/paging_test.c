// SPDX-License-Identifier: GPL-2.0
/* Queue pairs that wait for pages of programs, and those that do not. */
#include <linux/completion.h>
#include <linux/workqueue.h>

#include "hw/ibt/dev.h"
#include "hw/ibt/qp.h"
#include "engine.h"

/* More works than a queue runs at a time. */
#define WORKS	600

static struct pair pair;
static DECLARE_COMPLETION(page_came);
static DECLARE_COMPLETION(task_ran);

static int absent_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	return fake_start();
}

static void absent_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

static void wait_for_page(struct work_struct *work)
{
	wait_for_completion(&page_came);
}

static void run_task(struct work_struct *work)
{
	complete(&task_ran);
}

/* A program's file system does not give the pages: the works that want them stay where they are. */
static void page_faults_hold_up_no_task(struct kunit *test)
{
	struct work_struct *works = kunit_kcalloc(test, WORKS, sizeof(*works), GFP_KERNEL);
	struct work_struct task;
	struct ibt_qp *qp;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, works);
	ends_make(&pair);
	qp = to_ibt_qp(pair.end[0].qp);
	KUNIT_EXPECT_PTR_EQ(test, qp->resp.pager.queue, qp->sq.pager.queue);
	reinit_completion(&page_came);
	reinit_completion(&task_ran);
	INIT_WORK_ONSTACK(&task, run_task);
	for (i = 0; i < WORKS; i++) {
		INIT_WORK(&works[i], wait_for_page);
		queue_work(qp->sq.pager.queue, &works[i]);
	}
	queue_work(ibt_qp_dev(qp)->queues.any, &task);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&task_ran, 10 * HZ), 0UL);
	complete_all(&page_came);
	for (i = 0; i < WORKS; i++)
		flush_work(&works[i]);
	flush_work(&task);
	destroy_work_on_stack(&task);
}

/* An RDMA WRITE ONLY (0x0a) that end 1 expects. */
static void forge_write(void)
{
	u8 bytes[12 + 16 + 16 + 4] = { };

	put_reth(put_bth(bytes, 0x0a, pair.end[1].qp->qp_num, pair.psn), &pair, 1, 0, 16);
	fake_inject(1, bytes, sizeof(bytes));
}

static void pages_that_do_not_come_leave_memory(struct kunit *test)
{
	struct sk_buff *first = alloc_skb(64, GFP_KERNEL);
	struct ibt_resp *resp;
	struct ibt_dev *dev;

	KUNIT_ASSERT_NOT_NULL(test, first);
	ends_make(&pair);
	resp = &to_ibt_qp(pair.end[1].qp)->resp;
	dev = ibt_qp_dev(to_ibt_qp(pair.end[1].qp));
	memset(first->cb, 0, sizeof(first->cb));
	__skb_queue_tail(&resp->backlog, first);
	atomic_add(IBT_MAX_QUEUED_BYTES / 2, &dev->queued);
	atomic_set(&resp->pager.state, SOFT_PAGER_BUSY);
	forge_write();
	KUNIT_EXPECT_EQ(test, skb_queue_len(&resp->backlog), 1U);
	/* It waits for the link. */
	atomic_set(&resp->pager.state, SOFT_PAGER_IDLE);
	forge_write();
	KUNIT_EXPECT_EQ(test, skb_queue_len(&resp->backlog), 2U);
	atomic_sub(IBT_MAX_QUEUED_BYTES / 2, &dev->queued);
}

static struct kunit_case paging_cases[] = {
	KUNIT_CASE(page_faults_hold_up_no_task),
	KUNIT_CASE(pages_that_do_not_come_leave_memory),
	{}
};

struct kunit_suite ibt_paging_suite = {
	.name = "ibt_engine_paging",
	.init = absent_init,
	.exit = absent_exit,
	.test_cases = paging_cases,
};

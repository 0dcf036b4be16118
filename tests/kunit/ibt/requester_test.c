// SPDX-License-Identifier: GPL-2.0
/*
 * What gets in the way of the send side: requests behind which another one fails, a
 * link that is full for a moment only, peers that go away in the middle of a
 * message that needs no packets, failures between two steps of modify_qp.
 *
 * A message without packets moves by chunks of 64 KiB, four of them in the context that
 * rings the bell. hold() keeps the work from doing the rest, so a case can come in
 * between at a place that it knows.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>

#include "hw/ibt/objref.h"
#include "hw/ibt/qp.h"
#include "engine.h"

#define CHUNK		(64U << 10)
#define AT_A_TIME	(4 * CHUNK)
#define FIVE_CHUNKS	(5 * CHUNK)
#define BIG_BYTES	(32 * CHUNK)

/* Ack timeouts: 268 ms, 2.1 s. */
#define SOON		16
#define LATER		19

enum { SEND_ONLY = 0x04 };

static struct pair pair;
static bool held;

/* More memory than a pair has: of side 0, and of side 1, registered. */
static struct big {
	u8 *mem[2];
	struct ib_mr *mr;
} big;

static int send_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	pair.mtu = IB_MTU_4096;
	return fake_start();
}

static struct ibt_qp *engine_qp(int which)
{
	return to_ibt_qp(pair.end[which].qp);
}

static unsigned long *work_bits(void)
{
	return work_data_bits(&engine_qp(0)->sq.task.work);
}

static void let_work_go(void);

static void big_drop(void)
{
	int i;

	if (!IS_ERR_OR_NULL(big.mr))
		ib_dereg_mr(big.mr);
	for (i = 0; i < 2; i++)
		if (big.mem[i])
			free_pages_exact(big.mem[i], BIG_BYTES);
	memset(&big, 0, sizeof(big));
}

/* Queue pairs first: they may be at work in that memory. */
static void send_exit(struct kunit *test)
{
	int i;

	pair.test = test;
	if (held)
		let_work_go();
	for (i = 0; i < 2; i++)
		if (!IS_ERR_OR_NULL(pair.end[i].qp))
			ib_destroy_qp(pair.end[i].qp);
	pair.end[0].qp = NULL;
	pair.end[1].qp = NULL;
	big_drop();
	ends_drop(&pair);
	fake_stop();
}

static void post(struct job job)
{
	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, &job), 0);
}

static void expect_sent(u64 id, enum ib_wc_status status)
{
	EXPECT_WC(&pair, pair.end[0].send_cq, id, status);
}

static int to_state(int which, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(pair.end[which].qp, &attr, IB_QP_STATE);
}

/* ---- in front of a request that failed ---------------------------------------------- */

static bool lose_next;

static enum fake_fate lose_one(u32 number, const u8 *bth)
{
	return bth[0] == SEND_ONLY && xchg(&lose_next, false) ? FAKE_DROP :
								FAKE_PASS;
}

static void post_good_and_bad(void)
{
	post((struct job){ .op = IB_WR_SEND, .id = 1, .length = 8 });
	post((struct job){ .op = IB_WR_SEND, .id = 2, .length = 8,
			   .lkey = 0x12345600 });
	post((struct job){ .op = IB_WR_SEND, .id = 3, .length = 8 });
}

static void expect_good_and_bad(void)
{
	expect_sent(1, IB_WC_SUCCESS);
	expect_sent(2, IB_WC_LOC_PROT_ERR);
	expect_sent(3, IB_WC_WR_FLUSH_ERR);
	EXPECT_WC(&pair, pair.end[1].recv_cq, 6, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(pair.test, ends_quiet(pair.end[1].recv_cq));
	KUNIT_EXPECT_TRUE(pair.test, ends_reaches(&pair, 0, IB_QPS_ERR));
	KUNIT_EXPECT_EQ(pair.test, ends_state(&pair, 1), IB_QPS_RTS);
}

static void lost_in_front_of_failure(struct kunit *test)
{
	pair.timeout = SOON;
	ends_make(&pair);
	lose_next = true;
	fake_restart(lose_one);
	ends_recv(&pair, 1, 6, 0, 8);
	ends_recv(&pair, 1, 7, 0, 8);
	post_good_and_bad();
	expect_good_and_bad();
	KUNIT_EXPECT_FALSE(test, lose_next);
}

static void rnr_in_front_of_failure(struct kunit *test)
{
	pair.timeout = SOON;
	ends_make(&pair);
	post_good_and_bad();
	KUNIT_EXPECT_TRUE(test, ends_counted(0, "rcvd_rnr_nak"));
	KUNIT_EXPECT_TRUE(test, ends_quiet(pair.end[0].send_cq));
	ends_recv(&pair, 1, 6, 0, 8);
	ends_recv(&pair, 1, 7, 0, 8);
	expect_good_and_bad();
}

/* ---- a link without room --------------------------------------------------------------- */

/* The room is there again before any sender could wait for it. */
static void datagrams_find_room(struct kunit *test)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB };
	struct ib_ud_wr wrs[4] = { };
	struct ib_wc wc;
	struct ib_ah *ah;
	int i;

	ends_defaults(&pair, test, IB_QPT_UD);
	ends_make(&pair);
	rdma_ah_set_dlid(&attr, 2);
	rdma_ah_set_port_num(&attr, 1);
	ah = rdma_create_ah(pair.end[0].pd, &attr, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ah);
	for (i = 0; i < ARRAY_SIZE(wrs); i++) {
		wrs[i].wr.wr_id = i;
		wrs[i].wr.opcode = IB_WR_SEND;
		wrs[i].wr.send_flags = IB_SEND_SIGNALED;
		wrs[i].wr.next = i < 3 ? &wrs[i + 1].wr : NULL;
		wrs[i].ah = ah;
		wrs[i].remote_qpn = pair.end[1].qp->qp_num;
		wrs[i].remote_qkey = 0x11111111;
	}
	fake.limit = 1;
	fake.prompt = true;
	KUNIT_EXPECT_EQ(test, ib_post_send(pair.end[0].qp, &wrs[0].wr, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(wrs); i++) {
		if (!ends_wait(pair.end[0].send_cq, &wc))
			break;
		KUNIT_EXPECT_EQ(test, wc.wr_id, (u64)i);
	}
	KUNIT_EXPECT_EQ(test, i, 4);
	rdma_destroy_ah(ah, 0);
}

/* ---- long messages without packets -------------------------------------------------------- */

static void register_big(void)
{
	struct ib_reg_wr wr = {
		.wr = { .opcode = IB_WR_REG_MR, .wr_id = 1,
			.send_flags = IB_SEND_SIGNALED },
		.access = pair.mr_access,
	};
	struct end *e = &pair.end[1];
	struct scatterlist sg;
	int i;

	for (i = 0; i < 2; i++) {
		big.mem[i] = alloc_pages_exact(BIG_BYTES, GFP_KERNEL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(pair.test, big.mem[i]);
		memset(big.mem[i], i ? 'p' : 'u', BIG_BYTES);
	}
	big.mr = ib_alloc_mr(e->pd, IB_MR_TYPE_MEM_REG, BIG_BYTES / PAGE_SIZE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(pair.test, big.mr);
	sg_init_one(&sg, big.mem[1], BIG_BYTES);
	KUNIT_ASSERT_EQ(pair.test,
			ib_dma_map_sg(e->ib, &sg, 1, DMA_BIDIRECTIONAL), 1);
	KUNIT_ASSERT_EQ(pair.test,
			ib_map_mr_sg(big.mr, &sg, 1, NULL, PAGE_SIZE), 1);
	wr.mr = big.mr;
	wr.key = big.mr->rkey;
	KUNIT_ASSERT_EQ(pair.test, ib_post_send(e->qp, &wr.wr, NULL), 0);
	EXPECT_WC(&pair, e->send_cq, 1, IB_WC_SUCCESS);
}

static void prepare(u8 timeout, u8 retries)
{
	pair.timeout = timeout;
	pair.retries = retries;
	fake.local = true;
	ends_make(&pair);
	register_big();
	fake_restart(NULL);
}

static void post_big(enum ib_wr_opcode op, u32 length)
{
	struct ib_sge sge = {
		.addr = (uintptr_t)big.mem[0],
		.length = length,
		.lkey = pair.end[0].pd->local_dma_lkey,
	};
	struct ib_rdma_wr wr = {
		.wr = { .opcode = op, .wr_id = 9, .sg_list = &sge, .num_sge = 1,
			.send_flags = IB_SEND_SIGNALED },
		.remote_addr = big.mr->iova,
		.rkey = big.mr->rkey,
	};

	KUNIT_ASSERT_EQ(pair.test, ib_post_send(pair.end[0].qp, &wr.wr, NULL), 0);
}

/* The work of side 0 seems to be queued already, and is not late. */
static void hold(void)
{
	struct work_struct *work = &engine_qp(0)->sq.task.work;

	soft_task_patience = UINT_MAX;
	do {
		flush_work(work);
	} while (test_and_set_bit(WORK_STRUCT_PENDING_BIT, work_bits()));
	held = true;
}

static void let_work_go(void)
{
	held = false;
	soft_task_patience = NSEC_PER_MSEC;
	clear_bit(WORK_STRUCT_PENDING_BIT, work_bits());
	queue_work(engine_qp(0)->sq.task.queues->any,
		   &engine_qp(0)->sq.task.work);
}

static void ring_bell(void)
{
	const struct ib_send_wr *bad;

	pair.end[0].ib->ops.post_send(pair.end[0].qp, NULL, &bad);
}

static void let_go(void)
{
	let_work_go();
	ring_bell();
}

static u32 moved(void)
{
	return READ_ONCE(engine_qp(0)->local.done);
}

/* Four chunks of five are here. */
static void begin_read(void)
{
	hold();
	post_big(IB_WR_RDMA_READ, FIVE_CHUNKS);
	KUNIT_EXPECT_EQ(pair.test, moved(), AT_A_TIME);
	KUNIT_EXPECT_PTR_EQ(pair.test, memchr_inv(big.mem[0], 'p', AT_A_TIME), NULL);
}

static void expect_all_read(void)
{
	KUNIT_EXPECT_PTR_EQ(pair.test, memchr_inv(big.mem[0], 'p', FIVE_CHUNKS),
			    NULL);
	KUNIT_EXPECT_PTR_EQ(pair.test, memchr_inv(big.mem[0] + FIVE_CHUNKS, 'u',
						  BIG_BYTES - FIVE_CHUNKS), NULL);
}

/* Nothing came after the fourth. */
static void expect_no_more_read(void)
{
	expect_sent(9, IB_WC_RETRY_EXC_ERR);
	KUNIT_EXPECT_PTR_EQ(pair.test,
			    memchr_inv(big.mem[0] + AT_A_TIME, 'u',
				       BIG_BYTES - AT_A_TIME), NULL);
	KUNIT_EXPECT_EQ(pair.test, ends_counter(0, "local_messages"), 0ULL);
}

static void long_read(struct kunit *test)
{
	prepare(20, 7);
	begin_read();
	let_go();
	expect_sent(9, IB_WC_SUCCESS);
	expect_all_read();
	KUNIT_EXPECT_EQ(test, fake.number, 0U);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_messages"), 1ULL);
	/* Both sides agree about the next PSN. */
	post((struct job){ .op = IB_WR_RDMA_WRITE, .id = 2, .length = 8 });
	expect_sent(2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_messages"), 2ULL);
}

/* The peer has forgotten it, but is there: packets bring it, from the beginning. */
static void read_goes_on_by_packets(struct kunit *test)
{
	struct ibt_resp *resp;

	prepare(20, 7);
	begin_read();
	resp = &engine_qp(1)->resp;
	spin_lock_bh(&resp->lock);
	KUNIT_EXPECT_PTR_EQ(test, resp->local, engine_qp(0));
	resp->local = NULL;
	spin_unlock_bh(&resp->lock);
	let_go();
	expect_sent(9, IB_WC_SUCCESS);
	expect_all_read();
	KUNIT_EXPECT_GT(test, fake.number, 80U);
}

static void peer_of_read_fails(struct kunit *test)
{
	prepare(SOON, 1);
	begin_read();
	KUNIT_ASSERT_EQ(test, to_state(1, IB_QPS_ERR), 0);
	let_go();
	expect_no_more_read();
}

/* It is another's queue pair now, and has nothing to do with what we read. */
static void peer_of_read_is_recycled(struct kunit *test)
{
	prepare(SOON, 1);
	begin_read();
	KUNIT_ASSERT_EQ(test, to_state(1, IB_QPS_RESET), 0);
	ib_dereg_mr(big.mr);
	big.mr = NULL;
	pair.psn += 1000;
	KUNIT_ASSERT_EQ(test, ends_connect(&pair, 1), 0);
	let_go();
	expect_no_more_read();
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 1), IB_QPS_RTS);
	KUNIT_EXPECT_TRUE(test, ends_events(&pair, 1, IB_EVENT_QP_ACCESS_ERR, 0));
}

static void let_go_fn(struct work_struct *work)
{
	let_go();
}

static DECLARE_DELAYED_WORK(let_go_work, let_go_fn);

/* Its destruction waits for a chunk, not for all of the READ. */
static void peer_of_read_is_destroyed(struct kunit *test)
{
	prepare(SOON, 1);
	begin_read();
	schedule_delayed_work(&let_go_work, msecs_to_jiffies(100));
	ib_destroy_qp(pair.end[1].qp);
	pair.end[1].qp = NULL;
	flush_delayed_work(&let_go_work);
	expect_no_more_read();
}

/* ---- sent by packets at first, then without ------------------------------------------------ */

/* The peer is not ready and packets are lost; when they are due again, it is. */
static void begin_late(u32 length)
{
	KUNIT_ASSERT_EQ(pair.test, to_state(1, IB_QPS_RESET), 0);
	post_big(IB_WR_RDMA_WRITE, length);
	hold();
	fake_restart(NULL);
	KUNIT_ASSERT_EQ(pair.test, ends_connect(&pair, 1), 0);
}

static bool wait_moved(u32 bytes)
{
	unsigned long deadline = jiffies + 20 * HZ;

	while (moved() != bytes && time_before(jiffies, deadline))
		usleep_range(1000, 2000);
	return moved() == bytes;
}

/* It lasts longer than an ack timeout, and each chunk is a sign of life. */
static void chunks_are_progress(struct kunit *test)
{
	struct ib_wc wc = { };
	int i;

	prepare(LATER, 1);
	begin_late(BIG_BYTES);
	KUNIT_EXPECT_TRUE(test, wait_moved(AT_A_TIME));
	for (i = 0; i < 20; i++) {
		if (ib_poll_cq(pair.end[0].send_cq, 1, &wc))
			break;
		msleep(500);
		/* The work is late, so the caller sends some of it. */
		engine_qp(0)->sq.task.since -= UINT_MAX;
		ring_bell();
	}
	let_go();
	KUNIT_EXPECT_GT(test, i, 5);
	KUNIT_EXPECT_EQ(test, wc.wr_id, 9ULL);
	KUNIT_EXPECT_STREQ(test, ib_wc_status_msg(wc.status),
			   ib_wc_status_msg(IB_WC_SUCCESS));
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(big.mem[1], 'u', BIG_BYTES), NULL);
}

/* An ACK for all of it, from nowhere: then the peer does not matter any more. */
static void answer_out_of_the_blue(struct kunit *test)
{
	u8 ack[12 + 4 + 4] = { 0x11, 0x40, 0xff, 0xff };
	u32 last = (pair.psn + FIVE_CHUNKS / 4096 - 1) & 0xffffff;
	__be32 qpn;
	__be32 psn = cpu_to_be32(last);
	__be32 aeth = cpu_to_be32(0x1f000001);

	prepare(LATER, 7);
	begin_late(FIVE_CHUNKS);
	KUNIT_EXPECT_TRUE(test, wait_moved(AT_A_TIME));
	qpn = cpu_to_be32(pair.end[0].qp->qp_num);
	memcpy(ack + 4, &qpn, sizeof(qpn));
	memcpy(ack + 8, &psn, sizeof(psn));
	memcpy(ack + 12, &aeth, sizeof(aeth));
	fake_inject(0, ack, sizeof(ack));
	expect_sent(9, IB_WC_SUCCESS);
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(test, refcount_read(&engine_qp(1)->life->refs), 1U);
	KUNIT_EXPECT_PTR_EQ(test, engine_qp(1)->resp.local, NULL);
	let_go();
}

static struct kunit_case send_cases[] = {
	KUNIT_CASE(lost_in_front_of_failure),
	KUNIT_CASE(rnr_in_front_of_failure),
	KUNIT_CASE(datagrams_find_room),
	KUNIT_CASE(long_read),
	KUNIT_CASE(read_goes_on_by_packets),
	KUNIT_CASE(peer_of_read_fails),
	KUNIT_CASE(peer_of_read_is_recycled),
	KUNIT_CASE(peer_of_read_is_destroyed),
	KUNIT_CASE(chunks_are_progress),
	KUNIT_CASE(answer_out_of_the_blue),
	{ }
};

struct kunit_suite ibt_send_suite = {
	.name = "ibt_engine_send",
	.init = send_init,
	.exit = send_exit,
	.test_cases = send_cases,
};

struct kunit_suite ibt_send_runs_suite = {
	.name = "ibt_engine_send_runs",
	.suite_init = runs_begin,
	.suite_exit = runs_end,
	.init = send_init,
	.exit = send_exit,
	.test_cases = send_cases,
};

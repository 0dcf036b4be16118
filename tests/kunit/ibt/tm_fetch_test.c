// SPDX-License-Identifier: GPL-2.0
/*
 * Rendezvous of tag matching: queue pairs that go while the responder fetches data. And a message
 * that is given up, with another one behind it. Programs alone have such shared receive queues, so
 * one of the kernel is made to look like one.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "hw/ibt/qp.h"
#include "hw/ibt/srq.h"
#include "hw/ibt/tag_match.h"
#include "hw/ibt/tm_wire.h"
#include "hw/soft/cq.h"
#include "engine.h"

/* First bytes of packets: opcodes. */
enum { SEND_FIRST = 0x00, SEND_ONLY = 0x04, READ_REQUEST = 0x0c };

enum { BUFFER = 7, RECEIVE = 8, TAG = 5, BYTES = 100, MTU = 256 };

static struct pair pair;
static struct ib_srq *srq;
/* Of the SRQ. From those of a queue pair its completions go with it, if they are the kernel's. */
static struct ib_cq *cq;
static atomic_t reads;

static int tm_fetch_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	srq = NULL;
	cq = NULL;
	return fake_start();
}

static void tm_fetch_exit(struct kunit *test)
{
	pair.test = test;
	if (!IS_ERR_OR_NULL(pair.end[1].qp))
		ib_destroy_qp(pair.end[1].qp);
	pair.end[1].qp = NULL;
	if (!IS_ERR_OR_NULL(srq))
		ib_destroy_srq(srq);
	if (!IS_ERR_OR_NULL(cq))
		ib_destroy_cq(cq);
	ends_drop(&pair);
	fake_stop();
}

/* No response to a READ comes. */
static enum fake_fate lose(u32 number, const u8 *bth)
{
	if (bth[0] == READ_REQUEST)
		atomic_inc(&reads);
	return FAKE_DROP;
}

/* One tagged buffer. ibt_destroy_srq() frees all of it. */
static struct ibt_tags *make_tags(void)
{
	struct ibt_tags *tags = kzalloc(sizeof(*tags), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(pair.test, tags);
	INIT_LIST_HEAD(&tags->active);
	INIT_LIST_HEAD(&tags->pending);
	INIT_LIST_HEAD(&tags->unused);
	tags->all = kvcalloc(1, sizeof(*tags->all), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(pair.test, tags->all);
	*tags->all = (struct ibt_tag){
		.tag = TAG,
		.mask = U64_MAX,
		.wr_id = BUFFER,
		.num_sge = 1,
		.length = BYTES,
		.sge[0] = {
			.addr = (uintptr_t)pair.end[1].buf,
			.length = BYTES,
			.lkey = pair.end[1].pd->local_dma_lkey,
		},
	};
	list_add(&tags->all->entry, &tags->active);
	return tags;
}

static void make_srq(void)
{
	struct ib_cq_init_attr cq_init = { .cqe = 8 };
	struct ib_srq_init_attr init = {
		.srq_type = IB_SRQT_BASIC,
		.attr = { .max_wr = 4, .max_sge = 1 },
	};

	cq = ib_create_cq(pair.end[1].ib, NULL, NULL, NULL, &cq_init);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(pair.test, cq);
	srq = ib_create_srq(pair.end[1].pd, &init);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(pair.test, srq);
	INIT_LIST_HEAD(&to_ibt_srq(srq)->untold);
	to_ibt_srq(srq)->cq = to_soft_cq(cq);
	to_ibt_srq(srq)->tags = make_tags();
}

/* Without a send queue: it is the responder's. */
static void make_receiver(void)
{
	struct end *e = &pair.end[1];
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.send_cq = e->send_cq,
		.recv_cq = e->recv_cq,
		.srq = srq,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
	};

	ib_destroy_qp(e->qp);
	e->qp = ib_create_qp(e->pd, &init);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(pair.test, e->qp);
	KUNIT_ASSERT_TRUE(pair.test, to_ibt_qp(e->qp)->fetches);
	KUNIT_ASSERT_EQ(pair.test, ends_connect(&pair, 1), 0);
}

/* A request to fetch data that the tagged buffer takes. */
static void forge_rendezvous(void)
{
	u8 bytes[12 + sizeof(struct ibt_tm_hdr) + 4] = { };
	u8 *at = put_bth(bytes, SEND_ONLY, pair.end[1].qp->qp_num, pair.psn);
	const struct ibt_tm_hdr hdr = {
		.tmh.opcode = IBT_TMH_RNDV,
		.tmh.tag = cpu_to_be64(TAG),
		.rvh.va = cpu_to_be64(pair.end[0].mr->iova),
		.rvh.rkey = cpu_to_be32(pair.end[0].mr->rkey),
		.rvh.len = cpu_to_be32(BYTES),
	};

	memcpy(at, &hdr, sizeof(hdr));
	fake_inject(1, bytes, sizeof(bytes));
}

/* The responder has told of the match, and waits for the data. */
static void begin_fetch(void)
{
	int i;

	ends_make(&pair);
	make_srq();
	make_receiver();
	atomic_set(&reads, 0);
	fake_restart(lose);
	forge_rendezvous();
	for (i = 0; i < 20000 && !atomic_read(&reads); i++)
		usleep_range(1000, 1100);
	KUNIT_ASSERT_EQ(pair.test, atomic_read(&reads), 1);
	EXPECT_WC(&pair, cq, BUFFER, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(pair.test, ends_quiet(cq));
}

static void expect_flushed(void)
{
	EXPECT_WC(&pair, cq, BUFFER, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_TRUE(pair.test, ends_quiet(cq));
	KUNIT_EXPECT_TRUE(pair.test, ends_quiet(pair.end[1].recv_cq));
	KUNIT_EXPECT_TRUE(pair.test, ends_quiet(pair.end[1].send_cq));
}

static void to_state(enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	KUNIT_EXPECT_EQ(pair.test, ib_modify_qp(pair.end[1].qp, &attr, IB_QP_STATE), 0);
}

static void error_ends_a_fetch(struct kunit *test)
{
	begin_fetch();
	to_state(IB_QPS_ERR);
	expect_flushed();
}

/* The program has no other word of what became of the buffer, which the SRQ has not any more. */
static void reset_ends_a_fetch(struct kunit *test)
{
	begin_fetch();
	to_state(IB_QPS_RESET);
	expect_flushed();
}

static void destruction_ends_a_fetch(struct kunit *test)
{
	begin_fetch();
	KUNIT_EXPECT_EQ(test, ib_destroy_qp(pair.end[1].qp), 0);
	pair.end[1].qp = NULL;
	expect_flushed();
}

/* The first packet of a message to the tagged buffer. What is behind it does not come. */
static void forge_eager(void)
{
	u8 bytes[12 + MTU + 4] = { };
	u8 *at = put_bth(bytes, SEND_FIRST, pair.end[1].qp->qp_num, pair.psn);

	at[0] = IBT_TMH_EAGER;
	fake_inject(1, bytes, sizeof(bytes));
	EXPECT_WC(&pair, cq, BUFFER, IB_WC_SUCCESS);
}

/* As a sender on this host does by an error in the middle. */
static void give_up(void)
{
	struct ibt_resp *resp = &to_ibt_qp(pair.end[1].qp)->resp;
	bool taken;

	spin_lock_bh(&resp->lock);
	taken = resp->has_rwqe;
	resp->cur.active = false;
	resp->op = NULL;
	spin_unlock_bh(&resp->lock);
	KUNIT_ASSERT_TRUE(pair.test, taken);
}

/* A message of a byte, behind which there are three of the pad. */
static void forge_short(u8 byte)
{
	u8 bytes[12 + 4 + 4] = { };
	u8 *at = put_bth(bytes, SEND_ONLY, pair.end[1].qp->qp_num, pair.psn + 1);

	bytes[1] |= 3 << 4;
	at[0] = byte;
	fake_inject(1, bytes, sizeof(bytes));
}

/* A message that is too short for a tag is not the one before, whatever it begins with. */
static void a_short_message_has_no_tag(struct kunit *test)
{
	struct ib_sge sge = { };
	const struct ib_recv_wr wr = { .wr_id = RECEIVE, .sg_list = &sge, .num_sge = 1 };
	struct ibt_tag *tag;
	struct ib_wc wc;

	ends_make(&pair);
	make_srq();
	tag = to_ibt_srq(srq)->tags->all;
	tag->tag = 0;
	tag->length = 2 * MTU;
	tag->sge[0].length = 2 * MTU;
	make_receiver();
	sge = (struct ib_sge){
		.addr = (uintptr_t)pair.end[1].buf + 0x1000,
		.length = BYTES,
		.lkey = pair.end[1].pd->local_dma_lkey,
	};
	KUNIT_ASSERT_EQ(test, ib_post_srq_recv(srq, &wr, NULL), 0);
	forge_eager();
	give_up();
	forge_short(IBT_TMH_EAGER);
	EXPECT_WC(&pair, cq, BUFFER, IB_WC_WR_FLUSH_ERR);
	KUNIT_ASSERT_TRUE(test, ends_wait(cq, &wc));
	KUNIT_EXPECT_EQ(test, wc.wr_id, (u64)RECEIVE);
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 1U);
}

static struct kunit_case tm_fetch_cases[] = {
	KUNIT_CASE(error_ends_a_fetch),
	KUNIT_CASE(reset_ends_a_fetch),
	KUNIT_CASE(destruction_ends_a_fetch),
	KUNIT_CASE(a_short_message_has_no_tag),
	{}
};

struct kunit_suite ibt_tm_fetch_suite = {
	.name = "ibt_engine_tm_fetch",
	.init = tm_fetch_init,
	.exit = tm_fetch_exit,
	.test_cases = tm_fetch_cases,
};

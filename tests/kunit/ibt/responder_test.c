// SPDX-License-Identifier: GPL-2.0
/*
 * A hard life for the responder: peers that ask again and again, or for what there
 * is not, and consumers that fill a queue for ever.
 */
#include <linux/delay.h>

#include "hw/ibt/dev.h"
#include "hw/ibt/qp.h"
#include "gate.h"

static struct pair pair;

static int recv_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	return fake_start();
}

static void recv_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

static void post(const struct job *job)
{
	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, job), 0);
}

/* The answer of a READ has come as far as the link has room. */
static u32 queue_of_read(void)
{
	return queue_when_waiting(&pair, 1, true, 1);
}

static void wait_queue(u32 length)
{
	unsigned long deadline = jiffies + 20 * HZ;

	while (skb_queue_len(&fake.queue) < length &&
	       time_before(jiffies, deadline))
		usleep_range(500, 1000);
	KUNIT_EXPECT_EQ(pair.test, skb_queue_len(&fake.queue), length);
}

static u32 answers_seen(void)
{
	return gate.seen[READ_FIRST] + gate.seen[READ_MIDDLE] +
	       gate.seen[READ_LAST] + gate.seen[READ_ONLY];
}

/* ---- packets made by hand -------------------------------------------------------------- */

static void forge_read(u32 psn, u32 offset, u32 length)
{
	u8 bytes[12 + 16 + 4] = { };

	put_reth(put_bth(bytes, READ_REQUEST, pair.end[1].qp->qp_num, psn),
		 &pair, 1, offset, length);
	fake_inject(1, bytes, sizeof(bytes));
}

/* ---- READs that are asked again -------------------------------------------------------------- */

enum { SHORT = 256, LONG = 32 << 10, D_LONG = 0x1000, S_LONG = 0x4000 };

static const struct job short_read = {
	.op = IB_WR_RDMA_READ, .id = 1, .length = SHORT,
};

static const struct job long_read = {
	.op = IB_WR_RDMA_READ, .id = 2, .at = D_LONG, .length = LONG,
	.remote_at = S_LONG,
};

/* The link has room for four packets at a time. */
static void prepare_reads(void)
{
	u32 i;

	ends_make(&pair);
	for (i = 0; i < END_BYTES; i++)
		pair.end[1].buf[i] = i * 7 + (i >> 8);
	memset(pair.end[0].buf, 0, END_BYTES);
	fake.limit = 4;
}

static void expect_reads(void)
{
	EXPECT_WC(&pair, pair.end[0].send_cq, 1, IB_WC_SUCCESS);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(pair.test, !memcmp(pair.end[0].buf, pair.end[1].buf,
					     SHORT));
	KUNIT_EXPECT_TRUE(pair.test, !memcmp(pair.end[0].buf + D_LONG,
					     pair.end[1].buf + S_LONG, LONG));
}

/* The first answer of the short one is lost; what comes until it is there? */
static enum fake_fate lose_short(u32 number, const u8 *bth)
{
	u32 psn = bth[9] << 16 | bth[10] << 8 | bth[11];

	gate.seen[bth[0]]++;
	if (bth[0] == READ_REQUEST && psn == gate.low_psn)
		gate.asked++;
	if (bth[0] == READ_ONLY)
		return gate.answered++ ? FAKE_PASS : FAKE_DROP;
	if (bth[0] >= READ_FIRST && bth[0] <= READ_LAST && gate.asked == 2 &&
	    gate.answered == 1)
		gate.between++;
	return FAKE_PASS;
}

static void asked_again_goes_first(struct kunit *test)
{
	prepare_reads();
	close_gate(~0, lose_short);
	gate.low_psn = pair.psn;
	post(&short_read);
	post(&long_read);
	expect_reads();
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(test, gate.asked, 2U);
	KUNIT_EXPECT_EQ(test, gate.answered, 2U);
	/* What was on its way already, not the other 120. */
	KUNIT_EXPECT_LT(test, gate.between, 24U);
	/*
	 * Behind the short one's answer the long one goes on where it stood, until
	 * it is asked again too; what the peer sees of that is one more gap.
	 */
	KUNIT_EXPECT_GE(test, ends_counter(0, "packet_seq_err"), 1ULL);
	KUNIT_EXPECT_LE(test, ends_counter(0, "packet_seq_err"), 2ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
}

/* The first answer is lost, and the others take their time. */
static enum fake_fate lose_first_of_slow(u32 number, const u8 *bth)
{
	pass_gate(number);
	if (bth[0] == READ_FIRST && !gate.answered++)
		return FAKE_DROP;
	if (bth[0] >= READ_FIRST && bth[0] <= READ_LAST && gate.asked == 1) {
		gate.between++;
		msleep(60);
	}
	gate.asked += bth[0] == READ_REQUEST;
	return FAKE_PASS;
}

/* Its only retry is on its way, behind 127 answers: three timeouts long. */
static void useless_answers_are_life(struct kunit *test)
{
	pair.timeout = 19;
	pair.retries = 1;
	prepare_reads();
	fake.limit = 0;
	close_gate(1, lose_first_of_slow);
	post(&long_read);
	reach_gate(&pair);
	wait_queue(LONG / 256 - 1);
	complete(&gate.open);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_GT(test, gate.between, 100U);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "packet_seq_err"), 1ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_ack_timeout_err"), 0ULL);
	fake_restart(NULL);
}

/* It begins anew where the peer says, and that once, however often it says so. */
static void copies_do_not_add_up(struct kunit *test)
{
	int i;

	prepare_reads();
	close_gate(20, through_gate);
	post(&short_read);
	post(&long_read);
	reach_gate(&pair);
	queue_of_read();
	for (i = 0; i < 30; i++) {
		forge_read(pair.psn, 0, SHORT);
		forge_read(pair.psn + 1, S_LONG, LONG);
	}
	complete(&gate.open);
	expect_reads();
	fake_restart(NULL);
	KUNIT_EXPECT_GE(test, gate.seen[READ_ONLY], 1U);
	KUNIT_EXPECT_LE(test, gate.seen[READ_ONLY], 2U);
	KUNIT_EXPECT_LT(test, answers_seen(), 2U * LONG / 256 + 16);
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 0), IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 1), IB_QPS_RTS);
}

/* Nor do those of one that waits for its first turn. */
static void copies_do_not_wait(struct kunit *test)
{
	const u32 behind = pair.psn + LONG / 256;
	struct job second = short_read;
	int i;

	prepare_reads();
	close_gate(20, through_gate);
	post(&long_read);
	reach_gate(&pair);
	for (i = 0; i < 30; i++)
		forge_read(behind, 0, SHORT);
	second.id = 1;
	post(&second);
	complete(&gate.open);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
	EXPECT_WC(&pair, pair.end[0].send_cq, 1, IB_WC_SUCCESS);
	fake_restart(NULL);
	/* One for all that waited, one if the peer asked when that had been sent. */
	KUNIT_EXPECT_LE(test, gate.seen[READ_ONLY], 2U);
	KUNIT_EXPECT_EQ(test, ends_state(&pair, 1), IB_QPS_RTS);
}

/* Older than the answer that is under way: a WRITE with a lost ACK. */
static void older_are_answered_at_once(struct kunit *test)
{
	u8 bytes[12 + 16 + 8 + 4] = { };

	prepare_reads();
	post(&(struct job){ .op = IB_WR_RDMA_WRITE, .length = 8 });
	EXPECT_WC(&pair, pair.end[0].send_cq, 0, IB_WC_SUCCESS);
	close_gate(20, through_gate);
	post(&long_read);
	reach_gate(&pair);
	/* Those of the READ that had room are in front. */
	KUNIT_EXPECT_LT(test, queue_of_read(), 16U);
	put_reth(put_bth(bytes, WRITE_ONLY, pair.end[1].qp->qp_num, pair.psn),
		 &pair, 1, 0, 8);
	fake_inject(1, bytes, sizeof(bytes));
	KUNIT_EXPECT_EQ(test, fake.queue.prev->data[FAKE_BYTES], ACKNOWLEDGE);
	complete(&gate.open);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
}

/* ---- memory of what waits ---------------------------------------------------------------- */

static void what_waits_is_limited(struct kunit *test)
{
	const u32 behind = pair.psn + LONG / 256;
	const u32 others = IBT_MAX_QUEUED_BYTES - 8192;
	u8 bytes[12 + 16 + 200 + 4] = { };
	atomic_t *queued;
	u64 dropped;
	int i;

	prepare_reads();
	queued = &dev_of(1)->queued;
	KUNIT_EXPECT_EQ(test, atomic_read(queued), 0);
	close_gate(20, through_gate);
	post(&long_read);
	reach_gate(&pair);
	atomic_add(others, queued);
	dropped = ends_counter(1, "rx_dropped");
	for (i = 0; i < 64; i++) {
		put_reth(put_bth(bytes, WRITE_ONLY, pair.end[1].qp->qp_num,
				 behind + i), &pair, 1, 0, 200);
		fake_inject(1, bytes, sizeof(bytes));
		KUNIT_EXPECT_LE(test, atomic_read(queued), IBT_MAX_QUEUED_BYTES);
	}
	KUNIT_EXPECT_GE(test, ends_counter(1, "rx_dropped") - dropped, 40ULL);
	KUNIT_EXPECT_LT(test, ends_counter(1, "rx_dropped") - dropped, 64ULL);
	atomic_sub(others, queued);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 0ULL);
	complete(&gate.open);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
	/* And those that were dropped are asked for, behind those that were not. */
	for (i = 0; i < 100 && !ends_counter(1, "sent_nak"); i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 1ULL);
	fake_restart(NULL);
	ends_drop(&pair);
	KUNIT_EXPECT_EQ(test, atomic_read(queued), 0);
}

/* A NIC sends as many requests behind a READ as it likes. */
static void many_wait_behind_a_read(struct kunit *test)
{
	const u32 behind = pair.psn + LONG / 256;
	struct ibt_resp *resp;
	u8 bytes[12 + 16 + 4 + 4] = { };
	u64 dropped;
	u32 i;

	prepare_reads();
	resp = &container_of(pair.end[1].qp, struct ibt_qp, ib)->resp;
	close_gate(20, through_gate);
	post(&long_read);
	reach_gate(&pair);
	dropped = ends_counter(1, "rx_dropped");
	for (i = 0; i < 1000; i++) {
		put_reth(put_bth(bytes, WRITE_ONLY, pair.end[1].qp->qp_num,
				 behind + i), &pair, 1, 0, 4);
		fake_inject(1, bytes, sizeof(bytes));
	}
	complete(&gate.open);
	EXPECT_WC(&pair, pair.end[0].send_cq, 2, IB_WC_SUCCESS);
	for (i = 0; i < 100 && READ_ONCE(resp->psn) != ((behind + 1000) & IBT_PSN_MASK); i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, READ_ONCE(resp->psn), (behind + 1000) & IBT_PSN_MASK);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_dropped"), dropped);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "sent_nak"), 0ULL);
}

/* ---- a shared queue -------------------------------------------------------------------------- */

static struct ib_srq *make_srq(void)
{
	struct ib_srq_init_attr init = {
		.srq_type = IB_SRQT_BASIC,
		.attr = { .max_wr = 16, .max_sge = 1 },
	};
	struct ib_srq *srq = ib_create_srq(pair.end[1].pd, &init);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(pair.test, srq);
	return srq;
}

static void post_srq(struct ib_srq *srq, u64 id, u32 length)
{
	struct ib_sge sge = {
		.addr = (uintptr_t)pair.end[1].buf,
		.length = length,
		.lkey = pair.end[1].pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };

	KUNIT_ASSERT_EQ(pair.test, ib_post_srq_recv(srq, &wr, NULL), 0);
}

/* SEND FIRST or ONLY of a UC peer, or a datagram. */
static void forge_send(u8 opcode, u32 qpn, u32 length)
{
	u8 bytes[12 + 8 + 1024 + 4] = { };
	u8 *at = put_bth(bytes, opcode, qpn, pair.psn);

	if (opcode == UD_SEND_ONLY)
		at = put32(put32(at, 0x11111111), 5);
	fake_inject(1, bytes, at - bytes + length + 4);
}

/* A queue pair that it does not fit leaves it to the others. */
static void expect_left_alone(u8 opcode, u32 room)
{
	struct ib_qp *a, *b;
	struct ib_srq *srq;

	ends_make(&pair);
	srq = make_srq();
	a = make_qp(&pair, 1, srq);
	b = make_qp(&pair, 1, srq);
	post_srq(srq, 7, room);
	forge_send(opcode, a->qp_num, 200);
	KUNIT_EXPECT_TRUE(pair.test, ends_quiet(pair.end[1].recv_cq));
	KUNIT_EXPECT_EQ(pair.test, ends_counter(1, "rx_dropped"), 1ULL);
	forge_send(opcode, b->qp_num, 100);
	EXPECT_WC(&pair, pair.end[1].recv_cq, 7, IB_WC_SUCCESS);
	ib_destroy_qp(a);
	ib_destroy_qp(b);
	ib_destroy_srq(srq);
	ends_drop(&pair);
}

static void too_long_takes_nothing(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_UD);
	expect_left_alone(UD_SEND_ONLY, 40 + 100);
	recv_exit(test);
	fake_start();
	ends_defaults(&pair, test, IB_QPT_UC);
	expect_left_alone(UC_SEND_ONLY, 100);
}

/* In the middle of a message the peer falls silent, and the queue pair goes. */
static void half_a_message_is_given_back(struct kunit *test)
{
	struct ib_qp *a, *b;
	struct ib_srq *srq;

	ends_defaults(&pair, test, IB_QPT_UC);
	ends_make(&pair);
	srq = make_srq();
	a = make_qp(&pair, 1, srq);
	b = make_qp(&pair, 1, srq);
	post_srq(srq, 7, 1000);
	forge_send(UC_SEND_FIRST, a->qp_num, 256);
	forge_send(UC_SEND_ONLY, b->qp_num, 100);
	KUNIT_EXPECT_TRUE(test, ends_quiet(pair.end[1].recv_cq));
	ib_destroy_qp(a);
	forge_send(UC_SEND_ONLY, b->qp_num, 100);
	EXPECT_WC(&pair, pair.end[1].recv_cq, 7, IB_WC_SUCCESS);
	ib_destroy_qp(b);
	ib_destroy_srq(srq);
}

/* ---- memory that is registered anew ----------------------------------------------------------- */

static void register_anew(void)
{
	struct end *e = &pair.end[1];
	struct ib_reg_wr wr = {
		.wr = { .opcode = IB_WR_REG_MR, .wr_id = 4,
			.send_flags = IB_SEND_SIGNALED },
		.mr = e->mr,
		.key = e->mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE,
	};

	ends_post(&pair, 1, &(struct job){ .op = IB_WR_LOCAL_INV, .id = 3,
					   .word = e->mr->rkey });
	EXPECT_WC(&pair, e->send_cq, 3, IB_WC_SUCCESS);
	KUNIT_ASSERT_EQ(pair.test, ib_post_send(e->qp, &wr.wr, NULL), 0);
	EXPECT_WC(&pair, e->send_cq, 4, IB_WC_SUCCESS);
}

/* Between two packets of a message; the key and its rights are there as before. */
static void registered_in_mid_message(struct kunit *test)
{
	struct ib_recv_wr wr = { .wr_id = 6, .num_sge = 1 };
	struct ib_sge sge = { .length = 4096 };

	ends_make(&pair);
	memset(pair.end[0].buf, 0x5a, 1024);
	sge.addr = pair.end[1].mr->iova + 100;
	sge.lkey = pair.end[1].mr->lkey;
	wr.sg_list = &sge;
	KUNIT_ASSERT_EQ(test, ib_post_recv(pair.end[1].qp, &wr, NULL), 0);
	close_gate(1, through_gate);
	post(&(struct job){ .op = IB_WR_SEND, .id = 5, .length = 1000 });
	reach_gate(&pair);
	register_anew();
	complete(&gate.open);
	EXPECT_WC(&pair, pair.end[0].send_cq, 5, IB_WC_SUCCESS);
	EXPECT_WC(&pair, pair.end[1].recv_cq, 6, IB_WC_SUCCESS);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(pair.end[1].buf + 100, 0x5a, 1000),
			    NULL);
	/* The packet was not even dropped. */
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_dropped"), 0ULL);
}

static struct kunit_case recv_cases[] = {
	KUNIT_CASE(asked_again_goes_first),
	KUNIT_CASE(useless_answers_are_life),
	KUNIT_CASE(copies_do_not_add_up),
	KUNIT_CASE(copies_do_not_wait),
	KUNIT_CASE(older_are_answered_at_once),
	KUNIT_CASE(what_waits_is_limited),
	KUNIT_CASE(many_wait_behind_a_read),
	KUNIT_CASE(too_long_takes_nothing),
	KUNIT_CASE(half_a_message_is_given_back),
	KUNIT_CASE(registered_in_mid_message),
	{ }
};

struct kunit_suite ibt_recv_suite = {
	.name = "ibt_engine_recv",
	.init = recv_init,
	.exit = recv_exit,
	.test_cases = recv_cases,
};

struct kunit_suite ibt_recv_runs_suite = {
	.name = "ibt_engine_recv_runs",
	.suite_init = runs_begin,
	.suite_exit = runs_end,
	.init = recv_init,
	.exit = recv_exit,
	.test_cases = recv_cases,
};

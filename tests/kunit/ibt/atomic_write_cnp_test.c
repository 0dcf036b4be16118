// SPDX-License-Identifier: GPL-2.0
/*
 * What annexes of the specification added: ATOMIC WRITE (A19), with packets and
 * without, and the notification of congestion (A17). Packets are typed in from
 * there.
 */
#include <linux/delay.h>

#include "engine.h"

/* First bytes of packets: opcodes. */
enum { ASKED = 0x1d, ANSWERED = 0x10, REFUSED = 0x11, ATOMIC_ACK = 0x12 };

enum { WORD_FROM = 0x40, WORD_TO = 0x1008, AROUND = 0x200 };

static struct pair pair;

static const struct job atomic_write = {
	.op = IB_WR_ATOMIC_WRITE, .id = 7, .at = WORD_FROM, .length = 8,
	.remote_at = WORD_TO,
};

static int words_init(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_RC);
	return fake_start();
}

static void words_exit(struct kunit *test)
{
	pair.test = test;
	ends_drop(&pair);
	fake_stop();
}

/* With packets or without; the same must come out. */
static void prepare(bool local)
{
	fake.local = local;
	ends_make(&pair);
	memcpy(pair.end[0].buf + WORD_FROM, "8 octets", 8);
	memset(pair.end[1].buf + WORD_TO - AROUND, 'u', 2 * AROUND);
	fake_restart(NULL);
}

static void post(const struct job *job)
{
	KUNIT_ASSERT_EQ(pair.test, ends_post(&pair, 0, job), 0);
}

static void expect_sent(enum ib_wc_status status)
{
	EXPECT_WC(&pair, pair.end[0].send_cq, 7, status);
}

/* The word is @bytes; 'u' as all around it: nothing has changed. */
static void expect_word(const char *bytes)
{
	const u8 *b = pair.end[1].buf + WORD_TO;

	KUNIT_EXPECT_TRUE_MSG(pair.test, !memcmp(b, bytes, 8), "'%.8s'", b);
	KUNIT_EXPECT_PTR_EQ(pair.test, memchr_inv(b - AROUND, 'u', AROUND), NULL);
	KUNIT_EXPECT_PTR_EQ(pair.test, memchr_inv(b + 8, 'u', AROUND - 8), NULL);
}

#define expect_no_word() expect_word("uuuuuuuu")

static u8 *put64(u8 *at, u64 value)
{
	return put32(put32(at, value >> 32), value);
}

/* ---- done -------------------------------------------------------------------------- */

static void word_stored(struct kunit *test)
{
	struct job job = atomic_write;
	struct ib_wc wc = { };
	int local;

	job.flags = IB_SEND_INLINE;
	job.lkey = 0xbad;
	for (local = 0; local < 2; local++) {
		prepare(local);
		post(&atomic_write);
		KUNIT_ASSERT_TRUE(test, ends_wait(pair.end[0].send_cq, &wc));
		KUNIT_EXPECT_EQ(test, wc.wr_id, 7ULL);
		KUNIT_EXPECT_EQ(test, (int)wc.status, (int)IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, (u32)wc.opcode, 9U);
		expect_word("8 octets");
		KUNIT_EXPECT_EQ(test, fake.number, local ? 0U : 2U);
		KUNIT_EXPECT_EQ(test, ends_counter(0, "local_messages"),
				(u64)local);

		memcpy(pair.end[0].buf + WORD_FROM, "in line!", 8);
		post(&job);
		expect_sent(IB_WC_SUCCESS);
		expect_word("in line!");
		/* It takes no receive request, and no consumer there is notified. */
		KUNIT_EXPECT_TRUE(test, ends_quiet(pair.end[1].recv_cq));
		ends_drop(&pair);
	}
}

static void expect_packet(u32 number, const u8 *bytes, u32 length)
{
	const struct sk_buff *skb = fake.kept[number];

	KUNIT_ASSERT_EQ(pair.test, skb->len, FAKE_BYTES + length + 4U);
	KUNIT_EXPECT_TRUE_MSG(pair.test,
			      !memcmp(skb->data + FAKE_BYTES, bytes, length),
			      "%*ph", length, skb->data + FAKE_BYTES);
}

static void word_on_the_wire(struct kunit *test)
{
	/* M, as no other path is armed; no pad; default P_Key. */
	u8 asked[12 + 16 + 8] = { 0x1d, 0x40, 0xff, 0xff };
	u8 answered[12 + 4] = { 0x10, 0x40, 0xff, 0xff };
	u8 *at;

	prepare(false);
	fake.keep = true;
	post(&atomic_write);
	expect_sent(IB_WC_SUCCESS);
	fake_restart(NULL);
	fake.keep = false;
	KUNIT_ASSERT_EQ(test, fake.num_kept, 2U);

	at = put32(asked + 4, pair.end[1].qp->qp_num);
	at = put32(at, BIT(31) | pair.psn);	/* AckReq */
	at = put64(at, pair.end[1].mr->iova + WORD_TO);
	at = put32(at, pair.end[1].mr->rkey);
	at = put32(at, 8);
	memcpy(at, "8 octets", 8);
	expect_packet(0, asked, sizeof(asked));

	at = put32(answered + 4, pair.end[0].qp->qp_num);
	at = put32(at, pair.psn);
	put32(at, 0x1f000001);	/* ACK without credits, the first message */
	expect_packet(1, answered, sizeof(answered));
}

/* ---- done once ------------------------------------------------------------------------ */

/* It outlives the cases: packets may still be on their way. */
static struct {
	u32 asked;
	u32 answered;
	bool silence;	/* answers are lost */
} crowd;

static enum fake_fate watch_crowd(u32 number, const u8 *bth)
{
	if (bth[0] == ASKED)
		crowd.asked++;
	if (bth[0] != ANSWERED)
		return FAKE_PASS;
	WRITE_ONCE(crowd.answered, crowd.answered + 1);
	return READ_ONCE(crowd.silence) ? FAKE_DROP : FAKE_PASS;
}

static void silence(void)
{
	crowd.asked = 0;
	crowd.answered = 0;
	crowd.silence = true;
	fake_restart(watch_crowd);
}

static void wait_answers(u32 number)
{
	unsigned long deadline = jiffies + 20 * HZ;

	while (READ_ONCE(crowd.answered) < number &&
	       time_before(jiffies, deadline))
		usleep_range(100, 1000);
	KUNIT_ASSERT_GE(pair.test, READ_ONCE(crowd.answered), number);
}

/* Its answer is lost again and again: it is asked, and answered, but done once. */
static void word_stored_once(struct kunit *test)
{
	/* A second: its retries last as long as we look on. */
	pair.timeout = 18;
	prepare(false);
	silence();
	post(&atomic_write);
	wait_answers(1);
	expect_word("8 octets");
	memcpy(pair.end[1].buf + WORD_TO, "mine now", 8);
	wait_answers(READ_ONCE(crowd.answered) + 1);
	expect_word("mine now");
	WRITE_ONCE(crowd.silence, false);
	expect_sent(IB_WC_SUCCESS);
	expect_word("mine now");
	KUNIT_EXPECT_GT(test, ends_counter(1, "duplicate_request"), 0ULL);
}

/* A request from side 0, made by hand. */
static void forge(u32 psn, u32 length, u32 payload)
{
	u8 bytes[12 + 16 + 32 + 4] = { ASKED, 0x40, 0xff, 0xff };
	u8 *at;

	at = put32(bytes + 4, pair.end[1].qp->qp_num);
	at = put32(at, psn & 0xffffff);
	at = put64(at, pair.end[1].mr->iova + WORD_TO);
	at = put32(at, pair.end[1].mr->rkey);
	at = put32(at, length);
	memset(at, 'f', payload);
	fake_inject(1, bytes, 28 + payload + 4);
}

/* What was done without packets is past for packets, too. */
static void word_stored_once_here(struct kunit *test)
{
	prepare(true);
	post(&atomic_write);
	expect_sent(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, ends_counter(0, "local_messages"), 1ULL);
	forge(pair.psn, 8, 8);
	expect_word("8 octets");
	KUNIT_EXPECT_EQ(test, ends_counter(1, "duplicate_request"), 1ULL);
	/* With the next PSN it is believed. */
	forge(pair.psn + 1, 8, 8);
	expect_word("ffffffff");
}

/* As many as the peer keeps answers of, max_rd_atomic; the rest afterwards. */
static void words_outstanding(struct kunit *test)
{
	int i;

	prepare(false);
	silence();
	for (i = 0; i < 8; i++)
		post(&atomic_write);
	wait_answers(4);
	flush_delayed_work(&fake.work);
	KUNIT_EXPECT_EQ(test, crowd.asked, 4U);
	WRITE_ONCE(crowd.silence, false);
	for (i = 0; i < 8; i++)
		expect_sent(IB_WC_SUCCESS);
	expect_word("8 octets");
}

/* ---- refused ----------------------------------------------------------------------------- */

/* Alike with packets and without, and the word is what it was. */
static void refused(const struct job *job, enum ib_wc_status status)
{
	int local;

	for (local = 0; local < 2; local++) {
		prepare(local);
		post(job);
		expect_sent(status);
		expect_no_word();
		KUNIT_EXPECT_TRUE(pair.test, ends_reaches(&pair, 0, IB_QPS_ERR));
		KUNIT_EXPECT_TRUE(pair.test, ends_reaches(&pair, 1, IB_QPS_ERR));
		KUNIT_EXPECT_EQ(pair.test, fake.number, local ? 0U : 2U);
		ends_drop(&pair);
	}
}

static void word_misaligned(struct kunit *test)
{
	static const u32 offsets[] = { 1, 4, 7 };
	struct job job = atomic_write;
	int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		job.remote_at = WORD_TO + offsets[i];
		refused(&job, IB_WC_REM_INV_REQ_ERR);
	}
}

/* Of the queue pair, of the memory, behind its end. */
static void word_without_right(struct kunit *test)
{
	const int others = IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC;
	const int all = pair.access, all_of_mr = pair.mr_access;
	struct job job = atomic_write;
	int local;

	pair.access = others;
	refused(&job, IB_WC_REM_INV_REQ_ERR);
	pair.access = all;
	pair.mr_access = others | IB_ACCESS_LOCAL_WRITE;
	refused(&job, IB_WC_REM_ACCESS_ERR);
	pair.mr_access = all_of_mr;
	job.remote_at = END_BYTES;
	refused(&job, IB_WC_REM_ACCESS_ERR);

	/* The right to write is all that it takes. */
	pair.access = IB_ACCESS_REMOTE_WRITE;
	pair.mr_access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE;
	for (local = 0; local < 2; local++) {
		prepare(local);
		post(&atomic_write);
		expect_sent(IB_WC_SUCCESS);
		expect_word("8 octets");
		ends_drop(&pair);
	}
}

/* The word itself is not there: found here, without a word to the peer. */
static void word_without_lkey(struct kunit *test)
{
	struct job job = atomic_write;
	int local;

	job.lkey = 0x12345600;
	for (local = 0; local < 2; local++) {
		prepare(local);
		post(&job);
		expect_sent(IB_WC_LOC_PROT_ERR);
		expect_no_word();
		KUNIT_EXPECT_EQ(test, fake.number, 0U);
		KUNIT_EXPECT_EQ(test, ends_state(&pair, 1), IB_QPS_RTS);
		ends_drop(&pair);
	}
}

/* Eight bytes it is: in the RETH, behind it, and in the work request. */
static void word_of_eight_bytes(struct kunit *test)
{
	static const struct {
		u32 length;
		u32 payload;
	} rows[] = {
		{ 8, 0 }, { 8, 4 }, { 8, 12 }, { 0, 8 }, { 4, 8 }, { 16, 8 },
		{ 16, 16 }, { 4, 4 }, { ~0U, 8 },
	};
	struct job job = atomic_write;
	int i;

	fake.keep = true;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const u8 *nak;

		prepare(false);
		forge(pair.psn, rows[i].length, rows[i].payload);
		fake_restart(NULL);
		expect_no_word();
		KUNIT_EXPECT_TRUE(test, ends_reaches(&pair, 1, IB_QPS_ERR));
		KUNIT_ASSERT_EQ(test, fake.num_kept, i + 1U);
		nak = fake.kept[i]->data + FAKE_BYTES;
		KUNIT_EXPECT_EQ(test, nak[0], REFUSED);
		KUNIT_EXPECT_EQ(test, nak[12], 0x61);	/* invalid request */
		ends_drop(&pair);
	}
	fake.keep = false;
	prepare(false);
	for (job.length = 0; job.length <= 16; job.length += 4)
		if (job.length != 8)
			KUNIT_EXPECT_EQ(test, ends_post(&pair, 0, &job), -EINVAL);
}

static void word_is_not_for_uc(struct kunit *test)
{
	ends_defaults(&pair, test, IB_QPT_UC);
	prepare(false);
	KUNIT_EXPECT_EQ(test, ends_post(&pair, 0, &atomic_write), -EINVAL);
}

/* ---- answers that can not be ---------------------------------------------------------- */

static void word_answered_wrongly(struct kunit *test)
{
	static const struct {
		u8 opcode;
		u32 behind;	/* the AETH */
	} rows[] = {
		{ ANSWERED, 8 },	/* with bytes, as if it were a READ */
		{ 0x0d, 0 },		/* READ response FIRST */
		{ ATOMIC_ACK, 8 },
	};
	u8 bytes[12 + 4 + 8 + 4] = { 0, 0x40, 0xff, 0xff };
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		prepare(false);
		silence();
		post(&atomic_write);
		wait_answers(1);
		bytes[0] = rows[i].opcode;
		put32(put32(put32(bytes + 4, pair.end[0].qp->qp_num), pair.psn),
		      0x1f000001);
		fake_inject(0, bytes, 12 + 4 + rows[i].behind + 4);
		expect_sent(IB_WC_BAD_RESP_ERR);
		ends_drop(&pair);
	}
}

/* ---- congestion notification (annex A17.9.3) -------------------------------------------- */

/* Without congestion control each is ignored, and counted. */
static void notifications(struct kunit *test)
{
	u8 bytes[36] = { 0x81, 0x00, 0xff, 0xff };
	const u32 becn = BIT(30);
	u32 qpns[3];
	int i;

	prepare(false);
	qpns[0] = pair.end[1].qp->qp_num;
	qpns[1] = 0xabcdef;
	qpns[2] = 0xffffff;
	for (i = 0; i < ARRAY_SIZE(qpns); i++) {
		put32(bytes + 4, becn | qpns[i]);
		fake_inject(1, bytes, 32);
	}
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rp_cnp_ignored"), 3ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_packets"), 3ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_no_qp"), 0ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_multicast"), 0ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_malformed"), 0ULL);
	/* Neither shorter nor longer. */
	fake_inject(1, bytes, 28);
	fake_inject(1, bytes, 36);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rp_cnp_ignored"), 3ULL);
	KUNIT_EXPECT_EQ(test, ends_counter(1, "rx_malformed"), 2ULL);

	flush_delayed_work(&fake.work);
	KUNIT_EXPECT_EQ(test, fake.number, 0U);
	post(&atomic_write);
	expect_sent(IB_WC_SUCCESS);
}

static struct kunit_case words_cases[] = {
	KUNIT_CASE(word_stored),
	KUNIT_CASE(word_on_the_wire),
	KUNIT_CASE(word_stored_once),
	KUNIT_CASE(word_stored_once_here),
	KUNIT_CASE(words_outstanding),
	KUNIT_CASE(word_misaligned),
	KUNIT_CASE(word_without_right),
	KUNIT_CASE(word_without_lkey),
	KUNIT_CASE(word_of_eight_bytes),
	KUNIT_CASE(word_is_not_for_uc),
	KUNIT_CASE(word_answered_wrongly),
	KUNIT_CASE(notifications),
	{ }
};

struct kunit_suite ibt_words_suite = {
	.name = "ibt_engine_words",
	.init = words_init,
	.exit = words_exit,
	.test_cases = words_cases,
};

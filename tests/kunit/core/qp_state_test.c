// SPDX-License-Identifier: GPL-2.0
/*
 * ib_modify_qp_is_ok against IBA vol. 1 table 91, XRC (annex A14) and the lists
 * of ibv_modify_qp(3), typed in on their own, by move and not by type: one row
 * for each (type, from, to), with every attribute spelled out. What has no row
 * must be refused, whatever the attributes.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#define STATES 7

/* One letter per attribute, so that a row can be read like the table. */
#define c IB_QP_CUR_STATE
#define n IB_QP_EN_SQD_ASYNC_NOTIFY
#define a IB_QP_ACCESS_FLAGS
#define k IB_QP_PKEY_INDEX
#define p IB_QP_PORT
#define q IB_QP_QKEY
#define v IB_QP_AV
#define m IB_QP_PATH_MTU
#define t IB_QP_TIMEOUT
#define r IB_QP_RETRY_CNT
#define x IB_QP_RNR_RETRY
#define R IB_QP_RQ_PSN
#define i IB_QP_MAX_QP_RD_ATOMIC
#define l IB_QP_ALT_PATH
#define z IB_QP_MIN_RNR_TIMER
#define S IB_QP_SQ_PSN
#define e IB_QP_MAX_DEST_RD_ATOMIC
#define g IB_QP_PATH_MIG_STATE
#define d IB_QP_DEST_QPN
#define b IB_QP_RATE_LIMIT

/* A row for all the types that are below. */
#define IB_QPT_EVERY 0xfe

struct row {
	u8 type, from, to;
	u32 required, optional;
};

#define ROW(type, from, to, required, optional) \
	{ IB_QPT_##type, IB_QPS_##from, IB_QPS_##to, required, optional }

static const struct row table_91[] = {
	/*
	 * Reset to Init: partition, port, and the access rights (connected) or
	 * the Q_Key (datagrams). QP 0 and 1 have their port for life,
	 * and a raw packet has neither partition nor key.
	 */
	ROW(RC, RESET, INIT, k | p | a, 0),
	ROW(UC, RESET, INIT, k | p | a, 0),
	ROW(XRC_INI, RESET, INIT, k | p | a, 0),
	ROW(XRC_TGT, RESET, INIT, k | p | a, 0),
	ROW(UD, RESET, INIT, k | p | q, 0),
	ROW(SMI, RESET, INIT, k | q, 0),
	ROW(GSI, RESET, INIT, k | q, 0),
	ROW(RAW_PACKET, RESET, INIT, p, 0),

	/*
	 * Init to Init: any of these again. Not the port of a raw packet QP:
	 * the type is Linux's own, and that has never taken it.
	 */
	ROW(RC, INIT, INIT, 0, k | p | a),
	ROW(UC, INIT, INIT, 0, k | p | a),
	ROW(XRC_INI, INIT, INIT, 0, k | p | a),
	ROW(XRC_TGT, INIT, INIT, 0, k | p | a),
	ROW(UD, INIT, INIT, 0, k | p | q),
	ROW(SMI, INIT, INIT, 0, k | q),
	ROW(GSI, INIT, INIT, 0, k | q),
	ROW(RAW_PACKET, INIT, INIT, 0, 0),

	/* Init to RTR: the peer; for a responder of RC what it may be asked. */
	ROW(RC, INIT, RTR, v | m | d | R | e | z, l | a | k),
	ROW(XRC_TGT, INIT, RTR, v | m | d | R | e | z, l | a | k),
	ROW(UC, INIT, RTR, v | m | d | R, l | a | k),
	ROW(XRC_INI, INIT, RTR, v | m | d | R, l | a | k),
	ROW(UD, INIT, RTR, 0, k | q),
	ROW(SMI, INIT, RTR, 0, k | q),
	ROW(GSI, INIT, RTR, 0, k | q),
	ROW(RAW_PACKET, INIT, RTR, 0, 0),

	/* RTR to RTS: where to begin; for a requester of RC how to retry. */
	ROW(RC, RTR, RTS, t | r | x | S | i, c | l | a | z | g),
	ROW(XRC_INI, RTR, RTS, t | r | x | S | i, c | l | a | g),
	ROW(XRC_TGT, RTR, RTS, t | S, c | l | a | z | g),
	ROW(UC, RTR, RTS, S, c | l | a | g),
	ROW(UD, RTR, RTS, S, c | q),
	ROW(SMI, RTR, RTS, S, c | q),
	ROW(GSI, RTR, RTS, S, c | q),
	ROW(RAW_PACKET, RTR, RTS, 0, b),

	/* RTS to RTS, and back from SQD: what may change under way. */
	ROW(RC, RTS, RTS, 0, c | l | a | z | g),
	ROW(XRC_TGT, RTS, RTS, 0, c | l | a | z | g),
	ROW(XRC_INI, RTS, RTS, 0, c | l | a | g),
	ROW(UC, RTS, RTS, 0, c | l | a | g),
	ROW(UD, RTS, RTS, 0, c | q),
	ROW(SMI, RTS, RTS, 0, c | q),
	ROW(GSI, RTS, RTS, 0, c | q),
	ROW(RAW_PACKET, RTS, RTS, 0, b),
	ROW(RC, SQD, RTS, 0, c | l | a | z | g),
	ROW(XRC_TGT, SQD, RTS, 0, c | l | a | z | g),
	ROW(XRC_INI, SQD, RTS, 0, c | l | a | g),
	ROW(UC, SQD, RTS, 0, c | l | a | g),
	ROW(UD, SQD, RTS, 0, c | q),
	ROW(SMI, SQD, RTS, 0, c | q),
	ROW(GSI, SQD, RTS, 0, c | q),
	ROW(RAW_PACKET, SQD, RTS, 0, 0),

	/* RTS to SQD: tell me when the send queue is drained. */
	ROW(RC, RTS, SQD, 0, n),
	ROW(UC, RTS, SQD, 0, n),
	ROW(UD, RTS, SQD, 0, n),
	ROW(XRC_INI, RTS, SQD, 0, n),
	ROW(XRC_TGT, RTS, SQD, 0, n),
	ROW(SMI, RTS, SQD, 0, n),
	ROW(GSI, RTS, SQD, 0, n),
	ROW(RAW_PACKET, RTS, SQD, 0, 0),

	/* SQD to SQD: with nothing in flight the path and its timing, too. */
	ROW(RC, SQD, SQD, 0, p | v | t | r | x | i | e | l | a | k | z | g),
	ROW(XRC_INI, SQD, SQD, 0, p | v | t | r | x | i | l | a | k | g),
	ROW(XRC_TGT, SQD, SQD, 0, p | v | t | e | l | a | k | z | g),
	ROW(UC, SQD, SQD, 0, v | l | a | k | g),
	ROW(UD, SQD, SQD, 0, k | q),
	ROW(SMI, SQD, SQD, 0, k | q),
	ROW(GSI, SQD, SQD, 0, k | q),
	ROW(RAW_PACKET, SQD, SQD, 0, 0),

	/* SQE to RTS: after an error that only unreliable services survive. */
	ROW(UC, SQE, RTS, 0, c | a),
	ROW(UD, SQE, RTS, 0, c | q),
	ROW(SMI, SQE, RTS, 0, c | q),
	ROW(GSI, SQE, RTS, 0, c | q),
	ROW(RAW_PACKET, SQE, RTS, 0, 0),

	/*
	 * To Reset and to Error, with nothing but the state. Figure 124 has an
	 * arrow from any state to Error; Linux asks for Init first, and drivers
	 * free or keep no queue of a QP in Reset that could be flushed.
	 */
	ROW(EVERY, RESET, RESET, 0, 0),
	ROW(EVERY, INIT, RESET, 0, 0),
	ROW(EVERY, RTR, RESET, 0, 0),
	ROW(EVERY, RTS, RESET, 0, 0),
	ROW(EVERY, SQD, RESET, 0, 0),
	ROW(EVERY, SQE, RESET, 0, 0),
	ROW(EVERY, ERR, RESET, 0, 0),
	ROW(EVERY, INIT, ERR, 0, 0),
	ROW(EVERY, RTR, ERR, 0, 0),
	ROW(EVERY, RTS, ERR, 0, 0),
	ROW(EVERY, SQD, ERR, 0, 0),
	ROW(EVERY, SQE, ERR, 0, 0),
	ROW(EVERY, ERR, ERR, 0, 0),
};

#undef c
#undef n
#undef a
#undef k
#undef p
#undef q
#undef v
#undef m
#undef t
#undef r
#undef x
#undef R
#undef i
#undef l
#undef z
#undef S
#undef e
#undef g
#undef d
#undef b

#define TYPES 16
#define ATTR_BITS 26

static bool is_known(int type)
{
	size_t at;

	for (at = 0; at < ARRAY_SIZE(table_91); at++)
		if (table_91[at].type == type)
			return true;
	return false;
}

static const struct row *find_row(int type, int from, int to)
{
	const struct row *row;

	for (row = table_91; row < table_91 + ARRAY_SIZE(table_91); row++) {
		if (row->from != from || row->to != to)
			continue;
		if (row->type == type ||
		    (row->type == IB_QPT_EVERY && is_known(type)))
			return row;
	}
	return NULL;
}

static void expect(struct kunit *test, bool want, int type, int from, int to,
		   u32 mask)
{
	KUNIT_EXPECT_EQ_MSG(test, want, ib_modify_qp_is_ok(from, to, type, mask),
			    "type %d, state %d to %d, mask %#x", type, from, to,
			    mask);
}

typedef void check_fn(struct kunit *test, int type, int from, int to,
		      const struct row *row);

/* Calls @check for every type and pair of states, with the row if it has one. */
static void walk_moves(struct kunit *test, check_fn *check)
{
	int type, from, to;

	for (type = 0; type < TYPES; type++)
		for (from = 0; from < STATES; from++)
			for (to = 0; to < STATES; to++)
				check(test, type, from, to,
				      find_row(type, from, to));
}

/* All of what a move needs, then one less, and one more of every kind. */
static void check_legal(struct kunit *test, int type, int from, int to,
			const struct row *row)
{
	u32 all, bit;

	if (!row)
		return;
	all = row->required | row->optional;
	expect(test, true, type, from, to, row->required);
	expect(test, true, type, from, to, row->required | IB_QP_STATE);
	expect(test, true, type, from, to, all | IB_QP_STATE);
	for (bit = IB_QP_CUR_STATE; bit < BIT(ATTR_BITS); bit <<= 1) {
		expect(test, !(bit & row->required), type, from, to,
		       all & ~bit);
		expect(test, !!(bit & all), type, from, to,
		       row->required | bit);
	}
}

static void legal_moves(struct kunit *test)
{
	walk_moves(test, check_legal);
}

static void check_illegal(struct kunit *test, int type, int from, int to,
			  const struct row *row)
{
	u32 bit;

	if (row)
		return;
	expect(test, false, type, from, to, 0);
	expect(test, false, type, from, to, BIT(ATTR_BITS) - 1);
	for (bit = IB_QP_STATE; bit < BIT(ATTR_BITS); bit <<= 1)
		expect(test, false, type, from, to, bit | IB_QP_STATE);
}

static void illegal_moves(struct kunit *test)
{
	walk_moves(test, check_illegal);
}

/* Masks from a fixed seed, every second one near to what is legal. */
static void check_mixed(struct kunit *test, int type, int from, int to,
			const struct row *row)
{
	u32 seed = 91 + type * 1000 + from * 100 + to, all, mask;
	int round;
	bool want;

	if (!row)
		return;
	all = row->required | row->optional | IB_QP_STATE;
	for (round = 0; round < 64; round++) {
		seed = seed * 1664525 + 1013904223;
		mask = seed >> 6;
		if (round & 1)
			mask &= all | BIT(round % ATTR_BITS);
		want = !(row->required & ~mask) && !(mask & ~all);
		expect(test, want, type, from, to, mask);
	}
}

static void mixed_masks(struct kunit *test)
{
	walk_moves(test, check_mixed);
}

/* Values that are no state or type at all must not be looked up. */
static void out_of_range(struct kunit *test)
{
	static const int wild[] = { -1, STATES, 31, 32, 64, 255, INT_MAX };
	size_t at;

	for (at = 0; at < ARRAY_SIZE(wild); at++) {
		expect(test, false, IB_QPT_RC, wild[at], IB_QPS_RESET, 0);
		expect(test, false, IB_QPT_RC, IB_QPS_RESET, wild[at], 0);
	}
	expect(test, false, IB_QPT_DRIVER, IB_QPS_INIT, IB_QPS_RESET, 0);
	expect(test, false, -1, IB_QPS_INIT, IB_QPS_RESET, 0);
	expect(test, false, IB_QPT_RESERVED1, IB_QPS_INIT, IB_QPS_RESET, 0);
}

static struct kunit_case qp_state_cases[] = {
	KUNIT_CASE(legal_moves),
	KUNIT_CASE(illegal_moves),
	KUNIT_CASE(mixed_masks),
	KUNIT_CASE(out_of_range),
	{}
};

static struct kunit_suite qp_state_suite = {
	.name = "ofed_qp_state",
	.test_cases = qp_state_cases,
};

kunit_test_suite(qp_state_suite);

MODULE_DESCRIPTION("KUnit tests of the QP transition table");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * The communication manager without a device: its tables, walked completely,
 * and its messages, byte by byte.
 *
 * What is expected is typed from IBA vol. 1, chapter 12, input by input, where
 * the table goes state by state.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "core/cm/ib/fsm.h"
#include "core/cm/ib/msg.h"

#define S(state) BIT(IB_CM_##state)
#define L(state) BIT(IB_CM_LAP_##state)
#define QUIET CM_NO_EVENT

/* States of one side that expects something of the other. */
#define WAITS_REP	(S(REQ_SENT) | S(MRA_REQ_RCVD))
#define WAITS_RTU	(S(REP_SENT) | S(MRA_REP_RCVD))
#define OWES_REP	(S(REQ_RCVD) | S(MRA_REQ_SENT))
#define OWES_RTU	(S(REP_RCVD) | S(MRA_REP_SENT))

struct row {
	enum cm_input input;
	u32 states;
	u8 result;
	u8 next;
	u8 raise;
	u8 send;
};

#define MOVE(to, event, word) CM_GO, IB_CM_##to, event, CM_SEND_##word

static const struct row rows[] = {
	{ CM_CALL_LISTEN, S(IDLE), MOVE(LISTEN, QUIET, NOTHING) },
	{ CM_CALL_REQ, S(IDLE), MOVE(REQ_SENT, QUIET, NOTHING) },
	{ CM_CALL_REP, OWES_REP, MOVE(REP_SENT, QUIET, NOTHING) },
	{ CM_CALL_RTU, OWES_RTU, MOVE(ESTABLISHED, QUIET, NOTHING) },
	{ CM_CALL_DREQ, S(ESTABLISHED), MOVE(DREQ_SENT, QUIET, NOTHING) },
	{ CM_CALL_DREP, S(DREQ_RCVD), MOVE(TIMEWAIT, QUIET, NOTHING) },
	/* The sender of a REP may have a QP that the peer uses already. */
	{ CM_CALL_REJ, WAITS_RTU, MOVE(TIMEWAIT, QUIET, NOTHING) },
	{ CM_CALL_REJ, WAITS_REP | OWES_REP | OWES_RTU,
	  MOVE(IDLE, QUIET, NOTHING) },
	{ CM_CALL_MRA, S(REQ_RCVD), MOVE(MRA_REQ_SENT, QUIET, NOTHING) },
	{ CM_CALL_MRA, S(REP_RCVD), MOVE(MRA_REP_SENT, QUIET, NOTHING) },
	{ CM_CALL_MRA, S(ESTABLISHED), CM_ASK_LAP },
	{ CM_CALL_SIDR_REQ, S(IDLE), MOVE(SIDR_REQ_SENT, QUIET, NOTHING) },
	{ CM_CALL_SIDR_REP, S(SIDR_REQ_RCVD), MOVE(IDLE, QUIET, NOTHING) },
	{ CM_CALL_EST, WAITS_RTU,
	  MOVE(ESTABLISHED, IB_CM_USER_ESTABLISHED, NOTHING) },
	{ CM_CALL_EST, S(ESTABLISHED), CM_CONNECTED },
	{ CM_CALL_MIG, S(ESTABLISHED), CM_ASK_LAP },

	{ CM_CALL_DESTROY, S(IDLE) | S(LISTEN) | S(SIDR_REQ_SENT) | S(TIMEWAIT),
	  MOVE(IDLE, QUIET, NOTHING) },
	{ CM_CALL_DESTROY, WAITS_REP, MOVE(IDLE, QUIET, REJ_TIMEOUT) },
	{ CM_CALL_DESTROY, OWES_REP | OWES_RTU,
	  MOVE(IDLE, QUIET, REJ_CONSUMER) },
	{ CM_CALL_DESTROY, WAITS_RTU, MOVE(TIMEWAIT, QUIET, REJ_CONSUMER) },
	{ CM_CALL_DESTROY, S(ESTABLISHED), MOVE(TIMEWAIT, QUIET, DREQ) },
	{ CM_CALL_DESTROY, S(DREQ_SENT), MOVE(TIMEWAIT, QUIET, NOTHING) },
	{ CM_CALL_DESTROY, S(DREQ_RCVD), MOVE(TIMEWAIT, QUIET, DREP) },
	{ CM_CALL_DESTROY, S(SIDR_REQ_RCVD), MOVE(IDLE, QUIET, SIDR_REJECT) },

	{ CM_RX_REQ, S(IDLE), MOVE(REQ_RCVD, IB_CM_REQ_RECEIVED, NOTHING) },
	{ CM_RX_REQ, S(REQ_RCVD) | WAITS_RTU | S(ESTABLISHED) | S(DREQ_SENT) |
	  S(DREQ_RCVD), CM_DUPLICATE },
	{ CM_RX_REQ, S(MRA_REQ_SENT), CM_REPEAT },
	{ CM_RX_REQ, S(TIMEWAIT), CM_STALE },

	{ CM_RX_MRA_REQ, S(REQ_SENT),
	  MOVE(MRA_REQ_RCVD, IB_CM_MRA_RECEIVED, NOTHING) },
	{ CM_RX_MRA_REQ, S(MRA_REQ_RCVD), CM_DUPLICATE },
	{ CM_RX_MRA_REP, S(REP_SENT),
	  MOVE(MRA_REP_RCVD, IB_CM_MRA_RECEIVED, NOTHING) },
	{ CM_RX_MRA_REP, S(MRA_REP_RCVD), CM_DUPLICATE },

	{ CM_RX_REJ, WAITS_REP | OWES_REP | WAITS_RTU,
	  MOVE(IDLE, IB_CM_REJ_RECEIVED, NOTHING) },
	{ CM_RX_REJ, OWES_RTU | S(ESTABLISHED) | S(DREQ_SENT),
	  MOVE(TIMEWAIT, IB_CM_REJ_RECEIVED, NOTHING) },
	{ CM_RX_REJ_STALE, WAITS_REP | OWES_REP | WAITS_RTU | OWES_RTU |
	  S(ESTABLISHED) | S(DREQ_SENT),
	  MOVE(TIMEWAIT, IB_CM_REJ_RECEIVED, NOTHING) },

	{ CM_RX_REP, WAITS_REP, MOVE(REP_RCVD, IB_CM_REP_RECEIVED, NOTHING) },
	{ CM_RX_REP, S(REP_RCVD), CM_DUPLICATE },
	{ CM_RX_REP, S(MRA_REP_SENT) | S(ESTABLISHED), CM_REPEAT },

	{ CM_RX_RTU, WAITS_RTU,
	  MOVE(ESTABLISHED, IB_CM_RTU_RECEIVED, NOTHING) },
	{ CM_RX_RTU, S(ESTABLISHED) | S(DREQ_SENT) | S(DREQ_RCVD),
	  CM_DUPLICATE },

	{ CM_RX_DREQ, WAITS_RTU | S(ESTABLISHED) | S(DREQ_SENT),
	  MOVE(DREQ_RCVD, IB_CM_DREQ_RECEIVED, NOTHING) },
	{ CM_RX_DREQ, S(DREQ_RCVD), CM_DUPLICATE },
	{ CM_RX_DREQ, S(TIMEWAIT), CM_REPEAT },
	{ CM_RX_DREP, S(DREQ_SENT) | S(DREQ_RCVD),
	  MOVE(TIMEWAIT, IB_CM_DREP_RECEIVED, NOTHING) },

	{ CM_RX_SIDR_REQ, S(IDLE),
	  MOVE(SIDR_REQ_RCVD, IB_CM_SIDR_REQ_RECEIVED, NOTHING) },
	{ CM_RX_SIDR_REQ, S(SIDR_REQ_RCVD), CM_DUPLICATE },
	{ CM_RX_SIDR_REP, S(SIDR_REQ_SENT),
	  MOVE(IDLE, IB_CM_SIDR_REP_RECEIVED, NOTHING) },
	{ CM_RX_LAP, S(ESTABLISHED), CM_ASK_LAP },
	{ CM_RX_APR, S(ESTABLISHED), CM_ASK_LAP },

	{ CM_TIMEOUT, WAITS_REP, MOVE(IDLE, IB_CM_REQ_ERROR, REJ_TIMEOUT) },
	{ CM_TIMEOUT, WAITS_RTU, MOVE(IDLE, IB_CM_REP_ERROR, NOTHING) },
	{ CM_TIMEOUT, S(DREQ_SENT), MOVE(TIMEWAIT, IB_CM_DREQ_ERROR, NOTHING) },
	{ CM_TIMEOUT, S(SIDR_REQ_SENT),
	  MOVE(IDLE, IB_CM_SIDR_REQ_ERROR, NOTHING) },
	{ CM_TIMEWAIT_END, S(TIMEWAIT),
	  MOVE(IDLE, IB_CM_TIMEWAIT_EXIT, NOTHING) },
};

static const struct row lap_rows[] = {
	{ CM_CALL_MIG, L(UNINIT) | L(IDLE), MOVE(LAP_IDLE, QUIET, NOTHING) },
	{ CM_CALL_MRA, L(RCVD), MOVE(MRA_LAP_SENT, QUIET, NOTHING) },
	{ CM_RX_LAP, L(UNINIT) | L(IDLE),
	  MOVE(LAP_RCVD, IB_CM_LAP_RECEIVED, NOTHING) },
	{ CM_RX_LAP, L(RCVD), CM_DUPLICATE },
	{ CM_RX_LAP, BIT(IB_CM_MRA_LAP_SENT), CM_REPEAT },
};

/* The row for a cell; a cell may have one at most. */
static const struct row *row_of(struct kunit *test, const struct row *list,
				size_t n, int state, enum cm_input input)
{
	const struct row *found = NULL;

	for (; n--; list++)
		if (list->input == input && list->states & BIT(state)) {
			KUNIT_EXPECT_NULL(test, found);
			found = list;
		}
	return found;
}

static void expect_cell(struct kunit *test, const struct cm_fsm_step *step,
			const struct row *row, int state, int input)
{
	static const struct row none;
	const struct row *want = row ?: &none;

	KUNIT_EXPECT_EQ_MSG(test, (int)step->result, (int)want->result,
			    "state %d input %d", state, input);
	if (step->result != CM_GO)
		return;
	KUNIT_EXPECT_EQ_MSG(test, (int)step->next, (int)want->next,
			    "state %d input %d", state, input);
	KUNIT_EXPECT_EQ_MSG(test, (int)step->raise, (int)want->raise,
			    "state %d input %d", state, input);
	KUNIT_EXPECT_EQ_MSG(test, (int)step->send, (int)want->send,
			    "state %d input %d", state, input);
}

static void table_test(struct kunit *test)
{
	int state, input;

	for (state = 0; state < CM_STATES; state++)
		for (input = 0; input < CM_INPUTS; input++)
			expect_cell(test, cm_fsm_step(state, input),
				    row_of(test, rows, ARRAY_SIZE(rows), state,
					   input), state, input);
	KUNIT_EXPECT_EQ(test, (int)cm_fsm_step(CM_STATES, CM_CALL_REQ)->result,
			(int)CM_REFUSED);
	KUNIT_EXPECT_EQ(test, (int)cm_fsm_step(-1, CM_CALL_REQ)->result,
			(int)CM_REFUSED);
	KUNIT_EXPECT_EQ(test, (int)cm_fsm_step(IB_CM_IDLE, CM_INPUTS)->result,
			(int)CM_REFUSED);
}

static void lap_table_test(struct kunit *test)
{
	int state, input;

	for (state = 0; state < CM_LAP_STATES; state++)
		for (input = 0; input < CM_INPUTS; input++)
			expect_cell(test, cm_fsm_lap_step(state, input),
				    row_of(test, lap_rows, ARRAY_SIZE(lap_rows),
					   state, input), state, input);
	KUNIT_EXPECT_EQ(test,
			(int)cm_fsm_lap_step(CM_LAP_STATES, CM_RX_LAP)->result,
			(int)CM_REFUSED);
}

/* Whatever the table says, every id can be got rid of. */
static void destroy_test(struct kunit *test)
{
	int state;

	for (state = 0; state < CM_STATES; state++)
		KUNIT_EXPECT_EQ(test,
				(int)cm_fsm_step(state, CM_CALL_DESTROY)->result,
				(int)CM_GO);
}

static void time_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cm_time_ms(0), 1u);
	KUNIT_EXPECT_EQ(test, cm_time_ms(8), 1u);
	KUNIT_EXPECT_EQ(test, cm_time_ms(9), 2u);
	KUNIT_EXPECT_EQ(test, cm_time_ms(20), 4096u);
	KUNIT_EXPECT_EQ(test, cm_time_ms(31), 1u << 23);
	KUNIT_EXPECT_EQ(test, cm_time_ms(255), 1u << 23);

	/* A round trip is twice the life time. */
	KUNIT_EXPECT_EQ(test, (int)cm_ack_timeout(0, 18), 19);
	KUNIT_EXPECT_EQ(test, (int)cm_ack_timeout(17, 18), 19);
	KUNIT_EXPECT_EQ(test, (int)cm_ack_timeout(18, 18), 20);
	KUNIT_EXPECT_EQ(test, (int)cm_ack_timeout(19, 18), 20);
	KUNIT_EXPECT_EQ(test, (int)cm_ack_timeout(20, 18), 21);
	KUNIT_EXPECT_EQ(test, (int)cm_ack_timeout(21, 18), 21);
	KUNIT_EXPECT_EQ(test, (int)cm_ack_timeout(31, 0), 31);
	KUNIT_EXPECT_EQ(test, (int)cm_ack_timeout(0, 255), 31);
}

static const struct cm_msg_ids golden_names = {
	.tid = cpu_to_be64(0x1122334455667788ULL),
	.local_id = cpu_to_be32(0xa1a2a3a4),
	.remote_id = cpu_to_be32(0xb1b2b3b4),
};

static const struct cm_self golden_self = {
	.guid = cpu_to_be64(0x0002c90300abcdefULL),
	.ack_delay = 15,
};

static void golden_path(struct sa_path_rec *path)
{
	static const u8 here[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff,
				   10, 0, 0, 1 };

	memset(path, 0, sizeof(*path));
	path->rec_type = SA_PATH_REC_TYPE_ROCE_V2;
	memcpy(path->sgid.raw, here, sizeof(here));
	memcpy(path->dgid.raw, here, sizeof(here));
	path->dgid.raw[15] = 2;
	path->flow_label = cpu_to_be32(0xfedcb);
	path->hop_limit = 64;
	path->traffic_class = 0x68;
	path->pkey = cpu_to_be16(0xffff);
	path->sl = 3;
	path->mtu = IB_MTU_1024;
	path->rate = IB_RATE_25_GBPS;
	path->packet_life_time = 18;
}

static void golden_req(struct ib_cm_req_param *param, struct sa_path_rec *path)
{
	golden_path(path);
	*param = (struct ib_cm_req_param){
		.primary_path = path,
		.service_id = cpu_to_be64(0x01061234),
		.qp_num = 0x123456,
		.qp_type = IB_QPT_RC,
		.starting_psn = 0xabcdef,
		.private_data = "abc",
		.private_data_len = 3,
		.responder_resources = 4,
		.initiator_depth = 5,
		.remote_cm_response_timeout = 20,
		.flow_control = 1,
		.local_cm_response_timeout = 19,
		.retry_count = 6,
		.rnr_retry_count = 7,
		.max_cm_retries = 15,
		.srq = 1,
		.ece = { .vendor_id = 0x0015b3, .attr_mod = 0x01020304 },
	};
}

/* Table 106, through a router as RoCE always is: LIDs are permissive. */
static const u8 req_bytes[] = {
	0x01, 0x07, 0x02, 0x03, 0x00, 0x00, 0x00, 0x00,
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	0x00, 0x10, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04,
	/* 0: comm id, vendor id; 8: service id; 16: GUID */
	0xa1, 0xa2, 0xa3, 0xa4, 0x00, 0x00, 0x15, 0xb3,
	0x00, 0x00, 0x00, 0x00, 0x01, 0x06, 0x12, 0x34,
	0x00, 0x02, 0xc9, 0x03, 0x00, 0xab, 0xcd, 0xef,
	/* 24: reserved, Q_Key; 32: QPN, resources, depth */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x12, 0x34, 0x56, 0x04, 0x00, 0x00, 0x00, 0x05,
	/* 40: 20 << 3 | RC | flow control; PSN; 19 << 3 | 6 */
	0x00, 0x00, 0x00, 0xa1, 0xab, 0xcd, 0xef, 0x9e,
	/* 48: P_Key; MTU 3, RNR 7; retries 15, SRQ; LIDs */
	0xff, 0xff, 0x37, 0xf8, 0xff, 0xff, 0xff, 0xff,
	/* 56: 10.0.0.1; 72: 10.0.0.2 */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0xff, 0xff, 0x0a, 0x00, 0x00, 0x01,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0xff, 0xff, 0x0a, 0x00, 0x00, 0x02,
	/* 88: flow label, rate 15; class, hops, SL 3, 19 << 3 */
	0xfe, 0xdc, 0xb0, 0x0f, 0x68, 0x40, 0x30, 0x98,
	/* 96: no alternate path */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 'a', 'b', 'c', 0x00,
};

/* Table 110 */
static const u8 rep_bytes[] = {
	0x01, 0x07, 0x02, 0x03, 0x00, 0x00, 0x00, 0x00,
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	0x00, 0x13, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05,
	/* 0: comm ids; 8: Q_Key; QPN, vendor id; EECN, vendor id */
	0xa1, 0xa2, 0xa3, 0xa4, 0xb1, 0xb2, 0xb3, 0xb4,
	0x00, 0x00, 0x00, 0x00, 0x65, 0x43, 0x21, 0x12,
	0x00, 0x00, 0x00, 0x15, 0x0a, 0x0b, 0x0c, 0xb3,
	/* 24: resources, depth, 15 << 3 | failover | flow, RNR 6, SRQ */
	0x05, 0x04, 0x7b, 0xd0, 0x00, 0x02, 0xc9, 0x03,
	0x00, 0xab, 0xcd, 0xef, 'x', 'y', 0x00, 0x00,
};

static void expect_bytes(struct kunit *test, const union cm_mad *mad,
			 const u8 *bytes, size_t n)
{
	const u8 *got = (const u8 *)mad;
	size_t i;

	for (i = 0; i < sizeof(*mad); i++)
		KUNIT_EXPECT_EQ_MSG(test, (int)got[i],
				    i < n ? (int)bytes[i] : 0, "byte %zu", i);
}

static void golden_req_test(struct kunit *test)
{
	struct ib_cm_req_param param;
	struct sa_path_rec path;
	union cm_mad mad;

	golden_req(&param, &path);
	memset(&mad, 0xee, sizeof(mad));
	cm_build_req(&mad, &golden_names, &golden_self, &param);
	expect_bytes(test, &mad, req_bytes, sizeof(req_bytes));
}

static void golden_rep_test(struct kunit *test)
{
	const struct ib_cm_rep_param param = {
		.qp_num = 0x654321,
		.starting_psn = 0x0a0b0c,
		.private_data = "xy",
		.private_data_len = 2,
		.responder_resources = 5,
		.initiator_depth = 4,
		.failover_accepted = 1,
		.flow_control = 1,
		.rnr_retry_count = 6,
		.srq = 1,
		.ece = { .vendor_id = 0x1215b3, .attr_mod = 5 },
	};
	union cm_mad mad;

	memset(&mad, 0xee, sizeof(mad));
	cm_build_rep(&mad, &golden_names, &golden_self, IB_QPT_RC, &param);
	expect_bytes(test, &mad, rep_bytes, sizeof(rep_bytes));
}

/* What the receiver of that REQ is told, from its own point of view. */
static void read_req_test(struct kunit *test)
{
	struct ib_cm_event event = {};
	struct ib_cm_req_event_param *got = &event.param.req_rcvd;
	const struct ib_wc wc = { .slid = 0x77, .sl = 9, .dlid_path_bits = 1 };
	struct sa_path_rec paths[2];
	union cm_mad mad = {};

	memcpy(&mad, req_bytes, sizeof(req_bytes));
	cm_read_req(&mad, &event);
	KUNIT_EXPECT_EQ(test, got->remote_qpn, 0x123456u);
	KUNIT_EXPECT_EQ(test, (int)got->qp_type, (int)IB_QPT_RC);
	KUNIT_EXPECT_EQ(test, got->starting_psn, 0xabcdefu);
	KUNIT_EXPECT_EQ(test, (int)got->responder_resources, 5);
	KUNIT_EXPECT_EQ(test, (int)got->initiator_depth, 4);
	KUNIT_EXPECT_EQ(test, (int)got->local_cm_response_timeout, 20);
	KUNIT_EXPECT_EQ(test, (int)got->remote_cm_response_timeout, 19);
	KUNIT_EXPECT_EQ(test, (int)got->retry_count, 6);
	KUNIT_EXPECT_EQ(test, (int)got->rnr_retry_count, 7);
	KUNIT_EXPECT_EQ(test, (int)got->srq, 1);
	KUNIT_EXPECT_EQ(test, got->ece.vendor_id, 0x0015b3u);
	KUNIT_EXPECT_EQ(test, got->ece.attr_mod, 0x01020304u);
	KUNIT_EXPECT_EQ(test, memcmp(event.private_data, "abc", 3), 0);
	KUNIT_EXPECT_FALSE(test, cm_req_has_alternate(&mad));

	cm_read_req_paths(&mad, &wc, SA_PATH_REC_TYPE_ROCE_V2, paths);
	KUNIT_EXPECT_EQ(test, (int)paths[0].dgid.raw[15], 1);
	KUNIT_EXPECT_EQ(test, (int)paths[0].sgid.raw[15], 2);
	KUNIT_EXPECT_EQ(test, (int)paths[0].packet_life_time, 18);
	KUNIT_EXPECT_EQ(test, (int)paths[0].mtu, (int)IB_MTU_1024);
	KUNIT_EXPECT_EQ(test, (int)paths[0].rate, (int)IB_RATE_25_GBPS);
	KUNIT_EXPECT_EQ(test, (int)paths[0].traffic_class, 0x68);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(paths[0].flow_label), 0xfedcbu);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(paths[0].service_id), 0x01061234ULL);

	/* A permissive LID of a far peer is the one that the packet had. */
	cm_read_req_paths(&mad, &wc, SA_PATH_REC_TYPE_IB, paths);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(paths[0].ib.dlid), 0x77);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(paths[0].ib.slid), 1);
	KUNIT_EXPECT_EQ(test, (int)paths[0].sl, 9);
	IBA_SET(CM_REQ_PRIMARY_SUBNET_LOCAL, &mad.req, 1);
	cm_read_req_paths(&mad, &wc, SA_PATH_REC_TYPE_IB, paths);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(paths[0].ib.dlid), 0xffff);
	KUNIT_EXPECT_EQ(test, (int)paths[0].sl, 3);
}

/* On one subnet the LIDs are the path's, and an alternate path is there. */
static void lid_test(struct kunit *test)
{
	struct sa_path_rec path, other;
	struct ib_cm_req_param param;
	struct sa_path_rec got[2];
	const struct ib_wc wc = {};
	union cm_mad mad;

	golden_req(&param, &path);
	path.rec_type = SA_PATH_REC_TYPE_IB;
	path.hop_limit = 1;
	path.ib.slid = cpu_to_be16(0x11);
	path.ib.dlid = cpu_to_be16(0x22);
	other = path;
	other.ib.slid = cpu_to_be16(0x33);
	other.ib.dlid = cpu_to_be16(0x44);
	param.alternate_path = &other;
	KUNIT_EXPECT_EQ(test, cm_check_req(&param), 0);
	cm_build_req(&mad, &golden_names, &golden_self, &param);

	KUNIT_EXPECT_TRUE(test, cm_req_has_alternate(&mad));
	cm_read_req_paths(&mad, &wc, SA_PATH_REC_TYPE_IB, got);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(got[0].ib.dlid), 0x11);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(got[0].ib.slid), 0x22);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(got[1].ib.dlid), 0x33);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(got[1].ib.slid), 0x44);

	/* Two paths have one P_Key and one MTU in the message. */
	other.mtu = IB_MTU_4096;
	KUNIT_EXPECT_EQ(test, cm_check_req(&param), -EINVAL);
	other.mtu = path.mtu;
	other.pkey = cpu_to_be16(1);
	KUNIT_EXPECT_EQ(test, cm_check_req(&param), -EINVAL);
}

static void req_limits_test(struct kunit *test)
{
	static const u8 data[256];
	struct ib_cm_req_param param;
	struct sa_path_rec path;

	golden_req(&param, &path);
	param.private_data = data;
	param.private_data_len = 92;
	KUNIT_EXPECT_EQ(test, cm_check_req(&param), 0);
	param.private_data_len = 93;
	KUNIT_EXPECT_EQ(test, cm_check_req(&param), -EINVAL);
	param.private_data = NULL;
	KUNIT_EXPECT_EQ(test, cm_check_req(&param), 0);
	param.qp_type = IB_QPT_UD;
	KUNIT_EXPECT_EQ(test, cm_check_req(&param), -EINVAL);
	param.qp_type = IB_QPT_UC;
	KUNIT_EXPECT_EQ(test, cm_check_req(&param), 0);
	param.primary_path = NULL;
	KUNIT_EXPECT_EQ(test, cm_check_req(&param), -EINVAL);
}

/* Transport types that a REQ may name (12.7.26 and annex A14). */
static void qp_type_test(struct kunit *test)
{
	struct ib_cm_req_param param;
	struct sa_path_rec path;
	union cm_mad mad;

	golden_req(&param, &path);
	param.qp_type = IB_QPT_UC;
	cm_build_req(&mad, &golden_names, &golden_self, &param);
	KUNIT_EXPECT_EQ(test, (int)cm_req_qp_type(&mad), (int)IB_QPT_UC);

	param.qp_type = IB_QPT_XRC_INI;
	cm_build_req(&mad, &golden_names, &golden_self, &param);
	KUNIT_EXPECT_EQ(test, (int)cm_req_qp_type(&mad), (int)IB_QPT_XRC_TGT);
	/* An initiator of XRC receives nothing. */
	KUNIT_EXPECT_EQ(test, (int)IBA_GET(CM_REQ_RESPONDER_RESOURCES,
					   &mad.req), 0);
	KUNIT_EXPECT_EQ(test, (int)IBA_GET(CM_REQ_SRQ, &mad.req), 0);

	IBA_SET(CM_REQ_TRANSPORT_SERVICE_TYPE, &mad.req, 2);
	KUNIT_EXPECT_EQ(test, (int)cm_req_qp_type(&mad), (int)IB_QPT_MAX);
	IBA_SET(CM_REQ_TRANSPORT_SERVICE_TYPE, &mad.req, 3);
	IBA_SET(CM_REQ_EXTENDED_TRANSPORT_TYPE, &mad.req, 2);
	KUNIT_EXPECT_EQ(test, (int)cm_req_qp_type(&mad), (int)IB_QPT_MAX);
}

/* Lengths that a peer claims are never longer than the field. */
static void hostile_lengths_test(struct kunit *test)
{
	struct ib_cm_event event = {};
	union cm_mad mad;

	memset(&mad, 0xff, sizeof(mad));
	cm_read_rej(&mad, &event);
	KUNIT_EXPECT_EQ(test, (int)event.param.rej_rcvd.ari_length, 72);
	cm_read_sidr_rep(&mad, &event);
	KUNIT_EXPECT_EQ(test, (int)event.param.sidr_rep_rcvd.info_len, 72);
	KUNIT_EXPECT_EQ(test, event.param.sidr_rep_rcvd.qpn, 0xffffffu);

	mad.hdr.attr_id = cpu_to_be16(0x0f);
	KUNIT_EXPECT_EQ(test, (int)cm_attr_of(&mad.hdr), (int)CM_ATTRS);
	mad.hdr.attr_id = cpu_to_be16(0x1b);
	KUNIT_EXPECT_EQ(test, (int)cm_attr_of(&mad.hdr), (int)CM_ATTRS);
	mad.hdr.attr_id = CM_APR_ATTR_ID;
	KUNIT_EXPECT_EQ(test, (int)cm_attr_of(&mad.hdr), (int)CM_ATTR_APR);
}

/* Private data that fills its field ends where the message ends. */
static void full_data_test(struct kunit *test)
{
	const struct cm_rej_info rej = {
		.reason = IB_CM_REJ_CONSUMER_DEFINED, .about = CM_ABOUT_REP,
		.ari = rep_bytes, .ari_len = 8,
	};
	static u8 data[224];
	union cm_mad mad;
	const u8 *end = (const u8 *)(&mad + 1);

	memset(data, 0xd5, sizeof(data));
	cm_build_rtu(&mad, &golden_names, data, 224);
	KUNIT_EXPECT_EQ(test, (int)end[-1], 0xd5);
	KUNIT_EXPECT_EQ(test, (int)end[-224], 0xd5);
	KUNIT_EXPECT_NE(test, (int)end[-225], 0xd5);
	cm_build_dreq(&mad, &golden_names, 0x123456, data, 220);
	KUNIT_EXPECT_EQ(test, (int)end[-1], 0xd5);
	KUNIT_EXPECT_EQ(test, (int)IBA_GET(CM_DREQ_REMOTE_QPN_EECN, &mad.dreq),
			0x123456);
	cm_build_drep(&mad, &golden_names, data, 224);
	KUNIT_EXPECT_EQ(test, (int)end[-224], 0xd5);
	cm_build_mra(&mad, &golden_names, CM_ABOUT_REP, 21, data, 222);
	KUNIT_EXPECT_EQ(test, (int)end[-222], 0xd5);
	KUNIT_EXPECT_EQ(test, (int)end[-224], 0x40);	/* MRAed: REP */
	KUNIT_EXPECT_EQ(test, (int)end[-223], 21 << 3);
	cm_build_rej(&mad, &golden_names, &rej);
	KUNIT_EXPECT_EQ(test, (int)IBA_GET(CM_REJ_REJECTED_INFO_LENGTH,
					   &mad.rej), 8);
	KUNIT_EXPECT_EQ(test, (int)IBA_GET(CM_REJ_REASON, &mad.rej), 28);
	KUNIT_EXPECT_EQ(test, (int)IBA_GET(CM_REJ_MESSAGE_REJECTED, &mad.rej),
			1);
}

static void names_test(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, ibcm_reject_msg(IB_CM_REJ_STALE_CONN),
			   "stale conn");
	KUNIT_EXPECT_STREQ(test, ibcm_reject_msg(0), "unrecognized reason");
	KUNIT_EXPECT_STREQ(test, ibcm_reject_msg(-1), "unrecognized reason");
	KUNIT_EXPECT_STREQ(test, ibcm_reject_msg(36), "unrecognized reason");
}

static struct kunit_case cm_cases[] = {
	KUNIT_CASE(table_test),
	KUNIT_CASE(lap_table_test),
	KUNIT_CASE(destroy_test),
	KUNIT_CASE(time_test),
	KUNIT_CASE(golden_req_test),
	KUNIT_CASE(golden_rep_test),
	KUNIT_CASE(read_req_test),
	KUNIT_CASE(lid_test),
	KUNIT_CASE(req_limits_test),
	KUNIT_CASE(qp_type_test),
	KUNIT_CASE(hostile_lengths_test),
	KUNIT_CASE(full_data_test),
	KUNIT_CASE(names_test),
	{}
};

static struct kunit_suite cm_suite = {
	.name = "ib_cm",
	.test_cases = cm_cases,
};
kunit_test_suite(cm_suite);

MODULE_DESCRIPTION("KUnit: tables and messages of the communication manager");
MODULE_LICENSE("GPL");

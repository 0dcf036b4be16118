// SPDX-License-Identifier: GPL-2.0
/* ofed_iwarp: the table of connections, state by event. */
#include "hw/iwarp/conn_states.h"
#include "suites.h"

static bool releases(u8 act)
{
	return act == IW_A_GIVE_UP || act == IW_A_DROP || act == IW_A_END ||
	       act == IW_A_LATE_END || act == IW_A_ABORT;
}

static bool opens(u8 act)
{
	return act == IW_A_OPEN || act == IW_A_ACCEPT || act == IW_A_ESTABLISHED;
}

/* Each cell, by the rules that it must keep. */
static void table_cells_test(struct kunit *test)
{
	struct iw_conn_step step;
	int state, event;

	for (state = 0; state < IW_C_STATES; state++)
		for (event = 0; event < IW_C_EVENTS; event++) {
			step = iw_conn_step(state, event);
			KUNIT_EXPECT_LT(test, step.next, IW_C_STATES);
			if (step.act == IW_A_REFUSE) {
				KUNIT_EXPECT_EQ(test, (int)step.next, state);
				continue;
			}
			/* The socket goes with the last state, and never before. */
			KUNIT_EXPECT_EQ(test, step.next == IW_C_DEAD,
					releases(step.act));
			KUNIT_EXPECT_NE(test, state, (int)IW_C_DEAD);
			if (step.next == IW_C_OPEN)
				KUNIT_EXPECT_TRUE(test, opens(step.act));
			/* A report of success is for the contexts that wait for one. */
			if (step.act == IW_A_END || step.act == IW_A_ABORT)
				KUNIT_EXPECT_TRUE(test, state == IW_C_OPEN ||
						  state == IW_C_CLOSING);
			if (step.act == IW_A_LATE_END)
				KUNIT_EXPECT_EQ(test, state, (int)IW_C_READYING);
			if (step.act == IW_A_GIVE_UP)
				KUNIT_EXPECT_TRUE(test, state == IW_C_TCP ||
						  state == IW_C_ASKING);
		}
}

/* Whatever the state: a reset, or the end of the module, lead out of it. */
static void table_ends_test(struct kunit *test)
{
	struct iw_conn_step step;
	int state;

	for (state = 0; state < IW_C_DEAD; state++) {
		if (state == IW_C_LOST) {
			step = iw_conn_step(state, IW_E_REJECT);
			KUNIT_EXPECT_EQ(test, (int)step.next, (int)IW_C_DEAD);
			continue;
		}
		step = iw_conn_step(state, IW_E_RESET);
		KUNIT_EXPECT_TRUE(test, step.next == IW_C_DEAD ||
				  step.next == IW_C_LOST);
		step = iw_conn_step(state, IW_E_ABORT);
		KUNIT_EXPECT_TRUE(test, step.next == IW_C_DEAD ||
				  step.next == IW_C_LOST);
		step = iw_conn_step(state, IW_E_FIN);
		KUNIT_EXPECT_NE(test, (int)step.act, (int)IW_A_REFUSE);
	}
}

/* Every state can be reached from where a connection begins. */
static void table_reach_test(struct kunit *test)
{
	u32 seen = BIT(IW_C_TCP) | BIT(IW_C_HEARING), before;
	int state, event;

	do {
		before = seen;
		for (state = 0; state < IW_C_STATES; state++)
			for (event = 0; event < IW_C_EVENTS; event++)
				if (seen & BIT(state))
					seen |= BIT(iw_conn_step(state, event).next);
	} while (seen != before);
	KUNIT_EXPECT_EQ(test, seen, BIT(IW_C_STATES) - 1);
}

static struct kunit_case conn_states_cases[] = {
	KUNIT_CASE(table_cells_test),
	KUNIT_CASE(table_ends_test),
	KUNIT_CASE(table_reach_test),
	{}
};

struct kunit_suite iwarp_conn_states_suite = {
	.name = "iwarp_conn_states",
	.test_cases = conn_states_cases,
};

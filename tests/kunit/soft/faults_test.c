// SPDX-License-Identifier: GPL-2.0
/* Page faults that do not end, and what is left for other users. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "hw/soft/faults.h"

#define MOST	SOFT_FAULTS_MOST
#define USERS	20

struct fault {
	struct soft_fault fault;
	u32 begun;	/* in which place, from 1 on */
};

static struct soft_faults faults;
static struct soft_fault_user *users[USERS];
static struct fault (*of)[MOST];
static u32 begun;

static void begin(struct soft_fault *fault)
{
	container_of(fault, struct fault, fault)->begun = ++begun;
}

static int faults_test_init(struct kunit *test)
{
	u32 i, j;

	soft_faults_init(&faults);
	begun = 0;
	of = kvcalloc(USERS, sizeof(*of), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, of);
	for (i = 0; i < USERS; i++) {
		users[i] = soft_fault_user_get(&faults, KUIDT_INIT(1000 + i));
		KUNIT_ASSERT_NOT_NULL(test, users[i]);
		for (j = 0; j < MOST; j++)
			soft_fault_init(&of[i][j].fault, begin);
	}
	return 0;
}

static void faults_test_exit(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < USERS; i++) {
		for (j = 0; j < MOST; j++)
			soft_fault_close(&faults, &of[i][j].fault);
		soft_fault_user_put(users[i]);
	}
	KUNIT_EXPECT_TRUE(test, list_empty(&faults.users));
	KUNIT_EXPECT_TRUE(test, list_empty(&faults.hungry));
	kvfree(of);
}

static bool ask(u32 user, u32 number)
{
	return soft_fault_ask(&faults, &of[user][number].fault, users[user]);
}

static void ask_all(struct kunit *test, u32 user)
{
	u32 i;

	for (i = 0; i < MOST; i++)
		KUNIT_EXPECT_TRUE(test, ask(user, i));
}

static u32 begun_of(u32 user)
{
	u32 i, num = 0;

	for (i = 0; i < MOST; i++)
		num += !!of[user][i].begun;
	return num;
}

static void one_user_test(struct kunit *test)
{
	u32 i;

	ask_all(test, 0);
	KUNIT_EXPECT_EQ(test, begun_of(0), MOST / 2);
	/* Each end lets the next one begin, in their order. */
	for (i = 0; i < MOST / 2; i++) {
		soft_fault_end(&faults, users[0]);
		KUNIT_EXPECT_EQ(test, begun, MOST / 2 + i + 1);
		KUNIT_EXPECT_EQ(test, of[0][MOST / 2 + i].begun, begun);
	}
	for (i = 0; i < MOST / 2; i++)
		soft_fault_end(&faults, users[0]);
	KUNIT_EXPECT_EQ(test, begun, (u32)MOST);
	KUNIT_EXPECT_EQ(test, faults.busy, 0U);
}

/* The first has its pages by a file system that never gives them. */
static void another_user_test(struct kunit *test)
{
	u32 i;

	ask_all(test, 0);
	for (i = 0; i < MOST; i++) {
		KUNIT_EXPECT_TRUE(test, ask(1, i));
		KUNIT_EXPECT_NE(test, of[1][i].begun, 0U);
		soft_fault_end(&faults, users[1]);
	}
	KUNIT_EXPECT_EQ(test, begun_of(0), MOST / 2);
}

/* Many of that kind: none of those that come late has nothing for ever. */
static void all_busy_test(struct kunit *test)
{
	u32 i;

	for (i = 0; i < USERS - 1; i++)
		ask_all(test, i);
	KUNIT_EXPECT_EQ(test, faults.busy, (u32)MOST);
	KUNIT_EXPECT_EQ(test, begun_of(3), (u32)MOST / 16);
	ask(USERS - 1, 0);
	KUNIT_EXPECT_EQ(test, begun_of(USERS - 1), 0U);
	/* One that has nothing has the first place that is free; in their order. */
	for (i = 0; i < USERS && !begun_of(USERS - 1); i++)
		soft_fault_end(&faults, users[0]);
	KUNIT_EXPECT_EQ(test, begun_of(USERS - 1), 1U);
	KUNIT_EXPECT_EQ(test, begun_of(0), MOST / 2);
	KUNIT_EXPECT_EQ(test, faults.busy, (u32)MOST);
}

static void closed_test(struct kunit *test)
{
	u32 i;

	ask_all(test, 0);
	KUNIT_EXPECT_TRUE(test, soft_fault_close(&faults, &of[0][MOST / 2].fault));
	KUNIT_EXPECT_FALSE(test, soft_fault_close(&faults, &of[0][MOST / 2].fault));
	KUNIT_EXPECT_FALSE(test, soft_fault_close(&faults, &of[0][0].fault));
	KUNIT_EXPECT_FALSE(test, ask(0, MOST / 2));
	soft_fault_end(&faults, users[0]);
	KUNIT_EXPECT_EQ(test, of[0][MOST / 2].begun, 0U);
	KUNIT_EXPECT_NE(test, of[0][MOST / 2 + 1].begun, 0U);
	/* All that wait go; then others of the user come. */
	for (i = MOST / 2; i < MOST; i++)
		soft_fault_close(&faults, &of[0][i].fault);
	soft_fault_end(&faults, users[0]);
	KUNIT_EXPECT_EQ(test, begun, MOST / 2 + 1U);
	KUNIT_EXPECT_TRUE(test, ask(0, 1));
	KUNIT_EXPECT_EQ(test, begun, MOST / 2 + 2U);
}

static void users_test(struct kunit *test)
{
	struct soft_fault_user *again = soft_fault_user_get(&faults, KUIDT_INIT(1000));

	KUNIT_EXPECT_PTR_EQ(test, again, users[0]);
	soft_fault_user_put(again);
	soft_fault_user_put(NULL);
}

static struct kunit_case faults_cases[] = {
	KUNIT_CASE(one_user_test),
	KUNIT_CASE(another_user_test),
	KUNIT_CASE(all_busy_test),
	KUNIT_CASE(closed_test),
	KUNIT_CASE(users_test),
	{}
};

static struct kunit_suite faults_suite = {
	.name = "soft_faults",
	.init = faults_test_init,
	.exit = faults_test_exit,
	.test_cases = faults_cases,
};
kunit_test_suite(faults_suite);

MODULE_DESCRIPTION("Page faults of users: unit tests");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/* Memory windows. */
#include "hw/soft/mw.h"
#include "hw/soft/region_lock.h"
#include "mem.h"

static struct soft_mw *new_window(struct kunit *test, enum ib_mw_type type)
{
	struct soft_mw *mw = kunit_kzalloc(test, sizeof(*mw), GFP_KERNEL);

	mw->mw.device = world(test)->pd.device;
	mw->mw.pd = &world(test)->pd;
	mw->mw.type = type;
	KUNIT_ASSERT_EQ(test, soft_alloc_mw(&mw->mw, NULL), 0);
	return mw;
}

static enum soft_access_err bind_qpn(struct kunit *test, u32 qpn, u32 rkey,
				     struct ib_mr *mr, u64 addr, u64 length,
				     int access)
{
	const struct soft_bind bind = {
		.mw_rkey = rkey,
		.new_key = rkey + 1,
		.mr_lkey = mr->lkey,
		.addr = addr,
		.length = length,
		.access = access,
	};

	return soft_window_bind(world(test)->mem, &world(test)->pd, qpn, &bind);
}

static void mw_type_1(struct kunit *test)
{
	struct soft_mw *mw = new_window(test, IB_MW_TYPE_1);
	struct ib_mr *mr = user_mr(test, LW | IB_ACCESS_MW_BIND);
	struct world *w = world(test);
	u32 key = mw->mw.rkey;

	KUNIT_EXPECT_EQ(test, (int)remote(test, key, VA, 1, RWR),
			(int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, (int)bind_qpn(test, 7, key, mr, VA + 100, 50,
					    RWR), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, VA + 100, 1, RWR),
			(int)SOFT_ERR_KEY);
	key = ib_inc_rkey(key);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, VA + 100, 50, RWR),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, VA + 100, 51, RWR),
			(int)SOFT_ERR_BOUNDS);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, VA + 100, 50, RRD),
			(int)SOFT_ERR_PERM);
	KUNIT_EXPECT_EQ(test, (int)local(test, &w->pd, key, VA + 100, 1, 0),
			(int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, soft_dereg_mr(mr, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, PTR_ERR(soft_rereg_user_mr(mr,
				IB_MR_REREG_TRANS, 0x3000, 100, 0x5000, 0,
				NULL, NULL)), -EBUSY);
	KUNIT_EXPECT_EQ(test, umems, 1);
	KUNIT_EXPECT_EQ(test, (int)soft_region_invalidate(w->mem, &w->pd, 7,
							  key, true),
			(int)SOFT_ERR_PERM);
	/* Bound again, then unbound. */
	KUNIT_EXPECT_EQ(test, (int)bind_qpn(test, 8, key, mr, VA, 50, RRD),
			(int)SOFT_OK);
	key = ib_inc_rkey(key);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, VA, 50, RRD),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)bind_qpn(test, 7, key, mr, 0, 0, 0),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)remote(test, ib_inc_rkey(key), VA, 1, RRD),
			(int)SOFT_ERR_KEY);
	dereg(test, mr);
	soft_dealloc_mw(&mw->mw);
}

static void mw_type_2(struct kunit *test)
{
	struct soft_mw *mw = new_window(test, IB_MW_TYPE_2);
	struct ib_mr *mr = user_mr(test, LW | IB_ACCESS_MW_BIND);
	struct world *w = world(test);
	struct soft_iter to, from;
	u32 key = mw->mw.rkey;
	u8 bytes[8] = {};

	KUNIT_EXPECT_EQ(test, (int)bind_qpn(test, 7, key, mr, 0, 0, 0),
			(int)SOFT_ERR_BOUNDS);
	KUNIT_EXPECT_EQ(test, (int)bind_qpn(test, 8, key, mr, VA, 50, RWR),
			(int)SOFT_OK);
	key = ib_inc_rkey(key);
	KUNIT_EXPECT_EQ(test, (int)remote(test, key, VA, 50, RWR),
			(int)SOFT_ERR_PERM);
	KUNIT_EXPECT_EQ(test, (int)soft_region_invalidate(w->mem, &w->pd, 7,
							  key, true),
			(int)SOFT_ERR_PERM);
	KUNIT_EXPECT_EQ(test, (int)bind_qpn(test, 8, key, mr, VA, 50, RWR),
			(int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, (int)soft_region_invalidate(w->mem, &w->pd, 8,
							  key, false),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)bind_qpn(test, 7, key, mr, VA + 0x9c0, 50,
					    RWR | IB_ZERO_BASED),
			(int)SOFT_OK);
	key = ib_inc_rkey(key);
	KUNIT_ASSERT_EQ(test, (int)soft_iter_remote(&to, w->mem, &w->pd, 7,
						    key, 0, 50, RWR),
			(int)SOFT_OK);
	soft_iter_bytes(&from, bytes, 8);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 4),
			(int)SOFT_OK);
	/* Freed while a message is on its way. */
	soft_dealloc_mw(&mw->mw);
	KUNIT_EXPECT_EQ(test, (int)soft_iter_copy(&to, &from, 4),
			(int)SOFT_ERR_KEY);
	soft_iter_end(&to);
	dereg(test, mr);
}

/* What a peer was found to have a right to is another queue pair's before its atomic is done. */
static void mw_word(struct kunit *test)
{
	struct soft_mw *mw = new_window(test, IB_MW_TYPE_2);
	struct ib_mr *mr = user_mr(test, LW | IB_ACCESS_MW_BIND);
	struct world *w = world(test);
	struct soft_region *region;
	enum soft_access_err fault;
	u32 key = mw->mw.rkey + 1, grant;
	u64 old = 5;

	KUNIT_EXPECT_EQ(test, (int)bind_qpn(test, 7, mw->mw.rkey, mr, VA, 64, RAT | RWR),
			(int)SOFT_OK);
	region = soft_region_remote(w->mem, &w->pd, 7, key, VA, 8, RAT, &fault, &grant);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, region);
	KUNIT_EXPECT_EQ(test, (int)soft_region_invalidate(w->mem, &w->pd, 7, key, false),
			(int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)bind_qpn(test, 8, key, mr, VA, 64, RAT | RWR), (int)SOFT_OK);
	KUNIT_EXPECT_EQ(test, (int)soft_region_fetch_add(region, grant, VA, 1, &old),
			(int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, (int)soft_region_cmp_swap(region, grant, VA, 0, 1, &old),
			(int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, (int)soft_region_store(region, grant, VA, 1), (int)SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, old, 5ULL);
	soft_region_put(region);
	KUNIT_EXPECT_EQ(test, soft_dealloc_mw(&mw->mw), 0);
	dereg(test, mr);
}

struct unbindable {
	int mr_access;
	int mw_access;
	s64 from;
	u64 length;
	enum soft_access_err fault;
};

static const struct unbindable unbindables[] = {
	{ LW, RRD, 0, 10, SOFT_ERR_PERM },
	{ IB_ACCESS_MW_BIND, RWR, 0, 10, SOFT_ERR_PERM },
	{ IB_ACCESS_MW_BIND, RAT, 0, 10, SOFT_ERR_PERM },
	{ IB_ACCESS_MW_BIND, RRD, 0, 10, SOFT_OK },
	{ LW | IB_ACCESS_MW_BIND, LW | RWR, 0, LEN, SOFT_OK },
	{ LW | IB_ACCESS_MW_BIND, LW, 0, LEN, SOFT_OK },
	{ LW | IB_ACCESS_MW_BIND, IB_ACCESS_MW_BIND, 0, 10, SOFT_ERR_PERM },
	{ LW | IB_ACCESS_MW_BIND, RWR | IB_ZERO_BASED, 0, 10, SOFT_ERR_PERM },
	{ LW | IB_ACCESS_MW_BIND | IB_ZERO_BASED, RWR, -(s64)VA, 10,
	  SOFT_ERR_PERM },
	{ LW | IB_ACCESS_MW_BIND, RWR, 0, LEN + 1, SOFT_ERR_BOUNDS },
	{ LW | IB_ACCESS_MW_BIND, RWR, -1, 10, SOFT_ERR_BOUNDS },
	{ LW | IB_ACCESS_MW_BIND, RWR, 8, U64_MAX, SOFT_ERR_BOUNDS },
};

static void mw_rules(struct kunit *test)
{
	struct world *w = world(test);
	const struct unbindable *u;
	struct soft_bind bind;
	struct soft_mw *mw;
	struct ib_mr *mr;
	int i;

	for (i = 0; i < ARRAY_SIZE(unbindables); i++) {
		u = &unbindables[i];
		mw = new_window(test, IB_MW_TYPE_1);
		mr = user_mr(test, u->mr_access);
		KUNIT_EXPECT_EQ_MSG(test, (int)bind_qpn(test, 7, mw->mw.rkey,
							mr, VA + u->from,
							u->length,
							u->mw_access),
				    (int)u->fault, "row %d", i);
		bind = (struct soft_bind){
			.mw_rkey = mw->region->key, .mr_lkey = mr->lkey,
			.addr = VA, .length = 1, .access = RRD,
		};
		KUNIT_EXPECT_EQ(test, (int)soft_window_bind(w->mem,
							    &w->other_pd, 7,
							    &bind),
				(int)SOFT_ERR_PERM);
		bind.mw_rkey = mr->rkey;
		KUNIT_EXPECT_EQ(test, (int)soft_window_bind(w->mem, &w->pd, 7,
							    &bind),
				(int)SOFT_ERR_KEY);
		soft_dealloc_mw(&mw->mw);
		dereg(test, mr);
	}
}

static struct kunit_case soft_mem_window_cases[] = {
	KUNIT_CASE(mw_type_1),
	KUNIT_CASE(mw_type_2),
	KUNIT_CASE(mw_word),
	KUNIT_CASE(mw_rules),
	{}
};

struct kunit_suite soft_mem_window_suite = {
	.name = "soft_mem_window",
	.init = soft_mem_test_init,
	.exit = soft_mem_test_exit,
	.test_cases = soft_mem_window_cases,
};

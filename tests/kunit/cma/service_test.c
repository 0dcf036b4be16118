// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: what a consumer says of a service. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>
#include <rdma/rdma_cm.h>

#include "core/cm/rdma/service.h"

#define ID	RDMA_USER_CM_IB_SERVICE_FLAG_ID
#define NAME	RDMA_USER_CM_IB_SERVICE_FLAG_NAME

static const struct {
	const char *name;
	u32 flags;
	int ret;
} rows[] = {
	{ "", 0, -EINVAL },
	{ "", ID, 0 },
	{ "", NAME, -EINVAL },
	{ "", ID | NAME, -EINVAL },
	{ "a", NAME, 0 },
	{ "a", ID | NAME, 0 },
	{ "a", ID | 4, -EINVAL },
	{ "a", NAME | BIT(31), -EINVAL },
	{ "a", 4, -EINVAL },
	/* The longest, and one more. */
	{ "012345678901234567890123456789012345678901234567890123456789012", NAME, 0 },
	{ "0123456789012345678901234567890123456789012345678901234567890123", NAME, -EINVAL },
	/* That of a name that does not count. */
	{ "0123456789012345678901234567890123456789012345678901234567890123", ID, 0 },
};

static void wanted_test(struct kunit *test)
{
	struct sa_service_rec rec, want;
	struct rdma_ucm_ib_service ibs;
	ib_sa_comp_mask mask, wanted;
	size_t i, length;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		/* Ones behind the name, which must not be asked for. */
		memset(&ibs, 0xff, sizeof(ibs));
		length = strlen(rows[i].name);
		memcpy(ibs.service_name, rows[i].name, min(length + 1, sizeof(ibs.service_name)));
		ibs.service_id = 0x1122334455667788ULL;
		ibs.flags = rows[i].flags;
		memset(&rec, 0xee, sizeof(rec));
		KUNIT_EXPECT_EQ_MSG(test, cma_service_wanted(&ibs, &rec, &mask), rows[i].ret,
				    "row %zu", i);
		if (rows[i].ret)
			continue;
		memset(&want, 0, sizeof(want));
		wanted = 0;
		if (rows[i].flags & ID) {
			want.id = cpu_to_be64(0x1122334455667788ULL);
			wanted |= IB_SA_SERVICE_REC_SERVICE_ID;
		}
		if (rows[i].flags & NAME) {
			memcpy(want.name, rows[i].name, length);
			wanted |= IB_SA_SERVICE_REC_SERVICE_NAME;
		}
		KUNIT_EXPECT_TRUE(test, mask == wanted);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(&rec, &want, sizeof(rec)), 0, "row %zu", i);
	}
}

static struct kunit_case service_cases[] = {
	KUNIT_CASE(wanted_test),
	{}
};

static struct kunit_suite service_suite = {
	.name = "ofed_cma_service",
	.test_cases = service_cases,
};

kunit_test_suite(service_suite);

MODULE_DESCRIPTION("KUnit: services that rdma_cm is asked for");
MODULE_LICENSE("GPL");

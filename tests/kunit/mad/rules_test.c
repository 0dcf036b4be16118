// SPDX-License-Identifier: GPL-2.0
/* Rules that are tables: registrations, directed routes of SMPs, and the fault hook's. */
#include <kunit/test.h>
#include <linux/module.h>
#include <rdma/opa_smi.h>

#include "core/mad/inject.h"
#include "core/mad/priv.h"
#include "core/mad/smi.h"

/* ---- registrations --------------------------------------------------------------- */

static const struct bad_reg {
	const char *name;
	struct ib_mad_reg_req req;
} bad_regs[] = {
	{ "no class", { .mgmt_class = 0 } },
	{ "class behind the last", { .mgmt_class = 0x50 } },
	{ "class 0x80", { .mgmt_class = 0x80 } },
	{ "class 0xff", { .mgmt_class = 0xff } },
	{ "version", { .mgmt_class = 3, .mgmt_class_version = 0x83 } },
	{ "no OUI", { .mgmt_class = 0x30 } },
};

static void bad_reg_test(struct kunit *test)
{
	struct mad_reg reg;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_regs); i++)
		KUNIT_EXPECT_EQ_MSG(test, mad_reg_set(&reg,
						      &bad_regs[i].req),
				    -EINVAL, "%s", bad_regs[i].name);
}

/* ---- directed routes ------------------------------------------------------------------ */

static struct ib_smp new_smp(u8 hop_ptr, u8 hop_cnt, bool back)
{
	struct ib_smp smp = {
		.mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE,
		.hop_ptr = hop_ptr,
		.hop_cnt = hop_cnt,
		.dr_slid = IB_LID_PERMISSIVE,
		.dr_dlid = IB_LID_PERMISSIVE,
	};

	if (back)
		smp.status = IB_SMP_DIRECTION;
	memset(smp.initial_path, 1, sizeof(smp.initial_path));
	memset(smp.return_path, 1, sizeof(smp.return_path));
	return smp;
}

static void fill_opa_smp(struct opa_smp *smp, u8 hop_ptr, u8 hop_cnt, bool back)
{
	memset(smp, 0, sizeof(*smp));
	smp->base_version = OPA_MGMT_BASE_VERSION;
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->status = back ? IB_SMP_DIRECTION : 0;
	smp->hop_ptr = hop_ptr;
	smp->hop_cnt = hop_cnt;
	smp->route.dr.dr_slid = OPA_LID_PERMISSIVE;
	smp->route.dr.dr_dlid = OPA_LID_PERMISSIVE;
	memset(smp->route.dr.initial_path, 1, sizeof(smp->route.dr.initial_path));
	memset(smp->route.dr.return_path, 1, sizeof(smp->route.dr.return_path));
}

static const struct route {
	const char *name;
	u8 hop_ptr, hop_cnt;
	bool back, in;
	u32 port;
	enum smi_way way;
	u8 after;
} routes[] = {
	{ "own SMA", 0, 0, false, false, 1, SMI_HERE, 1 },
	{ "own SMA, done", 1, 0, false, false, 1, SMI_HERE, 1 },
	{ "start", 0, 3, false, false, 1, SMI_WIRE, 1 },
	{ "start by another port", 0, 3, false, false, 2, SMI_DISCARD, 1 },
	{ "start half-way", 2, 3, false, false, 1, SMI_DISCARD, 2 },
	{ "start, longest", 0, 63, false, false, 1, SMI_WIRE, 1 },
	{ "start, too long", 0, 64, false, false, 1, SMI_DISCARD, 0 },
	{ "start, far too long", 0, 255, false, false, 1, SMI_DISCARD, 0 },
	{ "start behind the end", 200, 3, false, false, 1, SMI_DISCARD, 200 },
	{ "reply", 4, 3, true, false, 1, SMI_WIRE, 3 },
	{ "reply by another port", 4, 3, true, false, 2, SMI_DISCARD, 3 },
	{ "reply half-way", 3, 3, true, false, 1, SMI_DISCARD, 3 },
	{ "reply to ourselves", 1, 0, true, false, 1, SMI_HERE, 0 },
	{ "reply, too long", 65, 64, true, false, 1, SMI_DISCARD, 65 },
	{ "arrival", 3, 3, false, true, 1, SMI_HERE, 4 },
	{ "arrival, longest", 63, 63, false, true, 1, SMI_HERE, 64 },
	{ "arrival, too long", 64, 64, false, true, 1, SMI_DISCARD, 64 },
	{ "arrival half-way", 2, 3, false, true, 1, SMI_DISCARD, 2 },
	{ "arrival unsent", 0, 3, false, true, 1, SMI_DISCARD, 0 },
	{ "reply arrives", 1, 3, true, true, 1, SMI_HERE, 0 },
	{ "reply arrives, done", 0, 3, true, true, 1, SMI_HERE, 0 },
	{ "reply arrives half-way", 2, 3, true, true, 1, SMI_DISCARD, 2 },
	{ "reply arrives unsent", 4, 3, true, true, 1, SMI_DISCARD, 4 },
	{ "pointer at the edge", 255, 255, true, true, 1, SMI_DISCARD, 255 },
};

static void route_test(struct kunit *test)
{
	const struct route *row;
	struct ib_smp smp;

	for (row = routes; row < routes + ARRAY_SIZE(routes); row++) {
		smp = new_smp(row->hop_ptr, row->hop_cnt, row->back);
		KUNIT_EXPECT_EQ_MSG(test, row->in ?
				    smi_incoming(&smp, row->port) :
				    smi_outgoing(&smp, row->port),
				    row->way, "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, smp.hop_ptr, row->after, "%s",
				    row->name);
	}
}

/* Those of Omni-Path take the same ways. */
static void opa_route_test(struct kunit *test)
{
	const struct route *row;
	struct opa_smp *smp = kunit_kzalloc(test, sizeof(*smp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, smp);
	for (row = routes; row < routes + ARRAY_SIZE(routes); row++) {
		fill_opa_smp(smp, row->hop_ptr, row->hop_cnt, row->back);
		KUNIT_EXPECT_EQ_MSG(test, row->in ?
				    smi_incoming((struct ib_smp *)smp, row->port) :
				    smi_outgoing((struct ib_smp *)smp, row->port),
				    row->way, "%s", row->name);
		KUNIT_EXPECT_EQ_MSG(test, smp->hop_ptr, row->after, "%s", row->name);
	}
	fill_opa_smp(smp, 3, 3, false);
	smi_incoming((struct ib_smp *)smp, 7);
	KUNIT_EXPECT_EQ(test, smp->route.dr.return_path[3], 7);
	/* Behind the path it goes by LID. A LID that InfiniBand calls permissive is none here. */
	fill_opa_smp(smp, 3, 3, false);
	smp->route.dr.dr_dlid = cpu_to_be32(0xffff);
	KUNIT_EXPECT_EQ(test, smi_incoming((struct ib_smp *)smp, 1), SMI_DISCARD);
}

static void return_path_test(struct kunit *test)
{
	struct ib_smp smp = new_smp(3, 3, false);

	smi_incoming(&smp, 7);
	KUNIT_EXPECT_EQ(test, smp.return_path[3], 7);
	KUNIT_EXPECT_EQ(test, smp.return_path[2], 1);
	/* Its answer goes out where it has come in. */
	smp.status = IB_SMP_DIRECTION;
	KUNIT_EXPECT_EQ(test, smi_outgoing(&smp, 7), SMI_WIRE);

	/* Routed by LID from here on: that is for a switch. */
	smp = new_smp(3, 3, false);
	smp.dr_dlid = cpu_to_be16(4);
	KUNIT_EXPECT_EQ(test, smi_incoming(&smp, 1), SMI_DISCARD);
	smp = new_smp(1, 3, true);
	smp.dr_slid = cpu_to_be16(4);
	KUNIT_EXPECT_EQ(test, smi_incoming(&smp, 1), SMI_DISCARD);

	/* Routed by LID up to a switch, where the directed part begins. */
	smp = new_smp(0, 1, false);
	smp.dr_slid = cpu_to_be16(4);
	KUNIT_EXPECT_EQ(test, smi_outgoing(&smp, 7), SMI_WIRE);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 0);
	/* The same of an answer. */
	smp = new_smp(4, 3, true);
	smp.dr_dlid = cpu_to_be16(4);
	KUNIT_EXPECT_EQ(test, smi_outgoing(&smp, 7), SMI_WIRE);
	KUNIT_EXPECT_EQ(test, smp.hop_ptr, 4);
}

/* ---- rules of the fault hook ------------------------------------------------------------ */

static const struct rule_text {
	const char *text;
	int ret;
	struct mad_inject_rule rule;
} rule_texts[] = {
	{ "07 0010 drop", 0, { .mgmt_class = 7, .attr_id = 0x10,
			       .action = MAD_INJECT_DROP } },
	{ "0x7  0x12\ttwice 3", 0, { .mgmt_class = 7, .attr_id = 0x12,
				     .action = MAD_INJECT_DUPLICATE, .skip = 3 } },
	{ "cm rep delay=1500 1 2", 0, { .mgmt_class = 7, .attr_id = 0x13,
					.action = MAD_INJECT_DELAY, .delay_ms = 1500,
					.skip = 1, .count = 2 } },
	{ "sa any drop 0 1", 0, { .mgmt_class = 3, .any_attr = true,
				  .action = MAD_INJECT_DROP, .count = 1 } },
	{ "81 ffff drop", 0, { .mgmt_class = 0x81, .attr_id = 0xffff,
			       .action = MAD_INJECT_DROP } },
	{ "cm req", -EINVAL },
	{ "", -EINVAL },
	{ "cm req pass", -EINVAL },
	{ "100 1 drop", -EINVAL },
	{ "7 10000 drop", -EINVAL },
	{ "cm what drop", -EINVAL },
	{ "cm req drop x", -EINVAL },
	{ "cm req drop 1 -1", -EINVAL },
	{ "cm req drop 1 2 3", -EINVAL },
	{ "cm req delay", -EINVAL },
	{ "cm req delay=", -EINVAL },
	{ "cm req delay=60001", -EINVAL },
};

static void rule_text_test(struct kunit *test)
{
	const struct rule_text *row;
	struct mad_inject_rule rule;
	char line[64];

	for (row = rule_texts; row < rule_texts + ARRAY_SIZE(rule_texts);
	     row++) {
		strscpy(line, row->text, sizeof(line));
		KUNIT_EXPECT_EQ_MSG(test, mad_inject_parse(line, &rule),
				    row->ret, "'%s'", row->text);
		if (row->ret)
			continue;
		/* The rest of it begins as 0. */
		KUNIT_EXPECT_EQ_MSG(test,
				    memcmp(&rule.mgmt_class,
					   &row->rule.mgmt_class,
					   sizeof(rule) -
					   offsetof(struct mad_inject_rule,
						    mgmt_class)),
				    0, "'%s'", row->text);
	}
}

static void rule_count_test(struct kunit *test)
{
	struct ib_mad_hdr req = { .mgmt_class = 7,
				  .attr_id = cpu_to_be16(0x10) };
	struct ib_mad_hdr rep = { .mgmt_class = 7,
				  .attr_id = cpu_to_be16(0x13) };
	char line[] = "cm req drop 2 3";
	struct mad_inject_rule rule;
	int i;

	KUNIT_ASSERT_EQ(test, mad_inject_parse(line, &rule), 0);
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, mad_inject_judge(&rule, &rep), MAD_INJECT_PASS);
		KUNIT_EXPECT_EQ(test, mad_inject_judge(&rule, &req),
				i >= 2 && i < 5 ? MAD_INJECT_DROP : MAD_INJECT_PASS);
	}
	KUNIT_EXPECT_EQ(test, rule.seen, 10);
	KUNIT_EXPECT_EQ(test, rule.hits, 3);
}

static struct kunit_case mad_rules_cases[] = {
	KUNIT_CASE(bad_reg_test),
	KUNIT_CASE(route_test),
	KUNIT_CASE(opa_route_test),
	KUNIT_CASE(return_path_test),
	KUNIT_CASE(rule_text_test),
	KUNIT_CASE(rule_count_test),
	{}
};

static struct kunit_suite mad_rules_suite = {
	.name = "ofed_mad_rules",
	.test_cases = mad_rules_cases,
};

kunit_test_suite(mad_rules_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit: directed routes, and faults of MADs");
MODULE_LICENSE("GPL");

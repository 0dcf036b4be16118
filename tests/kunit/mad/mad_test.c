// SPDX-License-Identifier: GPL-2.0
/*
 * The MAD layer without a device: which agent gets a MAD, and what belongs together.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <rdma/ib_smi.h>

#include "core/mad/priv.h"

#define OUI_A	{ 0x00, 0x14, 0x05 }
#define OUI_B	{ 0x00, 0x02, 0xc9 }

/* ---- registrations --------------------------------------------------------------- */

static int enter(struct mad_table *table, struct mad_reg *reg, u8 class,
		 u8 version, const u8 *oui, unsigned int from, unsigned int to)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = class,
		.mgmt_class_version = version,
	};

	if (oui)
		memcpy(req.oui, oui, sizeof(req.oui));
	bitmap_set(req.method_mask, from, to - from + 1);
	return mad_reg_set(reg, &req) ?: mad_table_add(table, reg);
}

static struct mad_reg *find(struct mad_table *table, u8 class, u8 version,
			    const u8 *oui, u8 method)
{
	struct ib_vendor_mad mad = {};

	mad.mad_hdr.mgmt_class = class;
	mad.mad_hdr.class_version = version;
	mad.mad_hdr.method = method;
	if (oui)
		memcpy(mad.oui, oui, sizeof(mad.oui));
	return mad_table_find(table, &mad.mad_hdr);
}

static void method_test(struct kunit *test)
{
	struct mad_reg low, high, other, none;
	struct mad_table table;

	mad_table_init(&table);
	KUNIT_EXPECT_EQ(test, enter(&table, &low, 3, 2, NULL, 0, 6), 0);
	KUNIT_EXPECT_EQ(test, enter(&table, &high, 3, 2, NULL, 7, 127), 0);
	KUNIT_EXPECT_EQ(test, enter(&table, &none, 3, 2, NULL, 6, 7),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, enter(&table, &other, 3, 1, NULL, 6, 7), 0);

	KUNIT_EXPECT_PTR_EQ(test, find(&table, 3, 2, NULL, 0), &low);
	KUNIT_EXPECT_PTR_EQ(test, find(&table, 3, 2, NULL, 6), &low);
	KUNIT_EXPECT_PTR_EQ(test, find(&table, 3, 2, NULL, 7), &high);
	KUNIT_EXPECT_PTR_EQ(test, find(&table, 3, 2, NULL, 127), &high);
	/* The bit that says "response" is not one of the method. */
	KUNIT_EXPECT_PTR_EQ(test, find(&table, 3, 2, NULL, 0x86), &low);
	KUNIT_EXPECT_PTR_EQ(test, find(&table, 3, 1, NULL, 7), &other);
	KUNIT_EXPECT_NULL(test, find(&table, 3, 1, NULL, 8));
	KUNIT_EXPECT_NULL(test, find(&table, 3, 3, NULL, 1));
	KUNIT_EXPECT_NULL(test, find(&table, 4, 2, NULL, 1));
	KUNIT_EXPECT_NULL(test, find(&table, 0, 0, NULL, 0));
	KUNIT_EXPECT_NULL(test, find(&table, 0xff, 0xff, NULL, 0xff));

	mad_table_del(&low);
	KUNIT_EXPECT_NULL(test, find(&table, 3, 2, NULL, 6));
	KUNIT_EXPECT_EQ(test, enter(&table, &none, 3, 2, NULL, 6, 6), 0);
	KUNIT_EXPECT_PTR_EQ(test, find(&table, 3, 2, NULL, 6), &none);
}

static void oui_test(struct kunit *test)
{
	static const u8 a[] = OUI_A, b[] = OUI_B, zero[3];
	struct mad_reg first, second, third, plain;
	struct mad_table table;

	mad_table_init(&table);
	KUNIT_EXPECT_EQ(test, enter(&table, &first, 0x30, 1, a, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, enter(&table, &second, 0x30, 1, b, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, enter(&table, &third, 0x30, 1, b, 2, 3),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, enter(&table, &third, 0x4f, 1, b, 2, 3), 0);
	/* In the first range of vendor classes there is no OUI. */
	KUNIT_EXPECT_EQ(test, enter(&table, &plain, 0x09, 1, a, 1, 2), 0);

	KUNIT_EXPECT_PTR_EQ(test, find(&table, 0x30, 1, a, 1), &first);
	KUNIT_EXPECT_PTR_EQ(test, find(&table, 0x30, 1, b, 1), &second);
	KUNIT_EXPECT_NULL(test, find(&table, 0x30, 1, zero, 1));
	KUNIT_EXPECT_PTR_EQ(test, find(&table, 0x4f, 1, b, 3), &third);
	KUNIT_EXPECT_NULL(test, find(&table, 0x4f, 1, a, 3));
	KUNIT_EXPECT_PTR_EQ(test, find(&table, 0x09, 1, b, 1), &plain);
}

/* ---- what a MAD is ---------------------------------------------------------------- */

static const struct kind {
	const char *name;
	u8 base, class, method;
	u16 attr;
	u32 qp;
	size_t length;
	bool ok;
} kinds[] = {
	{ "SMP", 1, 0x01, 1, 0x11, 0, 256, true },
	{ "directed SMP", 1, 0x81, 1, 0x11, 0, 256, true },
	{ "SMP at QP1", 1, 0x01, 1, 0x11, 1, 256, false },
	{ "directed SMP at QP1", 1, 0x81, 1, 0x11, 1, 256, false },
	{ "SA", 1, 0x03, 1, 0x35, 1, 256, true },
	{ "SA at QP0", 1, 0x03, 1, 0x35, 0, 256, false },
	{ "short", 1, 0x03, 1, 0x35, 1, 255, false },
	{ "a header", 1, 0x03, 1, 0x35, 1, 24, false },
	{ "less", 1, 0x03, 1, 0x35, 1, 23, false },
	{ "nothing", 1, 0x03, 1, 0x35, 1, 0, false },
	{ "no base version", 0, 0x03, 1, 0x35, 1, 256, false },
	{ "Omni-Path, elsewhere", 0x80, 0x03, 1, 0x35, 1, 256, false },
	{ "REQ", 1, 0x07, 3, 0x10, 1, 256, true },
	{ "Get of a REQ", 1, 0x07, 1, 0x10, 1, 256, false },
	{ "CM ClassPortInfo", 1, 0x07, 1, 0x01, 1, 256, true },
};

static void valid_test(struct kunit *test)
{
	struct ib_mad mad = {};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		mad.mad_hdr.base_version = kinds[i].base;
		mad.mad_hdr.mgmt_class = kinds[i].class;
		mad.mad_hdr.method = kinds[i].method;
		mad.mad_hdr.attr_id = cpu_to_be16(kinds[i].attr);
		KUNIT_EXPECT_EQ_MSG(test,
				    mad_valid(&mad.mad_hdr, kinds[i].qp,
					      kinds[i].length, false),
				    kinds[i].ok, "%s", kinds[i].name);
	}
}

static void response_test(struct kunit *test)
{
	struct ib_mad_hdr hdr = { .mgmt_class = 3, .method = 1 };

	KUNIT_EXPECT_FALSE(test, ib_response_mad(&hdr));
	hdr.method = IB_MGMT_METHOD_GET_RESP;
	KUNIT_EXPECT_TRUE(test, ib_response_mad(&hdr));
	hdr.method = IB_MGMT_METHOD_TRAP;
	KUNIT_EXPECT_FALSE(test, ib_response_mad(&hdr));
	hdr.method = IB_MGMT_METHOD_TRAP_REPRESS;
	KUNIT_EXPECT_TRUE(test, ib_response_mad(&hdr));
	hdr.method = IB_MGMT_METHOD_SEND;
	hdr.attr_mod = IB_BM_ATTR_MOD_RESP;
	KUNIT_EXPECT_FALSE(test, ib_response_mad(&hdr));
	hdr.mgmt_class = IB_MGMT_CLASS_BM;
	KUNIT_EXPECT_TRUE(test, ib_response_mad(&hdr));
}

static void offset_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ib_get_mad_data_offset(0x03), 56);
	KUNIT_EXPECT_EQ(test, ib_get_mad_data_offset(0x06), 64);
	KUNIT_EXPECT_EQ(test, ib_get_mad_data_offset(0x10), 64);
	KUNIT_EXPECT_EQ(test, ib_get_mad_data_offset(0x12), 64);
	KUNIT_EXPECT_EQ(test, ib_get_mad_data_offset(0x2f), 24);
	KUNIT_EXPECT_EQ(test, ib_get_mad_data_offset(0x30), 40);
	KUNIT_EXPECT_EQ(test, ib_get_mad_data_offset(0x4f), 40);
	KUNIT_EXPECT_EQ(test, ib_get_mad_data_offset(0x50), 24);
	KUNIT_EXPECT_TRUE(test, ib_is_mad_class_rmpp(0x03));
	KUNIT_EXPECT_TRUE(test, ib_is_mad_class_rmpp(0x40));
	KUNIT_EXPECT_FALSE(test, ib_is_mad_class_rmpp(0x07));
	KUNIT_EXPECT_FALSE(test, ib_is_mad_class_rmpp(0x81));
}

/* Permissive LIDs: what the hardware makes of them has no meaning. */
static void directed_peer_test(struct kunit *test)
{
	struct mad_peer sent = { .directed = true };
	struct mad_peer got = { .lid = 0xffff, .path_bits = 0x7f };

	KUNIT_EXPECT_TRUE(test, mad_peer_match(&sent, false, &got, true, 3));
	KUNIT_EXPECT_FALSE(test, mad_peer_match(&sent, false, &got, false, 3));
	KUNIT_EXPECT_FALSE(test, mad_peer_match(&sent, true, &got, true, 3));
	sent.directed = false;
	KUNIT_EXPECT_FALSE(test, mad_peer_match(&sent, false, &got, true, 3));
}

static void peer_test(struct kunit *test)
{
	struct mad_peer sent = { .lid = 5, .path_bits = 3 }, got = sent;

	/* A response may come from elsewhere, but to the same address. */
	got.lid = 6;
	KUNIT_EXPECT_TRUE(test, mad_peer_match(&sent, false, &got, true, 2));
	got.path_bits = 2;
	KUNIT_EXPECT_FALSE(test, mad_peer_match(&sent, false, &got, true, 2));
	KUNIT_EXPECT_TRUE(test, mad_peer_match(&sent, false, &got, true, 0));
	/* An ACK of a response comes from where that went. */
	KUNIT_EXPECT_FALSE(test, mad_peer_match(&sent, true, &got, false, 0));
	got.lid = 5;
	KUNIT_EXPECT_TRUE(test, mad_peer_match(&sent, true, &got, false, 0));
	/* Two requests, two responses. */
	KUNIT_EXPECT_FALSE(test, mad_peer_match(&sent, true, &got, true, 0));
	KUNIT_EXPECT_FALSE(test, mad_peer_match(&sent, false, &got, false, 0));

	got.grh = true;
	KUNIT_EXPECT_FALSE(test, mad_peer_match(&sent, false, &got, true, 0));
	sent.grh = true;
	sent.own.raw[15] = 1;
	sent.far.raw[15] = 2;
	got.own = sent.own;
	KUNIT_EXPECT_TRUE(test, mad_peer_match(&sent, false, &got, true, 0));
	KUNIT_EXPECT_FALSE(test, mad_peer_match(&sent, true, &got, false, 0));
	got.far = sent.far;
	got.own.raw[0] = 9;
	KUNIT_EXPECT_TRUE(test, mad_peer_match(&sent, true, &got, false, 0));
	KUNIT_EXPECT_FALSE(test, mad_peer_match(&sent, false, &got, true, 0));
}

static int no_agents(struct ib_device *device, int flags, u32 port_num,
		     const struct ib_wc *wc, const struct ib_grh *grh,
		     const struct ib_mad *in, struct ib_mad *out,
		     size_t *out_size, u16 *pkey_index)
{
	return IB_MAD_RESULT_SUCCESS;
}

/* A port, and two agents that send by its QP0. */
struct smp_port {
	struct ib_device device;
	struct mad_port port;
	struct mad_qp q;
	struct mad_agent own, answers;
	struct mad_send send;
};

static void smp_port_init(struct smp_port *at, struct ib_smp *smp)
{
	at->device.ops.process_mad = no_agents;
	at->port.device = &at->device;
	at->port.num = 1;
	at->port.qp[0] = &at->q;
	at->q.port = &at->port;
	at->q.reply_agent = &at->answers;
	at->own.port = &at->port;
	at->own.qp = &at->q;
	at->answers.port = &at->port;
	at->answers.qp = &at->q;
	at->send.buf.mad = smp;
}

/* SMPs that end where they begin: our own stay here, answers to others do not. */
static void local_smp_test(struct kunit *test)
{
	struct smp_port *at = kunit_kzalloc(test, sizeof(*at), GFP_KERNEL);
	struct ib_smp smp = {
		.base_version = IB_MGMT_BASE_VERSION,
		.mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE,
		.dr_slid = IB_LID_PERMISSIVE,
		.dr_dlid = IB_LID_PERMISSIVE,
	};

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, at);
	smp_port_init(at, &smp);
	at->send.agent = &at->own;
	KUNIT_EXPECT_EQ(test, mad_local_check(&at->send), 0);
	KUNIT_EXPECT_TRUE(test, at->send.local);

	/* It came in without a hop to make, and now goes back. */
	at->send.agent = &at->answers;
	smp.status = IB_SMP_DIRECTION;
	smp.hop_ptr = 1;
	KUNIT_EXPECT_EQ(test, mad_local_check(&at->send), -EINVAL);
	smp.hop_cnt = 1;
	smp.hop_ptr = 2;
	smp.return_path[1] = 1;
	KUNIT_EXPECT_EQ(test, mad_local_check(&at->send), 0);
	KUNIT_EXPECT_FALSE(test, at->send.local);
}

static struct kunit_case mad_cases[] = {
	KUNIT_CASE(method_test),
	KUNIT_CASE(oui_test),
	KUNIT_CASE(valid_test),
	KUNIT_CASE(response_test),
	KUNIT_CASE(offset_test),
	KUNIT_CASE(directed_peer_test),
	KUNIT_CASE(peer_test),
	KUNIT_CASE(local_smp_test),
	{}
};

static struct kunit_suite mad_suite = {
	.name = "ofed_mad",
	.test_cases = mad_cases,
};

kunit_test_suite(mad_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit: the MAD layer without a device");
MODULE_LICENSE("GPL");

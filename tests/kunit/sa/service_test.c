// SPDX-License-Identifier: GPL-2.0
/*
 * ServiceRecord against bytes written down from IBA vol. 1 15.2.5.14, and the question for services
 * and its answers. The life of queries is played.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>
#include <rdma/ib_sa.h>

#include "core/sa/priv.h"

static const struct sa_service_rec service = {
	.id = cpu_to_be64(0x10000ce100415555ULL),
	.gid = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xc9, 3, 0, 0x1a, 0xbc, 0xd1 },
	.pkey = cpu_to_be16(0x8001),
	.lease = cpu_to_be32(IB_DEFAULT_SERVICE_LEASE),
	.key = "0123456789abcde",
	.name = "a service",
	.data_8 = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
	.data_16 = { cpu_to_be16(0x1617), 0, 0, 0, 0, 0, 0, cpu_to_be16(0x1819) },
	.data_32 = { cpu_to_be32(0x32333435), 0, 0, cpu_to_be32(0x36373839) },
	.data_64 = { cpu_to_be64(0x6465666768696a6bULL), cpu_to_be64(0x6c6d6e6f70717273ULL) },
};

static const u8 service_wire[SA_SERVICE_REC_BYTES] = {
	0x10, 0x00, 0x0c, 0xe1, 0x00, 0x41, 0x55, 0x55,
	0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x02, 0xc9, 0x03, 0x00, 0x1a, 0xbc, 0xd1,
	0x80, 0x01, 0x00, 0x00,		/* ServiceP_Key */
	0xff, 0xff, 0xff, 0xff,		/* ServiceLease */
	'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 0,
	'a', ' ', 's', 'e', 'r', 'v', 'i', 'c', 'e',
	[112] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	[128] = 0x16, 0x17, [142] = 0x18, 0x19,
	[144] = 0x32, 0x33, 0x34, 0x35, [156] = 0x36, 0x37, 0x38, 0x39,
	[160] = 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b,
	0x6c, 0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73,
};

static void pack_test(struct kunit *test)
{
	struct sa_service_rec in = service;
	u8 wire[SA_SERVICE_REC_BYTES + 1];

	memset(wire, 0xff, sizeof(wire));
	/* What is reserved is sent as zero. */
	memset(in.reserved, 0xff, sizeof(in.reserved));
	ib_sa_pack_service(&in, wire);
	KUNIT_EXPECT_EQ(test, memcmp(wire, service_wire, SA_SERVICE_REC_BYTES), 0);
	KUNIT_EXPECT_EQ(test, wire[SA_SERVICE_REC_BYTES], 0xff);
}

static void unpack_test(struct kunit *test)
{
	struct sa_service_rec out;
	u8 wire[SA_SERVICE_REC_BYTES];

	memcpy(wire, service_wire, sizeof(wire));
	wire[26] = 0xff;
	memset(&out, 0xff, sizeof(out));
	ib_sa_unpack_service(wire, &out);
	KUNIT_EXPECT_EQ(test, memcmp(&out, &service, sizeof(out)), 0);
}

/* A query, and its caller. */
static struct {
	struct sa_port port;
	bool has_sa;
	int query_ret;
	struct ib_sa_query query;
	struct sa_ask asked;
	u8 attr[IB_MGMT_SA_DATA];
	unsigned long timeout_ms;
	int called, status;
	unsigned int count;
	struct sa_service_rec last;
} seen;

struct sa_port *ofed_sa_port_get(struct ib_device *device, u32 port_num)
{
	return seen.has_sa ? &seen.port : NULL;
}

struct ib_sa_query *ofed_sa_query_new(struct sa_port *port, const struct sa_ask *ask)
{
	seen.asked = *ask;
	return seen.query_ret ? ERR_PTR(seen.query_ret) : &seen.query;
}

void *ofed_sa_query_attr(struct ib_sa_query *query)
{
	return seen.attr;
}

int ofed_sa_start_and_leave(struct sa_port *port, struct ib_sa_query *query,
			    unsigned long timeout_ms, gfp_t gfp_mask, struct ib_sa_query **handle)
{
	seen.timeout_ms = timeout_ms;
	if (IS_ERR(query))
		return PTR_ERR(query);
	*handle = query;
	return 7;
}

static void caller(int status, struct sa_service_rec *resp, unsigned int count, void *context)
{
	seen.called++;
	seen.status = status;
	seen.count = count;
	if (count)
		seen.last = resp[count - 1];
	else if (resp)
		seen.status = 1;
}

static int ask(struct kunit *test)
{
	struct sa_service_rec rec = service;
	struct ib_sa_query *handle = (void *)&seen;
	struct ib_device *device = kunit_kzalloc(test, sizeof(*device), GFP_KERNEL);
	int ret;

	if (!device)
		return -ENOMEM;
	ret = ib_sa_service_rec_get(NULL, device, 1, &rec, IB_SA_SERVICE_REC_SERVICE_NAME, 4000,
				    GFP_KERNEL, caller, NULL, &handle);
	KUNIT_EXPECT_PTR_EQ(test, handle, ret < 0 ? NULL : &seen.query);
	return ret;
}

static void question_test(struct kunit *test)
{
	memset(&seen, 0, sizeof(seen));
	KUNIT_EXPECT_EQ(test, ask(test), -ENODEV);
	seen.has_sa = true;
	seen.query_ret = -EAGAIN;
	KUNIT_EXPECT_EQ(test, ask(test), -EAGAIN);
	seen.query_ret = 0;
	KUNIT_ASSERT_EQ(test, ask(test), 7);
	KUNIT_EXPECT_EQ(test, seen.asked.method, IB_SA_METHOD_GET_TABLE);
	KUNIT_EXPECT_EQ(test, seen.asked.attr_id, 0x31);
	KUNIT_EXPECT_TRUE(test, seen.asked.comp_mask == IB_SA_SERVICE_REC_SERVICE_NAME);
	KUNIT_EXPECT_EQ(test, seen.timeout_ms, 4000);
	KUNIT_EXPECT_EQ(test, memcmp(seen.attr, service_wire, SA_SERVICE_REC_BYTES), 0);
	KUNIT_EXPECT_EQ(test, seen.called, 0);
}

/* An answer of two records, the second of which is in two segments; @length of it came. */
static void answer(struct kunit *test, size_t length)
{
	struct ib_sa_mad *mad = kunit_kzalloc(test, 2 * sizeof(*mad), GFP_KERNEL);
	struct ib_mad_recv_buf second = { .mad = (struct ib_mad *)&mad[1] };
	struct ib_mad_recv_wc wc = {
		.recv_buf.mad = (struct ib_mad *)&mad[0],
		.mad_len = IB_MGMT_SA_HDR + length,
		.mad_seg_size = IB_MGMT_MAD_SIZE,
	};

	KUNIT_ASSERT_NOT_NULL(test, mad);
	INIT_LIST_HEAD(&wc.rmpp_list);
	list_add_tail(&wc.recv_buf.list, &wc.rmpp_list);
	list_add_tail(&second.list, &wc.rmpp_list);
	mad[0].sa_hdr.attr_offset = cpu_to_be16(SA_SERVICE_REC_BYTES / 8);
	memcpy(mad[0].data + SA_SERVICE_REC_BYTES, service_wire, 24);
	memcpy(mad[1].data, service_wire + 24, SA_SERVICE_REC_BYTES - 24);
	seen.query.answer = &wc;
	seen.query.deliver(&seen.query, 0, mad[0].data);
	seen.query.answer = NULL;
}

static void answer_test(struct kunit *test)
{
	memset(&seen, 0, sizeof(seen));
	seen.has_sa = true;
	KUNIT_ASSERT_EQ(test, ask(test), 7);

	answer(test, 2 * SA_SERVICE_REC_BYTES);
	KUNIT_EXPECT_EQ(test, seen.status, 0);
	KUNIT_EXPECT_EQ(test, seen.count, 2);
	KUNIT_EXPECT_EQ(test, memcmp(&seen.last, &service, sizeof(service)), 0);
	answer(test, 0);
	KUNIT_EXPECT_EQ(test, seen.status, -ENODATA);
	KUNIT_EXPECT_EQ(test, seen.count, 0);
	answer(test, SA_SERVICE_REC_BYTES - 1);
	KUNIT_EXPECT_EQ(test, seen.status, -EINVAL);
	seen.query.deliver(&seen.query, -ETIMEDOUT, NULL);
	KUNIT_EXPECT_EQ(test, seen.status, -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, seen.count, 0);
	KUNIT_EXPECT_EQ(test, seen.called, 4);
}

static struct kunit_case service_cases[] = {
	KUNIT_CASE(pack_test),
	KUNIT_CASE(unpack_test),
	KUNIT_CASE(question_test),
	KUNIT_CASE(answer_test),
	{}
};

static struct kunit_suite service_suite = {
	.name = "ofed_sa_service",
	.test_cases = service_cases,
};

kunit_test_suite(service_suite);

MODULE_DESCRIPTION("KUnit: service records of the SA");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/* ServiceRecord against bytes written down from IBA vol. 1 15.2.5.14; for kernels with its struct. */
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

static struct kunit_case service_cases[] = {
	KUNIT_CASE(pack_test),
	KUNIT_CASE(unpack_test),
	{}
};

static struct kunit_suite service_suite = {
	.name = "ofed_sa_service",
	.test_cases = service_cases,
};

kunit_test_suite(service_suite);

MODULE_DESCRIPTION("KUnit: service records of the SA");
MODULE_LICENSE("GPL");

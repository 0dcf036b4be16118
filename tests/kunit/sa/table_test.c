// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of the SA: records of 176 bytes in segments with 200 bytes of data, so that most of
 * them lie in two segments. Byte n of record r is 16 * r + n.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>

#include "core/sa/table.h"

#define BYTES		176
#define DATA		(IB_MGMT_MAD_SIZE - IB_MGMT_SA_HDR)
#define SEGMENTS	4

struct fixture {
	struct ib_mad_recv_wc wc;
	struct ib_mad_recv_buf more[SEGMENTS - 1];
	struct ib_sa_mad mad[SEGMENTS];
	struct sa_table table;
	u8 record[BYTES + 1];
};

static u8 byte_of(unsigned int record, size_t n)
{
	return 16 * record + n;
}

/* A transfer of @count records, @stride from each other, that announces @offset. */
static void fill(struct fixture *f, unsigned int count, size_t stride, u16 offset)
{
	size_t at, n;
	unsigned int r;
	int i;

	memset(f, 0xee, sizeof(*f));
	memset(&f->wc, 0, sizeof(f->wc));
	INIT_LIST_HEAD(&f->wc.rmpp_list);
	f->wc.recv_buf.mad = (struct ib_mad *)&f->mad[0];
	list_add_tail(&f->wc.recv_buf.list, &f->wc.rmpp_list);
	for (i = 1; i < SEGMENTS; i++) {
		f->more[i - 1].mad = (struct ib_mad *)&f->mad[i];
		list_add_tail(&f->more[i - 1].list, &f->wc.rmpp_list);
	}
	f->mad[0].sa_hdr.attr_offset = cpu_to_be16(offset);
	f->wc.mad_seg_size = IB_MGMT_MAD_SIZE;
	f->wc.mad_len = IB_MGMT_SA_HDR + count * stride;
	for (r = 0; r < count; r++)
		for (n = 0; n < BYTES; n++) {
			at = r * stride + n;
			f->mad[at / DATA].data[at % DATA] = byte_of(r, n);
		}
}

static void expect_record(struct kunit *test, struct fixture *f, unsigned int r)
{
	size_t n;

	f->record[BYTES] = 0xaa;
	ofed_sa_table_next(&f->table, f->record);
	for (n = 0; n < BYTES; n++)
		if (f->record[n] != byte_of(r, n)) {
			KUNIT_FAIL(test, "record %u, byte %zu: %02x", r, n, f->record[n]);
			return;
		}
	KUNIT_EXPECT_EQ(test, f->record[BYTES], 0xaa);
}

static void expect_table(struct kunit *test, struct fixture *f, unsigned int count)
{
	unsigned int r;

	KUNIT_ASSERT_EQ(test, ofed_sa_table_open(&f->table, &f->wc, BYTES), 0);
	KUNIT_ASSERT_EQ(test, f->table.count, count);
	for (r = 0; r < count; r++)
		expect_record(test, f, r);
}

static void whole_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int count;

	for (count = 0; count <= SEGMENTS; count++) {
		fill(f, count, BYTES, BYTES / 8);
		expect_table(test, f, count);
	}
	/* What the SA leaves between the records, and in the place of one behind the last. */
	fill(f, 4, 192, 192 / 8);
	expect_table(test, f, 4);
	fill(f, 2, 232, 232 / 8);
	f->wc.mad_len -= 232 - BYTES;
	expect_table(test, f, 2);
	/* As far apart as segments, and farther. */
	fill(f, 4, DATA, DATA / 8);
	expect_table(test, f, 4);
	fill(f, 2, 3 * DATA, 3 * DATA / 8);
	f->wc.mad_len = IB_MGMT_SA_HDR + SEGMENTS * DATA;
	expect_table(test, f, 2);
}

/* A MAD that is no RMPP transfer has one record, and what follows it. */
static void single_test(struct kunit *test)
{
	struct fixture *f = test->priv;

	fill(f, 1, BYTES, 0);
	f->wc.mad_len = IB_MGMT_MAD_SIZE;
	expect_table(test, f, 1);
	fill(f, 1, BYTES, BYTES / 8);
	f->wc.mad_len = IB_MGMT_MAD_SIZE;
	expect_table(test, f, 1);
}

static int open(struct fixture *f)
{
	return ofed_sa_table_open(&f->table, &f->wc, BYTES);
}

static void malformed_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u8 zeroes[BYTES] = {};

	fill(f, 2, BYTES, BYTES / 8 - 1);
	KUNIT_EXPECT_EQ(test, open(f), -EINVAL);
	fill(f, 1, BYTES, BYTES / 8);
	f->wc.mad_len--;
	KUNIT_EXPECT_EQ(test, open(f), -EINVAL);
	f->wc.mad_len = IB_MGMT_SA_HDR - 1;
	KUNIT_EXPECT_EQ(test, open(f), -EINVAL);
	f->wc.mad_len = IB_MGMT_SA_HDR;
	f->wc.mad_seg_size = IB_MGMT_SA_HDR;
	KUNIT_EXPECT_EQ(test, open(f), -EINVAL);

	/* More records than there are segments for. */
	fill(f, SEGMENTS, BYTES, BYTES / 8);
	f->wc.mad_len += BYTES;
	KUNIT_ASSERT_EQ(test, open(f), 0);
	KUNIT_EXPECT_EQ(test, f->table.count, SEGMENTS + 1);
	for (f->table.count = 0; f->table.count < SEGMENTS; f->table.count++)
		expect_record(test, f, f->table.count);
	ofed_sa_table_next(&f->table, f->record);
	KUNIT_EXPECT_PTR_EQ(test, f->table.segment, NULL);
	ofed_sa_table_next(&f->table, f->record);
	KUNIT_EXPECT_EQ(test, memcmp(f->record, zeroes, BYTES), 0);
}

static int begin(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct fixture), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(whole_test),
	KUNIT_CASE(single_test),
	KUNIT_CASE(malformed_test),
	{}
};

static struct kunit_suite table_suite = {
	.name = "ofed_sa_table",
	.init = begin,
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);

MODULE_DESCRIPTION("KUnit: tables of the SA");
MODULE_LICENSE("GPL");

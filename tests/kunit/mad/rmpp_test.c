// SPDX-License-Identifier: GPL-2.0
/* RMPP transfers, without a device: both ends, and what is lost between them. */
#include <kunit/test.h>
#include <linux/module.h>

#include "core/mad/rmpp.h"

#define SEGMENT	IB_MGMT_RMPP_DATA
/* Of the SA class, behind the RMPP header. */
#define CLASS_BYTES	(IB_MGMT_SA_HDR - IB_MGMT_RMPP_HDR)
#define DATA	(SEGMENT - CLASS_BYTES)
#define STEP	8

static struct ib_mad_recv_buf *new_segment(struct kunit *test, u32 number,
					   u8 flags, u32 length)
{
	struct ib_mad_recv_buf *buf;
	struct ib_rmpp_mad *mad;

	buf = kunit_kzalloc(test, sizeof(*buf), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
	mad = kunit_kzalloc(test, sizeof(*mad), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mad);
	mad->rmpp_hdr.rmpp_version = IB_MGMT_RMPP_VERSION;
	mad->rmpp_hdr.rmpp_type = IB_MGMT_RMPP_TYPE_DATA;
	mad->rmpp_hdr.rmpp_rtime_flags = flags | IB_MGMT_RMPP_FLAG_ACTIVE;
	mad->rmpp_hdr.seg_num = cpu_to_be32(number);
	mad->rmpp_hdr.paylen_newwin = cpu_to_be32(length);
	buf->mad = (struct ib_mad *)mad;
	INIT_LIST_HEAD(&buf->list);
	return buf;
}

/* Segment @number of @segments, the last of which is @last bytes long. */
static enum rmpp_verdict add(struct kunit *test, struct rmpp_in *in,
			     u32 number, u32 segments, u32 last, u8 *status)
{
	u8 flags = 0;
	u32 length = 0;

	if (number == 1) {
		flags |= IB_MGMT_RMPP_FLAG_FIRST;
		length = (segments - 1) * SEGMENT + last;
	}
	if (number == segments) {
		flags |= IB_MGMT_RMPP_FLAG_LAST;
		length = last;
	}
	return rmpp_in_add(in, new_segment(test, number, flags, length), CLASS_BYTES,
			   SEGMENT, status);
}

static u32 count(const struct rmpp_in *in)
{
	struct list_head *at;
	u32 num = 0;

	list_for_each(at, &in->segments)
		num++;
	return num;
}

static bool in_order(const struct rmpp_in *in)
{
	struct ib_mad_recv_buf *buf;
	u32 want = 1;

	list_for_each_entry(buf, &in->segments, list)
		if (((struct ib_rmpp_mad *)buf->mad)->rmpp_hdr.seg_num !=
		    cpu_to_be32(want++))
			return false;
	return true;
}

static void single_test(struct kunit *test)
{
	struct rmpp_in in;
	u8 status;

	rmpp_in_init(&in, STEP, 100);
	KUNIT_EXPECT_EQ(test, add(test, &in, 1, 1, CLASS_BYTES + 7, &status),
			RMPP_COMPLETE);
	KUNIT_EXPECT_EQ(test, in.got, 1);
	KUNIT_EXPECT_EQ(test, rmpp_in_length(&in, IB_MGMT_SA_HDR, SEGMENT),
			IB_MGMT_SA_HDR + 7);
	/* Its ACK was lost. */
	KUNIT_EXPECT_EQ(test, add(test, &in, 1, 1, CLASS_BYTES + 7, &status),
			RMPP_DROP_ACK);
	KUNIT_EXPECT_EQ(test, add(test, &in, 2, 2, CLASS_BYTES, &status), RMPP_DROP);
}

static void empty_test(struct kunit *test)
{
	struct rmpp_in in;
	u8 status;

	rmpp_in_init(&in, STEP, 100);
	KUNIT_EXPECT_EQ(test, add(test, &in, 1, 1, CLASS_BYTES, &status),
			RMPP_COMPLETE);
	KUNIT_EXPECT_EQ(test, rmpp_in_length(&in, IB_MGMT_SA_HDR, SEGMENT),
			IB_MGMT_SA_HDR);
}

static void window_test(struct kunit *test)
{
	struct rmpp_in in;
	u8 status;
	u32 i;

	rmpp_in_init(&in, STEP, 100);
	/* The first window is one. */
	KUNIT_EXPECT_EQ(test, add(test, &in, 2, 20, SEGMENT, &status),
			RMPP_DROP);
	KUNIT_EXPECT_EQ(test, add(test, &in, 1, 20, SEGMENT, &status),
			RMPP_KEEP_ACK);
	KUNIT_EXPECT_EQ(test, in.window, 1 + STEP);
	for (i = 2; i < 1 + STEP; i++)
		KUNIT_EXPECT_EQ(test, add(test, &in, i, 20, SEGMENT, &status),
				RMPP_KEEP);
	KUNIT_EXPECT_EQ(test, add(test, &in, 2 + STEP, 20, SEGMENT, &status),
			RMPP_DROP);
	KUNIT_EXPECT_EQ(test, add(test, &in, 1 + STEP, 20, SEGMENT, &status),
			RMPP_KEEP_ACK);
	KUNIT_EXPECT_EQ(test, in.window, 1 + 2 * STEP);
	KUNIT_EXPECT_EQ(test, in.got, 1 + STEP);
}

static void reorder_test(struct kunit *test)
{
	static const u32 order[] = { 1, 5, 3, 6, 2, 4 };
	struct rmpp_in in;
	u8 status;
	size_t i;

	rmpp_in_init(&in, STEP, 100);
	for (i = 0; i < ARRAY_SIZE(order) - 1; i++)
		KUNIT_EXPECT_NE(test, add(test, &in, order[i], 6, CLASS_BYTES + 11,
					  &status), RMPP_COMPLETE);
	KUNIT_EXPECT_EQ(test, in.got, 3);
	/* Twice, while there is a gap. */
	KUNIT_EXPECT_EQ(test, add(test, &in, 5, 6, CLASS_BYTES + 11, &status),
			RMPP_DROP);
	KUNIT_EXPECT_EQ(test, add(test, &in, 2, 6, CLASS_BYTES + 11, &status),
			RMPP_DROP_ACK);
	KUNIT_EXPECT_EQ(test, add(test, &in, 4, 6, CLASS_BYTES + 11, &status),
			RMPP_COMPLETE);
	KUNIT_EXPECT_EQ(test, count(&in), 6);
	KUNIT_EXPECT_TRUE(test, in_order(&in));
	KUNIT_EXPECT_EQ(test, rmpp_in_length(&in, IB_MGMT_SA_HDR, SEGMENT),
			IB_MGMT_SA_HDR + 5 * DATA + 11);
}

/* What is wrong with a second segment of a transfer that may have 50. */
static const struct bad_segment {
	const char *name;
	u32 number;
	u8 flags;
	u32 length;
	u8 status;
} bad_segments[] = {
	{ "number 0", 0, 0, 0, IB_MGMT_RMPP_STATUS_BAD_SEG },
	{ "a second first", 2, IB_MGMT_RMPP_FLAG_FIRST, SEGMENT,
	  IB_MGMT_RMPP_STATUS_BAD_SEG },
	{ "1 that is not first", 1, 0, 0, IB_MGMT_RMPP_STATUS_BAD_SEG },
	{ "too many", 51, 0, 0, IB_MGMT_RMPP_STATUS_UNSPEC },
	{ "highest number", U32_MAX, 0, 0, IB_MGMT_RMPP_STATUS_UNSPEC },
	{ "last without class header", 2, IB_MGMT_RMPP_FLAG_LAST, CLASS_BYTES - 1,
	  IB_MGMT_RMPP_STATUS_BAD_LEN },
	{ "last of no length", 2, IB_MGMT_RMPP_FLAG_LAST, 0,
	  IB_MGMT_RMPP_STATUS_BAD_LEN },
	{ "last too long", 2, IB_MGMT_RMPP_FLAG_LAST, SEGMENT + 1,
	  IB_MGMT_RMPP_STATUS_BAD_LEN },
	{ "last of all lengths", 2, IB_MGMT_RMPP_FLAG_LAST, U32_MAX,
	  IB_MGMT_RMPP_STATUS_BAD_LEN },
	{ "last in front of another", 3, IB_MGMT_RMPP_FLAG_LAST, SEGMENT,
	  IB_MGMT_RMPP_STATUS_BAD_SEG },
};

static void bad_segment_test(struct kunit *test)
{
	const struct bad_segment *bad;
	struct rmpp_in in;
	u8 status;

	for (bad = bad_segments;
	     bad < bad_segments + ARRAY_SIZE(bad_segments); bad++) {
		rmpp_in_init(&in, STEP, 50);
		add(test, &in, 1, 50, SEGMENT, &status);
		add(test, &in, 4, 50, SEGMENT, &status);
		KUNIT_EXPECT_EQ_MSG(test,
				    rmpp_in_add(&in,
						new_segment(test, bad->number,
							    bad->flags,
							    bad->length),
						CLASS_BYTES, SEGMENT, &status),
				    RMPP_ABORT, "%s", bad->name);
		KUNIT_EXPECT_EQ_MSG(test, status, bad->status, "%s",
				    bad->name);
		KUNIT_EXPECT_EQ_MSG(test, count(&in), 2, "%s", bad->name);
	}
}

static void second_end_test(struct kunit *test)
{
	struct rmpp_in in;
	u8 status = 0;

	rmpp_in_init(&in, STEP, 100);
	add(test, &in, 1, 5, SEGMENT, &status);
	KUNIT_EXPECT_EQ(test, add(test, &in, 5, 5, SEGMENT, &status),
			RMPP_KEEP);
	KUNIT_EXPECT_EQ(test, add(test, &in, 6, 9, SEGMENT, &status),
			RMPP_ABORT);
	KUNIT_EXPECT_EQ(test, status, IB_MGMT_RMPP_STATUS_BAD_SEG);
	KUNIT_EXPECT_EQ(test, add(test, &in, 3, 3, SEGMENT, &status),
			RMPP_ABORT);
	/* The same segment, but not the end any more. */
	KUNIT_EXPECT_EQ(test, add(test, &in, 5, 9, SEGMENT, &status),
			RMPP_ABORT);
	KUNIT_EXPECT_EQ(test, count(&in), 2);
}

static void header_check_test(struct kunit *test)
{
	struct ib_rmpp_hdr hdr = {
		.rmpp_version = IB_MGMT_RMPP_VERSION,
		.rmpp_type = IB_MGMT_RMPP_TYPE_DATA,
	};

	KUNIT_EXPECT_EQ(test, rmpp_check(&hdr, IB_MGMT_RMPP_VERSION), 0);
	KUNIT_EXPECT_EQ(test, rmpp_check(&hdr, 2), IB_MGMT_RMPP_STATUS_UNV);
	hdr.rmpp_status = IB_MGMT_RMPP_STATUS_RESX;
	KUNIT_EXPECT_EQ(test, rmpp_check(&hdr, 1),
			IB_MGMT_RMPP_STATUS_BAD_STATUS);
	hdr.rmpp_type = IB_MGMT_RMPP_TYPE_STOP;
	KUNIT_EXPECT_EQ(test, rmpp_check(&hdr, 1), 0);
	hdr.rmpp_type = IB_MGMT_RMPP_TYPE_ABORT;
	KUNIT_EXPECT_EQ(test, rmpp_check(&hdr, 1),
			IB_MGMT_RMPP_STATUS_BAD_STATUS);
	hdr.rmpp_status = IB_MGMT_RMPP_STATUS_T2L;
	KUNIT_EXPECT_EQ(test, rmpp_check(&hdr, 1), 0);
	hdr.rmpp_status = IB_MGMT_RMPP_STATUS_ABORT_MAX + 1;
	KUNIT_EXPECT_EQ(test, rmpp_check(&hdr, 1),
			IB_MGMT_RMPP_STATUS_BAD_STATUS);
	hdr.rmpp_type = 0;
	KUNIT_EXPECT_EQ(test, rmpp_check(&hdr, 1), IB_MGMT_RMPP_STATUS_BADT);
	hdr.rmpp_type = 5;
	KUNIT_EXPECT_EQ(test, rmpp_check(&hdr, 1), IB_MGMT_RMPP_STATUS_BADT);
}

static void send_window_test(struct kunit *test)
{
	struct rmpp_out out;
	u8 status;

	rmpp_out_init(&out, 5);
	KUNIT_EXPECT_EQ(test, rmpp_out_next(&out), 1);
	rmpp_out_sent(&out);
	KUNIT_EXPECT_EQ(test, rmpp_out_next(&out), 0);
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 1, 3, &status),
			RMPP_PROGRESS);
	KUNIT_EXPECT_EQ(test, rmpp_out_next(&out), 2);
	rmpp_out_sent(&out);
	rmpp_out_sent(&out);
	KUNIT_EXPECT_EQ(test, rmpp_out_next(&out), 0);
	/* No ACK: from the first that has none. */
	rmpp_out_rewind(&out);
	KUNIT_EXPECT_EQ(test, rmpp_out_next(&out), 2);
	rmpp_out_sent(&out);
	/* It comes late, and covers what was to be sent again. */
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 3, 100, &status),
			RMPP_PROGRESS);
	KUNIT_EXPECT_EQ(test, rmpp_out_next(&out), 4);
	rmpp_out_sent(&out);
	rmpp_out_sent(&out);
	KUNIT_EXPECT_EQ(test, rmpp_out_next(&out), 0);
	KUNIT_EXPECT_FALSE(test, rmpp_out_done(&out));
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 5, 100, &status),
			RMPP_ALL_ACKED);
	KUNIT_EXPECT_TRUE(test, rmpp_out_done(&out));
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 5, 100, &status), RMPP_OLD);
}

static void ack_test(struct kunit *test)
{
	struct rmpp_out out;
	u8 status = 0;

	rmpp_out_init(&out, 9);
	rmpp_out_sent(&out);
	rmpp_out_ack(&out, 1, 5, &status);
	rmpp_out_sent(&out);
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 1, 5, &status), RMPP_OLD);
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 0, 5, &status), RMPP_OLD);
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 2, 4, &status), RMPP_OLD);
	/* More room without news is news, too. */
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 1, 6, &status),
			RMPP_PROGRESS);
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 3, 9, &status), RMPP_REFUSED);
	KUNIT_EXPECT_EQ(test, status, IB_MGMT_RMPP_STATUS_S2B);
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, U32_MAX, U32_MAX, &status),
			RMPP_REFUSED);
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 2, 1, &status), RMPP_REFUSED);
	KUNIT_EXPECT_EQ(test, status, IB_MGMT_RMPP_STATUS_W2S);
	KUNIT_EXPECT_EQ(test, rmpp_out_ack(&out, 2, U32_MAX, &status),
			RMPP_PROGRESS);
	KUNIT_EXPECT_EQ(test, rmpp_out_next(&out), 3);
}

static void out_header_test(struct kunit *test)
{
	struct ib_rmpp_hdr hdr = {};

	ib_set_rmpp_resptime(&hdr, IB_MGMT_RMPP_NO_RESPTIME);
	rmpp_out_header(&hdr, 1, 3, SEGMENT, 50);
	KUNIT_EXPECT_EQ(test, ib_get_rmpp_flags(&hdr),
			IB_MGMT_RMPP_FLAG_ACTIVE | IB_MGMT_RMPP_FLAG_FIRST);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.paylen_newwin),
			3 * SEGMENT - 50);
	rmpp_out_header(&hdr, 2, 3, SEGMENT, 50);
	KUNIT_EXPECT_EQ(test, ib_get_rmpp_flags(&hdr),
			IB_MGMT_RMPP_FLAG_ACTIVE);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.paylen_newwin), 0);
	rmpp_out_header(&hdr, 3, 3, SEGMENT, 50);
	KUNIT_EXPECT_EQ(test, ib_get_rmpp_flags(&hdr),
			IB_MGMT_RMPP_FLAG_ACTIVE | IB_MGMT_RMPP_FLAG_LAST);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.paylen_newwin), SEGMENT - 50);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.seg_num), 3);
	KUNIT_EXPECT_EQ(test, ib_get_rmpp_resptime(&hdr),
			IB_MGMT_RMPP_NO_RESPTIME);
	rmpp_out_header(&hdr, 1, 1, SEGMENT, 50);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.paylen_newwin), SEGMENT - 50);
}

/* The two ends, and a network between them that loses, doubles and reorders. */
#define TRANSFER 300
#define SEEDS	40

static u32 next_random(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

struct network {
	struct rmpp_out out;
	struct rmpp_in in;
	u32 state;
	u32 late;		/* a segment that is held back; 0: none */
	u32 ack, window;	/* of an ACK that is on its way */
	bool acking;
	bool complete;
};

static void arrive(struct kunit *test, struct network *net, u32 number)
{
	u8 status;

	switch (add(test, &net->in, number, TRANSFER, CLASS_BYTES + 3, &status)) {
	case RMPP_COMPLETE:
		KUNIT_EXPECT_FALSE(test, net->complete);
		net->complete = true;
		fallthrough;
	case RMPP_KEEP_ACK:
	case RMPP_DROP_ACK:
		net->ack = net->in.got;
		net->window = net->in.window;
		net->acking = next_random(&net->state) % 8 != 0;
		break;
	case RMPP_ABORT:
		KUNIT_FAIL(test, "aborted with %u at %u", status, number);
		break;
	case RMPP_KEEP:
	case RMPP_DROP:
		break;
	}
}

static void transmit(struct kunit *test, struct network *net, u32 number)
{
	u32 held;

	switch (next_random(&net->state) % 8) {
	case 0:
		return;
	case 1:
		arrive(test, net, number);
		break;
	case 2:
		swap(net->late, number);
		if (!number)
			return;
		break;
	}
	arrive(test, net, number);
	held = net->late;
	net->late = 0;
	if (held)
		arrive(test, net, held);
}

static bool transfer(struct kunit *test, u32 seed)
{
	struct network net = { .state = seed };
	u32 turns, number;
	u8 status;

	rmpp_out_init(&net.out, TRANSFER);
	rmpp_in_init(&net.in, STEP, TRANSFER);
	for (turns = 0; turns < 20 * TRANSFER; turns++) {
		if (net.acking) {
			net.acking = false;
			if (rmpp_out_ack(&net.out, net.ack, net.window,
					 &status) == RMPP_REFUSED)
				return false;
			if (rmpp_out_done(&net.out))
				return net.complete && in_order(&net.in) &&
				       count(&net.in) == TRANSFER;
		}
		number = rmpp_out_next(&net.out);
		if (!number) {
			rmpp_out_rewind(&net.out);
			continue;
		}
		rmpp_out_sent(&net.out);
		transmit(test, &net, number);
	}
	return false;
}

static void lossy_test(struct kunit *test)
{
	u32 seed;

	for (seed = 1; seed <= SEEDS; seed++)
		KUNIT_EXPECT_TRUE_MSG(test, transfer(test, seed), "seed %u",
				      seed);
}

/* Bytes of a stranger in every place that is looked at. */
static void garbage_test(struct kunit *test)
{
	struct ib_mad_recv_buf *buf;
	struct ib_rmpp_hdr *hdr;
	struct rmpp_in in;
	u32 state = 4711, i;
	u8 status;

	rmpp_in_init(&in, STEP, 64);
	for (i = 0; i < 20000; i++) {
		buf = new_segment(test, next_random(&state) % 70,
				  next_random(&state) % 8,
				  next_random(&state) % 256);
		hdr = &((struct ib_rmpp_mad *)buf->mad)->rmpp_hdr;
		if (next_random(&state) % 16 == 0)
			hdr->seg_num = cpu_to_be32(next_random(&state) << 16);
		if (rmpp_in_add(&in, buf, CLASS_BYTES, SEGMENT, &status) ==
		    RMPP_COMPLETE) {
			KUNIT_EXPECT_TRUE(test, in_order(&in));
			KUNIT_EXPECT_EQ(test, count(&in), in.got);
			rmpp_in_init(&in, STEP, 64);
		}
		KUNIT_EXPECT_LE(test, count(&in), 64);
		KUNIT_EXPECT_LE(test, in.got, in.window);
	}
}

static struct kunit_case rmpp_cases[] = {
	KUNIT_CASE(single_test),
	KUNIT_CASE(empty_test),
	KUNIT_CASE(window_test),
	KUNIT_CASE(reorder_test),
	KUNIT_CASE(bad_segment_test),
	KUNIT_CASE(second_end_test),
	KUNIT_CASE(header_check_test),
	KUNIT_CASE(send_window_test),
	KUNIT_CASE(ack_test),
	KUNIT_CASE(out_header_test),
	KUNIT_CASE(lossy_test),
	KUNIT_CASE(garbage_test),
	{}
};

static struct kunit_suite rmpp_suite = {
	.name = "ofed_rmpp",
	.test_cases = rmpp_cases,
};

kunit_test_suite(rmpp_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit: RMPP transfers");
MODULE_LICENSE("GPL");

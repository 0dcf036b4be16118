// SPDX-License-Identifier: GPL-2.0
/* ofed_iwarp: FPDUs that are handed over to an end of the same host, without a socket. */
#include <kunit/test.h>
#include <linux/module.h>

#include "hw/iwarp/crc.h"
#include "hw/iwarp/qp.h"
#include "hw/iwarp/rx.h"
#include "sender.h"

/* An end that gets them. */
struct hearer {
	struct iw_rx rx;
	struct soft_mem mem;
	struct ib_sge nowhere;
	bool no_memory;
	u8 header[sizeof(struct iw_tagged)];
	u8 bytes[8];
	u32 have;
	u32 fpdus;
	enum soft_access_err fault;
};

static void hear(struct iw_rx *rx, const struct iw_fpdu *view)
{
	struct hearer *h = container_of(rx, struct hearer, rx);
	u32 payload = view->ulpdu + IW_MPA_LENGTH_BYTES - sizeof(h->header);
	struct soft_iter to;
	u8 beyond;

	iw_view_read(view, 0, h->header, sizeof(h->header));
	/* Payload is for iw_view_place() alone. */
	if (iw_view_read(view, sizeof(h->header), &beyond, 1))
		h->fault = SOFT_ERR_PERM;
	if (h->no_memory)
		soft_iter_list(&to, &h->mem, NULL, &h->nowhere, 1, 0);
	else
		soft_iter_bytes(&to, h->bytes + h->have, sizeof(h->bytes) - h->have);
	h->fault = h->fault ?: iw_view_place(view, sizeof(h->header), payload, &to);
	h->have += payload;
	h->fpdus++;
}

static struct hearer *new_hearer(struct kunit *test, struct sender *s)
{
	struct hearer *h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, h);
	soft_mem_init(&h->mem);
	h->nowhere = (struct ib_sge){ .length = 8, .lkey = 0x100 };
	h->rx.fpdu = hear;
	iw_rx_begin(&h->rx, true);
	s->qp.tx.near = &h->rx;
	s->qp.tx.max_ulpdu = sizeof(struct iw_tagged) - IW_MPA_LENGTH_BYTES + 4;
	s->qp.tx.length = 7;
	s->qp.tx.hdr = (struct iw_tx_hdr){
		.rdmap = IW_RDMAP_WRITE, .tagged = true, .stag = 0x11223344,
		.to = 0x0102030405060708,
	};
	return h;
}

static void near_test(struct kunit *test)
{
	static const u8 second[] = {
		0x00, 0x11, 0xc1, 0x40, 0x11, 0x22, 0x33, 0x44, 0x01, 0x02,
		0x03, 0x04, 0x05, 0x06, 0x07, 0x0c,
	};
	struct sender *s = new_sender(test);
	struct hearer *h = new_hearer(test, s);
	u8 text[] = "payload";

	soft_iter_bytes(&s->qp.tx.from, text, 7);
	KUNIT_EXPECT_EQ(test, iw_loopback_send_fpdu(&s->qp), 0);
	KUNIT_EXPECT_EQ(test, s->qp.tx.offset, 4);
	KUNIT_EXPECT_EQ(test, iw_loopback_send_fpdu(&s->qp), 0);
	KUNIT_EXPECT_EQ(test, s->qp.tx.offset, 7);
	KUNIT_EXPECT_EQ(test, h->fpdus, 2);
	KUNIT_EXPECT_EQ(test, h->fault, SOFT_OK);
	EXPECT_BYTES(test, h->header, second);
	KUNIT_EXPECT_EQ(test, memcmp(h->bytes, text, 7), 0);
	/* Counted as if they had come by TCP: 16 and 4, 16 and 3 and padding, CRCs. */
	KUNIT_EXPECT_EQ(test, h->rx.bytes, 48);
	KUNIT_EXPECT_EQ(test, s->qp.tx.near_bytes, 48);
	end_sender(s);
}

/* Which end is at fault when bytes cannot be copied? */
static void near_fault_test(struct kunit *test)
{
	struct sender *s = new_sender(test);
	struct hearer *h = new_hearer(test, s);
	u8 text[] = "payload";

	/* The other end: the message goes on, and it ends the stream. */
	h->no_memory = true;
	soft_iter_bytes(&s->qp.tx.from, text, 7);
	KUNIT_EXPECT_EQ(test, iw_loopback_send_fpdu(&s->qp), 0);
	KUNIT_EXPECT_EQ(test, h->fault, SOFT_ERR_KEY);
	KUNIT_EXPECT_EQ(test, s->qp.tx.from.left, 3);
	/* An end that has ended it hears nothing. */
	h->rx.stopped = true;
	KUNIT_EXPECT_EQ(test, iw_loopback_send_fpdu(&s->qp), 0);
	KUNIT_EXPECT_EQ(test, h->fpdus, 1);
	KUNIT_EXPECT_EQ(test, s->qp.tx.from.left, 0);
	/* This end. */
	h->rx.stopped = false;
	h->no_memory = false;
	h->have = 0;
	h->fault = SOFT_OK;
	s->qp.tx.offset = 0;
	soft_iter_list(&s->qp.tx.from, &h->mem, NULL, &h->nowhere, 1, 0);
	KUNIT_EXPECT_EQ(test, iw_loopback_send_fpdu(&s->qp), -EFAULT);
	KUNIT_EXPECT_EQ(test, s->qp.tx.offset, 0);
	end_sender(s);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(near_test),
	KUNIT_CASE(near_fault_test),
	{}
};

static struct kunit_suite suite = {
	.name = "iw_near",
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of FPDUs that are handed over");
MODULE_LICENSE("GPL");

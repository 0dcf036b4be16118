// SPDX-License-Identifier: GPL-2.0
/*
 * The MAD layer when its device fails it, is slow, or goes; and ports of other
 * kinds. Each case has devices of its own, and replaces their operations.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/string.h>
#include <rdma/ib_sa.h>

#include "link.h"

#define client mad_link_client

/* Of questions that wait for a device that is slow. */
#define QUESTIONS	25
/* Of an Omni-Path question and its answer, on the wire. */
#define OPA_ASKED	64
#define OPA_ANSWERED	512
/* Of the answer; the question has 0. */
#define OPA_PKEY_INDEX	3

/**
 * struct hooks - what the operations that replace a device's have seen
 * @device: the operations are of it; NULL when there is none
 * @real: its own
 * @called: once for each call
 * @held: sends that were not given to the device
 * @cqe: of the last of them
 * @addresses: handles that were asked for
 * @refuse: Reset fails
 * @destroyed: a QP is gone
 * @late: MADs that named it afterwards
 * @padded: all MADs had zeros behind what came
 * @pkey_index: that the last MAD was to be sent with
 */
static struct hooks {
	struct ib_device *device;
	struct ib_device_ops real;
	struct completion called;
	atomic_t held;
	struct ib_cqe *cqe;
	atomic_t addresses;
	bool refuse;
	bool destroyed;
	atomic_t late;
	bool padded;
	u16 pkey_index;
} hooks;

static bool opened;

static void open_link(struct kunit *test, u32 caps, int which)
{
	KUNIT_ASSERT_EQ(test, mad_link_open(caps), 0);
	opened = true;
	hooks.device = fake_ib(which);
	hooks.real = hooks.device->ops;
}

static void close_link(void)
{
	mad_link_close();
	opened = false;
	hooks.device = NULL;
}

static int hooks_init(struct kunit *test)
{
	memset(&hooks, 0, sizeof(hooks));
	init_completion(&hooks.called);
	return 0;
}

static void hooks_exit(struct kunit *test)
{
	if (hooks.device)
		hooks.device->ops = hooks.real;
	if (opened)
		close_link();
}

static void wait_called(struct kunit *test)
{
	KUNIT_ASSERT_NE(test,
			wait_for_completion_timeout(&hooks.called, LIMIT), 0UL);
}

/* ---- a QP that breaks -------------------------------------------------------------- */

static int hold_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad)
{
	hooks.cqe = wr->wr_cqe;
	atomic_inc(&hooks.held);
	return 0;
}

static int refuse_reset(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			struct ib_udata *udata)
{
	if (hooks.refuse && mask & IB_QP_STATE &&
	    attr->qp_state == IB_QPS_RESET) {
		complete(&hooks.called);
		return -EIO;
	}
	return hooks.real.modify_qp(qp, attr, mask, udata);
}

static void break_qp(struct kunit *test)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	KUNIT_ASSERT_EQ(test,
			ib_modify_qp(client.agent->qp, &attr, IB_QP_STATE), 0);
}

/* The client's QP breaks with one send in it, and refuses to be reset. */
static void lose_qp(struct kunit *test)
{
	struct ib_mad_send_buf *buf;

	open_link(test, RDMA_CORE_CAP_IB_MAD, 0);
	hooks.refuse = true;
	hooks.device->ops.post_send = hold_send;
	hooks.device->ops.modify_qp = refuse_reset;
	mad_link_reset();
	buf = mad_link_question(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_SHORT, 40000,
				0);
	KUNIT_ASSERT_EQ(test, ib_post_send_mad(buf, NULL), 0);
	KUNIT_ASSERT_EQ(test, atomic_read(&hooks.held), 1);
	break_qp(test);
	wait_called(test);
	/* The second attempt is that of one that is lost. */
	wait_called(test);

	/* More is not taken; but that one is the device's. */
	buf = mad_link_question(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_SHORT, 0, 0);
	KUNIT_ASSERT_EQ(test, ib_post_send_mad(buf, NULL), -ENODEV);
	mad_link_free(buf);
	KUNIT_ASSERT_EQ(test, atomic_read(&client.sent), 0);
}

/* Once a Reset succeeds, all goes on where it was. */
static void failed_reset_test(struct kunit *test)
{
	lose_qp(test);
	hooks.device->ops.post_send = hooks.real.post_send;
	hooks.refuse = false;
	mad_link_wait(test);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.sent), 1);
}

/* The device gives it back, and no agent is there that would send it again. */
static void late_flush_test(struct kunit *test)
{
	struct ib_wc wc = { .status = IB_WC_WR_FLUSH_ERR };

	lose_qp(test);
	wc.wr_cqe = hooks.cqe;
	hooks.cqe->done(client.agent->qp->send_cq, &wc);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.sent), 1);
	mad_link_wait(test);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_FATAL_ERR);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), 0);
}

static int take_no_receive(struct ib_qp *qp, const struct ib_recv_wr *wr,
			   const struct ib_recv_wr **bad)
{
	complete(&hooks.called);
	*bad = wr;
	return -ENOMEM;
}

/* For a while, there is no memory to post a receive with. */
static void deaf_test(struct kunit *test)
{
	open_link(test, RDMA_CORE_CAP_IB_MAD, 0);
	hooks.device->ops.post_recv = take_no_receive;
	break_qp(test);
	wait_called(test);
	/* All of them have been tried. */
	msleep(200);
	hooks.device->ops.post_recv = hooks.real.post_recv;
	mad_link_ask(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_SHORT, 500, 30);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), 1);
}

/* ---- a device that goes ------------------------------------------------------------- */

/* Ask without a wait for an answer. */
static void post_questions(struct kunit *test, u8 class, int num)
{
	struct ib_mad_send_buf *buf;
	int i;

	mad_link_reset();
	for (i = 0; i < num; i++) {
		buf = mad_link_question(test, class, ATTR_SILENT, 0, 0);
		KUNIT_ASSERT_EQ(test, ib_post_send_mad(buf, NULL), 0);
	}
}

static int slow_address(struct ib_ah *ah, struct rdma_ah_init_attr *attr,
			struct ib_udata *udata)
{
	atomic_inc(&hooks.addresses);
	complete(&hooks.called);
	msleep(2000);
	return hooks.real.create_ah(ah, attr, udata);
}

/* It does not wait until all are answered that have asked. */
static void slow_answers_test(struct kunit *test)
{
	int before;

	open_link(test, RDMA_CORE_CAP_IB_MAD, 1);
	hooks.device->ops.create_ah = slow_address;
	post_questions(test, CLASS_NOBODY, QUESTIONS);
	wait_called(test);
	fake_restart(NULL);
	mad_link_leave();
	before = atomic_read(&hooks.addresses);
	KUNIT_ASSERT_LT(test, before, QUESTIONS / 2);
	close_link();
	/* All but those that were begun before it closed. */
	KUNIT_EXPECT_LT(test, atomic_read(&hooks.addresses), before + 5);
}

static int slow_driver(struct ib_device *device, int flags, u32 port_num,
		       const struct ib_wc *wc, const struct ib_grh *grh,
		       const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_size, u16 *pkey_index)
{
	if (READ_ONCE(hooks.destroyed))
		atomic_inc(&hooks.late);
	complete(&hooks.called);
	msleep(300);
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
}

static int note_destroy(struct ib_qp *qp, struct ib_udata *udata)
{
	WRITE_ONCE(hooks.destroyed, true);
	return hooks.real.destroy_qp(qp, udata);
}

/* What came before the QP went, and names it, is not shown to the driver. */
static void slow_driver_test(struct kunit *test)
{
	open_link(test, RDMA_CORE_CAP_IB_MAD, 1);
	hooks.device->ops.process_mad = slow_driver;
	hooks.device->ops.destroy_qp = note_destroy;
	post_questions(test, CLASS_NOBODY, QUESTIONS);
	/* Those behind the first are polled at a time. */
	wait_called(test);
	wait_called(test);
	mad_link_leave();
	close_link();
	KUNIT_EXPECT_TRUE(test, hooks.destroyed);
	KUNIT_EXPECT_EQ(test, atomic_read(&hooks.late), 0);
}

/* ---- other kinds of ports ------------------------------------------------------------ */

#define OPA_CAPS	(RDMA_CORE_CAP_IB_MAD | RDMA_CORE_CAP_OPA_MAD)

/* Looks at all of the longest MAD, as some drivers copy it. */
static int opa_driver(struct ib_device *device, int flags, u32 port_num,
		      const struct ib_wc *wc, const struct ib_grh *grh,
		      const struct ib_mad *in, struct ib_mad *out,
		      size_t *out_size, u16 *pkey_index)
{
	const u8 *bytes = (const u8 *)in;

	hooks.padded = !memchr_inv(bytes + OPA_ASKED, 0,
				   OPA_MGMT_MAD_SIZE - OPA_ASKED);
	memset(out, 0x5a, OPA_ANSWERED);
	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method |= IB_MGMT_METHOD_RESP;
	*out_size = OPA_ANSWERED;
	*pkey_index = OPA_PKEY_INDEX;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

/* The ports of the link have no second P_Key. */
static int note_pkey(struct ib_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad)
{
	struct ib_ud_wr sent = *ud_wr(wr);

	hooks.pkey_index = sent.pkey_index;
	sent.pkey_index = 0;
	return hooks.real.post_send(qp, &sent.wr, bad);
}

/* A question of InfiniBand, as a short one of Omni-Path. */
static struct ib_mad_send_buf *opa_question(struct kunit *test)
{
	struct ib_mad_send_buf *buf, *like;
	struct ib_mad_hdr *hdr;

	like = mad_link_question(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_SHORT,
				 20000, 0);
	buf = ib_create_send_mad(client.agent, 1, 0, 0, IB_MGMT_SA_HDR,
				 OPA_ASKED - IB_MGMT_SA_HDR, GFP_KERNEL,
				 OPA_MGMT_BASE_VERSION);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
	hdr = buf->mad;
	memcpy(hdr, like->mad, sizeof(*hdr));
	hdr->base_version = OPA_MGMT_BASE_VERSION;
	buf->timeout_ms = like->timeout_ms;
	buf->context[0] = like->context[0];
	buf->ah = like->ah;
	ib_free_send_mad(like);
	return buf;
}

/* The driver's answer may be longer than the question; it has its length and its P_Key. */
static void opa_driver_test(struct kunit *test)
{
	open_link(test, OPA_CAPS, 1);
	hooks.device->ops.process_mad = opa_driver;
	hooks.device->ops.post_send = note_pkey;
	mad_link_reset();
	KUNIT_ASSERT_EQ(test, ib_post_send_mad(opa_question(test), NULL), 0);
	mad_link_wait(test);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, client.length, OPA_ANSWERED);
	KUNIT_EXPECT_TRUE(test, hooks.padded);
	KUNIT_EXPECT_EQ(test, hooks.pkey_index, OPA_PKEY_INDEX);
}

/* Two segments of one transfer, of which the second is shorter than it says. */
static void opa_segments_test(struct kunit *test)
{
	struct raw_segment raw = {
		.method = IB_MGMT_METHOD_GET,
		.base_version = OPA_MGMT_BASE_VERSION,
		.tid = 4711,
		.number = 1,
		.flags = IB_MGMT_RMPP_FLAG_FIRST,
		.bytes = OPA_MGMT_MAD_SIZE - IB_MGMT_SA_HDR,
	};
	const int last = OPA_MGMT_MAD_SIZE - IB_MGMT_RMPP_HDR;
	int i;

	open_link(test, OPA_CAPS, 1);
	mad_link_reset();
	mad_link_raw(test, &raw);
	raw.number = 2;
	raw.flags = IB_MGMT_RMPP_FLAG_LAST;
	raw.length = last;
	raw.bytes = OPA_ASKED - IB_MGMT_SA_HDR;
	mad_link_raw(test, &raw);
	for (i = 0; i < 500 && !atomic_read(&client.answered); i++)
		msleep(20);
	/* A barrier: the handler is back. */
	mad_link_leave();
	KUNIT_ASSERT_EQ(test, atomic_read(&client.answered), 1);
	KUNIT_EXPECT_TRUE(test, client.padded);
	KUNIT_EXPECT_EQ(test, client.length,
			2 * OPA_MGMT_MAD_SIZE - IB_MGMT_SA_HDR);
}

static int first_port_only(struct ib_qp *qp, struct ib_qp_init_attr *attr,
			   struct ib_udata *udata)
{
	if (attr->port_num != 1)
		return -ENOMEM;
	return hooks.real.create_qp(qp, attr, udata);
}

static void one_port_only(struct ib_device *device)
{
	hooks.real = device->ops;
	device->ops.create_qp = first_port_only;
}

static int ask_sa(u32 port_num)
{
	struct ib_sa_guidinfo_rec rec = {};
	struct ib_sa_query *query;

	return ib_sa_guid_info_rec_query(NULL, fake_ib(0), port_num, &rec, 0,
					 IB_MGMT_METHOD_GET, 1000, GFP_KERNEL,
					 NULL, NULL, &query);
}

/* There is no SM to be asked; but where there are MADs, there may be one. */
static void port_without_mads_test(struct kunit *test)
{
	int ret;

	fake_port_caps = RDMA_CORE_CAP_IB_MAD | RDMA_CORE_CAP_IB_SA;
	fake_ports = 2;
	fake_prepare = one_port_only;
	ret = fake_start();
	fake_ports = 1;
	fake_prepare = NULL;
	KUNIT_ASSERT_EQ(test, ret, 0);
	KUNIT_EXPECT_EQ(test, ask_sa(1), -EAGAIN);
	KUNIT_EXPECT_EQ(test, ask_sa(2), -ENODEV);
	fake_stop();
}

static struct kunit_case mad_link_ends_cases[] = {
	KUNIT_CASE(failed_reset_test),
	KUNIT_CASE(late_flush_test),
	KUNIT_CASE(deaf_test),
	KUNIT_CASE(slow_answers_test),
	KUNIT_CASE(slow_driver_test),
	KUNIT_CASE(opa_driver_test),
	KUNIT_CASE(opa_segments_test),
	KUNIT_CASE(port_without_mads_test),
	{}
};

struct kunit_suite mad_link_ends_suite = {
	.name = "ofed_mad_link_ends",
	.init = hooks_init,
	.exit = hooks_exit,
	.test_cases = mad_link_ends_cases,
};

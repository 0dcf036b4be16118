// SPDX-License-Identifier: GPL-2.0
/*
 * The MAD layer on two devices of the fake link, which loses and doubles:
 *
 *	client --QP1-- device 0 (LID 1) <-- fake link --> device 1 (LID 2) --QP1-- server
 *
 * The server has registered for the SA class and answers what it is asked.
 */
#include <linux/delay.h>
#include <linux/module.h>

#include "link.h"

#define CLASS_VERSION	2
/* Of the server's own questions to the client, which has no answer to them. */
#define ATTR_RAW	cpu_to_be16(0xff04)
#define LONG_BYTES	6000
/* More transfers than an agent receives at a time. */
#define MANY_TRANSFERS	300

static u32 tid;

struct mad_link_client mad_link_client;
#define client mad_link_client

static struct ib_mad_agent *server;
static atomic_t asked;

static u8 byte_at(u32 at)
{
	return at * 7 + at / 251;
}

static struct ib_ah *new_ah(struct ib_mad_agent *agent, u16 lid)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB };

	rdma_ah_set_dlid(&attr, lid);
	rdma_ah_set_port_num(&attr, 1);
	return rdma_create_ah(agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
}

void mad_link_free(struct ib_mad_send_buf *buf)
{
	rdma_destroy_ah(buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_free_send_mad(buf);
}

/* ---- server -------------------------------------------------------------------------- */

static void fill_long(struct ib_mad_send_buf *buf)
{
	int number, i, at = 0;
	u8 *data;

	for (number = 1; number <= buf->seg_count; number++) {
		data = ib_get_rmpp_segment(buf, number);
		for (i = 0; i < buf->seg_size && at < buf->data_len; i++)
			data[i] = byte_at(at++);
	}
}

static void answer(struct ib_mad_agent *agent, struct ib_mad_recv_wc *wc)
{
	const struct ib_mad_hdr *question = &wc->recv_buf.mad->mad_hdr;
	const bool longer = question->attr_id == ATTR_LONG;
	struct ib_mad_send_buf *buf;
	struct ib_mad_hdr *hdr;

	buf = ib_create_send_mad(agent, wc->wc->src_qp, wc->wc->pkey_index,
				 longer, IB_MGMT_SA_HDR,
				 longer ? LONG_BYTES : IB_MGMT_SA_DATA,
				 GFP_KERNEL, IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return;
	hdr = buf->mad;
	*hdr = *question;
	hdr->method |= IB_MGMT_METHOD_RESP;
	if (longer)
		fill_long(buf);
	buf->retries = 5;
	buf->ah = ib_create_ah_from_wc(agent->qp->pd, wc->wc,
				       wc->recv_buf.grh, 1);
	if (IS_ERR(buf->ah))
		ib_free_send_mad(buf);
	else if (ib_post_send_mad(buf, NULL))
		mad_link_free(buf);
}

static void server_recv(struct ib_mad_agent *agent,
			struct ib_mad_send_buf *buf,
			struct ib_mad_recv_wc *wc)
{
	atomic_inc(&asked);
	if (wc->recv_buf.mad->mad_hdr.attr_id != ATTR_SILENT)
		answer(agent, wc);
	ib_free_recv_mad(wc);
}

static void server_send(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	mad_link_free(wc->send_buf);
}

/* ---- client -------------------------------------------------------------------------- */

/* All segments, each with its headers; the last one may be shorter. */
static bool is_intact(struct ib_mad_recv_wc *wc)
{
	struct ib_mad_recv_buf *buf;
	int at = 0, i;

	list_for_each_entry(buf, &wc->rmpp_list, list)
		for (i = 0; i < IB_MGMT_SA_DATA && at < LONG_BYTES; i++, at++)
			if (((struct ib_sa_mad *)buf->mad)->data[i] !=
			    byte_at(at))
				return false;
	return at == LONG_BYTES;
}

/* Those of Omni-Path may be shorter on the wire; no peer sends more than 0s. */
static bool is_padded(struct ib_mad_recv_wc *wc)
{
	struct ib_mad_recv_buf *buf;
	const u8 *bytes;
	int i;

	if (wc->recv_buf.mad->mad_hdr.attr_id != ATTR_RAW)
		return false;
	list_for_each_entry(buf, &wc->rmpp_list, list) {
		bytes = (const u8 *)buf->mad;
		for (i = IB_MGMT_SA_HDR; i < wc->mad_seg_size; i++)
			if (bytes[i])
				return false;
	}
	return true;
}

static void client_recv(struct ib_mad_agent *agent,
			struct ib_mad_send_buf *buf,
			struct ib_mad_recv_wc *wc)
{
	atomic_inc(&client.answered);
	client.mad_status = be16_to_cpu(wc->recv_buf.mad->mad_hdr.status);
	client.length = wc->mad_len;
	/* It says what it answers, and that is not completed yet. */
	client.intact = buf && wc->wc->wr_id == (uintptr_t)buf &&
			buf->context[0] == &client;
	if (wc->recv_buf.mad->mad_hdr.attr_id == ATTR_LONG)
		client.intact &= is_intact(wc);
	client.padded = is_padded(wc);
	ib_free_recv_mad(wc);
}

static void client_send(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	client.status = wc->status;
	client.retries = wc->send_buf->retries;
	wc->send_buf->context[0] = NULL;
	mad_link_free(wc->send_buf);
	atomic_inc(&client.sent);
	complete(&client.done);
}

struct ib_mad_send_buf *mad_link_question(struct kunit *test, u8 class,
					  __be16 attr, int timeout_ms,
					  int retries)
{
	struct ib_mad_send_buf *buf;
	struct ib_mad_hdr *hdr;

	buf = ib_create_send_mad(client.agent, 1, 0, 0, IB_MGMT_SA_HDR,
				 IB_MGMT_SA_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
	hdr = buf->mad;
	hdr->base_version = IB_MGMT_BASE_VERSION;
	hdr->mgmt_class = class;
	hdr->class_version = CLASS_VERSION;
	hdr->method = IB_MGMT_METHOD_GET;
	hdr->attr_id = attr;
	hdr->tid = cpu_to_be64((u64)client.agent->hi_tid << 32 | ++tid);
	buf->timeout_ms = timeout_ms;
	buf->retries = retries;
	buf->context[0] = &client;
	buf->ah = new_ah(client.agent, 2);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf->ah);
	return buf;
}

void mad_link_reset(void)
{
	atomic_set(&client.answered, 0);
	atomic_set(&client.sent, 0);
	reinit_completion(&client.done);
}

void mad_link_wait(struct kunit *test)
{
	KUNIT_ASSERT_NE(test, wait_for_completion_timeout(&client.done, LIMIT),
			0UL);
}

void mad_link_ask(struct kunit *test, u8 class, __be16 attr, int timeout_ms,
		  int retries)
{
	struct ib_mad_send_buf *buf = mad_link_question(test, class, attr,
							timeout_ms, retries);

	mad_link_reset();
	KUNIT_ASSERT_EQ(test, ib_post_send_mad(buf, NULL), 0);
	mad_link_wait(test);
}

/* Not the client's: nothing of it is counted. */
void mad_link_raw(struct kunit *test, const struct raw_segment *raw)
{
	struct ib_mad_send_buf *buf;
	struct ib_rmpp_mad *mad;

	buf = ib_create_send_mad(server, 1, 0, 0, IB_MGMT_SA_HDR, raw->bytes,
				 GFP_KERNEL, raw->base_version);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
	mad = buf->mad;
	mad->mad_hdr.base_version = raw->base_version;
	mad->mad_hdr.mgmt_class = IB_MGMT_CLASS_SUBN_ADM;
	mad->mad_hdr.class_version = CLASS_VERSION;
	mad->mad_hdr.method = raw->method;
	mad->mad_hdr.attr_id = ATTR_RAW;
	mad->mad_hdr.tid = cpu_to_be64(raw->tid);
	mad->rmpp_hdr.rmpp_version = IB_MGMT_RMPP_VERSION;
	mad->rmpp_hdr.rmpp_type = IB_MGMT_RMPP_TYPE_DATA;
	ib_set_rmpp_flags(&mad->rmpp_hdr,
			  raw->flags | IB_MGMT_RMPP_FLAG_ACTIVE);
	mad->rmpp_hdr.seg_num = cpu_to_be32(raw->number);
	mad->rmpp_hdr.paylen_newwin = cpu_to_be32(raw->length);
	buf->ah = new_ah(server, 1);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf->ah);
	KUNIT_ASSERT_EQ(test, ib_post_send_mad(buf, NULL), 0);
}

static void short_test(struct kunit *test)
{
	mad_link_ask(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_SHORT, 20000, 0);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.sent), 1);
	KUNIT_EXPECT_TRUE(test, client.intact);
	KUNIT_EXPECT_EQ(test, client.mad_status, 0);
	KUNIT_EXPECT_EQ(test, client.length, IB_MGMT_MAD_SIZE);
}

static void long_test(struct kunit *test)
{
	mad_link_ask(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_LONG, 20000, 0);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), 1);
	KUNIT_EXPECT_TRUE(test, client.intact);
	KUNIT_EXPECT_EQ(test, client.length, IB_MGMT_SA_HDR + LONG_BYTES);
}

/* The first packet is the question, the second the first segment. */
static enum fake_fate lossy(u32 number, const u8 *bth)
{
	switch (number) {
	case 1:
	case 9:
	case 30:
		return FAKE_DROP;
	case 6:
	case 12:
		return FAKE_TWICE;
	case 15:
	case 17:
		return FAKE_LATER;
	}
	return FAKE_PASS;
}

static void lossy_long_test(struct kunit *test)
{
	fake_restart(lossy);
	mad_link_ask(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_LONG, 50000, 0);
	fake_restart(NULL);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), 1);
	KUNIT_EXPECT_TRUE(test, client.intact);
	KUNIT_EXPECT_EQ(test, client.length, IB_MGMT_SA_HDR + LONG_BYTES);
}

/* No agent there has that class: the layer says so. */
static void unregistered_test(struct kunit *test)
{
	mad_link_ask(test, CLASS_NOBODY, ATTR_SHORT, 20000, 0);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), 1);
	KUNIT_EXPECT_EQ(test, client.mad_status,
			IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
}

static void silence_test(struct kunit *test)
{
	int i;

	atomic_set(&asked, 0);
	mad_link_ask(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_SILENT, 30, 2);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_RESP_TIMEOUT_ERR);
	KUNIT_EXPECT_EQ(test, client.retries, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), 0);
	fake_restart(NULL);
	/* The last one may still be in the server's queue. */
	for (i = 0; i < 500 && atomic_read(&asked) < 3; i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, atomic_read(&asked), 3);
}

static void cancel_test(struct kunit *test)
{
	struct ib_mad_send_buf *buf;

	buf = mad_link_question(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_SILENT,
				50000, 0);
	KUNIT_EXPECT_EQ(test, ib_modify_mad(buf, 10), -EINVAL);
	mad_link_reset();
	KUNIT_ASSERT_EQ(test, ib_post_send_mad(buf, NULL), 0);
	KUNIT_EXPECT_EQ(test, ib_modify_mad(buf, 40000), 0);
	ib_cancel_mad(buf);
	mad_link_wait(test);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_WR_FLUSH_ERR);
}

/* More than any queue holds; datagrams may be lost, handlers may not. */
static void many_test(struct kunit *test)
{
	struct ib_mad_send_buf *buf, *last = NULL, *bad;
	const int many = 600;
	int i;

	for (i = 0; i < many; i++) {
		buf = mad_link_question(test, IB_MGMT_CLASS_SUBN_ADM,
					ATTR_SHORT, 3000, 20);
		buf->next = last;
		last = buf;
	}
	mad_link_reset();
	KUNIT_ASSERT_EQ(test, ib_post_send_mad(last, &bad), 0);
	for (i = 0; i < many; i++)
		mad_link_wait(test);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.sent), many);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), many);
}

/*
 * What others begin and never end does not keep out what we have asked for. Here
 * the server begins to ask something long, many times.
 */
static void half_transfers_test(struct kunit *test)
{
	struct raw_segment half = {
		.method = IB_MGMT_METHOD_GET,
		.base_version = IB_MGMT_BASE_VERSION,
		.tid = (u64)server->hi_tid << 32,
		.number = 1,
		.flags = IB_MGMT_RMPP_FLAG_FIRST,
		.bytes = IB_MGMT_SA_DATA,
	};
	int i;

	for (i = 0; i < MANY_TRANSFERS; i++) {
		half.tid++;
		mad_link_raw(test, &half);
	}
	fake_restart(NULL);
	mad_link_ask(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_LONG, 40000, 0);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), 1);
	KUNIT_EXPECT_TRUE(test, client.intact);
}

/* A server that says the same again and again does not answer. */
static void repeated_segment_test(struct kunit *test)
{
	struct raw_segment first = {
		.method = IB_MGMT_METHOD_GET_RESP,
		.base_version = IB_MGMT_BASE_VERSION,
		.number = 1,
		.flags = IB_MGMT_RMPP_FLAG_FIRST,
		.bytes = IB_MGMT_SA_DATA,
	};
	struct ib_mad_send_buf *buf;
	int i;

	buf = mad_link_question(test, IB_MGMT_CLASS_SUBN_ADM, ATTR_SILENT,
				1000, 0);
	first.tid = be64_to_cpu(((struct ib_mad_hdr *)buf->mad)->tid);
	mad_link_reset();
	KUNIT_ASSERT_EQ(test, ib_post_send_mad(buf, NULL), 0);
	for (i = 0; i < 40 && !atomic_read(&client.sent); i++) {
		mad_link_raw(test, &first);
		msleep(200);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&client.sent), 1);
	mad_link_wait(test);
	KUNIT_EXPECT_EQ(test, client.status, IB_WC_RESP_TIMEOUT_ERR);
	KUNIT_EXPECT_EQ(test, atomic_read(&client.answered), 0);
}

/* Registrations that are refused. */
static void refuse_test(struct kunit *test)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = IB_MGMT_CLASS_SUBN_ADM,
		.mgmt_class_version = CLASS_VERSION,
	};
	struct ib_device *ib = fake_ib(1);

	set_bit(IB_MGMT_METHOD_GET, req.method_mask);
	KUNIT_EXPECT_PTR_EQ(test, ib_register_mad_agent(ib, 1, IB_QPT_GSI,
			    &req, 0, client_send, client_recv, NULL, 0),
			    (struct ib_mad_agent *)ERR_PTR(-EINVAL));
	KUNIT_EXPECT_PTR_EQ(test, ib_register_mad_agent(ib, 1, IB_QPT_SMI,
			    NULL, 0, client_send, client_recv, NULL, 0),
			    (struct ib_mad_agent *)ERR_PTR(-EPROTONOSUPPORT));
	KUNIT_EXPECT_PTR_EQ(test, ib_register_mad_agent(ib, 2, IB_QPT_GSI,
			    NULL, 0, client_send, client_recv, NULL, 0),
			    (struct ib_mad_agent *)ERR_PTR(-ENODEV));
	KUNIT_EXPECT_PTR_EQ(test, ib_register_mad_agent(ib, 1, IB_QPT_UD,
			    NULL, 0, client_send, client_recv, NULL, 0),
			    (struct ib_mad_agent *)ERR_PTR(-EINVAL));
	KUNIT_EXPECT_PTR_EQ(test, ib_register_mad_agent(ib, 1, IB_QPT_GSI,
			    NULL, 2, client_send, client_recv, NULL, 0),
			    (struct ib_mad_agent *)ERR_PTR(-EINVAL));
	req.mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	KUNIT_EXPECT_PTR_EQ(test, ib_register_mad_agent(ib, 1, IB_QPT_GSI,
			    &req, 0, client_send, client_recv, NULL, 0),
			    (struct ib_mad_agent *)ERR_PTR(-EINVAL));
}

/* The last: what is under way when the client goes comes back to it first. */
static void unregister_test(struct kunit *test)
{
	int i;

	atomic_set(&client.sent, 0);
	for (i = 0; i < 20; i++)
		KUNIT_ASSERT_EQ(test, ib_post_send_mad(mad_link_question(test,
				IB_MGMT_CLASS_SUBN_ADM,
				i % 2 ? ATTR_SILENT : ATTR_LONG, 50000, 3),
				NULL), 0);
	ib_unregister_mad_agent(client.agent);
	client.agent = NULL;
	KUNIT_EXPECT_EQ(test, atomic_read(&client.sent), 20);
}

/* ---- life ------------------------------------------------------------------------------ */

static int register_both(void)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = IB_MGMT_CLASS_SUBN_ADM,
		.mgmt_class_version = CLASS_VERSION,
	};
	int ret;

	set_bit(IB_MGMT_METHOD_GET, req.method_mask);
	init_completion(&client.done);
	client.agent = ib_register_mad_agent(fake_ib(0), 1, IB_QPT_GSI, &req,
					     IB_MGMT_RMPP_VERSION, client_send,
					     client_recv, NULL, 0);
	if (IS_ERR(client.agent)) {
		ret = PTR_ERR(client.agent);
		client.agent = NULL;
		return ret;
	}
	server = ib_register_mad_agent(fake_ib(1), 1, IB_QPT_GSI, &req,
				       IB_MGMT_RMPP_VERSION, server_send,
				       server_recv, NULL, 0);
	if (IS_ERR(server)) {
		ret = PTR_ERR(server);
		server = NULL;
		mad_link_leave();
		return ret;
	}
	return 0;
}

int mad_link_open(u32 caps)
{
	int ret;

	fake_port_caps = caps;
	ret = fake_start();
	if (ret)
		return ret;
	ret = register_both();
	if (ret)
		fake_stop();
	return ret;
}

void mad_link_leave(void)
{
	if (client.agent)
		ib_unregister_mad_agent(client.agent);
	client.agent = NULL;
	if (server)
		ib_unregister_mad_agent(server);
	server = NULL;
}

void mad_link_close(void)
{
	mad_link_leave();
	fake_stop();
}

static int mad_link_start(struct kunit_suite *suite)
{
	return mad_link_open(RDMA_CORE_CAP_IB_MAD);
}

static void mad_link_stop(struct kunit_suite *suite)
{
	mad_link_close();
}

static struct kunit_case mad_link_cases[] = {
	KUNIT_CASE(short_test),
	KUNIT_CASE(long_test),
	KUNIT_CASE(lossy_long_test),
	KUNIT_CASE(unregistered_test),
	KUNIT_CASE(silence_test),
	KUNIT_CASE(cancel_test),
	KUNIT_CASE(many_test),
	KUNIT_CASE(half_transfers_test),
	KUNIT_CASE(repeated_segment_test),
	KUNIT_CASE(refuse_test),
	KUNIT_CASE(unregister_test),
	{}
};

static struct kunit_suite mad_link_suite = {
	.name = "ofed_mad_link",
	.suite_init = mad_link_start,
	.suite_exit = mad_link_stop,
	.test_cases = mad_link_cases,
};

kunit_test_suites(&mad_link_suite, &mad_link_ends_suite);

MODULE_DESCRIPTION("KUnit: the MAD layer between two devices");
MODULE_LICENSE("GPL");

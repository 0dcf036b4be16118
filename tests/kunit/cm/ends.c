// SPDX-License-Identifier: GPL-2.0
/*
 * Consumers that keep a list of what they were told, on the device of fake_mad.c.
 */
#include "ends.h"

#include <linux/delay.h>

#include "core/cm/ib/ib_cm.h"

/* Guards what a handler changes of an end. */
static DEFINE_SPINLOCK(ends_lock);

static int told_status(const struct ib_cm_event *event)
{
	switch (event->event) {
	case IB_CM_REJ_RECEIVED:
		return event->param.rej_rcvd.reason;
	case IB_CM_SIDR_REP_RECEIVED:
		return event->param.sidr_rep_rcvd.status;
	default:
		return event->param.send_status;
	}
}

/* The ids that requests make have the context of their listener. */
static int end_take(struct end *end, struct ib_cm_id *id)
{
	if (end->answer)
		return end->answer;
	if (end->made == EVENTS_MOST)
		return -EPERM;
	if (ofed_cm_charge(id, end->owner))
		return -ENOMEM;
	end->ids[end->made++] = id;
	end->id = id;
	return 0;
}

static int end_told(struct end *end, struct ib_cm_id *id,
		    const struct ib_cm_event *event)
{
	struct told *told;
	int ret;

	lockdep_assert_held(&ends_lock);
	if (event->event == IB_CM_REQ_RECEIVED ||
	    event->event == IB_CM_SIDR_REQ_RECEIVED) {
		ret = end_take(end, id);
		if (ret)
			return ret;
	}
	if (end->many || end->count == EVENTS_MOST)
		return 0;
	told = &end->events[end->count++];
	told->type = event->event;
	told->status = told_status(event);
	if (event->private_data)
		memcpy(told->data, event->private_data, sizeof(told->data));
	return 0;
}

int end_handler(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	int ret;

	spin_lock(&ends_lock);
	ret = end_told(id->context, id, event);
	spin_unlock(&ends_lock);
	return ret;
}

void end_open(struct kunit *test, struct end *end)
{
	memset(end, 0, sizeof(*end));
	end->qpn = played.next_qpn++;
	end->id = ib_create_cm_id(&played.device, end_handler, end);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, end->id);
}

void end_listen(struct kunit *test, struct end *end, __be64 service)
{
	end_open(test, end);
	end->listener = end->id;
	end->id = NULL;
	KUNIT_ASSERT_EQ(test, ib_cm_listen(end->listener, service), 0);
}

static void end_path(struct sa_path_rec *path)
{
	memset(path, 0, sizeof(*path));
	path->rec_type = SA_PATH_REC_TYPE_ROCE_V2;
	path->sgid = played.gid.gid;
	path->dgid = played.gid.gid;
	path->pkey = cpu_to_be16(0xffff);
	path->mtu = IB_MTU_1024;
	path->hop_limit = 64;
	path->packet_life_time = played.life;
}

/* The first PSN that an end sends; any number that tells them apart. */
static u32 end_psn(const struct end *end)
{
	return end->qpn + 0x1000;
}

int end_req(struct end *end, __be64 service)
{
	struct sa_path_rec path;
	struct ib_cm_req_param param = {
		.primary_path = &path,
		.service_id = service,
		.qp_num = end->qpn,
		.qp_type = IB_QPT_RC,
		.starting_psn = end_psn(end),
		.responder_resources = 3,
		.initiator_depth = 2,
		.remote_cm_response_timeout = 20,
		.local_cm_response_timeout = 20,
		.retry_count = 6,
		.rnr_retry_count = 5,
		.max_cm_retries = 15,
	};

	end_path(&path);
	return ib_send_cm_req(end->id, &param);
}

int end_sidr(struct end *end, u8 len)
{
	static const u8 data[256];
	struct sa_path_rec path;
	struct ib_cm_sidr_req_param param = {
		.path = &path,
		.service_id = SERVICE,
		.timeout_ms = 1000,
		.private_data = data,
		.private_data_len = len,
		.max_cm_retries = 3,
	};

	end_path(&path);
	return ib_send_cm_sidr_req(end->id, &param);
}

int end_rep(struct end *end)
{
	struct ib_cm_rep_param param = {
		.qp_num = end->qpn,
		.starting_psn = end_psn(end),
		.responder_resources = 2,
		.initiator_depth = 3,
		.rnr_retry_count = 4,
	};

	return ib_send_cm_rep(end->id, &param);
}

void expect_no_event(struct kunit *test, struct end *end)
{
	KUNIT_EXPECT_EQ(test, end->count, 0);
}

void expect_event(struct kunit *test, struct end *end,
		  enum ib_cm_event_type type)
{
	struct told *told = &end->events[0];

	KUNIT_ASSERT_GT(test, end->count, 0);
	KUNIT_EXPECT_EQ(test, (int)told->type, (int)type);
	end->status = told->status;
	memcpy(end->data, told->data, sizeof(end->data));
	end->count--;
	memmove(told, told + 1, end->count * sizeof(*told));
}

void wait_event_of(struct kunit *test, struct end *end,
		   enum ib_cm_event_type type)
{
	int i;

	for (i = 0; i < 1000 && !READ_ONCE(end->count); i++)
		msleep(20);
	wire_settle();
	expect_event(test, end, type);
}

/* Carry on; if a message was lost, its sender repeats something. */
static void run_until(struct kunit *test, struct end *end,
		      enum ib_cm_event_type type)
{
	wire_run();
	if (!end->count)
		wire_repeat();
	expect_event(test, end, type);
}

void ends_until_rep(struct kunit *test, struct end *a, struct end *b)
{
	end_open(test, a);
	end_listen(test, b, SERVICE);
	KUNIT_ASSERT_EQ(test, end_req(a, SERVICE), 0);
	run_until(test, b, IB_CM_REQ_RECEIVED);
	KUNIT_ASSERT_EQ(test, end_rep(b), 0);
	run_until(test, a, IB_CM_REP_RECEIVED);
}

void ends_connect(struct kunit *test, struct end *a, struct end *b)
{
	ends_until_rep(test, a, b);
	KUNIT_ASSERT_EQ(test, ib_send_cm_rtu(a->id, NULL, 0), 0);
	run_until(test, b, IB_CM_RTU_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)a->id->state, (int)IB_CM_ESTABLISHED);
	KUNIT_EXPECT_EQ(test, (int)b->id->state, (int)IB_CM_ESTABLISHED);
	expect_no_event(test, a);
	expect_no_event(test, b);
}

static void end_destroy(struct ib_cm_id *id)
{
	if (id)
		ib_destroy_cm_id(id);
}

void ends_destroy(struct end *a, struct end *b)
{
	end_destroy(a->id);
	end_destroy(b->id);
	end_destroy(b->listener);
	wire_run();
}

void ends_forget(struct end *end)
{
	while (end->made)
		ib_destroy_cm_id(end->ids[--end->made]);
	end->id = NULL;
}

void expect_attr(struct kunit *test, struct end *end,
		 const struct end *peer, int reads_here, int reads_there)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	int mask;

	KUNIT_EXPECT_EQ(test, ib_cm_init_qp_attr(end->id, &attr, &mask), 0);
	KUNIT_EXPECT_TRUE(test, ib_modify_qp_is_ok(IB_QPS_RESET, IB_QPS_INIT,
						   IB_QPT_RC, mask));
	KUNIT_EXPECT_EQ(test, (int)attr.port_num, PORT);
	KUNIT_EXPECT_TRUE(test, attr.qp_access_flags & IB_ACCESS_REMOTE_READ);

	attr.qp_state = IB_QPS_RTR;
	KUNIT_EXPECT_EQ(test, ib_cm_init_qp_attr(end->id, &attr, &mask), 0);
	KUNIT_EXPECT_TRUE(test, ib_modify_qp_is_ok(IB_QPS_INIT, IB_QPS_RTR,
						   IB_QPT_RC, mask));
	KUNIT_EXPECT_EQ(test, attr.dest_qp_num, peer->qpn);
	KUNIT_EXPECT_EQ(test, attr.rq_psn, end_psn(end));
	KUNIT_EXPECT_EQ(test, (int)attr.max_dest_rd_atomic, reads_here);
	KUNIT_EXPECT_EQ(test, (int)attr.path_mtu, (int)IB_MTU_1024);
	KUNIT_EXPECT_PTR_EQ(test, attr.ah_attr.grh.sgid_attr,
			    (const struct ib_gid_attr *)&played.gid);

	attr.qp_state = IB_QPS_RTS;
	KUNIT_EXPECT_EQ(test, ib_cm_init_qp_attr(end->id, &attr, &mask), 0);
	KUNIT_EXPECT_TRUE(test, ib_modify_qp_is_ok(IB_QPS_RTR, IB_QPS_RTS,
						   IB_QPT_RC, mask));
	KUNIT_EXPECT_EQ(test, attr.sq_psn, end_psn(peer));
	KUNIT_EXPECT_EQ(test, (int)attr.max_rd_atomic, reads_there);
	KUNIT_EXPECT_EQ(test, (int)attr.timeout, played.life + 1);
	KUNIT_EXPECT_EQ(test, (int)attr.retry_cnt, 6);

	attr.qp_state = IB_QPS_ERR;
	KUNIT_EXPECT_EQ(test, ib_cm_init_qp_attr(end->id, &attr, &mask),
			-EINVAL);
}

/* Life of a test. */

void played_unplug(void)
{
	played.there = false;
	played.client->remove(&played.device, played.data);
	wire_settle();
}

int played_init(struct kunit *test)
{
	u32 port_num;
	int ret;

	memset(&played, 0, sizeof(played));
	memset(&wire, 0, sizeof(wire));
	spin_lock_init(&wire.lock);
	INIT_LIST_HEAD(&wire.packets);
	INIT_LIST_HEAD(&wire.waiting);
	INIT_LIST_HEAD(&wire.done);
	INIT_WORK(&wire.work, done_work);
	wire.lose = CM_ATTRS;
	wire.keep = CM_ATTRS;
	prandom_seed_state(&wire.random, 4711);

	memset(&neighbours, 0, sizeof(neighbours));
	init_waitqueue_head(&neighbours.queue);

	played.next_qpn = 0x100;
	played.life = LIFE;
	refcount_set(&played.device.refcount, 1);
	for (port_num = PORT; port_num < ARRAY_SIZE(played.ports); port_num++)
		played.ports[port_num].immutable.core_cap_flags =
			RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	played.device.port_data = played.ports;
	played.device.phys_port_cnt = 1;
	played.device.node_type = RDMA_NODE_IB_CA;
	played.device.node_guid = cpu_to_be64(0x0002c90300abcdefULL);
	played.gid.device = &played.device;
	played.gid.port_num = PORT;
	played.gid.gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP;
	memset(&played.gid.gid, 0xfd, sizeof(played.gid.gid));

	ret = ofed_ib_cm_init();
	if (ret)
		return ret;
	ret = played.client->add(&played.device);
	played.there = !ret;
	return ret;
}

void played_exit(struct kunit *test)
{
	struct packet *packet;

	neighbours_answer();
	if (played.there)
		played_unplug();
	ofed_ib_cm_exit();
	flush_work(&wire.work);
	while ((packet = take_packet()))
		kfree(packet);
	KUNIT_EXPECT_EQ(test, atomic_read(&played.gids), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&played.ahs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&played.bufs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&played.recvs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&cm_half_open_all), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&played.device.refcount), 1u);
	KUNIT_EXPECT_EQ(test, played.late, 0);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&cm_peers_by_comm));
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&cm_peers_by_qpn));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Included by ib_cm_ends_kunit.c: a MAD layer and an address table that are
 * played, and consumers that keep a list of what they were told.
 */

#define SERVICE		cpu_to_be64(0x1061234)
#define PORT		1
#define EVENTS_MOST	16
#define LIFE		15	/* of a packet: TimeWait is 256 ms */

/* The device, and what is held of it. */
static struct {
	struct ib_device device;
	struct ib_port_data ports[2];
	struct ib_qp qp;
	struct ib_pd pd;
	struct ib_mad_agent agent;
	struct ib_gid_attr gid;
	struct cm_dev *data;
	bool there;
	u32 next_qpn;
	atomic_t gids;
	atomic_t ahs;
	atomic_t bufs;
	atomic_t recvs;
} played;

/* A send buffer, as the MAD layer has it. */
struct posted {
	struct ib_mad_send_buf buf;
	union cm_mad mad;
	struct list_head node;
	bool waits;
	enum ib_wc_status status;
};

struct packet {
	struct list_head node;
	union cm_mad mad;
};

/*
 * The wire. @lock guards the lists; the rest is the test's. What has to be told
 * to the senders is told by @work, as ib_destroy_cm_id() waits for it.
 */
static struct {
	spinlock_t lock;
	struct list_head packets;
	struct list_head waiting;
	struct list_head done;
	struct work_struct work;
	enum cm_attr lose;
	enum cm_attr keep;
	bool kept;
	union cm_mad kept_mad;
	bool twice;
	bool deaf;
	bool mutate;
	struct rnd_state random;
	int last_timeout;
	int last_reason;
	long sent[CM_ATTRS];
} wire;

static long sent(enum cm_attr attr)
{
	return wire.sent[attr];
}

static long counter(enum cm_counter which, enum cm_attr attr)
{
	return atomic_long_read(&played.data->port[0].counters[which][attr]);
}

/* What the CM asks of the rest of the core. */

struct ib_mad_agent *
ib_register_mad_agent(struct ib_device *device, u32 port_num,
		      enum ib_qp_type qp_type, struct ib_mad_reg_req *request,
		      u8 rmpp_version, ib_mad_send_handler send_handler,
		      ib_mad_recv_handler recv_handler, void *context,
		      u32 flags)
{
	played.qp.pd = &played.pd;
	played.agent.qp = &played.qp;
	played.agent.send_handler = send_handler;
	played.agent.recv_handler = recv_handler;
	played.agent.context = context;
	played.agent.hi_tid = 0x12345678;
	return &played.agent;
}

static void end_send(struct posted *posted, enum ib_wc_status status)
{
	lockdep_assert_held(&wire.lock);
	posted->waits = false;
	posted->status = status;
	list_move_tail(&posted->node, &wire.done);
	schedule_work(&wire.work);
}

static void end_all_sends(enum ib_wc_status status)
{
	struct posted *posted, *next;

	spin_lock_irq(&wire.lock);
	list_for_each_entry_safe(posted, next, &wire.waiting, node)
		end_send(posted, status);
	spin_unlock_irq(&wire.lock);
	flush_work(&wire.work);
}

void ib_unregister_mad_agent(struct ib_mad_agent *agent)
{
	end_all_sends(IB_WC_WR_FLUSH_ERR);
}

struct ib_mad_send_buf *ib_create_send_mad(struct ib_mad_agent *agent,
					   u32 remote_qpn, u16 pkey_index,
					   int rmpp_active, int hdr_len,
					   int data_len, gfp_t gfp,
					   u8 base_version)
{
	struct posted *posted = kzalloc(sizeof(*posted), GFP_ATOMIC);

	if (!posted)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&posted->node);
	posted->buf.mad = &posted->mad;
	posted->buf.mad_agent = agent;
	atomic_inc(&played.bufs);
	return &posted->buf;
}

void ib_free_send_mad(struct ib_mad_send_buf *buf)
{
	kfree(container_of(buf, struct posted, buf));
	atomic_dec(&played.bufs);
}

static void put_packet(const union cm_mad *mad)
{
	struct packet *packet = kmalloc(sizeof(*packet), GFP_ATOMIC);

	lockdep_assert_held(&wire.lock);
	if (!packet)
		return;
	packet->mad = *mad;
	list_add_tail(&packet->node, &wire.packets);
}

int ib_post_send_mad(struct ib_mad_send_buf *buf, struct ib_mad_send_buf **bad)
{
	struct posted *posted = container_of(buf, struct posted, buf);
	unsigned long flags;

	spin_lock_irqsave(&wire.lock, flags);
	put_packet(&posted->mad);
	wire.sent[cm_attr_of(&posted->mad.hdr)]++;
	if (buf->timeout_ms) {
		posted->waits = true;
		list_add_tail(&posted->node, &wire.waiting);
	} else {
		end_send(posted, IB_WC_SUCCESS);
	}
	spin_unlock_irqrestore(&wire.lock, flags);
	return 0;
}

int ib_modify_mad(struct ib_mad_send_buf *buf, u32 timeout_ms)
{
	struct posted *posted = container_of(buf, struct posted, buf);
	unsigned long flags;
	int ret = -EINVAL;

	spin_lock_irqsave(&wire.lock, flags);
	if (posted->waits) {
		ret = 0;
		if (timeout_ms)
			wire.last_timeout = timeout_ms;
		else
			end_send(posted, IB_WC_WR_FLUSH_ERR);
	}
	spin_unlock_irqrestore(&wire.lock, flags);
	return ret;
}

static void done_work(struct work_struct *work)
{
	struct ib_mad_send_wc wc = {};
	struct posted *posted;

	for (;;) {
		spin_lock_irq(&wire.lock);
		posted = list_first_entry_or_null(&wire.done, struct posted,
						  node);
		if (posted)
			list_del_init(&posted->node);
		spin_unlock_irq(&wire.lock);
		if (!posted)
			return;
		wc.send_buf = &posted->buf;
		wc.status = posted->status;
		posted->buf.retries = 0;
		cm_mad_sent(&played.agent, &wc);
	}
}

/* A message as the MAD layer hands it over. */
struct received {
	struct ib_mad_recv_wc wc;
	struct ib_wc cqe;
	struct ib_grh grh;
	union cm_mad mad;
};

void ib_free_recv_mad(struct ib_mad_recv_wc *wc)
{
	kfree(container_of(wc, struct received, wc));
	atomic_dec(&played.recvs);
}

static void deliver(const union cm_mad *mad)
{
	struct received *received = kzalloc(sizeof(*received), GFP_KERNEL);

	if (!received)
		return;
	received->mad = *mad;
	received->cqe.src_qp = 1;
	received->cqe.wc_flags = IB_WC_GRH;
	received->wc.wc = &received->cqe;
	received->wc.recv_buf.grh = &received->grh;
	received->wc.recv_buf.mad = &received->mad.mad;
	received->wc.mad_len = sizeof(*mad);
	atomic_inc(&played.recvs);
	cm_mad_received(&played.agent, NULL, &received->wc);
}

int ib_init_ah_attr_from_wc(struct ib_device *device, u32 port_num,
			    const struct ib_wc *wc, const struct ib_grh *grh,
			    struct rdma_ah_attr *av)
{
	memset(av, 0, sizeof(*av));
	av->type = RDMA_AH_ATTR_TYPE_ROCE;
	av->port_num = port_num;
	av->ah_flags = IB_AH_GRH;
	av->grh.hop_limit = 64;
	av->grh.sgid_attr = &played.gid;
	atomic_inc(&played.gids);
	return 0;
}

int ib_init_ah_attr_from_path(struct ib_device *device, u32 port_num,
			      struct sa_path_rec *rec, struct rdma_ah_attr *av,
			      const struct ib_gid_attr *sgid_attr)
{
	return ib_init_ah_attr_from_wc(device, port_num, NULL, NULL, av);
}

int ib_find_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey,
			u16 *index)
{
	*index = 0;
	return pkey == 0xffff ? 0 : -ENOENT;
}

int ib_get_cached_pkey(struct ib_device *device, u32 port_num, int index,
		       u16 *pkey)
{
	*pkey = 0xffff;
	return 0;
}

int ib_register_client(struct ib_client *client)
{
	return 0;
}

void ib_unregister_client(struct ib_client *client)
{
}

void ib_set_client_data(struct ib_device *device, struct ib_client *client,
			void *data)
{
	played.data = data;
}

struct ib_ah *rdma_create_ah(struct ib_pd *pd, struct rdma_ah_attr *av,
			     u32 flags)
{
	struct ib_ah *ah = kzalloc(sizeof(*ah), GFP_ATOMIC);

	if (!ah)
		return ERR_PTR(-ENOMEM);
	atomic_inc(&played.ahs);
	return ah;
}

int rdma_destroy_ah_user(struct ib_ah *ah, u32 flags, struct ib_udata *udata)
{
	kfree(ah);
	atomic_dec(&played.ahs);
	return 0;
}

void rdma_destroy_ah_attr(struct rdma_ah_attr *av)
{
	if (av->grh.sgid_attr)
		atomic_dec(&played.gids);
	av->grh.sgid_attr = NULL;
}

void rdma_hold_gid_attr(const struct ib_gid_attr *attr)
{
	atomic_inc(&played.gids);
}

void rdma_put_gid_attr(const struct ib_gid_attr *attr)
{
	atomic_dec(&played.gids);
}

const struct ib_gid_attr *rdma_find_gid(struct ib_device *device,
					const union ib_gid *gid,
					enum ib_gid_type gid_type,
					struct net_device *ndev)
{
	if (memcmp(gid, &played.gid.gid, sizeof(*gid)))
		return ERR_PTR(-ENOENT);
	atomic_inc(&played.gids);
	return &played.gid;
}

const struct ib_gid_attr *rdma_find_gid_by_port(struct ib_device *device,
						const union ib_gid *gid,
						enum ib_gid_type gid_type,
						u32 port,
						struct net_device *ndev)
{
	return rdma_find_gid(device, gid, gid_type, ndev);
}

int rdma_query_gid(struct ib_device *device, u32 port_num, int index,
		   union ib_gid *gid)
{
	*gid = played.gid.gid;
	return 0;
}

int ofed_port_add_groups(struct ib_device *device, u32 port_num,
			 const struct attribute_group **groups)
{
	return 0;
}

void ofed_port_remove_groups(struct ib_device *device, u32 port_num,
			     const struct attribute_group **groups)
{
}

/* Carrying messages over. */

static void spoil(union cm_mad *mad)
{
	u8 *bytes = (u8 *)mad;
	int n;

	if (prandom_u32_state(&wire.random) & 1)
		return;
	for (n = 1 + (prandom_u32_state(&wire.random) & 3); n; n--)
		bytes[8 + prandom_u32_state(&wire.random) % 160] ^=
			1 << (prandom_u32_state(&wire.random) & 7);
}

static void carry(union cm_mad *mad)
{
	enum cm_attr attr = cm_attr_of(&mad->hdr);

	if (attr == CM_ATTR_REJ)
		wire.last_reason = IBA_GET(CM_REJ_REASON, &mad->rej);
	if (wire.deaf)
		return;
	if (attr == wire.lose) {
		wire.lose = CM_ATTRS;
		return;
	}
	if (attr == wire.keep && !wire.kept) {
		wire.kept = true;
		wire.kept_mad = *mad;
	}
	if (wire.mutate)
		spoil(mad);
	deliver(mad);
	if (wire.twice)
		deliver(mad);
}

static struct packet *take_packet(void)
{
	struct packet *packet;

	spin_lock_irq(&wire.lock);
	packet = list_first_entry_or_null(&wire.packets, struct packet, node);
	if (packet)
		list_del(&packet->node);
	spin_unlock_irq(&wire.lock);
	return packet;
}

/* Until nothing is on its way and nobody works any more. */
static void wire_settle(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		flush_work(&wire.work);
		flush_workqueue(cm_slow_wq);
		flush_workqueue(cm_rx_wq);
		flush_workqueue(cm_wq);
	}
}

static void wire_run(void)
{
	struct packet *packet;

	wire_settle();
	while ((packet = take_packet())) {
		carry(&packet->mad);
		kfree(packet);
		wire_settle();
	}
}

/* The time of everybody who waits is over, and they have retries left. */
static void wire_repeat(void)
{
	struct posted *posted;

	spin_lock_irq(&wire.lock);
	list_for_each_entry(posted, &wire.waiting, node)
		put_packet(&posted->mad);
	spin_unlock_irq(&wire.lock);
	wire_run();
}

/* The same, without. The answers are on the wire afterwards. */
static void wire_give_up(void)
{
	end_all_sends(IB_WC_RESP_TIMEOUT_ERR);
	wire_settle();
}

/* Consumers. */

struct told {
	enum ib_cm_event_type type;
	int status;
	u8 data[8];
};

/*
 * A consumer.
 * @id: its id
 * @listener: if it is the passive side
 * @qpn: its QP
 * @answer: what its handler returns for a request
 * @many: it takes any number of requests, and wants no events
 * @made: how many @ids came with requests
 * @ids: these
 * @count: of @events
 * @events: in the order they came
 * @status, @data: of the last that was expected
 */
struct end {
	struct ib_cm_id *id;
	struct ib_cm_id *listener;
	u32 qpn;
	int answer;
	bool many;
	int made;
	struct ib_cm_id *ids[EVENTS_MOST];
	int count;
	struct told events[EVENTS_MOST];
	int status;
	u8 data[8];
};

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

/* One call at a time per id, and tests look when all workers have settled. */
static int end_handler(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	struct end *end = id->context;
	struct told *told;

	if (event->event == IB_CM_REQ_RECEIVED ||
	    event->event == IB_CM_SIDR_REQ_RECEIVED) {
		if (end->answer)
			return end->answer;
		if (end->made == EVENTS_MOST)
			return -EPERM;
		end->ids[end->made++] = id;
		end->id = id;
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

static void end_open(struct kunit *test, struct end *end)
{
	memset(end, 0, sizeof(*end));
	end->qpn = played.next_qpn++;
	end->id = ib_create_cm_id(&played.device, end_handler, end);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, end->id);
}

static void end_listen(struct kunit *test, struct end *end, __be64 service)
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
	path->packet_life_time = LIFE;
}

/* The first PSN that an end sends; any number that tells them apart. */
static u32 end_psn(const struct end *end)
{
	return end->qpn + 0x1000;
}

static int end_req(struct end *end, __be64 service)
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

static int end_sidr(struct end *end, u8 len)
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

static int end_rep(struct end *end)
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

static void expect_no_event(struct kunit *test, struct end *end)
{
	KUNIT_EXPECT_EQ(test, end->count, 0);
}

static void expect_event(struct kunit *test, struct end *end,
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

static void wait_event_of(struct kunit *test, struct end *end,
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

static void ends_until_rep(struct kunit *test, struct end *a, struct end *b)
{
	end_open(test, a);
	end_listen(test, b, SERVICE);
	KUNIT_ASSERT_EQ(test, end_req(a, SERVICE), 0);
	run_until(test, b, IB_CM_REQ_RECEIVED);
	KUNIT_ASSERT_EQ(test, end_rep(b), 0);
	run_until(test, a, IB_CM_REP_RECEIVED);
}

static void ends_connect(struct kunit *test, struct end *a, struct end *b)
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

static void ends_destroy(struct end *a, struct end *b)
{
	end_destroy(a->id);
	end_destroy(b->id);
	end_destroy(b->listener);
	wire_run();
}

/* Every request that @end has taken. */
static void ends_forget(struct end *end)
{
	while (end->made)
		ib_destroy_cm_id(end->ids[--end->made]);
	end->id = NULL;
}

static void expect_attr(struct kunit *test, struct end *end,
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
	KUNIT_EXPECT_EQ(test, (int)attr.timeout, LIFE + 1);
	KUNIT_EXPECT_EQ(test, (int)attr.retry_cnt, 6);

	attr.qp_state = IB_QPS_ERR;
	KUNIT_EXPECT_EQ(test, ib_cm_init_qp_attr(end->id, &attr, &mask),
			-EINVAL);
}

/* Life of a test. */

static void played_unplug(void)
{
	played.there = false;
	cm_remove(&played.device, played.data);
	wire_settle();
}

static int played_init(struct kunit *test)
{
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

	played.next_qpn = 0x100;
	played.ports[PORT].immutable.core_cap_flags =
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
	ret = cm_add(&played.device);
	played.there = !ret;
	return ret;
}

/* Whatever a test did, nothing is left. */
static void played_exit(struct kunit *test)
{
	struct packet *packet;

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
	KUNIT_EXPECT_EQ(test, atomic_read(&half_open_all), 0);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&peers_by_comm));
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&peers_by_qpn));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A MAD layer, an address table and neighbours that are played.
 */
#include "fake_mad.h"

struct played played;
struct wire wire;
const union ib_gid nowhere = { .raw = { 0xfe, 0x80, [15] = 1 } };
struct neighbours neighbours;

/* A send buffer, as the MAD layer has it. */
struct posted {
	struct ib_mad_send_buf buf;
	union cm_mad mad;
	struct list_head node;
	bool waits;
	enum ib_wc_status status;
};

static void find_neighbour(const union ib_gid *gid)
{
	if (memcmp(gid, &nowhere, sizeof(nowhere)))
		return;
	atomic_inc(&neighbours.waiting);
	wait_event_timeout(neighbours.queue, !READ_ONCE(neighbours.closed),
			   60 * HZ);
	atomic_dec(&neighbours.waiting);
}

void neighbours_answer(void)
{
	WRITE_ONCE(neighbours.closed, false);
	wake_up_all(&neighbours.queue);
}

long sent(enum cm_attr attr)
{
	return wire.sent[attr];
}

long counter(enum cm_counter which, enum cm_attr attr)
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
	if (port_num == played.no_mads)
		return ERR_PTR(-ENODEV);
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

void done_work(struct work_struct *work)
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

void deliver_from(const union cm_mad *mad, const union ib_gid *gid)
{
	struct received *received = kzalloc(sizeof(*received), GFP_KERNEL);

	if (!received)
		return;
	received->mad = *mad;
	received->cqe.src_qp = 1;
	received->cqe.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
	received->cqe.network_hdr_type = RDMA_NETWORK_IPV6;
	received->grh.sgid = *gid;
	received->wc.wc = &received->cqe;
	received->wc.recv_buf.grh = &received->grh;
	received->wc.recv_buf.mad = &received->mad.mad;
	received->wc.mad_len = sizeof(*mad);
	atomic_inc(&played.recvs);
	cm_mad_received(&played.agent, NULL, &received->wc);
}

void deliver(const union cm_mad *mad)
{
	deliver_from(mad, &played.gid.gid);
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
	if (grh) {
		av->grh.dgid = grh->sgid;
		find_neighbour(&grh->sgid);
	}
	atomic_inc(&played.gids);
	return 0;
}

int ib_init_ah_attr_from_path(struct ib_device *device, u32 port_num,
			      struct sa_path_rec *rec, struct rdma_ah_attr *av,
			      const struct ib_gid_attr *sgid_attr)
{
	ib_init_ah_attr_from_wc(device, port_num, NULL, NULL, av);
	av->grh.dgid = rec->dgid;
	return 0;
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
	played.client = client;
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

void ib_device_put(struct ib_device *device)
{
	refcount_dec(&device->refcount);
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
	played.late += !played.there;
	played.most_refs = max_t(int, played.most_refs,
				 refcount_read(&device->refcount));
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

struct packet *take_packet(void)
{
	struct packet *packet;

	spin_lock_irq(&wire.lock);
	packet = list_first_entry_or_null(&wire.packets, struct packet, node);
	if (packet)
		list_del(&packet->node);
	spin_unlock_irq(&wire.lock);
	return packet;
}

void wire_settle(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		flush_work(&wire.work);
		if (!neighbours.closed)
			flush_workqueue(cm_unmatched_wq);
		flush_workqueue(cm_addr_wq);
		flush_workqueue(cm_rx_wq);
		flush_workqueue(cm_wq);
	}
}

void wire_run(void)
{
	struct packet *packet;

	wire_settle();
	while ((packet = take_packet())) {
		carry(&packet->mad);
		kfree(packet);
		wire_settle();
	}
}

void wire_repeat(void)
{
	struct posted *posted;

	spin_lock_irq(&wire.lock);
	list_for_each_entry(posted, &wire.waiting, node)
		put_packet(&posted->mad);
	spin_unlock_irq(&wire.lock);
	wire_run();
}

void wire_give_up(void)
{
	end_all_sends(IB_WC_RESP_TIMEOUT_ERR);
	wire_settle();
}

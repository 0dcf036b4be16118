// SPDX-License-Identifier: GPL-2.0
/* The fake link: see ibt_fake_link.h. */
#include <linux/crc32.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>

#include "hw/ibt/dev.h"
#include "hw/ibt/early.h"
#include "hw/ibt/recovery.h"
#include "ibt_fake_link.h"

struct fake_link fake;
u32 fake_port_caps;
u32 fake_ports = 1;
u32 fake_run_packets;
bool fake_run_whole;
bool fake_lanes;
bool fake_early;
bool fake_selective;
bool fake_congestion;
void (*fake_prepare)(struct ib_device *ib);

struct fake_path {
	struct ibt_path path;
	u8 slid;
	u8 dlid;
};

static int device_of(int lid)
{
	return (lid - 1) & 1;
}

static int index_of(const struct ibt_port *port)
{
	return ibt_port_dev(port) == fake.dev[1];
}

/* ---- operations of the link ------------------------------------------------------ */

static struct ibt_path *fake_resolve(struct ibt_port *port,
				     const struct rdma_ah_attr *attr, gfp_t gfp)
{
	u32 lid = rdma_ah_get_dlid(attr);
	u32 own = 1 + index_of(port) + 2 * rdma_ah_get_path_bits(attr);
	void (*resolving)(void) = xchg(&fake.resolving, NULL);
	struct fake_path *p;

	if (resolving)
		resolving();
	if (!lid || lid > FAKE_LIDS || own > FAKE_LIDS)
		return ERR_PTR(-EHOSTUNREACH);
	p = kzalloc(sizeof(*p), gfp);
	if (!p)
		return ERR_PTR(-ENOMEM);
	refcount_set(&p->path.refs, 1);
	p->path.port = port;
	p->path.mtu = 4096;
	p->path.headroom = FAKE_BYTES;
	p->slid = own;
	p->dlid = lid;
	if (fake.local)
		p->path.local = ibt_dev_port(fake.dev[device_of(lid)], 1);
	atomic_inc(&fake.paths);
	return &p->path;
}

static bool fake_valid(const struct ibt_path *path)
{
	return true;
}

static void fake_path_free(struct ibt_path *path)
{
	kfree(container_of(path, struct fake_path, path));
	atomic_dec(&fake.paths);
}

static void fill_header(u8 *at, int slid, int dlid)
{
	memcpy(at, "FAKE", 4);
	at[4] = device_of(dlid);
	at[5] = device_of(slid);
	at[6] = dlid;
	at[7] = slid;
}

static u32 fake_run(const struct ibt_path *path, u32 size)
{
	return READ_ONCE(fake_run_packets);
}

static void fake_build(struct sk_buff *skb, struct ibt_path *path, u32 flow,
		       u32 size)
{
	const struct fake_path *p = container_of(path, struct fake_path, path);

	fill_header(skb_push(skb, FAKE_BYTES), p->slid, p->dlid);
	skb_reset_network_header(skb);
	skb_shinfo(skb)->gso_size = size;
}

/* Packets of a run are numbered, as IPv4's identification does it. */
static u32 fake_seed(const struct sk_buff *skb, u32 index, u32 length)
{
	u8 header[FAKE_BYTES];

	memcpy(header, skb_network_header(skb), FAKE_BYTES);
	header[3] += index;
	return crc32_le(~0, header, FAKE_BYTES);
}

/* The packets of a run, each with a header of its own. */
static void queue_run(struct sk_buff *run)
{
	u32 size = skb_shinfo(run)->gso_size;
	u32 at, bytes, index = 0;
	struct sk_buff *skb;
	u8 *header;

	fake.num_runs++;
	for (at = FAKE_BYTES; at < run->len; at += bytes) {
		bytes = min(size, run->len - at);
		skb = alloc_skb(FAKE_BYTES + bytes, GFP_ATOMIC);
		if (!skb)
			break;
		header = skb_put_data(skb, run->data, FAKE_BYTES);
		header[3] += index++;
		skb_copy_bits(run, at, skb_put(skb, bytes), bytes);
		skb_queue_tail(&fake.queue, skb);
	}
	kfree_skb(run);
}

static int fake_xmit(struct sk_buff *skb, struct ibt_path *path)
{
	void (*sending)(void) = xchg(&fake.sending, NULL);
	int from = index_of(path->port);
	bool full;

	if (sending)
		sending();
	set_bit(raw_smp_processor_id() % BITS_PER_LONG, &fake.cpus[from]);
	if (skb_shinfo(skb)->gso_size && !fake_run_whole)
		queue_run(skb);
	else
		skb_queue_tail(&fake.queue, skb);
	full = fake.limit && skb_queue_len(&fake.queue) >= fake.limit;
	if (full && fake.prompt)
		ibt_tx_wake(path->port);
	else if (full)
		WRITE_ONCE(fake.asked[from], true);
	mod_delayed_work(system_unbound_wq, &fake.work, 0);
	return full ? -EAGAIN : 0;
}

static bool fake_under_way(const struct ibt_port *port)
{
	return READ_ONCE(fake.tx_in_flight);
}

static void fake_passage(const struct ibt_port *port, struct ibt_passage *passage)
{
	fake.passage.taken += fake.step;
	fake.passage.gone += fake.step;
	passage->taken = READ_ONCE(fake.passage.taken);
	passage->gone = READ_ONCE(fake.passage.gone);
}

static void fake_meta_of(int slid, struct ibt_rx_meta *meta)
{
	memset(meta, 0, sizeof(*meta));
	meta->network = RDMA_NETWORK_IB;
	meta->slid = slid;
}

static void fake_meta(struct ibt_path *path, u32 length,
		      struct ibt_rx_meta *meta)
{
	fake_meta_of(container_of(path, struct fake_path, path)->slid, meta);
}

static int fake_query_port(struct ibt_port *port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = 1;
	attr->lid = 1 + index_of(port);
	attr->active_speed = IB_SPEED_SDR;
	attr->active_width = IB_WIDTH_4X;
	return 0;
}

static enum ib_mtu fake_active_mtu(struct ibt_port *port)
{
	return IB_MTU_4096;
}

static int fake_join(struct ibt_port *port, const union ib_gid *gid)
{
	return 0;
}

static void fake_leave(struct ibt_port *port, const union ib_gid *gid)
{
}

static void fake_dealloc(struct ibt_dev *dev)
{
	if (fake.ending)
		fake.ending(dev);
}

static int fake_immutable(struct ib_device *ib, u32 port_num,
			  struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = 1;
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_IB | fake_port_caps;
	immutable->max_mad_size = fake_port_caps & RDMA_CORE_CAP_OPA_MAD ?
				  OPA_MGMT_MAD_SIZE : IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer fake_layer(struct ib_device *ib, u32 port_num)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static int fake_query_gid(struct ib_device *ib, u32 port_num, int index,
			  union ib_gid *gid)
{
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	gid->global.interface_id = ib->node_guid;
	return 0;
}

static const struct ib_device_ops fake_ib_ops = {
	.owner = THIS_MODULE,
	.get_port_immutable = fake_immutable,
	.get_link_layer = fake_layer,
	.query_gid = fake_query_gid,
};

static struct ibt_link_ops fake_ops = {
	.name = "fake",
	.layer = IB_LINK_LAYER_INFINIBAND,
	.max_mtu = 4096,
	.path_resolve = fake_resolve,
	.path_valid = fake_valid,
	.path_free = fake_path_free,
	.run = fake_run,
	.build = fake_build,
	.icrc_seed = fake_seed,
	.xmit = fake_xmit,
	.tx_in_flight = fake_under_way,
	.passage = fake_passage,
	.meta = fake_meta,
	.query_port = fake_query_port,
	.active_mtu = fake_active_mtu,
	.mcast_join = fake_join,
	.mcast_leave = fake_leave,
	.dealloc = fake_dealloc,
	.ib_ops = &fake_ib_ops,
};

/* ---- between the devices ---------------------------------------------------------- */

static void keep_copy(const struct sk_buff *skb)
{
	struct sk_buff **wqe = &fake.kept[fake.num_kept % FAKE_KEPT];

	kfree_skb(*wqe);
	*wqe = skb_copy(skb, GFP_KERNEL);
	fake.num_kept++;
}

static void deliver(struct sk_buff *skb)
{
	struct ibt_rx_meta meta;
	int to = skb->data[4];

	fake_meta_of(skb->data[7], &meta);
	meta.congested = skb->mark;
	if (fake.group) {
		meta.has_grh = true;
		meta.dgid = *fake.group;
	}
	skb_reset_network_header(skb);
	skb_pull(skb, FAKE_BYTES);
	local_bh_disable();
	rcu_read_lock();
	ibt_rx(ibt_dev_port(fake.dev[to], 1), skb, &meta);
	rcu_read_unlock();
	local_bh_enable();
}

/* As it is, to the other side's port. */
static void deliver_run(struct sk_buff *run)
{
	struct ibt_rx_meta meta;
	int to = run->data[4];

	fake_meta_of(run->data[7], &meta);
	__skb_pull(run, FAKE_BYTES);
	local_bh_disable();
	rcu_read_lock();
	ibt_rx_gso(ibt_dev_port(fake.dev[to], 1), run,
		   skb_shinfo(run)->gso_size, &meta);
	rcu_read_unlock();
	local_bh_enable();
}

static void deliver_late(void)
{
	struct sk_buff *skb = fake.late;

	fake.late = NULL;
	if (skb)
		deliver(skb);
}

/* Which of them is next is decided here, so a script sees one order. */
static void pass_on(struct sk_buff *skb)
{
	u32 number = fake.number++;
	enum fake_fate fate = FAKE_PASS;
	struct sk_buff *copy;
	fake_script *script;

	if (skb_shinfo(skb)->gso_size) {
		fake.num_runs++;
		deliver_run(skb);
		return;
	}
	if (fake.keep)
		keep_copy(skb);
	/* What it works on was made ready before it was set. */
	script = smp_load_acquire(&fake.script);
	if (script)
		fate = script(number, skb->data + FAKE_BYTES);
	switch (fate) {
	case FAKE_DROP:
		kfree_skb(skb);
		return;
	case FAKE_LATER:
		if (!fake.late) {
			fake.late = skb;
			return;
		}
		break;
	case FAKE_TWICE:
		copy = skb_copy(skb, GFP_KERNEL);
		if (copy)
			deliver(copy);
		break;
	case FAKE_DAMAGE:
		skb->data[skb->len - 1] ^= 1;
		break;
	case FAKE_MARK:
		skb->mark = 1;
		break;
	case FAKE_PASS:
		break;
	}
	deliver(skb);
	deliver_late();
}

static void tell_room(void)
{
	int i;

	for (i = 0; i < 2; i++)
		if (xchg(&fake.asked[i], false))
			ibt_tx_wake(ibt_dev_port(fake.dev[i], 1));
}

static void fake_work(struct work_struct *work)
{
	struct sk_buff *skb;
	bool any = false;

	if (READ_ONCE(fake.closed))
		return;
	while ((skb = skb_dequeue(&fake.queue))) {
		any = true;
		pass_on(skb);
		cond_resched();
	}
	tell_room();
	if (!fake.late)
		return;
	/* Quiet for a while: then no predecessor is waited for. */
	if (any)
		mod_delayed_work(system_unbound_wq, &fake.work,
				 msecs_to_jiffies(5));
	else
		deliver_late();
}

void fake_inject_from(int slid, const u8 *bytes, u32 length)
{
	/* Some hold a lock of the engine meanwhile. */
	struct sk_buff *skb = alloc_skb(FAKE_BYTES + length, GFP_ATOMIC);
	__le32 icrc;
	u32 crc;
	u8 *at;

	if (!skb)
		return;
	at = skb_put(skb, FAKE_BYTES);
	fill_header(at, slid, device_of(slid) ? 1 : 2);
	crc = crc32_le(~0, at, FAKE_BYTES);
	at = skb_put_data(skb, bytes, length);
	if (length >= 16) {
		u8 variable = at[4];

		at[4] = 0xff;
		icrc = cpu_to_le32(~crc32_le(crc, at, length - 4));
		at[4] = variable;
		memcpy(at + length - 4, &icrc, 4);
	}
	deliver(skb);
}

void fake_inject(int to, const u8 *bytes, u32 length)
{
	fake_inject_from(to ? 1 : 2, bytes, length);
}

void fake_restart(fake_script *script)
{
	while (fake.late || !skb_queue_empty(&fake.queue)) {
		flush_delayed_work(&fake.work);
		usleep_range(1000, 2000);
	}
	flush_delayed_work(&fake.work);
	WRITE_ONCE(fake.script, NULL);
	fake.number = 0;
	/* Pairs with the acquire in pass_on(). */
	smp_store_release(&fake.script, script);
}

/* ---- life -------------------------------------------------------------------------- */

static int fake_add(int which)
{
	struct ibt_dev *dev = ibt_dev_alloc(&fake_ops, fake_ports, 1);
	int ret;

	if (!dev)
		return -ENOMEM;
	fake.dev[which] = dev;
	ibt_dev_ib(dev)->node_guid = cpu_to_be64(0x0200000000000001ULL + which);
	if (fake_prepare)
		fake_prepare(ibt_dev_ib(dev));
	ret = ibt_dev_register(dev, "ibt_fake%d");
	if (ret) {
		fake.dev[which] = NULL;
		ibt_dev_free(dev);
	}
	return ret;
}

int fake_start(void)
{
	int ret;

	memset(&fake, 0, sizeof(fake));
	fake_ops.lanes = fake_lanes;
	ibt_early = fake_early;
	ibt_selective = fake_selective;
	ibt_congestion = fake_congestion ? IBT_CONGESTION_LOSSES : IBT_CONGESTION_OFF;
	skb_queue_head_init(&fake.queue);
	INIT_DELAYED_WORK(&fake.work, fake_work);
	ret = fake_add(0);
	if (ret)
		return ret;
	ret = fake_add(1);
	if (ret)
		ib_unregister_device(fake_ib(0));
	return ret;
}

/*
 * Queue pairs of the tests are gone, but those of the MAD layer send until their
 * device goes. What they send then stays in the queue.
 */
void fake_stop(void)
{
	int i;

	fake_restart(NULL);
	WRITE_ONCE(fake.closed, true);
	cancel_delayed_work_sync(&fake.work);
	for (i = 0; i < FAKE_KEPT; i++)
		kfree_skb(fake.kept[i]);
	/* That is their end: the core calls the engine's dealloc_driver. */
	for (i = 1; i >= 0; i--)
		ib_unregister_device(fake_ib(i));
	cancel_delayed_work_sync(&fake.work);
	skb_queue_purge(&fake.queue);
	ibt_early = true;
	ibt_selective = true;
	ibt_congestion = IBT_CONGESTION_MARKS;
}

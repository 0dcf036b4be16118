/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RDMA over TCP: devices, queues, and the two directions of a stream.
 *
 *	out:	verbs, sq, tx, fpdu, socket
 *	in:	socket, rx, rdmap, and from there region, rq, sq, cq
 *	around:	iw_cm, conn (MPA start-up), the stream above, conn (the end)
 *
 * Locks, outermost first:
 *
 * iw_lock (mutex)
 *	list of devices, iw_dev.registered; writers of iw_dev.ndev. Inside rtnl.
 * ports_lock (mutex, cm_listen.c)
 *	sockets that listen.
 * iw_conn.lock (mutex)
 *	the life of a connection: state, cm_id, start-up frames, the socket's
 *	pointer. Held when events go to the iWARP CM, which queues them.
 * iw_listeners_lock (mutex)
 *	who listens by which socket.
 * iw_tx.lock (mutex)
 *	the send side of a stream: what is being built, what waits for the
 *	socket. Only tried for by those who post: who has it goes on for them.
 * the socket's own lock
 *	the receive side of a stream, struct iw_rx. Callbacks of the socket hold
 *	it, in softirq or as its owner; an end of this host that sends to it does,
 *	and has the iw_tx.lock of its own, but no other socket's (near.c).
 *	sk_user_data is a connection as long as its stream is attached, and is
 *	changed under it (iw_conn_attach()).
 * iw_qp.lock (spinlock, irqsave)
 *	state of a queue pair, slots of its send queue, its receive queue, READs
 *	of the peer.
 * iw_srq.lock (spinlock, irqsave)
 *	consumer side of a shared receive queue, producer side of a kernel one.
 * iw_cq.lock (spinlock, irqsave)
 *	producer side of a completion queue, consumer side of a kernel one. No
 *	consumer is called with it.
 */
#ifndef OFED_IW_DEV_H
#define OFED_IW_DEV_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "../soft/dev.h"
#include "../soft/ident.h"
#include "limits.h"
#include "stats.h"

struct iw_stats {
	u64 count[IW_STAT_NUM];
};

/**
 * struct iw_dev - a device
 * @soft: keys, and the core's part
 * @entry: (iw_lock) of the list of devices
 * @ndev: its network device; NULL when that is gone. Readers: RCU
 * @held: the same, referenced until the device is freed
 * @registered: (iw_lock) the core knows it
 * @up: (iw_lock) what the core was told last
 * @downs: (iw_lock) times that it was told that the port is down
 * @announced: the log has a line that it came
 * @guid: its node GUID
 * @gid: the only one: the MAC of @held, or a number made of its name
 * @qps: number -> struct iw_qp
 * @next_qpn: where the search for a free number begins
 * @stats: counters, per CPU
 * @end: unregisters, on behalf of the notifier
 * @reap: takes it out of the list when the core has let go of it
 */
struct iw_dev {
	struct soft_dev soft;
	struct list_head entry;
	struct net_device __rcu *ndev;
	struct net_device *held;
	bool registered;
	bool up;
	u32 downs;
	bool announced;
	struct soft_guid guid;
	union ib_gid gid;
	struct xarray qps;
	u32 next_qpn;
	struct iw_stats __percpu *stats;
	struct work_struct end;
	struct work_struct reap;
};

static inline struct iw_dev *to_iw_dev(struct ib_device *ib)
{
	return container_of(ib, struct iw_dev, soft.ib);
}

static inline void iw_count_add(struct iw_dev *dev, enum iw_stat stat, u64 n)
{
	this_cpu_add(dev->stats->count[stat], n);
}

static inline void iw_count(struct iw_dev *dev, enum iw_stat stat)
{
	iw_count_add(dev, stat, 1);
}

/* dev.c */
extern struct mutex iw_lock;
extern struct list_head iw_devices;
void iw_dev_init(struct iw_dev *dev);
void iw_unregister(struct iw_dev *dev);
void iw_dev_reap(struct iw_dev *dev);
int iw_devs_init(void);
void iw_devs_exit(void);

/* netdev.c */
int iw_attach(struct iw_dev *dev, struct net_device *ndev);
void iw_detach(struct iw_dev *dev);
bool iw_publish(struct iw_dev *dev);
struct net_device *iw_get_ndev(struct iw_dev *dev);
struct net *iw_get_net(struct iw_dev *dev);
int iw_netdev_init(void);
void iw_netdev_exit(void);

/* verbs.c */
extern const struct ib_device_ops iw_verbs_ops;

#endif /* OFED_IW_DEV_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RDMA over TCP: devices, queues, and the two directions of a stream.
 *
 *	out:	verbs, sq, tx, fpdu, socket
 *	in:	socket, rx, rdmap, and from there region, rq, sq, cq
 *	around:	iw_cm, conn (MPA start-up), the stream above, conn (the end)
 *
 * Locks: Documentation/design/locking.md.
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

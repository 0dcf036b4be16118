/* SPDX-License-Identifier: GPL-2.0 */
/* A port of a device. Functions of ports that a link calls are in link.h. */
#ifndef IBT_PORT_H
#define IBT_PORT_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "limits.h"

struct ibt_dev;
struct ibt_ref;

/**
 * struct ibt_port - a port of a device
 * @dev: device of the port
 * @num: from 1
 * @special: of QP0 and QP1, RCU
 * @pkeys: the P_Key table; entry 0 is 0xffff until it is changed
 * @num_pkeys: entries
 * @cap_mask: PortInfo.CapabilityMask
 * @bad_pkeys: P_Key violation counter of query_port
 * @bad_qkeys: Q_Key violation counter of query_port
 * @downs: times that it went down
 * @generation: paths that were resolved before it changed are checked anew
 * @tx_wait_lock: guards all that follows
 * @tx_wake_seq: times that ibt_tx_wake() was called
 * @full: a queue pair waits for the next call of ibt_tx_wake()
 * @waiting: (sq.waiting of) queue pairs; their requesters wait for ibt_tx_wake()
 * @answering: (resp.waiting of) queue pairs; their responders wait for ibt_tx_wake()
 * @tx_wake_work: wakes the rest of @waiting and @answering, after the first few
 */
struct ibt_port {
	struct ibt_dev *dev;
	u32 num;
	struct ibt_ref __rcu *special[2];
	u16 pkeys[IBT_MAX_PKEYS];
	u16 num_pkeys;
	u32 cap_mask;
	atomic_t bad_pkeys;
	atomic_t bad_qkeys;
	atomic_t downs;
	atomic_t generation;
	spinlock_t tx_wait_lock;
	u32 tx_wake_seq;
	bool full;
	struct list_head waiting;
	struct list_head answering;
	struct work_struct tx_wake_work;
};

#endif /* IBT_PORT_H */

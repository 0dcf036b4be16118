/* SPDX-License-Identifier: GPL-2.0 */
/* Fault injection: what tx.c and fault.c share. */
#ifndef IBT_FAULT_H
#define IBT_FAULT_H

#include <linux/prandom.h>

#include "dev.h"

enum ibt_fault_kind {
	IBT_FAULT_DROP,
	IBT_FAULT_DUPLICATE,
	IBT_FAULT_REORDER,
	IBT_FAULT_CORRUPT,
	IBT_FAULT_KINDS,
};

/* Chances are given in parts of this. */
#define IBT_FAULT_SURE	10000

/**
 * struct ibt_fault - injection into what a device sends
 * @active: some chance is not 0; read without @lock, by ibt_fault_active()
 * @dev: whose
 * @dir: its folder in debugfs
 * @lock: guards everything below; taken inside of sq.lock and resp.lock
 * @knobs: per kind, the chance of IBT_FAULT_SURE (and what its file needs)
 * @seed: where the sequence began
 * @random: where it is
 * @held: the packet that waits for the next one, or NULL
 * @held_path: its path, referenced
 * @held_bytes: of it, from BTH to ICRC
 */
struct ibt_fault {
	bool active;
	struct ibt_dev *dev;
	struct dentry *dir;
	spinlock_t lock;
	struct ibt_fault_knob {
		struct ibt_fault *fault;
		u32 chance;
	} knobs[IBT_FAULT_KINDS];
	u32 seed;
	struct rnd_state random;
	struct sk_buff *held;
	struct ibt_path *held_path;
	u32 held_bytes;
};

static inline bool ibt_fault_active(const struct ibt_dev *dev)
{
	/* Set once, while packets may be on their way already. */
	const struct ibt_fault *fault = READ_ONCE(dev->fault);

	return unlikely(fault && READ_ONCE(fault->active));
}

int ibt_fault_init(struct ibt_dev *dev);
void ibt_fault_exit(struct ibt_dev *dev);
/* What ibt_tx() sends through while injection is on. @bth: offset of the BTH. */
int ibt_fault_tx(struct ibt_path *path, struct sk_buff *skb, u32 bth);

/* Folder of the module. */
extern struct dentry *ibt_debugfs;

#endif /* IBT_FAULT_H */

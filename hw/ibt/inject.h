/* SPDX-License-Identifier: GPL-2.0 */
/* Fault injection: shared by tx.c and inject.c. */
#ifndef IBT_INJECT_H
#define IBT_INJECT_H

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
 * struct ibt_fault - fault injection into the packets that a device sends
 * @active: some chance is not 0; read without @lock, by ibt_fault_active()
 * @dev: the device
 * @dir: its debugfs directory
 * @lock: guards everything below; taken inside of sq.lock and resp.lock
 * @knobs: chance of each kind of fault, in parts of IBT_FAULT_SURE, and its file
 * @seed: seed of the random numbers
 * @random: state of the random numbers
 * @held: packet that waits to be overtaken by the next one, or NULL
 * @held_path: path of @held, referenced
 * @held_bytes: length of @held from BTH to ICRC
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
	/* Set once, while packets may be being sent. */
	const struct ibt_fault *fault = READ_ONCE(dev->fault);

	return unlikely(fault && READ_ONCE(fault->active));
}

int ibt_fault_init(struct ibt_dev *dev);
void ibt_fault_exit(struct ibt_dev *dev);
/* Replaces ibt_tx_link() while injection is on. @bth: offset of the BTH. */
int ibt_fault_tx(struct ibt_path *path, struct sk_buff *skb, u32 bth);

/* Directory of the module. */
extern struct dentry *ibt_debugfs;

#if IS_ENABLED(CONFIG_KUNIT)
struct sk_buff *ibt_fault_damage(struct sk_buff *skb, u32 bth, u32 number);
int ibt_chance_set(void *data, u64 value);
int ibt_seed_set(void *data, u64 value);
#endif

#endif /* IBT_INJECT_H */

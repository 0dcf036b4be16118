// SPDX-License-Identifier: GPL-2.0
/*
 * Fault injection, for tests: packets that a device sends are dropped, duplicated,
 * reordered or corrupted after they are complete. Each packet draws the same number
 * of random numbers whatever is enabled, so a seed and a sequence of packets
 * determine which packets are affected.
 *
 *	debugfs/ofed_soft/DEVICE/{drop,duplicate,reorder,corrupt}	0 to 10000
 *	debugfs/ofed_soft/DEVICE/seed		a write restarts the sequence
 */
#include <kunit/visibility.h>
#include <linux/debugfs.h>
#include <linux/slab.h>

#include "dev.h"
#include "inject.h"
#include "link.h"
#include "port.h"
#include "tx.h"
#include "wire.h"

/* Directory of the module. */
struct dentry *ibt_debugfs;

static const char * const file_names[IBT_FAULT_KINDS] = {
	[IBT_FAULT_DROP]	= "drop",
	[IBT_FAULT_DUPLICATE]	= "duplicate",
	[IBT_FAULT_REORDER]	= "reorder",
	[IBT_FAULT_CORRUPT]	= "corrupt",
};

/* A packet, its path, and its length from BTH to ICRC. */
struct parcel {
	struct sk_buff *skb;
	struct ibt_path *path;
	u32 bytes;
};

/* ---- one packet ---------------------------------------------------------------- */

struct lot {
	bool hit[IBT_FAULT_KINDS];
	u32 which_bit;
};

static void ibt_draw_lot(struct ibt_fault *fault, struct lot *lot)
{
	int kind;

	lockdep_assert_held(&fault->lock);
	for (kind = 0; kind < IBT_FAULT_KINDS; kind++) {
		u32 number = prandom_u32_state(&fault->random);

		lot->hit[kind] = number % IBT_FAULT_SURE <
				 fault->knobs[kind].chance;
	}
	lot->which_bit = prandom_u32_state(&fault->random);
}

/* Takes the held packet; the caller must send or free it. */
static struct parcel ibt_release_held(struct ibt_fault *fault)
{
	struct parcel held = { fault->held, fault->held_path,
			       fault->held_bytes };

	lockdep_assert_held(&fault->lock);
	fault->held = NULL;
	fault->held_path = NULL;
	return held;
}

static int ibt_send_held(struct parcel held)
{
	int ret;

	if (!held.skb)
		return 0;
	ret = ibt_tx_link(held.path, held.skb, 1, held.bytes);
	ibt_path_put(held.path);
	return ret;
}

/*
 * Inverts one bit that the ICRC covers. A packet may refer to pages of a memory region,
 * so it is copied first; without memory for the copy it stays intact.
 */
VISIBLE_IF_KUNIT struct sk_buff *ibt_fault_damage(struct sk_buff *skb, u32 bth, u32 number)
{
	u32 first = bth + IBT_BTH_RESV8A + 1;
	u32 bit = number % ((skb->len - first) * 8);
	struct sk_buff *own = skb;

	if (skb_is_nonlinear(skb) || skb_cloned(skb)) {
		own = skb_copy(skb, GFP_ATOMIC);
		if (!own)
			return skb;
		consume_skb(skb);
	}
	own->data[first + bit / 8] ^= BIT(bit % 8);
	return own;
}

/**
 * ibt_fault_tx - send a packet with fault injection
 * @path: path of the packet
 * @skb: complete packet, data at the link's first byte; consumed
 * @bth: offset of the BTH
 *
 * Context: interrupts enabled; locks of a queue pair may be held.
 *
 * Return: 0, or -EAGAIN if xmit() returned it for any packet that was sent now.
 */
int ibt_fault_tx(struct ibt_path *path, struct sk_buff *skb, u32 bth)
{
	struct ibt_fault *fault = path->port->dev->fault;
	struct sk_buff *again = NULL;
	u32 bytes = skb->len - bth;
	struct parcel held = { };
	struct lot lot;
	int ret = 0;

	spin_lock_bh(&fault->lock);
	ibt_draw_lot(fault, &lot);
	spin_unlock_bh(&fault->lock);

	if (lot.hit[IBT_FAULT_DROP]) {
		kfree_skb(skb);
		skb = NULL;
	} else {
		if (lot.hit[IBT_FAULT_DUPLICATE])
			again = skb_copy(skb, GFP_ATOMIC);
		if (lot.hit[IBT_FAULT_CORRUPT])
			skb = ibt_fault_damage(skb, bth, lot.which_bit);
	}

	spin_lock_bh(&fault->lock);
	if (fault->held) {
		held = ibt_release_held(fault);
	} else if (skb && lot.hit[IBT_FAULT_REORDER] && fault->active) {
		fault->held = skb;
		fault->held_path = ibt_path_get(path);
		fault->held_bytes = bytes;
		skb = NULL;
	}
	spin_unlock_bh(&fault->lock);

	if (skb)
		ret = ibt_tx_link(path, skb, 1, bytes);
	if (again)
		ret = ibt_tx_link(path, again, 1, bytes) ?: ret;
	return ibt_send_held(held) ?: ret;
}

/* ---- files --------------------------------------------------------------------- */

/* Called after a change of a chance. Returns the held packet when injection is off. */
static struct parcel ibt_now_active(struct ibt_fault *fault)
{
	bool active = false;
	int kind;

	lockdep_assert_held(&fault->lock);
	for (kind = 0; kind < IBT_FAULT_KINDS; kind++)
		active |= fault->knobs[kind].chance != 0;
	WRITE_ONCE(fault->active, active);
	return active ? (struct parcel){ } : ibt_release_held(fault);
}

static int ibt_chance_get(void *data, u64 *value)
{
	const struct ibt_fault_knob *knob = data;

	*value = READ_ONCE(knob->chance);
	return 0;
}

VISIBLE_IF_KUNIT int ibt_chance_set(void *data, u64 value)
{
	struct ibt_fault_knob *knob = data;
	struct parcel held;

	if (value > IBT_FAULT_SURE)
		return -EINVAL;
	spin_lock_bh(&knob->fault->lock);
	WRITE_ONCE(knob->chance, value);
	held = ibt_now_active(knob->fault);
	spin_unlock_bh(&knob->fault->lock);

	local_bh_disable();
	ibt_send_held(held);
	local_bh_enable();
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(chance_fops, ibt_chance_get, ibt_chance_set, "%llu\n");

static int ibt_seed_get(void *data, u64 *value)
{
	const struct ibt_fault *fault = data;

	*value = READ_ONCE(fault->seed);
	return 0;
}

VISIBLE_IF_KUNIT int ibt_seed_set(void *data, u64 value)
{
	struct ibt_fault *fault = data;

	if (value > U32_MAX)
		return -EINVAL;
	spin_lock_bh(&fault->lock);
	WRITE_ONCE(fault->seed, value);
	prandom_seed_state(&fault->random, value);
	spin_unlock_bh(&fault->lock);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(seed_fops, ibt_seed_get, ibt_seed_set, "%llu\n");

/* ---- life ---------------------------------------------------------------------- */

/**
 * ibt_fault_init - allocate the state of fault injection, and its debugfs files
 * @dev: device that has its name
 *
 * Packets may be sent meanwhile. A kernel without debugfs has no files, so injection
 * stays off.
 *
 * Context: may sleep.
 *
 * Return: 0, or -ENOMEM.
 */
int ibt_fault_init(struct ibt_dev *dev)
{
	struct ibt_fault *fault;
	int kind;

	fault = kzalloc(sizeof(*fault), GFP_KERNEL);
	if (!fault)
		return -ENOMEM;
	fault->dev = dev;
	spin_lock_init(&fault->lock);
	prandom_seed_state(&fault->random, fault->seed);
	for (kind = 0; kind < IBT_FAULT_KINDS; kind++)
		fault->knobs[kind].fault = fault;
	/* Senders read it without a lock, so it must be complete before. */
	smp_store_release(&dev->fault, fault);

	fault->dir = debugfs_create_dir(dev->soft.ib.name, ibt_debugfs);
	for (kind = 0; kind < IBT_FAULT_KINDS; kind++)
		debugfs_create_file_unsafe(file_names[kind], 0600, fault->dir,
					   &fault->knobs[kind], &chance_fops);
	debugfs_create_file_unsafe("seed", 0600, fault->dir, fault,
				   &seed_fops);
	return 0;
}

/**
 * ibt_fault_exit - remove the debugfs files and free the state of fault injection
 * @dev: device that sends no packets any more
 *
 * A held packet is dropped.
 *
 * Context: may sleep.
 */
void ibt_fault_exit(struct ibt_dev *dev)
{
	struct ibt_fault *fault = dev->fault;

	/* Waits for file operations that are in progress. */
	debugfs_remove_recursive(fault->dir);
	kfree_skb(fault->held);
	ibt_path_put(fault->held_path);
	dev->fault = NULL;
	kfree(fault);
}

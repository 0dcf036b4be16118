/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The locks of a region. A copy reads two regions at a time, and a region may be the
 * source of one copy and the destination of another. So a region has two gates: a reader
 * of one region, or of the first of two, passes SOFT_GATE_ONE, a reader of the second
 * passes SOFT_GATE_TWO, a writer passes both in that order.
 *
 * No waiting in a circle: a reader in a gate TWO waits for nothing. So a writer that holds
 * its gate ONE, and waits for its gate TWO, gets it. So a reader in a gate ONE, which
 * waits at most for a gate TWO, gets it, and a writer gets its gate ONE.
 *
 * A rwlock alone lets readers in softirq pass a writer that waits, and with enough of them
 * the writer waits for ever, with interrupts disabled. So a writer keeps @turn while it
 * waits, and readers that find a writer queue for @turn: neither side shuts the other
 * out. Exclusion is @lock's: a reader that looks at @writers too early does no harm.
 *
 * Interrupts are disabled from before the first lock on, so that no softirq of this
 * processor comes in between. On PREEMPT_RT, where they are not, all of these locks sleep,
 * and none is taken by trying.
 */
#ifndef OFED_SOFT_REGION_LOCK_H
#define OFED_SOFT_REGION_LOCK_H

#include "mr_table.h"

static inline void soft_region_lock_init(struct soft_region *region)
{
	struct soft_gate *one = &region->gates[SOFT_GATE_ONE];
	struct soft_gate *two = &region->gates[SOFT_GATE_TWO];

	/* Each initializer is a class of lockdep. */
	spin_lock_init(&one->turn);
	rwlock_init(&one->lock);
	spin_lock_init(&two->turn);
	rwlock_init(&two->lock);
}

/* Interrupts are disabled, but on PREEMPT_RT. */
static inline void soft_gate_read(struct soft_gate *gate)
{
	if (likely(!atomic_read(&gate->writers))) {
		read_lock(&gate->lock);
		return;
	}
	spin_lock(&gate->turn);
	read_lock(&gate->lock);
	spin_unlock(&gate->turn);
}

/* As soft_gate_read(). */
static inline void soft_gate_write(struct soft_gate *gate)
{
	atomic_inc(&gate->writers);
	spin_lock(&gate->turn);
	write_lock(&gate->lock);
	atomic_dec(&gate->writers);
	spin_unlock(&gate->turn);
}

/*
 * Read what a region grants. One over all kernel memory, which every queue pair
 * of every kernel consumer shares, grants the same from beginning to end, and
 * is not locked.
 */
static inline unsigned long soft_region_lock(struct soft_region *region)
{
	struct soft_gate *gate = &region->gates[SOFT_GATE_ONE];
	unsigned long flags = 0;

	if (region->kind == SOFT_DMA)
		return flags;
	if (likely(!atomic_read(&gate->writers))) {
		read_lock_irqsave(&gate->lock, flags);
		return flags;
	}
	spin_lock_irqsave(&gate->turn, flags);
	read_lock(&gate->lock);
	spin_unlock(&gate->turn);
	return flags;
}

static inline void soft_region_unlock(struct soft_region *region,
				      unsigned long flags)
{
	if (region->kind != SOFT_DMA)
		read_unlock_irqrestore(&region->gates[SOFT_GATE_ONE].lock,
				       flags);
}

/* Read what two regions grant, neither of which is one over all kernel memory. */
static inline unsigned long soft_region_lock_two(struct soft_region *a,
						 struct soft_region *b)
{
	unsigned long flags = soft_region_lock(a);

	soft_gate_read(&b->gates[SOFT_GATE_TWO]);
	return flags;
}

static inline void soft_region_unlock_two(struct soft_region *a,
					  struct soft_region *b,
					  unsigned long flags)
{
	read_unlock(&b->gates[SOFT_GATE_TWO].lock);
	soft_region_unlock(a, flags);
}

/* Change what a region grants. */
static inline unsigned long soft_region_lock_write(struct soft_region *region)
{
	struct soft_gate *one = &region->gates[SOFT_GATE_ONE];
	unsigned long flags;

	atomic_inc(&one->writers);
	spin_lock_irqsave(&one->turn, flags);
	write_lock(&one->lock);
	atomic_dec(&one->writers);
	spin_unlock(&one->turn);
	soft_gate_write(&region->gates[SOFT_GATE_TWO]);
	return flags;
}

static inline void soft_region_unlock_write(struct soft_region *region,
					    unsigned long flags)
{
	write_unlock(&region->gates[SOFT_GATE_TWO].lock);
	write_unlock_irqrestore(&region->gates[SOFT_GATE_ONE].lock, flags);
}

static inline void
soft_region_assert_locked(const struct soft_region *region)
{
	if (region->kind != SOFT_DMA)
		lockdep_assert(lockdep_is_held(&region->gates[SOFT_GATE_ONE].lock) ||
			       lockdep_is_held(&region->gates[SOFT_GATE_TWO].lock));
}

static inline void
soft_region_assert_write(const struct soft_region *region)
{
	lockdep_assert_held_write(&region->gates[SOFT_GATE_ONE].lock);
	lockdep_assert_held_write(&region->gates[SOFT_GATE_TWO].lock);
}

#endif /* OFED_SOFT_REGION_LOCK_H */

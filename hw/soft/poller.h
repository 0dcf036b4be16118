/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doorbells that are stores: a page that a program maps, and a thread that reads it.
 *
 *            many calls, a processor is free          thread begins
 *   ASLEEP ------------------------------> WANTED ----------------------> AWAKE
 *      ^      the program calls                         it stores, and calls not
 *      |                                                              |
 *      +--------------------------------------------------------------+
 *        nothing for a while; another task wants the processor; the thread is late (timer)
 */
#ifndef OFED_SOFT_POLLER_H
#define OFED_SOFT_POLLER_H

#include <linux/types.h>

struct ib_ucontext;
struct soft_poller;

/**
 * struct soft_bell - doorbell of a queue pair
 * @poller: of its context, NULL: it has no doorbell
 * @slot: its bit
 * @ring: requests are in the ring. Softirqs disabled, poller.lock held
 */
struct soft_bell {
	struct soft_poller *poller;
	u32 slot;
	void (*ring)(struct soft_bell *bell);
};

/* poller.c: life, doorbells */
struct soft_poller *soft_poller_open(struct ib_ucontext *ib);
void soft_poller_close(struct soft_poller *poller);
void soft_poller_where(const struct soft_poller *poller, u64 *offset, u32 *bytes);
u32 soft_bell_add(struct ib_ucontext *ib, struct soft_bell *bell,
		  void (*ring)(struct soft_bell *bell));
void soft_bell_remove(struct soft_bell *bell);
void soft_bell_settle(struct soft_bell *bell);
void soft_poller_called(struct soft_poller *poller);

/* A program has rung by a call. Process context. */
static inline void soft_bell_called(struct soft_bell *bell)
{
	if (bell->poller)
		soft_poller_called(bell->poller);
}

#endif /* OFED_SOFT_POLLER_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of doorbells: one for each context of a library that knows them, and a doorbell for each
 * queue pair. The thread that reads them is in poller_thread.c.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "context.h"
#include "poll.h"

static_assert(sizeof(struct ofed_doorbell_page) <= PAGE_SIZE);
static_assert(sizeof_field(struct ofed_doorbell_page, rung) * 8 == OFED_DOORBELLS);

/**
 * soft_poller_open - doorbells of a new context
 * @ib: context of a library that knows them
 *
 * Context: process, may sleep. Return: NULL: it is to have none, or there is no memory.
 */
struct soft_poller *soft_poller_open(struct ib_ucontext *ib)
{
	struct soft_poller *p;

	if (!soft_pollers_wanted())
		return NULL;
	p = kvzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p)
		return NULL;
	p->map = soft_map_new(ib, sizeof(*p->page), 0);
	if (!p->map) {
		kvfree(p);
		return NULL;
	}
	p->page = p->map->mem;
	spin_lock_init(&p->lock);
	soft_poller_init(p);
	return p;
}

/* A core may have lost queue pairs, which end with the device, after their context. */
static void soft_poller_forget(struct soft_poller *p)
{
	u32 slot;

	for_each_set_bit(slot, p->used, OFED_DOORBELLS)
		p->bells[slot]->poller = NULL;
}

/**
 * soft_poller_close - the end of a context
 * @p: of soft_poller_open(), or NULL; no queue pair of the context is in use
 *
 * A program that has the page mapped keeps it, as plain memory in which all rings call.
 *
 * Context: process, sleeps.
 */
void soft_poller_close(struct soft_poller *p)
{
	if (!p)
		return;
	soft_poller_stop(p);
	soft_poller_forget(p);
	WRITE_ONCE(p->page->awake, 0);
	rdma_user_mmap_entry_remove(&p->map->entry);
	kvfree(p);
}

/**
 * soft_poller_where - what a library has to map
 * @p: doorbells of its context
 * @offset: for mmap()
 * @bytes: for mmap()
 */
void soft_poller_where(const struct soft_poller *p, u64 *offset, u32 *bytes)
{
	*offset = rdma_user_mmap_get_offset(&p->map->entry);
	*bytes = PAGE_ALIGN(sizeof(*p->page));
}

/**
 * soft_bell_add - give a queue pair a doorbell
 * @ib: its context; NULL: it is the kernel's
 * @bell: the queue pair's, all zero
 * @ring: requests are in its ring
 *
 * Context: process.
 *
 * Return: 1 + number of the doorbell; 0: it has none.
 */
u32 soft_bell_add(struct ib_ucontext *ib, struct soft_bell *bell,
		  void (*ring)(struct soft_bell *bell))
{
	struct soft_poller *p = ib ? to_soft_ucontext(ib)->poller : NULL;
	u32 slot;

	if (!p)
		return 0;
	bell->ring = ring;
	spin_lock_bh(&p->lock);
	slot = find_first_zero_bit(p->used, OFED_DOORBELLS);
	if (slot < OFED_DOORBELLS) {
		__set_bit(slot, p->used);
		/* The one that had the number before may have rung. */
		soft_rung_take(p, slot);
		bell->slot = slot;
		bell->poller = p;
		p->bells[slot] = bell;
		WRITE_ONCE(p->words, max(p->words, slot / 32 + 1));
	}
	spin_unlock_bh(&p->lock);
	return bell->poller ? slot + 1 : 0;
}

/**
 * soft_bell_remove - take a queue pair's doorbell away
 * @bell: the queue pair's; it need not have one
 *
 * Context: process. @bell.ring is not called afterwards, and does not run.
 */
void soft_bell_remove(struct soft_bell *bell)
{
	struct soft_poller *p = bell->poller;

	if (!p)
		return;
	spin_lock_bh(&p->lock);
	p->bells[bell->slot] = NULL;
	__clear_bit(bell->slot, p->used);
	spin_unlock_bh(&p->lock);
	bell->poller = NULL;
}

/**
 * soft_bell_settle - serve a doorbell that has rung, here and now
 * @bell: the queue pair's; it need not have one
 *
 * Context: process, or softirqs disabled; no lock is held that @bell.ring takes.
 */
void soft_bell_settle(struct soft_bell *bell)
{
	if (bell->poller)
		soft_rung_answer(bell->poller, bell->slot);
}

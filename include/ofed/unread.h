/* SPDX-License-Identifier: GPL-2.0 */
/* Memory for events that wait for a program to read them. */
#ifndef OFED_UNREAD_H
#define OFED_UNREAD_H

#include <linux/sched/mm.h>
#include <linux/slab.h>

/* Of one id; for these a program without memory need not pay. */
#define OFED_UNREAD_FREE 16

/**
 * ofed_unread_alloc - memory for an event that a program is to read
 * @memcg: memory cgroup of the program
 * @size: bytes
 * @unread: how many events of the same id wait already
 *
 * Events come in threads of the kernel that others depend on, and the program determines how many
 * are unread: its cgroup is charged, but the allocation does not reclaim. A cgroup without memory
 * gets the first OFED_UNREAD_FREE events all the same: without them the program might wait for an
 * event for ever.
 *
 * Context: process, may sleep. Return: zeroed memory for kfree(), or NULL.
 */
static inline void *ofed_unread_alloc(struct mem_cgroup *memcg, size_t size, u32 unread)
{
	struct mem_cgroup *old = set_active_memcg(memcg);
	void *event = kzalloc(size, GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);

	set_active_memcg(old);
	if (!event && unread < OFED_UNREAD_FREE)
		event = kzalloc(size, GFP_KERNEL);
	return event;
}

#endif /* OFED_UNREAD_H */

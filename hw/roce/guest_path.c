// SPDX-License-Identifier: GPL-2.0
/* Paths from namespaces that their device is not in (guest.c). */
#include <linux/rculist.h>
#include <net/net_namespace.h>

#include "dev.h"
#include "guest.h"
#include "net.h"
#include "path.h"

/* Lists of roce_guest_paths(); of each path on one, when it leaves and @dst goes. */
static DEFINE_SPINLOCK(roce_guest_lock);

/**
 * roce_guest_keep - a path has a namespace
 * @p: path without route so far
 * @net: namespace of the interface that has its source address
 *
 * Context: any; RCU, since before @net was seen.
 * Return: 0, or -ENETUNREACH (@net goes).
 */
int roce_guest_keep(struct roce_path *p, struct net *net)
{
	unsigned long flags;

	rcu_assign_pointer(p->net, net);
	/* That one waits for the device. */
	if (net_eq(net, p->rd->net))
		return 0;
	/* A grace period later roce_guest_end() looks for paths. */
	if (!check_net(net))
		return -ENETUNREACH;
	spin_lock_irqsave(&roce_guest_lock, flags);
	list_add(&p->in_net, roce_guest_paths(net));
	spin_unlock_irqrestore(&roce_guest_lock, flags);
	return 0;
}

/* The path is about to be freed. Context: any. */
void roce_guest_drop(struct roce_path *p)
{
	unsigned long flags;

	if (rcu_access_pointer(p->net) == p->rd->net) {
		dst_release(p->dst);
		return;
	}
	/* With the lock held: the namespace must not go in between. */
	spin_lock_irqsave(&roce_guest_lock, flags);
	list_del_init(&p->in_net);
	dst_release(p->dst);
	spin_unlock_irqrestore(&roce_guest_lock, flags);
}

/* No more packets on the paths of a namespace. False: there are none. */
static bool roce_guest_stop(struct list_head *paths)
{
	struct roce_path *p;
	bool any;

	spin_lock_irq(&roce_guest_lock);
	list_for_each_entry(p, paths, in_net)
		RCU_INIT_POINTER(p->net, NULL);
	any = !list_empty(paths);
	spin_unlock_irq(&roce_guest_lock);
	return any;
}

/**
 * roce_guest_end - a namespace takes its routes back
 * @net: namespace without interfaces, which goes
 *
 * Context: process, may sleep.
 */
void roce_guest_end(struct net *net)
{
	struct list_head *paths = roce_guest_paths(net);
	struct roce_path *p, *next;

	if (!roce_guest_stop(paths))
		return;
	/* The sender, and roce_path_valid(), read p->net first. */
	synchronize_net();
	spin_lock_irq(&roce_guest_lock);
	list_for_each_entry_safe(p, next, paths, in_net) {
		dst_release(p->dst);
		p->dst = NULL;
		list_del_init(&p->in_net);
	}
	spin_unlock_irq(&roce_guest_lock);
	/* Some routes are counted in their namespace when they are destroyed. */
	rcu_barrier();
}

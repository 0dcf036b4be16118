// SPDX-License-Identifier: GPL-2.0
/* Paths from namespaces other than the device's (guest.c). */
#include <linux/rculist.h>
#include <net/net_namespace.h>

#include "dev.h"
#include "guest.h"
#include "net.h"
#include "path.h"

/* Guards the lists of roce_guest_paths(), and the release of @dst of their paths. */
static DEFINE_SPINLOCK(roce_guest_lock);

/**
 * roce_guest_keep - bind a path to a namespace
 * @p: path, not resolved yet
 * @net: namespace of the interface that has its source address
 *
 * Context: any; the RCU section in which the caller found @net.
 * Return: 0, or -ENETUNREACH: @net is being destroyed.
 */
int roce_guest_keep(struct roce_path *p, struct net *net)
{
	unsigned long flags;

	rcu_assign_pointer(p->net, net);
	/* The device's namespace waits for the device, so the path needs no list. */
	if (net_eq(net, p->rd->net))
		return 0;
	/* roce_guest_end() looks for paths a grace period later. */
	if (!check_net(net))
		return -ENETUNREACH;
	spin_lock_irqsave(&roce_guest_lock, flags);
	list_add(&p->in_net, roce_guest_paths(net));
	spin_unlock_irqrestore(&roce_guest_lock, flags);
	return 0;
}

/* Called before the path is freed. Context: any. */
void roce_guest_drop(struct roce_path *p)
{
	unsigned long flags;

	if (rcu_access_pointer(p->net) == p->rd->net) {
		dst_release(p->dst);
		return;
	}
	/* With the lock held, so that the namespace is not freed in between. */
	spin_lock_irqsave(&roce_guest_lock, flags);
	list_del_init(&p->in_net);
	dst_release(p->dst);
	spin_unlock_irqrestore(&roce_guest_lock, flags);
}

/* Stops packets on all paths of a namespace. False: there are none. */
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
 * roce_guest_end - release the dsts of all paths of a namespace
 * @net: namespace without interfaces, being destroyed
 *
 * Context: process, may sleep.
 */
void roce_guest_end(struct net *net)
{
	struct list_head *paths = roce_guest_paths(net);
	struct roce_path *p, *next;

	if (!roce_guest_stop(paths))
		return;
	/* Senders and roce_path_valid() read p->net under RCU before they use @dst. */
	synchronize_net();
	spin_lock_irq(&roce_guest_lock);
	list_for_each_entry_safe(p, next, paths, in_net) {
		dst_release(p->dst);
		p->dst = NULL;
		list_del_init(&p->in_net);
	}
	spin_unlock_irq(&roce_guest_lock);
	/* The RCU callback that destroys a dst may update counters of its namespace. */
	rcu_barrier();
}

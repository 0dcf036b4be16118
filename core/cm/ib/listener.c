// SPDX-License-Identifier: GPL-2.0
/*
 * The table of listeners: which id takes a REQ or a SIDR_REQ, by device and
 * service id.
 */
#include <linux/memcontrol.h>
#include <rdma/ib_cm.h>

#include "core.h"

/* Guards the tree, and listening and shares of ids. */
static DEFINE_SPINLOCK(cm_listeners_lock);
static struct rb_root listeners = RB_ROOT;
/* The lower part of the next service id that is assigned, same guard. */
static u64 next_service;

struct listener_key {
	const struct ib_device *device;
	__be64 service_id;
};

static int cm_listener_key_cmp(const struct listener_key *key, const struct cm_id *id)
{
	u64 wanted = be64_to_cpu(key->service_id);
	u64 has = be64_to_cpu(id->id.service_id);

	if (key->device != id->id.device)
		return key->device < id->id.device ? -1 : 1;
	if (wanted != has)
		return wanted < has ? -1 : 1;
	return 0;
}

static int cm_listener_find_cmp(const void *key, const struct rb_node *node)
{
	return cm_listener_key_cmp(key, rb_entry(node, struct cm_id, listening));
}

static int cm_listener_add_cmp(struct rb_node *node, const struct rb_node *with)
{
	const struct cm_id *id = rb_entry(node, struct cm_id, listening);
	struct listener_key key = { id->id.device, id->id.service_id };

	return cm_listener_find_cmp(&key, with);
}

/*
 * Return: the listener with a reference and one of its places for a request,
 * for cm_listener_put(); ERR_PTR(-ENOENT) when the service has no listener,
 * ERR_PTR(-EBUSY) when too many requests wait for it.
 */
struct cm_id *cm_listener_get(struct ib_device *device, __be64 service_id)
{
	struct listener_key key = { device, service_id };
	struct cm_id *id = ERR_PTR(-ENOENT);
	struct rb_node *node;
	unsigned long flags;

	spin_lock_irqsave(&cm_listeners_lock, flags);
	node = rb_find(&key, &listeners, cm_listener_find_cmp);
	if (node) {
		id = rb_entry(node, struct cm_id, listening);
		if (atomic_add_unless(&id->pending, 1, CM_PENDING_MOST))
			cm_id_hold(id);
		else
			id = ERR_PTR(-EBUSY);
	}
	spin_unlock_irqrestore(&cm_listeners_lock, flags);
	return id;
}

/* The caller names a service id, or the CM assigns one of a fixed range. */
static int cm_choose_service(struct cm_id *id, __be64 service_id)
{
	const bool assigned = (service_id & IB_SERVICE_ID_AGN_MASK) ==
			      IB_CM_ASSIGN_SERVICE_ID;

	lockdep_assert_held(&cm_listeners_lock);
	if (!assigned)
		id->id.service_id = service_id;
	else if (service_id == IB_CM_ASSIGN_SERVICE_ID)
		id->id.service_id = IB_CM_ASSIGN_SERVICE_ID |
			cpu_to_be64(++next_service &
				    ~be64_to_cpu(IB_SERVICE_ID_AGN_MASK));
	else
		return -EINVAL;
	return 0;
}

/*
 * Return: NULL when @id listens now, the listener that has the service id
 * already, or ERR_PTR(-EINVAL).
 */
static struct cm_id *cm_listener_insert(struct cm_id *id, __be64 service_id,
					u32 shares)
{
	struct rb_node *node;
	int ret;

	lockdep_assert_held(&cm_listeners_lock);
	ret = cm_choose_service(id, service_id);
	if (ret)
		return ERR_PTR(ret);

	/* Before it can be found: a request may come at once. */
	id->id.state = IB_CM_LISTEN;
	id->shares = shares;
	node = rb_find_add(&id->listening, &listeners, cm_listener_add_cmp);
	if (!node)
		return NULL;
	RB_CLEAR_NODE(&id->listening);
	id->id.state = IB_CM_IDLE;
	return rb_entry(node, struct cm_id, listening);
}

/*
 * Enter a listener that others do not share.
 *
 * Return: 0, -EINVAL (a service id of the range that is assigned), -EBUSY (the
 * device has a listener of that service id).
 */
int cm_listener_add(struct cm_id *id, __be64 service_id)
{
	struct cm_id *other;

	lockdep_assert_held(&id->lock);
	spin_lock(&cm_listeners_lock);
	other = cm_listener_insert(id, service_id, 0);
	spin_unlock(&cm_listeners_lock);
	if (!other)
		return 0;
	pr_debug("ib_cm: id %08x can not listen for service %016llx: %s\n",
		 be32_to_cpu(id->id.local_id), be64_to_cpu(service_id),
		 IS_ERR(other) ? "of the range that is assigned" : "in use");
	return IS_ERR(other) ? PTR_ERR(other) : -EBUSY;
}

/*
 * @payer, or the nearest above it that @memcg is below as well. A cgroup keeps those above it, so
 * that it is there as long as that which the listener was made with.
 */
static struct mem_cgroup *cm_listener_payer(struct mem_cgroup *payer, struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	while (payer && !(memcg && mem_cgroup_is_descendant(memcg, payer)))
		payer = parent_mem_cgroup(payer);
#endif
	return payer;
}

/* Return: @other with one more share, that of @id, or ERR_PTR(-EINVAL). */
static struct cm_id *cm_listener_share(struct cm_id *other, const struct cm_id *id)
{
	lockdep_assert_held(&cm_listeners_lock);
	if (!other->shares || other->id.cm_handler != id->id.cm_handler)
		return ERR_PTR(-EINVAL);
	other->shares++;
	WRITE_ONCE(other->payer, cm_listener_payer(other->payer, id->memcg));
	return other;
}

/*
 * Enter a listener that others may share, or share the one that is there.
 *
 * Return: NULL when @id listens now, the listener that it shares instead, or
 * ERR_PTR(-EINVAL).
 */
struct cm_id *cm_listener_add_shared(struct cm_id *id, __be64 service_id)
{
	struct cm_id *other;

	lockdep_assert_held(&id->lock);
	spin_lock(&cm_listeners_lock);
	other = cm_listener_insert(id, service_id, 1);
	if (other && !IS_ERR(other))
		other = cm_listener_share(other, id);
	spin_unlock(&cm_listeners_lock);
	return other;
}

/*
 * Take a listener out of the tree, or one share of it away.
 *
 * Return: true when @id can be destroyed; false when others share it.
 */
bool cm_listener_remove(struct cm_id *id)
{
	unsigned long flags;
	bool last = true;

	spin_lock_irqsave(&cm_listeners_lock, flags);
	if (id->shares > 1) {
		id->shares--;
		last = false;
	} else if (!RB_EMPTY_NODE(&id->listening)) {
		rb_erase(&id->listening, &listeners);
		RB_CLEAR_NODE(&id->listening);
	}
	spin_unlock_irqrestore(&cm_listeners_lock, flags);
	return last;
}

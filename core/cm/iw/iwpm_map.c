// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of the port mapper's client: the mappings that ids use, which a
 * restarted daemon asks for, and the peers that have asked the local daemon for
 * a mapping, until they connect.
 *
 * Any host can add a peer by a datagram to the daemon, so their number is
 * limited, and the oldest is dropped first.
 */
#include <kunit/visibility.h>
#include <linux/hashtable.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "iwpm.h"

#define MAP_BITS 8

/**
 * struct remote - a peer that has announced itself
 * @node: in remotes, by @mapped_remote
 * @entry: in iwpm_remotes_by_age
 * @mapped_local: local address on the wire, that of a listener
 * @mapped_remote: the peer's address on the wire, from which it will connect
 * @remote: the peer's address before mapping
 */
struct remote {
	struct hlist_node node;
	struct list_head entry;
	struct sockaddr_storage mapped_local;
	struct sockaddr_storage mapped_remote;
	struct sockaddr_storage remote;
};

/* Guards all below. */
static DEFINE_MUTEX(map_lock);
/* struct ofed_iw_mapping, by local address. */
static DEFINE_HASHTABLE(mappings, MAP_BITS);
static DEFINE_HASHTABLE(remotes, MAP_BITS);
/* struct remote, the oldest first. */
VISIBLE_IF_KUNIT struct list_head iwpm_remotes_by_age = LIST_HEAD_INIT(iwpm_remotes_by_age);
VISIBLE_IF_KUNIT unsigned int iwpm_num_remotes;

/**
 * ofed_iw_pm_same_addr - compare addresses
 * @a: one
 * @b: the other
 *
 * Return: true if family, address and port are the same.
 */
bool ofed_iw_pm_same_addr(const struct sockaddr_storage *a,
			  const struct sockaddr_storage *b)
{
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;

	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return a4->sin_port == b4->sin_port &&
		       a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	if (a->ss_family == AF_INET6)
		return a6->sin6_port == b6->sin6_port &&
		       ipv6_addr_equal(&a6->sin6_addr, &b6->sin6_addr);
	return false;
}

/**
 * ofed_iw_pm_hash - hash an address
 * @addr: the address
 *
 * Return: a number that is the same for the same address.
 */
u32 ofed_iw_pm_hash(const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;
	const struct sockaddr_in *in = (const void *)addr;

	if (addr->ss_family == AF_INET)
		return jhash_2words((__force u32)in->sin_addr.s_addr,
				    (__force u32)in->sin_port, AF_INET);
	if (addr->ss_family == AF_INET6)
		return jhash2((const u32 *)&in6->sin6_addr, 4,
			      (__force u32)in6->sin6_port);
	return 0;
}

/**
 * ofed_iw_pm_map_add - remember a mapping in use
 * @local: address before it
 * @mapped: address on the wire
 * @flags: IWPM_FLAGS_*
 *
 * Context: process, may sleep. Return: for ofed_iw_pm_map_remove(), or NULL.
 */
struct ofed_iw_mapping *
ofed_iw_pm_map_add(const struct sockaddr_storage *local,
		   const struct sockaddr_storage *mapped, u32 flags)
{
	struct ofed_iw_mapping *mapping;

	mapping = kmalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);
	if (!mapping)
		return NULL;
	mapping->local = *local;
	mapping->mapped = *mapped;
	mapping->flags = flags;
	mutex_lock(&map_lock);
	hash_add(mappings, &mapping->node, ofed_iw_pm_hash(local));
	mutex_unlock(&map_lock);
	return mapping;
}

/**
 * ofed_iw_pm_map_remove - forget a mapping
 * @mapping: from ofed_iw_pm_map_add(); freed
 *
 * Context: process, may sleep.
 */
void ofed_iw_pm_map_remove(struct ofed_iw_mapping *mapping)
{
	mutex_lock(&map_lock);
	hash_del(&mapping->node);
	mutex_unlock(&map_lock);
	kfree(mapping);
}

/**
 * ofed_iw_pm_map_walk - go through all mappings
 * @fn: called with each, under map_lock; nonzero ends the walk
 * @arg: for @fn
 *
 * Context: process, may sleep. Return: what @fn returned last, or 0.
 */
int ofed_iw_pm_map_walk(int (*fn)(const struct ofed_iw_mapping *mapping,
				  void *arg), void *arg)
{
	struct ofed_iw_mapping *mapping;
	int bucket, ret = 0;

	mutex_lock(&map_lock);
	hash_for_each(mappings, bucket, mapping, node) {
		ret = fn(mapping, arg);
		if (ret)
			break;
	}
	mutex_unlock(&map_lock);
	return ret;
}

static struct remote *iwpm_find_remote(const struct sockaddr_storage *mapped_local,
				       const struct sockaddr_storage *mapped_remote)
{
	struct remote *remote;

	lockdep_assert_held(&map_lock);
	hash_for_each_possible(remotes, remote, node,
			       ofed_iw_pm_hash(mapped_remote))
		if (ofed_iw_pm_same_addr(&remote->mapped_remote,
					 mapped_remote) &&
		    ofed_iw_pm_same_addr(&remote->mapped_local, mapped_local))
			return remote;
	return NULL;
}

static void iwpm_forget_remote(struct remote *remote)
{
	lockdep_assert_held(&map_lock);
	hash_del(&remote->node);
	list_del(&remote->entry);
	iwpm_num_remotes--;
	kfree(remote);
}

/**
 * ofed_iw_pm_remote_add - remember a peer that has announced itself
 * @mapped_local: local address on the wire
 * @mapped_remote: the peer's address on the wire
 * @remote: the peer's address before mapping
 *
 * Takes the place of an earlier announcement by the same addresses, and when
 * there are too many, of the oldest. Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ofed_iw_pm_remote_add(const struct sockaddr_storage *mapped_local,
			  const struct sockaddr_storage *mapped_remote,
			  const struct sockaddr_storage *remote)
{
	struct remote *new = kmalloc(sizeof(*new), GFP_KERNEL), *old;

	if (!new)
		return -ENOMEM;
	new->mapped_local = *mapped_local;
	new->mapped_remote = *mapped_remote;
	new->remote = *remote;

	mutex_lock(&map_lock);
	old = iwpm_find_remote(mapped_local, mapped_remote);
	if (!old && iwpm_num_remotes >= OFED_IW_PM_REMOTES_MAX)
		old = list_first_entry(&iwpm_remotes_by_age, struct remote, entry);
	if (old)
		iwpm_forget_remote(old);
	hash_add(remotes, &new->node, ofed_iw_pm_hash(mapped_remote));
	list_add_tail(&new->entry, &iwpm_remotes_by_age);
	iwpm_num_remotes++;
	mutex_unlock(&map_lock);
	return 0;
}

/**
 * ofed_iw_pm_remote_take - find the announcement of a peer, and forget it
 * @mapped_local: local address on the wire
 * @mapped_remote: the peer's address on the wire
 * @remote: out: the peer's address before mapping; unchanged if unknown
 *
 * Context: process, may sleep. Return: true if the peer had announced itself.
 */
bool ofed_iw_pm_remote_take(const struct sockaddr_storage *mapped_local,
			    const struct sockaddr_storage *mapped_remote,
			    struct sockaddr_storage *remote)
{
	struct remote *found;

	mutex_lock(&map_lock);
	found = iwpm_find_remote(mapped_local, mapped_remote);
	if (found) {
		*remote = found->remote;
		iwpm_forget_remote(found);
	}
	mutex_unlock(&map_lock);
	return found;
}

/**
 * ofed_iw_pm_remote_forget - forget all announcements
 *
 * Context: process, may sleep.
 */
void ofed_iw_pm_remote_forget(void)
{
	struct remote *remote, *next;

	mutex_lock(&map_lock);
	list_for_each_entry_safe(remote, next, &iwpm_remotes_by_age, entry)
		iwpm_forget_remote(remote);
	mutex_unlock(&map_lock);
}

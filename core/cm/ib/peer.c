// SPDX-License-Identifier: GPL-2.0
/*
 * Remote ends of connections: repeated requests, requests on a QP that still
 * has an old connection (12.9.8.3), and TimeWait (12.9.8.4) until it ends.
 */
#include <kunit/visibility.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "core.h"

/*
 * Guards both trees, and listed, by_qpn and the keys of what is in them. A
 * remote end is in the tree of QPNs while its QP is connected to a local one,
 * and in that of comm ids until TimeWait ends.
 */
static DEFINE_SPINLOCK(cm_peers_lock);
VISIBLE_IF_KUNIT struct rb_root cm_peers_by_comm = RB_ROOT;
VISIBLE_IF_KUNIT struct rb_root cm_peers_by_qpn = RB_ROOT;

/* A key of either tree. */
struct peer_key {
	u64 guid;
	u32 number;
};

static int cm_peer_key_cmp(const struct peer_key *a, const struct peer_key *b)
{
	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return 0;
}

static struct peer_key cm_comm_key(const struct rb_node *node)
{
	const struct cm_peer *peer = rb_entry(node, struct cm_peer, by_comm);

	return (struct peer_key){ be64_to_cpu(peer->guid),
				  be32_to_cpu(peer->remote_id) };
}

static struct peer_key cm_qpn_key(const struct rb_node *node)
{
	const struct cm_peer *peer = rb_entry(node, struct cm_peer, by_qpn);

	return (struct peer_key){ be64_to_cpu(peer->guid), peer->qpn };
}

static int cm_comm_cmp(struct rb_node *a, const struct rb_node *b)
{
	struct peer_key left = cm_comm_key(a), right = cm_comm_key(b);

	return cm_peer_key_cmp(&left, &right);
}

static int cm_qpn_cmp(struct rb_node *a, const struct rb_node *b)
{
	struct peer_key left = cm_qpn_key(a), right = cm_qpn_key(b);

	return cm_peer_key_cmp(&left, &right);
}

static int cm_comm_find_cmp(const void *key, const struct rb_node *node)
{
	struct peer_key right = cm_comm_key(node);

	return cm_peer_key_cmp(key, &right);
}

/*
 * Enter a remote end into both trees or into none. Any context.
 *
 * @other: out: the id of the connection that is in the way
 * Return: CM_FRESH, or CM_SEEN for the comm id, CM_QP_IN_USE for the QPN.
 */
enum cm_fresh cm_peer_list(struct cm_peer *peer, __be32 remote_id, __be64 guid,
			   u32 qpn, __be32 *other)
{
	enum cm_fresh fresh = CM_FRESH;
	struct rb_node *found;
	unsigned long flags;

	spin_lock_irqsave(&cm_peers_lock, flags);
	peer->remote_id = remote_id;
	peer->guid = guid;
	peer->qpn = qpn;
	found = rb_find_add(&peer->by_comm, &cm_peers_by_comm, cm_comm_cmp);
	if (found) {
		*other = rb_entry(found, struct cm_peer, by_comm)->local_id;
		fresh = CM_SEEN;
		goto out;
	}
	found = rb_find_add(&peer->by_qpn, &cm_peers_by_qpn, cm_qpn_cmp);
	if (found) {
		*other = rb_entry(found, struct cm_peer, by_qpn)->local_id;
		rb_erase(&peer->by_comm, &cm_peers_by_comm);
		fresh = CM_QP_IN_USE;
		goto out;
	}
	peer->listed = true;
out:
	spin_unlock_irqrestore(&cm_peers_lock, flags);
	return fresh;
}

static void cm_forget_qpn(struct cm_peer *peer)
{
	lockdep_assert_held(&cm_peers_lock);
	if (!RB_EMPTY_NODE(&peer->by_qpn)) {
		rb_erase(&peer->by_qpn, &cm_peers_by_qpn);
		RB_CLEAR_NODE(&peer->by_qpn);
	}
}

void cm_peer_unlist(struct cm_peer *peer)
{
	unsigned long flags;

	spin_lock_irqsave(&cm_peers_lock, flags);
	cm_forget_qpn(peer);
	if (peer->listed) {
		rb_erase(&peer->by_comm, &cm_peers_by_comm);
		peer->listed = false;
	}
	spin_unlock_irqrestore(&cm_peers_lock, flags);
}

/* Of a remote end that is not in TimeWait; any context. NULL is fine. */
void cm_peer_free(struct cm_peer *peer)
{
	if (!peer)
		return;
	cm_peer_unlist(peer);
	kfree(peer);
}

/* @local_id: out: the id that talks to this remote end. Any context. */
bool cm_peer_find(__be32 remote_id, __be64 guid, __be32 *local_id)
{
	struct peer_key key = { be64_to_cpu(guid), be32_to_cpu(remote_id) };
	struct rb_node *node;
	unsigned long flags;

	spin_lock_irqsave(&cm_peers_lock, flags);
	node = rb_find(&key, &cm_peers_by_comm, cm_comm_find_cmp);
	if (node)
		*local_id = rb_entry(node, struct cm_peer, by_comm)->local_id;
	spin_unlock_irqrestore(&cm_peers_lock, flags);
	return node;
}

/*
 * Ends a peer's TimeWait early. A work item that already runs is about to free
 * the peer, so it is not queued again.
 */
static void cm_hasten(struct cm_dev *dev, struct cm_peer *peer)
{
	lockdep_assert_held(&dev->timewait_lock);
	list_move_tail(&peer->node, &dev->ended);
	if (cancel_delayed_work(&peer->work))
		queue_delayed_work(cm_rx_wq, &peer->work, 0);
}

/*
 * The remote end is detached from its id and kept for as long as a packet may
 * be under way. If the REQ of an id was rejected as stale, the remote end is
 * not known, and the id waits as long.
 *
 * The peer chooses the duration, and how many connections end: so the number of
 * remote ends in TimeWait is limited, and the oldest is dropped for a new one.
 *
 * The remote QPN is freed at once: the peer's TimeWait may end before the local
 * one, and a new connection of that QP is then not stale (12.9.8.3.1).
 */
void cm_timewait_begin(struct cm_id *id)
{
	struct cm_peer *peer = id->peer;
	struct cm_dev *dev = id->dev;
	unsigned long flags, wait;

	lockdep_assert_held(&id->lock);
	if (!peer)
		return;

	spin_lock_irqsave(&cm_peers_lock, flags);
	cm_forget_qpn(peer);
	spin_unlock_irqrestore(&cm_peers_lock, flags);
	id->peer = NULL;
	id->timewait = peer;
	kref_get(&dev->ref);
	peer->dev = dev;
	wait = msecs_to_jiffies(cm_time_ms(min_t(u8, id->av.timeout,
						 CM_PEER_TIME_MOST)));

	spin_lock_irqsave(&dev->timewait_lock, flags);
	list_add_tail(&peer->node, &dev->timewait);
	queue_delayed_work(cm_rx_wq, &peer->work, dev->dying ? 0 : wait);
	if (++dev->timewaits > CM_TIMEWAIT_MOST)
		cm_hasten(dev, list_first_entry(&dev->timewait, struct cm_peer,
						node));
	spin_unlock_irqrestore(&dev->timewait_lock, flags);
}

/* The last that is done with a remote end in TimeWait: it is freed. */
void cm_timewait_done(struct cm_peer *peer)
{
	struct cm_dev *dev = peer->dev;

	spin_lock_irq(&dev->timewait_lock);
	list_del(&peer->node);
	dev->timewaits--;
	spin_unlock_irq(&dev->timewait_lock);
	wake_up(&dev->quiet);
	kfree(peer);
	cm_dev_put(dev);
}

static bool cm_timewait_empty(struct cm_dev *dev)
{
	bool empty;

	spin_lock_irq(&dev->timewait_lock);
	empty = !dev->timewaits;
	spin_unlock_irq(&dev->timewait_lock);
	return empty;
}

/*
 * The device goes: TimeWait ends now, and from now on as soon as it begins.
 * Context: process, waits until it has ended.
 */
void cm_timewait_flush(struct cm_dev *dev)
{
	struct cm_peer *peer, *next;

	spin_lock_irq(&dev->timewait_lock);
	dev->dying = true;
	list_for_each_entry_safe(peer, next, &dev->timewait, node)
		cm_hasten(dev, peer);
	spin_unlock_irq(&dev->timewait_lock);
	wait_event(dev->quiet, cm_timewait_empty(dev));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Groups. The SA knows a port as a member or not; here the port's membership is
 * shared by all consumers that join. A group exists for as long as it has
 * members, or something to tell the SA.
 *
 * Everything that happens to a group is done by one runner, the work item of
 * the group: one step at a time, one request to the SA at a time (@asking). A
 * caller, an event or an answer of the SA changes the state under the group's
 * lock and kicks the runner. The members' functions are called from the runner
 * only, without locks, so they are never called two at a time for a group.
 *
 * Locks: mc_port.lock, then mc_group.lock.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "multicast_priv.h"
#include "priv.h"

#define REQUEST_TIMEOUT_MS 3000
/* A leave is told this often; the SA finds out by itself if none arrives. */
#define LEAVE_TRIES 4
#define NO_PKEY_INDEX 0xffff

/* What a leave request names (IBA vol. 1 15.2.5.17). */
#define LEAVE_COMPONENTS (IB_SA_MCMEMBER_REC_MGID |			\
			  IB_SA_MCMEMBER_REC_PORT_GID |			\
			  IB_SA_MCMEMBER_REC_JOIN_STATE)

static struct workqueue_struct *mc_wq;
/* Users choose MGIDs; where they hash to is not theirs to know. */
static u32 hash_seed __read_mostly;

static u32 mcast_hash_of(const union ib_gid *mgid)
{
	return jhash(mgid->raw, sizeof(mgid->raw), hash_seed);
}

struct mc_group *ofed_mc_group_find(struct mc_port *port,
				    const union ib_gid *mgid)
{
	struct mc_group *group;

	lockdep_assert_held(&port->lock);
	hash_for_each_possible(port->groups, group, node, mcast_hash_of(mgid))
		if (!memcmp(&group->rec.mgid, mgid, sizeof(*mgid)))
			return group;
	return NULL;
}

/* Return: true if it was the last; the caller then puts the port, unlocked. */
static bool mcast_group_put_locked(struct mc_group *group)
{
	lockdep_assert_held(&group->port->lock);
	if (!refcount_dec_and_test(&group->refs))
		return false;
	hash_del(&group->node);
	kfree(group);
	return true;
}

void ofed_mc_group_put(struct mc_group *group)
{
	struct mc_port *port = group->port;
	unsigned long flags;
	bool last;

	/* Under the lock: look-ups take references under it. */
	spin_lock_irqsave(&port->lock, flags);
	last = mcast_group_put_locked(group);
	spin_unlock_irqrestore(&port->lock, flags);
	if (last)
		ofed_mc_port_put(port);
}

/* Return: true if the runner was not queued yet; the reference is its own. */
static bool mcast_queue_runner(struct mc_group *group)
{
	refcount_inc(&group->refs);
	return queue_work(mc_wq, &group->work);
}

/* The caller has a reference. Context: any. */
void ofed_mc_group_kick(struct mc_group *group)
{
	if (!mcast_queue_runner(group))
		ofed_mc_group_put(group);
}

static void mcast_run_group(struct work_struct *work);

static struct mc_group *mcast_new_group(struct mc_port *port,
					const union ib_gid *mgid, gfp_t gfp_mask)
{
	struct mc_group *group = kzalloc(sizeof(*group), gfp_mask);

	if (!group)
		return NULL;
	group->port = port;
	group->rec.mgid = *mgid;
	group->pkey_index = NO_PKEY_INDEX;
	refcount_set(&group->refs, 1);
	spin_lock_init(&group->lock);
	INIT_WORK(&group->work, mcast_run_group);
	INIT_LIST_HEAD(&group->joining);
	INIT_LIST_HEAD(&group->active);
	return group;
}

/*
 * Find the group, or make it. MGID zero asks the SA to choose one: each call
 * makes a new group. Return: it, with a reference, or NULL.
 */
struct mc_group *ofed_mc_group_get(struct mc_port *port,
				   const union ib_gid *mgid, gfp_t gfp_mask)
{
	struct mc_group *group = NULL, *fresh;
	unsigned long flags;

	fresh = mcast_new_group(port, mgid, gfp_mask);
	if (!fresh)
		return NULL;
	spin_lock_irqsave(&port->lock, flags);
	if (!rdma_is_zero_gid(mgid))
		group = ofed_mc_group_find(port, mgid);
	if (group) {
		refcount_inc(&group->refs);
	} else {
		group = fresh;
		fresh = NULL;
		hash_add(port->groups, &group->node, mcast_hash_of(mgid));
		refcount_inc(&port->refs);
	}
	spin_unlock_irqrestore(&port->lock, flags);
	kfree(fresh);
	return group;
}

void ofed_mc_member_put(struct mc_member *member)
{
	if (refcount_dec_and_test(&member->refs))
		complete(&member->idle);
}

void ofed_mc_member_unlink(struct mc_member *member)
{
	struct mc_group *group = member->group;

	lockdep_assert_held(&group->lock);
	list_del_init(&member->link);
	if (group->asked_for == member)
		group->asked_for = NULL;
	if (member->active)
		ofed_mc_depart(&group->tally, member->join_state);
	member->active = false;
}

/* From the runner. @member has a reference for the call. */
static void mcast_tell(struct mc_member *member, int status)
{
	bool unwanted = member->pub.callback(status, &member->pub);

	ofed_mc_member_put(member);
	if (unwanted)
		ib_sa_free_multicast(&member->pub);
}

static struct mc_member *mcast_first_of(struct list_head *members)
{
	return list_first_entry_or_null(members, struct mc_member, link);
}

/*
 * Steps of the runner. Each is called with the group's lock held and returns
 * with it released: true when it did something, and the next step is to be
 * looked for.
 */
static bool mcast_step_lost(struct mc_group *group)
	__releases(&group->lock)
{
	struct mc_member *member = mcast_first_of(&group->active);

	if (!member) {
		ofed_mc_lost(&group->tally);
		group->lost = false;
		spin_unlock_irq(&group->lock);
		return true;
	}
	refcount_inc(&member->refs);
	ofed_mc_member_unlink(member);
	spin_unlock_irq(&group->lock);
	mcast_tell(member, -ENETRESET);
	return true;
}

static bool mcast_step_refuse(struct mc_group *group, struct mc_member *member,
			      int status)
	__releases(&group->lock)
{
	refcount_inc(&member->refs);
	ofed_mc_member_unlink(member);
	spin_unlock_irq(&group->lock);
	mcast_tell(member, status);
	return true;
}

static bool mcast_step_admit(struct mc_group *group, struct mc_member *member)
	__releases(&group->lock)
{
	refcount_inc(&member->refs);
	list_move_tail(&member->link, &group->active);
	member->active = true;
	ofed_mc_admit(&group->tally, member->join_state);
	member->pub.rec = group->rec;
	member->pub.rec.join_state = member->join_state;
	spin_unlock_irq(&group->lock);
	mcast_tell(member, 0);
	return true;
}

static void mcast_got_reply(int status, const struct ib_sa_mcmember_rec *rec,
			    void *context);

/* Ask the SA; @asking is set. What fails here is as good as an answer. */
static void mcast_ask(struct mc_group *group, u8 method,
		      const struct ib_sa_mcmember_rec *rec, ib_sa_comp_mask mask)
{
	struct mc_port *port = group->port;
	int ret;

	refcount_inc(&group->refs);
	ret = ofed_sa_mcmember_query(port->device, port->port_num, method, rec,
				     mask, REQUEST_TIMEOUT_MS, GFP_KERNEL,
				     mcast_got_reply, group);
	if (ret)
		mcast_got_reply(ret, NULL, group);
}

static bool mcast_step_ask_join(struct mc_group *group, struct mc_member *member)
	__releases(&group->lock)
{
	struct ib_sa_mcmember_rec rec = member->pub.rec;
	ib_sa_comp_mask mask = member->pub.comp_mask;

	group->asking = MC_ASKS_JOIN;
	group->asked_for = member;
	group->asked_state = member->join_state;
	/* Lost since the SA chose a name: the caller is to get that one. */
	rec.mgid = group->rec.mgid;
	spin_unlock_irq(&group->lock);
	mcast_ask(group, IB_MGMT_METHOD_SET, &rec, mask);
	return true;
}

static bool mcast_step_ask_leave(struct mc_group *group, u8 join_state)
	__releases(&group->lock)
{
	struct ib_sa_mcmember_rec rec = group->rec;

	if (!group->tally.to_leave)
		group->tries = LEAVE_TRIES;
	group->tries--;
	group->asking = MC_ASKS_LEAVE;
	ofed_mc_leaving(&group->tally, join_state);
	spin_unlock_irq(&group->lock);

	rec.join_state = join_state;
	mcast_ask(group, IB_SA_METHOD_DELETE, &rec, LEAVE_COMPONENTS);
	return true;
}

/* The P_Key of a joined group has another index, or is gone. */
static bool mcast_pkey_moved(const struct mc_group *group)
{
	const struct mc_port *port = group->port;
	u16 index;

	if (ib_find_cached_pkey(port->device, port->port_num,
				be16_to_cpu(group->rec.pkey), &index))
		index = NO_PKEY_INDEX;
	return index != group->pkey_index;
}

static bool mcast_next_step(struct mc_group *group)
{
	struct mc_member *member;
	u8 surplus;
	int status;

	spin_lock_irq(&group->lock);
	if (group->asking != MC_ASKS_NOTHING) {
		spin_unlock_irq(&group->lock);
		return false;
	}
	if (group->pkey_event && group->tally.joined && mcast_pkey_moved(group))
		group->lost = true;
	group->pkey_event = false;
	if (group->lost)
		return mcast_step_lost(group);

	status = group->failure;
	group->failure = 0;
	if (status && group->asked_for)
		return mcast_step_refuse(group, group->asked_for, status);

	member = mcast_first_of(&group->joining);
	if (member) {
		if (ofed_mc_missing(&group->tally, member->join_state))
			return mcast_step_ask_join(group, member);
		if (!ofed_mc_suits(&group->rec, &member->pub.rec,
				   member->pub.comp_mask))
			return mcast_step_refuse(group, member, -EINVAL);
		return mcast_step_admit(group, member);
	}
	surplus = ofed_mc_surplus(&group->tally);
	if (surplus)
		return mcast_step_ask_leave(group, surplus);
	spin_unlock_irq(&group->lock);
	return false;
}

static void mcast_run_group(struct work_struct *work)
{
	struct mc_group *group = container_of(work, struct mc_group, work);

	while (mcast_next_step(group))
		cond_resched();
	ofed_mc_group_put(group);
}

/* The SA has named the group: find it by that name from here on. */
static void mcast_take_record(struct mc_group *group,
			      const struct ib_sa_mcmember_rec *rec)
{
	struct mc_port *port = group->port;
	bool renamed = memcmp(&group->rec.mgid, &rec->mgid, sizeof(rec->mgid));

	lockdep_assert_held(&port->lock);
	lockdep_assert_held(&group->lock);
	group->rec = *rec;
	if (renamed) {
		hash_del(&group->node);
		hash_add(port->groups, &group->node, mcast_hash_of(&rec->mgid));
	}
	if (ib_find_cached_pkey(port->device, port->port_num,
				be16_to_cpu(rec->pkey), &group->pkey_index))
		group->pkey_index = NO_PKEY_INDEX;
}

/* An answer about another group, or about none, is none. */
static bool mcast_names_group(const struct mc_group *group, const union ib_gid *mgid)
{
	if (rdma_is_zero_gid(mgid))
		return false;
	return rdma_is_zero_gid(&group->rec.mgid) ||
	       !memcmp(mgid, &group->rec.mgid, sizeof(*mgid));
}

static void mcast_join_replied(struct mc_group *group, int status,
			       const struct ib_sa_mcmember_rec *rec)
{
	lockdep_assert_held(&group->lock);
	if (!status && !mcast_names_group(group, &rec->mgid))
		status = -EINVAL;
	if (status) {
		group->failure = status;
		return;
	}
	mcast_take_record(group, rec);
	ofed_mc_joined(&group->tally, group->asked_state | rec->join_state);
	group->asked_for = NULL;
}

/* Only silence is answered by another try. */
static void mcast_leave_replied(struct mc_group *group, int status)
{
	lockdep_assert_held(&group->lock);
	if (status != -ETIMEDOUT || !group->tries ||
	    READ_ONCE(group->port->going))
		ofed_mc_left(&group->tally);
}

/* Process context, or the runner itself when nothing could be asked. */
static void mcast_got_reply(int status, const struct ib_sa_mcmember_rec *rec,
			    void *context)
{
	struct mc_group *group = context;
	struct mc_port *port = group->port;

	spin_lock_irq(&port->lock);
	spin_lock(&group->lock);
	if (group->asking == MC_ASKS_JOIN)
		mcast_join_replied(group, status, rec);
	else
		mcast_leave_replied(group, status);
	group->asking = MC_ASKS_NOTHING;
	spin_unlock(&group->lock);
	spin_unlock_irq(&port->lock);

	ofed_mc_group_kick(group);
	ofed_mc_group_put(group);
}

/* Something has happened to the port: @lost or @pkey_event of each group. */
void ofed_mc_groups_upset(struct mc_port *port, bool pkeys_only)
{
	struct hlist_node *next;
	struct mc_group *group;
	int bucket;

	spin_lock_irq(&port->lock);
	hash_for_each_safe(port->groups, bucket, next, group, node) {
		spin_lock(&group->lock);
		if (pkeys_only)
			group->pkey_event = true;
		else
			group->lost = true;
		spin_unlock(&group->lock);
		/*
		 * The runner may have ended since, so this reference may be the
		 * last one. The event's device still holds the port.
		 */
		if (!mcast_queue_runner(group) && mcast_group_put_locked(group))
			ofed_mc_port_put(port);
	}
	spin_unlock_irq(&port->lock);
}

/**
 * ofed_mc_groups_init - make what runs the groups
 *
 * Return: 0 or -ENOMEM.
 */
int ofed_mc_groups_init(void)
{
	hash_seed = get_random_u32();
	/* Membership is part of how some reach their swap. */
	mc_wq = alloc_workqueue("ofed_mcast", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	return mc_wq ? 0 : -ENOMEM;
}

/**
 * ofed_mc_groups_exit - free it
 *
 * No group is left.
 */
void ofed_mc_groups_exit(void)
{
	destroy_workqueue(mc_wq);
}

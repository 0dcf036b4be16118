/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of multicast: multicast.c has the API, ports and their events,
 * multicast_group.c the groups, multicast_rec.c the arithmetic.
 */
#ifndef OFED_CORE_MULTICAST_PRIV_H
#define OFED_CORE_MULTICAST_PRIV_H

#include <linux/completion.h>
#include <linux/hashtable.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "multicast.h"

#define MC_GROUP_BITS 6

/**
 * struct mc_port - a port and its groups
 * @device: device
 * @port_num: number of the port, 0 for ports without an SA
 * @lock: guards @groups, and that a group in it has a reference
 * @groups: by MGID; those that the SA is still to name have MGID zero
 * @refs: one of the device, one of each group
 * @idle: the last of them is gone
 * @going: the device is being removed
 */
struct mc_port {
	struct ib_device *device;
	u32 port_num;
	spinlock_t lock;
	DECLARE_HASHTABLE(groups, MC_GROUP_BITS);
	refcount_t refs;
	struct completion idle;
	bool going;
};

enum mc_asking {
	MC_ASKS_NOTHING,
	MC_ASKS_JOIN,
	MC_ASKS_LEAVE,
};

/**
 * struct mc_group - a group that the port is in, or wants to be in
 * @node: entry in the port's table, guarded by the port's lock
 * @port: the port
 * @refs: one of each member, of a request under way, of the runner when it is
 *	  queued
 * @work: the runner
 * @lock: guards the members below
 * @rec: record of the group; when not joined, only the MGID is valid
 * @pkey_index: index of @rec.pkey in the port's table when the group was joined
 * @tally: numbers of members by JoinState, and what the SA knows
 * @joining: struct mc_member that wait, the oldest first
 * @active: struct mc_member that are members
 * @asking: the request under way
 * @asked_for: the member that joins; compared, never dereferenced
 * @asked_state: bits of JoinState that are asked for
 * @failure: why the last join failed, until its member has been told
 * @tries: how often a leave may be told yet
 * @lost: the SA may have dropped the port's membership: members are to be told
 * @pkey_event: @lost, if the P_Key has moved
 */
struct mc_group {
	struct hlist_node node;
	struct mc_port *port;
	refcount_t refs;
	struct work_struct work;

	spinlock_t lock;
	struct ib_sa_mcmember_rec rec;
	u16 pkey_index;
	struct mc_tally tally;
	struct list_head joining;
	struct list_head active;
	enum mc_asking asking;
	struct mc_member *asked_for;
	u8 asked_state;
	int failure;
	unsigned int tries;
	bool lost;
	bool pkey_event;
};

/**
 * struct mc_member - a caller of ib_sa_join_multicast()
 * @pub: what the caller sees
 * @client: holds a use of it
 * @group: holds a reference
 * @join_state: what the caller wants to be, whatever it does to @pub since
 * @link: in @joining or @active of the group, or empty; guarded by its lock
 * @active: @link is in @active; guarded by the group's lock
 * @refs: one of the caller, one of the runner while it calls the caller
 * @idle: the last of them is gone
 */
struct mc_member {
	struct ib_sa_multicast pub;
	struct ib_sa_client *client;
	struct mc_group *group;
	u8 join_state;
	struct list_head link;
	bool active;
	refcount_t refs;
	struct completion idle;
};

/* multicast.c */
void ofed_mc_port_put(struct mc_port *port);

/* multicast_group.c */
int ofed_mc_groups_init(void);
void ofed_mc_groups_exit(void);
struct mc_group *ofed_mc_group_find(struct mc_port *port,
				    const union ib_gid *mgid);
struct mc_group *ofed_mc_group_get(struct mc_port *port,
				   const union ib_gid *mgid, gfp_t gfp_mask);
void ofed_mc_group_put(struct mc_group *group);
void ofed_mc_group_kick(struct mc_group *group);
void ofed_mc_member_put(struct mc_member *member);
void ofed_mc_member_unlink(struct mc_member *member);
void ofed_mc_groups_upset(struct mc_port *port, bool pkeys_only);

#endif /* OFED_CORE_MULTICAST_PRIV_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Membership of ports in multicast groups (IBA vol. 1 15.2.5.17, o15-0.2.x):
 * the SA knows ports, the callers of ib_sa_join_multicast() are several per port.
 */
#ifndef OFED_CORE_MULTICAST_H
#define OFED_CORE_MULTICAST_H

#include <rdma/ib_sa.h>

int ofed_multicast_init(void);
void ofed_multicast_exit(void);

/* All bits of JoinState. */
#define MC_JOIN_STATES (BIT(NUM_JOIN_MEMBERSHIP_TYPES) - 1)

/**
 * struct mc_tally - membership of a port in a group, by kind
 * @members: how many callers are members, by bit of their join state
 * @joined: join state that the SA has for the port
 * @to_leave: bits of a leave request that was not confirmed: the SA may still
 *	      have them or not, so that they neither count as joined nor may be
 *	      forgotten
 */
struct mc_tally {
	unsigned int members[NUM_JOIN_MEMBERSHIP_TYPES];
	u8 joined;
	u8 to_leave;
};

/* multicast_rec.c: arithmetic without locks, for the holder of the group's. */
void ofed_mc_admit(struct mc_tally *tally, u8 join_state);
void ofed_mc_depart(struct mc_tally *tally, u8 join_state);
u8 ofed_mc_missing(const struct mc_tally *tally, u8 join_state);
u8 ofed_mc_surplus(const struct mc_tally *tally);
void ofed_mc_joined(struct mc_tally *tally, u8 join_state);
void ofed_mc_leaving(struct mc_tally *tally, u8 join_state);
void ofed_mc_left(struct mc_tally *tally);
void ofed_mc_lost(struct mc_tally *tally);
bool ofed_mc_suits(const struct ib_sa_mcmember_rec *group,
		   const struct ib_sa_mcmember_rec *wanted,
		   ib_sa_comp_mask mask);

#endif /* OFED_CORE_MULTICAST_H */

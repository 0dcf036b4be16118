// SPDX-License-Identifier: GPL-2.0
/*
 * Arithmetic of multicast membership (IBA vol. 1 15.2.5.17): which bits of
 * JoinState a port must ask for or can give back, and whether a group is what a
 * caller wants.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <rdma/ib_verbs.h>

#include "multicast.h"

/**
 * ofed_mc_admit - one more member
 * @tally: of the group
 * @join_state: its kinds of membership
 */
void ofed_mc_admit(struct mc_tally *tally, u8 join_state)
{
	int kind;

	for (kind = 0; kind < NUM_JOIN_MEMBERSHIP_TYPES; kind++)
		if (join_state & BIT(kind))
			tally->members[kind]++;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_mc_admit);

/**
 * ofed_mc_depart - one member less
 * @tally: of the group
 * @join_state: what it was admitted with
 */
void ofed_mc_depart(struct mc_tally *tally, u8 join_state)
{
	int kind;

	for (kind = 0; kind < NUM_JOIN_MEMBERSHIP_TYPES; kind++)
		if (join_state & BIT(kind))
			tally->members[kind]--;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_mc_depart);

/**
 * ofed_mc_missing - what the SA must be asked for before a member is admitted
 * @tally: of the group
 * @join_state: kinds of membership that are wanted
 *
 * Return: the bits of @join_state that the port does not have.
 */
u8 ofed_mc_missing(const struct mc_tally *tally, u8 join_state)
{
	return join_state & ~tally->joined;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_mc_missing);

/**
 * ofed_mc_surplus - what the port can give back to the SA
 * @tally: of the group
 *
 * Return: the bits that the SA has, or may have, and no member needs.
 */
u8 ofed_mc_surplus(const struct mc_tally *tally)
{
	u8 surplus = tally->joined | tally->to_leave;
	int kind;

	for (kind = 0; kind < NUM_JOIN_MEMBERSHIP_TYPES; kind++)
		if (tally->members[kind])
			surplus &= ~BIT(kind);
	return surplus;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_mc_surplus);

/**
 * ofed_mc_joined - the SA has agreed to a join
 * @tally: of the group
 * @join_state: what was asked for, and what the answer says beyond it
 */
void ofed_mc_joined(struct mc_tally *tally, u8 join_state)
{
	tally->joined |= join_state & MC_JOIN_STATES;
	tally->to_leave &= ~tally->joined;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_mc_joined);

/**
 * ofed_mc_leaving - the SA is asked to take bits away
 * @tally: of the group
 * @join_state: the bits
 */
void ofed_mc_leaving(struct mc_tally *tally, u8 join_state)
{
	tally->joined &= ~join_state;
	tally->to_leave = join_state;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_mc_leaving);

/**
 * ofed_mc_left - the SA has taken them away, or is not asked any more
 * @tally: of the group
 */
void ofed_mc_left(struct mc_tally *tally)
{
	tally->to_leave = 0;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_mc_left);

/**
 * ofed_mc_lost - the SA may have forgotten the port
 * @tally: of the group; no member is left in it
 */
void ofed_mc_lost(struct mc_tally *tally)
{
	tally->joined = 0;
	tally->to_leave = 0;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_mc_lost);

/* Does @value satisfy "@selector @wanted"? The best is what there is. */
static bool mcast_selected(u8 selector, int value, int wanted)
{
	switch (selector) {
	case IB_SA_GT:
		return value > wanted;
	case IB_SA_LT:
		return value < wanted;
	case IB_SA_EQ:
		return value == wanted;
	default:
		return true;
	}
}

#define BOTH(mask, component)						\
	(((mask) & IB_SA_MCMEMBER_REC_ ## component) &&			\
	 ((mask) & IB_SA_MCMEMBER_REC_ ## component ## _SELECTOR))

static bool mcast_limits_suit(const struct ib_sa_mcmember_rec *group,
			      const struct ib_sa_mcmember_rec *wanted,
			      ib_sa_comp_mask mask)
{
	if (BOTH(mask, MTU) &&
	    !mcast_selected(wanted->mtu_selector, group->mtu, wanted->mtu))
		return false;
	/* The codes of rates are not in order of speed. */
	if (BOTH(mask, RATE) &&
	    !mcast_selected(wanted->rate_selector, ib_rate_to_mbps(group->rate),
			    ib_rate_to_mbps(wanted->rate)))
		return false;
	return !BOTH(mask, PACKET_LIFE_TIME) ||
	       mcast_selected(wanted->packet_life_time_selector,
			      group->packet_life_time, wanted->packet_life_time);
}

/* A component that counts has another value in the group. */
#define DIFFERS(component, member_)					\
	((mask & IB_SA_MCMEMBER_REC_ ## component) &&			\
	 group->member_ != wanted->member_)

/**
 * ofed_mc_suits - is a group what a caller wants?
 * @group: record of the group, as the SA gave it
 * @wanted: record of the caller; its MGID is that of the group, or zero
 * @mask: IB_SA_MCMEMBER_REC_* of the members of @wanted that count
 *
 * What is about the member rather than the group does not count: PortGID,
 * JoinState, ProxyJoin. Return: true if it is.
 */
bool ofed_mc_suits(const struct ib_sa_mcmember_rec *group,
		   const struct ib_sa_mcmember_rec *wanted,
		   ib_sa_comp_mask mask)
{
	if (DIFFERS(QKEY, qkey) || DIFFERS(MLID, mlid) || DIFFERS(PKEY, pkey))
		return false;
	if (DIFFERS(TRAFFIC_CLASS, traffic_class) || DIFFERS(SL, sl) ||
	    DIFFERS(FLOW_LABEL, flow_label) ||
	    DIFFERS(HOP_LIMIT, hop_limit) || DIFFERS(SCOPE, scope))
		return false;
	return mcast_limits_suit(group, wanted, mask);
}
EXPORT_SYMBOL_IF_KUNIT(ofed_mc_suits);

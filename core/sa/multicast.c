// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups of InfiniBand ports, as their members see them: joining,
 * leaving, the events of the ports. See multicast_group.c for the rest.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/ib_cache.h>

#include "multicast_priv.h"
#include "priv.h"

/**
 * struct mc_device - a device that has ports with an SA
 * @events: handler of the device's events
 * @first: number of the first port
 * @count: how many
 * @ports: from @first on
 */
struct mc_device {
	struct ib_event_handler events;
	u32 first;
	u32 count;
	struct mc_port ports[] __counted_by(count);
};

static int mcast_mc_add(struct ib_device *device);
static void mcast_mc_remove(struct ib_device *device, void *client_data);

static struct ib_client mc_client = {
	.name = "ib_multicast",
	.add = mcast_mc_add,
	.remove = mcast_mc_remove,
};

static struct mc_port *mcast_find_port(struct ib_device *device, u32 port_num)
{
	struct mc_device *mc = ib_get_client_data(device, &mc_client);
	struct mc_port *port;

	if (!mc || port_num < mc->first || port_num - mc->first >= mc->count)
		return NULL;
	port = &mc->ports[port_num - mc->first];
	return port->port_num ? port : NULL;
}

/* Not under its lock: the device may be waiting to free it. */
void ofed_mc_port_put(struct mc_port *port)
{
	if (refcount_dec_and_test(&port->refs))
		complete(&port->idle);
}

/**
 * ib_sa_join_multicast - become a member of a multicast group
 * @client: registered with ib_sa_register_client()
 * @device: device
 * @port_num: its port that joins
 * @rec: MGID, PortGID, JoinState and what else @comp_mask names; with MGID zero
 *	 the SA makes a group of its own choice
 * @comp_mask: IB_SA_MCMEMBER_REC_* of the members of @rec that count
 * @gfp_mask: how to allocate
 * @callback: called in process context with 0 and the group's record in the
 *	      struct, or with -EINVAL (the SA refused, or the group is not what
 *	      @rec wants), -ETIMEDOUT, -EAGAIN (there is no SM now), -EIO, -EINTR
 *	      (the port is going), -ENOMEM. After a success it may be called
 *	      again, with -ENETRESET: the membership is lost, join anew. If it
 *	      returns anything but 0, the struct is freed
 * @context: stored in the struct
 *
 * IBA vol. 1 15.2.5.17. The SA is asked only for what the port does not have
 * already. Context: any, by @gfp_mask.
 * Return: a struct that ib_sa_free_multicast() frees, whatever the callback was
 * told; or -ENODEV (the port has no SA), -EINVAL (JoinState), -ENOMEM.
 */
struct ib_sa_multicast *
ib_sa_join_multicast(struct ib_sa_client *client, struct ib_device *device,
		     u32 port_num, struct ib_sa_mcmember_rec *rec,
		     ib_sa_comp_mask comp_mask, gfp_t gfp_mask,
		     int (*callback)(int status,
				     struct ib_sa_multicast *multicast),
		     void *context)
{
	struct mc_port *port = mcast_find_port(device, port_num);
	struct mc_member *member;
	struct mc_group *group;
	unsigned long flags;

	if (!port)
		return ofed_refuse(device, ERR_PTR(-ENODEV),
				   "port %u has no SA", port_num);
	if (!rec->join_state || rec->join_state & ~MC_JOIN_STATES)
		return ofed_refuse(device, ERR_PTR(-EINVAL), "join state 0x%x",
				   rec->join_state);
	member = kzalloc(sizeof(*member), gfp_mask);
	if (!member)
		return ERR_PTR(-ENOMEM);
	group = ofed_mc_group_get(port, &rec->mgid, gfp_mask);
	if (!group) {
		kfree(member);
		return ERR_PTR(-ENOMEM);
	}

	ofed_sa_client_get(client);
	member->client = client;
	member->group = group;
	member->join_state = rec->join_state;
	member->pub.rec = *rec;
	member->pub.comp_mask = comp_mask;
	member->pub.callback = callback;
	member->pub.context = context;
	refcount_set(&member->refs, 1);
	init_completion(&member->idle);

	/* Once it is linked, the callback may free the member. */
	refcount_inc(&group->refs);
	spin_lock_irqsave(&group->lock, flags);
	list_add_tail(&member->link, &group->joining);
	spin_unlock_irqrestore(&group->lock, flags);
	ofed_mc_group_kick(group);
	ofed_mc_group_put(group);
	return &member->pub;
}
OFED_EXPORT(ib_sa_join_multicast);

/**
 * ib_sa_free_multicast - end a membership, or the wish for one
 * @multicast: from ib_sa_join_multicast()
 *
 * When it returns, the callback does not run and will not. The SA is told later,
 * when no other member of the port needs the same. Context: process, may sleep;
 * not from the callback, which returns nonzero instead.
 */
void ib_sa_free_multicast(struct ib_sa_multicast *multicast)
{
	struct mc_member *member =
		container_of(multicast, struct mc_member, pub);
	struct mc_group *group = member->group;

	might_sleep();
	spin_lock_irq(&group->lock);
	ofed_mc_member_unlink(member);
	spin_unlock_irq(&group->lock);

	ofed_mc_member_put(member);
	wait_for_completion(&member->idle);
	ofed_mc_group_kick(group);
	ofed_mc_group_put(group);
	ofed_sa_client_put(member->client);
	kfree(member);
}
OFED_EXPORT(ib_sa_free_multicast);

/**
 * ib_sa_get_mcmember_rec - record of a group that the port has joined
 * @device: device
 * @port_num: its port
 * @mgid: the group
 * @rec: out: its record
 *
 * Context: any.
 * Return: 0, -ENODEV (the port has no SA), -EADDRNOTAVAIL (it is no member).
 */
int ib_sa_get_mcmember_rec(struct ib_device *device, u32 port_num,
			   union ib_gid *mgid, struct ib_sa_mcmember_rec *rec)
{
	struct mc_port *port = mcast_find_port(device, port_num);
	struct mc_group *group;
	int ret = -EADDRNOTAVAIL;
	unsigned long flags;

	if (!port)
		return ofed_refuse(device, -ENODEV, "port %u has no SA",
				   port_num);
	spin_lock_irqsave(&port->lock, flags);
	group = ofed_mc_group_find(port, mgid);
	if (group) {
		spin_lock(&group->lock);
		if (group->tally.joined) {
			*rec = group->rec;
			ret = 0;
		}
		spin_unlock(&group->lock);
	}
	spin_unlock_irqrestore(&port->lock, flags);
	return ret;
}
OFED_EXPORT(ib_sa_get_mcmember_rec);

static void mcast_on_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct mc_device *mc = container_of(handler, struct mc_device, events);
	u32 ix = event->element.port_num - mc->first;

	switch (event->event) {
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
	case IB_EVENT_PKEY_CHANGE:
		break;
	default:
		return;
	}
	if (ix < mc->count && mc->ports[ix].port_num)
		ofed_mc_groups_upset(&mc->ports[ix],
				     event->event == IB_EVENT_PKEY_CHANGE);
}

static bool mcast_port_init(struct mc_port *port, struct ib_device *device,
			    u32 port_num)
{
	if (!rdma_cap_ib_mcast(device, port_num))
		return false;
	port->device = device;
	port->port_num = port_num;
	spin_lock_init(&port->lock);
	hash_init(port->groups);
	refcount_set(&port->refs, 1);
	init_completion(&port->idle);
	return true;
}

static int mcast_mc_add(struct ib_device *device)
{
	u32 first = rdma_start_port(device);
	u32 count = rdma_end_port(device) - first + 1;
	struct mc_device *mc;
	bool any = false;
	u32 ix;

	mc = kzalloc(struct_size(mc, ports, count), GFP_KERNEL);
	if (!mc)
		return -ENOMEM;
	mc->first = first;
	mc->count = count;
	for (ix = 0; ix < count; ix++)
		any |= mcast_port_init(&mc->ports[ix], device, first + ix);
	if (!any) {
		kfree(mc);
		return -EOPNOTSUPP;
	}
	ib_set_client_data(device, &mc_client, mc);
	INIT_IB_EVENT_HANDLER(&mc->events, device, mcast_on_event);
	ib_register_event_handler(&mc->events);
	return 0;
}

/*
 * Clients that joined have been removed before this and have freed their
 * members. What is left are groups that still leave at the SA; the SA's client
 * is still there, and each group sends its leave once more at most.
 */
static void mcast_mc_remove(struct ib_device *device, void *client_data)
{
	struct mc_device *mc = client_data;
	u32 ix;

	ib_unregister_event_handler(&mc->events);
	for (ix = 0; ix < mc->count; ix++) {
		if (!mc->ports[ix].port_num)
			continue;
		WRITE_ONCE(mc->ports[ix].going, true);
		ofed_mc_port_put(&mc->ports[ix]);
		wait_for_completion(&mc->ports[ix].idle);
	}
	kfree(mc);
}

/**
 * ofed_multicast_init - begin to manage groups
 *
 * After the SA's own client. Return: 0 or an errno.
 */
int ofed_multicast_init(void)
{
	int ret = ofed_mc_groups_init();

	if (ret)
		return ret;
	ret = ib_register_client(&mc_client);
	if (ret)
		ofed_mc_groups_exit();
	return ret;
}

/**
 * ofed_multicast_exit - end of it
 *
 * Before the SA's own client.
 */
void ofed_multicast_exit(void)
{
	ib_unregister_client(&mc_client);
	ofed_mc_groups_exit();
}

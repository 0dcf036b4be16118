// SPDX-License-Identifier: GPL-2.0
/*
 * Ports with an SA (IBA vol. 1 chapter 15): a MAD agent on each, the address
 * of the SM, which changes with the events of the port, and what the SA told
 * of itself.
 *
 * Locks: see struct sa_port. sa_port.lock is innermost. Nothing is held while
 * the MAD layer or a caller's function is called, but update_mutex, which no
 * function of the MAD layer takes.
 */
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/ib_cache.h>
#include <rdma/opa_addr.h>

#include "multicast.h"
#include "priv.h"

/* Interface id of the SA's well-known GID (IBA vol. 1 4.1.1). */
#define SA_INTERFACE_ID 0x0200000000000002ULL

#define CPI_TIMEOUT_MS 3000

/**
 * struct sa_device - a device that has ports with an SA
 * @device: the device
 * @events: handler of the device's events
 * @first: number of the first port
 * @count: how many
 * @ports: from @first on
 */
struct sa_device {
	struct ib_device *device;
	struct ib_event_handler events;
	u32 first;
	u32 count;
	struct sa_port ports[] __counted_by(count);
};

static int sa_add(struct ib_device *device);
static void sa_remove(struct ib_device *device, void *client_data);

static struct ib_client sa_client = {
	.name = "sa",
	.add = sa_add,
	.remove = sa_remove,
};

bool ofed_sa_port_enter(struct sa_port *port)
{
	return refcount_inc_not_zero(&port->users);
}

void ofed_sa_port_leave(struct sa_port *port)
{
	if (refcount_dec_and_test(&port->users))
		complete(&port->idle);
}

struct sa_port *ofed_sa_port_get(struct ib_device *device, u32 port_num)
{
	struct sa_device *sa = ib_get_client_data(device, &sa_client);
	struct sa_port *port;

	if (!sa || port_num < sa->first || port_num - sa->first >= sa->count)
		return NULL;
	port = &sa->ports[port_num - sa->first];
	return port->agent && ofed_sa_port_enter(port) ? port : NULL;
}

static void sa_free_way(struct kref *refs)
{
	struct sa_way *way = container_of(refs, struct sa_way, refs);

	rdma_destroy_ah(way->ah, 0);
	kfree(way);
}

void ofed_sa_way_put(struct sa_way *way)
{
	kref_put(&way->refs, sa_free_way);
}

struct sa_way *ofed_sa_way_get(struct sa_port *port)
{
	struct sa_way *way;
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	way = port->way;
	if (way)
		kref_get(&way->refs);
	spin_unlock_irqrestore(&port->lock, flags);
	return way;
}

/* The bits of an SLID that name one of several paths to the port. */
u8 ofed_sa_src_path_mask(struct ib_device *device, u32 port_num)
{
	u8 lmc;

	return ib_get_cached_lmc(device, port_num, &lmc) ? 0x7f :
							   (1 << lmc) - 1;
}

static void sa_set_sa_gid(struct rdma_ah_attr *av, const struct ib_port_attr *attr)
{
	union ib_gid gid = {
		.global.subnet_prefix = cpu_to_be64(attr->subnet_prefix),
		.global.interface_id = cpu_to_be64(SA_INTERFACE_ID),
	};

	if (av->type == RDMA_AH_ATTR_TYPE_OPA)
		gid.global.interface_id = OPA_MAKE_ID(attr->sm_lid);
	rdma_ah_set_grh(av, &gid, 0, 0, 1, 0);
}

static u16 sa_default_pkey_index(const struct ib_mad_agent *agent, u32 port_num)
{
	u16 index;

	/* Finds a limited membership too, when there is no full one. */
	if (ib_find_cached_pkey(agent->device, port_num, IB_DEFAULT_PKEY_FULL,
				&index))
		return 0;
	return index;
}

/* Return: NULL while there is no SM to talk to, or no memory. */
static struct sa_way *sa_find_way(struct sa_port *port)
{
	struct ib_device *device = port->agent->device;
	struct rdma_ah_attr av = {
		.type = rdma_ah_find_type(device, port->port_num),
		.port_num = port->port_num,
	};
	struct ib_port_attr attr;
	struct sa_way *way;

	if (ib_query_port(device, port->port_num, &attr) || !attr.sm_lid)
		return NULL;
	rdma_ah_set_dlid(&av, attr.sm_lid);
	rdma_ah_set_sl(&av, attr.sm_sl);
	if (rdma_is_grh_required(device, port->port_num))
		sa_set_sa_gid(&av, &attr);

	way = kzalloc(sizeof(*way), GFP_KERNEL);
	if (!way)
		return NULL;
	kref_init(&way->refs);
	way->pkey_index = sa_default_pkey_index(port->agent, port->port_num);
	way->ah = rdma_create_ah(port->agent->qp->pd, &av,
				 RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(way->ah)) {
		kfree(way);
		return NULL;
	}
	return way;
}

/* The answer to the question that the SA's ClassPortInfo is. */
static void sa_got_cpi(struct ib_sa_query *query, int status, void *attr)
{
	const struct ib_class_port_info *wire = attr;
	struct sa_port *port = query->port;
	struct ib_class_port_info info;
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	if (port->cpi_epoch == query->cpi_epoch) {
		port->cpi_state = SA_CPI_UNKNOWN;
		if (!status) {
			memcpy(&info, wire, sizeof(info));
			port->cap_mask2 = ib_get_cpi_capmask2(&info);
			port->cpi_state = SA_CPI_KNOWN;
		}
	}
	spin_unlock_irqrestore(&port->lock, flags);
}

static bool sa_begin_cpi(struct sa_port *port, unsigned int *epoch)
{
	unsigned long flags;
	bool begin;

	spin_lock_irqsave(&port->lock, flags);
	begin = port->cpi_state == SA_CPI_UNKNOWN;
	if (begin)
		port->cpi_state = SA_CPI_ASKED;
	*epoch = port->cpi_epoch;
	spin_unlock_irqrestore(&port->lock, flags);
	return begin;
}

static void sa_abort_cpi(struct sa_port *port, unsigned int epoch)
{
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	if (port->cpi_epoch == epoch)
		port->cpi_state = SA_CPI_UNKNOWN;
	spin_unlock_irqrestore(&port->lock, flags);
}

/*
 * One question at a time, none when the answer is known. A failed question is
 * asked again by the next caller that needs the answer, not by a timer.
 */
static void sa_ask_cpi(struct sa_port *port, gfp_t gfp_mask)
{
	const struct sa_ask ask = {
		.method = IB_MGMT_METHOD_GET,
		.attr_id = IB_SA_ATTR_CLASS_PORTINFO,
		.gfp_mask = gfp_mask,
	};
	struct ib_sa_query *query;
	unsigned int epoch;

	if (!sa_begin_cpi(port, &epoch))
		return;
	query = ofed_sa_query_new(port, &ask);
	if (IS_ERR(query)) {
		sa_abort_cpi(port, epoch);
		return;
	}
	query->deliver = sa_got_cpi;
	query->cpi_epoch = epoch;
	if (ofed_sa_query_start(query, CPI_TIMEOUT_MS, gfp_mask, NULL) < 0) {
		ofed_sa_query_drop(query);
		sa_abort_cpi(port, epoch);
	}
}

/* Contract: sa.h */
int ofed_sa_sendonly_fullmember(struct ib_device *device, u32 port_num)
{
	struct sa_port *port = ofed_sa_port_get(device, port_num);
	unsigned long flags;
	int ret = 0;

	if (!port)
		return ofed_refuse(device, -ENODEV, "port %u has no SA",
				   port_num);
	spin_lock_irqsave(&port->lock, flags);
	if (port->cpi_state == SA_CPI_KNOWN &&
	    !(port->cap_mask2 & IB_SA_CAP_MASK2_SENDONLY_FULL_MEM_SUPPORT))
		ret = -EOPNOTSUPP;
	spin_unlock_irqrestore(&port->lock, flags);
	sa_ask_cpi(port, GFP_ATOMIC);
	ofed_sa_port_leave(port);
	return ret;
}

/*
 * Queries that are under way keep the old way and their time limit: the SM
 * there may still answer.
 */
static void sa_update_port(struct sa_port *port, bool other_sm)
{
	struct sa_way *way, *old;

	mutex_lock(&port->update_mutex);
	way = sa_find_way(port);
	spin_lock_irq(&port->lock);
	old = port->way;
	port->way = way;
	if (other_sm) {
		port->cpi_epoch++;
		port->cpi_state = SA_CPI_UNKNOWN;
	}
	spin_unlock_irq(&port->lock);
	mutex_unlock(&port->update_mutex);

	if (old)
		ofed_sa_way_put(old);
	if (way)
		sa_ask_cpi(port, GFP_KERNEL);
}

/* Process context; events of a device come one after the other. */
static void sa_on_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct sa_device *sa = container_of(handler, struct sa_device, events);
	u32 ix = event->element.port_num - sa->first;
	bool other_sm = true;

	switch (event->event) {
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_PKEY_CHANGE:
	case IB_EVENT_GID_CHANGE:
		other_sm = false;
		break;
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
		break;
	default:
		return;
	}
	if (ix < sa->count && sa->ports[ix].agent)
		sa_update_port(&sa->ports[ix], other_sm);
}

static int sa_port_init(struct sa_device *sa, u32 port_num)
{
	struct sa_port *port = &sa->ports[port_num - sa->first];
	struct ib_mad_agent *agent;

	port->port_num = port_num;
	refcount_set(&port->users, 1);
	init_completion(&port->idle);
	mutex_init(&port->update_mutex);
	spin_lock_init(&port->lock);
	if (!rdma_cap_ib_sa(sa->device, port_num))
		return 0;

	/* Tables come as RMPP transfers. */
	agent = ib_register_mad_agent(sa->device, port_num, IB_QPT_GSI, NULL,
				      IB_MGMT_RMPP_VERSION, ofed_sa_send_handler,
				      ofed_sa_recv_handler, port, 0);
	/* The MAD layer could not open the port; the others have their SA. */
	if (agent == ERR_PTR(-ENODEV))
		return 0;
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	port->agent = agent;
	return 0;
}

/*
 * First the port admits no new users; a thread inside leaves soon. Then the
 * queries that wait for a local service end, then those of the MAD layer: when
 * the agent is gone, every query has called back and none refers to the port.
 */
static void sa_port_exit(struct sa_port *port)
{
	if (!port->agent)
		return;
	ofed_sa_port_leave(port);
	wait_for_completion(&port->idle);
	ofed_ls_flush(port);
	ib_unregister_mad_agent(port->agent);
	if (port->way)
		ofed_sa_way_put(port->way);
	mutex_destroy(&port->update_mutex);
}

static void sa_ports_exit(struct sa_device *sa)
{
	u32 ix;

	for (ix = 0; ix < sa->count; ix++)
		sa_port_exit(&sa->ports[ix]);
}

static bool sa_has_sa(struct ib_device *device)
{
	u32 port_num;

	rdma_for_each_port(device, port_num)
		if (rdma_cap_ib_sa(device, port_num))
			return true;
	return false;
}

static int sa_add(struct ib_device *device)
{
	u32 count = rdma_end_port(device) - rdma_start_port(device) + 1;
	struct sa_device *sa;
	u32 ix;
	int ret;

	if (!sa_has_sa(device))
		return -EOPNOTSUPP;
	sa = kzalloc(struct_size(sa, ports, count), GFP_KERNEL);
	if (!sa)
		return -ENOMEM;
	sa->device = device;
	sa->first = rdma_start_port(device);
	sa->count = count;

	for (ix = 0; ix < count; ix++) {
		ret = sa_port_init(sa, sa->first + ix);
		if (ret)
			goto err_ports;
	}
	ib_set_client_data(device, &sa_client, sa);

	/* Events first, lest a change in between is missed. */
	INIT_IB_EVENT_HANDLER(&sa->events, device, sa_on_event);
	ib_register_event_handler(&sa->events);
	for (ix = 0; ix < count; ix++)
		if (sa->ports[ix].agent)
			sa_update_port(&sa->ports[ix], true);
	return 0;

err_ports:
	sa_ports_exit(sa);
	kfree(sa);
	return ret;
}

/*
 * Clients that use the SA were added later and have been removed, so the device
 * is not looked up any more. The event handler is removed first, since it uses
 * the agent.
 */
static void sa_remove(struct ib_device *device, void *client_data)
{
	struct sa_device *sa = client_data;

	ib_unregister_event_handler(&sa->events);
	sa_ports_exit(sa);
	kfree(sa);
}

/**
 * ofed_sa_init - begin to serve the SA's clients
 *
 * Return: 0 or an errno.
 */
int ofed_sa_init(void)
{
	int ret;

	ofed_sa_queries_init();
	ret = ofed_ls_init();
	if (ret)
		return ret;
	ret = ib_register_client(&sa_client);
	if (ret)
		goto err_ls;
	ret = ofed_multicast_init();
	if (ret)
		goto err_client;
	return 0;

err_client:
	ib_unregister_client(&sa_client);
err_ls:
	ofed_ls_exit();
	return ret;
}

/**
 * ofed_sa_exit - end of the service
 *
 * No module is left that uses the SA.
 */
void ofed_sa_exit(void)
{
	ofed_multicast_exit();
	ib_unregister_client(&sa_client);
	ofed_ls_exit();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Subnet management agent (section 14.2): checks the M_Key, handles attributes of the
 * node, and passes the others on to sma_port.c and sma_tables.c.
 */
#include <linux/jiffies.h>
#include <linux/string.h>

#include "fabric.h"
#include "mad.h"
#include "node.h"
#include "sma.h"
#include "trap.h"

/* ---- attributes of the node ------------------------------------------------------ */

static u16 ibf_node_desc(struct ibf_query *query)
{
	const struct ibf_node *node = query->node;

	if (query->set)
		return IBF_SMP_BAD_ATTR;
	static_assert(sizeof(node->desc) == IB_SMP_DATA_SIZE);
	memcpy(query->data, node->ib ? node->ib->node_desc : node->desc,
	       IB_SMP_DATA_SIZE);
	return 0;
}

static u16 ibf_node_info(struct ibf_query *query)
{
	const struct ibf_node *node = query->node;
	struct ib_node_info *info = (void *)query->data;

	if (query->set)
		return IBF_SMP_BAD_ATTR;
	memset(query->data, 0, IB_SMP_DATA_SIZE);
	*info = (struct ib_node_info){
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = 1,
		.node_type = node->is_switch ? RDMA_NODE_IB_SWITCH :
					       RDMA_NODE_IB_CA,
		.num_ports = node->num_ports,
		.sys_guid = node->sys_guid,
		.node_guid = node->guid,
		.port_guid = query->port->guids[0],
		.partition_cap = cpu_to_be16(IBF_PKEYS),
		.revision = cpu_to_be32(1),
		.local_port_num = query->in_port->num,
		/* A vendor ID that no program takes for hardware that it knows. */
		.vendor_id = { 0xff, 0xff, 0xff },
	};
	return 0;
}

static void ibf_switch_info_set(struct ibf_switch_info *info,
				const struct ibf_switch_info *to)
{
	u16 top = be16_to_cpu(to->lft_top);

	info->lft_top = cpu_to_be16(min_t(u16, top, IBF_LFT_ENTRIES - 1));
	info->default_mcast_primary = to->default_mcast_primary;
	info->default_mcast_other = to->default_mcast_other;
	info->mft_top = to->mft_top;
	/* The flag is cleared by writing 1 to it. */
	info->flags = (to->flags & IBF_SWITCH_LIFE) |
		      (info->flags & ~to->flags & IBF_SWITCH_CHANGED);
}

static u16 ibf_sma_switch_info(struct ibf_query *query)
{
	struct ibf_node *node = query->node;

	if (!node->is_switch)
		return IBF_SMP_BAD_ATTR;
	if (query->set)
		ibf_switch_info_set(&node->sw->info, (void *)query->data);
	memset(query->data, 0, IB_SMP_DATA_SIZE);
	memcpy(query->data, &node->sw->info, sizeof(node->sw->info));
	return 0;
}

/* There is no LED, so a Set has no effect. */
static u16 ibf_led_info(struct ibf_query *query)
{
	if (!query->set)
		memset(query->data, 0, IB_SMP_DATA_SIZE);
	return 0;
}

/* ---- the M_Key (14.2.4) ----------------------------------------------------------- */

/*
 * Ends the M_Key protection when the lease period has expired: no SMP with the right
 * key has come since it began.
 */
static void ibf_check_lease(struct ibf_port *port)
{
	if (!port->leased || time_before(jiffies, port->lease))
		return;
	port->leased = false;
	port->info.mkey_lmc &= ~IBF_MKEY_PROTECT;
}

static void ibf_refuse_mkey(struct ibf_port *port, const struct ib_smp *smp)
{
	u16 seconds = be16_to_cpu(port->info.mkey_lease);
	u16 count = be16_to_cpu(port->info.mkey_violations);

	if (count != U16_MAX)
		port->info.mkey_violations = cpu_to_be16(count + 1);
	if (seconds && !port->leased) {
		port->leased = true;
		port->lease = jiffies + seconds * HZ;
	}
	ibf_trap_bad_mkey(port, smp);
}

static bool ibf_mkey_matches(const struct ibf_port *port, const struct ib_smp *smp)
{
	return !port->info.mkey || port->info.mkey == smp->mkey;
}

/* Table 140: does the M_Key allow this Get, Set or TrapRepress? */
static bool ibf_mkey_allows(struct ibf_port *port, const struct ib_smp *smp)
{
	ibf_check_lease(port);
	if (ibf_mkey_matches(port, smp)) {
		port->leased = false;
		return true;
	}
	if (smp->method == IB_MGMT_METHOD_GET &&
	    FIELD_GET(IBF_MKEY_PROTECT, port->info.mkey_lmc) < 2)
		return true;
	ibf_refuse_mkey(port, smp);
	return false;
}

/* ---- SMPs -------------------------------------------------------------------------- */

static const struct {
	__be16 attr_id;
	u16 (*fn)(struct ibf_query *query);
} attributes[] = {
	{ IB_SMP_ATTR_NODE_DESC, ibf_node_desc },
	{ IB_SMP_ATTR_NODE_INFO, ibf_node_info },
	{ IB_SMP_ATTR_SWITCH_INFO, ibf_sma_switch_info },
	{ IB_SMP_ATTR_GUID_INFO, ibf_sma_guids },
	{ IB_SMP_ATTR_PORT_INFO, ibf_sma_port_info },
	{ IB_SMP_ATTR_PKEY_TABLE, ibf_sma_pkeys },
	{ IB_SMP_ATTR_SL_TO_VL_TABLE, ibf_sma_sl2vl },
	{ IB_SMP_ATTR_VL_ARB_TABLE, ibf_sma_vlarb },
	{ IB_SMP_ATTR_LINEAR_FORWARD_TABLE, ibf_sma_lft },
	{ IB_SMP_ATTR_MCAST_FORWARD_TABLE, ibf_sma_mft },
	{ IB_SMP_ATTR_LED_INFO, ibf_led_info },
};

static u16 ibf_sma_do_attribute(struct ibf_query *query, __be16 attr_id)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i].attr_id == attr_id)
			return attributes[i].fn(query);
	return IBF_SMP_BAD_ATTR;
}

static enum ibf_answer ibf_get_or_set(struct ibf_query *query,
				      const struct ib_smp *in, struct ib_smp *out)
{
	/* Decided before the Set, which may change the key. */
	bool hide = !ibf_mkey_matches(query->port, in) &&
		    FIELD_GET(IBF_MKEY_PROTECT, query->port->info.mkey_lmc);
	u16 status;

	*out = *in;
	query->set = in->method == IB_MGMT_METHOD_SET;
	query->mod = be32_to_cpu(in->attr_mod);
	query->data = out->data;
	if (in->class_version != 1)
		status = IBF_MAD_BAD_VERSION;
	else
		status = ibf_sma_do_attribute(query, in->attr_id);
	if (hide && in->attr_id == IB_SMP_ATTR_PORT_INFO)
		((struct ibf_port_info *)out->data)->mkey = 0;
	out->method = IB_MGMT_METHOD_GET_RESP;
	out->status = cpu_to_be16(status);
	if (in->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		out->status |= IB_SMP_DIRECTION;
	return IBF_REPLY;
}

/* Is the SMP for a subnet manager, or a client of one, behind this port? */
static bool ibf_is_for_sm(const struct ibf_query *query, const struct ib_smp *in)
{
	if (query->node->is_switch)
		return false;
	if (in->attr_id == IB_SMP_ATTR_SM_INFO &&
	    (in->method == IB_MGMT_METHOD_GET ||
	     in->method == IB_MGMT_METHOD_SET))
		return be32_to_cpu(query->port->info.cap_mask) & IB_PORT_SM;
	return in->method != IB_MGMT_METHOD_GET &&
	       in->method != IB_MGMT_METHOD_SET &&
	       in->method != IB_MGMT_METHOD_TRAP_REPRESS;
}

static enum ibf_answer ibf_sma_process(struct ibf_query *query, const struct ib_smp *in,
				       struct ib_smp *out)
{
	lockdep_assert_held(&ibf_lock);
	if (ibf_is_for_sm(query, in))
		return IBF_PASS;
	switch (in->method) {
	case IB_MGMT_METHOD_GET:
	case IB_MGMT_METHOD_SET:
		if (!ibf_mkey_allows(query->port, in))
			return IBF_CONSUMED;
		return ibf_get_or_set(query, in, out);
	case IB_MGMT_METHOD_TRAP_REPRESS:
		if (ibf_mkey_allows(query->port, in))
			ibf_trap_repress(query->node, in);
		return IBF_CONSUMED;
	default:
		return IBF_CONSUMED;
	}
}

/**
 * ibf_sma - handle an SMP
 * @in_port: port that received it
 * @in: the SMP, unchecked but for its version and class
 * @out: filled with the reply when IBF_REPLY is returned
 *
 * Context: any but hard interrupt.
 * Return: IBF_PASS, IBF_CONSUMED or IBF_REPLY.
 */
enum ibf_answer ibf_sma(struct ibf_port *in_port, const struct ib_smp *in,
			struct ib_smp *out)
{
	struct ibf_query query = {
		.node = in_port->node,
		.port = ibf_end_port(in_port),
		.in_port = in_port,
	};
	enum ibf_answer answer;

	spin_lock_bh(&ibf_lock);
	answer = ibf_sma_process(&query, in, out);
	spin_unlock_bh(&ibf_lock);
	return answer;
}

// SPDX-License-Identifier: GPL-2.0
/* Nodes: allocated, powered, and freed after the last user is gone. */
#include <kunit/visibility.h>
#include <linux/slab.h>

#include "cable.h"
#include "fabric.h"
#include "hca.h"
#include "node.h"
#include "pma.h"
#include "queue.h"
#include "sma.h"
#include "trap.h"

static void ibf_port_init(struct ibf_node *node, u8 num, u8 (*sl2vl)[16])
{
	struct ibf_port *port = &node->ports[num];

	port->node = node;
	port->num = num;
	port->sl2vl = sl2vl;
	INIT_LIST_HEAD(&port->vnics);
	ibf_queues_init(port);
}

static void ibf_ports_free(struct ibf_port *ports, u8 num_ports)
{
	u32 num;

	for (num = 0; num <= num_ports; num++)
		ibf_queues_exit(&ports[num]);
	kvfree(ports[0].sl2vl);
	kvfree(ports);
}

/*
 * The power is off and no cable is left. A packet under way, the pump of a former far
 * end and the work that sends traps may still use the ports. Waits for all of them.
 */
static void ibf_wait_for_users(struct ibf_node *node)
{
	cancel_delayed_work_sync(&node->trap_work);
	synchronize_net();
}

static int ibf_ports_alloc(struct ibf_node *node, u8 num_ports)
{
	u32 rows = num_ports + 1, num;
	u8 (*sl2vl)[16];

	node->ports = kvcalloc(rows, sizeof(*node->ports), GFP_KERNEL);
	if (!node->ports)
		return -ENOMEM;
	sl2vl = kvcalloc(rows * rows, sizeof(*sl2vl), GFP_KERNEL);
	if (!sl2vl) {
		kvfree(node->ports);
		node->ports = NULL;
		return -ENOMEM;
	}
	node->num_ports = num_ports;
	for (num = 0; num < rows; num++)
		ibf_port_init(node, num, sl2vl + num * rows);
	return 0;
}

/**
 * ibf_node_new - allocate a node
 * @name: unique name
 * @is_switch: true: a switch; false: an HCA
 *
 * Context: process, sleeps.
 * Return: the node, without power, with one port (HCA) or 24 (switch); or ERR_PTR.
 */
struct ibf_node *ibf_node_new(const char *name, bool is_switch)
{
	struct ibf_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return ERR_PTR(-ENOMEM);
	strscpy(node->name, name, sizeof(node->name));
	strscpy(node->desc, name, sizeof(node->desc));
	node->is_switch = is_switch;
	INIT_DELAYED_WORK(&node->trap_work, ibf_trap_work);
	ibf_sample_init(node);
	if (is_switch) {
		node->sw = kvzalloc(sizeof(*node->sw), GFP_KERNEL);
		if (!node->sw)
			goto err_node;
	}
	if (ibf_ports_alloc(node, is_switch ? 24 : 1))
		goto err_switch;
	return node;

err_switch:
	kvfree(node->sw);
err_node:
	kfree(node);
	return ERR_PTR(-ENOMEM);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_node_new);

/**
 * ibf_node_resize - change the number of ports of a node
 * @node: has no power and no cables; ibf_config is held
 * @num_ports: at least 1
 *
 * Context: process, sleeps.
 * Return: 0, or -ENOMEM: the node is unchanged.
 */
int ibf_node_resize(struct ibf_node *node, u8 num_ports)
{
	struct ibf_port *old = node->ports;
	u8 old_num = node->num_ports;
	int ret;

	lockdep_assert_held(&ibf_config);
	ibf_sample_stop(node);
	ret = ibf_ports_alloc(node, num_ports);
	if (ret) {
		node->ports = old;
		return ret;
	}
	ibf_wait_for_users(node);
	ibf_ports_free(old, old_num);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(ibf_node_resize);

/**
 * ibf_node_free - free a node
 * @node: has no power and no cables
 *
 * Context: process, sleeps.
 */
void ibf_node_free(struct ibf_node *node)
{
	ibf_sample_stop(node);
	ibf_wait_for_users(node);
	ibf_ports_free(node->ports, node->num_ports);
	kvfree(node->sw);
	kfree(node);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_node_free);

/* ---- power ------------------------------------------------------------------------ */

static void ibf_reset_port(struct ibf_node *node, u32 num)
{
	struct ibf_port *port = &node->ports[num];
	u32 in, sl;

	ibf_port_info_init(port);
	memset(port->guids, 0, sizeof(port->guids));
	port->guids[0] = node->guid;
	/* Each port of an HCA is an end port of its own; all ports of a switch share port 0. */
	if (!node->is_switch)
		port->guids[0] = cpu_to_be64(be64_to_cpu(node->guid) + num);
	memset(port->pkeys, 0, sizeof(port->pkeys));
	port->pkeys[0] = IB_DEFAULT_PKEY_FULL;
	memset(port->vlarb, 0, sizeof(port->vlarb));
	for (in = 0; in <= node->num_ports; in++)
		for (sl = 0; sl < 16; sl++)
			port->sl2vl[in][sl] = sl % IBF_DATA_VLS;
}

static void ibf_reset_switch(struct ibf_switch *sw)
{
	memset(sw->lft, IBF_NO_PORT, sizeof(sw->lft));
	memset(sw->mft, 0, sizeof(sw->mft));
	sw->info = (struct ibf_switch_info){
		.lft_cap = cpu_to_be16(IBF_LFT_ENTRIES),
		.mft_cap = cpu_to_be16(IBF_MFT_ENTRIES),
		.lids_per_port = cpu_to_be16(1),
		.enforce_cap = cpu_to_be16(IBF_PKEYS),
		.caps = IBF_SWITCH_CAP_IN | IBF_SWITCH_CAP_OUT,
	};
}

/**
 * ibf_node_reset - set everything that a subnet manager sets back to its default
 * @node: has no power
 */
void ibf_node_reset(struct ibf_node *node)
{
	u32 num;

	spin_lock_bh(&ibf_lock);
	for (num = 0; num <= node->num_ports; num++)
		ibf_reset_port(node, num);
	if (node->is_switch)
		ibf_reset_switch(node->sw);
	spin_unlock_bh(&ibf_lock);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_node_reset);

static void ibf_train_all(struct ibf_node *node)
{
	u32 num;

	spin_lock_bh(&ibf_lock);
	for (num = 1; num <= node->num_ports; num++)
		ibf_link_train(&node->ports[num]);
	spin_unlock_bh(&ibf_lock);
}

static void ibf_switch_off(struct ibf_node *node)
{
	u32 num;

	spin_lock_bh(&ibf_lock);
	node->live = false;
	for (num = 1; num <= node->num_ports; num++)
		ibf_link_down(&node->ports[num], IBF_PHYS_POLLING);
	ibf_trap_forget(node);
	spin_unlock_bh(&ibf_lock);
}

/**
 * ibf_node_power - switch a node on or off
 * @node: the node; ibf_config is held
 * @on: true: on
 *
 * Context: process, sleeps.
 * Return: 0, or the errno of registering the device.
 */
int ibf_node_power(struct ibf_node *node, bool on)
{
	int ret = 0;

	lockdep_assert_held(&ibf_config);
	if (!on) {
		ibf_switch_off(node);
		if (!node->is_switch)
			ibf_hca_stop(node);
		return 0;
	}
	/* The core may have unregistered the device already: then node->live is false. */
	if (node->live)
		return -EBUSY;
	if (!node->is_switch)
		ibf_hca_stop(node);
	ibf_node_reset(node);
	if (!node->is_switch) {
		ret = ibf_hca_start(node);
	} else {
		spin_lock_bh(&ibf_lock);
		node->live = true;
		spin_unlock_bh(&ibf_lock);
	}
	if (!ret)
		ibf_train_all(node);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(ibf_node_power);

// SPDX-License-Identifier: GPL-2.0
/* Devices: allocated, registered and freed on behalf of a link. */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_mad.h>

#include "../soft/dev.h"
#include "../soft/dm.h"
#include "../soft/mr_table.h"
#include "../soft/null.h"
#include "../soft/odp.h"
#include "../soft/task.h"
#include "ah.h"
#include "dev.h"
#include "inject.h"
#include "limits.h"
#include "link.h"
#include "mcast.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_counter.h"
#include "qp_res.h"
#include "tx_wait.h"
#include "rx_steer.h"
#include "srq.h"
#include "stats.h"
#include "verbs.h"

/* Version of the user ABI in <rdma/rdma_user_rxe.h>. */
#define IBT_UVERBS_ABI	2

static void ibt_dev_exit(struct ibt_dev *dev)
{
	ibt_groups_exit(dev);
	soft_queues_exit(&dev->queues);
	free_percpu(dev->recent);
	free_percpu(dev->bound_stats);
	free_percpu(dev->stats);
	kfree(dev->priv);
	mutex_destroy(&dev->groups_lock);
	soft_limits_exit(&dev->soft);
	soft_null_exit(&dev->soft.mem);
	soft_mem_exit(&dev->soft.mem);
	xa_destroy(&dev->counters);
	xa_destroy(&dev->srqs);
	xa_destroy(&dev->ahs);
	xa_destroy(&dev->qps);
}

/*
 * The last op that the core calls. After ibt_qps_exit() no queue pair is left, so only packets
 * that the fault injection keeps hold paths. The link delivers packets until its dealloc returns,
 * and receive steering takes them as long.
 */
static void ibt_dealloc_driver(struct ib_device *ib)
{
	struct ibt_dev *dev = to_ibt_dev(ib);

	ibt_qps_exit(dev);
	if (dev->fault)
		ibt_fault_exit(dev);
	dev->link->dealloc(dev);
	ibt_rx_steer_exit(dev);
	ibt_dev_exit(dev);
}

/*
 * The device has its name, and no client has seen it. Called again after each move to
 * another namespace.
 */
static int ibt_enable_driver(struct ib_device *ib)
{
	struct ibt_dev *dev = to_ibt_dev(ib);

	if (dev->link->enabled)
		dev->link->enabled(dev);
	return dev->fault ? 0 : ibt_fault_init(dev);
}

static const struct ib_device_ops ibt_dev_ops = {
	.driver_id = RDMA_DRIVER_RXE,
	.uverbs_abi_ver = IBT_UVERBS_ABI,
	.enable_driver = ibt_enable_driver,
	.dealloc_driver = ibt_dealloc_driver,
};

/* ib_set_device_ops() keeps the first op of a kind, so the link's come first. */
static void ibt_dev_set_ops(struct ibt_dev *dev)
{
	const struct ib_device_ops *const ops[] = {
		dev->link->ib_ops, &soft_dev_ops, &soft_mw_ops, &soft_odp_ops, &soft_dm_ops,
		&ibt_dev_ops, &ibt_verbs_ops, &ibt_qp_ops, &ibt_ah_ops, &ibt_srq_ops,
		&ibt_mcast_ops, &ibt_stats_ops, &ibt_counter_ops, &ibt_res_ops,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ib_set_device_ops(&dev->soft.ib, ops[i]);
}

static void ibt_dev_tables(struct ibt_dev *dev)
{
	soft_mem_init(&dev->soft.mem);
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	xa_init_flags(&dev->ahs, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&dev->srqs, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&dev->counters, XA_FLAGS_ALLOC1);
	mutex_init(&dev->groups_lock);
	/* Packets to an earlier device of the same address must not find a QP. */
	dev->next_qpn = get_random_u32() & (IBT_QPN_MASK >> 1);
}

static void ibt_port_init(struct ibt_dev *dev, u32 num)
{
	struct ibt_port *port = &dev->ports[num - 1];

	port->dev = dev;
	port->num = num;
	port->pkeys[0] = IB_DEFAULT_PKEY_FULL;
	port->num_pkeys = 1;
	port->cap_mask = IB_PORT_CM_SUP;
	ibt_tx_wait_init(port);
}

static const u32 ibt_max_objects[SOFT_OBJECT_NUM] = {
	[SOFT_OBJECT_PD] = IBT_MAX_PD,
	[SOFT_OBJECT_CQ] = IBT_MAX_CQ,
	[SOFT_OBJECT_SRQ] = IBT_MAX_SRQ,
	[SOFT_OBJECT_QP] = IBT_MAX_QP,
	[SOFT_OBJECT_MR] = IBT_MAX_MR,
	[SOFT_OBJECT_MW] = IBT_MAX_MW,
	[SOFT_OBJECT_AH] = IBT_MAX_AH,
};

static void ibt_dev_describe(struct ibt_dev *dev)
{
	struct ib_device *ib = &dev->soft.ib;
	u32 i;

	soft_limits_init(&dev->soft, ibt_max_objects);
	dev->soft.max_cqe = IBT_MAX_CQE;
	dev->soft.max_mr_pages = IBT_MAX_FAST_PAGES;
	ib->node_type = RDMA_NODE_IB_CA;
	ib->phys_port_cnt = dev->num_ports;
	ib->num_comp_vectors = num_online_cpus();
	ib->driver_def = soft_uapi_defs;
	/* Commands that librxe sends by write(); it uses the rings for the others. */
	ib->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
			       BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	for (i = 1; i <= dev->num_ports; i++)
		ibt_port_init(dev, i);
}

/**
 * ibt_dev_alloc - allocate a device of a link
 * @ops: the link; must outlive the device
 * @num_ports: number of ports, which are numbered from 1
 * @priv_bytes: size of the link's memory, which is zeroed; see ibt_dev_priv()
 *
 * The device ends by ibt_dev_free() or, once registered, by its unregistration.
 *
 * Context: process, may sleep.
 * Return: the device, not visible yet; NULL without memory.
 */
struct ibt_dev *ibt_dev_alloc(const struct ibt_link_ops *ops, u32 num_ports,
			      size_t priv_bytes)
{
	struct ib_device *ib;
	struct ibt_dev *dev;

	/* The core frees the device by the address of its ib_device. */
	BUILD_BUG_ON(offsetof(struct ibt_dev, soft.ib) != 0);
	ib = compat_ib_alloc_device(struct_size_t(struct ibt_dev, ports, num_ports));
	if (!ib)
		return NULL;
	dev = to_ibt_dev(ib);
	dev->link = ops;
	dev->num_ports = num_ports;
	ibt_dev_tables(dev);
	ibt_dev_describe(dev);
	if (soft_null_init(&dev->soft.mem))
		goto err_device;
	dev->priv = kzalloc(priv_bytes, GFP_KERNEL);
	if (!dev->priv)
		goto err_null;
	dev->stats = alloc_percpu(struct ibt_stats);
	dev->bound_stats = alloc_percpu(struct ibt_stats);
	dev->recent = alloc_percpu(struct ibt_recent);
	if (!dev->stats || !dev->bound_stats || !dev->recent)
		goto err_stats;
	if (soft_queues_init(&dev->queues, ops->name))
		goto err_stats;
	if (ibt_rx_steer_init(dev))
		goto err_queues;
	if (ibt_groups_init(dev))
		goto err_lanes;
	/* From here on ib_dealloc_device() undoes all of it. */
	ibt_dev_set_ops(dev);
	return dev;

err_lanes:
	ibt_rx_steer_exit(dev);
err_queues:
	soft_queues_exit(&dev->queues);
err_stats:
	free_percpu(dev->recent);
	free_percpu(dev->bound_stats);
	free_percpu(dev->stats);
	kfree(dev->priv);
err_null:
	soft_null_exit(&dev->soft.mem);
err_device:
	mutex_destroy(&dev->groups_lock);
	soft_mem_exit(&dev->soft.mem);
	ib_dealloc_device(ib);
	return NULL;
}
EXPORT_SYMBOL_GPL(ibt_dev_alloc);

/**
 * ibt_dev_free - free a device that was never registered
 * @dev: the device
 *
 * Calls the link's dealloc.
 *
 * Context: process, may sleep.
 */
void ibt_dev_free(struct ibt_dev *dev)
{
	ib_dealloc_device(&dev->soft.ib);
}
EXPORT_SYMBOL_GPL(ibt_dev_free);

/**
 * ibt_dev_register - register a device with the core
 * @dev: the device; parent and node_guid are set
 * @name: its name, or a pattern with %d
 *
 * When this returns the device may be in use, or even unregistered again.
 *
 * Context: process, may sleep.
 * Return: 0, or the errno of ib_register_device(); then the caller keeps @dev.
 */
int ibt_dev_register(struct ibt_dev *dev, const char *name)
{
	return ib_register_device(&dev->soft.ib, name, NULL);
}
EXPORT_SYMBOL_GPL(ibt_dev_register);

/**
 * ibt_dev_ib - ib_device of a device
 * @dev: the device
 *
 * Context: any.
 * Return: its ib_device.
 */
struct ib_device *ibt_dev_ib(struct ibt_dev *dev)
{
	return &dev->soft.ib;
}
EXPORT_SYMBOL_GPL(ibt_dev_ib);

/**
 * ibt_dev_set_system - set the system image GUID of a device
 * @dev: the device; not registered yet
 * @guid: the GUID; the default is the node GUID
 *
 * Context: any.
 */
void ibt_dev_set_system(struct ibt_dev *dev, __be64 guid)
{
	dev->sys_image_guid = guid;
}
EXPORT_SYMBOL_GPL(ibt_dev_set_system);

/**
 * ibt_dev_set_caps - say what else the link of a device can do
 * @dev: the device; not registered yet
 * @caps: IBK_*, beside what the engine says
 *
 * Context: any.
 */
void ibt_dev_set_caps(struct ibt_dev *dev, u64 caps)
{
	dev->link_caps = caps;
}
EXPORT_SYMBOL_GPL(ibt_dev_set_caps);

/**
 * ibt_dev_of - device of an ib_device
 * @ib: ib_device of the engine
 *
 * Context: any.
 * Return: the device.
 */
struct ibt_dev *ibt_dev_of(struct ib_device *ib)
{
	return to_ibt_dev(ib);
}
EXPORT_SYMBOL_GPL(ibt_dev_of);

/**
 * ibt_dev_priv - the link's memory of a device
 * @dev: the device
 *
 * Context: any.
 * Return: memory of the size given to ibt_dev_alloc(), freed after the link's dealloc.
 */
void *ibt_dev_priv(struct ibt_dev *dev)
{
	return dev->priv;
}
EXPORT_SYMBOL_GPL(ibt_dev_priv);

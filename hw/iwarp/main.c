// SPDX-License-Identifier: GPL-2.0
/*
 * Devices of type iwarp: from 'rdma link add' until the core, the network device
 * or the module ends them.
 *
 * Every removal of a device ends in iw_dealloc_driver(). It is started by 'rdma link
 * delete', by the removal of the network device, by the unload of this module, or by
 * the unload of another driver with the same driver_id, as the core then unregisters
 * all devices of that driver_id. iw_dev_reap() releases the rest.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/crypto.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/utsname.h>
#include <ofed/version.h>
#include <rdma/rdma_netlink.h>

#include "../soft/dm.h"
#include "../soft/null.h"
#include "cm.h"
#include "conn.h"
#include "cq.h"
#include "crc.h"
#include "qp.h"
#include "qp_res.h"
#include "wq.h"

static char iw_crc32c[CRYPTO_MAX_ALG_NAME];
module_param_string(crc32c, iw_crc32c, sizeof(iw_crc32c), 0444);
MODULE_PARM_DESC(crc32c,
		 "CRC32C of FPDUs: table, crypto (default: the faster one)");

/* ---- the end of a device ------------------------------------------------------------ */

static void iw_free_tables(struct iw_dev *dev)
{
	free_percpu(dev->stats);
	soft_limits_exit(&dev->soft);
	soft_null_exit(&dev->soft.mem);
	soft_mem_exit(&dev->soft.mem);
	xa_destroy(&dev->qps);
}

/* The last op that the core calls. Every object is gone. */
static void iw_dealloc_driver(struct ib_device *ib)
{
	struct iw_dev *dev = to_iw_dev(ib);

	iw_detach(dev);
	/* RCU readers that got the network device from @dev have finished. */
	synchronize_net();
	iw_free_tables(dev);
	soft_guid_give(&dev->guid);
	if (dev->announced)
		pr_info("link %s on %s removed\n", ib->name,
			dev->held->name);
	dev_put(dev->held);
	/* One that newlink gave up was never listed. */
	if (!list_empty(&dev->entry))
		iw_dev_reap(dev);
}

/* The name is known. Again after each move to another namespace. */
static int iw_enable_driver(struct ib_device *ib)
{
	struct iw_dev *dev = to_iw_dev(ib);

	if (!dev->announced)
		pr_info("link %s on %s added\n", ib->name,
			dev->held->name);
	dev->announced = true;
	return 0;
}

static const struct ib_device_ops dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_SIW,
	.uverbs_abi_ver = SIW_ABI_VERSION,
	.enable_driver = iw_enable_driver,
	.dealloc_driver = iw_dealloc_driver,
};

/* ---- 'rdma link add' ----------------------------------------------------------------- */

/*
 * rdma_cm finds a device by the MAC of the interface. An interface without a MAC
 * gets one that is computed from its name, and that stays the same. The device has no
 * parent: rdma-core's udev rule renames a device with a PCI function as its parent,
 * and the name of a link is chosen by the user.
 */
static void iw_main_describe(struct iw_dev *dev, const struct net_device *ndev)
{
	struct ib_device *ib = &dev->soft.ib;
	u32 bytes = min_t(u32, ndev->addr_len, ETH_ALEN);
	u8 mac[ETH_ALEN] = {};
	u32 hash;

	memcpy(mac, ndev->dev_addr, bytes);
	memcpy(dev->gid.raw, mac, sizeof(mac));
	if (is_zero_ether_addr(mac)) {
		hash = jhash(ndev->name, strlen(ndev->name), 0);
		/* Locally administered: no vendor has assigned it. */
		mac[0] = 0x02;
		memcpy(mac + 2, &hash, sizeof(hash));
	}
	ib->node_guid = soft_guid_take(&dev->guid, ndev, mac, "iwarp");
	ib->node_type = RDMA_NODE_RNIC;
	ib->phys_port_cnt = 1;
	ib->num_comp_vectors = num_online_cpus();
	ib->driver_def = soft_uapi_defs;
	ib->iw_driver_flags = IW_F_NO_PORT_MAP;
	strscpy(ib->iw_ifname, ndev->name, sizeof(ib->iw_ifname));
	snprintf(ib->node_desc, sizeof(ib->node_desc), "%.57s iwarp",
		 init_utsname()->nodename);
	/* Of what libsiw does by a write: the rest goes through the rings. */
	ib->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND);
	/*
	 * Where devices are not shared, the core would let it begin in the first
	 * namespace, in which its network device can not be seen.
	 */
	if (!rdma_dev_access_netns(ib, dev_net(ndev)))
		write_pnet(&ib->coredev.rdma_net, dev_net(ndev));
}

static void iw_set_ops(struct ib_device *ib)
{
	/* The first definition of an op counts, so those of hw/soft come last. */
	const struct ib_device_ops *const ops[] = {
		&dev_ops, &iw_verbs_ops, &iw_cq_ops, &iw_qp_ops, &iw_srq_ops,
		&iw_cm_ops, &iw_stats_ops, &iw_res_ops, &soft_dev_ops, &soft_dm_ops,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ib_set_device_ops(ib, ops[i]);
}

/* A window can not be bound: libsiw has no request for it. */
static const u32 max_objects[SOFT_OBJECT_NUM] = {
	[SOFT_OBJECT_PD] = IW_MAX_PD,
	[SOFT_OBJECT_CQ] = IW_MAX_CQ,
	[SOFT_OBJECT_SRQ] = IW_MAX_SRQ,
	[SOFT_OBJECT_QP] = IW_MAX_QP,
	[SOFT_OBJECT_MR] = IW_MAX_MR,
};

static struct iw_dev *iw_main_create(struct net_device *ndev)
{
	struct iw_dev *dev;

	/* The core frees by the address of its part, which is the first. */
	BUILD_BUG_ON(offsetof(struct iw_dev, soft.ib) != 0);
	dev = ib_alloc_device(iw_dev, soft.ib);
	if (!dev)
		return NULL;
	soft_mem_init(&dev->soft.mem);
	dev->stats = alloc_percpu(struct iw_stats);
	if (!dev->stats || soft_null_init(&dev->soft.mem)) {
		free_percpu(dev->stats);
		ib_dealloc_device(&dev->soft.ib);
		return NULL;
	}
	soft_limits_init(&dev->soft, max_objects);
	dev->soft.max_cqe = IW_MAX_CQE;
	dev->soft.max_mr_pages = IW_MAX_FAST_PAGES;
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ |
		      XA_FLAGS_ACCOUNT);
	dev->next_qpn = get_random_u32() & 0x7fffff;
	iw_dev_init(dev);
	dev_hold(ndev);
	dev->held = ndev;
	iw_main_describe(dev, ndev);
	/* From here on ib_dealloc_device() undoes all of it. */
	iw_set_ops(&dev->soft.ib);
	return dev;
}

static int iw_main_newlink(const char *name, struct net_device *ndev)
{
	struct iw_dev *dev = iw_main_create(ndev);
	struct ib_device *ib;
	int ret;

	if (!dev)
		return -ENOMEM;
	ib = &dev->soft.ib;
	/* Of this function, and of the list: reap() puts that one. */
	get_device(&ib->dev);
	ret = iw_attach(dev, ndev);
	if (ret) {
		ib_dealloc_device(ib);
		goto out;
	}
	get_device(&ib->dev);
	ret = ib_register_device(ib, name, NULL);
	if (ret) {
		ib_dealloc_device(ib);
	} else if (!iw_publish(dev)) {
		/* By now the core may have done so itself: no harm. */
		ib_unregister_device(ib);
		ret = -ENODEV;
	}
out:
	put_device(&ib->dev);
	return ret;
}

static struct rdma_link_ops link_type = {
	.type = "iwarp",
	.newlink = iw_main_newlink,
};

/* ---- the module ------------------------------------------------------------------------ */

static struct ib_device *iw_first_ib(void)
{
	struct ib_device *ib = NULL;
	struct iw_dev *dev;

	mutex_lock(&iw_lock);
	dev = list_first_entry_or_null(&iw_devices, struct iw_dev, entry);
	if (dev) {
		ib = &dev->soft.ib;
		get_device(&ib->dev);
	}
	mutex_unlock(&iw_lock);
	return ib;
}

/*
 * Not by ib_unregister_driver(): that takes all devices of the driver_id, and
 * some may be of another module. No new one comes any more.
 */
static void iw_end_all(void)
{
	struct ib_device *ib;

	while ((ib = iw_first_ib()) != NULL) {
		ib_unregister_device(ib);
		flush_work(&to_iw_dev(ib)->reap);
		put_device(&ib->dev);
		cond_resched();
	}
}

static int __init iw_init(void)
{
	int ret;

	ret = iw_wq_init();
	if (ret)
		return ret;
	ret = iw_devs_init();
	if (ret)
		goto err_wq;
	iw_crc_choose(iw_crc32c, sizeof(iw_crc32c));
	ret = iw_netdev_init();
	if (ret)
		goto err_crc;
	rdma_link_register(&link_type);
	return 0;

err_crc:
	iw_crc_end();
	iw_devs_exit();
err_wq:
	iw_wq_exit();
	return ret;
}

static void __exit iw_exit(void)
{
	rdma_link_unregister(&link_type);
	iw_end_all();
	iw_netdev_exit();
	iw_devs_exit();
	iw_conns_end();
	/* Memory of connections, too, goes in works. */
	iw_wq_exit();
	rcu_barrier();
	iw_crc_end();
}

module_init(iw_init);
module_exit(iw_exit);

MODULE_DESCRIPTION("iWARP: RDMA over TCP");
MODULE_AUTHOR(OFED_AUTHOR);
MODULE_VERSION(OFED_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_LINK("iwarp");
MODULE_SOFTDEP("pre: crc32c");

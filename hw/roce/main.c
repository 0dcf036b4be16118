// SPDX-License-Identifier: GPL-2.0
/*
 * Devices of type roce: from 'rdma link add' until the core, the network device
 * or the module ends them.
 *
 * Every end of a device goes through roce_dealloc(): by 'rdma link delete', by the end
 * of its network device or namespace, by the unload of this module, or by the unload of
 * another driver of the same driver_id, for which the core unregisters all devices of
 * that id. roce_reap() frees what is left.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/if_arp.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/utsname.h>
#include <ofed/version.h>
#include <rdma/rdma_netlink.h>

#include "dev.h"
#include "icrc_udp.h"
#include "link_eth.h"
#include "link_udp.h"
#include "net.h"
#include "netdev.h"
#include "path.h"
#include "port.h"
#include "socket.h"
#include "tx.h"

/* ---- the engine's link, version 1 or 2 ---------------------------------------- */

static u32 roce_run(const struct ibt_path *path, u32 size)
{
	const struct roce_path *p = to_roce_path(path);

	return p->kind == ROCE_ETH ? 1 : roce_udp_run(p, size);
}

static void roce_build(struct sk_buff *skb, struct ibt_path *path, u32 flow,
		       u32 size)
{
	const struct roce_path *p = to_roce_path(path);

	if (p->kind == ROCE_ETH)
		roce_eth_build(skb, p);
	else
		roce_udp_build(skb, p, flow, size);
}

static u32 roce_icrc_seed(const struct sk_buff *skb, u32 index, u32 length)
{
	if (skb->protocol == htons(ETH_P_IBOE))
		return roce_eth_seed(skb);
	return roce_udp_seed(skb, index, length);
}

static u32 roce_tx_seed(const struct sk_buff *skb, const struct ibt_path *path, u32 index,
			u32 length)
{
	const struct roce_path *p = to_roce_path(path);

	if (p->kind == ROCE_ETH)
		return roce_eth_seed(skb);
	return roce_udp_tx_seed(skb, p->seed, index, length);
}

static int roce_xmit(struct sk_buff *skb, struct ibt_path *path)
{
	struct roce_path *p = to_roce_path(path);
	struct roce_dev *rd = p->rd;

	roce_tx_charge(rd, skb);
	if (p->kind == ROCE_ETH)
		roce_eth_xmit(skb, p);
	else
		roce_udp_xmit(skb, p);
	return roce_tx_state(rd);
}

static bool roce_under_way(const struct ibt_port *port)
{
	return roce_tx_left(roce_of_port(port));
}

static void roce_passage(const struct ibt_port *port, struct ibt_passage *passage)
{
	roce_tx_passage(roce_of_port(port), passage);
}

static void roce_meta(struct ibt_path *path, u32 length,
		      struct ibt_rx_meta *meta)
{
	const struct roce_path *p = to_roce_path(path);

	memset(meta, 0, sizeof(*meta));
	meta->has_grh = true;
	meta->sgid = p->sgid;
	meta->dgid = p->dgid;
	if (p->kind == ROCE_ETH)
		roce_eth_meta(p, length, meta);
	else
		roce_udp_meta(p, length, meta);
}

/* Also called for a device that roce_newlink() failed to register. */
static void roce_dealloc(struct ibt_dev *dev)
{
	struct roce_dev *rd = *(struct roce_dev **)ibt_dev_priv(dev);

	if (!rd)
		return;
	roce_detach(rd);
	roce_tx_mute(rd);
	/* Softirqs may be receiving for the device, or delivering to its port. */
	synchronize_net();
	roce_unlisten(rd);
	roce_tx_close(rd);
	roce_net_put(rd);
	/* No path is left: references of the device, roce_newlink() and roce_end(). */
	WARN_ON_ONCE(refcount_read(&rd->refs) > 3);
	soft_guid_give(&rd->guid);
	if (rd->announced)
		pr_info("link %s on %s removed\n", rd->ib->name,
			rd->held->name);
	dev_put(rd->held);
	roce_reap(rd);
}

static void roce_enabled(struct ibt_dev *dev)
{
	struct roce_dev *rd = *(struct roce_dev **)ibt_dev_priv(dev);

	if (!rd->announced)
		pr_info("link %s on %s added\n", rd->ib->name,
			rd->held->name);
	rd->announced = true;
	roce_catch_up(rd);
}

static const struct ibt_link_ops roce_link = {
	.name		= "roce",
	.layer		= IB_LINK_LAYER_ETHERNET,
	.max_mtu	= ROCE_MAX_MTU,
	.lanes		= true,
	.path_resolve	= roce_path_resolve,
	.path_valid	= roce_path_valid,
	.path_free	= roce_path_free,
	.run		= roce_run,
	.build		= roce_build,
	.icrc_seed	= roce_icrc_seed,
	.tx_seed	= roce_tx_seed,
	.xmit		= roce_xmit,
	.tx_in_flight	= roce_under_way,
	.passage	= roce_passage,
	.meta		= roce_meta,
	.query_port	= roce_query_port,
	.active_mtu	= roce_active_mtu,
	.mcast_join	= roce_mcast_join,
	.mcast_leave	= roce_mcast_leave,
	.enabled	= roce_enabled,
	.dealloc	= roce_dealloc,
	.ib_ops		= &roce_ib_ops,
};

/* ---- 'rdma link add' ------------------------------------------------------------ */

/*
 * The node GUID is derived from the interface, the node description from the host. The
 * device has no parent: rdma-core's udev rule renames a device with a PCI function as
 * its parent, and the user has chosen the name of the link.
 */
static void roce_describe(struct roce_dev *rd, const struct net_device *ndev)
{
	struct ib_device *ib = rd->ib;

	ib->node_guid = soft_guid_take(&rd->guid, ndev, ndev->dev_addr, NULL);
	snprintf(ib->node_desc, sizeof(ib->node_desc), "%.58s roce",
		 init_utsname()->nodename);
	/*
	 * In exclusive mode the core would put the device into the first namespace, which
	 * does not have the network device.
	 */
	if (!rdma_dev_access_netns(ib, dev_net(ndev)))
		write_pnet(&ib->coredev.rdma_net, dev_net(ndev));
}

/* Takes two references: that of the device, and that of the caller. */
static struct roce_dev *roce_create(struct net_device *ndev)
{
	struct roce_dev *rd = kzalloc(sizeof(*rd), GFP_KERNEL);

	if (!rd)
		return NULL;
	rd->dev = ibt_dev_alloc(&roce_link, 1, sizeof(rd));
	if (!rd->dev) {
		kfree(rd);
		return NULL;
	}
	*(struct roce_dev **)ibt_dev_priv(rd->dev) = rd;
	refcount_set(&rd->refs, 2);
	spin_lock_init(&rd->gids_lock);
	rd->port = ibt_dev_port(rd->dev, 1);
	rd->ib = ibt_dev_ib(rd->dev);
	rd->net = dev_net(ndev);
	dev_hold(ndev);
	rd->held = ndev;
	roce_describe(rd, ndev);
	get_device(&rd->ib->dev);
	roce_dev_add(rd);
	return rd;
}

static int roce_newlink(const char *name, struct net_device *ndev)
{
	struct ib_device *ib;
	struct roce_dev *rd;
	int ret;

	if (ndev->type != ARPHRD_ETHER && ndev->type != ARPHRD_LOOPBACK) {
		netdev_dbg(ndev, "no RoCE: its type is %u, not Ethernet\n",
			   ndev->type);
		return -EINVAL;
	}
	rd = roce_create(ndev);
	if (!rd)
		return -ENOMEM;
	ib = rd->ib;
	get_device(&ib->dev);

	ret = roce_attach(rd, ndev);
	if (!ret)
		ret = roce_tx_open(rd);
	if (!ret)
		ret = roce_listen(rd);
	if (!ret)
		ret = ibt_dev_register(rd->dev, name);
	if (ret) {
		/* roce_dealloc() undoes the steps that were done. */
		ibt_dev_free(rd->dev);
	} else if (!roce_publish(rd)) {
		/* The core may have unregistered it already: a second call is allowed. */
		ib_unregister_device(ib);
		ret = -ENODEV;
	}
	roce_put(rd);
	put_device(&ib->dev);
	return ret;
}

static struct rdma_link_ops roce_type = {
	.type = "roce",
	.newlink = roce_newlink,
};

/* ---- the module ------------------------------------------------------------------ */

static int __init roce_init(void)
{
	int ret;

	roce_icrc_udp_init();
	ret = roce_devs_init();
	if (ret)
		return ret;
	ret = roce_socket_init();
	if (ret)
		goto err_devs;
	ret = roce_netdev_init();
	if (ret)
		goto err_socket;
	roce_eth_init();
	rdma_link_register(&roce_type);
	return 0;

err_socket:
	roce_socket_exit();
err_devs:
	roce_devs_exit();
	return ret;
}

static void __exit roce_exit(void)
{
	rdma_link_unregister(&roce_type);
	roce_end_all();
	roce_eth_exit();
	roce_netdev_exit();
	roce_socket_exit();
	roce_devs_exit();
}

module_init(roce_init);
module_exit(roce_exit);

MODULE_DESCRIPTION("RoCE over any Ethernet interface");
MODULE_AUTHOR(OFED_AUTHOR);
MODULE_VERSION(OFED_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_LINK("roce");

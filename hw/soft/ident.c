// SPDX-License-Identifier: GPL-2.0
/*
 * What names a device: its GUID, its firmware, and the files of sysfs that the drivers of
 * hardware have, which programs that monitor look for.
 *
 * guids_lock (mutex)
 *	the list of GUIDs. No other lock is taken inside of it.
 */
#include <linux/etherdevice.h>
#include <linux/export.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>
#include <ofed/version.h>

#include "ident.h"

/* ---- GUIDs ------------------------------------------------------------------------ */

static DEFINE_MUTEX(guids_lock);
static LIST_HEAD(guids);

/* An EUI-64 that has it in the middle is made of a MAC; 0xffff is of the same kind. */
#define MADE_OF_MAC	0xfffe

/* The modified EUI-64 of a MAC, with another middle: its bit for "universal" is inverted. */
static u64 soft_guid_of(const u8 *mac, u16 middle)
{
	u64 whole = ether_addr_to_u64(mac) ^ BIT_ULL(41);

	return (whole >> 24) << 40 | (u64)middle << 24 | (whole & GENMASK_ULL(23, 0));
}

static bool soft_is_taken(u64 value)
{
	const struct soft_guid *guid;

	lockdep_assert_held(&guids_lock);
	list_for_each_entry(guid, &guids, entry)
		if (guid->value == value)
			return true;
	return false;
}

static int soft_same_mac(struct net_device *lower, struct netdev_nested_priv *priv)
{
	return ether_addr_equal(lower->dev_addr, priv->data);
}

/* A VLAN or an ipvlan has the MAC of the interface that it lies upon. */
static bool soft_has_mac_of_another(const struct net_device *ndev)
{
	struct netdev_nested_priv priv = { .data = (void *)ndev->dev_addr };
	bool found;

	if (ndev->addr_len != ETH_ALEN)
		return false;
	rcu_read_lock();
	found = netdev_walk_all_lower_dev_rcu((struct net_device *)ndev,
					      soft_same_mac, &priv);
	rcu_read_unlock();
	return found;
}

/* The same each time that an interface of this name gets a device of this kind. */
static u16 soft_middle_of(const struct net_device *ndev, const char *kind)
{
	u32 hash = jhash(kind, strlen(kind), 0);

	return jhash(ndev->name, strlen(ndev->name), hash) % MADE_OF_MAC;
}

/**
 * soft_guid_take - a node GUID that no other device has
 * @guid: filled in; the device's until soft_guid_give()
 * @ndev: its interface
 * @mac: address that the GUID is made of
 * @kind: name of the driver; NULL: the driver that takes the EUI-64 of the MAC as its
 *	  GUID, unless the MAC is that of a lower interface
 *
 * Context: process, may sleep.
 * Return: the GUID.
 */
__be64 soft_guid_take(struct soft_guid *guid, const struct net_device *ndev,
		      const u8 *mac, const char *kind)
{
	u16 middle = MADE_OF_MAC;

	if (kind || soft_has_mac_of_another(ndev))
		middle = soft_middle_of(ndev, kind ?: "");
	mutex_lock(&guids_lock);
	if (soft_is_taken(soft_guid_of(mac, middle)))
		middle = soft_middle_of(ndev, kind ?: "");
	/* Fewer interfaces of one MAC than that are there. */
	while (soft_is_taken(soft_guid_of(mac, middle)))
		middle = (middle + 1) % MADE_OF_MAC;
	guid->value = soft_guid_of(mac, middle);
	list_add(&guid->entry, &guids);
	mutex_unlock(&guids_lock);
	return cpu_to_be64(guid->value);
}
EXPORT_SYMBOL_GPL(soft_guid_take);

/**
 * soft_guid_give - the device of a GUID ends
 * @guid: of soft_guid_take()
 *
 * Context: process, may sleep.
 */
void soft_guid_give(struct soft_guid *guid)
{
	mutex_lock(&guids_lock);
	list_del(&guid->entry);
	mutex_unlock(&guids_lock);
}
EXPORT_SYMBOL_GPL(soft_guid_give);

/* ---- firmware ----------------------------------------------------------------------- */

/**
 * soft_fw_ver - for fw_ver of query_device()
 *
 * Context: any.
 * Return: the version of the modules, as the providers of rdma-core read it.
 */
u64 soft_fw_ver(void)
{
	return (u64)OFED_VERSION_MAJOR << 32 | OFED_VERSION_MINOR << 16 |
	       OFED_VERSION_SUB;
}
EXPORT_SYMBOL_GPL(soft_fw_ver);

/**
 * soft_get_dev_fw_str - get_dev_fw_str() of a device
 * @ib: the device
 * @str: IB_FW_VERSION_NAME_MAX bytes: the same in words
 *
 * Context: any.
 */
void soft_get_dev_fw_str(struct ib_device *ib, char *str)
{
	strscpy(str, OFED_VERSION, IB_FW_VERSION_NAME_MAX);
}
EXPORT_SYMBOL_GPL(soft_get_dev_fw_str);

/* ---- files ---------------------------------------------------------------------------- */

static ssize_t hw_rev_show(struct device *dev, struct device_attribute *attr,
				char *buf)
{
	return sysfs_emit(buf, "%x\n", rdma_device_to_ibdev(dev)->attrs.hw_ver);
}
struct device_attribute soft_attr_hw_rev = __ATTR_RO(hw_rev);
EXPORT_SYMBOL_GPL(soft_attr_hw_rev);

/* The module that its ports belong to. */
static ssize_t hca_type_show(struct device *dev, struct device_attribute *attr,
				  char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  module_name(rdma_device_to_ibdev(dev)->ops.owner));
}
struct device_attribute soft_attr_hca_type = __ATTR_RO(hca_type);
EXPORT_SYMBOL_GPL(soft_attr_hca_type);

static ssize_t board_id_show(struct device *dev, struct device_attribute *attr,
				  char *buf)
{
	return sysfs_emit(buf, "software\n");
}
struct device_attribute soft_attr_board_id = __ATTR_RO(board_id);
EXPORT_SYMBOL_GPL(soft_attr_board_id);

static struct attribute *attributes[] = {
	&soft_attr_hw_rev.attr,
	&soft_attr_hca_type.attr,
	&soft_attr_board_id.attr,
	NULL
};

const struct attribute_group soft_device_group = {
	.attrs = attributes,
};
EXPORT_SYMBOL_GPL(soft_device_group);

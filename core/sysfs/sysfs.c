// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/infiniband/DEVICE: the files of the device itself. Formats are
 * ABI, see Documentation/ABI/stable/sysfs-class-infiniband of the kernel.
 */
#include <linux/device.h>
#include <linux/sysfs.h>
#include <rdma/ib_verbs.h>

#include "sysfs.h"

static const char *sysfs_node_type_text(u8 type)
{
	static const char * const text[] = {
		[RDMA_NODE_IB_CA]	= "CA",
		[RDMA_NODE_IB_SWITCH]	= "switch",
		[RDMA_NODE_IB_ROUTER]	= "router",
		[RDMA_NODE_RNIC]	= "RNIC",
		[RDMA_NODE_USNIC]	= "usNIC",
		[RDMA_NODE_USNIC_UDP]	= "usNIC UDP",
		[RDMA_NODE_UNSPECIFIED]	= "unspecified",
	};

	if (type < ARRAY_SIZE(text) && text[type])
		return text[type];
	return "<unknown>";
}

static ssize_t node_type_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	u8 type = rdma_device_to_ibdev(dev)->node_type;

	return sysfs_emit(buf, "%u: %s\n", type, sysfs_node_type_text(type));
}
static DEVICE_ATTR_RO(node_type);

static ssize_t sysfs_guid_emit(char *buf, __be64 guid)
{
	u64 g = be64_to_cpu(guid);

	return sysfs_emit(buf, "%04x:%04x:%04x:%04x\n", (u16)(g >> 48),
			  (u16)(g >> 32), (u16)(g >> 16), (u16)g);
}

static ssize_t node_guid_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	return sysfs_guid_emit(buf, rdma_device_to_ibdev(dev)->node_guid);
}
static DEVICE_ATTR_RO(node_guid);

static ssize_t sys_image_guid_show(struct device *dev,
				   struct device_attribute *attr, char *buf)
{
	return sysfs_guid_emit(buf, rdma_device_to_ibdev(dev)->attrs.sys_image_guid);
}
static DEVICE_ATTR_RO(sys_image_guid);

static ssize_t fw_ver_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	char version[IB_FW_VERSION_NAME_MAX] = "";

	ib_get_device_fw_str(rdma_device_to_ibdev(dev), version);
	return sysfs_emit(buf, "%s\n", version);
}
static DEVICE_ATTR_RO(fw_ver);

static ssize_t node_desc_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	/* IBA vol. 1, 14.2.5.2: 64 bytes, ended by 0 only when shorter. */
	return sysfs_emit(buf, "%.*s\n", IB_DEVICE_NODE_DESC_MAX,
			  rdma_device_to_ibdev(dev)->node_desc);
}

/* The bytes are taken as they come, a newline included. */
static ssize_t node_desc_store(struct device *dev,
			       struct device_attribute *attr, const char *buf,
			       size_t count)
{
	struct ib_device_modify change = {};
	int ret;

	memcpy(change.node_desc, buf, min(count, sizeof(change.node_desc)));
	ret = ib_modify_device(rdma_device_to_ibdev(dev),
			       IB_DEVICE_MODIFY_NODE_DESC, &change);
	return ret ?: count;
}
static DEVICE_ATTR_RW(node_desc);

static struct attribute *device_attrs[] = {
	&dev_attr_fw_ver.attr,
	&dev_attr_node_desc.attr,
	&dev_attr_node_guid.attr,
	&dev_attr_node_type.attr,
	&dev_attr_sys_image_guid.attr,
	NULL
};

const struct attribute_group ofed_device_attr_group = {
	.attrs = device_attrs,
};

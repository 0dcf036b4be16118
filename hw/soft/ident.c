// SPDX-License-Identifier: GPL-2.0
/*
 * What names a device: its firmware, and the files of sysfs that the drivers of hardware
 * have, which programs that monitor look for.
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/sysfs.h>
#include <ofed/version.h>

#include "ident.h"

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

/* SPDX-License-Identifier: GPL-2.0 */
/* By what an administrator knows a device: GUID, firmware, files of sysfs. */
#ifndef SOFT_IDENT_H
#define SOFT_IDENT_H

#include <linux/device.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

/**
 * struct soft_guid - the node GUID of a device on a network interface
 * @entry: of all of them
 * @value: no other one has it
 */
struct soft_guid {
	struct list_head entry;
	u64 value;
};

__be64 soft_guid_take(struct soft_guid *guid, const struct net_device *ndev,
		      const u8 *mac, const char *kind);
void soft_guid_give(struct soft_guid *guid);

u64 soft_fw_ver(void);
void soft_get_dev_fw_str(struct ib_device *ib, char *str);

/* hw_rev, hca_type, board_id: for the device_group of a driver, or all of one. */
extern struct device_attribute soft_attr_hw_rev;
extern struct device_attribute soft_attr_hca_type;
extern struct device_attribute soft_attr_board_id;
extern const struct attribute_group soft_device_group;

#endif /* SOFT_IDENT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* By what an administrator knows a device: firmware, files of sysfs. */
#ifndef SOFT_IDENT_H
#define SOFT_IDENT_H

#include <linux/device.h>
#include <rdma/ib_verbs.h>

u64 soft_fw_ver(void);
void soft_get_dev_fw_str(struct ib_device *ib, char *str);

/* hw_rev, hca_type, board_id: for the device_group of a driver, or all of one. */
extern struct device_attribute soft_attr_hw_rev;
extern struct device_attribute soft_attr_hca_type;
extern struct device_attribute soft_attr_board_id;
extern const struct attribute_group soft_device_group;

#endif /* SOFT_IDENT_H */

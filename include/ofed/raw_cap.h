/* SPDX-License-Identifier: GPL-2.0 */
/* The right to build packets by hand, or to reach for those of others. */
#ifndef OFED_RAW_CAP_H
#define OFED_RAW_CAP_H

#include <linux/types.h>

struct ib_device;

/**
 * ofed_has_raw_cap - has the current process CAP_NET_RAW for a device
 * @dev: the device, or NULL before one is known
 *
 * Since 7.x the user namespace counts that owns the device's network namespace, before that the
 * first one alone. Context: process.
 */
bool ofed_has_raw_cap(const struct ib_device *dev);

#endif /* OFED_RAW_CAP_H */

// SPDX-License-Identifier: GPL-2.0
/* The right to build packets by hand: before 7.x the first user namespace decides. */
#include <linux/capability.h>
#include <linux/export.h>
#include <ofed/raw_cap.h>

bool ofed_has_raw_cap(const struct ib_device *dev)
{
	return capable(CAP_NET_RAW);
}
EXPORT_SYMBOL_GPL(ofed_has_raw_cap);

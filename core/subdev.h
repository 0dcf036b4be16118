/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OFED_CORE_SUBDEV_H
#define OFED_CORE_SUBDEV_H

#include <rdma/ib_verbs.h>

/* Parts go before the device that they are a part of. */
void ofed_subdevs_remove(struct ib_device *parent);
/* A part that is unregistered otherwise is no part any more. */
void ofed_subdev_leave(struct ib_device *sub);

#endif /* OFED_CORE_SUBDEV_H */

/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Which devices are this project's. */
#ifndef LIB_MATCH_H
#define LIB_MATCH_H

#include <infiniband/driver.h>

bool lib_is_ours(struct verbs_sysfs_dev *dev);
struct verbs_device *lib_alloc_device(struct verbs_sysfs_dev *dev);
void lib_free_device(struct verbs_device *device);

#endif /* LIB_MATCH_H */

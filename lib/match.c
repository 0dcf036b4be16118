// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which devices are this project's. rdma_rxe and siw have the same driver IDs; their
 * devices have no file hca_type, in which ours name their module. With RDMAV_OFED=0 in
 * the environment of a program, no device is taken, and rdma-core's own providers have all.
 */
#include <stdlib.h>
#include <string.h>

#include "match.h"

#define MODULES_BEGIN_WITH "ofed_"

bool lib_is_ours(struct verbs_sysfs_dev *dev)
{
	char type[64];
	const char *wanted = getenv("RDMAV_OFED");

	if (!dev->match || (wanted && !strcmp(wanted, "0")))
		return false;
	if (ibv_read_ibdev_sysfs_file(type, sizeof(type), dev, "hca_type") <= 0)
		return false;
	return !strncmp(type, MODULES_BEGIN_WITH, strlen(MODULES_BEGIN_WITH));
}

struct verbs_device *lib_alloc_device(struct verbs_sysfs_dev *dev)
{
	return calloc(1, sizeof(struct verbs_device));
}

void lib_free_device(struct verbs_device *device)
{
	free(device);
}

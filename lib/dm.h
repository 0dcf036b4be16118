/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Device memory, of devices of either kind. */
#ifndef LIB_DM_H
#define LIB_DM_H

#include <infiniband/driver.h>

struct ibv_dm *lib_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr);
int lib_free_dm(struct ibv_dm *dm);
struct ibv_dm *lib_import_dm(struct ibv_context *context, uint32_t handle);
void lib_unimport_dm(struct ibv_dm *dm);
struct ibv_mr *lib_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
			     size_t length, unsigned int access);

#endif /* LIB_DM_H */

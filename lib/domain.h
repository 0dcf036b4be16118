/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Protection domains, parent domains, thread domains. */
#ifndef LIB_DOMAIN_H
#define LIB_DOMAIN_H

#include <infiniband/driver.h>

struct ibv_pd *lib_alloc_pd(struct ibv_context *context);
int lib_dealloc_pd(struct ibv_pd *pd);
struct ibv_pd *lib_import_pd(struct ibv_context *context, uint32_t handle);
void lib_unimport_pd(struct ibv_pd *pd);
struct ibv_pd *lib_alloc_parent_domain(struct ibv_context *context,
				       struct ibv_parent_domain_init_attr *attr);
struct ibv_td *lib_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int lib_dealloc_td(struct ibv_td *td);
bool lib_pd_is_single(struct ibv_pd *pd);

#endif /* LIB_DOMAIN_H */

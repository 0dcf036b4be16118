/* SPDX-License-Identifier: GPL-2.0 */
/* Memory regions, and words of them. */
#ifndef OFED_SOFT_MR_H
#define OFED_SOFT_MR_H

#include "mr_table.h"

/* A work request; @pd is of the queue pair that asks. */
int soft_region_register(struct ib_mr *mr, struct ib_pd *pd, u32 key,
			 int access);

struct ib_mr *soft_region_of_pages(struct ib_pd *pd, enum soft_region_kind kind,
				   struct soft_pages *pages, u64 length, int access);

/* The verb that a driver with a reply of its own calls itself. */
struct ib_mr *soft_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 virt_addr, int access,
			       COMPAT_DMAH_PARAM struct ib_udata *udata);

struct ib_mr *soft_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
				      u64 virt_addr, int fd, int access,
				      COMPAT_DMAH_PARAM struct compat_op_attrs *attrs);
struct ib_mr *soft_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *soft_rereg_user_mr(struct ib_mr *mr, int flags, u64 start,
				 u64 length, u64 virt_addr, int access,
				 struct ib_pd *pd, struct ib_udata *udata);
struct ib_mr *soft_alloc_mr(struct ib_pd *pd, enum ib_mr_type type,
			    u32 max_num_sg);
int soft_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int nents,
		   unsigned int *offset);
int soft_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);

/*
 * word.c: atomics are atomic against the CPU's, and the CPU sees the whole of a store or
 * nothing of it; @iova is a multiple of 8. @region and @grant are from soft_region_remote(); the
 * memory may have gone since.
 */
enum soft_access_err soft_region_cmp_swap(struct soft_region *region, u32 grant, u64 iova,
					  u64 compare, u64 swap, u64 *original);
enum soft_access_err soft_region_fetch_add(struct soft_region *region, u32 grant, u64 iova,
					   u64 add, u64 *original);
enum soft_access_err soft_region_store(struct soft_region *region, u32 grant, u64 iova,
				       u64 word);

#endif /* OFED_SOFT_MR_H */

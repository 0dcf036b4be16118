/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of hw/soft share with each other only. */
#ifndef OFED_SOFT_INTERNAL_H
#define OFED_SOFT_INTERNAL_H

#include <linux/highmem.h>

#include "soft.h"

/* What only a peer can be given. */
#define SOFT_REMOTE_RIGHTS (IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | \
			    IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct soft_pages - where the bytes of a memory region are
 * @umem: (SOFT_USER) keeps them pinned
 * @shift: log2 of bytes of a page; PAGE_SHIFT for SOFT_USER
 * @offset: of the region's first byte in the first page
 * @num: pages that are set
 * @max: (SOFT_FAST) room in @addr
 * @page: (SOFT_USER)
 * @addr: (SOFT_FAST) kernel virtual addresses
 */
struct soft_pages {
	struct ib_umem *umem;
	u32 shift;
	u32 offset;
	u32 num;
	u32 max;
	union {
		DECLARE_FLEX_ARRAY(struct page *, page);
		DECLARE_FLEX_ARRAY(u64, addr);
	};
};

/**
 * struct soft_spot - bytes of a region that lie side by side in kernel addresses
 * @at: the first one; soft_spot_put() ends its mapping
 * @bytes: how many, at least 1
 * @mapped: a mapping has to be ended
 */
struct soft_spot {
	void *at;
	u64 bytes;
	bool mapped;
};

/* mem.c: a region's life and its keys */
struct soft_region *soft_region_new(struct soft_mem *mem, struct ib_pd *pd,
				    enum soft_region_kind kind);
int soft_region_publish(struct soft_region *region);
void soft_region_withdraw(struct soft_region *region);
struct soft_region *soft_region_get(struct soft_mem *mem, u32 key);
bool soft_region_covers(const struct soft_region *region, u64 iova,
			u64 length);
enum soft_fault soft_region_may_local(struct soft_region *region,
				      struct ib_pd *pd,
				      const struct ib_sge *sge, int access,
				      u32 *grant);

enum soft_fault soft_region_may_remote(const struct soft_region *region,
				       struct ib_pd *pd, u32 qpn, u32 rkey,
				       u64 iova, u64 length, int access);

struct soft_region *soft_region_find_remote(struct soft_mem *mem,
					    struct ib_pd *pd, u32 qpn, u32 rkey,
					    u64 iova, u64 length, int access,
					    enum soft_fault *fault, u32 *grant);
void soft_window_detach(struct soft_region *parent);

/* pages.c */
struct soft_pages *soft_pages_alloc(u64 num);
void soft_pages_free(struct soft_pages *pages);
int soft_pages_persist(const struct soft_pages *pages, int access);
struct soft_pages *soft_pages_of_user(struct ib_device *device, u64 start,
				      u64 length, int access);
enum soft_fault soft_spot_get(const struct soft_region *region, u64 iova,
			      u64 want, bool remote, struct soft_spot *spot);

/**
 * soft_spot_put - end a mapping
 * @spot: from soft_spot_get(), which returned SOFT_OK
 */
static inline void soft_spot_put(const struct soft_spot *spot)
{
	if (spot->mapped)
		kunmap_local(spot->at);
}

/* mr.c */
struct ib_mr *soft_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *soft_rereg_user_mr(struct ib_mr *mr, int flags, u64 start,
				 u64 length, u64 virt_addr, int access,
				 struct ib_pd *pd, struct ib_udata *udata);
struct ib_mr *soft_alloc_mr(struct ib_pd *pd, enum ib_mr_type type,
			    u32 max_num_sg);
int soft_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int nents,
		   unsigned int *offset);
int soft_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);

/* pd.c */
int soft_alloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int soft_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);

/* mw.c */
int soft_alloc_mw(struct ib_mw *mw, struct ib_udata *udata);
int soft_dealloc_mw(struct ib_mw *mw);

/* cq.c */
int soft_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct compat_op_attrs *attrs);
int soft_pre_destroy_cq(struct ib_cq *ibcq);
int soft_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int soft_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata);
int soft_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int soft_peek_cq(struct ib_cq *ibcq, int wanted);
int soft_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
bool soft_cq_tell(struct soft_cq *cq, bool now);

/* cq_moderation.c */
void soft_cq_moderation_init(struct soft_cq *cq);
bool soft_cq_hold(struct soft_cq *cq);
int soft_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);

#endif /* OFED_SOFT_INTERNAL_H */

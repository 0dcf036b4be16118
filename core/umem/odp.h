/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a region that is not pinned has of its pages: odp_lists.c or odp_hmm.c, as the kernel's
 * struct ib_umem_odp has it. An entry is as large as the pages of the region.
 */
#ifndef OFED_UMEM_ODP_H
#define OFED_UMEM_ODP_H

#include <linux/types.h>

struct ib_umem_odp;

/* For @size bytes, from page_shift on. 0 or -ENOMEM; what it has taken is freed by the second. */
int umem_odp_alloc_lists(struct ib_umem_odp *odp, unsigned long size);
void umem_odp_free_lists(struct ib_umem_odp *odp);

/* Are these COMPAT_ODP_* rights that a device may ask for? */
bool umem_odp_are_rights(u64 rights);

/*
 * The page @pfn (HMM_PFN_*) is that of an entry, and the device has COMPAT_ODP_* @rights to it. With
 * umem_mutex held. 0, -EINVAL (the page is smaller than the entry), -EFAULT (no DMA mapping).
 */
int umem_odp_map_entry(struct ib_umem_odp *odp, unsigned long entry,
		       unsigned long pfn, u64 rights);
/* It has none any more. With umem_mutex held. */
void umem_odp_unmap_entry(struct ib_umem_odp *odp, unsigned long entry);

#endif /* OFED_UMEM_ODP_H */

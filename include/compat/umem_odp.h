/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rights of a device to memory that is not pinned: since 7.x these are flags of the memory manager,
 * before they are bits of a DMA address. Drop when 7.x is the oldest kernel.
 */
#ifndef OFED_COMPAT_UMEM_ODP_H
#define OFED_COMPAT_UMEM_ODP_H

#include <linux/hmm.h>
#include <rdma/ib_umem_odp.h>

#ifdef COMPAT_HAVE_ODP_HMM
#define COMPAT_ODP_READ		HMM_PFN_VALID
#define COMPAT_ODP_WRITE	HMM_PFN_WRITE
#else
#define COMPAT_ODP_READ		ODP_READ_ALLOWED_BIT
#define COMPAT_ODP_WRITE	ODP_WRITE_ALLOWED_BIT
#endif

/* What a driver has of an entry: where this host sees its memory. NULL: without all of @rights. */
static inline void *compat_odp_memory(struct ib_umem_odp *odp, unsigned long entry, u64 rights)
{
#ifdef COMPAT_HAVE_ODP_HMM
	unsigned long pfn = odp->map.pfn_list[entry];

	return (pfn & rights) == rights ? page_address(hmm_pfn_to_page(pfn)) : NULL;
#else
	dma_addr_t dma = odp->dma_list[entry];

	if ((dma & rights) != rights)
		return NULL;
	dma &= ODP_DMA_ADDR_MASK;
	return ib_uses_virt_dma(odp->umem.ibdev) ? (void *)(uintptr_t)dma : phys_to_virt(dma);
#endif
}

#endif /* OFED_COMPAT_UMEM_ODP_H */

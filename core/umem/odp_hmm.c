// SPDX-License-Identifier: GPL-2.0
/*
 * What a region that is not pinned has of its pages, since 7.x: one list of pages and flags. The
 * driver gets the DMA address of an entry by hmm_dma_map_pfn(), which notes it in the same list.
 */
#include <linux/hmm-dma.h>
#include <linux/hmm.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_umem_odp.h>

#include "odp.h"

/* What hmm_dma_map_pfn() has noted of an entry. */
#define NOTES	(HMM_PFN_DMA_MAPPED | HMM_PFN_P2PDMA | HMM_PFN_P2PDMA_BUS)

/*
 * The list of a software device is as long as the user says: it is the user's memory as far as
 * accounting goes, and too long is no reason to warn.
 */
int umem_odp_alloc_lists(struct ib_umem_odp *odp, unsigned long size)
{
	struct ib_device *device = odp->umem.ibdev;
	int ret;

	if (!ib_uses_virt_dma(device)) {
		ret = hmm_dma_map_alloc(device->dma_device, &odp->map, size >> PAGE_SHIFT,
					BIT(odp->page_shift));
		/* An error has freed what is noted there, so umem_odp_free_lists() must not. */
		if (ret)
			odp->map.pfn_list = NULL;
		return ret;
	}
	odp->map.pfn_list = kvcalloc(size >> odp->page_shift, sizeof(*odp->map.pfn_list),
				     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	return odp->map.pfn_list ? 0 : -ENOMEM;
}

void umem_odp_free_lists(struct ib_umem_odp *odp)
{
	struct ib_device *device = odp->umem.ibdev;

	if (!odp->map.pfn_list)
		return;
	if (ib_uses_virt_dma(device))
		kvfree(odp->map.pfn_list);
	else
		hmm_dma_map_free(device->dma_device, &odp->map);
}

/*
 * Without the page's lock, which the memory manager may or may not hold: it
 * keeps the mapping until umem_mutex is free for its notifier.
 */
static void umem_odp_set_dirty(struct ib_umem_odp *odp, unsigned long pfn)
{
	lockdep_assert_held(&odp->umem_mutex);
	set_page_dirty(compound_head(hmm_pfn_to_page(pfn)));
}

/* To read has no bit of its own: none is the right to read alone. */
bool umem_odp_are_rights(u64 rights)
{
	return true;
}

int umem_odp_map_entry(struct ib_umem_odp *odp, unsigned long entry,
		       unsigned long pfn, u64 rights)
{
	unsigned long *have = &odp->map.pfn_list[entry];

	lockdep_assert_held(&odp->umem_mutex);
	if (hmm_pfn_to_map_order(pfn) + PAGE_SHIFT < odp->page_shift)
		return -EINVAL;
	if (!(*have & HMM_PFN_VALID))
		odp->npages++;
	/* The device may have written by the right that it loses. */
	else if (*have & HMM_PFN_WRITE & ~rights)
		umem_odp_set_dirty(odp, *have);
	/* An entry that was never invalidated has the same page, mapped as it is. */
	*have = (pfn & ~(unsigned long)(NOTES | HMM_PFN_WRITE)) | (*have & NOTES) |
		(rights & HMM_PFN_WRITE);
	return 0;
}

void umem_odp_unmap_entry(struct ib_umem_odp *odp, unsigned long entry)
{
	struct ib_device *device = odp->umem.ibdev;
	unsigned long pfn = odp->map.pfn_list[entry];

	lockdep_assert_held(&odp->umem_mutex);
	if (!(pfn & HMM_PFN_VALID))
		return;
	if (!ib_uses_virt_dma(device))
		hmm_dma_unmap_pfn(device->dma_device, &odp->map, entry);
	if (pfn & HMM_PFN_WRITE)
		umem_odp_set_dirty(odp, pfn);
	odp->map.pfn_list[entry] = 0;
	odp->npages--;
}

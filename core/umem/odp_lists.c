// SPDX-License-Identifier: GPL-2.0
/*
 * What a region that is not pinned has of its pages, before 7.x: a list of the pages, and one of
 * their DMA addresses with the rights of the device in the lowest bits.
 */
#include <linux/hmm.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_umem_odp.h>

#include "odp.h"

/* The first of pfn_list that belongs to an entry of dma_list. */
static unsigned long *umem_odp_pfn(const struct ib_umem_odp *odp,
				   unsigned long entry)
{
	return odp->pfn_list + (entry << (odp->page_shift - PAGE_SHIFT));
}

/*
 * The lists are as long as the user says: they are the user's memory as far as
 * accounting goes, and too long is no reason to warn.
 */
int umem_odp_alloc_lists(struct ib_umem_odp *odp, unsigned long size)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;

	odp->pfn_list = kvcalloc(size >> PAGE_SHIFT, sizeof(*odp->pfn_list),
				 gfp);
	odp->dma_list = kvcalloc(size >> odp->page_shift,
				 sizeof(*odp->dma_list), gfp);
	return odp->pfn_list && odp->dma_list ? 0 : -ENOMEM;
}

void umem_odp_free_lists(struct ib_umem_odp *odp)
{
	kvfree(odp->dma_list);
	kvfree(odp->pfn_list);
}

/*
 * Without the page's lock, which the memory manager may or may not hold: it
 * keeps the mapping until umem_mutex is free for its notifier.
 */
static void umem_odp_set_dirty(struct ib_umem_odp *odp, unsigned long entry)
{
	struct page *page = hmm_pfn_to_page(*umem_odp_pfn(odp, entry));

	lockdep_assert_held(&odp->umem_mutex);
	set_page_dirty(compound_head(page));
}

bool umem_odp_are_rights(u64 rights)
{
	return rights;
}

int umem_odp_map_entry(struct ib_umem_odp *odp, unsigned long entry,
		       unsigned long pfn, u64 rights)
{
	dma_addr_t *dma = &odp->dma_list[entry];

	if (hmm_pfn_to_map_order(pfn) + PAGE_SHIFT < odp->page_shift)
		return -EINVAL;
	/* Mapped and never invalidated: the page is the same. */
	if (!*dma) {
		dma_addr_t addr = ib_dma_map_page(odp->umem.ibdev,
						  hmm_pfn_to_page(pfn), 0,
						  BIT(odp->page_shift),
						  DMA_BIDIRECTIONAL);

		if (ib_dma_mapping_error(odp->umem.ibdev, addr))
			return -EFAULT;
		*umem_odp_pfn(odp, entry) = pfn;
		*dma = addr;
		odp->npages++;
	}
	/* The device may have written by the right that it loses. */
	if (*dma & ODP_WRITE_ALLOWED_BIT & ~rights)
		umem_odp_set_dirty(odp, entry);
	*dma = (*dma & ODP_DMA_ADDR_MASK) | rights;
	return 0;
}

void umem_odp_unmap_entry(struct ib_umem_odp *odp, unsigned long entry)
{
	dma_addr_t dma = odp->dma_list[entry];

	if (!dma)
		return;
	ib_dma_unmap_page(odp->umem.ibdev, dma & ODP_DMA_ADDR_MASK,
			  BIT(odp->page_shift), DMA_BIDIRECTIONAL);
	if (dma & ODP_WRITE_ALLOWED_BIT)
		umem_odp_set_dirty(odp, entry);
	odp->dma_list[entry] = 0;
	odp->npages--;
}

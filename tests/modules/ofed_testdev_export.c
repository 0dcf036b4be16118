// SPDX-License-Identifier: GPL-2.0
/*
 * Offsets of mmap() as dma-bufs, since 7.x: the driver finds the entry of an offset and says where
 * its memory is. The pages of this device are RAM that stands for registers.
 */
#include <linux/dma-buf.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci-p2pdma.h>

#include "ofed_testdev.h"

static struct rdma_user_mmap_entry *td_pgoff_to_mmap_entry(struct ib_ucontext *uc, off_t pgoff)
{
	return td_fault(uc->device, pgoff_to_mmap_entry) ?
	       NULL : rdma_user_mmap_entry_get_pgoff(uc, pgoff);
}

/* No bus has these pages: an importer that is behind one is refused by the kernel. */
static int td_mmap_get_pfns(struct rdma_user_mmap_entry *entry, struct phys_vec *phys_vec,
			    struct p2pdma_provider **provider)
{
	struct testdev *td = to_td(entry->ucontext->device);
	int ret = td_fault(&td->ib, mmap_get_pfns);

	if (ret)
		return ret;
	if (!td->pdev)
		return -EOPNOTSUPP;
	td->provider.owner = &td->pdev->dev;
	phys_vec->paddr = page_to_phys(td_map_page(entry));
	phys_vec->len = PAGE_SIZE;
	*provider = (struct p2pdma_provider *)&td->provider;
	return 0;
}

const struct ib_device_ops td_export_ops = {
	.pgoff_to_mmap_entry = td_pgoff_to_mmap_entry,
	.mmap_get_pfns = td_mmap_get_pfns,
};

// SPDX-License-Identifier: GPL-2.0
/* User contexts and what they may map. */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

/* One page that user space maps; freed with the last mapping of it. */
struct td_map {
	struct rdma_user_mmap_entry entry;
	struct testdev *td;
	struct page *page;
	bool io;		/* as if it were a device's register page */
};

struct td_ucontext {
	struct ib_ucontext ib;
	struct td_map *io;
	struct td_map *ram;
};

static void td_map_release(struct td_map *map)
{
	/* A mapping of RAM has a reference of its own. */
	__free_page(map->page);
	td_put(map->td, TD_mmap_entry);
	kfree(map);
}

static struct td_map *td_map_create(struct testdev *td, struct td_ucontext *uc,
				    bool io)
{
	struct td_map *map;
	int ret;

	ret = td_get(td, TD_mmap_entry);
	if (ret)
		return ERR_PTR(ret);
	ret = -ENOMEM;
	map = kzalloc(sizeof(*map), GFP_KERNEL);
	if (!map)
		goto err_put;
	map->td = td;
	map->io = io;
	map->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!map->page)
		goto err_free;
	/* Offset 0 is the device page. */
	ret = rdma_user_mmap_entry_insert_range(&uc->ib, &map->entry,
						PAGE_SIZE, 1, U32_MAX);
	if (ret)
		goto err_page;
	return map;

err_page:
	td_map_release(map);
	return ERR_PTR(ret);
err_free:
	kfree(map);
err_put:
	td_put(td, TD_mmap_entry);
	return ERR_PTR(ret);
}

int td_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct td_ucontext *uc = container_of(ibuc, struct td_ucontext, ib);
	struct testdev *td = to_td(ibuc->device);
	struct testdev_alloc_ucontext_resp resp = {};
	int ret = td_fault(ibuc->device, alloc_ucontext);

	if (ret)
		return ret;
	ret = td_get(td, TD_ucontext);
	if (ret)
		return ret;
	uc->io = td_map_create(td, uc, true);
	if (IS_ERR(uc->io)) {
		ret = PTR_ERR(uc->io);
		goto err_put;
	}
	uc->ram = td_map_create(td, uc, false);
	if (IS_ERR(uc->ram)) {
		ret = PTR_ERR(uc->ram);
		goto err_io;
	}
	resp.io_offset = rdma_user_mmap_get_offset(&uc->io->entry);
	resp.ram_offset = rdma_user_mmap_get_offset(&uc->ram->entry);
	ret = ib_copy_to_udata(udata, &resp, min(sizeof(resp), udata->outlen));
	if (ret)
		goto err_ram;
	return 0;

err_ram:
	rdma_user_mmap_entry_remove(&uc->ram->entry);
err_io:
	rdma_user_mmap_entry_remove(&uc->io->entry);
err_put:
	td_put(td, TD_ucontext);
	return ret;
}

static void td_dealloc_ucontext(struct ib_ucontext *ibuc)
{
	struct td_ucontext *uc = container_of(ibuc, struct td_ucontext, ib);

	rdma_user_mmap_entry_remove(&uc->ram->entry);
	rdma_user_mmap_entry_remove(&uc->io->entry);
	td_put(to_td(ibuc->device), TD_ucontext);
}

static int td_query_ucontext(struct ib_ucontext *ibuc,
			     struct uverbs_attr_bundle *attrs)
{
	return td_fault(ibuc->device, query_ucontext);
}

static int td_mmap_device_page(struct ib_ucontext *ibuc,
			       struct vm_area_struct *vma)
{
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	return rdma_user_mmap_io(ibuc, vma,
				 page_to_pfn(to_td(ibuc->device)->page),
				 PAGE_SIZE, vma->vm_page_prot, NULL);
}

static int td_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	struct td_map *map;
	int ret = td_fault(ibuc->device, mmap);

	if (ret)
		return ret;
	entry = rdma_user_mmap_entry_get(ibuc, vma);
	if (!entry)
		return td_mmap_device_page(ibuc, vma);

	map = container_of(entry, struct td_map, entry);
	if (map->io)
		ret = rdma_user_mmap_io(ibuc, vma, page_to_pfn(map->page),
					PAGE_SIZE, vma->vm_page_prot, entry);
	else
		ret = vm_insert_page(vma, vma->vm_start, map->page);
	rdma_user_mmap_entry_put(entry);
	return ret;
}

struct page *td_map_page(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct td_map, entry)->page;
}

static void td_mmap_free(struct rdma_user_mmap_entry *entry)
{
	td_map_release(container_of(entry, struct td_map, entry));
}

const struct ib_device_ops td_ucontext_ops = {
	.alloc_ucontext = td_alloc_ucontext,
	.dealloc_ucontext = td_dealloc_ucontext,
	.query_ucontext = td_query_ucontext,
	.mmap = td_mmap,
	.mmap_free = td_mmap_free,
	INIT_RDMA_OBJ_SIZE(ib_ucontext, td_ucontext, ib),
};

/* The core has already taken the mappings away; nothing else is shared. */
static void td_disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

const struct ib_device_ops td_disassociate_ops = {
	.disassociate_ucontext = td_disassociate_ucontext,
};

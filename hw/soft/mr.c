// SPDX-License-Identifier: GPL-2.0
/* Memory regions: how they come and go. */
#include <linux/export.h>
#include <linux/log2.h>
#include <ofed/refuse.h>

#include "dev.h"
#include "mr.h"
#include "odp.h"
#include "pages.h"
#include "region_lock.h"

static struct soft_mem *soft_mem_of(struct ib_pd *pd)
{
	return &to_soft_dev(pd->device)->mem;
}

static struct soft_region *soft_to_region(struct ib_mr *mr)
{
	return container_of(mr, struct soft_region, mr);
}

/* ---- regions of programs, and of all kernel memory ------------------------- */

/**
 * soft_get_dma_mr - ops.get_dma_mr: all kernel memory, by virtual address
 * @pd: of the kernel
 * @access: IB_ACCESS_*
 *
 * Context: process, may sleep. Return: the region, or ERR_PTR: -EINVAL (@pd is
 * a program's), -ENOMEM.
 */
struct ib_mr *soft_get_dma_mr(struct ib_pd *pd, int access)
{
	struct soft_region *region;
	int ret;

	if (pd->uobject || access & ~IB_ACCESS_SUPPORTED)
		return ofed_refuse(pd->device, ERR_PTR(-EINVAL),
				   "access 0x%x of all memory", access);
	region = soft_region_new(soft_mem_of(pd), pd, SOFT_DMA);
	if (!region)
		return ERR_PTR(-ENOMEM);
	region->access = access;
	region->length = U64_MAX;
	region->valid = true;
	ret = soft_region_publish(region);
	if (ret) {
		soft_region_put(region);
		return ERR_PTR(ret);
	}
	return &region->mr;
}

/* Set what the key grants; @region's lock is held, or it is not published yet. */
static void soft_grant_user(struct soft_region *region, struct soft_pages *pages,
			    u64 virt_addr, u64 length, int access)
{
	region->pages = pages;
	region->access = access;
	/* IBA vol. 1, 10.6.2.5: zero based. */
	region->iova = access & IB_ZERO_BASED ? 0 : virt_addr;
	region->length = length;
	region->valid = true;
	region->grant++;
}

/* A region with pages that are brought in when they are used. */
static struct ib_mr *soft_reg_on_demand(struct ib_pd *pd, u64 start, u64 length,
					u64 virt_addr, int access)
{
	struct soft_region *region = soft_region_new(soft_mem_of(pd), pd, SOFT_ODP);
	int ret = -ENOMEM;

	if (!region)
		return ERR_PTR(ret);
	region->odp = soft_odp_get(region, pd->device, start, length, access);
	if (IS_ERR(region->odp)) {
		ret = PTR_ERR(region->odp);
		goto err_region;
	}
	soft_grant_user(region, NULL, virt_addr, length, access);
	ret = soft_region_publish(region);
	if (ret)
		goto err_odp;
	return &region->mr;

err_odp:
	soft_odp_put(region->odp);
err_region:
	soft_region_put(region);
	return ERR_PTR(ret);
}

/**
 * soft_region_of_pages - a region of pages that are there, from address 0 on
 * @pd: protection domain of a program
 * @kind: of region
 * @pages: the region's, if there is no error
 * @length: bytes
 * @access: IB_ACCESS_*, checked
 *
 * Context: process, may sleep. Return: the region, or ERR_PTR(-ENOMEM).
 */
struct ib_mr *soft_region_of_pages(struct ib_pd *pd, enum soft_region_kind kind,
				   struct soft_pages *pages, u64 length, int access)
{
	struct soft_region *region = soft_region_new(soft_mem_of(pd), pd, kind);
	int ret;

	if (!region)
		return ERR_PTR(-ENOMEM);
	soft_grant_user(region, pages, 0, length, access);
	ret = soft_region_publish(region);
	if (!ret)
		return &region->mr;
	soft_region_put(region);
	return ERR_PTR(ret);
}

/**
 * soft_reg_user_mr - ops.reg_user_mr
 * @pd: protection domain
 * @start: address in the program
 * @length: bytes
 * @virt_addr: address by which work requests name the first byte
 * @access: IB_ACCESS_*
 * @udata: not used
 *
 * Context: process, of the program. Return: the region, or ERR_PTR: the errno
 * of ib_check_mr_access(), ib_umem_get_va() or soft_odp_get(), -EINVAL (@virt_addr wraps, or
 * @access wants persistence of memory that forgets), -ENOMEM, -EOPNOTSUPP (a DMA handle).
 */
struct ib_mr *soft_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 virt_addr, int access,
			       COMPAT_DMAH_PARAM struct ib_udata *udata)
{
	struct soft_region *region;
	struct soft_pages *pages;
	int ret;

	if (compat_is_dmah())
		return ofed_refuse(pd->device, ERR_PTR(-EOPNOTSUPP), "a DMA handle");
	ret = ib_check_mr_access(pd->device, access);
	if (ret)
		return ofed_refuse(pd->device, ERR_PTR(ret), "access 0x%x of a region",
				   access);
	if (length > U64_MAX - virt_addr)
		return ofed_refuse(pd->device, ERR_PTR(-EINVAL),
				   "%llu bytes at 0x%llx go beyond the last address",
				   length, virt_addr);
	if (access & IB_ACCESS_ON_DEMAND)
		return soft_reg_on_demand(pd, start, length, virt_addr, access);
	region = soft_region_new(soft_mem_of(pd), pd, SOFT_USER);
	if (!region)
		return ERR_PTR(-ENOMEM);
	pages = soft_pages_of_user(pd->device, start, length, access);
	if (IS_ERR(pages)) {
		ret = ofed_refuse(pd->device, PTR_ERR(pages),
				  "%llu bytes at 0x%llx by access 0x%x (%ld)", length,
				  start, access, PTR_ERR(pages));
		goto err_region;
	}
	soft_grant_user(region, pages, virt_addr, length, access);
	ret = soft_region_publish(region);
	if (ret)
		goto err_pages;
	return &region->mr;

err_pages:
	soft_pages_free(pages);
err_region:
	soft_region_put(region);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(soft_reg_user_mr);

/* Rights that memory of another device cannot have: it is mapped once, and may be lost. */
#define SOFT_NOT_OF_BUFFER (IB_ACCESS_ON_DEMAND | IB_ACCESS_FLUSH_PERSISTENT)

/* What a region of a dma-buf may ask for: 0, or -EINVAL, -EOPNOTSUPP. */
static int soft_buffer_check(struct ib_device *ib, u64 length, u64 virt_addr, int access)
{
	int ret = ib_check_mr_access(ib, access);

	if (ret)
		return ofed_refuse(ib, ret, "access 0x%x of a dma-buf", access);
	if (access & SOFT_NOT_OF_BUFFER)
		return ofed_refuse(ib, -EOPNOTSUPP, "access 0x%x of a dma-buf", access);
	if (length > U64_MAX - virt_addr)
		return ofed_refuse(ib, -EINVAL, "%llu bytes at 0x%llx go beyond the last address",
				   length, virt_addr);
	return 0;
}

/**
 * soft_reg_user_mr_dmabuf - ops.reg_user_mr_dmabuf
 * @pd: protection domain
 * @offset: of the first byte in the dma-buf
 * @length: bytes
 * @virt_addr: address by which work requests name the first byte
 * @fd: file of the dma-buf
 * @access: IB_ACCESS_*
 * @attrs: not used
 *
 * The exporter keeps the memory where it is until the region goes.
 *
 * Context: process, of the program. Return: the region, or ERR_PTR: the errno of
 * ib_check_mr_access() or soft_buffer_open(), -EINVAL (@virt_addr wraps), -ENOMEM, -EOPNOTSUPP
 * (a DMA handle; on demand; persistence).
 */
struct ib_mr *soft_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
				      u64 virt_addr, int fd, int access,
				      COMPAT_DMAH_PARAM struct compat_op_attrs *attrs)
{
	struct soft_region *region;
	struct soft_pages *pages;
	int ret;

	if (compat_is_dmah())
		return ofed_refuse(pd->device, ERR_PTR(-EOPNOTSUPP), "a DMA handle");
	ret = soft_buffer_check(pd->device, length, virt_addr, access);
	if (ret)
		return ERR_PTR(ret);
	region = soft_region_new(soft_mem_of(pd), pd, SOFT_BUFFER);
	if (!region)
		return ERR_PTR(-ENOMEM);
	pages = soft_pages_of_buffer(pd->device, fd, offset, length);
	if (IS_ERR(pages)) {
		ret = PTR_ERR(pages);
		goto err_region;
	}
	soft_grant_user(region, pages, virt_addr, length, access);
	ret = soft_region_publish(region);
	if (!ret)
		return &region->mr;
	soft_pages_free(pages);
err_region:
	soft_region_put(region);
	return ERR_PTR(ret);
}

/*
 * Pages that were pinned for reading stay as they are, and where the first byte
 * is called 0, the address that it had before is forgotten.
 */
static int soft_rereg_check(const struct soft_region *region, int flags,
			    u64 length, u64 virt_addr, int access)
{
	const struct ib_device *ib = region->mr.device;

	if (region->kind == SOFT_ODP || access & IB_ACCESS_ON_DEMAND)
		return ofed_refuse(ib, -EOPNOTSUPP, "rereg_mr of a region on demand");
	if (region->kind == SOFT_BUFFER)
		return ofed_refuse(ib, -EOPNOTSUPP, "rereg_mr of a dma-buf");
	if (region->kind != SOFT_USER)
		return ofed_refuse(ib, -EINVAL, "the region is none of a program's memory");
	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ofed_refuse(ib, -EOPNOTSUPP, "flags 0x%x of rereg_mr", flags);
	if (flags & IB_MR_REREG_TRANS && length > U64_MAX - virt_addr)
		return ofed_refuse(ib, -EINVAL,
				   "%llu bytes at 0x%llx go beyond the last address",
				   length, virt_addr);
	if (flags & IB_MR_REREG_TRANS || !(flags & IB_MR_REREG_ACCESS))
		return 0;
	if ((access ^ region->access) & IB_ZERO_BASED)
		return ofed_refuse(ib, -EINVAL,
				   "IB_ZERO_BASED changes with the address alone");
	if (ib_access_writable(access) && !region->pages->umem->writable)
		return -EPERM;
	return soft_pages_persist(region->pages, access);
}

/**
 * soft_rereg_user_mr - ops.rereg_user_mr: change a region where it stands
 * @mr: the region; the core excludes concurrent changes
 * @flags: enum ib_mr_rereg_flags
 * @start: (IB_MR_REREG_TRANS)
 * @length: (IB_MR_REREG_TRANS)
 * @virt_addr: (IB_MR_REREG_TRANS)
 * @access: (IB_MR_REREG_ACCESS)
 * @pd: (IB_MR_REREG_PD)
 * @udata: not used
 *
 * The keys stay the same. An access by the old grant has finished when this
 * returns, or gets a fault. After an error nothing has changed.
 *
 * Context: process, of the program if there are new addresses.
 * Return: NULL, or ERR_PTR: as soft_reg_user_mr(), -EPERM (pages that were
 * pinned for reading only), -EBUSY (windows are bound), -EOPNOTSUPP (@flags, or memory on
 * demand).
 */
struct ib_mr *soft_rereg_user_mr(struct ib_mr *mr, int flags, u64 start,
				 u64 length, u64 virt_addr, int access,
				 struct ib_pd *pd, struct ib_udata *udata)
{
	struct soft_region *region = soft_to_region(mr);
	struct soft_pages *pages = region->pages;
	unsigned long irq;
	int ret;

	if (!(flags & IB_MR_REREG_ACCESS))
		access = region->access;
	ret = ib_check_mr_access(mr->device, access) ?:
	      soft_rereg_check(region, flags, length, virt_addr, access);
	if (ret)
		return ERR_PTR(ret);
	if (flags & IB_MR_REREG_TRANS) {
		pages = soft_pages_of_user(mr->device, start, length, access);
		if (IS_ERR(pages))
			return ERR_CAST(pages);
	} else {
		virt_addr = region->iova;
		length = region->length;
	}

	irq = soft_region_lock_write(region);
	if (atomic_read(&region->windows)) {
		ret = -EBUSY;
	} else {
		if (flags & IB_MR_REREG_PD)
			region->pd = pd;
		swap(region->pages, pages);
		soft_grant_user(region, region->pages, virt_addr, length, access);
	}
	soft_region_unlock_write(region, irq);

	if (flags & IB_MR_REREG_TRANS)
		soft_pages_free(pages);
	return ERR_PTR(ret);
}

/* ---- fast registration ------------------------------------------------------ */

/**
 * soft_alloc_mr - ops.alloc_mr: a region for fast registration
 * @pd: protection domain
 * @type: IB_MR_TYPE_MEM_REG
 * @max_num_sg: pages it must be able to hold
 *
 * Context: process, may sleep. Return: the region, which grants nothing yet, or
 * ERR_PTR: -EINVAL (type, number), -ENOMEM.
 */
struct ib_mr *soft_alloc_mr(struct ib_pd *pd, enum ib_mr_type type,
			    u32 max_num_sg)
{
	struct soft_region *region;
	int ret = -ENOMEM;

	if (type != IB_MR_TYPE_MEM_REG)
		return ofed_refuse(pd->device, ERR_PTR(-EINVAL), "mr_type %d", type);
	if (!max_num_sg)
		return ofed_refuse(pd->device, ERR_PTR(-EINVAL), "max_num_sg: 0");
	if (ofed_exceeds(pd->device, "max_num_sg", max_num_sg,
			 to_soft_dev(pd->device)->max_mr_pages))
		return ERR_PTR(-EINVAL);
	region = soft_region_new(soft_mem_of(pd), pd, SOFT_FAST);
	if (!region)
		return ERR_PTR(ret);
	region->pages = soft_pages_alloc(max_num_sg);
	if (!region->pages)
		goto err_region;
	region->pages->max = max_num_sg;
	region->pages->shift = PAGE_SHIFT;
	ret = soft_region_publish(region);
	if (ret)
		goto err_pages;
	return &region->mr;

err_pages:
	soft_pages_free(region->pages);
err_region:
	soft_region_put(region);
	return ERR_PTR(ret);
}

static int soft_set_page_addr(struct ib_mr *mr, u64 address)
{
	struct soft_pages *pages = soft_to_region(mr)->pages;

	if (pages->num == pages->max)
		return -ENOMEM;
	pages->addr[pages->num++] = address;
	return 0;
}

/**
 * soft_map_mr_sg - ops.map_mr_sg: fill the page list
 * @mr: of soft_alloc_mr(), with page_size set
 * @sg: mapped for this device
 * @nents: entries of @sg
 * @offset: into the first entry; where the rest begins afterwards
 *
 * The key grants nothing from here on, even if the consumer did not invalidate it,
 * as the page list changes.
 *
 * Context: any; the consumer excludes concurrent use of @mr. Return: entries
 * that fit, or -EINVAL.
 */
int soft_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int nents,
		   unsigned int *offset)
{
	struct soft_region *region = soft_to_region(mr);
	struct soft_pages *pages = region->pages;
	unsigned long flags;
	int ret;

	if (region->kind != SOFT_FAST || !is_power_of_2(mr->page_size))
		return -EINVAL;
	flags = soft_region_lock_write(region);
	region->valid = false;
	region->grant++;
	soft_region_unlock_write(region, flags);

	pages->num = 0;
	pages->shift = ilog2(mr->page_size);
	ret = ib_sg_to_pages(mr, sg, nents, offset, soft_set_page_addr);
	pages->offset = mr->iova & (mr->page_size - 1);
	return ret;
}

/**
 * soft_region_register - a work request: let a region grant its page list
 * @mr: of soft_alloc_mr(), after soft_map_mr_sg()
 * @pd: of the queue pair
 * @key: from now on; its index is the region's
 * @access: IB_ACCESS_*
 *
 * IBA vol. 1, 10.6.4: a region that grants something must be invalidated
 * first. Address and length are those in @mr now: consumers change the upper
 * bits of the address.
 *
 * Context: any. Return: 0, or -EINVAL.
 */
int soft_region_register(struct ib_mr *mr, struct ib_pd *pd, u32 key,
			 int access)
{
	struct soft_region *region = soft_to_region(mr);
	const struct soft_pages *pages = region->pages;
	unsigned long flags;
	int ret = -EINVAL;

	if (region->kind != SOFT_FAST || access & ~IB_ACCESS_SUPPORTED)
		return -EINVAL;
	flags = soft_region_lock_write(region);
	if (region->valid || region->pd != pd || (region->key ^ key) >> 8)
		goto out;
	if (mr->length > U64_MAX - mr->iova ||
	    pages->offset + mr->length > (u64)pages->num << pages->shift)
		goto out;
	region->key = key;
	region->access = access;
	region->iova = access & IB_ZERO_BASED ? 0 : mr->iova;
	region->length = mr->length;
	region->valid = true;
	region->grant++;
	ret = 0;
out:
	soft_region_unlock_write(region, flags);
	return ret;
}
EXPORT_SYMBOL_GPL(soft_region_register);

/**
 * soft_dereg_mr - ops.dereg_mr
 * @mr: of any kind
 * @udata: not used
 *
 * Waits for bytes that move, not for cursors: a peer may have stopped in the
 * middle of a message, for ever. They get a fault when they go on.
 *
 * Context: process, may sleep. Return: 0 and @mr is gone, or -EBUSY: windows
 * are bound to it.
 */
int soft_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	struct soft_region *region = soft_to_region(mr);
	struct soft_pages *pages = NULL;
	struct soft_odp *odp = NULL;
	unsigned long flags;
	bool bound;

	flags = soft_region_lock_write(region);
	bound = atomic_read(&region->windows);
	if (!bound) {
		region->valid = false;
		region->grant++;
		region->pd = NULL;
		pages = region->pages;
		region->pages = NULL;
		odp = region->odp;
		region->odp = NULL;
	}
	soft_region_unlock_write(region, flags);
	if (bound)
		return -EBUSY;

	soft_region_withdraw(region);
	soft_pages_free(pages);
	soft_odp_put(odp);
	return 0;
}

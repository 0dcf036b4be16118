// SPDX-License-Identifier: GPL-2.0
/*
 * User memory that a device reads and writes: pinned, charged to its owner,
 * mapped for DMA, cut into the blocks that a page table of the device wants.
 *
 * A umem belongs to one caller at a time. There is no lock in here: the driver
 * that got it serialises its own use.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_umem_odp.h>
#include <rdma/iter.h>
#include <compat/decls.h>

#include "umem.h"

/* Pages that are pinned by one call: what one page of pointers can hold. */
#define UMEM_BATCH (PAGE_SIZE / sizeof(struct page *))

/*
 * From the address, not from iova as ib_umem_num_pages() does: drivers set
 * iova afterwards, and release must give back exactly what was charged.
 */
unsigned long ofed_umem_pages(const struct ib_umem *umem)
{
	unsigned long first = umem->address & PAGE_MASK;

	return (PAGE_ALIGN(umem->address + umem->length) - first) >> PAGE_SHIFT;
}

static void umem_unpin(struct ib_umem *umem, bool dirty)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i) {
		unsigned long n = DIV_ROUND_UP(sg->length, PAGE_SIZE);

		unpin_user_page_range_dirty_lock(sg_page(sg), n, dirty);
		cond_resched();
	}
	sg_free_append_table(&umem->sgt_append);
}

/* Pin up to a batch from @start and append it; @left counts what is to do. */
static long umem_pin_batch(struct ib_umem *umem, unsigned long start,
			   unsigned long left, unsigned int gup_flags,
			   struct page **list)
{
	unsigned int max_seg = ib_dma_max_seg_size(umem->ibdev);
	int want = min_t(unsigned long, left, UMEM_BATCH);
	int got, ret;

	got = pin_user_pages_fast(start, want, gup_flags, list);
	if (got <= 0)
		return got ?: -EFAULT;

	ret = sg_alloc_append_table_from_pages(&umem->sgt_append, list, got, 0,
					       (unsigned long)got << PAGE_SHIFT,
					       max_seg, left - got,
					       GFP_KERNEL_ACCOUNT);
	if (ret) {
		/* The table holds the earlier batches only. */
		unpin_user_pages(list, got);
		return ret;
	}
	return got;
}

static int umem_pin(struct ib_umem *umem)
{
	unsigned int gup_flags = FOLL_LONGTERM;
	unsigned long start = umem->address & PAGE_MASK;
	unsigned long left = ofed_umem_pages(umem);
	struct page **list;
	long got = 0;

	gup_flags |= umem->writable ? FOLL_WRITE : compat_gup_read_longterm();
	list = (struct page **)__get_free_page(GFP_KERNEL);
	if (!list)
		return -ENOMEM;

	while (left) {
		cond_resched();
		got = umem_pin_batch(umem, start, left, gup_flags, list);
		if (got < 0)
			break;
		left -= got;
		start += (unsigned long)got << PAGE_SHIFT;
	}
	free_page((unsigned long)list);
	if (left)
		umem_unpin(umem, false);
	return left ? got : 0;
}

static int umem_check_range(const struct ib_device *device, unsigned long addr,
			    size_t size)
{
	unsigned long first = addr & PAGE_MASK;
	unsigned long end;

	if (check_add_overflow(addr, size, &end) || PAGE_ALIGN(end) < end)
		return ofed_refuse(device, -EINVAL,
				   "%zu bytes at 0x%lx go beyond the last address",
				   size, addr);
	end = PAGE_ALIGN(end);
	if (end == first || (end - first) >> PAGE_SHIFT > UINT_MAX)
		return ofed_refuse(device, -EINVAL,
				   "%zu bytes at 0x%lx: none, or too many pages",
				   size, addr);
	return 0;
}

static struct ib_umem *umem_alloc(struct ib_device *device, unsigned long addr,
				  size_t size, int access)
{
	struct umem_pinned *pinned = kzalloc(sizeof(*pinned),
					     GFP_KERNEL_ACCOUNT);
	struct ib_umem *umem;

	if (!pinned)
		return NULL;
	umem = &pinned->umem;
	umem->ibdev = device;
	umem->address = addr;
	umem->iova = addr;
	umem->length = size;
	umem->writable = ib_access_writable(access);
	umem->owning_mm = current->mm;
	mmgrab(umem->owning_mm);
	return umem;
}

static void umem_free(struct ib_umem *umem)
{
	mmdrop(umem->owning_mm);
	kfree(to_umem_pinned(umem));
}

/**
 * ofed_umem_get - pin a range of the caller's memory and map it for a device
 * @device: device that will read or write the memory
 * @addr: first address in the address space of the calling process
 * @size: length in bytes
 * @access: IB_ACCESS_* of the region; any right to write makes it writable,
 *	    IB_ACCESS_RELAXED_ORDERING relaxes the order of DMA writes
 *
 * The pages are counted in mm->pinned_vm of the caller before they are pinned,
 * and stay counted until ib_umem_release(). A page that is mapped read-only can
 * be pinned for reading only.
 *
 * Context: process, in the address space that owns the memory; sleeps, takes
 * the mmap lock. No locks are needed.
 *
 * Return: the umem, or ERR_PTR: -EINVAL (empty range, or one that wraps),
 * -EPERM (the process may not lock memory at all), -ENOMEM (RLIMIT_MEMLOCK
 * would be exceeded without CAP_IPC_LOCK, or no memory), -EFAULT (not mapped,
 * or not with these rights), -EOPNOTSUPP (IB_ACCESS_ON_DEMAND), -EIO (no DMA
 * mapping), or an errno of page pinning.
 */
struct ib_umem *ofed_umem_get(struct ib_device *device, unsigned long addr,
			      size_t size, int access)
{
	unsigned long attrs = 0;
	struct ib_umem *umem;
	int ret;

	might_sleep();
	ret = umem_check_range(device, addr, size);
	if (ret)
		return ERR_PTR(ret);
	if (!can_do_mlock())
		return ofed_refuse(device, ERR_PTR(-EPERM),
				   "RLIMIT_MEMLOCK is 0");
	if (access & IB_ACCESS_ON_DEMAND)
		return ofed_refuse(device, ERR_PTR(-EOPNOTSUPP),
				   "access flags 0x%x: the driver pins, on-demand memory moves",
				   access);

	umem = umem_alloc(device, addr, size, access);
	if (!umem)
		return ERR_PTR(-ENOMEM);
	ret = ofed_umem_charge(to_umem_pinned(umem));
	if (ret)
		goto err_free;
	ret = umem_pin(umem);
	if (ret)
		goto err_uncharge;

	if (access & IB_ACCESS_RELAXED_ORDERING)
		attrs |= DMA_ATTR_WEAK_ORDERING;
	compat_umem_set_dma_attrs(umem, attrs);
	ret = ib_dma_map_sgtable_attrs(device, &umem->sgt_append.sgt,
				       DMA_BIDIRECTIONAL, attrs);
	if (ret)
		goto err_unpin;
	return umem;

err_unpin:
	umem_unpin(umem, false);
err_uncharge:
	ofed_umem_uncharge(to_umem_pinned(umem));
err_free:
	umem_free(umem);
	return ERR_PTR(ret);
}

/* As ofed_umem_get(). Since 7.x drivers call ib_umem_get_va() of desc.c. */
struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr,
			    size_t size, int access)
{
	return ofed_umem_get(device, addr, size, access);
}
OFED_EXPORT(ib_umem_get);

/**
 * ib_umem_release - unmap and unpin a region, give its charge back
 * @umem: from ib_umem_get(), ib_umem_dmabuf_get*() or ib_umem_odp_get(), or
 *	  NULL
 *
 * The device must have stopped using the region. Pages of a writable region
 * are marked dirty. The owner's address space may be gone already; only its
 * accounting is still touched.
 *
 * Context: process, sleeps. No locks are needed; for a dma-buf its reservation
 * lock must not be held.
 */
void ib_umem_release(struct ib_umem *umem)
{
	if (!umem)
		return;
	might_sleep();
	if (umem->is_dmabuf) {
		ib_umem_dmabuf_release(to_ib_umem_dmabuf(umem));
		return;
	}
	if (umem->is_odp) {
		ib_umem_odp_release(to_ib_umem_odp(umem));
		return;
	}
	ib_dma_unmap_sgtable_attrs(umem->ibdev, &umem->sgt_append.sgt,
				   DMA_BIDIRECTIONAL, 0);
	umem_unpin(umem, umem->writable);
	ofed_umem_uncharge(to_umem_pinned(umem));
	umem_free(umem);
}
OFED_EXPORT(ib_umem_release);

/**
 * ib_umem_copy_from - read bytes out of a pinned region
 * @dst: where to copy to
 * @umem: region of ordinary memory (not a dma-buf)
 * @offset: byte of the region to begin with
 * @length: bytes to copy
 *
 * Context: process; may be called without the owner's address space. The
 * owner can change the bytes at any time, before and after the copy.
 *
 * Return: 0, or -EINVAL when the range is not inside the region.
 */
int ib_umem_copy_from(void *dst, struct ib_umem *umem, size_t offset,
		      size_t length)
{
	struct sg_table *sgt = &umem->sgt_append.sgt;
	size_t done;

	if (umem->is_dmabuf || offset > umem->length ||
	    length > umem->length - offset)
		return ofed_refuse(umem->ibdev, -EINVAL,
				   "%zu bytes at %zu, the region has %zu",
				   length, offset, umem->length);
	done = sg_pcopy_to_buffer(sgt->sgl, sgt->orig_nents, dst, length,
				  offset + ib_umem_offset(umem));
	return done == length ? 0 : -EINVAL;
}
OFED_EXPORT(ib_umem_copy_from);

/*
 * Bits in which the device's view (@va) and the DMA addresses differ, or where
 * a segment ends inside what would be one block: a block of 2^n bytes fits
 * only if bits 0 to n-1 are clear.
 */
static u64 umem_misfit(struct ib_umem *umem, u64 va)
{
	struct sg_table *sgt = &umem->sgt_append.sgt;
	unsigned long skip = ib_umem_offset(umem);
	struct scatterlist *sg;
	u64 misfit = 0;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		misfit |= (sg_dma_address(sg) + skip) ^ va;
		va += sg_dma_len(sg) - skip;
		skip = 0;
		if (i + 1 < sgt->nents)
			misfit |= va;
	}
	return misfit;
}

/**
 * ib_umem_find_best_pgsz - choose the page size for a device's page table
 * @umem: the region
 * @pgsz_bitmap: bit n set: the device has pages of 2^n bytes
 * @virt: address by which the device is going to see the region; becomes
 *	  umem->iova, which ib_umem_num_dma_blocks() counts from
 *
 * Of the sizes that fit the layout in memory, the smallest that gives the
 * fewest pages: a region inside one small page gets that one. The offset into
 * the first page is @virt & (size - 1), so @virt and the address in memory must
 * agree in these bits.
 *
 * Context: any. Return: the size, or 0 when none of the sizes fits.
 */
unsigned long ib_umem_find_best_pgsz(struct ib_umem *umem,
				     unsigned long pgsz_bitmap, u64 virt)
{
	u64 last = virt + umem->length - !!umem->length;
	unsigned long usable = pgsz_bitmap;
	unsigned int span;
	u64 misfit;

	umem->iova = virt;

	/*
	 * From 2^span on, every size gives a single page. The bits of these
	 * sizes count as misfits, so nothing above the smallest is taken.
	 */
	misfit = umem_misfit(umem, virt);
	span = fls64(virt ^ last);
	if (span < BITS_PER_LONG)
		misfit |= usable & ~(BIT(span) - 1);

	if (misfit)
		usable &= GENMASK_ULL(__ffs64(misfit), 0);
	return usable ? rounddown_pow_of_two(usable) : 0;
}
OFED_EXPORT(ib_umem_find_best_pgsz);

/**
 * ib_umem_check_rereg - may an MR keep its umem when it is registered again?
 * @umem: memory of the MR as it is
 * @flags: IB_MR_REREG_* that the caller asked for
 * @new_access: IB_ACCESS_* after the change
 *
 * Pages that were pinned for reading can not become writable: the device would
 * write where the process itself may not. With IB_MR_REREG_TRANS the driver
 * takes new memory, which is checked when it is pinned.
 *
 * Context: any. Return: 0, or -EPERM.
 */
int ib_umem_check_rereg(struct ib_umem *umem, int flags, int new_access)
{
	if (flags & IB_MR_REREG_TRANS || !(flags & IB_MR_REREG_ACCESS))
		return 0;
	if (ib_access_writable(new_access) && !umem->writable)
		return ofed_refuse(umem->ibdev, -EPERM,
				   "access flags 0x%x: the memory is pinned for reading",
				   new_access);
	return 0;
}
OFED_EXPORT(ib_umem_check_rereg);

/**
 * __rdma_block_iter_start - begin to walk a DMA-mapped list in blocks
 * @biter: state of the walk
 * @sglist: first entry
 * @nents: mapped entries
 * @pgsz: size of a block, a power of two that fits the list
 *
 * See rdma_for_each_block() and rdma_umem_for_each_dma_block() in
 * <rdma/iter.h>. Context: any.
 */
void __rdma_block_iter_start(struct ib_block_iter *biter,
			     struct scatterlist *sglist, unsigned int nents,
			     unsigned long pgsz)
{
	*biter = (struct ib_block_iter) {
		.__sg = sglist,
		.__sg_nents = nents,
		.__pg_bit = __fls(pgsz),
	};
}
OFED_EXPORT(__rdma_block_iter_start);

/**
 * __rdma_block_iter_next - step to the next block
 * @biter: state of the walk
 *
 * A block may lie in several entries when these follow each other in DMA
 * space, as they do where the device's segment limit cut a large page. An
 * entry that starts elsewhere starts a block of its own.
 *
 * Context: any. Return: false behind the last block.
 */
bool __rdma_block_iter_next(struct ib_block_iter *biter)
{
	u64 block = BIT_ULL(biter->__pg_bit);
	dma_addr_t end;
	u64 room;

	/* The caller may begin behind the first entries (__sg_advance). */
	while (biter->__sg && biter->__sg_nents &&
	       biter->__sg_advance >= sg_dma_len(biter->__sg)) {
		biter->__sg_advance -= sg_dma_len(biter->__sg);
		biter->__sg = sg_next(biter->__sg);
		biter->__sg_nents--;
	}
	if (!biter->__sg || !biter->__sg_nents)
		return false;

	biter->__dma_addr = sg_dma_address(biter->__sg) + biter->__sg_advance;
	room = block - (biter->__dma_addr & (block - 1));
	do {
		u64 rest = sg_dma_len(biter->__sg) - biter->__sg_advance;

		if (rest > room) {
			biter->__sg_advance += room;
			break;
		}
		room -= rest;
		end = sg_dma_address(biter->__sg) + sg_dma_len(biter->__sg);
		biter->__sg = sg_next(biter->__sg);
		biter->__sg_advance = 0;
		biter->__sg_nents--;
	} while (room && biter->__sg && biter->__sg_nents &&
		 sg_dma_address(biter->__sg) == end);
	return true;
}
OFED_EXPORT(__rdma_block_iter_next);

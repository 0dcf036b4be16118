// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that is not pinned: the device faults pages in when it needs them, and
 * is told by a notifier of the owner's address space before they go.
 *
 * Two things may write to a region at once: a fault, which looks the pages up
 * without umem_mutex, and an invalidation, which comes from the memory manager.
 * What the fault found counts only if no invalidation has begun since: that is
 * checked under umem_mutex, which the driver's notifier takes as well.
 */
#include <linux/hmm.h>
#include <linux/hugetlb.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <compat/umem_odp.h>
#include <ofed/refuse.h>

#include "odp.h"

/* An architecture without huge pages has no word for their size. */
#ifndef HPAGE_SHIFT
#define HPAGE_SHIFT	PAGE_SHIFT
#endif

static unsigned long umem_odp_entry(const struct ib_umem_odp *odp,
				    unsigned long addr)
{
	return (addr - odp->notifier.interval_tree.start) >> odp->page_shift;
}

/* A region of the current process, or of the one that owns @root. */
static struct ib_umem_odp *umem_odp_alloc(struct ib_device *device, bool writable,
					  const struct ib_umem_odp *root)
{
	struct ib_umem_odp *odp = kzalloc(sizeof(*odp), GFP_KERNEL_ACCOUNT);

	if (!odp)
		return NULL;
	mutex_init(&odp->umem_mutex);
	odp->page_shift = PAGE_SHIFT;
	odp->umem.ibdev = device;
	odp->umem.writable = writable;
	odp->umem.is_odp = 1;
	if (root) {
		odp->umem.owning_mm = root->umem.owning_mm;
		odp->tgid = get_pid(root->tgid);
	} else {
		odp->umem.owning_mm = current->mm;
		odp->tgid = get_task_pid(current->group_leader, PIDTYPE_PID);
	}
	mmgrab(odp->umem.owning_mm);
	return odp;
}

static void umem_odp_free(struct ib_umem_odp *odp)
{
	if (!odp->is_implicit_odp)
		umem_odp_free_lists(odp);
	mmdrop(odp->umem.owning_mm);
	put_pid(odp->tgid);
	mutex_destroy(&odp->umem_mutex);
	kfree(odp);
}

/*
 * Give a region its range and watch it. The owner's mm_users is held by the
 * caller. What fails here is undone by umem_odp_free().
 */
static int umem_odp_watch(struct ib_umem_odp *odp, unsigned long addr, size_t size,
			  const struct mmu_interval_notifier_ops *ops)
{
	unsigned long page = BIT(odp->page_shift);
	unsigned long first = ALIGN_DOWN(addr, page);
	unsigned long end;
	int ret;

	odp->umem.address = addr;
	odp->umem.iova = addr;
	odp->umem.length = size;
	if (check_add_overflow(addr, (unsigned long)size, &end) ||
	    ALIGN(end, page) < end)
		return ofed_refuse(odp->umem.ibdev, -EOVERFLOW,
				   "%zu bytes at 0x%lx go beyond the last address",
				   size, addr);
	end = ALIGN(end, page);
	if (end == first)
		return ofed_refuse(odp->umem.ibdev, -EINVAL,
				   "a region of no bytes");
	ret = umem_odp_alloc_lists(odp, end - first);
	if (ret)
		return ret;
	return mmu_interval_notifier_insert(&odp->notifier,
					    odp->umem.owning_mm, first,
					    end - first, ops);
}

/**
 * ib_umem_odp_get - watch a range of the caller's memory without pinning it
 * @device: device that will read or write the memory
 * @addr: first address in the address space of the calling process
 * @size: length in bytes
 * @access: IB_ACCESS_* of the region, IB_ACCESS_ON_DEMAND among them; with
 *	    IB_ACCESS_HUGETLB the region consists of huge pages, and addresses
 *	    are rounded to these
 * @ops: called before pages of the range go. The op takes umem_mutex, moves the
 *	 notifier's sequence on, makes the device forget the pages and calls
 *	 ib_umem_odp_unmap_dma_pages()
 *
 * No page is looked up and nothing has to be mapped at @addr. @ops may be
 * called before this returns, when npages is 0 and private is NULL.
 *
 * Context: process, in the address space that owns the memory; sleeps, takes
 * the mmap lock.
 *
 * Return: the region, or ERR_PTR: -EINVAL (not on demand, or empty),
 * -EOVERFLOW (a range that wraps), -ENOMEM, or an errno of the notifier.
 */
struct ib_umem_odp *ib_umem_odp_get(struct ib_device *device,
				    unsigned long addr, size_t size, int access,
				    const struct mmu_interval_notifier_ops *ops)
{
	struct ib_umem_odp *odp;
	int ret;

	might_sleep();
	if (WARN_ON_ONCE(!(access & IB_ACCESS_ON_DEMAND)))
		return ERR_PTR(-EINVAL);
	odp = umem_odp_alloc(device, ib_access_writable(access), NULL);
	if (!odp)
		return ERR_PTR(-ENOMEM);
	if (IS_ENABLED(CONFIG_HUGETLB_PAGE) && access & IB_ACCESS_HUGETLB)
		odp->page_shift = HPAGE_SHIFT;
	ret = umem_odp_watch(odp, addr, size, ops);
	if (ret) {
		umem_odp_free(odp);
		return ERR_PTR(ret);
	}
	return odp;
}
OFED_EXPORT(ib_umem_odp_get);

/**
 * ib_umem_odp_alloc_implicit - stand for the whole address space of the caller
 * @device: device that will read or write the memory
 * @access: IB_ACCESS_* of the region
 *
 * It has no pages of its own: ib_umem_odp_alloc_child() makes regions of parts
 * of it, which must be released first.
 *
 * Context: process, in the address space that owns the memory; sleeps.
 *
 * Return: the region, or ERR_PTR: -EINVAL (huge pages, which cannot be had of
 * everything), -ENOMEM.
 */
struct ib_umem_odp *ib_umem_odp_alloc_implicit(struct ib_device *device,
					       int access)
{
	struct ib_umem_odp *odp;

	might_sleep();
	if (access & IB_ACCESS_HUGETLB)
		return ofed_refuse(device, ERR_PTR(-EINVAL),
				   "access flags 0x%x: all of the memory has no one page size",
				   access);
	odp = umem_odp_alloc(device, ib_access_writable(access), NULL);
	if (!odp)
		return ERR_PTR(-ENOMEM);
	odp->is_implicit_odp = true;
	return odp;
}
OFED_EXPORT(ib_umem_odp_alloc_implicit);

/**
 * ib_umem_odp_alloc_child - watch a part of an implicit region
 * @root: from ib_umem_odp_alloc_implicit()
 * @addr: first address in the address space of its owner
 * @size: length in bytes
 * @ops: as for ib_umem_odp_get()
 *
 * Context: process, any process: a driver calls this from its page fault
 * handler. Sleeps, takes the owner's mmap lock.
 *
 * Return: the region, or ERR_PTR: -EINVAL (@root is not implicit, or the range
 * is empty), -EFAULT (the owner has no memory any more), -EOVERFLOW, -ENOMEM,
 * or an errno of the notifier.
 */
struct ib_umem_odp *
ib_umem_odp_alloc_child(struct ib_umem_odp *root, unsigned long addr,
			size_t size, const struct mmu_interval_notifier_ops *ops)
{
	struct ib_umem_odp *odp;
	int ret = -EFAULT;

	might_sleep();
	if (WARN_ON(!root->is_implicit_odp))
		return ERR_PTR(-EINVAL);
	odp = umem_odp_alloc(root->umem.ibdev, root->umem.writable, root);
	if (!odp)
		return ERR_PTR(-ENOMEM);
	/* The region holds the struct; a notifier wants the users' memory. */
	if (mmget_not_zero(odp->umem.owning_mm)) {
		ret = umem_odp_watch(odp, addr, size, ops);
		mmput(odp->umem.owning_mm);
	}
	if (ret) {
		umem_odp_free(odp);
		return ERR_PTR(ret);
	}
	return odp;
}
OFED_EXPORT(ib_umem_odp_alloc_child);

/**
 * ib_umem_odp_release - unmap a region and watch it no more
 * @odp: the region; ib_umem_release() of its umem is the same
 *
 * The device must have stopped using it. No op of the notifier runs when this
 * returns; the owner's address space may be gone already.
 *
 * Context: process, sleeps; without umem_mutex, and not in an op of a notifier.
 */
void ib_umem_odp_release(struct ib_umem_odp *odp)
{
	might_sleep();
	if (!odp->is_implicit_odp) {
		/* While it is watched: later the pages could be others'. */
		mutex_lock(&odp->umem_mutex);
		ib_umem_odp_unmap_dma_pages(odp, ib_umem_start(odp),
					    ib_umem_end(odp));
		mutex_unlock(&odp->umem_mutex);
		mmu_interval_notifier_remove(&odp->notifier);
	}
	umem_odp_free(odp);
}
OFED_EXPORT(ib_umem_odp_release);

static int umem_odp_walk(struct mm_struct *mm, struct hmm_range *range)
{
	int ret;

	range->notifier_seq = mmu_interval_read_begin(range->notifier);
	mmap_read_lock(mm);
	ret = hmm_range_fault(range);
	mmap_read_unlock(mm);
	return ret;
}

/* Until what was found holds: then 0 with umem_mutex held. */
static int umem_odp_walk_and_lock(struct ib_umem_odp *odp, struct hmm_range *range)
{
	unsigned long limit = jiffies +
		msecs_to_jiffies(HMM_RANGE_DEFAULT_TIMEOUT);
	int ret;

	do {
		ret = umem_odp_walk(odp->umem.owning_mm, range);
		if (!ret) {
			mutex_lock(&odp->umem_mutex);
			if (!mmu_interval_read_retry(range->notifier,
						     range->notifier_seq))
				return 0;
			mutex_unlock(&odp->umem_mutex);
			ret = -EBUSY;
		}
	} while (ret == -EBUSY && !time_after(jiffies, limit));
	return ret;
}

/* Map what was found as far as there are pages. */
static int umem_odp_map_found(struct ib_umem_odp *odp, const struct hmm_range *range,
			      u64 access_mask, bool fault)
{
	unsigned long first = umem_odp_entry(odp, range->start);
	unsigned long n = umem_odp_entry(odp, range->end) - first;
	const unsigned long *pfn = range->hmm_pfns;
	unsigned long i;
	int ret = 0;

	lockdep_assert_held(&odp->umem_mutex);
	for (i = 0; i < n && !ret; i++) {
		u64 rights = access_mask;

		if (!fault) {
			rights = COMPAT_ODP_READ;
			if (*pfn & HMM_PFN_WRITE && odp->umem.writable)
				rights |= COMPAT_ODP_WRITE;
		}
		/* A fault that succeeds leaves no hole. */
		if (*pfn & HMM_PFN_VALID)
			ret = umem_odp_map_entry(odp, first + i, *pfn, rights);
		else if (WARN_ON_ONCE(fault))
			ret = -EFAULT;
		pfn += BIT(odp->page_shift - PAGE_SHIFT);
	}
	return ret ?: n;
}

/*
 * Where a walk puts what it finds. Not the list itself: the walk has no lock, so
 * what it finds may be out of date, and the list says what is mapped.
 */
static unsigned long *umem_odp_get_pfns(const struct hmm_range *range)
{
	return kvmalloc_array((range->end - range->start) >> PAGE_SHIFT,
			      sizeof(*range->hmm_pfns),
			      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
}

/**
 * ib_umem_odp_map_dma_and_lock - get the DMA addresses of a part of a region
 * @odp: the region
 * @user_virt: first address, in the address space of the owner
 * @bcnt: length in bytes
 * @access_mask: rights that the device is given, and that the owner must have:
 *		 HMM_PFN_VALID and HMM_PFN_WRITE, before 7.x ODP_*_ALLOWED_BIT
 * @fault: bring pages in that are not there; otherwise only those that are get
 *	   an address, with the rights that they have
 *
 * On success umem_mutex is held, and no page of the region changes its place
 * until the caller drops it: by then the device has the entries of the lists.
 * An entry of 0 has no page (never with @fault).
 *
 * Context: process, any process; sleeps, takes the owner's mmap lock: neither
 * that nor umem_mutex may be held.
 *
 * Return: entries of the lists that the range takes, or without the lock:
 * -EINVAL (no rights asked for, where there is a bit to read; the owner is gone, or a page is smaller than
 * the region's), -EFAULT (outside the region, not mapped by the owner, or no
 * DMA mapping), -EPERM (the owner may not write there), -EBUSY (invalidations
 * have not left a second's time), -ENOMEM.
 */
int ib_umem_odp_map_dma_and_lock(struct ib_umem_odp *odp, u64 user_virt,
				 u64 bcnt, u64 access_mask, bool fault)
{
	struct hmm_range range = { .notifier = &odp->notifier };
	unsigned long page = BIT(odp->page_shift);
	int ret = -ENOMEM;

	might_sleep();
	if (!umem_odp_are_rights(access_mask))
		return -EINVAL;
	if (user_virt < ib_umem_start(odp) || user_virt > ib_umem_end(odp) ||
	    bcnt > ib_umem_end(odp) - user_virt)
		return -EFAULT;
	if (!pid_has_task(odp->tgid, PIDTYPE_PID) ||
	    !mmget_not_zero(odp->umem.owning_mm))
		return -EINVAL;

	range.start = ALIGN_DOWN(user_virt, page);
	range.end = ALIGN(user_virt + bcnt, page);
	if (fault) {
		range.default_flags = HMM_PFN_REQ_FAULT;
		if (access_mask & COMPAT_ODP_WRITE)
			range.default_flags |= HMM_PFN_REQ_WRITE;
	}
	range.hmm_pfns = umem_odp_get_pfns(&range);
	if (!range.hmm_pfns)
		goto out_mm;
	ret = umem_odp_walk_and_lock(odp, &range);
	if (ret)
		goto out_pfns;
	ret = umem_odp_map_found(odp, &range, access_mask, fault);
	/* What is mapped already stays: an invalidation finds it. */
	if (ret < 0)
		mutex_unlock(&odp->umem_mutex);
out_pfns:
	kvfree(range.hmm_pfns);
out_mm:
	/* Not here: the last user's exit is an invalidation, and wants the mutex. */
	mmput_async(odp->umem.owning_mm);
	return ret;
}
OFED_EXPORT(ib_umem_odp_map_dma_and_lock);

/**
 * ib_umem_odp_unmap_dma_pages - give the DMA addresses of a range back
 * @odp: the region
 * @virt: first address, in the address space of the owner
 * @bound: address behind the last one
 *
 * The range may reach over the ends of the region. The device has forgotten the
 * pages: those that it could write become dirty.
 *
 * Context: process, also under the locks of an invalidation; the caller holds
 * umem_mutex. Sleeps, perhaps.
 */
void ib_umem_odp_unmap_dma_pages(struct ib_umem_odp *odp, u64 virt, u64 bound)
{
	unsigned long i, last;

	lockdep_assert_held(&odp->umem_mutex);
	virt = max_t(u64, virt, ib_umem_start(odp));
	bound = min_t(u64, bound, ib_umem_end(odp));
	if (virt >= bound)
		return;
	last = umem_odp_entry(odp, bound - 1);
	for (i = umem_odp_entry(odp, virt); i <= last; i++) {
		umem_odp_unmap_entry(odp, i);
		/* Of a terabyte there are 2^28. */
		if (!(i % 1024))
			cond_resched();
	}
}
OFED_EXPORT(ib_umem_odp_unmap_dma_pages);

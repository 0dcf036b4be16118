// SPDX-License-Identifier: GPL-2.0
/*
 * Regions on demand: how they come and go, and how their pages are brought in. The core's
 * ib_umem_odp watches the program's memory; the page table (odp_table.c) is what copies look at.
 *
 *	soft_odp.lock -> mmap_lock -> umem_mutex -> locks of queue pairs -> the region's lock
 *
 * While umem_mutex is held no page goes. So the context that brings pages in may use them before
 * any other takes them away: that is what go_on() of soft_odp_bring_in() is for.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <compat/umem_odp.h>
#include <ofed/owner.h>
#include <ofed/refuse.h>

#include "dev.h"
#include "odp.h"
#include "region_lock.h"

/* Entries that are written before interrupts are enabled again. */
#define ENTRIES_AT_ONCE	256
/* Parts of an implicit region, 16 GiB: an address that is used once does not cost for ever. */
#define MOST_PARTS	8192
#define PART_BYTES	(1UL << SOFT_ODP_PART_SHIFT)

/* ---- entries ----------------------------------------------------------------------- */

/*
 * The memory manager gives pages of memfd_secret() like any other, but they are not in the kernel's
 * direct map: a copy would be an oops.
 */
static bool soft_odp_is_mapped(const void *page)
{
	u8 byte;

	return !copy_from_kernel_nofault(&byte, page, sizeof(byte));
}

/* What the device may do with a page, which is there as long as umem_mutex is held. */
static unsigned long soft_odp_entry_of(const struct soft_odp_part *part, u64 index)
{
	void *page = compat_odp_memory(part->umem, index, COMPAT_ODP_READ | COMPAT_ODP_WRITE);
	unsigned long rights = SOFT_ODP_WRITE;

	if (!page) {
		page = compat_odp_memory(part->umem, index, COMPAT_ODP_READ);
		rights = 0;
	}
	return page && soft_odp_is_mapped(page) ? (unsigned long)page | rights : 0;
}

/* @present: as the umem has them, else none. Sleeps, perhaps. */
static void soft_odp_write_entries(struct soft_odp_part *part, u64 index, u64 end, bool present)
{
	unsigned long flags;
	u64 stop;

	while (index < end) {
		stop = min_t(u64, end, index + ENTRIES_AT_ONCE);
		flags = soft_region_lock_write(part->region);
		for (; index < stop; index++)
			part->entry[index] = present ? soft_odp_entry_of(part, index) : 0;
		soft_region_unlock_write(part->region, flags);
		/* Of a terabyte there are 2^28. */
		cond_resched();
	}
}

/* From the address @start in the program to @end. */
static void soft_odp_forget(struct soft_odp_part *part, u64 start, u64 end)
{
	start = max(start, part->start);
	end = min(end, part->start + (part->num << PAGE_SHIFT));
	if (start < end)
		soft_odp_write_entries(part, (start - part->start) >> PAGE_SHIFT,
				       DIV_ROUND_UP(end - part->start, PAGE_SIZE), false);
}

static bool soft_odp_invalidate(struct mmu_interval_notifier *notifier,
				const struct mmu_notifier_range *range, unsigned long cur_seq)
{
	struct ib_umem_odp *umem = container_of(notifier, struct ib_umem_odp, notifier);

	if (!mmu_notifier_range_blockable(range))
		return false;
	mutex_lock(&umem->umem_mutex);
	mmu_interval_set_seq(notifier, cur_seq);
	/* Before soft_odp_watch() no page was brought in. */
	if (umem->private)
		soft_odp_forget(umem->private, range->start, range->end);
	ib_umem_odp_unmap_dma_pages(umem, range->start, range->end);
	mutex_unlock(&umem->umem_mutex);
	return true;
}

static const struct mmu_interval_notifier_ops soft_odp_notifier_ops = {
	.invalidate = soft_odp_invalidate,
};

/* ---- parts ------------------------------------------------------------------------- */

static struct soft_odp_part *soft_odp_part_new(struct soft_region *region, u64 start, u64 num)
{
	struct soft_odp_part *part;
	size_t bytes = struct_size(part, entry, num);

	if (bytes > INT_MAX)
		return NULL;
	part = kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!part)
		return NULL;
	part->region = region;
	part->start = start;
	part->num = num;
	return part;
}

/* @umem is the part's from now on, which is freed if that is an ERR_PTR. */
static struct soft_odp_part *soft_odp_watch(struct soft_odp_part *part, struct ib_umem_odp *umem)
{
	if (IS_ERR(umem)) {
		kvfree(part);
		return ERR_CAST(umem);
	}
	part->umem = umem;
	mutex_lock(&umem->umem_mutex);
	umem->private = part;
	mutex_unlock(&umem->umem_mutex);
	return part;
}

/* No copy finds the part any more, but one that has begun may use it. */
static void soft_odp_part_free(struct soft_odp_part *part)
{
	soft_odp_forget(part, 0, U64_MAX);
	ib_umem_odp_release(part->umem);
	kvfree(part);
}

static void soft_odp_make_room(struct soft_odp *odp)
{
	struct soft_odp_part *part;

	lockdep_assert_held(&odp->lock);
	part = xa_find_after(&odp->parts, &odp->victim, ULONG_MAX, XA_PRESENT);
	if (!part) {
		odp->victim = 0;
		part = xa_find(&odp->parts, &odp->victim, ULONG_MAX, XA_PRESENT);
	}
	if (WARN_ON_ONCE(!part))
		return;
	xa_erase(&odp->parts, odp->victim);
	odp->num_parts--;
	soft_odp_part_free(part);
}

static struct soft_odp_part *soft_odp_add_part(struct soft_odp *odp, u64 va)
{
	unsigned long index = va >> SOFT_ODP_PART_SHIFT;
	struct soft_odp_part *part;
	int ret;

	lockdep_assert_held(&odp->lock);
	if (va >= READ_ONCE(odp->root->umem.owning_mm->task_size))
		return ERR_PTR(-EFAULT);
	if (odp->num_parts >= MOST_PARTS)
		soft_odp_make_room(odp);
	part = soft_odp_part_new(odp->region, (u64)index << SOFT_ODP_PART_SHIFT,
				 PART_BYTES >> PAGE_SHIFT);
	if (!part)
		return ERR_PTR(-ENOMEM);
	part = soft_odp_watch(part, ib_umem_odp_alloc_child(odp->root, part->start, PART_BYTES,
							    &soft_odp_notifier_ops));
	if (IS_ERR(part))
		return part;
	ret = xa_insert(&odp->parts, index, part, GFP_KERNEL_ACCOUNT);
	if (ret) {
		soft_odp_part_free(part);
		return ERR_PTR(ret);
	}
	odp->num_parts++;
	return part;
}

static struct soft_odp_part *soft_odp_need_part(struct soft_odp *odp, u64 va)
{
	struct soft_odp_part *part = odp->whole;

	lockdep_assert_held(&odp->lock);
	if (!part)
		part = xa_load(&odp->parts, va >> SOFT_ODP_PART_SHIFT);
	return part ?: soft_odp_add_part(odp, va);
}

/* ---- life -------------------------------------------------------------------------- */

static struct soft_odp_part *soft_odp_watch_range(struct soft_region *region,
						  struct ib_device *device, u64 start,
						  u64 length, int access)
{
	u64 first = ALIGN_DOWN(start, PAGE_SIZE);
	struct soft_odp_part *part;

	if (!length || length > U64_MAX - start || start + length > PAGE_MASK)
		return ofed_refuse(device, ERR_PTR(-EINVAL),
				   "%llu bytes at 0x%llx on demand", length, start);
	part = soft_odp_part_new(region, first,
				 (PAGE_ALIGN(start + length) - first) >> PAGE_SHIFT);
	if (!part)
		return ERR_PTR(-ENOMEM);
	return soft_odp_watch(part, ib_umem_odp_get(device, start, length, access,
						    &soft_odp_notifier_ops));
}

static int soft_odp_begin(struct soft_odp *odp, struct ib_device *device, u64 start, u64 length,
			  int access)
{
	struct soft_odp_part *part;
	struct ib_umem_odp *root;

	if (!start && length == U64_MAX) {
		root = ib_umem_odp_alloc_implicit(device, access);
		if (IS_ERR(root))
			return PTR_ERR(root);
		odp->root = root;
		return 0;
	}
	part = soft_odp_watch_range(odp->region, device, start, length, access);
	if (IS_ERR(part))
		return PTR_ERR(part);
	odp->whole = part;
	return 0;
}

/**
 * soft_odp_get - watch memory of the calling program
 * @region: that is to grant it; of the kind SOFT_ODP, new
 * @device: of the region
 * @start: address in the program
 * @length: bytes; U64_MAX from 0 on: all that the program has, now and later
 * @access: IB_ACCESS_*, IB_ACCESS_ON_DEMAND among them. IB_ACCESS_HUGETLB changes nothing: each
 *	    page of the kernel has an entry
 *
 * Context: process, of the program. Return: the memory, for soft_odp_put(), or ERR_PTR: -EINVAL
 * (no bytes, or they wrap, or the memory does not outlast the power), -ENOMEM, or an errno of
 * ib_umem_odp_get().
 */
struct soft_odp *soft_odp_get(struct soft_region *region, struct ib_device *device, u64 start,
			      u64 length, int access)
{
	struct soft_odp *odp;
	int ret;

	if (access & IB_ACCESS_FLUSH_PERSISTENT)
		return ERR_PTR(-EINVAL);
	/* The region puts it, when nothing brings in pages of it any more. */
	region->user = soft_fault_user_get(&region->mem->faults, ofed_current_owner());
	odp = region->user ? kzalloc(sizeof(*odp), GFP_KERNEL_ACCOUNT) : NULL;
	if (!odp)
		return ERR_PTR(-ENOMEM);
	refcount_set(&odp->refs, 1);
	mutex_init(&odp->lock);
	xa_init(&odp->parts);
	odp->region = region;
	odp->start = start;
	ret = soft_odp_begin(odp, device, start, length, access & ~IB_ACCESS_HUGETLB);
	if (ret) {
		kfree(odp);
		return ERR_PTR(ret);
	}
	refcount_inc(&region->refs);
	atomic_inc(&region->mem->on_demand);
	return odp;
}

/**
 * soft_odp_put - put a reference
 * @odp: memory on demand, or NULL
 *
 * Context: process, may sleep; no lock of soft_odp_bring_in() is held.
 */
void soft_odp_put(struct soft_odp *odp)
{
	struct soft_odp_part *part;
	unsigned long index;

	might_sleep();
	if (!odp || !refcount_dec_and_test(&odp->refs))
		return;
	if (odp->whole)
		soft_odp_part_free(odp->whole);
	xa_for_each(&odp->parts, index, part)
		soft_odp_part_free(part);
	xa_destroy(&odp->parts);
	if (odp->root)
		ib_umem_odp_release(odp->root);
	atomic_dec(&odp->region->mem->on_demand);
	soft_region_put(odp->region);
	mutex_destroy(&odp->lock);
	kfree(odp);
}

/* ---- pages ------------------------------------------------------------------------- */

static struct mm_struct *soft_odp_mm(const struct soft_odp *odp)
{
	return odp->whole ? odp->whole->umem->umem.owning_mm : odp->root->umem.owning_mm;
}

/* How pages are brought in. */
struct soft_odp_how {
	u64 rights;
	bool fault;
	void (*go_on)(void *arg);
	void *arg;
};

static struct soft_odp_how soft_odp_by_fault(bool write)
{
	return (struct soft_odp_how) {
		.rights = COMPAT_ODP_READ | (write ? COMPAT_ODP_WRITE : 0),
		.fault = true,
	};
}

/* Look @length bytes up, or those of one page. Return: 0 with umem_mutex held, or an errno. */
static int soft_odp_walk(struct soft_odp_part *part, u64 va, u64 *length,
			 const struct soft_odp_how *how)
{
	u64 page = PAGE_SIZE - offset_in_page(va);
	int ret;

	ret = ib_umem_odp_map_dma_and_lock(part->umem, va, *length, how->rights, how->fault);
	/* What lies ahead of an access may not be there. */
	if (ret < 0 && *length > page) {
		*length = page;
		ret = ib_umem_odp_map_dma_and_lock(part->umem, va, page, how->rights,
						   how->fault);
	}
	return min(ret, 0);
}

/* Bytes from @va on, at most @length, of which all pages are there. With umem_mutex held. */
static u64 soft_odp_present(const struct soft_odp_part *part, u64 va, u64 length)
{
	u64 first = (va - part->start) >> PAGE_SHIFT;
	u64 end = DIV_ROUND_UP(va + length - part->start, PAGE_SIZE);
	u64 index = first;

	while (index < end && part->entry[index])
		index++;
	if (index == end)
		return length;
	return index == first ? 0 : part->start + (index << PAGE_SHIFT) - va;
}

/* Write what the walk has found, and let the access go on. With umem_mutex held. */
static int soft_odp_enter(struct soft_odp_part *part, u64 va, u64 *length,
			  const struct soft_odp_how *how)
{
	soft_odp_write_entries(part, (va - part->start) >> PAGE_SHIFT,
			       DIV_ROUND_UP(va + *length - part->start, PAGE_SIZE), true);
	if (how->fault)
		*length = soft_odp_present(part, va, *length);
	if (!*length)
		return -EFAULT;
	if (how->go_on)
		how->go_on(how->arg);
	return 0;
}

/*
 * One walk at a time: since 7.x a walk of the core writes to the list that another one, which
 * has finished, reads with umem_mutex held.
 */
static int soft_odp_bring_part(struct soft_odp *odp, u64 va, u64 *length,
			       const struct soft_odp_how *how)
{
	struct soft_odp_part *part = soft_odp_need_part(odp, va);
	int ret;

	lockdep_assert_held(&odp->lock);
	if (IS_ERR(part))
		return PTR_ERR(part);
	*length = min(*length, part->start + (part->num << PAGE_SHIFT) - va);
	ret = soft_odp_walk(part, va, length, how);
	if (ret)
		return ret;
	ret = soft_odp_enter(part, va, length, how);
	mutex_unlock(&part->umem->umem_mutex);
	return ret;
}

/*
 * Page tables and parts are memory of the program, which determines how many there are, but in a
 * work the memory cgroup of the current task is not the program's.
 */
static int soft_odp_bring(struct soft_odp *odp, u64 va, u64 *length,
			  const struct soft_odp_how *how)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(soft_odp_mm(odp));
	struct mem_cgroup *old = set_active_memcg(memcg);
	int ret;

	mutex_lock(&odp->lock);
	ret = soft_odp_bring_part(odp, va, length, how);
	mutex_unlock(&odp->lock);
	set_active_memcg(old);
	mem_cgroup_put(memcg);
	return ret;
}

/* The memory of @want, referenced; NULL: the region does not grant it any more. */
static struct soft_odp *soft_odp_of_want(const struct soft_want *want, u64 *va)
{
	struct soft_region *region = want->region;
	struct soft_odp *odp = NULL;
	unsigned long flags;

	flags = soft_region_lock(region);
	if (region->valid && region->grant == want->grant &&
	    soft_region_covers(region, want->iova, want->length))
		odp = region->odp;
	if (odp) {
		refcount_inc(&odp->refs);
		*va = odp->start + (want->iova - region->iova);
	}
	soft_region_unlock(region, flags);
	return odp;
}

/**
 * soft_odp_bring_in - bring in pages that an access has found absent
 * @want: which; at least the first of them is brought in
 * @go_on: called when they are there, and none can go until it returns. Does not sleep
 * @arg: its argument
 *
 * Context: process, sleeps. Return: 0; -ESTALE: the region does not grant them any more, which
 * the access finds as well; -EBUSY: they go again and again; else no page can be there.
 * @go_on was not called then.
 */
int soft_odp_bring_in(const struct soft_want *want, void (*go_on)(void *arg), void *arg)
{
	struct soft_odp_how how = soft_odp_by_fault(want->write);
	u64 length = want->length;
	struct soft_odp *odp;
	u64 va;
	int ret;

	might_sleep();
	odp = soft_odp_of_want(want, &va);
	if (!odp)
		return -ESTALE;
	how.go_on = go_on;
	how.arg = arg;
	ret = soft_odp_bring(odp, va, &length, &how);
	soft_odp_put(odp);
	return ret;
}

/* ---- advice ------------------------------------------------------------------------ */

/* The memory of an entry of the list, referenced. */
static struct soft_odp *soft_advise_find(struct ib_pd *pd, const struct ib_sge *sge, bool write,
					 u64 *va)
{
	struct soft_region *region = soft_region_get(&to_soft_dev(pd->device)->mem, sge->lkey);
	struct soft_odp *odp = ERR_PTR(-ENOENT);
	unsigned long flags;

	if (!region)
		return odp;
	flags = soft_region_lock(region);
	if (region->kind != SOFT_ODP || !region->valid || region->key != sge->lkey) {
		odp = ERR_PTR(region->kind == SOFT_ODP ? -ENOENT : -EINVAL);
	} else if (region->pd != pd || (write && !ib_access_writable(region->access))) {
		odp = ERR_PTR(-EPERM);
	} else if (!soft_region_covers(region, sge->addr, sge->length)) {
		odp = ERR_PTR(-EFAULT);
	} else {
		odp = region->odp;
		refcount_inc(&odp->refs);
		*va = odp->start + (sge->addr - region->iova);
	}
	soft_region_unlock(region, flags);
	soft_region_put(region);
	return odp;
}

static int soft_advise_one(struct ib_pd *pd, const struct ib_sge *sge, bool write,
			   const struct soft_odp_how *how, bool flush)
{
	struct soft_odp *odp;
	u64 va, done, length;
	int ret = 0;

	odp = soft_advise_find(pd, sge, write, &va);
	if (IS_ERR(odp))
		return PTR_ERR(odp);
	for (done = 0; done < sge->length && !ret; done += length) {
		if (fatal_signal_pending(current))
			ret = -EINTR;
		length = min_t(u64, sge->length - done, PART_BYTES);
		if (!ret)
			ret = soft_odp_bring(odp, va + done, &length, how);
		cond_resched();
	}
	soft_odp_put(odp);
	/* Without the flag nothing is promised but that the list is good. */
	return flush ? ret : 0;
}

/**
 * soft_advise_mr - ops.advise_mr: bring pages of regions on demand in, ahead of their use
 * @pd: protection domain
 * @advice: what they will be used for
 * @flags: IB_UVERBS_ADVISE_MR_FLAG_FLUSH: a page that can not be there is an error
 * @sg_list: which pages
 * @num_sge: entries of @sg_list
 * @attrs: not used
 *
 * The pages are there when this returns, with the flag or without; they may go at any time.
 *
 * Context: process, sleeps. Return: 0; -EOPNOTSUPP (@advice); -EINVAL (@flags, or a region that
 * is not on demand); -ENOENT (key); -EPERM (another PD, or no right to write); -EFAULT (outside
 * of the region, or no memory of the program there); -EINTR.
 */
static int soft_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
			  struct ib_sge *sg_list, u32 num_sge, struct uverbs_attr_bundle *attrs)
{
	bool write = advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	bool flush = flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH;
	struct soft_odp_how how = soft_odp_by_fault(write);
	int ret = 0;
	u32 i;

	if (advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return ofed_refuse(pd->device, -EOPNOTSUPP, "advice %d", advice);
	if (flags & ~IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
		return ofed_refuse(pd->device, -EINVAL, "flags 0x%x of an advice", flags);
	how.fault = advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT;
	for (i = 0; i < num_sge && !ret; i++)
		ret = soft_advise_one(pd, &sg_list[i], write, &how, flush);
	return ret;
}

const struct ib_device_ops soft_odp_ops = {
	.advise_mr = soft_advise_mr,
};

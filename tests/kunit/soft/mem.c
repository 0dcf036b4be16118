// SPDX-License-Identifier: GPL-2.0
/*
 * What the suites of soft_mem_kunit.ko share. Programs' memory is played: pages that belong to
 * the test, not pinned.
 */
#include <linux/scatterlist.h>

#include "hw/soft/pages.h"
#include "hw/soft/region_lock.h"
#include "mem.h"

int umems;

/* @addr counts only by its offset in a page. */
struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr, size_t size,
			    int access)
{
	unsigned int i, num = DIV_ROUND_UP(offset_in_page(addr) + size,
					   PAGE_SIZE);
	struct ib_umem *umem = kzalloc(sizeof(*umem), GFP_KERNEL);
	struct sg_table *sgt = &umem->sgt_append.sgt;
	struct scatterlist *sg;

	if (!umem || sg_alloc_table(sgt, num, GFP_KERNEL))
		panic("no memory for a test");
	for_each_sgtable_sg(sgt, sg, i)
		sg_set_page(sg, alloc_page(GFP_KERNEL | __GFP_ZERO), PAGE_SIZE,
			    0);
	umem->address = addr;
	umem->iova = addr;
	umem->length = size;
	umem->writable = ib_access_writable(access);
	umems++;
	return umem;
}

void ib_umem_release(struct ib_umem *umem)
{
	struct scatterlist *sg;
	unsigned int i;

	if (!umem)
		return;
	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i)
		__free_page(sg_page(sg));
	sg_free_table(&umem->sgt_append.sgt);
	kfree(umem);
	umems--;
}

/* Entries are pages already: as far as they fit. */
int ib_sg_to_pages(struct ib_mr *mr, struct scatterlist *sgl, int nents, unsigned int *offset,
		   int (*set_page)(struct ib_mr *, u64))
{
	struct scatterlist *sg;
	int i;

	mr->iova = sg_dma_address(sgl) + *offset;
	mr->length = 0;
	for_each_sg(sgl, sg, nents, i) {
		if (set_page(mr, sg_dma_address(sg) & ~(mr->page_size - 1ULL)))
			break;
		mr->length += sg_dma_len(sg) - (i ? 0 : *offset);
	}
	return i;
}

struct world *world(struct kunit *test)
{
	return test->priv;
}

static const u32 allowed[SOFT_OBJECT_NUM] = {
	[SOFT_OBJECT_MR] = 1000,
	[SOFT_OBJECT_MW] = 1000,
};

int soft_mem_test_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	w->mem = &w->dev.mem;
	soft_limits_init(&w->dev, allowed);
	soft_mem_init(w->mem);
	w->dev.max_mr_pages = 16;
	w->pd.device = &w->dev.ib;
	w->other_pd.device = &w->dev.ib;
	test->priv = w;
	return 0;
}

void soft_mem_test_exit(struct kunit *test)
{
	struct world *w = world(test);

	KUNIT_EXPECT_TRUE(test, xa_empty(&w->mem->keys));
	KUNIT_EXPECT_EQ(test, umems, 0);
	soft_limits_exit(&w->dev);
	soft_mem_exit(w->mem);
}

struct ib_mr *user_mr_at(struct kunit *test, u64 va, u64 length,
			 int access)
{
	struct world *w = world(test);
	struct ib_mr *mr = soft_reg_user_mr(&w->pd, va, length, va, access,
					    NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	/* The core's part. */
	mr->device = w->pd.device;
	mr->pd = &w->pd;
	return mr;
}

struct ib_mr *user_mr(struct kunit *test, int access)
{
	return user_mr_at(test, VA, LEN, access);
}

void dereg(struct kunit *test, struct ib_mr *mr)
{
	KUNIT_EXPECT_EQ(test, soft_dereg_mr(mr, NULL), 0);
}

enum soft_access_err remote(struct kunit *test, u32 rkey, u64 iova,
			    u64 length, int access)
{
	struct world *w = world(test);
	enum soft_access_err fault;
	u32 grant;

	soft_region_put(soft_region_remote(w->mem, &w->pd, 7, rkey, iova,
					   length, access, &fault, &grant));
	return fault;
}

enum soft_access_err local(struct kunit *test, struct ib_pd *pd, u32 lkey,
			   u64 addr, u32 length, int access)
{
	const struct ib_sge sge = {
		.addr = addr, .length = length, .lkey = lkey,
	};
	enum soft_access_err fault;

	soft_region_put(soft_region_local(world(test)->mem, pd, &sge, access,
					  &fault));
	return fault;
}

void over(struct kunit *test, struct soft_iter *it, struct ib_mr *mr,
	  u64 iova, u64 length, int access)
{
	struct world *w = world(test);

	KUNIT_ASSERT_EQ(test, (int)soft_iter_remote(it, w->mem, &w->pd, 7,
						    mr->rkey, iova, length,
						    access), (int)SOFT_OK);
}

// SPDX-License-Identifier: GPL-2.0
/* How much of a scatter list fits where. */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include "rw_plan.h"

static u64 rw_plan_element_begin(const struct scatterlist *sg, u32 skip)
{
	return sg_dma_address(sg) + skip;
}

static u64 rw_plan_element_end(const struct scatterlist *sg)
{
	return (u64)sg_dma_address(sg) + sg_dma_len(sg);
}

/**
 * ofed_rw_seek - go to the element where the bytes to skip end
 * @list: the list
 *
 * Return: 0, or -EIO if nothing is left.
 */
int ofed_rw_seek(struct ofed_rw_list *list)
{
	while (list->cnt && list->skip >= sg_dma_len(list->sg)) {
		list->skip -= sg_dma_len(list->sg);
		list->sg = sg_next(list->sg);
		list->cnt--;
	}
	return list->cnt ? 0 : -EIO;
}

/**
 * ofed_rw_step - leave elements behind
 * @list: the list
 * @cnt: how many; not more than it has
 */
void ofed_rw_step(struct ofed_rw_list *list, u32 cnt)
{
	list->cnt -= cnt;
	list->skip = 0;
	while (cnt--)
		list->sg = sg_next(list->sg);
}

/* Inside a region, memory adjoins or meets at the boundaries of pages. */
static bool rw_plan_has_gap(u64 end, u64 begin)
{
	return begin != end && !IS_ALIGNED(begin | end, PAGE_SIZE);
}

/**
 * ofed_rw_region_elements - how much of a list one region can take
 * @list: the list, not empty
 * @max_pages: page list of the region
 *
 * An element that is larger than a region counts as fitting when it is the
 * first, so that the list gets shorter in any case: the driver refuses it.
 * Return: number of elements.
 */
u32 ofed_rw_region_elements(const struct ofed_rw_list *list, u32 max_pages)
{
	u64 begin = rw_plan_element_begin(list->sg, list->skip), end = 0, page = 0;
	struct scatterlist *sg = list->sg;
	u64 pages = 0;
	u32 i;

	for (i = 0; i < list->cnt; i++) {
		if (i) {
			sg = sg_next(sg);
			begin = rw_plan_element_begin(sg, 0);
		}
		if (i && rw_plan_has_gap(end, begin))
			break;
		/* The first page may be the last one of the element before. */
		if (i && begin == end)
			begin = max(begin, page);
		else
			begin = ALIGN_DOWN(begin, PAGE_SIZE);
		end = rw_plan_element_end(sg);
		page = ALIGN(end, PAGE_SIZE);
		if (page > begin)
			pages += (page - begin) >> PAGE_SHIFT;
		if (i && pages > max_pages)
			break;
	}
	return i;
}

/**
 * ofed_rw_regions - how many regions a list needs
 * @list: the list
 * @max_pages: page list of each region
 *
 * Return: the number.
 */
u32 ofed_rw_regions(const struct ofed_rw_list *list, u32 max_pages)
{
	struct ofed_rw_list left = *list;
	u32 regions;

	for (regions = 0; left.cnt; regions++)
		ofed_rw_step(&left, ofed_rw_region_elements(&left, max_pages));
	return regions;
}

/**
 * ofed_rw_wrs_per_ctx - work requests to reserve for a context
 * @registers: it may have to register memory
 *
 * Return: the transfer's, and then one to invalidate and one to register.
 */
u32 ofed_rw_wrs_per_ctx(bool registers)
{
	return registers ? 3 : 1;
}

/**
 * ofed_rw_next_bvec - the next part of memory that bio vectors name
 * @bvecs: the vectors
 * @nr_bvec: number of them
 * @iter: how far it is; in and out
 * @part: out: physically contiguous, and not empty
 *
 * Return: 1, 0 (nothing is left), -EINVAL (@iter has more bytes than the vectors).
 */
int ofed_rw_next_bvec(const struct bio_vec *bvecs, u32 nr_bvec, struct bvec_iter *iter,
		      struct bio_vec *part)
{
	while (iter->bi_size) {
		if (iter->bi_idx >= nr_bvec)
			return -EINVAL;
		*part = mp_bvec_iter_bvec(bvecs, *iter);
		bvec_iter_advance_single(bvecs, iter, part->bv_len);
		if (part->bv_len)
			return 1;
	}
	return 0;
}

/**
 * ofed_rw_count_bvecs - count the parts of memory that bio vectors name
 * @bvecs: the vectors
 * @nr_bvec: number of them
 * @iter: where to begin, and how many bytes
 *
 * Return: the number, or -EINVAL: there are no bytes, or more than the vectors have.
 */
int ofed_rw_count_bvecs(const struct bio_vec *bvecs, u32 nr_bvec, struct bvec_iter iter)
{
	struct bio_vec part;
	int ret, cnt = 0;

	while ((ret = ofed_rw_next_bvec(bvecs, nr_bvec, &iter, &part)) > 0)
		cnt++;
	return ret ?: cnt ?: -EINVAL;
}

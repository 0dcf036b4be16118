/* SPDX-License-Identifier: GPL-2.0 */
/* The arithmetic of the R/W API: numbers and lists, no device. */
#ifndef OFED_CORE_RW_PLAN_H
#define OFED_CORE_RW_PLAN_H

#include <linux/bvec.h>
#include <linux/scatterlist.h>
#include <linux/types.h>

/**
 * struct ofed_rw_list - DMA mapped memory, or what is left of it
 * @sg: first element
 * @cnt: number of elements
 * @skip: bytes of the first element that do not count
 */
struct ofed_rw_list {
	struct scatterlist *sg;
	u32 cnt;
	u32 skip;
};

int ofed_rw_seek(struct ofed_rw_list *list);
void ofed_rw_step(struct ofed_rw_list *list, u32 cnt);
u32 ofed_rw_region_elements(const struct ofed_rw_list *list, u32 max_pages);
u32 ofed_rw_regions(const struct ofed_rw_list *list, u32 max_pages);
u32 ofed_rw_wrs_per_ctx(bool registers);
int ofed_rw_next_bvec(const struct bio_vec *bvecs, u32 nr_bvec, struct bvec_iter *iter,
		      struct bio_vec *part);
int ofed_rw_count_bvecs(const struct bio_vec *bvecs, u32 nr_bvec, struct bvec_iter iter);

#endif /* OFED_CORE_RW_PLAN_H */

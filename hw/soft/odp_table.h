/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page table of a region on demand: which pages of the program's memory the device may use
 * now. An entry appears when a page is brought in (odp.c), and goes when the memory manager says
 * that the page goes. Both write with the region's lock held for writing, so a copy, which has it
 * for reading, never meets a page that has gone.
 */
#ifndef OFED_SOFT_ODP_TABLE_H
#define OFED_SOFT_ODP_TABLE_H

#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/xarray.h>

#include "mr_table.h"

struct ib_umem_odp;
struct soft_spot;

/* In an entry beside the address of the page, which is aligned: it may be written. */
#define SOFT_ODP_WRITE		1UL

/* Of an implicit region, log2 of the bytes that one part covers. */
#define SOFT_ODP_PART_SHIFT	21

/**
 * struct soft_odp_part - a range of a program's memory
 * @region: the region it belongs to; its lock guards @entry
 * @umem: tells when pages go
 * @start: address of the first page in the program
 * @num: pages
 * @entry: 0: the page is absent; else its kernel address and SOFT_ODP_WRITE
 */
struct soft_odp_part {
	struct soft_region *region;
	struct ib_umem_odp *umem;
	u64 start;
	u64 num;
	unsigned long entry[];
};

/**
 * struct soft_odp - memory of a region on demand
 * @refs: 1 of the region, 1 of each context that brings pages in
 * @region: the region, referenced
 * @start: address in the program of the region's first byte
 * @whole: (explicit) all of it; NULL: the region is implicit
 * @root: (implicit) the program's address space
 * @lock: (implicit) taken before the region's lock; guards that parts come and go
 * @parts: (implicit) by address >> SOFT_ODP_PART_SHIFT; a copy looks one up with the region's
 *	   lock held, so that the part, once out of here, is freed after that lock was taken
 * @num_parts: (implicit) how many there are
 * @victim: (implicit) where the search for a part that makes room begins
 */
struct soft_odp {
	refcount_t refs;
	struct soft_region *region;
	u64 start;
	struct soft_odp_part *whole;
	struct ib_umem_odp *root;
	struct mutex lock;
	struct xarray parts;
	u32 num_parts;
	unsigned long victim;
};

/**
 * struct soft_want - pages that an access has found absent
 * @region: the region, referenced
 * @grant: of the region, when the access was allowed
 * @iova: address of the first byte that is absent
 * @length: bytes from there on, more than the access needs
 * @write: the access writes
 */
struct soft_want {
	struct soft_region *region;
	u32 grant;
	u64 iova;
	u64 length;
	bool write;
};

enum soft_access_err soft_odp_spot(const struct soft_region *region, u64 iova, u64 want,
				   bool write, struct soft_spot *spot);
bool soft_region_absent(struct soft_region *region, u64 iova, u64 length, bool write,
			struct soft_want *want);

#endif /* OFED_SOFT_ODP_TABLE_H */

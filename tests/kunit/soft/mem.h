/* SPDX-License-Identifier: GPL-2.0 */
/* Suites of soft_mem_kunit.ko, and the device, the regions and the copies that they share. */
#ifndef KUNIT_SOFT_MEM_H
#define KUNIT_SOFT_MEM_H

#include <kunit/test.h>
#include <rdma/ib_verbs.h>

#include "hw/soft/dev.h"
#include "hw/soft/iter.h"
#include "hw/soft/mr.h"

#define PAGES 4
#define RW (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
	    IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
	    IB_ACCESS_MW_BIND)
#define VA 0x7f0000000640ULL	/* 0x640 bytes into a page */
#define LEN (PAGES * PAGE_SIZE - 0x640)

#define LW IB_ACCESS_LOCAL_WRITE
#define RWR IB_ACCESS_REMOTE_WRITE
#define RRD IB_ACCESS_REMOTE_READ
#define RAT IB_ACCESS_REMOTE_ATOMIC

struct world {
	struct soft_dev dev;
	struct ib_pd pd;
	struct ib_pd other_pd;
	struct soft_mem *mem;
};

extern int umems;	/* that are pinned now */

extern struct kunit_suite soft_mem_copy_suite;
extern struct kunit_suite soft_mem_piece_suite;
extern struct kunit_suite soft_mem_window_suite;
extern struct kunit_suite soft_mem_turn_suite;
extern struct kunit_suite soft_mem_count_suite;
extern struct kunit_suite soft_mem_on_demand_suite;

struct world *world(struct kunit *test);

/* init and exit of each suite. */
int soft_mem_test_init(struct kunit *test);
void soft_mem_test_exit(struct kunit *test);

/* A program's region, which the test frees by dereg(). */
struct ib_mr *user_mr_at(struct kunit *test, u64 va, u64 length, int access);
struct ib_mr *user_mr(struct kunit *test, int access);
void dereg(struct kunit *test, struct ib_mr *mr);

/* What a peer, or a work request of the device's own, is answered. */
enum soft_access_err remote(struct kunit *test, u32 rkey, u64 iova, u64 length,
			    int access);
enum soft_access_err local(struct kunit *test, struct ib_pd *pd, u32 lkey, u64 addr,
			   u32 length, int access);

/* @it goes over @length bytes of @mr, as a peer's request may. */
void over(struct kunit *test, struct soft_iter *it, struct ib_mr *mr, u64 iova,
	  u64 length, int access);

#endif /* KUNIT_SOFT_MEM_H */

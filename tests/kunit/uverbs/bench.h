/* SPDX-License-Identifier: GPL-2.0 */
/* One open file of a fake device, which has PDs and MRs, and no pools of the cgroup. */
#ifndef UVERBS_BENCH_H
#define UVERBS_BENCH_H

#include <kunit/test.h>
#include "uverbs/uverbs.h"

struct bench {
	struct ib_device ib_dev;
	struct ib_ucontext context;
	struct ib_uverbs_device dev;
	struct uv_file file;
};

/* Objects that are charged to a cgroup now. */
extern atomic_t bench_charged;

int bench_init(struct kunit *test);
void bench_exit(struct kunit *test);
/* All objects of the file end. */
void bench_teardown(struct bench *bench, enum rdma_remove_reason why);

#endif /* UVERBS_BENCH_H */

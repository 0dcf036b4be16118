// SPDX-License-Identifier: GPL-2.0
/* What tests of handles and of ioctl() share: bench.h. */
#include <ofed/cgroup.h>
#include "bench.h"

atomic_t bench_charged;

int ofed_cg_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
		   enum rdmacg_resource_type type)
{
	atomic_inc(&bench_charged);
	return 0;
}

void ofed_cg_uncharge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
		      enum rdmacg_resource_type type)
{
	atomic_dec(&bench_charged);
}

/* Only descriptors use it. */
void uv_file_put(struct ib_uverbs_file *file)
{
}

int bench_init(struct kunit *test)
{
	struct bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);
	int ret;

	if (!bench)
		return -ENOMEM;
	ret = init_srcu_struct(&bench->dev.srcu);
	if (ret)
		return ret;
	atomic_set(&bench_charged, 0);
	bench->dev.types_ok = BIT_ULL(UVERBS_OBJECT_PD) |
			      BIT_ULL(UVERBS_OBJECT_MR);
	rcu_assign_pointer(bench->dev.ib_dev, &bench->ib_dev);
	bench->context.device = &bench->ib_dev;
	bench->file.base.device = &bench->dev;
	bench->file.base.ucontext = &bench->context;
	kref_init(&bench->file.base.ref);
	uv_handles_init(&bench->file.base);
	test->priv = bench;
	return 0;
}

void bench_exit(struct kunit *test)
{
	struct bench *bench = test->priv;

	if (!bench)
		return;
	uv_handles_release(&bench->file.base);
	/* Objects are freed by RCU. */
	rcu_barrier();
	cleanup_srcu_struct(&bench->dev.srcu);
}

void bench_teardown(struct bench *bench, enum rdma_remove_reason why)
{
	down_write(&bench->file.base.hw_destroy_rwsem);
	uv_handles_destroy_hw(&bench->file.base, why);
	up_write(&bench->file.base.hw_destroy_rwsem);
}

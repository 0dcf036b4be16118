/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An open of a uverbs device. Since 7.0 <rdma/uverbs_types.h> declares it: drivers walk over the
 * objects of a file that ends. Before, it is the core's own, with the members under the same names.
 * Drop when 7.x is the oldest kernel.
 */
#ifndef OFED_COMPAT_UVERBS_FILE_H
#define OFED_COMPAT_UVERBS_FILE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <rdma/uverbs_types.h>

#ifndef COMPAT_HAVE_UVERBS_FILE
struct ib_ucontext;
struct ib_uverbs_async_event_file;
struct ib_uverbs_device;
struct page;

struct ib_uverbs_file {
	struct kref ref;
	struct ib_uverbs_device *device;
	struct ib_ucontext *ucontext;
	struct list_head list;
	struct mutex ucontext_lock;
	struct rw_semaphore hw_destroy_rwsem;
	spinlock_t uobjects_lock;
	struct list_head uobjects;
	struct xarray idr;
	struct mutex umap_lock;
	struct list_head umaps;
	struct page *disassociate_page;
};
#endif

#endif /* OFED_COMPAT_UVERBS_FILE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of the verbs objects of each device, for 'rdma resource'.
 *
 * An entry is embedded in its object. From ofed_restrack_add() until
 * ofed_restrack_begin_del() a lookup may find it and take a reference; the
 * reference keeps the object from being destroyed, so holders are brief. The
 * one initial reference belongs to the object's owner.
 *
 * @valid of an entry is written by the owner alone, in add and in commit_del;
 * between begin_del and commit_del its id stays reserved in the table, so that
 * abort_del can not fail.
 */
#include <linux/export.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <kunit/visibility.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>
#include <compat/restrack.h>
#include <ofed/restrack.h>

#include "counters.h"

/**
 * struct rdma_restrack_root - the objects of one kind
 * @entries: by id; its lock is what makes "find and take a reference" atomic
 * @next_id: where the search for a free id goes on
 */
struct rdma_restrack_root {
	struct xarray entries;
	u32 next_id;
};

static const char * const type_names[RDMA_RESTRACK_MAX] = {
	[RDMA_RESTRACK_CTX]	= "context",
	[RDMA_RESTRACK_PD]	= "PD",
	[RDMA_RESTRACK_MR]	= "MR",
	[RDMA_RESTRACK_CQ]	= "CQ",
	[RDMA_RESTRACK_SRQ]	= "SRQ",
	[RDMA_RESTRACK_QP]	= "QP",
	[RDMA_RESTRACK_COUNTER]	= "counter",
	[RDMA_RESTRACK_CM_ID]	= "CM id",
	COMPAT_RESTRACK_NAMES
};

int ofed_restrack_init(struct ib_device *device)
{
	struct rdma_restrack_root *roots;
	int type;

	roots = kcalloc(RDMA_RESTRACK_MAX, sizeof(*roots), GFP_KERNEL);
	if (!roots)
		return -ENOMEM;
	for (type = 0; type < RDMA_RESTRACK_MAX; type++)
		xa_init_flags(&roots[type].entries,
			      XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	device->res = roots;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_restrack_init);

static void restrack_report_leaks(struct ib_device *device, enum rdma_restrack_type type)
{
	struct rdma_restrack_entry *res;
	unsigned long id;

	xa_for_each(&device->res[type].entries, id, res)
		dev_err(&device->dev, "%s %lu of %s is left over\n",
			type_names[type], id,
			rdma_is_kernel_res(res) ? res->kern_name :
						  res->task->comm);
}

void ofed_restrack_exit(struct ib_device *device)
{
	int type;

	for (type = 0; type < RDMA_RESTRACK_MAX; type++) {
		restrack_report_leaks(device, type);
		xa_destroy(&device->res[type].entries);
	}
	kfree(device->res);
	device->res = NULL;
}
EXPORT_SYMBOL_IF_KUNIT(ofed_restrack_exit);

/* NULL for an object that has no device yet, which is not tracked. */
static struct ib_device *restrack_device_of(const struct rdma_restrack_entry *res)
{
	switch (res->type) {
	case RDMA_RESTRACK_CTX:
		return container_of(res, struct ib_ucontext, res)->device;
	case RDMA_RESTRACK_PD:
		return container_of(res, struct ib_pd, res)->device;
	case RDMA_RESTRACK_MR:
		return container_of(res, struct ib_mr, res)->device;
	case RDMA_RESTRACK_CQ:
		return container_of(res, struct ib_cq, res)->device;
	case RDMA_RESTRACK_SRQ:
		return container_of(res, struct ib_srq, res)->device;
	case RDMA_RESTRACK_QP:
		return container_of(res, struct ib_qp, res)->device;
	case RDMA_RESTRACK_COUNTER:
		return container_of(res, struct rdma_counter, res)->device;
	case RDMA_RESTRACK_CM_ID:
		return container_of(res, struct ofed_tracked, entry)->device;
	default:
		return compat_restrack_device(res);
	}
}

static struct xarray *restrack_table_of(const struct rdma_restrack_entry *res)
{
	return &restrack_device_of(res)->res[res->type].entries;
}

static void restrack_drop_task(struct rdma_restrack_entry *res)
{
	if (res->task)
		put_task_struct(res->task);
	res->task = NULL;
}

static void restrack_set_task(struct rdma_restrack_entry *res, struct task_struct *task)
{
	get_task_struct(task);
	restrack_drop_task(res);
	res->task = task;
	res->user = true;
}

/**
 * ofed_restrack_new - prepare the entry of a new object
 * @res: entry in zeroed memory; no_track may have been set by the driver
 * @type: kind of the object
 *
 * Context: any.
 */
void ofed_restrack_new(struct rdma_restrack_entry *res,
		       enum rdma_restrack_type type)
{
	kref_init(&res->kref);
	init_completion(&res->comp);
	res->type = type;
}
EXPORT_SYMBOL_GPL(ofed_restrack_new);

/**
 * ofed_restrack_set_name - set the owner of an object
 * @res: entry, not yet added
 * @caller: name of the kernel module that owns it, for as long as the object
 *	    lives; NULL when it is the current task
 *
 * Context: process.
 */
void ofed_restrack_set_name(struct rdma_restrack_entry *res, const char *caller)
{
	if (caller)
		res->kern_name = caller;
	else
		restrack_set_task(res, current);
}
EXPORT_SYMBOL_GPL(ofed_restrack_set_name);

/**
 * ofed_restrack_parent_name - give an object the owner of another one
 * @child: entry, not yet added
 * @parent: entry of an object that lives
 *
 * Context: any.
 */
void ofed_restrack_parent_name(struct rdma_restrack_entry *child,
			       const struct rdma_restrack_entry *parent)
{
	if (rdma_is_kernel_res(parent))
		child->kern_name = parent->kern_name;
	else if (parent->task)
		restrack_set_task(child, parent->task);
}
EXPORT_SYMBOL_GPL(ofed_restrack_parent_name);

/*
 * A QP's id is its number. QP 0 and QP 1 exist once per port: their port goes
 * into the byte above the 24 bits of the number. The handles that open an XRC
 * target QP share the number of the real one, which alone is tracked.
 */
static int restrack_insert_qp(struct xarray *table, struct rdma_restrack_entry *res)
{
	struct ib_qp *qp = container_of(res, struct ib_qp, res);
	int ret;

	res->id = qp->qp_num;
	if (qp->qp_type == IB_QPT_SMI || qp->qp_type == IB_QPT_GSI)
		res->id |= qp->port << 24;
	ret = xa_insert(table, res->id, res, GFP_KERNEL);
	if (!ret && qp->qp_type >= IB_QPT_DRIVER)
		xa_set_mark(table, res->id, RESTRACK_DD);
	return ret;
}

static int restrack_insert(struct rdma_restrack_root *root,
			   struct rdma_restrack_entry *res)
{
	int ret;

	switch (res->type) {
	case RDMA_RESTRACK_QP:
		return restrack_insert_qp(&root->entries, res);
	case RDMA_RESTRACK_COUNTER:
		res->id = container_of(res, struct rdma_counter, res)->id;
		return xa_insert(&root->entries, res->id, res, GFP_KERNEL);
	default:
		ret = xa_alloc_cyclic(&root->entries, &res->id, res,
				      xa_limit_32b, &root->next_id, GFP_KERNEL);
		return min(ret, 0);
	}
}

/**
 * ofed_restrack_add - put an object into its device's table
 * @res: entry of an object that is complete
 *
 * An object that can not be entered, for lack of memory, works all the same;
 * it is not seen. Context: process, may sleep.
 */
void ofed_restrack_add(struct rdma_restrack_entry *res)
{
	struct ib_device *device = restrack_device_of(res);

	might_sleep();
	if (!device)
		return;
	if (rdma_restrack_is_tracked(res) &&
	    restrack_insert(&device->res[res->type], res)) {
		res->id = 0;
		return;
	}
	res->valid = true;
}
EXPORT_SYMBOL_GPL(ofed_restrack_add);

/**
 * ofed_restrack_begin_del - hide an object from look-ups
 * @res: entry of an object that is about to be destroyed
 *
 * Returns when the last reference is put. Exactly one of
 * ofed_restrack_commit_del() and ofed_restrack_abort_del() follows. Context:
 * process, may sleep.
 */
void ofed_restrack_begin_del(struct rdma_restrack_entry *res)
{
	void *old;

	might_sleep();
	if (!res->valid)
		return;
	if (rdma_restrack_is_tracked(res)) {
		old = xa_cmpxchg(restrack_table_of(res), res->id, res, XA_ZERO_ENTRY,
				 GFP_KERNEL);
		WARN_ON(old != res);
	}
	rdma_restrack_put(res);
	wait_for_completion(&res->comp);
}
EXPORT_SYMBOL_GPL(ofed_restrack_begin_del);

/**
 * ofed_restrack_abort_del - an object lives on, its destruction has failed
 * @res: entry after ofed_restrack_begin_del()
 *
 * Context: process, may sleep.
 */
void ofed_restrack_abort_del(struct rdma_restrack_entry *res)
{
	void *old;

	if (!res->valid)
		return;
	kref_init(&res->kref);
	reinit_completion(&res->comp);
	if (rdma_restrack_is_tracked(res)) {
		/* The slot is there, so nothing is allocated. */
		old = xa_store(restrack_table_of(res), res->id, res, GFP_KERNEL);
		WARN_ON(old);
	}
}
EXPORT_SYMBOL_GPL(ofed_restrack_abort_del);

/**
 * ofed_restrack_commit_del - an object is gone
 * @res: entry after ofed_restrack_begin_del(), or one that was never added
 *
 * The device must still be reachable from the object. Context: any but
 * interrupts.
 */
void ofed_restrack_commit_del(struct rdma_restrack_entry *res)
{
	if (res->valid && rdma_restrack_is_tracked(res))
		xa_erase(restrack_table_of(res), res->id);
	res->valid = false;
	restrack_drop_task(res);
}
EXPORT_SYMBOL_GPL(ofed_restrack_commit_del);

/**
 * ofed_restrack_del - take an object out of its device's table
 * @res: entry, added or not
 *
 * Returns when the last reference is put. Context: process, may sleep.
 */
void ofed_restrack_del(struct rdma_restrack_entry *res)
{
	ofed_restrack_begin_del(res);
	ofed_restrack_commit_del(res);
}
EXPORT_SYMBOL_GPL(ofed_restrack_del);

/**
 * rdma_restrack_get - keep an object from being destroyed
 * @res: entry that the caller knows to be there
 *
 * Context: any. Return: 1, or 0 when its destruction has begun.
 */
int rdma_restrack_get(struct rdma_restrack_entry *res)
{
	return kref_get_unless_zero(&res->kref);
}
OFED_EXPORT(rdma_restrack_get);

/**
 * rdma_restrack_get_byid - find an object by its id
 * @dev: device
 * @type: kind of the object
 * @id: id shown to administrators; for a QP its number
 *
 * Context: any but interrupts.
 * Return: the entry with a reference, or ERR_PTR(-ENOENT).
 */
struct rdma_restrack_entry *
rdma_restrack_get_byid(struct ib_device *dev, enum rdma_restrack_type type,
		       u32 id)
{
	struct xarray *table = &dev->res[type].entries;
	struct rdma_restrack_entry *found;

	xa_lock(table);
	found = xa_load(table, id);
	if (found && !rdma_restrack_get(found))
		found = NULL;
	xa_unlock(table);
	return found ?: ERR_PTR(-ENOENT);
}
OFED_EXPORT(rdma_restrack_get_byid);

/**
 * ofed_restrack_get_from - walk the objects of one kind
 * @device: device
 * @type: kind of the objects
 * @id: where to begin; out: id of the object found
 *
 * Context: any but interrupts. Return: the first entry at or after @id, with a
 * reference, or NULL.
 */
struct rdma_restrack_entry *
ofed_restrack_get_from(struct ib_device *device, enum rdma_restrack_type type,
		       u32 *id)
{
	struct xarray *table = &device->res[type].entries;
	struct rdma_restrack_entry *entry;
	unsigned long index = *id;

	xa_lock(table);
	xa_for_each_start(table, index, entry, index)
		if (rdma_restrack_get(entry))
			break;
	xa_unlock(table);
	*id = index;
	return entry;
}

/* A QP of a type of the driver's own: listed when details are asked for. */
bool ofed_restrack_is_detail(struct rdma_restrack_entry *res)
{
	return xa_get_mark(restrack_table_of(res), res->id, RESTRACK_DD);
}

static void restrack_last_put(struct kref *kref)
{
	struct rdma_restrack_entry *res =
		container_of(kref, struct rdma_restrack_entry, kref);

	/* begin_del keeps the task, for abort_del. */
	if (!res->valid)
		restrack_drop_task(res);
	complete(&res->comp);
}

/**
 * rdma_restrack_put - put a reference of rdma_restrack_get() or _get_byid()
 * @res: entry; the object may be gone when this returns
 *
 * Context: any. Return: 1 if it was the last reference.
 */
int rdma_restrack_put(struct rdma_restrack_entry *res)
{
	return kref_put(&res->kref, restrack_last_put);
}
OFED_EXPORT(rdma_restrack_put);

/**
 * rdma_restrack_count - count the objects of one kind
 * @dev: device
 * @type: kind of the objects
 * @show_details: count those with a driver's own QP type too
 *
 * A reader with access to the device may count all of its objects: they belong
 * to files, which may have been passed to other PID namespaces. Context: any
 * but interrupts. Return: the count.
 */
compat_restrack_num rdma_restrack_count(struct ib_device *dev, enum rdma_restrack_type type,
			bool show_details)
{
	struct xarray *table = &dev->res[type].entries;
	struct rdma_restrack_entry *res;
	unsigned long id;
	int count = 0;

	rcu_read_lock();
	xa_for_each(table, id, res)
		if (show_details || !xa_get_mark(table, id, RESTRACK_DD))
			count++;
	rcu_read_unlock();
	return count;
}
OFED_EXPORT(rdma_restrack_count);

// SPDX-License-Identifier: GPL-2.0
/*
 * Work queues that stand alone, and the tables that spread packets over them.
 * All functions run in process context and may sleep.
 */
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <ofed/verbs.h>
#include <rdma/ib_verbs.h>

static struct ib_wq *wq_create(struct ib_pd *pd, struct ib_wq_init_attr *attr,
			       struct ib_uwq_object *uobject,
			       struct ib_udata *udata)
{
	struct ib_wq *wq;

	if (!pd->device->ops.create_wq)
		return ERR_PTR(ofed_refuse_op(pd->device, "create_wq"));
	wq = pd->device->ops.create_wq(pd, attr, udata);
	if (IS_ERR(wq))
		return wq;

	atomic_inc(&pd->usecnt);
	wq->pd = pd;
	atomic_inc(&attr->cq->usecnt);
	wq->cq = attr->cq;
	wq->device = pd->device;
	wq->uobject = uobject;
	wq->wq_type = attr->wq_type;
	wq->event_handler = attr->event_handler;
	wq->wq_context = attr->wq_context;
	atomic_set(&wq->usecnt, 0);
	return wq;
}

/**
 * ib_create_wq - create a work queue for a kernel consumer
 * @pd: protection domain; busy until the WQ is destroyed
 * @init_attr: size, CQ (busy as well), event handler
 *
 * Context: process, may sleep.
 * Return: the WQ, or -EOPNOTSUPP (driver has none), or the driver's errno.
 */
struct ib_wq *ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init_attr)
{
	return wq_create(pd, init_attr, NULL, NULL);
}
OFED_EXPORT(ib_create_wq);

/**
 * ofed_create_user_wq - create a work queue for a user
 * @pd: protection domain
 * @attr: size, CQ, event handler
 * @uobject: of the WQ
 * @udata: the driver's data
 *
 * Return: as ib_create_wq().
 */
struct ib_wq *ofed_create_user_wq(struct ib_pd *pd,
				  struct ib_wq_init_attr *attr,
				  struct ib_uwq_object *uobject,
				  struct ib_udata *udata)
{
	return wq_create(pd, attr, uobject, udata);
}
EXPORT_SYMBOL_GPL(ofed_create_user_wq);

/**
 * ofed_modify_wq - change state or flags of a work queue
 * @wq: the WQ
 * @attr: new values; the driver keeps wq->state
 * @mask: which of them
 * @udata: the driver's data, or NULL
 *
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ofed_modify_wq(struct ib_wq *wq, struct ib_wq_attr *attr, u32 mask,
		   struct ib_udata *udata)
{
	if (!wq->device->ops.modify_wq)
		return ofed_refuse_op(wq->device, "modify_wq");
	return wq->device->ops.modify_wq(wq, attr, mask, udata);
}
EXPORT_SYMBOL_GPL(ofed_modify_wq);

/**
 * ib_destroy_wq_user - destroy a work queue
 * @wq: the WQ; freed by the driver on success
 * @udata: of a user, or NULL
 *
 * Context: process, may sleep.
 * Return: 0, -EBUSY (in a table), or the driver's errno: then it lives on.
 */
int ib_destroy_wq_user(struct ib_wq *wq, struct ib_udata *udata)
{
	struct ib_pd *pd = wq->pd;
	struct ib_cq *cq = wq->cq;
	int ret;

	if (atomic_read(&wq->usecnt))
		return ofed_refuse_busy(wq->device, "WQ", &wq->usecnt);
	ret = wq->device->ops.destroy_wq(wq, udata);
	if (ret)
		return ret;

	atomic_dec(&cq->usecnt);
	atomic_dec(&pd->usecnt);
	return 0;
}
OFED_EXPORT(ib_destroy_wq_user);

static void wq_rwq_table_count(struct ib_rwq_ind_table *table, int by)
{
	u32 i, n = 1U << table->log_ind_tbl_size;

	for (i = 0; i < n; i++)
		atomic_add(by, &table->ind_tbl[i]->usecnt);
}

/**
 * ofed_create_rwq_ind_table - create a receive work queue indirection table
 * @device: device of the WQs
 * @attr: 1 << log_ind_tbl_size WQs, which are busy as long as the table lives;
 *	  the array stays the caller's, the table keeps a copy
 * @uobject: of the table
 * @udata: the driver's data
 *
 * Return: the table, or -EOPNOTSUPP (driver has none), -EINVAL (size), -ENOMEM,
 * or the driver's errno.
 */
struct ib_rwq_ind_table *
ofed_create_rwq_ind_table(struct ib_device *device,
			  struct ib_rwq_ind_table_init_attr *attr,
			  struct ib_uobject *uobject, struct ib_udata *udata)
{
	struct ib_rwq_ind_table *table;
	int ret;

	if (!device->ops.create_rwq_ind_table)
		return ERR_PTR(ofed_refuse_op(device, "create_rwq_ind_table"));
	if (attr->log_ind_tbl_size > IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE)
		return ofed_refuse(device, ERR_PTR(-EINVAL),
				   "log_ind_tbl_size: %u, at most %u",
				   attr->log_ind_tbl_size,
				   IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE);
	table = rdma_zalloc_drv_obj_gfp(device, ib_rwq_ind_table,
					GFP_KERNEL_ACCOUNT);
	if (!table)
		return ERR_PTR(-ENOMEM);

	ret = -ENOMEM;
	table->ind_tbl = kmemdup(attr->ind_tbl,
				 sizeof(*attr->ind_tbl)
				 << attr->log_ind_tbl_size, GFP_KERNEL_ACCOUNT);
	if (!table->ind_tbl)
		goto err_free_table;
	table->log_ind_tbl_size = attr->log_ind_tbl_size;
	table->device = device;
	table->uobject = uobject;

	ret = device->ops.create_rwq_ind_table(table, attr, udata);
	if (ret)
		goto err_free_array;
	wq_rwq_table_count(table, 1);
	return table;

err_free_array:
	kfree(table->ind_tbl);
err_free_table:
	kfree(table);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(ofed_create_rwq_ind_table);

/**
 * ofed_destroy_rwq_ind_table - destroy an indirection table
 * @table: the table; freed on success
 *
 * Return: 0, -EBUSY (a QP uses it), or the driver's errno: then it lives on.
 */
int ofed_destroy_rwq_ind_table(struct ib_rwq_ind_table *table)
{
	int ret;

	if (atomic_read(&table->usecnt))
		return ofed_refuse_busy(table->device, "WQ table",
					&table->usecnt);
	ret = table->device->ops.destroy_rwq_ind_table(table);
	if (ret)
		return ret;

	wq_rwq_table_count(table, -1);
	kfree(table->ind_tbl);
	kfree(table);
	return 0;
}
EXPORT_SYMBOL_GPL(ofed_destroy_rwq_ind_table);

/**
 * ofed_forget_rwq_ind_table - free a table that its driver never destroyed
 * @table: the table; its device is gone
 */
void ofed_forget_rwq_ind_table(struct ib_rwq_ind_table *table)
{
	kfree(table->ind_tbl);
	kfree(table);
}
EXPORT_SYMBOL_GPL(ofed_forget_rwq_ind_table);

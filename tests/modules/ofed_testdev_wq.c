// SPDX-License-Identifier: GPL-2.0
/* Receive work queues and the tables that spread packets over them. */
#include <linux/module.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

struct td_rwq_ind_table {
	struct ib_rwq_ind_table ib;
};

static struct td_wq *to_td_wq(struct ib_wq *ibwq)
{
	return container_of(ibwq, struct td_wq, ib);
}

static struct ib_wq *td_create_wq(struct ib_pd *pd,
				  struct ib_wq_init_attr *init,
				  struct ib_udata *udata)
{
	struct testdev *td = to_td(pd->device);
	int ret = td_fault(pd->device, create_wq);
	struct td_wq *wq;

	if (ret)
		return ERR_PTR(ret);
	if (init->wq_type != IB_WQT_RQ || init->create_flags)
		return ERR_PTR(-EOPNOTSUPP);
	if (!init->max_wr || init->max_wr > TD_MAX_WR ||
	    init->max_sge > TD_MAX_SGE)
		return ERR_PTR(-EINVAL);
	ret = td_get(td, TD_wq);
	if (ret)
		return ERR_PTR(ret);
	ret = -ENOMEM;
	wq = kzalloc(sizeof(*wq), GFP_KERNEL);
	if (!wq)
		goto err_put;
	wq->ib.state = IB_WQS_RESET;
	ret = xa_alloc_cyclic(&td->wqs, &wq->wqn, wq, XA_LIMIT(1, 0xffffff),
			      &td->next_wqn, GFP_KERNEL);
	if (ret < 0)
		goto err_free;
	wq->ib.wq_num = wq->wqn;
	return &wq->ib;

err_free:
	kfree(wq);
err_put:
	td_put(td, TD_wq);
	return ERR_PTR(ret);
}

/* Reset is left for ready, ready for error, and everything for reset. */
static bool td_wq_move_ok(enum ib_wq_state from, enum ib_wq_state to)
{
	switch (to) {
	case IB_WQS_RESET:
		return true;
	case IB_WQS_RDY:
		return from == IB_WQS_RESET || from == IB_WQS_RDY;
	case IB_WQS_ERR:
		return from == IB_WQS_RDY || from == IB_WQS_ERR;
	default:
		return false;
	}
}

static int td_modify_wq(struct ib_wq *ibwq, struct ib_wq_attr *attr, u32 mask,
			struct ib_udata *udata)
{
	int ret = td_fault(ibwq->device, modify_wq);

	if (ret)
		return ret;
	if (mask & IB_WQ_FLAGS)
		return -EOPNOTSUPP;
	if (mask & IB_WQ_CUR_STATE && attr->curr_wq_state != ibwq->state)
		return -EINVAL;
	if (mask & IB_WQ_STATE) {
		if (!td_wq_move_ok(ibwq->state, attr->wq_state))
			return -EINVAL;
		ibwq->state = attr->wq_state;
	}
	return 0;
}

static int td_destroy_wq(struct ib_wq *ibwq, struct ib_udata *udata)
{
	struct testdev *td = to_td(ibwq->device);
	struct td_wq *wq = to_td_wq(ibwq);
	int ret = td_fault(ibwq->device, destroy_wq);

	if (ret)
		return ret;
	mutex_lock(&td->hook_lock);
	xa_erase(&td->wqs, wq->wqn);
	mutex_unlock(&td->hook_lock);
	kfree(wq);
	td_put(td, TD_wq);
	return 0;
}

static int td_create_rwq_ind_table(struct ib_rwq_ind_table *table,
				   struct ib_rwq_ind_table_init_attr *init,
				   struct ib_udata *udata)
{
	struct testdev *td = to_td(table->device);
	int ret = td_fault(table->device, create_rwq_ind_table);

	if (ret)
		return ret;
	if (init->log_ind_tbl_size > 7)
		return -EINVAL;
	ret = td_get(td, TD_rwq_ind_table);
	if (ret)
		return ret;
	table->ind_tbl_num = 1;
	return 0;
}

static int td_destroy_rwq_ind_table(struct ib_rwq_ind_table *table)
{
	int ret = td_fault(table->device, destroy_rwq_ind_table);

	if (ret)
		return ret;
	td_put(to_td(table->device), TD_rwq_ind_table);
	return 0;
}

const struct ib_device_ops td_wq_ops = {
	.create_wq = td_create_wq,
	.modify_wq = td_modify_wq,
	.destroy_wq = td_destroy_wq,
	.create_rwq_ind_table = td_create_rwq_ind_table,
	.destroy_rwq_ind_table = td_destroy_rwq_ind_table,
	INIT_RDMA_OBJ_SIZE(ib_rwq_ind_table, td_rwq_ind_table, ib),
};

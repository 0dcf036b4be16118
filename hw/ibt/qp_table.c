// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs by number. QP0 and QP1 are UD queue pairs that each port has of its own.
 *
 * ibt_port.special is changed with the lock of ibt_dev.qps held, which orders it
 * against the other numbers.
 */
#include "dev.h"
#include "objref.h"
#include "limits.h"
#include "link.h"
#include "pkt.h"
#include "port.h"
#include "qp.h"
#include "qp_table.h"

bool ibt_qp_get(struct ibt_qp *qp)
{
	return ibt_ref_get(qp->life);
}

void ibt_qp_put(struct ibt_qp *qp)
{
	ibt_ref_put(qp->life);
}

struct ibt_qp *ibt_qp_find(struct ibt_dev *dev, u32 qpn)
{
	return ibt_ref_lookup(&dev->qps, qpn);
}

struct ibt_qp *ibt_special_find(struct ibt_port *port, u32 qpn)
{
	struct ibt_qp *qp = NULL;
	struct ibt_ref *life;

	rcu_read_lock();
	life = rcu_dereference(port->special[qpn]);
	if (life && ibt_ref_get(life))
		qp = life->of;
	rcu_read_unlock();
	return qp;
}

static int ibt_special_attach(struct ibt_qp *qp, u32 port_num)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);
	struct ibt_port *port = ibt_dev_port(dev, port_num);
	u32 qpn = qp->ib.qp_type == IB_QPT_GSI;
	int ret = -EBUSY;

	if (!port)
		return -EINVAL;
	qp->ib.qp_num = qpn;
	qp->attr.port_num = port_num;
	xa_lock(&dev->qps);
	if (!rcu_access_pointer(port->special[qpn])) {
		rcu_assign_pointer(port->special[qpn], qp->life);
		ret = 0;
	}
	xa_unlock(&dev->qps);
	return ret;
}

static void ibt_special_detach(struct ibt_qp *qp)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);
	struct ibt_port *port = ibt_dev_port(dev, qp->attr.port_num);

	xa_lock(&dev->qps);
	RCU_INIT_POINTER(port->special[qp->ib.qp_num], NULL);
	xa_unlock(&dev->qps);
}

int ibt_qp_publish(struct ibt_qp *qp, u32 port_num)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);
	int ret;

	if (ibt_qp_is_special(qp))
		return ibt_special_attach(qp, port_num);
	ret = xa_alloc_cyclic(&dev->qps, &qp->ib.qp_num, qp->life,
			      XA_LIMIT(IBT_MIN_QPN, IBT_QPN_MASK - 1),
			      &dev->next_qpn, GFP_KERNEL_ACCOUNT);
	return ret < 0 ? ret : 0;
}

void ibt_qp_unpublish(struct ibt_qp *qp)
{
	if (ibt_qp_is_special(qp))
		ibt_special_detach(qp);
	else
		xa_erase(&ibt_qp_dev(qp)->qps, qp->ib.qp_num);
}

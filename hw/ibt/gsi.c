// SPDX-License-Identifier: GPL-2.0
/*
 * QP0 and QP1 of a port, and P_Keys. Both are UD queue pairs with a fixed number.
 * Packets of QP1 may carry any P_Key of the table (IBA 10.9.4): the consumer learns
 * which by its index, and names one in each work request. Those of QP0 belong to
 * no partition, and nobody looks at their keys.
 *
 * ibt_port.special is changed with the lock of ibt_dev.qps held, which orders it
 * against the other numbers.
 */
#include "ibt.h"

#define IBT_PKEY_BASE	0x7fff
#define IBT_PKEY_FULL	0x8000

int ibt_special_attach(struct ibt_qp *qp, u32 port_num)
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

void ibt_special_detach(struct ibt_qp *qp)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);
	struct ibt_port *port = ibt_dev_port(dev, qp->attr.port_num);

	xa_lock(&dev->qps);
	RCU_INIT_POINTER(port->special[qp->ib.qp_num], NULL);
	xa_unlock(&dev->qps);
}

struct ibt_qp *ibt_special_find(struct ibt_port *port, u32 qpn)
{
	struct ibt_qp *qp = NULL;
	struct ibt_life *life;

	rcu_read_lock();
	life = rcu_dereference(port->special[qpn]);
	if (life && ibt_life_get(life))
		qp = life->of;
	rcu_read_unlock();
	return qp;
}

/* Same partition, and at least one of the two is a full member of it. */
static bool ibt_pkey_match(u16 a, u16 b)
{
	return (a & IBT_PKEY_BASE) == (b & IBT_PKEY_BASE) &&
	       (a & IBT_PKEY_BASE) && ((a | b) & IBT_PKEY_FULL);
}

bool ibt_pkey_ok(const struct ibt_port *port, u16 index, u16 pkey)
{
	return index < port->num_pkeys &&
	       ibt_pkey_match(READ_ONCE(port->pkeys[index]), pkey);
}

int ibt_pkey_find(const struct ibt_port *port, u16 pkey)
{
	u16 i;

	for (i = 0; i < port->num_pkeys; i++)
		if (ibt_pkey_match(READ_ONCE(port->pkeys[i]), pkey))
			return i;
	return -1;
}

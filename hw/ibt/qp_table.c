// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs by number. QP0 and QP1 are UD queue pairs that each port has of its own.
 *
 * Most packets are for a queue pair that a packet was for a moment ago, so each processor keeps
 * the struct ibt_ref of some (struct ibt_recent). It has no reference: only RCU readers use it. It
 * is written by holders of a reference alone, so once the last reference is dropped no
 * processor gets it any more, and ibt_qp_forget_recent() takes it from those that have it. The
 * number in it is gone before, with the entry of the table: no reader finds a queue pair that
 * ends.
 *
 * ibt_port.special is changed with the lock of ibt_dev.qps held, which orders it
 * against the other numbers.
 */
#include <kunit/visibility.h>

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
EXPORT_SYMBOL_IF_KUNIT(ibt_qp_get);

void ibt_qp_put(struct ibt_qp *qp)
{
	ibt_ref_put(qp->life);
}
EXPORT_SYMBOL_IF_KUNIT(ibt_qp_put);

static struct ibt_ref __rcu **ibt_recent_of(struct ibt_recent *recent, u32 qpn)
{
	return &recent->of[qpn % IBT_RECENT];
}

static noinline struct ibt_qp *ibt_qp_look_up(struct ibt_dev *dev, u32 qpn)
{
	struct ibt_qp *qp = ibt_ref_lookup(&dev->qps, qpn);

	if (qp)
		rcu_assign_pointer(*ibt_recent_of(raw_cpu_ptr(dev->recent), qpn), qp->life);
	return qp;
}

/**
 * ibt_qp_find - find a queue pair
 * @dev: device
 * @qpn: its number, not that of QP0 or QP1
 *
 * Context: any; RCU reader.
 *
 * Return: the queue pair, with a reference, or NULL.
 */
struct ibt_qp *ibt_qp_find(struct ibt_dev *dev, u32 qpn)
{
	struct ibt_ref *life = rcu_dereference(*ibt_recent_of(raw_cpu_ptr(dev->recent), qpn));

	if (likely(life && READ_ONCE(life->number) == qpn && ibt_ref_get(life)))
		return life->of;
	return ibt_qp_look_up(dev, qpn);
}
EXPORT_SYMBOL_IF_KUNIT(ibt_qp_find);

/**
 * ibt_qp_forget_recent - the end of what processors keep of a queue pair
 * @qp: queue pair that is not published any more, and has no references
 *
 * Context: process. Its struct ibt_ref has to stay until a grace period is over.
 */
void ibt_qp_forget_recent(struct ibt_qp *qp)
{
	struct ibt_dev *dev = ibt_qp_dev(qp);
	int cpu;

	for_each_possible_cpu(cpu)
		cmpxchg(ibt_recent_of(per_cpu_ptr(dev->recent, cpu), qp->ib.qp_num),
			RCU_INITIALIZER(qp->life), NULL);
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
	if (ret < 0)
		return ret;
	WRITE_ONCE(qp->life->number, qp->ib.qp_num);
	return 0;
}

void ibt_qp_unpublish(struct ibt_qp *qp)
{
	WRITE_ONCE(qp->life->number, IBT_NO_NUMBER);
	if (ibt_qp_is_special(qp))
		ibt_special_detach(qp);
	else
		xa_erase(&ibt_qp_dev(qp)->qps, qp->ib.qp_num);
}
EXPORT_SYMBOL_IF_KUNIT(ibt_qp_unpublish);

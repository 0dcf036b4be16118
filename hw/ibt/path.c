// SPDX-License-Identifier: GPL-2.0
/* The path of a queue pair: references, resolution, migration (IBA 17.2.8). */
#include <linux/export.h>

#include "dev.h"
#include "link.h"
#include "path.h"
#include "port.h"
#include "qp.h"
#include "qp_event.h"
#include "trace.h"

/**
 * ibt_path_put - drop a reference on a path
 * @path: the path, or NULL
 *
 * Drops the last reference by the link's path_free.
 *
 * Context: any.
 */
void ibt_path_put(struct ibt_path *path)
{
	if (path && refcount_dec_and_test(&path->refs))
		path->port->dev->link->path_free(path);
}
EXPORT_SYMBOL_GPL(ibt_path_put);

struct ibt_path *ibt_path_resolve(struct ibt_dev *dev,
				  const struct rdma_ah_attr *av, gfp_t gfp)
{
	struct ibt_port *port = ibt_dev_port(dev, rdma_ah_get_port_num(av));
	struct ibt_path *path;

	path = dev->link->path_resolve(port, av, gfp);
	if (!IS_ERR(path))
		path->connected = true;
	return path;
}

u32 ibt_qp_flow(const struct ibt_qp *qp)
{
	u32 peer = qp->attr.dest_qp_num ?: qp->ib.qp_num;

	return qp->attr.ah_attr.grh.flow_label ?:
	       rdma_calc_flow_label(qp->ib.qp_num, peer);
}

static bool ibt_path_fresh(const struct ibt_path *path, int gen)
{
	const struct ibt_port *port = path->port;

	return gen == atomic_read(&port->generation) &&
	       port->dev->link->path_valid(path);
}

/* Copies the address of @old, with references. False: @old was replaced. */
static bool ibt_qp_copy_av(struct ibt_qp *qp, const struct ibt_path *old,
			   struct rdma_ah_attr *av)
{
	unsigned long flags;
	bool used;

	spin_lock_irqsave(&qp->path_lock, flags);
	used = qp->path == old;
	if (used)
		rdma_copy_ah_attr(av, &qp->attr.ah_attr);
	spin_unlock_irqrestore(&qp->path_lock, flags);
	return used;
}

/*
 * Replaces @old, which is stale, by a new path, unless another thread has done so. If the
 * address can not be reached @old stays, and the next packet tries again.
 */
static bool ibt_qp_renew_path(struct ibt_qp *qp, struct ibt_path *old)
{
	struct rdma_ah_attr av = {};
	struct ibt_path *path;
	unsigned long flags;
	int gen;

	if (!ibt_qp_copy_av(qp, old, &av))
		return true;
	gen = atomic_read_acquire(&old->port->generation);
	path = ibt_path_resolve(ibt_qp_dev(qp), &av, GFP_ATOMIC);
	rdma_destroy_ah_attr(&av);
	if (IS_ERR(path))
		return false;

	spin_lock_irqsave(&qp->path_lock, flags);
	if (qp->path == old) {
		swap(qp->path, path);
		qp->path_gen = gen;
	}
	spin_unlock_irqrestore(&qp->path_lock, flags);
	ibt_path_put(path);
	return true;
}

struct ibt_path *ibt_qp_path(struct ibt_qp *qp)
{
	struct ibt_path *path;
	unsigned long flags;
	int gen, tries;
	bool again;

	/* Never returns a stale path: its port may be freed. */
	for (tries = 3; tries; tries--) {
		spin_lock_irqsave(&qp->path_lock, flags);
		path = qp->path ? ibt_path_get(qp->path) : NULL;
		gen = qp->path_gen;
		spin_unlock_irqrestore(&qp->path_lock, flags);
		if (!path || likely(ibt_path_fresh(path, gen)))
			return path;
		again = ibt_qp_renew_path(qp, path);
		ibt_path_put(path);
		if (!again)
			break;
	}
	return NULL;
}

bool ibt_qp_migrate(struct ibt_qp *qp)
{
	unsigned long flags;
	bool armed;

	spin_lock_irqsave(&qp->path_lock, flags);
	armed = qp->mig_state == IB_MIG_ARMED && qp->alt;
	if (armed) {
		WRITE_ONCE(qp->mig_state, IB_MIG_MIGRATED);
		WRITE_ONCE(qp->alt_left, true);
		swap(qp->path, qp->alt);
		swap(qp->attr.ah_attr, qp->attr.alt_ah_attr);
		swap(qp->attr.port_num, qp->attr.alt_port_num);
		swap(qp->attr.pkey_index, qp->attr.alt_pkey_index);
		swap(qp->attr.timeout, qp->attr.alt_timeout);
		qp->flow = ibt_qp_flow(qp);
		/* The alternate path may be old: this makes its first user resolve it. */
		qp->path_gen = atomic_read(&qp->path->port->generation) - 1;
		/* Last of all: pairs with ibt_sq_reload_path_timers(). */
		smp_store_release(&qp->migrations, qp->migrations + 1);
		trace_ibt_path_mig(qp);
	}
	spin_unlock_irqrestore(&qp->path_lock, flags);
	if (armed)
		ibt_qp_event(qp, IB_EVENT_PATH_MIG);
	return armed;
}

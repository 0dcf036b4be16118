// SPDX-License-Identifier: GPL-2.0
/* Post_send: requests of kernel consumers go into WQEs, a user's doorbell rings. */
#include "doorbell.h"
#include "pkt.h"
#include "qp.h"
#include "responder.h"
#include "sq.h"

/* A user space consumer has written its WQEs to the ring before. No WR is read. */
static int ibt_ring_user(struct ibt_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->sq.state);
	int ret;

	if (!ibt_state_takes(state))
		return -EINVAL;
	/* Receives that were posted after the error wait to be looked at, too. */
	if (state == IB_QPS_ERR)
		ibt_resp_check_flush(qp);
	ret = ibt_sq_user_wqes(&qp->sq);
	if (ret)
		return ret;
	ibt_doorbell_user(qp);
	soft_bell_called(&qp->page_bell);
	return 0;
}

/**
 * ibt_post_send - post_send of the device
 * @ib: queue pair
 * @wr: requests of a kernel consumer; those of a user space consumer are in its ring, and the
 *	call is its doorbell
 * @bad: the first request that was not taken
 *
 * In the error state requests are taken, and flushed.
 *
 * Context: any. Of a user's queue pair: process.
 *
 * Return: 0; -EINVAL: the state takes no requests, or *@bad is not one that this
 * queue pair can have; -ENOMEM: the queue is full, or (user) no memory.
 */
int ibt_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad)
{
	struct ibt_qp *qp = to_ibt_qp(ib);
	int ret;

	if (ibt_sq_is_user(&qp->sq)) {
		ret = ibt_ring_user(qp);
		if (ret && bad)
			*bad = wr;
		return ret;
	}
	/* A program does not post to the queue of its responder. */
	if (qp->fetches) {
		if (bad)
			*bad = wr;
		return -EINVAL;
	}
	ret = ibt_sq_kernel_post_list(qp, wr, bad);
	ibt_doorbell(qp);
	return ret;
}

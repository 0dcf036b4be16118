// SPDX-License-Identifier: GPL-2.0
/*
 * QP0 and QP1 of a port: bring-up (IBA 10.2.5, 13.5), send queue, receive
 * buffers.
 *
 * What the send queue has no room for waits in a list; nothing that an agent
 * posts is lost. A send that the QP gives back flushed is sent again. When the
 * QP itself has gone to Error, it is taken through Reset: after that, and after
 * the CQ has been emptied, nothing that was posted before can complete, so what
 * is still in the lists can be posted again. A QP that can not be restarted is
 * lost: its sends fail, but for those that the driver has not given back, and
 * the restart is tried again from time to time.
 */
#include <linux/export.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <ofed/restrack.h>
#include <rdma/ib_cache.h>

#include "../verbs/cq_pool.h"
#include "priv.h"

/* A send may be flushed so often before it fails, and the QP is looked at. */
#define MAX_FLUSHES	3
/* Pause before a restart: what broke the QP may be there for a while. */
#define RESTART_DELAY	(HZ / 10)
/* The same, when the last one has failed. */
#define LOST_DELAY	(5 * HZ)
/* Pause before what the driver did not take is posted again. */
#define REPOST_DELAY	(HZ / 2)

int mad_send_queue_size = 128;
int mad_recv_queue_size = 512;
module_param_named(send_queue_size, mad_send_queue_size, int, 0444);
MODULE_PARM_DESC(send_queue_size, "Size of send queue in number of work requests");
module_param_named(recv_queue_size, mad_recv_queue_size, int, 0444);
MODULE_PARM_DESC(recv_queue_size, "Size of receive queue in number of work requests");

static u32 mad_num_sends(const struct ib_device *device)
{
	return clamp_t(u32, device->attrs.max_qp_wr, 1, mad_send_queue_size);
}

static u32 mad_num_receives(const struct ib_device *device)
{
	return clamp_t(u32, device->attrs.max_qp_wr, 1, mad_recv_queue_size);
}

/* Room that a QP needs in the CQ. */
u32 mad_qp_num_cqes(const struct ib_device *device)
{
	return mad_num_sends(device) + mad_num_receives(device);
}

static size_t mad_rx_buf_size(const struct mad_port *port)
{
	return sizeof(struct ib_grh) + port->mad_size;
}

static void mad_broke(struct mad_qp *q)
{
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	if (q->state == MAD_QP_UP) {
		q->state = MAD_QP_BROKEN;
		queue_delayed_work(mad_wq, &q->restart, RESTART_DELAY);
	}
	spin_unlock_irqrestore(&q->lock, flags);
}

/*
 * Nothing happens unless the QP is up: a restart posts all. What the driver does
 * not take now, for want of memory or of room, is tried again later: a QP without
 * receives would be deaf, and nothing would ever wake it.
 */
static void mad_rx_buf_post(struct mad_rx_buf *rx_buf)
{
	struct mad_qp *q = rx_buf->qp;
	struct ib_sge sge = {
		.addr = rx_buf->dma,
		.length = mad_rx_buf_size(q->port),
		.lkey = q->port->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &rx_buf->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	if (q->state == MAD_QP_UP && !rx_buf->posted) {
		rx_buf->posted = !ib_post_recv(q->qp, &wr, NULL);
		if (!rx_buf->posted)
			queue_delayed_work(mad_wq, &q->repost, REPOST_DELAY);
	}
	spin_unlock_irqrestore(&q->lock, flags);
}

static void mad_post_rx_bufs(struct mad_qp *q)
{
	u32 i;

	for (i = 0; i < q->num_rx_bufs; i++)
		mad_rx_buf_post(&q->rx_bufs[i]);
}

static void mad_repost_work(struct work_struct *work)
{
	mad_post_rx_bufs(container_of(to_delayed_work(work), struct mad_qp, repost));
}

/* Copy what is in a receive buffer; NULL when the MAD is not valid. */
static struct mad_recv *mad_rx_buf_copy(struct mad_rx_buf *rx_buf,
					const struct ib_wc *wc)
{
	struct mad_port *port = rx_buf->qp->port;
	const struct ib_mad_hdr *mad = rx_buf->buf + sizeof(struct ib_grh);
	size_t length, room;

	if (wc->byte_len < sizeof(struct ib_grh) ||
	    wc->byte_len > mad_rx_buf_size(port))
		return NULL;
	length = wc->byte_len - sizeof(struct ib_grh);
	if (!mad_valid(mad, rx_buf->qp == port->qp[1], length,
		       rdma_cap_opa_mad(port->device, port->num)))
		return NULL;
	/* Readers go by the kind of the MAD, not by what came of it. */
	room = mad_full_size(port, mad->base_version);
	return mad_recv_alloc(wc, rx_buf->buf, mad, min(length, room), room);
}

static void mad_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct mad_rx_buf *rx_buf = container_of(wc->wr_cqe, struct mad_rx_buf, cqe);
	struct mad_qp *q = rx_buf->qp;
	struct ib_device *device = q->port->device;
	struct mad_recv *recv = NULL;
	unsigned long flags;
	bool down;

	spin_lock_irqsave(&q->lock, flags);
	rx_buf->posted = false;
	down = q->state == MAD_QP_DOWN;
	spin_unlock_irqrestore(&q->lock, flags);
	/* It names a QP that is about to go. */
	if (down)
		return;
	if (wc->status == IB_WC_WR_FLUSH_ERR) {
		mad_broke(q);
		return;
	}

	if (wc->status == IB_WC_SUCCESS) {
		ib_dma_sync_single_for_cpu(device, rx_buf->dma,
					   mad_rx_buf_size(q->port),
					   DMA_FROM_DEVICE);
		recv = mad_rx_buf_copy(rx_buf, wc);
		ib_dma_sync_single_for_device(device, rx_buf->dma,
					      mad_rx_buf_size(q->port),
					      DMA_FROM_DEVICE);
	}
	mad_rx_buf_post(rx_buf);
	if (recv)
		q->ops->received(q, recv);
}

static void mad_unmap_send(struct mad_send *send)
{
	ib_dma_unmap_single(send->agent->port->device, send->sge.addr,
			    send->sge.length, DMA_TO_DEVICE);
}

static int mad_post_locked(struct mad_qp *q, struct mad_send *send)
{
	int ret;

	lockdep_assert_held(&q->lock);
	list_add_tail(&send->queue, &q->posted);
	q->num_posted++;
	ret = ib_post_send(q->qp, &send->wr.wr, NULL);
	if (ret) {
		list_del_init(&send->queue);
		q->num_posted--;
	}
	return ret;
}

/* Post what waits, as far as there is room. */
static void mad_refill(struct mad_qp *q)
{
	struct mad_send *send;
	unsigned long flags;
	int ret;

	for (;;) {
		spin_lock_irqsave(&q->lock, flags);
		send = list_first_entry_or_null(&q->waiting, struct mad_send,
						queue);
		if (!send || q->state != MAD_QP_UP ||
		    q->num_posted >= q->max_sends)
			break;
		list_del_init(&send->queue);
		mad_trace_resend(send);
		ret = mad_post_locked(q, send);
		spin_unlock_irqrestore(&q->lock, flags);
		if (ret) {
			mad_unmap_send(send);
			q->ops->sent(send, IB_WC_GENERAL_ERR, 0);
		}
	}
	spin_unlock_irqrestore(&q->lock, flags);
}

/* An error of one request stops the send queue only (SQE, IBA 10.3.1). */
static void mad_revive(struct mad_qp *q)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = {};

	if (ib_query_qp(q->qp, &attr, IB_QP_STATE, &init))
		attr.qp_state = IB_QPS_ERR;
	if (attr.qp_state == IB_QPS_SQE) {
		attr = (struct ib_qp_attr){
			.qp_state = IB_QPS_RTS,
			.cur_qp_state = IB_QPS_SQE,
		};
		if (ib_modify_qp(q->qp, &attr, IB_QP_STATE | IB_QP_CUR_STATE))
			attr.qp_state = IB_QPS_ERR;
	}
	if (attr.qp_state != IB_QPS_RTS)
		mad_broke(q);
}

/* The sends in the waiting list will be posted, or completed by recovery. */
static bool mad_can_wait(const struct mad_qp *q)
{
	lockdep_assert_held(&q->lock);
	return q->state == MAD_QP_UP || q->state == MAD_QP_BROKEN;
}

static void mad_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct mad_send *send = container_of(wc->wr_cqe, struct mad_send, cqe);
	struct mad_qp *q = send->agent->qp;
	enum ib_wc_status status = wc->status;
	bool again = false, up;
	unsigned long flags;

	if (status != IB_WC_SUCCESS)
		mad_trace_failed(send);
	spin_lock_irqsave(&q->lock, flags);
	up = q->state == MAD_QP_UP;
	list_del_init(&send->queue);
	q->num_posted--;
	if (status == IB_WC_WR_FLUSH_ERR) {
		again = mad_can_wait(q) && send->flushes++ < MAX_FLUSHES;
		/* To consumers "flushed" means "cancelled". */
		status = IB_WC_FATAL_ERR;
	}
	if (again)
		list_add_tail(&send->queue, &q->waiting);
	else
		mad_trace_sent(send, wc);
	spin_unlock_irqrestore(&q->lock, flags);

	if (up && !again && status != IB_WC_SUCCESS)
		mad_revive(q);
	mad_refill(q);
	if (!again) {
		mad_unmap_send(send);
		q->ops->sent(send, status, wc->vendor_err);
	}
}

static int mad_map_send(struct mad_qp *q, struct mad_send *send)
{
	struct ib_device *device = q->port->device;
	u64 dma;

	dma = ib_dma_map_single(device, send->image, send->image_len,
				DMA_TO_DEVICE);
	if (ib_dma_mapping_error(device, dma))
		return -ENOMEM;
	send->flushes = 0;
	send->cqe.done = mad_send_done;
	send->sge.addr = dma;
	send->sge.length = send->image_len;
	send->sge.lkey = q->port->pd->local_dma_lkey;
	send->wr.wr = (struct ib_send_wr){
		.wr_cqe = &send->cqe,
		.sg_list = &send->sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};
	send->wr.ah = send->buf.ah;
	/* The QP's own; a consumer's can not have the upper bit (10.2.5). */
	send->wr.remote_qkey = IB_QP_SET_QKEY;
	send->wr.port_num = q->port->num;
	return 0;
}

/**
 * mad_qp_send - send, now or when there is room
 * @q: QP
 * @send: flying; comes back by mad_qp_ops.sent unless this fails
 *
 * Context: any.
 * Return: 0, -ENOMEM, -ENODEV (the QP is down, or lost), or the driver's errno.
 */
int mad_qp_send(struct mad_qp *q, struct mad_send *send)
{
	unsigned long flags;
	int ret;

	ret = mad_map_send(q, send);
	if (ret)
		return ret;
	spin_lock_irqsave(&q->lock, flags);
	/* Before it can be posted: then it may come back at once. */
	mad_trace_send(send);
	if (!mad_can_wait(q))
		ret = -ENODEV;
	else if (q->state == MAD_QP_UP && q->num_posted < q->max_sends &&
		 list_empty(&q->waiting))
		ret = mad_post_locked(q, send);
	else
		list_add_tail(&send->queue, &q->waiting);
	spin_unlock_irqrestore(&q->lock, flags);
	if (ret)
		mad_unmap_send(send);
	return ret;
}

static int mad_set_state(struct mad_qp *q, enum ib_qp_state state)
{
	const bool gsi = q == q->port->qp[1];
	struct ib_qp_attr attr = { .qp_state = state };
	int mask = IB_QP_STATE;

	if (state == IB_QPS_INIT) {
		/* Each MAD names its P_Key; the QP has to have one, too. */
		if (ib_find_cached_pkey(q->port->device, q->port->num,
					IB_DEFAULT_PKEY_FULL,
					&attr.pkey_index))
			attr.pkey_index = 0;
		attr.qkey = gsi ? IB_QP1_QKEY : 0;
		mask |= IB_QP_PKEY_INDEX | IB_QP_QKEY;
	} else if (state == IB_QPS_RTS) {
		mask |= IB_QP_SQ_PSN;
	}
	return ib_modify_qp(q->qp, &attr, mask);
}

/* From Reset; the caller holds no lock. */
static int mad_bring_up(struct mad_qp *q)
{
	int ret;

	ret = mad_set_state(q, IB_QPS_INIT);
	if (!ret)
		ret = mad_set_state(q, IB_QPS_RTR);
	if (!ret)
		ret = mad_set_state(q, IB_QPS_RTS);
	return ret;
}

/* Say that it is up, and use it. */
static void mad_go_up(struct mad_qp *q, bool starting)
{
	spin_lock_irq(&q->lock);
	/* It may have been stopped meanwhile. */
	if (starting || q->state != MAD_QP_DOWN)
		q->state = MAD_QP_UP;
	spin_unlock_irq(&q->lock);
	mad_post_rx_bufs(q);
	mad_refill(q);
}

/*
 * It can not be brought up now: all that waits has failed. What is posted is the
 * driver's, until it comes back flushed or a Reset succeeds.
 */
static void mad_give_up(struct mad_qp *q)
{
	struct mad_send *send, *next;
	LIST_HEAD(failed);
	bool news;

	spin_lock_irq(&q->lock);
	news = q->state == MAD_QP_BROKEN;
	if (q->state != MAD_QP_DOWN) {
		q->state = MAD_QP_LOST;
		queue_delayed_work(mad_wq, &q->restart, LOST_DELAY);
	}
	list_splice_init(&q->waiting, &failed);
	spin_unlock_irq(&q->lock);
	list_for_each_entry_safe(send, next, &failed, queue) {
		list_del_init(&send->queue);
		mad_unmap_send(send);
		q->ops->sent(send, IB_WC_FATAL_ERR, 0);
	}
	if (news)
		ibdev_err(q->port->device,
			  "port %u: QP%u can not be restarted\n",
			  q->port->num, q == q->port->qp[1]);
}

/* Through Reset, so that nothing is the driver's any more. */
static int mad_take_back(struct mad_qp *q)
{
	int ret;
	u32 i;

	/* What the driver still completes is dealt with the usual way. */
	mad_set_state(q, IB_QPS_ERR);
	ofed_cq_settle(q->port->cq);
	ret = mad_set_state(q, IB_QPS_RESET);
	ofed_cq_settle(q->port->cq);
	if (ret)
		return ret;

	spin_lock_irq(&q->lock);
	list_splice_init(&q->posted, &q->waiting);
	q->num_posted = 0;
	for (i = 0; i < q->num_rx_bufs; i++)
		q->rx_bufs[i].posted = false;
	spin_unlock_irq(&q->lock);
	return 0;
}

static void mad_restart_work(struct work_struct *work)
{
	struct mad_qp *q = container_of(to_delayed_work(work), struct mad_qp,
					restart);
	int ret;

	ret = mad_take_back(q);
	if (!ret)
		ret = mad_bring_up(q);
	if (ret)
		mad_give_up(q);
	else
		mad_go_up(q, false);
}

static int mad_alloc_rx_buf(struct mad_qp *q, struct mad_rx_buf *rx_buf)
{
	struct ib_device *device = q->port->device;
	size_t size = mad_rx_buf_size(q->port);

	rx_buf->qp = q;
	rx_buf->cqe.done = mad_recv_done;
	rx_buf->buf = kzalloc(size, GFP_KERNEL);
	if (!rx_buf->buf)
		return -ENOMEM;
	rx_buf->dma = ib_dma_map_single(device, rx_buf->buf, size,
					DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(device, rx_buf->dma)) {
		kfree(rx_buf->buf);
		rx_buf->buf = NULL;
		return -ENOMEM;
	}
	return 0;
}

/**
 * mad_qp_free - free what is left of a stopped QP
 * @q: its QP and its CQ are destroyed, so no completion refers to a buffer
 */
void mad_qp_free(struct mad_qp *q)
{
	u32 i;

	for (i = 0; i < q->num_rx_bufs; i++) {
		if (!q->rx_bufs[i].buf)
			continue;
		ib_dma_unmap_single(q->port->device, q->rx_bufs[i].dma,
				    mad_rx_buf_size(q->port), DMA_FROM_DEVICE);
		kfree(q->rx_bufs[i].buf);
	}
	kvfree(q->rx_bufs);
	kfree(q);
}

static int mad_create_ib_qp(struct mad_qp *q, enum ib_qp_type type)
{
	struct ib_qp_init_attr attr = {
		.send_cq = q->port->cq,
		.recv_cq = q->port->cq,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = type,
		.port_num = q->port->num,
		.cap = {
			.max_send_wr = q->max_sends,
			.max_recv_wr = q->num_rx_bufs,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct ib_qp *qp = ib_create_qp_kernel(q->port->pd, &attr,
					       OFED_OWNER_CORE);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	q->qp = qp;
	return 0;
}

/**
 * mad_qp_create - make QP0 or QP1 of a port
 * @port: with its PD and CQ
 * @type: IB_QPT_SMI or IB_QPT_GSI
 * @ops: what is called with the MADs that come back from it
 *
 * Context: process, sleeps.
 * Return: the QP in Reset, or -ENOMEM, or the driver's errno.
 */
struct mad_qp *mad_qp_create(struct mad_port *port, enum ib_qp_type type,
			     const struct mad_qp_ops *ops)
{
	struct mad_qp *q = kzalloc(sizeof(*q), GFP_KERNEL);
	int ret = -ENOMEM;
	u32 i;

	if (!q)
		return ERR_PTR(-ENOMEM);
	q->port = port;
	q->ops = ops;
	spin_lock_init(&q->lock);
	INIT_LIST_HEAD(&q->posted);
	INIT_LIST_HEAD(&q->waiting);
	INIT_DELAYED_WORK(&q->restart, mad_restart_work);
	INIT_DELAYED_WORK(&q->repost, mad_repost_work);
	q->max_sends = mad_num_sends(port->device);
	q->rx_bufs = kvcalloc(mad_num_receives(port->device), sizeof(*q->rx_bufs),
			      GFP_KERNEL);
	if (!q->rx_bufs)
		goto err_free;
	q->num_rx_bufs = mad_num_receives(port->device);
	for (i = 0; i < q->num_rx_bufs; i++) {
		ret = mad_alloc_rx_buf(q, &q->rx_bufs[i]);
		if (ret)
			goto err_free;
	}
	ret = mad_create_ib_qp(q, type);
	if (ret)
		goto err_free;
	return q;

err_free:
	mad_qp_free(q);
	return ERR_PTR(ret);
}

/**
 * mad_qp_start - bring a new QP up and post its buffers
 * @q: from mad_qp_create(); in its port's table
 *
 * Context: process, sleeps. Return: 0, or the driver's errno.
 */
int mad_qp_start(struct mad_qp *q)
{
	int ret = mad_bring_up(q);

	if (!ret)
		mad_go_up(q, true);
	return ret;
}

/**
 * mad_qp_stop - end of a QP
 * @q: has no sends any more
 *
 * Receives may be completed until the CQ is gone, but none is posted, and none is
 * looked at: that is what the state is for, which is read with the lock held. The
 * driver's agents get the QP with each MAD, so it stays until those are done that
 * were received before.
 * Context: process, sleeps.
 */
void mad_qp_stop(struct mad_qp *q)
{
	spin_lock_irq(&q->lock);
	q->state = MAD_QP_DOWN;
	spin_unlock_irq(&q->lock);
	cancel_delayed_work_sync(&q->restart);
	cancel_delayed_work_sync(&q->repost);
	ofed_cq_settle(q->port->cq);
	WARN_ON(ib_destroy_qp(q->qp));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Replies of this layer and of the driver to what was received: one agent per
 * QP sends them, from a work item, as the address of an Ethernet peer may have
 * to be looked up first. A request that comes when too many replies wait is not
 * answered; the peer may repeat it. Any host can ask for a method that has no
 * agent here, with a source address that does not resolve: such requests are
 * refused only when no other reply is to be sent.
 */
#include <linux/slab.h>

#include "priv.h"

/* From the moment that there is something to reply until that is sent. */
#define MAX_REPLIES	256
/* A MAD without a taker is refused only while fewer replies than that wait. */
#define MAX_ERROR_REPLIES	32

static void mad_reply_over(struct mad_port *port)
{
	spin_lock_irq(&port->work_lock);
	port->num_replies--;
	spin_unlock_irq(&port->work_lock);
}

static void mad_reply_sent(struct ib_mad_agent *agent,
			   struct ib_mad_send_wc *wc)
{
	mad_reply_over(to_mad_agent(agent)->port);
	rdma_destroy_ah(wc->send_buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_free_send_mad(wc->send_buf);
}

static void mad_queue_reply(struct mad_port *port, const struct mad_recv *recv,
			    const void *mad, size_t size, u16 pkey_index,
			    struct list_head *list, unsigned int most)
{
	struct mad_recv *reply;
	bool queued = false;

	reply = mad_recv_alloc(&recv->wc, &recv->grh, mad, size, size);
	if (!reply)
		return;
	list_del_init(&reply->pub.recv_buf.list);
	reply->wc.pkey_index = pkey_index;

	spin_lock_irq(&port->work_lock);
	if (!port->closing && port->num_replies < most) {
		list_add_tail(&reply->pub.recv_buf.list, list);
		port->num_replies++;
		queued = true;
		queue_work(mad_wq, &port->reply_work);
	}
	spin_unlock_irq(&port->work_lock);
	if (!queued)
		mad_recv_free(reply);
}

/**
 * mad_reply - send a MAD back to where another one came from
 * @port: port
 * @recv: that other one
 * @mad: what to send; copied
 * @size: its length
 * @pkey_index: P_Key to send it with, on QP1
 *
 * It may be dropped. Context: process; does not wait.
 */
void mad_reply(struct mad_port *port, const struct mad_recv *recv,
	       const void *mad, size_t size, u16 pkey_index)
{
	mad_queue_reply(port, recv, mad, size, pkey_index, &port->replies,
			MAX_REPLIES);
}

/**
 * mad_send_error_reply - send back a MAD that no agent takes
 * @port: port
 * @recv: the MAD, its header already that of the reply
 *
 * As mad_reply(), but everything else goes first.
 */
void mad_send_error_reply(struct mad_port *port, struct mad_recv *recv)
{
	mad_queue_reply(port, recv, recv->mad, recv->size, recv->wc.pkey_index,
			&port->error_replies, MAX_ERROR_REPLIES);
}

static struct mad_recv *mad_next_reply(struct mad_port *port)
{
	struct mad_recv *reply;

	spin_lock_irq(&port->work_lock);
	reply = list_first_entry_or_null(list_empty(&port->replies) ?
					 &port->error_replies : &port->replies,
					 struct mad_recv, pub.recv_buf.list);
	if (reply)
		list_del_init(&reply->pub.recv_buf.list);
	spin_unlock_irq(&port->work_lock);
	return reply;
}

/* False when it will not come to mad_reply_sent(). */
static bool mad_send_reply(struct mad_port *port, const struct mad_recv *reply)
{
	const struct ib_mad_hdr *hdr = (const void *)reply->mad;
	struct mad_qp *q = port->qp[!mad_class_is_smp(hdr->mgmt_class)];
	struct ib_mad_send_buf *buf;
	struct ib_ah *ah;

	if (!q)
		return false;
	ah = ib_create_ah_from_wc(port->pd, &reply->wc, &reply->grh,
				  port->num);
	if (IS_ERR(ah))
		return false;
	buf = ib_create_send_mad(&q->reply_agent->pub, reply->wc.src_qp,
				 reply->wc.pkey_index, 0, IB_MGMT_MAD_HDR,
				 reply->size - IB_MGMT_MAD_HDR, GFP_KERNEL,
				 hdr->base_version);
	if (IS_ERR(buf))
		goto err_destroy_ah;
	memcpy(buf->mad, hdr, reply->size);
	buf->ah = ah;
	if (ib_post_send_mad(buf, NULL))
		goto err_free_buf;
	return true;

err_free_buf:
	ib_free_send_mad(buf);
err_destroy_ah:
	rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	return false;
}

void mad_reply_work(struct work_struct *work)
{
	struct mad_port *port = container_of(work, struct mad_port,
					     reply_work);
	struct mad_recv *reply;

	while ((reply = mad_next_reply(port))) {
		if (!mad_send_reply(port, reply))
			mad_reply_over(port);
		mad_recv_free(reply);
		cond_resched();
	}
}

/**
 * mad_reply_open - make the agents that reply
 * @q: QP
 *
 * Return: 0, or the errno of mad_agent_create().
 */
int mad_reply_open(struct mad_qp *q)
{
	struct mad_agent *agent;

	agent = mad_agent_create(q, 0, mad_reply_sent, NULL, NULL, 0);
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	mad_trace_created(agent);
	q->reply_agent = agent;
	return 0;
}

/**
 * mad_reply_close - send no reply any more
 * @port: port; its QPs are up, so that what is posted completes
 *
 * Replies in the queue are dropped; to send them would be to wait for the
 * address of each peer.
 * Context: process, sleeps.
 */
void mad_reply_close(struct mad_port *port)
{
	struct mad_recv *reply, *next;
	LIST_HEAD(unsent);
	int i;

	spin_lock_irq(&port->work_lock);
	port->closing = true;
	list_splice_init(&port->replies, &unsent);
	list_splice_init(&port->error_replies, &unsent);
	spin_unlock_irq(&port->work_lock);
	cancel_work_sync(&port->reply_work);
	list_for_each_entry_safe(reply, next, &unsent, pub.recv_buf.list)
		mad_recv_free(reply);
	for (i = 0; i < ARRAY_SIZE(port->qp); i++)
		if (port->qp[i] && port->qp[i]->reply_agent) {
			mad_trace_destroyed(port->qp[i]->reply_agent);
			mad_agent_destroy(port->qp[i]->reply_agent);
		}
}

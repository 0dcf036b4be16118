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

/* From the moment that there is something to answer until it is sent. */
#define MAX_ANSWERS	256
/* A MAD without a taker is refused only while fewer replies than that wait. */
#define MAX_REFUSALS	32

static void mad_answer_over(struct mad_port *port)
{
	spin_lock_irq(&port->work_lock);
	port->num_answers--;
	spin_unlock_irq(&port->work_lock);
}

static void mad_answer_sent(struct ib_mad_agent *agent,
			    struct ib_mad_send_wc *wc)
{
	mad_answer_over(to_mad_agent(agent)->port);
	rdma_destroy_ah(wc->send_buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_free_send_mad(wc->send_buf);
}

static void mad_queue_answer(struct mad_port *port, const struct mad_recv *recv,
			     const void *mad, size_t size, struct list_head *list,
			     unsigned int most)
{
	struct mad_recv *answer;
	bool queued = false;

	answer = mad_recv_alloc(&recv->wc, &recv->grh, mad, size, size);
	if (!answer)
		return;
	list_del_init(&answer->pub.recv_buf.list);

	spin_lock_irq(&port->work_lock);
	if (!port->closing && port->num_answers < most) {
		list_add_tail(&answer->pub.recv_buf.list, list);
		port->num_answers++;
		queued = true;
		queue_work(mad_wq, &port->answer_work);
	}
	spin_unlock_irq(&port->work_lock);
	if (!queued)
		mad_recv_free(answer);
}

/**
 * mad_answer - send a MAD back to where another one came from
 * @port: port
 * @recv: that other one
 * @mad: what to send; copied
 * @size: its length
 *
 * It may be dropped. Context: process; does not wait.
 */
void mad_answer(struct mad_port *port, const struct mad_recv *recv,
		const void *mad, size_t size)
{
	mad_queue_answer(port, recv, mad, size, &port->answers, MAX_ANSWERS);
}

/**
 * mad_refuse - send back a MAD that no agent takes
 * @port: port
 * @recv: the MAD, its header already that of the answer
 *
 * As mad_answer(), but everything else goes first.
 */
void mad_refuse(struct mad_port *port, struct mad_recv *recv)
{
	mad_queue_answer(port, recv, recv->mad, recv->size, &port->refusals,
			 MAX_REFUSALS);
}

static struct mad_recv *mad_next_answer(struct mad_port *port)
{
	struct mad_recv *answer;

	spin_lock_irq(&port->work_lock);
	answer = list_first_entry_or_null(list_empty(&port->answers) ?
					  &port->refusals : &port->answers,
					  struct mad_recv, pub.recv_buf.list);
	if (answer)
		list_del_init(&answer->pub.recv_buf.list);
	spin_unlock_irq(&port->work_lock);
	return answer;
}

/* False when it will not come to mad_answer_sent(). */
static bool mad_send_answer(struct mad_port *port, const struct mad_recv *answer)
{
	const struct ib_mad_hdr *hdr = (const void *)answer->mad;
	struct mad_qp *q = port->qp[!mad_class_is_smp(hdr->mgmt_class)];
	struct ib_mad_send_buf *buf;
	struct ib_ah *ah;

	if (!q)
		return false;
	ah = ib_create_ah_from_wc(port->pd, &answer->wc, &answer->grh,
				  port->num);
	if (IS_ERR(ah))
		return false;
	buf = ib_create_send_mad(&q->answers->pub, answer->wc.src_qp,
				 answer->wc.pkey_index, 0, IB_MGMT_MAD_HDR,
				 answer->size - IB_MGMT_MAD_HDR, GFP_KERNEL,
				 hdr->base_version);
	if (IS_ERR(buf))
		goto err_destroy_ah;
	memcpy(buf->mad, hdr, answer->size);
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

void mad_answer_work(struct work_struct *work)
{
	struct mad_port *port = container_of(work, struct mad_port,
					     answer_work);
	struct mad_recv *answer;

	while ((answer = mad_next_answer(port))) {
		if (!mad_send_answer(port, answer))
			mad_answer_over(port);
		mad_recv_free(answer);
	}
}

/**
 * mad_answer_open - make the agent that answers
 * @q: QP
 *
 * Return: 0, or the errno of mad_agent_create().
 */
int mad_answer_open(struct mad_qp *q)
{
	struct mad_agent *agent;

	agent = mad_agent_create(q, 0, mad_answer_sent, NULL, NULL, 0);
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	mad_trace_created(agent);
	q->answers = agent;
	return 0;
}

/**
 * mad_answer_close - answer no more
 * @port: port; its QPs are up, so that what is posted completes
 *
 * Replies in the queue are dropped; to send them would be to wait for the
 * address of each peer.
 * Context: process, sleeps.
 */
void mad_answer_close(struct mad_port *port)
{
	struct mad_recv *answer, *next;
	LIST_HEAD(unsent);
	int i;

	spin_lock_irq(&port->work_lock);
	port->closing = true;
	list_splice_init(&port->answers, &unsent);
	list_splice_init(&port->refusals, &unsent);
	spin_unlock_irq(&port->work_lock);
	cancel_work_sync(&port->answer_work);
	list_for_each_entry_safe(answer, next, &unsent, pub.recv_buf.list)
		mad_recv_free(answer);
	for (i = 0; i < ARRAY_SIZE(port->qp); i++)
		if (port->qp[i] && port->qp[i]->answers) {
			mad_trace_destroyed(port->qp[i]->answers);
			mad_agent_destroy(port->qp[i]->answers);
		}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving: from the MAD layer's handler to the handler of the message.
 *
 * Messages of connections are taken one after the other per port, so that an
 * RTU is not overtaken by the DREQ behind it. A message that needs the address
 * of a peer without an id may have to wait for a neighbour, and is handled
 * apart: requests, a few of a port at a time; and replies of a CM that has no
 * such connection, or rejects it. Any host can provoke such replies, with
 * made-up source addresses, so they have few places of their own and take none
 * from the requests.
 */
#include <rdma/ib_mad.h>

#include "core.h"
#include "trace.h"

/*
 * A DREQ for a connection that is long over: the peer missed the DREP, and
 * would go on asking. Return: as cm_rx_reply().
 */
static bool cm_confirm_end(struct cm_rx *rx)
{
	struct cm_msg_ids ids;
	union cm_mad mad;

	cm_rx_count_duplicate(rx);
	trace_icm_issue_drep(cm_sender_id(rx->mad), cm_receiver_id(rx->mad));
	cm_msg_ids_reversed(&ids, rx->mad);
	cm_build_drep(&mad, &ids, NULL, 0);
	return cm_rx_reply(rx, &mad);
}

/* A message that says nothing but that it came, and private data. */
static bool cm_rx_plain(struct cm_rx *rx, enum cm_input input, void *data)
{
	const struct cm_fsm_step *step = NULL;
	struct cm_id *id = cm_rx_id(rx);

	if (!id)
		return false;
	spin_lock_irq(&id->lock);
	if (cm_rx_fits(rx, id))
		step = cm_rx_step(rx, id, input);
	if (step) {
		rx->event.event.private_data = data;
		cm_rx_finish(rx, id, step);
	}
	spin_unlock_irq(&id->lock);
	cm_id_put(id);
	return step;
}

static bool cm_rx_rtu(struct cm_rx *rx)
{
	return cm_rx_plain(rx, CM_RX_RTU,
			   IBA_GET_MEM_PTR(CM_RTU_PRIVATE_DATA, &rx->mad->rtu));
}

static bool cm_rx_drep(struct cm_rx *rx)
{
	return cm_rx_plain(rx, CM_RX_DREP,
			   IBA_GET_MEM_PTR(CM_DREP_PRIVATE_DATA, &rx->mad->drep));
}

/* An APR answers a LAP, and none is ever sent: the table drops it. */
static bool cm_rx_apr(struct cm_rx *rx)
{
	return cm_rx_plain(rx, CM_RX_APR,
			   IBA_GET_MEM_PTR(CM_APR_PRIVATE_DATA, &rx->mad->apr));
}

static bool cm_rx_dreq(struct cm_rx *rx)
{
	const __be32 local_id = cm_sender_id(rx->mad);
	const __be32 remote_id = cm_receiver_id(rx->mad);
	const struct cm_fsm_step *step = NULL;
	struct cm_id *id = cm_rx_id(rx);
	union cm_mad *mad = rx->mad;
	bool ours = false, kept;

	if (id) {
		spin_lock_irq(&id->lock);
		ours = cm_rx_fits(rx, id);
		if (ours && id->local_qpn ==
			    IBA_GET(CM_DREQ_REMOTE_QPN_EECN, &mad->dreq))
			step = cm_rx_step(rx, id, CM_RX_DREQ);
		if (step) {
			id->tid = mad->hdr.tid;
			rx->event.event.private_data =
				IBA_GET_MEM_PTR(CM_DREQ_PRIVATE_DATA,
						&mad->dreq);
			cm_rx_finish(rx, id, step);
		}
		spin_unlock_irq(&id->lock);
		cm_id_put(id);
	}
	if (ours)
		return step;
	/* The answer takes the place of the message. */
	kept = cm_confirm_end(rx);
	if (!id)
		trace_icm_no_priv_err(local_id, remote_id);
	return kept;
}

/*
 * A peer that gives up on its REQ does not know the local id. It names the
 * request by its own id and GUID (12.6.7.2, reason 4).
 */
static struct cm_id *cm_id_given_up(struct cm_rx *rx)
{
	struct cm_rej_msg *rej = &rx->mad->rej;
	__be32 local_id;
	__be64 guid;

	if (IBA_GET(CM_REJ_REASON, rej) != IB_CM_REJ_TIMEOUT ||
	    IBA_GET(CM_REJ_REJECTED_INFO_LENGTH, rej) < sizeof(guid))
		return NULL;
	memcpy(&guid, IBA_GET_MEM_PTR(CM_REJ_ARI, rej), sizeof(guid));
	if (!cm_peer_find(cm_sender_id(rx->mad), guid, &local_id))
		return NULL;
	return cm_id_find(local_id);
}

static bool cm_rx_rej(struct cm_rx *rx)
{
	struct ib_cm_event *event = &rx->event.event;
	const struct cm_fsm_step *step = NULL;
	struct cm_id *id;
	bool stale;

	id = cm_receiver_id(rx->mad) ? cm_rx_id(rx) : cm_id_given_up(rx);
	if (!id)
		return false;

	cm_read_rej(rx->mad, event);
	stale = event->param.rej_rcvd.reason == IB_CM_REJ_STALE_CONN;
	spin_lock_irq(&id->lock);
	if (cm_rx_fits(rx, id))
		step = cm_rx_step(rx, id, stale ? CM_RX_REJ_STALE : CM_RX_REJ);
	if (step)
		cm_rx_finish(rx, id, step);
	spin_unlock_irq(&id->lock);
	cm_id_put(id);
	return step;
}

static enum cm_input cm_mra_input(const union cm_mad *mad)
{
	switch (IBA_GET(CM_MRA_MESSAGE_MRAED, &mad->mra)) {
	case CM_ABOUT_REQ:
		return CM_RX_MRA_REQ;
	case CM_ABOUT_REP:
		return CM_RX_MRA_REP;
	case CM_ABOUT_OTHER:
		return CM_RX_MRA_LAP;
	default:
		return CM_INPUTS;
	}
}

/*
 * The request is not repeated for the time that the peer wants, within reason.
 * It may just have come back for the last time: then there is nothing to wait
 * with.
 */
static bool cm_wait_longer(struct cm_id *id, u8 service_timeout)
{
	lockdep_assert_held(&id->lock);
	return id->request &&
	       !ib_modify_mad(id->request,
			      cm_time_ms(min_t(u8, service_timeout,
					       CM_PEER_TIME_MOST)) +
			      cm_time_ms(min_t(u8, id->av.timeout,
					       CM_PEER_TIME_MOST)));
}

static bool cm_rx_mra(struct cm_rx *rx)
{
	const u8 time = IBA_GET(CM_MRA_SERVICE_TIMEOUT, &rx->mad->mra);
	struct ib_cm_event *event = &rx->event.event;
	const struct cm_fsm_step *step = NULL;
	struct cm_id *id = cm_rx_id(rx);

	if (!id)
		return false;
	spin_lock_irq(&id->lock);
	if (cm_rx_fits(rx, id))
		step = cm_rx_step(rx, id, cm_mra_input(rx->mad));
	if (step && !cm_wait_longer(id, time))
		step = NULL;
	if (step) {
		event->private_data =
			IBA_GET_MEM_PTR(CM_MRA_PRIVATE_DATA, &rx->mad->mra);
		event->param.mra_rcvd.service_timeout = time;
		cm_rx_finish(rx, id, step);
	}
	spin_unlock_irq(&id->lock);
	cm_id_put(id);
	return step;
}

/* True when the handler may wait for a neighbour. */
static bool cm_needs_addr(enum cm_attr attr)
{
	return attr == CM_ATTR_REQ || attr == CM_ATTR_SIDR_REQ;
}

static bool (* const handlers[CM_ATTRS])(struct cm_rx *rx) = {
	[CM_ATTR_REQ] = cm_rx_req,
	[CM_ATTR_MRA] = cm_rx_mra,
	[CM_ATTR_REJ] = cm_rx_rej,
	[CM_ATTR_REP] = cm_rx_rep,
	[CM_ATTR_RTU] = cm_rx_rtu,
	[CM_ATTR_DREQ] = cm_rx_dreq,
	[CM_ATTR_DREP] = cm_rx_drep,
	[CM_ATTR_SIDR_REQ] = cm_rx_sidr_req,
	[CM_ATTR_SIDR_REP] = cm_rx_sidr_rep,
	[CM_ATTR_LAP] = cm_rx_lap,
	[CM_ATTR_APR] = cm_rx_apr,
};

static void cm_handle(struct cm_rx *rx)
{
	/* A message that is kept may be gone already. */
	if (!handlers[cm_attr_of(&rx->mad->hdr)](rx))
		cm_rx_free(rx);
}

/* The place of one that is done is that of the next. */
static void cm_addr_next(struct cm_port *port)
{
	struct cm_rx *rx;

	spin_lock_irq(&port->lock);
	rx = list_first_entry_or_null(&port->addr_queue, struct cm_rx, node);
	if (rx)
		list_del(&rx->node);
	else
		port->addr_running--;
	spin_unlock_irq(&port->lock);
	if (rx)
		queue_work(cm_addr_wq, &rx->work);
}

static void cm_addr_work(struct work_struct *work)
{
	struct cm_rx *rx = container_of(work, struct cm_rx, work);
	struct cm_port *port = rx->port;
	struct cm_dev *dev = port->dev;

	/* With its last message the device may go, and the port with it. */
	kref_get(&dev->ref);
	cm_handle(rx);
	cm_addr_next(port);
	cm_dev_put(dev);
}

static void cm_addr_add(struct cm_rx *rx)
{
	struct cm_port *port = rx->port;
	bool now;

	INIT_WORK(&rx->work, cm_addr_work);
	spin_lock_irq(&port->lock);
	now = port->addr_running < CM_ADDR_AT_A_TIME;
	if (now)
		port->addr_running++;
	else
		list_add_tail(&rx->node, &port->addr_queue);
	spin_unlock_irq(&port->lock);
	if (now)
		queue_work(cm_addr_wq, &rx->work);
}

static struct cm_rx *cm_next_message(struct cm_port *port)
{
	struct cm_rx *rx;

	spin_lock_irq(&port->lock);
	rx = list_first_entry_or_null(&port->messages, struct cm_rx, node);
	if (rx)
		list_del(&rx->node);
	spin_unlock_irq(&port->lock);
	return rx;
}

void cm_port_work(struct work_struct *work)
{
	struct cm_port *port = container_of(work, struct cm_port, work);
	struct cm_rx *rx;

	while ((rx = cm_next_message(port))) {
		cm_handle(rx);
		cond_resched();
	}
}

/*
 * A message came in. Called by the MAD layer in process context, with no lock
 * held. What is dropped here is sent again by its sender.
 */
void cm_mad_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *send,
		     struct ib_mad_recv_wc *wc)
{
	struct cm_port *port = agent->context;
	const enum cm_attr attr = cm_attr_of(&wc->recv_buf.mad->mad_hdr);
	struct cm_rx *rx = NULL;

	cm_count(port, CM_RX_MESSAGES, attr, 1);
	if (attr != CM_ATTRS && wc->mad_len >= sizeof(union cm_mad))
		rx = cm_rx_new(port, wc, cm_needs_addr(attr) ? CM_NEEDS_ADDR :
							       CM_ORDERED);
	if (!rx) {
		ib_free_recv_mad(wc);
		return;
	}

	if (rx->queue == CM_NEEDS_ADDR) {
		cm_addr_add(rx);
		return;
	}
	spin_lock_irq(&port->lock);
	list_add_tail(&rx->node, &port->messages);
	spin_unlock_irq(&port->lock);
	queue_work(cm_rx_wq, &port->work);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving: from the MAD layer's handler to the id that a message is for.
 *
 * Messages of connections are taken one after the other per port, so that an
 * RTU is not overtaken by the DREQ behind it. A message that needs the address
 * of a peer without an id may have to wait for a neighbour, and is handled
 * apart: requests, a few of a port at a time; and replies of a CM that has no
 * such connection, or rejects it. Any host can provoke such replies, with
 * made-up source addresses, so they have few places of their own and take none
 * from the requests.
 */
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>

#include "core.h"
#include "trace.h"

void cm_rx_free(struct cm_rx *rx)
{
	struct cm_port *port = rx->port;
	struct cm_dev *dev = port->dev;

	ib_free_recv_mad(rx->wc);
	atomic_dec(&port->waiting[rx->queue]);
	kfree(rx);
	if (atomic_dec_and_test(&dev->messages))
		wake_up(&dev->quiet);
	cm_dev_put(dev);
}

/* The P_Key that the message came with; 0 when it is not in the table now. */
u16 cm_rx_pkey(const struct cm_rx *rx)
{
	u16 pkey;

	if (ib_get_cached_pkey(rx->port->dev->device, rx->port->num,
			       rx->wc->wc->pkey_index, &pkey))
		return 0;
	return pkey;
}

void cm_rx_count_duplicate(const struct cm_rx *rx)
{
	cm_count(rx->port, CM_RX_DUPLICATES, cm_attr_of(&rx->mad->hdr), 1);
}

static void cm_stranger_work(struct work_struct *work)
{
	struct cm_rx *rx = container_of(work, struct cm_rx, work);
	struct cm_dest dest = {};

	if (!cm_dest_from_rx(rx, &dest)) {
		cm_transmit(&dest, rx->wc->wc->src_qp, rx->mad);
		cm_dest_drop(&dest);
	}
	cm_rx_free(rx);
}

/*
 * Answer a message without an id: later, as it may take a second to find out
 * where its sender is, or never, if too many such answers wait. The message is
 * overwritten with @mad.
 *
 * Return: true when the message is kept for that, false when it is the caller's
 * still. Context: process.
 */
bool cm_rx_answer(struct cm_rx *rx, const union cm_mad *mad)
{
	struct cm_port *port = rx->port;

	if (!atomic_add_unless(&port->waiting[CM_STRANGER], 1,
			       CM_STRANGERS_MOST))
		return false;
	atomic_dec(&port->waiting[rx->queue]);
	rx->queue = CM_STRANGER;
	*rx->mad = *mad;
	INIT_WORK(&rx->work, cm_stranger_work);
	queue_work(cm_stranger_wq, &rx->work);
	return true;
}

/*
 * Reject a REQ without an id.
 *
 * @to: where its sender is, or NULL when that is not known
 * Return: as cm_rx_answer(); false with @to. Context: process.
 */
bool cm_rx_reject(struct cm_rx *rx, const struct cm_dest *to,
		  enum ib_cm_rej_reason reason, const void *ari, u8 ari_len)
{
	const struct cm_rej_info info = {
		.reason = reason,
		.about = CM_ABOUT_REQ,
		.ari = ari, .ari_len = ari_len,
	};
	struct cm_names names;
	union cm_mad mad;

	trace_icm_issue_rej(cm_sender_id(rx->mad), cm_receiver_id(rx->mad));
	cm_names_reversed(&names, rx->mad);
	cm_build_rej(&mad, &names, &info);
	if (!to)
		return cm_rx_answer(rx, &mad);
	cm_transmit(to, rx->wc->wc->src_qp, &mad);
	return false;
}

/*
 * A DREQ for a connection that is long over: the peer missed the DREP, and
 * would go on asking. Return: as cm_rx_answer().
 */
static bool cm_confirm_end(struct cm_rx *rx)
{
	struct cm_names names;
	union cm_mad mad;

	cm_rx_count_duplicate(rx);
	trace_icm_issue_drep(cm_sender_id(rx->mad), cm_receiver_id(rx->mad));
	cm_names_reversed(&names, rx->mad);
	cm_build_drep(&mad, &names, NULL, 0);
	return cm_rx_answer(rx, &mad);
}

/* The id that a message names, with a reference, or NULL. */
struct cm_id *cm_rx_id(const struct cm_rx *rx)
{
	return cm_id_find(cm_receiver_id(rx->mad));
}

/* Ids are numbers that others may guess; an address is not as easy to take. */
static bool cm_from_peer(const struct cm_rx *rx, const struct cm_id *id)
{
	union ib_gid gid;

	return !id->has_peer_gid || !cm_rx_source(rx, &gid) ||
	       !memcmp(&gid, &id->peer_gid, sizeof(gid));
}

/*
 * Is @id of this device, and does it talk to that peer? One that has sent a REQ
 * does not know the peer's id yet, and a peer that rejects may have none.
 */
bool cm_rx_fits(const struct cm_rx *rx, const struct cm_id *id)
{
	const __be32 sender = cm_sender_id(rx->mad);

	lockdep_assert_held(&id->lock);
	if (id->dev != rx->port->dev)
		return false;
	if (!id->id.remote_id)
		return true;
	if (id->id.remote_id != sender &&
	    (sender || cm_attr_of(&rx->mad->hdr) != CM_ATTR_REJ))
		return false;
	return cm_from_peer(rx, id);
}

/* The answer goes out once more. */
static void trace_repeat(const struct cm_id *id, enum cm_input input)
{
	if (input == CM_RX_REQ)
		trace_icm_send_dup_req(&id->id);
	else if (input == CM_RX_REP)
		trace_icm_send_dup_rep(&id->id);
}

/* A message that the id has no use for. */
static void trace_refused(const struct cm_rx *rx, const struct cm_id *id,
			  enum cm_input input)
{
	switch (input) {
	case CM_RX_REP:
		trace_icm_rep_unknown_err(id->id.local_id,
					  cm_sender_id(rx->mad), id->id.state);
		break;
	case CM_RX_REJ:
	case CM_RX_REJ_STALE:
		trace_icm_rej_unknown_err(&id->id);
		break;
	case CM_RX_MRA_REQ:
	case CM_RX_MRA_REP:
	case CM_RX_MRA_LAP:
		trace_icm_mra_unknown_err(&id->id);
		break;
	case CM_RX_DREQ:
		trace_icm_dreq_unknown_err(&id->id);
		break;
	default:
		break;
	}
}

/*
 * Ask the table what @input does to @id, and do it unless it is a move.
 *
 * Return: the step, for cm_rx_finish(), when it is one; else NULL.
 */
const struct cm_step *cm_rx_step(struct cm_rx *rx, struct cm_id *id,
				 enum cm_input input)
{
	const struct cm_step *step = cm_step(id->id.state, input);

	lockdep_assert_held(&id->lock);
	if (step->verdict == CM_ASK_LAP)
		step = cm_lap_step(id->id.lap_state, input);

	switch (step->verdict) {
	case CM_GO:
		return step;
	case CM_REPEAT:
		cm_rx_count_duplicate(rx);
		trace_repeat(id, input);
		cm_answer_again(id, rx->mad->hdr.tid);
		break;
	case CM_DUPLICATE:
		cm_rx_count_duplicate(rx);
		break;
	case CM_REFUSED:
		trace_refused(rx, id, input);
		break;
	}
	return NULL;
}

/* Move, and hand the message to the consumer. */
void cm_rx_finish(struct cm_rx *rx, struct cm_id *id,
		  const struct cm_step *step)
{
	lockdep_assert_held(&id->lock);
	cm_id_move(id, step->next);
	rx->event.event.event = step->raise;
	rx->event.message = rx;
	cm_event_post(id, &rx->event);
}

/* A message that says nothing but that it came, and private data. */
static bool cm_rx_plain(struct cm_rx *rx, enum cm_input input, void *data)
{
	const struct cm_step *step = NULL;
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
	const struct cm_step *step = NULL;
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
	const struct cm_step *step = NULL;
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
	const struct cm_step *step = NULL;
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
static bool cm_slow(enum cm_attr attr)
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
static void cm_slow_next(struct cm_port *port)
{
	struct cm_rx *rx;

	spin_lock_irq(&port->lock);
	rx = list_first_entry_or_null(&port->slow, struct cm_rx, node);
	if (rx)
		list_del(&rx->node);
	else
		port->slow_running--;
	spin_unlock_irq(&port->lock);
	if (rx)
		queue_work(cm_slow_wq, &rx->work);
}

static void cm_slow_work(struct work_struct *work)
{
	struct cm_rx *rx = container_of(work, struct cm_rx, work);
	struct cm_port *port = rx->port;
	struct cm_dev *dev = port->dev;

	/* With its last message the device may go, and the port with it. */
	kref_get(&dev->ref);
	cm_handle(rx);
	cm_slow_next(port);
	cm_dev_put(dev);
}

static void cm_slow_add(struct cm_rx *rx)
{
	struct cm_port *port = rx->port;
	bool now;

	INIT_WORK(&rx->work, cm_slow_work);
	spin_lock_irq(&port->lock);
	now = port->slow_running < CM_SLOW_AT_A_TIME;
	if (now)
		port->slow_running++;
	else
		list_add_tail(&rx->node, &port->slow);
	spin_unlock_irq(&port->lock);
	if (now)
		queue_work(cm_slow_wq, &rx->work);
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

/* Return: NULL when there are too many messages, or no memory. */
static struct cm_rx *cm_rx_new(struct cm_port *port, struct ib_mad_recv_wc *wc,
			       enum cm_queue queue)
{
	atomic_t *waiting = &port->waiting[queue];
	struct cm_rx *rx;

	if (!atomic_add_unless(waiting, 1, queue == CM_SLOW ? CM_SLOW_MOST :
							      CM_MESSAGES_MOST))
		return NULL;
	rx = kzalloc(sizeof(*rx), GFP_KERNEL);
	if (!rx) {
		atomic_dec(waiting);
		return NULL;
	}
	rx->queue = queue;
	kref_get(&port->dev->ref);
	atomic_inc(&port->dev->messages);
	rx->port = port;
	rx->wc = wc;
	rx->mad = (union cm_mad *)wc->recv_buf.mad;
	cm_event_init(&rx->event);
	return rx;
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
		rx = cm_rx_new(port, wc, cm_slow(attr) ? CM_SLOW : CM_ORDERED);
	if (!rx) {
		ib_free_recv_mad(wc);
		return;
	}

	if (rx->queue == CM_SLOW) {
		cm_slow_add(rx);
		return;
	}
	spin_lock_irq(&port->lock);
	list_add_tail(&rx->node, &port->messages);
	spin_unlock_irq(&port->lock);
	queue_work(cm_rx_wq, &port->work);
}

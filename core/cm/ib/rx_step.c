// SPDX-License-Identifier: GPL-2.0
/*
 * What a received message does to an id: whether it is meant for it, what the
 * table says, and the move; and the reply to a message that matches no id.
 */
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "core.h"
#include "trace.h"

static void cm_unmatched_work(struct work_struct *work)
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
bool cm_rx_reply(struct cm_rx *rx, const union cm_mad *mad)
{
	struct cm_port *port = rx->port;

	if (!atomic_add_unless(&port->waiting[CM_UNMATCHED], 1,
			       CM_UNMATCHED_MOST))
		return false;
	atomic_dec(&port->waiting[rx->queue]);
	rx->queue = CM_UNMATCHED;
	*rx->mad = *mad;
	INIT_WORK(&rx->work, cm_unmatched_work);
	queue_work(cm_unmatched_wq, &rx->work);
	return true;
}

/*
 * Reject a REQ without an id.
 *
 * @to: where its sender is, or NULL when that is not known
 * Return: as cm_rx_reply(); false with @to. Context: process.
 */
bool cm_rx_reject(struct cm_rx *rx, const struct cm_dest *to,
		  enum ib_cm_rej_reason reason, const void *ari, u8 ari_len)
{
	const struct cm_rej_info info = {
		.reason = reason,
		.about = CM_ABOUT_REQ,
		.ari = ari, .ari_len = ari_len,
	};
	struct cm_msg_ids ids;
	union cm_mad mad;

	trace_icm_issue_rej(cm_sender_id(rx->mad), cm_receiver_id(rx->mad));
	ibdev_dbg(rx->port->dev->device, "port %u: REQ of id %08x rejected, reason %u\n",
		  rx->port->num, be32_to_cpu(cm_sender_id(rx->mad)), reason);
	cm_msg_ids_reversed(&ids, rx->mad);
	cm_build_rej(&mad, &ids, &info);
	if (!to)
		return cm_rx_reply(rx, &mad);
	cm_transmit(to, rx->wc->wc->src_qp, &mad);
	return false;
}

/* The id that a message names, with a reference, or NULL. */
struct cm_id *cm_rx_id(const struct cm_rx *rx)
{
	struct cm_id *id = cm_id_find(cm_receiver_id(rx->mad));

	if (!id)
		ibdev_dbg(rx->port->dev->device, "port %u: message %u for id %08x, which does not exist\n",
			  rx->port->num, cm_attr_of(&rx->mad->hdr),
			  be32_to_cpu(cm_receiver_id(rx->mad)));
	return id;
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
		goto unknown;
	if (!id->id.remote_id)
		return true;
	if (id->id.remote_id != sender &&
	    (sender || cm_attr_of(&rx->mad->hdr) != CM_ATTR_REJ))
		goto unknown;
	if (cm_from_peer(rx, id))
		return true;
unknown:
	ibdev_dbg(rx->port->dev->device, "port %u: message %u for id %08x comes from another peer, dropped\n",
		  rx->port->num, cm_attr_of(&rx->mad->hdr),
		  be32_to_cpu(id->id.local_id));
	return false;
}

/* The answer goes out once more. */
static void cm_trace_repeat(const struct cm_id *id, enum cm_input input)
{
	if (input == CM_RX_REQ)
		trace_icm_send_dup_req(&id->id);
	else if (input == CM_RX_REP)
		trace_icm_send_dup_rep(&id->id);
}

/* A message that the id has no use for. */
static void cm_trace_refused(const struct cm_rx *rx, const struct cm_id *id,
			     enum cm_input input)
{
	ibdev_dbg(rx->port->dev->device, "port %u: message %u refused in state %u of id %08x\n",
		  rx->port->num, cm_attr_of(&rx->mad->hdr), id->id.state,
		  be32_to_cpu(id->id.local_id));
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
const struct cm_fsm_step *cm_rx_step(struct cm_rx *rx, struct cm_id *id,
				     enum cm_input input)
{
	const struct cm_fsm_step *step = cm_fsm_step(id->id.state, input);

	lockdep_assert_held(&id->lock);
	if (step->result == CM_ASK_LAP)
		step = cm_fsm_lap_step(id->id.lap_state, input);

	switch (step->result) {
	case CM_GO:
		return step;
	case CM_REPEAT:
		cm_rx_count_duplicate(rx);
		cm_trace_repeat(id, input);
		cm_resend_reply(id, rx->mad->hdr.tid);
		break;
	case CM_DUPLICATE:
		cm_rx_count_duplicate(rx);
		break;
	case CM_REFUSED:
		cm_trace_refused(rx, id, input);
		break;
	}
	return NULL;
}

/* Move, and hand the message to the consumer. */
void cm_rx_finish(struct cm_rx *rx, struct cm_id *id,
		  const struct cm_fsm_step *step)
{
	lockdep_assert_held(&id->lock);
	cm_id_move(id, step->next);
	rx->event.event.event = step->raise;
	rx->event.message = rx;
	cm_event_post(id, &rx->event);
}

// SPDX-License-Identifier: GPL-2.0
/* What the MAD layer returns: messages sent, and requests without an answer. */
#include <rdma/ib_mad.h>

#include "core.h"
#include "trace.h"

/* @id's request got no answer, or the device is being removed. */
static void cm_request_failed(struct cm_id *id, enum ib_wc_status status)
{
	const struct cm_fsm_step *step = cm_fsm_step(id->id.state, CM_TIMEOUT);

	lockdep_assert_held(&id->lock);
	trace_icm_mad_send_err(status, id->id.state);
	if (step->result != CM_GO)
		return;
	cm_id_send_final(id, step->send);
	cm_id_move(id, step->next);
	cm_event_post_own(id, &id->failure, step->raise, status);
}

/*
 * The MAD layer is done with a message. Called by it in process context, with
 * no lock held.
 */
void cm_mad_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct ib_mad_send_buf *buf = wc->send_buf;
	struct cm_port *port = agent->context;
	struct cm_id *id = buf->context[0];
	unsigned long flags;

	if (id) {
		enum cm_attr attr = cm_attr_of(buf->mad);

		/* A request comes back with the retries that it took. */
		cm_count(port, CM_TX_MESSAGES, attr, buf->retries);
		cm_count(port, CM_TX_RETRIES, attr, buf->retries);

		spin_lock_irqsave(&id->lock, flags);
		if (id->request == buf) {
			id->request = NULL;
			if (wc->status != IB_WC_SUCCESS)
				cm_request_failed(id, wc->status);
		}
		spin_unlock_irqrestore(&id->lock, flags);
	}
	cm_buf_free(buf);
	if (id)
		cm_id_put(id);
}

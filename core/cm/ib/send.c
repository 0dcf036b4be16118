// SPDX-License-Identifier: GPL-2.0
/*
 * Sending. Answers go out once; a request (REQ, REP, DREQ, SIDR_REQ) is
 * repeated by the MAD layer until the id takes it back, or the retries are
 * used up.
 */
#include <ofed/refuse.h>
#include <rdma/ib_mad.h>

#include "core.h"

/* 2 ^ 23 ms, what the largest value of the wire means */
#define LONGEST_MS BIT(23)

static struct ib_mad_send_buf *cm_buf_new(struct ib_mad_agent *agent,
					  const struct cm_dest *dest,
					  u32 remote_qpn, const union cm_mad *mad)
{
	struct rdma_ah_attr av = dest->ah;
	struct ib_mad_send_buf *buf;
	struct ib_ah *ah;

	ah = rdma_create_ah(agent->qp->pd, &av, 0);
	if (IS_ERR(ah))
		return ERR_CAST(ah);
	buf = ib_create_send_mad(agent, remote_qpn, dest->pkey_index, 0,
				 IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA, GFP_ATOMIC,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf)) {
		rdma_destroy_ah(ah, 0);
		return buf;
	}
	buf->ah = ah;
	memcpy(buf->mad, mad, sizeof(*mad));
	return buf;
}

void cm_buf_free(struct ib_mad_send_buf *buf)
{
	rdma_destroy_ah(buf->ah, 0);
	ib_free_send_mad(buf);
}

/*
 * @owner: the id that sends this as its request, with a reference for
 *	   cm_mad_sent(); or NULL for an answer
 *
 * Context: any. Return: the buffer, which is the MAD layer's until
 * cm_mad_sent(); or ERR_PTR: -EINVAL (no address, or the device is gone),
 * -ENOMEM, or the errno of rdma_create_ah() or ib_post_send_mad().
 */
static struct ib_mad_send_buf *
cm_buf_send(const struct cm_dest *dest, u32 remote_qpn, const union cm_mad *mad,
	    struct cm_id *owner, u32 timeout_ms)
{
	struct ib_mad_send_buf *buf = ERR_PTR(-EINVAL);
	struct cm_port *port = dest->port;
	struct ib_mad_agent *agent;
	int ret;

	if (!port)
		return buf;

	/* Until it has posted: see port_close(). */
	rcu_read_lock();
	agent = rcu_dereference(port->agent);
	if (agent)
		buf = cm_buf_new(agent, dest, remote_qpn, mad);
	if (IS_ERR(buf))
		goto out;

	buf->context[0] = owner;
	if (owner) {
		buf->timeout_ms = clamp_t(u32, timeout_ms, 1, LONGEST_MS);
		buf->retries = owner->max_retries;
	}
	ret = ib_post_send_mad(buf, NULL);
	if (ret) {
		cm_buf_free(buf);
		buf = ERR_PTR(ret);
		goto out;
	}
	cm_count(port, CM_TX_MESSAGES, cm_attr_of(&mad->hdr), 1);
out:
	rcu_read_unlock();
	return buf;
}

/* Send an answer that no id waits for. As cm_buf_send(). */
int cm_transmit(const struct cm_dest *dest, u32 remote_qpn,
		const union cm_mad *mad)
{
	return PTR_ERR_OR_ZERO(cm_buf_send(dest, remote_qpn, mad, NULL, 0));
}

/* The passive side answers to where the request came from. */
static const struct cm_dest *cm_dest_of(const struct cm_id *id)
{
	return id->reply.port ? &id->reply : &id->av.to;
}

/* @ah: out; to compare, it holds no reference. Context: process. */
void cm_id_address(struct cm_id *id, struct rdma_ah_attr *ah)
{
	spin_lock_irq(&id->lock);
	*ah = cm_dest_of(id)->ah;
	spin_unlock_irq(&id->lock);
	ah->grh.sgid_attr = NULL;
}

int cm_id_reply(struct cm_id *id, const union cm_mad *mad)
{
	lockdep_assert_held(&id->lock);
	return cm_transmit(cm_dest_of(id), id->id.remote_cm_qpn, mad);
}

/* What the request that begins an exchange does to @id, or NULL: it may not begin now. */
const struct cm_fsm_step *cm_id_may_request(const struct cm_id *id, enum cm_input input)
{
	const struct cm_fsm_step *step = cm_fsm_step(id->id.state, input);

	lockdep_assert_held(&id->lock);
	if (step->result == CM_GO && !id->unplugged)
		return step;
	/* Without the device's name: an id may outlive it. */
	return ofed_refuse_call(NULL, "ib_cm: id %08x: call %u refused in state %u%s",
				be32_to_cpu(id->id.local_id), input, id->id.state,
				id->unplugged ? " without a device" : "");
}

/* Send a request in the place of the one under way. As cm_buf_send(). */
int cm_id_request(struct cm_id *id, const union cm_mad *mad, u32 timeout_ms)
{
	struct ib_mad_send_buf *buf;

	lockdep_assert_held(&id->lock);
	cm_id_hold(id);
	buf = cm_buf_send(cm_dest_of(id), id->id.remote_cm_qpn, mad, id, timeout_ms);
	if (IS_ERR(buf)) {
		/* The caller has another one, so this is not the last. */
		cm_id_put(id);
		return PTR_ERR(buf);
	}
	if (id->request)
		cm_id_cancel(id);
	id->request = buf;
	return 0;
}

/*
 * Cancels the request: the MAD layer returns it to cm_mad_sent(), which finds
 * that no id has it. It can not be freed before cm_mad_sent() has looked at the
 * id, under the lock that is held here.
 */
void cm_id_cancel(struct cm_id *id)
{
	lockdep_assert_held(&id->lock);
	ib_cancel_mad(id->request);
	id->request = NULL;
}

__be64 cm_id_tid(const struct cm_id *id)
{
	const struct cm_port *port = cm_dest_of(id)->port;
	u64 high = port ? port->hi_tid : 0;

	return cpu_to_be64(high << 32 | be32_to_cpu(id->id.local_id));
}

void cm_id_msg_ids(const struct cm_id *id, struct cm_msg_ids *ids)
{
	ids->tid = id->tid;
	ids->local_id = id->id.local_id;
	ids->remote_id = id->id.remote_id;
}

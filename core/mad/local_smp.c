// SPDX-License-Identifier: GPL-2.0
/*
 * Directed-route SMPs that begin and end at the same port (IBA 14.2.2): no
 * packet leaves. Sending queues them. A work item calls the driver's SMA
 * (process_mad may sleep, the poster may not), delivers the reply as if it had
 * been received, and then completes the SMP as sent.
 */
#include <linux/slab.h>
#include <rdma/ib_smi.h>

#include "priv.h"

/* As it would have been received from ourselves. */
static struct mad_recv *mad_as_received(const struct mad_send *send,
					const void *mad, size_t size)
{
	const struct ib_smp *smp = mad;
	const bool opa = smp->base_version == OPA_MGMT_BASE_VERSION;
	const struct ib_wc wc = {
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.byte_len = sizeof(struct ib_grh) + size,
		.qp = send->agent->qp->qp,
		.src_qp = IB_QP0,
		.slid = be16_to_cpu(opa ? IB_LID_PERMISSIVE : smp->dr_slid),
		.pkey_index = send->wr.pkey_index,
		.port_num = send->agent->port->num,
	};

	/* Readers go by the kind of the MAD, and the driver's agents look at all of it. */
	return mad_recv_alloc(&wc, NULL, mad, size,
			      max(size, mad_full_size(send->agent->port, smp->base_version)));
}

/* The reply of the driver, if it has one that the sender waits for. */
static void mad_deliver_reply(struct mad_send *send, const struct ib_mad *reply,
			      size_t size)
{
	const u8 base_version = reply->mad_hdr.base_version;
	struct mad_recv *recv;

	if (!ib_response_mad(&reply->mad_hdr))
		return;
	/* Only drivers for Omni-Path set the size. */
	if (base_version != OPA_MGMT_BASE_VERSION)
		size = sizeof(*reply);
	size = clamp(size, sizeof(*reply), mad_full_size(send->agent->port, base_version));
	recv = mad_as_received(send, reply, size);
	if (recv)
		mad_hand_to(send->agent, recv);
}

/* The agent lives as long as its send flies. */
static enum ib_wc_status mad_run_local(struct mad_send *send,
				       struct ib_mad *reply)
{
	struct mad_port *port = send->agent->port;
	struct ib_device *device = port->device;
	u16 pkey_index = send->wr.pkey_index;
	size_t size = port->mad_size;
	struct mad_recv *recv;
	int result;

	recv = mad_as_received(send, send->image, send->image_len);
	if (!recv)
		return IB_WC_GENERAL_ERR;
	result = device->ops.process_mad(device, 0, port->num, &recv->wc, NULL,
					 (const struct ib_mad *)recv->mad,
					 reply, &size, &pkey_index);
	if (!(result & IB_MAD_RESULT_SUCCESS)) {
		mad_recv_free(recv);
		return IB_WC_GENERAL_ERR;
	}
	if (!(result & (IB_MAD_RESULT_REPLY | IB_MAD_RESULT_CONSUMED))) {
		/* For another consumer of this port: an SM, or its client. */
		mad_route(send->agent->qp, recv, false);
		return IB_WC_SUCCESS;
	}
	if (!(result & IB_MAD_RESULT_CONSUMED))
		mad_deliver_reply(send, reply, size);
	mad_recv_free(recv);
	return IB_WC_SUCCESS;
}

static struct mad_send *mad_next_local(struct mad_port *port)
{
	struct mad_send *send;

	spin_lock_irq(&port->work_lock);
	send = list_first_entry_or_null(&port->locals, struct mad_send, queue);
	if (send)
		list_del_init(&send->queue);
	spin_unlock_irq(&port->work_lock);
	return send;
}

void mad_local_work(struct work_struct *work)
{
	struct mad_port *port = container_of(work, struct mad_port,
					     local_work);
	enum ib_wc_status status;
	struct mad_send *send;
	struct ib_mad *reply;

	/* Drivers for Omni-Path may write a reply of full size. */
	reply = kzalloc(port->mad_size, GFP_KERNEL);
	while ((send = mad_next_local(port))) {
		status = IB_WC_GENERAL_ERR;
		if (reply) {
			memset(reply, 0, port->mad_size);
			status = mad_run_local(send, reply);
		}
		mad_sent(send, status, 0);
		cond_resched();
	}
	kfree(reply);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * RMPP transfers that agents send: what their receiver replies; and such
 * replies of our own. Windows and numbers are rmpp.c's, timers send_list.c's.
 */
#include "priv.h"

/**
 * rmpp_reply - answer an RMPP packet with another one
 * @agent: agent that it is for
 * @recv: the packet
 * @type: ACK, STOP or ABORT
 * @status: of STOP and ABORT
 * @segment: of an ACK
 * @window: of an ACK
 *
 * It may be lost, as any packet. Context: process.
 */
void rmpp_reply(struct mad_agent *agent, const struct mad_recv *recv, u8 type,
		u8 status, u32 segment, u32 window)
{
	const struct ib_mad_hdr *hdr = (const void *)recv->mad;
	struct ib_rmpp_mad packet = {};

	memcpy(&packet, hdr, ib_get_mad_data_offset(hdr->mgmt_class));
	packet.mad_hdr.method ^= IB_MGMT_METHOD_RESP;
	packet.rmpp_hdr = (struct ib_rmpp_hdr){
		.rmpp_version = agent->pub.rmpp_version,
		.rmpp_type = type,
		.rmpp_status = status,
		.seg_num = cpu_to_be32(segment),
		.paylen_newwin = cpu_to_be32(window),
	};
	ib_set_rmpp_resptime(&packet.rmpp_hdr, IB_MGMT_RMPP_NO_RESPTIME);
	ib_set_rmpp_flags(&packet.rmpp_hdr, IB_MGMT_RMPP_FLAG_ACTIVE);
	mad_reply(agent->port, recv, &packet, sizeof(packet), recv->wc.pkey_index);
}

/* Returns what to do with @send; *status is not 0 when the ACK is refused. */
static enum mad_action rmpp_take_ack(struct mad_agent *agent, struct mad_send *send,
				     const struct ib_rmpp_hdr *hdr, u8 *status)
{
	enum rmpp_reply reply;

	lockdep_assert_held(&agent->lock);
	if (!mad_send_is_rmpp(send))
		return MAD_NOTHING;
	reply = rmpp_out_ack(&send->out, be32_to_cpu(hdr->seg_num),
			     be32_to_cpu(hdr->paylen_newwin), status);
	if (reply != RMPP_REFUSED)
		return mad_sends_acked(&agent->sends, send, reply, jiffies);
	mad_sends_decide(&agent->sends, send, IB_WC_REM_ABORT_ERR, *status);
	return mad_sends_take(send);
}

/**
 * rmpp_control - the receiver of a transfer, or of a request, says something
 * @agent: kept by the caller
 * @recv: an ACK, STOP or ABORT that rmpp_check() has passed; not the caller's
 *	  any more
 *
 * Context: process; no lock held.
 */
void rmpp_control(struct mad_agent *agent, struct mad_recv *recv)
{
	const struct ib_rmpp_hdr *hdr =
		&((struct ib_rmpp_mad *)recv->mad)->rmpp_hdr;
	enum mad_action next = MAD_NOTHING;
	struct mad_send *send;
	u8 refused = 0;

	if (hdr->rmpp_type != IB_MGMT_RMPP_TYPE_ACK)
		rmpp_recv_drop(agent, recv);

	spin_lock_irq(&agent->lock);
	send = mad_find_send(agent, recv);
	if (send && hdr->rmpp_type == IB_MGMT_RMPP_TYPE_ACK) {
		next = rmpp_take_ack(agent, send, hdr, &refused);
	} else if (send) {
		mad_sends_decide(&agent->sends, send, IB_WC_REM_ABORT_ERR,
				 hdr->rmpp_status);
		next = mad_sends_take(send);
	}
	mad_agent_arm(agent);
	spin_unlock_irq(&agent->lock);

	if (refused)
		rmpp_reply(agent, recv, IB_MGMT_RMPP_TYPE_ABORT, refused, 0, 0);
	mad_recv_free(recv);
	mad_do_action(send, next);
}

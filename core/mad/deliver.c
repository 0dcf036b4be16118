// SPDX-License-Identifier: GPL-2.0
/*
 * A received MAD and the agent that it is for: the request that a response
 * belongs to, and the consumer's handlers.
 */
#include <rdma/ib_cache.h>

#include "priv.h"

/* Header and addresses, as the driver reports them. */
void mad_recv_peer(const struct mad_port *port, const struct mad_recv *recv,
		   struct mad_peer *peer)
{
	const union rdma_network_hdr *hdr = (const void *)&recv->grh;
	enum rdma_network_type type = RDMA_NETWORK_IB;

	memset(peer, 0, sizeof(*peer));
	peer->lid = recv->wc.slid;
	peer->path_bits = recv->wc.dlid_path_bits;
	peer->grh = recv->wc.wc_flags & IB_WC_GRH;
	if (!peer->grh)
		return;
	/* All but IPv4 have the GIDs at the same place. */
	if (rdma_protocol_roce(port->device, port->num) &&
	    ib_get_rdma_header_version(hdr) == 4)
		type = RDMA_NETWORK_IPV4;
	if (ib_get_gids_from_rdma_hdr(hdr, type, &peer->far, &peer->own))
		peer->grh = false;
}

static bool mad_send_peer(const struct mad_send *send, struct mad_peer *peer)
{
	const struct mad_port *port = send->agent->port;
	const struct ib_mad_hdr *hdr = send->buf.mad;
	struct rdma_ah_attr attr = {};

	memset(peer, 0, sizeof(*peer));
	peer->directed = hdr->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	if (peer->directed)
		return true;
	if (rdma_query_ah(send->buf.ah, &attr))
		return false;
	peer->grh = rdma_ah_get_ah_flags(&attr) & IB_AH_GRH;
	if (!peer->grh) {
		peer->lid = rdma_ah_get_dlid(&attr);
		peer->path_bits = rdma_ah_get_path_bits(&attr);
		return true;
	}
	peer->far = rdma_ah_read_grh(&attr)->dgid;
	return !rdma_query_gid(port->device, port->num,
			       rdma_ah_read_grh(&attr)->sgid_index,
			       &peer->own);
}

struct match {
	struct mad_peer peer;
	bool is_response;
	u8 lmc;
};

static bool mad_match_address(const struct mad_send *send, const void *ctx)
{
	const struct match *got = ctx;
	struct mad_peer peer;

	/* A request to the local SMA is answered locally. */
	if (send->local)
		return got->is_response;
	return mad_send_peer(send, &peer) &&
	       mad_peer_match(&peer, ib_response_mad(send->buf.mad),
			      &got->peer, got->is_response, got->lmc);
}

/**
 * mad_find_send - find the send that a received MAD belongs to
 * @agent: agent that the MAD is for; its lock is held
 * @recv: the MAD
 *
 * Return: a send with an open outcome, or NULL.
 */
struct mad_send *mad_find_send(struct mad_agent *agent,
			       const struct mad_recv *recv)
{
	const struct ib_mad_hdr *hdr = (const void *)recv->mad;
	struct mad_port *port = agent->port;
	struct match got = { .is_response = ib_response_mad(hdr) };

	lockdep_assert_held(&agent->lock);
	if (ib_get_cached_lmc(port->device, port->num, &got.lmc))
		return NULL;
	mad_recv_peer(port, recv, &got.peer);
	return mad_sends_find(&agent->sends, hdr, mad_match_address, &got);
}

/* Decide the request that @recv answers; @busy keeps it for the handler. */
static struct mad_send *mad_take_request(struct mad_agent *agent,
					 struct mad_recv *recv)
{
	struct mad_send *send;
	unsigned long flags;

	spin_lock_irqsave(&agent->lock, flags);
	send = mad_find_send(agent, recv);
	if (send) {
		mad_sends_decide(&agent->sends, send, IB_WC_SUCCESS, 0);
		send->busy = true;
	}
	spin_unlock_irqrestore(&agent->lock, flags);
	return send;
}

/**
 * mad_deliver - hand a received MAD, or a whole transfer, to the consumer
 * @agent: kept by the caller; has a receive handler
 * @recv: charged; not the caller's any more
 *
 * A response that matches no request is dropped, but for later segments of an
 * RMPP transfer: a consumer with IB_MAD_USER_RMPP puts them together itself.
 * Context: process; no lock held.
 */
void mad_deliver(struct mad_agent *agent, struct mad_recv *recv)
{
	ib_mad_recv_handler handler = agent->pub.recv_handler;
	struct mad_send *send;
	enum mad_action next;

	if (!ib_response_mad(mad_recv_hdr(recv))) {
		handler(&agent->pub, NULL, &recv->pub);
		return;
	}

	send = mad_take_request(agent, recv);
	if (!send) {
		if (mad_is_active_rmpp(recv) &&
		    !ib_mad_kernel_rmpp_agent(&agent->pub))
			handler(&agent->pub, NULL, &recv->pub);
		else
			ib_free_recv_mad(&recv->pub);
		return;
	}

	recv->wc.wr_id = (uintptr_t)&send->buf;
	handler(&agent->pub, &send->buf, &recv->pub);

	spin_lock_irq(&agent->lock);
	send->busy = false;
	next = mad_sends_take(send);
	spin_unlock_irq(&agent->lock);
	mad_do_action(send, next);
}

// SPDX-License-Identifier: GPL-2.0
/* All requests go on from here: mx__luigi() of the notes. */
#include <limits.h>
#include <stdio.h>
#include "endpoint.h"

#define PROGRESS_EVENTS	4	/* completions in one call, and before an acknowledgment */

static void progress_packet(struct mx_endpoint *ep, const struct ibv_wc *wc)
{
	const char *wrong = incoming(ep, ep->rooms.memory->recv[wc->wr_id], wc->byte_len);

	if (wrong) {
		fprintf(stderr, "mx: the peer sent %s\n", wrong);
		endpoint_die(ep, MX_BAD_PACKET);
		return;
	}
	ep->partner.owed++;
	if (!link_post_recv(ep, wc->wr_id))
		ep->link.up = false;
}

static void progress_completion(struct mx_endpoint *ep, const struct ibv_wc *wc)
{
	if (wc->status != IBV_WC_SUCCESS) {
		ep->link.up = false;
	} else if (wc->opcode & IBV_WC_RECV) {
		progress_packet(ep, wc);
	} else {
		ep->link.room++;
		if (wc->wr_id)
			send_completed(ep, (struct mx_request *)wc->wr_id);
	}
}

static int progress_completions(struct mx_endpoint *ep, int most)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < most && ep->link.up && ibv_poll_cq(ep->link.cq, 1, &wc) > 0; i++)
		progress_completion(ep, &wc);
	return i;
}

/* Has anything moved? Of a connection that has ended, all that came by it is looked at. */
bool progress(struct mx_endpoint *ep)
{
	int n, most = PROGRESS_EVENTS;
	bool moved;

	if (ep->dead)
		return false;
	if (link_has_ended(ep))
		most = INT_MAX;
	n = progress_completions(ep, most);
	if (most == INT_MAX || !ep->link.up)
		endpoint_die(ep, MX_CLOSED);
	moved = send_requests(ep) || n;
	/* A message that left has the news in its header. */
	if (partner_has_news(ep))
		post_control(ep, WIRE_ACK);
	return moved;
}

/*
 * Until something can move, or for @ms. What completes after the queue was armed ends the
 * sleep, what completed before is found by the look in between.
 */
void progress_wait(struct mx_endpoint *ep, int ms)
{
	if (ep->dead || ibv_req_notify_cq(ep->link.cq, 0) || progress(ep) || ep->dead)
		return;
	link_sleep(ep, ms);
}

// SPDX-License-Identifier: GPL-2.0
/* Messages and receives find each other by match bits, the first of each first. */
#include "endpoint.h"

/* For a message: the receive that was posted first, of those that take it. */
struct mx_request *match_receive(struct mx_endpoint *ep, uint64_t bits)
{
	struct mx_request *r;

	TAILQ_FOREACH(r, &ep->queue[RECV_REQQ], entry)
		if ((bits & r->mask) == r->match)
			break;
	return r;
}

/* For a receive: the message that came first, of those that it takes. */
struct mx_request *match_message(struct mx_endpoint *ep, uint64_t match, uint64_t mask)
{
	struct mx_request *r;

	TAILQ_FOREACH(r, &ep->queue[UNEXPQ], entry)
		if ((r->status.match & mask) == match)
			break;
	return r;
}

// SPDX-License-Identifier: GPL-2.0
/* A packet has come: is it its message's turn? */
#include <stdlib.h>
#include <string.h>
#include "endpoint.h"

#define INCOMING_EARLY	1024	/* a peer that keeps to its credits has less */

static const char *incoming_in_order(struct mx_endpoint *ep, const struct packet *p)
{
	const char *wrong;
	bool complete = true;

	if (p->type == WIRE_NOTIFY)
		wrong = send_notified(ep, p);
	else
		wrong = recv_message(ep, p, &complete);
	if (!wrong && complete)
		ep->partner.expected++;
	return wrong;
}

/* A copy: the receive buffer is free again, and the peer can send what is missing. */
static const char *incoming_early(struct mx_endpoint *ep, const struct packet *p)
{
	struct early *e = malloc(sizeof(*e) + p->bytes);

	if (!e || ep->partner.early_now == INCOMING_EARLY) {
		free(e);
		return "too many messages before their turn";
	}
	e->packet = *p;
	e->packet.data = memcpy(e->data, p->data, p->bytes);
	TAILQ_INSERT_TAIL(&ep->partner.early, e, entry);
	ep->partner.early_now++;
	ep->partner.early_ever++;
	return NULL;
}

/* An early packet of the message that is expected now, or NULL. */
static struct early *incoming_take_early(struct mx_endpoint *ep)
{
	struct early *e;

	TAILQ_FOREACH(e, &ep->partner.early, entry)
		if (e->packet.seq == ep->partner.expected) {
			TAILQ_REMOVE(&ep->partner.early, e, entry);
			ep->partner.early_now--;
			break;
		}
	return e;
}

static const char *incoming_message(struct mx_endpoint *ep, const struct packet *p)
{
	const char *wrong;
	struct early *e;

	if (wire_before(p->seq, ep->partner.expected))
		return "a message for the second time";
	ep->partner.news = true;
	if (p->seq != ep->partner.expected)
		return incoming_early(ep, p);
	wrong = incoming_in_order(ep, p);
	while (!wrong && (e = incoming_take_early(ep))) {
		wrong = incoming_in_order(ep, &e->packet);
		free(e);
	}
	return wrong;
}

/* Returns what is wrong with the packet, or NULL. */
const char *incoming(struct mx_endpoint *ep, const void *from, uint32_t bytes)
{
	struct packet p;
	const char *wrong = wire_unpack(&p, from, bytes);

	if (!wrong)
		wrong = partner_heard(ep, &p);
	if (wrong || p.type == WIRE_ACK)
		return wrong;
	return incoming_message(ep, &p);
}

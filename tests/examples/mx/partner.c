// SPDX-License-Identifier: GPL-2.0
/*
 * Acknowledgments and credits.
 *
 * Each packet takes a receive buffer of the peer's, so each side counts those that are free: a
 * SEND that finds none waits for a while in InfiniBand, and ends the connection in iWARP. One
 * credit is kept back for WIRE_ACK, which brings credits to the peer; so both cannot be
 * without.
 */
#include "endpoint.h"

static void partner_ack_queue(struct mx_endpoint *ep, struct request_queue *queue,
			      uint32_t ack)
{
	struct mx_request *r, *next;

	for (r = TAILQ_FIRST(queue); r; r = next) {
		next = TAILQ_NEXT(r, entry);
		if ((r->type == RECV_LARGE && !r->notifying) || !wire_before(r->seq, ack))
			continue;
		r->state |= ACKED;
		send_acked_and_completed(ep, r);
	}
}

/* What each packet says beside its message. Returns what is wrong with it, or NULL. */
const char *partner_heard(struct mx_endpoint *ep, const struct packet *p)
{
	struct partner *partner = &ep->partner;
	int i;

	if (wire_before(p->ack, partner->acked) || wire_before(partner->next_seq, p->ack))
		return "an acknowledgment of what was not sent";
	if (partner->credits + p->credits > ROOM_RECV)
		return "more credits than there are buffers";
	partner->credits += p->credits;
	if (p->ack == partner->acked)
		return NULL;
	partner->acked = p->ack;
	for (i = BUFFERED_SENDQ; i <= RESEND_LIST; i++)
		partner_ack_queue(ep, &ep->queue[i], p->ack);
	return NULL;
}

/* The same of a packet that leaves. */
void partner_stamp(struct mx_endpoint *ep, struct packet *p)
{
	struct partner *partner = &ep->partner;

	p->ack = partner->expected;
	p->credits = partner->owed;
	partner->owed = 0;
	partner->news = false;
	partner->credits--;
}

/* Is there an acknowledgment to send, or are credits to be given back? */
bool partner_has_news(const struct mx_endpoint *ep)
{
	const struct partner *partner = &ep->partner;

	return (partner->news || partner->owed >= ROOM_RECV / 2) && partner->credits &&
	       ep->link.up && ep->link.room;
}

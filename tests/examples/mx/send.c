// SPDX-License-Identifier: GPL-2.0
/* A request that is to be sent: waiting, with the device, waiting for the peer, done. */
#include <arpa/inet.h>
#include <string.h>
#include "endpoint.h"

static bool send_is_get(const struct mx_request *r)
{
	return r->type == RECV_LARGE && !r->notifying;
}

/* A READ takes no receive buffer of the peer's. One credit is that of WIRE_ACK. */
static bool send_has_credit(const struct mx_endpoint *ep, const struct mx_request *r)
{
	unsigned int packets = r->type == SEND_MEDIUM ? WIRE_FRAGMENTS : 1;

	return ep->link.up && ep->link.room >= packets &&
	       (send_is_get(r) || ep->partner.credits > packets);
}

/* Small and medium messages are sent from a copy. */
static bool send_has_room(struct mx_endpoint *ep, struct mx_request *r)
{
	if (r->type != SEND_SMALL && r->type != SEND_MEDIUM)
		return true;
	r->room = room_get(&ep->rooms, r->length);
	return r->room;
}

static bool send_try(struct mx_endpoint *ep, struct mx_request *r)
{
	if (!send_has_credit(ep, r) || !send_has_room(ep, r))
		return false;
	post_request(ep, r);
	return true;
}

/*
 * A new request. What is short leaves at once if it can, before longer ones that wait: the
 * peer puts messages in order by their numbers. Enough credits remain for a longer one.
 */
void send_begin(struct mx_endpoint *ep, struct mx_request *r)
{
	r->seq = ep->partner.next_seq++;
	if ((r->type == SEND_TINY || r->type == SEND_SMALL) &&
	    ep->partner.credits > WIRE_FRAGMENTS + 1 && send_try(ep, r))
		return;
	request_step(ep, r, SEND_REQQ, SEND_QUEUED, 0);
}

/* What waits, in its order. */
bool send_requests(struct mx_endpoint *ep)
{
	struct mx_request *r;
	bool moved = false;

	while ((r = TAILQ_FIRST(&ep->queue[SEND_REQQ])) && send_try(ep, r))
		moved = true;
	return moved;
}

/* A large receive has all it wanted, or cannot have it. Its sender is to know. */
void send_notify(struct mx_endpoint *ep, struct mx_request *r)
{
	r->notifying = true;
	r->seq = ep->partner.next_seq++;
	request_step(ep, r, SEND_REQQ, SEND_QUEUED, MCP);
}

/* The device is done with a work request of it. */
void send_completed(struct mx_endpoint *ep, struct mx_request *r)
{
	if (--r->packets)
		return;
	if (send_is_get(r)) {
		send_notify(ep, r);
		return;
	}
	if (r->type == SEND_SMALL) {
		room_free(&ep->rooms, r->room, r->length);
		r->room = NULL;
	}
	request_step(ep, r, RESEND_LIST, 0, MCP);
	send_acked_and_completed(ep, r);
}

/* Once the peer has the message and the device does not need it any more. */
void send_acked_and_completed(struct mx_endpoint *ep, struct mx_request *r)
{
	if ((r->state & MCP) || !(r->state & ACKED))
		return;
	if (r->type == SEND_LARGE)
		request_step(ep, r, NOTIFYING_LARGE_SENDQ, 0, 0);
	if (r->type != SEND_LARGE || r->notified)
		request_done(ep, r);
}

/* The large send of that number, which the peer has and has not read. */
static struct mx_request *send_find_large(struct request_queue *queue, uint32_t seq)
{
	struct mx_request *r;

	TAILQ_FOREACH(r, queue, entry)
		if (r->seq == seq && (r->state & ACKED) && !r->notified)
			break;
	return r;
}

/* The peer has read the message, or as much of it as it has room for. */
const char *send_notified(struct mx_endpoint *ep, const struct packet *p)
{
	struct wire_notify notify;
	struct mx_request *r;

	memcpy(&notify, p->data, sizeof(notify));
	r = send_find_large(&ep->queue[NOTIFYING_LARGE_SENDQ], ntohl(notify.seq));
	if (!r)
		r = send_find_large(&ep->queue[LARGE_SENDQ], ntohl(notify.seq));
	if (!r || ntohl(notify.xfer_length) > r->length)
		return "a notify of what was not sent";
	r->notified = true;
	r->status.xfer_length = ntohl(notify.xfer_length);
	if (notify.failed)
		r->status.code = MX_BAD_MEMORY;
	if (!(r->state & MCP))
		request_done(ep, r);
	return NULL;
}

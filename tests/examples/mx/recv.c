// SPDX-License-Identifier: GPL-2.0
/* A message and the receive that takes it. */
#include <stdlib.h>
#include <string.h>
#include "endpoint.h"

/* What a receive learns of its message. */
static void recv_matched(struct mx_request *r, uint64_t match, uint32_t length)
{
	r->status.match = match;
	r->status.msg_length = length;
	r->status.xfer_length = wire_min(length, r->length);
	if (length > r->length)
		r->status.code = MX_TRUNCATED;
	r->state |= RECV_MATCHED;
}

/* A message without a receive is a request, too, with memory of the library's. */
static struct mx_request *recv_unexpected(struct mx_endpoint *ep, const struct packet *p)
{
	void *buffer = malloc(p->type == WIRE_LARGE ? 1 : p->length + 1);
	struct mx_request *u = request_new(UNEXPECTED, buffer, p->length, p->match);

	if (!u || !buffer) {
		free(u);
		free(buffer);
		return NULL;
	}
	request_step(ep, u, UNEXPQ, 0, 0);
	return u;
}

/* The receive that the message is for, or else a place for it to wait. */
static struct mx_request *recv_find(struct mx_endpoint *ep, const struct packet *p)
{
	struct mx_request *r = match_receive(ep, p->match);

	if (!r)
		return recv_unexpected(ep, p);
	recv_matched(r, p->match, p->length);
	return r;
}

/* What of the packet is within the buffer. */
static void recv_copy(struct mx_request *r, const struct packet *p)
{
	if (p->offset < r->status.xfer_length)
		memcpy((char *)r->buffer + p->offset, p->data,
		       wire_min(r->status.xfer_length - p->offset, p->bytes));
	r->received = p->offset + p->bytes;
}

/* Tiny, small, and each fragment of medium messages: true if the message is complete. */
static bool recv_data(struct mx_endpoint *ep, struct mx_request *r, const struct packet *p)
{
	bool complete;

	recv_copy(r, p);
	complete = r->received == p->length;
	ep->partner.partial = complete ? NULL : r;
	if (r->type == RECV && complete)
		request_done(ep, r);
	else if (r->type == RECV && r->queue == RECV_REQQ)
		request_step(ep, r, MULTIFRAG_RECVQ, 0, 0);
	return complete;
}

/* The message is to be read from the peer's memory. Of nothing, the peer is told at once. */
static void recv_queue_large(struct mx_endpoint *ep, struct mx_request *r)
{
	r->type = RECV_LARGE;
	if (r->status.msg_length && !r->peer.address) {
		r->status.code = MX_BAD_MEMORY;
		r->status.xfer_length = 0;
	}
	if (!r->status.xfer_length)
		send_notify(ep, r);
	else
		request_step(ep, r, SEND_REQQ, SEND_QUEUED, 0);
}

static void recv_large(struct mx_endpoint *ep, struct mx_request *r, const struct packet *p)
{
	memcpy(&r->peer, p->data, sizeof(r->peer));
	r->peer_seq = p->seq;
	r->large = true;
	if (r->type == RECV)
		recv_queue_large(ep, r);
}

/* A packet of the message that is next. Returns what is wrong with it, or NULL. */
const char *recv_message(struct mx_endpoint *ep, const struct packet *p, bool *complete)
{
	struct mx_request *r = ep->partner.partial;

	if (p->offset != (r ? r->received : 0))
		return "a fragment that does not follow";
	if (r && (p->type != WIRE_MEDIUM || p->length != r->status.msg_length))
		return "two messages of one number";
	if (!r)
		r = recv_find(ep, p);
	if (!r)
		return "a message for which there is no memory";
	if (p->type == WIRE_LARGE)
		recv_large(ep, r, p);
	else
		*complete = recv_data(ep, r, p);
	return NULL;
}

/* What has come of the message, or where it is. */
static void recv_take_over(struct mx_endpoint *ep, struct mx_request *r, struct mx_request *u)
{
	r->peer = u->peer;
	r->peer_seq = u->peer_seq;
	r->received = u->received;
	memcpy(r->buffer, u->buffer, wire_min(u->received, r->status.xfer_length));
	if (u->large) {
		recv_queue_large(ep, r);
	} else if (ep->partner.partial == u) {
		ep->partner.partial = r;
		request_step(ep, r, MULTIFRAG_RECVQ, 0, 0);
	} else {
		request_done(ep, r);
	}
}

/* A new receive. */
void recv_begin(struct mx_endpoint *ep, struct mx_request *r)
{
	struct mx_request *u = match_message(ep, r->match, r->mask);

	if (!u) {
		request_step(ep, r, RECV_REQQ, 0, 0);
		return;
	}
	recv_matched(r, u->status.match, u->status.msg_length);
	recv_take_over(ep, r, u);
	request_free(ep, u);
}

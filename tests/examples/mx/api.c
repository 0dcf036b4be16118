// SPDX-License-Identifier: GPL-2.0
/* What a program calls: arguments are looked at here, and nowhere else. */
#include "endpoint.h"

#define API_LOOK_MS	100	/* the longest sleep */

const char *mx_strerror(enum mx_return code)
{
	static const char * const text[] = {
		[MX_SUCCESS] = "success",
		[MX_BAD_ENDPOINT] = "no endpoint, or no name of one",
		[MX_BAD_BUFFER] = "no buffer for a length that is not 0",
		[MX_BAD_LENGTH] = "longer than the longest message",
		[MX_BAD_MASK] = "match bits that the mask leaves out",
		[MX_BAD_REQUEST] = "no request, or one that has ended",
		[MX_NO_MEMORY] = "out of memory",
		[MX_NO_CONNECTION] = "no connection to that address",
		[MX_TRUNCATED] = "the message is longer than the buffer",
		[MX_BAD_MEMORY] = "a buffer is no memory of its process",
		[MX_BAD_PACKET] = "the peer broke the protocol",
		[MX_CLOSED] = "the connection has ended",
	};

	return (unsigned int)code < sizeof(text) / sizeof(text[0]) ? text[code] : "unknown";
}

static enum mx_return api_check(struct mx_endpoint *ep, const void *buffer, uint32_t length,
				struct mx_request **request)
{
	if (!ep)
		return MX_BAD_ENDPOINT;
	if (!request)
		return MX_BAD_REQUEST;
	if (length > MX_LONGEST)
		return MX_BAD_LENGTH;
	return length && !buffer ? MX_BAD_BUFFER : MX_SUCCESS;
}

static enum mx_return api_send(struct mx_endpoint *ep, enum request_type type, const void *buffer,
			       uint32_t length, uint64_t match, void *context,
			       struct mx_request **request)
{
	enum mx_return bad = api_check(ep, buffer, length, request);

	if (!bad)
		bad = ep->dead;
	if (bad)
		return bad;
	*request = request_new(type, (void *)buffer, length, match);
	if (!*request)
		return MX_NO_MEMORY;
	(*request)->status.context = context;
	send_begin(ep, *request);
	return MX_SUCCESS;
}

enum mx_return mx_isend(struct mx_endpoint *ep, const void *buffer, uint32_t length,
			uint64_t match, void *context, struct mx_request **request)
{
	enum request_type way = length <= WIRE_TINY_MAX ? SEND_TINY :
				length <= WIRE_SMALL_MAX ? SEND_SMALL :
				length <= WIRE_MEDIUM_MAX ? SEND_MEDIUM : SEND_LARGE;

	return api_send(ep, way, buffer, length, match, context, request);
}

/* The peer says of large messages alone that a receive has them: so all take that way. */
enum mx_return mx_issend(struct mx_endpoint *ep, const void *buffer, uint32_t length,
			 uint64_t match, void *context, struct mx_request **request)
{
	return api_send(ep, SEND_LARGE, buffer, length, match, context, request);
}

enum mx_return mx_irecv(struct mx_endpoint *ep, void *buffer, uint32_t length, uint64_t match,
			uint64_t mask, void *context, struct mx_request **request)
{
	enum mx_return bad = api_check(ep, buffer, length, request);

	if (!bad && match & ~mask)
		bad = MX_BAD_MASK;
	/* Messages that came before the connection ended can still be received. */
	if (!bad && !match_message(ep, match, mask))
		bad = ep->dead;
	if (bad)
		return bad;
	*request = request_new(RECV, buffer, length, match);
	if (!*request)
		return MX_NO_MEMORY;
	(*request)->mask = mask;
	(*request)->status.context = context;
	recv_begin(ep, *request);
	return MX_SUCCESS;
}

/* That request, or any, if it has ended. */
static struct mx_request *api_ended(struct mx_endpoint *ep, struct mx_request *r)
{
	if (!r)
		return TAILQ_FIRST(&ep->queue[DONEQ]);
	return r->queue == DONEQ || r->queue == PEEKED ? r : NULL;
}

/* Until it has, or the time is over. */
static struct mx_request *api_look(struct mx_endpoint *ep, struct mx_request *wanted, int ms)
{
	int64_t end = link_now() + ms, left;
	struct mx_request *r;

	for (;;) {
		progress(ep);
		r = api_ended(ep, wanted);
		left = ms < 0 ? API_LOOK_MS : end - link_now();
		if (r || left <= 0)
			return r;
		progress_wait(ep, left < API_LOOK_MS ? left : API_LOOK_MS);
	}
}

/* The program learns how it ended, and the request is no more. */
enum mx_return mx_wait(struct mx_endpoint *ep, struct mx_request **request, int ms,
		       struct mx_status *status, bool *done)
{
	if (!ep)
		return MX_BAD_ENDPOINT;
	if (!request || !*request || !done)
		return MX_BAD_REQUEST;
	*done = api_look(ep, *request, ms);
	if (!*done)
		return MX_SUCCESS;
	if (status)
		*status = (*request)->status;
	request_free(ep, *request);
	*request = NULL;
	return MX_SUCCESS;
}

enum mx_return mx_peek(struct mx_endpoint *ep, int ms, struct mx_request **request, bool *done)
{
	if (!ep)
		return MX_BAD_ENDPOINT;
	if (!request || !done)
		return MX_BAD_REQUEST;
	*request = api_look(ep, NULL, ms);
	*done = *request;
	if (*request)
		request_step(ep, *request, PEEKED, 0, 0);
	return MX_SUCCESS;
}

enum mx_return mx_progress(struct mx_endpoint *ep)
{
	if (!ep)
		return MX_BAD_ENDPOINT;
	progress(ep);
	return MX_SUCCESS;
}

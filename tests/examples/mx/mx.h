/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages with match bits between two processes, in the manner of Myrinet Express.
 *
 * A send and a receive are requests: calls begin them, mx_test() and its relatives end them.
 * The buffer of a request is the library's from the call that begins it to the one that ends
 * it. One thread of a process may call. Documentation/howto/mx.md follows a request.
 */
#ifndef MX_H
#define MX_H

#include <stdbool.h>
#include <stdint.h>

struct mx_endpoint;
struct mx_request;

/* What calls return, and how requests end. */
enum mx_return {
	MX_SUCCESS, MX_BAD_ENDPOINT, MX_BAD_BUFFER, MX_BAD_LENGTH, MX_BAD_MASK, MX_BAD_REQUEST,
	MX_NO_MEMORY, MX_NO_CONNECTION, MX_TRUNCATED, MX_BAD_MEMORY, MX_BAD_PACKET, MX_CLOSED,
};

#define MX_LONGEST	(8u << 20)	/* bytes: what every device reads at once */
#define MX_FOREVER	(-1)
#define MX_LIFE		256

struct mx_status {
	enum mx_return code;
	uint64_t match;		/* of the message */
	uint32_t msg_length;	/* of the message */
	uint32_t xfer_length;	/* what of it has reached the receiver's buffer */
	void *context;
	char life[MX_LIFE];	/* each queue that the request was in, and its states there */
};

const char *mx_strerror(enum mx_return code);

/* Two processes meet: one listens until the other has come. */
enum mx_return mx_listen(const char *service, struct mx_endpoint **ep);
enum mx_return mx_connect(const char *host, const char *service, struct mx_endpoint **ep);
enum mx_return mx_close(struct mx_endpoint *ep);

/*
 * mx_isend() is done when the peer has the message, mx_issend() when a receive of the peer's
 * has it. A receive takes the first message of which (bits & @mask) == @match.
 */
enum mx_return mx_isend(struct mx_endpoint *ep, const void *buffer, uint32_t length,
			uint64_t match, void *context, struct mx_request **request);
enum mx_return mx_issend(struct mx_endpoint *ep, const void *buffer, uint32_t length,
			 uint64_t match, void *context, struct mx_request **request);
enum mx_return mx_irecv(struct mx_endpoint *ep, void *buffer, uint32_t length, uint64_t match,
			uint64_t mask, void *context, struct mx_request **request);

/*
 * Has it ended? Then it is no more, and @request becomes NULL. Else @done is false when @ms
 * milliseconds are over.
 */
enum mx_return mx_wait(struct mx_endpoint *ep, struct mx_request **request, int ms,
		       struct mx_status *status, bool *done);

/* Which one has ended? It is named once, and mx_wait() or mx_test() ends it. */
enum mx_return mx_peek(struct mx_endpoint *ep, int ms, struct mx_request **request, bool *done);

/* The same without waiting. */
#define mx_test(ep, request, status, done)	mx_wait(ep, request, 0, status, done)
#define mx_ipeek(ep, request, done)		mx_peek(ep, 0, request, done)

/* Requests go on in each call that asks for one, and here. */
enum mx_return mx_progress(struct mx_endpoint *ep);

#endif /* MX_H */

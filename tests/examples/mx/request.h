/* SPDX-License-Identifier: GPL-2.0 */
/* A request: its type, its states, and the one queue that it is in. */
#ifndef REQUEST_H
#define REQUEST_H

#include <sys/queue.h>
#include "mx.h"
#include "wire.h"

struct window;

enum request_type { SEND_TINY, SEND_SMALL, SEND_MEDIUM, SEND_LARGE, RECV, RECV_LARGE, UNEXPECTED };

/* MX__REQUEST_STATE_* of the notes. */
enum request_state {
	SEND_QUEUED = 1 << 0,	/* it waits to be posted */
	BUFFERED = 1 << 1,	/* its data was copied when it was posted */
	MCP = 1 << 2,		/* the device has a work request of it */
	ACKED = 1 << 3,		/* the peer has said that the message came */
	RECV_MATCHED = 1 << 4,	/* the receive has its message */
};

/* Their names are those of the notes. */
enum queue_name {
	SEND_REQQ,		/* waits to be posted */
	BUFFERED_SENDQ,		/* tiny, small, medium: the device has it */
	LARGE_SENDQ,		/* large: the device has the rendezvous */
	LARGE_GETQ,		/* large receive: the device has the READ, or the notify */
	RESEND_LIST,		/* sent, not acknowledged */
	NOTIFYING_LARGE_SENDQ,	/* large: the peer has not read it */
	RECV_REQQ,		/* a receive without a message */
	UNEXPQ,			/* a message without a receive */
	MULTIFRAG_RECVQ,	/* a receive with a part of its message */
	DONEQ,			/* ended, and the program does not know */
	PEEKED,			/* ended, and named by mx_peek() */
	QUEUES,
};

struct mx_request {
	TAILQ_ENTRY(mx_request) entry;
	enum queue_name queue;
	enum request_type type;
	unsigned int state;
	void *buffer;
	uint32_t length;	/* of the buffer */
	uint64_t match, mask;
	uint32_t seq;		/* the peer acknowledges this number */
	uint32_t packets;	/* work requests that have not completed */
	void *room;		/* where the device finds copied data */
	struct window *window;	/* registered memory */
	uint32_t received;	/* bytes of a message of several fragments */
	bool notifying;		/* a receive has all it wanted: the peer is to know */
	bool notified;		/* a send of which the peer has said so */
	bool large;		/* a message that is to be read from the peer's memory */
	uint32_t peer_seq;	/* its number */
	struct wire_window peer;	/* its place */
	struct mx_status status;
};

TAILQ_HEAD(request_queue, mx_request);

struct mx_request *request_new(enum request_type type, void *buffer, uint32_t length,
			       uint64_t match);
void request_free(struct mx_endpoint *ep, struct mx_request *r);
void request_step(struct mx_endpoint *ep, struct mx_request *r, enum queue_name queue,
		  unsigned int add, unsigned int remove);
void request_done(struct mx_endpoint *ep, struct mx_request *r);

#endif /* REQUEST_H */

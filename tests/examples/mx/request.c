// SPDX-License-Identifier: GPL-2.0
/* A request is in one queue at a time, and what it goes through is written down. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "endpoint.h"

static const char * const queue_names[QUEUES] = {
	"send_reqq", "buffered_sendq", "large_sendq", "large_getq", "resend_list",
	"notifying_large_sendq", "recv_reqq", "unexpq", "multifrag_recvq", "doneq", "peeked",
};
static const char * const state_names[] = {
	"SEND_QUEUED", "BUFFERED", "MCP", "ACKED", "RECV_MATCHED",
};

struct mx_request *request_new(enum request_type type, void *buffer, uint32_t length,
			       uint64_t match)
{
	struct mx_request *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->queue = QUEUES;
	r->type = type;
	r->buffer = buffer;
	r->length = length;
	r->match = match;
	r->status.match = match;
	r->status.msg_length = length;
	r->status.xfer_length = length;
	return r;
}

static void request_write_down(struct mx_request *r)
{
	char *to = r->status.life;
	size_t i, used = strlen(to);

	used += snprintf(to + used, MX_LIFE - used, "%s%s", used ? " " : "",
			 queue_names[r->queue]);
	for (i = 0; i < sizeof(state_names) / sizeof(*state_names) && used < MX_LIFE; i++)
		if (r->state & 1 << i)
			used += snprintf(to + used, MX_LIFE - used, "+%s", state_names[i]);
}

static void request_leave(struct mx_endpoint *ep, struct mx_request *r)
{
	if (r->queue < QUEUES)
		TAILQ_REMOVE(&ep->queue[r->queue], r, entry);
}

/* One step of its life: queue and states change together. */
void request_step(struct mx_endpoint *ep, struct mx_request *r, enum queue_name queue,
		  unsigned int add, unsigned int remove)
{
	request_leave(ep, r);
	r->state = (r->state & ~remove) | add;
	r->queue = queue;
	TAILQ_INSERT_TAIL(&ep->queue[queue], r, entry);
	request_write_down(r);
}

/* What the request holds beside its buffer. */
static void request_release(struct mx_endpoint *ep, struct mx_request *r)
{
	if (r->room)
		room_free(&ep->rooms, r->room, r->length);
	r->room = NULL;
	if (r->window)
		cache_put(&ep->cache, r->window);
	r->window = NULL;
}

void request_done(struct mx_endpoint *ep, struct mx_request *r)
{
	request_release(ep, r);
	request_step(ep, r, DONEQ, 0, SEND_QUEUED | MCP);
}

void request_free(struct mx_endpoint *ep, struct mx_request *r)
{
	request_release(ep, r);
	request_leave(ep, r);
	if (r->type == UNEXPECTED)
		free(r->buffer);
	free(r);
}

// SPDX-License-Identifier: GPL-2.0
/* An endpoint comes, loses its peer, and goes. */
#include <stdlib.h>
#include "endpoint.h"

#define ENDPOINT_CLOSE_MS	5000

static struct mx_endpoint *endpoint_new(void)
{
	struct mx_endpoint *ep = calloc(1, sizeof(*ep));
	int i;

	if (!ep)
		return NULL;
	for (i = 0; i < QUEUES; i++)
		TAILQ_INIT(&ep->queue[i]);
	TAILQ_INIT(&ep->partner.early);
	return ep;
}

static void endpoint_free(struct mx_endpoint *ep)
{
	struct early *e;
	int i;

	link_end(ep);
	for (i = 0; i < QUEUES; i++)
		while (!TAILQ_EMPTY(&ep->queue[i]))
			request_free(ep, TAILQ_FIRST(&ep->queue[i]));
	while ((e = TAILQ_FIRST(&ep->partner.early))) {
		TAILQ_REMOVE(&ep->partner.early, e, entry);
		free(e);
	}
	if (ep->cache.pd)
		cache_exit(&ep->cache);
	room_exit(&ep->rooms);
	if (ep->link.pd)
		ibv_dealloc_pd(ep->link.pd);
	free(ep);
}

/* Messages that will never be complete. Whole ones remain, to be received. */
static void endpoint_drop_parts(struct mx_endpoint *ep)
{
	struct mx_request *u, *next;

	for (u = TAILQ_FIRST(&ep->queue[UNEXPQ]); u; u = next) {
		next = TAILQ_NEXT(u, entry);
		if (u->large || u == ep->partner.partial)
			request_free(ep, u);
	}
	ep->partner.partial = NULL;
}

/* Nothing comes and nothing leaves any more: the requests end that have not ended. */
void endpoint_die(struct mx_endpoint *ep, enum mx_return why)
{
	struct mx_request *r;
	int i;

	if (ep->dead)
		return;
	ep->dead = why;
	link_end(ep);
	endpoint_drop_parts(ep);
	for (i = 0; i < DONEQ; i++)
		while (i != UNEXPQ && (r = TAILQ_FIRST(&ep->queue[i]))) {
			r->status.code = why;
			r->status.xfer_length = 0;
			request_done(ep, r);
		}
}

static enum mx_return endpoint_open(const char *host, const char *service,
				    struct mx_endpoint **made)
{
	struct mx_endpoint *ep = endpoint_new();
	enum mx_return status;

	if (!ep)
		return MX_NO_MEMORY;
	status = host ? link_connect(ep, host, service) : link_listen(ep, service);
	if (status)
		endpoint_free(ep);
	else
		*made = ep;
	return status;
}

enum mx_return mx_listen(const char *service, struct mx_endpoint **ep)
{
	return service && ep ? endpoint_open(NULL, service, ep) : MX_BAD_ENDPOINT;
}

enum mx_return mx_connect(const char *host, const char *service, struct mx_endpoint **ep)
{
	return host && service && ep ? endpoint_open(host, service, ep) : MX_BAD_ENDPOINT;
}

/* All that this side has to say has been heard, and the device has sent it. */
static bool endpoint_is_idle(struct mx_endpoint *ep)
{
	int i;

	for (i = SEND_REQQ; i <= NOTIFYING_LARGE_SENDQ; i++)
		if (!TAILQ_EMPTY(&ep->queue[i]))
			return false;
	return !ep->partner.news && ep->link.room == LINK_SENDS;
}

/* What was sent arrives. The peer learns of the end by the connection's. */
enum mx_return mx_close(struct mx_endpoint *ep)
{
	int64_t end = link_now() + ENDPOINT_CLOSE_MS;

	if (!ep)
		return MX_BAD_ENDPOINT;
	while (!ep->dead && !endpoint_is_idle(ep) && link_now() < end)
		if (!progress(ep))
			progress_wait(ep, 10);
	endpoint_free(ep);
	return MX_SUCCESS;
}

// SPDX-License-Identifier: GPL-2.0
/* Connections of a device that has no other ones: iWARP, by rdma_cm. */
#include <netdb.h>
#include <rdma/rdma_cma.h>

#include "bench.h"

#define PATIENCE	5000	/* milliseconds */

static struct rdma_cm_id *ids[MOST_QPS], *listening;

static struct sockaddr *resolve(const char *address)
{
	struct addrinfo want = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	struct addrinfo *found;
	char service[16];

	snprintf(service, sizeof(service), "%ld", cell.port);
	NEED(!getaddrinfo(address, service, &want, &found));
	return found->ai_addr;
}

static void ask_for(int q)
{
	NEED(!rdma_create_id(NULL, &ids[q], NULL, RDMA_PS_TCP));
	NEED(!rdma_resolve_addr(ids[q], NULL, resolve(cell.address), PATIENCE));
	NEED(!rdma_resolve_route(ids[q], PATIENCE));
}

/* Return: the context that connections of this side will have. */
struct ibv_context *cm_begin(void)
{
	if (!me) {
		ask_for(0);
		return ids[0]->verbs;
	}
	NEED(!rdma_create_id(NULL, &listening, NULL, RDMA_PS_TCP));
	NEED(!rdma_bind_addr(listening, resolve(cell.bind)));
	NEED(!rdma_listen(listening, MOST_QPS));
	return listening->verbs;
}

/* Context: the other side listens. */
void cm_connect(struct side *s, int q, struct ibv_qp_init_attr *attr)
{
	struct rdma_conn_param param = {
		.responder_resources = 16, .initiator_depth = 16, .retry_count = 7,
		.rnr_retry_count = 7,
	};

	if (me)
		NEED(!rdma_get_request(listening, &ids[q]));
	else if (q)
		ask_for(q);
	NEED(!rdma_create_qp(ids[q], s->pd, attr));
	s->qp[q] = ids[q]->qp;
	if (me)
		NEED(!rdma_accept(ids[q], &param));
	else
		NEED(!rdma_connect(ids[q], &param));
}

// SPDX-License-Identifier: GPL-2.0
/* The connection comes and ends. */
#include <poll.h>
#include <time.h>
#include "endpoint.h"

static struct rdma_conn_param link_param = {
	.responder_resources = LINK_READS, .initiator_depth = LINK_READS,
	.retry_count = 7, .rnr_retry_count = 7,
};

static bool link_make_qp(struct mx_endpoint *ep)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = ep->link.cq, .recv_cq = ep->link.cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = LINK_SENDS, .max_recv_wr = ROOM_RECV, .max_send_sge = 2,
			 .max_recv_sge = 1, .max_inline_data = LINK_INLINE },
	};

	return !rdma_create_qp(ep->link.id, ep->link.pd, &attr);
}

static bool link_make_queues(struct mx_endpoint *ep)
{
	struct link *link = &ep->link;
	unsigned int i;

	link->completions = ibv_create_comp_channel(link->id->verbs);
	if (!link->completions)
		return false;
	link->cq = ibv_create_cq(link->id->verbs, LINK_SENDS + ROOM_RECV, NULL,
				 link->completions, 0);
	if (!link->cq || !link_make_qp(ep))
		return false;
	link->room = LINK_SENDS;
	for (i = 0; i < ROOM_RECV; i++)
		if (!link_post_recv(ep, i))
			return false;
	return true;
}

static bool link_open(struct mx_endpoint *ep, struct rdma_cm_id *id)
{
	struct link *link = &ep->link;

	link->id = id;
	link->iwarp = id->verbs->device->transport_type == IBV_TRANSPORT_IWARP;
	link->pd = ibv_alloc_pd(id->verbs);
	if (!link->pd || !room_init(&ep->rooms, link->pd))
		return false;
	cache_init(&ep->cache, link->pd);
	return link_make_queues(ep);
}

static struct rdma_cm_id *link_create_id(const char *host, const char *service)
{
	struct rdma_addrinfo *found, hints = {
		.ai_flags = host ? 0 : RAI_PASSIVE, .ai_port_space = RDMA_PS_TCP,
	};
	struct rdma_cm_id *id;
	int error;

	if (rdma_getaddrinfo(host, service, &hints, &found))
		return NULL;
	error = rdma_create_ep(&id, found, NULL, NULL);
	rdma_freeaddrinfo(found);
	return error ? NULL : id;
}

/*
 * iWARP wants the first message from the side that connects. So credits are with that side at
 * the beginning, and the other side's come with its first packet.
 */
enum mx_return link_connect(struct mx_endpoint *ep, const char *host, const char *service)
{
	struct rdma_cm_id *id = link_create_id(host, service);

	if (!id || !link_open(ep, id) || rdma_connect(id, &link_param))
		return MX_NO_CONNECTION;
	ep->partner.credits = ROOM_RECV;
	ep->partner.owed = ROOM_RECV;
	ep->link.up = true;
	return MX_SUCCESS;
}

/* Receive buffers are posted before the peer can send. */
enum mx_return link_listen(struct mx_endpoint *ep, const char *service)
{
	struct rdma_cm_id *id, *listener = link_create_id(NULL, service);

	if (!listener)
		return MX_NO_CONNECTION;
	ep->link.up = !rdma_listen(listener, 1) && !rdma_get_request(listener, &id) &&
		      link_open(ep, id) && !rdma_accept(id, &link_param);
	rdma_destroy_id(listener);
	return ep->link.up ? MX_SUCCESS : MX_NO_CONNECTION;
}

/* Without the queue pair the device touches no buffer any more. The peer notices. */
void link_end(struct mx_endpoint *ep)
{
	struct link *link = &ep->link;

	link->up = false;
	if (!link->id)
		return;
	if (link->id->qp)
		rdma_destroy_qp(link->id);
	if (link->cq)
		ibv_destroy_cq(link->cq);
	if (link->completions)
		ibv_destroy_comp_channel(link->completions);
	rdma_destroy_id(link->id);
	link->id = NULL;
}

/* An event of a connection that is established: disconnected, or the device is removed. */
bool link_has_ended(struct mx_endpoint *ep)
{
	struct pollfd pfd = { .fd = ep->link.id->channel->fd, .events = POLLIN };

	return poll(&pfd, 1, 0) > 0;
}

int64_t link_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* Until something completes, or the connection ends. */
void link_sleep(struct mx_endpoint *ep, int ms)
{
	struct pollfd pfd[2] = { { .fd = ep->link.id->channel->fd, .events = POLLIN },
				 { .fd = ep->link.completions->fd, .events = POLLIN } };
	struct ibv_cq *cq;
	void *context;

	if (poll(pfd, 2, ms) > 0 && (pfd[1].revents & POLLIN) &&
	    !ibv_get_cq_event(ep->link.completions, &cq, &context))
		ibv_ack_cq_events(cq, 1);
}

bool link_post_recv(struct mx_endpoint *ep, unsigned int i)
{
	struct ibv_sge sge = { (uintptr_t)ep->rooms.memory->recv[i], sizeof(room_packet_t),
			       ep->rooms.mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };

	return !ibv_post_recv(ep->link.id->qp, &wr, &bad);
}

/* There is room, the caller has seen to that: an error is the end of the connection. */
void link_post_send(struct mx_endpoint *ep, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	ep->link.room--;
	if (ibv_post_send(ep->link.id->qp, wr, &bad))
		ep->link.up = false;
}

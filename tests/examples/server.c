// SPDX-License-Identifier: GPL-2.0
/*
 * server [-w block|nonblock|poll|select] [-4] [-n CLIENTS]
 *
 * Adds two numbers for each of its clients, one after the other; -n: so many, then
 * it ends. Listens on all addresses, or with -4 on all of IPv4.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <unistd.h>
#include "sum.h"

struct server {
	struct rdma_event_channel *channel;
	enum wait_by by;
	struct rdma_cm_id *listener;
};

/* What one client needs. */
struct service {
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_comp_channel *completions;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint32_t numbers[3];	/* A is written there, B received; the sum */
};

static void listen_on(struct server *s, bool ipv4)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(atoi(SUM_SERVICE)) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(atoi(SUM_SERVICE)) };

	TRY(s->channel = rdma_create_event_channel());
	TRY(!wait_prepare(s->channel, s->by));
	TRY(!rdma_create_id(s->channel, &s->listener, NULL, RDMA_PS_TCP));
	TRY(!rdma_bind_addr(s->listener, ipv4 ? (struct sockaddr *)&in :
						(struct sockaddr *)&in6));
	TRY(!rdma_listen(s->listener, 8));
}

/* The next request; what clients that gave up leave behind is passed by. */
static struct rdma_cm_id *next_client(struct server *s)
{
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	do {
		TRY(event = wait_event(s->channel, s->by));
		id = event->event == RDMA_CM_EVENT_CONNECT_REQUEST ? event->id : NULL;
		rdma_ack_cm_event(event);
	} while (!id);
	return id;
}

static struct ibv_sge number(struct service *v, int i)
{
	return (struct ibv_sge){ (uintptr_t)&v->numbers[i], sizeof(v->numbers[i]), v->mr->lkey };
}

/* All that the client needs is there before it is answered. */
static void prepare(struct service *v)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_recv_wr *bad, wr = { .num_sge = 1 };
	struct ibv_sge sge;

	TRY(v->pd = ibv_alloc_pd(v->id->verbs));
	TRY(v->completions = ibv_create_comp_channel(v->id->verbs));
	TRY(v->cq = ibv_create_cq(v->id->verbs, 2, NULL, v->completions, 0));
	TRY(!ibv_req_notify_cq(v->cq, 0));
	TRY(v->mr = ibv_reg_mr(v->pd, v->numbers, sizeof(v->numbers),
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	attr.send_cq = v->cq;
	attr.recv_cq = v->cq;
	TRY(!rdma_create_qp(v->id, v->pd, &attr));
	sge = number(v, 1);
	wr.sg_list = &sge;
	TRY(!ibv_post_recv(v->id->qp, &wr, &bad));
}

static bool answer(struct server *s, struct service *v)
{
	struct sum_place place = {
		.address = htobe64((uintptr_t)&v->numbers[0]), .rkey = htonl(v->mr->rkey),
	};
	struct rdma_conn_param param = {
		.responder_resources = 1, .private_data = &place,
		.private_data_len = sizeof(place), .rnr_retry_count = 7,
	};

	TRY(!rdma_accept(v->id, &param));
	return wait_expect(s->channel, s->by, RDMA_CM_EVENT_ESTABLISHED);
}

static bool add(struct service *v)
{
	struct ibv_sge sge = number(v, 2);
	struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1 };
	struct ibv_wc wc;

	/* B is here, and so is A, which was written before. */
	if (!wait_completion(v->completions, v->cq, &wc))
		return false;
	v->numbers[2] = htonl(ntohl(v->numbers[0]) + ntohl(v->numbers[1]));
	/* That it arrived is told by the client, which disconnects when it has it. */
	TRY(!ibv_post_send(v->id->qp, &wr, &bad));
	return true;
}

static void finish(struct service *v)
{
	rdma_disconnect(v->id);
	rdma_destroy_qp(v->id);
	ibv_dereg_mr(v->mr);
	ibv_destroy_cq(v->cq);
	ibv_destroy_comp_channel(v->completions);
	ibv_dealloc_pd(v->pd);
	rdma_destroy_id(v->id);
}

static bool serve(struct server *s)
{
	struct service v = { .id = next_client(s) };
	bool good;

	prepare(&v);
	good = answer(s, &v) && add(&v) &&
	       wait_expect(s->channel, s->by, RDMA_CM_EVENT_DISCONNECTED);
	if (good)
		printf("%u + %u = %u\n", ntohl(v.numbers[0]), ntohl(v.numbers[1]),
		       ntohl(v.numbers[2]));
	fflush(stdout);
	finish(&v);
	return good;
}

int main(int argc, char **argv)
{
	struct server s = { .by = BY_BLOCKING };
	int option, clients = 0, served = 0, failed = 0;
	bool ipv4 = false;

	while ((option = getopt(argc, argv, "w:n:4")) != -1) {
		if (option == 'n')
			clients = atoi(optarg);
		else if (option == '4')
			ipv4 = true;
		else if (option != 'w' || !wait_by_name(optarg, &s.by))
			return 2;
	}
	listen_on(&s, ipv4);
	while (!clients || served < clients) {
		failed += !serve(&s);
		served++;
	}
	rdma_destroy_id(s.listener);
	rdma_destroy_event_channel(s.channel);
	return failed != 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * client [-w block|nonblock|poll|select] HOST A B
 *
 * Asks the server on HOST for A + B and prints what it said.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <netdb.h>
#include <unistd.h>
#include "sum.h"

#define RESOLVE_MS 5000

/* Of completions: which request do they belong to? */
enum { RECEIVED = 1, SENT };

struct client {
	struct rdma_event_channel *channel;
	enum wait_by by;
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_comp_channel *completions;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint32_t numbers[3];	/* A, B, and the answer's place */
	struct sum_place place;
};

static bool find_server(struct client *c, const char *host)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found, *a;
	bool resolved = false;
	int error;

	error = getaddrinfo(host, SUM_SERVICE, &hints, &found);
	if (error) {
		fprintf(stderr, "%s: %s\n", host, gai_strerror(error));
		return false;
	}
	for (a = found; a && !resolved; a = a->ai_next)
		resolved = !rdma_resolve_addr(c->id, NULL, a->ai_addr, RESOLVE_MS) &&
			   wait_expect(c->channel, c->by, RDMA_CM_EVENT_ADDR_RESOLVED);
	freeaddrinfo(found);
	if (!resolved)
		return false;
	TRY(!rdma_resolve_route(c->id, RESOLVE_MS));
	return wait_expect(c->channel, c->by, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

/* Only now it is known which device leads there. */
static void make_objects(struct client *c)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 2, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	TRY(c->pd = ibv_alloc_pd(c->id->verbs));
	TRY(c->completions = ibv_create_comp_channel(c->id->verbs));
	TRY(c->cq = ibv_create_cq(c->id->verbs, 3, NULL, c->completions, 0));
	TRY(!ibv_req_notify_cq(c->cq, 0));
	TRY(c->mr = ibv_reg_mr(c->pd, c->numbers, sizeof(c->numbers), IBV_ACCESS_LOCAL_WRITE));
	attr.send_cq = c->cq;
	attr.recv_cq = c->cq;
	TRY(!rdma_create_qp(c->id, c->pd, &attr));
}

static struct ibv_sge number(struct client *c, int i)
{
	return (struct ibv_sge){ (uintptr_t)&c->numbers[i], sizeof(c->numbers[i]), c->mr->lkey };
}

/* Before the request: an answer may not find the queue empty. */
static void expect_answer(struct client *c)
{
	struct ibv_sge sge = number(c, 2);
	struct ibv_recv_wr *bad, wr = { .wr_id = RECEIVED, .sg_list = &sge, .num_sge = 1 };

	TRY(!ibv_post_recv(c->id->qp, &wr, &bad));
}

static bool connect_to_server(struct client *c)
{
	struct rdma_conn_param param = { .initiator_depth = 1, .retry_count = 7,
					 .rnr_retry_count = 7 };
	struct rdma_cm_event *event;
	bool good;

	TRY(!rdma_connect(c->id, &param));
	TRY(event = wait_event(c->channel, c->by));
	good = event->event == RDMA_CM_EVENT_ESTABLISHED &&
	       event->param.conn.private_data_len >= sizeof(c->place);
	if (good)
		memcpy(&c->place, event->param.conn.private_data, sizeof(c->place));
	else
		fprintf(stderr, "%s (status %d)\n", rdma_event_str(event->event), event->status);
	rdma_ack_cm_event(event);
	return good;
}

/* One list of two: the send is not seen before the write is done. */
static void ask(struct client *c)
{
	struct ibv_sge first = number(c, 0), second = number(c, 1);
	struct ibv_send_wr *bad;
	struct ibv_send_wr send = {
		.wr_id = SENT, .opcode = IBV_WR_SEND, .sg_list = &second, .num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_send_wr write = {
		.next = &send, .opcode = IBV_WR_RDMA_WRITE, .sg_list = &first, .num_sge = 1,
		.wr.rdma = { be64toh(c->place.address), ntohl(c->place.rkey) },
	};

	TRY(!ibv_post_send(c->id->qp, &write, &bad));
}

static void say_goodbye(struct client *c)
{
	TRY(!rdma_disconnect(c->id));
	TRY(wait_expect(c->channel, c->by, RDMA_CM_EVENT_DISCONNECTED));
	rdma_destroy_qp(c->id);
	ibv_dereg_mr(c->mr);
	ibv_destroy_cq(c->cq);
	ibv_destroy_comp_channel(c->completions);
	ibv_dealloc_pd(c->pd);
	rdma_destroy_id(c->id);
	rdma_destroy_event_channel(c->channel);
}

int main(int argc, char **argv)
{
	struct client c = { .by = BY_BLOCKING };
	int option, answers = 0;
	struct ibv_wc wc;

	while ((option = getopt(argc, argv, "w:")) != -1)
		if (option != 'w' || !wait_by_name(optarg, &c.by))
			return 2;
	if (argc - optind != 3) {
		fprintf(stderr, "usage: client [-w block|nonblock|poll|select] HOST A B\n");
		return 2;
	}
	c.numbers[0] = htonl(strtoul(argv[optind + 1], NULL, 0));
	c.numbers[1] = htonl(strtoul(argv[optind + 2], NULL, 0));
	TRY(c.channel = rdma_create_event_channel());
	TRY(!wait_prepare(c.channel, c.by));
	TRY(!rdma_create_id(c.channel, &c.id, NULL, RDMA_PS_TCP));
	if (!find_server(&c, argv[optind]))
		return 1;
	make_objects(&c);
	expect_answer(&c);
	if (!connect_to_server(&c))
		return 1;
	ask(&c);
	/* The answer and the end of the send come in any order. */
	while (answers != (RECEIVED | SENT)) {
		TRY(wait_completion(c.completions, c.cq, &wc));
		answers |= wc.wr_id;
	}
	printf("%u + %u = %u\n", ntohl(c.numbers[0]), ntohl(c.numbers[1]), ntohl(c.numbers[2]));
	say_goodbye(&c);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Connection requests that the program which listens does not read.
 *
 * cm_unread listen ADDRESS PORT NUM	listens, says "begun", and reads no event
 * cm_unread connect ADDRESS PORT NUM	sends NUM requests, says "asked"
 *
 * Both wait to be killed.
 */
#include "cm.h"

/* So many are resolved at a time: requests are not what is measured here. */
#define WINDOW 32

static struct rdma_event_channel *channel;
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static void say_and_wait(const char *what)
{
	printf("%s\n", what);
	fflush(stdout);
	for (;;)
		pause();
}

static void listen_on(struct sockaddr *address, int num)
{
	struct rdma_cm_id *id;

	NEED(!rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	NEED(!rdma_bind_addr(id, address));
	NEED(!rdma_listen(id, num));
	say_and_wait("begun");
}

static void begin(struct sockaddr *address)
{
	struct rdma_cm_id *id;

	NEED(!rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	NEED(!rdma_resolve_addr(id, NULL, address, CM_SECONDS * 1000));
}

static void request(struct rdma_cm_id *id)
{
	struct rdma_conn_param p = { .retry_count = 7, .rnr_retry_count = 7 };
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	if (!pd) {
		NEED((pd = ibv_alloc_pd(id->verbs)));
		NEED((cq = ibv_create_cq(id->verbs, 16, NULL, NULL, 0)));
	}
	attr.send_cq = cq;
	attr.recv_cq = cq;
	NEED(!rdma_create_qp(id, pd, &attr));
	NEED(!rdma_connect(id, &p));
}

static void connect_to(struct sockaddr *address, int num)
{
	struct rdma_cm_event *event;
	enum rdma_cm_event_type type;
	struct rdma_cm_id *id;
	int begun = 0, asked = 0;

	while (asked < num) {
		while (begun < num && begun - asked < WINDOW) {
			begin(address);
			begun++;
		}
		NEED((event = cm_next(channel, CM_SECONDS * 1000)));
		id = event->id;
		type = event->event;
		NEED(!rdma_ack_cm_event(event));
		if (type == RDMA_CM_EVENT_ADDR_RESOLVED) {
			NEED(!rdma_resolve_route(id, CM_SECONDS * 1000));
		} else {
			NEED(type == RDMA_CM_EVENT_ROUTE_RESOLVED);
			request(id);
			asked++;
		}
	}
	say_and_wait("asked");
}

int main(int argc, char **argv)
{
	struct sockaddr *address;

	if (argc != 5)
		return 2;
	address = cm_address(argv[2], atoi(argv[3]));
	NEED((channel = rdma_create_event_channel()));
	if (!strcmp(argv[1], "listen"))
		listen_on(address, atoi(argv[4]));
	else
		connect_to(address, atoi(argv[4]));
	return 0;
}

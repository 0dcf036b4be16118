// SPDX-License-Identifier: GPL-2.0
/*
 * usage: iw_streams ADDRESS PORT NUM
 *
 * NUM connections with both ends here: says "connected", waits for SIGUSR1, sends a message by
 * each of them and says "sent". Then it waits to be killed.
 */
#include "cm.h"

#define BYTES 64

static struct rdma_event_channel *channel;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static unsigned char bytes[BYTES];

static void make_qp(struct rdma_cm_id *id, int num)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	if (!pd) {
		NEED((pd = ibv_alloc_pd(id->verbs)));
		NEED((cq = ibv_create_cq(id->verbs, 2 * num, NULL, NULL, 0)));
		NEED((mr = ibv_reg_mr(pd, bytes, BYTES, IBV_ACCESS_LOCAL_WRITE)));
	}
	attr.send_cq = cq;
	attr.recv_cq = cq;
	NEED(!rdma_create_qp(id, pd, &attr));
}

static struct ibv_sge all_bytes(void)
{
	return (struct ibv_sge){ .addr = (uintptr_t)bytes, .length = BYTES, .lkey = mr->lkey };
}

static void receive(struct rdma_cm_id *id)
{
	struct ibv_sge sge = all_bytes();
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	NEED(!ibv_post_recv(id->qp, &wr, &bad));
}

static void send_by(struct rdma_cm_id *id)
{
	struct ibv_sge sge = all_bytes();
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	NEED(!ibv_post_send(id->qp, &wr, &bad));
}

static void begin(struct sockaddr *address)
{
	struct rdma_cm_id *id;

	NEED(!rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	NEED(!rdma_resolve_addr(id, NULL, address, CM_SECONDS * 1000));
}

/* The next step of a connection: true if it is there, at the end that asked for it. */
static bool step(struct rdma_cm_id *id, enum rdma_cm_event_type type, int num)
{
	struct rdma_conn_param p = { 0 };

	switch (type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		NEED(!rdma_resolve_route(id, CM_SECONDS * 1000));
		return false;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		make_qp(id, num);
		NEED(!rdma_connect(id, &p));
		id->context = &channel;
		return false;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		make_qp(id, num);
		receive(id);
		id->context = NULL;
		NEED(!rdma_accept(id, &p));
		return false;
	default:
		NEED(type == RDMA_CM_EVENT_ESTABLISHED);
		return id->context;
	}
}

static void connect_all(struct sockaddr *address, struct rdma_cm_id **ids, int num)
{
	struct rdma_cm_event *event;
	enum rdma_cm_event_type type;
	struct rdma_cm_id *id;
	int there = 0;

	begin(address);
	while (there < num) {
		NEED((event = cm_next(channel, CM_SECONDS * 1000)));
		id = event->id;
		type = event->event;
		NEED(!rdma_ack_cm_event(event));
		if (!step(id, type, num))
			continue;
		ids[there++] = id;
		if (there < num)
			begin(address);
	}
}

static void all_arrive(int num)
{
	struct ibv_wc wc;
	int done = 0, n;

	while (done < 2 * num) {
		NEED((n = ibv_poll_cq(cq, 1, &wc)) >= 0);
		NEED(!n || wc.status == IBV_WC_SUCCESS);
		done += n;
	}
}

static void say(const char *what)
{
	printf("%s\n", what);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct rdma_cm_id **ids, *listener;
	struct sockaddr *address;
	int num, i, signal;
	sigset_t set;

	if (argc != 4)
		return 2;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	address = cm_address(argv[1], atoi(argv[2]));
	num = atoi(argv[3]);
	NEED((ids = calloc(num, sizeof(*ids))));
	NEED((channel = rdma_create_event_channel()));
	NEED(!rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP));
	NEED(!rdma_bind_addr(listener, address));
	NEED(!rdma_listen(listener, num));
	connect_all(address, ids, num);
	say("connected");
	NEED(!sigwait(&set, &signal));
	for (i = 0; i < num; i++)
		send_by(ids[i]);
	all_arrive(num);
	say("sent");
	for (;;)
		pause();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * ibcm_post -d DEVICE [-x GID-INDEX] [-s SERVICE] [-c CONNECTIONS] [-m MESSAGES] [-b BYTES]
 *           [-l LID] [GID]
 *
 * Without a GID it is the server: it takes CONNECTIONS, sends back what comes in by each, and ends
 * when all have ended. With that of the server's port, and on InfiniBand its LID, it is the client:
 * it connects, sends MESSAGES by each connection, compares what comes back, and disconnects.
 */
#include <arpa/inet.h>
#include <sched.h>
#include "ibcm.h"

struct options {
	const char *device;
	int gid_index, connections, messages;
	size_t bytes;
	uint64_t service;
	uint16_t lid;
	const char *peer;
};

/* A connection, and memory for one message of it. */
struct node {
	uint32_t id;
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *buffer;	/* what is sent, and behind it what comes in */
	int sent;		/* of the server: messages that went back */
	int waiting, busy;	/* a message has come in; one is going out */
};

static struct options o = {
	.gid_index = 0, .connections = 1, .messages = 10, .bytes = 100, .service = 0x1000,
};
static struct ibv_context *verbs;
static struct ibv_pd *pd;
static struct node *nodes;
static int cm;

/* ---- verbs ------------------------------------------------------------------- */

static void receive(struct node *n)
{
	struct ibv_sge sge = { (uintptr_t)n->buffer + o.bytes, o.bytes, n->mr->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	TRY(!ibv_post_recv(n->qp, &wr, &bad));
}

static void send_bytes(struct node *n)
{
	struct ibv_sge sge = { (uintptr_t)n->buffer, o.bytes, n->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};

	TRY(!ibv_post_send(n->qp, &wr, &bad));
}

/* Return: whether there was a completion, which is in @wc. */
static int complete(struct node *n, struct ibv_wc *wc)
{
	int found = ibv_poll_cq(n->cq, 1, wc);

	if (!found)
		sched_yield();
	else if (found < 0 || wc->status != IBV_WC_SUCCESS) {
		fprintf(stderr, "completion: %s\n", ibv_wc_status_str(wc->status));
		exit(1);
	}
	return found;
}

/* A send and a receive, in either order. */
static void exchange(struct node *n)
{
	struct ibv_wc wc;
	int left = 2;

	while (left)
		left -= complete(n, &wc);
}

static void prepare(struct node *n)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	TRY(n->buffer = calloc(2, o.bytes));
	TRY(n->mr = ibv_reg_mr(pd, n->buffer, 2 * o.bytes, IBV_ACCESS_LOCAL_WRITE));
	TRY(n->cq = ibv_create_cq(verbs, 2, NULL, NULL, 0));
	init.send_cq = n->cq;
	init.recv_cq = n->cq;
	TRY(n->qp = ibv_create_qp(pd, &init));
}

static void release(struct node *n)
{
	TRY(!ibcm_destroy(cm, n->id, NULL));
	ibv_destroy_qp(n->qp);
	ibv_destroy_cq(n->cq);
	ibv_dereg_mr(n->mr);
	free(n->buffer);
}

/* ---- events -------------------------------------------------------------------- */

static void next_event(struct ibcm_event *event)
{
	TRY(!(errno = ibcm_event(cm, event)));
	if (event->resp.event == IBCM_REJ_RECEIVED) {
		fprintf(stderr, "rejected, reason %u\n", event->resp.u.rej_resp.reason);
		exit(1);
	}
	if (event->resp.event == IBCM_REQ_ERROR || event->resp.event == IBCM_REP_ERROR) {
		fprintf(stderr, "no answer\n");
		exit(1);
	}
}

/* Events call an id by the place of its node. */
static struct node *node_of(const struct ibcm_event *event)
{
	return &nodes[event->resp.uid];
}

/* What the peer sends begins with it. */
static uint32_t psn_of(const struct node *n)
{
	return n->qp->qp_num;
}

/* Ready to receive and to send, with a receive that waits. */
static void bring_up(struct node *n)
{
	TRY(!(errno = ibcm_modify(cm, n->id, n->qp, IBV_QPS_INIT, 0)));
	receive(n);
	TRY(!(errno = ibcm_modify(cm, n->id, n->qp, IBV_QPS_RTR, psn_of(n))));
	TRY(!(errno = ibcm_modify(cm, n->id, n->qp, IBV_QPS_RTS, 0)));
}

/* ---- the server ------------------------------------------------------------------ */

/* A queue pair that is ready to receive is there before the client is answered. */
static void accept_one(struct node *n, const struct ibcm_event *event)
{
	const struct ib_ucm_req_event_resp *req = &event->resp.u.req_resp;
	struct ib_ucm_rep rep = {
		.uid = n - nodes, .id = event->resp.id,
		.responder_resources = req->responder_resources,
		.initiator_depth = req->initiator_depth,
		.flow_control = 1, .rnr_retry_count = 7,
	};

	n->id = event->resp.id;
	prepare(n);
	rep.qpn = n->qp->qp_num;
	rep.psn = psn_of(n);
	bring_up(n);
	TRY(!(errno = IBCM(cm, SEND_REP, rep, 0)));
}

/* The buffer has two halves; what came in goes out when the message before it is out. */
static void echo(struct node *n)
{
	struct ibv_wc wc;

	if (!complete(n, &wc))
		return;
	if (wc.opcode == IBV_WC_RECV) {
		n->waiting = 1;
	} else {
		n->busy = 0;
		n->sent++;
	}
	if (!n->waiting || n->busy)
		return;
	memcpy(n->buffer, n->buffer + o.bytes, o.bytes);
	receive(n);
	send_bytes(n);
	n->waiting = 0;
	n->busy = 1;
}

/* All are connected; the client chooses which one has its turn. */
static void echo_all(void)
{
	int i, left;

	do {
		for (i = left = 0; i < o.connections; i++) {
			if (nodes[i].sent == o.messages)
				continue;
			echo(&nodes[i]);
			left++;
		}
	} while (left);
}

static void serve(void)
{
	struct ibcm_event event;
	int taken = 0, connected = 0, ended = 0;
	uint32_t listener;

	TRY(!(errno = ibcm_create(cm, o.connections, &listener)));
	TRY(!(errno = ibcm_listen(cm, listener, o.service)));
	printf("listening\n");
	fflush(stdout);
	while (ended < o.connections) {
		next_event(&event);
		switch (event.resp.event) {
		case IBCM_REQ_RECEIVED:
			TRY(taken < o.connections);
			accept_one(&nodes[taken++], &event);
			break;
		case IBCM_RTU_RECEIVED:
			if (++connected == o.connections)
				echo_all();
			break;
		case IBCM_DREQ_RECEIVED:
			TRY(node_of(&event)->sent == o.messages);
			TRY(!(errno = ibcm_private(cm, IB_USER_CM_CMD_SEND_DREP,
						   node_of(&event)->id, NULL, 0)));
			release(node_of(&event));
			ended++;
			break;
		}
	}
	TRY(!(errno = ibcm_destroy(cm, listener, NULL)));
}

/* ---- the client -------------------------------------------------------------------- */

static void connect_one(struct node *n)
{
	struct ib_ucm_req req = {
		.qp_type = IBV_QPT_RC, .sid = htobe64(o.service),
		.responder_resources = 1, .initiator_depth = 1, .flow_control = 1,
		.remote_cm_response_timeout = 20, .local_cm_response_timeout = 20,
		.retry_count = 7, .rnr_retry_count = 7, .max_cm_retries = 7,
	};
	struct ib_user_path_rec path;
	union ibv_gid gid;

	TRY(inet_pton(AF_INET6, o.peer, &gid) == 1);
	path = ibcm_path(verbs, o.gid_index, &gid, o.lid);
	prepare(n);
	TRY(!(errno = ibcm_create(cm, n - nodes, &n->id)));
	req.id = n->id;
	req.qpn = n->qp->qp_num;
	req.psn = psn_of(n);
	req.primary_path = (uintptr_t)&path;
	TRY(!(errno = IBCM(cm, SEND_REQ, req, 0)));
}

static void talk(struct node *n)
{
	size_t b;
	int i;

	for (i = 0; i < o.messages; i++) {
		for (b = 0; b < o.bytes; b++)
			n->buffer[b] = (n - nodes) * 31 + i * 7 + b;
		memset(n->buffer + o.bytes, 0, o.bytes);
		send_bytes(n);
		exchange(n);
		if (memcmp(n->buffer, n->buffer + o.bytes, o.bytes)) {
			fprintf(stderr, "message %d came back another one\n", i);
			exit(1);
		}
		if (i + 1 < o.messages)
			receive(n);
	}
	TRY(!(errno = ibcm_private(cm, IB_USER_CM_CMD_SEND_DREQ, n->id, NULL, 0)));
}

static void ask(void)
{
	struct ibcm_event event;
	int i, connected = 0, ended = 0;

	for (i = 0; i < o.connections; i++)
		connect_one(&nodes[i]);
	while (ended < o.connections) {
		next_event(&event);
		switch (event.resp.event) {
		case IBCM_REP_RECEIVED:
			bring_up(node_of(&event));
			TRY(!(errno = ibcm_private(cm, IB_USER_CM_CMD_SEND_RTU,
						   node_of(&event)->id, NULL, 0)));
			if (++connected == o.connections)
				for (i = 0; i < o.connections; i++)
					talk(&nodes[i]);
			break;
		case IBCM_DREP_RECEIVED:
			release(node_of(&event));
			ended++;
			break;
		}
	}
	printf("%d connections, %d messages of %zu bytes each\n", o.connections, o.messages,
	       o.bytes);
}

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:x:s:c:m:b:l:")) != -1) {
		switch (c) {
		case 'd': o.device = optarg; break;
		case 'x': o.gid_index = atoi(optarg); break;
		case 's': o.service = strtoull(optarg, NULL, 0); break;
		case 'c': o.connections = atoi(optarg); break;
		case 'm': o.messages = atoi(optarg); break;
		case 'b': o.bytes = atoi(optarg); break;
		case 'l': o.lid = atoi(optarg); break;
		default: return 2;
		}
	}
	o.peer = argv[optind];
	if (!o.device || o.connections < 1 || o.bytes < 1) {
		fprintf(stderr, "usage: %s -d DEVICE [OPTION...] [GID]\n", argv[0]);
		return 2;
	}
	TRY(verbs = ibcm_verbs(o.device));
	TRY((cm = ibcm_open(o.device, 0)) >= 0);
	TRY(pd = ibv_alloc_pd(verbs));
	TRY(nodes = calloc(o.connections + 1, sizeof(*nodes)));
	if (o.peer)
		ask();
	else
		serve();
	return 0;
}

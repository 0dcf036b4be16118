/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two queue pairs of one device for full_queues.c: made, connected, asked. Of an iWARP
 * device they are connected by librdmacm.
 */
#ifndef FULL_QUEUES_H
#define FULL_QUEUES_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include "verdict.h"

#define NEED(x) do { if (!(x)) { perror(#x); exit(2); } } while (0)

#define SQ		64
#define CQ		128
#define RQ		4
#define AREA		(64 << 10)
#define PIECE		1000
#define PATIENCE	60000	/* milliseconds */
#define QKEY		0x1234
#define RIGHTS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ)

struct end {
	struct rdma_cm_id *id;		/* iWARP */
	struct ibv_qp *qp;
};

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static uint8_t *area;			/* the peer's half is the second */
static struct ibv_cq *cq, *peer_cq;	/* of what is sent; of the rest */
static struct ibv_comp_channel *channel;
static struct end asker, peer;
static union ibv_gid gid;
static int gid_index;
static uint16_t lid;			/* 0: it has none */
static const char *address;		/* of an iWARP device; NULL: of InfiniBand */

static void pause_ms(int ms)
{
	poll(NULL, 0, ms);
}

/* ---- asynchronous events --------------------------------------------------- */

static int events_of(struct ibv_context *of)
{
	struct ibv_async_event event;
	int n = 0;

	NEED(!fcntl(of->async_fd, F_SETFL, O_NONBLOCK));
	while (!ibv_get_async_event(of, &event)) {
		/* The queue pair of iWARP says that a message has come. */
		if (event.event_type != IBV_EVENT_COMM_EST) {
			printf("%s\n", ibv_event_type_str(event.event_type));
			n++;
		}
		ibv_ack_async_event(&event);
	}
	return n;
}

static inline int events(void)
{
	return events_of(ctx);
}

/* ---- queue pairs ------------------------------------------------------------- */

static struct ibv_qp_init_attr queues(enum ibv_qp_type type, struct ibv_cq *send_cq)
{
	return (struct ibv_qp_init_attr){
		.send_cq = send_cq, .recv_cq = peer_cq, .qp_type = type,
		.cap = { .max_send_wr = SQ, .max_recv_wr = RQ, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
}

static void to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
				 .qp_access_flags = RIGHTS };
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	mask |= qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	NEED(!ibv_modify_qp(qp, &a, mask));
}

static struct ibv_ah_attr way(void)
{
	return (struct ibv_ah_attr){
		.is_global = 1, .port_num = 1, .dlid = lid,
		.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 },
	};
}

static void connect_qp(struct ibv_qp *qp, uint32_t to)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = to,
		.rq_psn = 100, .max_dest_rd_atomic = 4, .min_rnr_timer = 12,
		.ah_attr = way(),
	};

	to_init(qp);
	NEED(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			    IBV_QP_MIN_RNR_TIMER));
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7,
				  .rnr_retry = 7, .sq_psn = 100, .max_rd_atomic = 4 };
	NEED(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void send_datagrams(struct ibv_qp *qp)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RTR, .sq_psn = 100 };

	to_init(qp);
	NEED(!ibv_modify_qp(qp, &a, IBV_QP_STATE));
	a.qp_state = IBV_QPS_RTS;
	NEED(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

/* ---- iWARP -------------------------------------------------------------------- */

static struct rdma_cm_id *listener;

static void *hear(void *arg)
{
	struct rdma_conn_param param = { .responder_resources = 4, .initiator_depth = 4 };
	struct ibv_qp_init_attr init = queues(IBV_QPT_RC, peer_cq);

	NEED(!rdma_get_request(listener, &peer.id));
	NEED(!rdma_create_qp(peer.id, pd, &init));
	NEED(!rdma_accept(peer.id, &param));
	return arg;
}

/* On the device of @ctx: librdmacm has one context of each. */
static struct rdma_cm_id *new_id(void)
{
	struct rdma_cm_id *id;

	NEED(!rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP));
	return id;
}

static struct sockaddr_in place(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(7400) };

	NEED(inet_pton(AF_INET, address, &at.sin_addr) == 1);
	return at;
}

static void up_iwarp(void)
{
	struct rdma_conn_param param = { .responder_resources = 4, .initiator_depth = 4 };
	struct ibv_qp_init_attr init = queues(IBV_QPT_RC, cq);
	struct sockaddr_in at = place();
	pthread_t thread;

	listener = new_id();
	NEED(!rdma_bind_addr(listener, (struct sockaddr *)&at));
	NEED(!rdma_listen(listener, 1));
	NEED(!pthread_create(&thread, NULL, hear, NULL));
	asker.id = new_id();
	NEED(!rdma_resolve_addr(asker.id, NULL, (struct sockaddr *)&at, PATIENCE));
	NEED(!rdma_resolve_route(asker.id, PATIENCE));
	NEED(!rdma_create_qp(asker.id, pd, &init));
	NEED(!rdma_connect(asker.id, &param));
	NEED(!pthread_join(thread, NULL));
	asker.qp = asker.id->qp;
	peer.qp = peer.id->qp;
}

/* ---- all of it ------------------------------------------------------------------ */

static void up(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init;

	NEED(channel = ibv_create_comp_channel(ctx));
	NEED(cq = ibv_create_cq(ctx, CQ, NULL, channel, 0));
	NEED(peer_cq = ibv_create_cq(ctx, CQ, NULL, NULL, 0));
	if (address) {
		up_iwarp();
		return;
	}
	init = queues(type, cq);
	NEED(asker.qp = ibv_create_qp(pd, &init));
	init = queues(type, peer_cq);
	NEED(peer.qp = ibv_create_qp(pd, &init));
	if (type == IBV_QPT_UD) {
		send_datagrams(asker.qp);
		send_datagrams(peer.qp);
		return;
	}
	connect_qp(asker.qp, peer.qp->qp_num);
	connect_qp(peer.qp, asker.qp->qp_num);
}

static void end_down(struct end *end)
{
	if (end->id) {
		rdma_disconnect(end->id);
		if (end->qp)
			rdma_destroy_qp(end->id);
		NEED(!rdma_destroy_id(end->id));
	} else if (end->qp) {
		NEED(!ibv_destroy_qp(end->qp));
	}
	*end = (struct end){};
}

static void down(void)
{
	end_down(&asker);
	end_down(&peer);
	if (listener)
		NEED(!rdma_destroy_id(listener));
	listener = NULL;
	NEED(!ibv_destroy_cq(cq));
	NEED(!ibv_destroy_cq(peer_cq));
	NEED(!ibv_destroy_comp_channel(channel));
}

static struct ibv_context *open_by_name(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	return context;
}

/* The one that librdmacm has opened for the address. */
static struct ibv_context *open_by_address(void)
{
	struct sockaddr_in at = place();
	struct rdma_cm_id *id = new_id();
	struct ibv_context *context;

	NEED(!rdma_bind_addr(id, (struct sockaddr *)&at));
	context = id->verbs;
	NEED(!rdma_destroy_id(id));
	return context;
}

static void open_device(const char *name, const char *where)
{
	struct ibv_port_attr port;

	if (strchr(where, '.')) {
		address = where;
		NEED(ctx = open_by_address());
	} else {
		gid_index = atoi(where);
		NEED(ctx = open_by_name(name));
		NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
		NEED(!ibv_query_port(ctx, 1, &port));
		lid = port.lid;
	}
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(area = calloc(1, AREA));
	NEED(mr = ibv_reg_mr(pd, area, AREA, RIGHTS));
}

static enum ibv_qp_state state(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	NEED(!ibv_query_qp(asker.qp, &a, IBV_QP_STATE, &init));
	return a.qp_state;
}

/* Within some time. */
static inline bool reaches(enum ibv_qp_state wanted)
{
	int left;

	for (left = PATIENCE; left && state() != wanted; left--)
		pause_ms(1);
	return left;
}

static inline int to_state(enum ibv_qp_state wanted)
{
	struct ibv_qp_attr a = { .qp_state = wanted };

	return ibv_modify_qp(asker.qp, &a, IBV_QP_STATE);
}

#endif /* FULL_QUEUES_H */

// SPDX-License-Identifier: GPL-2.0
/* Two ends, and a connection between them: by hand, or where it takes that by rdma_cm. */
#include <netdb.h>
#include <pthread.h>
#include <string.h>

#include "insns.h"

#define PORT		"7470"
#define PATIENCE	5000	/* milliseconds */
#define QUEUE		512
#define INLINE		64

static struct ibv_context *device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;
	int i;

	NEED(list);
	for (i = 0; list[i] && strcmp(ibv_get_device_name(list[i]), name); i++)
		;
	NEED(list[i]);
	NEED(ctx = ibv_open_device(list[i]));
	ibv_free_device_list(list);
	return ctx;
}

static void objects(struct end *e)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC;

	NEED(!ibv_query_port(e->ctx, 1, &e->port));
	NEED(e->pd = ibv_alloc_pd(e->ctx));
	NEED(e->sends = ibv_create_cq(e->ctx, 2 * QUEUE, NULL, NULL, 0));
	NEED(e->receives = ibv_create_cq(e->ctx, 2 * QUEUE, NULL, NULL, 0));
	NEED(e->memory = aligned_alloc(4096, BYTES));
	memset(e->memory, 1, BYTES);
	NEED(e->mr = ibv_reg_mr(e->pd, e->memory, BYTES, access));
}

static struct ibv_qp_init_attr queues(const struct end *e)
{
	return (struct ibv_qp_init_attr){
		.send_cq = e->sends, .recv_cq = e->receives, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = QUEUE, .max_recv_wr = QUEUE, .max_send_sge = 1,
			 .max_recv_sge = 1, .max_inline_data = INLINE },
	};
}

/* ---- by hand ----------------------------------------------------------------------- */

static void open_end(struct end *e, const struct place *place)
{
	struct ibv_qp_init_attr attr;

	e->ctx = device(place->dev);
	e->gid_index = place->gid;
	NEED(!ibv_query_gid(e->ctx, 1, e->gid_index, &e->gid));
	objects(e);
	attr = queues(e);
	NEED(e->qp = ibv_create_qp(e->pd, &attr));
}

/* Software InfiniBand by LID, without a GRH. */
static struct ibv_ah_attr way_to(const struct end *e, const struct end *peer)
{
	struct ibv_ah_attr ah = { .port_num = 1, .dlid = peer->port.lid };

	if (e->port.link_layer == IBV_LINK_LAYER_INFINIBAND)
		return ah;
	ah.is_global = 1;
	ah.grh.dgid = peer->gid;
	ah.grh.sgid_index = e->gid_index;
	ah.grh.hop_limit = 64;
	return ah;
}

static void connect_end(struct end *e, const struct end *peer)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	NEED(!ibv_modify_qp(e->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = e->port.active_mtu,
		.dest_qp_num = peer->qp->qp_num, .max_dest_rd_atomic = 16,
		.min_rnr_timer = 12, .ah_attr = way_to(e, peer),
	};
	NEED(!ibv_modify_qp(e->qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			    IBV_QP_MIN_RNR_TIMER));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 18, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = 16,
	};
	NEED(!ibv_modify_qp(e->qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

/* ---- by rdma_cm --------------------------------------------------------------------- */

static struct rdma_conn_param parameters = {
	.responder_resources = 16, .initiator_depth = 16, .retry_count = 7, .rnr_retry_count = 7,
};

static struct sockaddr *resolve(const char *address)
{
	struct addrinfo want = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	struct addrinfo *found;

	NEED(!getaddrinfo(address, PORT, &want, &found));
	return found->ai_addr;
}

static void create_qp(struct end *e)
{
	struct ibv_qp_init_attr attr;

	e->ctx = e->id->verbs;
	objects(e);
	attr = queues(e);
	NEED(!rdma_create_qp(e->id, e->pd, &attr));
	e->qp = e->id->qp;
}

static void *accept_one(void *data)
{
	struct end *e = data;
	struct rdma_cm_id *listening = e->id;

	NEED(!rdma_get_request(listening, &e->id));
	create_qp(e);
	NEED(!rdma_accept(e->id, &parameters));
	return NULL;
}

static void by_cm(struct end *a, struct end *b, const struct place places[2])
{
	pthread_t other;

	NEED(!rdma_create_id(NULL, &b->id, NULL, RDMA_PS_TCP));
	NEED(!rdma_bind_addr(b->id, resolve(places[1].address)));
	NEED(!rdma_listen(b->id, 1));
	NEED(!pthread_create(&other, NULL, accept_one, b));
	NEED(!rdma_create_id(NULL, &a->id, NULL, RDMA_PS_TCP));
	NEED(!rdma_resolve_addr(a->id, NULL, resolve(places[0].address), PATIENCE));
	NEED(!rdma_resolve_route(a->id, PATIENCE));
	create_qp(a);
	NEED(!rdma_connect(a->id, &parameters));
	NEED(!pthread_join(other, NULL));
}

void ends_meet(struct end *a, struct end *b, const struct place places[2])
{
	if (places[0].address) {
		by_cm(a, b, places);
		return;
	}
	open_end(a, &places[0]);
	open_end(b, &places[1]);
	connect_end(a, b);
	connect_end(b, a);
}

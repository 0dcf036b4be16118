// SPDX-License-Identifier: GPL-2.0
/*
 * ibcm_sidr -d DEVICE [-x GID-INDEX] [-s SERVICE] [-m MESSAGES] [-l LID] [GID]
 *
 * Service id resolution: which queue pair serves a service? Without a GID it is the server, which
 * tells one client the number and the key of its UD queue pair, and prints MESSAGES datagrams.
 * With the GID of the server's port, and on InfiniBand its LID, it is the client: it asks, and
 * sends them.
 */
#include <arpa/inet.h>
#include "ibcm.h"

#define BYTES 64
#define GRH 40		/* in front of each datagram that comes in */
#define QKEY 0x1ee7a
#define RECEIVES 64

static struct {
	const char *device, *peer;
	int gid_index, messages;
	uint64_t service;
	uint16_t lid;
} o = { .gid_index = 0, .messages = 10, .service = 0x2000 };
static uint8_t buffer[RECEIVES][GRH + BYTES];
static struct ibv_context *verbs;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_qp *qp;
static int cm;

static void prepare(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 1, .max_recv_wr = RECEIVES, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	TRY(pd = ibv_alloc_pd(verbs));
	TRY(cq = ibv_create_cq(verbs, RECEIVES + 1, NULL, NULL, 0));
	TRY(mr = ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE));
	init.send_cq = cq;
	init.recv_cq = cq;
	TRY(qp = ibv_create_qp(pd, &init));
	TRY(!(errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
						IBV_QP_QKEY)));
	attr.qp_state = IBV_QPS_RTR;
	TRY(!(errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE)));
	attr.qp_state = IBV_QPS_RTS;
	TRY(!(errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN)));
}

static void receive(uint64_t which)
{
	struct ibv_sge sge = { (uintptr_t)buffer[which], GRH + BYTES, mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = which, .sg_list = &sge, .num_sge = 1 };

	TRY(!ibv_post_recv(qp, &wr, &bad));
}

static uint64_t complete(void)
{
	struct ibv_wc wc;
	int found;

	while (!(found = ibv_poll_cq(cq, 1, &wc)))
		continue;
	TRY(found == 1 && wc.status == IBV_WC_SUCCESS);
	return wc.wr_id;
}

/* ---- the server ----------------------------------------------------------------- */

static void answer(uint32_t id)
{
	struct ib_ucm_sidr_rep rep = { .id = id, .qpn = qp->qp_num, .qkey = QKEY };

	TRY(!(errno = IBCM(cm, SEND_SIDR_REP, rep, 0)));
	TRY(!(errno = ibcm_destroy(cm, id, NULL)));
}

static void serve(void)
{
	struct ibcm_event event;
	uint32_t listener;
	uint64_t which;
	int i;

	for (i = 0; i < RECEIVES; i++)
		receive(i);
	TRY(!(errno = ibcm_create(cm, 0, &listener)));
	TRY(!(errno = ibcm_listen(cm, listener, o.service)));
	printf("listening\n");
	fflush(stdout);
	do
		TRY(!(errno = ibcm_event(cm, &event)));
	while (event.resp.event != IBCM_SIDR_REQ_RECEIVED);
	answer(event.resp.id);
	for (i = 0; i < o.messages; i++) {
		which = complete();
		printf("%.*s\n", BYTES, (char *)buffer[which] + GRH);
		receive(which);
	}
	TRY(!(errno = ibcm_destroy(cm, listener, NULL)));
}

/* ---- the client -------------------------------------------------------------------- */

/* Return: what the server has said of the service. */
static struct ib_ucm_sidr_rep_event_resp resolve(struct ib_user_path_rec *path)
{
	struct ib_ucm_sidr_req req = {
		.timeout = 1000, .max_cm_retries = 7, .sid = htobe64(o.service),
		.path = (uintptr_t)path,
	};
	struct ibcm_event event;

	TRY(!(errno = ibcm_create(cm, 0, &req.id)));
	TRY(!(errno = IBCM(cm, SEND_SIDR_REQ, req, 0)));
	TRY(!(errno = ibcm_event(cm, &event)));
	TRY(!(errno = ibcm_destroy(cm, req.id, NULL)));
	if (event.resp.event != IBCM_SIDR_REP_RECEIVED) {
		fprintf(stderr, "no answer\n");
		exit(1);
	}
	if (event.resp.u.sidr_rep_resp.status) {
		fprintf(stderr, "refused, status %u\n", event.resp.u.sidr_rep_resp.status);
		exit(1);
	}
	return event.resp.u.sidr_rep_resp;
}

/* The address vector that leads where the path does. */
static struct ibv_ah *address(const struct ib_user_path_rec *path)
{
	struct ibv_ah_attr attr = { .dlid = be16toh(path->dlid), .port_num = 1 };
	struct ibv_ah *ah;

	if (!o.lid) {
		attr.is_global = 1;
		attr.grh.sgid_index = o.gid_index;
		attr.grh.hop_limit = 64;
		memcpy(&attr.grh.dgid, path->dgid, sizeof(attr.grh.dgid));
	}
	TRY(ah = ibv_create_ah(pd, &attr));
	return ah;
}

static void ask(void)
{
	struct ibv_sge sge = { (uintptr_t)buffer[0], BYTES, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ib_ucm_sidr_rep_event_resp found;
	struct ib_user_path_rec path;
	union ibv_gid gid;
	int i;

	TRY(inet_pton(AF_INET6, o.peer, &gid) == 1);
	path = ibcm_path(verbs, o.gid_index, &gid, o.lid);
	found = resolve(&path);
	printf("queue pair %u, key 0x%x\n", found.qpn, found.qkey);
	wr.wr.ud.ah = address(&path);
	wr.wr.ud.remote_qpn = found.qpn;
	wr.wr.ud.remote_qkey = found.qkey;
	for (i = 0; i < o.messages; i++) {
		memset(buffer[0], 0, BYTES);
		snprintf((char *)buffer[0], BYTES, "datagram %d", i);
		TRY(!ibv_post_send(qp, &wr, &bad));
		complete();
	}
	ibv_destroy_ah(wr.wr.ud.ah);
}

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:x:s:m:l:")) != -1) {
		switch (c) {
		case 'd': o.device = optarg; break;
		case 'x': o.gid_index = atoi(optarg); break;
		case 's': o.service = strtoull(optarg, NULL, 0); break;
		case 'm': o.messages = atoi(optarg); break;
		case 'l': o.lid = atoi(optarg); break;
		default: return 2;
		}
	}
	o.peer = argv[optind];
	if (!o.device) {
		fprintf(stderr, "usage: %s -d DEVICE [OPTION...] [GID]\n", argv[0]);
		return 2;
	}
	TRY(verbs = ibcm_verbs(o.device));
	TRY((cm = ibcm_open(o.device, 0)) >= 0);
	prepare();
	if (o.peer)
		ask();
	else
		serve();
	return 0;
}

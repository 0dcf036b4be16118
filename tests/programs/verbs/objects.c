// SPDX-License-Identifier: GPL-2.0
/*
 * Holds objects of every kind that 'rdma resource' shows, for others to look at.
 * Says "ready" and waits until its input ends.
 *
 * usage: objects DEVICE [IP-ADDRESS]
 *   with an address of the device: ids of librdmacm, too
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REGION 8192

static void need(const void *object, const char *what)
{
	if (object)
		return;
	perror(what);
	exit(1);
}

/* What a device does not have is not shown. */
static void want(const void *object, const char *what)
{
	if (!object)
		fprintf(stderr, "without %s\n", what);
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	need(list, "ibv_get_device_list");
	for (i = 0; list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			return ibv_open_device(list[i]);
	fprintf(stderr, "no device %s\n", name);
	exit(1);
}

static struct ibv_qp *new_qp(struct ibv_pd *pd, struct ibv_cq *cq,
			     struct ibv_srq *srq, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .srq = srq, .qp_type = type,
		.cap = { .max_send_wr = 4, .max_recv_wr = srq ? 0 : 4,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	want(qp, "a QP");
	return qp;
}

static void to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x111,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	if (!qp)
		return;
	mask |= qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	if (ibv_modify_qp(qp, &attr, mask))
		perror("INIT");
}

static void ud_to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };

	if (!qp)
		return;
	to_init(qp);
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		perror("RTR");
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = 0x123;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN))
		perror("RTS");
}

static void verbs_objects(struct ibv_context *context)
{
	struct ibv_srq_init_attr srq_attr = {
		.attr = { .max_wr = 4, .max_sge = 1 },
	};
	struct ibv_ah_attr ah_attr = {
		.is_global = 1, .port_num = 1, .grh = { .hop_limit = 1 },
	};
	struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
	struct ibv_pd *pd = ibv_alloc_pd(context);
	char *region = aligned_alloc(4096, REGION);
	struct ibv_cq *cq;
	struct ibv_srq *srq;

	need(region, "memory");
	need(channel, "ibv_create_comp_channel");
	need(pd, "ibv_alloc_pd");
	cq = ibv_create_cq(context, 10, NULL, channel, 0);
	need(cq, "ibv_create_cq");
	need(ibv_create_cq(context, 100, NULL, NULL, 0), "a second CQ");
	need(ibv_reg_mr(pd, region, REGION, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_READ), "ibv_reg_mr");
	need(ibv_reg_mr(pd, region + 100, 1000, 0), "a second MR");
	srq = ibv_create_srq(pd, &srq_attr);
	need(srq, "ibv_create_srq");
	to_init(new_qp(pd, cq, NULL, IBV_QPT_RC));
	new_qp(pd, cq, srq, IBV_QPT_RC);
	new_qp(pd, cq, srq, IBV_QPT_RC);
	to_init(new_qp(pd, cq, NULL, IBV_QPT_UC));
	ud_to_rts(new_qp(pd, cq, NULL, IBV_QPT_UD));
	if (!ibv_query_gid(context, 1, 0, &ah_attr.grh.dgid))
		want(ibv_create_ah(pd, &ah_attr), "an AH");
	want(ibv_alloc_mw(pd, IBV_MW_TYPE_1), "an MW");
}

static void cm_objects(const char *address)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_port = htons(7171) };
	struct rdma_cm_id *listener, *bound;

	need(channel, "rdma_create_event_channel");
	if (inet_pton(AF_INET, address, &addr.sin_addr) != 1)
		exit(2);
	if (rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(listener, (struct sockaddr *)&addr) ||
	    rdma_listen(listener, 4))
		need(NULL, "a listener");
	addr.sin_port = htons(7172);
	if (rdma_create_id(channel, &bound, NULL, RDMA_PS_UDP) ||
	    rdma_bind_addr(bound, (struct sockaddr *)&addr))
		need(NULL, "an id");
}

int main(int argc, char **argv)
{
	struct ibv_context *context;
	char byte;

	if (argc < 2)
		return 2;
	context = open_device(argv[1]);
	need(context, "ibv_open_device");
	verbs_objects(context);
	if (argc > 2)
		cm_objects(argv[2]);
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}

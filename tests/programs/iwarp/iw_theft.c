// SPDX-License-Identifier: GPL-2.0
/*
 * usage: iw_theft ADDRESS
 *
 * Over iWARP a connection takes a queue pair by its number: of the program that asks,
 * never of another one. Another process has one here, and this one tries to connect it,
 * and then one of its own, to a listener that need not answer. A line for each case.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rdma/rdma_cma.h>

static const char *address;

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(2);
}

/* An id that knows its way. */
static struct rdma_cm_id *resolved(void)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *info;
	struct rdma_cm_id *id;

	if (rdma_getaddrinfo(address, "7201", &hints, &info))
		die("rdma_getaddrinfo");
	if (rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP))
		die("rdma_create_id");
	if (rdma_resolve_addr(id, NULL, info->ai_dst_addr, 2000) ||
	    rdma_resolve_route(id, 2000))
		die("rdma_resolve");
	rdma_freeaddrinfo(info);
	return id;
}

/* Not of rdma_cm: a number that is told to rdma_connect(). */
static struct ibv_qp *queue_pair(struct ibv_context *context)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = 4, .max_recv_wr = 4,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
	};
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_qp *qp;

	attr.send_cq = ibv_create_cq(context, 8, NULL, NULL, 0);
	attr.recv_cq = attr.send_cq;
	if (!pd || !attr.send_cq)
		die("ibv_create_cq");
	qp = ibv_create_qp(pd, &attr);
	if (!qp)
		die("ibv_create_qp");
	return qp;
}

/* Return: 0 or the errno of rdma_connect(). */
static int connect_to(uint32_t qpn)
{
	struct rdma_conn_param param = { .qp_num = qpn };
	struct rdma_cm_id *id = resolved();
	int ret = rdma_connect(id, &param) ? errno : 0;

	rdma_destroy_id(id);
	return ret;
}

/* The victim: makes one, says its number, and waits to be told to end. */
static void own_one(int tell, int wait)
{
	struct rdma_cm_id *id = resolved();
	struct ibv_qp *qp = queue_pair(id->verbs);
	char c;

	if (write(tell, &qp->qp_num, sizeof(qp->qp_num)) < 0 ||
	    read(wait, &c, 1) < 0)
		die("pipe");
	exit(0);
}

static int verdict(const char *what, int got, int bad)
{
	printf("%s %s (%s)\n", bad ? "FAIL" : "ok  ", what,
	       got ? strerror(got) : "connects");
	return bad;
}

int main(int argc, char **argv)
{
	int tell[2], wait[2], status, failures = 0, ret;
	struct rdma_cm_id *id;
	uint32_t qpn;
	pid_t child;

	if (argc != 2)
		return 2;
	address = argv[1];
	if (pipe(tell) || pipe(wait))
		die("pipe");
	child = fork();
	if (!child) {
		close(wait[1]);
		own_one(tell[1], wait[0]);
	}
	if (read(tell[0], &qpn, sizeof(qpn)) != sizeof(qpn))
		die("pipe");
	ret = connect_to(qpn);
	failures += verdict("queue pair of another process", ret, ret != EINVAL);
	close(wait[1]);
	waitpid(child, &status, 0);
	failures += verdict("that process", status, status);

	id = resolved();
	/* No program listens: refused by the peer, not by this host. */
	ret = connect_to(queue_pair(id->verbs)->qp_num);
	failures += verdict("queue pair of this one", ret, ret == EINVAL);
	return failures ? 1 : 0;
}

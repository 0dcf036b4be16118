// SPDX-License-Identifier: GPL-2.0
/*
 * What a host with busy processors gets done: one process with both ends of RC
 * connections, a window of requests in each, polled. It counts what completes, and the longest
 * time in which nothing does.
 *
 * usage: busy_stream DEVICE GID-INDEX DEVICE GID-INDEX write|read|mixed BYTES WINDOW SECONDS TIMEOUT
 *		[CONNECTIONS]
 *
 * mixed: a round is a READ of BYTES and a WRITE of 64 bytes at once. Prints
 * 'DONE completions, MB/s, longest gap in ms', and of several connections how evenly they
 * shared it (Jain: 1 is evenly, 1/CONNECTIONS is one alone). Exit status: 0, all that was
 * posted completed.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <infiniband/verbs.h>

#define PSN	0xfffff0	/* numbers wrap soon */
#define SHORT	64
#define MOST	16		/* connections */
#define HANG	60.0		/* seconds without any completion */

#define NEED(x) do { if (!(x)) { \
	printf("%s: %s (line %d)\n", #x, strerror(errno), __LINE__); exit(2); } } while (0)

struct end {
	struct ibv_context *ctx;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	union ibv_gid gid;
	int gid_index;
	uint8_t *memory;
};

static struct end end[MOST][2];
static int connections = 1;
static bool reads, mixed;
static uint32_t bytes;
static int timeout;	/* 4.096 us * 2^timeout */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static struct ibv_context *device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	NEED(list);
	for (i = 0; list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			return ibv_open_device(list[i]);
	return NULL;
}

static void open_end(struct end *e, const char *name, int gid_index)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 256, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_pd *pd;

	NEED(e->ctx = device(name));
	e->gid_index = gid_index;
	NEED(!ibv_query_gid(e->ctx, 1, gid_index, &e->gid));
	NEED(pd = ibv_alloc_pd(e->ctx));
	NEED(e->cq = ibv_create_cq(e->ctx, 1000, NULL, NULL, 0));
	NEED(!posix_memalign((void **)&e->memory, 4096, bytes + SHORT));
	memset(e->memory, 1, bytes + SHORT);
	NEED(e->mr = ibv_reg_mr(pd, e->memory, bytes + SHORT, IBV_ACCESS_LOCAL_WRITE |
				IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ));
	attr.send_cq = attr.recv_cq = e->cq;
	NEED(e->qp = ibv_create_qp(pd, &attr));
}

static void connect_end(struct end *e, const struct end *peer)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR, .dest_qp_num = peer->qp->qp_num, .rq_psn = PSN,
		.max_dest_rd_atomic = 16, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = peer->gid, .sgid_index = e->gid_index,
				      .hop_limit = 64 } },
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS, .sq_psn = PSN, .timeout = timeout, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 16,
	};
	struct ibv_port_attr port;

	NEED(!ibv_query_port(e->ctx, 1, &port));
	rtr.path_mtu = port.active_mtu;
	NEED(!ibv_modify_qp(e->qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS));
	NEED(!ibv_modify_qp(e->qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			    IBV_QP_MIN_RNR_TIMER));
	NEED(!ibv_modify_qp(e->qp, &rts, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			    IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC));
}

static void post(struct end *e, bool read, uint32_t length, uint32_t offset, bool signaled)
{
	struct ibv_sge sge = { (uintptr_t)e[0].memory + offset, length, e[0].mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1,
		.opcode = read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
		.send_flags = signaled ? IBV_SEND_SIGNALED : 0,
		.wr.rdma = { (uintptr_t)e[1].memory + offset, e[1].mr->rkey },
	};
	struct ibv_send_wr *bad;

	NEED(!ibv_post_send(e[0].qp, &wr, &bad));
}

static void post_round(struct end *e)
{
	if (!mixed) {
		post(e, reads, bytes, 0, true);
		return;
	}
	post(e, true, bytes, 0, false);
	post(e, false, SHORT, bytes, true);
}

/* What has completed, of one connection. */
static int reap(struct end *e, double start)
{
	struct ibv_wc wc[16];
	int n = ibv_poll_cq(e[0].cq, 16, wc), i;

	NEED(n >= 0);
	for (i = 0; i < n; i++) {
		if (wc[i].status == IBV_WC_SUCCESS)
			continue;
		printf("%s after %.2f s\n", ibv_wc_status_str(wc[i].status), now() - start);
		exit(1);
	}
	return n;
}

static double fairness(const long *done)
{
	double sum = 0, squares = 0;
	int c;

	for (c = 0; c < connections; c++) {
		sum += done[c];
		squares += (double)done[c] * done[c];
	}
	return squares ? sum * sum / (connections * squares) : 0;
}

static void report(const long *done, double seconds, double gap)
{
	long all = 0;
	int c;

	for (c = 0; c < connections; c++)
		all += done[c];
	printf("%ld completions, %.2f MB/s, longest gap %.1f ms", all,
	       all * (double)bytes / seconds / 1e6, gap * 1e3);
	if (connections > 1)
		printf(", %d connections, Jain %.3f", connections, fairness(done));
	printf("\n");
}

/* For so many seconds, then what is left, which counts for one connection alone. */
static void run(int window, double seconds)
{
	double start = now(), last = start, gap = 0, t = start, until = start + seconds;
	long done[MOST] = {};
	int on_way[MOST] = {}, left = 0, c, n;

	while (t < until || left) {
		for (c = 0; c < connections; c++) {
			for (; t < until && on_way[c] < window; on_way[c]++, left++)
				post_round(end[c]);
			n = reap(end[c], start);
			on_way[c] -= n;
			left -= n;
			t = now();
			if (t < until || connections == 1)
				done[c] += n;
			if (t - last > gap)
				gap = t - last;
			if (n)
				last = t;
			NEED(t - last < HANG);
		}
	}
	report(done, connections == 1 ? now() - start : seconds, gap);
}

int main(int argc, char **argv)
{
	int c;

	if (argc < 10 || argc > 11) {
		fprintf(stderr, "usage: %s DEV GID DEV GID write|read|mixed BYTES WINDOW SECONDS "
			"TIMEOUT [CONNECTIONS]\n",
			argv[0]);
		return 2;
	}
	reads = !strcmp(argv[5], "read");
	mixed = !strcmp(argv[5], "mixed");
	bytes = atoi(argv[6]);
	timeout = atoi(argv[9]);
	if (argc > 10)
		connections = atoi(argv[10]);
	NEED(connections > 0 && connections <= MOST);
	for (c = 0; c < connections; c++) {
		open_end(&end[c][0], argv[1], atoi(argv[2]));
		open_end(&end[c][1], argv[3], atoi(argv[4]));
		connect_end(&end[c][0], &end[c][1]);
		connect_end(&end[c][1], &end[c][0]);
	}
	run(atoi(argv[7]), atof(argv[8]));
	return 0;
}

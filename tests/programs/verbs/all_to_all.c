// SPDX-License-Identifier: GPL-2.0
/*
 * Each process talks with each: a connected queue pair between each two of many
 * ports, by LID, and in each round a message each way, all at once. Each byte of a
 * message names its sender, its receiver and its number.
 *
 * usage: all_to_all [-t TIMEOUT] [-k PARTITION] [-r RATE] ROUNDS BYTES DEVICE[/PORT]...
 * No rounds: until SIGTERM. TIMEOUT and RATE are those of the queue pairs
 * (ibv_modify_qp(3)), PARTITION a P_Key of which membership does not matter.
 */
#include <endian.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "pattern.h"

#define MOST		32	/* ports */
#define PATIENCE	300	/* seconds for a round */
#define KEY		0x7fff	/* of a P_Key: the partition */

/* A port, with a queue pair and two messages for each other one. */
struct end {
	char *name;
	int port;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *memory;
	uint16_t lid;
	uint16_t pkey_index;
	enum ibv_mtu mtu;
	struct ibv_qp *qps[MOST];
};

static struct end ends[MOST];
static int count, timeout = 18, rate;
static uint16_t partition = KEY;
static size_t bytes;
static volatile sig_atomic_t stop;

static void die(const char *what, const struct end *end)
{
	fprintf(stderr, "%s of %s: %m\n", what, end->name);
	exit(1);
}

static uint8_t *sent(const struct end *end, int to)
{
	return end->memory + (size_t)to * bytes;
}

static uint8_t *received(const struct end *end, int from)
{
	return end->memory + (size_t)(count + from) * bytes;
}

static uint64_t seed(int round, int from, int to)
{
	return (uint64_t)round << 16 | from << 8 | to;
}

/* ---- set-up ------------------------------------------------------------------------ */

static void open_device(struct end *end)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	char *slash = strchr(end->name, '/');
	int i;

	end->port = 1;
	if (slash) {
		*slash = 0;
		end->port = atoi(slash + 1);
	}
	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), end->name))
			end->ctx = ibv_open_device(list[i]);
	if (!end->ctx)
		die("open", end);
	ibv_free_device_list(list);
}

static void find_partition(struct end *end)
{
	__be16 pkey;

	while (!ibv_query_pkey(end->ctx, end->port, end->pkey_index, &pkey)) {
		if ((be16toh(pkey) & KEY) == partition)
			return;
		end->pkey_index++;
	}
	die("partition", end);
}

static void make_end(struct end *end)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_port_attr port;
	int i;

	open_device(end);
	end->memory = calloc(2 * count, bytes);
	end->pd = ibv_alloc_pd(end->ctx);
	end->cq = ibv_create_cq(end->ctx, 2 * count, NULL, NULL, 0);
	if (!end->memory || !end->pd || !end->cq || ibv_query_port(end->ctx, end->port, &port))
		die("objects", end);
	end->mr = ibv_reg_mr(end->pd, end->memory, 2 * count * bytes, IBV_ACCESS_LOCAL_WRITE);
	if (!end->mr)
		die("memory", end);
	end->lid = port.lid;
	end->mtu = port.active_mtu;
	find_partition(end);
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	for (i = 0; i < count; i++) {
		if (&ends[i] == end)
			continue;
		end->qps[i] = ibv_create_qp(end->pd, &init);
		if (!end->qps[i])
			die("queue pair", end);
	}
}

static void connect_to(struct end *end, int own, int other)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = end->port,
		.pkey_index = end->pkey_index,
		.path_mtu = end->mtu < ends[other].mtu ? end->mtu : ends[other].mtu,
		.dest_qp_num = ends[other].qps[own]->qp_num,
		.max_dest_rd_atomic = 1,
		.max_rd_atomic = 1,
		.min_rnr_timer = 12,
		.timeout = timeout,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = { .dlid = ends[other].lid, .port_num = end->port,
			     .static_rate = rate },
	};

	if (ibv_modify_qp(end->qps[other], &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			  IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("INIT", end);
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(end->qps[other], &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		die("RTR", end);
	attr.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(end->qps[other], &attr, IBV_QP_STATE | IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			  IBV_QP_MAX_QP_RD_ATOMIC))
		die("RTS", end);
}

/* ---- a round ------------------------------------------------------------------------- */

static void receive(struct end *end, int from)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)received(end, from), .length = bytes, .lkey = end->mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	memset(received(end, from), 0, bytes);
	if (ibv_post_recv(end->qps[from], &wr, &bad))
		die("receive", end);
}

static void send_to(struct end *end, int own, int to, int round)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)sent(end, to), .length = bytes, .lkey = end->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	}, *bad;

	pattern_fill(seed(round, own, to), 0, sent(end, to), bytes);
	if (ibv_post_send(end->qps[to], &wr, &bad))
		die("send", end);
}

static int poll_end(struct end *end)
{
	struct ibv_wc wcs[16];
	int i, done = ibv_poll_cq(end->cq, 16, wcs);

	if (done < 0)
		die("poll", end);
	for (i = 0; i < done; i++) {
		if (wcs[i].status) {
			fprintf(stderr, "%s: %s\n", end->name, ibv_wc_status_str(wcs[i].status));
			exit(1);
		}
	}
	return done;
}

/* Of each message both ends hear. */
static void wait_for_all(int round)
{
	int left = 2 * count * (count - 1), i;
	time_t end = time(NULL) + PATIENCE;

	while (left) {
		for (i = 0; i < count; i++)
			left -= poll_end(&ends[i]);
		if (time(NULL) > end) {
			fprintf(stderr, "%d completions of round %d never came\n", left, round);
			exit(1);
		}
	}
}

static void compare(struct end *end, int own, int from, int round)
{
	long right = pattern_differs(seed(round, from, own), 0, received(end, from), bytes);

	if (right < 0)
		return;
	fprintf(stderr, "%s: byte %ld of what %s sent in round %d is wrong\n", end->name, right,
		ends[from].name, round);
	exit(1);
}

static void do_round(int round)
{
	int i, j;

	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++)
			if (i != j)
				receive(&ends[i], j);
	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++)
			if (i != j)
				send_to(&ends[i], i, j, round);
	wait_for_all(round);
	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++)
			if (i != j)
				compare(&ends[i], i, j, round);
}

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static int usage(void)
{
	fprintf(stderr, "usage: all_to_all [-t TIMEOUT] [-k PARTITION] [-r RATE] "
		"ROUNDS BYTES DEVICE[/PORT]...\n");
	return 2;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void begin(char **names)
{
	int i, j;

	for (i = 0; i < count; i++)
		ends[i].name = names[i];
	for (i = 0; i < count; i++)
		make_end(&ends[i]);
	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++)
			if (i != j)
				connect_to(&ends[i], i, j);
}

int main(int argc, char **argv)
{
	int rounds, option, i;
	double began;

	while ((option = getopt(argc, argv, "t:k:r:")) != -1) {
		if (option == 't')
			timeout = atoi(optarg);
		else if (option == 'r')
			rate = atoi(optarg);
		else if (option == 'k')
			partition = strtol(optarg, NULL, 0) & KEY;
		else
			return usage();
	}
	argv += optind;
	count = argc - optind - 2;
	if (count < 2 || count > MOST)
		return usage();
	rounds = atoi(argv[0]);
	bytes = atoi(argv[1]);
	if (!bytes)
		return usage();
	signal(SIGTERM, on_signal);
	begin(argv + 2);
	began = seconds();
	for (i = 0; !stop && (!rounds || i < rounds); i++)
		do_round(i);
	printf("%d ports, %d queue pairs, %d rounds, %lld messages of %zu bytes, %.3f s\n", count,
	       count * (count - 1), i, (long long)i * count * (count - 1), bytes,
	       seconds() - began);
	return 0;
}

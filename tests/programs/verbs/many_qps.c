// SPDX-License-Identifier: GPL-2.0
/*
 * Many connected queue pairs of one process at once. Each moves 1 MiB to its
 * peer, all of them at the same time; sums of what was sent and of what arrived
 * must be equal.
 *
 * many_qps DEVICE GID-INDEX SEED [QPS [break]]
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#define PIECE 65536
#define PIECES 16		/* of a queue pair's 1 MiB */
#define DEPTH 2			/* receives of a queue pair */
#define TEXT (4u << 20)
#define HANG 120		/* seconds without a completion */
#define RECEIVED (1ULL << 32)	/* in wr_id */

#define NEED(x) do { if (!(x)) { \
	printf("%s: %s (line %d)\n", #x, strerror(errno), __LINE__); exit(1); } } while (0)

struct end {
	struct ibv_qp *qp;
	uint32_t start;			/* of its message in the text */
	int sent, received;		/* pieces */
	uint64_t sum_sent, sum_received;
};

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *text_mr, *landing_mr;
static union ibv_gid gid;
static int gid_index, count = 1000, spoil, failures;
static struct end *ends;
static uint8_t *text, *landing;

/* Order counts: a byte at another place is another sum. */
static uint64_t sum(uint64_t so_far, const uint8_t *data)
{
	const uint64_t *p = (const uint64_t *)data;

	for (size_t i = 0; i < PIECE / 8; i++)
		so_far = (so_far ^ p[i]) * 0x9e3779b97f4a7c15 + (so_far >> 29);
	return so_far;
}

static uint8_t *slot(int i, int piece)
{
	return landing + ((size_t)i * DEPTH + piece % DEPTH) * PIECE;
}

static void receive(int i, int piece)
{
	struct ibv_sge sge = { (uintptr_t)slot(i, piece), PIECE, landing_mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = RECEIVED | i, .sg_list = &sge, .num_sge = 1 }, *bad;

	NEED(!ibv_post_recv(ends[i].qp, &wr, &bad));
}

static void send_piece(int i)
{
	struct end *e = &ends[i];
	const uint8_t *from = text + e->start + e->sent * PIECE;
	struct ibv_sge sge = { (uintptr_t)from, PIECE, text_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};

	NEED(!ibv_post_send(e->qp, &wr, &bad));
	e->sum_sent = sum(e->sum_sent, from);
	e->sent++;
}

static void create(struct end *e)
{
	struct ibv_qp_init_attr a = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	NEED(e->qp = ibv_create_qp(pd, &a));
}

static void connect_to(struct ibv_qp *q, uint32_t peer)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	NEED(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer,
		.rq_psn = 77, .max_dest_rd_atomic = 4, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 } },
	};
	NEED(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
	/* A thousand senders share the processors: an answer may take long. */
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 18, .retry_cnt = 7, .rnr_retry = 7,
		.sq_psn = 77, .max_rd_atomic = 4,
	};
	NEED(!ibv_modify_qp(q, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

/* kB of a line of /proc/meminfo; the counts of all processors are folded first. */
static long meminfo(const char *name)
{
	char line[128];
	FILE *f = fopen("/proc/sys/vm/stat_refresh", "w");
	long kb = -1;

	if (f)
		fclose(f);
	NEED(f = fopen("/proc/meminfo", "r"));
	while (kb < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			kb = atol(line + strlen(name) + 1);
	fclose(f);
	return kb;
}

static void create_all(void)
{
	static const char *const names[] = {
		"Slab", "VmallocUsed", "PageTables", "Percpu", "MemAvailable"
	};
	long before[5];

	for (int k = 0; k < 5; k++)
		before[k] = meminfo(names[k]);
	for (int i = 0; i < count; i++)
		create(&ends[i]);
	for (int i = 0; i < count; i++)
		connect_to(ends[i].qp, ends[i ^ 1].qp->qp_num);
	printf("%d connected queue pairs; bytes for each:", count);
	for (int k = 0; k < 5; k++)
		printf(" %s %+ld", names[k], (meminfo(names[k]) - before[k]) * 1024 / count);
	printf("\n");
}

static void completed(const struct ibv_wc *wc)
{
	int i = (uint32_t)wc->wr_id;
	struct end *e = &ends[i];

	if (wc->status) {
		if (failures++ < 10)
			printf("FAIL queue pair %d, %s: %s\n", i,
			       wc->wr_id & RECEIVED ? "receive" : "send",
			       ibv_wc_status_str(wc->status));
	} else if (wc->wr_id & RECEIVED) {
		if (spoil && !i)
			slot(i, e->received)[PIECE - 1] ^= 1;
		e->sum_received = sum(e->sum_received, slot(i, e->received));
		if (wc->byte_len != PIECE && failures++ < 10)
			printf("FAIL queue pair %d: byte_len %u\n", i, wc->byte_len);
		e->received++;
		if (e->received + DEPTH <= PIECES)
			receive(i, e->received + DEPTH - 1);
	} else if (e->sent < PIECES) {
		send_piece(i);
	}
}

static void move_all(void)
{
	long left = (long)count * PIECES * 2;
	time_t last = time(NULL);

	for (int i = 0; i < count; i++)
		for (int k = 0; k < DEPTH; k++)
			receive(i, k);
	for (int i = 0; i < count; i++)
		send_piece(i);
	while (left && failures < 10) {
		struct ibv_wc wc[16];
		int n = ibv_poll_cq(cq, 16, wc);

		NEED(n >= 0);
		for (int k = 0; k < n; k++)
			completed(&wc[k]);
		left -= n;
		if (n) {
			last = time(NULL);
		} else if (time(NULL) > last + HANG) {
			printf("FAIL hangs, %ld completions left\n", left);
			failures++;
			break;
		} else {
			usleep(100);
		}
	}
	for (int i = 0; i < count; i++)
		if (ends[i].sum_received != ends[i ^ 1].sum_sent && failures++ < 10)
			printf("FAIL queue pair %d: sums differ\n", i);
}

static void destroy_all(void)
{
	struct timespec start, end;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < count; i++)
		if (ibv_destroy_qp(ends[i].qp))
			failures++;
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("destroyed in %ld ms\n", (end.tv_sec - start.tv_sec) * 1000 +
	       (end.tv_nsec - start.tv_nsec) / 1000000);
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	time_t start;

	if (argc < 4)
		return 2;
	gid_index = atoi(argv[2]);
	srandom(atoi(argv[3]));
	if (argc > 4)
		count = atoi(argv[4]) & ~1;
	spoil = argc > 5;
	for (; *list && strcmp(ibv_get_device_name(*list), argv[1]); list++)
		;
	NEED(*list);
	NEED(ctx = ibv_open_device(*list));
	NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(cq = ibv_create_cq(ctx, count * DEPTH * 2, NULL, NULL, 0));
	NEED(ends = calloc(count, sizeof(*ends)));
	NEED(!posix_memalign((void **)&text, 4096, TEXT));
	NEED(!posix_memalign((void **)&landing, 4096, (size_t)count * DEPTH * PIECE));
	for (size_t i = 0; i < TEXT; i++)
		text[i] = random() >> 8;
	memset(landing, 0, (size_t)count * DEPTH * PIECE);
	NEED(text_mr = ibv_reg_mr(pd, text, TEXT, 0));
	NEED(landing_mr = ibv_reg_mr(pd, landing, (size_t)count * DEPTH * PIECE,
				     IBV_ACCESS_LOCAL_WRITE));
	for (int i = 0; i < count; i++)
		ends[i].start = random() % (TEXT - PIECE * PIECES) / 8 * 8;
	create_all();
	start = time(NULL);
	move_all();
	printf("%d MiB in %ld s, %d failures\n", count, (long)(time(NULL) - start), failures);
	destroy_all();
	return failures != 0;
}

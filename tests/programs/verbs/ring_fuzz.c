// SPDX-License-Identifier: GPL-2.0
/*
 * A process that scribbles over the rings it shares with the kernel, in several
 * threads, rings the doorbell, and takes its queue pairs down and up meanwhile;
 * another process beside it; its messages and memory must stay right.
 *
 * usage: ring_fuzz DEVICE N SEED
 *
 * Objects are made by librxe as always. Its rings are found in /proc/self/maps:
 * what a call has mapped is the ring of what it made. Layout: rxe_queue_buf and
 * the work requests of <rdma/rdma_user_rxe.h>.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "rxe_ring.h"

#include <rdma/ib_user_verbs.h>

#define ARENA		(64 << 10)
#define REGION_AT	(8 << 10 | 0x135)
#define REGION		(32 << 10 | 0x31)
#define QPS		8	/* 2 RC, 2 RC with an SRQ, 2 UC, 2 UD */
#define ROUND		200	/* requests between two sets of objects: an overrun CQ ends all */
#define MOST_TIMES	10	/* as many requests, until some were good */
#define WORD		0x5ec2e7c0dedULL

/* What the two processes tell each other. */
struct shared {
	volatile bool ready, stop;
	volatile long messages;
	volatile uint32_t keys[4];
	volatile uint64_t address;
	volatile uint64_t secret;
};

struct victim {		/* of itself */
	struct ibv_qp *qp;
	struct ring send, receive;	/* receive: empty with an SRQ */
};

static struct shared *shared;
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static struct ibv_ah *ah;
static struct ibv_mw *mw;
static struct ibv_mr *mr;
static struct victim victims[QPS];
static struct ring cq_ring, srq_ring;
static union ibv_gid gid;
static int gid_index;
static uint8_t *arena;
static volatile bool round_over;
static volatile long left;
static uint32_t statuses;	/* seen in the CQ, a bit each */
static long restarts, doorbells;
static int failures;


/* ---- objects ----------------------------------------------------------------------- */

static struct victim *peer_of(struct victim *v)
{
	return &victims[(v - victims) ^ 1];
}

static int start(struct victim *v)
{
	return qp_ready(v->qp, gid_index, &gid, peer_of(v)->qp->qp_num, 0xffff00, 0xffff00, 8);
}

static void make_victim(int i)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = types[i / 2],
		.srq = i / 2 == 1 ? srq : NULL,
		.cap = { .max_send_wr = 30, .max_recv_wr = 30, .max_send_sge = 4, .max_recv_sge = 2,
			 .max_inline_data = 64 },
	};
	struct victim *v = &victims[i];
	struct ring rings[2];
	int n;

	NEED(v->qp = ibv_create_qp(pd, &init));
	n = new_rings(rings, 2);
	NEED(n == (init.srq ? 1 : 2));
	/* A send element is the longer one. */
	if (n == 1 || rings[0].buf->log2_elem_size > rings[1].buf->log2_elem_size) {
		v->send = rings[0];
		v->receive = n == 2 ? rings[1] : (struct ring){ 0 };
	} else {
		v->send = rings[1];
		v->receive = rings[0];
	}
}

static void make_objects(void)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 30, .max_sge = 2 } };
	struct ibv_ah_attr ah_attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 },
	};
	int i;

	knowns = 0;
	NEED(cq = ibv_create_cq(ctx, 60, NULL, channel, 0));
	NEED(new_rings(&cq_ring, 1) == 1);
	NEED(srq = ibv_create_srq(pd, &srq_attr));
	NEED(new_rings(&srq_ring, 1) == 1);
	for (i = 0; i < QPS; i++)
		make_victim(i);
	for (i = 0; i < QPS; i++)
		NEED(!(errno = start(&victims[i])));
	NEED(ah = ibv_create_ah(pd, &ah_attr));
	NEED(mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2));
	NEED(mr = ibv_reg_mr(pd, arena + REGION_AT, REGION, RIGHTS | IBV_ACCESS_MW_BIND));
}

static void end_objects(void)
{
	int i;

	for (i = 0; i < QPS; i++)
		NEED(!(errno = ibv_destroy_qp(victims[i].qp)));
	NEED(!(errno = ibv_destroy_srq(srq)));
	NEED(!(errno = ibv_dealloc_mw(mw)));
	NEED(!(errno = ibv_dereg_mr(mr)));
	NEED(!(errno = ibv_destroy_ah(ah)));
	NEED(!(errno = ibv_destroy_cq(cq)));
}

/* ---- what is written ------------------------------------------------------------------ */

static uint32_t a_key(uint64_t *s)
{
	switch (below(s, 10)) {
	case 0:	return shared->keys[below(s, 4)];
	case 1:	return mr->lkey ^ 1U << below(s, 32);
	case 2:	return odd(s);
	case 3:	return mw->rkey + below(s, 2);
	default: return mr->lkey;
	}
}

static uint64_t an_address(uint64_t *s)
{
	uint64_t at = (uintptr_t)arena + REGION_AT;

	switch (below(s, 12)) {
	case 0:	return shared->address + below(s, 4096);
	case 1:	return odd(s);
	case 2:	return at - below(s, 64);
	case 3:	return at + REGION - below(s, 64);
	default: return (at + below(s, REGION - 8192) + 7) & ~7ULL;
	}
}

static void fill_sges(struct rxe_sge *sge, int n, struct rxe_dma_info *dma, uint64_t *s)
{
	int i;

	dma->length = 0;
	dma->num_sge = n;
	dma->cur_sge = dma->sge_offset = 0;
	for (i = 0; i < n; i++) {
		sge[i].addr = an_address(s);
		sge[i].length = below(s, 6) ? below(s, 2500) : odd(s);
		sge[i].lkey = a_key(s);
		dma->length += sge[i].length;
	}
	dma->resid = dma->length;
}

static uint32_t an_opcode(uint64_t *s)
{
	static const uint32_t others[] = { 14, 15, 0x20, 0x21, 0x22, 0xf0, 0xff, ~0u, 0x80000000 };

	return below(s, 8) ? below(s, 13) : others[below(s, 9)];
}

/* One that might be fine; with @bend, one that is not. */
static void fill_send(struct victim *v, uint8_t *element, bool bend, uint64_t *s)
{
	struct rxe_send_wqe *w = (void *)element;
	uint32_t i;

	memset(w, below(s, 8) ? 0 : rng(s), sizeof(*w));
	w->wr.wr_id = rng(s);
	w->wr.opcode = an_opcode(s);
	w->wr.send_flags = below(s, 8) ? IBV_SEND_SIGNALED | below(s, 4) * 4 : rng(s);
	w->wr.ex.invalidate_rkey = a_key(s);
	if (v->qp->qp_type == IBV_QPT_UD) {
		w->wr.wr.ud.remote_qpn = below(s, 4) ? peer_of(v)->qp->qp_num : rng(s);
		w->wr.wr.ud.remote_qkey = below(s, 4) ? 0x11111111 : rng(s);
		w->wr.wr.ud.ah_num = below(s, 4) ? 1 + below(s, 8) : odd(s);
		w->wr.opcode = below(s, 4) ? IBV_WR_SEND + below(s, 2) : w->wr.opcode;
	} else if (w->wr.opcode == IBV_WR_BIND_MW) {
		w->wr.wr.mw.addr = an_address(s);
		w->wr.wr.mw.length = below(s, 4) ? below(s, 4096) : odd(s);
		w->wr.wr.mw.mr_lkey = a_key(s);
		w->wr.wr.mw.mw_rkey = mw->rkey;
		w->wr.wr.mw.rkey = mw->rkey + 1;
		w->wr.wr.mw.access = rng(s) & 0x3f;
	} else {
		w->wr.wr.atomic.remote_addr = an_address(s);
		w->wr.wr.atomic.compare_add = rng(s);
		w->wr.wr.rdma.rkey = a_key(s);
		if (w->wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		    w->wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
			w->wr.wr.atomic.rkey = a_key(s);
	}
	fill_sges((struct rxe_sge *)(element + sizeof(*w)), below(s, 5), &w->dma, s);
	if (w->wr.send_flags & IBV_SEND_INLINE)
		w->dma.length = below(s, 80);
	for (i = bend ? 1 + below(s, 3) : 0; i; i--) {
		uint32_t at = below(s, sizeof(*w) + 64) & ~3;
		uint32_t value = odd(s);

		memcpy(element + at, &value, 4);
	}
}

/* ---- threads ---------------------------------------------------------------------------- */

static struct shape send_shape[QPS], receive_shape[QPS], cq_shape, srq_shape;

static void doorbell(struct victim *v)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send cmd;
	} message = {
		.hdr = { IB_USER_VERBS_CMD_POST_SEND, sizeof(message) / 4, 1 },
	};
	uint32_t response;

	message.cmd.response = (uintptr_t)&response;
	message.cmd.qp_handle = v->qp->handle;
	message.cmd.wqe_size = sizeof(struct ibv_send_wr);
	/* A queue pair that is not connected now refuses: as it should. */
	if (write(ctx->cmd_fd, &message, sizeof(message)) > 0)
		doorbells++;
}

/*
 * Most requests end a queue pair, and those behind it are only flushed: let the
 * restarter come to it, but do not hang on it.
 */
static void wait_for_restart(long seen_restarts)
{
	int i;

	for (i = 0; i < 50; i++) {
		if (__atomic_load_n(&restarts, __ATOMIC_RELAXED) != seen_restarts)
			return;
		usleep(200);
	}
}

static void *sender(void *arg)
{
	uint64_t s = (uintptr_t)arg;
	long seen_restarts = 0;
	int bells = 0;

	while (__sync_sub_and_fetch(&left, 4) > -4) {
		int i = below(&s, QPS), k;
		struct victim *v = &victims[i];
		uint32_t at = v->send.buf->producer_index;

		for (k = 0; k < 4; k++)
			fill_send(v, slot(&v->send, send_shape[i], at + k), !below(&s, 3), &s);
		__atomic_store_n(&v->send.buf->producer_index, (at + 4) & send_shape[i].mask,
				 __ATOMIC_RELEASE);
		if (!below(&s, 8))
			spoil_header(&v->send, send_shape[i], &s);
		doorbell(v);
		/* While the kernel is at it. */
		if (!below(&s, 4))
			fill_send(v, slot(&v->send, send_shape[i], at + below(&s, 4)), true, &s);
		if (!below(&s, 16))
			spoil_header(&v->send, send_shape[i], &s);
		if (++bells % 4)
			continue;
		wait_for_restart(seen_restarts);
		seen_restarts = __atomic_load_n(&restarts, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void fill_receive(struct ring *r, struct shape shape, uint64_t *s)
{
	uint32_t at = r->buf->producer_index;
	uint8_t *element = slot(r, shape, at);
	struct rxe_recv_wqe *w = (void *)element;

	w->wr_id = rng(s);
	fill_sges((struct rxe_sge *)(element + sizeof(*w)), below(s, 3), &w->dma, s);
	if (!below(s, 3)) {
		uint32_t where = below(s, sizeof(*w) + 32) & ~3, value = odd(s);

		memcpy(element + where, &value, 4);
	}
	__atomic_store_n(&r->buf->producer_index, (at + 1) & shape.mask, __ATOMIC_RELEASE);
	if (!below(s, 32))
		spoil_header(r, shape, s);
}

static void *receiver(void *arg)
{
	uint64_t s = (uintptr_t)arg;
	int k;

	while (!round_over) {
		int i = below(&s, QPS);

		for (k = 0; k < 16; k++)
			if (victims[i].receive.buf)
				fill_receive(&victims[i].receive, receive_shape[i], &s);
			else
				fill_receive(&srq_ring, srq_shape, &s);
		sched_yield();
	}
	return NULL;
}

static void *consumer(void *arg)
{
	uint64_t s = (uintptr_t)arg;
	struct rxe_queue_buf *b = cq_ring.buf;

	while (!round_over) {
		uint32_t n = b->producer_index, i;

		for (i = 0; i < 64; i++) {
			struct ib_uverbs_wc *wc = (void *)slot(&cq_ring, cq_shape, i);

			if (wc->status < 32 && wc->wr_id)
				statuses |= 1u << wc->status;
			if (!below(&s, 16))
				memset(wc, rng(&s), sizeof(*wc));
		}
		/* Mostly room, so that it does not overrun at once. */
		b->consumer_index = n & cq_shape.mask;
		ibv_req_notify_cq(cq, below(&s, 2));
		if (!below(&s, 64))
			spoil_header(&cq_ring, cq_shape, &s);
		sched_yield();
	}
	return NULL;
}

/* False: what one has sent, or posted to receive, has failed the other meanwhile. */
static bool try_restart(struct victim *both[2], uint64_t *s)
{
	static const enum ibv_qp_state down[] = { IBV_QPS_RESET, IBV_QPS_ERR, IBV_QPS_SQD };
	struct ibv_qp_attr a;
	int i;

	for (i = 0; i < 2; i++) {
		a.qp_state = down[below(s, 3)];
		ibv_modify_qp(both[i]->qp, &a, IBV_QP_STATE);
		a.qp_state = IBV_QPS_RESET;
		NEED(!(errno = ibv_modify_qp(both[i]->qp, &a, IBV_QP_STATE)));
	}
	for (i = 0; i < 2; i++) {
		errno = start(both[i]);
		if (errno == EINVAL)
			return false;
		NEED(!errno);
	}
	return true;
}

static void restart(struct victim *v, uint64_t *s)
{
	struct victim *both[2] = { v, peer_of(v) };
	int tries = 0;

	while (!try_restart(both, s))
		NEED(++tries < 1000);
	restarts++;
}

static void *restarter(void *arg)
{
	uint64_t s = (uintptr_t)arg;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	while (!round_over) {
		struct victim *v = &victims[below(&s, QPS)];

		NEED(!(errno = ibv_query_qp(v->qp, &a, IBV_QP_STATE, &init)));
		/* A working one now and then too. */
		if (a.qp_state != IBV_QPS_RTS || !below(&s, 16))
			restart(v, &s);
		else
			usleep(100);
	}
	return NULL;
}

static void one_round(uint64_t *s, long n)
{
	void *(*work[])(void *) = { sender, sender, receiver, consumer, restarter };
	pthread_t threads[5];
	int i;

	make_objects();
	cq_shape = shape_of(&cq_ring);
	srq_shape = shape_of(&srq_ring);
	for (i = 0; i < QPS; i++) {
		send_shape[i] = shape_of(&victims[i].send);
		if (victims[i].receive.buf)
			receive_shape[i] = shape_of(&victims[i].receive);
	}
	round_over = false;
	left = n;
	for (i = 0; i < 5; i++)
		NEED(!pthread_create(&threads[i], NULL, work[i], (void *)(uintptr_t)rng(s)));
	for (i = 0; i < 5; i++) {
		round_over = i > 1;
		pthread_join(threads[i], NULL);
	}
	end_objects();
}

/* ---- the innocent ------------------------------------------------------------------------- */

static bool told_to_stop(void *arg)
{
	(void)arg;
	return getppid() == 1;
}

static int innocent(const char *device, uint64_t seed)
{
	struct pair p = { .seed = seed, .stop = told_to_stop };
	struct ibv_mr *safe;
	uint64_t *secret;
	int i;

	secret = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!pair_open(&p, device, "10.0.0.1", device, "10.0.0.1")) {
		printf("FAIL set-up of the innocent: %s\n", strerror(errno));
		return 1;
	}
	/* What no other process may read or write. */
	for (i = 0; i < 512; i++)
		secret[i] = shared->secret;
	safe = ibv_reg_mr(p.side[0].pd, secret, 4096, RIGHTS);
	if (!safe)
		return 1;
	shared->keys[0] = safe->lkey;
	shared->keys[1] = safe->rkey;
	shared->keys[2] = p.side[0].mr->rkey;
	shared->keys[3] = p.side[1].mr->lkey;
	shared->address = (uintptr_t)secret;
	shared->ready = true;
	while (!shared->stop && !told_to_stop(NULL)) {
		if (pair_step(&p))
			return 1;
		shared->messages = p.messages;
		usleep(500);
	}
	for (i = 0; i < 20; i++)
		if (pair_step(&p))
			return 1;
	for (i = 0; i < 512; i++)
		if (secret[i] != shared->secret) {
			printf("FAIL the innocent's page has changed at %d\n", i * 8);
			return 1;
		}
	return 0;
}

/* ---- verdict -------------------------------------------------------------------------------- */

/* Even of this process only the region may have been written to. */
static void check_arena(void)
{
	uint32_t i;

	for (i = 0; i < ARENA; i++) {
		if (i == REGION_AT)
			i += REGION;
		if (arena[i] == 0xa5)
			continue;
		printf("FAIL byte %#x beside the region has changed\n", i);
		failures++;
		memset(arena, 0xa5, REGION_AT);
		memset(arena + REGION_AT + REGION, 0xa5, ARENA - REGION_AT - REGION);
	}
	if (memmem(arena, ARENA, (void *)&shared->secret, 8)) {
		printf("FAIL the innocent's secret was read\n");
		failures++;
	}
}

static bool seen(enum ibv_wc_status status)
{
	return statuses & 1u << status;
}

/*
 * Most requests end a queue pair, and on a busy machine it may not be up again when a
 * good one comes.
 */
static bool enough_seen(long n)
{
	return n < 2000 || (seen(IBV_WC_SUCCESS) && seen(IBV_WC_LOC_PROT_ERR) &&
			    seen(IBV_WC_LOC_QP_OP_ERR));
}

static void expect(const char *what, bool right)
{
	if (right)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

int main(int argc, char **argv)
{
	uint64_t seed;
	int status;
	pid_t child;
	long n, done;

	if (argc < 4) {
		fprintf(stderr, "usage: ring_fuzz DEVICE N SEED\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	n = atol(argv[2]);
	seed = atol(argv[3]);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared->secret = (uint64_t)rng(&seed) << 32 | rng(&seed);
	child = fork();
	if (!child)
		_exit(innocent(argv[1], seed ^ WORD));
	while (!shared->ready && !waitpid(child, &status, WNOHANG))
		usleep(10000);
	NEED(shared->ready);

	arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(arena, 0xa5, ARENA);
	NEED(ctx = open_named(argv[1]));
	NEED((gid_index = gid_of(ctx, "10.0.0.1", 2, &gid)) >= 0);
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(channel = ibv_create_comp_channel(ctx));
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	fcntl(ctx->async_fd, F_SETFL, O_NONBLOCK);
	for (done = 0; done < n || (!enough_seen(n) && done < MOST_TIMES * n); done += ROUND) {
		one_round(&seed, n - done > 0 && n - done < ROUND ? n - done : ROUND);
		check_arena();
	}
	shared->stop = true;
	NEED(waitpid(child, &status, 0) == child);
	expect("the innocent", !status && shared->messages);
	printf("%ld requests, %ld doorbells, %ld restarts, statuses %#x; %ld innocent messages\n",
	       done, doorbells, restarts, statuses, shared->messages);
	if (n >= 2000) {
		/* Otherwise nothing was tested. */
		expect("some requests succeed", seen(IBV_WC_SUCCESS));
		expect("some have wrong keys", seen(IBV_WC_LOC_PROT_ERR));
		expect("some are no requests", seen(IBV_WC_LOC_QP_OP_ERR));
	}
	/* That one needs a peer that is up at the right moment. */
	if (n >= 20000)
		expect("some are refused by the peer", seen(IBV_WC_REM_ACCESS_ERR));
	printf("%d failed\n", failures);
	return failures ? 1 : 0;
}

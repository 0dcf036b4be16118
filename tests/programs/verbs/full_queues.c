// SPDX-License-Identifier: GPL-2.0
/*
 * A program posts until its send queue is full, and polls late: no completion is lost.
 * A WQE is free when it has its completion, which waits while the CQ is full.
 *
 * usage: full_queues DEVICE GID-INDEX		of InfiniBand or RoCE
 *	  full_queues DEVICE ADDRESS		of iWARP
 *	  full_queues DEVICE GID-INDEX leave	ends with queues that are full
 *	  full_queues DEVICE GID-INDEX stay	says so, and waits with them until its input ends
 */
#include <arpa/inet.h>
#include <dlfcn.h>

#include "full_queues.h"

#define REQUESTS	400
#define THREADS		4
/* What is posted until nothing more is taken ends when it was refused so often. */
#define REFUSALS	50

struct poster {
	pthread_t thread;
	struct ibv_qp *qp;
	uint64_t first;			/* wr_id; the next is one more */
	int wanted, posted, refused;
	bool until_full;		/* ends at REFUSALS */
	enum ibv_wr_opcode opcode;
	struct ibv_ah *ah;
};

/* What a poll has found. */
struct tally {
	int all, good, flushed, other, out_of_order;
	uint64_t next[THREADS];
};

/* ---- requests --------------------------------------------------------------- */

static int post(struct poster *p, uint32_t length, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)area, length, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = p->first + p->posted, .sg_list = &sge, .num_sge = 1,
		.opcode = p->opcode, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)area + AREA / 2, rkey },
	};

	if (p->ah) {
		wr.wr.ud.ah = p->ah;
		wr.wr.ud.remote_qpn = peer.qp->qp_num;
		wr.wr.ud.remote_qkey = QKEY;
	}
	return ibv_post_send(p->qp, &wr, &bad);
}

static void *post_all(void *arg)
{
	struct poster *p = arg;
	int ret;

	while (p->posted < p->wanted) {
		ret = post(p, PIECE, mr->rkey);
		if (!ret) {
			p->posted++;
			p->refused = 0;
			continue;
		}
		/* libsiw says it with a sign. */
		NEED(abs(ret) == ENOMEM);
		if (++p->refused == REFUSALS && p->until_full)
			break;
		pause_ms(1);
	}
	return NULL;
}

static struct poster poster(enum ibv_wr_opcode opcode)
{
	return (struct poster){ .qp = asker.qp, .wanted = 100000, .until_full = true,
				.opcode = opcode };
}

/* Until nothing more is taken: more than the CQ has room for. */
static struct poster fill(void)
{
	struct poster p = poster(IBV_WR_RDMA_WRITE);

	post_all(&p);
	EXPECT("more is posted than the CQ holds, then no more",
	       p.posted > cq->cqe && p.refused == REFUSALS, 1);
	return p;
}

/* ---- completions ------------------------------------------------------------- */

static void count(struct tally *t, const struct ibv_wc *wc)
{
	int i = wc->wr_id / REQUESTS % THREADS;

	t->all++;
	t->good += wc->status == IBV_WC_SUCCESS;
	t->flushed += wc->status == IBV_WC_WR_FLUSH_ERR;
	t->other += wc->status != IBV_WC_SUCCESS && wc->status != IBV_WC_WR_FLUSH_ERR;
	if (t->next[i])
		t->out_of_order += wc->wr_id != t->next[i];
	t->next[i] = wc->wr_id + 1;
	/* After a failure nothing succeeds. */
	if (wc->status == IBV_WC_SUCCESS)
		t->out_of_order += t->flushed || t->other;
}

/* So many, slowly where @slow: a pause of so many ms for each that there is none. */
static struct tally take(int wanted, int slow)
{
	struct tally t = {};
	struct ibv_wc wc;
	int left = PATIENCE;

	while (t.all < wanted && left > 0) {
		if (ibv_poll_cq(cq, 1, &wc) == 1) {
			count(&t, &wc);
			left = PATIENCE;
			continue;
		}
		pause_ms(slow);
		left -= slow;
	}
	if (t.all < wanted)
		printf("%d of %d completions\n", t.all, wanted);
	return t;
}

static void expect_good(int posted, int slow)
{
	struct tally t = take(posted, slow);
	struct ibv_wc wc;

	EXPECT("each has its completion", t.all, posted);
	EXPECT("which says success", t.good, posted);
	EXPECT("in their order", t.out_of_order, 0);
	EXPECT("and no second one", ibv_poll_cq(cq, 1, &wc), 0);
	EXPECT("no asynchronous event", events(), 0);
}

static bool same(void)
{
	return !memcmp(area, area + AREA / 2, PIECE);
}

static void new_data(void)
{
	int i;

	for (i = 0; i < AREA; i++)
		area[i] = rand();
}

/* ---- cases -------------------------------------------------------------------- */

/* Threads that go on posting while another polls now and then. */
static void threads(int n)
{
	struct poster p[THREADS];
	int i;

	printf("%d threads post, the CQ is polled slowly\n", n);
	up(IBV_QPT_RC);
	new_data();
	for (i = 0; i < n; i++) {
		p[i] = poster(IBV_WR_RDMA_WRITE);
		p[i].first = i * REQUESTS;
		p[i].wanted = REQUESTS;
		p[i].until_full = false;
		NEED(!pthread_create(&p[i].thread, NULL, post_all, &p[i]));
	}
	expect_good(n * REQUESTS, 20);
	for (i = 0; i < n; i++)
		NEED(!pthread_join(p[i].thread, NULL));
	EXPECT("the bytes are there", same(), 1);
	down();
}

static void full(void)
{
	struct poster p;

	up(IBV_QPT_RC);
	new_data();
	p = fill();
	expect_good(p.posted, 1);
	EXPECT("the bytes are there", same(), 1);
	down();
}

/* An answer comes while completions of requests before it wait. */
static void full_of_reads(void)
{
	struct poster p;

	printf("READs\n");
	up(IBV_QPT_RC);
	new_data();
	p = poster(IBV_WR_RDMA_READ);
	post_all(&p);
	EXPECT("more READs than the CQ holds, then no more",
	       p.posted > cq->cqe && p.refused == REFUSALS, 1);
	expect_good(p.posted, 1);
	EXPECT("they brought their bytes", same(), 1);
	down();
}

/* The program sleeps until it is told. */
static void sleeper(void)
{
	struct pollfd fd;
	struct ibv_cq *of;
	struct poster p;
	struct ibv_wc wc;
	void *context;
	int got = 0;

	printf("a program that sleeps\n");
	up(IBV_QPT_RC);
	NEED(!ibv_req_notify_cq(cq, 0));
	p = fill();
	fd = (struct pollfd){ channel->fd, POLLIN, 0 };
	while (got < p.posted && poll(&fd, 1, PATIENCE) == 1) {
		NEED(!ibv_get_cq_event(channel, &of, &context));
		ibv_ack_cq_events(of, 1);
		NEED(!ibv_req_notify_cq(cq, 0));
		while (ibv_poll_cq(cq, 1, &wc) == 1)
			got++;
	}
	EXPECT("it is told of each", got, p.posted);
	EXPECT("no asynchronous event", events(), 0);
	down();
}

static void destroyed(void)
{
	int cqe;

	printf("the queue pair goes\n");
	up(IBV_QPT_RC);
	fill();
	cqe = cq->cqe;
	end_down(&asker);
	EXPECT("what was in the CQ is there", take(cqe, 1).good, cqe);
	EXPECT("no asynchronous event", events(), 0);
	down();
}

/* The state changes, and completions come one way or the other: each, in order. */
static void to_error(void)
{
	struct poster p;
	struct tally t;

	printf("the error state\n");
	up(IBV_QPT_RC);
	p = fill();
	EXPECT("modify_qp", to_state(IBV_QPS_ERR), 0);
	t = take(p.posted, 1);
	EXPECT("each has its completion", t.all, p.posted);
	EXPECT("success, or flushed behind that", t.other + t.out_of_order, 0);
	EXPECT("what was done has succeeded", t.good >= cq->cqe, 1);
	EXPECT("no asynchronous event", events(), 0);
	down();
}

/* ---- of InfiniBand and RoCE only -------------------------------------------------- */

static void two_queue_pairs(void)
{
	struct ibv_qp_init_attr init;
	struct poster p, q;
	struct end second, third;

	printf("two queue pairs, one CQ\n");
	up(IBV_QPT_RC);
	init = queues(IBV_QPT_RC, cq);
	NEED(second.qp = ibv_create_qp(pd, &init));
	init = queues(IBV_QPT_RC, peer_cq);
	NEED(third.qp = ibv_create_qp(pd, &init));
	connect_qp(second.qp, third.qp->qp_num);
	connect_qp(third.qp, second.qp->qp_num);
	p = fill();
	q = poster(IBV_WR_RDMA_WRITE);
	q.qp = second.qp;
	q.first = 2 * REQUESTS;
	q.wanted = REQUESTS;
	post_all(&q);
	EXPECT("the second is full, too", q.refused, REFUSALS);
	expect_good(p.posted + q.posted, 1);
	NEED(!ibv_destroy_qp(second.qp));
	NEED(!ibv_destroy_qp(third.qp));
	down();
}

/* It takes effect when it fails, not when the program polls. */
static void failure(void)
{
	struct poster p;
	struct tally t;

	printf("a failure behind completions that wait\n");
	up(IBV_QPT_RC);
	p = poster(IBV_WR_RDMA_WRITE);
	p.wanted = cq->cqe + 10;
	post_all(&p);
	NEED(!post(&p, PIECE, mr->rkey ^ 0x5a));
	p.posted++;
	EXPECT("the queue pair is in the error state", reaches(IBV_QPS_ERR), 1);
	p.wanted = p.posted + 20;
	post_all(&p);
	t = take(p.posted, 1);
	EXPECT("each has its completion", t.all, p.posted);
	EXPECT("those in front of it have succeeded", t.good, cq->cqe + 10);
	EXPECT("one has failed", t.other, 1);
	EXPECT("the rest is flushed behind it", t.flushed, 20);
	EXPECT("in their order", t.out_of_order, 0);
	down();
}

/* libofed takes what a queue pair leaves in the CQ when it is reset; librxe does not. */
static bool reset_empties_cq(void)
{
	Dl_info info = {};

	dladdr((void *)ctx->ops.poll_cq, &info);
	return strstr(info.dli_fname ?: "", "libofed-");
}

static void reset(void)
{
	struct ibv_wc wc;
	struct poster p;
	int left;

	printf("reset\n");
	up(IBV_QPT_RC);
	fill();
	EXPECT("modify_qp", to_state(IBV_QPS_RESET), 0);
	left = take(cq->cqe, 1).good;
	EXPECT("what was in the CQ is there, or taken", left,
	       reset_empties_cq() ? 0 : cq->cqe);
	EXPECT("and no more", ibv_poll_cq(cq, 1, &wc), 0);
	end_down(&peer);
	peer.qp = ibv_create_qp(pd, &(struct ibv_qp_init_attr){
		.send_cq = peer_cq, .recv_cq = peer_cq, .qp_type = IBV_QPT_RC,
		.cap = { SQ, RQ, 1, 1, 0 } });
	NEED(peer.qp);
	connect_qp(peer.qp, asker.qp->qp_num);
	connect_qp(asker.qp, peer.qp->qp_num);
	p = fill();
	expect_good(p.posted, 1);
	down();
}

static void resized(void)
{
	struct poster p;

	printf("the CQ grows\n");
	up(IBV_QPT_RC);
	p = fill();
	EXPECT("resize_cq", ibv_resize_cq(cq, 4 * CQ), 0);
	expect_good(p.posted, 1);
	down();
}

static void datagrams(void)
{
	struct ibv_ah_attr to = way();
	struct poster p;
	struct tally t;

	printf("datagrams\n");
	up(IBV_QPT_UD);
	p = poster(IBV_WR_SEND);
	NEED(p.ah = ibv_create_ah(pd, &to));
	p.wanted = cq->cqe + 10;
	post_all(&p);
	/* Longer than any packet: it fails, and the queue is in state SQE. */
	NEED(!post(&p, 5000, 0));
	p.posted++;
	EXPECT("a failure behind what waits", reaches(IBV_QPS_SQE), 1);
	EXPECT("SQE lasts until that is polled", to_state(IBV_QPS_RTS), EBUSY);
	t = take(p.posted, 1);
	EXPECT("each has its completion", t.all, p.posted);
	EXPECT("those in front of it have succeeded", t.good, cq->cqe + 10);
	EXPECT("in their order", t.out_of_order, 0);
	EXPECT("then it ends", to_state(IBV_QPS_RTS), 0);
	p.first += p.posted;
	p.posted = 0;
	post_all(&p);
	expect_good(p.posted, 1);
	NEED(!ibv_destroy_ah(p.ah));
	down();
}

/* ---- ends while completions wait -------------------------------------------------- */

static void leave(bool stays)
{
	char byte;

	up(IBV_QPT_RC);
	fill();
	if (stays) {
		printf("ready\n");
		fflush(stdout);
		while (read(0, &byte, 1) > 0)
			;
	}
	exit(verdict());
}

int main(int argc, char **argv)
{
	int n;

	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	open_device(argv[1], argv[2]);
	if (argc > 3)
		leave(!strcmp(argv[3], "stay"));
	for (n = 1; n <= THREADS; n++)
		threads(n);
	full();
	full_of_reads();
	sleeper();
	destroyed();
	to_error();
	if (!address) {
		two_queue_pairs();
		failure();
		reset();
		resized();
		datagrams();
	}
	return verdict();
}

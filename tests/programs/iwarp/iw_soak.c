// SPDX-License-Identifier: GPL-2.0
/*
 * usage: iw_soak NAMESPACE ADDRESS SEED COUNT MAX [break|siw]
 *
 * COUNT messages of at most MAX bytes, SEND, WRITE and READ, in both directions,
 * between a process here and one that listens on ADDRESS in NAMESPACE (-: this one),
 * over a wire that may lose, double and reorder. Both know from SEED which end sends what, so each
 * knows every byte that its memory must hold, also those between messages.
 * break: a byte is flipped, which has to be found. siw: no READ asks for nothing, which
 * that answers with as many bytes as the message before it had.
 */
#include "cm.h"
#include "pattern.h"

#define PORT	7402
#define LANES	3
#define BATCH	16		/* messages at a time */
#define SGES	4
#define GUARD	64
#define AREA	(BATCH * ((1 << 20) + 3 * GUARD))
#define MARK	(1ULL << 32)	/* in wr_id: the end of a batch */
#define RECEIVE	(2ULL << 32)

struct message {
	enum ibv_wr_opcode op;
	uint64_t seed;
	uint32_t size, at[2];
	int lane, side, pieces;
};

struct side {
	uint64_t area;
	uint32_t rkey;
};

static int me, control, read_sges;
static bool some;
static unsigned int dice;
static uint64_t filler;
static struct message plan[BATCH];
static int messages, batch;
static struct rdma_cm_id *lane[LANES];
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_comp_channel *channel;
static struct ibv_mr *mr, *marks_mr;
static uint8_t *area, *image, marks[LANES];
static struct side sides[2];

static void fail(const char *what, long number)
{
	printf("%c: FAIL %s: %ld, batch %d\n", 'A' + me, what, number, batch);
	exit(1);
}

static void exchange(const void *mine, void *theirs, size_t size)
{
	struct pollfd p = { control, POLLIN };

	NEED(write(control, mine, size) == (ssize_t)size);
	if (poll(&p, 1, 2 * CM_SECONDS * 1000) != 1 ||
	    recv(control, theirs, size, MSG_WAITALL) != (ssize_t)size)
		fail("the other side is lost", 0);
}

static void meet(void)
{
	char mine = 0, theirs;

	exchange(&mine, &theirs, 1);
}

/* The same on both sides, as both ask the same questions. */
static unsigned int roll(unsigned int sides_of_it)
{
	dice = dice * 1103515245u + 12345u;
	return (dice >> 8) % sides_of_it;
}

/* ---- connections ---------------------------------------------------------------- */

static void make_objects(struct ibv_context *verbs)
{
	int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	struct ibv_device_attr attr;

	if (pd)
		return;
	NEED(!ibv_query_device(verbs, &attr));
	read_sges = attr.max_sge_rd;
	NEED((pd = ibv_alloc_pd(verbs)));
	NEED((channel = ibv_create_comp_channel(verbs)));
	NEED((cq = ibv_create_cq(verbs, 4 * BATCH * LANES, NULL, channel, 0)));
	NEED(!posix_memalign((void **)&area, 4096, AREA));
	NEED((image = malloc(AREA)));
	NEED((mr = ibv_reg_mr(pd, area, AREA, all)));
	NEED((marks_mr = ibv_reg_mr(pd, marks, sizeof(marks), IBV_ACCESS_LOCAL_WRITE)));
}

static void make_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = { .max_send_wr = BATCH + 1, .max_recv_wr = BATCH + 1,
			 .max_send_sge = SGES, .max_recv_sge = SGES },
	};

	make_objects(id->verbs);
	attr.send_cq = cq;
	attr.recv_cq = cq;
	NEED(!rdma_create_qp(id, pd, &attr));
}

static struct rdma_conn_param depths(void)
{
	return (struct rdma_conn_param){ .responder_resources = 4, .initiator_depth = 4 };
}

static void hear(const char *address)
{
	struct rdma_conn_param param = depths();
	struct rdma_cm_id *listener;

	NEED(!rdma_create_id(NULL, &listener, NULL, RDMA_PS_TCP));
	NEED(!rdma_bind_addr(listener, cm_address(address, PORT)));
	NEED(!rdma_listen(listener, LANES));
	meet();
	for (int i = 0; i < LANES; i++) {
		NEED(!rdma_get_request(listener, &lane[i]));
		make_qp(lane[i]);
		NEED(!rdma_accept(lane[i], &param));
	}
	rdma_destroy_id(listener);
}

static void ask(const char *address)
{
	struct rdma_conn_param param = depths();

	meet();
	for (int i = 0; i < LANES; i++) {
		NEED(!rdma_create_id(NULL, &lane[i], NULL, RDMA_PS_TCP));
		NEED(!rdma_resolve_addr(lane[i], NULL, cm_address(address, PORT), 10000));
		NEED(!rdma_resolve_route(lane[i], 10000));
		make_qp(lane[i]);
		NEED(!rdma_connect(lane[i], &param));
	}
}

/* ---- the plan --------------------------------------------------------------------- */

static void make_plan(int count, uint32_t max)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
	};
	uint32_t used = 0;

	messages = count;
	filler = roll(1 << 24);
	for (int i = 0; i < count; i++) {
		struct message *m = &plan[i];

		m->op = ops[roll(3)];
		m->seed = roll(1 << 24);
		m->lane = roll(LANES);
		m->side = roll(2);
		m->size = roll(16) ? pattern_length(&dice, max) : 0;
		if (some && m->op == IBV_WR_RDMA_READ && !m->size)
			m->size = 1;
		/* libsiw takes no receive request without a piece. */
		m->pieces = m->size ? 1 + roll(m->size < SGES ? m->size : SGES) : 1;
		m->at[0] = used + GUARD + roll(GUARD);
		m->at[1] = used + GUARD + roll(GUARD);
		used += m->size + 3 * GUARD;
	}
}

static int source(const struct message *m)
{
	return m->op == IBV_WR_RDMA_READ ? !m->side : m->side;
}

/* What the memory here holds: before, and when all has come. */
static void lay(uint8_t *to, bool after)
{
	pattern_fill(filler + me, 0, to, AREA);
	for (int i = 0; i < messages; i++)
		if (after || source(&plan[i]) == me)
			pattern_fill(plan[i].seed, 0, to + plan[i].at[me], plan[i].size);
}

/* ---- requests ----------------------------------------------------------------------- */

static int pieces_of(const struct message *m, struct ibv_sge *sge)
{
	int pieces = m->op != IBV_WR_RDMA_READ || m->pieces < read_sges ? m->pieces : read_sges;
	uint32_t each = m->size / pieces;

	for (int i = 0; i < pieces; i++)
		sge[i] = (struct ibv_sge){
			.addr = (uintptr_t)area + m->at[me] + i * each,
			.length = i + 1 < pieces ? each : m->size - i * each,
			.lkey = mr->lkey,
		};
	return pieces;
}

static int post_receives(void)
{
	struct ibv_sge sge[SGES];
	struct ibv_recv_wr *bad, wr = { .sg_list = sge };
	int n = 0;

	for (int i = 0; i < messages; i++) {
		if (plan[i].op != IBV_WR_SEND || plan[i].side == me)
			continue;
		wr.wr_id = RECEIVE | i;
		wr.num_sge = pieces_of(&plan[i], sge);
		NEED(!ibv_post_recv(lane[plan[i].lane]->qp, &wr, &bad));
		n++;
	}
	for (int i = 0; i < LANES; i++, n++) {
		sge[0] = (struct ibv_sge){ (uintptr_t)&marks[i], 1, marks_mr->lkey };
		wr.wr_id = RECEIVE | MARK | i;
		wr.num_sge = 1;
		NEED(!ibv_post_recv(lane[i]->qp, &wr, &bad));
	}
	return n;
}

/*
 * A WRITE is complete when TCP has it: that all has come is told by a SEND behind
 * it on the same connection.
 */
static int post_sends(void)
{
	struct ibv_sge sge[SGES];
	struct ibv_send_wr *bad, wr = { .sg_list = sge };
	int n = 0;

	for (int i = 0; i < messages; i++) {
		if (plan[i].side != me)
			continue;
		wr.wr_id = i;
		wr.opcode = plan[i].op;
		wr.num_sge = pieces_of(&plan[i], sge);
		wr.wr.rdma.remote_addr = sides[!me].area + plan[i].at[!me];
		wr.wr.rdma.rkey = sides[!me].rkey;
		NEED(!ibv_post_send(lane[plan[i].lane]->qp, &wr, &bad));
		n++;
	}
	for (int i = 0; i < LANES; i++, n++) {
		wr.wr_id = MARK | i;
		wr.opcode = IBV_WR_SEND;
		wr.num_sge = 0;
		NEED(!ibv_post_send(lane[i]->qp, &wr, &bad));
	}
	return n;
}

static void check_one(const struct ibv_wc *wc)
{
	if (wc->status != IBV_WC_SUCCESS)
		fail(ibv_wc_status_str(wc->status), wc->wr_id);
	if (wc->wr_id & RECEIVE && !(wc->wr_id & MARK) &&
	    wc->byte_len != plan[(uint32_t)wc->wr_id].size)
		fail("length of a message", wc->byte_len);
}

/* By way of events: one that is lost is a hang. */
static void complete(int left)
{
	struct pollfd p = { channel->fd, POLLIN };
	struct ibv_cq *which;
	struct ibv_wc wc;
	void *context;

	for (;;) {
		NEED(!ibv_req_notify_cq(cq, 0));
		for (; left && ibv_poll_cq(cq, 1, &wc) == 1; left--)
			check_one(&wc);
		if (!left)
			return;
		if (poll(&p, 1, CM_SECONDS * 1000) != 1)
			fail("nothing happens, completions left", left);
		NEED(!ibv_get_cq_event(channel, &which, &context));
		ibv_ack_cq_events(cq, 1);
	}
}

static void run_batch(int count, uint32_t max, bool spoil)
{
	int left;

	batch++;
	make_plan(count, max);
	lay(area, false);
	lay(image, true);
	left = post_receives();
	meet();
	complete(left + post_sends());
	if (spoil && me)
		area[plan[0].at[me] - 1] ^= 1;
	if (memcmp(area, image, AREA)) {
		for (left = 0; area[left] == image[left]; left++)
			;
		fail("wrong bytes, the first at", left);
	}
	meet();
}

static void run(long total, uint32_t max, bool spoil)
{
	double start = cm_now();
	long left = total;

	while (left > 0) {
		int count = left < BATCH ? left : BATCH;

		run_batch(count, max, spoil);
		left -= count;
	}
	printf("%c: %ld messages in %.1f s, no byte was wrong\n", 'A' + me, total,
	       cm_now() - start);
	for (int i = 0; i < LANES; i++) {
		rdma_disconnect(lane[i]);
		rdma_destroy_qp(lane[i]);
		NEED(!rdma_destroy_id(lane[i]));
	}
}

int main(int argc, char **argv)
{
	int pair[2], status;
	pid_t child;

	if (argc < 6 || atoi(argv[5]) > 1 << 20)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* The other one may have failed first: then this one fails too, and says where. */
	signal(SIGPIPE, SIG_IGN);
	dice = strtoul(argv[3], NULL, 0);
	some = argc > 6 && !strcmp(argv[6], "siw");
	NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	NEED((child = fork()) >= 0);
	me = !child;
	control = pair[me];
	close(pair[!me]);
	if (me) {
		if (strcmp(argv[1], "-"))
			cm_enter(argv[1]);
		hear(argv[2]);
	} else {
		ask(argv[2]);
	}
	sides[me] = (struct side){ (uintptr_t)area, mr->rkey };
	exchange(&sides[me], &sides[!me], sizeof(sides[0]));
	run(atol(argv[4]), atoi(argv[5]), argc > 6 && !some);
	if (me)
		return 0;
	NEED(waitpid(child, &status, 0) == child);
	return status ? 1 : 0;
}

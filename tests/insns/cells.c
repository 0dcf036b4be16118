// SPDX-License-Identifier: GPL-2.0
/* What is counted. A fifth of the messages of a cell goes before the count begins. */
#include <rdma/ib_user_verbs.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "insns.h"

#define RECEIVES	500	/* that are posted at a time, more than are on their way */
#define NO_LIMIT	SIZE_MAX

static void post(const struct cell *cell, struct end *from, struct end *to, bool signaled)
{
	bool fetches = cell->op == IBV_WR_RDMA_READ || cell->op == IBV_WR_ATOMIC_FETCH_AND_ADD ||
		       cell->op == IBV_WR_ATOMIC_CMP_AND_SWP;
	size_t here = fetches ? ARRIVES : 0, there = fetches ? 0 : ARRIVES;
	struct ibv_sge sge = { (uintptr_t)from->memory + here, cell->size, from->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = cell->op,
		.send_flags = signaled ? IBV_SEND_SIGNALED : 0,
	};

	if (cell->op == IBV_WR_ATOMIC_FETCH_AND_ADD || cell->op == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = (uintptr_t)to->memory + there;
		wr.wr.atomic.rkey = to->mr->rkey;
		wr.wr.atomic.compare_add = 1;
	} else if (cell->op != IBV_WR_SEND) {
		wr.wr.rdma.remote_addr = (uintptr_t)to->memory + there;
		wr.wr.rdma.rkey = to->mr->rkey;
	}
	NEED(!ibv_post_send(from->qp, &wr, &bad));
}

static void receive(const struct cell *cell, struct end *e)
{
	struct ibv_sge sge = { (uintptr_t)e->memory + ARRIVES, cell->size, e->mr->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	NEED(!ibv_post_recv(e->qp, &wr, &bad));
}

static bool took(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int n = ibv_poll_cq(cq, 1, &wc);

	NEED(n >= 0);
	if (n && wc.status) {
		fprintf(stderr, "%s\n", ibv_wc_status_str(wc.status));
		exit(1);
	}
	return n;
}

/* Receives that messages have taken are posted again. */
static void refill(const struct cell *cell, struct end *e)
{
	while (cell->op == IBV_WR_SEND && took(e->receives))
		receive(cell, e);
}

/* ---- messages, one after the other without waiting ----------------------------------- */

static void stream(const struct cell *cell, struct end *a, struct end *b)
{
	int batch = cell->size > 4096 ? 8 : 32, depth = cell->size > 4096 ? 8 : 128;
	long warm = cell->messages / 5, all = cell->messages + warm, posted = 0, done = 0;

	for (int i = 0; i < RECEIVES && cell->op == IBV_WR_SEND; i++)
		receive(cell, b);
	while (done < all) {
		while (posted < all && posted - done < depth) {
			posted++;
			post(cell, a, b, posted % batch == 0);
			refill(cell, b);
		}
		while (took(a->sends)) {
			done += batch;
			if (done == warm)
				mark_on();
		}
		refill(cell, b);
	}
	mark_off();
}

/* ---- a message and its answer -------------------------------------------------------- */

static void cross_write(const struct cell *cell, struct end *from, struct end *to, long i)
{
	volatile char *last = to->memory + ARRIVES + cell->size - 1;

	from->memory[cell->size - 1] = i;
	post(cell, from, to, true);
	while (*last != (char)i)
		took(from->sends);
	took(from->sends);
}

static void cross_send(const struct cell *cell, struct end *from, struct end *to)
{
	post(cell, from, to, true);
	while (!took(to->receives))
		took(from->sends);
	receive(cell, to);
}

static void rounds(const struct cell *cell, struct end *a, struct end *b)
{
	long warm = cell->messages / 5;

	for (int i = 0; i < RECEIVES && cell->op == IBV_WR_SEND; i++) {
		receive(cell, a);
		receive(cell, b);
	}
	for (long i = 0; i < cell->messages + warm; i++) {
		if (i == warm)
			mark_on();
		if (cell->op == IBV_WR_SEND) {
			cross_send(cell, a, b);
			cross_send(cell, b, a);
		} else {
			cross_write(cell, a, b, i);
			cross_write(cell, b, a, i);
		}
	}
	mark_off();
}

/* ---- calls --------------------------------------------------------------------------- */

/* The call that the library makes for a request which it has put into the ring. */
static void ring_bell(struct end *e)
{
	struct ib_uverbs_post_send_resp answer;
	struct {
		struct ib_uverbs_cmd_hdr header;
		struct ib_uverbs_post_send post;
	} call = {
		.header = { .command = IB_USER_VERBS_CMD_POST_SEND,
			    .in_words = sizeof(call) / 4, .out_words = sizeof(answer) / 4 },
		.post = { .response = (uintptr_t)&answer, .qp_handle = e->qp->handle,
			  .wqe_size = 128 },
	};

	NEED(write(e->ctx->cmd_fd, &call, sizeof(call)) == sizeof(call));
}

static void doorbell(const struct cell *cell, struct end *a, struct end *b)
{
	long warm = cell->messages / 5;

	(void)b;
	for (long i = 0; i < cell->messages + warm; i++) {
		if (i == warm)
			mark_on();
		ring_bell(a);
	}
	mark_off();
}

static void poll_empty(const struct cell *cell, struct end *a, struct end *b)
{
	long warm = cell->messages / 5;

	(void)b;
	for (long i = 0; i < cell->messages + warm; i++) {
		if (i == warm)
			mark_on();
		NEED(!took(a->sends));
	}
	mark_off();
}

/* Pages of 4 KiB that are there. Each region but the first is counted, and stays. */
static void register_memory(const struct cell *cell, struct end *a, struct end *b)
{
	void *memory = mmap(NULL, cell->size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;

	(void)b;
	NEED(memory != MAP_FAILED);
	NEED(!madvise(memory, cell->size, MADV_NOHUGEPAGE));
	NEED(!madvise(memory, cell->size, MADV_POPULATE_WRITE));
	NEED(mr = ibv_reg_mr(a->pd, memory, cell->size, IBV_ACCESS_LOCAL_WRITE));
	NEED(!ibv_dereg_mr(mr));
	mark_on();
	for (long i = 0; i < cell->messages; i++)
		NEED(ibv_reg_mr(a->pd, memory, cell->size, IBV_ACCESS_LOCAL_WRITE));
	mark_off();
}

/* ---- their names --------------------------------------------------------------------- */

/* Of some kind, up to a size: how many a count takes. Multiples of five batches. */
static const struct kind {
	const char *name;
	enum ibv_wr_opcode op;
	size_t most;
	long messages;
	void (*work)(const struct cell *cell, struct end *a, struct end *b);
} kinds[] = {
	{ "round-write", IBV_WR_RDMA_WRITE, NO_LIMIT, 1000, rounds },
	{ "round-send", IBV_WR_SEND, NO_LIMIT, 1000, rounds },
	{ "write", IBV_WR_RDMA_WRITE, 4096, 4800, stream },
	{ "write", IBV_WR_RDMA_WRITE, NO_LIMIT, 400, stream },
	{ "send", IBV_WR_SEND, 4096, 4800, stream },
	{ "send", IBV_WR_SEND, NO_LIMIT, 400, stream },
	{ "read", IBV_WR_RDMA_READ, 4096, 4800, stream },
	{ "read", IBV_WR_RDMA_READ, NO_LIMIT, 400, stream },
	{ "fadd", IBV_WR_ATOMIC_FETCH_AND_ADD, NO_LIMIT, 4800, stream },
	{ "cswap", IBV_WR_ATOMIC_CMP_AND_SWP, NO_LIMIT, 4800, stream },
	{ "doorbell", 0, NO_LIMIT, 5000, doorbell },
	{ "poll", 0, NO_LIMIT, 20000, poll_empty },
	{ "reg", 0, 1 << 20, 200, register_memory },
	{ "reg", 0, NO_LIMIT, 1, register_memory },
};

/* @name: KIND:SIZE, the size in bytes */
void cell_parse(struct cell *cell, const char *name)
{
	const char *colon = strchrnul(name, ':');
	size_t size = *colon ? strtoul(colon + 1, NULL, 10) : 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct kind *k = &kinds[i];

		if (strlen(k->name) != (size_t)(colon - name) ||
		    strncmp(k->name, name, colon - name) || size > k->most)
			continue;
		*cell = (struct cell){ name, k->op, size, k->messages, k->work };
		return;
	}
	fprintf(stderr, "no cell '%s'\n", name);
	exit(2);
}

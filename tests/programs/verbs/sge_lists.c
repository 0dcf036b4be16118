// SPDX-License-Identifier: GPL-2.0
/*
 * Messages gathered from, and scattered to, pieces of unequal lengths, posted by
 * ibv_post_send() and by ibv_wr_set_sge_list(); every byte is compared, and those around.
 *
 * usage: sge_lists DEVICE GID-INDEX
 */
#include "innocent.h"
#include "verdict.h"

#define PIECES	3
#define MOST	8192		/* of a message */
#define GUARD	64
#define AREA	(MOST + 2 * GUARD)
#define EMPTY	0xee

#define NEED(x) do { if (!(x)) { perror(#x); exit(1); } } while (0)

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t area[AREA];
};

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct end end[2];
static union ibv_gid gid;
static int gid_index;

static void open_end(struct end *e)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .cap = { 4, 4, PIECES, PIECES, 0 }, .pd = pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE |
				  IBV_QP_EX_WITH_RDMA_READ,
	};

	NEED(e->cq = ibv_create_cq(ctx, 16, NULL, NULL, 0));
	init.send_cq = e->cq;
	init.recv_cq = e->cq;
	NEED(e->qp = ibv_create_qp_ex(ctx, &init));
	NEED(e->mr = ibv_reg_mr(pd, e->area, AREA, RIGHTS));
}

static void close_end(struct end *e)
{
	ibv_destroy_qp(e->qp);
	ibv_dereg_mr(e->mr);
	ibv_destroy_cq(e->cq);
}

/* What failed before does not matter to the next. */
static void connect_ends(void)
{
	for (int i = 0; i < 2; i++)
		open_end(&end[i]);
	for (int i = 0; i < 2; i++)
		NEED(!qp_ready(end[i].qp, gid_index, &gid, end[!i].qp->qp_num, 77, 77, 14));
}

static int status_of(struct end *e)
{
	time_t limit = time(NULL) + PAIR_SECONDS;
	struct ibv_wc wc;

	while (!ibv_poll_cq(e->cq, 1, &wc))
		if (time(NULL) > limit)
			return -1;
	return wc.status;
}

/* Return: bytes of all pieces, which lie one behind the other in @e's area. */
static uint32_t pieces(const struct end *e, const uint32_t *lengths, struct ibv_sge *sge)
{
	uint32_t total = 0;

	for (int i = 0; i < PIECES; i++) {
		sge[i] = (struct ibv_sge){ (uintptr_t)e->area + GUARD + total, lengths[i],
					   e->mr->lkey };
		total += lengths[i];
	}
	return total;
}

static void post_plain(enum ibv_wr_opcode opcode, struct ibv_sge *sge)
{
	struct ibv_send_wr wr = {
		.opcode = opcode, .send_flags = IBV_SEND_SIGNALED, .sg_list = sge,
		.num_sge = PIECES,
		.wr.rdma = { (uintptr_t)end[1].area + GUARD, end[1].mr->rkey },
	}, *bad;

	NEED(!ibv_post_send(end[0].qp, &wr, &bad));
}

static void post_extended(enum ibv_wr_opcode opcode, struct ibv_sge *sge)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(end[0].qp);
	uint64_t remote = (uintptr_t)end[1].area + GUARD;

	ibv_wr_start(qp);
	qp->wr_flags = IBV_SEND_SIGNALED;
	if (opcode == IBV_WR_SEND)
		ibv_wr_send(qp);
	else if (opcode == IBV_WR_RDMA_WRITE)
		ibv_wr_rdma_write(qp, end[1].mr->rkey, remote);
	else
		ibv_wr_rdma_read(qp, end[1].mr->rkey, remote);
	ibv_wr_set_sge_list(qp, PIECES, sge);
	NEED(!ibv_wr_complete(qp));
}

static bool moved(const struct end *from, const struct end *to, uint32_t length)
{
	for (uint32_t i = 0; i < AREA; i++) {
		bool inside = i >= GUARD && i < GUARD + length;

		if (to->area[i] != (inside ? from->area[i] : EMPTY)) {
			printf("     | byte %u of %u\n", i - GUARD, length);
			return false;
		}
	}
	return true;
}

/* Receives are scattered by the same pieces in the opposite order. */
static void receive(const uint32_t *lengths)
{
	uint32_t turned[PIECES];
	struct ibv_sge sge[PIECES];
	struct ibv_recv_wr wr = { .sg_list = sge, .num_sge = PIECES }, *bad;

	for (int i = 0; i < PIECES; i++)
		turned[i] = lengths[PIECES - 1 - i];
	pieces(&end[1], turned, sge);
	NEED(!ibv_post_recv(end[1].qp, &wr, &bad));
}

static void try(enum ibv_wr_opcode opcode, const char *name, bool extended,
		const uint32_t *lengths)
{
	struct end *to = &end[opcode != IBV_WR_RDMA_READ], *from = &end[to == &end[0]];
	struct ibv_sge sge[PIECES];
	uint64_t seed = 1;
	char row[80];
	uint32_t total;
	int status;

	connect_ends();
	for (int i = 0; i < AREA; i++)
		from->area[i] = rng(&seed);
	memset(to->area, EMPTY, AREA);
	total = pieces(&end[0], lengths, sge);
	if (opcode == IBV_WR_SEND)
		receive(lengths);
	(extended ? post_extended : post_plain)(opcode, sge);
	snprintf(row, sizeof(row), "%s of %u+%u+%u, %s", name, lengths[0], lengths[1],
		 lengths[2], extended ? "ibv_wr_set_sge_list" : "ibv_post_send");
	status = status_of(&end[0]);
	EXPECT(row, status, IBV_WC_SUCCESS);
	/* Nothing comes of what was not sent. */
	if (opcode == IBV_WR_SEND && status == IBV_WC_SUCCESS)
		EXPECT("is received", status_of(&end[1]), IBV_WC_SUCCESS);
	EXPECT("and is what it was", moved(from, to, total), 1);
	for (int i = 0; i < 2; i++)
		close_end(&end[i]);
}

int main(int argc, char **argv)
{
	static const uint32_t lengths[][PIECES] = {
		{ 64, 64, 64 }, { 128, 64, 8 }, { 8, 64, 128 }, { 100, 0, 28 }, { 0, 1, 2 },
		{ 1, 5000, 3000 },
	};
	static const struct { enum ibv_wr_opcode opcode; const char *name; } kinds[] = {
		{ IBV_WR_SEND, "SEND" }, { IBV_WR_RDMA_WRITE, "WRITE" },
		{ IBV_WR_RDMA_READ, "READ" },
	};

	if (argc != 3) {
		fprintf(stderr, "usage: sge_lists DEVICE GID-INDEX\n");
		return 2;
	}
	gid_index = atoi(argv[2]);
	NEED(ctx = open_named(argv[1]));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
			for (int extended = 0; extended < 2; extended++)
				try(kinds[k].opcode, kinds[k].name, extended, lengths[i]);
	return verdict();
}

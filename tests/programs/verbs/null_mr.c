// SPDX-License-Identifier: GPL-2.0
/*
 * The null region: zeros come from it, what goes there is lost, next to other pieces of a message
 * and without them; and it is not open to a peer.
 *
 * usage: null_mr DEVICE GID-INDEX
 */
#include "two_qps.h"
#include "verdict.h"

#define LENGTH	(300 << 10)
#define HEAD	100

static uint8_t own[LENGTH], other[LENGTH];
static struct ibv_mr *own_mr, *other_mr, *null;

static struct ibv_sge of_own(uint32_t at, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)own + at, length, own_mr->lkey };
}

static struct ibv_sge of_other(uint32_t at, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)other + at, length, other_mr->lkey };
}

static struct ibv_sge of_null(uint64_t at, uint32_t length)
{
	return (struct ibv_sge){ at, length, null->lkey };
}

static void fill(void)
{
	memset(own, 0x11, LENGTH);
	memset(other, 0x22, LENGTH);
}

static bool all(const uint8_t *at, size_t length, uint8_t value)
{
	while (length && *at == value)
		at++, length--;
	return !length;
}

/* A SEND of two pieces to two pieces. */
static int send_pieces(struct ibv_sge a, struct ibv_sge b, struct ibv_sge c, struct ibv_sge d)
{
	struct ibv_sge from[] = { a, b }, to[] = { c, d };
	struct ibv_recv_wr receive = { .sg_list = to, .num_sge = 2 }, *bad_receive;
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
				    .sg_list = from, .num_sge = 2 }, *bad_send;

	NEED(!ibv_post_recv(qp[1], &receive, &bad_receive));
	NEED(!ibv_post_send(qp[0], &send, &bad_send));
	return done(2);
}

static void sends(void)
{
	fill();
	EXPECT("SEND, its end is zeros",
	       send_pieces(of_own(0, HEAD), of_null(4711, LENGTH - HEAD),
			   of_other(0, HEAD / 2), of_other(HEAD / 2, LENGTH - HEAD / 2)), 0);
	EXPECT("has its beginning", all(other, HEAD, 0x11), 1);
	EXPECT("and zeros", all(other + HEAD, LENGTH - HEAD, 0), 1);
	fill();
	EXPECT("SEND, its beginning is lost",
	       send_pieces(of_own(0, HEAD), of_own(HEAD, LENGTH - HEAD), of_null(0, HEAD),
			   of_other(HEAD, LENGTH - HEAD)), 0);
	EXPECT("and nothing written there", all(other, HEAD, 0x22), 1);
	EXPECT("the rest is there", all(other + HEAD, LENGTH - HEAD, 0x11), 1);
	EXPECT("SEND from nothing to nothing",
	       send_pieces(of_null(1, LENGTH), of_null(2, LENGTH), of_null(3, LENGTH),
			   of_null(4, LENGTH)), 0);
}

static void of_peer(void)
{
	const uint64_t there = (uintptr_t)other, last = -1ULL - LENGTH;

	fill();
	EXPECT("WRITE of zeros", request(IBV_WR_RDMA_WRITE, 0, null->lkey, LENGTH, there,
					 other_mr->rkey), 0);
	EXPECT("are there", all(other, LENGTH, 0), 1);
	fill();
	EXPECT("READ into it", request(IBV_WR_RDMA_READ, last, null->lkey, LENGTH, there,
				       other_mr->rkey), 0);
	EXPECT("WRITE of its last bytes", request(IBV_WR_RDMA_WRITE, last, null->lkey, LENGTH,
						  there, other_mr->rkey), 0);
	EXPECT("are zeros all the same", all(other, LENGTH, 0), 1);
	EXPECT("FETCH AND ADD, its answer is lost",
	       request(IBV_WR_ATOMIC_FETCH_AND_ADD, 8, null->lkey, 8, there, other_mr->rkey), 0);
	EXPECT("and added", *(uint64_t *)other, 5);
}

static void not_so(int gid_index)
{
	const uint64_t mine = (uintptr_t)own;

	EXPECT("an address that wraps is an error",
	       request(IBV_WR_RDMA_WRITE, -4ULL, null->lkey, 8, (uintptr_t)other, other_mr->rkey),
	       IBV_WC_LOC_PROT_ERR);
	ready(gid_index);
	EXPECT("its key is none for a peer to write",
	       request(IBV_WR_RDMA_WRITE, mine, own_mr->lkey, 8, 0, null->lkey),
	       IBV_WC_REM_ACCESS_ERR);
	ready(gid_index);
	EXPECT("nor to read",
	       request(IBV_WR_RDMA_READ, mine, own_mr->lkey, 8, 0, null->lkey),
	       IBV_WC_REM_ACCESS_ERR);
	ready(gid_index);
	EXPECT("another low byte is another key",
	       request(IBV_WR_RDMA_WRITE, 0, null->lkey ^ 1, 8, (uintptr_t)other, other_mr->rkey),
	       IBV_WC_LOC_PROT_ERR);
	ready(gid_index);
}

static int bound(struct ibv_mw *window)
{
	struct ibv_mw_bind bind = { .send_flags = IBV_SEND_SIGNALED, .bind_info = {
		.mr = null, .length = 8, .mw_access_flags = IBV_ACCESS_REMOTE_READ } };
	int ret = ibv_bind_mw(qp[0], window, &bind);

	return ret ? ret : done(1);
}

static void life(int gid_index)
{
	struct ibv_mr *more[100];
	struct ibv_mw *window;

	NEED(window = ibv_alloc_mw(pd, IBV_MW_TYPE_1));
	EXPECT("no window of it", bound(window) != 0, 1);
	NEED(!ibv_dealloc_mw(window));
	ready(gid_index);
	EXPECT("no rkey", null->rkey, 0);
	EXPECT("it is not registered anew",
	       ibv_rereg_mr(null, IBV_REREG_MR_CHANGE_ACCESS, pd, NULL, 0, 0) != 0, 1);
	for (int i = 0; i < 100; i++)
		NEED(more[i] = ibv_alloc_null_mr(pd));
	EXPECT("many of them", request(IBV_WR_RDMA_READ, 0, more[99]->lkey, 8, (uintptr_t)other,
				       other_mr->rkey), 0);
	for (int i = 0; i < 100; i++)
		NEED(!ibv_dereg_mr(more[i]));
	EXPECT("it goes", ibv_dereg_mr(null), 0);
}

int main(int argc, char **argv)
{
	struct ibv_pd *another;
	int gid_index;

	if (argc != 3)
		return 2;
	gid_index = atoi(argv[2]);
	NEED(ctx = open_named(argv[1]));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(another = ibv_alloc_pd(ctx));
	null = ibv_alloc_null_mr(pd);
	EXPECT("a null region", null ? 0 : errno, 0);
	if (!null)
		return verdict();
	NEED(own_mr = ibv_reg_mr(pd, own, LENGTH, RIGHTS));
	NEED(other_mr = ibv_reg_mr(pd, other, LENGTH, RIGHTS));
	ready(gid_index);
	sends();
	of_peer();
	not_so(gid_index);
	life(gid_index);
	NEED(null = ibv_alloc_null_mr(another));
	EXPECT("of another protection domain", ibv_dereg_mr(null), 0);
	EXPECT("which goes", ibv_dealloc_pd(another), 0);
	return verdict();
}

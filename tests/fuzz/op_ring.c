// SPDX-License-Identifier: GPL-2.0
/* Queues in the memory of the program: requests that are good but for what they choose. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <rdma/siw-abi.h>

#include "../programs/lib/fuzz_commands.h"
#include "choice.h"
#include "op.h"
#include "ring.h"

#define RINGS	12

enum { R_SEND, R_RECEIVE, R_COMPLETION };

static struct ring {
	char *at;
	uint32_t size, next, qp;
	uint8_t what;
} rings[RINGS];
static uint32_t ring_count;
/* The queue pair of which rings are mapped. */
static uint32_t maker;

static bool siw(void)
{
	return !strcmp(world.driver, "iwarp");
}

static void ring_map(int what, uint64_t offset, uint32_t size)
{
	char *at;

	if (!size || size > 1 << 20)
		return;
	world_keep_offset(offset, size);
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, uverbs_file_now(), offset);
	feature(F_RING, at == MAP_FAILED);
	if (at == MAP_FAILED)
		return;
	world_keep_map(at, size);
	rings[ring_count++ % RINGS] = (struct ring){ .at = at, .size = size, .qp = maker,
						      .what = what };
}

static void note_siw(int kind, const char *driver)
{
	const struct siw_uresp_create_cq *cq = (void *)driver;
	const struct siw_uresp_create_qp *qp = (void *)driver;
	const struct siw_uresp_create_srq *srq = (void *)driver;

	if (kind == CQ) {
		ring_map(R_COMPLETION, cq->cq_key, cq->num_cqe * sizeof(struct siw_cqe) + 8);
	} else if (kind == SRQ) {
		ring_map(R_RECEIVE, srq->srq_key, srq->num_rqe * sizeof(struct siw_rqe));
	} else if (kind == QP) {
		ring_map(R_SEND, qp->sq_key, qp->num_sqe * sizeof(struct siw_sqe));
		ring_map(R_RECEIVE, qp->rq_key, qp->num_rqe * sizeof(struct siw_rqe));
	}
}

void ring_note(int kind, const void *response, size_t length)
{
	size_t driver = kind == QP ? TWO_RINGS : kind == SRQ ? SRQ_RING : RING;
	const char *at = (const char *)response + length - driver;
	const struct mminfo *info = (const void *)at;

	if ((kind != QP && kind != SRQ && kind != CQ) || length < driver)
		return;
	/* Both answers begin with its handle. */
	maker = kind == QP ? *(const uint32_t *)response : 0;
	if (siw()) {
		note_siw(kind, at);
		return;
	}
	ring_map(kind == CQ ? R_COMPLETION : R_RECEIVE, info->offset, info->size);
	if (kind == QP)
		ring_map(R_SEND, info[1].offset, info[1].size);
}

static struct ring *any_ring(int what)
{
	uint32_t n = ring_count < RINGS ? ring_count : RINGS, i = n ? choice(n) : 0;

	for (uint32_t tries = 0; tries < n; tries++, i = (i + 1) % n)
		if (rings[i].what == what && rings[i].at)
			return &rings[i];
	return NULL;
}

/* ---- requests ---- */

static uint32_t some_length(void)
{
	return choice(8) ? choice(5000) : choice_odd();
}

static void fill_dma(struct rxe_dma_info *dma, uint32_t room)
{
	uint32_t most = room / sizeof(dma->sge[0]), n = choice(8) ? choice(4) : choice(256);

	dma->num_sge = n;
	dma->length = dma->resid = 0;
	for (uint32_t i = 0; i < n && i < most; i++) {
		dma->sge[i].addr = world_address();
		dma->sge[i].length = some_length();
		dma->sge[i].lkey = world_number(WORLD_LKEY);
		dma->length += dma->sge[i].length;
	}
	dma->resid = dma->length = choice(8) ? dma->length : choice_odd();
	if (!choice(8))
		dma->cur_sge = choice_odd();
	if (!choice(8))
		dma->sge_offset = choice_odd();
}

static void fill_send(struct rxe_send_wqe *wqe, uint32_t room)
{
	struct rxe_send_wr *wr = &wqe->wr;

	memset(wqe, 0, sizeof(*wqe));
	wr->wr_id = choice(256);
	wr->opcode = choice(8) ? choice(16) : choice(256);
	wr->send_flags = choice(4) ? choice(2) * 2 : choice(32);
	wr->ex.imm_data = choice(2) ? world_number(WORLD_RKEY) : choice(256);
	switch (wr->opcode) {
	case 0: case 1: case 4:		/* WRITE, READ */
		wr->wr.rdma.remote_addr = world_address();
		wr->wr.rdma.rkey = world_number(WORLD_RKEY);
		break;
	case 5: case 6:			/* atomics */
		wr->wr.atomic.remote_addr = world_address() & (choice(8) ? ~7ull : ~0ull);
		wr->wr.atomic.rkey = world_number(WORLD_RKEY);
		break;
	case 8:				/* BIND_MW */
		wr->wr.mw.addr = world_address();
		wr->wr.mw.length = some_length();
		wr->wr.mw.mr_lkey = world_number(WORLD_LKEY);
		wr->wr.mw.mw_rkey = wr->wr.mw.rkey = world_number(WORLD_RKEY);
		wr->wr.mw.access = choice(256);
		break;
	default:
		wr->wr.ud.remote_qpn = world_number(WORLD_QPN);
		wr->wr.ud.remote_qkey = 0x11111111;
		wr->wr.ud.ah_num = world_number(WORLD_AH);
		break;
	}
	fill_dma(&wqe->dma, room - sizeof(*wqe));
}

static void put_rxe(struct ring *r)
{
	struct rxe_queue_buf *b = (void *)r->at;
	uint32_t step = 1u << (b->log2_elem_size & 15), mask = b->index_mask & 0xffff;
	uint32_t at = (b->producer_index & mask) * step;
	struct rxe_recv_wqe *recv = (void *)(b->data + at);

	if (sizeof(*b) + at + step > r->size || step < sizeof(*recv))
		return;
	if (r->what == R_SEND) {
		fill_send((void *)(b->data + at), step);
	} else {
		memset(recv, 0, sizeof(*recv));
		recv->wr_id = choice(256);
		fill_dma(&recv->dma, step - sizeof(*recv));
	}
	__atomic_store_n(&b->producer_index, (b->producer_index + 1) & mask, __ATOMIC_RELEASE);
}

static void fill_siw_sges(struct siw_sge *sge, uint8_t *num)
{
	*num = choice(8) ? choice(4) : choice(256);
	for (int i = 0; i < *num && i < SIW_MAX_SGE; i++)
		sge[i] = (struct siw_sge){ .laddr = world_address(), .length = some_length(),
					   .lkey = world_number(WORLD_LKEY) };
}

static void put_siw(struct ring *r)
{
	struct siw_sqe *sqe = (struct siw_sqe *)r->at + r->next;
	struct siw_rqe *rqe = (struct siw_rqe *)r->at + r->next;
	size_t step = r->what == R_SEND ? sizeof(*sqe) : sizeof(*rqe);

	r->next = (r->next + 1) % (r->size / step);
	if (r->what == R_SEND) {
		sqe->id = choice(256);
		sqe->opcode = choice(8) ? choice(12) : choice(256);
		sqe->rkey = world_number(WORLD_RKEY);
		sqe->raddr = world_address();
		fill_siw_sges(sqe->sge, &sqe->num_sge);
		sqe->flags = 1 | (choice(2) ? 4 : choice(256));
	} else {
		rqe->id = choice(256);
		fill_siw_sges(rqe->sge, &rqe->num_sge);
		rqe->flags = choice(16) ? 1 : choice(256);
	}
}

/* Return: the queue pair that is to hear of it. */
static uint32_t put(int what)
{
	struct ring *r = any_ring(what);

	if (!r)
		return choice(32);
	for (uint32_t n = 1 + choice(3); n; n--)
		siw() ? put_siw(r) : put_rxe(r);
	feature(F_RING + 1 + what, 0);
	return choice(12) ? r->qp : uverbs_any_qp();
}

static void op_receive(void)
{
	put(R_RECEIVE);
}

/* A doorbell is a POST_SEND without requests. */
static void op_send(void)
{
	struct ib_uverbs_post_send post = { .wqe_size = 128 };
	struct ib_uverbs_post_send_resp resp;
	char message[8 + sizeof(post)];
	struct ib_uverbs_cmd_hdr hdr = {
		.command = IB_USER_VERBS_CMD_POST_SEND,
		.in_words = sizeof(message) / 4, .out_words = sizeof(resp) / 4,
	};

	post.qp_handle = put(R_SEND);
	post.response = (uintptr_t)&resp;
	memcpy(message, &hdr, sizeof(hdr));
	memcpy(message + sizeof(hdr), &post, sizeof(post));
	uverbs_ring();
	feature(F_RING + 6, write(uverbs_file_now(), message, sizeof(message)) < 0);
}

static void op_scribble(void)
{
	char *at;
	uint32_t size, value = choice_odd();

	if (!world_map(&at, &size) || size < 4)
		return;
	/* The header, more often than not. */
	memcpy(at + (choice(3) ? choice(96) * 4 % (size - 3) : choice(size - 3)), &value, 4);
}

const struct op ring_ops[] = {
	{ "ring.send", op_send, 14, 0 },
	{ "ring.receive", op_receive, 7, 0 },
	{ "ring.scribble", op_scribble, 3, 0 },
	{ 0 }
};

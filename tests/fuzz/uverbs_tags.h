/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tag matching, device memory and the null key, which libofed has: a shared receive queue with
 * tags, operations on them, and a queue pair that sends messages to it. Of op_uverbs.c.
 */
#ifndef UVERBS_TAGS_H
#define UVERBS_TAGS_H

#include <endian.h>

#include <rdma/rdma_user_rxe.h>

#define TAG_BYTES	4096		/* of the pages: of a message */

/* What the latest op_tags() has made. */
static struct {
	struct context *ctx;
	uint32_t srq, sender, lkey, rkey;
	struct rxe_queue_buf *ring;
	uint32_t ring_bytes, next;
} tags;

/* A context that knows tags: another one if this one does not. */
static struct thread *tag_turn(void)
{
	struct thread *t = turn_of(0);

	if (knows_tags[0])
		return t;
	drop(t->ctx);
	want_tags = true;
	t = turn_of(0);
	want_tags = false;
	return t;
}

static uint32_t tag_srq(struct thread *t, uint32_t pd)
{
	struct ib_uverbs_create_xsrq cmd = {
		.srq_type = 2, .pd_handle = pd, .max_wr = 1 + choice(16), .max_sge = 1 + choice(3),
		.max_num_tags = choice(8) ? 1 + choice(8) : choice_odd(),
		.cq_handle = pick_handle(t, CQ),
	};
	struct {
		struct ib_uverbs_create_srq_resp core;
		char driver[SRQ_RING];
	} resp = {};
	int ret = -RV(atomic_load(&t->ctx->fd), CREATE_XSRQ, cmd, resp);

	feature(F_TAG + 0, ret);
	if (ret)
		return 0;
	remember(t, SRQ, resp.core.srq_handle);
	ring_note(SRQ, &resp, sizeof(resp));
	return resp.core.srq_handle;
}

/* With @srq, if @receives, and without a send queue then, or with one; or a plain one. */
static bool tag_qp(struct thread *t, uint32_t pd, uint32_t srq, bool receives)
{
	struct ib_uverbs_create_qp cmd = {
		.pd_handle = pd, .send_cq_handle = pick_handle(t, CQ), .qp_type = RV_RC,
		.max_send_wr = receives ? choice(2) : 16, .max_send_sge = 2, .max_recv_sge = 1,
		.max_recv_wr = receives ? 0 : 4, .is_srq = receives, .srq_handle = srq,
	};
	struct {
		struct ib_uverbs_create_qp_resp core;
		struct rxe_create_qp_resp driver;
	} resp = {};
	int ret;

	cmd.recv_cq_handle = cmd.send_cq_handle;
	ret = -RV(atomic_load(&t->ctx->fd), CREATE_QP, cmd, resp);
	feature(F_TAG + 1, ret);
	if (ret)
		return false;
	remember(t, QP, resp.core.qp_handle);
	note_qp(resp.core.qp_handle, resp.core.qpn, RV_RC);
	ring_note(QP, &resp, sizeof(resp));
	if (receives)
		return true;
	tags.sender = resp.core.qp_handle;
	tags.ring_bytes = resp.driver.sq_mi.size;
	tags.ring = mmap(NULL, tags.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			 atomic_load(&t->ctx->fd), resp.driver.sq_mi.offset);
	if (tags.ring == MAP_FAILED)
		return false;
	world_keep_map((char *)tags.ring, tags.ring_bytes);
	tags.next = 0;
	return true;
}

/* All that a message needs to be matched. */
static void op_tags(void)
{
	struct thread *t = tag_turn();
	uint32_t count = qp_count, way = choice(4), pd;

	plain(t, IB_USER_VERBS_CMD_ALLOC_PD);
	plain(t, IB_USER_VERBS_CMD_CREATE_CQ);
	pd = pick_handle(t, PD);
	region(t, (uintptr_t)world_pages, 64 * 4096, 15);
	tags.ctx = t->ctx;
	tags.lkey = world_number(WORLD_LKEY);
	tags.rkey = world_number(WORLD_RKEY);
	tags.ring = NULL;
	tags.srq = tag_srq(t, pd);
	if (!tag_qp(t, pd, 0, false) || !tag_qp(t, pd, tags.srq, true))
		return;
	connect_to(t, &qps[count % QPS], &qps[(count + 1) % QPS], 3, way, false);
	connect_to(t, &qps[(count + 1) % QPS], &qps[count % QPS], 3, way, false);
}

/* Few tags, so that they meet. */
static uint64_t some_tag(void)
{
	return choice(8) ? choice(4) : choice_odd();
}

static void fill_tag_op(struct ofed_tm_op *op)
{
	uint32_t most = choice(16) ? 3 : OFED_TM_MAX_SGE;

	op->opcode = choice(16) ? (choice(3) ? OFED_TM_ADD : choice(3)) : choice_odd();
	op->flags = choice(8) ? choice(4) : choice_odd();
	op->handled = choice(4) ? choice(16) : choice_odd();
	op->handle = choice(16);
	op->tag = some_tag();
	op->mask = choice(4) ? ~0ULL : some_tag();
	op->num_sge = choice(16) ? 1 + choice(most) : choice_odd();
	for (uint32_t i = 0; i < most; i++) {
		op->sge[i].addr = world_address();
		op->sge[i].length = choice(8) ? choice(2 * TAG_BYTES) : choice_odd();
		op->sge[i].lkey = choice(8) ? tags.lkey : world_number(WORLD_LKEY);
	}
}

/* An operation, some more at once, one that is cut off, or of another queue. */
static void op_tag(void)
{
	for (uint32_t n = 1 + choice(4); tags.ctx && n; n--) {
		struct {
			struct ib_uverbs_modify_srq core;
			struct ofed_tm_op own;
		} cmd = { .core.srq_handle = choice(16) ? tags.srq : choice(32) };
		size_t size = choice(16) ? sizeof(cmd) : choice(sizeof(cmd) / 4) * 4;

		fill_tag_op(&cmd.own);
		if (!choice(32))
			cmd.core.attr_mask = choice(8);
		feature(F_TAG + 2, -rv_write(atomic_load(&tags.ctx->fd), IB_USER_VERBS_CMD_MODIFY_SRQ,
					     &cmd, size, 0));
	}
}

/* The headers of a message as a peer would write them; odd ones too. */
static void write_tag_headers(uint8_t *at)
{
	uint64_t tag = htobe64(some_tag());
	uint64_t there = htobe64(choice(8) ? (uintptr_t)world_pages + choice(64 * 4096) :
					     choice_odd());
	uint32_t rkey = htobe32(choice(8) ? tags.rkey : world_number(WORLD_RKEY));
	uint32_t length = htobe32(choice(8) ? choice(4 * TAG_BYTES) : choice_odd());

	memset(at, 0, 32);
	at[0] = choice(16) ? choice(4) : choice(256);
	memcpy(at + 8, &tag, 8);
	memcpy(at + 16, &there, 8);
	memcpy(at + 24, &rkey, 4);
	memcpy(at + 28, &length, 4);
}

static void post_tag_message(uint8_t *at, uint32_t length)
{
	const uint32_t shift = tags.ring->log2_elem_size, mask = tags.ring->index_mask;
	struct rxe_send_wqe *wqe;

	/* What the driver wrote there may have been scribbled over. */
	if (((uint64_t)(tags.next & mask) << shift) + sizeof(*tags.ring) + sizeof(*wqe) +
	    sizeof(wqe->dma.sge[0]) > tags.ring_bytes || shift > 16)
		return;
	wqe = (void *)(tags.ring->data + ((size_t)(tags.next & mask) << shift));
	memset(wqe, 0, sizeof(*wqe));
	wqe->wr.opcode = choice(16) ? 2 : 3;	/* SEND, mostly without immediate data */
	wqe->wr.send_flags = 2;
	wqe->dma.length = wqe->dma.resid = length;
	wqe->dma.num_sge = 1;
	wqe->dma.sge[0].addr = (uintptr_t)at;
	wqe->dma.sge[0].length = length;
	wqe->dma.sge[0].lkey = tags.lkey;
	__atomic_store_n(&tags.ring->producer_index, ++tags.next & mask, __ATOMIC_RELEASE);
}

static void op_tag_send(void)
{
	struct ib_uverbs_post_send bell = { .wqe_size = sizeof(struct ib_uverbs_send_wr) };
	struct ib_uverbs_post_send_resp resp = {};

	if (!tags.ctx || !tags.ring || tags.ring == MAP_FAILED)
		return;
	for (uint32_t n = 1 + choice(4); n; n--) {
		uint8_t *at = (uint8_t *)world_pages + choice(16) * TAG_BYTES;

		write_tag_headers(at);
		post_tag_message(at, choice(8) ? 16 + choice(3 * TAG_BYTES) : choice(40));
	}
	bell.qp_handle = tags.sender;
	feature(F_TAG + 3, -RV(atomic_load(&tags.ctx->fd), POST_SEND, bell, resp));
}

#endif /* UVERBS_TAGS_H */

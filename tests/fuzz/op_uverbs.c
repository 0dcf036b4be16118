// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on uverbs: each write() command and each ioctl() method, composed as the
 * mutating fuzzers of tests/programs do, with the choices of the input in place of random
 * numbers; and steps that take several of these in a row to get far.
 */
#define FUZZ_CHOICES
#include "choice.h"
#include "meet.h"
#include "op.h"
#include "pass.h"
#include "ring.h"
#include "setup.h"

struct thread;
static inline uint32_t rnd(struct thread *t)
{
	(void)t;
	return choice_word();
}

static inline uint32_t below(struct thread *t, uint32_t n)
{
	(void)t;
	return choice(n);
}

static inline bool chance(struct thread *t, uint32_t percent)
{
	(void)t;
	return choice_chance(percent);
}

#include "../programs/lib/ioctl_fuzz_tree.h"

#include "uverbs_contexts.h"

#define QPS		8

/* Queue pairs, to be connected with each other. */
static struct qp {
	struct context *ctx;
	uint32_t handle, number;
	uint8_t type;
} qps[QPS];
static uint32_t qp_count;

int uverbs_file_now(void)
{
	if (!worker.t.ctx)
		turn();
	return atomic_load(&worker.t.ctx->fd);
}

int uverbs_file(void)
{
	return atomic_load(&turn()->ctx->fd);
}

static void op_close(void)
{
	drop(turn()->ctx);
}

/* Those of the first queue pairs, or any other. */
void uverbs_ring(void)
{
	uint32_t n = choice(4) ? choice(4) : choice(OFED_DOORBELLS);

	if (!doorbells)
		return;
	__atomic_fetch_or(&doorbells->rung[n / 32], 1u << n % 32, __ATOMIC_SEQ_CST);
	feature(F_STATE + 38, doorbells->awake);
}

/* Its handles are small numbers: those of the other one are good guesses. */
void uverbs_adopt(int fd)
{
	struct context *ctx = &contexts[1];

	ready();
	close(atomic_exchange(&ctx->fd, dup(fd)));
}

/* ---- what a call that succeeded has made ---- */

static void note_qp(uint32_t handle, uint32_t number, uint8_t type)
{
	struct thread *t = &worker.t;

	qps[qp_count++ % QPS] = (struct qp){ t->ctx, handle, number, type };
	world_keep_number(WORLD_QPN, number);
	if (type == RV_XRC_TGT) {
		atomic_store(&t->ctx->target, number);
		atomic_store(&t->ctx->target_xrcd, pick_handle(t, XRCD));
	}
}

static void note_channel(struct thread *t)
{
	int fd;

	memcpy(&fd, t->response, 4);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	atomic_store(&t->ctx->channel[atomic_fetch_add(&t->ctx->next_channel, 1) % CHANNELS], fd);
	world_keep_fd(dup(fd));
}

static void note_keys(uint32_t lkey, uint32_t rkey)
{
	world_keep_number(WORLD_LKEY, lkey);
	world_keep_number(WORLD_RKEY, rkey);
}

static void note_special(struct thread *t, const struct command *c, const char *body)
{
	const struct ib_uverbs_create_qp_resp *qp = (void *)t->response;
	const struct ib_uverbs_reg_mr_resp *mr = (void *)t->response;
	const struct ib_uverbs_alloc_mw_resp *mw = (void *)t->response;
	const struct ib_uverbs_ex_create_qp *ex = (void *)(c->extended ? body : body + 8);

	if (c->special == QP_TYPES)
		note_qp(qp->qp_handle, qp->qpn, ex->qp_type);
	else if (c->special == TARGET)
		note_qp(qp->qp_handle, qp->qpn, RV_XRC_TGT);
	else if (c->makes == MR)
		note_keys(mr->lkey, mr->rkey);
	else if (c->makes == MW)
		note_keys(mw->rkey, mw->rkey);
	else if (!c->extended && c->number == IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL)
		note_channel(t);
}

static void note_command(struct thread *t, const struct command *c, const char *body)
{
	uint32_t handle;

	note_special(t, c, body);
	if (c->makes) {
		memcpy(&handle, t->response + c->made, 4);
		remember(t, c->makes, handle);
		ring_note(c->makes, t->response, c->answer);
	}
	if (c->makes == AH)
		world_keep_number(WORLD_AH, *(uint32_t *)(t->response + 4));
	if (c->number == IB_USER_VERBS_CMD_RESIZE_CQ)
		ring_note(CQ, t->response, c->answer);
	if (c->takes) {
		memcpy(&handle, body + c->field[0].offset, 4);
		forget(t, c->takes, handle);
	}
}

/* ---- one call ---- */

static const struct command *any_command(struct thread *t)
{
	const struct command *c = &commands[below(t, COMMANDS)];

	if (c->takes && chance(t, 50))
		c = &commands[below(t, COMMANDS)];
	return c;
}

/* Of the next queue pair; 0: any. */
static uint8_t qp_type;

static void write_command(struct thread *t, const struct command *c, bool bent)
{
	char message[MESSAGE + 64];
	size_t length = compose(t, c, message);
	struct ib_uverbs_create_qp *qp = (void *)(message + 8);
	int ret;

	/* A queue of its own, more often than not. */
	if (qp_type) {
		qp->qp_type = qp_type;
		qp->pd_handle = pick_handle(t, PD);
		qp->is_srq = 0;
		qp->max_send_wr = qp->max_recv_wr = 16;
		qp->max_send_sge = qp->max_recv_sge = 3;
	} else if (c->special == QP_TYPES && !c->extended && choice(4)) {
		qp->is_srq = 0;
		qp->max_send_wr += !qp->max_send_wr;
	}
	/* Room for the number of a doorbell. */
	if (c->special == QP_TYPES && !c->extended && doorbells)
		((struct ib_uverbs_cmd_hdr *)message)->out_words += 2;
	if (bent)
		length = bend(t, c, message, length);
	ret = write(atomic_load(&t->ctx->fd), message, length) < 0 ? errno : 0;
	feature(F_WRITE + (c - commands), ret);
	if (!ret && !bent)
		note_command(t, c, message + (c->extended ? 24 : 8));
}

static void op_write(void)
{
	struct thread *t = turn();

	write_command(t, any_command(t), chance(t, 20));
}

static void plain(struct thread *t, uint32_t number)
{
	for (size_t c = 0; c < COMMANDS; c++)
		if (commands[c].number == number && !commands[c].extended)
			write_command(t, &commands[c], false);
}

/* What most calls need, in the order in which a program makes it. */
static void op_set(void)
{
	static const uint32_t steps[] = {
		IB_USER_VERBS_CMD_ALLOC_PD, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL,
		IB_USER_VERBS_CMD_CREATE_CQ, IB_USER_VERBS_CMD_REG_MR, IB_USER_VERBS_CMD_CREATE_SRQ,
		IB_USER_VERBS_CMD_CREATE_AH, IB_USER_VERBS_CMD_CREATE_QP,
		IB_USER_VERBS_CMD_CREATE_QP, IB_USER_VERBS_CMD_ALLOC_MW,
	};
	/* The first and the third, and those of which the bit says so. */
	uint32_t which = choice(512) | 5;
	struct thread *t = turn();

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (which >> i & 1)
			plain(t, steps[i]);
}

/* At the end of memory an attribute too many is a fault. */
static int call(struct tree *t)
{
	int fd = atomic_load(&worker.t.ctx->fd);
	size_t size = sizeof(t->hdr) + (t->hdr.num_attrs & 63) * sizeof(t->attr[0]);
	char *at = worker.t.edge + 4096 - size;
	int ret;

	if (size > sizeof(*t) || chance(&worker.t, 60))
		return -tree_send(fd, t);
	memcpy(at, t, size);
	ret = ioctl(fd, RDMA_VERBS_IOCTL, at) ? errno : 0;
	memcpy(t, at, size);
	return ret;
}

static void op_invoke(void)
{
	struct thread *t = turn();
	const struct command *c = any_command(t);
	char message[MESSAGE + 64];
	bool bent = chance(t, 25);
	size_t length = compose(t, c, message);
	struct tree tree;
	int ret;

	tree_of_command(&worker, &tree, c, message, length);
	if (bent)
		tree_bend(&worker, &tree);
	ret = call(&tree);
	feature(F_INVOKE + (c - commands), ret);
	if (!ret && !bent)
		note_command(t, c, message + (c->extended ? 24 : 8));
}

static void note_method(struct thread *t, const struct ioctl_method *m, struct tree *tree)
{
	const struct ioctl_attr *first = m->attr;
	struct ib_uverbs_attr *at = tree_find(tree, first->id), *type, *number;

	if (!at)
		return;
	if (first->type == T_NEW)
		object_keep(&worker, first->kind, at->data);
	else if (first->type == T_NEW_FD)
		fd_keep(&worker, first->kind, at->data_s64);
	else if (first->type == T_GONE)
		object_forget(&worker, first->kind, at->data);
	if (first->type == T_NEW && m->object == UVERBS_OBJECT_QP) {
		type = tree_find(tree, UVERBS_ATTR_CREATE_QP_TYPE);
		number = tree_find(tree, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM);
		if (type && number && number->data == (uintptr_t)t->response +
		    64 * (UVERBS_ATTR_CREATE_QP_RESP_QP_NUM % 16))
			note_qp(at->data, *(uint32_t *)(uintptr_t)number->data, type->data);
	}
}

static void op_method(void)
{
	struct thread *t = turn();
	/* Those of devices, CQs, QPs, SRQs and MRs are the first. */
	uint32_t i = below(t, chance(t, 40) ? 16 : METHODS);
	const struct ioctl_method *m = &ioctl_methods[i];
	bool bent = chance(t, 30);
	struct tree tree;
	int ret;

	tree_compose(&worker, &tree, m);
	if (bent)
		tree_bend(&worker, &tree);
	ret = call(&tree);
	feature(F_METHOD + i, ret);
	if (!ret && !bent)
		note_method(t, m, &tree);
}

/* ---- several in a row ---- */

static struct qp *any_qp(void)
{
	uint32_t n = qp_count < QPS ? qp_count : QPS;

	return n ? &qps[(qp_count - 1 - choice(n)) % QPS] : NULL;
}

uint32_t uverbs_any_qp(void)
{
	struct qp *a = any_qp();

	return a && choice(16) ? a->handle : choice(32);
}

static int of_type(uint8_t type)
{
	return type == RV_UC ? 1 : type == RV_UD ? 2 : type == RV_RAW ? 3 : 0;
}

/* By IP to the peer or here, by Ethernet here, or anyhow. */
static void fill_way(const struct qp *a, struct ib_uverbs_qp_dest *dest, uint32_t way)
{
	if (of_peer[a->ctx - contexts]) {
		dest->sgid_index = choice(8);
		memcpy(dest->dgid, world.gid[way < 7 ? 2 : 0], 16);
		dest->hop_limit = 64;
		return;
	}
	dest->sgid_index = way < 6 ? setup_device.ip_index : way < 9 ? 0 : choice(16);
	memcpy(dest->dgid, world.gid[way < 4 ? 1 : way < 6 ? 2 : 0], 16);
	dest->hop_limit = choice(8) ? 64 : choice(256);
}

/* From RESET on, @steps of three; with one field in ten that is odd. */
static void connect_to(struct thread *t, const struct qp *a, const struct qp *b, int steps,
		       uint32_t way, bool odd)
{
	struct ib_uverbs_modify_qp m;
	int ret;

	for (int i = 0; i < steps; i++) {
		memset(&m, 0, sizeof(m));
		fill_move(t, &m, &moves[of_type(a->type)][i]);
		m.qp_handle = a->handle;
		m.dest_qp_num = b->number;
		m.qkey = 0x11111111;
		m.path_mtu = 1 + (choice(6) ? choice(3) : choice(5));
		m.timeout = 8 + choice(8);
		m.retry_cnt = m.rnr_retry = choice(8);
		m.max_rd_atomic = m.max_dest_rd_atomic = choice(16);
		if (dev.ethernet)
			fill_way(a, &m.dest, way);
		if (odd && !choice(10))
			((uint8_t *)&m)[choice(sizeof(m))] = choice(256);
		ret = -RV_QUIET(atomic_load(&a->ctx->fd), MODIFY_QP, m);
		feature(F_STATE + of_type(a->type) * 4 + i, ret);
		if (i == 1)
			feature(F_STATE + 24 + way, ret);
	}
}

/* To another one, or to itself. */
static void op_connect(void)
{
	struct thread *t = turn();
	struct qp *a = any_qp(), *b = any_qp();
	uint32_t steps = choice(8);

	if (a && b)
		connect_to(t, a, b, steps < 3 ? steps : 3, choice(10), true);
}

static void region(struct thread *t, uint64_t start, uint64_t length, uint32_t access)
{
	struct ib_uverbs_reg_mr cmd = {
		.pd_handle = pick_handle(t, PD), .start = start, .length = length,
		.hca_va = choice(8) ? start : choice_odd(), .access_flags = access,
	};
	struct ib_uverbs_reg_mr_resp resp = {};
	int ret = -RV(atomic_load(&t->ctx->fd), REG_MR, cmd, resp);

	feature(F_STATE + 20, ret);
	if (ret)
		return;
	remember(t, MR, resp.mr_handle);
	note_keys(resp.lkey, resp.rkey);
}

/* Two queue pairs that can talk to each other, or to the other end of the wire. */
static void op_pair(void)
{
	static const uint8_t types[] = { RV_RC, RV_RC, RV_RC, RV_UC, RV_UD };
	struct thread *t = turn();
	uint32_t count = qp_count, way = choice(10);

	plain(t, IB_USER_VERBS_CMD_ALLOC_PD);
	plain(t, IB_USER_VERBS_CMD_CREATE_CQ);
	plain(t, IB_USER_VERBS_CMD_CREATE_AH);
	region(t, (uintptr_t)world_pages, 64 * 4096, 15);
	qp_type = types[choice(5)];
	plain(t, IB_USER_VERBS_CMD_CREATE_QP);
	plain(t, IB_USER_VERBS_CMD_CREATE_QP);
	qp_type = 0;
	if (qp_count != count + 2)
		return;
	connect_to(t, &qps[count % QPS], &qps[(count + 1) % QPS], 3, way, false);
	connect_to(t, &qps[(count + 1) % QPS], &qps[count % QPS], 3, way, false);
}

static void make_end(struct thread *t)
{
	bool notifies = choice(3);

	plain(t, IB_USER_VERBS_CMD_ALLOC_PD);
	if (notifies)
		plain(t, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL);
	plain(t, IB_USER_VERBS_CMD_CREATE_CQ);
	if (notifies)
		plain(t, IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	region(t, (uintptr_t)world_pages, 64 * 4096, 15);
	plain(t, IB_USER_VERBS_CMD_CREATE_QP);
}

/* One queue pair here, one of the device at the other end. */
static void op_across(void)
{
	static const uint8_t types[] = { RV_RC, RV_RC, RV_RC, RV_UC };
	struct thread *t = turn_of(0);
	uint32_t count = qp_count, way = choice(4);

	qp_type = types[choice(4)];
	make_end(t);
	make_end(turn_of(1));
	qp_type = 0;
	if (qp_count != count + 2)
		return;
	connect_to(t, &qps[count % QPS], &qps[(count + 1) % QPS], 3, way, false);
	connect_to(t, &qps[(count + 1) % QPS], &qps[count % QPS], 3, way, false);
	turn_of(choice(2));
}

uint32_t uverbs_new_qp(void)
{
	struct thread *t = turn_of(0);
	uint32_t count = qp_count;

	qp_type = RV_RC;
	make_end(t);
	qp_type = 0;
	return qp_count == count ? 0 : qps[count % QPS].number;
}

static void op_state(void)
{
	struct thread *t = turn();
	struct qp *a = any_qp();
	struct ib_uverbs_modify_qp m = {};

	if (!a)
		return;
	fill_move(t, &m, &moves[4][choice(3)]);
	m.qp_handle = a->handle;
	if (!choice(3))
		m.attr_mask |= choice_word() & 0x1fffff;
	feature(F_STATE + 16, -RV_QUIET(atomic_load(&a->ctx->fd), MODIFY_QP, m));
}

/* No other type is ever a member. */
static struct qp *any_datagram_qp(void)
{
	struct qp *a = any_qp();

	for (int i = 0; a && i < QPS && choice(8); i++) {
		if (a->type == RV_UD)
			break;
		a = &qps[i];
	}
	return a && a->ctx ? a : NULL;
}

static void join(const struct qp *a, bool away)
{
	static const uint8_t groups[3][16] = {
		{ 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [15] = 5 },
		{ 0xff, 0x0e, [10] = 0xff, 0xff, 239, 1, 2, 3 },
		{ [10] = 0xff, 0xff, 239, 1, 2, 3 },
	};
	struct ib_uverbs_attach_mcast m = {
		.qp_handle = a->handle, .mlid = choice(8) ? 0xc000 + choice(4) : choice_odd(),
	};

	memcpy(m.gid, groups[choice(3)], 16);
	if (!choice(8))
		m.gid[choice(16)] = choice(256);
	feature(F_STATE + 18 + away, away ?
		-RV_QUIET(atomic_load(&a->ctx->fd), DETACH_MCAST, m) :
		-RV_QUIET(atomic_load(&a->ctx->fd), ATTACH_MCAST, m));
}

/* Few groups and few LIDs, so that they meet. */
static void op_mcast(void)
{
	struct qp *a;

	turn();
	a = any_datagram_qp();
	for (uint32_t n = 1 + choice(3); a && n; n--)
		join(a, choice(4) == 3);
}

/* Memory of the pages, and not of one more, mostly. */
static void op_region(void)
{
	region(turn(), world_address(), choice(8) ? 1 + choice(65536) : choice_odd(),
	       choice(4) ? 15 : choice(256));
}

#include "uverbs_tags.h"

const struct op uverbs_ops[] = {
	{ "uverbs.set", op_set, 14, 0 },
	{ "uverbs.pair", op_pair, 10, 0 },
	{ "uverbs.across", op_across, 4, 0 },
	{ "uverbs.write", op_write, 30, 0 },
	{ "uverbs.invoke", op_invoke, 14, 0 },
	{ "uverbs.method", op_method, 16, 0 },
	{ "uverbs.connect", op_connect, 10, 0 },
	{ "uverbs.state", op_state, 4, 0 },
	{ "uverbs.mcast", op_mcast, 6, 0 },
	{ "uverbs.region", op_region, 6, 0 },
	{ "uverbs.close", op_close, 1, 0 },
	{ "uverbs.tags", op_tags, 5, OP_ROCE | OP_IB },
	{ "uverbs.tag", op_tag, 8, OP_ROCE | OP_IB },
	{ "uverbs.tag_send", op_tag_send, 8, OP_ROCE | OP_IB },
	{ 0 }
};

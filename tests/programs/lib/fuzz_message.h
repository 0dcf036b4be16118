/* SPDX-License-Identifier: GPL-2.0 */
/* One message of the fuzz: composed to be valid, or bent. */
#ifndef FUZZ_MESSAGE_H
#define FUZZ_MESSAGE_H

#include "fuzz_commands.h"
#include "fuzz_threads.h"
#include "raw_verbs.h"

#define POOL 24			/* remembered handles of a kind */
#define CHANNELS 8
#define ARENA (256 * 4096)
#define MESSAGE 2048

/* One open file and what is known of its objects; racy, and meant to be. */
struct context {
	pthread_mutex_t lock;	/* of opening and closing */
	atomic_int fd, async_fd;
	atomic_int channel[CHANNELS];
	atomic_uint next_channel;
	atomic_uint pool[KINDS][POOL];
	atomic_uint next[KINDS];
	atomic_uint target, target_xrcd;	/* an XRC target QP */
};

static struct rv_device dev;
static char *arena, *read_only;
static int xrc_file;

/* ---- a valid command ---- */

/* Mostly one that lives, rather a new one than an old one. */
static uint32_t pick_handle(struct thread *t, uint32_t kind)
{
	uint32_t made = atomic_load(&t->ctx->next[kind]);
	uint32_t back = below(t, chance(t, 70) ? 4 : POOL) + 1;

	/* Small numbers are often those of an object. */
	if (!made || chance(t, 3))
		return below(t, 64);
	if (back > made)
		back = made;
	return atomic_load(&t->ctx->pool[kind][(made - back) % POOL]);
}

static void remember(struct thread *t, uint32_t kind, uint32_t handle)
{
	uint32_t at = atomic_fetch_add(&t->ctx->next[kind], 1) % POOL;

	atomic_store(&t->ctx->pool[kind][at], handle);
}

/* A handle that was destroyed gives way to another one. */
static void forget(struct thread *t, uint32_t kind, uint32_t handle)
{
	uint32_t i;

	for (i = 0; i < POOL; i++)
		if (atomic_load(&t->ctx->pool[kind][i]) == handle)
			atomic_store(&t->ctx->pool[kind][i],
				     pick_handle(t, kind));
}

static uint64_t valid_value(struct thread *t, const struct field *field)
{
	switch (field->type) {
	case HANDLE:
		return pick_handle(t, field->arg);
	case NUMBER:
		return below(t, field->arg + 1);
	case FIXED:
		return field->arg;
	case BITS:
		return rnd(t) & field->arg;
	case ADDRESS:
		return (uintptr_t)arena + below(t, 64) * 4096;
	case LENGTH:
		return 4096 * (1 + below(t, 16)) - below(t, 3);
	case CHANNEL:
		return chance(t, 50) ? -1 :
			atomic_load(&t->ctx->channel[below(t, CHANNELS)]);
	case XRC_FILE:
		return chance(t, 50) ? -1 : xrc_file;
	}
	return 0;
}

static void put(char *at, uint64_t value, size_t size)
{
	memcpy(at, &value, size);	/* little endian */
}

static void fill_path(struct ib_uverbs_qp_dest *dest)
{
	struct rv_world w = { .dev = dev };

	rv_fill_path(&w, dest);
}

static void fill_ah(const struct command *c, char *body)
{
	struct ib_uverbs_create_ah *ah = (void *)body;

	if (c->number != IB_USER_VERBS_CMD_CREATE_AH) {
		body[0] = 0xff;		/* a multicast GID */
		body[1] = 0x0e;
		body[15] = 7;
		return;
	}
	ah->attr.dlid = 1;
	if (dev.ethernet) {
		ah->attr.is_global = 1;
		ah->attr.grh.hop_limit = 1;
		memcpy(ah->attr.grh.dgid, dev.gid, 16);
	}
}

static void fill_qp_type(struct thread *t, const struct command *c, char *body)
{
	static const uint8_t types[] = {
		RV_RC, RV_RC, RV_UC, RV_UD, RV_UD, RV_RAW, RV_XRC_INI,
		RV_XRC_TGT, RV_XRC_TGT,
	};
	uint8_t type = types[below(t, sizeof(types))];
	struct ib_uverbs_create_qp *qp = (void *)body;
	struct ib_uverbs_ex_create_qp *ex = (void *)body;

	if (!c->extended) {
		qp->qp_type = type;
		if (type == RV_XRC_TGT)
			qp->pd_handle = pick_handle(t, XRCD);
		return;
	}
	ex->qp_type = type;
	if (type == RV_XRC_TGT)
		ex->pd_handle = pick_handle(t, XRCD);
	if (type == RV_RAW && chance(t, 70)) {
		ex->comp_mask = IB_UVERBS_CREATE_QP_MASK_IND_TABLE;
		ex->send_cq_handle = ex->recv_cq_handle = 0;
		ex->max_send_wr = ex->max_send_sge = ex->is_srq = 0;
		ex->max_recv_wr = ex->max_recv_sge = 0;
	}
}

/* Legal moves; the first three of a type bring a new QP to RTS. */
static const struct move { uint8_t state; uint32_t mask; } moves[][3] = {
	{ { RV_INIT, RV_PKEY | RV_PORT | RV_ACCESS },
	  { RV_RTR, RV_AV | RV_MTU | RV_DEST_QPN | RV_RQ_PSN |
		    RV_DEST_RD_ATOMIC | RV_MIN_RNR },
	  { RV_RTS, RV_TIMEOUT | RV_RETRY | RV_RNR | RV_SQ_PSN |
		    RV_RD_ATOMIC } },
	{ { RV_INIT, RV_PKEY | RV_PORT | RV_ACCESS },
	  { RV_RTR, RV_AV | RV_MTU | RV_DEST_QPN | RV_RQ_PSN },
	  { RV_RTS, RV_SQ_PSN } },
	{ { RV_INIT, RV_PKEY | RV_PORT | RV_QKEY },
	  { RV_RTR, 0 },
	  { RV_RTS, RV_SQ_PSN } },
	{ { RV_INIT, RV_PORT }, { RV_RTR, 0 }, { RV_RTS, 0 } },
	{ { RV_SQD, 0 }, { RV_ERR, 0 }, { RV_RESET, 0 } },
};

static void fill_move(struct thread *t, struct ib_uverbs_modify_qp *m,
		      const struct move *move)
{
	m->qp_state = move->state;
	m->attr_mask = RV_STATE | move->mask;
	m->qp_access_flags = 7;
	m->port_num = 1;
	m->path_mtu = 3;
	m->dest_qp_num = atomic_load(&t->ctx->target);
	m->min_rnr_timer = 12;
	m->max_rd_atomic = m->max_dest_rd_atomic = 1;
	m->timeout = 14;
	m->retry_cnt = m->rnr_retry = 7;
	fill_path(&m->dest);
}

static void fill_qp_state(struct thread *t, char *body)
{
	fill_move(t, (void *)body, &moves[below(t, 5)][below(t, 3)]);
}

/* A QP that stays in RESET is of little use: most are brought to RTS. */
static void walk(struct thread *t, uint32_t handle, uint8_t type)
{
	struct ib_uverbs_modify_qp m;
	int i, of;

	if (chance(t, 30))
		return;
	of = type == RV_UC ? 1 : type == RV_UD ? 2 : type == RV_RAW ? 3 : 0;
	for (i = 0; i < 3; i++) {
		memset(&m, 0, sizeof(m));
		fill_move(t, &m, &moves[of][i]);
		m.qp_handle = handle;
		RV_QUIET(atomic_load(&t->ctx->fd), MODIFY_QP, m);
	}
}

static void fill_sge(struct thread *t, struct ib_uverbs_sge *sge)
{
	sge->addr = (uintptr_t)arena + below(t, ARENA / 2);
	sge->length = below(t, 4096);
	sge->lkey = rnd(t);
}

/* Return: length of the work requests and their scatter lists. */
static size_t fill_sends(struct thread *t, char *body)
{
	struct ib_uverbs_post_send *post = (void *)body;
	uint32_t i, count = below(t, 5);
	struct ib_uverbs_sge *sge = (void *)&post->send_wr[count];

	post->wr_count = count;
	post->sge_count = count;
	post->wqe_size = sizeof(post->send_wr[0]);
	for (i = 0; i < count; i++) {
		post->send_wr[i].wr_id = i;
		post->send_wr[i].num_sge = 1;
		post->send_wr[i].opcode = chance(t, 60) ? 2 : below(t, 14);
		post->send_wr[i].send_flags = 2;
		post->send_wr[i].wr.ud.ah = pick_handle(t, AH);
		fill_sge(t, &sge[i]);
	}
	return count * (sizeof(post->send_wr[0]) + sizeof(*sge));
}

static size_t fill_recvs(struct thread *t, char *body)
{
	struct ib_uverbs_post_recv *post = (void *)body;
	uint32_t i, count = below(t, 5);
	struct ib_uverbs_sge *sge = (void *)&post->recv_wr[count];

	post->wr_count = count;
	post->sge_count = count;
	post->wqe_size = sizeof(post->recv_wr[0]);
	for (i = 0; i < count; i++) {
		post->recv_wr[i].wr_id = i;
		post->recv_wr[i].num_sge = 1;
		fill_sge(t, &sge[i]);
	}
	return count * (sizeof(post->recv_wr[0]) + sizeof(*sge));
}

static size_t fill_specs(struct thread *t, char *body)
{
	struct ib_uverbs_create_flow *flow = (void *)body;
	struct ib_uverbs_flow_spec_eth *eth =
		(void *)(body + sizeof(*flow));
	uint32_t i, count = below(t, 3);

	flow->flow_attr.type = 0;
	flow->flow_attr.num_of_specs = count;
	flow->flow_attr.size = count * sizeof(*eth);
	flow->flow_attr.port = 1;
	for (i = 0; i < count; i++) {
		eth[i].type = 0x20;
		eth[i].size = sizeof(*eth);
		memset(eth[i].mask.dst_mac, 0xff, 6);
	}
	return count * sizeof(*eth);
}

static size_t fill_handles(struct thread *t, char *body)
{
	struct ib_uverbs_ex_create_rwq_ind_table *table = (void *)body;
	uint32_t i, log = below(t, 3);

	table->log_ind_tbl_size = log;
	for (i = 0; i < 1u << log; i++)
		table->wq_handles[i] = pick_handle(t, WQ);
	return log ? 4 << log : 8;
}

/* Return: length of what follows the struct of the command. */
static size_t fill_special(struct thread *t, const struct command *c,
			   char *body)
{
	switch (c->special) {
	case PLAIN:
		return 0;
	case TARGET: {
		struct ib_uverbs_open_qp *open_qp = (void *)body;

		open_qp->qpn = atomic_load(&t->ctx->target);
		open_qp->pd_handle = atomic_load(&t->ctx->target_xrcd);
		return 0;
	}
	case PATH:
		fill_ah(c, body);
		return 0;
	case QP_TYPES:
		fill_qp_type(t, c, body);
		return 0;
	case QP_STATES:
		fill_qp_state(t, body);
		return 0;
	case SENDS:
		return fill_sends(t, body);
	case RECVS:
		return fill_recvs(t, body);
	case SPECS:
		return fill_specs(t, body);
	case HANDLES:
		return fill_handles(t, body);
	}
	return 0;
}

/* Return: length of the message. */
static size_t compose(struct thread *t, const struct command *c, char *message)
{
	size_t head = sizeof(struct ib_uverbs_cmd_hdr) +
		(c->extended ? sizeof(struct ib_uverbs_ex_cmd_hdr) : 0);
	char *body = message + head;
	struct ib_uverbs_cmd_hdr *hdr = (void *)message;
	struct ib_uverbs_ex_cmd_hdr *ex = (void *)(hdr + 1);
	uint64_t response = (uintptr_t)t->response;
	size_t size = c->size;
	int i;

	memset(message, 0, MESSAGE);
	for (i = 0; i < 16 && c->field[i].size; i++)
		put(body + c->field[i].offset, valid_value(t, &c->field[i]),
		    c->field[i].size);
	if (c->number == IB_USER_VERBS_CMD_REG_MR && !c->extended) {
		struct ib_uverbs_reg_mr *reg = (void *)body;

		reg->hca_va = reg->start;
	}
	size += fill_special(t, c, body);

	hdr->command = c->number;
	if (c->extended) {
		size = (size + 7) / 8 * 8;
		hdr->command |= RV_EX;
		hdr->in_words = size / 8;
		hdr->out_words = (c->answer + 7) / 8;
		ex->response = c->answer ? response : 0;
	} else {
		hdr->in_words = (head + size) / 4;
		hdr->out_words = c->answer / 4;
		if (c->answer)
			put(body, response, 8);
	}
	return head + size;
}

/* ---- a bent one ---- */

static uint64_t weird_number(struct thread *t)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0x1000, 0x7fff, 0x8000,
		0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
		0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffff000, 0xffffffffffffffff,
	};

	if (chance(t, 30))
		return ((uint64_t)rnd(t) << 32) | rnd(t);
	return numbers[below(t, sizeof(numbers) / sizeof(numbers[0]))];
}

/* Not any pointer: one of those that hurt only the kernel. */
static uint64_t weird_pointer(struct thread *t)
{
	switch (below(t, 7)) {
	case 0:
		return 0;
	case 1:
		return 0xffff888000000000;	/* kernel's */
	case 2:
		return 0x00007ffffffff000;	/* just above user's */
	case 3:
		return (uintptr_t)t->edge + 4096 - 1 - below(t, 16);
	case 4:
		return (uintptr_t)read_only;
	case 5:
		return 0x800000000000;		/* not canonical */
	default:
		return (uintptr_t)t->response + 1 + below(t, 7);
	}
}

static void bend_field(struct thread *t, const struct command *c, char *body)
{
	const struct field *field;
	int count = 0;

	while (count < 16 && c->field[count].size)
		count++;
	if (!count)
		return;
	field = &c->field[below(t, count)];
	put(body + field->offset, weird_number(t), field->size);
}

static void bend_header(struct thread *t, char *message)
{
	struct ib_uverbs_cmd_hdr *hdr = (void *)message;
	struct ib_uverbs_ex_cmd_hdr *ex = (void *)(hdr + 1);

	switch (below(t, 6)) {
	case 0:
		hdr->in_words += below(t, 2) ? 1 : -1;
		break;
	case 1:
		hdr->in_words = weird_number(t);
		break;
	case 2:
		hdr->out_words = chance(t, 50) ? below(t, 16) :
			weird_number(t);
		break;
	case 3:
		hdr->command ^= 1u << below(t, 32);
		break;
	case 4:
		if (hdr->command & RV_EX)
			ex->provider_in_words = weird_number(t);
		break;
	case 5:
		if (hdr->command & RV_EX)
			ex->provider_out_words = below(t, 16);
		break;
	}
}

/* Where the response pointer of a message is: no random bytes there. */
static void bend_byte(struct thread *t, char *message, size_t length)
{
	size_t at = below(t, length);

	if (at < 8 || at >= 16)
		message[at] ^= 1 << below(t, 8);
}

/* Return: the length to write. */
static size_t bend(struct thread *t, const struct command *c, char *message,
		   size_t length)
{
	size_t head = c->extended ? 24 : 8;
	int times = 1 + below(t, 3);

	while (times--) {
		switch (below(t, 7)) {
		case 0:
		case 1:
			bend_field(t, c, message + head);
			break;
		case 2:
			bend_header(t, message);
			break;
		case 3:
			bend_byte(t, message, length);
			break;
		case 4:
			put(message + 8, weird_pointer(t), 8);
			break;
		case 5:
			length = chance(t, 50) ? below(t, length + 1) :
				length + below(t, 64);
			break;
		case 6:
			memset(message + length, rnd(t), 64);
			break;
		}
		if (!length)
			length = 1;
	}
	return length > MESSAGE ? MESSAGE : length;
}

#endif /* FUZZ_MESSAGE_H */

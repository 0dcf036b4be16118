/* SPDX-License-Identifier: GPL-2.0 */
/* One tree of the fuzz: composed to be valid, or bent. */
#ifndef IOCTL_FUZZ_TREE_H
#define IOCTL_FUZZ_TREE_H

#include "fuzz_message.h"
#include "ioctl_driver.h"

#define ROOM	(1 << 17)	/* more than an attribute can be long */
#define BELLS	8

/* Beside struct context: what write() commands know nothing of. */
struct beside {
	atomic_uint pool[OBJECTS + 1][POOL];
	atomic_uint next[OBJECTS + 1];
	atomic_int fd[2][BELLS];	/* asynchronous events, bells */
	atomic_uint next_fd[2];
};

/* A thread; the first member is what fuzz_message.h works with. */
struct worker {
	struct thread t;
	struct beside *beside;
	char *in;		/* ROOM bytes, the values of a tree */
	size_t used;
	int dmabuf;
};

static uint32_t driver_id;

/* ---- handles ---- */

/* Kinds of fuzz_commands.h; 0: kept beside. */
static const enum kind kind_of[OBJECTS] = {
	[UVERBS_OBJECT_PD] = PD, [UVERBS_OBJECT_CQ] = CQ,
	[UVERBS_OBJECT_QP] = QP, [UVERBS_OBJECT_SRQ] = SRQ,
	[UVERBS_OBJECT_AH] = AH, [UVERBS_OBJECT_MR] = MR,
	[UVERBS_OBJECT_MW] = MW, [UVERBS_OBJECT_FLOW] = FLOW,
	[UVERBS_OBJECT_XRCD] = XRCD, [UVERBS_OBJECT_RWQ_IND_TBL] = TABLE,
	[UVERBS_OBJECT_WQ] = WQ,
};

static uint32_t slot_of(uint16_t object)
{
	return object < OBJECTS ? object : OBJECTS;
}

static uint32_t object_pick(struct worker *k, uint16_t object)
{
	uint32_t slot = slot_of(object);
	uint32_t made, back;

	if (slot < OBJECTS && kind_of[slot])
		return pick_handle(&k->t, kind_of[slot]);
	made = atomic_load(&k->beside->next[slot]);
	back = below(&k->t, chance(&k->t, 70) ? 4 : POOL) + 1;
	if (!made || chance(&k->t, 3))
		return below(&k->t, 64);
	if (back > made)
		back = made;
	return atomic_load(&k->beside->pool[slot][(made - back) % POOL]);
}

static void object_keep(struct worker *k, uint16_t object, uint32_t handle)
{
	uint32_t slot = slot_of(object);

	if (slot < OBJECTS && kind_of[slot]) {
		remember(&k->t, kind_of[slot], handle);
		return;
	}
	atomic_store(&k->beside->pool[slot][
		atomic_fetch_add(&k->beside->next[slot], 1) % POOL], handle);
}

static void object_forget(struct worker *k, uint16_t object, uint32_t handle)
{
	uint32_t slot = slot_of(object);

	if (slot < OBJECTS && kind_of[slot])
		forget(&k->t, kind_of[slot], handle);
}

/* The newest take the place of the oldest, which are closed. */
static void fd_keep(struct worker *k, uint16_t object, int fd)
{
	int which = object == UVERBS_OBJECT_ASYNC_EVENT ? 0 : 1;
	uint32_t at = atomic_fetch_add(&k->beside->next_fd[which], 1) % BELLS;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	fd = atomic_exchange(&k->beside->fd[which][at], fd);
	if (fd >= 0)
		close(fd);
}

static int fd_pick(struct worker *k, const struct ioctl_attr *a)
{
	struct context *ctx = k->t.ctx;

	if (a->type == T_RAW_FD)
		return k->dmabuf;
	if (a->kind == UVERBS_OBJECT_COMP_CHANNEL)
		return atomic_load(&ctx->channel[below(&k->t, CHANNELS)]);
	if (a->kind == UVERBS_OBJECT_ASYNC_EVENT && chance(&k->t, 70))
		return atomic_load(&ctx->async_fd);
	return atomic_load(&k->beside->fd[
		a->kind == UVERBS_OBJECT_ASYNC_EVENT ? 0 : 1][
		below(&k->t, BELLS)]);
}

/* ---- a valid tree ---- */

static uint64_t value_put(struct worker *k, const void *value, size_t len)
{
	char *at = k->in + k->used;

	memcpy(at, value, len);
	k->used += (len + 7) & ~7UL;
	return (uintptr_t)at;
}

static uint64_t special_value(struct worker *k, const struct ioctl_attr *a)
{
	struct ib_uverbs_qp_cap cap = {
		.max_send_wr = below(&k->t, 32), .max_recv_wr = below(&k->t, 32),
		.max_send_sge = below(&k->t, 4), .max_recv_sge = below(&k->t, 4),
	};
	struct ib_uverbs_sge sge = { .addr = (uintptr_t)arena, .length = 4096 };
	char text[64];

	switch (a->value) {
	case SPECIAL_CAP:
		return value_put(k, &cap, sizeof(cap));
	case SPECIAL_SGE:
		return value_put(k, &sge, sizeof(sge));
	default:
		memset(text, rnd(&k->t), sizeof(text));
		return value_put(k, text, sizeof(text));
	}
}

static uint64_t plain_value(struct worker *k, const struct ioctl_attr *a)
{
	return chance(&k->t, 75) ? a->value : below(&k->t, 2 * a->value + 3);
}

static void attr_uses(struct worker *k, struct ib_uverbs_attr *at,
		      const struct ioctl_attr *a)
{
	uint32_t handles[8];
	int count = 1 + below(&k->t, 8);

	for (int i = 0; i < count; i++)
		handles[i] = object_pick(k, a->kind);
	at->len = 4 * count;
	if (count > 2)
		at->data = value_put(k, handles, 4 * count);
	else
		memcpy(&at->data, handles, 4 * count);
}

static void attr_enum(struct worker *k, struct ib_uverbs_attr *at)
{
	uint64_t block[2] = { below(&k->t, 100), below(&k->t, 100) };
	uint8_t shape = below(&k->t, TESTDEV_SHAPES);

	at->attr_data.enum_data.elem_id = shape;
	at->len = shape == TESTDEV_SHAPE_BLOCK ? 16 :
		shape == TESTDEV_SHAPE_LINE ? 4 : 0;
	at->data = at->len > 8 ? value_put(k, block, 16) : at->len ? 7 : 0;
}

static void attr_fill(struct worker *k, struct ib_uverbs_attr *at,
		      const struct ioctl_attr *a)
{
	switch (a->type) {
	case T_USE:
	case T_GONE:
		at->data = object_pick(k, a->kind);
		break;
	case T_USES:
		attr_uses(k, at, a);
		break;
	case T_ENUM:
		attr_enum(k, at);
		break;
	case T_FD:
	case T_RAW_FD:
		at->data_s64 = fd_pick(k, a);
		break;
	case T_IN:
		at->data = a->len > 8 ? special_value(k, a) : plain_value(k, a);
		break;
	case T_CONST:
	case T_FLAGS:
		at->data = plain_value(k, a);
		break;
	case T_OUT:
		at->data = (uintptr_t)k->t.response + 64 * (at->attr_id % 16);
		break;
	}
}

static void attr_add(struct worker *k, struct tree *t, const struct ioctl_attr *a)
{
	struct ib_uverbs_attr *at = tree_add(t, a->id, a->len, 0);

	attr_fill(k, at, a);
	/* A call may do without what there is none of. */
	if (a->type == T_FD && a->use != MUST && at->data_s64 < 0 &&
	    chance(&k->t, 90))
		tree_drop(t, a->id);
}

static const struct ioctl_attr *attr_of(const struct ioctl_method *m, uint16_t id)
{
	for (const struct ioctl_attr *a = m->attr; a->name; a++)
		if (a->id == id)
			return a;
	return NULL;
}

/* Another attribute than the usual ones: @with instead of @without. */
static void exchange(struct worker *k, struct tree *t,
		     const struct ioctl_method *m, uint16_t without,
		     uint16_t with)
{
	tree_drop(t, without);
	if (!tree_find(t, with))
		attr_add(k, t, attr_of(m, with));
}

/* The types of QP differ in what they want. */
static void qp_of_type(struct worker *k, struct tree *t,
		       const struct ioctl_method *m)
{
	static const uint8_t types[] = {
		RV_RC, RV_UC, RV_UD, RV_UD, RV_RAW, RV_XRC_INI, RV_XRC_TGT,
	};
	uint8_t type = types[below(&k->t, sizeof(types))];

	tree_find(t, UVERBS_ATTR_CREATE_QP_TYPE)->data = type;
	tree_drop(t, UVERBS_ATTR_CREATE_QP_FLAGS);
	tree_drop(t, UVERBS_ATTR_CREATE_QP_SOURCE_QPN);
	tree_drop(t, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE);
	tree_drop(t, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE);
	if (type != RV_XRC_TGT)
		return;
	exchange(k, t, m, UVERBS_ATTR_CREATE_QP_PD_HANDLE,
		 UVERBS_ATTR_CREATE_QP_XRCD_HANDLE);
	tree_drop(t, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);
	tree_drop(t, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	tree_drop(t, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
}

static void srq_of_type(struct worker *k, struct tree *t,
			const struct ioctl_method *m)
{
	bool xrc = chance(&k->t, 40);

	tree_find(t, UVERBS_ATTR_CREATE_SRQ_TYPE)->data = xrc;
	tree_drop(t, UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS);
	tree_drop(t, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE);
	tree_drop(t, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE);
	if (!xrc)
		return;
	attr_add(k, t, attr_of(m, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE));
	attr_add(k, t, attr_of(m, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE));
	exchange(k, t, m, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM,
		 UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM);
}

static void tree_compose(struct worker *k, struct tree *t,
			 const struct ioctl_method *m)
{
	k->used = 0;
	tree_start(t, driver_id, m->object, m->method);
	for (const struct ioctl_attr *a = m->attr; a->name; a++)
		if (chance(&k->t, a->use == MUST ? 100 : a->use == MAY ? 90 : 8))
			attr_add(k, t, a);
	if (m->object == UVERBS_OBJECT_QP &&
	    m->method == UVERBS_METHOD_QP_CREATE)
		qp_of_type(k, t, m);
	if (m->object == UVERBS_OBJECT_SRQ &&
	    m->method == UVERBS_METHOD_SRQ_CREATE)
		srq_of_type(k, t, m);
}

#define FLOW_COUNTS (sizeof(struct ib_uverbs_create_flow) +		\
		     sizeof(struct ib_uverbs_flow_spec_action_count))

/* A flow that counts; the specs that fuzz_message.h knows do not. */
static void flow_counts(struct worker *k, char *body)
{
	struct ib_uverbs_create_flow *flow = (void *)body;
	struct ib_uverbs_flow_spec_action_count count = {
		.type = 0x1003, .size = sizeof(count),
		.handle = object_pick(k, UVERBS_OBJECT_COUNTERS),
	};

	flow->flow_attr.num_of_specs = 1;
	flow->flow_attr.size = sizeof(count);
	memcpy(flow + 1, &count, sizeof(count));
}

/* A write() command inside: the same message without its headers. */
static void tree_of_command(struct worker *k, struct tree *t,
			    const struct command *c, char *message,
			    size_t length)
{
	size_t head = c->extended ? 24 : 8;
	uint64_t number = c->number | (c->extended ? RV_EX : 0);
	size_t size = length > head ? length - head : 0;

	k->used = 0;
	if (c->special == SPECS && size > FLOW_COUNTS && chance(&k->t, 50)) {
		flow_counts(k, message + head);
		size = FLOW_COUNTS;
	}
	tree_start(t, driver_id, UVERBS_OBJECT_DEVICE,
		   UVERBS_METHOD_INVOKE_WRITE);
	tree_in(t, UVERBS_ATTR_WRITE_CMD, &number, 8);
	if (size > 8)
		tree_add(t, UVERBS_ATTR_CORE_IN, size,
			 value_put(k, message + head, size));
	else if (size)
		tree_in(t, UVERBS_ATTR_CORE_IN, message + head, size);
	if (c->answer)
		tree_out(t, UVERBS_ATTR_CORE_OUT, k->t.response, c->answer);
	/* Creations need it, some others refuse it. */
	if (c->makes || chance(&k->t, 50))
		tree_out(t, UVERBS_ATTR_UHW_OUT, k->t.response + 2048,
			 ANSWER_ROOM);
}

/* ---- a bent one ---- */

static struct ib_uverbs_attr *attr_any(struct worker *k, struct tree *t)
{
	return t->hdr.num_attrs && t->hdr.num_attrs <= TREE_ATTRS ?
		&t->attr[below(&k->t, t->hdr.num_attrs)] : &t->attr[0];
}

static uint16_t id_any(struct worker *k)
{
	switch (below(&k->t, 5)) {
	case 0:
		return 0x1000 + below(&k->t, 34);
	case 1:
		return weird_number(&k->t);
	default:
		return below(&k->t, 34);
	}
}

/* What stands for a handle, a descriptor, a value or a pointer. */
static uint64_t data_any(struct worker *k)
{
	switch (below(&k->t, 6)) {
	case 0:
		return weird_number(&k->t);
	case 1:
		return (int64_t)fd_pick(k, &(struct ioctl_attr){
			.type = T_FD, .kind = below(&k->t, 20) });
	case 2:
	case 3:
		return object_pick(k, below(&k->t, OBJECTS + 1));
	default:
		return weird_pointer(&k->t);
	}
}

static void bend_header_of(struct worker *k, struct tree *t)
{
	struct ib_uverbs_ioctl_hdr *hdr = &t->hdr;

	switch (below(&k->t, 9)) {
	case 0:
		hdr->length = weird_number(&k->t);
		break;
	case 1:
		hdr->length += below(&k->t, 2) ? 16 : -16;
		break;
	case 2:
		hdr->object_id = id_any(k);
		break;
	case 3:
		hdr->method_id = below(&k->t, 9);
		break;
	case 4:
		hdr->method_id = id_any(k);
		break;
	case 5:
		hdr->num_attrs = weird_number(&k->t);
		break;
	case 6:
		hdr->driver_id = chance(&k->t, 50) ? below(&k->t, 24) : rnd(&k->t);
		break;
	case 7:
		hdr->reserved1 = weird_number(&k->t);
		break;
	case 8:
		hdr->reserved2 = rnd(&k->t);
		break;
	}
}

/* Fields of one attribute. */
static void bend_attr(struct worker *k, struct tree *t)
{
	struct ib_uverbs_attr *at = attr_any(k, t);

	switch (below(&k->t, 7)) {
	case 0:
		at->attr_id = id_any(k);
		break;
	case 1:
		at->len = weird_number(&k->t);
		break;
	case 2:
		at->len += below(&k->t, 17) - 8;
		break;
	case 3:
		at->flags = chance(&k->t, 60) ? 0 : rnd(&k->t);
		break;
	case 4:
		at->attr_data.reserved = chance(&k->t, 60) ? below(&k->t, 5) :
			rnd(&k->t);
		break;
	default:
		at->data = data_any(k);
		break;
	}
}

/* Which attributes there are, and in what order. */
static void bend_shape(struct worker *k, struct tree *t)
{
	struct ib_uverbs_attr *at = attr_any(k, t), *other = attr_any(k, t), kept;

	if (t->hdr.num_attrs > TREE_ATTRS - 2)
		return;
	switch (below(&k->t, 5)) {
	case 0:
		tree_drop(t, at->attr_id);
		break;
	case 1:
		kept = *at;
		t->attr[t->hdr.num_attrs++] = kept;
		tree_fit(t);
		break;
	case 2:
		kept = *at;
		*at = *other;
		*other = kept;
		break;
	case 3:
		tree_add(t, id_any(k), below(&k->t, 70), data_any(k))->flags =
			below(&k->t, 2);
		break;
	case 4:
		while (t->hdr.num_attrs < below(&k->t, TREE_ATTRS - 2))
			tree_add(t, id_any(k), below(&k->t, 16), 0)->flags = 0;
		break;
	}
}

static void tree_bend(struct worker *k, struct tree *t)
{
	int times = 1 + below(&k->t, 4);

	while (times--) {
		switch (below(&k->t, 8)) {
		case 0:
			bend_header_of(k, t);
			break;
		case 1:
		case 2:
			bend_shape(k, t);
			break;
		case 3:
			if (k->used)
				k->in[below(&k->t, k->used)] ^=
					1 << below(&k->t, 8);
			break;
		default:
			bend_attr(k, t);
			break;
		}
	}
}

#endif /* IOCTL_FUZZ_TREE_H */

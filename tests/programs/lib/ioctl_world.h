/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One object of every kind that the device has, by the number of its kind, and
 * the well-formed tree of every method on them.
 */
#ifndef IOCTL_WORLD_H
#define IOCTL_WORLD_H

#include "ioctl_methods.h"
#include "raw_verbs.h"

#define NO_HANDLE 0x00abcdefu

struct world {
	struct rv_world raw;
	uint32_t driver;
	/* One to use, and one that nothing else needs, to destroy. */
	uint32_t use[V7_OBJECTS], spare[V7_OBJECTS];
	int dmabuf;
	bool with_7;		/* objects of 7.x, too */
};

/* More than the longest attribute: what is beyond its value stays zero. */
static char world_in[1 << 17], world_out[1 << 17] __attribute__((aligned(8)));

static inline bool world_is_testdev(const struct world *w)
{
	return w->driver != 14;
}

static inline int world_find(struct world *w, const char *device)
{
	memset(w, 0, sizeof(*w));
	w->driver = tree_driver(device);
	w->dmabuf = -1;
	return rv_world_init(&w->raw, device);
}

/* Objects that only ioctl() can make; the first attribute is the handle. */
static inline uint32_t world_make(struct world *w, uint16_t object,
				  uint16_t method)
{
	uint64_t length = 4096;
	uint32_t zero = 0;
	struct tree t;

	tree_start(&t, w->driver, object, method);
	tree_add(&t, 0, 0, 0);
	if (object == UVERBS_OBJECT_DM) {
		tree_in(&t, UVERBS_ATTR_ALLOC_DM_LENGTH, &length, 8);
		tree_in(&t, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, &zero, 4);
	}
	return tree_send(w->raw.fd, &t) ? NO_HANDLE : t.attr[0].data;
}

static inline void world_of_7(struct world *w)
{
	w->use[V7_OBJECT_DMAH] =
		world_make(w, V7_OBJECT_DMAH, V7_METHOD_DMAH_ALLOC);
	w->use[V7_OBJECT_COMP_CNTR] =
		world_make(w, V7_OBJECT_COMP_CNTR, V7_METHOD_COMP_CNTR_CREATE);
}

static inline int world_dmabuf(void)
{
	struct testdev_dmabuf_create create = { .size = 65536 };
	int fd = open("/dev/ofed_testdev", O_RDWR | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -1;
	ret = ioctl(fd, TESTDEV_DMABUF_CREATE, &create);
	close(fd);
	return ret ? -1 : create.fd;
}

/* The second one of a kind is the one to destroy. */
static inline void world_spares(struct world *w)
{
	struct rv_world second = w->raw;

	w->spare[UVERBS_OBJECT_PD] = rv_make_pd(&second) ? NO_HANDLE : second.pd;
	w->spare[UVERBS_OBJECT_CQ] = rv_make_cq(&second) ? NO_HANDLE : second.cq;
	if (rv_create_qp(&w->raw, RV_UD, ~0u, &w->spare[UVERBS_OBJECT_QP], NULL))
		w->spare[UVERBS_OBJECT_QP] = NO_HANDLE;
	if (!world_is_testdev(w))
		return;
	second = w->raw;
	w->spare[UVERBS_OBJECT_WQ] = rv_make_wq(&second) ? NO_HANDLE : second.wq;
}

static inline int world_more(struct world *w)
{
	struct rv_world *r = &w->raw;

	if (!world_is_testdev(w))
		return 0;
	if (rv_make_xrcd(r) || rv_make_raw(r) || rv_make_wq(r) ||
	    rv_make_table(r) || rv_make_flow(r))
		return -EIO;
	w->use[UVERBS_OBJECT_XRCD] = r->xrcd;
	w->use[UVERBS_OBJECT_WQ] = r->wq;
	w->use[UVERBS_OBJECT_RWQ_IND_TBL] = r->table;
	w->use[UVERBS_OBJECT_FLOW] = r->flow;
	w->use[UVERBS_OBJECT_DM] =
		world_make(w, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	w->use[UVERBS_OBJECT_COUNTERS] =
		world_make(w, UVERBS_OBJECT_COUNTERS,
			   UVERBS_METHOD_COUNTERS_CREATE);
	w->dmabuf = world_dmabuf();
	if (w->with_7)
		world_of_7(w);
	return 0;
}

/* Return: 0, or -EIO where a command failed that has to work. */
static inline int world_open(struct world *w)
{
	struct rv_world *r = &w->raw;

	for (int i = 0; i < V7_OBJECTS; i++)
		w->use[i] = w->spare[i] = NO_HANDLE;
	if (rv_make_context(r))
		return -EIO;
	if (rv_make_pd(r) || rv_make_channel(r) || rv_make_cq(r) ||
	    rv_make_mr(r) || rv_make_mw(r) || rv_make_ah(r) ||
	    rv_make_srq(r) || rv_make_rc(r))
		return -EIO;
	w->use[UVERBS_OBJECT_PD] = r->pd;
	w->use[UVERBS_OBJECT_CQ] = r->cq;
	w->use[UVERBS_OBJECT_QP] = r->rc;
	w->use[UVERBS_OBJECT_SRQ] = r->srq;
	w->use[UVERBS_OBJECT_AH] = r->ah;
	w->use[UVERBS_OBJECT_MR] = r->mr;
	w->use[UVERBS_OBJECT_MW] = r->mw;
	if (world_more(w))
		return -EIO;
	world_spares(w);
	for (int i = 0; i < V7_OBJECTS; i++)
		if (w->spare[i] == NO_HANDLE)
			w->spare[i] = w->use[i];
	return 0;
}

static inline void world_close(struct world *w)
{
	if (w->dmabuf >= 0)
		close(w->dmabuf);
	w->dmabuf = -1;
	close(w->raw.channel);
	rv_undo_context(&w->raw);
}

/* ---- well-formed trees ---- */

/* Pages that a device may have. */
static inline uint64_t world_memory(void)
{
	return (uintptr_t)(world_in + (1 << 16)) & ~4095ULL;
}

static inline uint64_t world_value(const struct ioctl_attr *a)
{
	return a->value == SPECIAL_ADDRESS ? world_memory() : a->value;
}

/* The value in memory, whatever its size. Return: where. */
static inline uint64_t value_in(const struct ioctl_attr *a, char *room)
{
	struct ib_uverbs_qp_cap cap = {
		.max_send_wr = 4, .max_recv_wr = 4,
		.max_send_sge = 1, .max_recv_sge = 1,
	};
	struct ib_uverbs_sge sge = { .addr = (uintptr_t)room, .length = 64 };
	struct v7_buffer buffer = {
		.type = 1, .addr = world_memory(), .length = 8192,
	};

	memset(room, 0, 256);
	if (a->value == SPECIAL_COMMAND)
		return (uintptr_t)room;
	if (a->len <= 8)
		memcpy(room, &(uint64_t){ world_value(a) }, 8);
	else if (a->value == SPECIAL_CAP)
		memcpy(room, &cap, sizeof(cap));
	else if (a->value == SPECIAL_SGE)
		memcpy(room, &sge, sizeof(sge));
	else if (a->value == SPECIAL_BUFFER)
		memcpy(room, &buffer, sizeof(buffer));
	return (uintptr_t)room;
}

static inline int world_fd(const struct world *w, const struct ioctl_attr *a)
{
	if (a->type == T_RAW_FD)
		return w->dmabuf;
	return a->kind == UVERBS_OBJECT_COMP_CHANNEL ? w->raw.channel :
		w->raw.async_fd;
}

static inline struct ib_uverbs_attr *world_attr(struct tree *t,
						const struct world *w,
						const struct ioctl_attr *a)
{
	struct ib_uverbs_attr *at = tree_add(t, a->id, a->len, world_value(a));

	switch (a->type) {
	case T_NEW:
	case T_NEW_FD:
		break;
	case T_USE:
		at->data = w->use[a->kind];
		break;
	case T_GONE:
		at->data = w->spare[a->kind];
		break;
	case T_FD:
	case T_RAW_FD:
		at->data_s64 = world_fd(w, a);
		break;
	case T_IN:
		if (a->len > 8)
			at->data = value_in(a, world_in);
		else if (a->value == SPECIAL_COMMAND)
			at->data = 0;
		break;
	case T_OUT:
		/* Each has a part of its own. */
		at->data = (uintptr_t)world_out;
		if (a->len <= ANSWER_ROOM)
			at->data += 2048 + (t->hdr.num_attrs - 1) * ANSWER_ROOM;
		break;
	}
	return at;
}

static inline void world_tree(struct tree *t, const struct world *w,
			      const struct ioctl_method *m)
{
	tree_start(t, w->driver, m->object, m->method);
	for (const struct ioctl_attr *a = m->attr; a->name; a++)
		if (a->use != LEFT)
			world_attr(t, w, a);
}

/* ---- what there is ---- */

/*
 * How many handles of each kind the file has; an error counts as a number. The
 * lowest free descriptor comes along: one that was lost shows there.
 */
struct census {
	int count[V7_OBJECTS];
	int lowest;
};

static inline void world_count(const struct world *w, struct census *c)
{
	struct tree t;

	for (int i = 1; i < V7_OBJECTS; i++) {
		uint32_t total = 0, list[64];
		uint64_t kind = i;
		int ret;

		tree_start(&t, w->driver, UVERBS_OBJECT_DEVICE,
			   UVERBS_METHOD_INFO_HANDLES);
		tree_in(&t, UVERBS_ATTR_INFO_OBJECT_ID, &kind, 8);
		tree_out(&t, UVERBS_ATTR_INFO_TOTAL_HANDLES, &total, 4);
		tree_out(&t, UVERBS_ATTR_INFO_HANDLES_LIST, list, sizeof(list));
		ret = tree_send(w->raw.fd, &t);
		c->count[i] = ret ? ret : (int)total;
	}
	c->lowest = dup(w->raw.fd);
	close(c->lowest);
}

/* Return: the kind that differs, 0 for descriptors, -1 for none. */
static inline int census_differs(const struct census *a, const struct census *b)
{
	for (int i = 1; i < V7_OBJECTS; i++)
		if (a->count[i] != b->count[i])
			return i;
	return a->lowest == b->lowest ? -1 : 0;
}

#endif /* IOCTL_WORLD_H */

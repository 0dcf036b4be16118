/* SPDX-License-Identifier: GPL-2.0 */
/* A case of badioctl: a client of its own, a call, and what the client has after it. */
#ifndef IOCTL_CASE_H
#define IOCTL_CASE_H

#include "ioctl_world.h"

static struct world w;
static struct tree t;
static struct census before;
static const char *method_name;
static int copy = -1;	/* of a descriptor; the case's own */
static int wrong;

static inline void need(int ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(ret < 0 ? -ret : ret));
	exit(2);
}

static const char *name_of(int err)
{
	return err ? strerrorname_np(err) : "0";
}

/* GET_CONTEXT wants a file that has none. */
static inline bool before_context(const struct ioctl_method *m)
{
	return m->object == UVERBS_OBJECT_DEVICE &&
		m->method == UVERBS_METHOD_GET_CONTEXT;
}

static inline void begin(const struct ioctl_method *m)
{
	if (before_context(m)) {
		w.raw.fd = open(w.raw.dev.node, O_RDWR | O_CLOEXEC);
		w.raw.async_fd = w.raw.channel = -1;
	} else {
		need(world_open(&w), "objects");
	}
	world_count(&w, &before);
	/* Two PDs; a count that fails would never differ. */
	need(before.count[UVERBS_OBJECT_PD] != (before_context(m) ? 0 : 2),
	     "the number of PDs");
	world_tree(&t, &w, m);
	method_name = m->name;
}

static inline void tell(const char *attr, const char *what, int err)
{
	struct census after;
	int kind = -1;

	if (err) {
		world_count(&w, &after);
		kind = census_differs(&before, &after);
	}
	printf("%s%s%s %s: %s", method_name, *attr ? " " : "", attr, what,
	       name_of(err));
	if (kind >= 0) {
		printf(" STATE CHANGED (%s %d)", kind ? "object" : "descriptors",
		       kind);
		wrong = 1;
	}
	printf("\n");
	if (copy >= 0)
		close(copy);
	copy = -1;
	world_close(&w);
}

/* A tree that the case sends itself has no descriptor to give back. */
static inline int sent(void)
{
	struct ib_uverbs_attr *made = tree_find(&t, 0);
	int err = -tree_send(w.raw.fd, &t);

	if (!err && made && (t.hdr.object_id == UVERBS_OBJECT_ASYNC_EVENT ||
			     t.hdr.object_id == V7_OBJECT_DMABUF))
		close(made->data);
	return err;
}

#define CASE(m, attr, what, ...) do {					\
	begin(m);							\
	__VA_ARGS__;							\
	tell(attr, what, sent());					\
} while (0)

static inline const struct ioctl_method *method_of(uint16_t object, uint16_t method)
{
	for (size_t i = 0; i < METHODS; i++)
		if (ioctl_methods[i].object == object &&
		    ioctl_methods[i].method == method)
			return &ioctl_methods[i];
	abort();
}

#endif /* IOCTL_CASE_H */

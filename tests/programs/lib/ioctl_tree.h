/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RDMA_VERBS_IOCTL without a library: a tree is a header and its attributes.
 * What a tree's attributes mean is in ioctl_methods.h.
 */
#ifndef IOCTL_TREE_H
#define IOCTL_TREE_H

#include <sys/ioctl.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "raw_command.h"

#define TREE_ATTRS 48

struct tree {
	union {
		struct ib_uverbs_ioctl_hdr hdr;
		struct {
			char head[sizeof(struct ib_uverbs_ioctl_hdr)];
			struct ib_uverbs_attr attr[TREE_ATTRS];
		};
	};
};

/* The kernel compares the driver; a name tells it as well as netlink would. */
static inline uint32_t tree_driver(const char *device)
{
	return !strncmp(device, "testdev", 7) ? 0x7e57 : 14;
}

static inline void tree_fit(struct tree *t)
{
	t->hdr.length = sizeof(t->hdr) + t->hdr.num_attrs * sizeof(t->attr[0]);
}

static inline void tree_start(struct tree *t, uint32_t driver, uint16_t object,
			      uint16_t method)
{
	memset(t, 0, sizeof(*t));
	t->hdr.driver_id = driver;
	t->hdr.object_id = object;
	t->hdr.method_id = method;
	tree_fit(t);
}

static inline struct ib_uverbs_attr *tree_add(struct tree *t, uint16_t id,
					      uint16_t len, uint64_t data)
{
	struct ib_uverbs_attr *a = &t->attr[t->hdr.num_attrs++];

	a->attr_id = id;
	a->flags = UVERBS_ATTR_F_MANDATORY;
	a->len = len;
	a->data = data;
	tree_fit(t);
	return a;
}

/* Up to eight bytes lie in the attribute, more are pointed at. */
static inline struct ib_uverbs_attr *tree_in(struct tree *t, uint16_t id,
					     const void *value, uint16_t len)
{
	struct ib_uverbs_attr *a = tree_add(t, id, len, (uintptr_t)value);

	if (len <= 8) {
		a->data = 0;
		memcpy(&a->data, value, len);
	}
	return a;
}

static inline struct ib_uverbs_attr *tree_out(struct tree *t, uint16_t id,
					      void *value, uint16_t len)
{
	return tree_add(t, id, len, (uintptr_t)value);
}

static inline struct ib_uverbs_attr *tree_find(struct tree *t, uint16_t id)
{
	for (int i = 0; i < t->hdr.num_attrs; i++)
		if (t->attr[i].attr_id == id)
			return &t->attr[i];
	return NULL;
}

static inline void tree_drop(struct tree *t, uint16_t id)
{
	struct ib_uverbs_attr *a = tree_find(t, id);

	if (!a)
		return;
	memmove(a, a + 1, (char *)&t->attr[TREE_ATTRS] - (char *)(a + 1));
	t->hdr.num_attrs--;
	tree_fit(t);
}

/* Return: 0 or a negative errno. */
static inline int tree_send(int fd, struct tree *t)
{
	return ioctl(fd, RDMA_VERBS_IOCTL, t) ? -errno : 0;
}

#endif /* IOCTL_TREE_H */

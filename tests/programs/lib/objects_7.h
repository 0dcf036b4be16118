/* SPDX-License-Identifier: GPL-2.0 */
/* What the steps of ioctl_objects_7 share: a world, a tree that is sent, and lines of a list. */
#ifndef OBJECTS_7_H
#define OBJECTS_7_H

#include "ioctl_world.h"
#include "testdev_hooks.h"

static struct world w;
static struct tree t;

/* One line of the list: an errno, or what a call has answered. */
static inline int told(const char *text, int ret)
{
	const char *name = ret < 0 ? strerrorname_np(-ret) : "0";

	printf("%s: %s\n", text, name ? name : "?");
	return ret;
}

static inline void value(const char *text, uint64_t v)
{
	printf("%s = %#llx\n", text, (long long)v);
}

static inline void start_7(uint16_t object, uint16_t method)
{
	for (size_t i = 0; i < METHODS_7; i++)
		if (methods_7[i].object == object && methods_7[i].method == method) {
			world_tree(&t, &w, &methods_7[i]);
			return;
		}
	for (size_t i = 0; i < METHODS; i++)
		if (ioctl_methods[i].object == object && ioctl_methods[i].method == method)
			world_tree(&t, &w, &ioctl_methods[i]);
}

#define START_7(o, n) start_7(V7_OBJECT_##o, V7_METHOD_##n)
#define START_OLD(o, n) start_7(UVERBS_OBJECT_##o, V7_METHOD_##n)
#define START(o, n) start_7(UVERBS_OBJECT_##o, UVERBS_METHOD_##n)

/* A value of up to eight bytes, or a handle (length 0), in place of the one that is there. */
static inline void give(uint16_t id, uint16_t len, uint64_t v)
{
	struct ib_uverbs_attr *a = tree_find(&t, id);

	if (!a)
		a = tree_add(&t, id, len, v);
	a->len = len;
	a->data = v;
}

static inline void give_buffer(uint16_t id, const struct v7_buffer *buffer)
{
	give(id, sizeof(*buffer), (uintptr_t)buffer);
}

/* What was answered. */
static inline uint64_t got(uint16_t id)
{
	struct ib_uverbs_attr *a = tree_find(&t, id);
	uint64_t v = 0;

	memcpy(&v, (void *)(uintptr_t)a->data, a->len);
	return v;
}

static inline int send_7(const char *text)
{
	return told(text, tree_send(w.raw.fd, &t));
}

/* The handle that was made, or one that is none. */
static inline uint32_t made(const char *text)
{
	return send_7(text) ? NO_HANDLE : t.attr[0].data;
}

static inline void gone(const char *text, uint16_t object, uint16_t method, uint32_t handle)
{
	tree_start(&t, w.driver, object, method);
	tree_add(&t, 0, 0, handle);
	send_7(text);
}

static inline void ctl(const char *line)
{
	int fd = open("/sys/kernel/debug/ofed_testdev/ctl", O_WRONLY);

	told(line, write(fd, line, strlen(line)) < 0 ? -errno : 0);
	close(fd);
}

#endif /* OBJECTS_7_H */

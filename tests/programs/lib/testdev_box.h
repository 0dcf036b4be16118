/* SPDX-License-Identifier: GPL-2.0 */
/* Calls of the driver's own objects of ofed_testdev: boxes, bells and tools. */
#ifndef TESTDEV_BOX_H
#define TESTDEV_BOX_H

#include "ioctl_tree.h"
#include "raw_verbs.h"
#include "testdev_hooks.h"

static struct rv_world w;

static inline void start(struct tree *t, uint16_t object, uint16_t method)
{
	tree_start(t, tree_driver(device), object, method);
}

#define BOX(t, n) start(t, TESTDEV_OBJECT_BOX, TESTDEV_METHOD_BOX_##n)
#define BOX_IN(t, n, v) tree_in(t, TESTDEV_ATTR_BOX_CREATE_##n, &(v), sizeof(v))

/* What a creation needs; more may be added. */
static inline void box_tree(struct tree *t, const char *text, uint64_t kind,
			    uint32_t *number)
{
	BOX(t, CREATE);
	tree_add(t, TESTDEV_ATTR_BOX_CREATE_HANDLE, 0, 0);
	tree_in(t, TESTDEV_ATTR_BOX_CREATE_TEXT, text, strlen(text));
	BOX_IN(t, KIND, kind);
	tree_out(t, TESTDEV_ATTR_BOX_CREATE_RESP_NUMBER, number,
		 sizeof(*number));
}

static inline int box_create(const char *text, uint32_t *handle)
{
	uint32_t number = 0;
	struct tree t;
	int ret;

	box_tree(&t, text, TESTDEV_BOX_WOOD, &number);
	ret = tree_send(w.fd, &t);
	*handle = t.attr[0].data;
	return ret ? ret : number ? 0 : -ENODATA;
}

static inline int box_destroy(uint32_t handle)
{
	struct tree t;

	BOX(&t, DESTROY);
	tree_add(&t, TESTDEV_ATTR_BOX_DESTROY_HANDLE, 0, handle);
	return tree_send(w.fd, &t);
}

static inline int box_query(uint32_t handle, void *info, size_t len, char *text,
			    size_t text_len)
{
	struct tree t;

	BOX(&t, QUERY);
	tree_add(&t, TESTDEV_ATTR_BOX_QUERY_HANDLE, 0, handle);
	tree_out(&t, TESTDEV_ATTR_BOX_QUERY_RESP, info, len);
	if (text)
		tree_out(&t, TESTDEV_ATTR_BOX_QUERY_TEXT, text, text_len);
	return tree_send(w.fd, &t);
}

static inline int box_shape(uint32_t handle, uint8_t shape, const void *value,
			    size_t len)
{
	struct tree t;

	BOX(&t, SHAPE);
	tree_add(&t, TESTDEV_ATTR_BOX_SHAPE_HANDLE, 0, handle);
	tree_in(&t, TESTDEV_ATTR_BOX_SHAPE, value, len)
		->attr_data.enum_data.elem_id = shape;
	return tree_send(w.fd, &t);
}

static inline int box_pack(uint32_t handle, const uint32_t *pds, size_t len,
			   uint64_t *sum)
{
	struct tree t;

	BOX(&t, PACK);
	tree_add(&t, TESTDEV_ATTR_BOX_PACK_HANDLE, 0, handle);
	if (pds)
		tree_in(&t, TESTDEV_ATTR_BOX_PACK_PDS, pds, len);
	tree_out(&t, TESTDEV_ATTR_BOX_PACK_RESP_SUM, sum, sizeof(*sum));
	return tree_send(w.fd, &t);
}

static inline int bell_open(void)
{
	struct tree t;
	int ret;

	start(&t, TESTDEV_OBJECT_BELL, TESTDEV_METHOD_BELL_OPEN);
	tree_add(&t, TESTDEV_ATTR_BELL_OPEN_FD, 0, 0);
	ret = tree_send(w.fd, &t);
	return ret ? ret : t.attr[0].data_s64;
}

static inline int bell_ring(int64_t fd, uint32_t times)
{
	struct tree t;

	start(&t, TESTDEV_OBJECT_BELL, TESTDEV_METHOD_BELL_RING);
	tree_add(&t, TESTDEV_ATTR_BELL_RING_FD, 0, 0)->data_s64 = fd;
	tree_in(&t, TESTDEV_ATTR_BELL_RING_TIMES, &times, sizeof(times));
	return tree_send(w.fd, &t);
}

/* Handles of a kind that the file has, by the core's own count. */
static inline int handles_of(uint64_t object)
{
	uint32_t total = 0, list[64];
	struct tree t;
	int ret;

	start(&t, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	tree_in(&t, UVERBS_ATTR_INFO_OBJECT_ID, &object, sizeof(object));
	tree_out(&t, UVERBS_ATTR_INFO_TOTAL_HANDLES, &total, sizeof(total));
	tree_out(&t, UVERBS_ATTR_INFO_HANDLES_LIST, list, sizeof(list));
	ret = tree_send(w.fd, &t);
	return ret ? ret : (int)total;
}

static inline int echo(const char *text, size_t len, uint32_t times, void *answer,
		       size_t room)
{
	struct tree t;

	start(&t, TESTDEV_OBJECT_TOOLS, TESTDEV_METHOD_TOOLS_ECHO);
	tree_in(&t, TESTDEV_ATTR_ECHO_TEXT, text, len);
	tree_in(&t, TESTDEV_ATTR_ECHO_TIMES, &times, sizeof(times));
	tree_out(&t, TESTDEV_ATTR_ECHO_RESP, answer, room);
	return tree_send(w.fd, &t);
}

static inline int name_of(uint32_t handle, uint32_t *object)
{
	struct tree t;

	start(&t, TESTDEV_OBJECT_TOOLS, TESTDEV_METHOD_TOOLS_NAME);
	tree_add(&t, TESTDEV_ATTR_NAME_HANDLE, 0, handle);
	tree_out(&t, TESTDEV_ATTR_NAME_RESP, object, sizeof(*object));
	return tree_send(w.fd, &t);
}

#endif /* TESTDEV_BOX_H */

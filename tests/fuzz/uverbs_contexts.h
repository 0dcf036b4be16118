/* SPDX-License-Identifier: GPL-2.0 */
/* Two contexts of uverbs, each opened when it is needed; behind ioctl_fuzz_tree.h. */
#ifndef UVERBS_CONTEXTS_H
#define UVERBS_CONTEXTS_H

#include <ofed/ofed_user_verbs.h>

#include "choice.h"
#include "op.h"
#include "setup.h"

#define CONTEXTS	2

static struct context contexts[CONTEXTS];
static struct beside besides[CONTEXTS];
static bool of_peer[CONTEXTS];
/* The next one is opened by a library that knows tags; and which are. */
static bool want_tags, knows_tags[CONTEXTS];
static struct worker worker;
static struct ofed_doorbell_page *doorbells;

static char *room(uint32_t size, int prot)
{
	char *at = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	world_keep_room(at, size);
	return at;
}

static void ready(void)
{
	if (arena)
		return;
	arena = world_pages;
	read_only = room(4096, PROT_READ);
	worker.t.edge = room(2 * 4096, PROT_READ | PROT_WRITE);
	mprotect(worker.t.edge + 4096, 4096, PROT_NONE);
	worker.t.response = room(ROOM, PROT_READ | PROT_WRITE);
	worker.in = room(ROOM, PROT_READ | PROT_WRITE);
	worker.dmabuf = -1;
	snprintf(dev.node, sizeof(dev.node), "%s", setup_device.node);
	dev.ethernet = setup_device.ethernet;
	memcpy(dev.gid, setup_device.gid, 16);
	driver_id = setup_device.driver_id;
	xrc_file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < CONTEXTS; i++) {
		atomic_store(&contexts[i].fd, -1);
		atomic_store(&contexts[i].async_fd, -1);
		for (int j = 0; j < CHANNELS; j++)
			atomic_store(&contexts[i].channel[j], -1);
		for (int j = 0; j < 2 * BELLS; j++)
			atomic_store(&besides[i].fd[j / BELLS][j % BELLS], -1);
	}
}

/* Its handles mean nothing in the next one. */
static void drop(struct context *ctx)
{
	struct beside *b = &besides[ctx - contexts];

	close(atomic_exchange(&ctx->fd, -1));
	for (int i = 0; i < KINDS; i++)
		atomic_store(&ctx->next[i], 0);
	for (int i = 0; i <= OBJECTS; i++)
		atomic_store(&b->next[i], 0);
}

static void open_by_ioctl(struct context *ctx)
{
	struct tree t;

	tree_start(&t, driver_id, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	tree_out(&t, UVERBS_ATTR_UHW_OUT, worker.t.response, ANSWER_ROOM);
	tree_send(ctx->fd, &t);
	tree_start(&t, driver_id, UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	tree_add(&t, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	if (!tree_send(ctx->fd, &t))
		atomic_store(&ctx->async_fd, (int)t.attr[0].data_s64);
}

static void open_by_write(struct context *ctx)
{
	struct ib_uverbs_get_context cmd = {};
	struct ib_uverbs_get_context_resp resp = {};

	if (!RV(ctx->fd, GET_CONTEXT, cmd, resp))
		atomic_store(&ctx->async_fd, (int)resp.async_fd);
}

/* As libofed does: a page of doorbells, where the device has such. */
static void open_as_libofed(struct context *ctx)
{
	struct {
		struct ib_uverbs_get_context core;
		struct ofed_context_req ofed;
	} cmd = { .ofed.version = want_tags ? OFED_USER_VERBS_VERSION :
				  choice(8) ? choice(4) : choice_odd() };
	struct {
		struct ib_uverbs_get_context_resp core;
		struct ofed_context_resp ofed;
	} resp = {};
	char *at;

	if (!choice(8))
		cmd.ofed.reserved = choice_odd();
	cmd.core.response = (uintptr_t)&resp;
	if (rv_write(ctx->fd, IB_USER_VERBS_CMD_GET_CONTEXT, &cmd, sizeof(cmd), sizeof(resp)))
		return;
	atomic_store(&ctx->async_fd, (int)resp.core.async_fd);
	feature(F_STATE + 36, resp.ofed.features);
	knows_tags[ctx - contexts] = resp.ofed.features & OFED_FEATURE_TAG_MATCHING;
	if (!resp.ofed.doorbell_bytes)
		return;
	world_keep_offset(resp.ofed.doorbell_offset, resp.ofed.doorbell_bytes);
	at = mmap(NULL, resp.ofed.doorbell_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ctx->fd,
		  resp.ofed.doorbell_offset);
	feature(F_STATE + 37, at == MAP_FAILED);
	if (at == MAP_FAILED)
		return;
	world_keep_map(at, resp.ofed.doorbell_bytes);
	doorbells = (void *)at;
}

/* The second one may be of the device at the other end of the wire. */
static void open_context(struct context *ctx)
{
	bool *peers = &of_peer[ctx - contexts];
	uint32_t way = want_tags ? 0 : choice(10);

	knows_tags[ctx - contexts] = false;
	*peers = ctx != contexts && setup_device.peer_node[0] && choice(3);
	atomic_store(&ctx->fd, open(*peers ? setup_device.peer_node : dev.node,
				    O_RDWR | O_CLOEXEC));
	if (*peers)
		feature(F_STATE + 35, ctx->fd < 0);
	if (way < 2)
		open_as_libofed(ctx);
	else if (way < 9)
		open_by_write(ctx);
	else
		open_by_ioctl(ctx);
	fcntl(ctx->async_fd, F_SETFL, O_NONBLOCK);
	world_keep_fd(ctx->async_fd);
	world_keep_fd(dup(ctx->fd));
}

/* Opened when it is needed. */
static struct thread *turn_of(int i)
{
	ready();
	worker.t.ctx = &contexts[i];
	worker.beside = &besides[i];
	if (atomic_load(&contexts[i].fd) < 0)
		open_context(&contexts[i]);
	return &worker.t;
}

/* The first one, mostly. */
static struct thread *turn(void)
{
	return turn_of(!choice(10));
}

#endif /* UVERBS_CONTEXTS_H */

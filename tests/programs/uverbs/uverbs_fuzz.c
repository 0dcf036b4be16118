// SPDX-License-Identifier: GPL-2.0
/*
 * Random and mutated write() commands on a uverbs device, from several threads
 * that share contexts. Six of ten are valid as far as one can be while others
 * destroy what it names; the rest is bent somewhere.
 *
 * usage: uverbs_fuzz -d DEVICE [-n COMMANDS] [-s SEED] [-t THREADS] [-w] [-c]
 *   -w  the device comes and goes: wait for it and open it again
 *   -c  fail unless each kind of command succeeded at least once
 *
 * It does not judge errors: the kernel's silence and, afterwards, its counts
 * are the test. A response pointer gone wild may hit the program itself, so the
 * work is done by a child, which is started again (with the next seed) if it
 * dies of that. Killing the parent kills the child.
 */
#include <poll.h>

#include "fuzz_message.h"

#define CONTEXTS 3

/* What all threads and both processes see. */
struct shared {
	atomic_long left;
	atomic_long good[COMMANDS], bad[COMMANDS];
	atomic_long restarts;
};

static struct shared *shared;
static struct context contexts[CONTEXTS];
static const char *device;
static bool comes_and_goes;

/* ---- contexts ---- */

static void context_close(struct context *ctx)
{
	int i;

	for (i = 0; i < CHANNELS; i++)
		close(atomic_exchange(&ctx->channel[i], -1));
	close(atomic_exchange(&ctx->async_fd, -1));
	close(atomic_exchange(&ctx->fd, -1));
	/* Its handles mean nothing in the next one. */
	for (i = 0; i < KINDS; i++)
		atomic_store(&ctx->next[i], 0);
}

/* One good context; what the fuzz adds to it is its own affair. */
static bool context_open(struct context *ctx)
{
	struct ib_uverbs_get_context cmd = {};
	struct ib_uverbs_get_context_resp resp = {};
	int fd;

	if (rv_find(device, &dev))
		return false;
	fd = open(dev.node, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (RV(fd, GET_CONTEXT, cmd, resp)) {
		close(fd);
		return false;
	}
	atomic_fetch_add(&shared->good[0], 1);
	fcntl(resp.async_fd, F_SETFL, O_NONBLOCK);
	atomic_store(&ctx->async_fd, (int)resp.async_fd);
	atomic_store(&ctx->fd, fd);
	return true;
}

/* Return: false when the device stays away. */
static bool context_renew(struct context *ctx)
{
	bool done = false;
	int i;

	pthread_mutex_lock(&ctx->lock);
	context_close(ctx);
	for (i = 0; !done && i < 3000; i++) {
		done = context_open(ctx);
		if (!done && !comes_and_goes)
			break;
		if (!done)
			usleep(10000);
	}
	pthread_mutex_unlock(&ctx->lock);
	return done;
}

/* ---- running ---- */

static void note_channel(struct thread *t)
{
	uint32_t at = atomic_fetch_add(&t->ctx->next_channel, 1) % CHANNELS;
	int fd;

	memcpy(&fd, t->response, 4);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	fd = atomic_exchange(&t->ctx->channel[at], fd);
	if (fd >= 0)
		close(fd);
}

/* Both kinds of creation have the same start of command and of answer. */
static void note_qp(struct thread *t, const char *body)
{
	const struct ib_uverbs_create_qp_resp *resp = (void *)t->response;
	uint32_t pd;
	uint8_t type;

	memcpy(&pd, body + offsetof(struct ib_uverbs_ex_create_qp, pd_handle),
	       4);
	type = body[offsetof(struct ib_uverbs_ex_create_qp, qp_type)];
	if (type == RV_XRC_TGT) {
		atomic_store(&t->ctx->target, resp->qpn);
		atomic_store(&t->ctx->target_xrcd, pd);
	}
	walk(t, resp->qp_handle, type);
}

/* What a valid command that succeeded has changed. */
static void note(struct thread *t, const struct command *c, const char *body)
{
	uint32_t handle;

	if (!c->extended && c->number == IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL)
		note_channel(t);
	if (c->makes) {
		memcpy(&handle, t->response + c->made, 4);
		remember(t, c->makes, handle);
	}
	if (c->takes) {
		memcpy(&handle, body + c->field[0].offset, 4);
		forget(t, c->takes, handle);
	}
	/* The legacy struct has the response pointer in front. */
	if (c->special == QP_TYPES)
		note_qp(t, c->extended ? body : body + 8);
}

/* Creation is more frequent than destruction, or nothing would be found. */
static const struct command *pick_command(struct thread *t)
{
	const struct command *c = &commands[below(t, COMMANDS)];

	while (c->takes && chance(t, 60))
		c = &commands[below(t, COMMANDS)];
	if (chance(t, 15))
		while (c->makes != PD && c->makes != CQ && c->makes != QP &&
		       c->makes != XRCD)
			c = &commands[below(t, COMMANDS)];
	return c;
}

/* Return: negative errno, or 0. */
static int one_command(struct thread *t)
{
	const struct command *c = pick_command(t);
	char message[MESSAGE + 64];
	size_t length = compose(t, c, message);
	bool valid = chance(t, 60);
	char *from = message;
	ssize_t ret;

	if (!valid)
		length = bend(t, c, message, length);
	/* At the end of memory a byte too many is a fault. */
	if (chance(t, 30) && length <= 4096) {
		from = t->edge + 4096 - length;
		memcpy(from, message, length);
	}
	ret = write(atomic_load(&t->ctx->fd), from, length);
	if (ret < 0) {
		atomic_fetch_add(&shared->bad[c - commands], 1);
		return -errno;
	}
	atomic_fetch_add(&shared->good[c - commands], 1);
	if (valid)
		note(t, c, message + (c->extended ? 24 : 8));
	return 0;
}

static void other_things(struct thread *t)
{
	struct context *ctx = t->ctx;
	char event[32];
	void *page;

	switch (below(t, 4)) {
	case 0:
		(void)!read(atomic_load(&ctx->async_fd), event, sizeof(event));
		break;
	case 1:
		(void)!read(atomic_load(&ctx->channel[below(t, CHANNELS)]),
			    event, 8);
		break;
	case 2:
		page = mmap(NULL, 4096 << below(t, 2), PROT_READ | PROT_WRITE,
			    chance(t, 90) ? MAP_SHARED : MAP_PRIVATE,
			    atomic_load(&ctx->fd), below(t, 64) * 4096);
		if (page != MAP_FAILED)
			munmap(page, 4096 << below(t, 2));
		break;
	case 3: {
		struct pollfd p = { atomic_load(&ctx->async_fd), POLLIN, 0 };

		poll(&p, 1, 0);
		break;
	}
	}
}

static void *run(void *arg)
{
	struct thread *t = arg;
	int ret;

	while (atomic_fetch_sub(&shared->left, 1) > 0) {
		t->ctx = &contexts[below(t, CONTEXTS)];
		ret = one_command(t);
		if (chance(t, 10))
			other_things(t);
		if ((ret == -EIO && comes_and_goes) || ret == -EBADF ||
		    below(t, 1000) == 0) {
			if (!context_renew(t->ctx) && comes_and_goes) {
				fprintf(stderr, "the device stays away\n");
				exit(3);
			}
		}
	}
	return NULL;
}

static int child(uint64_t seed, int threads)
{
	struct thread *t = calloc(threads, sizeof(*t));
	pthread_t *ids = calloc(threads, sizeof(*ids));
	int i;

	for (i = 0; i < CONTEXTS; i++) {
		struct context *ctx = &contexts[i];
		int j;

		pthread_mutex_init(&ctx->lock, NULL);
		atomic_store(&ctx->fd, -1);
		atomic_store(&ctx->async_fd, -1);
		for (j = 0; j < CHANNELS; j++)
			atomic_store(&ctx->channel[j], -1);
		if (!context_renew(ctx)) {
			fprintf(stderr, "cannot open %s\n", device);
			return 2;
		}
	}
	for (i = 0; i < threads; i++) {
		thread_init(&t[i], seed, i, 4096);
		pthread_create(&ids[i], NULL, run, &t[i]);
	}
	for (i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	/* No clean-up: the kernel's, at exit, is part of the test. */
	return 0;
}

/* Return: number of commands that never succeeded. */
static int summary(void)
{
	long good = 0, bad = 0;
	int never = 0;
	size_t i;

	for (i = 0; i < COMMANDS; i++) {
		long g = atomic_load(&shared->good[i]);
		long b = atomic_load(&shared->bad[i]);

		printf("%-24s %8ld %8ld%s\n", commands[i].name, g, b,
		       g ? "" : "  never succeeded");
		never += !g;
		good += g;
		bad += b;
	}
	printf("%ld commands, %ld succeeded, %d kinds never did, %ld restarts\n",
	       good + bad, good, never, atomic_load(&shared->restarts));
	return never;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: uverbs_fuzz -d DEVICE [-n COMMANDS] [-s SEED] [-t THREADS] [-w] [-c]\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct plan plan = { .seed = time(NULL), .count = 10000, .threads = 4 };
	char name[] = "/tmp/fuzz.XXXXXX";
	int option;

	while ((option = getopt(argc, argv, "d:n:s:t:wc")) != -1) {
		if (option == 'd')
			device = optarg;
		else if (option == 'w')
			comes_and_goes = true;
		else if (!plan_option(&plan, option))
			return usage();
	}
	if (!device || optind != argc)
		return usage();

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	read_only = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	xrc_file = mkstemp(name);
	unlink(name);
	return plan_run(&plan, &shared->left, &shared->restarts, child, summary);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Random and mutated ioctl() calls on a uverbs device: every method of every
 * object, and every write() command inside INVOKE_WRITE, from several threads
 * and processes that share contexts. Half of it is valid as far as one can be
 * while others destroy what it names; the rest is bent in a field, in a value or
 * in which attributes it has.
 *
 * usage: ioctl_fuzz -d DEVICE [-n CALLS] [-s SEED] [-t THREADS] [-w] [-c]
 *   -w  the device comes and goes: wait for it and open it again
 *   -c  fail unless each method succeeded at least once
 *
 * It does not judge errors: the kernel's silence and, afterwards, its counts are
 * the test. An answer gone wild may hit the program itself, so a child does the
 * work, and the next one has the next seed.
 */
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "ioctl_fuzz_tree.h"

#define CONTEXTS	2
#define ALL_METHODS	(METHODS + DRIVER_METHODS)
#define ALL		(ALL_METHODS + COMMANDS)

/* What all threads and processes see. */
static struct shared {
	atomic_long left;
	atomic_long good[ALL], bad[ALL];
	atomic_long restarts, forks;
} *shared;

static struct context contexts[CONTEXTS];
static struct beside besides[CONTEXTS];
static const char *device;
static bool comes_and_goes, testdev;

static const struct ioctl_method *method_at(size_t i)
{
	return i < METHODS ? &ioctl_methods[i] : &driver_methods[i - METHODS];
}

static const char *name_at(size_t i)
{
	return i < ALL_METHODS ? method_at(i)->name :
		commands[i - ALL_METHODS].name;
}

static size_t index_of(uint16_t object, uint16_t method)
{
	size_t i = 0;

	while (ioctl_methods[i].object != object ||
	       ioctl_methods[i].method != method)
		i++;
	return i;
}

static void counted(size_t i, int ret)
{
	atomic_fetch_add(ret ? &shared->bad[i] : &shared->good[i], 1);
}

/* ---- contexts ---- */

static void context_close(struct context *ctx)
{
	struct beside *b = &besides[ctx - contexts];

	for (int i = 0; i < CHANNELS; i++)
		close(atomic_exchange(&ctx->channel[i], -1));
	for (int i = 0; i < 2 * BELLS; i++)
		close(atomic_exchange(&b->fd[i / BELLS][i % BELLS], -1));
	close(atomic_exchange(&ctx->async_fd, -1));
	close(atomic_exchange(&ctx->fd, -1));
	/* Its handles mean nothing in the next one. */
	for (int i = 0; i < KINDS; i++)
		atomic_store(&ctx->next[i], 0);
	for (int i = 0; i <= OBJECTS; i++)
		atomic_store(&b->next[i], 0);
}

/* Return: the descriptor of its events, or negative. */
static int context_by_ioctl(int fd)
{
	char driver[ANSWER_ROOM];
	struct tree t;
	int ret;

	tree_start(&t, driver_id, UVERBS_OBJECT_DEVICE,
		   UVERBS_METHOD_GET_CONTEXT);
	tree_out(&t, UVERBS_ATTR_UHW_OUT, driver, sizeof(driver));
	ret = tree_send(fd, &t);
	counted(index_of(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT), ret);
	if (ret)
		return ret;
	tree_start(&t, driver_id, UVERBS_OBJECT_ASYNC_EVENT,
		   UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	tree_add(&t, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	ret = tree_send(fd, &t);
	return ret ? ret : t.attr[0].data_s64;
}

static int context_by_write(int fd)
{
	struct ib_uverbs_get_context cmd = {};
	struct ib_uverbs_get_context_resp resp = {};
	int ret = RV(fd, GET_CONTEXT, cmd, resp);

	counted(ALL_METHODS, ret);
	return ret ? ret : (int)resp.async_fd;
}

static bool context_open(struct context *ctx)
{
	static atomic_uint turn;
	int fd, async_fd;

	if (rv_find(device, &dev))
		return false;
	fd = open(dev.node, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	async_fd = atomic_fetch_add(&turn, 1) % 2 ? context_by_ioctl(fd) :
		context_by_write(fd);
	if (async_fd < 0) {
		close(fd);
		return false;
	}
	fcntl(async_fd, F_SETFL, O_NONBLOCK);
	atomic_store(&ctx->async_fd, async_fd);
	atomic_store(&ctx->fd, fd);
	return true;
}

/* Return: false when the device stays away. */
static bool context_renew(struct context *ctx)
{
	bool done = false;

	pthread_mutex_lock(&ctx->lock);
	context_close(ctx);
	for (int i = 0; !done && i < 3000; i++) {
		done = context_open(ctx);
		if (!done && !comes_and_goes)
			break;
		if (!done)
			usleep(10000);
	}
	pthread_mutex_unlock(&ctx->lock);
	return done;
}

/* ---- what a call that succeeded has changed ---- */

static void note_method(struct worker *k, const struct ioctl_method *m,
			struct tree *t)
{
	const struct ioctl_attr *first = m->attr;
	struct ib_uverbs_attr *at;

	if (first->type != T_NEW && first->type != T_NEW_FD &&
	    first->type != T_GONE)
		return;
	at = tree_find(t, first->id);
	if (first->type == T_NEW)
		object_keep(k, first->kind, at->data);
	else if (first->type == T_NEW_FD)
		fd_keep(k, first->kind, at->data_s64);
	else
		object_forget(k, first->kind, at->data);
	if (first->type == T_NEW && m->object == UVERBS_OBJECT_QP)
		walk(&k->t, at->data,
		     tree_find(t, UVERBS_ATTR_CREATE_QP_TYPE)->data);
}

static void note_channel(struct worker *k)
{
	struct context *ctx = k->t.ctx;
	uint32_t at = atomic_fetch_add(&ctx->next_channel, 1) % CHANNELS;
	int fd;

	memcpy(&fd, k->t.response, 4);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	fd = atomic_exchange(&ctx->channel[at], fd);
	if (fd >= 0)
		close(fd);
}

/* Both kinds of creation have the same start of command and of answer. */
static void note_qp(struct worker *k, const char *body)
{
	const struct ib_uverbs_create_qp_resp *resp = (void *)k->t.response;
	const struct ib_uverbs_ex_create_qp *qp = (void *)body;

	if (qp->qp_type == RV_XRC_TGT) {
		atomic_store(&k->t.ctx->target, resp->qpn);
		atomic_store(&k->t.ctx->target_xrcd, qp->pd_handle);
	}
	walk(&k->t, resp->qp_handle, qp->qp_type);
}

static void note_command(struct worker *k, const struct command *c,
			 const char *body)
{
	uint32_t handle;

	if (!c->extended && c->number == IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL)
		note_channel(k);
	if (c->makes) {
		memcpy(&handle, k->t.response + c->made, 4);
		remember(&k->t, c->makes, handle);
	}
	if (c->takes) {
		memcpy(&handle, body + c->field[0].offset, 4);
		forget(&k->t, c->takes, handle);
	}
	if (c->special == QP_TYPES)
		note_qp(k, c->extended ? body : body + 8);
}

/* ---- running ---- */

/* At the end of memory an attribute too many is a fault. */
static int call(struct worker *k, struct tree *t)
{
	int fd = atomic_load(&k->t.ctx->fd);
	size_t size = sizeof(t->hdr) +
		(t->hdr.num_attrs & 63) * sizeof(t->attr[0]);
	char *at = k->t.edge + 4096 - size;
	int ret;

	if (size > sizeof(*t) || chance(&k->t, 60))
		return tree_send(fd, t);
	memcpy(at, t, size);
	ret = ioctl(fd, RDMA_VERBS_IOCTL, at) ? -errno : 0;
	memcpy(t, at, size);
	return ret;
}

static int one_command(struct worker *k)
{
	const struct command *c = &commands[below(&k->t, COMMANDS)];
	char message[MESSAGE + 64];
	struct tree t;
	size_t length;
	bool valid;
	int ret;

	while (c->takes && chance(&k->t, 60))
		c = &commands[below(&k->t, COMMANDS)];
	length = compose(&k->t, c, message);
	valid = chance(&k->t, 60);
	if (!valid && chance(&k->t, 50))
		length = bend(&k->t, c, message, length);
	tree_of_command(k, &t, c, message, length);
	if (!valid)
		tree_bend(k, &t);
	ret = call(k, &t);
	counted(ALL_METHODS + (c - commands), ret);
	if (!ret && valid)
		note_command(k, c, message + (c->extended ? 24 : 8));
	return ret;
}

/* Creation is more frequent than destruction, or nothing would be found. */
static size_t pick_method(struct worker *k)
{
	size_t count = testdev ? ALL_METHODS : METHODS;
	size_t i = below(&k->t, count);

	while (method_at(i)->attr[0].type == T_GONE && chance(&k->t, 60))
		i = below(&k->t, count);
	return i;
}

static int one_method(struct worker *k)
{
	size_t i = pick_method(k);
	const struct ioctl_method *m = method_at(i);
	struct tree t;
	bool valid = chance(&k->t, 50);
	int ret;

	tree_compose(k, &t, m);
	if (!valid)
		tree_bend(k, &t);
	ret = call(k, &t);
	counted(i, ret);
	if (!ret && valid)
		note_method(k, m, &t);
	return ret;
}

static void other_things(struct worker *k)
{
	struct context *ctx = k->t.ctx;
	char event[32];
	int fd;

	switch (below(&k->t, 3)) {
	case 0:
		(void)!read(atomic_load(&ctx->async_fd), event, sizeof(event));
		break;
	case 1:
		fd = atomic_load(&k->beside->fd[below(&k->t, 2)][
			below(&k->t, BELLS)]);
		if (fd >= 0)
			(void)!read(fd, event, sizeof(event));
		break;
	case 2:
		fd = atomic_load(&ctx->channel[below(&k->t, CHANNELS)]);
		if (fd >= 0)
			(void)!read(fd, event, 8);
		break;
	}
}

static void turn_to(struct worker *k)
{
	int i = below(&k->t, CONTEXTS);

	k->t.ctx = &contexts[i];
	k->beside = &besides[i];
}

/* Another process with the same files, which ends in the middle of things. */
static void in_a_child(struct worker *k)
{
	int calls = 5 + below(&k->t, 40);
	pid_t pid = fork();

	if (pid) {
		atomic_fetch_add(&shared->forks, pid > 0);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Not what its parent is about to do. */
	k->t.random ^= 0x5851f42d4c957f2dull;
	while (calls--) {
		turn_to(k);
		if (chance(&k->t, 50))
			one_method(k);
		else
			one_command(k);
	}
	_exit(0);
}

/* EBADF alone may be that of a descriptor among the attributes. */
static bool context_lost(struct context *ctx, int ret)
{
	if (ret == -EBADF)
		return fcntl(atomic_load(&ctx->fd), F_GETFD) < 0;
	return ret == -EIO && comes_and_goes;
}

static void *run(void *arg)
{
	struct worker *k = arg;
	int ret;

	while (atomic_fetch_sub(&shared->left, 1) > 0) {
		turn_to(k);
		ret = chance(&k->t, 65) ? one_method(k) : one_command(k);
		if (chance(&k->t, 10))
			other_things(k);
		if (below(&k->t, 3000) == 0)
			in_a_child(k);
		if (context_lost(k->t.ctx, ret) || below(&k->t, 1000) == 0) {
			if (!context_renew(k->t.ctx) && comes_and_goes) {
				fprintf(stderr, "the device stays away\n");
				exit(3);
			}
		}
	}
	return NULL;
}

/* @size bytes of memory, and nothing behind them. */
static void *room(size_t size)
{
	char *at = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(at + size, 4096, PROT_NONE);
	return at;
}

static int a_dmabuf(void)
{
	struct testdev_dmabuf_create create = { .size = 65536 };
	int fd = open("/dev/ofed_testdev", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (ioctl(fd, TESTDEV_DMABUF_CREATE, &create))
		create.fd = -1;
	close(fd);
	return create.fd;
}

static void worker_init(struct worker *k, uint64_t seed, int i, int dmabuf)
{
	k->t.random = (seed + 1) * 0x9e3779b97f4a7c15ull +
		i * 0xbf58476d1ce4e5b9ull;
	k->t.edge = room(4096);
	k->t.response = room(ROOM);
	k->in = room(ROOM);
	k->dmabuf = dmabuf;
}

static int child(uint64_t seed, int threads)
{
	struct worker *k = calloc(threads, sizeof(*k));
	pthread_t *ids = calloc(threads, sizeof(*ids));
	int dmabuf = a_dmabuf();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < CONTEXTS; i++) {
		struct context *ctx = &contexts[i];

		pthread_mutex_init(&ctx->lock, NULL);
		atomic_store(&ctx->fd, -1);
		atomic_store(&ctx->async_fd, -1);
		for (int j = 0; j < CHANNELS; j++)
			atomic_store(&ctx->channel[j], -1);
		for (int j = 0; j < 2 * BELLS; j++)
			atomic_store(&besides[i].fd[j / BELLS][j % BELLS], -1);
		if (!context_renew(ctx)) {
			fprintf(stderr, "cannot open %s\n", device);
			return 2;
		}
	}
	for (int i = 0; i < threads; i++) {
		worker_init(&k[i], seed, i, dmabuf);
		pthread_create(&ids[i], NULL, run, &k[i]);
	}
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	/* No clean-up: the kernel's, at exit, is part of the test. */
	return 0;
}

static bool hurt_itself(int status)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };

	for (int i = 0; WIFSIGNALED(status) && i < 5; i++)
		if (WTERMSIG(status) == signals[i])
			return true;
	return false;
}

/* Methods that no device has, or that an open file cannot call again. */
static bool expected(size_t i)
{
	if (i < ALL_METHODS)
		return method_at(i)->object != UVERBS_OBJECT_FLOW_ACTION &&
			(i < METHODS || testdev);
	return true;
}

/* Return: number of methods that never succeeded. */
static int summary(void)
{
	long good = 0, bad = 0;
	int never = 0;

	for (size_t i = 0; i < ALL; i++) {
		long g = atomic_load(&shared->good[i]);
		long b = atomic_load(&shared->bad[i]);
		bool missed = !g && expected(i);

		printf("%-24s %8ld %8ld%s\n", name_at(i), g, b,
		       missed ? "  never succeeded" : "");
		never += missed;
		good += g;
		bad += b;
	}
	printf("%ld calls, %ld succeeded, %d kinds never did, %ld forks, %ld restarts\n",
	       good + bad, good, never, atomic_load(&shared->forks),
	       atomic_load(&shared->restarts));
	return never;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: ioctl_fuzz -d DEVICE [-n CALLS] [-s SEED] [-t THREADS] [-w] [-c]\n");
	return 2;
}

static void prepare(void)
{
	char name[] = "/tmp/fuzz.XXXXXX";

	driver_id = tree_driver(device);
	testdev = driver_id != 14;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	read_only = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	xrc_file = mkstemp(name);
	unlink(name);
}

int main(int argc, char **argv)
{
	uint64_t seed = time(NULL);
	int threads = 4, option, status = 0;
	bool coverage = false;
	long count = 10000;

	while ((option = getopt(argc, argv, "d:n:s:t:wc")) != -1) {
		if (option == 'd')
			device = optarg;
		else if (option == 'n')
			count = atol(optarg);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (option == 't')
			threads = atoi(optarg);
		else if (option == 'w')
			comes_and_goes = true;
		else if (option == 'c')
			coverage = true;
		else
			return usage();
	}
	if (!device || optind != argc)
		return usage();
	printf("seed %llu, %ld calls, %d threads\n", (unsigned long long)seed,
	       count, threads);
	fflush(stdout);
	prepare();
	atomic_store(&shared->left, count);
	while (atomic_load(&shared->left) > 0) {
		pid_t pid = fork();

		if (!pid)
			_exit(child(seed, threads));
		if (waitpid(pid, &status, 0) < 0 || !hurt_itself(status))
			break;
		atomic_fetch_add(&shared->restarts, 1);
		seed++;
		status = 0;
	}
	if (summary() && coverage)
		return 1;
	if (status)
		printf("the last run ended with status 0x%x\n", status);
	return status ? 1 : 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * How many objects of a kind a device gives: as many as it announces and not one more,
 * and all of them again after whatever has ended those before. By commands: a library
 * would map a ring for each object, and a process has fewer mappings than that.
 *
 * object_limits DEVICE KIND USED [twice]	USED of the kind are the kernel's; twice: as many as
 *					are announced are made two times, not five
 * object_limits DEVICE KIND fill NUM	makes NUM, says so, waits for SIGUSR1, goes on
 *					until there is an error, says which, and waits
 *					to be killed
 * object_limits DEVICE event fill NUM	has NUM chances of an event, says so, waits for
 *					SIGUSR1, and says how many events came
 *
 * KIND is pd, cq, srq, qp, mr, mw or ah.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "raw_verbs.h"
#include "verdict.h"

/* No response has more, and the handle comes first in each. */
#define RESP_BYTES 72
/* Every address in the first page is a bad one. */
#define NOWHERE 8

#define THREADS 4
#define RACES 500
#define FAULTS 100

struct kind {
	const char *name;
	size_t max;	/* where struct ib_uverbs_query_device_resp has it */
	int (*make)(struct rv_world *w, uint64_t response);
	int (*drop)(struct rv_world *w, uint32_t handle);
	int (*parents)(struct rv_world *w);
};

/* ---- each kind ------------------------------------------------------------- */

#define SEND(w, NAME, cmd)						\
	rv_write((w)->fd, IB_USER_VERBS_CMD_##NAME, &(cmd), sizeof(cmd), RESP_BYTES)

static int make_pd(struct rv_world *w, uint64_t response)
{
	struct ib_uverbs_alloc_pd cmd = { .response = response };

	return SEND(w, ALLOC_PD, cmd);
}

static int drop_pd(struct rv_world *w, uint32_t handle)
{
	return rv_drop(w, IB_USER_VERBS_CMD_DEALLOC_PD, handle);
}

static int make_cq(struct rv_world *w, uint64_t response)
{
	struct ib_uverbs_create_cq cmd = {
		.response = response, .cqe = 1, .comp_channel = -1,
	};

	return SEND(w, CREATE_CQ, cmd);
}

static int make_srq(struct rv_world *w, uint64_t response)
{
	struct ib_uverbs_create_srq cmd = {
		.response = response, .pd_handle = w->pd, .max_wr = 1, .max_sge = 1,
	};

	return SEND(w, CREATE_SRQ, cmd);
}

static int make_qp(struct rv_world *w, uint64_t response)
{
	struct ib_uverbs_create_qp cmd = {
		.response = response, .pd_handle = w->pd,
		.send_cq_handle = w->cq, .recv_cq_handle = w->cq,
		.max_send_wr = 1, .max_recv_wr = 1,
		.max_send_sge = 1, .max_recv_sge = 1,
		.qp_type = RV_RC,
	};

	return SEND(w, CREATE_QP, cmd);
}

/* Each another page: no page counts as many pins as there are regions. */
static int make_mr(struct rv_world *w, uint64_t response)
{
	static _Atomic unsigned int next;
	char *at = w->memory + next++ % (RV_MEMORY / 4096) * 4096;
	struct ib_uverbs_reg_mr cmd = {
		.response = response, .start = (uintptr_t)at, .length = 1,
		.hca_va = (uintptr_t)at, .pd_handle = w->pd, .access_flags = 1,
	};

	return SEND(w, REG_MR, cmd);
}

static int drop_mr(struct rv_world *w, uint32_t handle)
{
	return rv_drop(w, IB_USER_VERBS_CMD_DEREG_MR, handle);
}

static int make_mw(struct rv_world *w, uint64_t response)
{
	struct ib_uverbs_alloc_mw cmd = {
		.response = response, .pd_handle = w->pd, .mw_type = 1,
	};

	return SEND(w, ALLOC_MW, cmd);
}

static int drop_mw(struct rv_world *w, uint32_t handle)
{
	return rv_drop(w, IB_USER_VERBS_CMD_DEALLOC_MW, handle);
}

static int make_ah(struct rv_world *w, uint64_t response)
{
	struct ib_uverbs_create_ah cmd = {
		.response = response, .pd_handle = w->pd,
		.attr = { .port_num = 1, .dlid = 1 },
	};

	if (w->dev.ethernet) {
		cmd.attr.dlid = 0;
		cmd.attr.is_global = 1;
		cmd.attr.grh.hop_limit = 1;
		memcpy(cmd.attr.grh.dgid, w->dev.gid, 16);
	}
	return SEND(w, CREATE_AH, cmd);
}

static int drop_ah(struct rv_world *w, uint32_t handle)
{
	return rv_drop(w, IB_USER_VERBS_CMD_DESTROY_AH, handle);
}

static int pd_and_cq(struct rv_world *w)
{
	w->channel = -1;
	return rv_make_pd(w) ?: rv_make_cq(w);
}

/* A queue pair of an SRQ fails, and its last request is an event. */
static int make_event(struct rv_world *w, uint64_t response)
{
	static const uint8_t states[] = { RV_INIT, RV_ERR, RV_RESET };
	unsigned int i;
	int ret = 0;

	(void)response;
	for (i = 0; i < sizeof(states) && !ret; i++)
		ret = rv_modify_rc(w, states[i]);
	return ret;
}

static int qp_with_srq(struct rv_world *w)
{
	return pd_and_cq(w) ?: rv_make_srq(w) ?:
		rv_create_qp(w, RV_RC, w->srq, &w->rc, &w->rc_num);
}

#define ANNOUNCED(field) offsetof(struct ib_uverbs_query_device_resp, field)

static const struct kind kinds[] = {
	{ "pd", ANNOUNCED(max_pd), make_pd, drop_pd, NULL },
	{ "cq", ANNOUNCED(max_cq), make_cq, rv_destroy_cq, NULL },
	{ "srq", ANNOUNCED(max_srq), make_srq, rv_destroy_srq, rv_make_pd },
	{ "qp", ANNOUNCED(max_qp), make_qp, rv_destroy_qp, pd_and_cq },
	{ "mr", ANNOUNCED(max_mr), make_mr, drop_mr, rv_make_pd },
	{ "mw", ANNOUNCED(max_mw), make_mw, drop_mw, rv_make_pd },
	{ "ah", ANNOUNCED(max_ah), make_ah, drop_ah, rv_make_pd },
	{ "event", ANNOUNCED(max_mr), make_event, NULL, qp_with_srq },
};

/* ---- many of one kind --------------------------------------------------------- */

struct heap {
	const struct kind *kind;
	struct rv_world w;
	long room;		/* that is left to us */
	long made;
	uint32_t *handle;
};

static void die(const char *what, int error)
{
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(2);
}

static void begin(struct heap *h)
{
	int ret;

	ret = rv_make_context(&h->w);
	if (!ret && h->kind->parents)
		ret = h->kind->parents(&h->w);
	if (ret)
		die("the beginning", -ret);
	h->made = 0;
}

static void end(struct heap *h)
{
	rv_undo_context(&h->w);
}

static int make(struct heap *h, uint32_t *handle)
{
	union {
		uint32_t handle;
		char bytes[RESP_BYTES];
	} resp = {};
	int ret = h->kind->make(&h->w, (uintptr_t)&resp);

	*handle = resp.handle;
	return ret;
}

/* Up to @most in all. Return: 0, or what ended it. */
static int fill(struct heap *h, long most)
{
	int ret = 0;

	while (h->made < most && !(ret = make(h, &h->handle[h->made])))
		h->made++;
	return ret;
}

static long drop(struct heap *h, long left)
{
	long lost = 0;

	while (h->made > left)
		lost += h->kind->drop(&h->w, h->handle[--h->made]) != 0;
	return lost;
}

/* ---- what is expected ------------------------------------------------------------ */

static void up_to_the_limit(struct heap *h)
{
	int ret = fill(h, h->room + 1);

	EXPECT("as many as announced", h->made, h->room);
	EXPECT("and one more is ENOMEM", -ret, ENOMEM);
	EXPECT("which is so again", -fill(h, h->room + 1), ENOMEM);
}

static void one_back(struct heap *h)
{
	EXPECT("one is destroyed", drop(h, h->room - 1), 0);
	EXPECT("and one fits in, not two", -fill(h, h->room + 1), ENOMEM);
	EXPECT("which makes as many", h->made, h->room);
}

/* The driver, or the core after it, can not write its answer. */
static void faults(struct heap *h)
{
	int i, wrong = 0;

	drop(h, h->room - 1);
	for (i = 0; i < FAULTS; i++)
		wrong += h->kind->make(&h->w, NOWHERE) != -EFAULT;
	EXPECT("each with nowhere to answer is EFAULT", wrong, 0);
	EXPECT("and takes nothing: one fits in, not two", -fill(h, h->room + 1), ENOMEM);
	EXPECT("which makes as many", h->made, h->room);
}

struct racer {
	pthread_t thread;
	struct heap *h;
	long made, wrong;
};

static void *race(void *arg)
{
	struct racer *r = arg;
	uint32_t handle;
	int i, ret;

	for (i = 0; i < RACES; i++) {
		ret = make(r->h, &handle);
		if (ret)
			r->wrong += ret != -ENOMEM;
		else
			r->wrong += r->h->kind->drop(&r->h->w, handle) != 0;
		r->made += !ret;
	}
	return NULL;
}

/* More threads than there is room for make and destroy. */
static void races(struct heap *h)
{
	struct racer racer[THREADS] = {};
	long made = 0, wrong = 0;
	int i;

	drop(h, h->room - THREADS / 2);
	for (i = 0; i < THREADS; i++) {
		racer[i].h = h;
		if (pthread_create(&racer[i].thread, NULL, race, &racer[i]))
			die("a thread", errno);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(racer[i].thread, NULL);
		made += racer[i].made;
		wrong += racer[i].wrong;
	}
	EXPECT("threads meet no error but ENOMEM", wrong, 0);
	EXPECT("some are made", made > 0, 1);
	EXPECT("and there is room for the rest, not more", -fill(h, h->room + 1), ENOMEM);
	EXPECT("which makes as many", h->made, h->room);
}

/* A process has all of them, and is killed. Its end is over when wait() knows of it. */
static void killed(struct heap *h)
{
	int status = 0;
	pid_t child = fork();

	if (child < 0)
		die("fork", errno);
	if (!child) {
		begin(h);
		fill(h, h->room + 1);
		if (h->made == h->room)
			raise(SIGKILL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	EXPECT("a process with all of them is killed", WIFSIGNALED(status), 1);
}

static void again(struct heap *h, const char *what)
{
	begin(h);
	fill(h, h->room + 1);
	EXPECT(what, h->made, h->room);
}

static int limits(struct heap *h, bool twice)
{
	begin(h);
	up_to_the_limit(h);
	one_back(h);
	faults(h);
	races(h);
	EXPECT("all are destroyed", drop(h, 0), 0);
	end(h);
	again(h, "all of them again");
	end(h);
	if (twice)
		return verdict();
	again(h, "and again after the file was closed");
	end(h);
	killed(h);
	again(h, "and after that");
	end(h);
	return verdict();
}

/* ---- as much as there is memory for -------------------------------------------------- */

static volatile sig_atomic_t asked;

static void ask(int sig)
{
	asked = sig;
}

static long events(struct rv_world *w)
{
	struct ib_uverbs_async_event_desc event;
	long num = 0;

	fcntl(w->async_fd, F_SETFL, O_NONBLOCK);
	while (read(w->async_fd, &event, sizeof(event)) == sizeof(event))
		num++;
	return num;
}

static void fill_all(struct heap *h, long first)
{
	struct sigaction action = { .sa_handler = ask };
	sigset_t usr1, before;
	int ret;

	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, &before);
	/* Memory of the program itself is there before it is measured. */
	memset(h->handle, 0xff, h->room * sizeof(*h->handle));
	begin(h);
	printf("begun\n");
	fflush(stdout);
	while (!asked)
		sigsuspend(&before);
	asked = 0;
	ret = fill(h, first);
	if (ret)
		die("too early", -ret);
	printf("made %ld\n", h->made);
	fflush(stdout);
	while (!asked)
		sigsuspend(&before);
	if (h->kind->make == make_event) {
		printf("events: %ld\n", events(&h->w));
		exit(0);
	}
	ret = fill(h, h->room);
	printf("%ld, then: %s\n", h->made, ret ? strerror(-ret) : "all");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct ib_uverbs_query_device_resp attr = {};
	struct ib_uverbs_query_device query = {};
	struct heap h = {};
	unsigned int i;
	int ret;

	if (argc < 4)
		return 2;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(argv[2], kinds[i].name))
			h.kind = &kinds[i];
	if (!h.kind)
		return 2;
	ret = rv_find(argv[1], &h.w.dev);
	if (ret)
		die(argv[1], -ret);
	h.w.memory = aligned_alloc(4096, RV_MEMORY);
	if (!h.w.memory)
		die("memory", errno);
	memset(h.w.memory, 0, RV_MEMORY);
	ret = rv_make_context(&h.w) ?: RV(h.w.fd, QUERY_DEVICE, query, attr);
	if (ret)
		die("QUERY_DEVICE", -ret);
	rv_undo_context(&h.w);

	h.room = *(uint32_t *)((char *)&attr + h.kind->max);
	if (strcmp(argv[3], "fill"))
		h.room -= atol(argv[3]);
	h.handle = malloc((h.room + 1) * sizeof(*h.handle));
	if (!h.handle || h.room < THREADS)
		die("room", ENOMEM);
	printf("%s: room for %ld\n", h.kind->name, h.room);
	fflush(stdout);
	if (strcmp(argv[3], "fill"))
		return limits(&h, argc > 4 && !strcmp(argv[4], "twice"));
	fill_all(&h, argc > 4 ? atol(argv[4]) : 1);
}
